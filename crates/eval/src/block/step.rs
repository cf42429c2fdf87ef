//! The steps of the block evaluator, each defined once, in one line.
//!
//! A step computes a block of numbers from up to three blocks and six constants. The formulas are those of
//! [`meaning`], and compositions of them that occur often enough to be worth one pass over the blocks instead of
//! several: they round where their parts round, so no bit depends on whether a composition was used.

use fibula_nodes::{Binary, Unary};

pub(crate) use super::kernels::{Kernels, LANES};
use super::kernels::{Steps, far_numbers, first, steps};
use crate::code::Fused;
use crate::lane::{Float, Lane};
use crate::meaning;

steps! {
    Copy(a) = a;
    Set(; k) = k;
    Neg(a) = meaning::unary(Unary::Neg, a);
    Abs(a) = meaning::unary(Unary::Abs, a);
    Sign(a) = meaning::unary(Unary::Sign, a);
    Sqrt(a) = meaning::unary(Unary::Sqrt, a);
    Floor(a) = meaning::unary(Unary::Floor, a);
    Ceil(a) = meaning::unary(Unary::Ceil, a);
    Round(a) = meaning::unary(Unary::Round, a);
    Fract(a) = meaning::unary(Unary::Fract, a);
    Sin(a) = meaning::unary(Unary::Sin, a), far Unary::Sin;
    Cos(a) = meaning::unary(Unary::Cos, a), far Unary::Cos;
    Tan(a) = meaning::unary(Unary::Tan, a), far Unary::Tan;
    Asin(a) = meaning::unary(Unary::Asin, a);
    Acos(a) = meaning::unary(Unary::Acos, a);
    Atan(a) = meaning::unary(Unary::Atan, a);
    Sinh(a) = meaning::unary(Unary::Sinh, a);
    Cosh(a) = meaning::unary(Unary::Cosh, a);
    Tanh(a) = meaning::unary(Unary::Tanh, a);
    Exp(a) = meaning::unary(Unary::Exp, a);
    Log(a) = meaning::unary(Unary::Log, a);
    Log2(a) = meaning::unary(Unary::Log2, a);
    Log10(a) = meaning::unary(Unary::Log10, a);
    Add(a, b) = meaning::binary(Binary::Add, a, b);
    Sub(a, b) = meaning::binary(Binary::Sub, a, b);
    Mul(a, b) = meaning::binary(Binary::Mul, a, b);
    Div(a, b) = meaning::binary(Binary::Div, a, b);
    Min(a, b) = meaning::binary(Binary::Min, a, b);
    Max(a, b) = meaning::binary(Binary::Max, a, b);
    Mod(a, b) = meaning::binary(Binary::Mod, a, b);
    Fmod(a, b) = meaning::binary(Binary::Fmod, a, b);
    Pow(a, b) = meaning::binary(Binary::Pow, a, b);
    Atan2(a, b) = meaning::binary(Binary::Atan2, a, b);
    AddConstant(a; k) = meaning::binary(Binary::Add, a, k);
    ConstantSub(a; k) = meaning::binary(Binary::Sub, k, a);
    MulConstant(a; k) = meaning::binary(Binary::Mul, a, k);
    DivConstant(a; k) = meaning::binary(Binary::Div, a, k);
    ConstantDiv(a; k) = meaning::binary(Binary::Div, k, a);
    MinConstant(a; k) = meaning::binary(Binary::Min, a, k);
    ConstantMin(a; k) = meaning::binary(Binary::Min, k, a);
    MaxConstant(a; k) = meaning::binary(Binary::Max, a, k);
    ConstantMax(a; k) = meaning::binary(Binary::Max, k, a);
    ModConstant(a; k) = meaning::binary(Binary::Mod, a, k);
    FmodConstant(a; k) = meaning::binary(Binary::Fmod, a, k);
    PowConstant(a; k) = meaning::binary(Binary::Pow, a, k);
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
    PickBelow(a, b, c; k) = a.if_less(k, b, c);
    PickAbove(a, b, c; k) = k.if_less(a, b, c);
    /// a b + c, rounded once, like all sums of a product here
    MulAdd(a, b, c) = meaning::fused(Fused::MulAdd, a, b, c);
    MulConstantAdd(a, b; k) = meaning::fused(Fused::MulAdd, a, k, b);
    MulAddConstant(a, b; k) = meaning::fused(Fused::MulAdd, a, b, k);
    MulConstantAddConstant(a; k, l) = meaning::fused(Fused::MulAdd, a, k, l);
    MulSub(a, b, c) = meaning::fused(Fused::MulSub, a, b, c);
    MulConstantSub(a, b; k) = meaning::fused(Fused::MulSub, a, k, b);
    NegMulAdd(a, b, c) = meaning::fused(Fused::NegMulAdd, a, b, c);
    ConstantSubMul(a, b; k) = meaning::fused(Fused::NegMulAdd, a, b, k);
    Square(a) = a.mul(a);
    SquareAdd(a, b) = a.mul_add(a, b);
    SumOfSquares(a, b) = b.mul_add(b, a.mul(a));
    Length(a, b) = b.mul_add(b, a.mul(a)).sqrt();
    AddConstantSquare(a; k) = square(a.add(k));
    AddConstantSquareAdd(a, b; k) = square_add(a.add(k), b);
    /// sqrt((a + k) (a + k) + b) + l
    RootOfSquareAdd(a, b; k, l) = square_add(a.add(k), b).sqrt().add(l);
    /// (a + k) (a + k) + (b + l) (b + l)
    DistanceSquare(a, b; k, l) = distance_square([a, b], [k, l]);
    /// (a + k) (a + k) + (b + l) (b + l) + (c + m) (c + m)
    DistanceSquareOfThree(a, b, c; k, l, m) = square_add(c.add(m), distance_square([a, b], [k, l]));
    /// sqrt((a + k) (a + k) + (b + l) (b + l)) + m
    Distance(a, b; k, l, m) = distance_square([a, b], [k, l]).sqrt().add(m);
    /// sqrt((a + k) (a + k) + (b + l) (b + l) + (c + m) (c + m)) + n
    DistanceOfThree(a, b, c; k, l, m, n) = square_add(c.add(m), distance_square([a, b], [k, l])).sqrt().add(n);
    SqrtAddConstant(a; k) = a.sqrt().add(k);
    MaxConstantSquare(a; k) = square(a.max(k));
    MaxConstantSquareAdd(a, b; k) = square_add(a.max(k), b);
    /// max(a, k) max(a, k) + max(b, l) max(b, l)
    MaximaSquare(a, b; k, l) = maxima_square([a, b], [k, l]);
    /// max(a, k) max(a, k) + max(b, l) max(b, l) + max(c, m) max(c, m)
    MaximaSquareOfThree(a, b, c; k, l, m) = square_add(c.max(m), maxima_square([a, b], [k, l]));
    /// sqrt(max(a, k) max(a, k) + max(b, l) max(b, l))
    MaximaLength(a, b; k, l) = maxima_square([a, b], [k, l]).sqrt();
    /// sqrt(max(a, k) max(a, k) + max(b, l) max(b, l) + max(c, m) max(c, m))
    MaximaLengthOfThree(a, b, c; k, l, m) = square_add(c.max(m), maxima_square([a, b], [k, l])).sqrt();
    AbsAddConstant(a; k) = Lane::abs(a).add(k);
    AddConstantAbsAddConstant(a; k, l) = Lane::abs(a.add(k)).add(l);
    ExpOfMultiple(a; k) = meaning::unary(Unary::Exp, a.mul(k));
    AddOfSums(a, b; k, l) = a.add(k).add(b.add(l));
    SubOfSums(a, b; k, l) = a.add(k).sub(b.add(l));
    MaxOfSums(a, b; k, l) = a.add(k).max(b.add(l));
    MinOfSums(a, b; k, l) = a.add(k).min(b.add(l));
    AddAdd(a, b, c) = a.add(b).add(c);
    SubAbs(a, b) = Lane::abs(a.sub(b));
    /// max(k - |a - b|, l)
    Nearness(a, b; k, l) = nearness(a, b, k, l);
    /// max(k - |a - b|, l) max(k - |a - b|, l)
    NearnessSquare(a, b; k, l) = square(nearness(a, b, k, l));
    MulConstantAddMin(a, b, c; k) = a.mul_add(k, b.min(c));
    MulConstantAddMax(a, b, c; k) = a.mul_add(k, b.max(c));
    SumOfMultiples(a, b; k, l) = b.mul_add(l, a.mul(k));
    SumOfMultiplesAdd(a, b, c; k, l) = b.mul_add(l, a.mul_add(k, c));
    SumOfMultiplesAddConstant(a, b; k, l, m) = b.mul_add(l, a.mul_add(k, m));
    /// a k + b l + c m + n
    SumOfThreeMultiples(a, b, c; k, l, m, n) = multiples([a, b, c], [k, l, m]).add(n);
    /// |a k + b l + c m + n| + o
    AbsOfThreeMultiples(a, b, c; k, l, m, n, o) = Lane::abs(multiples([a, b, c], [k, l, m]).add(n)).add(o);
    MaxSub(a, b, c) = a.max(b).sub(c);
    MinSub(a, b, c) = a.min(b).sub(c);
    MinOfMaxConstant(a; k, l) = a.max(k).min(l);
    MaxOfMinConstant(a; k, l) = a.min(k).max(l);
    MinConstantOfMaxMax(a, b, c; k) = a.max(b).max(c).min(k);
    MaxMax(a, b, c) = a.max(b).max(c);
    MinMin(a, b, c) = a.min(b).min(c);
    MaxMin(a, b, c) = a.min(b).max(c);
    MinMax(a, b, c) = a.max(b).min(c);
    MaxOfMax(a, b, c) = a.max(b.max(c));
    MinOfMin(a, b, c) = a.min(b.min(c));
    MaxOfMin(a, b, c) = a.max(b.min(c));
    MinOfMax(a, b, c) = a.min(b.max(c));
    /// (a k + l) + (b m + n)
    AddLinear(a, b; k, l, m, n) = a.mul_add(k, l).add(b.mul_add(m, n));
    /// (a k + l) - (b m + n)
    SubLinear(a, b; k, l, m, n) = a.mul_add(k, l).sub(b.mul_add(m, n));
    MaxLinear(a, b; k, l, m, n) = a.mul_add(k, l).max(b.mul_add(m, n));
    MinLinear(a, b; k, l, m, n) = a.mul_add(k, l).min(b.mul_add(m, n));
    /// max(max(a k + l, b m + n), c o + p)
    MaxMaxLinear(a, b, c; k, l, m, n, o, p) = a.mul_add(k, l).max(b.mul_add(m, n)).max(c.mul_add(o, p));
    /// min(min(a k + l, b m + n), c o + p)
    MinMinLinear(a, b, c; k, l, m, n, o, p) = a.mul_add(k, l).min(b.mul_add(m, n)).min(c.mul_add(o, p));
    /// max(min(a k + l, b m + n), c o + p)
    MaxMinLinear(a, b, c; k, l, m, n, o, p) = a.mul_add(k, l).min(b.mul_add(m, n)).max(c.mul_add(o, p));
    /// min(max(a k + l, b m + n), c o + p)
    MinMaxLinear(a, b, c; k, l, m, n, o, p) = a.mul_add(k, l).max(b.mul_add(m, n)).min(c.mul_add(o, p));
    /// max(a k + l, max(b m + n, c o + p))
    MaxOfMaxLinear(a, b, c; k, l, m, n, o, p) = a.mul_add(k, l).max(b.mul_add(m, n).max(c.mul_add(o, p)));
    /// min(a k + l, min(b m + n, c o + p))
    MinOfMinLinear(a, b, c; k, l, m, n, o, p) = a.mul_add(k, l).min(b.mul_add(m, n).min(c.mul_add(o, p)));
    /// max(a k + l, min(b m + n, c o + p))
    MaxOfMinLinear(a, b, c; k, l, m, n, o, p) = a.mul_add(k, l).max(b.mul_add(m, n).min(c.mul_add(o, p)));
    /// min(a k + l, max(b m + n, c o + p))
    MinOfMaxLinear(a, b, c; k, l, m, n, o, p) = a.mul_add(k, l).min(b.mul_add(m, n).max(c.mul_add(o, p)));
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

#[inline(always)]
fn distance_square<T: Float>([a, b]: [T; 2], [k, l]: [T; 2]) -> T {
    square_add(b.add(l), square(a.add(k)))
}

#[inline(always)]
fn maxima_square<T: Float>([a, b]: [T; 2], [k, l]: [T; 2]) -> T {
    square_add(b.max(l), square(a.max(k)))
}

#[inline(always)]
fn nearness<T: Float>(a: T, b: T, k: T, l: T) -> T {
    k.sub(Lane::abs(a.sub(b))).max(l)
}

#[inline(always)]
fn multiples<T: Float>([a, b, c]: [T; 3], [k, l, m]: [T; 3]) -> T {
    c.mul_add(m, b.mul_add(l, a.mul(k)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::InstructionSet;
    use crate::trial::{SPECIAL, same};

    const COUNT: usize = 3072;

    /// Numbers for the three operands: every special one with every other in any two places, and then plain ones.
    fn operand<T: Float>(place: usize) -> Vec<T> {
        let count = SPECIAL.len();
        let number = |index: usize| {
            let (first, second) = (index % count, index / count);
            if second < count {
                SPECIAL[[first, second, (first + second) % count][place]]
            } else {
                let stride = [1, 16, 5][place];
                (index * stride * 7919 % 2000) as f64 / 100.0 - 10.0
            }
        };
        (0..COUNT).map(|index| T::from_f64(number(index))).collect()
    }

    fn check<T: Float>() {
        let blocks: [Vec<T>; 3] = [0, 1, 2].map(operand);
        let operands = blocks.each_ref().map(Vec::as_slice);
        for set in InstructionSet::ALL
            .into_iter()
            .filter(|set| set.is_available())
        {
            let kernels = Kernels::<T>::new(set);
            for code in StepCode::ALL {
                for constants in [
                    [2.5, -0.0, 1.0, -0.25, -1.0, 0.0],
                    [f64::NAN, 3.0, -1e-3, 0.0, 2.0, -2.0],
                    [0.0, -1.0, 0.5, 0.1, 1.0, f64::NAN],
                ] {
                    let constants = constants.map(T::from_f64);
                    let mut out = vec![T::ZERO; COUNT];
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
    fn every_step_yields_the_same_bits_with_every_instruction_set() {
        check::<f32>();
        check::<f64>();
    }
}
