//! Tells when the server's audit log is not what it was.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::wire::Checkpoint;
use crate::witness::{Breach, Witness};

type Tell = dyn Fn(&Breach) + Send + Sync;

/// A witness, and whom it tells. Clones share what was told.
#[derive(Clone, Default)]
pub(super) struct Alarm {
    pub(super) witness: Witness,
    tell: Option<Arc<Tell>>,
    last: Arc<Mutex<Option<Breach>>>,
}

impl Alarm {
    pub(super) fn telling(mut self, tell: impl Fn(&Breach) + Send + Sync + 'static) -> Self {
        self.tell = Some(Arc::new(tell));
        self
    }

    /// Looks at what a poll carried. The same breach again and again is told once.
    pub(super) fn look(&self, shown: Option<&Checkpoint>) {
        let Err(breach) = self.witness.see(shown) else { return };
        let before = self.last.lock().unwrap_or_else(PoisonError::into_inner).replace(breach.clone());
        if before.as_ref() == Some(&breach) {
            return;
        }
        tracing::error!(%breach, "the audit log of the server is not what it was");
        if let Some(tell) = &self.tell {
            tell(&breach);
        }
    }
}

impl fmt::Debug for Alarm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Alarm").field("witness", &self.witness).finish_non_exhaustive()
    }
}
