//! Bounds of a tape on 64 boxes, and what each box needs of it.
//!
//! Going forward, every step is bounded on all boxes at once, and it is noted on which of them its result is one
//! number, or the value of one of its operands: of a minimum the operand that is always less, of a sum the one beside
//! which the other is lost. Going backward, the boxes that need a step's result pass on to the operands that count.
//! That gives, per step, a word with a bit per box; 64 steps at a time these words are turned by a transposition of
//! 64 x 64 bits into a word per box, with a bit per step. Whoever descends into a box walks over its bits and writes
//! a tape of the steps that are left. That tape gives the bits that the longer one gives, at all points of the box.
//!
//! What is written is numbered anew on the way, again backward: a slot is taken where a value is last needed, and is
//! free again before the step that makes it.

use crate::cpu::{InstructionSet, dispatched};
use crate::interval::span::Span;
use crate::lane::Float;
use crate::prune::kind::{Bounders, Kind, Outcome, Taken};
use crate::prune::row::{BOXES, Marks, Row, Rows, lanes, unsure};
use crate::prune::tape::{Step, Tape};

/// What is needed while bounds are computed; of all levels, one after the other.
pub(crate) struct Bounding<T: 'static> {
    bounders: Bounders<T>,
    rows: Rows<Row<T>>,
    marks: Vec<Marks>,
}

/// What is known of a tape on a batch of boxes, until the next batch.
pub(crate) struct Level<T> {
    /// What was found out about each step.
    findings: Vec<Finding>,
    /// The numbers of steps that are one number on some box.
    numbers: Vec<[T; BOXES]>,
    /// By 64 steps and box: which are needed, and of which of those there is no need to compute them.
    words: Vec<[Words; BOXES]>,
    /// While going backward: on which boxes the value in a slot is needed.
    needs: BySlot<u64>,
    /// While a tape is written: the new slots of values, and those that are free.
    new: BySlot<u16>,
    free: BySlot<u16>,
    /// The steps of the last box, at the end.
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Default)]
struct Finding {
    is_operand: [u64; 3],
    /// Where it is one number that has to be written down.
    fixed: u64,
    /// The place of these numbers.
    numbers: u32,
}

#[derive(Clone, Copy, Default)]
struct Words {
    needed: u64,
    known: u64,
}

/// No slot.
const NONE: u16 = u16::MAX;

impl<T> Default for Level<T> {
    fn default() -> Level<T> {
        Level {
            findings: Vec::new(),
            numbers: Vec::new(),
            words: Vec::new(),
            needs: BySlot::new(0),
            new: BySlot::new(NONE),
            free: BySlot::new(0),
            steps: Vec::new(),
        }
    }
}

impl<T: Float> Bounding<T> {
    pub(crate) fn new(set: InstructionSet) -> Bounding<T> {
        Bounding {
            bounders: Bounders::new(set),
            rows: Rows(Vec::new()),
            marks: Vec::new(),
        }
    }

    /// Makes room for the tape.
    pub(crate) fn prepare(&mut self, tape: &Tape<T>) {
        self.rows.grow(tape.slots, Row::ZERO);
        if self.marks.len() < tape.slots {
            self.marks.resize(tape.slots, Marks::default());
        }
    }

    /// The row of an input, to be filled before [`input`](Self::input).
    pub(crate) fn row(&mut self, slot: usize) -> &mut Row<T> {
        &mut self.rows.0[slot]
    }

    /// Says of which boxes an input is one number.
    pub(crate) fn input(&mut self, slot: usize, fixed: u64) {
        let row = &mut self.rows.0[slot];
        let undefined = unsure(row, 0);
        let fixed = fixed & !undefined;
        let zero = fixed & lanes(|lane| row.low[lane] == T::ZERO);
        self.marks[slot] = Marks {
            fixed,
            zero,
            undefined,
        };
    }

    /// Bounds of an output, and whether it may be no finite number.
    pub(crate) fn output(&self, slot: usize, lane: usize) -> (Span<T>, bool) {
        (
            self.rows.0[slot].at(lane),
            self.marks[slot].undefined >> lane & 1 != 0,
        )
    }

    /// Bounds every step.
    pub(crate) fn bound(
        &mut self,
        tape: &Tape<T>,
        steps: &[Step],
        constants: &[[T; 3]],
        active: u64,
        level: &mut Level<T>,
    ) {
        level.findings.clear();
        level.numbers.clear();
        for step in steps {
            let (out, rows) = self.rows.split(step.out, step.operands);
            let marks = step.operands.map(|slot| self.marks[usize::from(slot)]);
            let outcome = if step.kind == Kind::Oracle {
                asked(tape, step, out, rows, marks, active)
            } else {
                let taken = Taken {
                    rows,
                    marks,
                    constants: &constants[step.constants as usize],
                    unsigned: step.unsigned,
                };
                self.bounders.bound(step.kind, out, &taken)
            };
            self.marks[usize::from(step.out)] = outcome.marks;
            // A number that stands there is no news.
            let fixed = if step.kind == Kind::Set {
                0
            } else {
                outcome.marks.fixed
            };
            level.findings.push(Finding {
                is_operand: outcome.is_operand,
                fixed,
                numbers: level.numbers.len() as u32,
            });
            if fixed != 0 {
                level.numbers.push(out.low);
            }
        }
    }
}

