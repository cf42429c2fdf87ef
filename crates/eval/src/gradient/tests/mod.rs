//! The laws of gradients, against a model that is written plainly.

mod model;
mod singular;
mod steepness;

use fibula_nodes::{Binary, Unary};
use proptest::prelude::*;

use self::model::{formula_code, functions, model, point};
use crate::batch::Batch;
use crate::code::{Code, Rounding};
use crate::cpu::{InstructionSet, Settings};
use crate::jit::Machine;
use crate::lane::Float;
use crate::point::Point;
use crate::trial::{Term, field, same};

const DIRECTIONS: [usize; 3] = [0, 1, 2];

/// The Jacobian and the written-out derivatives, row by row, in the layout of the latter.
fn both(code: &Code, point: [f64; 3], set: InstructionSet) -> [Vec<f64>; 2] {
    let settings = Settings {
        instructions: set,
        ..Settings::default()
    };
    let jacobian = code.jacobian(&point, &DIRECTIONS, settings);
    let mut numbers = jacobian.values.clone();
    numbers.extend(&jacobian.derivatives);
    let written = Point::new(&code.with_gradient(&DIRECTIONS), settings);
    let mut results = vec![0.0; numbers.len()];
    written.evaluator().run(&point, &mut results);
    [numbers, results]
}

