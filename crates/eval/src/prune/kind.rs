//! The kinds of steps of a tape, with the bounds of each on 64 boxes, compiled for every instruction set.
//!
//! Each kind is a step of the block evaluator, so that leaves yield the same bits. Kinds that hold a choice hold
//! nothing else.

use fibula_nodes::Unary;

use crate::block::step::StepCode;
use crate::code::Fused;
use crate::cpu::{InstructionSet, PerSet};
use crate::interval::span::{Computed, Span};
use crate::interval::{arithmetic, circular, exponential, rounding};
use crate::lane::{Float, table_of};
use crate::prune::formulas::{
    Outcome, abs, add, add_uneven, binary_bounds, copy, fused, fused_square, less, max_constant,
    max_of, min_constant, min_of, mul, multiple, multiple_and, of_sums, partial, pick, plus, pow,
    set, square_add, square_and, stepped, sub, sub_same, times_plus, unary_bounds,
};
use crate::prune::row::{Marks, Row};

/// Ways in which a step can be left out, by lane.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Finding {
    /// The result is the operand of this place, at every point of the box.
    pub(crate) is_operand: [u64; 3],
    /// It is one number at every point of the box.
    pub(crate) fixed: u64,
}

pub(crate) struct Operands<'a, T> {
    pub(crate) a: &'a Row<T>,
    pub(crate) b: &'a Row<T>,
    pub(crate) c: &'a Row<T>,
    pub(crate) constants: &'a [T; 3],
    /// Bit by bit, whether an operand never is -0.
    pub(crate) unsigned: u8,
}

impl<'a, T: Float> Operands<'a, T> {
    #[inline(always)]
    pub(super) fn rows(&self) -> [&'a Row<T>; 3] {
        [self.a, self.b, self.c]
    }

    #[inline(always)]
    pub(super) fn marks(&self) -> [Marks; 3] {
        self.rows().map(|row| row.marks)
    }
}

type Bound<T> = unsafe fn(&mut Row<T>, &Operands<T>, &mut Finding);

/// Functions that compute bounds, by kind.
type Bounds<T> = [Bound<T>; Kind::ALL.len()];

/// The functions that compute bounds with one instruction set.
#[derive(Clone, Copy)]
pub(crate) struct BoundKernels<T: 'static> {
    /// They belong to a set that the processor has.
    bounds: &'static Bounds<T>,
}

/// The functions of every instruction set.
type BoundTables<T> = PerSet<Bounds<T>>;

impl<T: Float> BoundTables<T> {
    const BOUNDS: BoundTables<T> = PerSet {
        portable: portable::bounds(),
        #[cfg(target_arch = "x86_64")]
        avx2: avx2::bounds(),
        #[cfg(target_arch = "x86_64")]
        avx512: avx512::bounds(),
    };
}

impl<T: Float> BoundKernels<T> {
    /// The functions for an instruction set.
    ///
    /// # Panics
    /// If the processor does not have it.
    pub(crate) fn new(set: InstructionSet) -> BoundKernels<T> {
        let bounds = table_of!(BoundTables<T> = BoundTables::BOUNDS).get(set);
        BoundKernels { bounds }
    }

    /// Computes the bounds of a step.
    #[inline(always)]
    #[expect(unsafe_code, reason = "the functions need what their processor has")]
    pub(crate) fn bound(
        self,
        kind: Kind,
        out: &mut Row<T>,
        operands: &Operands<T>,
        finding: &mut Finding,
    ) {
        // SAFETY: `PerSet::get` made sure that the processor has the instruction set for which they are compiled.
        unsafe { self.bounds[kind as usize](out, operands, finding) }
    }
}

