//! Bounds of a tape on 64 boxes, and its specialisation for each box.
//!
//! Going forward, every step is bounded on all boxes at once, and it is noted on which of them its result is one
//! number, or the value of one of its operands: of a minimum the operand that is always less, of a sum the one beside
//! which the other is lost. Going backward, the boxes that need a step's result pass on to the operands that count.
//! That gives, per step, a word with a bit per box. Going forward again, each step is appended to the drafts of the
//! boxes that need it; a step that equals an operand is renamed to it instead. A drafted tape yields the bits of the
//! longer one, at all points of the box. (Choices by intervals are those of Keeter, Massively parallel rendering of
//! complex closed-form implicit surfaces, 2020.)
//!
//! The slots of a draft are given when its box is entered, again backward: a slot is taken where a value is last
//! needed, and is free again before the step that makes it.

use std::hint::select_unpredictable;

use crate::cpu::{InstructionSet, dispatched};
use crate::interval::span::Span;
use crate::lane::Float;
use crate::prune::kind::{BoundKernels, Finding, Kind, Operands};
use crate::prune::row::{BOXES, Marks, Row, Rows, lanes, unsure};
use crate::prune::tape::{Tape, TapeStep};

/// Working memory of bounding, shared by all levels.
pub(crate) struct Bounding<T: 'static> {
    kernels: BoundKernels<T>,
    rows: Rows<Row<T>>,
}

/// Facts about a tape on a batch of boxes, until the next batch.
pub(crate) struct Level<T> {
    findings: Vec<Finding>,
    /// The numbers of steps that are one number on some box.
    numbers: Vec<[T; BOXES]>,
    /// By step, the place of these numbers.
    places: Vec<u32>,
    /// By step, the boxes that need it.
    needed: Vec<u64>,
    /// While going backward: on which boxes the value in a slot is needed.
    needs: BySlot<u64>,
    /// While steps are drafted: by slot and box, the number of the value that is there.
    values: Rows<Numbers>,
    /// By box, the steps that it needs.
    drafts: Vec<Vec<DraftStep>>,
    /// While a tape is written: the slots of values, and those that are free.
    slots: Vec<u16>,
    free: BySlot<u16>,
    /// The steps of the last box.
    steps: Vec<TapeStep>,
}

/// A number for each box.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Numbers([u32; BOXES]);

/// A step of which the slots are not yet known; values have the number of the input or, after those, of the step.
#[derive(Clone, Copy)]
struct DraftStep {
    kind: Kind,
    unsigned: u8,
    constants: u32,
    operands: [u32; 3],
}

/// No slot.
const NONE: u16 = u16::MAX;

impl<T> Default for Level<T> {
    fn default() -> Level<T> {
        Level {
            findings: Vec::new(),
            numbers: Vec::new(),
            places: Vec::new(),
            needed: Vec::new(),
            needs: BySlot::new(0),
            values: Rows(Vec::new()),
            drafts: vec![Vec::new(); BOXES],
            slots: Vec::new(),
            free: BySlot::new(0),
            steps: Vec::new(),
        }
    }
}

impl<T: Float> Bounding<T> {
    pub(crate) fn new(set: InstructionSet) -> Bounding<T> {
        Bounding {
            kernels: BoundKernels::new(set),
            rows: Rows(Vec::new()),
        }
    }

    /// Makes room for the tape.
    pub(crate) fn prepare(&mut self, tape: &Tape<T>) {
        self.rows.grow(tape.slots, Row::ZERO);
    }

    /// The row of an input, to be filled before [`input`](Self::input).
    pub(crate) fn row(&mut self, slot: usize) -> &mut Row<T> {
        &mut self.rows.0[slot]
    }

    /// Sets the boxes on which an input is one number.
    pub(crate) fn input(&mut self, slot: usize, fixed: u64) {
        let row = &mut self.rows.0[slot];
        let undefined = unsure(row, 0);
        let fixed = fixed & !undefined;
        let zero = fixed & lanes(|lane| row.low[lane] == T::ZERO);
        row.marks = Marks {
            fixed,
            zero,
            undefined,
        };
    }

