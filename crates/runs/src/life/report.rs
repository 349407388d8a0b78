use bothy_agents::{SessionReference, SessionRow};
use bothy_domain::action::actions;
use bothy_domain::problem::Problem;
use bothy_domain::run::RunState;
use bothy_platform::failure::transact;
use bothy_platform::http::Allowed;
use bothy_storage::work;

use super::slipped;
use crate::Runs;

impl Runs {
    /// The agent says which session of its runtime holds what it knows of the thread. The session
    /// that the run was queued with has started thereby.
    ///
    /// # Errors
    /// `validation_failed` for what is no reference, `conflict` for the run of a guest, which keeps
    /// no session, and for a run that was not started; `run_inactive`.
    pub(crate) async fn report_agent_session(
        &self,
        allowed: Allowed<actions::AgentSessionReport>,
        reference: &str,
    ) -> Result<SessionRow, Problem> {
        let reference =
            &SessionReference::new(reference).map_err(|error| Problem::invalid("/reference", error.to_string()))?;
        let run = allowed.id();
        transact(&self.database, |unit| {
            work(async move {
                let held = self.hold_active(unit, run).await?;
                if held.state == RunState::Queued {
                    return Err(Problem::conflict("the run was not started yet").into());
                }
                let session = held.session.ok_or(Problem::conflict("a guest keeps no session"))?;
                let row = self.agents.report(unit, session, reference).await?;
                if row.agent == held.agent { Ok(row) } else { Err(slipped(run).into()) }
            })
        })
        .await
    }
}
