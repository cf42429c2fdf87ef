//! How many points a slice may have, for all threads that work on it.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many there may be and how many there are, while none is left out yet.
pub(super) struct Budget {
    most: u64,
    points: AtomicU64,
}

impl Budget {
    pub(super) fn new(most: u64) -> Budget {
        Budget {
            most,
            points: AtomicU64::new(0),
        }
    }

    /// Counts points, and says whether there may be so many.
    pub(super) fn take(&self, points: usize) -> bool {
        let points = points as u64;
        self.points.fetch_add(points, Ordering::Relaxed) + points <= self.most
    }

    /// How many were counted.
    pub(super) fn taken(&self) -> u64 {
        self.points.load(Ordering::Relaxed)
    }

    /// Whether there are too many.
    pub(super) fn is_passed(&self) -> bool {
        self.taken() > self.most
    }
}
