//! The steps of the block evaluator, each defined once, in one line, and compiled for every instruction set.
//!
//! A step computes a block of numbers from up to three blocks and three constants. The formulas are those of
//! [`meaning`], and compositions of them that occur often enough to be worth one pass over the blocks instead of two or
//! three: they round where their parts round, so no bit tells whether a composition was used.
//!
//! Each formula becomes a loop in a function of its own, which the compiler turns into vector instructions.

#![expect(
    clippy::inline_always,
    reason = "a function that stays a call is not computed in vectors"
)]

use fibula_nodes::{Binary, Unary};

use crate::code::Fused;
use crate::cpu::InstructionSet;
use crate::lane::{Float, Lane};
use crate::meaning;

/// Blocks are a multiple of this many numbers long, so that whole vectors fit on every processor.
pub(crate) const LANES: usize = 64;

/// The functions that compute steps on one instruction set.
#[derive(Clone, Copy)]
pub(crate) struct Kernels<T: 'static> {
    /// By code. They belong to a set that the processor has.
    steps: &'static [Kernel<T>; StepCode::ALL.len()],
}

type Kernel<T> = unsafe fn(out: &mut [T], a: &[T], b: &[T], c: &[T], constants: &[T; 3]);

impl<T: Float> Kernels<T> {
    /// The functions for an instruction set.
    ///
    /// # Panics
    /// If the processor does not have it.
    pub(crate) fn new(set: InstructionSet) -> Kernels<T> {
        assert!(set.is_available(), "the processor lacks {}", set.name());
        match set {
            InstructionSet::Portable => Kernels {
                steps: const { &portable::steps() },
            },
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => Kernels {
                steps: const { &avx2::steps() },
            },
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => Kernels {
                steps: const { &avx512::steps() },
            },
            #[cfg(not(target_arch = "x86_64"))]
            InstructionSet::Avx2 | InstructionSet::Avx512 => {
                unreachable!("no other processor has it")
            }
        }
    }

    /// Computes a step. Of `out` whole [`LANES`] are written.
    ///
    /// # Panics
    /// If an operand that counts is shorter than `out`.
    #[inline(always)]
    #[expect(unsafe_code, reason = "the functions need what their processor has")]
    pub(crate) fn step(
        self,
        code: StepCode,
        out: &mut [T],
        operands: [&[T]; 3],
        constants: &[T; 3],
    ) {
        debug_assert_eq!(out.len() % LANES, 0, "blocks are whole");
        // SAFETY: `new` made sure that the processor has the instruction set for which they are compiled.
        unsafe { self.steps[code as usize](out, operands[0], operands[1], operands[2], constants) }
    }
}

