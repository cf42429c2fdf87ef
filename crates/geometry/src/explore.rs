//! Evaluation of a function where it matters, by an octree of interval bounds, on all threads.
//!
//! The roots of a region are distributed to rayon's threads; [`fibula_eval::prune`] describes the work in each. Results
//! do not depend on the threads.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fibula_core::eval::Tape;
use fibula_eval::prune::{self, Cell, CellAction, Leaf, Pruner, Region, Visitor};
use fibula_eval::{Code, Float, InstructionSet, Interval, Rounding, Settings};
use fibula_knowledge::progress::{Cancelled, Progress, Watch};
use rayon::prelude::*;

/// Roots that are bounded at once.
const BATCH: usize = 64;
/// Leaves between two calls of the watch.
const PERIOD: u32 = 16;

/// Error returned when a function cannot be explored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExploreError {
    /// The function keeps too many values at the same time.
    #[error(
        "the function has more than 65 000 live values, too many for pruning; sample it on a grid"
    )]
    TooWide,
    /// No output is a number.
    #[error("the function has no float, float3 or matrix output; add one, or use another function")]
    NoNumber,
}

impl ExploreError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            ExploreError::TooWide => "too_large",
            ExploreError::NoNumber => "no_field",
        }
    }
}

/// A function prepared for exploring; shared between threads.
pub struct Explorer<T: Float> {
    tape: Arc<prune::Tape<T>>,
    set: InstructionSet,
    /// Idle pruners.
    pruners: Mutex<Vec<Pruner<T>>>,
}

impl<T: Float> Explorer<T> {
    /// Prepares the function of a tape, whose first output is bounded.
    ///
    /// # Errors
    /// [`ExploreError`].
    ///
    /// # Panics
    /// If the processor lacks the instructions of `settings`.
    pub fn new(
        tape: &Tape,
        rounding: Rounding,
        settings: Settings,
    ) -> Result<Explorer<T>, ExploreError> {
        Explorer::from_code(tape.code(rounding), settings)
    }

    /// Prepares a code, whose first output is bounded.
    ///
    /// # Errors
    /// [`ExploreError`].
    ///
    /// # Panics
    /// If the processor lacks the instructions of `settings`.
    pub fn from_code(code: &Code, settings: Settings) -> Result<Explorer<T>, ExploreError> {
        if code.outputs().is_empty() {
            return Err(ExploreError::NoNumber);
        }
        Ok(Explorer {
            tape: prune::Tape::new(code).ok_or(ExploreError::TooWide)?,
            set: settings.instructions,
            pruners: Mutex::default(),
        })
    }

    /// Explores a region, with one visitor for some of its roots each; returns the visitors in the order of the roots.
    ///
    /// # Errors
    /// [`Cancelled`] if `watch`, which is called with roots, cancelled it.
    ///
    /// # Panics
    /// As [`Pruner::explore`].
    pub fn explore<V: Visitor<T> + Send>(
        &self,
        region: &Region<'_, T>,
        visitor: impl Fn() -> V + Sync + Send,
        watch: &Watch<'_>,
    ) -> Result<Vec<V>, Cancelled> {
        self.explore_parts(region, 1, visitor, watch)
    }

    /// As [`explore`](Self::explore), with one visitor for each row along the first axis, so that no two visitors share
    /// a line along it.
    ///
    /// # Errors
    /// As [`explore`](Self::explore).
    ///
    /// # Panics
    /// As [`Pruner::explore`].
    pub fn explore_rows<V: Visitor<T> + Send>(
        &self,
        region: &Region<'_, T>,
        visitor: impl Fn() -> V + Sync + Send,
        watch: &Watch<'_>,
    ) -> Result<Vec<V>, Cancelled> {
        self.explore_parts(region, region.row(), visitor, watch)
    }

    /// Explores a region, with one visitor for each multiple of so many roots.
    fn explore_parts<V: Visitor<T> + Send>(
        &self,
        region: &Region<'_, T>,
        unit: usize,
        visitor: impl Fn() -> V + Sync + Send,
        watch: &Watch<'_>,
    ) -> Result<Vec<V>, Cancelled> {
        let roots = region.roots();
        // Enough shares for all threads, none of which takes less time than a batch; and whole batches for one thread.
        let threads = rayon::current_num_threads();
        let shares = if threads == 1 { 1 } else { 4 * threads };
        let part = roots
            .div_ceil(shares)
            .clamp(1, BATCH)
            .next_multiple_of(unit.max(1));
        let progress = Progress::new(roots as u64, watch);
        let explore = |number: usize| {
            let from = number * part;
            let to = roots.min(from + part);
            let mut watched = WatchedVisitor {
                visitor: visitor(),
                progress: &progress,
                leaves: 0,
            };
            let idle = self.idle().pop();
            let mut pruner = idle.unwrap_or_else(|| Pruner::new(Arc::clone(&self.tape), self.set));
            pruner.explore(region, from..to, &mut watched);
            self.idle().push(pruner);
            progress.add((to - from) as u64);
            watched.visitor
        };
        let parts = roots.div_ceil(part);
        let visitors = (0..parts).into_par_iter().map(explore).collect();
        progress.finish(visitors)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Pruner<T>>> {
        self.pruners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A visitor that calls the watch now and then, since a root may take long, and stops once it is cancelled.
struct WatchedVisitor<'a, V> {
    visitor: V,
    progress: &'a Progress<'a>,
    leaves: u32,
}

impl<T: Float, V: Visitor<T>> Visitor<T> for WatchedVisitor<'_, V> {
    fn bounded(&mut self, cell: &Cell, bounds: Interval<T>) -> CellAction {
        if self.progress.is_ended() {
            return CellAction::Done;
        }
        self.visitor.bounded(cell, bounds)
    }

    fn is_wanted(&mut self, cell: &Cell) -> bool {
        !self.progress.is_ended() && self.visitor.is_wanted(cell)
    }

    fn leaf(&mut self, leaf: &mut Leaf<'_, T>) {
        self.visitor.leaf(leaf);
        self.leaves += 1;
        if self.leaves >= PERIOD {
            self.leaves = 0;
            self.progress.add(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::atomic::{AtomicU64, Ordering};

    use fibula_eval::prune::{Axis, Cells};

    use super::*;
    use crate::testing::tape;

    struct Count<'a>(&'a AtomicU64);

    impl Visitor<f32> for Count<'_> {
        fn bounded(&mut self, _: &Cell, _: Interval<f32>) -> CellAction {
            CellAction::Divide
        }

        fn leaf(&mut self, _: &mut Leaf<'_, f32>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn work_ends_in_the_middle_of_a_root() {
        let tape = tape("length(pos) - 5");
        let explorer = Explorer::new(&tape, Rounding::Fast, Settings::default()).unwrap();
        let samples: Vec<f32> = (0..=64).map(|step| step as f32 / 8.0).collect();
        let axes = [0, 1, 2].map(|input| Axis::new(input, &samples));
        let region = Region {
            axes: &axes,
            inputs: &[0.0; 3],
            sides: &[64, 16, 4],
            cells: Cells::Spaces,
        };
        assert_eq!(region.roots(), 1);
        let leaves = AtomicU64::new(0);
        let run = |flow: ControlFlow<()>| {
            leaves.store(0, Ordering::Relaxed);
            let found = explorer.explore(&region, || Count(&leaves), &|_, _| flow);
            (found.is_ok(), leaves.load(Ordering::Relaxed))
        };
        assert_eq!(run(ControlFlow::Continue(())), (true, 16 * 16 * 16));
        assert_eq!(run(ControlFlow::Break(())), (false, u64::from(PERIOD)));
    }
}
