use crate::actor::{PrincipalKind, PrincipalStatus};
use crate::ids::kind::{Channel, Space};
use crate::ids::{ChannelId, PrincipalId, SpaceId};
use crate::policy::by_id::ById;
use crate::policy::course::Course;
use crate::policy::{Capabilities, Level, Path, Place, Rights};
use crate::time::Timestamp;

/// What a grant is given on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GrantTarget {
    /// Everything but direct messages.
    Instance,
    /// A space with all its channels.
    Space(SpaceId),
    /// One channel, and the space that it is in.
    Channel(SpaceId, ChannelId),
}

/// One grant that reaches a principal, directly or through a group. Revoked grants never get here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrantFact {
    /// What it is given on.
    pub target: GrantTarget,
    /// What it gives.
    pub rights: Rights,
    /// From when on it gives nothing any more.
    pub expires_at: Option<Timestamp>,
}

/// What a snapshot is made of, as loaded from the database at one rights version.
#[derive(Debug, Clone)]
pub struct SnapshotFacts {
    /// Whose rights these are.
    pub principal: PrincipalId,
    /// What kind of principal it is.
    pub kind: PrincipalKind,
    /// Its status.
    pub status: PrincipalStatus,
    /// Whether it is an owner *and* the variant lets ownership count.
    pub owner: bool,
    /// Its grants and those of its groups.
    pub grants: Vec<GrantFact>,
    /// The direct messages that it takes part in.
    pub directs: Vec<ChannelId>,
}

/// The rights of one principal at one rights version, laid out so that a decision needs neither
/// I/O nor allocation, and one look-up for each container on the path. Expiry is judged at each
/// decision, so a grant ends without any write (AZ-3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    principal: PrincipalId,
    kind: PrincipalKind,
    active: bool,
    owner: bool,
    instance: Course,
    spaces: ById<Space, Course>,
    channels: ById<Channel, InChannel>,
    /// What the channels of a space give together: whoever sees one of them sees the space.
    through_channels: ById<Space, Course>,
    directs: Box<[ChannelId]>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct InChannel {
    space: SpaceId,
    course: Course,
}

/// How a place looks to a principal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight {
    /// Whether it can be seen at all (AZ-6).
    pub(super) visible: bool,
    /// What may be done there.
    pub(super) rights: Rights,
}

impl Snapshot {
    /// Lays the facts out for look-up.
    pub fn new(facts: SnapshotFacts) -> Self {
        let mut instance = Vec::new();
        let mut spaces: ById<Space, Vec<&GrantFact>> = ById::default();
        let mut channels: ById<Channel, (SpaceId, Vec<&GrantFact>)> = ById::default();
        let mut through_channels: ById<Space, Vec<&GrantFact>> = ById::default();
        for grant in &facts.grants {
            match grant.target {
                GrantTarget::Instance => instance.push(grant),
                GrantTarget::Space(space) => spaces.entry(space).or_default().push(grant),
                GrantTarget::Channel(space, channel) => {
                    channels.entry(channel).or_insert_with(|| (space, Vec::new())).1.push(grant);
                    through_channels.entry(space).or_default().push(grant);
                }
            }
        }
        let in_channel = |(space, grants): (SpaceId, Vec<_>)| InChannel { space, course: Course::of(grants) };
        let mut directs = facts.directs;
        directs.sort_unstable();
        directs.dedup();
        Self {
            principal: facts.principal,
            kind: facts.kind,
            active: facts.status == PrincipalStatus::Active,
            owner: facts.owner,
            instance: Course::of(instance),
            spaces: spaces.into_iter().map(|(space, grants)| (space, Course::of(grants))).collect(),
            channels: channels.into_iter().map(|(channel, granted)| (channel, in_channel(granted))).collect(),
            through_channels: through_channels.into_iter().map(|(space, grants)| (space, Course::of(grants))).collect(),
            directs: directs.into(),
        }
    }

