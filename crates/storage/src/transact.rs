//! Units of work that are run again after a conflict.

use std::time::Duration;

use crate::database::Database;
use crate::error::StorageError;
use crate::unit::UnitOfWork;
use crate::wait;

/// How often work is run again after a conflict.
const RETRIES: u32 = 5;

/// An error that knows whether the unit of work that ended with it may be run again.
pub trait RetryHint {
    /// Whether the same unit of work may succeed when it is run again.
    fn is_retryable(&self) -> bool;
}

impl RetryHint for StorageError {
    fn is_retryable(&self) -> bool {
        Self::is_retryable(self)
    }
}

impl Database {
    /// Runs `work` in a unit of work and commits it when it ends with `Ok`.
    ///
    /// After a serialization failure or a deadlock it is run again from the start, up to five
    /// times, so `work` must leave no traces but in the unit (and in
    /// [`UnitOfWork::on_commit`]). When it ends with `Err`, its work is undone.
    ///
    /// # Errors
    ///
    /// The error of `work`, or that of the commit.
    pub async fn transact<T, E, F>(&self, mut work: F) -> Result<T, E>
    where
        F: AsyncFnMut(&mut UnitOfWork) -> Result<T, E>,
        E: From<StorageError> + RetryHint,
    {
        let mut tries = 0;
        loop {
            let mut unit = self.begin().await?;
            let error = match work(&mut unit).await {
                Ok(result) => match unit.commit().await {
                    Ok(()) => return Ok(result),
                    Err(error) => E::from(error),
                },
                Err(error) => {
                    unit.rollback().await?;
                    error
                }
            };
            if tries == RETRIES || !error.is_retryable() {
                return Err(error);
            }
            wait::pause(Duration::from_millis(2 << tries)).await;
            tries += 1;
        }
    }
}
