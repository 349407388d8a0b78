use std::sync::Arc;

use bothy_domain::actor::{ActingFor, Actor, PrincipalKind};
use bothy_domain::policy::Snapshot;
use bothy_domain::problem::Problem;
use bothy_platform::authorize::{Authorizer, Judge};
use bothy_platform::failure::OrProblem;
use bothy_platform::instance::hold_rights;
use bothy_storage::{Reader, UnitOfWork};
use futures::future::BoxFuture;

use crate::Authz;

impl Authorizer for Authz {
    fn judge<'a>(&'a self, reader: &'a Reader, actor: &'a Actor) -> BoxFuture<'a, Result<Judge, Problem>> {
        Box::pin(async move {
            let version = actor.rights_version;
            let own = self.snapshot_at(reader, version, actor.principal, actor.ownership_counts()).await?;
            let person = self.acting_for(reader, actor).await?;
            Ok(Judge::new(*actor, own, person, self.parts.clock.now()))
        })
    }

    fn judge_again<'a>(
        &'a self,
        unit: &'a UnitOfWork,
        actor: &'a Actor,
    ) -> BoxFuture<'a, Result<Option<Judge>, Problem>> {
        Box::pin(self.judge_in(unit, actor))
    }
}

impl Authz {
    async fn judge_in(&self, unit: &UnitOfWork, actor: &Actor) -> Result<Option<Judge>, Problem> {
        hold_rights(unit).await.or_problem()?;
        if self.rights_version(unit).await? == actor.rights_version {
            return Ok(None);
        }
        let own = self.snapshot_in(unit, actor.principal, actor.ownership_counts()).await?;
        let person = match actor.acting_for.binding() {
            Some(binding) => Some(self.snapshot_in(unit, binding.person, true).await?),
            None => None,
        };
        let person = person.filter(|person| person.kind() == PrincipalKind::Person);
        Ok(Some(Judge::new(*actor, own, person, self.parts.clock.now())))
    }

    /// The rights of the person that a bound agent works for (AF-10): ownership counts although
    /// there is no session. Whoever is no person lends no rights.
    async fn acting_for(&self, reader: &Reader, actor: &Actor) -> Result<Option<Arc<Snapshot>>, Problem> {
        let ActingFor::Bound(binding) = &actor.acting_for else {
            return Ok(None);
        };
        let person = self.snapshot_at(reader, actor.rights_version, binding.person, true).await?;
        Ok(Some(person).filter(|person| person.kind() == PrincipalKind::Person))
    }
}
