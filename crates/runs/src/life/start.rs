use bothy_domain::action::actions;
use bothy_domain::ids::RunId;
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_domain::run::{CancelReason, FollowUpChange, RunCommand, apply};
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_storage::{UnitOfWork, work};

use super::{refusal, slipped};
use crate::rights::Source;
use crate::store::row::RunRow;
use crate::token::TokenRefused;
use crate::{Runs, event, store};

/// The answer for a run whose person may not instruct the agent any more.
fn access_revoked() -> Problem {
    Problem::new(ProblemCode::Forbidden).with_reason(CancelReason::AccessRevoked.as_str())
}

impl Runs {
    /// The agent commits itself to a queued run. From now on it must show that it is alive.
    ///
    /// # Errors
    /// `invocation_token_invalid` unless `token` is a fresh token of this very run;
    /// `already_started`; `run_inactive`; `forbidden` with reason `access_revoked` when the person may
    /// not invoke the agent any more.
    pub(crate) async fn start_run(&self, allowed: Allowed<actions::RunStart>, token: &str) -> Result<RunRow, Problem> {
        self.require_token(&allowed, token).await?;
        let run = allowed.id();
        let started = transact(&self.database, |unit| {
            work(async move {
                let held = self.hold_active(unit, run).await?;
                apply(held.state, &RunCommand::Start).map_err(refusal)?;
                if !self.still_invoked(unit, &held).await? {
                    return Ok(None);
                }
                // What came before is no matter of this run.
                self.add_unbound(unit, held.agent).await?;
                let now = self.now();
                let lease = now.plus(self.settings.lease_timeout);
                let started = store::run::start(unit, run, now, lease).await?.ok_or_else(|| slipped(run))?;
                let thread = self.thread_of(unit, &started).await?;
                self.events.append(unit, &[event::updated(&thread, &started)]).await?;
                Ok(Some(started))
            })
        })
        .await?;
        started.ok_or_else(access_revoked)
    }

    /// The agent goes on with a run that waited, after the person has answered or the time of the
    /// question is over. An answer belongs to the work of the run now.
    ///
    /// # Errors
    /// As [`start_run`](Self::start_run), and `conflict` when the run is not waiting or nothing has
    /// arrived.
    pub(crate) async fn resume_run(&self, allowed: Allowed<actions::RunStart>, token: &str) -> Result<RunRow, Problem> {
        self.require_token(&allowed, token).await?;
        let run = allowed.id();
        let resumed = transact(&self.database, |unit| {
            work(async move {
                let held = self.hold_active(unit, run).await?;
                let input_arrived = held.input.is_some() || self.question_is_over(unit, run).await?;
                apply(held.state, &RunCommand::Resume { input_arrived }).map_err(refusal)?;
                if !self.still_invoked(unit, &held).await? {
                    return Ok(None);
                }
                if let Some(input) = held.input
                    && let Some(follow_up) = store::follow_up::one(unit, run, input).await?
                    && let Ok(absorbed) = follow_up.state.apply(FollowUpChange::Absorb)
                {
                    store::follow_up::change(unit, run, input, follow_up.state, absorbed).await?;
                }
                let lease = self.now().plus(self.settings.lease_timeout);
                let resumed = store::run::resume(unit, run, lease).await?.ok_or_else(|| slipped(run))?;
                let thread = self.thread_of(unit, &resumed).await?;
                self.events.append(unit, &[event::updated(&thread, &resumed)]).await?;
                Ok(Some(resumed))
            })
        })
        .await?;
        resumed.ok_or_else(access_revoked)
    }

    /// A fresh token of a queued or waiting run. `agent.invoke` is repeated for the person; when it
    /// fails, the run is to end and there is no token.
    ///
    /// # Errors
    /// `conflict` for a running run, `run_inactive` for an ended one, `forbidden` with reason
    /// `access_revoked` when the person may not invoke the agent any more.
    pub(crate) async fn renew_invocation_token(
        &self,
        allowed: Allowed<actions::RunTokenRenew>,
    ) -> Result<String, Problem> {
        let run = allowed.id();
        let renewed = transact(&self.database, |unit| {
            work(async move {
                let held = self.hold_active(unit, run).await?;
                if !held.state.may_renew_token() {
                    return Err(Problem::conflict("the run is running: it needs no fresh token").into());
                }
                Ok(self.still_invoked(unit, &held).await?.then_some(held))
            })
        })
        .await?;
        match renewed {
            Some(run) => self.tokens.issue(&run).await,
            None => Err(access_revoked()),
        }
    }

    async fn question_is_over(&self, unit: &UnitOfWork, run: RunId) -> Result<bool, Problem> {
        let question = store::question::newest(unit, run).await?;
        Ok(question.is_some_and(|question| question.is_over(self.now())))
    }

    /// Whether the person may still instruct the agent; if not, the run is to end. A grant that
    /// expires is written nowhere, so each step that commits the agent asks anew (C31).
    async fn still_invoked(&self, unit: &UnitOfWork, run: &RunRow) -> Result<bool, Problem> {
        let thread = self.thread_of(unit, run).await?;
        let direct = self.place_of(unit, &thread).await?.is_direct();
        let rights = self.rights(Source::Unit(unit));
        let invoked = rights.invoke(run.triggered_by, run.agent, &thread, direct).await?.is_ok();
        if !invoked {
            // Held, so it is still in the state that is judged here.
            let _ = self.request_cancel(unit, run, CancelReason::AccessRevoked).await?;
        }
        Ok(invoked)
    }

    /// The token in the body of a start or a resumption: of this run, and fresh.
    async fn require_token(&self, allowed: &Allowed<actions::RunStart>, token: &str) -> Result<(), Problem> {
        let reader = self.database.reader().await.or_problem()?;
        let run = store::run::by_id(&reader, allowed.id()).await?.ok_or(Problem::new(ProblemCode::NotFound))?;
        let invalid = Problem::new(ProblemCode::InvocationTokenInvalid).with_reason("invalid");
        match self.tokens.verify_for(&reader, token, &run).await? {
            Ok(()) => Ok(()),
            Err(TokenRefused::Invalid) => Err(invalid),
            Err(TokenRefused::Expired) => {
                Err(invalid.with_detail("the token has expired; get a fresh one with renewInvocationToken"))
            }
        }
    }
}
