use bothy_storage::{Reader, Row, StorageError, UnitOfWork, params, statements};
use futures::future::try_join_all;

use crate::audit::chain::Chain;
use crate::audit::record::Record;
use crate::audit::store::unreadable;

macro_rules! records {
    ($rest:literal) => {
        concat!(
            "SELECT entry, id, position, at, actor_kind, actor_id, action, effect, reason, resource_kind, resource_id, \
             run_id, acting_for_id, details, count, previous_hash, hash FROM audit_events WHERE ",
            $rest
        )
    };
}

statements! {
    /// Takes the end of the chain for this unit of work; whoever else wants to seal waits.
    CLAIM_HEAD = "UPDATE audit_head SET position = position WHERE only_row = 1 RETURNING position, hash";
    /// The new end of the chain.
    MOVE_HEAD = "UPDATE audit_head SET position = $1, hash = $2 WHERE only_row = 1";
    /// The end of the chain.
    AUDIT_HEAD = "SELECT position, hash FROM audit_head WHERE only_row = 1";
    /// Whether committed entries wait for their seal.
    ANY_UNSEALED = "SELECT entry FROM audit_events WHERE position IS NULL ORDER BY entry LIMIT 1";
    /// Entries that wait for their seal.
    UNSEALED = records!("position IS NULL AND entry > $1 ORDER BY entry LIMIT $2");
    /// Seals an entry.
    SEAL = "UPDATE audit_events SET position = $2, previous_hash = $3, hash = $4 WHERE entry = $1 AND position IS NULL";
    /// Sealed entries in their order.
    SEALED = records!("position > $1 ORDER BY position LIMIT $2");
    /// Entries that name this one as the one before them. Only asked after a fault was found.
    FOLLOWING = records!("previous_hash = $1 AND position IS NOT NULL ORDER BY position");
    /// Where an entry with this hash stands. Only asked after a fault was found.
    POSITION_OF_HASH = "SELECT position FROM audit_events WHERE hash = $1 AND position IS NOT NULL ORDER BY position LIMIT 1";
    /// How many entries are sealed, and how many wait.
    ENTRY_COUNTS = "SELECT COUNT(position) AS sealed, COUNT(*) AS entries FROM audit_events";
}

/// Takes the end of the chain.
pub(in crate::audit) async fn claim(unit: &UnitOfWork) -> Result<Chain, StorageError> {
    place(&unit.returning_one(&CLAIM_HEAD, params![]).await?)
}

pub(in crate::audit) async fn move_head(unit: &UnitOfWork, chain: &Chain) -> Result<(), StorageError> {
    unit.execute(&MOVE_HEAD, params![chain.position, chain.hash]).await?;
    Ok(())
}

pub(in crate::audit) async fn head(reader: &Reader) -> Result<Chain, StorageError> {
    let row = reader.one(&AUDIT_HEAD, params![]).await?;
    // A hash that is none fits no entry: it is for the verification to say so.
    place(&row).or_else(|_| Ok(Chain::at(row.get("position")?, [0; 32])))
}

pub(in crate::audit) async fn any_unsealed(reader: &Reader) -> Result<bool, StorageError> {
    Ok(reader.optional(&ANY_UNSEALED, params![]).await?.is_some())
}

pub(in crate::audit) async fn unsealed(reader: &Reader, after: i64, limit: u32) -> Result<Vec<Record>, StorageError> {
    reader.all(&UNSEALED, params![after, limit]).await?.iter().map(record).collect()
}

/// Writes the seals of entries that follow each other.
pub(in crate::audit) async fn seal(unit: &UnitOfWork, seals: &[(i64, Chain)]) -> Result<(), StorageError> {
    let written = seals.iter().map(|(entry, chain)| async move {
        unit.execute(&SEAL, params![*entry, chain.position, chain.before, chain.hash]).await
    });
    let rows: u64 = try_join_all(written).await?.iter().sum();
    if rows == seals.len() as u64 {
        Ok(())
    } else {
        Err(StorageError::Rows { statement: "SEAL", found: usize::try_from(rows).unwrap_or(usize::MAX) })
    }
}

pub(in crate::audit) async fn sealed(reader: &Reader, after: i64, limit: u32) -> Result<Vec<Record>, StorageError> {
    reader.all(&SEALED, params![after, limit]).await?.iter().map(record).collect()
}

pub(in crate::audit) async fn following(reader: &Reader, hash: &[u8; 32]) -> Result<Vec<Record>, StorageError> {
    reader.all(&FOLLOWING, params![hash]).await?.iter().map(record).collect()
}

pub(in crate::audit) async fn position_of(reader: &Reader, hash: &[u8]) -> Result<Option<i64>, StorageError> {
    reader.optional(&POSITION_OF_HASH, params![hash]).await?.map(|row| row.get("position")).transpose()
}

/// How many entries are sealed, and how many wait.
pub(in crate::audit) async fn counts(reader: &Reader) -> Result<(i64, i64), StorageError> {
    let row = reader.one(&ENTRY_COUNTS, params![]).await?;
    let (sealed, entries): (i64, i64) = (row.get("sealed")?, row.get("entries")?);
    Ok((sealed, entries - sealed))
}

fn place(row: &Row) -> Result<Chain, StorageError> {
    let position: i64 = row.get("position")?;
    let hash: Option<Vec<u8>> = row.get("hash")?;
    match hash {
        None if position == 0 => Ok(Chain::START),
        hash => {
            let hash = hash.and_then(|hash| hash.try_into().ok());
            Ok(Chain::at(position, hash.ok_or_else(|| unreadable("hash", "the hash of an entry"))?))
        }
    }
}

fn record(row: &Row) -> Result<Record, StorageError> {
    Ok(Record {
        entry: row.get("entry")?,
        id: row.get("id")?,
        position: row.get("position")?,
        at: row.get("at")?,
        actor_kind: row.get("actor_kind")?,
        actor_id: row.get("actor_id")?,
        action: row.get("action")?,
        effect: row.get("effect")?,
        reason: row.get("reason")?,
        resource_kind: row.get("resource_kind")?,
        resource_id: row.get("resource_id")?,
        run_id: row.get("run_id")?,
        acting_for_id: row.get("acting_for_id")?,
        details: row.get("details")?,
        count: row.get("count")?,
        previous_hash: row.get::<Option<Vec<u8>>>("previous_hash")?.unwrap_or_default(),
        hash: row.get::<Option<Vec<u8>>>("hash")?.unwrap_or_default(),
    })
}
