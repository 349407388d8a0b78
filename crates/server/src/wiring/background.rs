//! What a server does by itself, on the clock port.

use std::sync::Arc;
use std::time::Duration;

use bothy_platform::clock::{SharedClock, sleep};
use bothy_platform::events::EventLog;
use bothy_runs::Runs;
use tokio::task::JoinSet;

/// How often a node looks for runs whose time is over. Several nodes may look at once: each run is
/// claimed in the database.
const EXPIRY: Duration = Duration::from_secs(1);

/// The loops of a server. They end when this is stopped or dropped; each pass leaves the database in
/// order, so one that is cut off loses nothing.
#[derive(Debug)]
pub(super) struct Background(JoinSet<()>);

impl Background {
    pub(super) fn start(runs: Arc<Runs>, events: EventLog, clock: SharedClock) -> Self {
        let mut loops = JoinSet::new();
        loops.spawn(async move { events.run().await });
        loops.spawn(async move {
            loop {
                if let Err(error) = runs.expire().await {
                    tracing::warn!(%error, cause = error.cause().map(tracing::field::display), "runs could not be expired; trying again");
                }
                sleep(&clock, EXPIRY).await;
            }
        });
        Self(loops)
    }

    pub(super) async fn stop(mut self) {
        self.0.shutdown().await;
    }
}
