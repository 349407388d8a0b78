use bothy_domain::action::actions;
use bothy_domain::ids::RunId;
use bothy_domain::problem::Problem;
use bothy_domain::run::RunState;
use bothy_domain::time::Timestamp;
use bothy_platform::failure::transact;
use bothy_platform::http::Allowed;
use bothy_storage::work;

use crate::store::row::RunRow;
use crate::{Runs, store};

/// What a heartbeat answers.
#[derive(Debug, Clone)]
pub(crate) struct Pulse {
    /// The agent's active runs, so that an adapter learns which of its runs the server has ended.
    pub(crate) runs: Vec<RunRow>,
    /// Until when the next heartbeat must have come.
    pub(crate) lease_expires_at: Timestamp,
}

impl Runs {
    /// The adapter is alive and works on `runs`: their leases are renewed. Without a list it speaks
    /// for all running runs of the agent, which is right for an adapter that keeps none across a
    /// restart; one that does names them, so that a run that it lost is found to be lost (C66).
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub(crate) async fn agent_heartbeat(
        &self,
        allowed: Allowed<actions::AgentHeartbeat>,
        runs: Option<Vec<RunId>>,
    ) -> Result<Pulse, Problem> {
        let agent = allowed.actor().principal;
        let named = &runs;
        transact(&self.database, |unit| {
            work(async move {
                self.agents.seen(unit, agent).await?;
                let lease = self.now().plus(self.settings.lease_timeout);
                let active = store::run::active_of_agent(unit, agent).await?;
                let running: Vec<RunId> =
                    active.iter().filter(|run| run.state == RunState::Running).map(|run| run.id).collect();
                let renewed = match named {
                    Some(named) => named.iter().copied().filter(|run| running.contains(run)).collect(),
                    None => running,
                };
                store::run::renew_leases(unit, agent, &renewed, lease).await?;
                let runs = store::run::active_of_agent(unit, agent).await?;
                Ok(Pulse { runs, lease_expires_at: lease })
            })
        })
        .await
    }
}
