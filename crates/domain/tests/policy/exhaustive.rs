//! Every small world: one space, one channel, three direct messages, and everything that a decision
//! can depend on in every combination.

use bothy_domain::action::{Action, ResourceKind};
use bothy_domain::actor::PrincipalKind::{Agent, App, Person};
use bothy_domain::actor::{ActingFor, PrincipalKind, PrincipalStatus};
use bothy_domain::policy::{Judgement, Mode, Resource, decide};
use bothy_domain::run::RunState;
use bothy_domain::time::Timestamp;

use crate::bridge::{self, Fault};
use crate::compare::list_disagreement;
use crate::generate::of_kind;
use crate::reference::{
    self, Caps, Channel, Credential, Grant, Header, Home, Message, On, Principal, Question, Run, Step, Target, Thread,
    To, Who, World,
};

const NOW: i64 = 1_000;
const MODES: [Mode; 3] = [Mode::Request, Mode::Filter, Mode::Delivery];
const STEPS: [Step; 4] = [Step::Nothing, Step::Read, Step::Write, Step::Trigger];
const MODERATE: Caps = Caps { upload: false, moderate: true, manage: false };
const MANAGE: Caps = Caps { upload: false, moderate: false, manage: true };
const UPLOAD: Caps = Caps { upload: true, moderate: false, manage: false };

/// The principals of each small world.
const CALLER: usize = 0;
const PERSON: usize = 1;
const OTHER_AGENT: usize = 2;
/// The direct messages: with both of them, with one, with the other.
const OF_BOTH: usize = 1;
const OF_PERSON: usize = 2;
const OF_CALLER: usize = 3;
/// Runs that headers name.
const OWN_RUN: usize = 0;
const ENDED_RUN: usize = 1;
const RUN_IN_DIRECT: usize = 4;

/// Chapter 03 section 9: at least 10^8 decisions, no disagreement.
#[test]
fn every_small_world_is_decided_alike() {
    let decisions = callers_alone() + callers_with_several_grants() + bound_agents();
    println!("{decisions} decisions");
    assert!(decisions >= 100_000_000, "only {decisions} decisions");
}

/// Kind x status x ownership x credential x group membership x level on channel, space and instance
/// x expiry x capabilities x archive x direct messages x operator x header x mode, for every action.
fn callers_alone() -> u64 {
    let mut worlds = Vec::new();
    for archive in Archive::ALL {
        for via in Via::ALL {
            for caps in [Caps::NONE, Caps::ALL] {
                for on_channel in Held::all() {
                    for on_space in Held::all() {
                        for on_instance in Held::all() {
                            let mut world = small_world(archive);
                            via.give(&mut world, CALLER, On::Channel(0), on_channel, caps);
                            via.give(&mut world, CALLER, On::Space(0), on_space, caps);
                            via.give(&mut world, CALLER, On::Instance, on_instance, caps);
                            worlds.push(world);
                        }
                    }
                }
            }
        }
    }
    in_two_halves(&worlds, |world| {
        let mut decisions = 0;
        for kind in PrincipalKind::ALL {
            let mut world = world.clone();
            place_caller(&mut world, active(kind));
            let targets = targets(&world);
            for (principal, credential) in callers(kind) {
                world.principals[CALLER] = principal;
                for header in [Header::Absent, Header::Broken] {
                    decisions += judge_everything(&world, &targets, credential, header, &MODES);
                }
            }
        }
        decisions
    })
}

/// Level and capabilities from different grants: what one grant gives adds to what another one gives.
fn callers_with_several_grants() -> u64 {
    let gifts: Vec<_> =
        STEPS.into_iter().flat_map(|level| [Caps::NONE, UPLOAD, MODERATE, MANAGE].map(|caps| (level, caps))).collect();
    let mut worlds = Vec::new();
    for archive in Archive::ALL {
        for on_channel in &gifts {
            for on_space in &gifts {
                for on_instance in &gifts {
                    let mut world = small_world(archive);
                    for (on, (level, caps)) in
                        [(On::Channel(0), on_channel), (On::Space(0), on_space), (On::Instance, on_instance)]
                    {
                        let to = To::Principal(CALLER);
                        world.grants.push(Grant {
                            to,
                            on,
                            level: *level,
                            caps: *caps,
                            expires_at: None,
                            revoked: false,
                        });
                    }
                    worlds.push(world);
                }
            }
        }
    }
    let callers = [(Person, Credential::Session), (Person, Credential::PersonalToken), (Agent, Credential::ApiToken)];
    in_two_halves(&worlds, |world| {
        let mut decisions = 0;
        for (kind, credential) in callers {
            let mut world = world.clone();
            place_caller(&mut world, active(kind));
            decisions += judge_everything(&world, &targets(&world), credential, Header::Absent, &[Mode::Request]);
        }
        decisions
    })
}

