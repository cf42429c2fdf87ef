//! The reference evaluator: one operation after the other at one point.

use fibula_nodes::{Expr, Kernel, Operation};

use crate::code::{Arg, ArgSource, Code, Instruction};
use crate::lane::Float;
use crate::meaning;

/// Values of the instructions of a code at a point, by their semantics.
#[derive(Debug)]
pub(crate) struct Values<'a, T> {
    code: &'a Code,
    numbers: Vec<T>,
}

impl<'a, T: Float> Values<'a, T> {
    pub(crate) fn new(code: &'a Code, inputs: &[T]) -> Self {
        let numbers = Vec::with_capacity(code.instructions().len());
        let mut values = Values { code, numbers };
        for &instruction in code.instructions() {
            let value = |arg| values.of(arg);
            let number = meaning::instruction(instruction, inputs, code.oracles(), value);
            values.numbers.push(number);
        }
        values
    }

    /// The number that an argument is.
    pub(crate) fn of(&self, arg: Arg) -> T {
        match arg.source() {
            ArgSource::Value(index) => self.numbers[index],
            ArgSource::Constant(index) => T::from_f64(self.code.constants()[index]),
        }
    }

    pub(crate) fn outputs(&self) -> Vec<T> {
        let outputs = self.code.outputs().iter();
        outputs.map(|&arg| self.of(arg)).collect()
    }

    /// True if an angle is beyond the reduction limit.
    pub(crate) fn has_reduction_limit(&self) -> bool {
        let is_far = |instruction: &Instruction| match *instruction {
            Instruction::Unary(operation, a) => {
                meaning::has_reduction_limit(operation)
                    && meaning::exceeds_reduction_limit(self.of(a))
            }
            Instruction::Input(_)
            | Instruction::Binary(..)
            | Instruction::Fused(..)
            | Instruction::Select(_)
            | Instruction::Oracle { .. } => false,
        };
        self.code.instructions().iter().any(is_far)
    }
}

/// Outputs of a code at a point, by the semantics of its instructions.
pub(crate) fn values<T: Float>(code: &Code, inputs: &[T]) -> Vec<T> {
    Values::new(code, inputs).outputs()
}

/// Outputs of a kernel at a point, by the definitions of its operations, which are independent of codes.
pub(crate) fn definition(kernel: &Kernel, outputs: &[Expr], inputs: &[f64]) -> Vec<f64> {
    let mut values = Vec::new();
    for &operation in kernel.operations() {
        let value = Operation::apply(operation, &values, inputs, kernel.oracles());
        values.push(value);
    }
    outputs.iter().map(|expr| values[expr.index()]).collect()
}

/// True if both have the same bits, or both are NaN.
pub(crate) fn same<T: Float>(a: T, b: T) -> bool {
    Float::to_bits(a) == Float::to_bits(b) || a.to_f64().is_nan() && b.to_f64().is_nan()
}
