//! Combines bit operations on up to three values into one instruction, where the processor has it (`vpternlog` of
//! AVX-512).

use super::lowering::LoweredProgram;
use super::program::{MemoryOperand, Operand, VectorOp};

/// Truth table of the function that is its first variable.
const FIRST: u8 = 0xF0;

/// A function of the bits of up to three values.
#[derive(Clone, Copy)]
struct BitFunction {
    operands: [Operand; 3],
    count: usize,
    table: u8,
}

impl LoweredProgram {
    /// Combines each bit operation that has one use with the operation that uses it.
    pub(super) fn combine_ternary_logic(&mut self) {
        if !self.target.is_wide {
            return;
        }
        let mut uses = vec![0_u32; self.steps.len()];
        for step in &self.steps {
            for value in step.values() {
                uses[value] += 1;
            }
        }
        let signs = Signs::of(self);
        for index in 0..self.steps.len() {
            let step = self.steps[index];
            let Some(apply) = on_bits(step.operation) else {
                continue;
            };
            let [a, b, _] = step.operands;
            let inner = [a, b].map(|operand| self.inner(operand, &uses, &signs));
            if inner.iter().all(Option::is_none) {
                continue;
            }
            let plain = [a, b].map(|operand| signs.alone(operand));
            let ways = [
                [inner[0], inner[1]],
                [inner[0], Some(plain[1])],
                [Some(plain[0]), inner[1]],
            ];
            let joined = ways
                .into_iter()
                .filter_map(|[a, b]| Some((a?, b?)))
                .find_map(|(a, b)| combine(a, b, apply));
            if let Some(joined) = joined {
                self.steps[index].operation = VectorOp::Logic(joined.table);
                let first = joined.operands[0];
                let filled = |operand| {
                    if operand == Operand::NONE {
                        first
                    } else {
                        operand
                    }
                };
                self.steps[index].operands = joined.operands.map(filled);
            }
        }
    }

    /// Bit function that computes `operand`, if that has one use.
    fn inner(&self, operand: Operand, uses: &[u32], signs: &Signs) -> Option<BitFunction> {
        let value = operand.as_value().filter(|&value| uses[value] == 1)?;
        let step = self.steps[value];
        let [a, b, _] = step.operands;
        if let VectorOp::Logic(table) = step.operation {
            return Some(BitFunction {
                operands: step.operands,
                count: 3,
                table,
            });
        }
        let apply = on_bits(step.operation)?;
        combine(signs.alone(a), signs.alone(b), apply)
    }
}

/// The two constants of signs, which are complements.
struct Signs {
    sign: Operand,
    magnitude: Operand,
}

impl Signs {
    fn of(lowered: &LoweredProgram) -> Signs {
        let number = 8 * lowered.target.number();
        let sign = 1_u64 << (number - 1);
        let place = |bits: u64| {
            let mut leaves = lowered.leaves.iter();
            let place = leaves.position(|&leaf| leaf == MemoryOperand::Constant(bits));
            place.map_or(Operand::NONE, Operand::leaf)
        };
        Signs {
            sign: place(sign),
            magnitude: place(sign - 1),
        }
    }

    /// The operand itself; the mask that clears signs is the complement of the one that sets them, if that is an
    /// operand too.
    fn alone(&self, operand: Operand) -> BitFunction {
        let is_complement = operand == self.magnitude && self.sign != Operand::NONE;
        let (operand, table) = if is_complement {
            (self.sign, !FIRST)
        } else {
            (operand, FIRST)
        };
        BitFunction {
            operands: [operand, Operand::NONE, Operand::NONE],
            count: 1,
            table,
        }
    }
}

/// Combines two functions into one, if they have at most three values.
fn combine(a: BitFunction, b: BitFunction, apply: fn(u8, u8) -> u8) -> Option<BitFunction> {
    let mut operands = a.operands;
    let mut count = a.count;
    let mut places = [0; 3];
    for (place, &operand) in places.iter_mut().zip(&b.operands[..b.count]) {
        *place = match operands[..count].iter().position(|&known| known == operand) {
            Some(known) => known,
            None if count < 3 => {
                operands[count] = operand;
                count += 1;
                count - 1
            }
            None => return None,
        };
    }
    let identity = [0, 1, 2];
    let table = apply(renamed(a.table, identity), renamed(b.table, places));
    Some(BitFunction {
        operands,
        count,
        table,
    })
}

