//! Properties over all facts, and the chapter written out once more.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{
    ALEX, ActiveRun, AgentFacts, LOTSE, MessageFacts, Outcome, Place, PrincipalId, RUN, RUNNER, RespondTo, SAM,
    Standing, Switches, TEXTER, candidates, decided,
};
use crate::message::{MessageKind, Origin};

const AGENTS: [PrincipalId; 3] = [LOTSE, TEXTER, RUNNER];

/// A place that owns what it names.
#[derive(Debug, Clone)]
enum OwnedPlace {
    Main(Option<PrincipalId>),
    Thread(Option<PrincipalId>),
    Direct(usize, Vec<PrincipalId>),
}

impl OwnedPlace {
    fn place(&self) -> Place<'_> {
        match self {
            Self::Main(operator) => Place::Main { operator: *operator },
            Self::Thread(operator) => Place::Thread { operator: *operator },
            Self::Direct(people, agents) => Place::Direct { people: *people, agents },
        }
    }
}

fn an_agent() -> impl Strategy<Value = PrincipalId> {
    proptest::sample::select(&AGENTS[..])
}

fn a_place() -> impl Strategy<Value = OwnedPlace> {
    prop_oneof![
        proptest::option::of(an_agent()).prop_map(OwnedPlace::Main),
        proptest::option::of(an_agent()).prop_map(OwnedPlace::Thread),
        (1usize..4, proptest::sample::subsequence(&AGENTS[..], 0..=3))
            .prop_map(|(people, agents)| OwnedPlace::Direct(people, agents)),
    ]
}

fn switches() -> impl Strategy<Value = Switches> {
    (proptest::sample::select(RespondTo::ALL), any::<[bool; 3]>()).prop_map(
        |(respond_to, [respond_in_threads, allow_mentioned_agents, auto_thread])| Switches {
            respond_to,
            respond_in_threads,
            allow_mentioned_agents,
            auto_thread,
        },
    )
}

fn agent_facts() -> impl Strategy<Value = Vec<AgentFacts>> {
    let run = proptest::option::of(proptest::sample::select(&[ALEX, SAM][..]));
    let facts = (any::<[bool; 3]>(), run, proptest::bool::weighted(0.9));
    proptest::collection::vec(facts, 3).prop_map(|all| {
        AGENTS
            .into_iter()
            .zip(all)
            .filter(|(_, (_, _, known))| *known)
            .map(|(agent, ([active, may_read_and_write, invocable], run, _))| AgentFacts {
                agent,
                active,
                may_read_and_write,
                invocable,
                active_run: run.map(|triggered_by| ActiveRun { run: RUN, triggered_by }),
            })
            .collect()
    })
}

fn origin() -> impl Strategy<Value = Option<Origin>> {
    prop_oneof![
        4 => Just(Some(Origin::Human)),
        1 => proptest::option::of(proptest::sample::select(Origin::ALL)),
    ]
}

fn kind() -> impl Strategy<Value = MessageKind> {
    prop_oneof![6 => Just(MessageKind::Text), 1 => proptest::sample::select(MessageKind::ALL)]
}

/// Points 1 and 2 for one agent: whether it answers here at all.
fn answers(message: &MessageFacts<'_>, agent: PrincipalId) -> bool {
    let mentioned = message.mentioned.contains(&agent);
    let switches = message.switches;
    if message.origin != Some(Origin::Human)
        || message.kind != MessageKind::Text
        || switches.respond_to == RespondTo::Off
    {
        return false;
    }
    match message.place {
        Place::Direct { people, agents } => agents.contains(&agent) && (mentioned || people == 1 && agents.len() == 1),
        Place::Thread { operator } if operator == Some(agent) => {
            let others = message.mentioned.iter().any(|other| *other != agent);
            mentioned || switches.respond_in_threads && !others
        }
        Place::Main { operator } if operator == Some(agent) => {
            mentioned || switches.respond_to == RespondTo::EveryMessage
        }
        Place::Thread { .. } | Place::Main { .. } => mentioned && switches.allow_mentioned_agents,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_decision_follows_the_chapter(
        place in a_place(),
        switches in switches(),
        mentioned in proptest::collection::vec(an_agent(), 0..5),
        agents in agent_facts(),
        origin in origin(),
        kind in kind(),
        max in 0usize..4,
    ) {
        let message = MessageFacts {
            origin, kind, author: ALEX, place: place.place(), switches, mentioned: &mentioned,
        };
        let decisions = decided(&message, &agents, max);

        if origin != Some(Origin::Human) || kind != MessageKind::Text {
            prop_assert!(decisions.is_empty(), "only text of a person triggers");
        }
        let invoked = decisions.iter().filter(|decision| decision.outcome.invokes()).count();
        prop_assert!(invoked <= max);
        if switches.respond_to == RespondTo::Off {
            prop_assert_eq!(invoked, 0);
        }
        let distinct: BTreeSet<_> = decisions.iter().map(|decision| decision.agent).collect();
        prop_assert_eq!(distinct.len(), decisions.len());

        // The operator first, then guests in the order of their first mention.
        let position = |agent| mentioned.iter().position(|other| *other == agent);
        let order: Vec<_> = decisions
            .iter()
            .map(|decision| (decision.standing == Standing::Guest, position(decision.agent)))
            .collect();
        prop_assert!(order.is_sorted());
        let operators =
            decisions.iter().filter(|decision| decision.standing == Standing::Operator);
        prop_assert!(operators.count() <= 1);

        let opens = switches.auto_thread && matches!(place, OwnedPlace::Main(_));
        let mut before = 0;
        for decision in &decisions {
            let facts = agents.iter().find(|facts| facts.agent == decision.agent);
            let usable = facts.is_some_and(|facts| {
                facts.active && facts.may_read_and_write && facts.invocable
            });
            let wanted = answers(&message, decision.agent) && usable;
            prop_assert_eq!(decision.outcome.invokes(), wanted && before < max);
            prop_assert_eq!(decision.outcome == Outcome::OverLimit, wanted && before >= max);
            before += usize::from(wanted);

            let run = facts.and_then(|facts| facts.active_run);
            match decision.outcome {
                Outcome::Start { open_thread } => {
                    prop_assert_eq!(open_thread, opens);
                    prop_assert!(opens || run.is_none());
                }
                Outcome::FollowUp { .. } => {
                    prop_assert!(!opens);
                    prop_assert_eq!(run.map(|run| run.triggered_by), Some(ALEX));
                }
                Outcome::Wait { .. } => {
                    prop_assert!(!opens);
                    prop_assert_eq!(run.map(|run| run.triggered_by), Some(SAM));
                }
                Outcome::NotAdmitted => prop_assert!(decision.mentioned),
                Outcome::NotAllowed | Outcome::Unable | Outcome::OverLimit => {}
            }
            prop_assert_eq!(decision.mentioned, mentioned.contains(&decision.agent));
            prop_assert_eq!(
                decision.notice(),
                decision.mentioned && !decision.outcome.invokes()
            );
        }

        // Nobody who should answer is forgotten.
        for agent in AGENTS {
            if answers(&message, agent) {
                prop_assert!(distinct.contains(&agent));
            }
        }
        prop_assert_eq!(candidates(&message).len(), decisions.len());
    }
}
