use bothy_domain::action::ResourceKind;
use bothy_domain::actor::PrincipalKind;
use bothy_domain::ids::{AnyId, PrincipalId};
use bothy_domain::policy::{Path, Place, Resource};
use bothy_domain::problem::Problem;
use bothy_platform::authorize::Locate;
use bothy_platform::failure::OrProblem;
use bothy_storage::Reader;
use futures::future::BoxFuture;

use crate::Identity;
use crate::store::{groups, principals, sessions, tokens};

/// Finds people, groups, sessions and personal tokens. Sessions and tokens are private: to anybody
/// but their person they are not there.
impl Locate for Identity {
    fn locate<'a>(
        &'a self,
        reader: &'a Reader,
        kind: ResourceKind,
        id: AnyId,
    ) -> BoxFuture<'a, Result<Option<Resource>, Problem>> {
        Box::pin(async move {
            let path = match kind {
                ResourceKind::Person => self.person_path(reader, id.cast()).await?,
                ResourceKind::Group => groups::group(reader, id.cast()).await.or_problem()?.map(|_| Path::PATHLESS),
                ResourceKind::LoginSession => {
                    let session = sessions::live(reader, id.cast(), self.parts.clock.now()).await.or_problem()?;
                    session.map(|session| private(session.person))
                }
                ResourceKind::Token => tokens::owner_of_personal(reader, id.cast()).await.or_problem()?.map(private),
                _ => return Err(Problem::internal("identity locates no such kind")),
            };
            Ok(path.map(|path| Resource::new(kind, id, path)))
        })
    }
}

impl Identity {
    async fn person_path(&self, reader: &Reader, id: PrincipalId) -> Result<Option<Path>, Problem> {
        let found = principals::principals(reader, &[id]).await.or_problem()?;
        let person = found.iter().any(|principal| principal.kind == PrincipalKind::Person);
        Ok(person.then_some(Path::PATHLESS))
    }
}

const fn private(person: PrincipalId) -> Path {
    Path::of(Place::Private(person))
}
