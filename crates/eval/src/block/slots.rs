//! Slot allocation: blocks of scratch that values share when their live ranges do not overlap.
//!
//! A linear scan over the steps in their order, in time proportional to them. A value's slot is free after its
//! last use; the slot that became free last is reused first, because it is still in the cache.

use super::select::{Selection, StepNode, UniformNumber, UniformNumbers};
use super::step::StepCode;

/// Location of a block that a step reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockSource {
    /// Nowhere: the step reads fewer.
    Nowhere,
    Slot(u32),
    Input(u32),
}

/// Location of the block that a step writes; never one that it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockTarget {
    Slot(u32),
    Output(u32),
}

/// An action of the interpreter, executed for each block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// A step from slots to a slot; operands that do not count are slot 0.
    Step {
        code: StepCode,
        operands: [u32; 3],
        target: u32,
    },
    /// A step that reads an input or writes an output.
    Outer {
        code: StepCode,
        operands: [BlockSource; 3],
        target: BlockTarget,
    },
    /// One channel of what an oracle answers.
    Oracle {
        oracle: u32,
        channel: u8,
        at: [BlockSource; 3],
        target: BlockTarget,
    },
}

/// Actions of the interpreter, and the slots that they need.
pub(super) struct BlockPlan {
    pub(super) actions: Vec<Action>,
    pub(super) numbers: Vec<UniformNumbers>,
    pub(super) slots: usize,
}

/// An input that is read more often is copied to a slot, which is aligned.
const DIRECT_READS: u32 = 2;

pub(super) fn plan(selection: &Selection) -> BlockPlan {
    let mut outputs: Vec<Vec<u32>> = vec![Vec::new(); selection.nodes.len()];
    for (output, &value) in (0..).zip(&selection.outputs) {
        outputs[value as usize].push(output);
    }
    let mut last = vec![None; selection.nodes.len()];
    for (index, node) in selection.nodes.iter().enumerate() {
        for &operand in node.operands() {
            last[operand as usize] = Some(index);
        }
    }
    let uses = selection.uses();
    let mut writer = SlotAllocator {
        places: Vec::with_capacity(selection.nodes.len()),
        free: Vec::new(),
        plan: BlockPlan {
            actions: Vec::with_capacity(selection.nodes.len()),
            numbers: Vec::with_capacity(selection.nodes.len()),
            slots: 0,
        },
    };
    for (index, &node) in selection.nodes.iter().enumerate() {
        // A value whose only use is an output is written there at once.
        let target = match (outputs[index].as_slice(), last[index]) {
            (&[output], None) => Some(BlockTarget::Output(output)),
            _ => None,
        };
        let reads = uses[index] - outputs[index].len() as u32;
        let place = writer.node(node, reads > DIRECT_READS, target);
        writer.places.push(place);
        if place != BlockSource::Nowhere {
            for &output in &outputs[index] {
                writer.copy(place, BlockTarget::Output(output));
            }
            if last[index].is_none() {
                writer.release(place);
            }
        }
        let operands = node.operands();
        for (order, &operand) in operands.iter().enumerate() {
            if last[operand as usize] == Some(index) && !operands[..order].contains(&operand) {
                writer.release(writer.places[operand as usize]);
            }
        }
    }
    writer.plan
}

struct SlotAllocator {
    /// Location of each value; `Nowhere` for one that is only an output.
    places: Vec<BlockSource>,
    free: Vec<u32>,
    plan: BlockPlan,
}

impl SlotAllocator {
    fn slot(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.plan.slots += 1;
            self.plan.slots as u32 - 1
        })
    }

    fn release(&mut self, place: BlockSource) {
        if let BlockSource::Slot(slot) = place {
            self.free.push(slot);
        }
    }

    fn copy(&mut self, from: BlockSource, target: BlockTarget) {
        self.step(
            StepCode::Copy,
            [from, BlockSource::Nowhere, BlockSource::Nowhere],
            UniformNumber::NO_NUMBERS,
            target,
        );
    }

    fn step(
        &mut self,
        code: StepCode,
        operands: [BlockSource; 3],
        constants: UniformNumbers,
        target: BlockTarget,
    ) {
        let is_inner = |place: &BlockSource| !matches!(place, BlockSource::Input(_));
        let action = match target {
            BlockTarget::Slot(target) if operands.iter().all(is_inner) => Action::Step {
                code,
                operands: operands.map(|place| match place {
                    BlockSource::Slot(slot) => slot,
                    BlockSource::Input(_) | BlockSource::Nowhere => 0,
                }),
                target,
            },
            BlockTarget::Slot(_) | BlockTarget::Output(_) => Action::Outer {
                code,
                operands,
                target,
            },
        };
        self.plan.actions.push(action);
        self.plan.numbers.push(constants);
    }

    /// Appends the actions of a node, which writes to `target` if it has one; returns the location of the value.
    fn node(
        &mut self,
        node: StepNode,
        read_often: bool,
        target: Option<BlockTarget>,
    ) -> BlockSource {
        match node {
            StepNode::Input(input) if read_often => {
                let slot = self.slot();
                self.copy(BlockSource::Input(input), BlockTarget::Slot(slot));
                BlockSource::Slot(slot)
            }
            StepNode::Input(input) => BlockSource::Input(input),
            StepNode::Step(step) => {
                let mut operands = [BlockSource::Nowhere; 3];
                for (place, &operand) in operands.iter_mut().zip(step.used_operands()) {
                    *place = self.places[operand as usize];
                }
                let (target, place) = self.target(target);
                self.step(step.code, operands, step.constants, target);
                place
            }
            StepNode::Oracle {
                oracle,
                channel,
                at,
            } => {
                let at = at.map(|value| self.places[value as usize]);
                let (target, place) = self.target(target);
                self.plan.actions.push(Action::Oracle {
                    oracle,
                    channel,
                    at,
                    target,
                });
                self.plan.numbers.push(UniformNumber::NO_NUMBERS);
                place
            }
        }
    }

    fn target(&mut self, target: Option<BlockTarget>) -> (BlockTarget, BlockSource) {
        if let Some(target) = target {
            return (target, BlockSource::Nowhere);
        }
        let slot = self.slot();
        (BlockTarget::Slot(slot), BlockSource::Slot(slot))
    }
}
