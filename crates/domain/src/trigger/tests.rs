//! Chapter 06 section 1, point by point, then as properties over all facts.

mod places;
mod points;
mod properties;

use uuid::Uuid;

use super::{
    ActiveRun, AgentFacts, Decision, MessageFacts, Outcome, Place, RespondTo, Standing, Switches, addressed,
    candidates, decide,
};
use crate::ids::{Id, PrincipalId, RunId};
use crate::message::{MessageKind, Origin};

const ALEX: PrincipalId = Id::from_uuid(Uuid::from_u128(1));
const SAM: PrincipalId = Id::from_uuid(Uuid::from_u128(2));
// The ids run against the order of the tests, so that an order by id would show.
const LOTSE: PrincipalId = Id::from_uuid(Uuid::from_u128(9));
const TEXTER: PrincipalId = Id::from_uuid(Uuid::from_u128(8));
const RUNNER: PrincipalId = Id::from_uuid(Uuid::from_u128(7));
const RUN: RunId = Id::from_uuid(Uuid::from_u128(20));

const SWITCHES: Switches = Switches {
    respond_to: RespondTo::Mention,
    respond_in_threads: false,
    allow_mentioned_agents: true,
    auto_thread: false,
};
const MAIN: Place<'static> = Place::Main { operator: Some(LOTSE) };
const THREAD: Place<'static> = Place::Thread { operator: Some(LOTSE) };
const HERE: Outcome = Outcome::Start { open_thread: false };
const IN_NEW_THREAD: Outcome = Outcome::Start { open_thread: true };

/// A message of Alex.
fn message<'a>(place: Place<'a>, switches: Switches, mentioned: &'a [PrincipalId]) -> MessageFacts<'a> {
    MessageFacts { origin: Some(Origin::Human), kind: MessageKind::Text, author: ALEX, place, switches, mentioned }
}

/// An agent that would answer Alex.
const fn ready(agent: PrincipalId) -> AgentFacts {
    AgentFacts { agent, active: true, may_read_and_write: true, invocable: true, active_run: None }
}

const fn busy(agent: PrincipalId, triggered_by: PrincipalId) -> AgentFacts {
    AgentFacts { active_run: Some(ActiveRun { run: RUN, triggered_by }), ..ready(agent) }
}

fn all_ready() -> [AgentFacts; 3] {
    [ready(LOTSE), ready(TEXTER), ready(RUNNER)]
}

fn decided(message: &MessageFacts<'_>, agents: &[AgentFacts], max: usize) -> Vec<Decision> {
    decide(message, &candidates(message), agents, max)
}

/// What happens to whom, in order, when every agent would answer.
fn outcomes(message: &MessageFacts<'_>) -> Vec<(PrincipalId, Outcome)> {
    decided(message, &all_ready(), 10).into_iter().map(|decision| (decision.agent, decision.outcome)).collect()
}
