//! Regions: a lattice of samples in the space of some inputs of a function, divided into cells.

use crate::interval::Interval;
use crate::lane::Float;
use crate::prune::leaf::Leaf;

/// One direction of a [`Region`].
#[derive(Debug, Clone, Copy)]
pub struct Axis<'a, T> {
    /// The input that varies along it.
    pub input: usize,
    /// The values of the input, rising or falling.
    pub samples: &'a [T],
    /// True if cells are visited from the last to the first.
    pub backwards: bool,
}

impl<'a, T> Axis<'a, T> {
    /// The axis of an input, visited from the first cell to the last.
    pub fn new(input: usize, samples: &'a [T]) -> Self {
        Axis {
            input,
            samples,
            backwards: false,
        }
    }
}

/// Up to three axes, and how they are divided.
#[derive(Debug, Clone, Copy)]
pub struct Region<'a, T> {
    /// The axes. Cells are visited along the first one first, so the last is the one from front to back.
    pub axes: &'a [Axis<'a, T>],
    /// The values of all inputs, of which those on axes do not count.
    pub inputs: &'a [T],
    /// The sides of cells in samples, from the coarsest to the finest; a cell has up to 64 children. Good ones are
    /// 128 and 16 for two axes, and 128, 32 and 8 for three.
    pub sides: &'a [usize],
    /// Contents of the cells.
    pub cells: Cells,
}

/// Contents of the cells of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cells {
    /// Samples, each one being in one cell: for pixels.
    Samples,
    /// Spaces between samples, so that neighbours share those between them: for surfaces.
    Spaces,
}

/// A part of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cell {
    /// First sample on each axis; 0 on missing axes.
    pub start: [usize; 3],
    /// Length on each axis; 1 on missing axes. At the end of an axis cells may be shorter.
    pub size: [usize; 3],
    /// Index of its side among the region's sides.
    pub level: usize,
}

/// Decision of a [`Visitor`] about a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellAction {
    /// The cell is done.
    Done,
    /// The cell is divided or, at the finest level, evaluated.
    Divide,
    /// The cell is evaluated.
    Evaluate,
}

/// Visits the cells of a region.
pub trait Visitor<T> {
    /// Decides about a cell, given bounds of the first output on it.
    ///
    /// The bounds hold every value that is computed in the cell. They are `undefined` if some may be NaN or infinite.
    /// The cells of a batch are all bounded before the first of them is divided.
    fn bounded(&mut self, cell: &Cell, bounds: Interval<T>) -> CellAction;

    /// Returns true if a cell is still wanted, right before it is divided or evaluated.
    fn is_wanted(&mut self, cell: &Cell) -> bool {
        let _ = cell;
        true
    }

    /// Evaluates a cell.
    fn leaf(&mut self, leaf: &mut Leaf<'_, T>);
}

impl<T: Float> Region<'_, T> {
    /// Number of cells of the first level.
    pub fn roots(&self) -> usize {
        let sides = self.root_counts();
        sides.iter().product()
    }

    /// Number of cells of the first level in a row along the first axis; their numbers are consecutive.
    pub fn row(&self) -> usize {
        self.root_counts()[0]
    }

    /// Checks that the region can be explored.
    ///
    /// # Panics
    /// If it cannot: there are no or more than three axes, no sides, or cells with more than 64 children.
    pub(crate) fn check(&self, inputs: usize) {
        assert!(
            (1..=3).contains(&self.axes.len()),
            "a region has one, two or three axes"
        );
        assert!(self.inputs.len() >= inputs, "a value for each input");
        assert!(
            self.axes.iter().all(|axis| axis.samples.is_sorted()
                || axis.samples.is_sorted_by(|before, after| before >= after)),
            "the samples of an axis rise or fall"
        );
        assert!(
            self.axes.iter().all(|axis| axis.input < inputs),
            "axes of inputs"
        );
        assert!(
            self.sides.first().is_some_and(|&side| side > 0),
            "cells have a side"
        );
        for pair in self.sides.windows(2) {
            let children = pair[0].checked_div(pair[1]).unwrap_or(0);
            assert!(
                children > 0
                    && children * pair[1] == pair[0]
                    && children
                        .checked_pow(self.axes.len() as u32)
                        .is_some_and(|all| all <= 64),
                "each side is a multiple of the next, and a cell has up to 64 children"
            );
        }
    }

    /// The cell of the first level with this number.
    pub(crate) fn root(&self, number: usize) -> Cell {
        let everything = Cell {
            start: [0; 3],
            size: self.extent(),
            level: 0,
        };
        self.part(&everything, self.root_counts(), self.sides[0], number, 0)
            .expect("it is one of the roots")
    }

    /// The parts of a cell, in the order in which they are visited.
    pub(crate) fn children(&self, cell: &Cell, into: &mut Vec<Cell>) {
        let side = self.sides[cell.level + 1];
        let counts = cell.size.map(|size| size.div_ceil(side));
        let count: usize = counts.iter().product();
        into.clear();
        into.extend(
            (0..count).filter_map(|number| self.part(cell, counts, side, number, cell.level + 1)),
        );
    }

    /// The bounds of an axis in a cell, and whether it is one sample.
    pub(crate) fn bounds(&self, axis: usize, cell: &Cell) -> (T, T, bool) {
        let samples = self.axes[axis].samples;
        let count = self.count(axis, cell);
        let (first, last) = (
            samples[cell.start[axis]],
            samples[cell.start[axis] + count - 1],
        );
        let is_one = count == 1 || first == last && first != T::ZERO;
        (first.lesser(last), first.greater(last), is_one)
    }

    /// Number of samples of an axis in a cell.
    pub(crate) fn count(&self, axis: usize, cell: &Cell) -> usize {
        let shared = usize::from(self.cells == Cells::Spaces);
        if axis < self.axes.len() {
            cell.size[axis] + shared
        } else {
            1
        }
    }

    fn part(
        &self,
        whole: &Cell,
        counts: [usize; 3],
        side: usize,
        number: usize,
        level: usize,
    ) -> Option<Cell> {
        let places = [
            number % counts[0],
            number / counts[0] % counts[1],
            number / counts[0] / counts[1],
        ];
        let mut cell = Cell {
            start: whole.start,
            size: [1; 3],
            level,
        };
        for (axis, along) in self.axes.iter().enumerate() {
            let place = if along.backwards {
                counts[axis] - 1 - places[axis]
            } else {
                places[axis]
            };
            cell.start[axis] += place * side;
            cell.size[axis] = whole.size[axis].checked_sub(place * side)?.min(side);
        }
        Some(cell)
    }

    fn root_counts(&self) -> [usize; 3] {
        self.extent().map(|extent| extent.div_ceil(self.sides[0]))
    }

    fn extent(&self) -> [usize; 3] {
        let shared = usize::from(self.cells == Cells::Spaces);
        let mut extent = [1; 3];
        for (extent, axis) in extent.iter_mut().zip(self.axes) {
            *extent = axis.samples.len().saturating_sub(shared);
        }
        extent
    }
}
