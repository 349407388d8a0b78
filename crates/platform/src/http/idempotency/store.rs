//! Rows of `idempotency_keys`. One without a status is a claim: it counts until `lease_until`, or,
//! when its request took effect, until `expires_at`. One with a status is an answer; without a
//! sealed body it was forgotten.

use bothy_domain::ids::AnyId;
use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, Row, StorageError, UnitOfWork, params, statements};

use super::{Answer, Asked, Claim};

statements! {
    /// Claims a request that nobody made.
    CLAIM = "INSERT INTO idempotency_keys (slot, request_hash, claim_id, lease_until, took_effect, expires_at) \
        VALUES ($1, $2, $3, $4, FALSE, $4) ON CONFLICT (slot) DO NOTHING";
    /// Claims a request whose claim or answer has expired.
    TAKE_OVER = "UPDATE idempotency_keys SET request_hash = $2, claim_id = $3, lease_until = $4, took_effect = FALSE, \
        status = NULL, sealed_answer = NULL, resource_id = NULL, expires_at = $4 WHERE slot = $1 AND expires_at <= $5";
    /// What is known of a request.
    HELD = "SELECT request_hash, lease_until, status, sealed_answer, resource_id FROM idempotency_keys WHERE slot = $1";
    /// Removes some of what has expired. A claim adds one row and removes a few, so the table holds
    /// little that nobody needs. Rows that another node removes are left to it.
    REMOVE_EXPIRED = {
        sqlite: "DELETE FROM idempotency_keys WHERE slot IN \
            (SELECT slot FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT 16)",
        postgres: "DELETE FROM idempotency_keys WHERE slot IN \
            (SELECT slot FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT 16 FOR UPDATE SKIP LOCKED)",
    };
    /// The request takes effect with the unit of work.
    TAKE_EFFECT = "UPDATE idempotency_keys SET took_effect = TRUE, expires_at = $3 \
        WHERE slot = $1 AND claim_id = $2 AND status IS NULL";
    /// Keeps the answer.
    KEEP_ANSWER = "UPDATE idempotency_keys SET status = $3, sealed_answer = $4, resource_id = $5, expires_at = $6 \
        WHERE slot = $1 AND claim_id = $2";
    /// Gives a claim up, unless its request took effect before it failed.
    GIVE_UP = "DELETE FROM idempotency_keys WHERE slot = $1 AND claim_id = $2 AND NOT took_effect";
    /// Forgets the answers about a resource.
    FORGET_ANSWERS = "UPDATE idempotency_keys SET sealed_answer = NULL WHERE resource_id = $1";
}

/// What is known of a request that was made before.
pub(super) struct Held {
    pub(super) request_hash: Vec<u8>,
    pub(super) lease_until: Timestamp,
    pub(super) status: Option<i64>,
    pub(super) sealed_answer: Option<Vec<u8>>,
    pub(super) resource_id: Option<AnyId>,
}

/// Claims a request; gives what is known of it when somebody else did before.
pub(super) async fn claim(
    unit: &UnitOfWork,
    asked: &Asked,
    id: AnyId,
    now: Timestamp,
    lease_until: Timestamp,
) -> Result<Option<Held>, StorageError> {
    let Asked { slot, request_hash } = asked;
    let mut claimed = unit.execute(&CLAIM, params![slot, request_hash, id, lease_until]).await?;
    if claimed == 0 {
        claimed = unit.execute(&TAKE_OVER, params![slot, request_hash, id, lease_until, now]).await?;
    }
    if claimed == 0 {
        return match held(unit, slot).await? {
            Some(held) => Ok(Some(held)),
            // It was given up in this moment.
            None => Err(StorageError::Retry { statement: HELD.name() }),
        };
    }
    unit.execute(&REMOVE_EXPIRED, params![now]).await?;
    Ok(None)
}

async fn held(reader: &Reader, slot: &[u8; 32]) -> Result<Option<Held>, StorageError> {
    let row = reader.optional(&HELD, params![slot]).await?;
    row.as_ref().map(read).transpose()
}

fn read(row: &Row) -> Result<Held, StorageError> {
    Ok(Held {
        request_hash: row.get("request_hash")?,
        lease_until: row.get("lease_until")?,
        status: row.get("status")?,
        sealed_answer: row.get("sealed_answer")?,
        resource_id: row.get("resource_id")?,
    })
}

/// Whether the claim was still held.
pub(super) async fn take_effect(unit: &UnitOfWork, claim: &Claim, expires_at: Timestamp) -> Result<bool, StorageError> {
    let changed = unit.execute(&TAKE_EFFECT, params![claim.slot(), claim.id(), expires_at]).await?;
    Ok(changed == 1)
}

/// Whether the claim was still held.
pub(super) async fn keep(
    unit: &UnitOfWork,
    claim: &Claim,
    answer: &Answer,
    sealed: &[u8],
    expires_at: Timestamp,
) -> Result<bool, StorageError> {
    let status = answer.status().as_u16();
    let parameters = params![claim.slot(), claim.id(), status, sealed, answer.resource(), expires_at];
    Ok(unit.execute(&KEEP_ANSWER, parameters).await? == 1)
}

pub(super) async fn give_up(unit: &UnitOfWork, claim: &Claim) -> Result<(), StorageError> {
    unit.execute(&GIVE_UP, params![claim.slot(), claim.id()]).await?;
    Ok(())
}

pub(super) async fn forget(unit: &UnitOfWork, resource: AnyId) -> Result<(), StorageError> {
    unit.execute(&FORGET_ANSWERS, params![resource]).await?;
    Ok(())
}
