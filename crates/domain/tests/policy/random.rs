//! Numbers that look random and can be had again: SplitMix64.

use std::hash::{BuildHasher, RandomState};

/// A source of numbers.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// A source whose numbers depend on the seed alone.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Whether something happens that happens `percent` times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of them.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// The seeds to go through: the one in `BOTHY_TEST_SEED`, or `count` others than last time; fewer
/// when `BOTHY_TEST_WORLDS` says so, which is for mutation runs.
pub fn seeds(count: u64) -> impl Iterator<Item = u64> {
    let (first, count) = match wanted_seed() {
        Some(seed) => (seed, 1),
        None => (RandomState::new().hash_one(0) >> 16, number("BOTHY_TEST_WORLDS").unwrap_or(count)),
    };
    first..first + count
}

/// Whether one world is repeated, or fewer are asked than usual, which says nothing of what all of
/// them together reach.
pub fn is_repeating() -> bool {
    wanted_seed().is_some() || number("BOTHY_TEST_WORLDS").is_some()
}

fn wanted_seed() -> Option<u64> {
    number("BOTHY_TEST_SEED")
}

#[expect(clippy::disallowed_methods, reason = "switches of a test, such as the number of the world that it printed")]
fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is a number")))
}
