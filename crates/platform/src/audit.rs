//! The audit log (chapter 09 section 1): an entry is written in the unit of work of what it records,
//! so that nothing that changed is unrecorded and a failure to record fails the request.

mod entry;
pub(crate) mod store;

use bothy_domain::audit::AuditEntry;
use bothy_domain::ids::AuditEventId;
use bothy_storage::{Database, Reader, StorageError, UnitOfWork};

use crate::clock::SharedClock;
use crate::entropy::IdSource;

pub use entry::{AuditFilter, StoredAuditEntry};

/// Writes and reads the audit log. Cheap to clone.
#[derive(Debug, Clone)]
pub struct AuditLog {
    clock: SharedClock,
    ids: IdSource,
}

impl AuditLog {
    /// A log that takes its times and ids from these ports.
    pub const fn new(clock: SharedClock, ids: IdSource) -> Self {
        Self { clock, ids }
    }

    /// Records in the unit of work of what is recorded. Returns the id of the entry.
    ///
    /// # Errors
    /// [`StorageError`]; the unit must not be committed then.
    pub async fn record(&self, unit: &UnitOfWork, entry: &AuditEntry) -> Result<AuditEventId, StorageError> {
        let id = self.ids.next();
        store::append(unit, id, self.clock.now(), entry).await?;
        Ok(id)
    }

    /// Records what has no unit of work of its own, such as a denial, and returns when it is durable.
    ///
    /// # Errors
    /// [`StorageError`]; the caller must not answer as if it had been recorded.
    pub async fn record_alone(&self, database: &Database, entry: &AuditEntry) -> Result<AuditEventId, StorageError> {
        let unit = database.begin().await?;
        let id = self.record(&unit, entry).await?;
        unit.commit().await?;
        Ok(id)
    }

    /// Entries from the newest to the oldest.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn list(&self, reader: &Reader, filter: &AuditFilter) -> Result<Vec<StoredAuditEntry>, StorageError> {
        store::list(reader, filter).await
    }
}

#[cfg(test)]
mod tests;
