//! Shapes: implicit solids, given by a function of a point.

use std::sync::Arc;

use fibula_core::eval::Tape;
use fibula_eval::{Code, Rounding};
use fibula_nodes::{Expr, Kernel, Operation, Type};

use super::Bounds;

/// An implicit solid: a function of a point in space that is below 0 where there is material. It need not be a
/// distance; where it is NaN there is no material.
///
/// The first output defines the solid unless another is [chosen](Shape::with_output); all are fields that may be
/// evaluated with it.
#[derive(Debug, Clone)]
pub struct Shape<'a> {
    tape: &'a Tape,
    /// Index of the scalar input x; y and z follow.
    position: usize,
    /// All scalar inputs; x, y and z are ignored.
    scalars: Vec<f64>,
    /// Index of the scalar output that defines the solid.
    value: usize,
}

/// Error returned when a function defines no shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// No input is a point, or others have no value.
    #[error(
        "a shape must be a function of one point, but this one takes {}; give it one float3 or x, y and z, and values \
         for all other inputs",
        if .0.is_empty() { "nothing" } else { .0 }
    )]
    Inputs(String),
    /// The output is no number.
    #[error(
        "the output of a shape must be a float, below 0 inside, but this one is {}; name a float output",
        if .0.is_empty() { "nothing" } else { .0 }
    )]
    Output(String),
}

impl ShapeError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            ShapeError::Inputs(_) => "no_position",
            ShapeError::Output(_) => "no_field",
        }
    }
}

