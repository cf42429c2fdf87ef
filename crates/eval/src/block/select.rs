//! Instruction selection: from [`Code`] to steps in static single assignment form.
//!
//! Constants go into the steps that use them; then a step with one use is composed with its user where there is a
//! [`StepCode`] for both (superinstructions). Each of the passes takes time in proportion to the instructions, and
//! none changes a bit of a result.

use super::compose::compose;
use super::kernels::CONSTANTS;
use super::linear::absorb;
use super::lower::lower;
use super::step::StepCode;
use crate::code::Code;
use crate::cpu::InstructionSet;
use crate::sethi_ullman::schedule;

/// A number that is the same at all points of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum UniformNumber {
    /// A constant's bits.
    Constant(u64),
    Uniform(u32),
    /// The uniform with this index, negated.
    Negated(u32),
}

/// Constants of a step; those that it does not have are arbitrary.
pub(super) type UniformNumbers = [UniformNumber; CONSTANTS];

impl UniformNumber {
    /// Constants of a step without numbers.
    pub(super) const NO_NUMBERS: UniformNumbers = [UniformNumber::Constant(0); CONSTANTS];
    /// Neutral element of addition: -0, for 0 + -0 is 0 and -0 + -0 is -0.
    pub(super) const NOTHING: UniformNumber = UniformNumber::Constant(1 << 63);
    /// Neutral second operand of a minimum or maximum: NaN.
    pub(super) const ABSENT: UniformNumber = UniformNumber::Constant(f64::NAN.to_bits());
    pub(super) const ONE: UniformNumber = UniformNumber::Constant(1.0_f64.to_bits());
    pub(super) const MINUS_ONE: UniformNumber = UniformNumber::Constant((-1.0_f64).to_bits());

    /// The number with the other sign.
    pub(super) fn negated(self) -> UniformNumber {
        match self {
            UniformNumber::Constant(bits) => {
                UniformNumber::Constant((-f64::from_bits(bits)).to_bits())
            }
            UniformNumber::Uniform(index) => UniformNumber::Negated(index),
            UniformNumber::Negated(index) => UniformNumber::Uniform(index),
        }
    }
}

/// A step of values that are given by their index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockStep {
    pub(super) code: StepCode,
    /// Those that the code does not have are 0.
    pub(super) operands: [u32; 3],
    pub(super) constants: UniformNumbers,
}

impl BlockStep {
    /// A step with what the code has.
    pub(super) fn new(code: StepCode, taken: &[u32], numbers: &[UniformNumber]) -> BlockStep {
        let (mut operands, mut constants) = ([0; 3], UniformNumber::NO_NUMBERS);
        operands[..taken.len()].copy_from_slice(taken);
        constants[..numbers.len()].copy_from_slice(numbers);
        BlockStep {
            code,
            operands,
            constants,
        }
    }

    pub(super) fn used_operands(&self) -> &[u32] {
        &self.operands[..self.code.operands()]
    }
}

/// Definition of a value; its operands are indexes of earlier values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepNode {
    Input(u32),
    Step(BlockStep),
    /// One channel of what an oracle answers.
    Oracle {
        oracle: u32,
        channel: u8,
        at: [u32; 3],
    },
}

impl StepNode {
    pub(super) fn operands(&self) -> &[u32] {
        match self {
            StepNode::Input(_) => &[],
            StepNode::Step(step) => step.used_operands(),
            StepNode::Oracle { at, .. } => at,
        }
    }

    pub(super) fn step(&self) -> Option<BlockStep> {
        match *self {
            StepNode::Step(step) => Some(step),
            StepNode::Input(_) | StepNode::Oracle { .. } => None,
        }
    }

    fn operands_mut(&mut self) -> &mut [u32] {
        match self {
            StepNode::Input(_) => &mut [],
            StepNode::Step(step) => &mut step.operands[..step.code.operands()],
            StepNode::Oracle { at, .. } => at,
        }
    }
}

