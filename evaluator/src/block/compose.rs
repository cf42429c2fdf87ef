//! Compositions: two steps that are one, because one takes what only the other gives.

use super::select::{Node, Number};
use super::step::StepCode;

/// A step, apart from where it stands.
#[derive(Clone, Copy)]
struct Plain {
    code: StepCode,
    operands: [u32; 3],
    constants: [Number; 3],
}

/// The node at `index` composed with one that it takes and nothing else does, and which one that is.
pub(super) fn composed(index: usize, nodes: &[Node], uses: &[u32]) -> Option<(Node, u32)> {
    let outer = plain(&nodes[index])?;
    (0..outer.code.operands()).find_map(|place| {
        let taken = outer.operands[place];
        if uses[taken as usize] != 1 {
            return None;
        }
        let inner = plain(&nodes[taken as usize])?;
        let composition = composition(outer, place, inner)?;
        Some((
            Node::Step {
                code: composition.code,
                operands: composition.operands,
                constants: composition.constants,
            },
            taken,
        ))
    })
}

fn plain(node: &Node) -> Option<Plain> {
    match *node {
        Node::Step {
            code,
            operands,
            constants,
        } => Some(Plain {
            code,
            operands,
            constants,
        }),
        Node::Input(_) | Node::Oracle { .. } => None,
    }
}

/// `outer`, whose operand at `place` is what `inner` gives, as one step.
fn composition(outer: Plain, place: usize, inner: Plain) -> Option<Plain> {
    use StepCode as Code;

    let [a, b, _] = outer.operands;
    let [x, y, _] = inner.operands;
    let ([k, ..], [l, m, _]) = (outer.constants, inner.constants);
    let step = |code, operands: &[u32], numbers: &[Number]| {
        let mut step = Plain {
            code,
            operands: [0; 3],
            constants: [Number::NONE; 3],
        };
        step.operands[..operands.len()].copy_from_slice(operands);
        step.constants[..numbers.len()].copy_from_slice(numbers);
        Some(step)
    };
    match (outer.code, place, inner.code) {
        (Code::Square, 0, Code::AddConstant) => step(Code::AddConstantSquare, &[x], &[l]),
        (Code::Square, 0, Code::MaxConstant) => step(Code::MaxConstantSquare, &[x], &[l]),
        (Code::SquareAdd, 0, Code::AddConstant) => step(Code::AddConstantSquareAdd, &[x, b], &[l]),
        (Code::SquareAdd, 0, Code::MaxConstant) => step(Code::MaxConstantSquareAdd, &[x, b], &[l]),
        (Code::SquareAdd, 1, Code::Square) => step(Code::SumOfSquares, &[x, a], &[]),
        (Code::SquareAdd, 1, Code::SumOfSquares) => step(Code::SumOfThreeSquares, &[x, y, a], &[]),
        (Code::Sqrt, 0, Code::SquareAdd) => step(Code::SquareAddRoot, &[x, y], &[]),
        (Code::Sqrt, 0, Code::SumOfSquares) => step(Code::Length, &[x, y], &[]),
        (Code::Sqrt, 0, Code::SumOfThreeSquares) => step(Code::LengthOfThree, &inner.operands, &[]),
        (Code::AddConstant, 0, Code::Sqrt) => step(Code::SqrtAddConstant, &[x], &[k]),
        (Code::AddConstant, 0, Code::Abs) => step(Code::AbsAddConstant, &[x], &[k]),
        (Code::Add, 0, Code::Add) => step(Code::AddAdd, &[x, y, b], &[]),
        (Code::Add, 1, Code::Add) => step(Code::AddAdd, &[x, y, a], &[]),
        (Code::Abs, 0, Code::Sub) => step(Code::SubAbs, &[x, y], &[]),
        (Code::Max, 0, Code::Max) => step(Code::MaxMax, &[x, y, b], &[]),
        (Code::Max, 0, Code::Min) => step(Code::MaxMin, &[x, y, b], &[]),
        (Code::Min, 0, Code::Max) => step(Code::MinMax, &[x, y, b], &[]),
        (Code::Min, 0, Code::Min) => step(Code::MinMin, &[x, y, b], &[]),
        (Code::Max, 1, Code::Max) => step(Code::MaxOfMax, &[a, x, y], &[]),
        (Code::Max, 1, Code::Min) => step(Code::MaxOfMin, &[a, x, y], &[]),
        (Code::Min, 1, Code::Max) => step(Code::MinOfMax, &[a, x, y], &[]),
        (Code::Min, 1, Code::Min) => step(Code::MinOfMin, &[a, x, y], &[]),
        (Code::Sub, 0, Code::Max) => step(Code::MaxSub, &[x, y, b], &[]),
        (Code::Sub, 0, Code::Min) => step(Code::MinSub, &[x, y, b], &[]),
        (Code::MulConstantAdd, 1, Code::MulConstant) => {
            step(Code::SumOfMultiples, &[x, a], &[l, k])
        }
        (Code::MulConstantAdd, 1, Code::SumOfMultiples) => {
            step(Code::SumOfThreeMultiples, &[x, y, a], &[l, m, k])
        }
        (Code::MulConstantAdd, 1, Code::MulConstantAdd) => {
            step(Code::SumOfMultiplesAdd, &[x, a, y], &[l, k])
        }
        (Code::MulConstantAdd, 1, Code::MulConstantAddConstant) => {
            step(Code::SumOfMultiplesAddConstant, &[x, a], &[l, k, m])
        }
        _ => None,
    }
}
