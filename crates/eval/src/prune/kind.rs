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
use crate::lane::Float;
use crate::prune::formulas::{
    Outcome, abs, add, add_uneven, copy, fused, fused_square, less, max_constant, max_of,
    min_constant, min_of, mul, multiple, multiple_and, nothing, of_one, of_sums, of_two, partial,
    pick, plus, pow, set, square_add, square_and, stepped, sub, times_plus,
};
use crate::prune::row::{Marks, Row};

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
    pub(super) fn rows(&self) -> [&'a Row<T>; 3] {
        [self.a, self.b, self.c]
    }

    #[inline(always)]
    pub(super) fn marks(&self) -> [Marks; 3] {
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
    Mod = Mod: |out, taken| of_two(out, taken, |a, b| rounding::floored_remainder::<T, Computed>(a, b).0);
    Fmod = Fmod: |out, taken| of_two(out, taken, |a, b| rounding::truncated_remainder::<T, Computed>(a, b).0);
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
    MulAdd = MulAdd: |out, taken| fused(out, taken, Fused::MulAdd);
    MulConstantAdd = MulConstantAdd: multiple_and;
    MulAddConstant = MulAddConstant: |out, taken| of_two(out, taken, |a, b| arithmetic::fused::<T, Computed>(Fused::MulAdd, a, b, Span::of(taken.constants[0])));
    MulConstantAddConstant = MulConstantAddConstant: |out, taken| of_one(out, taken, |a| times_plus(a, taken.constants[0], Span::of(taken.constants[1])));
    MulSub = MulSub: |out, taken| fused(out, taken, Fused::MulSub);
    MulConstantSub = MulConstantSub: |out, taken| of_two(out, taken, |a, b| times_plus(a, taken.constants[0], arithmetic::neg(b)));
    NegMulAdd = NegMulAdd: |out, taken| fused(out, taken, Fused::NegMulAdd);
    ConstantSubMul = ConstantSubMul: |out, taken| of_two(out, taken, |a, b| arithmetic::fused::<T, Computed>(Fused::NegMulAdd, a, b, Span::of(taken.constants[0])));
    Square = Square: |out, taken| of_one(out, taken, arithmetic::square::<T, Computed>);
    SquareAdd = SquareAdd: square_add;
    /// a a + k, with a twice
    SquareAddConstant = MulAddConstant: |out, taken| of_one(out, taken, |a| square_and(a, Span::of(taken.constants[0])));
    /// a a - c, with a twice
    SquareSub = MulSub: |out, taken| fused_square(out, taken, Fused::MulSub);
    /// c - a a, with a twice
    NegSquareAdd = NegMulAdd: |out, taken| fused_square(out, taken, Fused::NegMulAdd);
    /// k - a a, with a twice
    ConstantSubSquare = ConstantSubMul: |out, taken| of_one(out, taken, |a| arithmetic::fused_square::<T, Computed>(Fused::NegMulAdd, a, Span::of(taken.constants[0])));
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