/// Bounds of what an oracle answers.
#[cold]
fn asked<T: Float>(
    tape: &Tape<T>,
    step: &Step,
    out: &mut Row<T>,
    at: [&Row<T>; 3],
    marks: [Marks; 3],
    active: u64,
) -> Outcome {
    let asked = &tape.asked[step.constants as usize];
    let mut undefined = marks.iter().fold(0, |all, marks| all | marks.undefined);
    *out = Row::ZERO;
    for lane in 0..BOXES {
        if active >> lane & 1 == 0 {
            continue;
        }
        let bounds = asked.oracle.answers.bounds(
            at.map(|row| row.low[lane].wide()),
            at.map(|row| row.high[lane].wide()),
            asked.channel,
        );
        // Rounding keeps order, so what is answered and rounded lies within the rounded bounds.
        out.set(lane, Span::new(T::of(bounds.low), T::of(bounds.high)));
        undefined |= u64::from(bounds.undefined) << lane;
    }
    Outcome {
        marks: Marks {
            fixed: 0,
            zero: 0,
            undefined: unsure(out, undefined),
        },
        is_operand: [0; 3],
    }
}

impl<T: Float> Level<T> {
    /// Finds the steps that the `active` boxes need.
    pub(crate) fn need(
        &mut self,
        set: InstructionSet,
        tape: &Tape<T>,
        steps: &[Step],
        active: u64,
    ) {
        need(set, self, tape, steps, active);
    }

    /// Writes the steps that a box needs, and appends to `constants` what they need beside.
    pub(crate) fn write(
        &mut self,
        set: InstructionSet,
        tape: &Tape<T>,
        steps: &[Step],
        lane: usize,
        constants: &mut Vec<[T; 3]>,
    ) -> &[Step] {
        let place = write(set, self, tape, steps, lane, constants);
        &self.steps[place..]
    }
}

dispatched! {
    fn need<T: Float>(set; level: &mut Level<T>, tape: &Tape<T>, steps: &[Step], active: u64) = need_body;
}

dispatched! {
    fn write<T: Float>(set; level: &mut Level<T>, tape: &Tape<T>, steps: &[Step], lane: usize, constants: &mut Vec<[T; 3]>) -> usize = write_body;
}

#[inline(always)]
fn need_body<T: Float>(level: &mut Level<T>, tape: &Tape<T>, steps: &[Step], active: u64) {
    let needs = &mut *level.needs.0;
    needs[..tape.slots].fill(0);
    for output in 0..tape.outputs {
        needs[tape.output_slot(output)] = active;
    }
    let chunks = steps.len().div_ceil(BOXES);
    level.words.resize(chunks, [Words::default(); BOXES]);
    let parts = steps.chunks(BOXES).zip(level.findings.chunks(BOXES));
    for (words, (steps, findings)) in level.words.iter_mut().zip(parts).rev() {
        let (mut needed, mut known) = ([0; BOXES], [0; BOXES]);
        let places = needed.iter_mut().zip(&mut known);
        for ((needed, known), (step, finding)) in places.zip(steps.iter().zip(findings)).rev() {
            let need = std::mem::take(&mut needs[usize::from(step.out)]);
            let [is_a, is_b, is_c] = finding.is_operand;
            *needed = need;
            *known = need & (finding.fixed | is_a | is_b | is_c);
            let need = need & !finding.fixed;
            let [a, b, c] = step.operands.map(usize::from);
            needs[a] |= need & !(is_b | is_c);
            needs[b] |= need & !(is_a | is_c);
            needs[c] |= need & !(is_a | is_b);
        }
        transpose(&mut needed);
        transpose(&mut known);
        for (word, (needed, known)) in words.iter_mut().zip(needed.into_iter().zip(known)) {
            *word = Words { needed, known };
        }
    }
}

