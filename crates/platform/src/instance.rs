//! The instance itself: its one row, the setup of its first owner, and the rights version.

mod rights;
mod setup;
pub(crate) mod store;

use bothy_domain::ids::InstanceId;
use bothy_domain::time::Timestamp;
use bothy_storage::{Database, Reader, StorageError, UnitOfWork};
use subtle::ConstantTimeEq as _;

use crate::clock::SharedClock;
use crate::entropy::{IdSource, SharedEntropy};
use crate::keys::InstanceSecret;

pub use rights::{RightsChange, Touched, bump_rights_version, hold_rights, rights_changes, rights_version};
pub use setup::SetupError;
pub use store::lock_instance;

/// The name of an instance that nobody has named.
const DEFAULT_NAME: &str = "Bothy";
const SECRET_CHECK: &str = "bothy belongs to this database v1";

/// The instance that a database holds. Cheap to clone.
#[derive(Clone)]
pub struct Instance {
    id: InstanceId,
    clock: SharedClock,
    entropy: SharedEntropy,
}

/// Why the instance cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum InstanceError {
    /// The database failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The secret is not the one with which this database was made.
    #[error(
        "the instance secret does not belong to this database: use the secret with which the database was made \
         (`instance.secret` in its data folder, or `server.secret`); every node needs the same one"
    )]
    ForeignSecret,
}

/// What the row says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceInfo {
    /// The id.
    pub id: InstanceId,
    /// The name that people see.
    pub name: String,
    /// When the first owner set it up, if that has happened.
    pub set_up_at: Option<Timestamp>,
    /// When the database was made.
    pub created_at: Timestamp,
}

impl Instance {
    /// Opens the instance of a database and makes it at the first start; nodes that start at once
    /// agree on one. Checks that the secret belongs to the database.
    ///
    /// # Errors
    /// [`InstanceError`].
    pub async fn open(
        database: &Database,
        clock: SharedClock,
        entropy: SharedEntropy,
        ids: &IdSource,
        secret: &InstanceSecret,
    ) -> Result<Self, InstanceError> {
        let check = secret.derive(SECRET_CHECK);
        let unit = database.begin().await?;
        let stored = match store::identity(&unit).await? {
            Some(stored) => stored,
            None => {
                store::create(&unit, ids.next(), DEFAULT_NAME, check.as_slice(), clock.now()).await?;
                store::identity(&unit).await?.ok_or(StorageError::Rows { statement: "INSTANCE_IDENTITY", found: 0 })?
            }
        };
        unit.commit().await?;
        if !bool::from(stored.secret_check.as_slice().ct_eq(check.as_slice())) {
            return Err(InstanceError::ForeignSecret);
        }
        Ok(Self { id: stored.id, clock, entropy })
    }

    /// The id of the instance, the issuer of its tokens.
    pub const fn id(&self) -> InstanceId {
        self.id
    }

    /// What the row says now.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn info(&self, reader: &Reader) -> Result<InstanceInfo, StorageError> {
        store::info(reader).await
    }

    /// Whether the first owner has set it up.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn is_set_up(&self, reader: &Reader) -> Result<bool, StorageError> {
        Ok(store::info(reader).await?.set_up_at.is_some())
    }

    /// Gives it another name. The caller has checked the name.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn rename(&self, unit: &UnitOfWork, name: &str) -> Result<(), StorageError> {
        store::rename(unit, name).await
    }
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Instance({})", self.id)
    }
}

#[cfg(test)]
mod tests;
