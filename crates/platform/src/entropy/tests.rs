use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use bothy_domain::ids::{MessageId, PrincipalId};
use bothy_domain::time::Timestamp;

use super::{Entropy, IdSource, SeededEntropy, SystemEntropy, bytes};
use crate::clock::ManualClock;

const START: Timestamp = Timestamp::from_micros(1_767_000_000_000_000);

fn source(seed: u64) -> (ManualClock, IdSource) {
    let clock = ManualClock::new(START);
    (clock.clone(), IdSource::new(Arc::new(clock), Arc::new(SeededEntropy::new(seed))))
}

#[test]
fn system_randomness_does_not_repeat() {
    let entropy = SystemEntropy::new().unwrap();
    assert_ne!(bytes::<32>(&entropy), bytes::<32>(&entropy));
    entropy.fill(&mut []);
}

#[test]
fn seeded_randomness_repeats_with_its_seed_alone() {
    let first: [u8; 100] = bytes(&SeededEntropy::new(1));
    assert_eq!(first, bytes(&SeededEntropy::new(1)));
    assert_ne!(first, bytes(&SeededEntropy::new(2)));
    assert_ne!(first[..32], first[32..64]);
}

#[test]
fn ids_are_version_7_and_carry_the_time() {
    let (_, ids) = source(1);
    let id: MessageId = ids.next();
    assert_eq!(id.uuid().get_version_num(), 7);
    assert_eq!(id.uuid().get_variant(), uuid::Variant::RFC4122);
    assert_eq!(id.uuid().as_u128() >> 80, u128::from(START.micros().unsigned_abs() / 1000));
}

#[test]
fn ids_ascend_within_a_millisecond_over_it_and_when_the_clock_goes_back() {
    let (clock, ids) = source(2);
    let mut last: PrincipalId = ids.next();
    for round in 0..30_000_u32 {
        match round % 1000 {
            300 => clock.advance(Duration::from_micros(700)),
            600 => clock.set(START.minus(Duration::from_secs(60))),
            _ => {}
        }
        let next = ids.next();
        assert!(next > last, "{next} does not follow {last}");
        last = next;
    }
}

#[test]
fn a_millisecond_that_is_used_up_borrows_from_the_next() {
    #[derive(Debug)]
    struct Ones;
    impl Entropy for Ones {
        fn fill(&self, buffer: &mut [u8]) {
            buffer.fill(0xff);
        }
    }
    let ids = IdSource::new(Arc::new(ManualClock::new(START)), Arc::new(Ones));
    ids.last.lock().unwrap().millis = START.micros().unsigned_abs() / 1000;
    ids.last.lock().unwrap().tail = super::ids::TAIL_MASK;
    let borrowed: MessageId = ids.next();
    assert_eq!(borrowed.uuid().as_u128() >> 80, u128::from(START.micros().unsigned_abs() / 1000 + 1));
    assert_eq!(borrowed.uuid().get_version_num(), 7);
}

#[test]
fn threads_never_share_an_id() {
    let (_, ids) = source(3);
    let drawn: Vec<MessageId> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let ids = ids.clone();
                scope.spawn(move || (0..5_000).map(|_| ids.next()).collect::<Vec<MessageId>>())
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let distinct: HashSet<_> = drawn.iter().collect();
    assert_eq!(distinct.len(), 20_000);
}
