//! What searches have seen, which they lend to each other with the memory for it.

use super::adjacency::Step;
use super::marks::{Marks, Reused, Rounds, emptied};

/// What a search for what is near has reached.
#[derive(Debug)]
pub(super) struct Walked {
    pub(super) seen: Rounds,
    /// In the order in which it was.
    pub(super) reached: Vec<Step>,
}

/// What a search from one end of a path saw.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) marks: Marks,
    /// The vertices, each with the edge by which it was reached; at first the end.
    pub(super) queue: Vec<Step>,
    /// How many were seen when each that was looked at had been.
    pub(super) counts: Vec<u32>,
}

impl Reused for Walked {
    fn new(vertices: usize) -> Walked {
        Walked {
            seen: Rounds::new(vertices),
            reached: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.seen.clear();
        emptied(&mut self.reached);
    }
}

impl Reused for Seen {
    fn new(vertices: usize) -> Seen {
        Seen {
            marks: Marks::new(vertices),
            queue: Vec::new(),
            counts: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.marks.clear();
        emptied(&mut self.queue);
        emptied(&mut self.counts);
    }
}
