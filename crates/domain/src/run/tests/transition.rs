//! The transition table: written out once more as rows, then its properties over all pairs.

use super::super::{
    Applied, CancelReason, EndReason, ErrorClass, Outcome, RunCommand, RunState, TransitionRefused as Refused, apply,
};
use RunState::{Cancelled, Completed, Failed, Queued, Running, WaitingInput};

fn failed() -> Outcome {
    Outcome::Failed { error_class: ErrorClass::new("model_error").unwrap() }
}

fn commands() -> Vec<RunCommand> {
    vec![
        RunCommand::Start,
        RunCommand::AwaitInput,
        RunCommand::Resume { input_arrived: false },
        RunCommand::Resume { input_arrived: true },
        RunCommand::Finish(Outcome::Completed),
        RunCommand::Finish(failed()),
        RunCommand::Finish(Outcome::Cancelled),
        RunCommand::RequestCancel(CancelReason::Requested),
        RunCommand::RequestCancel(CancelReason::AccessRevoked),
        RunCommand::RequestCancel(CancelReason::TriggerDeleted),
        RunCommand::ExpireCancelGrace,
        RunCommand::ExpireQueue,
        RunCommand::LoseLease,
    ]
}

fn to(state: RunState) -> Result<Applied, Refused> {
    Ok(Applied::Moved(state))
}

fn end(state: RunState, reason: EndReason) -> Result<Applied, Refused> {
    Ok(Applied::Ended { state, reason })
}

fn asked(reason: CancelReason) -> Result<Applied, Refused> {
    Ok(Applied::CancelRequested(reason))
}

/// The results for each command of [`commands`], in its order.
fn expected(state: RunState) -> [Result<Applied, Refused>; 13] {
    let unchanged = Ok(Applied::Unchanged);
    let conflict = Err(Refused::OutcomeConflict);
    let over = Err(Refused::Inactive);
    match state {
        Queued => [
            to(Running),
            Err(Refused::NotStarted),
            Err(Refused::NotStarted),
            Err(Refused::NotStarted),
            Err(Refused::NotStarted),
            end(Failed, EndReason::Failed),
            end(Cancelled, EndReason::Cancelled),
            end(Cancelled, EndReason::Cancelled),
            end(Cancelled, EndReason::AccessRevoked),
            end(Cancelled, EndReason::TriggerDeleted),
            Err(Refused::NotStarted),
            end(Failed, EndReason::AgentUnavailable),
            Err(Refused::NotStarted),
        ],
        Running => [
            Err(Refused::AlreadyStarted),
            to(WaitingInput),
            Err(Refused::NotWaiting),
            Err(Refused::NotWaiting),
            end(Completed, EndReason::Completed),
            end(Failed, EndReason::Failed),
            end(Cancelled, EndReason::Cancelled),
            asked(CancelReason::Requested),
            asked(CancelReason::AccessRevoked),
            asked(CancelReason::TriggerDeleted),
            end(Cancelled, EndReason::CancelGraceExpired),
            Err(Refused::AlreadyStarted),
            end(Failed, EndReason::AgentLost),
        ],
        WaitingInput => [
            Err(Refused::AlreadyStarted),
            Err(Refused::AlreadyWaiting),
            Err(Refused::NoInput),
            to(Running),
            end(Completed, EndReason::Completed),
            end(Failed, EndReason::Failed),
            end(Cancelled, EndReason::Cancelled),
            asked(CancelReason::Requested),
            asked(CancelReason::AccessRevoked),
            asked(CancelReason::TriggerDeleted),
            end(Cancelled, EndReason::CancelGraceExpired),
            Err(Refused::AlreadyStarted),
            end(Failed, EndReason::AgentLost),
        ],
        Completed => [over, over, over, over, unchanged, conflict, conflict, over, over, over, over, over, over],
        Failed => [over, over, over, over, conflict, unchanged, conflict, over, over, over, over, over, over],
        Cancelled => [over, over, over, over, conflict, conflict, unchanged, over, over, over, over, over, over],
    }
}

#[test]
fn every_state_with_every_command() {
    for state in RunState::ALL {
        for (command, expected) in commands().iter().zip(expected(*state)) {
            assert_eq!(apply(*state, command), expected, "{state} {command:?}");
        }
    }
    assert_eq!(commands().len(), expected(Queued).len());
}

#[test]
fn an_ended_run_never_changes() {
    for state in RunState::ALL.iter().filter(|state| state.is_terminal()) {
        for command in commands() {
            let result = apply(*state, &command);
            assert!(matches!(result, Ok(Applied::Unchanged) | Err(_)), "{state} {command:?}");
        }
    }
}

#[test]
fn a_run_ends_only_in_a_terminal_state_and_moves_only_to_an_active_one() {
    for state in RunState::ALL {
        for command in commands() {
            match apply(*state, &command) {
                Ok(Applied::Moved(next)) => assert!(next.is_active() && next != *state),
                Ok(Applied::Ended { state: next, .. }) => assert!(next.is_terminal()),
                Ok(Applied::CancelRequested(_)) => assert!(state.is_active()),
                Ok(Applied::Unchanged) => assert!(state.is_terminal()),
                Err(_) => {}
            }
        }
    }
}

#[test]
fn c66_nothing_stays_active_for_ever() {
    // From each active state the server alone, without the agent, reaches an end.
    for (state, command) in [
        (Queued, RunCommand::ExpireQueue),
        (Running, RunCommand::LoseLease),
        (Running, RunCommand::ExpireCancelGrace),
        (WaitingInput, RunCommand::ExpireCancelGrace),
        (WaitingInput, RunCommand::LoseLease),
    ] {
        assert!(matches!(apply(state, &command), Ok(Applied::Ended { .. })), "{state}");
    }
}

#[test]
fn c67_a_worker_that_comes_back_after_its_lease_changes_nothing() {
    let Ok(Applied::Ended { state, .. }) = apply(Running, &RunCommand::LoseLease) else {
        panic!("a running run without a heartbeat ends");
    };
    for late in [RunCommand::Start, RunCommand::AwaitInput] {
        assert_eq!(apply(state, &late), Err(Refused::Inactive));
    }
    assert_eq!(apply(state, &RunCommand::Finish(Outcome::Completed)), Err(Refused::OutcomeConflict));
}

#[test]
fn the_same_outcome_again_is_the_same_answer_whatever_the_error_class() {
    let other = Outcome::Failed { error_class: ErrorClass::new("timeout").unwrap() };
    assert_eq!(apply(Failed, &RunCommand::Finish(failed())), Ok(Applied::Unchanged));
    assert_eq!(apply(Failed, &RunCommand::Finish(other)), Ok(Applied::Unchanged));
}
