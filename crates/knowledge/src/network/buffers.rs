//! Working memory of searches, which a pool keeps for later searches.

use super::adjacency::Step;
use super::visited::{Reusable, VisitedBits, VisitedEpochs, clear_and_shrink};

/// Working memory of a breadth-first search.
#[derive(Debug)]
pub(super) struct BfsBuffers {
    pub(super) seen: VisitedEpochs,
    /// Reached vertices with the edges by which they were reached, in order.
    pub(super) reached: Vec<Step>,
}

/// Working memory of one side of a bidirectional search.
#[derive(Debug)]
pub(super) struct FrontierBuffers {
    pub(super) marks: VisitedBits,
    /// Reached vertices with the edges by which they were reached; the first is the end itself.
    pub(super) queue: Vec<Step>,
    /// Length of the queue after each expanded vertex.
    pub(super) counts: Vec<u32>,
}

impl Reusable for BfsBuffers {
    fn new(vertices: usize) -> BfsBuffers {
        let (seen, reached) = (VisitedEpochs::new(vertices), Vec::new());
        BfsBuffers { seen, reached }
    }

    fn clear(&mut self) {
        self.seen.clear();
        clear_and_shrink(&mut self.reached);
    }
}

impl Reusable for FrontierBuffers {
    fn new(vertices: usize) -> FrontierBuffers {
        FrontierBuffers {
            marks: VisitedBits::new(vertices),
            queue: Vec::new(),
            counts: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.marks.clear();
        clear_and_shrink(&mut self.queue);
        clear_and_shrink(&mut self.counts);
    }
}
