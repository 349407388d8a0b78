//! Requests by commands and components (RC-17): recorded as a message of the person who asks, and
//! brought to their agent as a mention is. Nothing that the agent phrased comes into that message: the
//! agent follows the words of the person, and a label of its own would come back as an order.

mod command;
mod list;
mod press;
mod respond;

use std::collections::BTreeMap;

use bothy_chat::ThreadFacts;
use bothy_domain::action::ActionType;
use bothy_domain::ids::{MessageId, PrincipalId, RunId, ThreadId};
use bothy_domain::message::{MessageKind, Origin};
use bothy_domain::policy::{Denial, Outcome as DenialOutcome, Reason};
use bothy_domain::problem::{Problem, ProblemCode};
use bothy_domain::request::{ArgumentValue, Mistake};
use bothy_domain::run::TriggerKind;
use bothy_domain::session::TriggerPlace;
use bothy_domain::trigger::{MessageFacts, Outcome, Standing, addressed, decide};
use bothy_messaging::WrittenRequest;
use bothy_platform::http::Allowed;
use bothy_storage::UnitOfWork;
use serde::Serialize;

pub(crate) use command::CommandCall;
pub(crate) use press::Press;
pub(crate) use respond::Respond;

use crate::Runs;
use crate::attach::{Call, Reached};
use crate::store::row::Trigger;

/// What came of a request; told to the person who asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asked {
    /// The recorded request.
    pub(crate) message: MessageId,
    /// Where it stands.
    pub(crate) thread: ThreadId,
    /// The run that it started, or whose question it answers.
    pub(crate) run: Option<RunId>,
    /// The thread that was opened for the run.
    pub(crate) opened: Option<ThreadId>,
}

impl Runs {
    /// Brings a recorded request to its agent, under the rules and rights of a mention.
    ///
    /// # Errors
    /// `forbidden`, audited, when the person may not invoke the agent there; `conflict` when the agent
    /// is not let in, or cannot work there.
    async fn bring<A: ActionType>(
        &self,
        unit: &UnitOfWork,
        allowed: &Allowed<A>,
        request: &WrittenRequest,
        agent: PrincipalId,
        kind: TriggerKind,
    ) -> Result<Asked, Problem> {
        let (author, thread) = (allowed.actor().principal, &request.thread);
        let place = self.place_of(unit, thread).await?;
        let facts = MessageFacts {
            origin: Some(Origin::Human),
            kind: MessageKind::RunRequest,
            author,
            place: place.place(),
            switches: thread.channel.switches,
            mentioned: &[],
        };
        let candidate =
            addressed(&facts, agent).ok_or(Problem::conflict("the agent does not take part in this direct message"))?;
        let judged = self.judged(unit, author, thread, &place, &[candidate]).await?;
        let known: Vec<_> = judged.iter().map(|one| one.facts).collect();
        let decision = decide(&facts, &[candidate], &known, 1).pop();
        let outcome = decision.map_or(Outcome::Unable, |decision| decision.outcome);
        let open_thread = match outcome {
            Outcome::Start { open_thread } => open_thread,
            Outcome::FollowUp { .. } | Outcome::Wait { .. } => false,
            Outcome::NotAllowed => {
                let refusal = judged.first().and_then(|one| one.refusal).unwrap_or(Reason::LevelInsufficient);
                return Err(forbidden(allowed, refusal));
            }
            Outcome::NotAdmitted => {
                return Err(Problem::conflict("the switches of the channel do not let the agent answer here"));
            }
            Outcome::Unable | Outcome::OverLimit => {
                return Err(Problem::conflict("the agent cannot work here at present"));
            }
        };
        let opened =
            if open_thread { Some(self.open_thread(unit, thread, request.message, author).await?) } else { None };
        let call = Call {
            agent,
            author,
            operates: candidate.standing == Standing::Operator,
            kind,
            trigger: trigger_of(request),
        };
        let reached = self.attach(unit, opened.as_ref().unwrap_or(thread), call).await?;
        Ok(Asked {
            message: request.message,
            thread: thread.id,
            run: match reached {
                Reached::Started(run) => Some(run),
                Reached::Attached => None,
            },
            opened: opened.map(|thread: ThreadFacts| thread.id),
        })
    }
}

fn trigger_of(request: &WrittenRequest) -> Trigger {
    let place = TriggerPlace { thread: request.thread.id, thread_seq: request.thread_seq };
    Trigger { message: request.message, place }
}

/// Refuses from inside of the unit of work; the denial is audited after it.
fn forbidden<A: ActionType>(allowed: &Allowed<A>, reason: Reason) -> Problem {
    allowed.refuse(Denial { outcome: DenialOutcome::Forbidden, reason })
}

/// All mistakes of a request as one problem.
fn invalid(place: &str, mistakes: Vec<Mistake>) -> Result<(), Problem> {
    if mistakes.is_empty() {
        return Ok(());
    }
    let none = Problem::new(ProblemCode::ValidationFailed);
    Err(mistakes
        .into_iter()
        .map(|mistake| mistake.at(place))
        .fold(none, |problem, mistake| problem.with_error(mistake.pointer, mistake.message)))
}

/// A request line: a sign, an identifier, and what the person gave as JSON in one form, so that a
/// program can read it back.
fn line<T: Serialize>(sign: char, name: &str, given: Option<&T>) -> Result<String, Problem> {
    match given {
        None => Ok(format!("{sign}{name}")),
        Some(given) => {
            let given = serde_json::to_string(given).map_err(Problem::internal)?;
            Ok(format!("{sign}{name} {given}"))
        }
    }
}

/// The line of a command.
fn command_line(name: &str, arguments: &BTreeMap<String, ArgumentValue>) -> Result<String, Problem> {
    line('/', name, Some(arguments).filter(|arguments| !arguments.is_empty()))
}

#[cfg(test)]
mod tests;
