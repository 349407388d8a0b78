//! Work that is done once a unit of work is committed, and only then.

use std::panic::{AssertUnwindSafe, catch_unwind};

type Hook = Box<dyn FnOnce() + Send>;

/// Hooks of a unit of work that is not committed yet. Dropping them forgets them.
#[derive(Default)]
pub(crate) struct Hooks(Vec<Hook>);

/// Hooks of a committed unit of work. Dropping them runs them: whoever holds the news of the
/// commit last does, so they run even when the caller was cancelled while it waited for it.
pub(crate) struct Committed(Vec<Hook>);

impl Hooks {
    pub(crate) fn add(&mut self, hook: impl FnOnce() + Send + 'static) {
        self.0.push(Box::new(hook));
    }

    pub(crate) fn committed(self) -> Committed {
        Committed(self.0)
    }
}

impl Drop for Committed {
    fn drop(&mut self) {
        for hook in self.0.drain(..) {
            // A hook may run on the thread that commits for everybody, which must outlive it.
            if catch_unwind(AssertUnwindSafe(hook)).is_err() {
                tracing::error!("a hook that follows a commit panicked");
            }
        }
    }
}
