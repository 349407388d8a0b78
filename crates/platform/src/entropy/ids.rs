use std::sync::{Arc, Mutex, PoisonError};

use bothy_domain::ids::Id;
use uuid::Uuid;

use crate::clock::SharedClock;
use crate::entropy::{SharedEntropy, bytes};

/// The random part of a version 7 UUID has 74 bits.
const TAIL_BITS: u32 = 74;
pub(super) const TAIL_MASK: u128 = (1 << TAIL_BITS) - 1;
/// A fresh tail leaves its highest bit free, so that counting on does not run into the next
/// millisecond.
const FRESH_TAIL_MASK: u128 = TAIL_MASK >> 1;

/// Makes ids: version 7 UUIDs that ascend strictly within the process, also within one millisecond
/// and when the clock goes back. Clones continue one sequence.
#[derive(Debug, Clone)]
pub struct IdSource {
    clock: SharedClock,
    entropy: SharedEntropy,
    pub(super) last: Arc<Mutex<Last>>,
}

/// The id that was handed out last.
#[derive(Debug, Default)]
pub(super) struct Last {
    pub(super) millis: u64,
    pub(super) tail: u128,
}

impl IdSource {
    /// A source that takes its time and its randomness from these ports.
    pub fn new(clock: SharedClock, entropy: SharedEntropy) -> Self {
        Self { clock, entropy, last: Arc::default() }
    }

    /// The next id.
    pub fn next<K>(&self) -> Id<K> {
        let now = u64::try_from(self.clock.now().micros() / 1000).unwrap_or(0);
        let random = u128::from_be_bytes(bytes(&*self.entropy));
        // The step between neighbours is random too, so that one id does not tell the next.
        let step = (random >> TAIL_BITS & 0xffff_ffff) + 1;
        let (millis, tail) = {
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            if now > last.millis {
                *last = Last { millis: now, tail: random & FRESH_TAIL_MASK };
            } else if last.tail + step > TAIL_MASK {
                *last = Last { millis: last.millis + 1, tail: random & FRESH_TAIL_MASK };
            } else {
                last.tail += step;
            }
            (last.millis, last.tail)
        };
        Id::from_uuid(version_7(millis, tail))
    }
}

/// Lays out RFC 9562 section 5.7: 48 bits of time, the version, 12 random bits, the variant, 62
/// random bits.
fn version_7(millis: u64, tail: u128) -> Uuid {
    const LOW_BITS: u32 = 62;
    let time = u128::from(millis & 0xffff_ffff_ffff) << 80;
    let high = (tail >> LOW_BITS) << 64;
    let low = tail & ((1 << LOW_BITS) - 1);
    Uuid::from_u128(time | 7 << 76 | high | 0b10 << LOW_BITS | low)
}
