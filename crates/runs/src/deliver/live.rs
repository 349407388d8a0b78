//! What reaches an agent over a connection that stays open: the same as by a poll.

use bothy_domain::event::EventKind;
use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::Problem;
use bothy_platform::authorize::Judge;
use bothy_platform::failure::OrProblem;

use super::envelope::is_for_run;
use super::told::Told;
use crate::Runs;
use crate::routes::AgentEventView;

impl Runs {
    /// Whether events of this kind concern one run, so that [`handed_over`](Self::handed_over) makes
    /// them.
    pub const fn concerns_a_run(kind: EventKind) -> bool {
        is_for_run(kind)
    }

    /// An event of the agent's own runs as it may be handed over now, with a fresh invocation token
    /// where one belongs to it; `None` when it may not.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn handed_over(&self, judge: &Judge, told: &Told) -> Result<Option<AgentEventView>, Problem> {
        Ok(self.envelopes(judge, &[told.event]).await?.pop().map(AgentEventView::from))
    }

    /// Up to where an agent has acknowledged its events.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn acknowledged(&self, agent: PrincipalId) -> Result<i64, Problem> {
        let reader = self.database.reader().await.or_problem()?;
        self.agents.cursor(&reader, agent).await
    }
}
