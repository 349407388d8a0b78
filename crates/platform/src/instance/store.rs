use bothy_domain::ids::{InstanceId, PrincipalId};
use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, Row, StorageError, UnitOfWork, params, statements};

use crate::instance::{InstanceInfo, RightsChange};

statements! {
    /// Who the instance is.
    INSTANCE_IDENTITY = "SELECT id, secret_check FROM instance";
    /// Makes the instance, unless another node was faster.
    CREATE_INSTANCE = "INSERT INTO instance (id, name, secret_check, rights_version, created_at, only_row) \
        VALUES ($1, $2, $3, 1, $4, 1) ON CONFLICT (only_row) DO NOTHING";
    /// What people may know of it.
    INSTANCE_INFO = "SELECT id, name, set_up_at, created_at FROM instance";
    /// Makes units of work that touch the instance as a whole wait for each other.
    LOCK_INSTANCE = "UPDATE instance SET only_row = 1 WHERE only_row = 1";
    /// Holds rights still without holding up others who only count on them. SQLite has one writer.
    HOLD_RIGHTS = {
        sqlite: "SELECT 1 AS held",
        postgres: "SELECT CAST(1 AS BIGINT) AS held FROM pg_advisory_xact_lock_shared(422926149754)",
    };
    /// Waits for those who count on rights as they are, before rights change.
    CHANGE_RIGHTS = {
        sqlite: "SELECT 1 AS held",
        postgres: "SELECT CAST(1 AS BIGINT) AS held FROM pg_advisory_xact_lock(422926149754)",
    };
    /// Another name.
    RENAME_INSTANCE = "UPDATE instance SET name = $1";
    /// The state of the setup.
    SETUP_STATE = "SELECT set_up_at, setup_code_hash, setup_code_expires_at FROM instance";
    /// A new setup code, as long as nobody has set it up.
    SET_SETUP_CODE = "UPDATE instance SET setup_code_hash = $1, setup_code_expires_at = $2 WHERE set_up_at IS NULL";
    /// The first owner exists.
    MARK_SET_UP = "UPDATE instance SET set_up_at = $1, setup_code_hash = NULL, setup_code_expires_at = NULL";
    /// The rights version.
    RIGHTS_VERSION = "SELECT rights_version FROM instance";
    /// The next rights version.
    RAISE_RIGHTS_VERSION = "UPDATE instance SET rights_version = rights_version + 1 WHERE only_row = 1 \
        RETURNING rights_version";
    /// Records whom a version touched.
    RECORD_PRINCIPALS = "WITH touched (id) AS (ID_LIST($2)) \
        INSERT INTO rights_changes (version, principal_id, at) \
        SELECT CAST($1 AS BIGINT), id, CAST($3 AS BIGINT) FROM touched";
    /// Records that a version touched everybody.
    RECORD_TREE = "INSERT INTO rights_changes (version, principal_id, at) VALUES ($1, NULL, $2)";
    /// What has changed after a version.
    RIGHTS_CHANGES = "SELECT version, principal_id FROM rights_changes WHERE version > $1 \
        ORDER BY version, entry LIMIT $2";
}

/// What identifies the instance.
pub(super) struct Identity {
    pub(super) id: InstanceId,
    pub(super) secret_check: Vec<u8>,
}

/// The state of the setup.
pub(super) struct Setup {
    pub(super) set_up: bool,
    pub(super) code_hash: Option<Vec<u8>>,
    pub(super) expires_at: Option<Timestamp>,
}

pub(super) async fn identity(reader: &Reader) -> Result<Option<Identity>, StorageError> {
    let row = reader.optional(&INSTANCE_IDENTITY, params![]).await?;
    row.map(|row| Ok(Identity { id: row.get("id")?, secret_check: row.get("secret_check")? })).transpose()
}

pub(super) async fn create(
    unit: &UnitOfWork,
    id: InstanceId,
    name: &str,
    secret_check: &[u8],
    at: Timestamp,
) -> Result<(), StorageError> {
    unit.execute(&CREATE_INSTANCE, params![id, name, secret_check, at]).await?;
    Ok(())
}

pub(super) async fn info(reader: &Reader) -> Result<InstanceInfo, StorageError> {
    let row = reader.one(&INSTANCE_INFO, params![]).await?;
    Ok(InstanceInfo {
        id: row.get("id")?,
        name: row.get("name")?,
        set_up_at: row.get("set_up_at")?,
        created_at: row.get("created_at")?,
    })
}

/// Makes units of work that touch the instance as a whole (setup, rotation of keys, owners) wait for
/// each other until they end.
///
/// # Errors
/// [`StorageError`].
pub async fn lock_instance(unit: &UnitOfWork) -> Result<(), StorageError> {
    unit.all(&CHANGE_RIGHTS, params![]).await?;
    unit.execute(&LOCK_INSTANCE, params![]).await?;
    Ok(())
}

pub(super) async fn hold_rights(unit: &UnitOfWork) -> Result<(), StorageError> {
    unit.all(&HOLD_RIGHTS, params![]).await?;
    Ok(())
}

pub(super) async fn rename(unit: &UnitOfWork, name: &str) -> Result<(), StorageError> {
    unit.execute(&RENAME_INSTANCE, params![name]).await?;
    Ok(())
}

pub(super) async fn setup(reader: &Reader) -> Result<Setup, StorageError> {
    let row = reader.one(&SETUP_STATE, params![]).await?;
    Ok(Setup {
        set_up: row.get::<Option<Timestamp>>("set_up_at")?.is_some(),
        code_hash: row.get("setup_code_hash")?,
        expires_at: row.get("setup_code_expires_at")?,
    })
}

/// Stores a code; false when the instance is set up already.
pub(super) async fn set_code(unit: &UnitOfWork, hash: [u8; 32], expires: Timestamp) -> Result<bool, StorageError> {
    Ok(unit.execute(&SET_SETUP_CODE, params![hash, expires]).await? == 1)
}

pub(super) async fn mark_set_up(unit: &UnitOfWork, at: Timestamp) -> Result<(), StorageError> {
    unit.execute(&MARK_SET_UP, params![at]).await?;
    Ok(())
}

pub(super) async fn rights_version(reader: &Reader) -> Result<i64, StorageError> {
    reader.one(&RIGHTS_VERSION, params![]).await?.get("rights_version")
}

pub(super) async fn raise_rights_version(unit: &UnitOfWork) -> Result<i64, StorageError> {
    unit.all(&CHANGE_RIGHTS, params![]).await?;
    unit.returning_one(&RAISE_RIGHTS_VERSION, params![]).await?.get("rights_version")
}

pub(super) async fn record_principals(
    unit: &UnitOfWork,
    version: i64,
    principals: &[PrincipalId],
    at: Timestamp,
) -> Result<(), StorageError> {
    unit.execute(&RECORD_PRINCIPALS, params![version, principals, at]).await?;
    Ok(())
}

pub(super) async fn record_tree(unit: &UnitOfWork, version: i64, at: Timestamp) -> Result<(), StorageError> {
    unit.execute(&RECORD_TREE, params![version, at]).await?;
    Ok(())
}

pub(super) async fn rights_changes(reader: &Reader, after: i64, limit: u32) -> Result<Vec<RightsChange>, StorageError> {
    let change = |row: &Row| Ok(RightsChange { version: row.get("version")?, principal: row.get("principal_id")? });
    reader.all(&RIGHTS_CHANGES, params![after, limit]).await?.iter().map(change).collect()
}
