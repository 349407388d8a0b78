/// Numbers that look random and can be had again: SplitMix64.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A UUID of version 7 with the same time, as those of one busy second.
    pub(crate) fn uuid(&mut self) -> uuid::Uuid {
        let time = 0x0193_f1f0_1111_u128 << 80;
        let random = (u128::from(self.next()) << 64) | u128::from(self.next());
        let mask = (0xfff_u128 << 64) | (u128::MAX >> 66);
        uuid::Uuid::from_u128(time | (7 << 76) | (2 << 62) | (random & mask))
    }
}
