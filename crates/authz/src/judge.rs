use std::sync::Arc;

use bothy_domain::actor::{ActingFor, Actor, PrincipalKind};
use bothy_domain::policy::Snapshot;
use bothy_domain::problem::Problem;
use bothy_platform::authorize::{Authorizer, Judge};
use bothy_storage::Reader;
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
}

impl Authz {
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