/// An agent in a run: its rights x the person's status, ownership, group membership, level, expiry
/// and capabilities x archive x direct messages x operator x state of the run x mode.
fn bound_agents() -> u64 {
    let mut worlds = Vec::new();
    for archive in Archive::ALL {
        for (agent_caps, person_caps) in [(Caps::NONE, Caps::NONE), (MODERATE, Caps::NONE), (Caps::ALL, MODERATE)] {
            for (agent_on, agent_holds) in
                single_grants().into_iter().filter(|(_, held)| held.is_none_or(|held| held.live))
            {
                for (person_on, person_holds) in single_grants() {
                    for via in [Via::Group, Via::GroupOfOthers] {
                        for status in PrincipalStatus::ALL {
                            for owner in [false, true] {
                                let mut world = small_world(archive);
                                place_caller(&mut world, active(Agent));
                                world.principals[PERSON] = Principal { status, owner, ..active(Person) };
                                Via::Direct.give(&mut world, CALLER, agent_on, agent_holds, agent_caps);
                                via.give(&mut world, PERSON, person_on, person_holds, person_caps);
                                worlds.push(world);
                            }
                        }
                    }
                }
            }
        }
    }
    in_two_halves(&worlds, |world| {
        let targets = targets(world);
        let headers = [OWN_RUN, RUN_IN_DIRECT, ENDED_RUN].map(|run| Header::of_run(world, run));
        headers.map(|header| judge_everything(world, &targets, Credential::ApiToken, header, &MODES)).into_iter().sum()
    })
}

/// Nothing, or each level on one of the three places, before and after its end.
fn single_grants() -> Vec<(On, Option<Held>)> {
    let mut all = vec![(On::Instance, None)];
    for on in [On::Channel(0), On::Space(0), On::Instance] {
        all.extend(Held::all().into_iter().flatten().map(|held| (on, Some(held))));
    }
    all
}

/// Judges every action on every target of its kind, in each mode, and compares; lists once a mode.
fn judge_everything(world: &World, targets: &[Asked], credential: Credential, header: Header, modes: &[Mode]) -> u64 {
    let mut question = Question {
        caller: CALLER,
        credential,
        header,
        action: Action::MessageRead,
        target: Target::Own,
        mode: Mode::Request,
    };
    let actor = bridge::actor(world, &question, Fault::None);
    let own = Who { principal: CALLER, owner_counts: actor.ownership_counts() };
    let own = bridge::snapshot(world, own, Fault::None);
    let person = matches!(actor.acting_for, ActingFor::Bound(_))
        .then(|| bridge::snapshot(world, Who { principal: PERSON, owner_counts: true }, Fault::None));
    let mut decisions = 0;
    for (action, target, resource) in targets {
        (question.action, question.target) = (*action, *target);
        for mode in modes {
            question.mode = *mode;
            let fast = decide(&Judgement {
                actor: &actor,
                own: &own,
                person: person.as_ref(),
                action: *action,
                resource: resource.as_ref(),
                mode: *mode,
                now: Timestamp::from_micros(NOW),
            });
            let slow = reference::decide(world, &question);
            assert!(fast == slow, "{question:?}\n  fast      {fast:?}\n  reference {slow:?}\n{world:#?}");
            decisions += 1;
        }
    }
    question.action = Action::MessageRead;
    for mode in modes {
        question.mode = *mode;
        if let Some(what) = list_disagreement(world, &question, Fault::None) {
            panic!("{what}\n{world:#?}");
        }
    }
    decisions
}

/// An action, a target, and the row of the target when there is one.
type Asked = (Action, Target, Option<Resource>);

/// Every action with every target of its kind that the small world has, and one that it has not.
fn targets(world: &World) -> Vec<Asked> {
    let of = |count: usize, target: fn(usize) -> Target| (0..count).map(target).collect();
    let on = [On::Instance, On::Space(0), On::Channel(0), On::Channel(OF_BOTH)];
    let mut all = Vec::with_capacity(512);
    for action in Action::ALL {
        let mut these: Vec<_> = match action.row().resource {
            ResourceKind::Instance => vec![Target::Instance],
            ResourceKind::Own => vec![Target::Own],
            ResourceKind::Audit => vec![Target::Audit],
            ResourceKind::Group => vec![Target::Group(0)],
            ResourceKind::Person => principals(world, Person),
            ResourceKind::Agent => principals(world, Agent),
            ResourceKind::App => principals(world, App),
            ResourceKind::LoginSession => of_kind(world, Person).into_iter().map(Target::LoginSession).collect(),
            ResourceKind::Token => of_kind(world, Person).into_iter().map(Target::Token).collect(),
            ResourceKind::Grant => on.map(Target::Grant).to_vec(),
            ResourceKind::GrantTarget => on.map(Target::GrantsOn).to_vec(),
            ResourceKind::Space => of(world.spaces.len(), Target::Space),
            ResourceKind::Channel => of(world.channels.len(), Target::Channel),
            ResourceKind::Thread => of(world.threads.len(), Target::Thread),
            ResourceKind::Message => of(world.messages.len(), Target::Message),
            ResourceKind::Run => of(world.runs.len(), Target::Run),
        };
        these.push(Target::Unknown);
        all.extend(these.into_iter().map(|target| {
            let resource = bridge::resource(world, *action, target, Fault::None);
            (*action, target, resource)
        }));
    }
    all
}

