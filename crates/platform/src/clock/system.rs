use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bothy_domain::time::Timestamp;
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::clock::Clock;

/// The time of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[allow(clippy::disallowed_methods, reason = "the one place that reads the time of the machine")]
    fn now(&self) -> Timestamp {
        let micros = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_micros()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_micros()).map_or(i64::MIN, |micros| -micros),
        };
        Timestamp::from_micros(micros)
    }

    /// Waits by the monotonic clock: setting the machine's time while somebody waits neither cuts
    /// the waiting short nor prolongs it.
    #[allow(clippy::disallowed_methods, reason = "the one place that waits for real time")]
    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        let left = at.since(self.now());
        if left == Duration::ZERO {
            return std::future::ready(()).boxed();
        }
        tokio::time::sleep(left).boxed()
    }
}
