use bothy_domain::action::ResourceKind;
use bothy_domain::ids::AnyId;
use bothy_domain::policy::{GrantTarget, Place, Resource};
use bothy_domain::problem::Problem;
use bothy_platform::authorize::Locate;
use bothy_platform::failure::OrProblem;
use bothy_storage::Reader;
use futures::future::BoxFuture;

use crate::{Authz, store};

/// Finds grants. A grant stands where its target stands; one that was taken back is not there.
impl Locate for Authz {
    fn locate<'a>(
        &'a self,
        reader: &'a Reader,
        kind: ResourceKind,
        id: AnyId,
    ) -> BoxFuture<'a, Result<Option<Resource>, Problem>> {
        Box::pin(async move {
            if kind != ResourceKind::Grant {
                return Err(Problem::internal("authz locates grants only"));
            }
            let Some(target) = store::target_of_grant(reader, id.cast()).await.or_problem()? else {
                return Ok(None);
            };
            let path = self.ports.tree()?.path_of(reader, target).await?;
            Ok(path.map(|path| Resource::new(kind, id, path)))
        })
    }
}

pub(crate) const fn place(target: GrantTarget) -> Place {
    match target {
        GrantTarget::Instance => Place::Instance,
        GrantTarget::Space(space) => Place::Space(space),
        GrantTarget::Channel(space, channel) => Place::Channel(space, channel),
    }
}
