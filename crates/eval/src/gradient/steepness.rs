//! Bounds of the steepness of every value on a box: forward-mode differentiation with intervals, and with the lengths
//! of gradients.
//!
//! Beside an interval for each derivative, a bound of the gradient's length is carried along, which sums do not widen
//! by more than they must. The length of a vector changes by no more than the vector does; this is found where a root
//! of a sum of squares is, since by its derivatives alone it could be infinitely steep at 0.

use std::sync::Arc;

use fibula_nodes::{Binary, Query, Unary};

use super::partial::{self, PartialDerivatives};
use crate::code::{Arg, ArgSource, Code, Fused, Instruction};
use crate::interval::span::Span;
use crate::interval::{Choice, Interval, IntervalEvaluator, arithmetic, choice};

/// Bounds of the steepness of a value on a box.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steepness {
    /// No gradient is longer.
    pub(super) length: f64,
    /// True if the value may jump.
    pub(super) may_jump: bool,
}

impl Steepness {
    pub(super) const FLAT: Steepness = Steepness {
        length: 0.0,
        may_jump: false,
    };

    /// Bounds of a value that is one or the other.
    pub(super) fn or(self, other: Steepness) -> Steepness {
        Steepness {
            length: self.length.max(other.length),
            may_jump: self.may_jump || other.may_jump,
        }
    }
}

/// Bounds the steepness of values, one box after the other.
pub(super) struct SteepnessEvaluator {
    code: Arc<Code>,
    directions: Vec<usize>,
    values: IntervalEvaluator<f64>,
    /// The derivatives of each instruction by each direction.
    slopes: Vec<Span<f64>>,
    steepness: Vec<Steepness>,
    /// For each root of a sum of squares, the values that are squared.
    lengths: Vec<Vec<Arg>>,
}

impl SteepnessEvaluator {
    pub(super) fn new(code: &Code, directions: &[usize]) -> SteepnessEvaluator {
        let mut all = code.clone();
        all.outputs = (0..code.instructions.len()).map(Arg::value).collect();
        let lengths = code
            .instructions
            .iter()
            .map(|instruction| match *instruction {
                Instruction::Unary(Unary::Sqrt, a) => squares(code, a).unwrap_or_default(),
                _ => Vec::new(),
            });
        SteepnessEvaluator {
            lengths: lengths.collect(),
            directions: directions.to_vec(),
            values: IntervalEvaluator::new(Arc::new(all)),
            slopes: Vec::new(),
            steepness: Vec::new(),
            code: Arc::new(code.clone()),
        }
    }

    /// Bounds the steepness of an output on a box.
    pub(super) fn steepness(&mut self, inputs: &[Interval<f64>], output: usize) -> Steepness {
        let code = Arc::clone(&self.code);
        let values = self.values.evaluate(inputs).to_vec();
        self.slopes.clear();
        self.steepness.clear();
        for (index, instruction) in code.instructions.iter().enumerate() {
            let steepness = self.push(index, *instruction, &values);
            let whole = Span::new(-steepness.length, steepness.length);
            let count = self.directions.len();
            for slope in &mut self.slopes[index * count..] {
                *slope = common(*slope, whole);
            }
            self.steepness.push(steepness);
        }
        self.of(code.outputs[output])
    }

    fn of(&self, arg: Arg) -> Steepness {
        match arg.source() {
            ArgSource::Value(index) => self.steepness[index],
            ArgSource::Constant(_) => Steepness::FLAT,
        }
    }

    fn slope(&self, arg: Arg, direction: usize) -> Span<f64> {
        match arg.source() {
            ArgSource::Value(index) => self.slopes[index * self.directions.len() + direction],
            ArgSource::Constant(_) => Span::point(0.0),
        }
    }

