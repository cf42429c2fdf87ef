//! Laws of the elementary functions: how far they may be from the truth, what they are where there is nothing to
//! measure, and that vectors compute the same bits as single numbers.

#![expect(
    clippy::inline_always,
    reason = "a function that stays a call is not computed in vectors"
)]

mod functions;
mod reference;
mod samples;

use fibula_nodes::kernel::Unary;
use functions::{Case, Domain, Type, cases};

/// Measures some functions, and names those whose error is above its bound.
fn measure<F: Type>(cases: &[Case<F>]) -> Vec<String> {
    let mut broken = Vec::new();
    for case in cases {
        let mut worst = (0.0, String::new());
        for [x, y] in samples::of(case) {
            let got = (case.evaluate)(x, y);
            let error = (case.exact)(x.to_f64(), y.to_f64()).error(got.to_f64(), F::FORMAT);
            if error > worst.0 {
                worst = (error, format!("{}({x:e}, {y:e}) = {got:e}", case.name));
            }
        }
        let line = format!("{:.3} of {}: {}", worst.0, case.bound, worst.1);
        println!("{line}");
        if worst.0 > case.bound {
            broken.push(line);
        }
    }
    broken
}

/// Measures every function of a type, on two cores.
fn keeps_bounds<F: Type>() {
    let cases = cases::<F>();
    let (some, others) = cases.split_at(cases.len() / 2);
    let broken = std::thread::scope(|scope| {
        let others = scope.spawn(|| measure(others));
        let mut broken = measure(some);
        broken.extend(others.join().unwrap());
        broken
    });
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

/// The documentation states the bounds that are tested.
#[test]
fn documentation_states_the_bounds() {
    let documentation = include_str!("../../src/lane.rs");
    for (single, double) in cases::<f32>().iter().zip(cases::<f64>()) {
        let row = format!(
            "/// | {} | {:.1} | {:.1} |",
            single.name, single.bound, double.bound
        );
        assert!(documentation.contains(&row), "no row {row}");
    }
}

/// Poles, ends of domains, what is not normal or finite, and exponents that are odd, even, halves or huge.
const SPECIAL: [f64; 26] = [
    0.0,
    0.25,
    0.5,
    1.0,
    1.5,
    2.0,
    3.0,
    4.0,
    89.0,
    710.0,
    1000.0,
    16_777_215.0,
    16_777_216.0,
    9_007_199_254_740_991.0,
    9_007_199_254_740_992.0,
    1e30,
    1e300,
    1e-30,
    1e-40,
    1e-300,
    1e-310,
    5e-324,
    f32::MAX as f64,
    f64::MAX,
    f64::INFINITY,
    f64::NAN,
];

/// The function yields 0, 1, an infinity or NaN wherever the kernel does.
fn is_the_kernel_at_special_numbers<F: Type>() {
    let numbers: Vec<F> = SPECIAL
        .iter()
        .flat_map(|&number| [F::from_f64(number), F::from_f64(-number)])
        .chain([1, 0x1234].map(|payload| F::from_low_bits(F::NAN.to_bits() + payload)))
        .collect();
    for case in cases::<F>() {
        let reach = match case.domain {
            Domain::Far => F::REDUCTION_LIMIT.to_f64(),
            _ => f64::INFINITY,
        };
        for &x in numbers
            .iter()
            .filter(|x| x.to_f64().is_nan() || x.to_f64().abs() <= reach)
        {
            for &y in &numbers[..if case.takes_two() { numbers.len() } else { 1 }] {
                let expected = F::from_f64((case.kernel)(x.to_f64(), y.to_f64()));
                let got = (case.evaluate)(x, y);
                let apart = expected.to_bits().abs_diff(got.to_bits());
                let exact = [0.0, 1.0, f64::INFINITY].contains(&expected.to_f64().abs());
                let allowed = if exact { 0 } else { 2 };
                assert!(
                    apart <= allowed || expected.to_f64().is_nan() && got.to_f64().is_nan(),
                    "{}({x:e}, {y:e}) = {got:e}, not {expected:e}",
                    case.name
                );
            }
        }
    }
}

/// Blocks for every instruction set yield the bits of one call for each number; NaN may be any NaN.
fn vectors_yield_the_same_bits<F: Type>() {
    let xs: Vec<F> = samples::anything(1, 20_011);
    let ys: Vec<F> = samples::anything(2, 20_011);
    let mut out = vec![F::ZERO; xs.len()];
    for case in cases::<F>() {
        for (set, block) in case.blocks.iter().enumerate() {
            block([&xs, &ys], &mut out);
            for ((&x, &y), &got) in xs.iter().zip(&ys).zip(&out) {
                let expected = (case.evaluate)(x, y);
                assert!(
                    got.to_bits() == expected.to_bits()
                        || got.to_f64().is_nan() && expected.to_f64().is_nan(),
                    "{}({x:e}, {y:e}) = {got:e} in set {set}, not {expected:e}",
                    case.name
                );
            }
        }
    }
}

/// Beyond their reach the polynomials are replaced by a library of reduction to any number of digits.
fn large_angles_are_the_kernel<F: Type>() {
    for x in samples::anything::<F>(3, 20_000) {
        for (got, function) in [
            (x.sin_large(), Unary::Sin),
            (x.cos_large(), Unary::Cos),
            (x.tan_large(), Unary::Tan),
        ] {
            let expected = F::from_f64(function.apply(x.to_f64()));
            assert!(
                got.to_bits().abs_diff(expected.to_bits()) <= 1
                    || got.to_f64().is_nan() && expected.to_f64().is_nan(),
                "{function:?} of {x:e}: {got:e}, not {expected:e}"
            );
        }
    }
    for infinite in [F::INFINITY, F::from_f64(f64::NEG_INFINITY)] {
        assert!(infinite.sin_large().to_f64().is_nan());
        assert!(infinite.cos_large().to_f64().is_nan());
        assert!(infinite.tan_large().to_f64().is_nan());
    }
}

/// Declares a test of each law for each number type.
macro_rules! laws {
    ($($law:ident)*) => {
        mod single {
            $(#[test] fn $law() { super::$law::<f32>(); })*
        }
        mod double {
            $(#[test] fn $law() { super::$law::<f64>(); })*
        }
    };
}

laws! {
    keeps_bounds
    is_the_kernel_at_special_numbers
    vectors_yield_the_same_bits
    large_angles_are_the_kernel
}
