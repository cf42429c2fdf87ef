//! The functions in about 100 bits: sums of two `f64`, by series. Slow, and short enough to be believed.
//!
//! Addition, multiplication and division are those of J.-M. Muller and others (Tight and rigorous error bounds for
//! basic building blocks of double-word arithmetic, 2017). Tables are computed, not copied.

#![expect(
    clippy::unreadable_literal,
    clippy::approx_constant,
    reason = "nobody reads the digits of pi, and here are more of them than of the constants"
)]

use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::LazyLock;

const FRAC_PI_2: [f64; 4] = [
    1.5707963267948966,
    6.123233995736766e-17,
    -1.4973849048591698e-33,
    5.562271104316826e-50,
];
const LN_2: [f64; 3] = [
    0.6931471805599453,
    2.3190468138462996e-17,
    5.707708438416212e-34,
];
const LN_10: [f64; 2] = [2.302585092994046, -2.1707562233822494e-16];

/// 1 / n!.
static INVERSE_FACTORIALS: LazyLock<[Wide; 32]> = LazyLock::new(|| {
    let mut inverse = Wide::from(1.0);
    std::array::from_fn(|n| {
        inverse = inverse / Wide::from(n.max(1) as f64);
        inverse
    })
});

/// 1 / (2 n + 1).
static INVERSE_ODD: LazyLock<[Wide; 24]> =
    LazyLock::new(|| std::array::from_fn(|n| Wide::from(1.0) / Wide::from((2 * n + 1) as f64)));

/// `high + low`, where `low` is below the last bit of `high`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wide {
    high: f64,
    low: f64,
}

/// A number of any size: `value` times 2 to the power `exponent`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exact {
    value: Wide,
    exponent: i32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Format {
    /// The bits of its fraction, less the one that is implied.
    pub(crate) fraction: i32,
    /// The exponent of the smallest number.
    pub(crate) least: i32,
    /// The exponent of what is just too large.
    pub(crate) most: i32,
}

impl Exact {
    /// Error of `got`, in units of the last place that this number has in the format.
    pub(crate) fn error(self, got: f64, format: Format) -> f64 {
        let Exact {
            value: Wide { high, low },
            exponent,
        } = self;
        if got.is_nan() || high.is_nan() {
            return if got.is_nan() && high.is_nan() {
                0.0
            } else {
                f64::INFINITY
            };
        }
        let too_large = power_of_two(format.most - exponent);
        let got = if got.is_infinite() {
            too_large.copysign(got)
        } else {
            let half = -exponent / 2;
            got * power_of_two(half) * power_of_two(-exponent - half)
        };
        let (high, low) = if high.abs() >= too_large {
            (too_large.copysign(high), 0.0)
        } else {
            (high, low)
        };
        let place = (exponent_of(high) + exponent).min(format.most - 1) - format.fraction;
        ((got - high) - low).abs() / power_of_two(place.max(format.least) - exponent)
    }
}

impl From<Wide> for Exact {
    fn from(value: Wide) -> Exact {
        Exact { value, exponent: 0 }
    }
}

impl From<f64> for Exact {
    fn from(value: f64) -> Exact {
        Exact::from(Wide::from(value))
    }
}

pub(crate) fn sin(x: f64) -> Exact {
    sin_cos(Wide::from(x)).0.into()
}

pub(crate) fn cos(x: f64) -> Exact {
    sin_cos(Wide::from(x)).1.into()
}

pub(crate) fn tan(x: f64) -> Exact {
    let (sine, cosine) = sin_cos(Wide::from(x));
    (sine / cosine).into()
}

pub(crate) fn asin(x: f64) -> Exact {
    if x.abs() <= 0.5 {
        return arc(Wide::from(x)).into();
    }
    let angle = quarter() - arc(half_chord(x.abs())) * Wide::from(2.0);
    if x < 0.0 { -angle } else { angle }.into()
}

pub(crate) fn acos(x: f64) -> Exact {
    if x.abs() <= 0.5 {
        return (quarter() - arc(Wide::from(x))).into();
    }
    let angle = arc(half_chord(x.abs())) * Wide::from(2.0);
    if x < 0.0 {
        quarter() * Wide::from(2.0) - angle
    } else {
        angle
    }
    .into()
}