    /// Appends the derivatives of an instruction, and returns its steepness.
    fn push(
        &mut self,
        index: usize,
        instruction: Instruction,
        values: &[Interval<f64>],
    ) -> Steepness {
        let code = Arc::clone(&self.code);
        let interval = |arg: Arg| match arg.source() {
            ArgSource::Value(index) => values[index],
            ArgSource::Constant(index) => Interval::point(code.constants[index]),
        };
        match instruction {
            Instruction::Input(input) => {
                let is_direction = |&direction: &usize| direction == input as usize;
                let seeds = self.directions.iter().map(is_direction);
                let seeds = seeds.map(|is| Span::point(f64::from(u8::from(is))));
                self.slopes.extend(seeds);
                Steepness {
                    length: self.length_of_last(),
                    may_jump: false,
                }
            }
            Instruction::Unary(operation, a) => {
                let partial = partial::unary(operation, interval(a), values[index]);
                let mut steepness = self.sum(&[(partial.by[0], a)], partial.may_jump);
                let squared = std::mem::take(&mut self.lengths[index]);
                if !squared.is_empty() {
                    steepness.length = steepness.length.min(self.length_of(&squared));
                }
                self.lengths[index] = squared;
                steepness
            }
            Instruction::Binary(operation @ (Binary::Min | Binary::Max), a, b) => {
                let (first, second) = (interval(a), interval(b));
                let (_, choice) = choice::extreme(operation, first, second);
                // Where one operand begins to be a number the other may lie elsewhere.
                self.either(
                    choice,
                    a,
                    b,
                    first.may_be_undefined() || second.may_be_undefined(),
                )
            }
            Instruction::Binary(Binary::Mul, a, b) if a == b => {
                let twice = doubled(interval(a).span());
                self.sum(&[(twice, a)], false)
            }
            Instruction::Binary(operation, a, b) => {
                let PartialDerivatives { by, may_jump } =
                    partial::binary(operation, interval(a), interval(b), values[index]);
                self.sum(&[(by[0], a), (by[1], b)], may_jump)
            }
            Instruction::Fused(operation, a, b, c) => {
                let (first, second) = (interval(a).span(), interval(b).span());
                let term = match operation {
                    Fused::MulAdd | Fused::NegMulAdd => 1.0,
                    Fused::MulSub => -1.0,
                };
                let signed = |factor| match operation {
                    Fused::MulAdd | Fused::MulSub => factor,
                    Fused::NegMulAdd => arithmetic::neg(factor),
                };
                let term = (Span::point(term), c);
                if a == b {
                    let twice = doubled(first);
                    self.sum(&[(signed(twice), a), term], false)
                } else {
                    self.sum(&[(signed(second), a), (signed(first), b), term], false)
                }
            }
            Instruction::Select([a, b, then, otherwise]) => {
                let (_, choice) = choice::select(
                    interval(a),
                    interval(b),
                    interval(then),
                    interval(otherwise),
                );
                // A minimum or maximum, written otherwise, does not jump.
                let is_extreme = [a, b] == [then, otherwise] || [b, a] == [then, otherwise];
                let is_undefined = [a, b].iter().any(|&arg| interval(arg).may_be_undefined());
                let by = [a, b].map(|arg| self.of(arg));
                let may_jump = by.iter().any(|by| by.may_jump)
                    || is_undefined
                    || by.iter().any(|by| by.length > 0.0) && !is_extreme;
                self.either(choice, then, otherwise, may_jump)
            }
            Instruction::Oracle { oracle, at, .. } => {
                let is_distance = match code.oracles[oracle as usize].query {
                    Query::SignedDistance | Query::UnsignedDistance | Query::BeamLattice { .. } => {
                        true
                    }
                    Query::Image { .. } => false,
                };
                let whole = Span::entire();
                let steepness = self.sum(&at.map(|arg| (whole, arg)), false);
                let length = if is_distance {
                    steepness.length.min(self.length_of(&at))
                } else {
                    steepness.length
                };
                Steepness {
                    length,
                    may_jump: steepness.may_jump || !is_distance && length > 0.0,
                }
            }
        }
    }

    /// The sum of derivatives times their factors.
    fn sum(&mut self, terms: &[(Span<f64>, Arg)], may_jump: bool) -> Steepness {
        for direction in 0..self.directions.len() {
            let mut sum = Span::point(0.0);
            for &(factor, arg) in terms {
                sum = plus(sum, times(factor, self.slope(arg, direction)));
            }
            self.slopes.push(sum);
        }
        let mut length = 0.0;
        let mut jumps = may_jump;
        for &(factor, arg) in terms {
            let steepness = self.of(arg);
            length = (length + product(factor.magnitude(), steepness.length)).next_up();
            jumps |= steepness.may_jump;
        }
        Steepness {
            length: length.min(self.length_of_last()),
            may_jump: jumps,
        }
    }

    /// One of two values; `may_jump` is true if going from one to the other is a jump.
    fn either(&mut self, choice: Choice, a: Arg, b: Arg, may_jump: bool) -> Steepness {
        for direction in 0..self.directions.len() {
            let (first, second) = (self.slope(a, direction), self.slope(b, direction));
            self.slopes.push(match choice {
                Choice::First => first,
                Choice::Second => second,
                Choice::Both => first.join(second),
            });
        }
        let (first, second) = (self.of(a), self.of(b));
        match choice {
            Choice::First => first,
            Choice::Second => second,
            Choice::Both => Steepness {
                may_jump,
                ..Steepness::FLAT
            }
            .or(first)
            .or(second),
        }
    }

    /// The length of the gradient that was added last, by its parts.
    fn length_of_last(&self) -> f64 {
        let last = &self.slopes[self.slopes.len() - self.directions.len()..];
        root_of_squares(last.iter().map(|slope| slope.magnitude()))
    }

    /// Bound of the steepness of the length of a vector: it changes no faster than the vector itself.
    fn length_of(&self, vector: &[Arg]) -> f64 {
        // What each part is a function of that is nowhere steeper than 1.
        let inner: Vec<Arg> = vector.iter().map(|&arg| inner(&self.code, arg)).collect();
        self.norm(vector).min(self.norm(&inner))
    }

