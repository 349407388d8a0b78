//! Randomness as a port, and the ids that are made from it.

mod ids;
mod seeded;
mod system;

use std::fmt;
use std::sync::Arc;

pub use ids::IdSource;
pub use seeded::SeededEntropy;
pub use system::{EntropyUnavailable, SystemEntropy};

/// A source of bytes that nobody can foresee.
///
/// Filling cannot fail: a process that has lost its source of randomness must not go on making
/// tokens, keys and ids, and nothing that it could answer instead would be better than stopping.
/// [`SystemEntropy`] is checked when it is made, which is where a machine without randomness gets a
/// readable error.
pub trait Entropy: Send + Sync + fmt::Debug {
    /// Overwrites the whole buffer.
    fn fill(&self, buffer: &mut [u8]);
}

/// A source that is handed around.
pub type SharedEntropy = Arc<dyn Entropy>;

/// Draws an array of bytes.
pub fn bytes<const N: usize>(entropy: &dyn Entropy) -> [u8; N] {
    let mut buffer = [0; N];
    entropy.fill(&mut buffer);
    buffer
}

#[cfg(test)]
mod tests;
