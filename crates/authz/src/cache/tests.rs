use std::sync::Arc;

use bothy_domain::actor::{PrincipalKind, PrincipalStatus};
use bothy_domain::ids::PrincipalId;
use bothy_domain::policy::{Snapshot, SnapshotFacts};
use uuid::Uuid;

use super::{Answer, Cache};

fn person(number: u128) -> PrincipalId {
    PrincipalId::from_uuid(Uuid::from_u128(number))
}

fn snapshot(number: u128) -> Arc<Snapshot> {
    Arc::new(Snapshot::new(SnapshotFacts {
        principal: person(number),
        kind: PrincipalKind::Person,
        status: PrincipalStatus::Active,
        owner: false,
        grants: Vec::new(),
        directs: Vec::new(),
    }))
}

fn word(answer: &Answer) -> String {
    match answer {
        Answer::Warm(_) => "warm".to_owned(),
        Answer::Cold => "cold".to_owned(),
        Answer::Behind(from) => format!("behind {from}"),
    }
}

/// A cache that is true for version 5 and holds persons 1 and 2, loaded at version 5.
fn cache() -> Cache {
    let cache = Cache::new(100);
    assert_eq!(word(&cache.get(5, (person(1), false))), "cold");
    for number in [1, 2] {
        for ownership in [false, true] {
            cache.put(5, (person(number), ownership), &snapshot(number));
        }
    }
    cache
}

#[test]
fn it_answers_for_its_version_and_earlier_ones_but_not_for_later_ones() {
    let cache = cache();
    for version in [4, 5] {
        assert_eq!(word(&cache.get(version, (person(1), false))), "warm");
    }
    assert_eq!(word(&cache.get(6, (person(1), false))), "behind 5");
    assert_eq!(word(&cache.get(5, (person(3), false))), "cold");
}

#[test]
fn a_change_forgets_both_variants_of_whom_it_touched_and_nobody_else() {
    let cache = cache();
    cache.apply(5, 7, Some(&[(6, Some(person(1))), (7, None)]));
    for ownership in [false, true] {
        assert_eq!(word(&cache.get(7, (person(1), ownership))), "cold");
        assert_eq!(word(&cache.get(7, (person(2), ownership))), "warm");
    }
}

#[test]
fn what_was_loaded_at_the_change_or_later_stays() {
    let cache = cache();
    cache.put(6, (person(1), false), &snapshot(1));
    cache.put(7, (person(2), false), &snapshot(2));
    cache.apply(5, 6, Some(&[(6, Some(person(1))), (6, Some(person(2)))]));
    assert_eq!(word(&cache.get(6, (person(1), false))), "warm");
    assert_eq!(word(&cache.get(6, (person(1), true))), "cold");
    assert_eq!(word(&cache.get(6, (person(2), false))), "warm");
}

#[test]
fn a_reader_that_began_before_a_change_cannot_put_back_an_old_snapshot() {
    let cache = cache();
    cache.apply(5, 6, Some(&[(6, Some(person(1)))]));
    cache.put(5, (person(1), false), &snapshot(1));
    assert_eq!(word(&cache.get(6, (person(1), false))), "cold");
}

#[test]
fn a_late_apply_of_what_is_known_already_changes_nothing() {
    let cache = cache();
    cache.apply(5, 7, Some(&[(6, Some(person(1)))]));
    cache.put(7, (person(1), false), &snapshot(1));
    cache.apply(5, 6, Some(&[(6, Some(person(1)))]));
    assert_eq!(word(&cache.get(7, (person(1), false))), "warm");
}

#[test]
fn without_the_record_of_changes_everything_is_forgotten() {
    let cache = cache();
    cache.apply(5, 9, None);
    assert_eq!(word(&cache.get(9, (person(2), true))), "cold");
    // Changes from later than the cache knows leave a gap, which counts as not known.
    let cache = self::cache();
    cache.apply(7, 9, Some(&[(8, Some(person(1)))]));
    assert_eq!(word(&cache.get(9, (person(2), true))), "cold");
}

#[test]
fn it_is_bounded_and_forgets_what_was_not_used_for_longest() {
    let cache = Cache::new(10);
    for number in 1..=10 {
        cache.put(1, (person(number), false), &snapshot(number));
    }
    assert_eq!(word(&cache.get(1, (person(1), false))), "warm");
    cache.put(1, (person(11), false), &snapshot(11));
    assert_eq!(cache.lock().entries.len(), 9);
    assert_eq!(word(&cache.get(1, (person(1), false))), "warm");
    assert_eq!(word(&cache.get(1, (person(2), false))), "cold");
    assert_eq!(word(&cache.get(1, (person(11), false))), "warm");
    for size in [1, 2] {
        let small = Cache::new(size);
        for number in 1..=20 {
            small.put(1, (person(number), false), &snapshot(number));
            assert!(small.lock().entries.len() <= size);
            assert_eq!(word(&small.get(1, (person(number), false))), "warm");
        }
    }
}
