//! Bounds of gradients on boxes.

use fibula_nodes::{Expr, Kernel, OracleUse, Query};
use proptest::prelude::*;

use super::DIRECTIONS;
use super::model::{code, functions, model, point};
use crate::code::{Code, Rounding};
use crate::cpu::Settings;
use crate::gradient::Lipschitz;
use crate::gradient::steepness::Walk;
use crate::interval::Interval;
use crate::trial::{ball, field};

fn region(low: [f64; 3], size: [f64; 3]) -> [Interval<f64>; 3] {
    [0, 1, 2].map(|axis| Interval::new(low[axis], low[axis] + size[axis]))
}

fn within(region: &[Interval<f64>; 3], place: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|axis| {
        let side = region[axis];
        (side.low() + place[axis] * (side.high() - side.low())).clamp(side.low(), side.high())
    })
}

fn length(vector: [f64; 3]) -> f64 {
    vector
        .into_iter()
        .map(|part| part * part)
        .sum::<f64>()
        .sqrt()
}

fn sizes() -> impl Strategy<Value = [f64; 3]> {
    let size = prop_oneof![Just(0.0), Just(1.0), 0.0..0.1_f64, 0.0..10.0_f64];
    [size.clone(), size.clone(), size]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn no_gradient_is_longer_than_its_bound_and_no_value_jumps_unsaid(
        function in functions(1..24),
        low in point(),
        size in sizes(),
        places in prop::collection::vec([0.0..=1.0, 0.0..=1.0, 0.0..=1.0_f64], 8),
    ) {
        let code = function.code();
        let region = region(low, size);
        for output in 0..code.outputs.len() {
            let steepness = Walk::new(&code, &DIRECTIONS).steepness(&region, output);
            let most = steepness.length;
            prop_assert!(!most.is_nan());
            let mut before: Option<([f64; 3], f64)> = None;
            for &place in &places {
                let at = within(&region, place);
                let (numbers, [is_finite, is_cut]) = model(&code, at);
                let number = &numbers[output];
                if !number.value.is_finite() {
                    continue;
                }
                let slopes = number.slopes;
                let room = 1e-12 * number.scales.into_iter().sum::<f64>() + 1e-150;
                let is_known = !is_cut && slopes.into_iter().all(f64::is_finite) && room < 1e80;
                prop_assert!(
                    !is_known || length(slopes) <= most + room,
                    "{slopes:?} at {at:?} is longer than {most}\n{code:?}"
                );
                if let Some((other, value)) = before.replace((at, number.value))
                    && !steepness.may_jump
                    && is_finite
                    && most.is_finite()
                {
                    let way = length([0, 1, 2].map(|axis| at[axis] - other[axis]));
                    let room = 1e-9 * (1.0 + length(number.scales)) * (1.0 + length(at) + value.abs());
                    prop_assert!(
                        (number.value - value).abs() <= most * way + room,
                        "{value} at {other:?} and {} at {at:?} for {most}\n{code:?}", number.value
                    );
                }
            }
        }
    }
}

fn lipschitz(
    write: impl Fn(&mut Kernel, [Expr; 3]) -> Expr,
    region: &[Interval<f64>; 3],
    parts: usize,
) -> Lipschitz {
    let mut kernel = Kernel::new();
    let variables = [0, 1, 2].map(|index| kernel.variable(index));
    let value = write(&mut kernel, variables);
    let code: Code = code(&kernel, &[value], Rounding::Fast);
    code.lipschitz(0, region, &DIRECTIONS, parts, Settings::default())
}

#[test]
fn distances_are_as_steep_as_distances_are() {
    let around = region([-2.0; 3], [4.0; 3]);
    let sphere = |k: &mut Kernel, at: [Expr; 3]| {
        let (length, one) = (k.length(&at), k.constant(1.0));
        k.sub(length, one)
    };
    let is_one = |found: Lipschitz| {
        assert!(found.most >= 1.0 && found.most < 1.0 + 1e-12, "{found:?}");
        assert!(
            found.least > 1.0 - 1e-3 && found.least <= 1.0 + 1e-12,
            "{found:?}"
        );
        assert!(!found.may_jump, "{found:?}");
    };
    is_one(lipschitz(sphere, &around, 9));
    let torus = |k: &mut Kernel, [x, y, z]: [Expr; 3]| {
        let (ring, radius) = (k.length(&[x, y]), k.constant(1.0));
        let away = k.sub(ring, radius);
        k.length(&[away, z])
    };
    is_one(lipschitz(torus, &around, 9));
    // A box, turned about z: what is beyond its sides.
    let turned = |k: &mut Kernel, [x, y, z]: [Expr; 3]| {
        let (cosine, sine) = (k.constant(0.8), k.constant(0.6));
        let zero = k.constant(0.0);
        let products = [
            k.mul(x, cosine),
            k.mul(y, sine),
            k.mul(y, cosine),
            k.mul(x, sine),
        ];
        let turned = [
            k.add(products[0], products[1]),
            k.sub(products[2], products[3]),
            z,
        ];
        let half = k.constant(0.5);
        let beyond = turned.map(|part| {
            let apart = k.abs(part);
            let beyond = k.sub(apart, half);
            k.max(beyond, zero)
        });
        k.length(&beyond)
    };
    is_one(lipschitz(turned, &around, 9));
    for query in [Query::SignedDistance, Query::UnsignedDistance] {
        let asked = OracleUse { query, ..ball() };
        let oracle = |k: &mut Kernel, [x, y, z]: [Expr; 3]| k.oracle(&asked, 0, [y, z, x]);
        is_one(lipschitz(oracle, &around, 9));
    }
}

