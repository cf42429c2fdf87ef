//! Live ranges: the uses of each value and of each operand in memory, in order.

use super::program::{Operand, Program};

/// Marks the absence of a next use.
pub(super) const NEVER: u32 = u32::MAX;

/// The uses of each *entity*: each step's value, then each operand in memory.
pub(super) struct LiveRanges {
    /// Number of entities that are values.
    values: usize,
    /// Steps that use an entity, entity by entity; a step that uses one twice stands twice.
    steps: Vec<u32>,
    /// For each entity, the index of its next use, and the step of its last use.
    next: Vec<u32>,
    last: Vec<u32>,
}

impl LiveRanges {
    pub(super) fn new(program: &Program) -> LiveRanges {
        let values = program.steps.len();
        let entities = values + program.leaves.len();
        let mut uses = LiveRanges {
            values,
            steps: Vec::new(),
            next: vec![0; entities],
            last: vec![NEVER; entities],
        };
        // Counting sort: counts, then the end of each entity's part, then backward its beginning.
        for step in &program.steps {
            for &operand in step.used_operands() {
                let entity = uses.entity(operand);
                uses.next[entity] += 1;
            }
        }
        let mut end = 0;
        for next in &mut uses.next {
            end += *next;
            *next = end;
        }
        uses.steps = vec![NEVER; end as usize];
        for (index, step) in program.steps.iter().enumerate().rev() {
            for &operand in step.used_operands() {
                let entity = uses.entity(operand);
                uses.next[entity] -= 1;
                uses.steps[uses.next[entity] as usize] = index as u32;
                if uses.last[entity] == NEVER {
                    uses.last[entity] = index as u32;
                }
            }
        }
        uses
    }

    /// Entity of an operand.
    #[inline]
    pub(super) fn entity(&self, operand: Operand) -> usize {
        match operand.as_value() {
            Some(value) => value,
            None => self.values + operand.as_leaf().expect("what is no value is a leaf"),
        }
    }

    /// Next use of an entity, which must have one.
    #[inline]
    pub(super) fn next(&self, entity: usize) -> u32 {
        self.steps[self.next[entity] as usize]
    }

    /// Last use of an entity.
    #[inline]
    pub(super) fn last(&self, entity: usize) -> u32 {
        self.last[entity]
    }

    /// First use of an entity after `position`.
    pub(super) fn after(&self, entity: usize, position: u32) -> u32 {
        if self.last[entity] == position {
            return NEVER;
        }
        let mut rest = self.steps[self.next[entity] as usize..].iter();
        let later = rest.find(|&&step| step != position);
        *later.expect("the last step is later")
    }

    /// Advances past one use of an entity.
    #[inline]
    pub(super) fn advance(&mut self, entity: usize) {
        self.next[entity] += 1;
    }
}
