//! Value numbering: a hash table of the steps that were recorded, with linear probing.

use std::hash::{BuildHasher, Hash, Hasher};

use rustc_hash::FxBuildHasher;

use super::program::VectorStep;

/// Marks an empty slot.
const EMPTY: u32 = u32::MAX;

/// Indexes of distinct steps in a list. The table holds four bytes for each; the list stays with its owner.
pub(super) struct ValueTable {
    /// Slots, a power of two of at least twice the steps.
    slots: Vec<u32>,
    count: usize,
}

impl ValueTable {
    pub(super) fn new(capacity: usize) -> ValueTable {
        ValueTable {
            slots: vec![EMPTY; (2 * capacity).next_power_of_two().max(64)],
            count: 0,
        }
    }

    /// Returns the index of `step` in `steps`, to which it is appended if it is new.
    #[inline]
    pub(super) fn place(&mut self, steps: &mut Vec<VectorStep>, step: VectorStep) -> usize {
        if 2 * self.count >= self.slots.len() {
            self.grow(steps);
        }
        let slot = self.slot(steps, &step);
        let known = self.slots[slot];
        if known != EMPTY {
            return known as usize;
        }
        self.slots[slot] = steps.len() as u32;
        self.count += 1;
        steps.push(step);
        steps.len() - 1
    }

    /// Slot of `step`, or the empty one where it belongs.
    #[inline]
    fn slot(&self, steps: &[VectorStep], step: &VectorStep) -> usize {
        let mask = self.slots.len() - 1;
        // The high bits depend on all that was hashed.
        let hash = FxBuildHasher.hash_one(step);
        let mut slot = (hash ^ hash >> 32) as usize & mask;
        while self.slots[slot] != EMPTY && steps[self.slots[slot] as usize] != *step {
            slot = (slot + 1) & mask;
        }
        slot
    }

    #[cold]
    fn grow(&mut self, steps: &[VectorStep]) {
        self.slots = vec![EMPTY; 2 * self.slots.len()];
        for (place, step) in steps.iter().enumerate() {
            let slot = self.slot(steps, step);
            self.slots[slot] = place as u32;
        }
    }
}

impl Hash for VectorStep {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.operation.hash(state);
        let [a, b, c] = self.operands.map(|operand| u64::from(operand.bits()));
        state.write_u64(a | b << 32);
        state.write_u64(c);
    }
}
