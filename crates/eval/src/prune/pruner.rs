//! The descent into a region.

use std::ops::Range;
use std::sync::Arc;

use crate::cpu::InstructionSet;
use crate::interval::Interval;
use crate::lane::{Float, table_of};
use crate::prune::boxes::IntervalBatch;
use crate::prune::leaf::{Leaf, Pointwise};
use crate::prune::region::{Cell, CellAction, Region, Visitor};
use crate::prune::row::{BOXES, Row};
use crate::prune::simplify::{Bounding, Level};
use crate::prune::tape::{Tape, TapeStep};

/// Explores regions; see the [module](crate::prune). It belongs to one thread and is made once: what it needs is kept
/// from one region to the next.
pub struct Pruner<T: 'static> {
    tape: Arc<Tape<T>>,
    set: InstructionSet,
    bounding: Bounding<T>,
    pointwise: Pointwise<T>,
    levels: Vec<Option<(Level<T>, Vec<Cell>)>>,
    /// The constants of the tape, and behind them those of the tapes that are made of it, the shortest last.
    constants: Vec<[T; 3]>,
    values: Vec<T>,
}

type Explore<T> = fn(&mut Pruner<T>, &Region<'_, T>, Range<usize>, &mut dyn Visitor<T>);
type EvaluateLeaf<T> = fn(&mut Leaf<'_, T>, &[&[T]], &mut [&mut [T]]);

/// The functions that are compiled in this crate for each number type.
pub(super) struct Compiled<T: 'static> {
    explore: Explore<T>,
    pub(super) evaluate: EvaluateLeaf<T>,
    pub(super) bound: fn(&mut IntervalBatch<T>, u64),
}

impl<T: Float> Compiled<T> {
    const NEW: Compiled<T> = Compiled {
        explore: Pruner::descend,
        evaluate: |leaf, points, outputs| leaf.compute(points, outputs),
        bound: IntervalBatch::compute,
    };

    /// The functions for this number type.
    pub(super) fn get() -> &'static Compiled<T> {
        table_of!(Compiled<T> = Compiled::NEW)
    }
}

impl<T: Float> Pruner<T> {
    /// A pruner of the tape, with the instructions that are named.
    ///
    /// # Panics
    /// If the processor lacks them.
    pub fn new(tape: Arc<Tape<T>>, set: InstructionSet) -> Pruner<T> {
        let mut bounding = Bounding::new(set);
        bounding.prepare(&tape);
        Pruner {
            set,
            bounding,
            pointwise: Pointwise::new(set, &tape),
            levels: Vec::new(),
            constants: tape.constants.clone(),
            values: Vec::new(),
            tape,
        }
    }

    /// Visits some of the [roots](Region::roots) of a region and all that is in them. No root depends on another one,
    /// so threads may share them; up to 64 at once cost hardly more than one.
    ///
    /// # Panics
    /// If the region has no or more than three axes, axes of inputs that there are not, fewer inputs than the tape, or
    /// cells with more than 64 children.
    pub fn explore(
        &mut self,
        region: &Region<'_, T>,
        roots: Range<usize>,
        visitor: &mut impl Visitor<T>,
    ) {
        (Compiled::get().explore)(self, region, roots, visitor);
    }

    pub(super) fn descend(
        &mut self,
        region: &Region<'_, T>,
        roots: Range<usize>,
        visitor: &mut dyn Visitor<T>,
    ) {
        let tape = Arc::clone(&self.tape);
        region.check(tape.inputs);
        if self.levels.len() < region.sides.len() {
            self.levels
                .resize_with(region.sides.len(), || Some(Default::default()));
        }
        for (input, &value) in region.inputs.iter().enumerate().take(tape.inputs) {
            let slot = Tape::<T>::input_slot(input);
            *self.bounding.row(slot) = Row {
                low: [value; BOXES],
                high: [value; BOXES],
                ..Row::ZERO
            };
            self.bounding.input(slot, !0);
            self.pointwise.fill(slot).fill(value);
        }
        let roots = roots.start..roots.end.min(region.roots());
        let mut cells = Vec::with_capacity(BOXES);
        for first in roots.clone().step_by(BOXES) {
            cells.clear();
            cells.extend((first..roots.end.min(first + BOXES)).map(|root| region.root(root)));
            self.batch(&tape, &tape.steps, region, &cells, visitor);
        }
    }

    /// Bounds up to 64 cells of one level, and descends into those that are wanted.
    fn batch(
        &mut self,
        tape: &Tape<T>,
        steps: &[TapeStep],
        region: &Region<'_, T>,
        cells: &[Cell],
        visitor: &mut dyn Visitor<T>,
    ) {
        let Some(first) = cells.first() else {
            return;
        };
        let depth = first.level;
        let (mut level, mut children) = self.levels[depth].take().expect("a level is in use once");
        let present = u64::MAX >> (BOXES - cells.len());
        self.place(region, cells, present);
        self.bounding
            .bound(tape, steps, &self.constants, present, &mut level);
        let (mut divided, mut evaluated) = (0, 0);
        for (lane, cell) in cells.iter().enumerate() {
            let (span, undefined) = self.bounding.output(tape.output_slot(0), lane);
            match visitor.bounded(cell, Interval::from_span(span, undefined)) {
                CellAction::Done => {}
                CellAction::Divide if depth + 1 < region.sides.len() => divided |= 1 << lane,
                CellAction::Divide | CellAction::Evaluate => evaluated |= 1 << lane,
            }
        }
        let wanted: u64 = divided | evaluated;
        if wanted != 0 {
            level.need(self.set, tape, steps, wanted);
        }
        let length = self.constants.len();
        level.draft(self.set, tape, steps, wanted, &mut self.constants);
        for (lane, cell) in cells.iter().enumerate() {
            if wanted >> lane & 1 == 0 || !visitor.is_wanted(cell) {
                continue;
            }
            let steps = level.write(self.set, tape, lane);
            if divided >> lane & 1 != 0 {
                region.children(cell, &mut children);
                self.batch(tape, steps, region, &children, visitor);
            } else {
                visitor.leaf(&mut Leaf {
                    tape,
                    region,
                    cell,
                    steps,
                    constants: &self.constants,
                    pointwise: &mut self.pointwise,
                    values: &mut self.values,
                });
            }
        }
        self.constants.truncate(length);
        self.levels[depth] = Some((level, children));
    }

    /// Sets the inputs on axes to the bounds of the cells.
    fn place(&mut self, region: &Region<'_, T>, cells: &[Cell], present: u64) {
        for (index, axis) in region.axes.iter().enumerate() {
            let slot = Tape::<T>::input_slot(axis.input);
            let row = self.bounding.row(slot);
            let mut fixed = 0;
            for lane in 0..BOXES {
                // Boxes that are not there are like the first one.
                let cell = cells.get(lane).unwrap_or(&cells[0]);
                let (low, high, is_one) = region.bounds(index, cell);
                row.low[lane] = low;
                row.high[lane] = high;
                fixed |= u64::from(is_one) << lane;
            }
            self.bounding.input(slot, fixed & present);
        }
    }
}
