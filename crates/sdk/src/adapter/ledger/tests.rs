use super::Ledger;

#[test]
fn acknowledges_only_what_has_nothing_open_before_it() {
    let mut ledger = Ledger::default();
    assert!(ledger.begin(3) && ledger.begin(5) && ledger.begin(9));
    assert_eq!(ledger.finish(5), None);
    assert_eq!(ledger.finish(3), Some(5));
    assert_eq!(ledger.finish(9), Some(9));
}

#[test]
fn takes_each_event_once() {
    let mut ledger = Ledger::default();
    assert!(ledger.begin(3));
    assert!(!ledger.begin(3));
    assert_eq!(ledger.finish(3), Some(3));
    assert!(!ledger.begin(3));
    assert!(!ledger.begin(2));
}

#[test]
fn what_was_given_back_is_taken_again_and_acknowledged_in_its_place() {
    let mut ledger = Ledger::default();
    assert!(ledger.begin(3) && ledger.begin(5));
    ledger.give_back(3);
    assert!(ledger.begin(3));
    assert_eq!(ledger.finish(5), None);
    assert_eq!(ledger.finish(3), Some(5));
}
