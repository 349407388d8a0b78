//! What a run was stopped at because of the person whom it works for, told to that person (AF-23).
//!
//! The door only notes it: a write in the request would show by its time that there is something to hide.
//! A duty of the node tells it, once a run and class.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use bothy_domain::action::{Action, RateClass};
use bothy_domain::actor::Binding;
use bothy_domain::ids::{PrincipalId, RunId};
use bothy_domain::problem::Problem;
use bothy_platform::authorize::BindingWatch;
use bothy_platform::failure::transact;
use bothy_storage::work;
use tokio::sync::Notify;

use crate::{Runs, store};

/// How many are noted at once. What is beyond is noted when it happens again.
const NOTED_MAX: usize = 1024;

/// What kind of thing was stopped: a closed list that names nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    Reading,
    Writing,
    Managing,
}

impl Class {
    const fn of(action: Action) -> Self {
        match action.row().rate {
            RateClass::Read | RateClass::PublicAuth => Self::Reading,
            RateClass::Write | RateClass::AgentRuntime => Self::Writing,
            RateClass::Admin => Self::Managing,
        }
    }

    /// Its bit in `runs.stopped_classes`.
    const fn bit(self) -> i64 {
        match self {
            Self::Reading => 1,
            Self::Writing => 2,
            Self::Managing => 4,
        }
    }

    const fn code(self) -> &'static str {
        match self {
            Self::Reading => "stopped_reading",
            Self::Writing => "stopped_writing",
            Self::Managing => "stopped_managing",
        }
    }
}

/// What was stopped and is to be told.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    runs: Mutex<BTreeSet<(RunId, Class)>>,
    more: Notify,
}

impl Noted {
    fn add(&self, run: RunId, class: Class) {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        if runs.len() < NOTED_MAX {
            runs.insert((run, class));
        }
        drop(runs);
        self.more.notify_one();
    }

    fn take(&self) -> BTreeSet<(RunId, Class)> {
        std::mem::take(&mut *self.runs.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl BindingWatch for Runs {
    fn stopped(&self, binding: &Binding, action: Action) {
        self.noted.add(binding.run, Class::of(action));
    }

    fn unbound(&self, agent: PrincipalId) {
        self.unbound.add(agent);
    }
}

impl Runs {
    /// A duty of every node, until it is dropped: tells people what their runs were stopped at.
    pub async fn tell_what_is_stopped(&self) {
        loop {
            self.noted.more.notified().await;
            if let Err(error) = self.tell_what_was_stopped().await {
                tracing::warn!(%error, "a person is not told what a run was stopped at");
            }
        }
    }

    /// Tells what is noted.
    ///
    /// # Errors
    /// `unavailable` when the database fails; what was not told is noted when it happens again.
    pub async fn tell_what_was_stopped(&self) -> Result<(), Problem> {
        for (run, class) in self.noted.take() {
            transact(&self.database, |unit| {
                work(async move {
                    if !store::run::mark_stopped(unit, run, class.bit()).await? {
                        return Ok(());
                    }
                    let Some(run) = store::run::by_id(unit, run).await? else { return Ok(()) };
                    let Some(thread) = self.chat.thread(unit, run.thread).await? else { return Ok(()) };
                    Ok(self.tell_person(unit, &run, &thread, class.code()).await?)
                })
            })
            .await?;
        }
        Ok(())
    }
}
