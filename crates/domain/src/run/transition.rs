//! The one table of transitions (chapter 06 section 2).

use super::{CancelReason, EndReason, Outcome, RunState};

/// Something that wants to change a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunCommand {
    /// `startRun`: the agent commits itself to the work.
    Start,
    /// `awaitRunInput`: the agent asks the triggering person.
    AwaitInput,
    /// `resumeRun`: the agent goes on after the person answered.
    Resume {
        /// Whether an answer has arrived since the question, or the time of the question is over.
        input_arrived: bool,
    },
    /// `finishRun`: the agent ends the run.
    Finish(Outcome),
    /// A person, a revocation or a deletion asks for the end of the run.
    RequestCancel(CancelReason),
    /// `agent.cancel_grace` passed after a request to cancel. The caller has checked that there
    /// was a request and that the time is over.
    ExpireCancelGrace,
    /// `agent.queue_timeout` passed. The caller has checked the time.
    ExpireQueue,
    /// `agent.lease_timeout` passed without a heartbeat, or an answer arrived and the agent did not go
    /// on. The caller has checked that and the time.
    LoseLease,
}

/// What a command does to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// The run goes on in another state.
    Moved(RunState),
    /// The run has ended.
    Ended {
        /// The terminal state.
        state: RunState,
        /// Why, as it is stored.
        reason: EndReason,
    },
    /// The state stays; the agent is told to end the run (`run.cancel_requested`).
    CancelRequested(CancelReason),
    /// The run ended in just this way before: answer as then, and write nothing.
    Unchanged,
}

/// Why a command does not apply to a run in its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TransitionRefused {
    /// The run was started before (409 `already_started`).
    #[error("the run was already started")]
    AlreadyStarted,
    /// The run was not started yet.
    #[error("the run was not started yet")]
    NotStarted,
    /// The run is waiting for input already.
    #[error("the run is already waiting for input")]
    AlreadyWaiting,
    /// The run is not waiting for input.
    #[error("the run is not waiting for input")]
    NotWaiting,
    /// The run is waiting for input, and none has arrived.
    #[error("no input has arrived yet")]
    NoInput,
    /// The run has ended.
    #[error("the run has ended")]
    Inactive,
    /// The run has ended with another outcome.
    #[error("the run has ended with another outcome")]
    OutcomeConflict,
}

/// Applies a command to a run in a state. Writers call it inside a unit of work that changes the
/// row only while the state is still the one judged here, so that two changes cannot both win.
///
/// # Errors
/// [`TransitionRefused`] when the command does not apply in this state.
pub fn apply(state: RunState, command: &RunCommand) -> Result<Applied, TransitionRefused> {
    use RunCommand as Command;
    use RunState::{Cancelled, Completed, Failed, Queued, Running, WaitingInput};
    use TransitionRefused as Refused;

    let ended = |state, reason| Ok(Applied::Ended { state, reason });
    match (state, command) {
        (Queued, Command::Start) => Ok(Applied::Moved(Running)),
        (Running | WaitingInput, Command::Start) => Err(Refused::AlreadyStarted),

        (Running, Command::AwaitInput) => Ok(Applied::Moved(WaitingInput)),
        (WaitingInput, Command::AwaitInput) => Err(Refused::AlreadyWaiting),

        (WaitingInput, Command::Resume { input_arrived: true }) => Ok(Applied::Moved(Running)),
        (WaitingInput, Command::Resume { input_arrived: false }) => Err(Refused::NoInput),
        (Running, Command::Resume { .. }) => Err(Refused::NotWaiting),

        // An agent may give up or be stopped before it starts, but it cannot have done the work.
        (Queued, Command::Finish(Outcome::Completed)) => Err(Refused::NotStarted),
        (Queued | Running | WaitingInput, Command::Finish(outcome)) => ended(outcome.state(), outcome.end_reason()),

        // Nobody works on a queued run, so there is nobody to ask.
        (Queued, Command::RequestCancel(reason)) => ended(Cancelled, reason.end_reason()),
        (Running | WaitingInput, Command::RequestCancel(reason)) => Ok(Applied::CancelRequested(*reason)),
        (Running | WaitingInput, Command::ExpireCancelGrace) => ended(Cancelled, EndReason::CancelGraceExpired),

        (Queued, Command::ExpireQueue) => ended(Failed, EndReason::AgentUnavailable),
        (Running | WaitingInput, Command::ExpireQueue) => Err(Refused::AlreadyStarted),

        // The person may take long; the agent that has the answer may not.
        (Running | WaitingInput, Command::LoseLease) => ended(Failed, EndReason::AgentLost),

        (Queued, Command::AwaitInput | Command::Resume { .. } | Command::ExpireCancelGrace | Command::LoseLease) => {
            Err(Refused::NotStarted)
        }

        (Completed | Failed | Cancelled, Command::Finish(outcome)) => {
            if outcome.state() == state {
                Ok(Applied::Unchanged)
            } else {
                Err(Refused::OutcomeConflict)
            }
        }
        (
            Completed | Failed | Cancelled,
            Command::Start
            | Command::AwaitInput
            | Command::Resume { .. }
            | Command::RequestCancel(_)
            | Command::ExpireCancelGrace
            | Command::ExpireQueue
            | Command::LoseLease,
        ) => Err(Refused::Inactive),
    }
}
