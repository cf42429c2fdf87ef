//! Tapes: codes written for pruning.
//!
//! A tape's values lie in slots. Slot 0 holds nothing and stands for operands that a step does not have; then come the
//! inputs, and the outputs, which keep their slots in every tape that is made of this one; the rest is shared by
//! values that are not needed at the same time.

use std::sync::Arc;

use fibula_nodes::OracleUse;

use crate::code::Code;
use crate::lane::Float;
use crate::prune::kind::Kind;
use crate::prune::select::{self, TapeNode};

#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(crate) struct TapeStep {
    pub(crate) kind: Kind,
    /// Bit by bit, whether an operand never is -0.
    pub(crate) unsigned: u8,
    /// Slot of the result; none of the operands.
    pub(crate) out: u16,
    /// Slots of the operands; 0 for those that the kind does not have.
    pub(crate) operands: [u16; 3],
    /// The place of its constants, where those of operands that are sums follow it, each first in its turn; of an
    /// oracle, its index among the oracle channels.
    pub(crate) constants: u32,
}

impl TapeStep {
    /// A step to be replaced.
    pub(crate) const NOTHING: TapeStep = TapeStep {
        kind: Kind::Set,
        unsigned: 0,
        out: 0,
        operands: [0; 3],
        constants: 0,
    };
}

#[derive(Debug, Clone)]
pub(crate) struct OracleChannel {
    pub(crate) oracle: OracleUse,
    pub(crate) channel: u8,
}

/// A code, written so that it can be pruned; shared between threads. See the [module](crate::prune).
#[derive(Debug)]
pub struct Tape<T> {
    pub(crate) steps: Vec<TapeStep>,
    pub(crate) constants: Vec<[T; 3]>,
    pub(crate) oracle_channels: Vec<OracleChannel>,
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    pub(crate) slots: usize,
}

impl<T: Float> Tape<T> {
    /// The tape of a code, or none if more than 65 000 of its values are needed at the same time.
    pub fn new(code: &Code) -> Option<Arc<Tape<T>>> {
        let nodes = select::nodes(code);
        let order = select::order(&nodes.list, &nodes.outputs);
        let mut tape = Tape {
            steps: Vec::with_capacity(order.len()),
            constants: Vec::new(),
            oracle_channels: nodes.oracle_channels,
            inputs: code.inputs(),
            outputs: code.outputs().len(),
            slots: 1 + code.inputs() + code.outputs().len(),
        };
        tape.write(&nodes.list, &nodes.outputs, &order)?;
        Some(Arc::new(tape))
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Number of slots.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Number of scalar arguments.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    pub(crate) fn input_slot(input: usize) -> usize {
        1 + input
    }

    pub(crate) fn output_slot(&self, output: usize) -> usize {
        1 + self.inputs + output
    }

    /// Allocates slots by a backward scan and appends the steps: a value's slot is allocated at its last use, and free
    /// again before the step that computes it.
    fn write(&mut self, nodes: &[TapeNode<T>], outputs: &[u32], order: &[u32]) -> Option<()> {
        let unsigned = select::unsigned(nodes);
        let mut slots: Vec<Option<u16>> = vec![None; nodes.len()];
        for (slot, node) in slots.iter_mut().zip(nodes) {
            if let TapeNode::Input(input) = node {
                *slot = Some(u16::try_from(Tape::<T>::input_slot(*input as usize)).ok()?);
            }
        }
        for (output, &node) in outputs.iter().enumerate() {
            slots[node as usize] = Some(u16::try_from(self.output_slot(output)).ok()?);
        }
        let mut free: Vec<u16> = Vec::new();
        for &index in order.iter().rev() {
            let (kind, list, constants) = match &nodes[index as usize] {
                TapeNode::Input(_) => continue,
                TapeNode::Step {
                    kind,
                    operands,
                    constants,
                } => {
                    let place = self.constants.len() as u32;
                    self.constants.push(*constants);
                    if kind.is_of_sums() {
                        // What is left of it may be either sum.
                        let [k, l, m] = *constants;
                        self.constants.extend([[k, l, m], [l, k, m]]);
                    }
                    (*kind, operands, place)
                }
                TapeNode::Oracle { asked, at } => (Kind::Oracle, at, *asked),
            };
            let mut operands = [0; 3];
            let mut flags = 0;
            for (place, &operand) in list.iter().enumerate() {
                if operand == select::NONE {
                    continue;
                }
                let slot = &mut slots[operand as usize];
                if slot.is_none() {
                    *slot = Some(if let Some(slot) = free.pop() {
                        slot
                    } else {
                        self.slots += 1;
                        let slot = u16::try_from(self.slots - 1).ok()?;
                        (slot < u16::MAX).then_some(slot)?
                    });
                }
                operands[place] = slot.expect("it was given one");
                flags |= u8::from(unsigned[operand as usize]) << place;
            }
            let out = slots[index as usize].expect("what is in order is needed by a later step");
            free.push(out);
            self.steps.push(TapeStep {
                kind,
                unsigned: flags,
                out,
                operands,
                constants,
            });
        }
        self.steps.reverse();
        Some(())
    }
}
