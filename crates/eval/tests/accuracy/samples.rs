//! Arguments at which functions are measured: all over their domain, and densely where formulas change or results are
//! delicate.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, SQRT_2};

use crate::functions::{Case, Domain, Type};

/// Numbers that are drawn in each of the ways.
const DRAWN: usize = 60_000;
/// Neighbours of a delicate number on each side.
const NEIGHBOURS: u64 = 30;

/// Arguments of the function, within its domain.
pub(crate) fn of<F: Type>(case: &Case<F>) -> Vec<[F; 2]> {
    let random = &mut Random(case.name.len() as u64);
    match case.domain {
        Domain::To(reach) => single(random, -reach, reach),
        Domain::Far => single(
            random,
            -F::REDUCTION_LIMIT.to_f64(),
            F::REDUCTION_LIMIT.to_f64(),
        ),
        Domain::Positive => single(random, f64::from_bits(1), f64::MAX),
        Domain::Power => powers(random),
        Domain::Plane => plane(random),
    }
}

/// Any bits at all.
pub(crate) fn anything<F: Type>(seed: u64, count: usize) -> Vec<F> {
    let random = &mut Random(seed);
    (0..count)
        .map(|_| match random.below(4) {
            0 => F::from_low_bits(random.next()),
            _ => F::from_f64((random.unit() - 0.5) * 10_f64.powf(random.unit() * 6.0)),
        })
        .collect()
}

fn single<F: Type>(random: &mut Random, from: f64, to: f64) -> Vec<[F; 2]> {
    let mut samples = Vec::new();
    for _ in 0..DRAWN {
        samples.push(F::from_low_bits(random.next()));
        samples.push(F::from_f64(from + (to - from) * random.unit()));
        samples.push(F::from_f64((random.unit() - 0.5) * 4.0));
        samples.push(F::from_f64((random.unit() - 0.5) * 40.0));
        samples.push(F::from_f64((random.unit() - 0.5) * 300.0));
    }
    for turn in 0..4000 {
        let turn = if turn < 1000 {
            f64::from(turn)
        } else {
            (random.unit() * F::REDUCTION_LIMIT.to_f64()).floor()
        };
        near(&mut samples, turn * FRAC_PI_4, 3);
        near(&mut samples, turn * FRAC_PI_2, 3);
        near(&mut samples, (turn + 0.5) * LN_2, 1);
    }
    for delicate in [
        0.0,
        0.5,
        1.0,
        SQRT_2,
        SQRT_2 / 2.0,
        88.722_84,
        89.415_99,
        103.278_93,
        103.972_08,
        87.336_55,
        709.782_712_893_384,
        710.475_860_073_943_9,
        708.396_418_532_264,
        744.440_071_921_381,
        745.133_219_101_941,
        f64::MAX,
    ] {
        near(&mut samples, delicate, NEIGHBOURS);
    }
    for exponent in -1074..1024 {
        near(&mut samples, 2_f64.powi(exponent), 2);
        near(&mut samples, 10_f64.powi(exponent), 1);
    }
    near(&mut samples, F::REDUCTION_LIMIT.to_f64(), NEIGHBOURS);
    samples.retain(|x| (from..=to).contains(&x.to_f64()));
    samples.into_iter().map(|x| [x, F::ZERO]).collect()
}

/// The number, those beside it, and their opposites.
fn near<F: Type>(samples: &mut Vec<F>, number: f64, neighbours: u64) {
    let bits = F::from_f64(number).to_bits();
    for bits in bits.saturating_sub(neighbours)..=bits + neighbours {
        let number = F::from_low_bits(bits);
        samples.extend([number, F::from_f64(-number.to_f64())]);
    }
}

/// Positive numbers and exponents: most powers are neither 0 nor infinite.
fn powers<F: Type>(random: &mut Random) -> Vec<[F; 2]> {
    let mut samples = Vec::new();
    let largest = f64::from(F::FORMAT.most) * LN_2 * 1.05;
    for _ in 0..DRAWN {
        let any = F::from_low_bits(random.next() & !F::SIGN);
        let moderate = F::from_f64(random.unit() * 10.0);
        let close = F::from_f64(1.0 + (random.unit() - 0.5) * 0.1_f64.powf(random.unit() * 15.0));
        for x in [any, moderate, close] {
            let y = (random.unit() * 2.05 - 1.05) * largest / x.to_f64().ln();
            samples.push([x, F::from_f64(y)]);
            samples.push([x, F::from_f64((y * random.unit()).round())]);
        }
        samples.push([moderate, F::from_low_bits(random.next())]);
    }
    samples.retain(|[x, y]| {
        x.to_f64() > 0.0
            && x.to_f64().is_finite()
            && x.to_f64().ln() != 0.0
            && y.to_f64().is_finite()
    });
    samples
}

/// Points in every direction.
fn plane<F: Type>(random: &mut Random) -> Vec<[F; 2]> {
    let mut samples = Vec::new();
    for _ in 0..DRAWN {
        samples.push([random.next(), random.next()].map(F::from_low_bits));
        let [x, y] = [(); 2].map(|()| random.unit() * 2.0 - 1.0);
        samples.push([F::from_f64(y), F::from_f64(x)]);
        samples.push([F::from_f64(y), F::from_f64(x * 0.01)]);
        samples.push([F::from_f64(y * 0.01), F::from_f64(x)]);
        samples.push([F::from_f64(x), F::from_f64(x.abs() * (1.0 + y * 1e-7))]);
        let scale = 2_f64.powf((random.unit() - 0.5) * 2.0 * f64::from(F::FORMAT.most - 2));
        samples.push([F::from_f64(y * scale), F::from_f64(x * scale)]);
    }
    samples.retain(|point| {
        point
            .iter()
            .all(|x| x.to_f64().is_finite() && x.to_f64() != 0.0)
    });
    samples
}

/// Numbers that look random: S. Vigna's `SplitMix64`.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}
