//! Superinstructions: two steps composed into one, where the first has no other use.

use super::select::{BlockStep, StepNode, UniformNumber};
use super::step::StepCode;

/// Composes the step at `index` with an operand that has no other use; returns it with that operand.
pub(super) fn compose(index: usize, nodes: &[StepNode], uses: &[u32]) -> Option<(BlockStep, u32)> {
    let outer = nodes[index].step()?;
    outer
        .used_operands()
        .iter()
        .enumerate()
        .find_map(|(place, &taken)| {
            if uses[taken as usize] != 1 {
                return None;
            }
            let inner = nodes[taken as usize].step()?;
            Some((composition(outer, place, inner)?, taken))
        })
}

/// `outer`, whose operand at `place` is `inner`, as one step.
#[rustfmt::skip]
fn composition(outer: BlockStep, place: usize, inner: BlockStep) -> Option<BlockStep> {
    use StepCode as Code;

    let [a, b, _] = outer.operands;
    let [x, y, z] = inner.operands;
    let [k, ..] = outer.constants;
    let [l, m, n, o, ..] = inner.constants;
    let nothing = UniformNumber::NOTHING;
    let (code, operands, constants): (Code, &[u32], &[UniformNumber]) = match (outer.code, place, inner.code) {
        // Squares, and distances.
        (Code::Square, 0, Code::AddConstant) => (Code::AddConstantSquare, &[x], &[l]),
        (Code::SquareAdd, 0, Code::AddConstant) => (Code::AddConstantSquareAdd, &[x, b], &[l]),
        (Code::SquareAdd, 1, Code::Square) => (Code::DistanceSquare, &[x, a], &[nothing, nothing]),
        (Code::SquareAdd, 1, Code::AddConstantSquare) => (Code::DistanceSquare, &[x, a], &[l, nothing]),
        (Code::AddConstantSquareAdd, 1, Code::Square) => (Code::DistanceSquare, &[x, a], &[nothing, k]),
        (Code::AddConstantSquareAdd, 1, Code::AddConstantSquare) => (Code::DistanceSquare, &[x, a], &[l, k]),
        (Code::SquareAdd, 1, Code::DistanceSquare) => (Code::DistanceSquareOfThree, &[x, y, a], &[l, m, nothing]),
        (Code::AddConstantSquareAdd, 1, Code::DistanceSquare) => (Code::DistanceSquareOfThree, &[x, y, a], &[l, m, k]),
        (Code::Sqrt, 0, Code::SquareAdd) => (Code::RootOfSquareAdd, &[x, y], &[nothing, nothing]),
        (Code::Sqrt, 0, Code::AddConstantSquareAdd) => (Code::RootOfSquareAdd, &[x, y], &[l, nothing]),
        (Code::Sqrt, 0, Code::DistanceSquare) => (Code::Distance, &[x, y], &[l, m, nothing]),
        (Code::Sqrt, 0, Code::DistanceSquareOfThree) => (Code::DistanceOfThree, &[x, y, z], &[l, m, n, nothing]),
        (Code::AddConstant, 0, Code::Sqrt) => (Code::SqrtAddConstant, &[x], &[k]),
        (Code::AddConstant, 0, Code::RootOfSquareAdd) if m == nothing => (Code::RootOfSquareAdd, &[x, y], &[l, k]),
        (Code::AddConstant, 0, Code::Distance) if n == nothing => (Code::Distance, &[x, y], &[l, m, k]),
        (Code::AddConstant, 0, Code::DistanceOfThree) if o == nothing => (Code::DistanceOfThree, &[x, y, z], &[l, m, n, k]),
        // Lengths of what is outside a box.
        (Code::Square, 0, Code::MaxConstant) => (Code::MaxConstantSquare, &[x], &[l]),
        (Code::SquareAdd, 0, Code::MaxConstant) => (Code::MaxConstantSquareAdd, &[x, b], &[l]),
        (Code::MaxConstantSquareAdd, 1, Code::MaxConstantSquare) => (Code::MaximaSquare, &[x, a], &[l, k]),
        (Code::MaxConstantSquareAdd, 1, Code::MaximaSquare) => (Code::MaximaSquareOfThree, &[x, y, a], &[l, m, k]),
        (Code::Sqrt, 0, Code::MaximaSquare) => (Code::MaximaLength, &[x, y], &[l, m]),
        (Code::Sqrt, 0, Code::MaximaSquareOfThree) => (Code::MaximaLengthOfThree, &[x, y, z], &[l, m, n]),
        // Sums of multiples: rotated coordinates.
        (Code::MulConstantAdd, 1, Code::MulConstant) => (Code::SumOfMultiples, &[x, a], &[l, k]),
        (Code::MulConstantAdd, 1, Code::SumOfMultiples) => (Code::SumOfThreeMultiples, &[x, y, a], &[l, m, k, nothing]),
        (Code::MulConstantAdd, 1, Code::MulConstantAdd) => (Code::SumOfMultiplesAdd, &[x, a, y], &[l, k]),
        (Code::MulConstantAdd, 1, Code::MulConstantAddConstant) => (Code::SumOfMultiplesAddConstant, &[x, a], &[l, k, m]),
        (Code::AddConstant, 0, Code::SumOfThreeMultiples) if o == nothing => (Code::SumOfThreeMultiples, &[x, y, z], &[l, m, n, k]),
        (Code::AbsAddConstant, 0, Code::SumOfThreeMultiples) => (Code::AbsOfThreeMultiples, &[x, y, z], &[l, m, n, o, k]),
        // Sums and magnitudes.
        (Code::AddConstant, 0, Code::Abs) => (Code::AbsAddConstant, &[x], &[k]),
        (Code::AbsAddConstant, 0, Code::AddConstant) => (Code::AddConstantAbsAddConstant, &[x], &[l, k]),
        (Code::Add, 0, Code::Add) => (Code::AddAdd, &[x, y, b], &[]),
        (Code::Add, 1, Code::Add) => (Code::AddAdd, &[x, y, a], &[]),
        (Code::Abs, 0, Code::Sub) => (Code::SubAbs, &[x, y], &[]),
        (Code::Exp, 0, Code::MulConstant) => (Code::ExpOfMultiple, &[x], &[l]),
        // Blends.
        (Code::ConstantSub, 0, Code::SubAbs) => (Code::Nearness, &[x, y], &[k, UniformNumber::ABSENT]),
        (Code::MaxConstant, 0, Code::Nearness) if m == UniformNumber::ABSENT => (Code::Nearness, &[x, y], &[l, k]),
        (Code::MaxConstantSquare, 0, Code::Nearness) if m == UniformNumber::ABSENT => (Code::NearnessSquare, &[x, y], &[l, k]),
        (Code::Square, 0, Code::Nearness) => (Code::NearnessSquare, &[x, y], &[l, m]),
        (Code::MulConstantAdd, 1, Code::Min) => (Code::MulConstantAddMin, &[a, x, y], &[k]),
        (Code::MulConstantAdd, 1, Code::Max) => (Code::MulConstantAddMax, &[a, x, y], &[k]),
        // Minima and maxima.
        (Code::MinConstant, 0, Code::MaxConstant) => (Code::MinOfMaxConstant, &[x], &[l, k]),
        (Code::MaxConstant, 0, Code::MinConstant) => (Code::MaxOfMinConstant, &[x], &[l, k]),
        (Code::MinConstant, 0, Code::MaxMax) => (Code::MinConstantOfMaxMax, &[x, y, z], &[k]),
        (Code::Max, 0, Code::Max) => (Code::MaxMax, &[x, y, b], &[]),
        (Code::Max, 0, Code::Min) => (Code::MaxMin, &[x, y, b], &[]),
        (Code::Min, 0, Code::Max) => (Code::MinMax, &[x, y, b], &[]),
        (Code::Min, 0, Code::Min) => (Code::MinMin, &[x, y, b], &[]),
        (Code::Max, 1, Code::Max) => (Code::MaxOfMax, &[a, x, y], &[]),
        (Code::Max, 1, Code::Min) => (Code::MaxOfMin, &[a, x, y], &[]),
        (Code::Min, 1, Code::Max) => (Code::MinOfMax, &[a, x, y], &[]),
        (Code::Min, 1, Code::Min) => (Code::MinOfMin, &[a, x, y], &[]),
        (Code::Sub, 0, Code::Max) => (Code::MaxSub, &[x, y, b], &[]),
        (Code::Sub, 0, Code::Min) => (Code::MinSub, &[x, y, b], &[]),
        _ => return None,
    };
    Some(BlockStep::new(code, operands, constants))
}

