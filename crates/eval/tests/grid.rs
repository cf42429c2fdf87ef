//! A grid has the values of its points, to the bit, however it is cut into tables, rows and points.

use fibula_eval::{Batch, Code, Float, Grid, InstructionSet, Rounding, Settings};
use fibula_nodes::{Binary, Expr, Kernel, Unary};
use proptest::prelude::*;

const INPUTS: usize = 4;

/// Code of random operations on inputs, constants and earlier results.
fn code(genes: &[(u8, u16, u16)], outputs: usize, rounding: Rounding) -> Code {
    let mut kernel = Kernel::new();
    let mut values: Vec<Expr> = (0..INPUTS as u32)
        .map(|input| kernel.variable(input))
        .collect();
    values.push(kernel.constant(1.25));
    for &(operation, a, b) in genes {
        let [a, b] = [a, b].map(|place| values[usize::from(place) % values.len()]);
        let operation = usize::from(operation);
        let value = match operation % 3 {
            0 => kernel.unary(Unary::ALL[operation / 3 % Unary::ALL.len()], a),
            1 => kernel.binary(Binary::ALL[operation / 3 % Binary::ALL.len()], a, b),
            _ => kernel.select(a, b, b, a),
        };
        values.push(value);
    }
    let outputs: Vec<Expr> = values.into_iter().rev().take(outputs).collect();
    Code::new(kernel.operations(), &outputs, INPUTS, &[], rounding)
}

fn same<T: Float>(a: T, b: T) -> bool {
    a.to_bits() == b.to_bits() || a.to_f64().is_nan() && b.to_f64().is_nan()
}

/// Compares a grid along `axes` with the same points one by one.
fn check<T: Float>(code: &Code, axes: &[usize], counts: [usize; 3], settings: Settings) {
    let counts = &counts[..axes.len()];
    let along = |place: usize| -> Vec<T> {
        let step = |index: usize| index as f64 * 0.37 - 1.5 + place as f64 * 0.11;
        (0..counts[place])
            .map(|index| T::from_f64(step(index)))
            .collect()
    };
    let coordinates: Vec<Vec<T>> = (0..axes.len()).map(along).collect();
    let total: usize = counts.iter().product();
    let others: Vec<T> = (axes.len()..INPUTS)
        .map(|place| T::from_f64(place as f64 / 3.0))
        .collect();
    let mut next_other = others.iter();
    let inputs: Vec<Vec<T>> = (0..INPUTS)
        .map(|input| match axes.iter().position(|&axis| axis == input) {
            Some(place) => {
                let stride: usize = counts[..place].iter().product();
                let point = |point: usize| coordinates[place][point / stride % counts[place]];
                (0..total).map(point).collect()
            }
            None => vec![*next_other.next().unwrap(); total],
        })
        .collect();
    let inputs: Vec<&[T]> = inputs.iter().map(Vec::as_slice).collect();
    let outputs = code.outputs().len();
    let batch = Batch::<T>::new(code, INPUTS, settings);
    let mut expected = vec![vec![T::ZERO; total]; outputs];
    let mut places: Vec<&mut [T]> = expected.iter_mut().map(Vec::as_mut_slice).collect();
    batch.evaluator().run(&inputs, &[], &mut places);

    let grid = Grid::<T>::new(code, axes, settings);
    let rows = total / counts[0];
    let row = |axis: usize| -> Vec<T> {
        let Some(coordinates) = coordinates.get(axis) else {
            return vec![T::ZERO; rows];
        };
        let stride: usize = counts[1..axis].iter().product();
        (0..rows)
            .map(|row| coordinates[row / stride % coordinates.len()])
            .collect()
    };
    let mut results = vec![vec![T::ZERO; total]; outputs];
    let mut places: Vec<&mut [T]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    let mut evaluator = grid.evaluator(&coordinates[0], &others);
    evaluator.run(&row(1), &row(2), &mut places);
    for (output, (results, expected)) in results.iter().zip(&expected).enumerate() {
        for (point, (&result, &expected)) in results.iter().zip(expected).enumerate() {
            assert!(
                same(result, expected),
                "output {output} at point {point} of {axes:?}: {result:?} on the grid, {expected:?} alone"
            );
        }
    }
}

fn every_setting(run: impl Fn(Settings)) {
    for instructions in InstructionSet::ALL {
        for machine_code in [false, true] {
            if instructions.is_available() {
                run(Settings {
                    instructions,
                    machine_code,
                });
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_grid_has_the_values_of_its_points(
        genes in prop::collection::vec(any::<(u8, u16, u16)>(), 1..40),
        outputs in 1_usize..4,
        axes in Just(vec![0, 1, 2, 3]).prop_shuffle(),
        dimensions in 1_usize..4,
        counts in [1_usize..70, 1..5, 1..4],
    ) {
        for rounding in [Rounding::Exact, Rounding::Fast] {
            let code = code(&genes, outputs, rounding);
            every_setting(|settings| {
                check::<f32>(&code, &axes[..dimensions], counts, settings);
                check::<f64>(&code, &axes[..dimensions], counts, settings);
            });
        }
    }
}

#[test]
fn long_grids_run_in_machine_code_and_more_rows_than_are_prepared_at_a_time() {
    let mut kernel = Kernel::new();
    let [x, y, z] = [0, 1, 2].map(|input| kernel.variable(input));
    let (sines, cosines) = (
        [x, y, z].map(|a| kernel.sin(a)),
        [x, y, z].map(|a| kernel.cos(a)),
    );
    let mut sum = kernel.constant(0.0);
    for axis in 0..3 {
        let product = kernel.mul(sines[axis], cosines[(axis + 1) % 3]);
        sum = kernel.add(sum, product);
    }
    let outputs = [sum, sines[0], sines[1], x, y];
    let code = Code::new(kernel.operations(), &outputs, INPUTS, &[], Rounding::Fast);
    every_setting(|settings| check::<f32>(&code, &[0, 1, 2], [130, 40, 20], settings));
}

#[test]
#[should_panic(expected = "the axes must be one to three different inputs of 4, but are [1, 1]")]
fn axes_are_different() {
    let code = code(&[], 1, Rounding::Exact);
    let _ = Grid::<f32>::new(&code, &[1, 1], Settings::default());
}
