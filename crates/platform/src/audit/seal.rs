use std::pin::pin;
use std::time::Duration;

use bothy_storage::{Database, StorageError};

use crate::audit::AuditLog;
use crate::audit::chain::Chain;
use crate::audit::checkpoint::{Checkpoint, newest_checkpoint};
use crate::audit::store::{chain, checkpoints};
use crate::config;
use crate::keys::{KeyError, KeyPurpose, KeyRing};

/// How many entries are sealed in one unit of work: on SQLite others wait for it.
const BATCH: u32 = 256;
/// How many entries are read at once to go through the chain.
pub(super) const PAGE: u32 = 1_000;

/// Links entries into the chain and signs its end. Every node runs [`run`]; the end of the chain is
/// claimed in the database, so one of them seals at a time, and none is needed by the others.
#[derive(Debug, Clone)]
pub struct AuditSealer {
    log: AuditLog,
    keys: KeyRing,
}

/// When the duties of the audit log are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditIntervals {
    /// `audit.seal_interval`.
    pub seal: Duration,
    /// `audit.checkpoint_interval`.
    pub checkpoint: Duration,
}

impl AuditIntervals {
    /// Those of a configuration.
    pub fn of(config: &config::Audit) -> Self {
        Self { seal: config.seal_interval.get(), checkpoint: config.checkpoint_interval.get() }
    }
}

/// Why no checkpoint was signed.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The database failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// There is no key to sign with.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The log does not continue what was signed before. Signing it would bless whatever was done
    /// to it.
    #[error("the audit log does not continue its last checkpoint after position {position}: run `bothy audit verify`")]
    Broken {
        /// The last position that is good.
        position: i64,
    },
}

impl AuditSealer {
    /// A sealer for a log, with the keys of its instance.
    pub const fn new(log: AuditLog, keys: KeyRing) -> Self {
        Self { log, keys }
    }

    /// Links all committed entries into the chain, in the order in which they were written. Returns
    /// how many those were. On PostgreSQL an entry can become visible after one that was written
    /// later; it then comes later in the chain.
    ///
    /// # Errors
    /// [`StorageError`]; what was not linked yet is linked by the next call.
    pub async fn seal_once(&self, database: &Database) -> Result<u64, StorageError> {
        let mut sealed = 0;
        loop {
            if !chain::any_unsealed(&database.reader().await?).await? {
                return Ok(sealed);
            }
            sealed += seal_batch(database).await?;
        }
    }

    /// Signs the end of the chain, unless it is signed already. What was added since the last
    /// checkpoint is recomputed before.
    ///
    /// # Errors
    /// [`CheckpointError`].
    pub async fn checkpoint_once(&self, database: &Database) -> Result<Option<Checkpoint>, CheckpointError> {
        let signer = self.keys.signer(KeyPurpose::Audit).await?;
        let Some(end) = unsigned_end(database).await? else { return Ok(None) };
        let checkpoint = Checkpoint::sign(&signer, end.position, end.hash, end.position, self.log.clock.now());
        let unit = database.begin().await?;
        let added = checkpoints::add(&unit, &checkpoint).await?;
        unit.commit().await?;
        Ok(added.then_some(checkpoint))
    }

    /// Everything that is due. One duty that fails does not keep the others from being done.
    async fn pass(&self, database: &Database, checkpoint_interval: Duration) {
        if let Err(error) = self.log.close_windows(database).await {
            tracing::warn!(%error, "counted denials wait for their entries; trying again");
        }
        if let Err(error) = self.seal_once(database).await {
            tracing::warn!(%error, "audit entries wait for their seal; trying again");
        }
        match self.checkpoint_if_due(database, checkpoint_interval).await {
            Ok(()) => {}
            Err(error @ CheckpointError::Broken { .. }) => tracing::error!(%error, "no checkpoint was signed"),
            Err(error) => tracing::warn!(%error, "no checkpoint was signed; trying again"),
        }
    }

    async fn checkpoint_if_due(&self, database: &Database, interval: Duration) -> Result<(), CheckpointError> {
        let newest = newest_checkpoint(&database.reader().await?).await?;
        if newest.is_none_or(|newest| newest.at.plus(interval) <= self.log.clock.now()) {
            self.checkpoint_once(database).await?;
        }
        Ok(())
    }
}

/// Does the duties of the audit log until `shutdown` is ready: closes windows of denials, seals, and
/// signs checkpoints, the last one at the stop.
pub async fn run(
    sealer: &AuditSealer,
    database: &Database,
    intervals: AuditIntervals,
    shutdown: impl Future<Output = ()> + Send,
) {
    let mut shutdown = pin!(shutdown);
    loop {
        let next = sealer.log.clock.now().plus(intervals.seal);
        sealer.pass(database, intervals.checkpoint).await;
        tokio::select! {
            biased;
            () = &mut shutdown => break,
            () = sealer.log.clock.sleep_until(next) => {}
        }
    }
    sealer.pass(database, Duration::ZERO).await;
}

async fn seal_batch(database: &Database) -> Result<u64, StorageError> {
    let unit = database.begin().await?;
    // Two statements on purpose: the second sees what was committed up to the moment when the first
    // got the claim, so never an entry that another node has sealed in the meantime.
    let mut end = chain::claim(&unit).await?;
    let mut seals = Vec::new();
    for record in chain::unsealed(&unit, i64::MIN, BATCH).await? {
        end.seal(&record);
        seals.push((record.entry, end));
    }
    chain::seal(&unit, &seals).await?;
    chain::move_head(&unit, &end).await?;
    unit.commit().await?;
    Ok(seals.len() as u64)
}

/// The end of the chain if no checkpoint covers it, recomputed from the last checkpoint on.
async fn unsigned_end(database: &Database) -> Result<Option<Chain>, CheckpointError> {
    let reader = database.consistent_reader().await?;
    let head = chain::head(&reader).await?;
    let mut end = match checkpoints::newest(&reader).await? {
        Some(last) if last.is_signed() && last.count == last.position => Chain::at(last.position, last.hash.0),
        Some(last) => return Err(CheckpointError::Broken { position: last.position.saturating_sub(1) }),
        None => Chain::START,
    };
    if head == Chain::at(end.position, end.hash) {
        return Ok(None);
    }
    let signed = end.position;
    'chain: loop {
        let page = chain::sealed(&reader, end.position, PAGE).await?;
        for record in &page {
            if end.follow(record).is_err() {
                break 'chain;
            }
        }
        if page.is_empty() {
            break;
        }
        tokio::task::yield_now().await;
    }
    let whole = head.position == end.position && head.hash == end.hash && end.position > signed;
    if whole { Ok(Some(end)) } else { Err(CheckpointError::Broken { position: end.position }) }
}
