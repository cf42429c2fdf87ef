//! What the work may cost: how many quads there may be, and whether it is still wanted.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use fibula_eval::prune::Cell as Part;
use fibula_knowledge::progress::Progress;

use crate::Watch;

/// How much there may be and how much there is, for all threads.
pub(super) struct Budget<'a> {
    most: u64,
    quads: AtomicU64,
    cells: Progress<'a>,
}

impl<'a> Budget<'a> {
    /// For so many quads, in a grid of so many cells.
    pub(super) fn new(most: u64, cells: u64, watch: &'a Watch<'a>) -> Self {
        Budget {
            most,
            quads: AtomicU64::new(0),
            cells: Progress::new(cells, watch),
        }
    }

    /// Counts quads, and says whether there may be so many.
    pub(super) fn take(&self, quads: usize) -> bool {
        let quads = quads as u64;
        self.quads.fetch_add(quads, Ordering::Relaxed) + quads <= self.most
    }

    /// How many there are, if they are too many.
    pub(super) fn excess(&self) -> Option<u64> {
        let quads = self.quads.load(Ordering::Relaxed);
        (quads > self.most).then_some(quads)
    }

    /// Tells whoever watches that a part of the grid is done.
    pub(super) fn pass(&self, part: &Part) {
        let cells = part.size.iter().product::<usize>() as u64;
        self.cells.add(cells);
    }

    /// Whether the work is no longer wanted.
    pub(super) fn is_ended(&self) -> bool {
        self.cells.is_ended()
    }

    /// What becomes of the rest of the work.
    pub(super) fn flow(&self) -> ControlFlow<()> {
        self.cells.flow()
    }
}