macro_rules! kinds {
    (@all $($(#[$about:meta])* $kind:ident = $code:ident: $bound:expr;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Kind {
            $($(#[$about])* $kind,)*
        }

        impl Kind {
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

            pub(super) const fn bounds<T: Float>() -> Bounds<T> {
                [$({
                    #$features
                    fn bound<T: Float>(out: &mut Row<T>, operands: &Operands<T>, finding: &mut Finding) {
                        let outcome: Outcome = $bound(out, operands);
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
    Neg = Neg: |out, operands| unary_bounds(out, operands, arithmetic::neg);
    Abs = Abs: abs;
    Sign = Sign: |out, operands| stepped(out, operands, Unary::Sign);
    Floor = Floor: |out, operands| stepped(out, operands, Unary::Floor);
    Ceil = Ceil: |out, operands| stepped(out, operands, Unary::Ceil);
    Round = Round: |out, operands| stepped(out, operands, Unary::Round);
    Fract = Fract: |out, operands| unary_bounds(out, operands, rounding::fract::<T, Computed>);
    Sqrt = Sqrt: |out, operands| partial(out, operands, arithmetic::sqrt::<T, Computed>);
    Sin = Sin: |out, operands| partial(out, operands, circular::sin::<T, Computed>);
    Cos = Cos: |out, operands| partial(out, operands, circular::cos::<T, Computed>);
    Tan = Tan: |out, operands| partial(out, operands, circular::tan::<T, Computed>);
    Asin = Asin: |out, operands| partial(out, operands, circular::asin::<T, Computed>);
    Acos = Acos: |out, operands| partial(out, operands, circular::acos::<T, Computed>);
    Atan = Atan: |out, operands| unary_bounds(out, operands, circular::atan::<T, Computed>);
    Sinh = Sinh: |out, operands| unary_bounds(out, operands, |a| exponential::rising::<T, Computed>(Unary::Sinh, a));
    Cosh = Cosh: |out, operands| unary_bounds(out, operands, exponential::cosh::<T, Computed>);
    Tanh = Tanh: |out, operands| unary_bounds(out, operands, |a| exponential::rising::<T, Computed>(Unary::Tanh, a));
    Exp = Exp: |out, operands| unary_bounds(out, operands, exponential::exp::<T, Computed>);
    Log = Log: |out, operands| partial(out, operands, |a| exponential::log::<T, Computed>(Unary::Log, a));
    Log2 = Log2: |out, operands| partial(out, operands, |a| exponential::log::<T, Computed>(Unary::Log2, a));
    Log10 = Log10: |out, operands| partial(out, operands, |a| exponential::log::<T, Computed>(Unary::Log10, a));
    Add = Add: add;
    /// a + b, where one may be lost beside the other.
    AddUneven = Add: add_uneven;
    Sub = Sub: sub;
    /// a - a, with a twice
    SubSame = Sub: sub_same;
    Mul = Mul: mul;
    Div = Div: |out, operands| binary_bounds(out, operands, arithmetic::div::<T, Computed>);
    Min = Min: |out, operands| min_of(out, operands, T::ZERO.neg(), T::ZERO.neg());
    Max = Max: |out, operands| max_of(out, operands, T::ZERO.neg(), T::ZERO.neg());
    Mod = Mod: |out, operands| binary_bounds(out, operands, |a, b| rounding::floored_remainder::<T, Computed>(a, b).0);
    Fmod = Fmod: |out, operands| binary_bounds(out, operands, |a, b| rounding::truncated_remainder::<T, Computed>(a, b).0);
    Pow = Pow: pow;
    Atan2 = Atan2: |out, operands| binary_bounds(out, operands, circular::atan2::<T, Computed>);
    AddConstant = AddConstant: |out, operands| unary_bounds(out, operands, |a| plus(a, operands.constants[0]));
    ConstantSub = ConstantSub: |out, operands| unary_bounds(out, operands, |a| plus(arithmetic::neg(a), operands.constants[0]));
    MulConstant = MulConstant: multiple;
    DivConstant = DivConstant: |out, operands| unary_bounds(out, operands, |a| arithmetic::div::<T, Computed>(a, Span::point(operands.constants[0])));
    ConstantDiv = ConstantDiv: |out, operands| unary_bounds(out, operands, |a| arithmetic::div::<T, Computed>(Span::point(operands.constants[0]), a));
    MinConstant = MinConstant: min_constant;
    MaxConstant = MaxConstant: max_constant;
    Less = Less: less;
    Pick = Pick: pick;
    MulAdd = MulAdd: |out, operands| fused(out, operands, Fused::MulAdd);
    MulConstantAdd = MulConstantAdd: multiple_and;
    MulAddConstant = MulAddConstant: |out, operands| binary_bounds(out, operands, |a, b| arithmetic::fused::<T, Computed>(Fused::MulAdd, a, b, Span::point(operands.constants[0])));
    MulConstantAddConstant = MulConstantAddConstant: |out, operands| unary_bounds(out, operands, |a| times_plus(a, operands.constants[0], Span::point(operands.constants[1])));
    MulSub = MulSub: |out, operands| fused(out, operands, Fused::MulSub);
    MulConstantSub = MulConstantSub: |out, operands| binary_bounds(out, operands, |a, b| times_plus(a, operands.constants[0], arithmetic::neg(b)));
    NegMulAdd = NegMulAdd: |out, operands| fused(out, operands, Fused::NegMulAdd);
    ConstantSubMul = ConstantSubMul: |out, operands| binary_bounds(out, operands, |a, b| arithmetic::fused::<T, Computed>(Fused::NegMulAdd, a, b, Span::point(operands.constants[0])));
    Square = Square: |out, operands| unary_bounds(out, operands, arithmetic::square::<T, Computed>);
    SquareAdd = SquareAdd: square_add;
    /// a a + k, with a twice
    SquareAddConstant = MulAddConstant: |out, operands| unary_bounds(out, operands, |a| square_and(a, Span::point(operands.constants[0])));
    /// a a - c, with a twice
    SquareSub = MulSub: |out, operands| fused_square(out, operands, Fused::MulSub);
    /// c - a a, with a twice
    NegSquareAdd = NegMulAdd: |out, operands| fused_square(out, operands, Fused::NegMulAdd);
    /// k - a a, with a twice
    ConstantSubSquare = ConstantSubMul: |out, operands| unary_bounds(out, operands, |a| arithmetic::fused_square::<T, Computed>(Fused::NegMulAdd, a, Span::point(operands.constants[0])));
    AbsAddConstant = AbsAddConstant: |out, operands| unary_bounds(out, operands, |a| plus(arithmetic::abs(a), operands.constants[0]));
    SqrtAddConstant = SqrtAddConstant: |out, operands| partial(out, operands, |a| {
        let (root, is_negative) = arithmetic::sqrt::<T, Computed>(a);
        (plus(root, operands.constants[0]), is_negative)
    });
    AddConstantSquare = AddConstantSquare: |out, operands| unary_bounds(out, operands, |a| arithmetic::square::<T, Computed>(plus(a, operands.constants[0])));
    AddConstantSquareAdd = AddConstantSquareAdd: |out, operands| binary_bounds(out, operands, |a, b| square_and(plus(a, operands.constants[0]), b));
    /// a a + b b
    SumOfSquares = SumOfSquares: |out, operands| binary_bounds(out, operands, |a, b| square_and(b, arithmetic::square::<T, Computed>(a)));
    /// sqrt(a a + b b)
    Length = Length: |out, operands| binary_bounds(out, operands, |a, b| {
        let square = square_and(b, arithmetic::square::<T, Computed>(a));
        arithmetic::sqrt::<T, Computed>(square).0
    });
    /// (a + k) + (b + l)
    AddOfSums = AddOfSums: |out, operands| of_sums(out, operands, arithmetic::add::<T, Computed>);
    /// (a + k) - (b + l)
    SubOfSums = SubOfSums: |out, operands| of_sums(out, operands, arithmetic::sub::<T, Computed>);
    /// max(a + k, b + l)
    MaxOfSums = MaxOfSums: |out, operands| max_of(out, operands, operands.constants[0], operands.constants[1]);
    /// min(a + k, b + l)
    MinOfSums = MinOfSums: |out, operands| min_of(out, operands, operands.constants[0], operands.constants[1]);
    /// One channel of what an oracle answers; computed elsewhere.
    Oracle = Copy: copy;
}

impl Kind {
    /// True if the operands are sums with constants, so that a result equal to one of them may be a sum.
    #[inline(always)]
    pub(crate) fn is_of_sums(self) -> bool {
        matches!(
            self,
            Kind::AddOfSums | Kind::SubOfSums | Kind::MaxOfSums | Kind::MinOfSums
        )
    }
}