    /// A bound of the norm of a Jacobian J, whose rows are the gradients of a vector's parts: the root of the largest
    /// sum of a row of J J^T, in magnitudes (Gershgorin circle theorem).
    fn norm(&self, vector: &[Arg]) -> f64 {
        let mut most = 0.0_f64;
        for (row, &a) in vector.iter().enumerate() {
            let length = self.of(a).length;
            let mut sum = (length * length).next_up();
            for (column, &b) in vector.iter().enumerate() {
                if row != column {
                    sum = (sum + self.across(a, b)).next_up();
                }
            }
            most = most.max(sum);
        }
        most.sqrt().next_up()
    }

    /// The magnitude of the product of two gradients.
    fn across(&self, a: Arg, b: Arg) -> f64 {
        let mut sum = Span::point(0.0);
        for direction in 0..self.directions.len() {
            let (first, second) = (self.slope(a, direction), self.slope(b, direction));
            sum = plus(sum, times(first, second));
        }
        let lengths = product(self.of(a).length, self.of(b).length);
        sum.magnitude().min(lengths)
    }
}

/// The values whose squares sum up to `arg`, if it is such a sum, up to constants that are not negative.
fn squares(code: &Code, arg: Arg) -> Option<Vec<Arg>> {
    const MOST: usize = 16;
    let mut terms = vec![arg];
    let mut squared = Vec::new();
    while let Some(term) = terms.pop() {
        match term.source() {
            ArgSource::Constant(index) if code.constants[index] >= 0.0 => {}
            ArgSource::Constant(_) => return None,
            ArgSource::Value(index) => match code.instructions[index] {
                Instruction::Binary(Binary::Mul, a, b) if a == b => squared.push(a),
                Instruction::Fused(Fused::MulAdd, a, b, c) if a == b => {
                    squared.push(a);
                    terms.push(c);
                }
                Instruction::Binary(Binary::Add, a, b) => terms.extend([a, b]),
                _ => return None,
            },
        }
        if squared.len() + terms.len() > MOST {
            return None;
        }
    }
    Some(squared)
}

/// The value inside functions that are nowhere steeper than 1.
fn inner(code: &Code, mut arg: Arg) -> Arg {
    while let Some(index) = arg.index() {
        let is_constant = |arg: Arg| arg.index().is_none();
        arg = match code.instructions[index] {
            Instruction::Unary(
                Unary::Neg | Unary::Abs | Unary::Sin | Unary::Cos | Unary::Tanh | Unary::Atan,
                a,
            ) => a,
            Instruction::Binary(Binary::Add | Binary::Sub | Binary::Min | Binary::Max, a, b) => {
                match (is_constant(a), is_constant(b)) {
                    (false, true) => a,
                    (true, false) => b,
                    (true, true) | (false, false) => return arg,
                }
            }
            _ => return arg,
        };
    }
    arg
}

/// A product. It is wider than [`arithmetic::mul`] has it, by an ulp where that is exact, and ten times as
/// fast.
fn times(a: Span<f64>, b: Span<f64>) -> Span<f64> {
    let (zero, one) = (Span::point(0.0), Span::point(1.0));
    if a == zero || b == zero {
        return zero;
    }
    if a == one {
        return b;
    }
    if b == one {
        return a;
    }
    let corners = [
        a.low * b.low,
        a.low * b.high,
        a.high * b.low,
        a.high * b.high,
    ];
    // 0 times infinity is 0: no number is infinite.
    let corners = corners.map(|corner| if corner.is_nan() { 0.0 } else { corner });
    Span::new(
        corners
            .into_iter()
            .fold(f64::INFINITY, f64::min)
            .next_down(),
        corners
            .into_iter()
            .fold(f64::NEG_INFINITY, f64::max)
            .next_up(),
    )
}

/// A sum, as wide.
fn plus(a: Span<f64>, b: Span<f64>) -> Span<f64> {
    let zero = Span::point(0.0);
    if a == zero {
        return b;
    }
    if b == zero {
        return a;
    }
    let (low, high) = (a.low + b.low, a.high + b.high);
    if low.is_nan() || high.is_nan() {
        return Span::entire();
    }
    Span::new(low.next_down(), high.next_up())
}

fn doubled(a: Span<f64>) -> Span<f64> {
    Span::new(2.0 * a.low, 2.0 * a.high)
}

/// The numbers that are in both.
fn common(a: Span<f64>, b: Span<f64>) -> Span<f64> {
    Span::new(a.low.max(b.low).min(b.high), a.high.min(b.high).max(b.low))
}

/// A product, rounded up; 0 times infinity is 0, since what does not change at all does not at any speed.
fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        0.0
    } else {
        (a * b).next_up()
    }
}

/// The root of a sum of squares, rounded up.
fn root_of_squares(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut sum = 0.0;
    let mut most = 0.0_f64;
    let mut count = 0;
    for number in numbers {
        sum = (sum + (number * number).next_up()).next_up();
        most = most.max(number);
        count += usize::from(number > 0.0);
    }
    if count < 2 {
        most
    } else {
        sum.sqrt().next_up()
    }
}
