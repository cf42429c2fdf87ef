//! The hash of what is in a knowledge graph.

use serde::Serialize;

/// The first eight bytes of the BLAKE3 hash of what follows a number in the form of postcard.
pub(super) fn hash(kind: u8, item: &impl Serialize) -> u64 {
    let bytes = postcard::to_extend(item, vec![kind]).expect("memory is enough for its bytes");
    let [a, b, c, d, e, f, g, h, ..] = *blake3::hash(&bytes).as_bytes();
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}
