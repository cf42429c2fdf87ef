//! One point after the other, in `f64`: for questions about single points, where setting up a block would take longer
//! than the answer. It yields the bits of blocks.

use fibula_nodes::OracleUse;

use crate::code::{Arg, ArgSource, Code, Instruction};
use crate::cpu::{InstructionSet, Settings, dispatched};
use crate::meaning;

/// A code that is evaluated at one point after the other; immutable and shared between threads.
#[derive(Debug, Clone)]
pub struct Point {
    /// Instructions whose arguments are indexes of [`PointEvaluator`]'s values: constants first, then the inputs, then
    /// results.
    steps: Vec<Instruction>,
    constants: Vec<f64>,
    outputs: Vec<Arg>,
    inputs: usize,
    oracles: Vec<OracleUse>,
    set: InstructionSet,
}

impl Point {
    /// Prepares a code. Takes time and memory in proportion to its instructions.
    ///
    /// # Panics
    /// If the processor lacks the instructions of `settings`.
    pub fn new(code: &Code, settings: Settings) -> Point {
        settings.check();
        let first = code.constants.len();
        let mut places: Vec<usize> = Vec::with_capacity(code.instructions.len());
        let mut steps = Vec::with_capacity(code.instructions.len());
        let place = |places: &[usize], arg: Arg| match arg.source() {
            ArgSource::Constant(index) => Arg::value(index),
            ArgSource::Value(index) => Arg::value(places[index]),
        };
        for instruction in &code.instructions {
            if let Instruction::Input(input) = *instruction {
                places.push(first + input as usize);
            } else {
                steps.push(instruction.map(|arg| place(&places, arg)));
                places.push(first + code.inputs + steps.len() - 1);
            }
        }
        let outputs = code.outputs.iter();
        Point {
            steps,
            constants: code.constants.clone(),
            outputs: outputs.map(|&arg| place(&places, arg)).collect(),
            inputs: code.inputs,
            oracles: code.oracles.clone(),
            set: settings.instructions,
        }
    }

    /// An evaluator with scratch of its own, for one thread.
    pub fn evaluator(&self) -> PointEvaluator<'_> {
        let places = self.constants.len() + self.inputs + self.steps.len();
        let mut values = Vec::with_capacity(places);
        values.extend_from_slice(&self.constants);
        values.resize(places, 0.0);
        PointEvaluator {
            point: self,
            values,
        }
    }
}

/// Evaluates a [`Point`]; belongs to one thread.
#[derive(Debug, Clone)]
pub struct PointEvaluator<'a> {
    point: &'a Point,
    values: Vec<f64>,
}

impl PointEvaluator<'_> {
    /// Writes the outputs at the point with these scalar arguments. Takes time in proportion to the instructions;
    /// allocates nothing.
    ///
    /// # Panics
    /// If `arguments` or `results` is not as long as the code's inputs or outputs.
    pub fn run(&mut self, arguments: &[f64], results: &mut [f64]) {
        let PointEvaluator { point, values } = self;
        assert_eq!(
            arguments.len(),
            point.inputs,
            "one scalar per component of each input"
        );
        assert_eq!(
            results.len(),
            point.outputs.len(),
            "one scalar per component of each output"
        );
        let first = point.constants.len();
        values[first..first + point.inputs].copy_from_slice(arguments);
        run(point.set, point, values);
        for (result, output) in results.iter_mut().zip(&point.outputs) {
            *result = values[place(*output)];
        }
    }
}

dispatched! {
    fn run<>(set; point: &Point, values: &mut [f64]) = run_body;
}

#[inline(always)]
fn run_body(point: &Point, values: &mut [f64]) {
    let first = point.constants.len() + point.inputs;
    for (index, step) in point.steps.iter().enumerate() {
        let value = |arg: Arg| values[place(arg)];
        // Inputs have places of their own: no step is one.
        values[first + index] = meaning::instruction(*step, &[], &point.oracles, value);
    }
}

/// Index of the value of an argument.
#[inline(always)]
fn place(arg: Arg) -> usize {
    match arg.source() {
        ArgSource::Value(index) | ArgSource::Constant(index) => index,
    }
}
