//! Linear functions, k a + l, inside the minima and maxima that use them.
//!
//! Where blocks are read and written, multiplying and adding costs nothing if one instruction does it; and the
//! functions need neither a step nor a slot any more. A function that several minima and maxima use is computed in
//! each of them.

use super::select::{BlockStep, StepNode, UniformNumber};
use super::step::StepCode;

/// Moves the linear functions that only minima and maxima use into them; the `uses` of what was moved become 0.
pub(super) fn absorb(nodes: &mut [StepNode], uses: &mut [u32]) {
    let mut uses_within = vec![0; nodes.len()];
    for step in nodes.iter().filter_map(StepNode::step) {
        if of_linear(step.code).is_some() {
            for &operand in step.used_operands() {
                uses_within[operand as usize] += 1;
            }
        }
    }
    let is_within = |value: usize| uses_within[value] == uses[value];
    let functions = nodes.iter().enumerate().map(|(value, node)| {
        let step = node.step().filter(|_| is_within(value))?;
        Linear::of(step)
    });
    let functions: Vec<Option<Linear>> = functions.collect();
    for node in nodes {
        let Some(step) = node.step() else { continue };
        let Some(code) = of_linear(step.code) else {
            continue;
        };
        let taken = step.used_operands();
        if taken
            .iter()
            .all(|&value| functions[value as usize].is_none())
        {
            continue;
        }
        let mut operands = [0; 3];
        let mut constants = UniformNumber::NO_NUMBERS;
        for (place, &value) in taken.iter().enumerate() {
            let itself = Linear {
                of: value,
                factor: UniformNumber::ONE,
                term: UniformNumber::NOTHING,
            };
            let function = functions[value as usize].unwrap_or(itself);
            operands[place] = function.of;
            constants[2 * place..2 * place + 2].copy_from_slice(&[function.factor, function.term]);
        }
        *node = StepNode::Step(BlockStep {
            code,
            operands,
            constants,
        });
    }
    for (function, uses) in functions.iter().zip(uses) {
        if function.is_some() {
            *uses = 0;
        }
    }
}

/// A linear function of a value, rounded once.
#[derive(Clone, Copy)]
struct Linear {
    of: u32,
    factor: UniformNumber,
    term: UniformNumber,
}

impl Linear {
    /// The function that a step is: it has the same bits when it is a product with a sum.
    fn of(step: BlockStep) -> Option<Linear> {
        let [k, l, ..] = step.constants;
        let (factor, term) = match step.code {
            StepCode::AddConstant => (UniformNumber::ONE, k),
            StepCode::ConstantSub => (UniformNumber::MINUS_ONE, k),
            StepCode::Neg => (UniformNumber::MINUS_ONE, UniformNumber::NOTHING),
            StepCode::MulConstant => (k, UniformNumber::NOTHING),
            StepCode::MulConstantAddConstant => (k, l),
            _ => return None,
        };
        Some(Linear {
            of: step.operands[0],
            factor,
            term,
        })
    }
}

/// The same minimum or maximum, of linear functions.
fn of_linear(code: StepCode) -> Option<StepCode> {
    match code {
        StepCode::Add => Some(StepCode::AddLinear),
        StepCode::Sub => Some(StepCode::SubLinear),
        StepCode::Max => Some(StepCode::MaxLinear),
        StepCode::Min => Some(StepCode::MinLinear),
        StepCode::MaxMax => Some(StepCode::MaxMaxLinear),
        StepCode::MinMin => Some(StepCode::MinMinLinear),
        StepCode::MaxMin => Some(StepCode::MaxMinLinear),
        StepCode::MinMax => Some(StepCode::MinMaxLinear),
        StepCode::MaxOfMax => Some(StepCode::MaxOfMaxLinear),
        StepCode::MinOfMin => Some(StepCode::MinOfMinLinear),
        StepCode::MaxOfMin => Some(StepCode::MaxOfMinLinear),
        StepCode::MinOfMax => Some(StepCode::MinOfMaxLinear),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::laws::steps_of;
    use crate::trial::{Formula, Term};

    /// Every linear function there is, twice, of x, y and z.
    fn linear([x, y, z]: [Term<'_>; 3]) -> [Term<'_>; 6] {
        [
            x + 1.5,
            y.constant(0.5) - y,
            z.constant(0.0) - z,
            x * 2.5,
            y * 3.5 + 0.5,
            z,
        ]
    }

    #[rustfmt::skip]
    const WITHIN: &[(StepCode, Formula)] = &[
        (StepCode::MaxLinear, |p| { let [a, b, ..] = linear(p); a.max(b) }),
        (StepCode::MinLinear, |p| { let [.., b, c, _] = linear(p); b.min(c) }),
        (StepCode::AddLinear, |p| { let [a, .., e, _] = linear(p); a + e }),
        (StepCode::SubLinear, |p| { let [a, b, ..] = linear(p); b - a }),
        (StepCode::MaxMaxLinear, |p| { let [a, b, c, ..] = linear(p); a.max(b).max(c) }),
        (StepCode::MinMinLinear, |p| { let [.., d, e, f] = linear(p); d.min(e).min(f) }),
        (StepCode::MaxMinLinear, |p| { let [.., c, d, e, _] = linear(p); c.min(d).max(e) }),
        (StepCode::MinMaxLinear, |p| { let [.., c, d, e, _] = linear(p); d.max(e).min(c) }),
        (StepCode::MaxOfMaxLinear, |p| { let [a, .., e, f] = linear(p); a.max(e.max(f)) }),
        (StepCode::MinOfMinLinear, |p| { let [a, b, c, ..] = linear(p); c.min(a.min(b)) }),
        (StepCode::MaxOfMinLinear, |p| { let [a, b, c, ..] = linear(p); b.max(c.min(a)) }),
        (StepCode::MinOfMaxLinear, |p| { let [a, .., d, e, _] = linear(p); e.min(a.max(d)) }),
    ];

    #[test]
    fn linear_functions_are_absorbed_and_yield_the_same_bits() {
        for (index, (expected, formula)) in WITHIN.iter().enumerate() {
            assert_eq!(steps_of(*formula), [*expected], "formula {index}");
        }
    }

    #[test]
    fn only_functions_without_other_uses_are_absorbed() {
        let steps = steps_of(|[x, y, z]| {
            let (shared, root) = (x + 1.5, y.constant(0.5) - y);
            shared.max(z).min(y) - shared.min(root) * root.sqrt()
        });
        assert!(steps.contains(&StepCode::ConstantSub), "{steps:?}");
        assert!(!steps.contains(&StepCode::AddConstant), "{steps:?}");
    }
}
