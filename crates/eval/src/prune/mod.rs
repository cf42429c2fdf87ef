//! Pruning: values of a function where they matter, without computing it all everywhere.
//!
//! To draw a picture or to find a surface one needs a function's values near where it is 0. A [`Pruner`] divides a
//! [`Region`] into cells and bounds the function on 64 of them at once. Cells that are decided by their bounds are
//! done; of the others each is divided, with a tape of what the function still needs there: of a minimum of many
//! shapes a small cell mostly needs one. At the finest cells, [leaves](Leaf), what is left is computed at points, and
//! every value has the bits that the whole function would give there.
//!
//! The bounds hold all values that are computed in the same number type; they are not rounded outward, as those of
//! [`IntervalEvaluator`](crate::IntervalEvaluator) are, which hold the real values too.
//!
//! ```
//! use fibula_eval::prune::{Axis, Cell, Cells, Leaf, CellAction, Pruner, Region, Tape, Visitor};
//! use fibula_eval::{Code, InstructionSet, Interval, Rounding};
//! use fibula_nodes::Kernel;
//!
//! /// Counts the samples inside.
//! struct Area(usize);
//!
//! impl Visitor<f32> for Area {
//!     fn bounded(&mut self, cell: &Cell, bounds: Interval<f32>) -> CellAction {
//!         if bounds.contains(0.0) || bounds.may_be_undefined() {
//!             return CellAction::Divide;
//!         }
//!         if bounds.high() < 0.0 {
//!             self.0 += cell.size.iter().product::<usize>();
//!         }
//!         CellAction::Done
//!     }
//!
//!     fn leaf(&mut self, leaf: &mut Leaf<'_, f32>) {
//!         self.0 += leaf.samples().iter().filter(|&&value| value < 0.0).count();
//!     }
//! }
//!
//! let mut kernel = Kernel::new();
//! let (x, y) = (kernel.variable(0), kernel.variable(1));
//! let (length, one) = (kernel.length(&[x, y]), kernel.constant(1.0));
//! let disc = kernel.sub(length, one);
//! let code = Code::new(kernel.operations(), &[disc], 2, &[], Rounding::Fast);
//!
//! let samples: Vec<f32> = (0..512).map(|index| index as f32 / 128.0 - 2.0).collect();
//! let axes = [0, 1].map(|input| Axis { input, samples: &samples, backwards: false });
//! let region = Region { axes: &axes, inputs: &[0.0; 2], sides: &[128, 16], cells: Cells::Samples };
//! let tape = Tape::new(&code).expect("few values are needed at once");
//! let mut area = Area(0);
//! Pruner::new(tape, InstructionSet::best()).explore(&region, 0..region.roots(), &mut area);
//! let expected = std::f64::consts::PI * 128.0 * 128.0;
//! assert!((area.0 as f64 / expected - 1.0).abs() < 0.01);
//! ```
//!
//! A [`Tape`] is immutable and shared; every thread has a [`Pruner`] of its own. Nothing here starts threads.

#![expect(
    clippy::needless_bitwise_bool,
    clippy::neg_cmp_op_on_partial_ord,
    reason = "what stays a call or a branch is not computed in vectors, and what is no number is not less"
)]

mod boxes;
mod formulas;
mod kind;
#[cfg(test)]
mod laws;
mod leaf;
mod pruner;
mod region;
mod row;
mod select;
mod simplify;
mod tape;

pub use boxes::IntervalBatch;
pub use leaf::Leaf;
pub use pruner::Pruner;
pub use region::{Axis, Cell, CellAction, Cells, Region, Visitor};
pub use tape::Tape;
