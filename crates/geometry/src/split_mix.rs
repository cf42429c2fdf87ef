//! Random numbers by their indices: the generator `SplitMix64` (Steele, Lea and Flood, *Fast splittable pseudorandom number
//! generators*, 2014).

/// Returns a number from 0 to 1 for an index.
pub(crate) fn random(index: u64) -> f64 {
    let mut bits = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}
