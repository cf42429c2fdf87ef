//! Whether the rest of a file is still wanted.

use std::ops::ControlFlow;

use super::error::{Place, Problem, ReadError};

/// Bytes between two questions.
const STEP: usize = 1 << 18;

/// Whoever watches the reading.
pub(super) struct Watched<'a> {
    watch: &'a mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    total: usize,
    next: usize,
}

impl<'a> Watched<'a> {
    pub(super) fn new(
        total: usize,
        watch: &'a mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Watched<'a> {
        Watched {
            watch,
            total,
            next: 0,
        }
    }

    /// Tells that so many bytes were read.
    ///
    /// # Errors
    /// [`Problem::Cancelled`].
    pub(super) fn tell(&mut self, done: usize) -> Result<(), ReadError> {
        if done < self.next {
            return Ok(());
        }
        self.next = done + STEP;
        match (self.watch)(done as u64, self.total as u64) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Problem::Cancelled.at(Place::Byte(done))),
        }
    }
}
