//! Limit and progress of meshing.

use std::ops::ControlFlow;

use fibula_eval::prune::Cell as Box;
use fibula_knowledge::progress::Progress;

use crate::Watch;
use crate::budget::Budget;

/// Limit of quads and progress in cells, for all threads.
pub(super) struct MeshWork<'a> {
    pub(super) quads: Budget,
    cells: Progress<'a>,
}

impl<'a> MeshWork<'a> {
    pub(super) fn new(max_quads: u64, cells: u64, watch: &'a Watch<'a>) -> Self {
        MeshWork {
            quads: Budget::new(max_quads),
            cells: Progress::new(cells, watch),
        }
    }

    /// Reports that a box of the grid is done.
    pub(super) fn pass(&self, cells: &Box) {
        self.cells.add(cells.size.iter().product::<usize>() as u64);
    }

    /// True if the watch cancelled the work.
    pub(super) fn is_ended(&self) -> bool {
        self.cells.is_ended()
    }

    /// Returns the last answer of the watch.
    pub(super) fn flow(&self) -> ControlFlow<()> {
        self.cells.flow()
    }
}