/// Declares the codes and the loops that compute them. `Name(operands; constants) = formula;` is one code; with
/// `, far operation` the numbers that are beyond what the formula answers for are computed one by one.
macro_rules! steps {
    (@codes $($(#[$about:meta])* $code:ident($($operand:ident),*$(; $($constant:ident),*)?) = $formula:expr $(, far $far:expr)?;)*) => {
        /// What a step computes, of blocks a, b, c and constants k, l, m.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub(crate) enum StepCode {
            $($(#[$about])* $code,)*
        }

        impl StepCode {
            /// Every code.
            pub(crate) const ALL: [StepCode; [$(stringify!($code)),*].len()] = [$(StepCode::$code),*];

            /// How many blocks it reads.
            #[inline]
            pub(crate) fn operands(self) -> usize {
                match self {
                    $(StepCode::$code => <[&str]>::len(&[$(stringify!($operand)),*]),)*
                }
            }

            /// What it gives for one number of each block.
            pub(crate) fn number<T: Float>(self, operands: [T; 3], constants: &[T; 3]) -> T {
                match self {
                    $(StepCode::$code => {
                        let ([$($operand,)* ..], [$($($constant,)*)? ..]) = (operands, *constants);
                        $(if meaning::is_far(operands[0]) {
                            return meaning::far($far, operands[0]);
                        })?
                        $formula
                    })*
                }
            }
        }
    };
    (@loops $set:ident $features:tt $($(#[$about:meta])* $code:ident($($operand:ident),*$(; $($constant:ident),*)?) = $formula:expr $(, far $far:expr)?;)*) => {
        mod $set {
            use super::*;

            pub(super) const fn steps<T: Float>() -> [Kernel<T>; StepCode::ALL.len()] {
                [$({
                    #$features
                    fn step<T: Float>(out: &mut [T], a: &[T], b: &[T], c: &[T], constants: &[T; 3]) {
                        let operands = [a, b, c];
                        let ([$($operand,)* ..], [$($($constant,)*)? ..]) = (operands, *constants);
                        let length = out.len() / LANES * LANES;
                        let numbers = &mut out[..length];
                        $(let $operand = &$operand[..length];)*
                        for index in 0..length {
                            $(let $operand = $operand[index];)*
                            numbers[index] = $formula;
                        }
                        $(far_numbers($far, numbers, operands[0]);)?
                    }
                    step::<T>
                },)*]
            }
        }
    };
    ($($list:tt)*) => {
        steps! { @codes $($list)* }
        steps! { @loops portable [inline(never)] $($list)* }
        #[cfg(target_arch = "x86_64")]
        steps! { @loops avx2 [target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")] $($list)* }
        #[cfg(target_arch = "x86_64")]
        steps! { @loops avx512 [target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,popcnt,lzcnt")] $($list)* }
    };
}

/// Writes the results of an operation where its operand is beyond what its formula answers for.
#[inline(always)]
fn far_numbers<T: Float>(operation: Unary, results: &mut [T], operand: &[T]) {
    let mut any = false;
    for &number in operand {
        any |= meaning::is_far(number);
    }
    if any {
        each_far(operation, results, operand);
    }
}

#[cold]
#[inline(never)]
fn each_far<T: Float>(operation: Unary, results: &mut [T], operand: &[T]) {
    for (result, &number) in results.iter_mut().zip(operand) {
        if meaning::is_far(number) {
            *result = meaning::far(operation, number);
        }
    }
}

steps! {
    /// a
    Copy(a) = a;
    /// k
    Set(; k) = k;
    /// The operation of this name.
    Neg(a) = meaning::unary(Unary::Neg, a);
    /// The operation of this name.
    Abs(a) = meaning::unary(Unary::Abs, a);
    /// The operation of this name.
    Sign(a) = meaning::unary(Unary::Sign, a);
    /// The operation of this name.
    Sqrt(a) = meaning::unary(Unary::Sqrt, a);
    /// The operation of this name.
    Floor(a) = meaning::unary(Unary::Floor, a);
    /// The operation of this name.
    Ceil(a) = meaning::unary(Unary::Ceil, a);
    /// The operation of this name.
    Round(a) = meaning::unary(Unary::Round, a);
    /// The operation of this name.
    Fract(a) = meaning::unary(Unary::Fract, a);
    /// The operation of this name.
    Sin(a) = meaning::unary(Unary::Sin, a), far Unary::Sin;
    /// The operation of this name.
    Cos(a) = meaning::unary(Unary::Cos, a), far Unary::Cos;
    /// The operation of this name.
    Tan(a) = meaning::unary(Unary::Tan, a), far Unary::Tan;
    /// The operation of this name.
    Asin(a) = meaning::unary(Unary::Asin, a);
    /// The operation of this name.
    Acos(a) = meaning::unary(Unary::Acos, a);
    /// The operation of this name.
    Atan(a) = meaning::unary(Unary::Atan, a);
    /// The operation of this name.
    Sinh(a) = meaning::unary(Unary::Sinh, a);
    /// The operation of this name.
    Cosh(a) = meaning::unary(Unary::Cosh, a);
    /// The operation of this name.
    Tanh(a) = meaning::unary(Unary::Tanh, a);
    /// The operation of this name.
    Exp(a) = meaning::unary(Unary::Exp, a);
    /// The operation of this name.
    Log(a) = meaning::unary(Unary::Log, a);
    /// The operation of this name.
    Log2(a) = meaning::unary(Unary::Log2, a);
    /// The operation of this name.
    Log10(a) = meaning::unary(Unary::Log10, a);
    /// The operation of this name.
    Add(a, b) = meaning::binary(Binary::Add, a, b);
    /// The operation of this name.
    Sub(a, b) = meaning::binary(Binary::Sub, a, b);
    /// The operation of this name.
    Mul(a, b) = meaning::binary(Binary::Mul, a, b);
    /// The operation of this name.
    Div(a, b) = meaning::binary(Binary::Div, a, b);
    /// The operation of this name.
    Min(a, b) = meaning::binary(Binary::Min, a, b);
    /// The operation of this name.
    Max(a, b) = meaning::binary(Binary::Max, a, b);
    /// The operation of this name.
    Mod(a, b) = meaning::binary(Binary::Mod, a, b);
    /// The operation of this name.
    Fmod(a, b) = meaning::binary(Binary::Fmod, a, b);
    /// The operation of this name.
    Pow(a, b) = meaning::binary(Binary::Pow, a, b);
    /// The operation of this name.
    Atan2(a, b) = meaning::binary(Binary::Atan2, a, b);
    /// a + k
    AddConstant(a; k) = meaning::binary(Binary::Add, a, k);
    /// k - a
    ConstantSub(a; k) = meaning::binary(Binary::Sub, k, a);
    /// a k
    MulConstant(a; k) = meaning::binary(Binary::Mul, a, k);
    /// a / k
    DivConstant(a; k) = meaning::binary(Binary::Div, a, k);
    /// k / a
    ConstantDiv(a; k) = meaning::binary(Binary::Div, k, a);
    /// min(a, k)
    MinConstant(a; k) = meaning::binary(Binary::Min, a, k);
    /// min(k, a)
    ConstantMin(a; k) = meaning::binary(Binary::Min, k, a);
    /// max(a, k)
    MaxConstant(a; k) = meaning::binary(Binary::Max, a, k);
    /// max(k, a)
    ConstantMax(a; k) = meaning::binary(Binary::Max, k, a);
    /// a mod k
    ModConstant(a; k) = meaning::binary(Binary::Mod, a, k);
    /// a fmod k
    FmodConstant(a; k) = meaning::binary(Binary::Fmod, a, k);
    /// a to the power k
    PowConstant(a; k) = meaning::binary(Binary::Pow, a, k);
    /// k to the power a
    ConstantPow(a; k) = meaning::binary(Binary::Pow, k, a);
    /// a < b ? 1 : 0
    Less(a, b) = truth(a, b);
    /// a < k ? 1 : 0
    LessConstant(a; k) = truth(a, k);
    /// k < a ? 1 : 0
    ConstantLess(a; k) = truth(k, a);
    /// a != 0 ? b : c
    Pick(a, b, c) = pick(a, b, c);
    /// a != 0 ? k : b
    PickConstantFirst(a, b; k) = pick(a, k, b);
    /// a != 0 ? b : k
    PickConstantSecond(a, b; k) = pick(a, b, k);
    /// a != 0 ? k : l
    PickConstants(a; k, l) = pick(a, k, l);
    /// a < k ? b : c
    PickBelow(a, b, c; k) = a.if_less(k, b, c);
    /// k < a ? b : c
    PickAbove(a, b, c; k) = k.if_less(a, b, c);
    /// a b + c, rounded once, like all sums of a product here
    MulAdd(a, b, c) = meaning::fused(Fused::MulAdd, a, b, c);
    /// a k + b
    MulConstantAdd(a, b; k) = meaning::fused(Fused::MulAdd, a, k, b);
    /// a b + k
    MulAddConstant(a, b; k) = meaning::fused(Fused::MulAdd, a, b, k);
    /// a k + l
    MulConstantAddConstant(a; k, l) = meaning::fused(Fused::MulAdd, a, k, l);
    /// a b - c
    MulSub(a, b, c) = meaning::fused(Fused::MulSub, a, b, c);
    /// a k - b
    MulConstantSub(a, b; k) = meaning::fused(Fused::MulSub, a, k, b);
    /// c - a b
    NegMulAdd(a, b, c) = meaning::fused(Fused::NegMulAdd, a, b, c);
    /// k - a b
    ConstantSubMul(a, b; k) = meaning::fused(Fused::NegMulAdd, a, b, k);
    /// a a
    Square(a) = a.mul(a);
    /// a a + b
    SquareAdd(a, b) = a.mul_add(a, b);
    /// a a + b b
    SumOfSquares(a, b) = b.mul_add(b, a.mul(a));
    /// a a + b b + c c
    SumOfThreeSquares(a, b, c) = c.mul_add(c, b.mul_add(b, a.mul(a)));
    /// sqrt(a a + b)
    SquareAddRoot(a, b) = a.mul_add(a, b).sqrt();
    /// sqrt(a a + b b)
    Length(a, b) = b.mul_add(b, a.mul(a)).sqrt();
    /// sqrt(a a + b b + c c)
    LengthOfThree(a, b, c) = c.mul_add(c, b.mul_add(b, a.mul(a))).sqrt();
    /// sqrt(a) + k
    SqrtAddConstant(a; k) = a.sqrt().add(k);
    /// |a| + k
    AbsAddConstant(a; k) = Lane::abs(a).add(k);
    /// (a + k) (a + k)
    AddConstantSquare(a; k) = square(a.add(k));
    /// (a + k) (a + k) + b
    AddConstantSquareAdd(a, b; k) = square_add(a.add(k), b);
    /// max(a, k) max(a, k)
    MaxConstantSquare(a; k) = square(a.max(k));
    /// max(a, k) max(a, k) + b
    MaxConstantSquareAdd(a, b; k) = square_add(a.max(k), b);
    /// (a + b) + c
    AddAdd(a, b, c) = a.add(b).add(c);
    /// |a - b|
    SubAbs(a, b) = Lane::abs(a.sub(b));
    /// max(max(a, b), c)
    MaxMax(a, b, c) = a.max(b).max(c);
    /// min(min(a, b), c)
    MinMin(a, b, c) = a.min(b).min(c);
    /// max(min(a, b), c)
    MaxMin(a, b, c) = a.min(b).max(c);
    /// min(max(a, b), c)
    MinMax(a, b, c) = a.max(b).min(c);
    /// max(a, max(b, c))
    MaxOfMax(a, b, c) = a.max(b.max(c));
    /// min(a, min(b, c))
    MinOfMin(a, b, c) = a.min(b.min(c));
    /// max(a, min(b, c))
    MaxOfMin(a, b, c) = a.max(b.min(c));
    /// min(a, max(b, c))
    MinOfMax(a, b, c) = a.min(b.max(c));
    /// max(a, b) - c
    MaxSub(a, b, c) = a.max(b).sub(c);
    /// min(a, b) - c
    MinSub(a, b, c) = a.min(b).sub(c);
    /// a k + b l
    SumOfMultiples(a, b; k, l) = b.mul_add(l, a.mul(k));
    /// a k + b l + c m
    SumOfThreeMultiples(a, b, c; k, l, m) = c.mul_add(m, b.mul_add(l, a.mul(k)));
    /// c + a k + b l
    SumOfMultiplesAdd(a, b, c; k, l) = b.mul_add(l, a.mul_add(k, c));
    /// m + a k + b l
    SumOfMultiplesAddConstant(a, b; k, l, m) = b.mul_add(l, a.mul_add(k, m));
}

/// `a < b ? 1 : 0`.
#[inline(always)]
fn truth<T: Float>(a: T, b: T) -> T {
    a.if_less(b, T::ONE, T::ZERO)
}

/// `condition != 0 ? then : otherwise`.
#[inline(always)]
fn pick<T: Float>(condition: T, then: T, otherwise: T) -> T {
    condition.if_equal(T::ZERO, otherwise, then)
}

#[inline(always)]
fn square<T: Float>(a: T) -> T {
    a.mul(a)
}

#[inline(always)]
fn square_add<T: Float>(a: T, b: T) -> T {
    a.mul_add(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECIAL: [f64; 16] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -2.5,
        1e-40,
        -1e-310,
        1e30,
        -1e300,
        1e5,
        12_345.678,
        3.25,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];

    fn same<T: Float>(a: T, b: T) -> bool {
        Float::to_bits(a) == Float::to_bits(b) || a.wide().is_nan() && b.wide().is_nan()
    }

    /// Numbers that pair every special one with every other in different ways.
    fn block<T: Float>(stride: usize) -> Vec<T> {
        let special =
            |index: usize| SPECIAL[(index / stride + index * (stride - 1)) % SPECIAL.len()];
        let plain = |index: usize| (index * stride * 7919 % 2000) as f64 / 100.0 - 10.0;
        let number = |index: usize| {
            if index < 1024 {
                special(index)
            } else {
                plain(index)
            }
        };
        (0..2048).map(|index| T::of(number(index))).collect()
    }

    fn check<T: Float>() {
        let blocks: [Vec<T>; 3] = [block(1), block(16), block(5)];
        let operands = blocks.each_ref().map(Vec::as_slice);
        for set in InstructionSet::ALL
            .into_iter()
            .filter(|set| set.is_available())
        {
            let kernels = Kernels::<T>::new(set);
            for code in StepCode::ALL {
                for constants in [[2.5, -0.0, 1.0], [f64::NAN, 3.0, -1e-3], [0.0, -1.0, 0.5]] {
                    let constants = constants.map(T::of);
                    let mut out = vec![T::ZERO; 2048];
                    kernels.step(code, &mut out, operands, &constants);
                    for (index, &got) in out.iter().enumerate() {
                        let at = operands.map(|block| block[index]);
                        let expected = code.number(at, &constants);
                        assert!(
                            same(got, expected),
                            "{code:?} {at:?} {constants:?} with {set:?}: {got:?}, not {expected:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn every_step_gives_the_same_bits_with_every_instruction_set() {
        check::<f32>();
        check::<f64>();
    }
}
