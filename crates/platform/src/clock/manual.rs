use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bothy_domain::time::Timestamp;
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::{Notify, oneshot};

use crate::clock::Clock;

/// A clock that stands still until it is moved. Clones share their time.
#[derive(Debug, Clone)]
pub struct ManualClock {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    registered: Notify,
}

#[derive(Debug)]
struct State {
    now: Timestamp,
    sleepers: Vec<(Timestamp, oneshot::Sender<()>)>,
}

/// The beginning of 2026.
impl Default for ManualClock {
    fn default() -> Self {
        Self::new(Timestamp::from_micros(1_767_225_600_000_000))
    }
}

impl ManualClock {
    /// A clock that stands at `now`.
    pub fn new(now: Timestamp) -> Self {
        let state = Mutex::new(State { now, sleepers: Vec::new() });
        Self { shared: Arc::new(Shared { state, registered: Notify::new() }) }
    }

    /// Moves the time forward and wakes everybody whose time has come.
    pub fn advance(&self, by: Duration) {
        let mut state = self.state();
        let now = state.now.plus(by);
        state.move_to(now);
    }

    /// Sets the time, also backwards, as a machine's clock may be set. Wakes whose time has come.
    pub fn set(&self, now: Timestamp) {
        self.state().move_to(now);
    }

    /// How many wait for this clock at the moment.
    pub fn sleepers(&self) -> usize {
        let mut state = self.state();
        state.forget_gone();
        state.sleepers.len()
    }

    /// Waits until at least `count` wait for this clock, so that a test moves the time only after
    /// what it tests has begun to wait.
    pub async fn until_sleepers(&self, count: usize) {
        loop {
            let registered = self.shared.registered.notified();
            if self.sleepers() >= count {
                return;
            }
            registered.await;
        }
    }

    /// Waits until somebody waits for this very point in time.
    pub async fn until_awaited(&self, at: Timestamp) {
        loop {
            let registered = self.shared.registered.notified();
            if self.state().is_awaited(at) {
                return;
            }
            registered.await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that runs under the lock can panic half-way; a poisoned lock still holds a whole
        // state.
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn move_to(&mut self, now: Timestamp) {
        self.now = now;
        let (due, waiting): (Vec<_>, Vec<_>) = self.sleepers.drain(..).partition(|(at, _)| *at <= now);
        self.sleepers = waiting;
        let mut due = due;
        due.sort_by_key(|(at, _)| *at);
        for (_, sleeper) in due {
            // Somebody who stopped waiting is no error.
            let _ = sleeper.send(());
        }
    }

    fn is_awaited(&self, at: Timestamp) -> bool {
        self.sleepers.iter().any(|(awaited, sleeper)| *awaited == at && !sleeper.is_closed())
    }

    fn forget_gone(&mut self) {
        self.sleepers.retain(|(_, sleeper)| !sleeper.is_closed());
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        self.state().now
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        let mut state = self.state();
        if at <= state.now {
            return std::future::ready(()).boxed();
        }
        state.forget_gone();
        let (sleeper, woken) = oneshot::channel();
        state.sleepers.push((at, sleeper));
        drop(state);
        self.shared.registered.notify_waiters();
        async move {
            if woken.await.is_err() {
                // The clock is gone, so its time never comes.
                std::future::pending::<()>().await;
            }
        }
        .boxed()
    }
}