#[cfg(test)]
mod tests {
    use fibula_nodes::Unary;

    use super::*;
    use crate::block::laws::steps_of;
    use crate::trial::Formula;

    #[rustfmt::skip]
    const COMPOSITIONS: &[(StepCode, Formula)] = &[
        (StepCode::AddConstantSquare, |[x, ..]| (x + 1.5).square()),
        (StepCode::AddConstantSquareAdd, |[x, y, _]| (x + 1.5).square() + y),
        (StepCode::DistanceSquare, |[x, y, _]| x.square() + y.square()),
        (StepCode::DistanceSquare, |[x, y, _]| (x + 1.5).square() + y.square()),
        (StepCode::DistanceSquare, |[x, y, _]| x.square() + (y - 2.5).square()),
        (StepCode::DistanceSquare, |[x, y, _]| (x + 1.5).square() + (y - 2.5).square()),
        (StepCode::DistanceSquareOfThree, |[x, y, z]| x.square() + y.square() + z.square()),
        (StepCode::DistanceSquareOfThree, |[x, y, z]| (x + 1.5).square() + y.square() + (z - 3.5).square()),
        (StepCode::RootOfSquareAdd, |[x, y, _]| (x.square() + y).sqrt()),
        (StepCode::RootOfSquareAdd, |[x, y, _]| ((x + 1.5).square() + y).sqrt()),
        (StepCode::RootOfSquareAdd, |[x, y, _]| ((x + 1.5).square() + y).sqrt() - 4.5),
        (StepCode::Distance, |[x, y, _]| (x.square() + (y + 0.5).square()).sqrt()),
        (StepCode::Distance, |[x, y, _]| (x.square() + (y + 0.5).square()).sqrt() - 4.5),
        (StepCode::DistanceOfThree, |[x, y, z]| (x.square() + y.square() + z.square()).sqrt()),
        (StepCode::DistanceOfThree, |[x, y, z]| ((x - 1.5).square() + y.square() + (z + 0.5).square()).sqrt() - 4.5),
        (StepCode::SqrtAddConstant, |[x, ..]| x.sqrt() + 0.5),
        (StepCode::MaxConstantSquare, |[x, ..]| x.above().square()),
        (StepCode::MaxConstantSquareAdd, |[x, y, _]| x.above().square() + y),
        (StepCode::MaximaSquare, |[x, y, _]| x.above().square() + y.above().square()),
        (StepCode::MaximaSquareOfThree, |[x, y, z]| x.above().square() + y.above().square() + z.above().square()),
        (StepCode::MaximaLength, |[x, y, _]| (x.above().square() + y.above().square()).sqrt()),
        (StepCode::MaximaLengthOfThree, |[x, y, z]| (x.above().square() + y.above().square() + z.above().square()).sqrt()),
        (StepCode::SumOfMultiples, |[x, y, _]| x * 1.5 + y * 2.5),
        (StepCode::SumOfMultiplesAdd, |[x, y, z]| z + x * 1.5 + y * 2.5),
        (StepCode::SumOfMultiplesAddConstant, |[x, y, _]| x * 1.5 + 0.5 + y * 2.5),
        (StepCode::SumOfThreeMultiples, |[x, y, z]| x * 1.5 + y * 2.5 + z * 3.5),
        (StepCode::SumOfThreeMultiples, |[x, y, z]| x * 1.5 + y * 2.5 + z * 3.5 + 4.5),
        (StepCode::AbsOfThreeMultiples, |[x, y, z]| (x * 1.5 + y * 2.5 + z * 3.5).abs() + 4.5),
        (StepCode::AbsOfThreeMultiples, |[x, y, z]| (x * 1.5 + y * 2.5 + z * 3.5 - 0.5).abs() + 4.5),
        (StepCode::AbsAddConstant, |[x, ..]| x.abs() - 1.5),
        (StepCode::AddConstantAbsAddConstant, |[x, ..]| (x + 0.5).abs() - 1.5),
        (StepCode::AddAdd, |[x, y, z]| x + y + z),
        (StepCode::AddAdd, |[x, y, z]| x + (y + z)),
        (StepCode::SubAbs, |[x, y, _]| (x - y).abs()),
        (StepCode::ExpOfMultiple, |[x, ..]| (x * 1.5).unary(Unary::Exp)),
        (StepCode::Nearness, |[x, y, _]| x.constant(1.5) - (x - y).abs()),
        (StepCode::Nearness, |[x, y, _]| (x.constant(1.5) - (x - y).abs()).above()),
        (StepCode::NearnessSquare, |[x, y, _]| (x.constant(1.5) - (x - y).abs()).square()),
        (StepCode::NearnessSquare, |[x, y, _]| (x.constant(1.5) - (x - y).abs()).above().square()),
        (StepCode::MulConstantAddMin, |[x, y, z]| x * 1.5 + y.min(z)),
        (StepCode::MulConstantAddMax, |[x, y, z]| x * 1.5 + y.max(z)),
        (StepCode::MinOfMaxConstant, |[x, ..]| x.above().min(x.constant(1.5))),
        (StepCode::MaxOfMinConstant, |[x, ..]| x.min(x.constant(1.5)).above()),
        (StepCode::MinConstantOfMaxMax, |[x, y, z]| x.max(y).max(z).min(x.constant(0.5))),
        (StepCode::MaxSub, |[x, y, z]| x.max(y) - z),
        (StepCode::MinSub, |[x, y, z]| x.min(y) - z),
        (StepCode::MaxMax, |[x, y, z]| x.max(y).max(z)),
        (StepCode::MinMin, |[x, y, z]| x.min(y).min(z)),
        (StepCode::MaxMin, |[x, y, z]| x.min(y).max(z)),
        (StepCode::MinMax, |[x, y, z]| x.max(y).min(z)),
        (StepCode::MaxOfMax, |[x, y, z]| x.max(y.max(z))),
        (StepCode::MinOfMin, |[x, y, z]| x.min(y.min(z))),
        (StepCode::MaxOfMin, |[x, y, z]| x.max(y.min(z))),
        (StepCode::MinOfMax, |[x, y, z]| x.min(y.max(z))),
    ];

    #[test]
    fn superinstructions_are_selected_and_yield_the_bits_of_their_parts() {
        for (index, (expected, formula)) in COMPOSITIONS.iter().enumerate() {
            assert_eq!(steps_of(*formula), [*expected], "formula {index}");
        }
    }
}