/// Writes the steps that a box needs and says where they begin.
#[inline(always)]
fn write_body<T: Float>(
    level: &mut Level<T>,
    tape: &Tape<T>,
    steps: &[Step],
    lane: usize,
    constants: &mut Vec<[T; 3]>,
) -> usize {
    let count = |words: &[Words; BOXES]| words[lane].needed.count_ones() as usize;
    let count = level.words.iter().map(count).sum();
    if level.steps.len() < count {
        level.steps.resize(count, Step::NOTHING);
    }
    let mut slots = Slots::new(tape, &mut level.new, &mut level.free);
    let mut places = level.steps.iter_mut();
    let mut put = |step: Step| {
        *places
            .next_back()
            .expect("there is a place for each needed step") = step;
    };
    let parts = steps.chunks(BOXES).zip(level.findings.chunks(BOXES));
    for (words, (steps, findings)) in level.words.iter().zip(parts).rev() {
        let Words { mut needed, known } = words[lane];
        while needed != 0 {
            let bit = BOXES - 1 - needed.leading_zeros() as usize;
            needed ^= 1 << bit;
            let step = steps[bit];
            let out = slots.of(step.out);
            if known >> bit & 1 == 0 {
                let operands = step.operands.map(|slot| slots.take(slot));
                slots.give(step.out);
                put(Step {
                    out,
                    operands,
                    ..step
                });
                continue;
            }
            let finding = &findings[bit];
            let is = |lanes: u64| lanes >> lane & 1 != 0;
            if is(finding.fixed) {
                slots.give(step.out);
                let number = level.numbers[finding.numbers as usize][lane];
                constants.push([number, T::ZERO, T::ZERO]);
                put(Step {
                    kind: Kind::Set,
                    out,
                    constants: constants.len() as u32 - 1,
                    ..Step::NOTHING
                });
                continue;
            }
            let operand = if is(finding.is_operand[0]) {
                step.operands[0]
            } else if is(finding.is_operand[1]) {
                step.operands[1]
            } else {
                step.operands[2]
            };
            if let Some(held) = slots.rename(step.out, operand) {
                put(Step {
                    kind: Kind::Copy,
                    out,
                    operands: [held, 0, 0],
                    ..Step::NOTHING
                });
            }
        }
    }
    places.len()
}

/// Something for each slot that there can be, so that no slot is out of bounds.
struct BySlot<V>(Box<[V; 1 << 16]>);

impl<V: Copy> BySlot<V> {
    fn new(value: V) -> BySlot<V> {
        let list = vec![value; 1 << 16].into_boxed_slice();
        BySlot(
            list.try_into()
                .unwrap_or_else(|_| unreachable!("it has this length")),
        )
    }
}

/// The slots of a tape that is written, from its end.
struct Slots<'a> {
    /// By the slot of the longer tape: the slot, if the value that is there has one.
    new: &'a mut [u16; 1 << 16],
    /// The slots that can be taken, from `next` on.
    free: &'a mut [u16; 1 << 16],
    next: u16,
}

impl<'a> Slots<'a> {
    fn new<T: Float>(
        tape: &Tape<T>,
        new: &'a mut BySlot<u16>,
        free: &'a mut BySlot<u16>,
    ) -> Slots<'a> {
        let shared = tape.output_slot(tape.outputs);
        // What is for all tapes the same has its slot from the beginning. Of outputs it can be taken by other values
        // once they are made: there is room for them before the first free slot.
        for slot in 0..shared {
            new.0[slot] = slot as u16;
        }
        for (place, slot) in free.0[tape.outputs..].iter_mut().zip(shared..tape.slots) {
            *place = slot as u16;
        }
        Slots {
            new: &mut new.0,
            free: &mut free.0,
            next: tape.outputs as u16,
        }
    }

    /// The slot of a value that is needed.
    #[inline(always)]
    fn of(&self, old: u16) -> u16 {
        self.new[usize::from(old)]
    }

    /// The slot of an operand; a free one if it has none.
    #[inline(always)]
    fn take(&mut self, old: u16) -> u16 {
        let slot = &mut self.new[usize::from(old)];
        let is_new = *slot == NONE;
        let taken = if is_new {
            self.free[usize::from(self.next)]
        } else {
            *slot
        };
        *slot = taken;
        self.next += u16::from(is_new);
        taken
    }

    /// Frees the slot of a value where it is made.
    #[inline(always)]
    fn give(&mut self, old: u16) {
        let slot = std::mem::replace(&mut self.new[usize::from(old)], NONE);
        self.next -= 1;
        self.free[usize::from(self.next)] = slot;
    }

    /// Makes a value that is that of an operand the operand itself. If the operand has a slot, which is given back,
    /// it has to be copied.
    #[inline(always)]
    fn rename(&mut self, old: u16, operand: u16) -> Option<u16> {
        let held = self.new[usize::from(operand)];
        if held == NONE {
            let slot = std::mem::replace(&mut self.new[usize::from(old)], NONE);
            self.new[usize::from(operand)] = slot;
            None
        } else {
            self.give(old);
            Some(held)
        }
    }
}

/// Exchanges rows and columns (Warren, Hacker's Delight, 7-3).
#[inline(always)]
fn transpose(bits: &mut [u64; BOXES]) {
    let mut width = 32;
    let mut mask = 0xFFFF_FFFF_u64;
    while width != 0 {
        let mut row = 0;
        while row < BOXES {
            let exchanged = ((bits[row] >> width) ^ bits[row + width]) & mask;
            bits[row] ^= exchanged << width;
            bits[row + width] ^= exchanged;
            row = (row + width + 1) & !width;
        }
        width >>= 1;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transposition_exchanges_rows_and_columns() {
        let mut bits: [u64; BOXES] =
            std::array::from_fn(|row| (row as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let before = bits;
        transpose(&mut bits);
        for row in 0..BOXES {
            for column in 0..BOXES {
                assert_eq!(bits[row] >> column & 1, before[column] >> row & 1);
            }
        }
    }
}
