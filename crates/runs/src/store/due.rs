//! Runs whose time has come (chapter 06 section 2). A node reads who is due and then claims each by
//! changing it in a unit of work of its own; who comes second changes nothing.

use bothy_domain::ids::RunId;
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::failure::OrProblem;
use bothy_storage::{Reader, Statement, params, statements};

use super::row::get;

statements! {
    /// Runs that nobody took in time.
    QUEUE_EXPIRED = "SELECT id FROM runs WHERE state = 'queued' AND queued_at <= $1 ORDER BY queued_at, id LIMIT $2";
    /// Runs whose agent fell silent.
    LEASE_EXPIRED = "SELECT id FROM runs WHERE state = 'running' AND lease_expires_at <= $1 ORDER BY lease_expires_at, id LIMIT $2";
    /// Runs that were to end and did not.
    CANCEL_EXPIRED =
        "SELECT id FROM runs WHERE state IN ('running', 'waiting_input') AND cancel_requested_at <= $1 \
         ORDER BY cancel_requested_at, id LIMIT $2";
}

async fn due(
    reader: &Reader,
    statement: &'static Statement,
    until: Timestamp,
    limit: i64,
) -> Result<Vec<RunId>, Problem> {
    let rows = reader.all(statement, params![until, limit]).await.or_problem()?;
    rows.iter().map(|row| get(row, "id")).collect()
}

/// Queued at or before `until`.
pub(crate) async fn queue(reader: &Reader, until: Timestamp, limit: i64) -> Result<Vec<RunId>, Problem> {
    due(reader, &QUEUE_EXPIRED, until, limit).await
}

/// Leased until `until` or less.
pub(crate) async fn lease(reader: &Reader, until: Timestamp, limit: i64) -> Result<Vec<RunId>, Problem> {
    due(reader, &LEASE_EXPIRED, until, limit).await
}

/// Asked to end at or before `until`.
pub(crate) async fn cancel(reader: &Reader, until: Timestamp, limit: i64) -> Result<Vec<RunId>, Problem> {
    due(reader, &CANCEL_EXPIRED, until, limit).await
}
