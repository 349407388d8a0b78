use bothy_domain::ids::{InviteId, PrincipalId};
use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, StorageError, UnitOfWork, params};

use crate::token::TokenHash;

bothy_storage::statements! {
    /// A new invitation.
    INSERT_INVITE = "INSERT INTO invites (id, principal_id, code_hash, created_by, created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6)";
    /// An invitation that can be accepted.
    OPEN_INVITE = "SELECT id, principal_id FROM invites
        WHERE code_hash = $1 AND accepted_at IS NULL AND expires_at > $2";
    /// Accepts an invitation, once.
    ACCEPT_INVITE = "UPDATE invites SET accepted_at = $2 WHERE id = $1 AND accepted_at IS NULL AND expires_at > $2";
    /// Earlier invitations of a person end when there is a new one.
    EXPIRE_INVITES = "UPDATE invites SET expires_at = $2
        WHERE principal_id = $1 AND accepted_at IS NULL AND expires_at > $2";
}

pub(crate) struct Invite {
    pub(crate) id: InviteId,
    pub(crate) person: PrincipalId,
    pub(crate) created_by: PrincipalId,
    pub(crate) created_at: Timestamp,
    pub(crate) expires_at: Timestamp,
}

pub(crate) async fn insert(unit: &UnitOfWork, invite: &Invite, hash: &TokenHash) -> Result<(), StorageError> {
    let params = params![invite.id, invite.person, hash, invite.created_by, invite.created_at, invite.expires_at];
    unit.execute(&INSERT_INVITE, params).await.map(drop)
}

pub(crate) async fn open(
    reader: &Reader,
    hash: &TokenHash,
    now: Timestamp,
) -> Result<Option<(InviteId, PrincipalId)>, StorageError> {
    let row = reader.optional(&OPEN_INVITE, params![hash, now]).await?;
    row.map(|row| Ok((row.get("id")?, row.get("principal_id")?))).transpose()
}

/// Whether it could still be accepted.
pub(crate) async fn accept(unit: &UnitOfWork, id: InviteId, now: Timestamp) -> Result<bool, StorageError> {
    Ok(unit.execute(&ACCEPT_INVITE, params![id, now]).await? > 0)
}

pub(crate) async fn expire_of(unit: &UnitOfWork, person: PrincipalId, now: Timestamp) -> Result<(), StorageError> {
    unit.execute(&EXPIRE_INVITES, params![person, now]).await.map(drop)
}
