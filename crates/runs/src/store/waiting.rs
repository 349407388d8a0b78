//! Messages of other people that wait for a run to end (AF-19).

use bothy_domain::ids::{MessageId, PrincipalId, ThreadId};
use bothy_domain::problem::Problem;
use bothy_domain::run::Waiting;
use bothy_domain::time::Timestamp;
use bothy_platform::failure::OrProblem;
use bothy_storage::{Reader, UnitOfWork, params, statements};

use super::row::get;

statements! {
    /// A message waits for an agent; the same one only once.
    INSERT_WAITING =
        "INSERT INTO run_waiting (agent_id, message_id, thread_id, thread_seq, author_id, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
    /// What waits for an agent in a thread, oldest first.
    WAITING = "SELECT message_id, thread_seq, author_id FROM run_waiting WHERE thread_id = $1 AND agent_id = $2 ORDER BY thread_seq";
    /// Messages wait no longer.
    DELETE_WAITING = "DELETE FROM run_waiting WHERE agent_id = $1 AND message_id IN (ID_LIST($2))";
}

pub(crate) async fn insert(
    unit: &UnitOfWork,
    agent: PrincipalId,
    thread: ThreadId,
    waiting: Waiting,
    now: Timestamp,
) -> Result<(), Problem> {
    let row = params![agent, waiting.message, thread, waiting.thread_seq, waiting.author, now];
    unit.execute(&INSERT_WAITING, row).await.or_problem().map(drop)
}

pub(crate) async fn list(reader: &Reader, agent: PrincipalId, thread: ThreadId) -> Result<Vec<Waiting>, Problem> {
    let rows = reader.all(&WAITING, params![thread, agent]).await.or_problem()?;
    rows.iter()
        .map(|row| {
            Ok(Waiting {
                message: get(row, "message_id")?,
                thread_seq: get(row, "thread_seq")?,
                author: get(row, "author_id")?,
            })
        })
        .collect()
}

pub(crate) async fn delete(unit: &UnitOfWork, agent: PrincipalId, messages: &[MessageId]) -> Result<(), Problem> {
    unit.execute(&DELETE_WAITING, params![agent, messages]).await.or_problem().map(drop)
}
