//! Which steps take what: for each value and leaf, in order.

use super::program::{Operand, Program};

/// Stands where nothing is taken any more.
pub(super) const NEVER: u32 = u32::MAX;

/// The steps that take each *entity*: each step's value and, behind them in one row, each leaf.
pub(super) struct LiveRanges {
    /// How many entities are values.
    values: usize,
    /// The steps, entity by entity; a step that takes one twice is there twice.
    steps: Vec<u32>,
    /// For each entity, the place of the next step among them, and the last step.
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
        // Counts, then the end of each entity's part, then going backwards its beginning.
        for step in &program.steps {
            for &operand in step.taken() {
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
            for &operand in step.taken() {
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

    /// The entity that an operand is.
    #[inline]
    pub(super) fn entity(&self, operand: Operand) -> usize {
        match operand.as_value() {
            Some(value) => value,
            None => self.values + operand.as_leaf().expect("what is no value is a leaf"),
        }
    }

    /// The next step that takes an entity; only while there is one.
    #[inline]
    pub(super) fn next(&self, entity: usize) -> u32 {
        self.steps[self.next[entity] as usize]
    }

    /// The last step that takes an entity.
    #[inline]
    pub(super) fn last(&self, entity: usize) -> u32 {
        self.last[entity]
    }

    /// The first step after `position` that takes an entity.
    pub(super) fn after(&self, entity: usize, position: u32) -> u32 {
        if self.last[entity] == position {
            return NEVER;
        }
        let mut rest = self.steps[self.next[entity] as usize..].iter();
        let later = rest.find(|&&step| step != position);
        *later.expect("the last step is later")
    }

    /// Says that a step has taken an entity once.
    #[inline]
    pub(super) fn take(&mut self, entity: usize) {
        self.next[entity] += 1;
    }
}
