//! Cases on which the two evaluators once disagreed, with what the chapters say of them.

use bothy_domain::action::Action;
use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::policy::{Decision, Denial, Mode, Outcome, Reason, decide};
use bothy_domain::run::RunState;

use crate::bridge::{Facts, Fault};
use crate::compare::list_disagreement;
use crate::reference::{
    self, Caps, Channel, Credential, Grant, Header, Home, On, Principal, Question, Run, Step, Target, Thread, To, World,
};

const PERSON: usize = 0;
const AGENT: usize = 1;
const APP: usize = 2;

/// AF-13 names `instance.read` among what decides alike with and without the binding, and AF-10 takes
/// rights away from an inactive person, but needs none here.
#[test]
fn af_13_the_instance_can_be_read_for_an_inactive_person() {
    let mut world = world();
    world.principals[PERSON].status = PrincipalStatus::Disabled;
    let question = Question {
        caller: AGENT,
        credential: Credential::ApiToken,
        header: Header::of_run(&world, 0),
        action: Action::InstanceRead,
        target: Target::Instance,
        mode: Mode::Request,
    };
    both_say(&world, question, Decision::Allow);
}

/// Chapter 03 section 3, step 7: `owner` comes before the session, and logging in would not help
/// somebody who is no owner. An owner's token lets ownership not count (glossary), so for it too.
#[test]
fn step_7_asks_for_an_owner_before_it_asks_for_a_session() {
    for owner in [false, true] {
        let mut world = world();
        world.principals[PERSON].owner = owner;
        let question = Question {
            credential: Credential::PersonalToken,
            action: Action::AuditRead,
            target: Target::Audit,
            ..of_person()
        };
        both_say(&world, question, refusal(Reason::OwnerRequired));
    }
}

/// Chapter 03 section 3, step 6: the author could close the thread if the channel were not archived.
/// That is the reason also when there is another way, which the author never had.
#[test]
fn step_6_says_archived_when_any_way_would_do_otherwise() {
    let mut world = world();
    world.channels[0].archived = true;
    for action in [Action::ThreadClose, Action::ThreadUpdate] {
        let question = Question { action, target: Target::Thread(0), ..of_person() };
        both_say(&world, question, refusal(Reason::Archived));
    }
}

/// Chapter 03 section 1: delivery ignores the binding and nothing else, so a list for it shows nothing
/// to a kind of principal that may never read it (section 9: lists agree with checks).
#[test]
fn a_list_for_delivery_judges_the_kind_of_subject() {
    let world = world();
    let question = Question {
        caller: APP,
        credential: Credential::ApiToken,
        action: Action::RunRead,
        mode: Mode::Delivery,
        ..of_person()
    };
    assert_eq!(list_disagreement(&world, &question, Fault::None), None);
}

fn both_say(world: &World, question: Question, expected: Decision) {
    let facts = Facts::of(world, &question, Fault::None);
    assert_eq!(reference::decide(world, &question), expected, "the reference on {question:?}");
    assert_eq!(decide(&facts.judgement(world, &question, Fault::None)), expected, "{question:?}");
}

fn refusal(reason: Reason) -> Decision {
    Decision::Deny(Denial { outcome: Outcome::Forbidden, reason })
}

fn of_person() -> Question {
    Question {
        caller: PERSON,
        credential: Credential::Session,
        header: Header::Absent,
        action: Action::ThreadRead,
        target: Target::Thread(0),
        mode: Mode::Request,
    }
}

/// A person and an app that write in a channel, and an agent in a run of the person there.
fn world() -> World {
    let principal = |kind| Principal { kind, status: PrincipalStatus::Active, owner: false, run_only: false };
    let grant = |holder| Grant {
        to: To::Principal(holder),
        on: On::Channel(0),
        level: Step::Write,
        caps: Caps::NONE,
        expires_at: None,
        revoked: false,
    };
    World {
        now: 1_000,
        principals: PrincipalKind::ALL.map(principal).to_vec(),
        grants: vec![grant(PERSON), grant(AGENT), grant(APP)],
        spaces: vec![false],
        channels: vec![Channel { home: Home::Space(0), archived: false }],
        threads: vec![Thread { channel: 0, author: PERSON, operator: None }],
        runs: vec![Run { thread: 0, agent: AGENT, triggered_by: PERSON, state: RunState::Running }],
        ..World::default()
    }
}
