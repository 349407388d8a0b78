//! Runs whose time has come (chapter 06 section 2). A node reads who is due and then claims each by
//! changing it in a unit of work of its own; who comes second changes nothing.

use bothy_domain::ids::{PrincipalId, RunId, ThreadId};
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
    /// Runs whose question was answered and whose agent does not go on. The answer is a follow-up too,
    /// which says since when it is there.
    ANSWER_EXPIRED =
        "SELECT r.id FROM runs r JOIN run_followups f ON f.run_id = r.id AND f.message_id = r.input_message_id \
         WHERE r.state IN ('queued', 'running', 'waiting_input') AND r.state = 'waiting_input' \
           AND f.created_at <= $1 ORDER BY f.created_at, r.id LIMIT $2";
    /// Whether one of them still is one.
    ANSWER_EXPIRED_OF =
        "SELECT r.id FROM runs r JOIN run_followups f ON f.run_id = r.id AND f.message_id = r.input_message_id \
         WHERE r.id = $1 AND r.state = 'waiting_input' AND f.created_at <= $2";
    /// A page of the runs that an expiring right may end, as the index of active runs has them.
    ON_RIGHTS =
        "SELECT thread_id, agent_id, triggered_by, queued_at FROM runs \
         WHERE state IN ('queued', 'running', 'waiting_input') \
         AND (cancel_reason IS NULL OR cancel_reason <> 'access_revoked') \
         AND (thread_id, agent_id) > ($1, $2) ORDER BY thread_id, agent_id LIMIT $3";
    /// Runs that were to end and did not.
    CANCEL_EXPIRED =
        "SELECT id FROM runs WHERE state IN ('running', 'waiting_input') AND cancel_requested_at <= $1 \
         ORDER BY cancel_requested_at, id LIMIT $2";
}

/// An active run that rests on the rights of its person and its agent. Of an agent there is one in a
/// thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OnRights {
    pub(crate) thread: ThreadId,
    pub(crate) agent: PrincipalId,
    pub(crate) triggered_by: PrincipalId,
    pub(crate) queued_at: Timestamp,
}

/// Active runs after the one of `after`, unless they were told already that their rights ended.
pub(crate) async fn on_rights(
    reader: &Reader,
    after: (ThreadId, PrincipalId),
    limit: i64,
) -> Result<Vec<OnRights>, Problem> {
    let rows = reader.all(&ON_RIGHTS, params![after.0, after.1, limit]).await.or_problem()?;
    rows.iter()
        .map(|row| {
            Ok(OnRights {
                thread: get(row, "thread_id")?,
                agent: get(row, "agent_id")?,
                triggered_by: get(row, "triggered_by")?,
                queued_at: get(row, "queued_at")?,
            })
        })
        .collect()
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

/// Answered at or before `until`, and not resumed.
pub(crate) async fn answer(reader: &Reader, until: Timestamp, limit: i64) -> Result<Vec<RunId>, Problem> {
    due(reader, &ANSWER_EXPIRED, until, limit).await
}

/// Whether a run was answered at or before `until` and was not resumed.
pub(crate) async fn is_unheard(reader: &Reader, run: RunId, until: Timestamp) -> Result<bool, Problem> {
    Ok(reader.optional(&ANSWER_EXPIRED_OF, params![run, until]).await.or_problem()?.is_some())
}

/// Asked to end at or before `until`.
pub(crate) async fn cancel(reader: &Reader, until: Timestamp, limit: i64) -> Result<Vec<RunId>, Problem> {
    due(reader, &CANCEL_EXPIRED, until, limit).await
}
