//! What stands behind the id of an agent or an app.

use bothy_domain::action::ResourceKind;
use bothy_domain::ids::{AnyId, PrincipalId};
use bothy_domain::policy::{Path, Resource};
use bothy_domain::problem::Problem;
use bothy_platform::authorize::Locate;
use bothy_storage::Reader;
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::{Agents, store};

impl Locate for Agents {
    fn locate<'a>(
        &'a self,
        reader: &'a Reader,
        kind: ResourceKind,
        id: AnyId,
    ) -> BoxFuture<'a, Result<Option<Resource>, Problem>> {
        async move {
            let principal: PrincipalId = id.cast();
            let found = match kind {
                ResourceKind::Agent => store::account::dm_policy(reader, principal).await?.is_some(),
                ResourceKind::App => store::account::app(reader, principal).await?.is_some(),
                _ => return Err(Problem::internal(format!("agents cannot locate {}", kind.as_str()))),
            };
            Ok(found.then(|| Resource { agent: Some(principal), ..Resource::new(kind, id, Path::PATHLESS) }))
        }
        .boxed()
    }
}
