//! Time as a port. Whatever reads the time or waits does it through a [`Clock`], so that no test
//! waits for real time and a story can let an hour pass in one line.

mod manual;
mod system;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bothy_domain::time::Timestamp;
use futures::future::{BoxFuture, Either, select};

pub use manual::ManualClock;
pub use system::SystemClock;

/// Reads the time and waits for a point in time.
pub trait Clock: Send + Sync + fmt::Debug {
    /// The present time.
    fn now(&self) -> Timestamp;

    /// A future that is ready once the time has come. The waiting begins with the call and not with
    /// the first poll, so that a clock which is moved in between is not missed.
    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()>;
}

/// A clock that is handed around.
pub type SharedClock = Arc<dyn Clock>;

/// A future took longer than it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("took longer than allowed")]
pub struct Elapsed;

/// Waits for a duration.
pub fn sleep(clock: &SharedClock, duration: Duration) -> BoxFuture<'static, ()> {
    clock.sleep_until(clock.now().plus(duration))
}

/// Runs a future, but drops it when it takes longer than `limit`.
///
/// # Errors
/// [`Elapsed`] when the time was up first. A future that is ready at the same moment wins.
pub async fn timeout<F: Future>(clock: &SharedClock, limit: Duration, future: F) -> Result<F::Output, Elapsed> {
    let expired = sleep(clock, limit);
    match select(std::pin::pin!(future), expired).await {
        Either::Left((output, _)) => Ok(output),
        Either::Right(((), _)) => Err(Elapsed),
    }
}

#[cfg(test)]
mod tests;
