//! What runs know of a message that is being deleted.

use bothy_domain::ids::{MessageId, RunId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_messaging::DeletedMessage;
use bothy_platform::failure::OrProblem;
use bothy_storage::{Reader, UnitOfWork, params, statements};

use super::row::{RunRow, run_columns, runs_of};

statements! {
    /// The active runs of its author that a message started or followed up.
    ACTIVE_BY_MESSAGE = concat!(
        "SELECT ", run_columns!(), " FROM runs WHERE triggered_by = $1",
        " AND state IN ('queued', 'running', 'waiting_input') AND (triggering_message_id = $2",
        " OR id IN (SELECT f.run_id FROM run_followups f WHERE f.message_id = $2)) ORDER BY id"
    );
    /// The active runs of other people in its thread that a message waits for.
    ACTIVE_BEFORE_MESSAGE = concat!(
        "SELECT ", run_columns!(), " FROM runs WHERE thread_id = $1",
        " AND state IN ('queued', 'running', 'waiting_input') AND agent_id IN",
        " (SELECT w.agent_id FROM run_waiting w WHERE w.thread_id = $1 AND w.message_id = $2) ORDER BY id"
    );
    /// A message waits for nobody any more.
    FORGET_WAITING = "DELETE FROM run_waiting WHERE thread_id = $1 AND message_id = $2";
    /// A follow-up that the agent does not know yet was never one.
    FORGET_PENDING = "DELETE FROM run_followups WHERE run_id = $1 AND message_id = $2 AND state = 'pending'";
    /// Of one that it knows, nothing is left to answer.
    SETTLE_DELIVERED =
        "UPDATE run_followups SET state = 'absorbed' WHERE run_id = $1 AND message_id = $2 AND state = 'delivered'";
    /// An answer that was deleted before the agent went on is no answer: the question stands.
    FORGET_INPUT =
        "UPDATE runs SET input_message_id = NULL, version = version + 1 \
         WHERE id = $1 AND state = 'waiting_input' AND input_message_id = $2";
}

/// The active runs that have to do with a message, in the order in which runs are locked.
pub(crate) async fn about(reader: &Reader, message: &DeletedMessage) -> Result<Vec<RunRow>, Problem> {
    let own = reader.all(&ACTIVE_BY_MESSAGE, params![message.author, message.id]).await.or_problem()?;
    let before = reader.all(&ACTIVE_BEFORE_MESSAGE, params![message.thread.id, message.id]).await.or_problem()?;
    let mut runs = runs_of(&own)?;
    runs.extend(runs_of(&before)?);
    runs.sort_by_key(|run| run.id);
    runs.dedup_by_key(|run| run.id);
    Ok(runs)
}

pub(crate) async fn forget_waiting(unit: &UnitOfWork, thread: ThreadId, message: MessageId) -> Result<(), Problem> {
    unit.execute(&FORGET_WAITING, params![thread, message]).await.or_problem().map(drop)
}

pub(crate) async fn forget_follow_up(unit: &UnitOfWork, run: RunId, message: MessageId) -> Result<(), Problem> {
    unit.execute(&FORGET_PENDING, params![run, message]).await.or_problem()?;
    unit.execute(&SETTLE_DELIVERED, params![run, message]).await.or_problem().map(drop)
}

pub(crate) async fn forget_input(unit: &UnitOfWork, run: RunId, message: MessageId) -> Result<(), Problem> {
    unit.execute(&FORGET_INPUT, params![run, message]).await.or_problem().map(drop)
}
