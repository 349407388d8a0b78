//! The active runs that a change of rights may end. Ordered by id, so that two revocations lock
//! them in the same order.

use bothy_domain::ids::{PrincipalId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_platform::failure::OrProblem;
use bothy_storage::{Reader, params, statements};

use super::row::{RunRow, get, run_columns, runs_of};

statements! {
    /// Of people who trigger, or of agents that work.
    ACTIVE_OF_PRINCIPALS = concat!(
        "SELECT ", run_columns!(), " FROM runs WHERE state IN ('queued', 'running', 'waiting_input')",
        " AND (triggered_by IN (ID_LIST($1)) OR agent_id IN (ID_LIST($1))) ORDER BY id"
    );
    /// A page of the threads with an active run, as the index of active runs has them.
    ACTIVE_THREADS =
        "SELECT DISTINCT thread_id FROM runs WHERE state IN ('queued', 'running', 'waiting_input') \
         AND thread_id > $1 ORDER BY thread_id LIMIT $2";
    /// In some threads.
    ACTIVE_IN_THREADS = concat!(
        "SELECT ", run_columns!(), " FROM runs WHERE state IN ('queued', 'running', 'waiting_input')",
        " AND thread_id IN (ID_LIST($1)) ORDER BY id"
    );
}

pub(crate) async fn of_principals(reader: &Reader, principals: &[PrincipalId]) -> Result<Vec<RunRow>, Problem> {
    runs_of(&reader.all(&ACTIVE_OF_PRINCIPALS, params![principals]).await.or_problem()?)
}

/// Threads after `after` in which a run is active, ascending.
pub(crate) async fn threads(reader: &Reader, after: ThreadId, limit: i64) -> Result<Vec<ThreadId>, Problem> {
    let rows = reader.all(&ACTIVE_THREADS, params![after, limit]).await.or_problem()?;
    rows.iter().map(|row| get(row, "thread_id")).collect()
}

pub(crate) async fn in_threads(reader: &Reader, threads: &[ThreadId]) -> Result<Vec<RunRow>, Problem> {
    if threads.is_empty() {
        return Ok(Vec::new());
    }
    runs_of(&reader.all(&ACTIVE_IN_THREADS, params![threads]).await.or_problem()?)
}
