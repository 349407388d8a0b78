//! What a change of rights does to runs, in the unit of work of the change (chapter 06 section 2):
//! a run whose person may not invoke its agent any more is to end.

use bothy_authz::{RightsChanged, Touched};
use bothy_domain::problem::Problem;
use bothy_domain::run::CancelReason;
use bothy_storage::UnitOfWork;
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::rights::{RightsNow, Source};
use crate::store::row::RunRow;
use crate::{Runs, store};

impl RightsChanged for Runs {
    fn rights_changed<'a>(&'a self, unit: &'a UnitOfWork, touched: &'a Touched) -> BoxFuture<'a, Result<(), Problem>> {
        self.end_revoked(unit, touched).boxed()
    }
}

impl Runs {
    async fn end_revoked(&self, unit: &UnitOfWork, touched: &Touched) -> Result<(), Problem> {
        let runs = match touched {
            Touched::Principals(principals) => store::touched::of_principals(unit, principals).await?,
            Touched::Space(space) => store::touched::in_space(unit, *space).await?,
            Touched::Channel(channel) => store::touched::in_channel(unit, *channel).await?,
        };
        let rights = self.rights(Source::Unit(unit));
        for run in runs {
            // The row may have changed since it was listed; locked, it is what it is.
            if let Some(run) = store::run::lock_active(unit, run.id).await? {
                self.end_if_revoked(unit, &rights, &run).await?;
            }
        }
        Ok(())
    }

    /// An agent that cannot see its run any more cannot end it either, so the server does it at
    /// once (C34); otherwise the agent is asked and has `agent.cancel_grace`.
    async fn end_if_revoked(&self, unit: &UnitOfWork, rights: &RightsNow<'_>, run: &RunRow) -> Result<(), Problem> {
        let thread = self.thread_of(unit, run).await?;
        let direct = self.place_of(unit, &thread).await?.is_direct();
        let outcome = if !rights.reads(run.agent, &thread).await? {
            self.stop_at_once(unit, run).await?
        } else if rights.invoke(run.triggered_by, run.agent, &thread, direct).await?.is_err() {
            self.request_cancel(unit, run, CancelReason::AccessRevoked).await?
        } else {
            return Ok(());
        };
        outcome.map(drop).map_err(|_| Problem::internal(format!("run {} changed while it was locked", run.id)))
    }
}