impl<'a> Shape<'a> {
    /// Returns the shape of a function of one point, as one float3 or the three floats x, y and z, whose first output
    /// is a float.
    ///
    /// # Errors
    /// [`ShapeError`].
    pub fn new(tape: &'a Tape) -> Result<Shape<'a>, ShapeError> {
        let types: Vec<Type> = tape.inputs().iter().map(|input| input.ty).collect();
        if types != [Type::Float3] && types != [Type::Float; 3] {
            return Err(ShapeError::Inputs(listed(tape.inputs())));
        }
        let shape = Shape {
            tape,
            position: 0,
            scalars: vec![0.0; 3],
            value: 0,
        };
        shape.with_output(0)
    }

    /// Returns the shape of a function one of whose inputs is the point. `scalars` are all scalar inputs in their
    /// order; those of the point are ignored.
    ///
    /// # Errors
    /// [`ShapeError`]: the input is no float3, the number of scalars differs, or the first output is no float.
    pub fn with(tape: &'a Tape, input: usize, scalars: &[f64]) -> Result<Shape<'a>, ShapeError> {
        let inputs = tape.inputs();
        let is_point = inputs
            .get(input)
            .is_some_and(|input| input.ty == Type::Float3);
        if !is_point || scalars.len() != tape.input_width() {
            return Err(ShapeError::Inputs(listed(inputs)));
        }
        let shape = Shape {
            tape,
            position: inputs[..input].iter().map(|input| input.ty.width()).sum(),
            scalars: scalars.to_vec(),
            value: 0,
        };
        shape.with_output(0)
    }

    /// Chooses another output of the function, by its index.
    ///
    /// # Errors
    /// [`ShapeError::Output`] if it is no float.
    pub fn with_output(mut self, output: usize) -> Result<Shape<'a>, ShapeError> {
        let outputs = self.tape.outputs();
        let Some(port) = outputs.get(output) else {
            return Err(ShapeError::Output(listed(outputs)));
        };
        if port.ty != Type::Float {
            return Err(ShapeError::Output(listed(std::slice::from_ref(port))));
        }
        self.value = outputs[..output].iter().map(|port| port.ty.width()).sum();
        Ok(self)
    }

    /// Index of the scalar output that defines the solid.
    pub(super) fn value(&self) -> usize {
        self.value
    }

    /// Approximate cost of an evaluation, in operations.
    pub(super) fn cost(&self) -> usize {
        /// Cost of a query of a mesh, a beam lattice or an image.
        const QUERY: usize = 20_000;
        let operations = self.tape.operations().iter();
        let queries = operations.filter(|one| matches!(one, Operation::Oracle { .. }));
        self.tape.operations().len() + QUERY * queries.count()
    }

    /// Number of scalar outputs.
    pub fn fields(&self) -> usize {
        self.tape.output_width()
    }

    /// Returns the code of some outputs as a function of the three scalars from which `place` makes the point.
    pub(super) fn code(
        &self,
        rounding: Rounding,
        outputs: &[usize],
        place: impl FnOnce(&mut Kernel, [Expr; 3]) -> [Expr; 3],
    ) -> Arc<Code> {
        self.code_with(rounding, outputs, place, |_, _, all| all)
    }

    /// As [`code`](Self::code); `finish` computes the results from the point and the outputs.
    pub(super) fn code_with(
        &self,
        rounding: Rounding,
        outputs: &[usize],
        place: impl FnOnce(&mut Kernel, [Expr; 3]) -> [Expr; 3],
        finish: impl FnOnce(&mut Kernel, [Expr; 3], Vec<Expr>) -> Vec<Expr>,
    ) -> Arc<Code> {
        let mut kernel = Kernel::new();
        let scalars = [0, 1, 2].map(|index| kernel.variable(index));
        let point = place(&mut kernel, scalars);
        let all = self.written(&mut kernel, point, outputs);
        let results = finish(&mut kernel, point, all);
        compiled(&kernel, &results, rounding)
    }

    /// Returns the code of the intersection of some shapes, each clipped to a box: the maximum of all values. Sides on
    /// those of the box `around` are omitted, since the caller evaluates nothing beyond.
    pub(super) fn intersection(
        shapes: &[(&Shape<'_>, Bounds)],
        around: &Bounds,
        rounding: Rounding,
    ) -> Arc<Code> {
        /// Replaces larger values and NaN.
        const LARGE: f64 = 1e30;
        let mut kernel = Kernel::new();
        let point = [0, 1, 2].map(|index| kernel.variable(index));
        let mut values: Vec<Expr> = Vec::with_capacity(shapes.len());
        let mut sides = Vec::new();
        for (shape, bounds) in shapes {
            values.push(shape.written(&mut kernel, point, &[shape.value])[0]);
            for (axis, &at) in point.iter().enumerate() {
                let (low, high) = (bounds.low()[axis], bounds.high()[axis]);
                if low > around.low()[axis] {
                    let low = kernel.constant(low);
                    sides.push(kernel.sub(low, at));
                }
                if high < around.high()[axis] {
                    let high = kernel.constant(high);
                    sides.push(kernel.sub(at, high));
                }
            }
        }
        let large = kernel.constant(LARGE);
        let all = values.iter().copied().chain(sides);
        let most = all.reduce(|one, other| kernel.max(one, other));
        let most = most.unwrap_or(large);
        let most = values
            .into_iter()
            .rev()
            .fold(most, |most, value| kernel.select(value, large, most, large));
        compiled(&kernel, &[most], rounding)
    }

    /// Writes the function at a point into a kernel and returns some of its outputs.
    fn written(&self, kernel: &mut Kernel, point: [Expr; 3], outputs: &[usize]) -> Vec<Expr> {
        let mut places: Vec<Expr> = Vec::with_capacity(self.tape.operations().len());
        for operation in self.tape.operations() {
            let at = |expr: Expr| places[expr.index()];
            let written = match *operation {
                Operation::Constant(number) => kernel.constant(number),
                Operation::Variable(index) => {
                    let index = index as usize;
                    match index.checked_sub(self.position) {
                        Some(axis @ 0..3) => point[axis],
                        Some(_) | None => kernel.constant(self.scalars[index]),
                    }
                }
                Operation::Unary(operation, a) => kernel.unary(operation, at(a)),
                Operation::Binary(operation, a, b) => kernel.binary(operation, at(a), at(b)),
                Operation::Select {
                    less: (a, b),
                    then,
                    otherwise,
                } => kernel.select(at(a), at(b), at(then), at(otherwise)),
                Operation::Oracle {
                    oracle,
                    channel,
                    at: asked,
                } => {
                    let oracle = &self.tape.oracles()[oracle as usize];
                    kernel.oracle(oracle, channel, asked.map(at))
                }
            };
            places.push(written);
        }
        outputs
            .iter()
            .map(|&output| places[self.tape.roots()[output].index()])
            .collect()
    }
}

/// Returns the code of some results of three inputs.
fn compiled(kernel: &Kernel, results: &[Expr], rounding: Rounding) -> Arc<Code> {
    let (operations, roots) = kernel.reachable(results);
    Arc::new(Code::new(
        &operations,
        &roots,
        3,
        kernel.oracles(),
        rounding,
    ))
}

fn listed(ports: &[fibula_nodes::PortSpec]) -> String {
    fibula_nodes::port::list(ports)
}
