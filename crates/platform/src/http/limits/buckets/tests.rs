use std::time::Duration;

use bothy_domain::ids::Id;
use proptest::prelude::*;
use uuid::Uuid;

use super::*;

const START: Timestamp = Timestamp::from_micros(1_900_000_000_000_000);

fn payer(number: u128) -> Payer {
    Payer::Principal(Id::from_uuid(Uuid::from_u128(number)))
}

fn after(millis: u64) -> Timestamp {
    START.plus(Duration::from_millis(millis))
}

#[test]
fn a_budget_is_used_up_and_fills_evenly() {
    let buckets = Buckets::new(Quota::share(60, 3, 1), 1000);
    let taken: Vec<Level> = (0..4).map(|_| buckets.take(payer(1), START)).collect();
    assert_eq!(taken.iter().map(|level| level.remaining).collect::<Vec<_>>(), [2, 1, 0, 0]);
    assert_eq!(taken.iter().map(|level| level.reset).collect::<Vec<_>>(), [1, 2, 3, 3]);
    assert_eq!(taken.iter().map(|level| level.wait).collect::<Vec<_>>(), [None, None, None, Some(1)]);
    assert_eq!(buckets.take(payer(1), after(999)).wait, Some(1));
    assert_eq!(buckets.take(payer(1), after(1000)).wait, None);
    assert_eq!(buckets.take(payer(2), after(1000)).remaining, 2);
    assert_eq!(buckets.look(payer(1), after(60_000)), Level { remaining: 3, reset: 0, wait: None });
    assert_eq!((buckets.quota().requests(), buckets.quota().window()), (3, 3));
}

/// C106: what all nodes grant together is no more than one budget.
#[test]
fn c106_nodes_share_a_budget() {
    let one = Quota::share(600, 40, 1);
    let four = Quota::share(600, 40, 4);
    assert_eq!((one.requests(), four.requests()), (40, 10));
    assert_eq!(one.window(), four.window());
    assert_eq!(Quota::share(1, 1, 1000).requests(), 1);
}

#[test]
fn a_clock_that_is_set_back_costs_no_more_than_one_budget() {
    let buckets = Buckets::new(Quota::share(60, 3, 1), 1000);
    assert_eq!(buckets.take(payer(1), after(3_600_000)).wait, None);
    assert!(buckets.take(payer(1), START).wait.is_some());
    assert_eq!(buckets.take(payer(1), after(1000)).wait, None);
}

/// Memory is bounded, and whoever used the most is remembered the longest.
#[test]
fn those_who_used_the_least_are_forgotten_first() {
    let buckets = Buckets::new(Quota::share(60, 10, 1), 100);
    for _ in 0..10 {
        buckets.take(payer(0), START);
    }
    for number in 1..10_000 {
        buckets.take(payer(number), START);
        assert!(buckets.tracked() <= 100);
    }
    assert!(buckets.take(payer(0), START).wait.is_some());
    // Full budgets need no memory at all.
    for number in 0..51 {
        buckets.take(payer(20_000 + number), after(60_000));
    }
    assert!(buckets.tracked() <= 100);
}

proptest! {
    /// Whatever the order of requests, nobody gets more than the burst and what flows in.
    #[test]
    fn no_more_than_burst_and_rate(per_minute in 1_u64..5000, burst in 1_u64..50, gaps in prop::collection::vec(0_u64..3000, 1..200)) {
        let buckets = Buckets::new(Quota::share(per_minute, burst, 1), 1000);
        let (mut millis, mut granted) = (0, 0);
        for gap in gaps {
            millis += gap;
            let looked = buckets.look(payer(1), after(millis));
            let taken = buckets.take(payer(1), after(millis));
            prop_assert_eq!(taken.wait.is_none(), looked.remaining > 0);
            if let Some(wait) = taken.wait {
                let later = after(millis + wait * 1000);
                prop_assert!(buckets.look(payer(1), later).remaining > 0);
            }
            granted += u64::from(taken.wait.is_none());
            // One more, since intervals are whole microseconds.
            prop_assert!(granted <= burst + millis * per_minute / 60_000 + 1);
        }
    }
}
