//! Laws of pruning, over random functions and regions and with every instruction set.

use std::sync::Arc;

use fibula_nodes::{Binary, Kernel, Unary};
use proptest::prelude::*;

use crate::code::{Code, Instruction, Rounding};
use crate::cpu::InstructionSet;
use crate::interval::laws::{INPUTS, boxes, functions};
use crate::interval::{Interval, IntervalEvaluator};
use crate::lane::Float;
use crate::prune::{Axis, Cell, CellAction, Cells, Leaf, Pruner, Region, Tape, Visitor};
use crate::trial::{same, values};

/// Compares bounds and values with those of the whole function.
struct Critic<'a, T> {
    code: &'a Code,
    region: &'a Region<'a, T>,
    /// The values of all outputs at all samples, the first axis being the fastest.
    values: &'a [Vec<T>],
    /// Decides what becomes of a cell.
    decisions: u64,
    leaves: usize,
    faults: Vec<String>,
}

impl<T: Float> Critic<'_, T> {
    fn length(&self, axis: usize) -> usize {
        self.region
            .axes
            .get(axis)
            .map_or(1, |axis| axis.samples.len())
    }

    /// The places of a cell's samples.
    fn places(&self, cell: &Cell) -> Vec<usize> {
        let [width, height, depth] = [0, 1, 2].map(|axis| self.region.count(axis, cell));
        let mut places = Vec::new();
        for z in 0..depth {
            for y in 0..height {
                for x in 0..width {
                    let place = (cell.start[2] + z) * self.length(1) + cell.start[1] + y;
                    places.push(place * self.length(0) + cell.start[0] + x);
                }
            }
        }
        places
    }
}

impl<T: Float> Visitor<T> for Critic<'_, T> {
    fn bounded(&mut self, cell: &Cell, bounds: Interval<T>) -> CellAction {
        for place in self.places(cell) {
            let value = self.values[place][0];
            if !bounds.contains(value) {
                self.faults
                    .push(format!("{value:?} is beyond {bounds:?} in {cell:?}"));
            }
        }
        self.decisions = self
            .decisions
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        match self.decisions >> 60 {
            0 => CellAction::Done,
            1 => CellAction::Evaluate,
            _ => CellAction::Divide,
        }
    }

    fn leaf(&mut self, leaf: &mut Leaf<'_, T>) {
        self.leaves += 1;
        let cell = *leaf.cell();
        let places = self.places(&cell);
        let samples = leaf.samples().to_vec();
        assert_eq!(samples.len(), places.len(), "all samples of the cell");
        for (&place, &sample) in places.iter().zip(&samples) {
            let value = self.values[place][0];
            if !same(sample, value) {
                self.faults
                    .push(format!("{sample:?} is not {value:?} in {cell:?}"));
            }
        }
        // Points between the samples, on the diagonal of the cell.
        let mut points = vec![Vec::new(); self.region.axes.len()];
        for part in 0..5 {
            for (axis, points) in points.iter_mut().enumerate() {
                let (low, high, _) = self.region.bounds(axis, &cell);
                let part = f64::from(part) / 4.0;
                let between = T::from_f64(low.to_f64() * (1.0 - part) + high.to_f64() * part);
                let is_inside = between >= low && between <= high;
                points.push(if is_inside { between } else { low });
            }
        }
        let points: Vec<&[T]> = points.iter().map(Vec::as_slice).collect();
        let outputs = self.code.outputs().len();
        let mut results = vec![vec![T::ZERO; 5]; outputs];
        let mut lists: Vec<&mut [T]> = results.iter_mut().map(Vec::as_mut_slice).collect();
        leaf.at(&points, &mut lists);
        for index in 0..5 {
            let mut point = self.region.inputs.to_vec();
            for (axis, points) in self.region.axes.iter().zip(&points) {
                point[axis.input] = points[index];
            }
            for (results, value) in results.iter().zip(values(self.code, &point)) {
                let result = results[index];
                if !same(result, value) {
                    self.faults.push(format!(
                        "{result:?} at {point:?} is not {value:?} in {cell:?}"
                    ));
                }
            }
        }
    }
}

