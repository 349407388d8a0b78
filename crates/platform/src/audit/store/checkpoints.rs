use bothy_storage::{Reader, Row, StorageError, UnitOfWork, params, statements};

use crate::audit::checkpoint::Checkpoint;
use crate::audit::hex::Hex;
use crate::keys::KeyPurpose;

macro_rules! checkpoints {
    ($rest:literal) => {
        concat!(
            "SELECT c.position, c.hash, c.count, c.at, c.kid, c.signature, k.public_key FROM audit_checkpoints c \
             LEFT JOIN signing_keys k ON k.kid = c.kid AND k.purpose = $1 WHERE ",
            $rest
        )
    };
}

statements! {
    /// Keeps a checkpoint, unless another node was faster.
    ADD_CHECKPOINT = "INSERT INTO audit_checkpoints (position, hash, count, at, kid, signature) \
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (position) DO NOTHING";
    /// The newest checkpoint.
    NEWEST_CHECKPOINT = checkpoints!("c.position > 0 ORDER BY c.position DESC LIMIT 1");
    /// Checkpoints of a stretch of the log.
    CHECKPOINTS_BETWEEN = checkpoints!("c.position > $2 AND c.position <= $3 ORDER BY c.position LIMIT $4");
    /// The keys that sign checkpoints, or have signed some.
    AUDIT_KEYS = "SELECT kid, public_key FROM signing_keys WHERE purpose = $1 ORDER BY created_at, kid";
}

/// Keeps a checkpoint; false when there is one for its position.
pub(in crate::audit) async fn add(unit: &UnitOfWork, checkpoint: &Checkpoint) -> Result<bool, StorageError> {
    let Checkpoint { position, hash, count, at, kid, signature, .. } = checkpoint;
    let parameters = params![*position, hash.0, *count, at, kid, signature.0];
    Ok(unit.execute(&ADD_CHECKPOINT, parameters).await? == 1)
}

pub(in crate::audit) async fn newest(reader: &Reader) -> Result<Option<Checkpoint>, StorageError> {
    reader.optional(&NEWEST_CHECKPOINT, params![purpose()]).await?.as_ref().map(checkpoint).transpose()
}

/// Checkpoints over `after` up to `to`, at most `limit`.
pub(in crate::audit) async fn between(
    reader: &Reader,
    after: i64,
    to: i64,
    limit: u32,
) -> Result<Vec<Checkpoint>, StorageError> {
    let rows = reader.all(&CHECKPOINTS_BETWEEN, params![purpose(), after, to, limit]).await?;
    rows.iter().map(checkpoint).collect()
}

/// The public halves of the audit keys.
pub(in crate::audit) async fn keys(reader: &Reader) -> Result<Vec<(String, Hex<32>)>, StorageError> {
    let key = |row: &Row| Ok((row.get("kid")?, bytes(row, "public_key")?.unwrap_or(Hex([0; 32]))));
    reader.all(&AUDIT_KEYS, params![purpose()]).await?.iter().map(key).collect()
}

const fn purpose() -> &'static str {
    KeyPurpose::Audit.as_str()
}

/// A key that is gone, or bytes of a wrong length, give a checkpoint that nobody has signed: it is
/// for the verification to say so, not for the reading to fail.
fn checkpoint(row: &Row) -> Result<Checkpoint, StorageError> {
    Ok(Checkpoint {
        position: row.get("position")?,
        hash: bytes(row, "hash")?.unwrap_or(Hex([0; 32])),
        count: row.get("count")?,
        at: row.get("at")?,
        kid: row.get("kid")?,
        public_key: bytes(row, "public_key")?.unwrap_or(Hex([0; 32])),
        signature: bytes(row, "signature")?.unwrap_or(Hex([0; 64])),
    })
}

fn bytes<const N: usize>(row: &Row, column: &str) -> Result<Option<Hex<N>>, StorageError> {
    Ok(row.get::<Option<Vec<u8>>>(column)?.and_then(|bytes| bytes.try_into().ok()).map(Hex))
}