    /// Bounds of an output, and whether it may be no finite number.
    pub(crate) fn output(&self, slot: usize, lane: usize) -> (Span<T>, bool) {
        (
            self.rows.0[slot].at(lane),
            self.rows.0[slot].marks.undefined >> lane & 1 != 0,
        )
    }

    pub(crate) fn bound(
        &mut self,
        tape: &Tape<T>,
        steps: &[TapeStep],
        constants: &[[T; 3]],
        active: u64,
        level: &mut Level<T>,
    ) {
        level.findings.resize(steps.len(), Finding::default());
        level.places.resize(steps.len(), 0);
        level.numbers.clear();
        let lists = level.findings.iter_mut().zip(&mut level.places);
        for (step, (finding, place)) in steps.iter().zip(lists) {
            let (out, a, b, c) = self.rows.split(step.out, step.operands);
            if step.kind == Kind::Oracle {
                bound_oracle(tape, step, out, [a, b, c], active);
                *finding = Finding::default();
                continue;
            }
            let operands = Operands {
                a,
                b,
                c,
                constants: &constants[step.constants as usize],
                unsigned: step.unsigned,
            };
            self.kernels.bound(step.kind, out, &operands, finding);
            if finding.fixed == 0 {
                continue;
            }
            if step.kind == Kind::Set {
                // A number that stands there is no news.
                finding.fixed = 0;
            } else {
                *place = level.numbers.len() as u32;
                level.numbers.push(out.low);
            }
        }
    }
}

/// Bounds of what an oracle answers.
#[cold]
fn bound_oracle<T: Float>(
    tape: &Tape<T>,
    step: &TapeStep,
    out: &mut Row<T>,
    at: [&Row<T>; 3],
    active: u64,
) {
    let source = &tape.oracle_channels[step.constants as usize];
    let mut undefined = at.iter().fold(0, |all, row| all | row.marks.undefined);
    *out = Row::ZERO;
    for lane in 0..BOXES {
        if active >> lane & 1 == 0 {
            continue;
        }
        let bounds = source.oracle.answers.bounds(
            at.map(|row| row.low[lane].to_f64()),
            at.map(|row| row.high[lane].to_f64()),
            source.channel,
        );
        // Rounding keeps order, so what is answered and rounded lies within the rounded bounds.
        out.set(
            lane,
            Span::new(T::from_f64(bounds.low), T::from_f64(bounds.high)),
        );
        undefined |= u64::from(bounds.undefined) << lane;
    }
    out.marks = Marks {
        undefined: unsure(out, undefined),
        ..Marks::default()
    };
}

impl<T: Float> Level<T> {
    /// Finds the steps that the `active` boxes need.
    pub(crate) fn need(
        &mut self,
        set: InstructionSet,
        tape: &Tape<T>,
        steps: &[TapeStep],
        active: u64,
    ) {
        need(set, self, tape, steps, active);
    }

    /// Drafts the steps that some boxes need, and appends to `constants` what they need beside.
    pub(crate) fn draft(
        &mut self,
        set: InstructionSet,
        tape: &Tape<T>,
        steps: &[TapeStep],
        boxes: u64,
        constants: &mut Vec<[T; 3]>,
    ) {
        draft(set, self, tape, steps, boxes, constants);
    }

    /// Writes the steps that were drafted for a box.
    pub(crate) fn write(
        &mut self,
        set: InstructionSet,
        tape: &Tape<T>,
        lane: usize,
    ) -> &[TapeStep] {
        write(set, self, tape, lane);
        &self.steps
    }
}

dispatched! {
    fn need<T: Float>(set; level: &mut Level<T>, tape: &Tape<T>, steps: &[TapeStep], active: u64) = need_body;
}

