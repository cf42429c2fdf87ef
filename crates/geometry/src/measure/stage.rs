//! Progress of a measurement, as nested shares of the whole.

use std::ops::ControlFlow;

use fibula_knowledge::progress::Progress;
use rayon::prelude::*;

use crate::{Cancelled, Watch};

/// Resolution of the progress.
const WHOLE: u64 = 1000;

/// Items per thread and report.
const PIECE: usize = 512;

/// A range of the work, from one share of the whole to another.
#[derive(Clone, Copy)]
pub(super) struct Stage<'a> {
    watch: &'a Watch<'a>,
    from: f64,
    to: f64,
}

impl<'a> Stage<'a> {
    pub(super) fn whole(watch: &'a Watch<'a>) -> Stage<'a> {
        Stage {
            watch,
            from: 0.0,
            to: 1.0,
        }
    }

    /// Returns a range within this one.
    pub(super) fn part(&self, from: f64, to: f64) -> Stage<'a> {
        let size = self.to - self.from;
        Stage {
            watch: self.watch,
            from: self.from + size * from,
            to: self.from + size * to,
        }
    }

    pub(super) fn report(&self, done: u64, total: u64) -> ControlFlow<()> {
        let share = done as f64 / total.max(1) as f64;
        let share = self.from + (self.to - self.from) * share.min(1.0);
        (self.watch)((share * WHOLE as f64) as u64, WHOLE)
    }

    /// Asks the watch whether to go on.
    ///
    /// # Errors
    /// [`Cancelled`] if the work was cancelled.
    pub(super) fn check(&self) -> Result<(), Cancelled> {
        match self.report(0, 1) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Cancelled),
        }
    }

    /// Runs pieces of so many items on all threads; returns the results in order.
    ///
    /// # Errors
    /// [`Cancelled`] if the watch cancelled it.
    pub(super) fn pieces<T: Send>(
        &self,
        count: usize,
        work: impl Fn(std::ops::Range<usize>) -> Vec<T> + Sync,
    ) -> Result<Vec<T>, Cancelled> {
        let tell = |done, total| self.report(done, total);
        let progress = Progress::new(count as u64, &tell);
        let piece = |number: usize| {
            if progress.is_ended() {
                return Vec::new();
            }
            let range = number * PIECE..count.min((number + 1) * PIECE);
            let length = range.len();
            let made = work(range);
            progress.add(length as u64);
            made
        };
        let pieces = (0..count.div_ceil(PIECE)).into_par_iter();
        let made = pieces.flat_map_iter(piece).collect();
        progress.finish(made)
    }
}
