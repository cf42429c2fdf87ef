//! The peer for large batches and first values: fidget's machine code, called directly.

use fibula_nodes::Operation;
use fidget_core::context::{Context, Node};
use fidget_core::eval::{BulkEvaluator, Function, MathFunction, Tape, TracingEvaluator};
use fidget_core::var::Var;
use fidget_jit::JitFunction;

use crate::fidget;

type Storage = <JitFunction as Function>::TapeStorage;
type BulkTape = <<JitFunction as Function>::FloatSliceEval as BulkEvaluator>::Tape;

/// A function as fidget has it, compiled.
pub(crate) struct Values {
    tape: BulkTape,
    evaluator: <JitFunction as Function>::FloatSliceEval,
}

impl Values {
    /// The last of some kernel operations, whose variables are x, y and z.
    pub(crate) fn new(operations: &[Operation]) -> Values {
        let (context, root) = fidget::context(operations);
        let function = JitFunction::new(&context, &[root]).expect("the context has the node");
        Values {
            tape: function.float_slice_tape(Storage::default()),
            evaluator: JitFunction::new_float_slice_eval(),
        }
    }

    /// Computes the values at many points, and gives the last.
    pub(crate) fn at(&mut self, points: &[Vec<f32>; 3]) -> f32 {
        let vars = self.tape.vars();
        let mut arguments: Vec<&[f32]> = vec![&points[0]; vars.len()];
        for (var, points) in [Var::X, Var::Y, Var::Z].iter().zip(points) {
            if let Some(place) = vars.get(var) {
                arguments[place] = points;
            }
        }
        let output = self.evaluator.eval(&self.tape, &arguments);
        let output = output.expect("one slice per variable");
        output[0][points[0].len() - 1]
    }
}

/// From a graph in memory to the value at one point.
pub(crate) fn first_value(context: &Context, root: Node, point: [f32; 3]) -> f32 {
    let function = JitFunction::new(context, &[root]).expect("the context has the node");
    let tape = function.point_tape(Storage::default());
    let mut arguments = vec![0.0; tape.vars().len()];
    for (var, coordinate) in [Var::X, Var::Y, Var::Z].iter().zip(point) {
        if let Some(place) = tape.vars().get(var) {
            arguments[place] = coordinate;
        }
    }
    let mut evaluator = JitFunction::new_point_eval();
    let (values, _) = evaluator
        .eval(&tape, &arguments)
        .expect("one number per variable");
    values[0]
}
