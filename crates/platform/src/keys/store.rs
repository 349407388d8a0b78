use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, Row, StorageError, UnitOfWork, params, statements};

use crate::keys::KeyPurpose;

statements! {
    /// Every key, live ones and retired ones.
    KEYS = "SELECT kid, purpose, public_key, sealed_private_key, retired_at FROM signing_keys ORDER BY kid";
    /// Whether there is a key with this id.
    KEY_EXISTS = "SELECT kid FROM signing_keys WHERE kid = $1";
    /// Adds a live key, unless another node was faster.
    ADD_KEY = "INSERT INTO signing_keys (kid, purpose, public_key, sealed_private_key, created_at) \
        VALUES ($1, $2, $3, $4, $5) ON CONFLICT (purpose) WHERE retired_at IS NULL DO NOTHING";
    /// Retires the live key of a purpose.
    RETIRE_KEY = "UPDATE signing_keys SET retired_at = $2 WHERE purpose = $1 AND retired_at IS NULL";
}

/// A key as it is stored.
pub(super) struct StoredKey {
    pub(super) kid: String,
    pub(super) purpose: String,
    pub(super) public_key: Vec<u8>,
    pub(super) sealed_private_key: Vec<u8>,
    pub(super) retired_at: Option<Timestamp>,
}

pub(super) async fn all(reader: &Reader) -> Result<Vec<StoredKey>, StorageError> {
    reader.all(&KEYS, params![]).await?.iter().map(stored).collect()
}

pub(super) async fn exists(reader: &Reader, kid: &str) -> Result<bool, StorageError> {
    Ok(reader.optional(&KEY_EXISTS, params![kid]).await?.is_some())
}

pub(super) async fn add(
    unit: &UnitOfWork,
    kid: &str,
    purpose: KeyPurpose,
    public_key: &[u8; 32],
    sealed_private_key: Vec<u8>,
    at: Timestamp,
) -> Result<(), StorageError> {
    unit.execute(&ADD_KEY, params![kid, purpose.as_str(), public_key, sealed_private_key, at]).await?;
    Ok(())
}

pub(super) async fn retire(unit: &UnitOfWork, purpose: KeyPurpose, at: Timestamp) -> Result<(), StorageError> {
    unit.execute(&RETIRE_KEY, params![purpose.as_str(), at]).await?;
    Ok(())
}

fn stored(row: &Row) -> Result<StoredKey, StorageError> {
    Ok(StoredKey {
        kid: row.get("kid")?,
        purpose: row.get("purpose")?,
        public_key: row.get("public_key")?,
        sealed_private_key: row.get("sealed_private_key")?,
        retired_at: row.get("retired_at")?,
    })
}