    /// Whose rights these are.
    pub const fn principal(&self) -> PrincipalId {
        self.principal
    }

    /// What kind of principal it is.
    pub const fn kind(&self) -> PrincipalKind {
        self.kind
    }

    /// Whether the principal is active; everybody else has no rights (AZ-3).
    pub const fn is_active(&self) -> bool {
        self.active
    }

    /// Whether ownership counts in this snapshot.
    pub const fn is_owner(&self) -> bool {
        self.owner && self.active
    }

    /// Level and capabilities on a path at a time (AZ-2 to AZ-5). Pathless places give nothing.
    pub fn rights_on(&self, path: &Path, now: Timestamp) -> Rights {
        if !self.active {
            return Rights::NONE;
        }
        let mut rights = match path.place {
            Place::Pathless | Place::Private(_) => Rights::NONE,
            Place::Direct(channel) => {
                if self.takes_part_in(channel) {
                    Rights { level: Level::Write, capabilities: Capabilities::NONE }
                } else {
                    Rights::NONE
                }
            }
            _ if self.owner => Rights::ALL,
            Place::Instance => self.instance.at(now),
            Place::Space(space) => self.instance.at(now).union(self.space_rights(space, now)),
            Place::Channel(space, channel) => {
                let on_channel = self.channels.get(&channel).map_or(Rights::NONE, |granted| granted.course.at(now));
                self.instance.at(now).union(self.space_rights(space, now)).union(on_channel)
            }
        };
        if path.thread_operator == Some(self.principal) {
            rights.level = rights.level.max(Level::Write);
        }
        if path.archived {
            rights = rights.capped_by_archive();
        }
        rights
    }

    /// Whether a place can be seen (AZ-6). A space can also be seen by whoever sees one of its
    /// channels, so that the channel can be reached.
    pub fn sees(&self, path: &Path, now: Timestamp) -> bool {
        self.sight(path, now).visible
    }

    /// What [`sees`](Self::sees) and [`rights_on`](Self::rights_on) say, worked out once.
    pub(super) fn sight(&self, path: &Path, now: Timestamp) -> Sight {
        let rights = self.rights_on(path, now);
        let visible = match path.place {
            Place::Pathless | Place::Instance => self.active,
            Place::Private(owner) => self.active && owner == self.principal,
            Place::Space(space) => rights.level >= Level::Read || (self.active && self.sees_a_channel_of(space, now)),
            Place::Channel(..) | Place::Direct(_) => rights.level >= Level::Read,
        };
        Sight { visible, rights }
    }

    /// Whether the principal takes part in a direct message.
    pub fn takes_part_in(&self, channel: ChannelId) -> bool {
        self.directs.binary_search(&channel).is_ok()
    }

    pub(super) fn directs(&self) -> &[ChannelId] {
        &self.directs
    }

    pub(super) fn live_spaces(&self, least: Level, now: Timestamp) -> impl Iterator<Item = SpaceId> {
        self.spaces.iter().filter(move |(_, course)| course.at(now).level >= least).map(|(space, _)| *space)
    }

    pub(super) fn live_channels(&self, least: Level, now: Timestamp) -> impl Iterator<Item = (SpaceId, ChannelId)> {
        self.channels
            .iter()
            .filter(move |(_, granted)| granted.course.at(now).level >= least)
            .map(|(channel, granted)| (granted.space, *channel))
    }

    pub(super) fn instance_rights(&self, now: Timestamp) -> Rights {
        self.instance.at(now)
    }

    fn space_rights(&self, space: SpaceId, now: Timestamp) -> Rights {
        self.spaces.get(&space).map_or(Rights::NONE, |course| course.at(now))
    }

    fn sees_a_channel_of(&self, space: SpaceId, now: Timestamp) -> bool {
        self.through_channels.get(&space).is_some_and(|course| course.at(now).level >= Level::Read)
    }
}
