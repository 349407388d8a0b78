//! Reading runs, for people and agents who may read their thread.

use bothy_domain::action::{Action, ResourceKind, actions};
use bothy_domain::ids::{RunId, ThreadId};
use bothy_domain::policy::Resource;
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_platform::failure::OrProblem;
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};

use crate::store::row::RunRow;
use crate::{Runs, store};

/// Comes after every id, so that the first page needs no statement of its own.
const LAST: RunId = RunId::from_uuid(uuid::Uuid::max());

impl Runs {
    /// One run.
    pub(crate) async fn get_run(&self, allowed: Allowed<actions::RunRead>) -> Result<RunRow, Problem> {
        let reader = self.database.reader().await.or_problem()?;
        store::run::by_id(&reader, allowed.id()).await?.ok_or(Problem::new(ProblemCode::NotFound))
    }

    /// The runs of a thread that the caller may read, newest first.
    pub(crate) async fn list_thread_runs(
        &self,
        allowed: Allowed<actions::ThreadRead>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<RunRow>, Problem> {
        // Who may read the thread, but no runs at all, is told so instead of being shown empty pages.
        allowed.scope::<actions::RunRead>().await?;
        let paging = Paging::parse(limit, cursor, self.settings.pages)?;
        let before = paging.after_id()?.unwrap_or(LAST);
        let thread: ThreadId = allowed.id();
        let reader = self.database.reader().await.or_problem()?;
        let rows = store::run::of_thread(&reader, thread, before, paging.fetch()).await?;
        let path = allowed.resource().path;
        let keeps = |run: &RunRow| {
            let resource = Resource {
                agent: Some(run.agent),
                triggered_by: Some(run.triggered_by),
                ..Resource::new(ResourceKind::Run, run.id.cast(), path)
            };
            allowed.judge().keeps(Action::RunRead, &resource)
        };
        Ok(page(rows, paging.limit, |run| Cursor::id(run.id)).retain(keeps))
    }
}
