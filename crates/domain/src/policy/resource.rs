use crate::action::ResourceKind;
use crate::ids::{AnyId, ChannelId, PrincipalId, SpaceId, ThreadId};

/// Where a resource stands in the tree (AZ-2), as far as a decision needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Not in the channel tree (people, agents, oneself): no level applies.
    Pathless,
    /// Belongs to one principal and is invisible to everybody else (login sessions, tokens).
    Private(PrincipalId),
    /// The instance itself. Everybody knows that it exists.
    Instance,
    /// A space.
    Space(SpaceId),
    /// A channel of a space.
    Channel(SpaceId, ChannelId),
    /// A direct message channel; grants play no part in it.
    Direct(ChannelId),
}

/// The path of a target: message or run, thread, channel, space, instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path {
    /// The innermost container that rights are given on.
    pub place: Place,
    /// Whether the channel or its space is archived (AZ-5).
    pub archived: bool,
    /// The thread, for threads and what is in them.
    pub thread: Option<ThreadId>,
    /// The operator that is fixed on the thread (AZ-4).
    pub thread_operator: Option<PrincipalId>,
}

impl Path {
    /// The path of what stands outside the channel tree.
    pub const PATHLESS: Self = Self::of(Place::Pathless);

    /// A path that ends at a container and is not archived.
    pub const fn of(place: Place) -> Self {
        Self { place, archived: false, thread: None, thread_operator: None }
    }

    /// The channel on the path, if it reaches one.
    pub const fn channel(&self) -> Option<ChannelId> {
        match self.place {
            Place::Channel(_, channel) | Place::Direct(channel) => Some(channel),
            _ => None,
        }
    }
}

/// A target that exists, with what decisions need of its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resource {
    /// What it is.
    pub kind: ResourceKind,
    /// Its id.
    pub id: AnyId,
    /// Where it stands.
    pub path: Path,
    /// Who wrote or opened it, for messages and threads.
    pub author: Option<PrincipalId>,
    /// The agent of a run, or the agent itself.
    pub agent: Option<PrincipalId>,
    /// The triggering person of a run.
    pub triggered_by: Option<PrincipalId>,
}

impl Resource {
    /// A resource of which only kind, id and path matter.
    pub const fn new(kind: ResourceKind, id: AnyId, path: Path) -> Self {
        Self { kind, id, path, author: None, agent: None, triggered_by: None }
    }
}
