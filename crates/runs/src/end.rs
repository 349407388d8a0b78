//! How a run ends, and how its end is asked for. Every way out goes through here, so that none
//! forgets the events and whoever waits.

use bothy_chat::ThreadFacts;
use bothy_domain::problem::Problem;
use bothy_domain::run::{Applied, CancelReason, EndReason, RunCommand, RunState, apply};
use bothy_messaging::NewNotice;
use bothy_platform::failure::OrProblem;
use bothy_storage::UnitOfWork;

use crate::rights::Source;
use crate::store::row::RunRow;
use crate::{Runs, event, store};

/// A run that changed under the hands of its writer. The writer holds no lock, so somebody else was
/// quicker; whoever gets this reads the run again and judges anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outrun;

/// The notice to the person of a run that ends because rights have ended.
const ACCESS_REVOKED: &str = "run_access_revoked";

impl Runs {
    /// The thread of a run; threads are never removed.
    pub(crate) async fn thread_of(&self, unit: &UnitOfWork, run: &RunRow) -> Result<ThreadFacts, Problem> {
        self.chat
            .thread(unit, run.thread)
            .await?
            .ok_or_else(|| Problem::internal(format!("the thread of run {} is gone", run.id)))
    }

    /// Ends a run and starts what waits for it. The inner error says that the run is not in the
    /// state of `run` any more, and that nothing was written.
    pub(crate) async fn end(
        &self,
        unit: &UnitOfWork,
        run: &RunRow,
        state: RunState,
        reason: EndReason,
        error_class: Option<&str>,
    ) -> Result<Result<RunRow, Outrun>, Problem> {
        self.add_unbound(unit, run.agent).await?;
        let Some(ended) = store::run::end(unit, run, state, self.now(), reason, error_class).await? else {
            return Ok(Err(Outrun));
        };
        let thread = self.thread_of(unit, &ended).await?;
        self.events.append(unit, &[event::updated(&thread, &ended)]).await.or_problem()?;
        self.hand_over(unit, &ended, &thread).await?;
        Ok(Ok(ended))
    }

    /// Asks for the end of an active run: a queued one ends at once, the agent of another one is
    /// told. Asking again for the same reason changes nothing; a revocation outweighs the wish of a
    /// person, because it also closes the context (RC-21).
    pub(crate) async fn request_cancel(
        &self,
        unit: &UnitOfWork,
        run: &RunRow,
        reason: CancelReason,
    ) -> Result<Result<RunRow, Outrun>, Problem> {
        match apply(run.state, &RunCommand::RequestCancel(reason)) {
            Ok(Applied::Ended { state, reason: ended }) => {
                if reason == CancelReason::AccessRevoked {
                    let thread = self.thread_of(unit, run).await?;
                    self.tell_person(unit, run, &thread, ACCESS_REVOKED).await?;
                }
                self.end(unit, run, state, ended, None).await
            }
            Ok(Applied::CancelRequested(reason)) => self.note_cancel(unit, run, reason).await,
            Ok(Applied::Moved(_) | Applied::Unchanged) | Err(_) => Ok(Err(Outrun)),
        }
    }

    /// Tells the person something about their run that nobody else is told (AF-23), if they may read the
    /// thread.
    pub(crate) async fn tell_person(
        &self,
        unit: &UnitOfWork,
        run: &RunRow,
        thread: &ThreadFacts,
        code: &'static str,
    ) -> Result<(), Problem> {
        if !self.rights(Source::Unit(unit)).reads(run.triggered_by, thread).await? {
            return Ok(());
        }
        let notice = NewNotice {
            person: run.triggered_by,
            thread,
            message: None,
            agent: Some(run.agent),
            run: Some(run.id),
            code,
        };
        self.messaging.notify(unit, &notice).await
    }

    async fn note_cancel(
        &self,
        unit: &UnitOfWork,
        run: &RunRow,
        reason: CancelReason,
    ) -> Result<Result<RunRow, Outrun>, Problem> {
        let known = run.cancel_reason.is_some_and(|known| known == reason || known == CancelReason::AccessRevoked);
        if known {
            return Ok(Ok(run.clone()));
        }
        let Some(asked) = store::run::request_cancel(unit, run, self.now(), reason).await? else {
            return Ok(Err(Outrun));
        };
        let thread = self.thread_of(unit, &asked).await?;
        if reason == CancelReason::AccessRevoked {
            self.tell_person(unit, run, &thread, ACCESS_REVOKED).await?;
        }
        self.events
            .append(unit, &[event::cancel_requested(&thread, &asked), event::updated(&thread, &asked)])
            .await
            .or_problem()?;
        Ok(Ok(asked))
    }

    /// Ends a run whose agent cannot be told any more: it is shut out, or cannot see the thread.
    pub(crate) async fn stop_at_once(
        &self,
        unit: &UnitOfWork,
        run: &RunRow,
    ) -> Result<Result<RunRow, Outrun>, Problem> {
        let asked = match self.request_cancel(unit, run, CancelReason::AccessRevoked).await? {
            Ok(asked) if asked.state.is_active() => asked,
            done => return Ok(done),
        };
        match apply(asked.state, &RunCommand::ExpireCancelGrace) {
            Ok(Applied::Ended { state, .. }) => self.end(unit, &asked, state, EndReason::AccessRevoked, None).await,
            _ => Ok(Err(Outrun)),
        }
    }
}