fn principals(world: &World, kind: PrincipalKind) -> Vec<Target> {
    of_kind(world, kind).into_iter().map(Target::Principal).collect()
}

/// Splits the work between two threads.
fn in_two_halves(worlds: &[World], judge: impl Fn(&World) -> u64 + Sync) -> u64 {
    let (first, second) = worlds.split_at(worlds.len() / 2);
    std::thread::scope(|scope| {
        let half = scope.spawn(|| first.iter().map(&judge).sum::<u64>());
        second.iter().map(&judge).sum::<u64>() + half.join().expect("the other half agrees")
    })
}

/// What is archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Archive {
    Nothing,
    Channels,
    Space,
}

impl Archive {
    const ALL: [Self; 3] = [Self::Nothing, Self::Channels, Self::Space];
}

/// A level, before or after its end.
#[derive(Debug, Clone, Copy)]
struct Held {
    level: Step,
    live: bool,
}

impl Held {
    fn all() -> Vec<Option<Self>> {
        let mut all = vec![None];
        for level in [Step::Read, Step::Write, Step::Trigger] {
            all.extend([true, false].map(|live| Some(Self { level, live })));
        }
        all
    }
}

/// How somebody comes to a grant.
#[derive(Debug, Clone, Copy)]
enum Via {
    Direct,
    Group,
    GroupOfOthers,
}

impl Via {
    const ALL: [Self; 3] = [Self::Direct, Self::Group, Self::GroupOfOthers];

    fn give(self, world: &mut World, holder: usize, on: On, held: Option<Held>, caps: Caps) {
        let Some(held) = held else { return };
        let to = match self {
            Self::Direct => To::Principal(holder),
            Self::Group => To::Group(holder),
            Self::GroupOfOthers => To::Group(OTHER_AGENT),
        };
        // A grant is dead at the very moment of its end.
        let expires_at = Some(if held.live { NOW + 1 } else { NOW });
        world.grants.push(Grant { to, on, level: held.level, caps, expires_at, revoked: false });
    }
}

fn active(kind: PrincipalKind) -> Principal {
    Principal { kind, status: PrincipalStatus::Active, owner: false, run_only: false }
}

/// Every caller of a kind: status x ownership or `requires_binding` x credential.
fn callers(kind: PrincipalKind) -> Vec<(Principal, Credential)> {
    let credentials: &[_] = match kind {
        Person => &[Credential::Session, Credential::ConfirmedSession, Credential::PersonalToken],
        Agent | App => &[Credential::ApiToken],
    };
    let mut all = Vec::new();
    for status in PrincipalStatus::ALL {
        for flag in [false, true] {
            let principal = Principal { kind, status, owner: flag && kind == Person, run_only: flag && kind == Agent };
            if !flag || kind != App {
                all.extend(credentials.iter().map(|credential| (principal, *credential)));
            }
        }
    }
    all
}

/// The tree, without grants. Groups: one of the caller, one of the person, one of nobody.
fn small_world(archive: Archive) -> World {
    let archived = archive == Archive::Channels;
    let direct = |participants: [usize; 2]| Channel { home: Home::Direct(participants.to_vec()), archived };
    let thread = |channel, author| Thread { channel, author, operator: None };
    let message = |thread, author| Message { thread, author };
    World {
        now: NOW,
        principals: vec![active(Person), active(Person), active(Agent)],
        groups: vec![vec![CALLER], vec![PERSON], vec![]],
        grants: Vec::new(),
        spaces: vec![archive == Archive::Space],
        channels: vec![
            Channel { home: Home::Space(0), archived },
            direct([CALLER, PERSON]),
            direct([PERSON, OTHER_AGENT]),
            direct([CALLER, OTHER_AGENT]),
        ],
        threads: vec![
            thread(0, CALLER),
            thread(0, PERSON),
            thread(0, PERSON),
            thread(OF_BOTH, PERSON),
            thread(OF_PERSON, PERSON),
            thread(OF_CALLER, CALLER),
        ],
        messages: vec![
            message(0, CALLER),
            message(0, PERSON),
            message(2, CALLER),
            message(2, PERSON),
            message(3, CALLER),
            message(3, PERSON),
            message(4, PERSON),
            message(5, CALLER),
        ],
        runs: Vec::new(),
    }
}

/// Puts the caller into the world. Runs are its own or another's when it is an agent, triggered by it
/// or by another when it is not; an agent is fixed as operator of one thread.
fn place_caller(world: &mut World, caller: Principal) {
    world.principals[CALLER] = caller;
    let agent = caller.kind == Agent;
    let run = |thread, callers: bool, state| Run {
        thread,
        agent: if agent && callers { CALLER } else { OTHER_AGENT },
        triggered_by: if caller.kind == Person && callers { CALLER } else { PERSON },
        state,
    };
    world.runs = vec![
        run(0, true, RunState::Running),
        run(0, true, RunState::Completed),
        run(0, false, RunState::Running),
        run(2, true, RunState::Queued),
        run(3, true, RunState::WaitingInput),
        run(4, false, RunState::Running),
        run(5, true, RunState::Running),
    ];
    world.threads[2].operator = Some(if agent { CALLER } else { OTHER_AGENT });
}