/// Function of two bits that an operation computes.
fn on_bits(operation: VectorOp) -> Option<fn(u8, u8) -> u8> {
    if operation == VectorOp::And {
        Some(|a, b| a & b)
    } else if operation == VectorOp::Or {
        Some(|a, b| a | b)
    } else if operation == VectorOp::Xor {
        Some(|a, b| a ^ b)
    } else {
        None
    }
}

/// Truth table of the same function with its variables in other `places`.
pub(super) fn renamed(table: u8, places: [usize; 3]) -> u8 {
    (0..8_u8)
        .filter(|row| {
            // Of the row of the new table, the row of the old one: variable 0 is its highest bit.
            let bit = |variable: usize| row >> (2 - places[variable]) & 1;
            table >> (bit(0) << 2 | bit(1) << 1 | bit(2)) & 1 == 1
        })
        .fold(0, |renamed, row| renamed | 1 << row)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Routine;
    use super::super::frame::Frame;
    use super::super::program::{Target, VectorStep};
    use super::*;

    const OPERATIONS: [VectorOp; 3] = [VectorOp::And, VectorOp::Or, VectorOp::Xor];
    const CONSTANTS: [u64; 3] = [0x8000_0000, 0x7fff_ffff, 0x1234_5678];
    const INPUTS: u32 = 3;

    /// Steps on bits, each on two operands in memory or earlier steps, and an output of the last step.
    fn lowered(choices: &[(usize, usize, usize)], target: Target) -> LoweredProgram {
        let inputs = (0..INPUTS).map(|index| MemoryOperand::Input { index, copy: 0 });
        let leaves: Vec<MemoryOperand> = inputs
            .chain(CONSTANTS.map(MemoryOperand::Constant))
            .collect();
        let mut steps: Vec<VectorStep> = Vec::new();
        for &(operation, a, b) in choices {
            // Late results are used more often, so that most have one use.
            let operand = |choice: usize| {
                let back = choice % 4;
                if back < 2 && back < steps.len() {
                    Operand::value(steps.len() - 1 - back)
                } else {
                    Operand::leaf(choice / 4 % leaves.len())
                }
            };
            steps.push(VectorStep {
                operation: OPERATIONS[operation % 3],
                operands: [operand(a), operand(b), Operand::NONE],
            });
        }
        let last = Operand::value(steps.len() - 1);
        steps.push(VectorStep {
            operation: VectorOp::Output(0),
            operands: [last, Operand::NONE, Operand::NONE],
        });
        LoweredProgram {
            target,
            steps,
            leaves,
            assumes_no_nan: false,
            one: u64::from(1_f32.to_bits()),
        }
    }

    /// Evaluates the steps plainly.
    fn expected(lowered: &LoweredProgram, inputs: [u32; 3]) -> u32 {
        let mut values: Vec<u32> = Vec::new();
        for step in &lowered.steps {
            let of = |operand: Operand| match operand.as_value() {
                Some(value) => values[value],
                None => match lowered.leaves[operand.as_leaf().unwrap()] {
                    MemoryOperand::Input { index, .. } => inputs[index as usize],
                    MemoryOperand::Constant(bits) => bits as u32,
                    MemoryOperand::Uniform(_) => unreachable!("there are none here"),
                },
            };
            let [a, b, _] = step.operands;
            values.push(match step.operation {
                VectorOp::And => of(a) & of(b),
                VectorOp::Or => of(a) | of(b),
                VectorOp::Xor => of(a) ^ of(b),
                _ => return of(a),
            });
        }
        unreachable!("the last step is an output");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn combined_operations_yield_the_same_bits(
            choices in prop::collection::vec((0..3_usize, 0..24_usize, 0..24_usize), 1..12),
            inputs: [u32; 3],
        ) {
            for (is_wide, set) in [(false, crate::InstructionSet::Avx2), (true, crate::InstructionSet::Avx512)] {
                if !set.is_available() {
                    continue;
                }
                let lowered = lowered(&choices, Target { is_wide, is_double: false });
                let expected = expected(&lowered, inputs);
                let routine = Routine::of(lowered, 3, 1).unwrap();
                let columns = inputs.map(|bits| vec![f32::from_bits(bits); 100]);
                let mut output = vec![0_f32; 100];
                let mut frame = Frame::new(&routine.layout);
                routine.executable.run(&mut frame, &columns.each_ref().map(Vec::as_slice), &mut [&mut output]);
                prop_assert!(output.iter().all(|found| found.to_bits() == expected));
            }
        }
    }
}
