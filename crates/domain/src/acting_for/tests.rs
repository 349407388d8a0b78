use uuid::Uuid;

use super::*;
use crate::ids::Id;

fn id<K>(number: u128) -> Id<K> {
    Id::from_uuid(Uuid::from_u128(number))
}

fn claims() -> InvocationClaims {
    InvocationClaims { agent: id(1), person: id(2), run: Some(id(3)), thread: Some(id(4)), token: id(5) }
}

fn run(state: RunState) -> RunBinding {
    RunBinding { id: id(3), agent: id(1), triggered_by: id(2), thread: id(4), state }
}

/// AF-5, `TestActingForVerdict`: states.
#[test]
fn af_5_the_state_of_the_run_decides() {
    let expected = Binding { person: id(2), run: id(3), thread: id(4), token: id(5) };
    for &state in RunState::ALL {
        let result = verdict(&claims(), Some(&run(state)), id(1));
        let wanted = if state.is_active() { ActingFor::Bound(expected) } else { ActingFor::RunInactive(expected) };
        assert_eq!(result, wanted, "{state:?}");
    }
}

/// AF-5: whatever does not fit binds nothing, and names nobody.
#[test]
fn af_5_anything_that_does_not_fit_is_invalid() {
    let good = run(RunState::Running);
    assert_eq!(verdict(&claims(), None, id(1)), ActingFor::Invalid, "no such run");
    assert_eq!(verdict(&claims(), Some(&good), id(9)), ActingFor::Invalid, "another agent shows it");
    let cases = [
        ("made for another agent", InvocationClaims { agent: id(9), ..claims() }, good),
        ("another person", InvocationClaims { person: id(9), ..claims() }, good),
        ("another thread", InvocationClaims { thread: Some(id(9)), ..claims() }, good),
        ("no thread", InvocationClaims { thread: None, ..claims() }, good),
        ("no run", InvocationClaims { run: None, ..claims() }, good),
        ("run of another agent", claims(), RunBinding { agent: id(9), ..good }),
    ];
    for (what, claims, run) in cases {
        assert_eq!(verdict(&claims, Some(&run), id(1)), ActingFor::Invalid, "{what}");
    }
}
