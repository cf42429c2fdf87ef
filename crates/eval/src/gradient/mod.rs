//! Gradients: exact forward mode (Griewank and Walther, Evaluating Derivatives, 2008, chapter 3).
//!
//! For many points the derivatives are [written out](Code::with_gradient) as code of their own, beside the values, so
//! that every evaluator computes them: blocks, machine code, grids, intervals. What the function shares with its
//! derivatives is computed once, and what does not depend on a direction costs nothing. For one point,
//! [`Code::jacobian`] carries the derivatives along as numbers, by any number of directions, and reports the
//! kinks that it met. [`Code::lipschitz`] bounds the gradient on a box.
//!
//! All mean the same:
//!
//! - At a kink one side counts: of a minimum, maximum or selection the side that is the value (of equal operands the
//!   second), of a magnitude at 0 the positive side.
//! - Steps are flat: floor, ceil, round and sign have the derivative 0. A fraction and a remainder have the slope
//!   between their jumps.
//! - The slopes of a root at 0, of arc sine and arc cosine at 1 and -1, and of a power between 0 and 1 at 0 are
//!   infinite. They are cut off: the root, or the base, is taken to be no smaller than 2^-126, so that the slope times 0
//!   is 0. The distance to a point has the gradient 0 at that point. For the same reason `atan2` has the gradient 0 at
//!   the origin.
//! - Where a value is not a number, so is the derivative, unless it is 0 for all points; where something on the way is
//!   infinite, the derivative may be a number or not; and of a negative number a power has no derivative by its
//!   exponent.
//!
//! ```
//! use fibula_eval::{Code, Interval, Point, Rounding, Settings};
//! use fibula_nodes::Kernel;
//!
//! // The distance to a sphere of radius 2.
//! let mut kernel = Kernel::new();
//! let at = [0, 1, 2].map(|index| kernel.variable(index));
//! let (length, radius) = (kernel.length(&at), kernel.constant(2.0));
//! let distance = kernel.sub(length, radius);
//! let code = Code::new(kernel.operations(), &[distance], 3, kernel.oracles(), Rounding::Fast);
//!
//! // At many points, or here at one: the value, and the derivatives by x, y and z.
//! let written = Point::new(&code.with_gradient(&[0, 1, 2]), Settings::default());
//! let mut results = [0.0; 4];
//! written.evaluator().run(&[0.0, 4.0, 0.0], &mut results);
//! assert_eq!(results, [2.0, 0.0, 1.0, 0.0]);
//!
//! // At the centre there is a kink.
//! let jacobian = code.jacobian(&[0.0; 3], &[0, 1, 2], Settings::default());
//! assert_eq!((jacobian.gradient(0), jacobian.kinks), ([0.0; 3].as_slice(), 1));
//!
//! // A distance is nowhere steeper than 1.
//! let region = [Interval::new(-3.0, 3.0); 3];
//! let found = code.lipschitz(0, &region, &[0, 1, 2], 100, Settings::default());
//! assert!(found.least > 0.999 && found.most < 1.001 && !found.may_jump);
//! ```

#![expect(
    clippy::float_cmp,
    reason = "kinks, zeros and ones are met exactly or not at all"
)]

mod derive;
mod jacobian;
mod lipschitz;
mod oracle;
mod partial;
mod slope;
mod steepness;

pub use jacobian::Jacobian;
pub use lipschitz::Lipschitz;

#[cfg(test)]
mod tests;

#[cfg(doc)]
use crate::code::Code;
