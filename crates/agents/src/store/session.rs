//! The sessions of agents in threads.

use bothy_domain::ids::{AgentSessionId, PrincipalId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::failure::OrProblem;
use bothy_storage::{Reader, Row, UnitOfWork, params, statements};

use crate::session::SessionRow;

macro_rules! columns {
    () => {
        "id, thread_id, agent_id, is_current, started, reference"
    };
}

statements! {
    /// One session by its id.
    SESSION_BY_ID = concat!("SELECT ", columns!(), " FROM agent_sessions WHERE id = $1");
    /// The current session of an agent in a thread.
    CURRENT_SESSION = concat!(
        "SELECT ", columns!(), " FROM agent_sessions WHERE thread_id = $1 AND agent_id = $2 AND is_current"
    );
    /// Locks the current session of an agent in a thread and reads it.
    LOCK_CURRENT_SESSION = concat!(
        "UPDATE agent_sessions SET is_current = TRUE WHERE thread_id = $1 AND agent_id = $2 AND is_current RETURNING ",
        columns!()
    );
    /// The current session of an agent in a thread is not it any more; runs that have it keep it.
    RETIRE_SESSION =
        "UPDATE agent_sessions SET is_current = FALSE WHERE thread_id = $1 AND agent_id = $2 AND is_current";
    /// A session that becomes the current one unless there is one already.
    INSERT_SESSION =
        "INSERT INTO agent_sessions (id, thread_id, agent_id, is_current, started, reference, created_at) \
         VALUES ($1, $2, $3, TRUE, FALSE, NULL, $4) ON CONFLICT DO NOTHING";
    /// The runtime's reference of a session, which has started thereby.
    REPORT_SESSION = concat!(
        "UPDATE agent_sessions SET started = TRUE, reference = $2 WHERE id = $1 RETURNING ", columns!()
    );
}

fn session_of(row: &Row) -> Result<SessionRow, Problem> {
    Ok(SessionRow {
        id: row.get("id").or_problem()?,
        thread: row.get("thread_id").or_problem()?,
        agent: row.get("agent_id").or_problem()?,
        is_current: row.get("is_current").or_problem()?,
        started: row.get("started").or_problem()?,
        reference: row.get("reference").or_problem()?,
    })
}

pub(crate) async fn by_id(reader: &Reader, id: AgentSessionId) -> Result<Option<SessionRow>, Problem> {
    reader.optional(&SESSION_BY_ID, params![id]).await.or_problem()?.as_ref().map(session_of).transpose()
}

pub(crate) async fn current(
    reader: &Reader,
    thread: ThreadId,
    agent: PrincipalId,
) -> Result<Option<SessionRow>, Problem> {
    reader.optional(&CURRENT_SESSION, params![thread, agent]).await.or_problem()?.as_ref().map(session_of).transpose()
}

pub(crate) async fn lock_current(
    unit: &UnitOfWork,
    thread: ThreadId,
    agent: PrincipalId,
) -> Result<Option<SessionRow>, Problem> {
    let row = unit.returning_optional(&LOCK_CURRENT_SESSION, params![thread, agent]).await.or_problem()?;
    row.as_ref().map(session_of).transpose()
}

pub(crate) async fn retire(unit: &UnitOfWork, thread: ThreadId, agent: PrincipalId) -> Result<(), Problem> {
    unit.execute(&RETIRE_SESSION, params![thread, agent]).await.or_problem().map(drop)
}

pub(crate) async fn insert(
    unit: &UnitOfWork,
    id: AgentSessionId,
    thread: ThreadId,
    agent: PrincipalId,
    now: Timestamp,
) -> Result<(), Problem> {
    unit.execute(&INSERT_SESSION, params![id, thread, agent, now]).await.or_problem().map(drop)
}

pub(crate) async fn report(
    unit: &UnitOfWork,
    id: AgentSessionId,
    reference: &str,
) -> Result<Option<SessionRow>, Problem> {
    let row = unit.returning_optional(&REPORT_SESSION, params![id, reference]).await.or_problem()?;
    row.as_ref().map(session_of).transpose()
}
