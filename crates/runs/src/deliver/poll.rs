use std::time::Duration;

use bothy_domain::action::{Action, actions};
use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_platform::audit::{Checkpoint, newest_checkpoint};
use bothy_platform::authorize::Judge;
use bothy_platform::events::AudienceFilter;
use bothy_platform::failure::OrProblem;
use bothy_platform::http::Allowed;
use bothy_platform::instance::rights_version;
use futures::future::{Either, select};

use super::Envelope;
use crate::Runs;

/// What a poll brings.
#[derive(Debug)]
pub(crate) struct Polled {
    /// The events, in order.
    pub(crate) events: Vec<Envelope>,
    /// Up to where the log was looked at: acknowledging this acknowledges everything before, also
    /// what was not for the agent.
    pub(crate) cursor: i64,
    /// Whether events were removed that the agent had not acknowledged.
    pub(crate) missed: bool,
    /// The newest checkpoint of the audit log: whoever keeps it is a witness.
    pub(crate) checkpoint: Option<Checkpoint>,
}

/// A stretch of the log that was looked at.
struct Batch {
    events: Vec<Envelope>,
    cursor: i64,
    more: bool,
    /// Whether events were removed after the cursor that the batch began at.
    cut: bool,
}

impl Runs {
    /// The events after a cursor, or after what was acknowledged; waits for one at most `wait`, and
    /// never longer than `agent.poll_max_wait`.
    ///
    /// Nothing is held while it waits: no connection, no right. At every wake-up the caller is
    /// authenticated anew, so a revoked token or a disabled agent ends the poll at once, and what is
    /// delivered then is judged by the rights of then.
    ///
    /// # Errors
    /// `validation_failed` for a cursor beyond the end of the log, `cursor_expired` for one that is
    /// older than the log; `unauthenticated` when the credential ends while it waits.
    pub(crate) async fn poll_agent_events(
        &self,
        allowed: Allowed<actions::AgentEventsConsume>,
        cursor: Option<i64>,
        wait: Duration,
    ) -> Result<Polled, Problem> {
        let deadline = self.now().plus(wait.min(self.settings.poll_max_wait));
        // Subscribed before anything is read, so that no event falls in between.
        let mut wake_ups = self.events.subscribe();
        let mut judge = allowed.judge().clone();
        let named = cursor.is_some();
        let mut cursor = self.poll_from(judge.actor().principal, cursor).await?;
        let mut missed = false;
        loop {
            wake_ups.mark_unchanged();
            let Some(batch) = self.batch(&judge, cursor).await? else {
                judge = self.judge_again(&judge).await?;
                continue;
            };
            // A consumer whose cursor the server keeps goes on behind the gap: it could name no other.
            if batch.cut && named {
                return Err(Problem::new(ProblemCode::CursorExpired));
            }
            missed |= batch.cut;
            cursor = batch.cursor;
            if !batch.events.is_empty() {
                return self.polled(batch.events, cursor, missed).await;
            }
            if batch.more {
                continue;
            }
            if self.now() >= deadline {
                return self.polled(Vec::new(), cursor, missed).await;
            }
            match select(Box::pin(wake_ups.changed()), self.clock.sleep_until(deadline)).await {
                Either::Left((Ok(()), _)) | Either::Right(_) => {}
                Either::Left((Err(_), _)) => return Err(Problem::unavailable("the event log was closed")),
            }
            judge = self.judge_again(&judge).await?;
        }
    }

    async fn polled(&self, events: Vec<Envelope>, cursor: i64, missed: bool) -> Result<Polled, Problem> {
        let reader = self.database.reader().await.or_problem()?;
        Ok(Polled { events, cursor, missed, checkpoint: newest_checkpoint(&reader).await.or_problem()? })
    }

    /// Where a poll begins. What was acknowledged is never delivered again.
    async fn poll_from(&self, agent: PrincipalId, cursor: Option<i64>) -> Result<i64, Problem> {
        let reader = self.database.reader().await.or_problem()?;
        let acknowledged = self.agents.cursor(&reader, agent).await?;
        let Some(cursor) = cursor else {
            return Ok(acknowledged);
        };
        if cursor > self.events.head(&reader).await.or_problem()? {
            return Err(Problem::invalid("/query/cursor", "lies beyond the end of the event log"));
        }
        Ok(cursor.max(acknowledged))
    }

    /// The credential and the rights of the caller as they are now.
    async fn judge_again(&self, judge: &Judge) -> Result<Judge, Problem> {
        let reader = self.database.reader().await.or_problem()?;
        let actor = self.identity.recheck(&reader, judge.actor()).await?;
        self.authorizer().judge(&reader, &actor).await
    }

    /// What stands after a position; `None` when rights have moved since the judge was made: what was
    /// written after a right was lost must not be judged by the right (C84).
    async fn batch(&self, judge: &Judge, cursor: i64) -> Result<Option<Batch>, Problem> {
        let scope =
            judge.delivery_scope(Action::MessageRead).map_err(|_| Problem::new(ProblemCode::Unauthenticated))?;
        let filter = AudienceFilter { principal: judge.actor().principal, scope: &scope };
        let limit = u32::try_from(self.settings.poll_batch).unwrap_or(u32::MAX);
        let (page, floor) = {
            let reader = self.database.reader().await.or_problem()?;
            let page = self.events.read_for(&reader, cursor, limit, filter).await.or_problem()?;
            let (floor, version) = futures::join!(self.events.floor(&reader), rights_version(&reader));
            if version.or_problem()? != judge.actor().rights_version {
                return Ok(None);
            }
            (page, floor.or_problem()?)
        };
        let events = self.envelopes(judge, &page.events).await?;
        Ok(Some(Batch { events, cursor: page.cursor, more: page.more, cut: cursor < floor }))
    }
}
