use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::ids::{LoginSessionId, PrincipalId};
use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, Row, StorageError, UnitOfWork, params};
use uuid::Uuid;

use super::{kind, status};
use crate::token::TokenHash;

/// A session and the principal that it stands for.
macro_rules! credential {
    () => {
        "SELECT s.id, s.principal_id, s.created_at, s.confirmed_at, s.expires_at, s.ended_at,
        p.kind, p.status, p.requires_binding
        FROM sessions s JOIN principals p ON p.id = s.principal_id"
    };
}

bothy_storage::statements! {
    /// A new session; whoever signs in has just confirmed the password.
    INSERT_SESSION = "INSERT INTO sessions (id, principal_id, token_hash, created_at, confirmed_at, expires_at)
        VALUES ($1, $2, $3, $4, $4, $5)";
    /// Who is behind the secret of a session.
    SESSION_BY_TOKEN = concat!(credential!(), " WHERE s.token_hash = $1");
    /// Who is behind a session whose secret was seen before.
    SESSION_CREDENTIAL = concat!(credential!(), " WHERE s.id = $1");
    /// One session that has not ended.
    SESSION = "SELECT id, principal_id, created_at, confirmed_at, expires_at
        FROM sessions WHERE id = $1 AND ended_at IS NULL AND expires_at > $2";
    /// A page of the sessions of a person that have not ended.
    SESSIONS_OF = "SELECT id, principal_id, created_at, confirmed_at, expires_at
        FROM sessions WHERE principal_id = $1 AND ended_at IS NULL AND expires_at > $2 AND id > $3 ORDER BY id LIMIT $4";
    /// The password was confirmed just now.
    CONFIRM_SESSION = "UPDATE sessions SET confirmed_at = $2 WHERE id = $1 AND ended_at IS NULL
        RETURNING id, principal_id, created_at, confirmed_at, expires_at";
    /// Ends a session.
    END_SESSION = "UPDATE sessions SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL";
    /// Ends the sessions of a person, but one.
    END_SESSIONS_OF = "UPDATE sessions SET ended_at = $2 WHERE principal_id = $1 AND ended_at IS NULL AND id <> $3";
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Session {
    pub(crate) id: LoginSessionId,
    pub(crate) person: PrincipalId,
    pub(crate) created_at: Timestamp,
    pub(crate) confirmed_at: Timestamp,
    pub(crate) expires_at: Timestamp,
}

/// What a secret of a session stands for.
pub(crate) struct SessionCredential {
    pub(crate) session: Session,
    pub(crate) ended: bool,
    pub(crate) kind: PrincipalKind,
    pub(crate) status: PrincipalStatus,
    pub(crate) requires_binding: bool,
}

pub(crate) async fn insert(unit: &UnitOfWork, session: &Session, hash: &TokenHash) -> Result<(), StorageError> {
    let params = params![session.id, session.person, hash, session.created_at, session.expires_at];
    unit.execute(&INSERT_SESSION, params).await.map(drop)
}

pub(crate) async fn by_token(reader: &Reader, hash: &TokenHash) -> Result<Option<SessionCredential>, StorageError> {
    reader.optional(&SESSION_BY_TOKEN, params![hash]).await?.as_ref().map(credential).transpose()
}

pub(crate) async fn by_id(reader: &Reader, id: LoginSessionId) -> Result<Option<SessionCredential>, StorageError> {
    reader.optional(&SESSION_CREDENTIAL, params![id]).await?.as_ref().map(credential).transpose()
}

pub(crate) async fn live(reader: &Reader, id: LoginSessionId, now: Timestamp) -> Result<Option<Session>, StorageError> {
    reader.optional(&SESSION, params![id, now]).await?.as_ref().map(decode).transpose()
}

pub(crate) async fn live_of(
    reader: &Reader,
    person: PrincipalId,
    now: Timestamp,
    after: Option<LoginSessionId>,
    fetch: i64,
) -> Result<Vec<Session>, StorageError> {
    let after = after.unwrap_or(LoginSessionId::from_uuid(Uuid::nil()));
    reader.all(&SESSIONS_OF, params![person, now, after, fetch]).await?.iter().map(decode).collect()
}

pub(crate) async fn confirm(
    unit: &UnitOfWork,
    id: LoginSessionId,
    now: Timestamp,
) -> Result<Option<Session>, StorageError> {
    unit.returning_optional(&CONFIRM_SESSION, params![id, now]).await?.as_ref().map(decode).transpose()
}

/// Whether there was one to end.
pub(crate) async fn end(unit: &UnitOfWork, id: LoginSessionId, now: Timestamp) -> Result<bool, StorageError> {
    Ok(unit.execute(&END_SESSION, params![id, now]).await? > 0)
}

pub(crate) async fn end_of(
    unit: &UnitOfWork,
    person: PrincipalId,
    keep: Option<LoginSessionId>,
    now: Timestamp,
) -> Result<(), StorageError> {
    let keep = keep.unwrap_or(LoginSessionId::from_uuid(Uuid::nil()));
    unit.execute(&END_SESSIONS_OF, params![person, now, keep]).await.map(drop)
}

fn credential(row: &Row) -> Result<SessionCredential, StorageError> {
    Ok(SessionCredential {
        session: decode(row)?,
        ended: row.get::<Option<Timestamp>>("ended_at")?.is_some(),
        kind: kind(row)?,
        status: status(row)?,
        requires_binding: row.get("requires_binding")?,
    })
}

fn decode(row: &Row) -> Result<Session, StorageError> {
    Ok(Session {
        id: row.get("id")?,
        person: row.get("principal_id")?,
        created_at: row.get("created_at")?,
        confirmed_at: row.get("confirmed_at")?,
        expires_at: row.get("expires_at")?,
    })
}
