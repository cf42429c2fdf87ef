//! Progress and cancellation of reading.

use std::ops::ControlFlow;

use super::error::{Position, ReadError, ReadErrorKind};

/// Bytes between two reports.
const STEP: usize = 1 << 18;

/// A watch that is called now and then.
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

    /// Reports the number of bytes read.
    ///
    /// # Errors
    /// [`ReadErrorKind::Cancelled`].
    pub(super) fn report(&mut self, done: usize) -> Result<(), ReadError> {
        if done < self.next {
            return Ok(());
        }
        self.next = done + STEP;
        match (self.watch)(done as u64, self.total as u64) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(ReadErrorKind::Cancelled.at(Position::Byte(done))),
        }
    }
}
