use crate::actor::{PrincipalKind, PrincipalStatus};
use crate::ids::{ChannelId, PrincipalId, SpaceId};
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

impl GrantFact {
    fn live(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|expires| expires > now)
    }
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
/// I/O nor allocation. Expiry is judged at each decision, so a grant ends without any write (AZ-3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    principal: PrincipalId,
    kind: PrincipalKind,
    active: bool,
    owner: bool,
    instance: Box<[GrantFact]>,
    spaces: Box<[(SpaceId, GrantFact)]>,
    channels: Box<[(ChannelId, GrantFact)]>,
    channels_by_space: Box<[(SpaceId, GrantFact)]>,
    directs: Box<[ChannelId]>,
}

impl Snapshot {
    /// Lays the facts out for look-up.
    pub fn new(facts: SnapshotFacts) -> Self {
        let mut instance = Vec::new();
        let mut spaces = Vec::new();
        let mut channels = Vec::new();
        let mut channels_by_space = Vec::new();
        for grant in facts.grants {
            match grant.target {
                GrantTarget::Instance => instance.push(grant),
                GrantTarget::Space(space) => spaces.push((space, grant)),
                GrantTarget::Channel(space, channel) => {
                    channels.push((channel, grant));
                    channels_by_space.push((space, grant));
                }
            }
        }
        spaces.sort_by_key(|(space, _)| *space);
        channels.sort_by_key(|(channel, _)| *channel);
        channels_by_space.sort_by_key(|(space, _)| *space);
        let mut directs = facts.directs;
        directs.sort_unstable();
        directs.dedup();
        Self {
            principal: facts.principal,
            kind: facts.kind,
            active: facts.status == PrincipalStatus::Active,
            owner: facts.owner,
            instance: instance.into(),
            spaces: spaces.into(),
            channels: channels.into(),
            channels_by_space: channels_by_space.into(),
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
            Place::Instance => self.instance_rights(now),
            Place::Space(space) => self.instance_rights(now).union(self.space_rights(space, now)),
            Place::Channel(space, channel) => self
                .instance_rights(now)
                .union(self.space_rights(space, now))
                .union(live_union(&self.channels, channel, now)),
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
        match path.place {
            Place::Pathless | Place::Instance => self.active,
            Place::Private(owner) => self.active && owner == self.principal,
            Place::Space(space) => {
                self.rights_on(path, now).level >= Level::Read
                    || (self.active
                        && range(&self.channels_by_space, space)
                            .iter()
                            .any(|(_, grant)| grant.live(now) && grant.rights.level >= Level::Read))
            }
            Place::Channel(..) | Place::Direct(_) => self.rights_on(path, now).level >= Level::Read,
        }
    }

    /// Whether the principal takes part in a direct message.
    pub fn takes_part_in(&self, channel: ChannelId) -> bool {
        self.directs.binary_search(&channel).is_ok()
    }

    pub(super) fn directs(&self) -> &[ChannelId] {
        &self.directs
    }

    pub(super) fn live_spaces(&self, least: Level, now: Timestamp) -> impl Iterator<Item = SpaceId> {
        live_targets(&self.spaces, least, now)
    }

    pub(super) fn live_channels(&self, least: Level, now: Timestamp) -> impl Iterator<Item = (SpaceId, ChannelId)> {
        self.channels.iter().filter_map(move |(_, grant)| match grant.target {
            GrantTarget::Channel(space, channel) if grant.live(now) && grant.rights.level >= least => {
                Some((space, channel))
            }
            _ => None,
        })
    }

    pub(super) fn instance_rights(&self, now: Timestamp) -> Rights {
        self.instance
            .iter()
            .filter(|grant| grant.live(now))
            .fold(Rights::NONE, |rights, grant| rights.union(grant.rights))
    }

    fn space_rights(&self, space: SpaceId, now: Timestamp) -> Rights {
        live_union(&self.spaces, space, now)
    }
}

fn range<K: Ord>(sorted: &[(K, GrantFact)], key: K) -> &[(K, GrantFact)] {
    let from = sorted.partition_point(|(other, _)| *other < key);
    let rest = sorted.get(from..).unwrap_or_default();
    let length = rest.iter().take_while(|(other, _)| *other == key).count();
    rest.get(..length).unwrap_or_default()
}

fn live_union<K: Ord>(sorted: &[(K, GrantFact)], key: K, now: Timestamp) -> Rights {
    range(sorted, key)
        .iter()
        .filter(|(_, grant)| grant.live(now))
        .fold(Rights::NONE, |rights, (_, grant)| rights.union(grant.rights))
}

fn live_targets<K: Copy>(sorted: &[(K, GrantFact)], least: Level, now: Timestamp) -> impl Iterator<Item = K> {
    sorted.iter().filter(move |(_, grant)| grant.live(now) && grant.rights.level >= least).map(|(key, _)| *key)
}