fn check(code: &Code, point: [f64; 3]) -> Result<(), TestCaseError> {
    let (expected, [is_finite, ..]) = model(code, point);
    let outputs = expected.len();
    for got in both(code, point, InstructionSet::best()) {
        for (index, number) in expected.iter().enumerate() {
            prop_assert!(same(got[index], number.value));
            for axis in 0..3 {
                let slope = got[outputs + 3 * index + axis];
                let expected = number.slopes[axis];
                // A few ulp for each factor of which a derivative is made.
                let room = 1e-12 * number.scales[axis] + 1e-18;
                prop_assert!(
                    !is_finite || (slope - expected).abs() <= room,
                    "output {index} by {axis} at {point:?}: {slope}, not {expected} +- {room}\n{code:?}"
                );
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn gradients_of_random_codes_are_those_of_the_model(function in functions(1..24), point in point()) {
        check(&function.code(), point)?;
    }
}

proptest! {
    #[test]
    fn blocks_yield_one_gradient_and_unchanged_values(function in functions(1..60), points in prop::collection::vec(point(), 1..100)) {
        let code = function.code();
        check_blocks::<f32>(&code, &points)?;
        check_blocks::<f64>(&code, &points)?;
    }
}

fn check_blocks<T: Float>(code: &Code, points: &[[f64; 3]]) -> Result<(), TestCaseError> {
    let inputs = [0, 1, 2].map(|axis| {
        let numbers = points.iter().map(|point| T::from_f64(point[axis]));
        numbers.collect::<Vec<T>>()
    });
    let run = |code: &Code, settings| {
        let inputs = inputs.each_ref().map(Vec::as_slice);
        let batch = Batch::new(code, 3, settings);
        let mut results = vec![vec![T::ZERO; points.len()]; code.outputs.len()];
        let mut outputs: Vec<_> = results.iter_mut().map(Vec::as_mut_slice).collect();
        batch.evaluator().run(&inputs, &[], &mut outputs);
        results
    };
    let agree = |a: &[Vec<T>], b: &[Vec<T>]| {
        let mut pairs = a.iter().flatten().zip(b.iter().flatten());
        pairs.all(|(&a, &b)| same(a, b))
    };
    let derived = code.with_gradient(&DIRECTIONS);
    let plain = Settings {
        instructions: InstructionSet::Portable,
        machine_code: false,
    };
    let expected = run(&derived, plain);
    let sets = InstructionSet::ALL.into_iter();
    for instructions in sets.filter(|set| set.is_available()) {
        let settings = Settings {
            instructions,
            ..plain
        };
        let got = run(&derived, settings);
        prop_assert!(agree(&got, &expected), "{}", instructions.name());
        let values = run(code, settings);
        prop_assert!(
            agree(&got[..values.len()], &values),
            "values with {}",
            instructions.name()
        );
        if let Some(machine) = Machine::write(&derived, 3, instructions) {
            let mut got = vec![vec![T::ZERO; points.len()]; derived.outputs.len()];
            let inputs = inputs.each_ref().map(Vec::as_slice);
            let mut outputs: Vec<_> = got.iter_mut().map(Vec::as_mut_slice).collect();
            let counts = machine.run(&mut machine.scratch(), &inputs, &[], &mut outputs);
            prop_assert!(
                !counts || agree(&got, &expected),
                "machine code for {}",
                instructions.name()
            );
        }
    }
    Ok(())
}

/// Compares derivatives with central differences at points where a formula is smooth.
fn smooth(formula: impl for<'a> Fn([Term<'a>; 3]) -> Term<'a>, points: &[[f64; 2]], about: &str) {
    let code = formula_code(formula, Rounding::Exact);
    let at = |x: f64, y: f64| {
        let mut result = [0.0];
        Point::new(&code, Settings::default())
            .evaluator()
            .run(&[x, y, 0.0], &mut result);
        result[0]
    };
    for &[x, y] in points {
        let step = 1e-5;
        let differences = [
            (at(x + step, y) - at(x - step, y)) / (2.0 * step),
            (at(x, y + step) - at(x, y - step)) / (2.0 * step),
        ];
        for got in both(&code, [x, y, 0.0], InstructionSet::best()) {
            for (slope, difference) in got[1..3].iter().zip(differences) {
                // The third derivatives are below 100 and the values below 100.
                let room = 1e-8 * (1.0 + difference.abs());
                assert!(
                    (slope - difference).abs() <= room,
                    "{about} at {x}, {y}: {slope}, not {difference}"
                );
            }
        }
    }
}

#[test]
fn gradients_are_the_limits_of_differences() {
    let points = [
        [0.3, 0.7],
        [0.55, -0.2],
        [-0.4, 0.9],
        [0.81, 0.13],
        [-0.7, -0.6],
    ];
    let positive = [[0.3, 0.7], [0.55, 0.2], [1.4, 0.9], [2.7, 3.1]];
    for operation in Unary::ALL {
        let needs_positive = matches!(
            operation,
            Unary::Sqrt | Unary::Log | Unary::Log2 | Unary::Log10
        );
        let points: &[[f64; 2]] = if needs_positive { &positive } else { &points };
        let name = format!("{operation:?}");
        smooth(|[x, ..]| x.unary(operation), points, &name);
        smooth(
            |[x, y, _]| ((x * y).square() + 0.125).unary(operation),
            &[[0.3, 0.7], [-0.5, 0.4], [0.8, -0.9]],
            &format!("{operation:?} of more"),
        );
    }
    for operation in Binary::ALL {
        let points: &[[f64; 2]] = if operation == Binary::Pow {
            &positive
        } else {
            &points
        };
        let name = format!("{operation:?}");
        smooth(|[x, y, _]| x.binary(operation, y), points, &name);
        for number in [0.37, -1.7, 5.3_f64] {
            let name = format!("{operation:?} with {number}");
            smooth(
                |[x, ..]| x.binary(operation, x.constant(number)),
                points,
                &name,
            );
            let name = format!("{operation:?} of {number}");
            smooth(
                |[_, y, _]| y.constant(number.abs()).binary(operation, y),
                &positive,
                &name,
            );
        }
    }
    smooth(
        |[x, y, _]| x.if_less(y, x.unary(Unary::Sin), x * y),
        &points,
        "select",
    );
    let image = field();
    smooth(
        |[x, y, _]| Term::oracle(&image, 1, [x.unary(Unary::Sin), x * y, y]),
        &points,
        "oracle",
    );
}
