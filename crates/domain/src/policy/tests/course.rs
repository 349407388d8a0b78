use std::hash::{BuildHasher, BuildHasherDefault};

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::policy::by_id::IdHasher;
use crate::policy::course::Course;

const ENDS: [Option<i64>; 6] = [None, Some(i64::MIN), Some(10), Some(20), Some(30), Some(i64::MAX)];
const TIMES: [i64; 9] = [i64::MIN, 9, 10, 11, 20, 29, 30, 31, i64::MAX];

fn grants() -> impl Strategy<Value = Vec<GrantFact>> {
    let one = (0..Level::ALL.len(), 0_u8..8, 0..ENDS.len()).prop_map(|(level, capabilities, end)| GrantFact {
        target: GrantTarget::Instance,
        rights: Rights { level: Level::ALL[level], capabilities: Capabilities::from_bits(capabilities) },
        expires_at: ENDS[end].map(Timestamp::from_micros),
    });
    vec(one, 0..6)
}

proptest! {
    /// AZ-3: at each moment what the live grants give together.
    #[test]
    fn az_3_a_course_is_the_union_of_what_is_live(grants in grants()) {
        let course = Course::of(&grants);
        for now in TIMES.map(Timestamp::from_micros) {
            let live = grants.iter().filter(|grant| grant.expires_at.is_none_or(|end| end > now));
            let union = live.fold(Rights::NONE, |rights, grant| rights.union(grant.rights));
            prop_assert_eq!(course.at(now), union, "{:?} at {}", &grants, now.micros());
        }
    }
}

#[test]
fn ids_of_one_moment_and_of_any_form_hash_apart() {
    let hasher = BuildHasherDefault::<IdHasher>::default();
    let ids = (0..10_000_u128).map(|number| Uuid::from_u128((0x0193_f1f0_1111_7000 << 64) | (number << 40)));
    let places: std::collections::BTreeSet<u64> =
        ids.map(|uuid| hasher.hash_one(Id::<()>::from_uuid(uuid)) % 16_384).collect();
    assert!(places.len() > 5_000, "only {} of 16,384 places are used", places.len());
    assert_ne!(hasher.hash_one("one text"), hasher.hash_one("two text"));
}