pub(crate) fn atan(x: f64) -> Exact {
    atan2(x, 1.0)
}

/// One step of Newton's method.
pub(crate) fn atan2(y: f64, x: f64) -> Exact {
    let near = y.atan2(x);
    if near.abs() < 1e-290 {
        return near.into();
    }
    let scale = power_of_two(-exponent_of(y.abs().max(x.abs())).clamp(-1000, 1000));
    let (y, x) = (Wide::from(y * scale), Wide::from(x * scale));
    let (sine, cosine) = sin_cos(Wide::from(near));
    (Wide::from(near) + (y * cosine - x * sine) / (x * cosine + y * sine)).into()
}

pub(crate) fn sinh(x: f64) -> Exact {
    if x.abs() < 1.0 {
        return sinh_series(Wide::from(x)).into();
    }
    let Exact { value, exponent } = exp_of(Wide::from(x.abs()));
    let value = value * Wide::from(0.5) - inverse_half(value, exponent);
    let value = if x < 0.0 { -value } else { value };
    Exact { value, exponent }
}

pub(crate) fn cosh(x: f64) -> Exact {
    let Exact { value, exponent } = exp_of(Wide::from(x.abs()));
    let value = value * Wide::from(0.5) + inverse_half(value, exponent);
    Exact { value, exponent }
}

pub(crate) fn tanh(x: f64) -> Exact {
    let (sine, cosine) = (sinh(x), cosh(x));
    Exact {
        value: sine.value / cosine.value,
        exponent: sine.exponent - cosine.exponent,
    }
}

pub(crate) fn exp(x: f64) -> Exact {
    exp_of(Wide::from(x))
}

pub(crate) fn log(x: f64) -> Exact {
    log_of(x).into()
}

pub(crate) fn log2(x: f64) -> Exact {
    (log_of(x) / Wide::sum(LN_2[0], LN_2[1])).into()
}

pub(crate) fn log10(x: f64) -> Exact {
    (log_of(x) / Wide::sum(LN_10[0], LN_10[1])).into()
}

/// `x` to the power `y`, for positive `x`.
pub(crate) fn pow(x: f64, y: f64) -> Exact {
    // Larger exponents make no difference.
    exp_of(log_of(x) * Wide::from(y.clamp(-1e30, 1e30)))
}

/// The number 2 to the power `exponent`: 0 or infinity where there is none.
fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        ..-1074 => 0.0,
        -1074..-1022 => f64::from_bits(1 << (exponent + 1074)),
        -1022..1024 => f64::from_bits(((exponent + 1023) as u64) << 52),
        1024.. => f64::INFINITY,
    }
}

/// The exponent of the first bit.
fn exponent_of(x: f64) -> i32 {
    match x.abs().to_bits() {
        0 => -1075,
        bits if bits < 1 << 52 => -1011 - bits.leading_zeros() as i32,
        bits => (bits >> 52) as i32 - 1023,
    }
}

fn quarter() -> Wide {
    Wide::sum(FRAC_PI_2[0], FRAC_PI_2[1])
}

