//! The runs that are under way, where somebody may see them.

use std::collections::HashMap;

use bothy_domain::action::{Action, ResourceKind, actions};
use bothy_domain::ids::{RunId, ThreadId};
use bothy_domain::policy::{Path, Resource, Scope};
use bothy_domain::problem::Problem;
use bothy_platform::authorize::Judge;
use bothy_platform::failure::OrProblem;
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::Reader;

use crate::read::ShownRun;
use crate::routes::RunView;
use crate::store::row::RunRow;
use crate::{Runs, store};

impl Runs {
    /// The active runs that a scope of `run.read` shows, by id.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn active_runs(
        &self,
        reader: &Reader,
        judge: &Judge,
        scope: &Scope,
        after: Option<RunId>,
        limit: i64,
    ) -> Result<Vec<RunView>, Problem> {
        let found = store::active::in_scope(reader, scope, after, limit).await?;
        let shown = self.readable(reader, judge, found).await?;
        Ok(self.with_questions(reader, shown).await?.into_iter().map(RunView::from).collect())
    }

    /// A page of the active runs that the caller may read, oldest first.
    pub(crate) async fn list_active_runs(
        &self,
        allowed: Allowed<actions::RunRead>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<ShownRun>, Problem> {
        let scope = allowed.scope::<actions::RunRead>().await?;
        let paging = Paging::parse(limit, cursor, self.settings.pages)?;
        let reader = self.database.reader().await.or_problem()?;
        let found = store::active::in_scope(&reader, &scope, paging.after_id()?, paging.fetch()).await?;
        let Page { items, next_cursor } = page(found, paging.limit, |run| Cursor::id(run.id));
        let items = self.readable(&reader, allowed.judge(), items).await?;
        Ok(Page { items: self.with_questions(&reader, items).await?, next_cursor })
    }

    /// Those of some runs that pass the check in filter mode.
    async fn readable(&self, reader: &Reader, judge: &Judge, runs: Vec<RunRow>) -> Result<Vec<RunRow>, Problem> {
        let threads: Vec<ThreadId> = runs.iter().map(|run| run.thread).collect();
        let threads = self.chat.threads(reader, &threads).await?;
        let paths: HashMap<ThreadId, Path> = threads.into_iter().map(|thread| (thread.id, thread.path())).collect();
        let readable = runs.into_iter().filter(|run| {
            paths.get(&run.thread).is_some_and(|path| {
                let resource = Resource {
                    agent: Some(run.agent),
                    triggered_by: Some(run.triggered_by),
                    ..Resource::new(ResourceKind::Run, run.id.cast(), *path)
                };
                judge.keeps(Action::RunRead, &resource)
            })
        });
        Ok(readable.collect())
    }

    /// A run as whoever may read it sees it; not judged.
    ///
    /// # Errors
    /// `unavailable` when the database does not answer.
    pub async fn shown(&self, reader: &Reader, id: RunId) -> Result<Option<RunView>, Problem> {
        match store::run::by_id(reader, id).await? {
            Some(run) => Ok(Some(self.with_question(reader, run).await?.into())),
            None => Ok(None),
        }
    }
}
