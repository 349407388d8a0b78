//! The runs that are worked on here, and whether somebody asked one to stop.

use std::collections::BTreeMap;

use bothy_domain::ids::RunId;
use tokio::sync::watch;

use crate::wire::{AgentEvent, Pulse};

/// The runs that are worked on here, by the position of their invocations.
#[derive(Debug, Default)]
pub(super) struct AtWork(BTreeMap<i64, (RunId, watch::Sender<bool>)>);

/// Tells whoever works on a run that it should stop.
#[derive(Debug)]
pub(super) struct Cancelled(Option<watch::Receiver<bool>>);

impl AtWork {
    /// Notes the run of an invocation; of other events nothing.
    pub(super) fn begin(&mut self, event: &AgentEvent) -> Cancelled {
        let (Some(run), Some(_)) = (event.run_id, &event.invocation_token) else {
            return Cancelled::never();
        };
        let (sender, receiver) = watch::channel(false);
        self.0.insert(event.position, (run, sender));
        Cancelled(Some(receiver))
    }

    pub(super) fn end(&mut self, position: i64) {
        self.0.remove(&position);
    }

    /// Asks a run to stop, if it is worked on here.
    pub(super) fn cancel(&mut self, run: Option<RunId>) {
        for (_, sender) in self.0.values().filter(|(other, _)| Some(*other) == run) {
            sender.send_replace(true);
        }
    }

    pub(super) fn runs(&self) -> Vec<RunId> {
        self.0.values().map(|(run, _)| *run).collect()
    }

    /// Stops the runs that have ended meanwhile or should, by what the server knows.
    pub(super) fn keep(&mut self, pulse: &Pulse) {
        let goes_on = |run: RunId| pulse.runs.iter().any(|known| known.run_id == run && known.cancel_reason.is_none());
        for run in self.runs() {
            if !goes_on(run) {
                self.cancel(Some(run));
            }
        }
    }
}

impl Cancelled {
    pub(super) const fn never() -> Self {
        Self(None)
    }

    /// Ready once somebody asked.
    pub(super) async fn requested(mut self) {
        if let Some(receiver) = &mut self.0
            && receiver.wait_for(|asked| *asked).await.is_ok()
        {
            return;
        }
        // Nobody can ask any more.
        std::future::pending().await
    }
}

#[cfg(test)]
mod tests;
