//! What a change of rights does to runs, in the unit of work of the change (chapter 06 section 2):
//! a run whose person may not invoke its agent any more is to end.

use bothy_authz::{RightsChanged, Touched};
use bothy_chat::Within;
use bothy_domain::ids::ThreadId;
use bothy_domain::problem::Problem;
use bothy_domain::run::CancelReason;
use bothy_storage::UnitOfWork;
use futures::FutureExt;
use futures::future::BoxFuture;
use uuid::Uuid;

use crate::rights::{RightsNow, Source};
use crate::store::row::RunRow;
use crate::{Runs, store};

/// How many threads with active runs are looked up at once.
const BATCH: i64 = 1_000;

impl RightsChanged for Runs {
    fn rights_changed<'a>(&'a self, unit: &'a UnitOfWork, touched: &'a Touched) -> BoxFuture<'a, Result<(), Problem>> {
        self.end_revoked(unit, touched).boxed()
    }
}

impl Runs {
    async fn end_revoked(&self, unit: &UnitOfWork, touched: &Touched) -> Result<(), Problem> {
        let runs = match touched {
            Touched::Principals(principals) => store::touched::of_principals(unit, principals).await?,
            Touched::Space(space) => self.active_within(unit, Within::Space(*space)).await?,
            Touched::Channel(channel) => self.active_within(unit, Within::Channel(*channel)).await?,
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

    /// The active runs in a part of the tree. Where a thread stands is known to chat alone, so chat is
    /// asked about every thread with an active run. Rights are held since before the change, so no
    /// message starts a run between the reads, and a run that is handed on stays in its thread.
    async fn active_within(&self, unit: &UnitOfWork, part: Within) -> Result<Vec<RunRow>, Problem> {
        let mut found = Vec::new();
        let mut after = ThreadId::from_uuid(Uuid::nil());
        loop {
            let threads = store::touched::threads(unit, after, BATCH).await?;
            found.extend(self.chat.threads_in(unit, &threads, part).await?);
            match threads.last() {
                Some(last) if i64::try_from(threads.len()).is_ok_and(|found| found >= BATCH) => after = *last,
                _ => return store::touched::in_threads(unit, &found).await,
            }
        }
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
