//! Entries of hash tables that hold no keys of their own.

/// A part of the hash of a text, and the number of what has it: what tables hold that grow without reading texts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) hash: u32,
    pub(crate) number: u32,
}

impl Entry {
    /// The hash as tables want it, with all of its bits everywhere.
    pub(crate) fn spread(self) -> u64 {
        u64::from(self.hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}
