//! The world: who is in which group, and who was given what on which place.

use std::fmt;

use bothy_domain::ids::{ChannelId, GroupId, PrincipalId, SpaceId};
use bothy_domain::policy::Level;

use crate::random::Random;

const PEOPLE: usize = 10_000;
const AGENTS: usize = 100;
const GROUPS: usize = 200;
const GROUPS_OF_A_PERSON: usize = 3;
const SPACES: usize = 40;
const CHANNELS: usize = 1_000;
const GRANTS: usize = 50_000;
const QUESTIONS: usize = 8_192;
/// How many callers the questions of a busy moment come from.
const CALLERS: usize = 32;

/// Who was given something, by their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    Principal(usize),
    Group(usize),
}

/// What it was given on, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Space(usize),
    Channel(usize),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Grant {
    pub(crate) subject: Subject,
    pub(crate) target: Target,
    pub(crate) level: Level,
}

/// May this principal, perhaps for this person, do what needs this level in this channel?
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question {
    pub(crate) caller: usize,
    pub(crate) person: Option<usize>,
    pub(crate) channel: usize,
    pub(crate) level: Level,
}

/// Everybody and everything. People come first among the principals, then agents.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) principals: Vec<PrincipalId>,
    pub(crate) groups: Vec<GroupId>,
    /// By principal.
    pub(crate) groups_of: Vec<Vec<usize>>,
    pub(crate) spaces: Vec<SpaceId>,
    pub(crate) channels: Vec<ChannelId>,
    /// By channel.
    pub(crate) space_of: Vec<usize>,
    pub(crate) grants: Vec<Grant>,
    /// Of few callers, as in a busy moment: a person, and an agent bound to a person.
    pub(crate) alone: Vec<Question>,
    pub(crate) bound: Vec<Question>,
    /// Of everybody, each once or twice: what the processor keeps near is of no use.
    pub(crate) anybody: Vec<Question>,
}

impl World {
    pub(crate) fn of(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let principals: Vec<_> = (0..PEOPLE + AGENTS).map(|_| PrincipalId::from_uuid(random.uuid())).collect();
        let groups = (0..GROUPS).map(|_| GroupId::from_uuid(random.uuid())).collect();
        let mut groups_of: Vec<Vec<usize>> = vec![Vec::new(); PEOPLE + AGENTS];
        for of in groups_of.iter_mut().take(PEOPLE) {
            of.extend((0..GROUPS_OF_A_PERSON).map(|_| random.below(GROUPS)));
            of.sort_unstable();
            of.dedup();
        }
        let spaces = (0..SPACES).map(|_| SpaceId::from_uuid(random.uuid())).collect();
        let channels = (0..CHANNELS).map(|_| ChannelId::from_uuid(random.uuid())).collect();
        let space_of = (0..CHANNELS).map(|_| random.below(SPACES)).collect();
        let grants: Vec<_> = (0..GRANTS).map(|_| grant(&mut random)).collect();
        let mut world = Self {
            principals,
            groups,
            groups_of,
            spaces,
            channels,
            space_of,
            grants,
            alone: Vec::new(),
            bound: Vec::new(),
            anybody: Vec::new(),
        };
        world.ask(&mut random);
        world
    }

    /// Half of the questions are about channels that the caller can see, and half of those of a bound
    /// agent about channels that the person can see too; the rest about any.
    fn ask(&mut self, random: &mut Random) {
        let seen: Vec<Vec<usize>> = self.reaching().iter().map(|grants| self.channels_of(grants)).collect();
        let people: Vec<usize> = (0..CALLERS).map(|_| random.below(PEOPLE)).collect();
        let agents: Vec<usize> = (0..CALLERS).map(|_| PEOPLE + random.below(AGENTS)).collect();
        let both: Vec<Vec<usize>> = (people.iter().zip(&agents))
            .map(|(person, agent)| seen[*agent].iter().filter(|one| seen[*person].contains(one)).copied().collect())
            .collect();
        let one_of = |random: &mut Random, some: &[usize]| match (random.below(2), some) {
            (_, []) | (0, _) => random.below(CHANNELS),
            _ => some[random.below(some.len())],
        };
        for _ in 0..QUESTIONS {
            let which = random.below(CALLERS);
            let (level, caller) = (level(random), people[which]);
            let channel = one_of(random, &seen[caller]);
            self.alone.push(Question { caller, person: None, channel, level });
            let (level, caller) = (level.min(Level::Write), agents[which]);
            let channel =
                if random.below(2) == 0 { one_of(random, &seen[caller]) } else { one_of(random, &both[which]) };
            self.bound.push(Question { caller, person: Some(people[which]), channel, level });
            let caller = random.below(PEOPLE);
            let channel = one_of(random, &seen[caller]);
            self.anybody.push(Question { caller, person: None, channel, level });
        }
    }

    /// The channels that grants reach.
    fn channels_of(&self, grants: &[Grant]) -> Vec<usize> {
        let reached = |channel: &usize| {
            grants.iter().any(|grant| {
                grant.target == Target::Channel(*channel) || grant.target == Target::Space(self.space_of[*channel])
            })
        };
        (0..CHANNELS).filter(reached).collect()
    }

    /// Whether this number is that of an agent.
    pub(crate) const fn is_agent(principal: usize) -> bool {
        principal >= PEOPLE
    }

    /// How many people there are.
    pub(crate) const fn people() -> usize {
        PEOPLE
    }

    /// The grants that reach a principal.
    pub(crate) fn reaching(&self) -> Vec<Vec<Grant>> {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.groups.len()];
        for (principal, groups) in self.groups_of.iter().enumerate() {
            groups.iter().for_each(|group| members[*group].push(principal));
        }
        let mut reaching = vec![Vec::new(); self.principals.len()];
        for grant in &self.grants {
            match grant.subject {
                Subject::Principal(principal) => reaching[principal].push(*grant),
                Subject::Group(group) => members[group].iter().for_each(|member| reaching[*member].push(*grant)),
            }
        }
        reaching
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{PEOPLE} people, {AGENTS} agents, {} groups, {} spaces, {} channels, {} grants",
            self.groups.len(),
            self.spaces.len(),
            self.channels.len(),
            self.grants.len()
        )
    }
}

fn level(random: &mut Random) -> Level {
    [Level::Read, Level::Read, Level::Read, Level::Write, Level::Write, Level::Trigger][random.below(6)]
}

fn grant(random: &mut Random) -> Grant {
    let subject = match random.below(100) {
        0..80 => Subject::Principal(random.below(PEOPLE)),
        80..90 => Subject::Group(random.below(GROUPS)),
        _ => Subject::Principal(PEOPLE + random.below(AGENTS)),
    };
    let target = if random.below(10) == 0 {
        Target::Space(random.below(SPACES))
    } else {
        Target::Channel(random.below(CHANNELS))
    };
    Grant { subject, target, level: level(random) }
}
