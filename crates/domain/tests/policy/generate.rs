//! Random worlds and random questions to them.

use bothy_domain::action::{Action, ResourceKind};
use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::policy::Mode;
use bothy_domain::run::RunState;

use crate::random::Random;
use crate::reference::{
    Caps, Channel, Credential, Grant, Header, Home, Message, On, Principal, Question, Run, Step, Target, Thread, To,
    World,
};

const NOW: i64 = 1_000;
const STATES: [RunState; 6] = [
    RunState::Queued,
    RunState::Running,
    RunState::WaitingInput,
    RunState::Completed,
    RunState::Failed,
    RunState::Cancelled,
];
const MODES: [Mode; 3] = [Mode::Request, Mode::Filter, Mode::Delivery];

/// A world that the product could get into.
pub fn world(random: &mut Random) -> World {
    let mut world = World { now: NOW, ..World::default() };
    for _ in 0..2 + random.below(4) {
        world.principals.push(principal(random, PrincipalKind::Person));
    }
    for _ in 0..1 + random.below(3) {
        world.principals.push(principal(random, PrincipalKind::Agent));
    }
    for _ in 0..random.below(2) {
        world.principals.push(principal(random, PrincipalKind::App));
    }
    for _ in 0..random.below(3) {
        let members = of_kind(&world, PrincipalKind::Person).into_iter().filter(|_| random.chance(50)).collect();
        world.groups.push(members);
    }
    for _ in 0..1 + random.below(3) {
        world.spaces.push(random.chance(20));
    }
    for _ in 0..1 + random.below(5) {
        let home = if random.chance(25) {
            Home::Direct((0..world.principals.len()).filter(|_| random.chance(40)).collect())
        } else {
            Home::Space(random.below(world.spaces.len()))
        };
        world.channels.push(Channel { home, archived: random.chance(20) });
    }
    for _ in 0..2 + random.below(12) {
        let grant = grant(random, &world);
        world.grants.push(grant);
    }
    for _ in 0..1 + random.below(5) {
        let thread = thread(random, &world);
        world.threads.push(thread);
    }
    for _ in 0..1 + random.below(5) {
        let message =
            Message { thread: random.below(world.threads.len()), author: random.below(world.principals.len()) };
        world.messages.push(message);
    }
    for _ in 0..1 + random.below(5) {
        let run = Run {
            thread: random.below(world.threads.len()),
            agent: random.pick(&of_kind(&world, PrincipalKind::Agent)),
            triggered_by: random.pick(&of_kind(&world, PrincipalKind::Person)),
            state: random.pick(&STATES),
        };
        world.runs.push(run);
    }
    world
}

/// Those of a kind.
pub fn of_kind(world: &World, kind: PrincipalKind) -> Vec<usize> {
    (0..world.principals.len()).filter(|principal| world.principals[*principal].kind == kind).collect()
}

fn principal(random: &mut Random, kind: PrincipalKind) -> Principal {
    Principal {
        kind,
        status: if random.chance(85) { PrincipalStatus::Active } else { random.pick(&PrincipalStatus::ALL) },
        owner: kind == PrincipalKind::Person && random.chance(20),
        run_only: kind == PrincipalKind::Agent && random.chance(25),
    }
}

fn grant(random: &mut Random, world: &World) -> Grant {
    let to = if !world.groups.is_empty() && random.chance(30) {
        To::Group(random.below(world.groups.len()))
    } else {
        To::Principal(random.below(world.principals.len()))
    };
    let in_spaces: Vec<_> =
        (0..world.channels.len()).filter(|channel| matches!(world.channels[*channel].home, Home::Space(_))).collect();
    let on = match random.below(10) {
        0 | 1 => On::Instance,
        2..=5 => On::Space(random.below(world.spaces.len())),
        _ if in_spaces.is_empty() => On::Instance,
        _ => On::Channel(random.pick(&in_spaces)),
    };
    Grant {
        to,
        on,
        level: random.pick(&[Step::Nothing, Step::Read, Step::Read, Step::Write, Step::Write, Step::Trigger]),
        caps: Caps { upload: random.chance(30), moderate: random.chance(30), manage: random.chance(30) },
        expires_at: random.pick(&[None, None, None, Some(0), Some(NOW - 1), Some(NOW), Some(NOW + 1), Some(i64::MAX)]),
        revoked: random.chance(10),
    }
}