/// Values, each after its operands, and the indexes of the outputs.
pub(super) struct Selection {
    pub(super) nodes: Vec<StepNode>,
    pub(super) outputs: Vec<u32>,
}

impl Selection {
    /// Selects the steps of `code`, whose inputs from `varying` on are uniforms, for an instruction set.
    pub(super) fn new(code: &Code, varying: usize, set: InstructionSet) -> Selection {
        let composed = lower(code, varying).compose();
        if set.has_fused() {
            composed.absorb_linear().schedule()
        } else {
            composed.schedule()
        }
    }

    /// Number of uses of each value, as an operand or output.
    pub(super) fn uses(&self) -> Vec<u32> {
        let mut uses = vec![0; self.nodes.len()];
        let operands = self.nodes.iter().flat_map(StepNode::operands);
        for &value in operands.chain(&self.outputs) {
            uses[value as usize] += 1;
        }
        uses
    }

    /// Composes steps that have one use with their users.
    fn compose(mut self) -> Selection {
        let mut uses = self.uses();
        for index in 0..self.nodes.len() {
            // A composition may itself be composed with its operands.
            while let Some((step, taken)) = compose(index, &self.nodes, &uses) {
                self.nodes[index] = StepNode::Step(step);
                uses[taken as usize] = 0;
            }
        }
        self.eliminate_dead_code(&uses)
    }

    /// Moves linear functions of values into the minima and maxima that use them.
    fn absorb_linear(mut self) -> Selection {
        let mut uses = self.uses();
        absorb(&mut self.nodes, &mut uses);
        self.eliminate_dead_code(&uses)
    }

    /// In Sethi and Ullman's order, in which fewer values are live at once; of operands that need as many slots the
    /// first comes first.
    fn schedule(self) -> Selection {
        let operands = |value: u32| self.nodes[value as usize].operands().iter().rev().copied();
        let outputs = self.outputs.iter().copied();
        let order = schedule(self.nodes.len(), outputs, |_| 1, operands);
        self.renumbered(order.into_iter())
    }

    /// Without the values that have no uses.
    fn eliminate_dead_code(self, uses: &[u32]) -> Selection {
        let all = 0..self.nodes.len() as u32;
        self.renumbered(all.filter(|&value| uses[value as usize] > 0))
    }

    /// The values of `order`, in which each comes after its operands.
    fn renumbered(self, order: impl Iterator<Item = u32>) -> Selection {
        let mut places = vec![0; self.nodes.len()];
        let mut nodes = Vec::with_capacity(self.nodes.len());
        for value in order {
            let mut node = self.nodes[value as usize];
            for operand in node.operands_mut() {
                *operand = places[*operand as usize];
            }
            places[value as usize] = nodes.len() as u32;
            nodes.push(node);
        }
        let outputs = self.outputs.iter().map(|&value| places[value as usize]);
        Selection {
            outputs: outputs.collect(),
            nodes,
        }
    }
}

#[cfg(test)]
mod tests {
    use fibula_nodes::Kernel;

    use super::*;
    use crate::code::Rounding;

    #[test]
    fn sums_become_products_with_a_sum_only_where_these_are_instructions() {
        let mut kernel = Kernel::new();
        let (x, y, number) = (kernel.variable(0), kernel.variable(1), kernel.constant(1.5));
        let (least, sum) = (kernel.min(x, y), kernel.add(x, number));
        let most = kernel.max(least, sum);
        let code = Code::new(kernel.operations(), &[most], 2, &[], Rounding::Exact);
        for set in InstructionSet::ALL {
            let nodes = Selection::new(&code, 2, set).nodes;
            let is_linear = |step: BlockStep| step.code == StepCode::MaxMinLinear;
            let has_linear = nodes.iter().filter_map(StepNode::step).any(is_linear);
            assert_eq!(has_linear, set.has_fused(), "{nodes:?}");
        }
    }
}
