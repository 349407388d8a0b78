//! Operators: the agent in charge of a space, a channel or a thread.

use bothy_domain::action::Action;
use bothy_domain::actor::{Actor, PrincipalKind, PrincipalStatus};
use bothy_domain::ids::{AnyId, PrincipalId};
use bothy_domain::problem::Problem;
use bothy_storage::UnitOfWork;

use crate::Chat;

impl Chat {
    /// Refuses whoever is no active agent, all in the same words.
    pub(crate) async fn require_agent(&self, uow: &UnitOfWork, operator: Option<PrincipalId>) -> Result<(), Problem> {
        let Some(operator) = operator else { return Ok(()) };
        let known = self.identity.principals(uow, &[operator]).await?;
        let is_agent = known
            .iter()
            .any(|one| one.id == operator && one.kind == PrincipalKind::Agent && one.status == PrincipalStatus::Active);
        if is_agent { Ok(()) } else { Err(Problem::invalid("/agent_id", "must be an active agent")) }
    }

    /// Records who was put in charge.
    pub(crate) async fn record_operator(
        &self,
        uow: &UnitOfWork,
        actor: &Actor,
        action: Action,
        target: AnyId,
        operator: Option<PrincipalId>,
    ) -> Result<(), Problem> {
        let operator = operator.map_or_else(|| "none".to_owned(), |operator| operator.to_string());
        self.record(uow, actor, action, target, Some(("operator", operator))).await
    }
}
