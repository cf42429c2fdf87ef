//! Bit operations on up to three values become one instruction, where the processor has it (AVX-512).

use super::lowering::Lowered;
use super::operation::{Leaf, Operand, Operation};

/// The table of the function that is its first variable.
const FIRST: u8 = 0xF0;

/// A function of the bits of up to three values.
#[derive(Clone, Copy)]
struct Expression {
    operands: [Operand; 3],
    count: usize,
    table: u8,
}

impl Lowered {
    /// Joins bit operations whose results only one other takes with that one.
    pub(super) fn join_logic(&mut self) {
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
                .find_map(|(a, b)| joined(a, b, apply));
            if let Some(joined) = joined {
                self.steps[index].operation = Operation::Logic(joined.table);
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

    /// What makes `operand`, if it is a bit operation for the only one that takes it.
    fn inner(&self, operand: Operand, uses: &[u32], signs: &Signs) -> Option<Expression> {
        let value = operand.as_value().filter(|&value| uses[value] == 1)?;
        let step = self.steps[value];
        let [a, b, _] = step.operands;
        if let Operation::Logic(table) = step.operation {
            return Some(Expression {
                operands: step.operands,
                count: 3,
                table,
            });
        }
        let apply = on_bits(step.operation)?;
        joined(signs.alone(a), signs.alone(b), apply)
    }
}

/// The two constants of signs, which are complements.
struct Signs {
    sign: Operand,
    magnitude: Operand,
}

impl Signs {
    fn of(lowered: &Lowered) -> Signs {
        let number = 8 * lowered.target.number();
        let sign = 1_u64 << (number - 1);
        let place = |bits: u64| {
            let mut leaves = lowered.leaves.iter();
            let place = leaves.position(|&leaf| leaf == Leaf::Constant(bits));
            place.map_or(Operand::NONE, Operand::leaf)
        };
        Signs {
            sign: place(sign),
            magnitude: place(sign - 1),
        }
    }

    /// The operand itself; but what clears a sign is the complement of what sets it, if that is there too.
    fn alone(&self, operand: Operand) -> Expression {
        let is_complement = operand == self.magnitude && self.sign != Operand::NONE;
        let (operand, table) = if is_complement {
            (self.sign, !FIRST)
        } else {
            (operand, FIRST)
        };
        Expression {
            operands: [operand, Operand::NONE, Operand::NONE],
            count: 1,
            table,
        }
    }
}

/// Both in one, if they take at most three values.
fn joined(a: Expression, b: Expression, apply: fn(u8, u8) -> u8) -> Option<Expression> {
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
    Some(Expression {
        operands,
        count,
        table,
    })
}

/// What an operation does with bits, if it is one on bits.
fn on_bits(operation: Operation) -> Option<fn(u8, u8) -> u8> {
    if operation == Operation::And {
        Some(|a, b| a & b)
    } else if operation == Operation::Or {
        Some(|a, b| a | b)
    } else if operation == Operation::Xor {
        Some(|a, b| a ^ b)
    } else {
        None
    }
}

/// The table of the same function, whose variables stand in other `places`.
pub(super) fn renamed(table: u8, places: [usize; 3]) -> u8 {
    (0..8_u8)
        .filter(|row| {
            // Of the row of the new table, the row of the old one: variable 0 is its highest bit.
            let bit = |variable: usize| row >> (2 - places[variable]) & 1;
            table >> (bit(0) << 2 | bit(1) << 1 | bit(2)) & 1 == 1
        })
        .fold(0, |renamed, row| renamed | 1 << row)
}
