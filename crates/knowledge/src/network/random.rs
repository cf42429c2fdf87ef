//! Pseudorandom numbers, reproducible across machines and versions.

use rustc_hash::FxHashSet;

/// `SplitMix64` (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014).
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to below `end`, which is above 0; the bias is below 2^-32.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u32
    }

    /// Returns a number in [0, 1).
    pub(super) fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Shuffles a list (Fisher and Yates, in the version of Durstenfeld, 1964).
    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for end in (1..list.len() as u32).rev() {
            list.swap(end as usize, self.below(end + 1) as usize);
        }
    }

    /// Returns `count` distinct numbers below `end`, sorted (Floyd's algorithm: Bentley, Programming pearls, 1987).
    pub(super) fn sample(&mut self, count: u32, end: u32) -> Vec<u32> {
        let mut chosen = FxHashSet::default();
        for number in end - count.min(end)..end {
            let one = self.below(number + 1);
            if !chosen.insert(one) {
                chosen.insert(number);
            }
        }
        let mut chosen: Vec<u32> = chosen.into_iter().collect();
        chosen.sort_unstable();
        chosen
    }
}
