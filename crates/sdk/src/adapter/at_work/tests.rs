use futures::FutureExt;
use serde_json::json;

use super::{AtWork, Cancelled};
use crate::wire::{AgentEvent, Pulse};

const FIRST: &str = "01890000-0000-7000-8000-000000000001";
const SECOND: &str = "01890000-0000-7000-8000-000000000002";

fn invocation(position: i64, run: &str) -> AgentEvent {
    let event = json!({ "position": position, "kind": "agent.invocation", "run_id": run, "invocation_token": "a.b.c" });
    serde_json::from_value(event).unwrap()
}

fn is_requested(cancelled: Cancelled) -> bool {
    cancelled.requested().now_or_never().is_some()
}

#[test]
fn only_the_run_that_was_named_is_asked_to_stop() {
    let mut at_work = AtWork::default();
    let first = at_work.begin(&invocation(1, FIRST));
    let second = at_work.begin(&invocation(2, SECOND));
    at_work.cancel(Some(SECOND.parse().unwrap()));
    assert!(is_requested(second));
    assert!(!is_requested(first));
}

#[test]
fn a_run_that_the_server_does_not_name_any_more_is_stopped() {
    let mut at_work = AtWork::default();
    let (first, second, third) = (
        at_work.begin(&invocation(1, FIRST)),
        at_work.begin(&invocation(2, SECOND)),
        at_work.begin(&invocation(3, SECOND)),
    );
    at_work.end(3);
    let pulse = json!({ "runs": [{ "run_id": FIRST, "state": "running" }], "lease_expires_at": "later" });
    at_work.keep(&serde_json::from_value::<Pulse>(pulse).unwrap());
    assert!(!is_requested(first));
    assert!(is_requested(second));
    assert!(!is_requested(third));
}

#[test]
fn other_events_are_no_work() {
    let mut at_work = AtWork::default();
    let event = serde_json::from_value(json!({ "position": 1, "kind": "message.created", "run_id": FIRST })).unwrap();
    assert!(!is_requested(at_work.begin(&event)));
    assert!(at_work.runs().is_empty());
}
