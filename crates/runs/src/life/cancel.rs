use bothy_domain::action::{Action, actions};
use bothy_domain::audit::AuditEntry;
use bothy_domain::problem::Problem;
use bothy_domain::run::CancelReason;
use bothy_platform::failure::transact;
use bothy_platform::http::Allowed;
use bothy_storage::work;

use super::slipped;
use crate::Runs;
use crate::store::row::RunRow;

impl Runs {
    /// A person stops a run: a queued one ends at once, the agent of another one is asked to end it
    /// and has `agent.cancel_grace`. Asking twice changes nothing.
    ///
    /// # Errors
    /// `run_inactive` when it has ended.
    pub(crate) async fn cancel_run(&self, allowed: Allowed<actions::RunCancel>) -> Result<RunRow, Problem> {
        let run = allowed.id();
        let actor = allowed.actor();
        transact(&self.database, |unit| {
            work(async move {
                let held = self.hold_active(unit, run).await?;
                let asked =
                    self.request_cancel(unit, &held, CancelReason::Requested).await?.map_err(|_| slipped(run))?;
                self.audit.record(unit, &AuditEntry::done(actor, Action::RunCancel, Some(run.cast()))).await?;
                Ok(asked)
            })
        })
        .await
    }
}
