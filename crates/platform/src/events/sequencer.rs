use std::time::Duration;

use bothy_storage::{Engine, StorageError};

use crate::clock::sleep;
use crate::events::log::{EventLog, Shared};
use crate::events::store;

/// The channel of wake-ups between nodes.
const CHANNEL: &str = "bothy_events";
/// Looks without a wake-up after this time: another node may have committed and died, and a
/// notification may get lost.
const SAFETY: Duration = Duration::from_secs(2);
/// How many events get their positions in one transaction.
const BATCH: i64 = 5_000;

impl EventLog {
    /// Gives positions to committed events and learns of those of other nodes, until it is dropped.
    /// One task a node runs this; with SQLite it has nothing to do.
    pub async fn run(&self) {
        if self.0.database.engine() == Engine::Sqlite {
            return std::future::pending().await;
        }
        let mut elsewhere = self.0.database.listen(CHANNEL);
        loop {
            let next = self.0.clock.now().plus(SAFETY);
            if let Err(error) = self.sequence().await {
                tracing::warn!(%error, "events wait for their positions; trying again");
                sleep(&self.0.clock, SAFETY).await;
                continue;
            }
            tokio::select! {
                () = self.0.committed.notified() => {}
                () = elsewhere.recv() => {}
                () = self.0.clock.sleep_until(next) => {}
            }
        }
    }

    /// One pass: positions for all that is committed, then wake-ups.
    pub(super) async fn sequence(&self) -> Result<(), StorageError> {
        let mut numbered = 0;
        loop {
            let batch = number(&self.0).await?;
            numbered += batch;
            if batch < BATCH {
                break;
            }
        }
        let head = store::head(&self.0.database.reader().await?).await?;
        self.0.announce(head);
        if numbered > 0 {
            // One notification tells of everything in this pass. It wakes this node once more, which
            // then finds nothing and tells nobody.
            if let Err(error) = self.0.database.notify(CHANNEL).await {
                tracing::debug!(%error, "other nodes learn of new events by their timers");
            }
        }
        Ok(())
    }
}

/// Numbers one batch and says how many events it had.
async fn number(shared: &Shared) -> Result<i64, StorageError> {
    if !store::has_unsequenced(&shared.database.reader().await?).await? {
        return Ok(0);
    }
    let unit = shared.database.begin().await?;
    // Two statements on purpose: the second sees what was committed up to the moment when the first
    // got the lock, so never an event that the node before has numbered in the meantime.
    let last = store::take_positions(&unit, 0).await?;
    let numbered = store::number(&unit, last, BATCH).await?;
    store::take_positions(&unit, numbered).await?;
    unit.commit().await?;
    Ok(numbered)
}
