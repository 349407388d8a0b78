use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};

use crate::entropy::Entropy;

/// Bytes that repeat with the same seed. For tests alone.
#[derive(Debug)]
pub struct SeededEntropy {
    seed: u64,
    blocks: AtomicU64,
}

impl SeededEntropy {
    /// A source for a seed.
    pub const fn new(seed: u64) -> Self {
        Self { seed, blocks: AtomicU64::new(0) }
    }
}

impl Entropy for SeededEntropy {
    fn fill(&self, buffer: &mut [u8]) {
        for chunk in buffer.chunks_mut(32) {
            let block = self.blocks.fetch_add(1, Ordering::Relaxed);
            let digest =
                Sha256::new().chain_update(self.seed.to_be_bytes()).chain_update(block.to_be_bytes()).finalize();
            for (byte, random) in chunk.iter_mut().zip(digest) {
                *byte = random;
            }
        }
    }
}
