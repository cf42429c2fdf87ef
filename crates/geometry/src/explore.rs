//! Exploring: the values of a function where they matter, on all threads.
//!
//! The roots of a region are handed to rayon's threads; see [`fibula_eval::prune`] for what happens in each. What the
//! visitors find does not depend on the threads.

use std::sync::{Arc, Mutex, PoisonError};

use fibula_core::eval::Tape;
use fibula_eval::prune::{self, Cell, CellAction, Leaf, Pruner, Region, Visitor};
use fibula_eval::{Code, Float, InstructionSet, Interval, Rounding, Settings};
use fibula_knowledge::progress::{Cancelled, Progress, Watch};
use rayon::prelude::*;

/// Roots that one batch bounds at once.
const BATCH: usize = 64;
/// The watch is asked once in so many cells whose values are asked for.
const PERIOD: u32 = 16;

/// Why a function cannot be explored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unexplorable {
    /// It keeps too many values at the same time.
    #[error(
        "the function needs more than 65 000 values at the same time, which is too many for pruning; sample it on a grid"
    )]
    TooWide,
    /// No output is a number.
    #[error(
        "the function has no output that is a float, float3 or matrix; add one, or ask for another function"
    )]
    NoNumber,
}

impl Unexplorable {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Unexplorable::TooWide => "too_large",
            Unexplorable::NoNumber => "no_field",
        }
    }
}

/// A function that is explored; shared between threads.
pub struct Explorer<T: Float> {
    tape: Arc<prune::Tape<T>>,
    set: InstructionSet,
    /// Those that no thread uses.
    pruners: Mutex<Vec<Pruner<T>>>,
}

impl<T: Float> Explorer<T> {
    /// Prepares the function of a tape, whose first output is bounded.
    ///
    /// # Errors
    /// [`Unexplorable`].
    ///
    /// # Panics
    /// If the processor lacks the instructions of `settings`.
    pub fn new(
        tape: &Tape,
        rounding: Rounding,
        settings: Settings,
    ) -> Result<Explorer<T>, Unexplorable> {
        Explorer::of(tape.code(rounding), settings)
    }

    /// Prepares a code, whose first output is bounded.
    ///
    /// # Errors
    /// [`Unexplorable`].
    ///
    /// # Panics
    /// If the processor lacks the instructions of `settings`.
    pub fn of(code: &Code, settings: Settings) -> Result<Explorer<T>, Unexplorable> {
        if code.outputs().is_empty() {
            return Err(Unexplorable::NoNumber);
        }
        Ok(Explorer {
            tape: prune::Tape::new(code).ok_or(Unexplorable::TooWide)?,
            set: settings.instructions,
            pruners: Mutex::default(),
        })
    }

    /// Explores a region, with a visitor for some of its roots each; gives the visitors in the order of the roots.
    ///
    /// # Errors
    /// [`Cancelled`] if `watch`, which is told of roots, ended it.
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

    /// As [`explore`](Self::explore), and what lies in a row along the first axis has one visitor, so that no two of
    /// them share a line along it.
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

    /// Explores a region, with a visitor for each of some parts that are a multiple of so many roots.
    fn explore_parts<V: Visitor<T> + Send>(
        &self,
        region: &Region<'_, T>,
        unit: usize,
        visitor: impl Fn() -> V + Sync + Send,
        watch: &Watch<'_>,
    ) -> Result<Vec<V>, Cancelled> {
        let roots = region.roots();
        // Enough parts for threads to share, none of which takes less than a batch costs; and whole batches for one thread.
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
            let mut watched = Watched {
                visitor: visitor(),
                progress: &progress,
                leaves: 0,
            };
            let mut pruner = self.pruner();
            pruner.explore(region, from..to, &mut watched);
            self.give_back(pruner);
            progress.add((to - from) as u64);
            watched.visitor
        };
        let parts = roots.div_ceil(part);
        let visitors = (0..parts).into_par_iter().map(explore).collect();
        progress.finish(visitors)
    }

    fn pruner(&self) -> Pruner<T> {
        let mut kept = self.pruners.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.pop();
        kept.unwrap_or_else(|| Pruner::new(Arc::clone(&self.tape), self.set))
    }

    fn give_back(&self, pruner: Pruner<T>) {
        let mut kept = self.pruners.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(pruner);
    }
}

/// A visitor that asks now and then whether the work is still wanted, since a root may take long, and wants nothing more
/// once it is not.
struct Watched<'a, V> {
    visitor: V,
    progress: &'a Progress<'a>,
    leaves: u32,
}

impl<T: Float, V: Visitor<T>> Visitor<T> for Watched<'_, V> {
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
    use fibula_core::expression;
    use fibula_core::graph::Document;

    /// Counts the cells whose values are asked for.
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
        let mut document = Document::default();
        let ball = expression::add_function(&mut document, "Ball", "length(pos) - 5").unwrap();
        let tape = Tape::new(&document, ball).unwrap();
        let explorer = Explorer::new(&tape, Rounding::Fast, Settings::default()).unwrap();
        let samples: Vec<f32> = (0..=64).map(|step| step as f32 / 8.0).collect();
        let axes = [0, 1, 2].map(|input| Axis {
            input,
            samples: &samples,
            backwards: false,
        });
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
