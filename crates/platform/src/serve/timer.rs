use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bothy_domain::time::Timestamp;
use futures::future::BoxFuture;
use hyper::rt::{Sleep, Timer};

use crate::clock::SharedClock;

/// Our clock as hyper wants it. hyper reckons in [`Instant`]s, so one instant and one time are taken
/// to be the same moment, and everything else is counted from there.
#[derive(Debug, Clone)]
pub(super) struct ClockTimer {
    clock: SharedClock,
    epoch: Instant,
    epoch_time: Timestamp,
}

impl ClockTimer {
    #[allow(clippy::disallowed_methods, reason = "an origin for instants; the passing of time comes from the clock")]
    pub(super) fn new(clock: SharedClock) -> Self {
        let epoch_time = clock.now();
        Self { clock, epoch: Instant::now(), epoch_time }
    }
}

impl Timer for ClockTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        let at = self.epoch_time.plus(deadline.saturating_duration_since(self.epoch));
        Box::pin(Sleeping(Mutex::new(self.clock.sleep_until(at))))
    }

    fn now(&self) -> Instant {
        self.epoch + self.clock.now().since(self.epoch_time)
    }
}

/// A future of our clock. hyper wants it to be `Sync`, which the lock makes it; it is never taken,
/// since polling has exclusive access.
struct Sleeping(Mutex<BoxFuture<'static, ()>>);

impl Future for Sleeping {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match self.0.get_mut() {
            Ok(sleeping) => sleeping.as_mut().poll(context),
            Err(poisoned) => poisoned.into_inner().as_mut().poll(context),
        }
    }
}

impl Sleep for Sleeping {}
