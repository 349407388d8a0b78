//! From the rows of a world to what the evaluator of the product is given, as a store would load it.

use bothy_domain::acting_for::{InvocationClaims, RunBinding, verdict};
use bothy_domain::action::Action;
use bothy_domain::actor::{self, ActingFor, Actor, PrincipalKind, PrincipalStatus};
use bothy_domain::ids::Id;
use bothy_domain::policy::{
    Capabilities, Capability, GrantFact, GrantTarget, Judgement, Level, Mode, Path, Place, Resource, Rights, Snapshot,
    SnapshotFacts,
};
use bothy_domain::time::Timestamp;
use uuid::Uuid;

use crate::reference::{Caps, Credential, Header, Home, On, Question, Step, Target, To, Who, World};

/// A defect that is put in on purpose, to see that the comparison finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The product as it is.
    None,
    /// Grants count for ever.
    ExpiryIgnored,
    /// Grants count one microsecond longer than they should.
    ExpiryOffByOne,
    /// Grants count after they were taken back.
    RevokedCounts,
    /// Whoever was ever granted through a group is in it.
    GroupMembershipIgnored,
    /// Nothing is archived.
    ArchiveForgotten,
    /// The archive cap looks at the channel and not at its space.
    ArchivedSpaceForgotten,
    /// The operator fixed on a thread has no right there.
    OperatorForgotten,
    /// Inactive principals keep their rights.
    StatusIgnored,
    /// Being an owner counts with every credential.
    OwnerWithoutSession,
    /// The triggering owner has no session, so ownership does not count for them.
    OwnerLostInBinding,
    /// One action takes a route that forgets the header.
    BindingIgnored(Action),
    /// Nobody looks whether the run of a token has ended.
    EndedRunBinds,
    /// Every run counts as the agent's own.
    ForeignRunIsOwn,
    /// The poll of a consumer is narrowed by a header.
    DeliveryNarrowed,
    /// Run-only agents may act alone.
    RunOnlyForgotten,
    /// Lists leave out direct messages.
    ListForgetsDirects,
    /// Lists look at grants on spaces and not on channels.
    ListForgetsChannelGrants,
    /// Lists ignore the header.
    ListIgnoresBinding,
}

/// The id of the `n`th thing of a kind. Kinds have ids of their own, so that one cannot pass for
/// another by chance.
pub fn id<K>(kind: u8, number: usize) -> Id<K> {
    Id::from_uuid(Uuid::from_u128((u128::from(kind) << 64) | (number as u128 + 1)))
}

pub const PRINCIPAL: u8 = 1;
pub const SPACE: u8 = 2;
pub const CHANNEL: u8 = 3;
pub const THREAD: u8 = 4;
const MESSAGE: u8 = 5;
const RUN: u8 = 6;
const OTHER: u8 = 7;

/// What a cache would hold of one principal: the variant with or without ownership.
pub fn snapshot(world: &World, who: Who, fault: Fault) -> Snapshot {
    let principal = &world.principals[who.principal];
    let owner_counts = who.owner_counts || fault == Fault::OwnerWithoutSession;
    let held = |to: To| match to {
        To::Principal(holder) => holder == who.principal,
        To::Group(group) => fault == Fault::GroupMembershipIgnored || world.groups[group].contains(&who.principal),
    };
    let grants = world
        .grants
        .iter()
        .filter(|grant| held(grant.to) && (!grant.revoked || fault == Fault::RevokedCounts))
        .filter_map(|grant| {
            let target = match grant.on {
                On::Instance => GrantTarget::Instance,
                On::Space(space) => GrantTarget::Space(id(SPACE, space)),
                On::Channel(channel) => match world.channels[channel].home {
                    Home::Space(space) => GrantTarget::Channel(id(SPACE, space), id(CHANNEL, channel)),
                    // No such row: a grant on a direct message is refused.
                    Home::Direct(_) => return None,
                },
            };
            let expires_at = match fault {
                Fault::ExpiryIgnored => None,
                Fault::ExpiryOffByOne => grant.expires_at.map(|end| end.saturating_add(1)),
                _ => grant.expires_at,
            };
            let rights = Rights { level: level(grant.level), capabilities: capabilities(grant.caps) };
            Some(GrantFact { target, rights, expires_at: expires_at.map(Timestamp::from_micros) })
        })
        .collect();
    let directs = (0..world.channels.len())
        .filter(
            |channel| matches!(&world.channels[*channel].home, Home::Direct(in_it) if in_it.contains(&who.principal)),
        )
        .map(|channel| id(CHANNEL, channel))
        .collect();
    Snapshot::new(SnapshotFacts {
        principal: id(PRINCIPAL, who.principal),
        kind: principal.kind,
        status: if fault == Fault::StatusIgnored { PrincipalStatus::Active } else { principal.status },
        owner: principal.owner && owner_counts,
        grants,
        directs,
    })
}

