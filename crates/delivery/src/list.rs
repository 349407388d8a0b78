//! The events since a cursor, for people, agents and apps (`listEvents`).

use std::time::Duration;

use bothy_domain::action::actions::MessageRead;
use bothy_domain::event::EventKind;
use bothy_domain::policy::{Mode, Scope};
use bothy_domain::problem::Problem;
use bothy_platform::authorize::Judge;
use bothy_platform::events::AudienceFilter;
use bothy_platform::failure::OrProblem;
use bothy_platform::http::Allowed;
use bothy_platform::instance::rights_version;
use bothy_runs::Told;
use futures::future::{Either, select};

use crate::{Delivery, cursor};

/// Which events.
#[derive(Debug, Clone)]
pub(crate) struct EventList {
    pub(crate) cursor: Option<String>,
    pub(crate) limit: u32,
    pub(crate) wait: Duration,
}

/// Events, and where to go on.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) events: Vec<Told>,
    pub(crate) cursor: i64,
    pub(crate) more: bool,
}

impl Delivery {
    /// The events after a cursor that the caller may be told now; those of an agent inside of a run are
    /// cut with the rights of its person, as every list is (AF-14). Waits for one at most `wait`, and
    /// never longer than `events.max_wait`.
    ///
    /// Nothing is held while it waits. At every wake-up the request is let in anew, so a session, a
    /// token, a run or a right that ends ends it at once or narrows what it answers.
    ///
    /// # Errors
    /// `validation_failed` for what is no cursor, `cursor_expired` for one that is older than the log,
    /// `unauthenticated` when the credential ends while it waits.
    pub(crate) async fn list_events(&self, allowed: &Allowed<MessageRead>, list: EventList) -> Result<Found, Problem> {
        let deadline = self.now().plus(list.wait.min(self.parts.config.events.max_wait.get()));
        // Subscribed before anything is read, so that no event falls in between.
        let mut wake_ups = self.parts.events.subscribe();
        let mut judge = allowed.judge().clone();
        let mut after = self.begin(list.cursor.as_deref()).await?;
        loop {
            wake_ups.mark_unchanged();
            let scope = allowed.scope_again::<MessageRead>(&judge)?;
            let Some(found) = self.after(&judge, &scope, after, list.limit).await? else {
                judge = allowed.judged_again().await?;
                continue;
            };
            after = found.cursor;
            if !found.events.is_empty() || (!found.more && self.now() >= deadline) {
                return Ok(found);
            }
            if found.more {
                continue;
            }
            match select(Box::pin(wake_ups.changed()), self.parts.clock.sleep_until(deadline)).await {
                Either::Left((Ok(()), _)) | Either::Right(_) => {}
                Either::Left((Err(_), _)) => return Err(Problem::unavailable("the event log was closed")),
            }
            judge = allowed.judged_again().await?;
        }
    }

    /// Where reading begins.
    ///
    /// # Errors
    /// As [`cursor::begin`].
    pub(crate) async fn begin(&self, cursor: Option<&str>) -> Result<i64, Problem> {
        let reader = self.parts.database.reader().await.or_problem()?;
        let floor = self.parts.events.floor(&reader).await.or_problem()?;
        let head = self.parts.events.head(&reader).await.or_problem()?;
        cursor::begin(cursor, head, floor)
    }

    /// The events after a position; `None` when rights have moved since the judge was made: what was
    /// written after a right was lost must not be judged by the right.
    async fn after(&self, judge: &Judge, scope: &Scope, after: i64, limit: u32) -> Result<Option<Found>, Problem> {
        let filter = AudienceFilter { principal: judge.actor().principal, scope };
        let reader = self.parts.database.reader().await.or_problem()?;
        let page = self.parts.events.read_for(&reader, after, limit, filter).await.or_problem()?;
        let (floor, version) = futures::join!(self.parts.events.floor(&reader), rights_version(&reader));
        if after < floor.or_problem()? {
            return Err(cursor::expired());
        }
        if version.or_problem()? != judge.actor().rights_version {
            return Ok(None);
        }
        let mut events = self.parts.runs.told(&reader, &page.events).await?;
        events.retain(|told| is_kept(told.event.event.kind) && told.ground.allows(judge, Mode::Filter));
        Ok(Some(Found { events, cursor: page.cursor, more: page.more }))
    }
}

/// Whether an event still says something to whoever was away when it was written.
pub(crate) const fn is_kept(kind: EventKind) -> bool {
    !matches!(kind, EventKind::TypingStarted | EventKind::PresenceUpdated)
}
