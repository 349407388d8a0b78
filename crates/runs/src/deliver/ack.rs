use bothy_domain::action::actions;
use bothy_domain::event::{Event, EventKind};
use bothy_domain::ids::PrincipalId;
use bothy_domain::policy::Scope;
use bothy_domain::problem::Problem;
use bothy_domain::run::FollowUpChange;
use bothy_platform::events::AudienceFilter;
use bothy_platform::failure::{OrProblem, transact};
use bothy_platform::http::Allowed;
use bothy_storage::{UnitOfWork, work};

use crate::{Runs, store};

/// How many events are looked at in one read; a consumer that was far behind takes several.
const BATCH: u32 = 500;

impl Runs {
    /// The agent has dealt with everything up to a position. The follow-ups among it have reached
    /// the agent now, and not before (C71).
    ///
    /// Returns the position of the consumer, which is later than `cursor` when somebody acknowledged
    /// more already: it never moves back.
    ///
    /// # Errors
    /// `validation_failed` for a position that does not exist yet.
    pub(crate) async fn ack_agent_events(
        &self,
        allowed: Allowed<actions::AgentEventsConsume>,
        cursor: i64,
    ) -> Result<i64, Problem> {
        let agent = allowed.actor().principal;
        transact(&self.database, |unit| {
            work(async move {
                if cursor < 0 || cursor > self.events.head(unit).await? {
                    return Err(Problem::invalid("/cursor", "lies beyond the end of the event log").into());
                }
                let before = self.agents.advance(unit, agent, cursor).await?;
                self.acknowledge(unit, agent, before, cursor).await?;
                Ok(before.max(cursor))
            })
        })
        .await
    }

    async fn acknowledge(
        &self,
        unit: &UnitOfWork,
        agent: PrincipalId,
        before: i64,
        cursor: i64,
    ) -> Result<(), Problem> {
        let own = Scope::default();
        let filter = AudienceFilter { principal: agent, scope: &own };
        let mut after = before;
        while after < cursor {
            let page = self.events.read_for(unit, after, BATCH, filter).await.or_problem()?;
            for event in page.events.iter().filter(|event| event.position <= cursor) {
                self.acknowledge_one(unit, event).await?;
            }
            if !page.more {
                return Ok(());
            }
            after = page.cursor;
        }
        Ok(())
    }

    async fn acknowledge_one(&self, unit: &UnitOfWork, event: &Event) -> Result<(), Problem> {
        let (EventKind::AgentFollowup | EventKind::RunInputReceived, Some(run), Some(message)) =
            (event.event.kind, event.event.run, event.event.message)
        else {
            return Ok(());
        };
        let Some(follow_up) = store::follow_up::one(unit, run, message).await? else {
            return Ok(());
        };
        // One that belongs to a later run stays there; that run has its own event.
        if let Ok(state) = follow_up.state.apply(FollowUpChange::Acknowledge) {
            store::follow_up::change(unit, run, message, follow_up.state, state).await?;
        }
        Ok(())
    }
}