/// The authenticated caller, with what its header means.
pub fn actor(world: &World, question: &Question, fault: Fault) -> Actor {
    let principal = &world.principals[question.caller];
    Actor {
        principal: id(PRINCIPAL, question.caller),
        kind: principal.kind,
        credential: match question.credential {
            Credential::Session => actor::Credential::Session { id: id(OTHER, 0), confirmed: false },
            Credential::ConfirmedSession => actor::Credential::Session { id: id(OTHER, 0), confirmed: true },
            Credential::PersonalToken => actor::Credential::PersonalToken { id: id(OTHER, 0) },
            Credential::ApiToken => actor::Credential::ApiToken { id: id(OTHER, 0) },
        },
        rights_version: 1,
        acting_for: acting_for(world, question, fault),
        requires_binding: principal.run_only && fault != Fault::RunOnlyForgotten,
    }
}

fn acting_for(world: &World, question: &Question, fault: Fault) -> ActingFor {
    if fault == Fault::BindingIgnored(question.action) {
        return ActingFor::Absent;
    }
    let Header::Token { audience, subject, run, thread } = question.header else {
        return if question.header == Header::Absent { ActingFor::Absent } else { ActingFor::Invalid };
    };
    // What the authenticator does before it asks what a token means (AF-3).
    if world.principals[question.caller].kind != PrincipalKind::Agent {
        return ActingFor::Invalid;
    }
    let claims = InvocationClaims {
        agent: id(PRINCIPAL, audience),
        person: id(PRINCIPAL, subject),
        run: run.map(|run| id(RUN, run)),
        thread: thread.map(|thread| id(THREAD, thread)),
        token: id(OTHER, 1),
    };
    let row = run.and_then(|run| world.runs.get(run).map(|row| (run, row))).map(|(run, row)| RunBinding {
        id: id(RUN, run),
        agent: id(PRINCIPAL, row.agent),
        triggered_by: id(PRINCIPAL, row.triggered_by),
        thread: id(THREAD, row.thread),
        state: row.state,
    });
    match verdict(&claims, row.as_ref(), id(PRINCIPAL, question.caller)) {
        ActingFor::RunInactive(binding) if fault == Fault::EndedRunBinds => ActingFor::Bound(binding),
        ActingFor::Bound(mut binding) => {
            if let (Fault::ForeignRunIsOwn, Target::Run(run)) = (fault, question.target) {
                binding.run = id(RUN, run);
            }
            ActingFor::Bound(binding)
        }
        other => other,
    }
}

/// The row of a target, as the request that names it would load it; nothing when there is none.
pub fn resource(world: &World, action: Action, target: Target, fault: Fault) -> Option<Resource> {
    let (number, path) = match target {
        Target::Unknown => return None,
        Target::Instance => (0, Path::of(Place::Instance)),
        Target::Own | Target::Audit => (0, Path::PATHLESS),
        Target::Group(number) => (number, Path::PATHLESS),
        Target::Principal(number) => (number, Path::PATHLESS),
        Target::LoginSession(person) | Target::Token(person) => (0, Path::of(Place::Private(id(PRINCIPAL, person)))),
        Target::Grant(on) | Target::GrantsOn(on) => match on {
            On::Instance => (0, Path::of(Place::Instance)),
            On::Space(number) => (number, space_path(world, number)),
            On::Channel(number) => (number, channel_path(world, number, fault)),
        },
        Target::Space(number) => (number, space_path(world, number)),
        Target::Channel(number) => (number, channel_path(world, number, fault)),
        Target::Thread(number) => (number, thread_path(world, number, fault)),
        Target::Message(number) => (number, thread_path(world, world.messages[number].thread, fault)),
        Target::Run(number) => (number, thread_path(world, world.runs[number].thread, fault)),
    };
    let kind = match target {
        Target::Principal(_) => PRINCIPAL,
        Target::Space(_) => SPACE,
        Target::Channel(_) => CHANNEL,
        Target::Thread(_) => THREAD,
        Target::Message(_) => MESSAGE,
        Target::Run(_) => RUN,
        _ => OTHER,
    };
    let path = Path { archived: path.archived && fault != Fault::ArchiveForgotten, ..path };
    let mut resource = Resource::new(action.row().resource, id(kind, number), path);
    match target {
        Target::Thread(number) => resource.author = Some(id(PRINCIPAL, world.threads[number].author)),
        Target::Message(number) => resource.author = Some(id(PRINCIPAL, world.messages[number].author)),
        Target::Principal(number) if world.principals[number].kind == PrincipalKind::Agent => {
            resource.agent = Some(id(PRINCIPAL, number));
        }
        Target::Run(number) => {
            resource.agent = Some(id(PRINCIPAL, world.runs[number].agent));
            resource.triggered_by = Some(id(PRINCIPAL, world.runs[number].triggered_by));
        }
        _ => {}
    }
    Some(resource)
}

