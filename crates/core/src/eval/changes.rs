//! Changes of a shape: two versions of it as one function of space, coloured where only one of them has material.

use fibula_nodes::Bundle;
use fibula_nodes::{Expr, Kernel, Operation, OracleUse, PortSpec, ResourceId, Type};

use super::paint::NO_COLOR;
use super::tape::Tape;

/// Linear sRGB colour of surfaces that only the later version has: bluish green, from the palette for the colour-blind (M.
/// Okabe, K. Ito, "Color Universal Design", 2008).
pub const ADDED: [f64; 3] = [0.0, 0.342, 0.171];
/// Linear sRGB colour of surfaces that only the earlier version has: vermilion, from the same palette.
pub const REMOVED: [f64; 3] = [0.665, 0.112, 0.0];

impl Tape {
    /// Returns the union of two versions of a shape, `shape: float`, and its colour, `color: float3`: [`ADDED`] where a
    /// surface of this version is outside the earlier one, [`REMOVED`] where it is the other way around, and
    /// [`NO_COLOR`] where both have it. Values up to `tolerance` count as the surface. The first output of each version is
    /// its value, and its inputs are the three scalars of a point.
    ///
    /// # Panics
    /// If one of the tapes has other inputs.
    #[must_use]
    pub fn changes_since(&self, before: &Tape, tolerance: f64) -> Tape {
        let mut kernel = Kernel::new();
        let mut value = |tape: &Tape, renames: bool| {
            assert_eq!(
                tape.input_width(),
                3,
                "a version of a shape is a function of a point"
            );
            copy(tape, &mut kernel, renames)
        };
        let (after, before) = (value(self, false), value(before, true));
        // NaN is outside.
        let far = kernel.constant(f64::MAX);
        let [after, before] = [after, before].map(|value| kernel.select(value, far, value, far));
        let shape = kernel.min(after, before);
        let near = kernel.constant(tolerance);
        let color = [0, 1, 2].map(|channel| {
            let [added, removed, none] =
                [ADDED[channel], REMOVED[channel], NO_COLOR].map(|number| kernel.constant(number));
            let other = kernel.select(near, after, removed, none);
            kernel.select(near, before, added, other)
        });
        let results = [Bundle::Float(shape), Bundle::Float3(color)];
        let outputs = vec![
            PortSpec::new("shape", Type::Float),
            PortSpec::new("color", Type::Float3),
        ];
        Tape::from_kernel(
            &kernel,
            &results,
            vec![PortSpec::new("pos", Type::Float3)],
            outputs,
        )
    }
}

/// Copies the operations of a tape; returns its first scalar output. Resources of the earlier version are renamed: the same
/// id may have other contents there.
fn copy(tape: &Tape, kernel: &mut Kernel, renames: bool) -> Expr {
    let mut copies: Vec<Expr> = Vec::with_capacity(tape.operations().len());
    for operation in tape.operations() {
        let at = |expr: Expr| copies[expr.index()];
        let copied = match *operation {
            Operation::Constant(number) => kernel.constant(number),
            Operation::Variable(index) => kernel.variable(index),
            Operation::Unary(unary, a) => kernel.unary(unary, at(a)),
            Operation::Binary(binary, a, b) => kernel.binary(binary, at(a), at(b)),
            Operation::Select {
                less: (a, b),
                then,
                otherwise,
            } => kernel.select(at(a), at(b), at(then), at(otherwise)),
            Operation::Oracle {
                oracle,
                channel,
                at: point,
            } => {
                let known = &tape.oracles()[oracle as usize];
                let resource = if renames {
                    ResourceId(u32::MAX - known.resource.0)
                } else {
                    known.resource
                };
                let oracle = OracleUse {
                    resource,
                    ..known.clone()
                };
                kernel.oracle(&oracle, channel, point.map(at))
            }
        };
        copies.push(copied);
    }
    copies[tape.roots()[0].index()]
}
