use bothy_domain::actor::PrincipalStatus;

use super::world::{Caps, Home, On, Step, Target, To, World};

/// Whose rights, and whether being an owner counts for them (AZ-3, AF-10).
#[derive(Debug, Clone, Copy)]
pub struct Who {
    pub principal: usize,
    pub owner_counts: bool,
}

/// A level and capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    pub level: Step,
    pub caps: Caps,
}

impl Rights {
    const NONE: Self = Self { level: Step::Nothing, caps: Caps::NONE };
    const ALL: Self = Self { level: Step::Trigger, caps: Caps::ALL };

    /// The lower level and the intersection of the capabilities (AF-1).
    pub fn and(self, other: Self) -> Self {
        Self {
            level: self.level.min(other.level),
            caps: Caps {
                upload: self.caps.upload && other.caps.upload,
                moderate: self.caps.moderate && other.caps.moderate,
                manage: self.caps.manage && other.caps.manage,
            },
        }
    }
}

/// The path of a target (AZ-2), as far as it goes.
#[derive(Debug, Clone, Copy)]
struct Path {
    thread: Option<usize>,
    channel: Option<usize>,
    space: Option<usize>,
    instance: bool,
}

fn path(world: &World, target: Target) -> Path {
    let instance = Path { thread: None, channel: None, space: None, instance: true };
    let space = |space| Path { space: Some(space), ..instance };
    let channel = |channel: usize| match world.channels[channel].home {
        Home::Space(home) => Path { channel: Some(channel), ..space(home) },
        Home::Direct(_) => Path { channel: Some(channel), ..instance },
    };
    let thread = |thread: usize| Path { thread: Some(thread), ..channel(world.threads[thread].channel) };
    match target {
        Target::Instance | Target::Grant(On::Instance) | Target::GrantsOn(On::Instance) => instance,
        Target::Space(id) | Target::Grant(On::Space(id)) | Target::GrantsOn(On::Space(id)) => space(id),
        Target::Channel(id) | Target::Grant(On::Channel(id)) | Target::GrantsOn(On::Channel(id)) => channel(id),
        Target::Thread(id) => thread(id),
        Target::Message(id) => thread(world.messages[id].thread),
        Target::Run(id) => thread(world.runs[id].thread),
        Target::Unknown
        | Target::Own
        | Target::Audit
        | Target::Group(_)
        | Target::Principal(_)
        | Target::LoginSession(_)
        | Target::Token(_) => Path { instance: false, ..instance },
    }
}

/// Whether the channel or the space on the path is archived.
pub fn archived(world: &World, target: Target) -> bool {
    let path = path(world, target);
    path.channel.is_some_and(|channel| world.channels[channel].archived)
        || path.space.is_some_and(|space| world.spaces[space])
}

/// The thread that a target stands in.
pub fn thread_of(world: &World, target: Target) -> Option<usize> {
    path(world, target).thread
}

/// AZ-3 and AZ-4: level and capabilities on the path of a target, before the archive cap.
pub fn rights_before_archive(world: &World, who: Who, target: Target) -> Rights {
    let principal = world.principals[who.principal];
    let path = path(world, target);

    // AZ-3, 1.
    if principal.status != PrincipalStatus::Active {
        return Rights::NONE;
    }

    let mut rights = match path.channel.map(|channel| &world.channels[channel].home) {
        // AZ-3, 2.
        Some(Home::Direct(participants)) => {
            if participants.contains(&who.principal) {
                Rights { level: Step::Write, caps: Caps::NONE }
            } else {
                Rights::NONE
            }
        }
        // AZ-3, 3.
        _ if principal.owner && who.owner_counts => Rights::ALL,
        // AZ-3, 4.
        _ => sum_of_grants(world, who.principal, path),
    };

    // AZ-4.
    if path.thread.is_some_and(|thread| world.threads[thread].operator == Some(who.principal)) {
        rights.level = rights.level.max(Step::Write);
    }
    rights
}

/// AZ-3, 4: the highest level and the union of the capabilities of the live grants.
fn sum_of_grants(world: &World, principal: usize, path: Path) -> Rights {
    let mut sum = Rights::NONE;
    for grant in &world.grants {
        let live = !grant.revoked && grant.expires_at.is_none_or(|end| end > world.now);
        let mine = match grant.to {
            To::Principal(holder) => holder == principal,
            To::Group(group) => world.groups[group].contains(&principal),
        };
        let on_path = match grant.on {
            On::Instance => path.instance,
            On::Space(space) => path.space == Some(space),
            On::Channel(channel) => path.channel == Some(channel),
        };
        if live && mine && on_path {
            sum.level = sum.level.max(grant.level);
            sum.caps.upload |= grant.caps.upload;
            sum.caps.moderate |= grant.caps.moderate;
            sum.caps.manage |= grant.caps.manage;
        }
    }
    sum
}

/// AZ-5: the archive cap, applied last.
pub fn rights_on(world: &World, who: Who, target: Target) -> Rights {
    let rights = rights_before_archive(world, who, target);
    if archived(world, target) {
        Rights { level: rights.level.min(Step::Read), caps: Caps { manage: rights.caps.manage, ..Caps::NONE } }
    } else {
        rights
    }
}

/// AZ-6: whether a target is visible.
pub fn sees(world: &World, who: Who, target: Target) -> bool {
    match target {
        Target::Unknown => false,
        // Everybody knows that the instance exists, and people, agents and apps are no secret.
        Target::Instance | Target::Grant(On::Instance) | Target::GrantsOn(On::Instance) => true,
        Target::Own | Target::Audit | Target::Group(_) | Target::Principal(_) => true,
        // docs/decisions.md: sessions and tokens of others are hidden, also from owners.
        Target::LoginSession(person) | Target::Token(person) => person == who.principal,
        // docs/decisions.md: a space can be seen by whoever sees one of its channels.
        Target::Space(space) | Target::Grant(On::Space(space)) | Target::GrantsOn(On::Space(space)) => {
            rights_on(world, who, target).level >= Step::Read || sees_a_channel_of(world, who, space)
        }
        _ => rights_on(world, who, target).level >= Step::Read,
    }
}

fn sees_a_channel_of(world: &World, who: Who, space: usize) -> bool {
    (0..world.channels.len())
        .filter(|channel| matches!(world.channels[*channel].home, Home::Space(home) if home == space))
        .any(|channel| rights_on(world, who, Target::Channel(channel)).level >= Step::Read)
}
