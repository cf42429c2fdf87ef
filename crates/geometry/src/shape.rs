//! Shapes: functions of a point in space, below 0 where there is material.

use std::sync::Arc;

use fibula_core::eval::Tape;
use fibula_eval::{Code, Rounding};
use fibula_nodes::{Expr, Kernel, Operation, Type};

use super::Bounds;

/// A function of a point in space, below 0 where there is material. It need not be a distance; where it is not a number
/// there is no material.
///
/// The first output counts unless another is [named](Shape::of_output); all are fields that may be asked beside it.
#[derive(Debug, Clone)]
pub struct Shape<'a> {
    tape: &'a Tape,
    /// The scalar input that is x; y and z come after it.
    position: usize,
    /// All scalar inputs, of which x, y and z do not count.
    scalars: Vec<f64>,
    /// The scalar output that is below 0 where there is material.
    value: usize,
}

/// Why a function is no shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// No input is a point, or it is not the only input and the others were not given.
    #[error(
        "a shape is a function of one point, but this one takes {}; give it one float3 or x, y and z, and values for all others",
        if .0.is_empty() { "nothing" } else { .0 }
    )]
    Inputs(String),
    /// The output is no number.
    #[error(
        "the output that makes a shape is a float, below 0 inside, but this one is {}; name an output that is one",
        if .0.is_empty() { "nothing" } else { .0 }
    )]
    Output(String),
}

impl ShapeError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            ShapeError::Inputs(_) => "no_position",
            ShapeError::Output(_) => "no_field",
        }
    }
}

impl<'a> Shape<'a> {
    /// The shape of a function of a place, one float3 or the three floats x, y and z, whose first output is a float.
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
        shape.of_output(0)
    }

    /// The shape of a function one of whose inputs is the point. `scalars` are all scalar inputs in their order; those
    /// of the point do not count.
    ///
    /// # Errors
    /// [`ShapeError`]: the input is no float3, there are not as many scalars, or the first output is no float.
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
        shape.of_output(0)
    }

    /// The same with another output of the function, by its place among them.
    ///
    /// # Errors
    /// [`ShapeError::Output`] if it is no float.
    pub fn of_output(mut self, output: usize) -> Result<Shape<'a>, ShapeError> {
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

    /// The scalar output that is below 0 where there is material.
    pub(super) fn value(&self) -> usize {
        self.value
    }

    /// How many scalar outputs there are.
    pub fn fields(&self) -> usize {
        self.tape.output_width()
    }

    /// The code of some outputs, as a function of the three scalars from which `place` makes the point.
    pub(super) fn code(
        &self,
        rounding: Rounding,
        outputs: &[usize],
        place: impl FnOnce(&mut Kernel, [Expr; 3]) -> [Expr; 3],
    ) -> Arc<Code> {
        self.code_with(rounding, outputs, place, |_, _, all| all)
    }

    /// As [`code`](Self::code), with outputs that `finish` makes of the point and the outputs.
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
        let (operations, roots) = kernel.reachable(&results);
        Arc::new(Code::new(
            &operations,
            &roots,
            3,
            kernel.oracles(),
            rounding,
        ))
    }

    /// The code of the largest of the values of some shapes, each of which is cut off at the sides of a box: below 0
    /// where all have material. Sides on those of the box `around` are left to whoever asks no farther than there.
    pub(super) fn intersection(
        shapes: &[(&Shape<'_>, Bounds)],
        around: &Bounds,
        rounding: Rounding,
    ) -> Arc<Code> {
        /// Larger values, and those that are none, are this.
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
        let (operations, roots) = kernel.reachable(&[most]);
        let oracles = kernel.oracles();
        Arc::new(Code::new(&operations, &roots, 3, oracles, rounding))
    }

    /// Writes the function at a point into a kernel; gives some of its outputs.
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

fn listed(ports: &[fibula_nodes::PortSpec]) -> String {
    let texts: Vec<String> = ports
        .iter()
        .map(|port| format!("{}: {}", port.name, port.ty))
        .collect();
    texts.join(", ")
}
