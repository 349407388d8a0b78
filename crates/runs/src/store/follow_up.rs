//! Follow-ups of runs (chapter 06 section 3).

use bothy_domain::ids::{AgentSessionId, MessageId, RunId};
use bothy_domain::problem::Problem;
use bothy_domain::run::{FollowUp, FollowUpState};
use bothy_domain::time::Timestamp;
use bothy_platform::failure::OrProblem;
use bothy_storage::{Reader, Row, UnitOfWork, params, statements};

use super::row::{get, word};

statements! {
    /// A message reaches a run; the same one only once.
    INSERT_FOLLOW_UP =
        "INSERT INTO run_followups (run_id, message_id, thread_seq, state, created_at) \
         VALUES ($1, $2, $3, 'pending', $4) ON CONFLICT DO NOTHING";
    /// One follow-up.
    FOLLOW_UP = "SELECT message_id, thread_seq, state FROM run_followups WHERE run_id = $1 AND message_id = $2";
    /// The follow-ups of a run, oldest first.
    FOLLOW_UPS = "SELECT message_id, thread_seq, state FROM run_followups WHERE run_id = $1 ORDER BY thread_seq";
    /// A change of a follow-up that still is in the state it was judged in.
    CHANGE_FOLLOW_UP = "UPDATE run_followups SET state = $4 WHERE run_id = $1 AND message_id = $2 AND state = $3";
    /// Those of some messages that reached a session in a run of it (RC-15).
    REACHED_SESSION =
        "SELECT DISTINCT f.message_id FROM run_followups f JOIN runs r ON r.id = f.run_id \
         WHERE f.message_id IN (ID_LIST($2)) AND r.agent_session_id = $1 AND f.state IN ('delivered', 'absorbed')";
}

fn follow_up_of(row: &Row) -> Result<FollowUp, Problem> {
    Ok(FollowUp {
        message: get(row, "message_id")?,
        thread_seq: get(row, "thread_seq")?,
        state: word(row, "state", FollowUpState::parse)?,
    })
}

/// Whether the message was new to the run.
pub(crate) async fn insert(
    unit: &UnitOfWork,
    run: RunId,
    message: MessageId,
    thread_seq: i64,
    now: Timestamp,
) -> Result<bool, Problem> {
    Ok(unit.execute(&INSERT_FOLLOW_UP, params![run, message, thread_seq, now]).await.or_problem()? == 1)
}

pub(crate) async fn one(reader: &Reader, run: RunId, message: MessageId) -> Result<Option<FollowUp>, Problem> {
    reader.optional(&FOLLOW_UP, params![run, message]).await.or_problem()?.as_ref().map(follow_up_of).transpose()
}

pub(crate) async fn of_run(reader: &Reader, run: RunId) -> Result<Vec<FollowUp>, Problem> {
    reader.all(&FOLLOW_UPS, params![run]).await.or_problem()?.iter().map(follow_up_of).collect()
}

/// Writes the state of a follow-up that was in state `from`.
pub(crate) async fn change(
    unit: &UnitOfWork,
    run: RunId,
    message: MessageId,
    from: FollowUpState,
    to: FollowUpState,
) -> Result<(), Problem> {
    if from != to {
        unit.execute(&CHANGE_FOLLOW_UP, params![run, message, from.as_str(), to.as_str()]).await.or_problem()?;
    }
    Ok(())
}

/// Those of `messages` that a session has, ascending.
pub(crate) async fn reached_session(
    reader: &Reader,
    session: AgentSessionId,
    messages: &[MessageId],
) -> Result<Vec<MessageId>, Problem> {
    let rows = reader.all(&REACHED_SESSION, params![session, messages]).await.or_problem()?;
    let mut found = rows.iter().map(|row| get(row, "message_id")).collect::<Result<Vec<MessageId>, _>>()?;
    found.sort_unstable();
    Ok(found)
}
