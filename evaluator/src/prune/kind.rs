//! The kinds of steps of a tape, with the bounds of each on 64 boxes, compiled for every instruction set.
//!
//! Each kind is a step of the block evaluator, so that leaves give the same bits as it. Kinds that hold a choice hold
//! nothing else.

use fibula_nodes::Unary;

use crate::block::step::StepCode;
use crate::code::Fused;
use crate::cpu::InstructionSet;
use crate::interval::span::{Computed, Span};
use crate::interval::{arithmetic, circular, exponential, rounding};
use crate::lane::{Float, Lane};
use crate::prune::row::{BOXES, Marks, Row, lanes, unsure};

/// What is known of a step's result, by lane: besides its marks, whether it has the bits of one of the operands.
#[derive(Debug, Clone, Copy, Default)]
struct Outcome {
    marks: Marks,
    is_operand: [u64; 3],
}

/// What is found out about a step, by lane, for those who do without it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Finding {
    /// The result is the operand of this place, at every point of the box.
    pub(crate) is_operand: [u64; 3],
    /// It is one number at every point of the box.
    pub(crate) fixed: u64,
}

/// What a step takes.
pub(crate) struct Taken<'a, T> {
    pub(crate) a: &'a Row<T>,
    pub(crate) b: &'a Row<T>,
    pub(crate) c: &'a Row<T>,
    pub(crate) constants: &'a [T; 3],
    /// Bit by bit, whether an operand never is -0.
    pub(crate) unsigned: u8,
}

impl<'a, T: Float> Taken<'a, T> {
    #[inline(always)]
    fn rows(&self) -> [&'a Row<T>; 3] {
        [self.a, self.b, self.c]
    }

    #[inline(always)]
    fn marks(&self) -> [Marks; 3] {
        self.rows().map(|row| row.marks)
    }
}

type Bound<T> = unsafe fn(&mut Row<T>, &Taken<T>, &mut Finding);

/// The functions that compute bounds with one instruction set.
#[derive(Clone, Copy)]
pub(crate) struct Bounders<T: 'static> {
    /// By kind. They belong to a set that the processor has.
    bounds: &'static [Bound<T>; Kind::ALL.len()],
}

impl<T: Float> Bounders<T> {
    /// The functions for an instruction set.
    ///
    /// # Panics
    /// If the processor does not have it.
    pub(crate) fn new(set: InstructionSet) -> Bounders<T> {
        assert!(set.is_available(), "the processor lacks {}", set.name());
        let bounds = match set {
            InstructionSet::Portable => const { &portable::bounds() },
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => const { &avx2::bounds() },
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => const { &avx512::bounds() },
            #[cfg(not(target_arch = "x86_64"))]
            InstructionSet::Avx2 | InstructionSet::Avx512 => {
                unreachable!("no other processor has it")
            }
        };
        Bounders { bounds }
    }

    /// Computes the bounds of a step.
    #[inline(always)]
    #[expect(unsafe_code, reason = "the functions need what their processor has")]
    pub(crate) fn bound(
        self,
        kind: Kind,
        out: &mut Row<T>,
        taken: &Taken<T>,
        finding: &mut Finding,
    ) {
        // SAFETY: `new` made sure that the processor has the instruction set for which they are compiled.
        unsafe { self.bounds[kind as usize](out, taken, finding) }
    }
}