fn space_path(world: &World, space: usize) -> Path {
    Path { archived: world.spaces[space], ..Path::of(Place::Space(id(SPACE, space))) }
}

fn channel_path(world: &World, number: usize, fault: Fault) -> Path {
    let channel = &world.channels[number];
    match channel.home {
        Home::Space(space) => Path {
            archived: channel.archived || (world.spaces[space] && fault != Fault::ArchivedSpaceForgotten),
            ..Path::of(Place::Channel(id(SPACE, space), id(CHANNEL, number)))
        },
        Home::Direct(_) => Path { archived: channel.archived, ..Path::of(Place::Direct(id(CHANNEL, number))) },
    }
}

fn thread_path(world: &World, number: usize, fault: Fault) -> Path {
    let thread = &world.threads[number];
    let operator = thread.operator.filter(|_| fault != Fault::OperatorForgotten);
    Path {
        thread: Some(id(THREAD, number)),
        thread_operator: operator.map(|operator| id(PRINCIPAL, operator)),
        ..channel_path(world, thread.channel, fault)
    }
}

fn level(step: Step) -> Level {
    match step {
        Step::Nothing => Level::None,
        Step::Read => Level::Read,
        Step::Write => Level::Write,
        Step::Trigger => Level::Trigger,
    }
}

fn capabilities(caps: Caps) -> Capabilities {
    [(caps.upload, Capability::Upload), (caps.moderate, Capability::Moderate), (caps.manage, Capability::Manage)]
        .into_iter()
        .filter_map(|(held, capability)| held.then_some(capability))
        .collect()
}

/// Everything that the evaluator is given for one question, owned.
#[derive(Debug)]
pub struct Facts {
    pub actor: Actor,
    pub own: Snapshot,
    pub person: Option<Snapshot>,
    pub resource: Option<Resource>,
}

impl Facts {
    pub fn of(world: &World, question: &Question, fault: Fault) -> Self {
        let actor = actor(world, question, fault);
        let person = match actor.acting_for {
            ActingFor::Bound(binding) => {
                let principal = (0..world.principals.len()).find(|number| id(PRINCIPAL, *number) == binding.person);
                let who = Who {
                    principal: principal.expect("runs are triggered by somebody"),
                    owner_counts: fault != Fault::OwnerLostInBinding,
                };
                Some(snapshot(world, who, fault))
            }
            _ => None,
        };
        let own = Who { principal: question.caller, owner_counts: actor.ownership_counts() };
        Self {
            own: snapshot(world, own, fault),
            person,
            resource: resource(world, question.action, question.target, fault),
            actor,
        }
    }

    pub fn judgement(&self, world: &World, question: &Question, fault: Fault) -> Judgement<'_> {
        let narrowed = fault == Fault::DeliveryNarrowed && question.mode == Mode::Delivery;
        Judgement {
            actor: &self.actor,
            own: &self.own,
            person: self.person.as_ref(),
            action: question.action,
            resource: self.resource.as_ref(),
            mode: if narrowed { Mode::Filter } else { question.mode },
            now: Timestamp::from_micros(world.now),
        }
    }
}
