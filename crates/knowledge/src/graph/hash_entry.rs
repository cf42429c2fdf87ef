//! Entries of hash tables that do not store their keys.

/// Truncated hash of a text and the number of its owner: tables grow without reading texts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HashEntry {
    pub(crate) hash: u32,
    pub(crate) number: u32,
}

impl HashEntry {
    /// Expands the hash to 64 bits for the table.
    pub(crate) fn table_hash(self) -> u64 {
        u64::from(self.hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}
