//! The questions of runs beyond their text: the message that they stand on, and until when they wait.

use bothy_domain::ids::{MessageId, RunId};
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::failure::OrProblem;
use bothy_storage::{Reader, Row, UnitOfWork, params, statements};

use super::row::get;

statements! {
    /// A question of a run; the newest one is what the run waits with.
    INSERT_QUESTION =
        "INSERT INTO run_questions (run_id, ordinal, message_id, expires_at) \
         VALUES ($1, (SELECT COALESCE(MAX(ordinal), 0) + 1 FROM run_questions WHERE run_id = $1), $2, $3)";
    /// The newest question of some runs.
    NEWEST_QUESTIONS =
        "SELECT q.run_id, q.message_id, q.expires_at, q.expired_at, TRUE AS newest FROM run_questions q \
         WHERE q.run_id IN (ID_LIST($1)) \
         AND NOT EXISTS (SELECT 1 FROM run_questions n WHERE n.run_id = q.run_id AND n.ordinal > q.ordinal)";
    /// The question that stands on a message, and whether the run has asked another one since.
    QUESTION_OF_MESSAGE =
        "SELECT q.run_id, q.message_id, q.expires_at, q.expired_at, \
           NOT EXISTS (SELECT 1 FROM run_questions n WHERE n.run_id = q.run_id AND n.ordinal > q.ordinal) AS newest \
         FROM run_questions q WHERE q.message_id = $1";
    /// Runs that wait with a question whose time is over and that were not told yet.
    QUESTIONS_EXPIRED =
        "SELECT r.id FROM run_questions q JOIN runs r ON r.id = q.run_id \
         WHERE q.expires_at <= $1 AND q.expired_at IS NULL AND r.state = 'waiting_input' AND r.input_message_id IS NULL \
         AND NOT EXISTS (SELECT 1 FROM run_questions n WHERE n.run_id = q.run_id AND n.ordinal > q.ordinal) \
         ORDER BY q.expires_at, r.id LIMIT $2";
    /// Notes that the time of the newest question of a run is over, once.
    EXPIRE_QUESTION =
        "UPDATE run_questions SET expired_at = $2 WHERE run_id = $1 AND expires_at <= $2 AND expired_at IS NULL \
         AND ordinal = (SELECT MAX(ordinal) FROM run_questions WHERE run_id = $1)";
    /// Runs that were told that the time of their question is over, and whose agent does not go on.
    QUESTIONS_UNHEARD =
        "SELECT r.id FROM run_questions q JOIN runs r ON r.id = q.run_id \
         WHERE q.expired_at <= $1 AND r.state = 'waiting_input' AND r.input_message_id IS NULL \
         AND NOT EXISTS (SELECT 1 FROM run_questions n WHERE n.run_id = q.run_id AND n.ordinal > q.ordinal) \
         ORDER BY q.expired_at, r.id LIMIT $2";
}

/// A question of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QuestionRow {
    pub(crate) run: RunId,
    /// The message of the agent that it stands on, when it has components.
    pub(crate) message: Option<MessageId>,
    pub(crate) expires_at: Option<Timestamp>,
    /// When the run was told that the time is over.
    pub(crate) expired_at: Option<Timestamp>,
    /// Whether the run has asked nothing since.
    pub(crate) newest: bool,
}

impl QuestionRow {
    /// Whether its time is over, noted or not.
    pub(crate) fn is_over(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|until| until <= now)
    }
}

fn question_of(row: &Row) -> Result<QuestionRow, Problem> {
    Ok(QuestionRow {
        run: get(row, "run_id")?,
        message: get(row, "message_id")?,
        expires_at: get(row, "expires_at")?,
        expired_at: get(row, "expired_at")?,
        newest: get(row, "newest")?,
    })
}

/// The run must be locked, so that its questions have one order.
pub(crate) async fn insert(
    unit: &UnitOfWork,
    run: RunId,
    message: Option<MessageId>,
    expires_at: Option<Timestamp>,
) -> Result<(), Problem> {
    unit.execute(&INSERT_QUESTION, params![run, message, expires_at]).await.or_problem().map(drop)
}

/// What a run waits with, or waited with last.
pub(crate) async fn newest(reader: &Reader, run: RunId) -> Result<Option<QuestionRow>, Problem> {
    Ok(newest_of(reader, &[run]).await?.pop())
}

/// The same for some runs; one query.
pub(crate) async fn newest_of(reader: &Reader, runs: &[RunId]) -> Result<Vec<QuestionRow>, Problem> {
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    reader.all(&NEWEST_QUESTIONS, params![runs]).await.or_problem()?.iter().map(question_of).collect()
}

pub(crate) async fn of_message(reader: &Reader, message: MessageId) -> Result<Option<QuestionRow>, Problem> {
    reader.optional(&QUESTION_OF_MESSAGE, params![message]).await.or_problem()?.as_ref().map(question_of).transpose()
}

/// Runs whose question ended at or before `until` without an answer, and that do not know it.
pub(crate) async fn expired(reader: &Reader, until: Timestamp, limit: i64) -> Result<Vec<RunId>, Problem> {
    let rows = reader.all(&QUESTIONS_EXPIRED, params![until, limit]).await.or_problem()?;
    rows.iter().map(|row| get(row, "id")).collect()
}

/// Whether it was not noted before.
pub(crate) async fn note_expired(unit: &UnitOfWork, run: RunId, now: Timestamp) -> Result<bool, Problem> {
    Ok(unit.execute(&EXPIRE_QUESTION, params![run, now]).await.or_problem()? == 1)
}

/// Runs that were told at or before `until` that their question ended, and did not go on.
pub(crate) async fn unheard(reader: &Reader, until: Timestamp, limit: i64) -> Result<Vec<RunId>, Problem> {
    let rows = reader.all(&QUESTIONS_UNHEARD, params![until, limit]).await.or_problem()?;
    rows.iter().map(|row| get(row, "id")).collect()
}
