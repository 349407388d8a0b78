//! How far agents have read.

use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::Problem;
use bothy_domain::time::Timestamp;
use bothy_platform::failure::OrProblem;
use bothy_storage::{Reader, UnitOfWork, params, statements};

statements! {
    /// A new consumer, at a position of the log.
    INSERT_CONSUMER = "INSERT INTO agent_consumers (agent_id, cursor) VALUES ($1, $2)";
    /// How far an agent has read.
    CURSOR = "SELECT cursor FROM agent_consumers WHERE agent_id = $1";
    /// Locks a consumer and reads it.
    LOCK_CONSUMER = "UPDATE agent_consumers SET last_seen_at = $2 WHERE agent_id = $1 RETURNING cursor";
    /// Moves a consumer on, never back.
    ADVANCE = "UPDATE agent_consumers SET cursor = $2 WHERE agent_id = $1 AND cursor < $2";
    /// Notes that an agent showed up.
    SEEN = "UPDATE agent_consumers SET last_seen_at = $2 WHERE agent_id = $1 AND (last_seen_at IS NULL OR last_seen_at < $2)";
}

pub(crate) async fn insert(unit: &UnitOfWork, agent: PrincipalId, cursor: i64) -> Result<(), Problem> {
    unit.execute(&INSERT_CONSUMER, params![agent, cursor]).await.or_problem().map(drop)
}

pub(crate) async fn cursor(reader: &Reader, agent: PrincipalId) -> Result<Option<i64>, Problem> {
    let row = reader.optional(&CURSOR, params![agent]).await.or_problem()?;
    row.map(|row| row.get("cursor").or_problem()).transpose()
}

pub(crate) async fn lock(unit: &UnitOfWork, agent: PrincipalId, now: Timestamp) -> Result<Option<i64>, Problem> {
    let row = unit.returning_optional(&LOCK_CONSUMER, params![agent, now]).await.or_problem()?;
    row.map(|row| row.get("cursor").or_problem()).transpose()
}

pub(crate) async fn advance(unit: &UnitOfWork, agent: PrincipalId, cursor: i64) -> Result<(), Problem> {
    unit.execute(&ADVANCE, params![agent, cursor]).await.or_problem().map(drop)
}

pub(crate) async fn seen(unit: &UnitOfWork, agent: PrincipalId, now: Timestamp) -> Result<(), Problem> {
    unit.execute(&SEEN, params![agent, now]).await.or_problem().map(drop)
}
