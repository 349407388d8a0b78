//! Runs whose time has come (chapter 06 section 2). A node reads who is due and then claims each by
//! changing it in a unit of work of its own; who comes second changes nothing.

use bothy_domain::ids::RunId;
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::failure::OrProblem;
use bothy_storage::{Reader, Statement, params, statements};

use super::row::{RunRow, get, run_columns, runs_of};

statements! {
    /// Runs that nobody took in time.
    QUEUE_EXPIRED = "SELECT id FROM runs WHERE state = 'queued' AND queued_at <= $1 ORDER BY queued_at, id LIMIT $2";
    /// Runs whose agent fell silent.
    LEASE_EXPIRED = "SELECT id FROM runs WHERE state = 'running' AND lease_expires_at <= $1 ORDER BY lease_expires_at, id LIMIT $2";
    /// Runs whose question was answered and whose agent does not go on.
    ANSWER_EXPIRED =
        "SELECT id FROM runs WHERE state IN ('queued', 'running', 'waiting_input') AND state = 'waiting_input' \
         AND lease_expires_at <= $1 ORDER BY lease_expires_at, id LIMIT $2";
    /// Runs in which a right that was given for a time has ended since they were queued.
    ACCESS_EXPIRED = concat!(
        "SELECT ", run_columns!("r."), " FROM runs r WHERE r.state IN ('queued', 'running', 'waiting_input')",
        " AND (r.cancel_reason IS NULL OR r.cancel_reason <> 'access_revoked') AND r.id > $2",
        " AND EXISTS (SELECT 1 FROM grants g WHERE g.revoked_at IS NULL AND g.expires_at <= $1",
        " AND g.expires_at > r.queued_at AND (g.principal_id IN (r.triggered_by, r.agent_id) OR g.group_id IN",
        " (SELECT m.group_id FROM group_members m WHERE m.principal_id IN (r.triggered_by, r.agent_id))))",
        " ORDER BY r.id LIMIT $3"
    );
    /// Runs that were to end and did not.
    CANCEL_EXPIRED =
        "SELECT id FROM runs WHERE state IN ('running', 'waiting_input') AND cancel_requested_at <= $1 \
         ORDER BY cancel_requested_at, id LIMIT $2";
}

/// Active runs after `after` in which a grant of the person or the agent has expired since they were
/// queued, unless they were told already.
pub(crate) async fn access(reader: &Reader, now: Timestamp, after: RunId, limit: i64) -> Result<Vec<RunRow>, Problem> {
    runs_of(&reader.all(&ACCESS_EXPIRED, params![now, after, limit]).await.or_problem()?)
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

/// Answered, and leased until `until` or less.
pub(crate) async fn answer(reader: &Reader, until: Timestamp, limit: i64) -> Result<Vec<RunId>, Problem> {
    due(reader, &ANSWER_EXPIRED, until, limit).await
}

/// Asked to end at or before `until`.
pub(crate) async fn cancel(reader: &Reader, until: Timestamp, limit: i64) -> Result<Vec<RunId>, Problem> {
    due(reader, &CANCEL_EXPIRED, until, limit).await
}
