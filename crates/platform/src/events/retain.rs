use bothy_domain::time::Timestamp;
use bothy_storage::{Reader, StorageError, work};

use crate::events::log::EventLog;
use crate::events::store;

/// How many events are removed in one transaction.
const BATCH: i64 = 5_000;

impl EventLog {
    /// Everything up to this position was removed. A cursor below it has missed events, so look at it
    /// after reading: what is still above the floor then was there during the read.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn floor(&self, reader: &Reader) -> Result<i64, StorageError> {
        store::floor(reader).await
    }

    /// Removes events that were written before a time, oldest first and in batches, and says how many
    /// they were. Several nodes may try at once: the floor is claimed in the database.
    ///
    /// # Errors
    /// [`StorageError`]; batches that were removed stay removed.
    pub async fn retain_since(&self, oldest: Timestamp) -> Result<u64, StorageError> {
        let mut removed = 0;
        loop {
            let batch = self.remove_batch(oldest).await?;
            removed += batch;
            if batch < BATCH.unsigned_abs() {
                return Ok(removed);
            }
        }
    }

    async fn remove_batch(&self, oldest: Timestamp) -> Result<u64, StorageError> {
        self.0
            .database
            .transact(|unit| {
                work(async move {
                    let floor = store::lock_floor(unit).await?;
                    let Some(last) = store::last_before(unit, floor, BATCH, oldest).await? else {
                        return Ok(0);
                    };
                    let removed = store::remove_up_to(unit, last).await?;
                    store::set_floor(unit, last).await?;
                    Ok(removed)
                })
            })
            .await
    }
}