#[derive(Debug, Clone)]
struct Layout {
    sides: [[f64; 2]; INPUTS],
    order: [usize; INPUTS],
    axes: usize,
    lengths: [usize; 3],
    spaces: bool,
    backwards: bool,
    decisions: u64,
}

fn layouts() -> impl Strategy<Value = Layout> {
    (
        boxes(),
        Just([0, 1, 2]).prop_shuffle(),
        1..=3_usize,
        prop::array::uniform3(2..20_usize),
        any::<[bool; 2]>(),
        any::<u64>(),
    )
        .prop_map(
            |(sides, order, axes, lengths, [spaces, backwards], decisions)| Layout {
                sides,
                order,
                axes,
                lengths,
                spaces,
                backwards,
                decisions,
            },
        )
}

fn check<T: Float>(code: &Code, layout: &Layout) -> Result<(), String> {
    let samples: Vec<Vec<T>> = (0..layout.axes)
        .map(|axis| {
            let [first, last] = layout.sides[layout.order[axis]];
            let length = layout.lengths[axis];
            let mut samples: Vec<T> = (0..length)
                .map(|index| {
                    let part = index as f64 / (length - 1) as f64;
                    let between = first * (1.0 - part) + last * part;
                    T::from_f64(if between.is_nan() { first } else { between })
                })
                .collect();
            samples.sort_by(|a, b| a.partial_cmp(b).expect("they are numbers"));
            samples
        })
        .collect();
    let axes: Vec<Axis<'_, T>> = samples
        .iter()
        .enumerate()
        .map(|(axis, samples)| Axis {
            input: layout.order[axis],
            samples,
            backwards: layout.backwards && axis == 1,
        })
        .collect();
    let inputs = layout.sides.map(|side| T::from_f64(side[0]));
    let region = Region {
        axes: &axes,
        inputs: &inputs,
        sides: &[16, 4],
        cells: if layout.spaces {
            Cells::Spaces
        } else {
            Cells::Samples
        },
    };
    let mut points = vec![inputs.to_vec()];
    for axis in region.axes.iter().rev() {
        points = points
            .iter()
            .flat_map(|point| {
                axis.samples.iter().map(|&sample| {
                    let mut point = point.clone();
                    point[axis.input] = sample;
                    point
                })
            })
            .collect();
    }
    let all: Vec<Vec<T>> = points.iter().map(|point| values(code, point)).collect();
    let tape = Tape::new(code).expect("it is short");
    for set in InstructionSet::ALL {
        if !set.is_available() {
            continue;
        }
        let mut pruner = Pruner::new(Arc::clone(&tape), set);
        // The second time nothing may be left of the first.
        for _ in 0..2 {
            let mut critic = Critic {
                code,
                region: &region,
                values: &all,
                decisions: layout.decisions,
                leaves: 0,
                faults: Vec::new(),
            };
            pruner.explore(&region, 0..region.roots(), &mut critic);
            if let Some(fault) = critic.faults.first() {
                return Err(format!("{fault} with {set:?}"));
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn bounds_hold_all_values_and_specialised_tapes_yield_the_same_bits(
        recipe in functions(1..40),
        layout in layouts(),
    ) {
        let code = recipe.code();
        for result in [check::<f32>(&code, &layout), check::<f64>(&code, &layout)] {
            prop_assert!(result.is_ok(), "{} of {code:?}", result.unwrap_err());
        }
    }

    #[test]
    fn operations_alone_keep_the_laws(recipe in functions(1..4), layout in layouts()) {
        let code = recipe.code();
        for result in [check::<f32>(&code, &layout), check::<f64>(&code, &layout)] {
            prop_assert!(result.is_ok(), "{} of {code:?}", result.unwrap_err());
        }
    }

    #[test]
    fn one_box_and_many_boxes_agree(recipe in functions(1..25), sides in boxes()) {
        let code = Arc::new(recipe.code());
        let sides = sides.map(|[a, b]| [a.min(b), a.max(b)]);
        let mut evaluator = IntervalEvaluator::<f64>::new(Arc::clone(&code));
        let outward = evaluator.evaluate(&sides.map(|[low, high]| Interval::new(low, high)))[0];
        // Of what may be infinite the batch knows less.
        let is_tame = evaluator.is_tame();
        let axes = [0, 1, 2].map(|input| Axis { input, samples: &sides[input][..], backwards: false });
        let region = Region { axes: &axes, inputs: &[0.0; 3], sides: &[8], cells: Cells::Samples };
        let mut found = Bounds(None);
        let tape = Tape::new(&code).expect("it is short");
        Pruner::new(tape, InstructionSet::best()).explore(&region, 0..1, &mut found);
        let bounds = found.0.expect("there is one cell");
        // Elementary functions do not rise to the last bit, so that a wider argument may give a narrower result.
        let is_inside = if code.instructions().iter().any(is_elementary) {
            outward.low() <= bounds.high() && bounds.low() <= outward.high()
        } else {
            outward.low() <= bounds.low() && bounds.high() <= outward.high()
        };
        prop_assert!(
            !is_tame || is_inside && !bounds.may_be_undefined(),
            "{bounds:?} is not in {outward:?} on {sides:?} of {code:?}"
        );
    }
}

/// A layout of which the cells see `x` from 1 to 2 and `y` in a range.
fn near(y: [f64; 2]) -> Layout {
    Layout {
        sides: [[1.0, 2.0], y, [0.0, 0.0]],
        order: [0, 1, 2],
        axes: 2,
        lengths: [9, 64, 2],
        spaces: false,
        backwards: false,
        decisions: 7,
    }
}

#[test]
fn a_sum_loses_only_what_is_less_than_half_its_last_place() {
    let mut kernel = Kernel::new();
    let (x, y) = (kernel.variable(0), kernel.variable(1));
    let small = kernel.exp(y);
    let sum = kernel.add(x, small);
    let code = Code::new(kernel.operations(), &[sum], INPUTS, &[], Rounding::Exact);
    // Half of the last place of 1 is e^-16.6 in f32 and e^-36.7 in f64.
    for range in [[-19.0, -14.0], [-39.0, -34.0]] {
        check::<f32>(&code, &near(range)).expect("the bits are the same");
        check::<f64>(&code, &near(range)).expect("the bits are the same");
    }
    let samples: [f32; 2] = [-19.0, -18.5];
    let axes = [Axis::new(1, &samples)];
    let region = Region {
        axes: &axes,
        inputs: &[1.5, 0.0, 0.0],
        sides: &[8],
        cells: Cells::Samples,
    };
    let tape = Tape::new(&code).expect("it is short");
    let mut steps = Steps(0);
    Pruner::new(tape, InstructionSet::best()).explore(&region, 0..1, &mut steps);
    assert_eq!(steps.0, 1, "the sum is its first operand, which is copied");
}

/// Counts the steps of the last leaf.
struct Steps(usize);

impl Visitor<f32> for Steps {
    fn bounded(&mut self, _: &Cell, _: Interval<f32>) -> CellAction {
        CellAction::Evaluate
    }

    fn leaf(&mut self, leaf: &mut Leaf<'_, f32>) {
        self.0 = leaf.steps();
    }
}

/// True if an instruction is computed with an error that is more than rounding.
fn is_elementary(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Unary(operation, _) => !matches!(
            operation,
            Unary::Neg
                | Unary::Abs
                | Unary::Sign
                | Unary::Sqrt
                | Unary::Floor
                | Unary::Ceil
                | Unary::Round
                | Unary::Fract
        ),
        Instruction::Binary(operation, ..) => matches!(operation, Binary::Pow | Binary::Atan2),
        Instruction::Input(_)
        | Instruction::Fused(..)
        | Instruction::Select(_)
        | Instruction::Oracle { .. } => false,
    }
}

/// Keeps the bounds of the last cell.
struct Bounds(Option<Interval<f64>>);

impl Visitor<f64> for Bounds {
    fn bounded(&mut self, _: &Cell, bounds: Interval<f64>) -> CellAction {
        self.0 = Some(bounds);
        CellAction::Done
    }

    fn leaf(&mut self, _: &mut Leaf<'_, f64>) {}
}