dispatched! {
    fn draft<T: Float>(set; level: &mut Level<T>, tape: &Tape<T>, steps: &[TapeStep], boxes: u64, constants: &mut Vec<[T; 3]>) = draft_body;
}

dispatched! {
    fn write<T: Float>(set; level: &mut Level<T>, tape: &Tape<T>, lane: usize) = write_body;
}

#[inline(always)]
fn need_body<T: Float>(level: &mut Level<T>, tape: &Tape<T>, steps: &[TapeStep], active: u64) {
    let needs = &mut *level.needs.0;
    needs[..tape.slots].fill(0);
    for output in 0..tape.outputs {
        needs[tape.output_slot(output)] = active;
    }
    level.needed.resize(steps.len(), 0);
    let lists = level.needed.iter_mut().zip(&level.findings);
    for ((needed, finding), step) in lists.zip(steps).rev() {
        let need = std::mem::take(&mut needs[usize::from(step.out)]);
        *needed = need;
        let need = need & !finding.fixed;
        let [is_a, is_b, is_c] = finding.is_operand;
        let [a, b, c] = step.operands.map(usize::from);
        needs[a] |= need & !(is_b | is_c);
        needs[b] |= need & !(is_a | is_c);
        needs[c] |= need & !(is_a | is_b);
    }
}

/// Goes through the steps and appends each to the drafts of the boxes that need it. What is the value of an operand
/// gets its number instead.
#[inline(always)]
fn draft_body<T: Float>(
    level: &mut Level<T>,
    tape: &Tape<T>,
    steps: &[TapeStep],
    boxes: u64,
    constants: &mut Vec<[T; 3]>,
) {
    let first = tape.output_slot(0) as u32;
    level.values.grow(tape.slots, Numbers([0; BOXES]));
    for (slot, numbers) in level.values.0[..first as usize].iter_mut().enumerate() {
        numbers.0 = [slot as u32; BOXES];
    }
    let drafts: &mut [Vec<DraftStep>; BOXES] = level
        .drafts
        .as_mut_slice()
        .try_into()
        .expect("there is one for each box");
    for lane in each(boxes) {
        drafts[lane].clear();
    }
    let findings = level.findings.iter().zip(&level.places);
    for ((step, needed), (finding, &place)) in steps.iter().zip(&level.needed).zip(findings) {
        let needed = needed & boxes;
        if needed == 0 {
            continue;
        }
        let (out, a, b, c) = level.values.split(step.out, step.operands);
        let fixed = needed & finding.fixed;
        let [is_a, is_b, is_c] = finding.is_operand.map(|lanes| lanes & needed & !fixed);
        let (mut sum_a, mut sum_b) = (0, 0);
        if is_a | is_b | is_c != 0 {
            rename(out, [(is_a, a), (is_b, b), (is_c, c)]);
            if step.kind.is_of_sums() {
                // To add -0 changes nothing.
                let [k, l, _] = constants[step.constants as usize];
                let is_sum = |number: T| Float::to_bits(number) != T::SIGN;
                sum_a = if is_sum(k) { is_a } else { 0 };
                sum_b = if is_sum(l) { is_b } else { 0 };
            }
        }
        for (lanes, operand, place) in [(sum_a, a, 1), (sum_b, b, 2)] {
            for lane in each(lanes) {
                out.0[lane] = first + drafts[lane].len() as u32;
                drafts[lane].push(DraftStep {
                    kind: Kind::AddConstant,
                    unsigned: 0,
                    constants: step.constants + place,
                    operands: [operand.0[lane], 0, 0],
                });
            }
        }
        for lane in each(needed & !(fixed | is_a | is_b | is_c)) {
            out.0[lane] = first + drafts[lane].len() as u32;
            drafts[lane].push(DraftStep {
                kind: step.kind,
                unsigned: step.unsigned,
                constants: step.constants,
                operands: [a.0[lane], b.0[lane], c.0[lane]],
            });
        }
        for lane in each(fixed) {
            out.0[lane] = first + drafts[lane].len() as u32;
            drafts[lane].push(DraftStep {
                kind: Kind::Set,
                unsigned: 0,
                constants: constants.len() as u32,
                operands: [0; 3],
            });
            constants.push([level.numbers[place as usize][lane], T::ZERO, T::ZERO]);
        }
    }
    // An output that is an input or another output is copied.
    for lane in each(boxes) {
        for output in 0..tape.outputs {
            let slot = tape.output_slot(output);
            let number = level.values.0[slot].0[lane];
            let is_taken =
                (0..output).any(|other| level.values.0[tape.output_slot(other)].0[lane] == number);
            if number < first || is_taken {
                level.values.0[slot].0[lane] = first + drafts[lane].len() as u32;
                drafts[lane].push(DraftStep {
                    kind: Kind::Copy,
                    unsigned: 0,
                    constants: 0,
                    operands: [number, 0, 0],
                });
            }
        }
    }
}

