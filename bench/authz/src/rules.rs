//! The rules of Bothy over warm snapshots.

use std::hint::black_box;

use bothy_domain::action::{Action, ResourceKind};
use bothy_domain::actor::{ActingFor, Actor, Binding, Credential, PrincipalKind, PrincipalStatus};
use bothy_domain::ids::Id;
use bothy_domain::policy::{
    Capabilities, GrantFact, GrantTarget, Judgement, Level, Mode, Path, Place, Resource, Rights, Snapshot,
    SnapshotFacts, decide,
};
use bothy_domain::time::Timestamp;
use uuid::Uuid;

use crate::report::{Report, median_ns};
use crate::world::{Grant, Question, Target, World};

/// Everybody's rights, and every channel as a row of a message in it.
pub(crate) struct Rules {
    snapshots: Vec<Snapshot>,
    messages: Vec<Resource>,
    channels: Vec<Resource>,
}

impl Rules {
    pub(crate) fn new(world: &World) -> Self {
        let snapshots = world
            .reaching()
            .iter()
            .enumerate()
            .map(|(principal, grants)| {
                Snapshot::new(SnapshotFacts {
                    principal: world.principals[principal],
                    kind: kind(principal),
                    status: PrincipalStatus::Active,
                    owner: false,
                    grants: grants.iter().map(|grant| fact(world, grant)).collect(),
                    directs: Vec::new(),
                })
            })
            .collect();
        let resources = |kind| {
            world
                .channels
                .iter()
                .zip(&world.space_of)
                .map(|(channel, space)| {
                    let place = Place::Channel(world.spaces[*space], *channel);
                    Resource::new(kind, channel.cast(), Path::of(place))
                })
                .collect()
        };
        Self { snapshots, messages: resources(ResourceKind::Message), channels: resources(ResourceKind::Channel) }
    }

    /// Whether Bothy allows it.
    pub(crate) fn allows(&self, world: &World, question: &Question) -> bool {
        Asked::of(world, question).allowed(self)
    }

    pub(crate) fn measure(&self, world: &World, report: &mut Report) {
        for (name, questions) in
            [("alone", &world.alone), ("bound", &world.bound), ("alone, of everybody", &world.anybody)]
        {
            let asked: Vec<Asked> = questions.iter().map(|question| Asked::of(world, question)).collect();
            let ns = median_ns(asked.len(), 41, || {
                for one in &asked {
                    black_box(black_box(one).allowed(self));
                }
            });
            report.add("Bothy", name, ns);
            let allowed = asked.iter().filter(|one| one.allowed(self)).count();
            println!("{name}: {} % of {} questions are allowed", allowed * 100 / asked.len(), asked.len());
        }
    }
}

/// A question as a request comes with it.
struct Asked {
    actor: Actor,
    caller: usize,
    person: Option<usize>,
    action: Action,
    channel: usize,
}

impl Asked {
    fn of(world: &World, question: &Question) -> Self {
        let one = Uuid::from_u128(1);
        let kind = kind(question.caller);
        let acting_for = question.person.map_or(ActingFor::Absent, |person| {
            let person = world.principals[person];
            ActingFor::Bound(Binding {
                person,
                run: Id::from_uuid(one),
                thread: Id::from_uuid(one),
                token: Id::from_uuid(one),
            })
        });
        let action = match question.level {
            Level::None | Level::Read => Action::MessageRead,
            Level::Write => Action::ReactionAdd,
            Level::Trigger => Action::AgentInvoke,
        };
        let actor = Actor {
            principal: world.principals[question.caller],
            kind,
            credential: Credential::ApiToken { id: Id::from_uuid(one) },
            rights_version: 1,
            acting_for,
            requires_binding: false,
        };
        Self { actor, caller: question.caller, person: question.person, action, channel: question.channel }
    }

    fn allowed(&self, rules: &Rules) -> bool {
        let resources = if self.action == Action::AgentInvoke { &rules.channels } else { &rules.messages };
        decide(&Judgement {
            actor: &self.actor,
            own: &rules.snapshots[self.caller],
            person: self.person.map(|person| &rules.snapshots[person]),
            action: self.action,
            resource: Some(&resources[self.channel]),
            mode: Mode::Request,
            now: Timestamp::from_micros(1),
        })
        .is_allow()
    }
}

pub(crate) fn kind(principal: usize) -> PrincipalKind {
    if World::is_agent(principal) { PrincipalKind::Agent } else { PrincipalKind::Person }
}

fn fact(world: &World, grant: &Grant) -> GrantFact {
    let target = match grant.target {
        Target::Space(space) => GrantTarget::Space(world.spaces[space]),
        Target::Channel(channel) => {
            GrantTarget::Channel(world.spaces[world.space_of[channel]], world.channels[channel])
        }
    };
    let rights = Rights { level: grant.level, capabilities: Capabilities::NONE };
    GrantFact { target, rights, expires_at: None }
}
