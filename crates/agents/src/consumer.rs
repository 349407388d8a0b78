//! Where an agent reads in the event log (chapter 05 section 5).

use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::Problem;
use bothy_storage::{Reader, UnitOfWork};

use crate::{Agents, store};

impl Agents {
    /// Up to which position the agent has acknowledged.
    ///
    /// # Errors
    /// `unavailable` when the database fails, `internal_error` for a principal that is no agent.
    pub async fn cursor(&self, reader: &Reader, agent: PrincipalId) -> Result<i64, Problem> {
        store::consumer::cursor(reader, agent).await?.ok_or_else(no_consumer)
    }

    /// Moves the agent's reading position on and says where it was. It never moves back, and two
    /// acknowledgements at once run one after the other.
    ///
    /// # Errors
    /// `unavailable` when the database fails, `internal_error` for a principal that is no agent.
    pub async fn advance(&self, unit: &UnitOfWork, agent: PrincipalId, cursor: i64) -> Result<i64, Problem> {
        let before = store::consumer::lock(unit, agent, self.now()).await?.ok_or_else(no_consumer)?;
        store::consumer::advance(unit, agent, cursor).await?;
        Ok(before)
    }

    /// Notes that the agent showed up now.
    ///
    /// # Errors
    /// `unavailable` when the database fails.
    pub async fn seen(&self, unit: &UnitOfWork, agent: PrincipalId) -> Result<(), Problem> {
        store::consumer::seen(unit, agent, self.now()).await
    }
}

fn no_consumer() -> Problem {
    Problem::internal("an agent has no consumer")
}
