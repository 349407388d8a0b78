//! The audit log (chapter 09 section 1): an entry is written in the unit of work of what it records,
//! so that nothing that changed is unrecorded and a failure to record fails the request.
//!
//! Entries are linked into a chain of hashes shortly after ([`AuditSealer`]), so that writers never
//! wait for each other, and the end of the chain is signed now and then ([`Checkpoint`]). [`verify`]
//! finds what was changed since. `docs/audit-format.md` describes the format.

mod chain;
mod checkpoint;
mod denial;
mod draft;
mod entry;
mod explain;
mod export;
mod gather;
mod hex;
mod record;
mod routes;
mod seal;
pub(crate) mod store;
mod verify;

use std::time::Duration;

use bothy_domain::audit::{AuditEntry, Effect};
use bothy_domain::ids::AuditEventId;
use bothy_storage::{Database, Reader, StorageError, UnitOfWork};

use crate::clock::SharedClock;
use crate::config;
use crate::entropy::IdSource;

pub use checkpoint::{Checkpoint, newest_checkpoint};
pub use entry::{AuditFilter, StoredAuditEntry};
pub use export::{ExportError, export};
pub use hex::{Hex, InvalidHex};
pub use routes::routes;
pub use seal::{AuditIntervals, AuditSealer, CheckpointError, run};
pub use verify::{Fault, FaultKind, Report, Span, verify};

/// Writes and reads the audit log. Clones share what they have in hand.
#[derive(Debug, Clone)]
pub struct AuditLog {
    clock: SharedClock,
    ids: IdSource,
    window: Duration,
    gather: gather::Gather,
}

impl AuditLog {
    /// A log that takes its times and ids from these ports, with the default of
    /// `audit.deny_aggregate_window`.
    pub fn new(clock: SharedClock, ids: IdSource) -> Self {
        let window = config::Audit::default().deny_aggregate_window.get();
        Self { clock, ids, window, gather: gather::Gather::default() }
    }

    /// The same log with another `audit.deny_aggregate_window`.
    #[must_use]
    pub fn with_deny_window(mut self, window: Duration) -> Self {
        self.window = window;
        self
    }

    /// Records in the unit of work of what is recorded. Returns the id of the entry.
    ///
    /// # Errors
    /// [`StorageError`]; the unit must not be committed then.
    pub async fn record(&self, unit: &UnitOfWork, entry: &AuditEntry) -> Result<AuditEventId, StorageError> {
        let id = self.ids.next();
        store::append(unit, id, self.clock.now(), &draft::Draft::of(entry), 1).await?;
        Ok(id)
    }

    /// Records what has no unit of work of its own, such as a denial, and returns when it is durable.
    ///
    /// Denials that are equal (actor, action, reason, target and run) within
    /// `audit.deny_aggregate_window` become one entry with a count, beside the entry of the first one.
    /// For those, the id returned is that of the first one's entry.
    ///
    /// # Errors
    /// [`StorageError`]; the caller must not answer as if it had been recorded.
    pub async fn record_alone(&self, database: &Database, entry: &AuditEntry) -> Result<AuditEventId, StorageError> {
        if entry.effect == Effect::Deny {
            return self.record_denial(database, entry).await;
        }
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
