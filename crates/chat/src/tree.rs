//! How others find their way in the tree: rows behind ids, paths, direct messages.

use bothy_authz::{Operators, TreeFacts};
use bothy_domain::action::ResourceKind;
use bothy_domain::ids::{AnyId, ChannelId, PrincipalId};
use bothy_domain::policy::{GrantTarget, Path, Place, Resource};
use bothy_domain::problem::Problem;
use bothy_platform::authorize::Locate;
use bothy_platform::failure::OrProblem;
use bothy_storage::Reader;
use futures::future::BoxFuture;

use crate::Chat;
use crate::store::{channels, directs, spaces, threads};

impl Locate for Chat {
    fn locate<'a>(
        &'a self,
        reader: &'a Reader,
        kind: ResourceKind,
        id: AnyId,
    ) -> BoxFuture<'a, Result<Option<Resource>, Problem>> {
        Box::pin(async move {
            match kind {
                ResourceKind::Instance => {
                    Ok((id == self.instance.cast()).then(|| Resource::new(kind, id, Path::of(Place::Instance))))
                }
                ResourceKind::Space => {
                    let archived = spaces::archived(reader, id.cast()).await.or_problem()?;
                    Ok(archived.map(|archived| {
                        let mut path = Path::of(Place::Space(id.cast()));
                        path.archived = archived;
                        Resource::new(kind, id, path)
                    }))
                }
                ResourceKind::Channel => {
                    let path = channels::path(reader, id.cast()).await.or_problem()?;
                    Ok(path.map(|path| Resource::new(kind, id, path)))
                }
                ResourceKind::Thread => {
                    let found = threads::path(reader, id.cast()).await.or_problem()?;
                    Ok(found.map(|(path, created_by)| {
                        let mut resource = Resource::new(kind, id, path);
                        resource.author = Some(created_by);
                        resource
                    }))
                }
                other => Err(Problem::internal(format!("chat does not find {}", other.as_str()))),
            }
        })
    }
}

impl TreeFacts for Chat {
    fn directs_of<'a>(
        &'a self,
        reader: &'a Reader,
        principal: PrincipalId,
    ) -> BoxFuture<'a, Result<Vec<ChannelId>, Problem>> {
        Box::pin(async move { directs::of_principal(reader, principal).await.or_problem() })
    }

    fn path_of<'a>(&'a self, reader: &'a Reader, target: GrantTarget) -> BoxFuture<'a, Result<Option<Path>, Problem>> {
        Box::pin(async move {
            let (kind, id): (_, AnyId) = match target {
                GrantTarget::Instance => return Ok(Some(Path::of(Place::Instance))),
                GrantTarget::Space(space) => (ResourceKind::Space, space.cast()),
                GrantTarget::Channel(_, channel) => (ResourceKind::Channel, channel.cast()),
            };
            Ok(self.locate(reader, kind, id).await?.map(|found| found.path))
        })
    }

    fn operators_of<'a>(
        &'a self,
        reader: &'a Reader,
        target: GrantTarget,
    ) -> BoxFuture<'a, Result<Operators, Problem>> {
        Box::pin(async move {
            match target {
                GrantTarget::Instance => Ok(Operators::default()),
                GrantTarget::Space(space) => {
                    let space = spaces::by_id(reader, space).await.or_problem()?;
                    let answering = space.and_then(|space| space.operator);
                    Ok(Operators { answering, fixed_on_threads: Vec::new() })
                }
                GrantTarget::Channel(_, id) => {
                    let (channel, fixed_on_threads) =
                        futures::try_join!(channels::by_id(reader, id), threads::fixed_operators(reader, id))
                            .or_problem()?;
                    Ok(Operators { answering: channel.and_then(|channel| channel.operator), fixed_on_threads })
                }
            }
        })
    }
}
