use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::ids::Id;

/// A map whose keys are ids. They are made by the server and mostly random, so the hash need not
/// withstand anybody who chooses them and may be as cheap as can be.
pub(super) type ById<K, V> = HashMap<Id<K>, V, BuildHasherDefault<IdHasher>>;

/// An odd number whose bits look random: 2^64 divided by the golden ratio.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Folds ids, which hash as one number of 128 bits.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    #[inline]
    fn write_u128(&mut self, id: u128) {
        let [low, high] = [id as u64, (id >> 64) as u64];
        let product = u128::from(self.0 ^ low ^ high) * u128::from(SPREAD);
        // The map places by the low bits and compares the high ones: both must depend on all.
        self.0 = product as u64 ^ (product >> 64) as u64;
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u128(u128::from(*byte)));
    }
}