#[test]
fn more_parts_give_closer_bounds() {
    let around = region([0.0; 3], [3.0, 1.0, 1.0]);
    // Its gradient is longest, 6 e^-0.5 / sqrt(2), where 2 x x is 1.
    let bell = |k: &mut Kernel, [x, _, _]: [Expr; 3]| {
        let (square, three) = (k.mul(x, x), k.constant(3.0));
        let fall = k.neg(square);
        let bell = k.exp(fall);
        k.mul(bell, three)
    };
    let exact = 6.0 * (-0.5_f64).exp() / 2.0_f64.sqrt();
    let mut last = f64::INFINITY;
    for parts in [1, 10, 100, 1000] {
        let found = lipschitz(bell, &around, parts);
        assert!(found.least <= exact && exact <= found.most, "{found:?}");
        assert!(found.most <= last && !found.may_jump, "{found:?}");
        last = found.most;
    }
    assert!(last < exact * 1.01, "{last} is not close to {exact}");
    let found = lipschitz(bell, &around, 100_000);
    assert!(found.least >= found.most * 0.998, "{found:?}");
}

#[test]
fn jumps_and_infinite_slopes_are_said() {
    let around = region([-1.0; 3], [3.0; 3]);
    let found = lipschitz(|k, [x, _, _]| k.sqrt(x), &around, 50);
    assert!(found.most.is_infinite() && !found.may_jump, "{found:?}");
    let found = lipschitz(|k, [x, _, _]| k.floor(x), &around, 50);
    assert!(found.most == 0.0 && found.may_jump, "{found:?}");
    let apart = region([0.25; 3], [0.5; 3]);
    let found = lipschitz(|k, [x, _, _]| k.fract(x), &apart, 50);
    assert!(found.most == 1.0 && !found.may_jump, "{found:?}");
    let sum = |k: &mut Kernel, [x, y, _]: [Expr; 3]| k.select(x, y, x, y);
    let found = lipschitz(sum, &around, 50);
    assert!(found.most == 1.0 && !found.may_jump, "{found:?}");
    let jump = |k: &mut Kernel, [x, y, z]: [Expr; 3]| k.select(x, y, z, y);
    assert!(lipschitz(jump, &around, 50).may_jump);
    assert!(lipschitz(|k, [x, y, _]| k.div(y, x), &around, 50).may_jump);
    assert!(lipschitz(|k, [x, _, _]| k.tan(x), &around, 50).may_jump);
    let mut kernel = Kernel::new();
    let (x, exponent) = (kernel.variable(0), kernel.constant(-3.0));
    let power = kernel.pow(x, exponent);
    let code = code(&kernel, &[power], Rounding::Exact);
    let found = code.lipschitz(0, &around, &DIRECTIONS, 50, Settings::default());
    assert!(found.may_jump && found.most.is_infinite(), "{found:?}");
    let stepped = |k: &mut Kernel, [x, y, _]: [Expr; 3]| {
        let whole = k.floor(x);
        k.oracle(&field(), 0, [whole, whole, y])
    };
    assert!(lipschitz(stepped, &around, 50).may_jump);
    let flat = |k: &mut Kernel, [x, _, _]: [Expr; 3]| {
        let whole = k.floor(x);
        k.oracle(&field(), 0, [whole; 3])
    };
    assert!(
        lipschitz(flat, &around, 50).may_jump,
        "an image of what is flat and jumps"
    );
    let undefined = |k: &mut Kernel, [x, y, _]: [Expr; 3]| {
        let root = k.sqrt(x);
        k.min(y, root)
    };
    assert!(
        lipschitz(undefined, &around, 50).may_jump,
        "where the root begins"
    );
}

#[test]
fn only_lengths_are_bounded_as_lengths_are() {
    type Write = fn(&mut Kernel, [Expr; 3]) -> Expr;
    // What is written, and how steep it is at its steepest: nothing may be taken for a distance that is none.
    let cases: [(&str, Write, f64); 5] = [
        (
            "sqrt(x y + 1/2)",
            |k, [x, y, _]| {
                let (product, half) = (k.mul(x, y), k.constant(0.5));
                let sum = k.add(product, half);
                k.sqrt(sum)
            },
            26.0_f64.sqrt() / 2.0 / 5.5_f64.sqrt(),
        ),
        (
            "the length of (x, x + 1, y)",
            |k, [x, y, _]| {
                let one = k.constant(1.0);
                let more = k.add(x, one);
                k.length(&[x, more, y])
            },
            // Where x is 5 and y is 1: (5 + 6, 1) / sqrt(5^2 + 6^2 + 1).
            122.0_f64.sqrt() / 62.0_f64.sqrt(),
        ),
        (
            "sqrt(x y + z z)",
            |k, [x, y, z]| {
                let (product, square) = (k.mul(x, y), k.mul(z, z));
                let sum = k.add(product, square);
                k.sqrt(sum)
            },
            30.0_f64.sqrt() / 2.0 / 6.0_f64.sqrt(),
        ),
        (
            "x x + z",
            |k, [x, _, z]| {
                let square = k.mul(x, x);
                k.add(square, z)
            },
            101.0_f64.sqrt(),
        ),
        (
            "z - x x",
            |k, [x, _, z]| {
                let square = k.mul(x, x);
                k.sub(z, square)
            },
            101.0_f64.sqrt(),
        ),
    ];
    for (name, write, expected) in cases {
        let found = lipschitz(write, &region([1.0; 3], [4.0; 3]), 20_000);
        assert!(
            found.most >= expected && found.least <= expected * (1.0 + 1e-12),
            "{name}: {found:?}"
        );
        assert!(
            found.most <= expected * 1.2,
            "{name}: {found:?} is far from {expected}"
        );
        assert!(
            found.least >= expected * 0.9 && !found.may_jump,
            "{name}: {found:?}"
        );
    }
}
