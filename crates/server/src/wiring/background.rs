//! What a server does by itself, on the clock port.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use bothy_platform::audit::{self, AuditIntervals};
use bothy_platform::clock::SharedClock;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use super::modules::Modules;

/// How often a node looks for runs whose time is over. Several nodes may look at once: each run is
/// claimed in the database.
const EXPIRY: Duration = Duration::from_secs(1);
/// How often calls without a token are added to the runs that they count for.
const COUNTING: Duration = Duration::from_secs(5);
/// How often a node looks for events that are kept no longer. Each batch is claimed in the database.
const RETENTION: Duration = Duration::from_secs(10 * 60);

/// The loops of a server. They end when this is stopped or dropped; each pass leaves the database in
/// order, so one that is cut off loses nothing.
#[derive(Debug)]
pub(super) struct Background {
    loops: JoinSet<()>,
    audit: JoinHandle<()>,
}

impl Background {
    /// Starts the loops. The audit log is sealed until `stopping` is true, and signed once more then.
    pub(super) fn start(modules: &Arc<Modules>, stopping: watch::Receiver<bool>) -> Self {
        let mut loops = JoinSet::new();
        let events = modules.events.clone();
        loops.spawn(async move { events.run().await });
        let clock = &modules.ports().clock;
        let runs = Arc::clone(&modules.runs);
        loops.spawn(every(EXPIRY, Arc::clone(clock), "runs are expired", async move || runs.expire().await.map(drop)));
        let runs = Arc::clone(&modules.runs);
        loops.spawn(async move { runs.tell_what_is_stopped().await });
        let runs = Arc::clone(&modules.runs);
        let count = async move || runs.add_all_unbound().await;
        loops.spawn(every(COUNTING, Arc::clone(clock), "calls without a token are counted", count));
        let delivery = Arc::clone(&modules.delivery);
        loops.spawn(async move { delivery.follow().await });
        let delivery = Arc::clone(&modules.delivery);
        let interval = delivery.presence_interval();
        let keep = async move || delivery.keep_presence().await;
        loops.spawn(every(interval, Arc::clone(clock), "presence is kept", keep));
        let kept = Arc::clone(modules);
        let forget = async move || {
            let oldest = kept.ports().clock.now().minus(kept.config.events.retention.get());
            kept.events.retain_since(oldest).await.map(drop)
        };
        loops.spawn(every(RETENTION, Arc::clone(clock), "old events are removed", forget));
        Self { loops, audit: tokio::spawn(seal(Arc::clone(modules), stopping)) }
    }

    /// Waits for the last checkpoint of the audit log and ends the loops.
    pub(super) async fn stop(mut self) {
        if let Err(error) = self.audit.await {
            tracing::error!(%error, "the audit log was not signed at the stop");
        }
        self.loops.shutdown().await;
    }
}

/// Repeats a duty for ever, at most one `pause` after its last beginning: time that passes while it is at
/// work counts.
async fn every<E: Display>(
    pause: Duration,
    clock: SharedClock,
    what: &'static str,
    mut duty: impl AsyncFnMut() -> Result<(), E>,
) {
    loop {
        let next = clock.now().plus(pause);
        if let Err(error) = duty().await {
            tracing::warn!(%error, what, "a duty failed; trying again");
        }
        clock.sleep_until(next).await;
    }
}

async fn seal(modules: Arc<Modules>, mut stopping: watch::Receiver<bool>) {
    let stopped = async {
        // Fails only when the app was dropped, which is a reason to stop as well.
        drop(stopping.wait_for(|stopping| *stopping).await);
    };
    let intervals = AuditIntervals::of(&modules.config.audit);
    audit::run(modules.sealer(), &modules.database, intervals, stopped).await;
}
