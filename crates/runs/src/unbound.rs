//! Calls without the invocation token while an agent works on a run (AF-22): an adapter that forgets the
//! header is visible on the run. Nothing is written for a call; each node counts, and adds what it has
//! counted when a run starts or ends, and from time to time.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::Problem;
use bothy_platform::failure::transact;
use bothy_storage::{UnitOfWork, work};

use crate::{Runs, store};

/// How many agents are counted at once.
const AGENTS_MAX: usize = 10_000;

/// What a node has counted and not yet added.
#[derive(Debug, Default)]
pub(crate) struct Counted(Mutex<BTreeMap<PrincipalId, i64>>);

impl Counted {
    fn calls(&self) -> MutexGuard<'_, BTreeMap<PrincipalId, i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call. It costs no more than a look into a map.
    pub(crate) fn add(&self, agent: PrincipalId) {
        let mut calls = self.calls();
        if calls.len() < AGENTS_MAX || calls.contains_key(&agent) {
            let count = calls.entry(agent).or_default();
            *count = count.saturating_add(1);
        }
    }

    fn of(&self, agent: PrincipalId) -> i64 {
        self.calls().get(&agent).copied().unwrap_or_default()
    }

    fn agents(&self) -> Vec<PrincipalId> {
        self.calls().keys().copied().collect()
    }

    fn added(&self, agent: PrincipalId, count: i64) {
        let mut calls = self.calls();
        let left = calls.get(&agent).map_or(0, |all| all.saturating_sub(count));
        if left > 0 {
            calls.insert(agent, left);
        } else {
            calls.remove(&agent);
        }
    }
}

impl Runs {
    /// Adds what was counted for an agent to the runs that it works on now; without any it is forgotten.
    /// What is counted stays until the unit of work is committed.
    pub(crate) async fn add_unbound(&self, unit: &UnitOfWork, agent: PrincipalId) -> Result<(), Problem> {
        let count = self.unbound.of(agent);
        if count == 0 {
            return Ok(());
        }
        store::run::add_unbound(unit, agent, count).await?;
        let counted = Arc::clone(&self.unbound);
        unit.on_commit(move || counted.added(agent, count));
        Ok(())
    }

    /// A duty of every node: adds what was counted for all agents.
    ///
    /// # Errors
    /// `unavailable` when the database fails; what was not added is added the next time.
    pub async fn add_all_unbound(&self) -> Result<(), Problem> {
        for agent in self.unbound.agents() {
            transact(&self.database, |unit| work(async move { Ok(self.add_unbound(unit, agent).await?) })).await?;
        }
        Ok(())
    }
}
