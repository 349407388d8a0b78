//! The events of runs: ids only (chapter 05 section 4).

use bothy_chat::ThreadFacts;
use bothy_domain::event::{Audience, EventKind, NewEvent};
use bothy_domain::ids::{MessageId, PrincipalId};

use crate::store::row::RunRow;

/// An event about a run, at the place of its thread.
fn of_run(kind: EventKind, audience: Audience, thread: &ThreadFacts, run: &RunRow) -> NewEvent {
    NewEvent {
        space: thread.channel.space,
        channel: Some(thread.channel.id),
        thread: Some(run.thread),
        run: Some(run.id),
        ..NewEvent::new(kind, audience)
    }
}

/// A run waits for its agent.
pub(crate) fn invocation(thread: &ThreadFacts, run: &RunRow) -> NewEvent {
    let message = run.trigger.map(|trigger| trigger.message);
    NewEvent { message, ..of_run(EventKind::AgentInvocation, Audience::Principal(run.agent), thread, run) }
}

/// A message reached a run.
pub(crate) fn follow_up(thread: &ThreadFacts, run: &RunRow, message: MessageId) -> NewEvent {
    NewEvent { message: Some(message), ..of_run(EventKind::AgentFollowup, Audience::Principal(run.agent), thread, run) }
}

/// The answer that a run waited for.
pub(crate) fn input_received(thread: &ThreadFacts, run: &RunRow, message: MessageId) -> NewEvent {
    NewEvent {
        message: Some(message),
        ..of_run(EventKind::RunInputReceived, Audience::Principal(run.agent), thread, run)
    }
}

/// The time of the question that a run waits with is over.
pub(crate) fn question_expired(thread: &ThreadFacts, run: &RunRow) -> NewEvent {
    of_run(EventKind::RunQuestionExpired, Audience::Principal(run.agent), thread, run)
}

/// An agent answered somebody who pressed a component of a message; `person` when only that person is
/// to know.
pub(crate) fn responded(
    thread: &ThreadFacts,
    run: &RunRow,
    target: MessageId,
    person: Option<PrincipalId>,
) -> NewEvent {
    let audience = person.map_or(Audience::Channel(thread.channel.id), Audience::Principal);
    NewEvent { message: Some(target), ..of_run(EventKind::InteractionResponded, audience, thread, run) }
}

/// A run should end.
pub(crate) fn cancel_requested(thread: &ThreadFacts, run: &RunRow) -> NewEvent {
    of_run(EventKind::RunCancelRequested, Audience::Principal(run.agent), thread, run)
}

/// A run looks different to whoever may read its channel.
pub(crate) fn updated(thread: &ThreadFacts, run: &RunRow) -> NewEvent {
    of_run(EventKind::RunUpdated, Audience::Channel(thread.channel.id), thread, run)
}
