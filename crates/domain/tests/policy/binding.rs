//! AZ-P11: an agent in a run reads and writes nothing that its person could not.

use bothy_domain::action::{Action, Needs, ResourceKind};
use bothy_domain::policy::{Capability, Decision, Level, Mode, Scope, decide, decide_scope};

use crate::bridge::{CHANNEL, Facts, Fault, SPACE, id};
use crate::generate;
use crate::random::{Random, is_repeating, seeds};
use crate::reference::{self, Acting, Credential, Header, Home, Question, Step, Target, Who, World};

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

/// A bound agent that asks something, and what a failure says of it.
struct Asked<'a> {
    world: &'a World,
    question: Question,
    person: usize,
    own_thread: usize,
    number: usize,
    seed: u64,
}

impl Asked<'_> {
    fn told(&self) -> String {
        format!("BOTHY_TEST_SEED={}\n  {:?}\n{:#?}", self.seed, self.question, self.world)
    }

    fn answer(&self, question: &Question) -> Decision {
        let facts = Facts::of(self.world, question, Fault::None);
        decide(&facts.judgement(self.world, question, Fault::None))
    }

    fn scope(&self, question: &Question) -> Scope {
        let facts = Facts::of(self.world, question, Fault::None);
        decide_scope(&facts.judgement(self.world, question, Fault::None)).expect("reading messages is for everybody")
    }
}

/// An allow for a bound agent implies that its person has the level and the capabilities there. That
/// something is the agent's own is about the agent, and not about its person.
#[test]
fn az_p11_a_bound_agent_is_allowed_nothing_beyond_its_person() {
    let mut allowed = 0;
    for_each_bound_question(|mut asked| {
        asked.question.action = CONTENT[asked.number % CONTENT.len()];
        asked.question.target = target(asked.world, asked.question.action, asked.number);
        let question = asked.question;
        let reply = question.action == Action::MessageCreate && question.target == Target::Thread(asked.own_thread);
        if reply || asked.answer(&question) != Decision::Allow {
            return;
        }
        allowed += 1;
        let person = Who { principal: asked.person, owner_counts: true };
        assert!(reference::sees(asked.world, person, question.target), "{}", asked.told());
        let ways = question.action.row().any_of;
        assert!(ways.iter().any(|way| could(asked.world, person, question.target, way)), "{}", asked.told());
    });
    assert!(allowed > 1_000 || is_repeating(), "bound agents were allowed only {allowed} times");
}

fn could(world: &World, person: Who, target: Target, way: &Needs) -> bool {
    let rights = reference::rights_on(world, person, target);
    let level = match way.level {
        Level::None => Step::Nothing,
        Level::Read => Step::Read,
        Level::Write => Step::Write,
        Level::Trigger => Step::Trigger,
    };
    rights.level >= level
        && match way.capability {
            None => true,
            Some(Capability::Upload) => rights.caps.upload,
            Some(Capability::Moderate) => rights.caps.moderate,
            Some(Capability::Manage) => rights.caps.manage,
        }
}

/// What lists show to a bound agent is a part of what they show to its person in a session.
#[test]
fn az_p11_lists_of_a_bound_agent_are_a_part_of_its_persons() {
    let mut shown = 0;
    for_each_bound_question(|mut asked| {
        asked.question.action = Action::MessageRead;
        let bound = asked.scope(&asked.question);
        if asked.world.principals[asked.person].status != bothy_domain::actor::PrincipalStatus::Active {
            assert_eq!(bound, Scope::default(), "{}", asked.told());
            return;
        }
        let theirs = asked.scope(&Question {
            caller: asked.person,
            credential: Credential::Session,
            header: Header::Absent,
            ..asked.question
        });
        for (number, channel) in asked.world.channels.iter().enumerate() {
            let space = match channel.home {
                Home::Space(space) => Some(id(SPACE, space)),
                Home::Direct(_) => None,
            };
            let channel = id(CHANNEL, number);
            shown += usize::from(bound.shows_channel(space, channel));
            assert!(!bound.shows_channel(space, channel) || theirs.shows_channel(space, channel), "{}", asked.told());
        }
        // The last one is a space that nobody made yet.
        for space in 0..=asked.world.spaces.len() {
            let (space, new_channel) = (id(SPACE, space), id(CHANNEL, 1_000));
            assert!(!bound.shows_space(space) || theirs.shows_space(space), "{}", asked.told());
            let ahead = bound.shows_channel(Some(space), new_channel);
            assert!(!ahead || theirs.shows_channel(Some(space), new_channel), "{}", asked.told());
        }
        assert!(!bound.instance_wide || theirs.instance_wide, "{}", asked.told());
    });
    assert!(shown > 1_000 || is_repeating(), "bound agents were shown only {shown} channels");
}

/// AF-13: what has no place in the channel tree is decided alike with and without the binding.
#[test]
fn af_13_pathless_actions_do_not_notice_the_binding() {
    for_each_bound_question(|asked| {
        let pathless = [
            (Action::AgentHeartbeat, Target::Own),
            (Action::AgentEventsConsume, Target::Own),
            (Action::AgentTriggerersRead, Target::Principal(asked.question.caller)),
            (Action::SelfRead, Target::Own),
            (Action::InstanceRead, Target::Instance),
        ];
        for (action, target) in pathless {
            let bound = Question { action, target, ..asked.question };
            let alone = Question { header: Header::Absent, ..bound };
            assert_eq!(asked.answer(&bound), asked.answer(&alone), "{action:?} {}", asked.told());
        }
    });
}

/// Questions of active agents with a good token of an active run, outside delivery.
fn for_each_bound_question(mut visit: impl FnMut(Asked<'_>)) {
    for seed in seeds(WORLDS) {
        let mut random = Random::new(seed);
        let world = generate::world(&mut random);
        for number in 0..QUESTIONS {
            let question = generate::question(&mut random, &world);
            let active = world.principals[question.caller].status == bothy_domain::actor::PrincipalStatus::Active;
            let acting = reference::resolve(&world, question.caller, question.header);
            if let (Acting::Bound { person, thread, .. }, true, Mode::Request | Mode::Filter) =
                (acting, active, question.mode)
            {
                visit(Asked { world: &world, question, person, own_thread: thread, number, seed });
            }
        }
    }
}

fn target(world: &World, action: Action, number: usize) -> Target {
    match action.row().resource {
        ResourceKind::Space => Target::Space(number % world.spaces.len()),
        ResourceKind::Channel => Target::Channel(number % world.channels.len()),
        ResourceKind::Thread => Target::Thread(number % world.threads.len()),
        ResourceKind::Message => Target::Message(number % world.messages.len()),
        _ => Target::Run(number % world.runs.len()),
    }
}
