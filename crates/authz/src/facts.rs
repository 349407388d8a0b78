use std::sync::{Arc, OnceLock, Weak};

use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::ids::{ChannelId, GroupId, PrincipalId};
use bothy_domain::policy::{GrantTarget, Path};
use bothy_domain::problem::Problem;
use bothy_storage::{Reader, UnitOfWork};
use futures::future::BoxFuture;

use crate::Touched;

/// What a decision needs to know of a principal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrincipalFact {
    /// Which principal.
    pub id: PrincipalId,
    /// Its kind.
    pub kind: PrincipalKind,
    /// Its status.
    pub status: PrincipalStatus,
    /// Whether it is an owner of the instance.
    pub owner: bool,
    /// The groups that it is in.
    pub groups: Vec<GroupId>,
}

/// The agents that operate a channel or a space.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operators {
    /// The one that answers there (the channel's, otherwise that of its space). This alone gives it
    /// no right.
    pub answering: Option<PrincipalId>,
    /// Those that are fixed on threads of a channel, each once, with rights on those threads (AZ-4).
    pub fixed_on_threads: Vec<PrincipalId>,
}

/// Knows principals and groups (implemented by identity).
pub trait PrincipalFacts: Send + Sync {
    /// The facts of those of `ids` that exist, in no certain order.
    ///
    /// # Errors
    /// `unavailable` when the source fails.
    fn facts<'a>(
        &'a self,
        reader: &'a Reader,
        ids: &'a [PrincipalId],
    ) -> BoxFuture<'a, Result<Vec<PrincipalFact>, Problem>>;

    /// The members of a group; `None` when there is no such group.
    ///
    /// # Errors
    /// `unavailable` when the source fails.
    fn members<'a>(
        &'a self,
        reader: &'a Reader,
        group: GroupId,
    ) -> BoxFuture<'a, Result<Option<Vec<PrincipalId>>, Problem>>;

    /// The owners of the instance, in no certain order, whatever their status.
    ///
    /// # Errors
    /// `unavailable` when the source fails.
    fn owners<'a>(&'a self, reader: &'a Reader) -> BoxFuture<'a, Result<Vec<PrincipalId>, Problem>>;
}

/// Knows the tree of spaces and channels (implemented by chat).
pub trait TreeFacts: Send + Sync {
    /// The direct messages that a principal takes part in.
    ///
    /// # Errors
    /// `unavailable` when the source fails.
    fn directs_of<'a>(
        &'a self,
        reader: &'a Reader,
        principal: PrincipalId,
    ) -> BoxFuture<'a, Result<Vec<ChannelId>, Problem>>;

    /// The path of what a grant is given on; `None` when it does not exist.
    ///
    /// # Errors
    /// `unavailable` when the source fails.
    fn path_of<'a>(&'a self, reader: &'a Reader, target: GrantTarget) -> BoxFuture<'a, Result<Option<Path>, Problem>>;

    /// Which agents operate what a grant is given on.
    ///
    /// # Errors
    /// `unavailable` when the source fails.
    fn operators_of<'a>(&'a self, reader: &'a Reader, target: GrantTarget)
    -> BoxFuture<'a, Result<Operators, Problem>>;
}

/// Is told inside the unit of work that changes rights (implemented by runs, which asks the runs of
/// people who lost `agent.invoke` to stop).
pub trait RightsChanged: Send + Sync {
    /// The rights of these have just changed in this unit of work.
    ///
    /// # Errors
    /// Fails the change itself.
    fn rights_changed<'a>(&'a self, unit: &'a UnitOfWork, touched: &'a Touched) -> BoxFuture<'a, Result<(), Problem>>;
}

/// Where the wiring of the server connects the ports.
#[derive(Default)]
pub(crate) struct Ports {
    pub(crate) principals: OnceLock<Weak<dyn PrincipalFacts>>,
    pub(crate) tree: OnceLock<Weak<dyn TreeFacts>>,
    pub(crate) rights_changed: OnceLock<Weak<dyn RightsChanged>>,
}

impl Ports {
    pub(crate) fn principals(&self) -> Result<Arc<dyn PrincipalFacts>, Problem> {
        connected(&self.principals, "authz knows no principals")
    }

    pub(crate) fn tree(&self) -> Result<Arc<dyn TreeFacts>, Problem> {
        connected(&self.tree, "authz knows no tree")
    }

    /// Nobody needs to be told on an instance without runs, but whoever was connected must be.
    pub(crate) fn rights_changed(&self) -> Result<Option<Arc<dyn RightsChanged>>, Problem> {
        match self.rights_changed.get() {
            None => Ok(None),
            Some(_) => connected(&self.rights_changed, "the hook of changed rights is gone").map(Some),
        }
    }
}

pub(crate) fn connect<T: ?Sized>(port: &OnceLock<Weak<T>>, implementation: &Arc<T>) {
    if port.set(Arc::downgrade(implementation)).is_err() {
        tracing::error!("a port of authz was connected twice; the first connection counts");
    }
}

fn connected<T: ?Sized>(port: &OnceLock<Weak<T>>, missing: &'static str) -> Result<Arc<T>, Problem> {
    port.get().and_then(Weak::upgrade).ok_or_else(|| Problem::internal(missing))
}
