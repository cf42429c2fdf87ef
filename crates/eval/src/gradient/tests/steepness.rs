//! Bounds of gradients on boxes.

use fibula_nodes::{Binary, OracleUse, Query, Unary};
use proptest::prelude::*;

use super::DIRECTIONS;
use super::model::{formula_code, functions, model, point};
use crate::code::Rounding;
use crate::cpu::Settings;
use crate::gradient::Lipschitz;
use crate::gradient::steepness::SteepnessEvaluator;
use crate::interval::Interval;
use crate::trial::{Formula, Term, ball, field};

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
    fn no_gradient_exceeds_its_bound_and_no_jump_is_unreported(
        function in functions(1..24),
        low in point(),
        size in sizes(),
        places in prop::collection::vec([0.0..=1.0, 0.0..=1.0, 0.0..=1.0_f64], 8),
    ) {
        let code = function.code();
        let region = region(low, size);
        for output in 0..code.outputs.len() {
            let steepness = SteepnessEvaluator::new(&code, &DIRECTIONS).steepness(&region, output);
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
    formula: impl for<'a> Fn([Term<'a>; 3]) -> Term<'a>,
    region: &[Interval<f64>; 3],
    parts: usize,
) -> Lipschitz {
    let code = formula_code(formula, Rounding::Fast);
    code.lipschitz(0, region, &DIRECTIONS, parts, Settings::default())
}

#[test]
fn distances_are_as_steep_as_distances_are() {
    let around = region([-2.0; 3], [4.0; 3]);
    let is_one = |found: Lipschitz| {
        assert!(found.most >= 1.0 && found.most < 1.0 + 1e-12, "{found:?}");
        assert!(found.least > 1.0 - 1e-3, "{found:?}");
        assert!(found.least <= 1.0 + 1e-12, "{found:?}");
        assert!(!found.may_jump, "{found:?}");
    };
    let sphere: Formula = |at| Term::length(at) - 1.0;
    let torus: Formula = |[x, y, z]| Term::length([Term::length([x, y]) - 1.0, z]);
    // A box, turned about z: what is beyond its sides.
    let turned: Formula = |[x, y, z]| {
        let turned = [x * 0.8 + y * 0.6, y * 0.8 - x * 0.6, z];
        Term::length(turned.map(|part| (part.abs() - 0.5).max(part.constant(0.0))))
    };
    for formula in [sphere, torus, turned] {
        is_one(lipschitz(formula, &around, 9));
    }
    for query in [Query::SignedDistance, Query::UnsignedDistance] {
        let asked = OracleUse { query, ..ball() };
        is_one(lipschitz(
            |[x, y, z]| Term::oracle(&asked, 0, [y, z, x]),
            &around,
            9,
        ));
    }
}

#[test]
fn more_parts_give_closer_bounds() {
    let around = region([0.0; 3], [3.0, 1.0, 1.0]);
    // Its gradient is longest, 6 e^-0.5 / sqrt(2), where 2 x x is 1.
    let bell: Formula = |[x, ..]| (-x.square()).unary(Unary::Exp) * 3.0;
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
fn jumps_and_infinite_slopes_are_reported() {
    let around = region([-1.0; 3], [3.0; 3]);
    let found = lipschitz(|[x, ..]| x.sqrt(), &around, 50);
    assert!(found.most.is_infinite() && !found.may_jump, "{found:?}");
    let found = lipschitz(|[x, ..]| x.unary(Unary::Floor), &around, 50);
    assert!(found.most == 0.0 && found.may_jump, "{found:?}");
    let apart = region([0.25; 3], [0.5; 3]);
    let found = lipschitz(|[x, ..]| x.unary(Unary::Fract), &apart, 50);
    assert!(found.most == 1.0 && !found.may_jump, "{found:?}");
    let found = lipschitz(|[x, y, _]| x.if_less(y, x, y), &around, 50);
    assert!(found.most == 1.0 && !found.may_jump, "{found:?}");
    let exact = formula_code(
        |[x, ..]| x.binary(Binary::Pow, x.constant(-3.0)),
        Rounding::Exact,
    );
    let found = exact.lipschitz(0, &around, &DIRECTIONS, 50, Settings::default());
    assert!(found.may_jump && found.most.is_infinite(), "{found:?}");
    let jumps: [(&str, Formula); 6] = [
        ("a selection", |[x, y, z]| x.if_less(y, z, y)),
        ("a pole", |[x, y, _]| y / x),
        ("a tangent", |[x, ..]| x.unary(Unary::Tan)),
        ("an image of steps", |[x, y, _]| {
            let whole = x.unary(Unary::Floor);
            Term::oracle(&field(), 0, [whole, whole, y])
        }),
        ("an image of what is flat and jumps", |[x, ..]| {
            Term::oracle(&field(), 0, [x.unary(Unary::Floor); 3])
        }),
        ("where the root begins", |[x, y, _]| y.min(x.sqrt())),
    ];
    for (name, formula) in jumps {
        assert!(lipschitz(formula, &around, 50).may_jump, "{name}");
    }
}

#[test]
fn only_lengths_are_bounded_as_lengths_are() {
    // What is written, and how steep it is at its steepest: nothing may be taken for a distance that is none.
    let cases: [(&str, Formula, f64); 5] = [
        (
            "sqrt(x y + 1/2)",
            |[x, y, _]| (x * y + 0.5).sqrt(),
            26.0_f64.sqrt() / 2.0 / 5.5_f64.sqrt(),
        ),
        (
            "the length of (x, x + 1, y)",
            |[x, y, _]| Term::length([x, x + 1.0, y]),
            // Where x is 5 and y is 1: (5 + 6, 1) / sqrt(5^2 + 6^2 + 1).
            122.0_f64.sqrt() / 62.0_f64.sqrt(),
        ),
        (
            "sqrt(x y + z z)",
            |[x, y, z]| (x * y + z.square()).sqrt(),
            30.0_f64.sqrt() / 2.0 / 6.0_f64.sqrt(),
        ),
        ("x x + z", |[x, _, z]| x.square() + z, 101.0_f64.sqrt()),
        ("z - x x", |[x, _, z]| z - x.square(), 101.0_f64.sqrt()),
    ];
    for (name, formula, expected) in cases {
        let found = lipschitz(formula, &region([1.0; 3], [4.0; 3]), 20_000);
        assert!(found.most >= expected, "{name}: {found:?}");
        assert!(found.least <= expected * (1.0 + 1e-12), "{name}: {found:?}");
        assert!(
            found.most <= expected * 1.2,
            "{name}: {found:?} is far from {expected}"
        );
        assert!(found.least >= expected * 0.9, "{name}: {found:?}");
        assert!(!found.may_jump, "{name}: {found:?}");
    }
}