macro_rules! kinds {
    (@all $($(#[$about:meta])* $kind:ident = $code:ident: $bound:expr;)*) => {
        /// What a step computes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Kind {
            $($(#[$about])* $kind,)*
        }

        impl Kind {
            /// Every kind.
            pub(crate) const ALL: [Kind; [$(stringify!($kind)),*].len()] = [$(Kind::$kind),*];

            /// The step of the block evaluator that computes it.
            #[inline(always)]
            pub(crate) fn code(self) -> StepCode {
                const CODES: [StepCode; Kind::ALL.len()] = [$(StepCode::$code),*];
                CODES[self as usize]
            }
        }
    };
    (@bounds $set:ident $features:tt $($(#[$about:meta])* $kind:ident = $code:ident: $bound:expr;)*) => {
        mod $set {
            use super::*;

            pub(super) const fn bounds<T: Float>() -> [Bound<T>; Kind::ALL.len()] {
                [$({
                    #$features
                    fn bound<T: Float>(out: &mut Row<T>, taken: &Taken<T>, finding: &mut Finding) {
                        let outcome: Outcome = $bound(out, taken);
                        out.marks = outcome.marks;
                        *finding = Finding {
                            is_operand: outcome.is_operand,
                            fixed: outcome.marks.fixed,
                        };
                    }
                    bound::<T>
                },)*]
            }
        }
    };
    ($($list:tt)*) => {
        kinds! { @all $($list)* }
        kinds! { @bounds portable [inline(never)] $($list)* }
        #[cfg(target_arch = "x86_64")]
        kinds! { @bounds avx2 [target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")] $($list)* }
        #[cfg(target_arch = "x86_64")]
        kinds! { @bounds avx512 [target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,popcnt,lzcnt")] $($list)* }
    };
}

kinds! {
    /// k
    Set = Set: set;
    /// a
    Copy = Copy: copy;
    Neg = Neg: |out, taken| of_one(out, taken, arithmetic::neg);
    Abs = Abs: abs;
    Sign = Sign: |out, taken| stepped(out, taken, Unary::Sign);
    Floor = Floor: |out, taken| stepped(out, taken, Unary::Floor);
    Ceil = Ceil: |out, taken| stepped(out, taken, Unary::Ceil);
    Round = Round: |out, taken| stepped(out, taken, Unary::Round);
    Fract = Fract: |out, taken| of_one(out, taken, rounding::fract::<T, Computed>);
    Sqrt = Sqrt: |out, taken| partial(out, taken, arithmetic::sqrt::<T, Computed>);
    Sin = Sin: |out, taken| partial(out, taken, circular::sin::<T, Computed>);
    Cos = Cos: |out, taken| partial(out, taken, circular::cos::<T, Computed>);
    Tan = Tan: |out, taken| partial(out, taken, circular::tan::<T, Computed>);
    Asin = Asin: |out, taken| partial(out, taken, circular::asin::<T, Computed>);
    Acos = Acos: |out, taken| partial(out, taken, circular::acos::<T, Computed>);
    Atan = Atan: |out, taken| of_one(out, taken, circular::atan::<T, Computed>);
    Sinh = Sinh: |out, taken| of_one(out, taken, |a| exponential::rising::<T, Computed>(Unary::Sinh, a));
    Cosh = Cosh: |out, taken| of_one(out, taken, exponential::cosh::<T, Computed>);
    Tanh = Tanh: |out, taken| of_one(out, taken, |a| exponential::rising::<T, Computed>(Unary::Tanh, a));
    Exp = Exp: |out, taken| of_one(out, taken, exponential::exp::<T, Computed>);
    Log = Log: |out, taken| partial(out, taken, |a| exponential::log::<T, Computed>(Unary::Log, a));
    Log2 = Log2: |out, taken| partial(out, taken, |a| exponential::log::<T, Computed>(Unary::Log2, a));
    Log10 = Log10: |out, taken| partial(out, taken, |a| exponential::log::<T, Computed>(Unary::Log10, a));
    Add = Add: add;
    /// a + b, where one may be lost beside the other.
    AddUneven = Add: add_uneven;
    Sub = Sub: sub;
    /// a - a, with a twice
    SubSame = Sub: nothing;
    Mul = Mul: mul;
    Div = Div: |out, taken| of_two(out, taken, arithmetic::div::<T, Computed>);
    Min = Min: |out, taken| min_of(out, taken, T::ZERO.neg(), T::ZERO.neg());
    Max = Max: |out, taken| max_of(out, taken, T::ZERO.neg(), T::ZERO.neg());
    Mod = Mod: |out, taken| of_two(out, taken, |a, b| rounding::remainder::<T, Computed>(a, b, Lane::floor, true).0);
    Fmod = Fmod: |out, taken| of_two(out, taken, |a, b| rounding::remainder::<T, Computed>(a, b, Lane::trunc, false).0);
    Pow = Pow: pow;
    Atan2 = Atan2: |out, taken| of_two(out, taken, circular::atan2::<T, Computed>);
    AddConstant = AddConstant: |out, taken| of_one(out, taken, |a| plus(a, taken.constants[0]));
    ConstantSub = ConstantSub: |out, taken| of_one(out, taken, |a| plus(arithmetic::neg(a), taken.constants[0]));
    MulConstant = MulConstant: multiple;
    DivConstant = DivConstant: |out, taken| of_one(out, taken, |a| arithmetic::div::<T, Computed>(a, Span::of(taken.constants[0])));
    ConstantDiv = ConstantDiv: |out, taken| of_one(out, taken, |a| arithmetic::div::<T, Computed>(Span::of(taken.constants[0]), a));
    MinConstant = MinConstant: min_constant;
    MaxConstant = MaxConstant: max_constant;
    Less = Less: less;
    Pick = Pick: pick;
    MulAdd = MulAdd: |out, taken| fused(out, taken, Fused::MulAdd, false);
    MulConstantAdd = MulConstantAdd: multiple_and;
    MulAddConstant = MulAddConstant: |out, taken| of_two(out, taken, |a, b| arithmetic::fused::<T, Computed>(Fused::MulAdd, a, b, Span::of(taken.constants[0]), false));
    MulConstantAddConstant = MulConstantAddConstant: |out, taken| of_one(out, taken, |a| times_plus(a, taken.constants[0], Span::of(taken.constants[1])));
    MulSub = MulSub: |out, taken| fused(out, taken, Fused::MulSub, false);
    MulConstantSub = MulConstantSub: |out, taken| of_two(out, taken, |a, b| times_plus(a, taken.constants[0], arithmetic::neg(b)));
    NegMulAdd = NegMulAdd: |out, taken| fused(out, taken, Fused::NegMulAdd, false);
    ConstantSubMul = ConstantSubMul: |out, taken| of_two(out, taken, |a, b| arithmetic::fused::<T, Computed>(Fused::NegMulAdd, a, b, Span::of(taken.constants[0]), false));
    Square = Square: |out, taken| of_one(out, taken, arithmetic::square::<T, Computed>);
    SquareAdd = SquareAdd: square_add;
    /// a a + k, with a twice
    SquareAddConstant = MulAddConstant: |out, taken| of_one(out, taken, |a| square_and(a, Span::of(taken.constants[0])));
    /// a a - c, with a twice
    SquareSub = MulSub: |out, taken| fused(out, taken, Fused::MulSub, true);
    /// c - a a, with a twice
    NegSquareAdd = NegMulAdd: |out, taken| fused(out, taken, Fused::NegMulAdd, true);
    /// k - a a, with a twice
    ConstantSubSquare = ConstantSubMul: |out, taken| of_one(out, taken, |a| arithmetic::fused::<T, Computed>(Fused::NegMulAdd, a, a, Span::of(taken.constants[0]), true));
    AbsAddConstant = AbsAddConstant: |out, taken| of_one(out, taken, |a| plus(arithmetic::abs(a), taken.constants[0]));
    SqrtAddConstant = SqrtAddConstant: |out, taken| partial(out, taken, |a| {
        let (root, is_negative) = arithmetic::sqrt::<T, Computed>(a);
        (plus(root, taken.constants[0]), is_negative)
    });
    AddConstantSquare = AddConstantSquare: |out, taken| of_one(out, taken, |a| arithmetic::square::<T, Computed>(plus(a, taken.constants[0])));
    AddConstantSquareAdd = AddConstantSquareAdd: |out, taken| of_two(out, taken, |a, b| square_and(plus(a, taken.constants[0]), b));
    /// a a + b b
    SumOfSquares = SumOfSquares: |out, taken| of_two(out, taken, |a, b| square_and(b, arithmetic::square::<T, Computed>(a)));
    /// sqrt(a a + b b)
    Length = Length: |out, taken| of_two(out, taken, |a, b| {
        let square = square_and(b, arithmetic::square::<T, Computed>(a));
        arithmetic::sqrt::<T, Computed>(square).0
    });
    /// (a + k) + (b + l)
    AddOfSums = AddOfSums: |out, taken| of_sums(out, taken, arithmetic::add::<T, Computed>);
    /// (a + k) - (b + l)
    SubOfSums = SubOfSums: |out, taken| of_sums(out, taken, arithmetic::sub::<T, Computed>);
    /// max(a + k, b + l)
    MaxOfSums = MaxOfSums: |out, taken| max_of(out, taken, taken.constants[0], taken.constants[1]);
    /// min(a + k, b + l)
    MinOfSums = MinOfSums: |out, taken| min_of(out, taken, taken.constants[0], taken.constants[1]);
    /// One channel of what an oracle answers; computed elsewhere.
    Oracle = Copy: copy;
}

impl Kind {
    /// Whether the operands are sums with constants, so that what is the value of one may be a sum.
    #[inline(always)]
    pub(crate) fn is_of_sums(self) -> bool {
        matches!(
            self,
            Kind::AddOfSums | Kind::SubOfSums | Kind::MaxOfSums | Kind::MinOfSums
        )
    }
}

/// The marks of a result of which no operand is the value: `fixed` says where all that it is computed from is fixed.
#[inline(always)]
fn outcome<T: Float>(out: &mut Row<T>, fixed: u64, undefined: u64) -> Outcome {
    let undefined = unsure(out, undefined);
    let mut marks = Marks {
        fixed: fixed & !undefined,
        zero: 0,
        undefined,
    };
    if marks.fixed != 0 {
        marks.fixed &= lanes(|lane| out.low[lane] == out.high[lane]);
        marks.zero = marks.fixed & lanes(|lane| out.low[lane] == T::ZERO);
    }
    Outcome {
        marks,
        is_operand: [0; 3],
    }
}

#[inline(always)]
fn of_one<T: Float>(
    out: &mut Row<T>,
    taken: &Taken<T>,
    bound: impl Fn(Span<T>) -> Span<T>,
) -> Outcome {
    let [a, ..] = taken.rows();
    for lane in 0..BOXES {
        out.set(lane, bound(a.at(lane)));
    }
    outcome(out, taken.marks()[0].fixed, taken.marks()[0].undefined)
}

#[inline(always)]
fn of_two<T: Float>(
    out: &mut Row<T>,
    taken: &Taken<T>,
    bound: impl Fn(Span<T>, Span<T>) -> Span<T>,
) -> Outcome {
    let [a, b, _] = taken.rows();
    for lane in 0..BOXES {
        out.set(lane, bound(a.at(lane), b.at(lane)));
    }
    let [a, b, _] = taken.marks();
    outcome(out, a.fixed & b.fixed, a.undefined | b.undefined)
}

/// An operation that gives no number for some: the bounds hold what it gives for the others.
#[inline(always)]
fn partial<T: Float>(
    out: &mut Row<T>,
    taken: &Taken<T>,
    bound: impl Fn(Span<T>) -> (Span<T>, bool),
) -> Outcome {
    let [a, ..] = taken.rows();
    let mut is_undefined = false;
    for lane in 0..BOXES {
        let (span, undefined) = bound(a.at(lane));
        is_undefined |= undefined;
        out.set(lane, span);
    }
    let mut undefined = taken.marks()[0].undefined;
    if is_undefined {
        undefined |= lanes(|lane| bound(a.at(lane)).1);
    }
    outcome(out, taken.marks()[0].fixed, undefined)
}

#[inline(always)]
fn set<T: Float>(out: &mut Row<T>, taken: &Taken<T>) -> Outcome {
    let number = taken.constants[0];
    out.low = [number; BOXES];
    out.high = [number; BOXES];
    let mut outcome = outcome(out, 0, 0);
    let fixed = !outcome.marks.undefined;
    outcome.marks.fixed = fixed;
    outcome.marks.zero = if number == T::ZERO { fixed } else { 0 };
    outcome
}

#[inline(always)]
fn copy<T: Float>(out: &mut Row<T>, taken: &Taken<T>) -> Outcome {
    out.low = taken.rows()[0].low;
    out.high = taken.rows()[0].high;
    Outcome {
        marks: taken.marks()[0],
        is_operand: [0; 3],
    }
}

/// A function that goes in steps is one number wherever both ends are on the same step.
#[inline(always)]
fn stepped<T: Float>(out: &mut Row<T>, taken: &Taken<T>, operation: Unary) -> Outcome {
    let [a, ..] = taken.rows();
    for lane in 0..BOXES {
        out.set(lane, rounding::step(operation, a.at(lane)));
    }
    // Where it is 0, its sign is that of the operand.
    let one_step = lanes(|lane| {
        let has_sign = !a.at(lane).has(T::ZERO);
        (out.low[lane] == out.high[lane]) & ((out.low[lane] != T::ZERO) | has_sign)
    });
    outcome(
        out,
        taken.marks()[0].fixed | one_step,
        taken.marks()[0].undefined,
    )
}

#[inline(always)]
fn abs<T: Float>(out: &mut Row<T>, taken: &Taken<T>) -> Outcome {
    let mut outcome = of_one(out, taken, arithmetic::abs);
    let a = taken.rows()[0];
    outcome.is_operand[0] = lanes(|lane| a.low[lane] > T::ZERO);
    outcome
}

#[inline(always)]
fn add<T: Float>(out: &mut Row<T>, taken: &Taken<T>) -> Outcome {
    let mut outcome = of_two(out, taken, arithmetic::add::<T, Computed>);
    let [a, b, _] = taken.marks();
    if a.zero | b.zero != 0 {
        outcome.is_operand[0] = b.zero & keeps_zero(taken, 0);
        outcome.is_operand[1] = a.zero & keeps_zero(taken, 1);
    }
    outcome
}

/// A sum of which one operand may be too small to count: less than half an ulp of the other one, all over the box.
#[inline(always)]
fn add_uneven<T: Float>(out: &mut Row<T>, taken: &Taken<T>) -> Outcome {
    let mut outcome = add(out, taken);
    let [a, b, _] = taken.rows();
    // Half an ulp of a number is at least this part of it.
    let part = T::ONE.sub(T::ONE.down()).mul(T::of(0.5));
    let is_lost = |small: Span<T>, large: Span<T>| {
        let least = if large.low > T::ZERO {
            large.low
        } else {
            large.high.neg()
        };
        small.reach() < least.mul(part)
    };
    let defined = !(taken.marks()[0].undefined | taken.marks()[1].undefined);
    outcome.is_operand[0] |= defined & lanes(|lane| is_lost(b.at(lane), a.at(lane)));
    outcome.is_operand[1] |= defined & lanes(|lane| is_lost(a.at(lane), b.at(lane)));
    outcome
}

#[inline(always)]
fn sub<T: Float>(out: &mut Row<T>, taken: &Taken<T>) -> Outcome {
    let mut outcome = of_two(out, taken, arithmetic::sub::<T, Computed>);
    let b = taken.marks()[1];
    if b.zero != 0 {
        // Only -0 less -0 is 0 and not -0.
        let plus = b.fixed & lanes(|lane| Float::to_bits(taken.rows()[1].low[lane]) == 0);
        outcome.is_operand[0] = b.zero & (plus | keeps_zero(taken, 0));
    }
    outcome
}

/// A number less itself, which is 0 and not -0.
#[inline(always)]
fn nothing<T: Float>(out: &mut Row<T>, taken: &Taken<T>) -> Outcome {
    out.low = [T::ZERO; BOXES];
    out.high = [T::ZERO; BOXES];
    outcome(out, !0, taken.marks()[0].undefined)
}

#[inline(always)]
fn mul<T: Float>(out: &mut Row<T>, taken: &Taken<T>) -> Outcome {
    let mut outcome = of_two(out, taken, arithmetic::mul::<T, Computed>);
    let [a, b, _] = taken.marks();
    if a.zero | b.zero != 0 {
        let zero = product_zero(taken);
        // Its sign is known where those of both factors are.
        let known = a.zero & a.fixed & is_not_zero(taken.rows()[1])
            | b.zero & b.fixed & is_not_zero(taken.rows()[0]);
        outcome.marks.zero |= zero;
        outcome.marks.fixed |= zero & known;
    }
    outcome
}

/// Where a product is 0 because a factor is.
#[inline(always)]
fn product_zero<T: Float>(taken: &Taken<T>) -> u64 {
    let [a, b, _] = taken.marks();
    a.zero & !b.undefined | b.zero & !a.undefined
}

/// Where a sum of an operand and a zero of any sign is the operand.
#[inline(always)]
fn keeps_zero<T: Float>(taken: &Taken<T>, operand: usize) -> u64 {
    if taken.unsigned >> operand & 1 != 0 {
        !0
    } else {
        is_not_zero(taken.rows()[operand])
    }
}

#[inline(always)]
fn is_not_zero<T: Float>(row: &Row<T>) -> u64 {
    lanes(|lane| !row.at(lane).has(T::ZERO))
}

#[inline(always)]
fn min_of<T: Float>(out: &mut Row<T>, taken: &Taken<T>, k: T, l: T) -> Outcome {
    let [a, b, _] = taken.rows();
    let a = |lane: usize| plus(a.at(lane), k);
    let b = |lane: usize| plus(b.at(lane), l);
    for lane in 0..BOXES {
        let (a, b) = (a(lane), b(lane));
        out.low[lane] = a.low.lesser(b.low);
        out.high[lane] = a.high.lesser(b.high);
    }
    // Of equal operands the second is the result.
    let first = lanes(|lane| a(lane).high < b(lane).low);
    let second = lanes(|lane| b(lane).high <= a(lane).low);
    let marks = taken.marks();
    if marks[0].undefined | marks[1].undefined != 0 {
        for lane in 0..BOXES {
            let [is_a, is_b] = [0, 1].map(|operand| is_undefined(marks[operand], lane));
            out.high[lane] = either(
                is_a,
                is_b,
                out.high[lane],
                a(lane).high,
                b(lane).high,
                T::greater,
            );
        }
    }
    chosen(out, taken, first, second)
}

#[inline(always)]
fn max_of<T: Float>(out: &mut Row<T>, taken: &Taken<T>, k: T, l: T) -> Outcome {
    let [a, b, _] = taken.rows();
    let a = |lane: usize| plus(a.at(lane), k);
    let b = |lane: usize| plus(b.at(lane), l);
    for lane in 0..BOXES {
        let (a, b) = (a(lane), b(lane));
        out.low[lane] = a.low.greater(b.low);
        out.high[lane] = a.high.greater(b.high);
    }
    let first = lanes(|lane| a(lane).low > b(lane).high);
    let second = lanes(|lane| b(lane).low >= a(lane).high);
    let marks = taken.marks();
    if marks[0].undefined | marks[1].undefined != 0 {
        for lane in 0..BOXES {
            let [is_a, is_b] = [0, 1].map(|operand| is_undefined(marks[operand], lane));
            out.low[lane] = either(
                is_a,
                is_b,
                out.low[lane],
                a(lane).low,
                b(lane).low,
                T::lesser,
            );
        }
    }
    chosen(out, taken, first, second)
}

/// An operation on two sums with constants.
#[inline(always)]
fn of_sums<T: Float>(
    out: &mut Row<T>,
    taken: &Taken<T>,
    bound: impl Fn(Span<T>, Span<T>) -> Span<T>,
) -> Outcome {
    let [k, l, _] = *taken.constants;
    of_two(out, taken, |a, b| bound(plus(a, k), plus(b, l)))
}

#[inline(always)]
fn is_undefined(marks: Marks, lane: usize) -> bool {
    marks.undefined >> lane & 1 != 0
}

/// The bound of a minimum or maximum of which operands may be no numbers, so that the other is the result.
#[inline(always)]
fn either<T: Float>(is_a: bool, is_b: bool, both: T, a: T, b: T, outer: impl Fn(T, T) -> T) -> T {
    let outermost = outer(a, b);
    let one = if is_a { b } else { a };
    if is_a & is_b {
        outermost
    } else if is_a | is_b {
        one
    } else {
        both
    }
}

#[inline(always)]
fn chosen<T: Float>(out: &mut Row<T>, taken: &Taken<T>, first: u64, second: u64) -> Outcome {
    let [a, b, _] = taken.marks();
    let (first, second) = (first & !a.undefined, second & !b.undefined);
    let fixed = a.fixed & b.fixed | first & a.fixed | second & b.fixed;
    let mut outcome = outcome(out, fixed, a.undefined & b.undefined);
    outcome.is_operand = [first, second & !first, 0];
    outcome
}

#[inline(always)]
fn min_constant<T: Float>(out: &mut Row<T>, taken: &Taken<T>) -> Outcome {
    let (a, marks, limit) = (taken.rows()[0], taken.marks()[0], taken.constants[0]);
    for lane in 0..BOXES {
        out.low[lane] = a.low[lane].lesser(limit);
        out.high[lane] = a.high[lane].lesser(limit);
    }
    if marks.undefined != 0 {
        for lane in 0..BOXES {
            let high = out.high[lane];
            out.high[lane] = if is_undefined(marks, lane) {
                limit
            } else {
                high
            };
        }
    }
    let first = lanes(|lane| a.high[lane] < limit) & !marks.undefined;
    let constant = lanes(|lane| limit <= a.low[lane]);
    limited(out, marks, first, constant)
}

#[inline(always)]
fn max_constant<T: Float>(out: &mut Row<T>, taken: &Taken<T>) -> Outcome {
    let (a, marks, limit) = (taken.rows()[0], taken.marks()[0], taken.constants[0]);
    for lane in 0..BOXES {
        out.low[lane] = a.low[lane].greater(limit);
        out.high[lane] = a.high[lane].greater(limit);
    }
    if marks.undefined != 0 {
        for lane in 0..BOXES {
            let low = out.low[lane];
            out.low[lane] = if is_undefined(marks, lane) {
                limit
            } else {
                low
            };
        }
    }
    let first = lanes(|lane| a.low[lane] > limit) & !marks.undefined;
    let constant = lanes(|lane| limit >= a.high[lane]);
    limited(out, marks, first, constant)
}

#[inline(always)]
fn limited<T: Float>(out: &mut Row<T>, marks: Marks, first: u64, constant: u64) -> Outcome {
    let mut outcome = outcome(out, marks.fixed | constant, 0);
    outcome.is_operand[0] = first;
    outcome
}

#[inline(always)]
fn less<T: Float>(out: &mut Row<T>, taken: &Taken<T>) -> Outcome {
    let [a, b, _] = taken.rows();
    let (one, zero) = (T::ONE, T::ZERO);
    let undefined = taken.marks()[0].undefined | taken.marks()[1].undefined;
    let always = lanes(|lane| a.high[lane] < b.low[lane]) & !undefined;
    // A comparison with what is no number is false.
    let never = lanes(|lane| a.low[lane] >= b.high[lane]);
    for lane in 0..BOXES {
        out.low[lane] = if always >> lane & 1 != 0 { one } else { zero };
        out.high[lane] = if never >> lane & 1 != 0 { zero } else { one };
    }
    Outcome {
        marks: Marks {
            fixed: always | never,
            zero: never,
            undefined: 0,
        },
        is_operand: [0; 3],
    }
}

#[inline(always)]
fn pick<T: Float>(out: &mut Row<T>, taken: &Taken<T>) -> Outcome {
    let [_, then, otherwise] = taken.rows();
    let [condition, b, c] = taken.marks();
    let (first, second) = (condition.fixed & !condition.zero, condition.zero);
    for lane in 0..BOXES {
        let span = then.at(lane).join(otherwise.at(lane));
        let span = span.or_if(first >> lane & 1 != 0, then.at(lane));
        out.set(
            lane,
            span.or_if(second >> lane & 1 != 0, otherwise.at(lane)),
        );
    }
    let undefined = b.undefined & !second | c.undefined & !first;
    let mut outcome = outcome(out, first & b.fixed | second & c.fixed, undefined);
    outcome.is_operand = [0, first, second];
    outcome
}

/// A power of what is no number may be one: to the power 0, or of 1.
#[inline(always)]
fn pow<T: Float>(out: &mut Row<T>, taken: &Taken<T>) -> Outcome {
    let [a, b, _] = taken.rows();
    let mut undefined = taken.marks()[0].undefined | taken.marks()[1].undefined;
    let mut is_partial = false;
    for lane in 0..BOXES {
        let (span, partial) = exponential::pow::<T, Computed>(a.at(lane), b.at(lane));
        is_partial |= partial;
        let or_one = span.or_if(undefined >> lane & 1 != 0, span.join(Span::of(T::ONE)));
        out.set(lane, or_one);
    }
    if is_partial {
        // A power of a negative number to what may be no whole number.
        let whole =
            |lane: usize| (b.low[lane] == b.high[lane]) & (b.low[lane].trunc() == b.low[lane]);
        undefined |= lanes(|lane| (a.low[lane] < T::ZERO) & !whole(lane));
    }
    outcome(
        out,
        taken.marks()[0].fixed & taken.marks()[1].fixed,
        undefined,
    )
}

#[inline(always)]
fn plus<T: Float>(a: Span<T>, number: T) -> Span<T> {
    Span::new(a.low.add(number), a.high.add(number))
}

#[inline(always)]
fn times_plus<T: Float>(a: Span<T>, number: T, b: Span<T>) -> Span<T> {
    let (first, last) = ends(a, number);
    Span::new(first.mul_add(number, b.low), last.mul_add(number, b.high))
}

/// The ends that give the least and the largest multiple. The sign is the same in all lanes, so it is asked once.
#[inline(always)]
fn ends<T: Float>(a: Span<T>, factor: T) -> (T, T) {
    if factor < T::ZERO {
        (a.high, a.low)
    } else {
        (a.low, a.high)
    }
}

#[inline(always)]
fn square_and<T: Float>(a: Span<T>, b: Span<T>) -> Span<T> {
    arithmetic::fused::<T, Computed>(Fused::MulAdd, a, a, b, true)
}

/// A multiple: a k.
#[inline(always)]
fn multiple<T: Float>(out: &mut Row<T>, taken: &Taken<T>) -> Outcome {
    let factor = taken.constants[0];
    let mut outcome = of_one(out, taken, |a| {
        let (first, last) = ends(a, factor);
        Span::new(first.mul(factor), last.mul(factor))
    });
    outcome.marks.zero |= taken.marks()[0].zero;
    outcome
}

/// A multiple and a sum: a k + b.
#[inline(always)]
fn multiple_and<T: Float>(out: &mut Row<T>, taken: &Taken<T>) -> Outcome {
    let factor = taken.constants[0];
    let mut outcome = of_two(out, taken, |a, b| times_plus(a, factor, b));
    let [a, ..] = taken.marks();
    if a.zero != 0 {
        // To add -0 changes nothing.
        let is_minus = |lane: usize| Float::to_bits(taken.a.low[lane].mul(factor)) == T::SIGN;
        let minus = a.fixed & lanes(is_minus);
        outcome.is_operand[1] = a.zero & (minus | keeps_zero(taken, 1));
    }
    outcome
}

/// a a + b
#[inline(always)]
fn square_add<T: Float>(out: &mut Row<T>, taken: &Taken<T>) -> Outcome {
    let mut outcome = of_two(out, taken, square_and);
    let a = taken.marks()[0];
    if a.zero != 0 {
        outcome.is_operand[1] = a.zero & keeps_zero(taken, 1);
    }
    outcome
}

#[inline(always)]
fn fused<T: Float>(out: &mut Row<T>, taken: &Taken<T>, operation: Fused, same: bool) -> Outcome {
    let [a, b, c] = taken.rows();
    for lane in 0..BOXES {
        let (a, b, c) = (a.at(lane), b.at(lane), c.at(lane));
        out.set(
            lane,
            arithmetic::fused::<T, Computed>(operation, a, b, c, same),
        );
    }
    let marks = taken.marks();
    let undefined = marks[0].undefined | marks[1].undefined | marks[2].undefined;
    let fixed = marks[0].fixed & marks[1].fixed & marks[2].fixed;
    let mut outcome = outcome(out, fixed, undefined);
    if (marks[0].zero | marks[1].zero != 0) & (operation != Fused::MulSub) {
        let zero = product_zero(taken) & !marks[2].undefined;
        let is_zero_of = |sign: u64| {
            let product = |lane: usize| a.low[lane].mul(b.low[lane]);
            lanes(|lane| Float::to_bits(product(lane)) == sign) & marks[0].fixed & marks[1].fixed
        };
        // What is added to the third operand is -0.
        let minus = match operation {
            Fused::MulAdd | Fused::MulSub => is_zero_of(T::SIGN),
            Fused::NegMulAdd => is_zero_of(0),
        };
        outcome.is_operand[2] = zero & (minus | keeps_zero(taken, 2));
    }
    outcome
}
