//! Reading runs, for people and agents who may read their thread.

use bothy_domain::action::{Action, ResourceKind, actions};
use bothy_domain::ids::{RunId, ThreadId};
use bothy_domain::policy::Resource;
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_domain::run::RunState;
use bothy_platform::failure::OrProblem;
use bothy_platform::http::Allowed;
use bothy_platform::paging::{Cursor, Page, Paging, page};
use bothy_storage::Reader;

use crate::store::question::QuestionRow;
use crate::store::row::RunRow;
use crate::{Runs, store};

/// Comes after every id, so that the first page needs no statement of its own.
const LAST: RunId = RunId::from_uuid(uuid::Uuid::max());

/// A run with what it waits with.
#[derive(Debug, Clone)]
pub(crate) struct ShownRun {
    pub(crate) run: RunRow,
    /// The question of a run that waits.
    pub(crate) question: Option<QuestionRow>,
}

impl From<RunRow> for ShownRun {
    /// A run that waits with nothing.
    fn from(run: RunRow) -> Self {
        Self { run, question: None }
    }
}

impl Runs {
    /// One run.
    pub(crate) async fn get_run(&self, allowed: Allowed<actions::RunRead>) -> Result<ShownRun, Problem> {
        let reader = self.database.reader().await.or_problem()?;
        let run = store::run::by_id(&reader, allowed.id()).await?.ok_or(Problem::new(ProblemCode::NotFound))?;
        self.with_question(&reader, run).await
    }

    /// A run with its question.
    pub(crate) async fn with_question(&self, reader: &Reader, run: RunRow) -> Result<ShownRun, Problem> {
        let id = run.id;
        let shown = self.with_questions(reader, vec![run]).await?.pop();
        shown.ok_or_else(|| Problem::internal(format!("run {id} was lost while it was read")))
    }

    /// Runs with their questions, in their order; one query for all that wait.
    pub(crate) async fn with_questions(&self, reader: &Reader, runs: Vec<RunRow>) -> Result<Vec<ShownRun>, Problem> {
        let waiting = runs.iter().filter(|run| run.state == RunState::WaitingInput);
        let waiting: Vec<RunId> = waiting.map(|run| run.id).collect();
        let questions = store::question::newest_of(reader, &waiting).await?;
        let shown = runs.into_iter().map(|run| {
            let question = questions.iter().find(|question| question.run == run.id).copied();
            ShownRun { run, question }
        });
        Ok(shown.collect())
    }

    /// The runs of a thread that the caller may read, newest first.
    pub(crate) async fn list_thread_runs(
        &self,
        allowed: Allowed<actions::ThreadRead>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<ShownRun>, Problem> {
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
        let Page { items, next_cursor } = page(rows, paging.limit, |run| Cursor::id(run.id)).retain(keeps);
        Ok(Page { items: self.with_questions(&reader, items).await?, next_cursor })
    }
}
