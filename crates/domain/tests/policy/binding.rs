//! AZ-P11: an agent in a run reads and writes nothing that its person could not.

use bothy_domain::action::{Action, Relation};
use bothy_domain::actor::{ActingFor, PrincipalKind};
use bothy_domain::policy::{Capability, Decision, Level, Mode, decide, decide_scope, scope};
use bothy_domain::time::Timestamp;

use crate::bridge::{CHANNEL, Facts, Fault, SPACE, THREAD, id};
use crate::generate;
use crate::random::{Random, seeds};
use crate::reference::{self, Header, Home, Question, Step, Target, Who, World};

const WORLDS: u64 = 10_000;
const QUESTIONS: usize = 60;

/// Everything that reads content or writes into a channel and that agents may ever do.
const CONTENT: [Action; 14] = [
    Action::ChannelRead,
    Action::SpaceRead,
    Action::ThreadRead,
    Action::MessageRead,
    Action::MessageRevisionsRead,
    Action::RunRead,
    Action::RunContextRead,
    Action::MessageCreate,
    Action::MessageUpdate,
    Action::MessageDelete,
    Action::ReactionAdd,
    Action::ReactionRemove,
    Action::ThreadCreate,
    Action::ThreadUpdate,
];

/// An allow for a bound agent implies that the person has the level and the capabilities there.
#[test]
fn az_p11_a_bound_agent_is_allowed_nothing_beyond_its_person() {
    let mut allowed = 0;
    for_each_bound_question(|world, mut question, person, seed| {
        question.action = CONTENT[seed.1 % CONTENT.len()];
        question.target = target(world, question.action, seed.1);
        let facts = Facts::of(world, &question, Fault::None);
        let ActingFor::Bound(binding) = facts.actor.acting_for else { panic!("the question is a bound one") };
        if decide(&facts.judgement(world, &question, Fault::None)) != Decision::Allow {
            return;
        }
        let own_thread = facts.resource.is_some_and(|resource| resource.path.thread == Some(binding.thread));
        if question.action == Action::MessageCreate && own_thread {
            return;
        }
        allowed += 1;
        let seed = seed.0;
        assert!(reference::sees(world, person, question.target), "BOTHY_TEST_SEED={seed} {question:?}\n{world:#?}");
        let rights = reference::rights_on(world, person, question.target);
        let could = question.action.row().any_of.iter().any(|way| {
            let level = match way.level {
                Level::None => Step::Nothing,
                Level::Read => Step::Read,
                Level::Write => Step::Write,
                Level::Trigger => Step::Trigger,
            };
            let capability = match way.capability {
                None => true,
                Some(Capability::Upload) => rights.caps.upload,
                Some(Capability::Moderate) => rights.caps.moderate,
                Some(Capability::Manage) => rights.caps.manage,
            };
            // Who wrote something is about the agent and not about its person.
            matches!(way.relation, Relation::Anybody | Relation::Author | Relation::AgentSelf)
                && rights.level >= level
                && capability
        });
        assert!(could, "BOTHY_TEST_SEED={seed} {question:?}\n{world:#?}");
    });
    assert!(allowed > 0 || std::env::args().len() == 0, "no bound agent was ever allowed anything");
}

/// What lists show to a bound agent is a part of what they show to its person.
#[test]
fn az_p11_lists_of_a_bound_agent_are_a_part_of_its_persons() {
    for_each_bound_question(|world, mut question, person, seed| {
        question.action = Action::MessageRead;
        let facts = Facts::of(world, &question, Fault::None);
        let bound = decide_scope(&facts.judgement(world, &question, Fault::None)).expect("bound agents may list");
        let theirs = crate::bridge::snapshot(world, person, Fault::None);
        let theirs = scope(&theirs, None, Timestamp::from_micros(world.now));
        let told = || format!("BOTHY_TEST_SEED={} {question:?}\n{bound:?}\n{theirs:?}\n{world:#?}", seed.0);
        for (number, channel) in world.channels.iter().enumerate() {
            let space = match channel.home {
                Home::Space(space) => Some(id(SPACE, space)),
                Home::Direct(_) => None,
            };
            let channel = id(CHANNEL, number);
            assert!(!bound.shows_channel(space, channel) || theirs.shows_channel(space, channel), "{}", told());
        }
        for space in 0..=world.spaces.len() {
            let (space, new_channel) = (id(SPACE, space), id(CHANNEL, 1_000));
            assert!(!bound.shows_space(space) || theirs.shows_space(space), "{}", told());
            let ahead = bound.shows_channel(Some(space), new_channel);
            assert!(!ahead || theirs.shows_channel(Some(space), new_channel), "{}", told());
        }
        assert!(!bound.instance_wide || theirs.instance_wide, "{}", told());
    });
}

/// AF-13: what has no place in the channel tree is decided alike with and without the binding.
#[test]
fn af_13_pathless_actions_do_not_notice_the_binding() {
    const PATHLESS: [Action; 5] = [
        Action::AgentHeartbeat,
        Action::AgentEventsConsume,
        Action::AgentTriggerersRead,
        Action::SelfRead,
        Action::InstanceRead,
    ];
    for_each_bound_question(|world, mut question, _, seed| {
        for action in PATHLESS {
            question.action = action;
            question.target = match action {
                Action::AgentTriggerersRead => Target::Principal(question.caller),
                Action::InstanceRead => Target::Instance,
                _ => Target::Own,
            };
            let alone = Question { header: Header::Absent, ..question };
            let answers = [question, alone].map(|question| {
                let facts = Facts::of(world, &question, Fault::None);
                decide(&facts.judgement(world, &question, Fault::None))
            });
            assert_eq!(answers[0], answers[1], "BOTHY_TEST_SEED={} {question:?}", seed.0);
        }
    });
}

/// Questions of agents that are bound to a run, outside delivery; with the seed of the world and the
/// number of the question.
fn for_each_bound_question(mut visit: impl FnMut(&World, Question, Who, (u64, usize))) {
    for seed in seeds(WORLDS) {
        let mut random = Random::new(seed);
        let world = generate::world(&mut random);
        for number in 0..QUESTIONS {
            let question = generate::question(&mut random, &world);
            if world.principals[question.caller].kind != PrincipalKind::Agent || question.mode == Mode::Delivery {
                continue;
            }
            let facts = Facts::of(&world, &question, Fault::None);
            let (ActingFor::Bound(binding), true) = (facts.actor.acting_for, facts.own.is_active()) else { continue };
            let run = world.runs.iter().find(|run| id(THREAD, run.thread) == binding.thread
                && id::<bothy_domain::ids::kind::Principal>(crate::bridge::PRINCIPAL, run.triggered_by) == binding.person);
            let person = run.expect("the run of a bound header").triggered_by;
            visit(&world, question, Who { principal: person, owner_counts: true }, (seed, number));
        }
    }
}

fn target(world: &World, action: Action, number: usize) -> Target {
    use bothy_domain::action::ResourceKind;
    match action.row().resource {
        ResourceKind::Space => Target::Space(number % world.spaces.len()),
        ResourceKind::Channel => Target::Channel(number % world.channels.len()),
        ResourceKind::Thread => Target::Thread(number % world.threads.len()),
        ResourceKind::Message => Target::Message(number % world.messages.len()),
        _ => Target::Run(number % world.runs.len()),
    }
}