/// Sine and cosine, by their series at less than an eighth of a turn.
fn sin_cos(x: Wide) -> (Wide, Wide) {
    let quarters = (x.high / FRAC_PI_2[0]).round_ties_even();
    let rest = FRAC_PI_2
        .iter()
        .fold(x, |rest, &part| rest - Wide::product(quarters, part));
    let square = rest * rest;
    let series = |first: usize| {
        let terms = (first..30).step_by(2).rev();
        terms.fold(Wide::from(0.0), |sum, n| {
            INVERSE_FACTORIALS[n] - sum * square
        })
    };
    let (sine, cosine) = (series(1) * rest, series(0));
    match quarters.rem_euclid(4.0) as u32 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// The angle whose sine this is, by one step of Newton's method; far enough from 1.
fn arc(sine: Wide) -> Wide {
    let near = sine.high.asin();
    let (at, slope) = sin_cos(Wide::from(near));
    Wide::from(near) + (sine - at) / slope
}

/// The sine of half the angle whose cosine is `x`.
fn half_chord(x: f64) -> Wide {
    let square = (1.0 - x) * 0.5;
    let root = square.sqrt();
    if root == 0.0 {
        return Wide::from(0.0);
    }
    let left = Wide::from(square) - Wide::product(root, root);
    Wide::from(root) + left / Wide::from(2.0 * root)
}

/// Beyond 1000 the answer is that for 1000: too large or too small for any format.
fn exp_of(x: Wide) -> Exact {
    let x = if x.high.abs() > 1000.0 {
        Wide::from(1000_f64.copysign(x.high))
    } else {
        x
    };
    let count = (x.high / LN_2[0]).round_ties_even();
    let rest = LN_2
        .iter()
        .fold(x, |rest, &part| rest - Wide::product(count, part));
    let terms = INVERSE_FACTORIALS[..26].iter().rev();
    Exact {
        value: terms.fold(Wide::from(0.0), |sum, &inverse| sum * rest + inverse),
        exponent: count as i32,
    }
}

/// Half of 1 / (`value` 2^`exponent`), as a multiple of 2^`exponent`.
fn inverse_half(value: Wide, exponent: i32) -> Wide {
    Wide::from(0.5 * power_of_two(-2 * exponent)) / value
}

fn sinh_series(x: Wide) -> Wide {
    let square = x * x;
    let terms = (1..30).step_by(2).rev();
    let sum = terms.fold(Wide::from(0.0), |sum, n| {
        sum * square + INVERSE_FACTORIALS[n]
    });
    sum * x
}

/// The natural logarithm of a positive number, by the series of the inverse hyperbolic tangent.
fn log_of(x: f64) -> Wide {
    let exponent = exponent_of(x * std::f64::consts::SQRT_2);
    let half = -exponent / 2;
    let fraction = x * power_of_two(half) * power_of_two(-exponent - half);
    let ratio = Wide::sum(fraction, -1.0) / Wide::sum(fraction, 1.0);
    let square = ratio * ratio;
    let terms = INVERSE_ODD.iter().rev();
    let series = terms.fold(Wide::from(0.0), |sum, &inverse| sum * square + inverse);
    LN_2.iter().rev().fold(Wide::from(0.0), |sum, &part| {
        sum + Wide::product(f64::from(exponent), part)
    }) + series * ratio * Wide::from(2.0)
}

impl Wide {
    fn sum(a: f64, b: f64) -> Wide {
        let high = a + b;
        let part = high - a;
        Wide {
            high,
            low: (a - (high - part)) + (b - part),
        }
    }

    fn product(a: f64, b: f64) -> Wide {
        let high = a * b;
        Wide {
            high,
            low: a.mul_add(b, -high),
        }
    }
}

impl From<f64> for Wide {
    fn from(high: f64) -> Wide {
        Wide { high, low: 0.0 }
    }
}

impl Neg for Wide {
    type Output = Wide;
    fn neg(self) -> Wide {
        Wide {
            high: -self.high,
            low: -self.low,
        }
    }
}

impl Add for Wide {
    type Output = Wide;
    fn add(self, other: Wide) -> Wide {
        let high = Wide::sum(self.high, other.high);
        let low = Wide::sum(self.low, other.low);
        let sum = Wide::sum(high.high, high.low + low.high);
        Wide::sum(sum.high, sum.low + low.low)
    }
}

impl Sub for Wide {
    type Output = Wide;
    fn sub(self, other: Wide) -> Wide {
        self + -other
    }
}

impl Mul for Wide {
    type Output = Wide;
    fn mul(self, other: Wide) -> Wide {
        let Wide { high, low } = Wide::product(self.high, other.high);
        let cross = self.high.mul_add(other.low, self.low * other.high);
        Wide::sum(high, low + cross)
    }
}

impl Div for Wide {
    type Output = Wide;
    fn div(self, other: Wide) -> Wide {
        let first = self.high / other.high;
        let left = self - Wide::from(first) * other;
        let second = left.high / other.high;
        let left = left - Wide::from(second) * other;
        Wide::sum(first, second) + Wide::from(left.high / other.high)
    }
}
