//! Laws of bounds on one box, over random functions and boxes.

use std::ops::Range;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use crate::code::Code;
use crate::interval::{Interval, IntervalEvaluator};
use crate::lane::Float;
use crate::trial::{EVEN, Recipe, numbers, recipes, special, values};

/// Number of scalar arguments of the random functions.
pub(crate) const INPUTS: usize = EVEN.inputs;

/// Random functions of up to some operations.
pub(crate) fn functions(steps: Range<usize>) -> impl Strategy<Value = Recipe> {
    recipes(EVEN, steps, special())
}

/// A box: two numbers for each argument, in any order, of which the second may be the first.
pub(crate) fn boxes() -> impl Strategy<Value = [[f64; 2]; INPUTS]> {
    let number = || numbers().prop_filter("a number", |number| !number.is_nan());
    let side = prop_oneof![
        number().prop_map(|number| [number, number]),
        [number(), number()],
        (number(), -1.0..1.0_f64).prop_map(|(number, size)| [number, number + size]),
    ];
    prop::array::uniform3(side)
}

/// A point of a box, given by three numbers from 0 to 1.
fn point<T: Float>(sides: [[f64; 2]; INPUTS], place: [f64; INPUTS]) -> [T; INPUTS] {
    std::array::from_fn(|input| {
        let [low, high] = sides[input].map(T::from_f64);
        let between =
            T::from_f64(sides[input][0] * (1.0 - place[input]) + sides[input][1] * place[input]);
        if place[input] <= 0.0 {
            low
        } else if between >= low && between <= high {
            between
        } else {
            high
        }
    })
}

fn check<T: Float>(
    code: &Arc<Code>,
    sides: [[f64; 2]; INPUTS],
    places: &[[f64; INPUTS]],
) -> TestCaseResult {
    let sides = sides.map(|[a, b]| [a.min(b), a.max(b)]);
    let inputs = sides.map(|[low, high]| Interval::new(T::from_f64(low), T::from_f64(high)));
    let mut evaluator = IntervalEvaluator::<T>::new(Arc::clone(code));
    let bounds = evaluator.evaluate(&inputs).to_vec();
    let zeros = |point: [T; INPUTS]| {
        // Of a bound that is 0 the sign does not count.
        point.map(|number| {
            if number == T::ZERO {
                number.neg()
            } else {
                number
            }
        })
    };
    for &place in places {
        let at = point(sides, place);
        for at in [at, zeros(at)] {
            for (bounds, value) in bounds.iter().zip(values(code, &at)) {
                prop_assert!(
                    bounds.contains(value),
                    "{value:?} at {at:?} is beyond {bounds:?} on {inputs:?} of {code:?}"
                );
            }
            // What is computed in f64 stands for the real value.
            let precise = at.map(Float::to_f64);
            for (bounds, value) in bounds.iter().zip(values(code, &precise)) {
                let wide = Interval {
                    low: bounds.low.to_f64(),
                    high: bounds.high.to_f64(),
                    undefined: bounds.undefined,
                };
                prop_assert!(
                    wide.contains(value),
                    "{value:?} in f64 at {at:?} is beyond {bounds:?} on {inputs:?} of {code:?}"
                );
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_interval_contains_every_value(
        recipe in functions(1..25),
        sides in boxes(),
        places in prop::collection::vec(prop::array::uniform3(0.0..1.0_f64), 20),
    ) {
        let code = Arc::new(recipe.code());
        let mut places = places;
        places.extend([[0.0; 3], [1.0; 3], [0.0, 1.0, 0.5], [0.5; 3]]);
        check::<f32>(&code, sides, &places)?;
        check::<f64>(&code, sides, &places)?;
    }

    #[test]
    fn every_operation_alone_is_contained(
        recipe in functions(1..3),
        sides in boxes(),
        places in prop::collection::vec(prop::array::uniform3(0.0..1.0_f64), 40),
    ) {
        let code = Arc::new(recipe.code());
        check::<f32>(&code, sides, &places)?;
        check::<f64>(&code, sides, &places)?;
    }
}
