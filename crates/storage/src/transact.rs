//! Units of work that are run again after a conflict.

use std::marker::PhantomData;
use std::pin::Pin;
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

/// What a closure given to [`Database::transact`] returns; made by [`work`].
///
/// `'scope` is what the closure captured, `'unit` the unit that it is lent. That the first
/// outlives the second cannot be said in the bounds of an async closure whose future is to be
/// `Send`, so it is said here.
pub struct Work<'scope, 'unit, T> {
    future: Pin<Box<dyn Future<Output = T> + Send + 'unit>>,
    scope: PhantomData<&'unit &'scope ()>,
}

/// Wraps the body of a closure given to [`Database::transact`].
pub fn work<'scope: 'unit, 'unit, T>(body: impl Future<Output = T> + Send + 'unit) -> Work<'scope, 'unit, T> {
    Work { future: Box::pin(body), scope: PhantomData }
}

impl Database {
    /// Runs `body` in a unit of work and commits it when it ends with `Ok`.
    ///
    /// After a serialization failure or a deadlock it is run again from the start, up to five
    /// times, so it must leave no traces but in the unit (and in [`UnitOfWork::on_commit`]). When
    /// it ends with `Err`, its work is undone.
    ///
    /// ```
    /// # use bothy_storage::{Database, Statement, StorageError, params, statements, work};
    /// # statements! { RENAME = "UPDATE spaces SET name = $1"; }
    /// # async fn rename(database: &Database, name: &str) -> Result<u64, StorageError> {
    /// database.transact(|unit| work(async move { unit.execute(&RENAME, params![name]).await })).await
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The error of `body`, or that of the commit.
    pub async fn transact<'scope, T, E, F>(&self, mut body: F) -> Result<T, E>
    where
        F: for<'unit> FnMut(&'unit mut UnitOfWork) -> Work<'scope, 'unit, Result<T, E>>,
        E: From<StorageError> + RetryHint,
    {
        let mut tries = 0;
        loop {
            let mut unit = self.begin().await?;
            let result = body(&mut unit).future.await;
            let error = match result {
                Ok(value) => match unit.commit().await {
                    Ok(()) => return Ok(value),
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
