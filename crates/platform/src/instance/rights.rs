use bothy_domain::ids::PrincipalId;
use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, StorageError, UnitOfWork};

use crate::instance::store;

/// Whose rights a change touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touched<'a> {
    /// Those of these principals.
    Principals(&'a [PrincipalId]),
    /// Possibly everybody's: the tree of spaces and channels has changed.
    Tree,
}

/// One entry of the record of what changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RightsChange {
    /// The version that the change made.
    pub version: i64,
    /// Whose rights it touched; `None` stands for everybody's.
    pub principal: Option<PrincipalId>,
}

/// The version of the rights: a counter that grows with every change that a decision depends on
/// (AZ-7).
///
/// # Errors
/// [`StorageError`].
pub async fn rights_version(reader: &Reader) -> Result<i64, StorageError> {
    store::rights_version(reader).await
}

/// Holds rights still until the unit of work ends: no change of them is committed in between (AZ-10).
/// Many units may hold them at once. Take it before any row is locked, as changes of rights do, and
/// in a unit that changes rights only after [`lock_instance`](super::lock_instance): two that hold them
/// both and then change them would wait for each other.
///
/// # Errors
/// [`StorageError`].
pub async fn hold_rights(unit: &UnitOfWork) -> Result<(), StorageError> {
    store::hold_rights(unit).await
}

/// Raises the version in the unit of work of the change and records whom the change touches.
/// Returns the new version. Changes of rights wait for each other from here to their commit, so this
/// belongs near the end of a unit.
///
/// # Errors
/// [`StorageError`].
pub async fn bump_rights_version(unit: &UnitOfWork, touched: Touched<'_>, at: Timestamp) -> Result<i64, StorageError> {
    let version = store::raise_rights_version(unit).await?;
    match touched {
        Touched::Principals(principals) => store::record_principals(unit, version, principals, at).await?,
        Touched::Tree => store::record_tree(unit, version, at).await?,
    }
    Ok(version)
}

/// What has changed after a version, in the order of versions, at most `limit` entries.
///
/// # Errors
/// [`StorageError`].
pub async fn rights_changes(reader: &Reader, after: i64, limit: u32) -> Result<Vec<RightsChange>, StorageError> {
    store::rights_changes(reader, after, limit).await
}
