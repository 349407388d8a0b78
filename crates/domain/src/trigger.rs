//! When a message starts work (chapter 06 section 1, AF-19).
//!
//! The decision has two steps, so that facts are loaded only about agents that matter:
//! [`candidates`] names the agents that a message speaks to, and [`decide`] says for each what
//! happens. Edits never come here: they trigger nothing (chapter 05 section 1).

use std::collections::BTreeSet;

use crate::ids::{PrincipalId, RunId};
use crate::message::{MessageKind, Origin, words};

words! {
    /// The switch `respond_to` of a channel.
    pub enum RespondTo {
        /// In the main thread the operator answers when mentioned.
        Mention = "mention",
        /// In the main thread the operator answers every message.
        EveryMessage = "every_message",
        /// No agent answers, wherever in the channel and whoever is mentioned.
        Off = "off",
    }
}

/// The switches of a channel for agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches {
    /// Whom the operator answers in the main thread.
    pub respond_to: RespondTo,
    /// Whether the operator answers in threads without being mentioned.
    pub respond_in_threads: bool,
    /// Whether agents that do not operate the place may be called into it.
    pub allow_mentioned_agents: bool,
    /// Whether an answer in the main thread gets a thread of its own.
    pub auto_thread: bool,
}

/// Where a message was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place<'a> {
    /// The main thread of a text channel.
    Main {
        /// The channel's effective operator.
        operator: Option<PrincipalId>,
    },
    /// A thread opened from a message, or a post of a forum.
    Thread {
        /// The thread's effective operator.
        operator: Option<PrincipalId>,
    },
    /// A direct message.
    Direct {
        /// How many people take part.
        people: usize,
        /// The agents that take part.
        agents: &'a [PrincipalId],
    },
}

/// How an agent stands in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
    /// It is in charge: its sessions go on from run to run.
    Operator,
    /// It was called in and keeps no session.
    Guest,
}

impl Place<'_> {
    /// How an agent stands here. A direct message of one person and one agent is that agent's own
    /// place; in a larger one every agent is a guest.
    pub fn standing(&self, agent: PrincipalId) -> Standing {
        let in_charge = match self {
            Self::Main { operator } | Self::Thread { operator } => *operator,
            Self::Direct { .. } => self.only_agent(),
        };
        if in_charge == Some(agent) { Standing::Operator } else { Standing::Guest }
    }

    /// The agent of a direct message between it and one person.
    fn only_agent(&self) -> Option<PrincipalId> {
        match self {
            Self::Direct { people: 1, agents: [agent] } => Some(*agent),
            Self::Direct { .. } | Self::Main { .. } | Self::Thread { .. } => None,
        }
    }
}

/// A message and where it was written.
#[derive(Debug, Clone, Copy)]
pub struct MessageFacts<'a> {
    /// Who really produced it; `None` for an origin that this version does not know.
    pub origin: Option<Origin>,
    /// What it is.
    pub kind: MessageKind,
    /// Its author.
    pub author: PrincipalId,
    /// Where it was written.
    pub place: Place<'a>,
    /// The channel's switches.
    pub switches: Switches,
    /// The agents it mentions, in their order; one may stand there more than once.
    pub mentioned: &'a [PrincipalId],
}

/// An agent that a message speaks to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The agent.
    pub agent: PrincipalId,
    /// How it stands in the place.
    pub standing: Standing,
    /// Whether the message mentions it.
    pub mentioned: bool,
    /// Whether the switches let it answer here. A candidate that is not admitted was mentioned, and
    /// is listed only for the notice to the author.
    pub admitted: bool,
}

/// The agents that a message speaks to (points 1 and 2): the operator first, then guests in the
/// order of their mentions, each once. Empty for whatever a person did not write as text, so that
/// agents cannot start each other in circles.
pub fn candidates(message: &MessageFacts<'_>) -> Vec<Candidate> {
    if message.origin != Some(Origin::Human) || message.kind != MessageKind::Text {
        return Vec::new();
    }
    let mut seen = BTreeSet::new();
    let mut found: Vec<Candidate> = unmentioned(message)
        .into_iter()
        .chain(message.mentioned.iter().copied())
        .filter(|agent| is_present(message.place, *agent) && seen.insert(*agent))
        .map(|agent| candidate(message, agent))
        .collect();
    // Stable: guests keep the order of their mentions.
    found.sort_by_key(|candidate| candidate.standing == Standing::Guest);
    found
}

/// The candidate of a request that names its agent: a command or a pressed component (RC-17). It
/// reaches its agent just as a mention does, under the same switches. `None` for whatever no person
/// asked for, and for an agent that does not take part in a direct message.
pub fn addressed(request: &MessageFacts<'_>, agent: PrincipalId) -> Option<Candidate> {
    let asked = request.origin == Some(Origin::Human) && request.kind == MessageKind::RunRequest;
    (asked && is_present(request.place, agent)).then(|| Candidate { mentioned: true, ..candidate(request, agent) })
}

fn candidate(message: &MessageFacts<'_>, agent: PrincipalId) -> Candidate {
    let standing = message.place.standing(agent);
    let open_to_guests = message.switches.allow_mentioned_agents || matches!(message.place, Place::Direct { .. });
    Candidate {
        agent,
        standing,
        mentioned: message.mentioned.contains(&agent),
        admitted: message.switches.respond_to != RespondTo::Off && (standing == Standing::Operator || open_to_guests),
    }
}

