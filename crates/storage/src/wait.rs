//! Real waiting. Storage stands below the clock port, and what it waits for (a free connection, a
//! server that is restarting) does not move with a test clock.

use std::time::Duration;

/// Waits for a while.
#[allow(clippy::disallowed_methods, reason = "back-off between tries at a real server, below the clock port")]
pub(crate) async fn pause(duration: Duration) {
    tokio::time::sleep(duration).await;
}

/// The result of `work`, or `None` when it takes longer than `limit`.
#[allow(clippy::disallowed_methods, reason = "limit on waiting for a real connection, below the clock port")]
pub(crate) async fn within<F: Future>(limit: Duration, work: F) -> Option<F::Output> {
    tokio::time::timeout(limit, work).await.ok()
}