fn thread(random: &mut Random, world: &World) -> Thread {
    let channel = random.below(world.channels.len());
    // Fixing an operator needs `manage`, which nobody has in a direct message.
    let may_have_operator = matches!(world.channels[channel].home, Home::Space(_));
    Thread {
        channel,
        author: random.below(world.principals.len()),
        operator: (may_have_operator && random.chance(30)).then(|| random.pick(&of_kind(world, PrincipalKind::Agent))),
    }
}

/// A question that makes sense in the world.
pub fn question(random: &mut Random, world: &World) -> Question {
    let action = random.pick(Action::ALL);
    // Mostly somebody who may ever do it, so that decisions get past the kind of subject.
    let fitting: Vec<_> = (0..world.principals.len())
        .filter(|principal| action.row().subjects.contains(world.principals[*principal].kind))
        .collect();
    let caller = if !fitting.is_empty() && random.chance(85) {
        random.pick(&fitting)
    } else {
        random.below(world.principals.len())
    };
    Question {
        caller,
        credential: credential(random, world, caller),
        header: header(random, world, caller),
        action,
        target: target(random, world, action.row().resource, caller),
        mode: random.pick(&MODES),
    }
}

/// A credential that this kind of principal can have.
pub fn credential(random: &mut Random, world: &World, caller: usize) -> Credential {
    if world.principals[caller].kind == PrincipalKind::Person {
        random.pick(&[Credential::Session, Credential::ConfirmedSession, Credential::PersonalToken])
    } else {
        Credential::ApiToken
    }
}

fn header(random: &mut Random, world: &World, caller: usize) -> Header {
    let agent = world.principals[caller].kind == PrincipalKind::Agent;
    if random.chance(if agent { 25 } else { 90 }) {
        return Header::Absent;
    }
    if random.chance(5) {
        return Header::Broken;
    }
    let own: Vec<_> = (0..world.runs.len()).filter(|run| world.runs[*run].agent == caller).collect();
    let run = if own.is_empty() || random.chance(10) { random.below(world.runs.len()) } else { random.pick(&own) };
    let mut header = Header::of_run(world, run);
    if let Header::Token { audience, subject, run, thread } = &mut header {
        match random.below(40) {
            0 => *audience = random.below(world.principals.len()),
            1 => *subject = random.below(world.principals.len()),
            2 => *run = None,
            3 => *run = Some(world.runs.len()),
            4 => *run = Some(random.below(world.runs.len())),
            5 => *thread = None,
            6 => *thread = Some(random.below(world.threads.len())),
            _ => {}
        }
    }
    header
}

fn target(random: &mut Random, world: &World, kind: ResourceKind, caller: usize) -> Target {
    if random.chance(3) {
        return Target::Unknown;
    }
    let mut one_of = |kind| match of_kind(world, kind).as_slice() {
        [] => Target::Unknown,
        [..] if world.principals[caller].kind == kind && random.chance(40) => Target::Principal(caller),
        all => Target::Principal(random.pick(all)),
    };
    match kind {
        ResourceKind::Instance => Target::Instance,
        ResourceKind::Own => Target::Own,
        ResourceKind::Audit => Target::Audit,
        ResourceKind::Person => one_of(PrincipalKind::Person),
        ResourceKind::Agent => one_of(PrincipalKind::Agent),
        ResourceKind::App => one_of(PrincipalKind::App),
        ResourceKind::Group => Target::Group(0),
        ResourceKind::LoginSession => Target::LoginSession(random.pick(&of_kind(world, PrincipalKind::Person))),
        ResourceKind::Token => Target::Token(random.pick(&of_kind(world, PrincipalKind::Person))),
        ResourceKind::Grant => Target::Grant(container(random, world)),
        ResourceKind::GrantTarget => Target::GrantsOn(container(random, world)),
        ResourceKind::Space => Target::Space(random.below(world.spaces.len())),
        ResourceKind::Channel => Target::Channel(random.below(world.channels.len())),
        ResourceKind::Thread => Target::Thread(random.below(world.threads.len())),
        ResourceKind::Message => Target::Message(random.below(world.messages.len())),
        ResourceKind::Run => Target::Run(random.below(world.runs.len())),
    }
}

fn container(random: &mut Random, world: &World) -> On {
    match random.below(5) {
        0 => On::Instance,
        1 | 2 => On::Space(random.below(world.spaces.len())),
        _ => On::Channel(random.below(world.channels.len())),
    }
}
