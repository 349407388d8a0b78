//! Whom an agent admits in direct messages, by its `dm_policy` (chapter 06 section 1 point 3): one
//! function for opening one and for instructing the agent in it.

use bothy_agents::DmPolicy;
use bothy_chat::DirectAdmission;
use bothy_domain::ids::PrincipalId;
use bothy_domain::problem::Problem;
use bothy_storage::{Reader, UnitOfWork};
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::Runs;

impl DirectAdmission for Runs {
    fn admits<'a>(
        &'a self,
        uow: &'a UnitOfWork,
        agent: PrincipalId,
        opener: PrincipalId,
    ) -> BoxFuture<'a, Result<bool, Problem>> {
        self.admits_in_direct(uow, agent, opener).boxed()
    }
}

impl Runs {
    /// Whether the agent admits somebody. Its triggerers are the people who may instruct it in a
    /// channel somewhere, at this moment; another agent is never one of them.
    pub(crate) async fn admits_in_direct(
        &self,
        reader: &Reader,
        agent: PrincipalId,
        somebody: PrincipalId,
    ) -> Result<bool, Problem> {
        match self.agents.dm_policy(reader, agent).await? {
            Some(DmPolicy::Everyone) => Ok(true),
            Some(DmPolicy::Triggerers) => self.authz.triggers_somewhere(reader, somebody, agent).await,
            Some(DmPolicy::Nobody) | None => Ok(false),
        }
    }
}
