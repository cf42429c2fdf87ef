//! A limit that all threads share.

use std::sync::atomic::{AtomicU64, Ordering};

/// Maximum and count of quads of a mesh, or of points of a slice.
pub(super) struct Budget {
    max: u64,
    count: AtomicU64,
}

impl Budget {
    pub(super) fn new(max: u64) -> Budget {
        Budget {
            max,
            count: AtomicU64::new(0),
        }
    }

    /// Counts more; true while there are not too many.
    pub(super) fn take(&self, more: usize) -> bool {
        let more = more as u64;
        self.count.fetch_add(more, Ordering::Relaxed) + more <= self.max
    }

    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    pub(super) fn is_exceeded(&self) -> bool {
        self.count() > self.max
    }
}
