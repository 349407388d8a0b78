//! Every state with every command, and what becomes of follow-ups.

mod follow_up;
mod transition;

use super::{CancelReason, EndReason, ErrorClass, InvalidErrorClass, Outcome, RunState, TriggerKind, has_context};

#[test]
fn words_are_stored_and_read_back() {
    for state in RunState::ALL {
        assert_eq!(RunState::parse(state.as_str()), Ok(*state));
    }
    for kind in TriggerKind::ALL {
        assert_eq!(TriggerKind::parse(kind.as_str()), Ok(*kind));
    }
    for reason in EndReason::ALL {
        assert_eq!(EndReason::parse(reason.as_str()), Ok(*reason));
    }
    for reason in CancelReason::ALL {
        assert_eq!(CancelReason::parse(reason.as_str()), Ok(*reason));
    }
    assert!(RunState::parse("Queued").is_err());
}

#[test]
fn three_states_are_active_and_the_others_are_ended() {
    use RunState::{Cancelled, Completed, Failed, Queued, Running, WaitingInput};
    for state in [Queued, Running, WaitingInput] {
        assert!(state.is_active() && !state.is_terminal());
    }
    for state in [Completed, Failed, Cancelled] {
        assert!(!state.is_active() && state.is_terminal());
    }
}

#[test]
fn a_token_is_renewed_for_a_queued_or_waiting_run_only() {
    let renewable: Vec<_> = RunState::ALL.iter().filter(|state| state.may_renew_token()).collect();
    assert_eq!(renewable, [&RunState::Queued, &RunState::WaitingInput]);
}

#[test]
fn rc1_rc21_a_context_exists_while_active_and_until_access_is_revoked() {
    let requests =
        [None, Some(CancelReason::Requested), Some(CancelReason::TriggerDeleted), Some(CancelReason::AccessRevoked)];
    for state in RunState::ALL {
        for request in requests {
            let expected = state.is_active() && request != Some(CancelReason::AccessRevoked);
            assert_eq!(has_context(*state, request), expected, "{state} {request:?}");
        }
    }
    assert!(has_context(RunState::Queued, None), "an adapter reads before it starts");
}

#[test]
fn outcomes_know_their_state_and_reason() {
    let failed = Outcome::Failed { error_class: ErrorClass::new("timeout").unwrap() };
    assert_eq!(Outcome::Completed.state(), RunState::Completed);
    assert_eq!(failed.state(), RunState::Failed);
    assert_eq!(Outcome::Cancelled.state(), RunState::Cancelled);
    assert_eq!(Outcome::Completed.end_reason(), EndReason::Completed);
    assert_eq!(failed.end_reason(), EndReason::Failed);
    assert_eq!(Outcome::Cancelled.end_reason(), EndReason::Cancelled);
}

#[test]
fn an_error_class_is_a_short_word() {
    let longest = "a".repeat(ErrorClass::MAX_LEN);
    for text in ["timeout", "model_error", "http_503", longest.as_str()] {
        assert_eq!(ErrorClass::new(text).map(|class| class.as_str().to_owned()), Ok(text.into()));
    }
    let too_long = "a".repeat(ErrorClass::MAX_LEN + 1);
    for text in ["", "5xx", "_x", "Timeout", "two words", "naïve", "a\n", too_long.as_str()] {
        assert_eq!(ErrorClass::new(text), Err(InvalidErrorClass), "{text}");
    }
}
