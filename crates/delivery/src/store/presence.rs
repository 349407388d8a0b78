//! Who is connected, by node.

use bothy_domain::ids::{AnyId, PrincipalId};
use bothy_domain::time::Timestamp;
use bothy_storage::{DecodeProblem, Reader, Row, StorageError, UnitOfWork, params, statements};

use crate::presence::PresenceState;

statements! {
    /// How a principal is present, over all nodes.
    PRESENCE_OF = "SELECT state FROM presence WHERE principal_id = $1 AND connected_until > $2";
    /// The same, for the one who changes it: others wait.
    LOCK_PRESENCE = "UPDATE presence SET state = state WHERE principal_id = $1 RETURNING state, connected_until";
    /// A principal is connected to a node.
    ARRIVE =
        "INSERT INTO presence (principal_id, node_id, state, connected_until) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (principal_id, node_id) DO UPDATE SET connected_until = excluded.connected_until";
    /// A principal has no connection to a node any more.
    LEAVE = "DELETE FROM presence WHERE principal_id = $1 AND node_id = $2";
    /// A principal says how present it is, on all nodes.
    SET_PRESENCE = "UPDATE presence SET state = $2 WHERE principal_id = $1 AND state <> $2";
    /// A node is alive.
    RENEW_PRESENCE = "UPDATE presence SET connected_until = $2 WHERE node_id = $1";
    /// Forgets what nobody renewed.
    LAPSE_PRESENCE = "DELETE FROM presence WHERE connected_until <= $1 RETURNING principal_id";
    /// Who is present.
    PRESENT =
        "SELECT principal_id, state FROM presence WHERE connected_until > $1 ORDER BY principal_id, state DESC LIMIT $2";
}

/// How a principal is present; `None` when it is not.
pub(crate) async fn of(
    reader: &Reader,
    principal: PrincipalId,
    now: Timestamp,
) -> Result<Option<PresenceState>, StorageError> {
    let rows = reader.all(&PRESENCE_OF, params![principal, now]).await?;
    strongest(rows.iter().map(state))
}

/// How a principal is present, held until the unit of work ends.
pub(crate) async fn lock(
    unit: &UnitOfWork,
    principal: PrincipalId,
    now: Timestamp,
) -> Result<Option<PresenceState>, StorageError> {
    let mut live = Vec::new();
    for row in unit.returning(&LOCK_PRESENCE, params![principal]).await? {
        if row.get::<Timestamp>("connected_until")? > now {
            live.push(state(&row));
        }
    }
    strongest(live.into_iter())
}

pub(crate) async fn arrive(
    unit: &UnitOfWork,
    principal: PrincipalId,
    node: AnyId,
    state: PresenceState,
    until: Timestamp,
) -> Result<(), StorageError> {
    unit.execute(&ARRIVE, params![principal, node, state.as_str(), until]).await.map(drop)
}

pub(crate) async fn leave(unit: &UnitOfWork, principal: PrincipalId, node: AnyId) -> Result<(), StorageError> {
    unit.execute(&LEAVE, params![principal, node]).await.map(drop)
}

pub(crate) async fn set(unit: &UnitOfWork, principal: PrincipalId, state: PresenceState) -> Result<(), StorageError> {
    unit.execute(&SET_PRESENCE, params![principal, state.as_str()]).await.map(drop)
}

pub(crate) async fn renew(unit: &UnitOfWork, node: AnyId, until: Timestamp) -> Result<(), StorageError> {
    unit.execute(&RENEW_PRESENCE, params![node, until]).await.map(drop)
}

/// Forgets what nobody renewed, and says whose it was.
pub(crate) async fn lapse(unit: &UnitOfWork, now: Timestamp) -> Result<Vec<PrincipalId>, StorageError> {
    unit.returning(&LAPSE_PRESENCE, params![now]).await?.iter().map(|row| row.get("principal_id")).collect()
}

/// Who is present, by principal; one who is at several nodes comes several times, online first.
pub(crate) async fn present(
    reader: &Reader,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<(PrincipalId, PresenceState)>, StorageError> {
    let rows = reader.all(&PRESENT, params![now, limit]).await?;
    rows.iter().map(|row| Ok((row.get("principal_id")?, state(row)?))).collect()
}

fn state(row: &Row) -> Result<PresenceState, StorageError> {
    let text: String = row.get("state")?;
    PresenceState::parse(&text).ok_or_else(|| StorageError::Decode {
        column: "state".to_owned(),
        problem: DecodeProblem::OutOfRange { expected: "a word of presence" },
    })
}

/// Who is online at one node is online.
fn strongest(
    mut states: impl Iterator<Item = Result<PresenceState, StorageError>>,
) -> Result<Option<PresenceState>, StorageError> {
    states.try_fold(None, |strongest, state| Ok(strongest.max(Some(state?))))
}