/// The agent that answers here without being mentioned, if any.
fn unmentioned(message: &MessageFacts<'_>) -> Option<PrincipalId> {
    let switches = message.switches;
    if switches.respond_to == RespondTo::Off {
        return None;
    }
    match message.place {
        Place::Main { operator } => operator.filter(|_| switches.respond_to == RespondTo::EveryMessage),
        Place::Thread { operator } => operator.filter(|operator| {
            // Who calls another agent is not talking to the operator.
            switches.respond_in_threads && message.mentioned.iter().all(|agent| agent == operator)
        }),
        Place::Direct { .. } => message.place.only_agent(),
    }
}

/// A mention reaches into a direct message only agents that take part in it.
fn is_present(place: Place<'_>, agent: PrincipalId) -> bool {
    match place {
        Place::Direct { agents, .. } => agents.contains(&agent),
        Place::Main { .. } | Place::Thread { .. } => true,
    }
}

/// What the decision knows about a candidate, at this moment and under the unit of work that
/// writes the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentFacts {
    /// The agent.
    pub agent: PrincipalId,
    /// Whether it is active.
    pub active: bool,
    /// Whether it may read and write in the place in its own right.
    pub may_read_and_write: bool,
    /// Whether the author passes `agent.invoke` for it.
    pub invocable: bool,
    /// Its active run in the thread of the message.
    pub active_run: Option<ActiveRun>,
}

/// A run that is not over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActiveRun {
    /// The run.
    pub run: RunId,
    /// Its triggering person.
    pub triggered_by: PrincipalId,
}

/// What a message does to an agent that it speaks to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A run starts.
    Start {
        /// In a thread that is opened from the message, one for all agents of the message.
        /// Otherwise in the thread of the message.
        open_thread: bool,
    },
    /// The message reaches the agent in its active run, which is the author's own.
    FollowUp {
        /// That run.
        run: RunId,
    },
    /// The message waits until a run of somebody else ends (AF-19).
    Wait {
        /// That run.
        run: RunId,
    },
    /// The switches of the channel do not let the agent answer here.
    NotAdmitted,
    /// The author may not invoke the agent.
    NotAllowed,
    /// The agent is not active, or may not read and write here in its own right.
    Unable,
    /// `agent.max_invocations_per_message` other agents come before it.
    OverLimit,
}

impl Outcome {
    /// Whether the message reaches the agent, now or later.
    pub const fn invokes(self) -> bool {
        matches!(self, Self::Start { .. } | Self::FollowUp { .. } | Self::Wait { .. })
    }
}

/// The decision about one agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// The agent.
    pub agent: PrincipalId,
    /// How it stands in the place.
    pub standing: Standing,
    /// Whether the message mentions it.
    pub mentioned: bool,
    /// What happens.
    pub outcome: Outcome,
}

impl Decision {
    /// Whether the author, and nobody else, is told that a mentioned agent will not answer
    /// (point 6). An agent that would have answered unasked stays silent without a word.
    pub const fn notice(&self) -> bool {
        self.mentioned && !self.outcome.invokes()
    }
}

/// Decides what a message does to each candidate (points 3 to 6), in their order.
///
/// An agent without facts is unable: a look-up that failed starts nothing. Whether the author may
/// invoke an agent is judged before the agent's own state, so that nobody learns that state who may
/// not use the agent.
pub fn decide(
    message: &MessageFacts<'_>,
    candidates: &[Candidate],
    agents: &[AgentFacts],
    max_invocations: usize,
) -> Vec<Decision> {
    let open_thread = message.switches.auto_thread && matches!(message.place, Place::Main { .. });
    let mut invoked = 0;
    candidates
        .iter()
        .map(|candidate| {
            let facts = agents.iter().find(|facts| facts.agent == candidate.agent);
            let mut outcome = judge(message.author, candidate, facts, open_thread);
            if outcome.invokes() {
                if invoked < max_invocations {
                    invoked += 1;
                } else {
                    outcome = Outcome::OverLimit;
                }
            }
            Decision { agent: candidate.agent, standing: candidate.standing, mentioned: candidate.mentioned, outcome }
        })
        .collect()
}

fn judge(author: PrincipalId, candidate: &Candidate, facts: Option<&AgentFacts>, open_thread: bool) -> Outcome {
    if !candidate.admitted {
        return Outcome::NotAdmitted;
    }
    let Some(facts) = facts else {
        return Outcome::Unable;
    };
    if !facts.invocable {
        return Outcome::NotAllowed;
    }
    if !facts.active || !facts.may_read_and_write {
        return Outcome::Unable;
    }
    match facts.active_run {
        // A thread that is opened now has no run yet; one in the main thread does not matter.
        Some(active) if !open_thread => {
            if active.triggered_by == author {
                Outcome::FollowUp { run: active.run }
            } else {
                Outcome::Wait { run: active.run }
            }
        }
        Some(_) | None => Outcome::Start { open_thread },
    }
}

#[cfg(test)]
mod tests;
