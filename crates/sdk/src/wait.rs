//! Waiting as a port, so that no test of a retry waits for real time.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;

/// Waits for a while.
pub trait Wait: Send + Sync + fmt::Debug {
    /// A future that is ready after the duration.
    fn wait(&self, duration: Duration) -> BoxFuture<'static, ()>;
}

/// A port that is handed around.
pub type SharedWait = Arc<dyn Wait>;

/// Waits for real; needs a tokio runtime with time enabled.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemWait;

impl Wait for SystemWait {
    #[allow(clippy::disallowed_methods, reason = "the one place of this crate that waits for real time")]
    fn wait(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}