/// Renames values to operands: those of the most frequent operand in all lanes at once, in vectors.
#[inline(always)]
fn rename(out: &mut Numbers, operands: [(u64, &Numbers); 3]) {
    let [(first, a), (second, b), (third, c)] = operands;
    let (most, rest) = if first.count_ones() >= second.count_ones() {
        (a, (second, b))
    } else {
        (b, (first, a))
    };
    *out = *most;
    for (lanes, operand) in [rest, (third, c)] {
        for lane in each(lanes) {
            out.0[lane] = operand.0[lane];
        }
    }
}

/// The lanes whose bits are set.
#[inline(always)]
fn each(mut lanes: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (lanes != 0).then(|| {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            lane
        })
    })
}

/// Allocates slots to the values of a draft and writes its steps, from the last to the first.
#[inline(always)]
fn write_body<T: Float>(level: &mut Level<T>, tape: &Tape<T>, lane: usize) {
    let first = tape.output_slot(0);
    let drafts = &level.drafts[lane][..];
    level.slots.clear();
    level.slots.extend(0..first as u16);
    level.slots.resize(first + drafts.len(), NONE);
    let slots = &mut level.slots[..first + drafts.len()];
    for output in 0..tape.outputs {
        let slot = tape.output_slot(output);
        slots[level.values.0[slot].0[lane] as usize] = slot as u16;
    }
    // Of outputs the slots can be taken once they are made: there is room for them before the first free slot.
    let free = &mut *level.free.0;
    let shared = tape.output_slot(tape.outputs);
    for (place, slot) in free[tape.outputs..].iter_mut().zip(shared..tape.slots) {
        *place = slot as u16;
    }
    let mut next = tape.outputs as u16;
    // The next free slot is kept at hand: it is often the one that was freed last, and a detour by way of memory is
    // slow.
    let mut top = free[usize::from(next)];
    level.steps.resize(drafts.len(), TapeStep::NOTHING);
    for (index, (step, draft)) in level.steps.iter_mut().zip(drafts).enumerate().rev() {
        let out = slots[first + index];
        let mut slot_of = |number: u32| {
            let slot = &mut slots[number as usize];
            let is_new = *slot == NONE;
            // Whether it has one cannot be foretold, so there is no branch.
            *slot = select_unpredictable(is_new, top, *slot);
            next += u16::from(is_new);
            top = select_unpredictable(is_new, free[usize::from(next)], top);
            *slot
        };
        let [a, b, c] = draft.operands;
        // Few steps have three operands.
        let operands = [slot_of(a), slot_of(b), if c == 0 { 0 } else { slot_of(c) }];
        free[usize::from(next)] = top;
        next -= 1;
        top = out;
        *step = TapeStep {
            kind: draft.kind,
            unsigned: draft.unsigned,
            out,
            operands,
            constants: draft.constants,
        };
    }
}

/// A table with an entry for each possible slot, so that no index is out of bounds.
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
