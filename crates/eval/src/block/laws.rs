//! Laws of the block evaluator: with every instruction set it yields the bits of the reference evaluator; and exact
//! code yields the bits of the operations that it was built from.

use fibula_nodes::{Binary, Expr, Kernel, Unary};
use proptest::prelude::*;

use super::select::Selection;
use super::step::StepCode;
use super::{BYTES, Blocks};
use crate::code::{Code, Rounding};
use crate::cpu::InstructionSet;
use crate::lane::Float;
use crate::trial::{
    BASIC, Family, Formula, Mix, Recipe, SPECIAL, build, definition, numbers, recipes, same, values,
};

/// The scalar arguments of each random kernel.
const ARGUMENTS: usize = 5;

/// Numbers of a block of `f32`; of `f64` it is half.
const BLOCK: usize = BYTES / 4;

/// Lengths about those at which something else is done.
const LENGTHS: [usize; 11] = [
    0,
    1,
    63,
    64,
    65,
    BLOCK / 2 + 1,
    BLOCK - 1,
    BLOCK,
    BLOCK + 1,
    BLOCK + 130,
    3 * BLOCK + 5,
];

/// Operations that other steps are composed with.
const OFTEN: [Unary; 4] = [Unary::Neg, Unary::Abs, Unary::Sqrt, Unary::Floor];
const DIVIDED: [Binary; 3] = [Binary::Div, Binary::Mod, Binary::Fmod];

/// Random functions of all operations, in which many steps are composed of several.
const COMPOSED: Mix = Mix {
    inputs: ARGUMENTS,
    families: &[
        (8, Family::Binary(&BASIC)),
        (1, Family::Binary(&DIVIDED)),
        (2, Family::Unary(&OFTEN)),
        (1, Family::Square),
        (1, Family::Select),
        (1, Family::Unary(&Unary::ALL)),
        (1, Family::Binary(&Binary::ALL)),
        (1, Family::Oracle),
    ],
    operands: [1, 2, 1],
    near_angles: false,
};

/// Those of which the results are exact or rounded once.
const ARITHMETIC: Mix = Mix {
    families: &[
        (8, Family::Binary(&BASIC)),
        (1, Family::Binary(&DIVIDED)),
        (2, Family::Unary(&OFTEN)),
        (1, Family::Square),
        (4, Family::Select),
    ],
    ..COMPOSED
};

/// The kernel of a recipe, and its outputs: the last values, an argument, a constant, and one twice.
fn kernel_of(recipe: &Recipe) -> (Kernel, Vec<Expr>) {
    let (mut kernel, values) = recipe.kernel();
    let mut outputs: Vec<Expr> = values.iter().rev().take(3).copied().collect();
    outputs.extend([values[1], kernel.constant(2.5), outputs[0]]);
    (kernel, outputs)
}

fn code_of(kernel: &Kernel, outputs: &[Expr], rounding: Rounding) -> Code {
    Code::new(
        kernel.operations(),
        outputs,
        ARGUMENTS,
        kernel.oracles(),
        rounding,
    )
}

/// Evaluates blocks: for each output, the numbers at all points.
fn run<T: Float>(
    code: &Code,
    set: InstructionSet,
    varying: usize,
    columns: &[Vec<T>],
    points: usize,
) -> Vec<Vec<T>> {
    let blocks = Blocks::<T>::new(code, varying, set);
    let inputs: Vec<&[T]> = columns[..varying].iter().map(|c| &c[..points]).collect();
    let uniforms: Vec<T> = columns[varying..].iter().map(|c| c[0]).collect();
    let mut results = vec![vec![T::ZERO; points]; code.outputs().len()];
    let mut outputs: Vec<&mut [T]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    let mut scratch = blocks.scratch();
    blocks.run(&mut scratch, &inputs, &uniforms, &mut outputs);
    results
}

fn sets() -> impl Iterator<Item = InstructionSet> {
    InstructionSet::ALL
        .into_iter()
        .filter(|set| set.is_available())
}

/// Compares blocks with the meanings. The arguments, as many as random kernels have, get `numbers` in different orders;
/// those from `varying` on have one number for all points.
fn check<T: Float>(code: &Code, varying: usize, points: usize, numbers: &[f64]) {
    let number = |place: usize| T::from_f64(numbers[place % numbers.len()]);
    let column = |argument: usize| -> Vec<T> {
        let place = |point| point * (argument + 1) + 17 * argument;
        let is_varying = argument < varying;
        (0..points.max(1))
            .map(|point| number(place(if is_varying { point } else { 0 })))
            .collect()
    };
    let columns: Vec<Vec<T>> = (0..ARGUMENTS).map(column).collect();
    let expected: Vec<Vec<T>> = (0..points)
        .map(|point| {
            let inputs: Vec<T> = columns.iter().map(|column| column[point]).collect();
            values(code, &inputs)
        })
        .collect();
    for set in sets() {
        let results = run(code, set, varying, &columns, points);
        for (output, result) in results.iter().enumerate() {
            for (point, expected) in expected.iter().enumerate() {
                let (found, expected) = (result[point], expected[output]);
                assert!(
                    same(found, expected),
                    "with {set:?} output {output} is {found:?} and not {expected:?} at {point} of {code:?}"
                );
            }
        }
    }
}

/// Compares blocks with the meanings, and returns the steps that were selected for a formula.
pub(super) fn steps_of(formula: Formula) -> Vec<StepCode> {
    let eighths = (0..89).map(|index| f64::from(index) / 8.0 - 5.0);
    let numbers: Vec<f64> = SPECIAL.into_iter().chain(eighths).collect();
    let (kernel, result) = build(formula);
    let code = code_of(&kernel, &[result], Rounding::Fast);
    check::<f32>(&code, ARGUMENTS, 1030, &numbers);
    check::<f64>(&code, ARGUMENTS, 1030, &numbers);
    let nodes = Selection::new(&code, ARGUMENTS, InstructionSet::Avx2).nodes;
    let steps = nodes.iter().filter_map(|node| Some(node.step()?.code));
    steps.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn blocks_yield_the_bits_of_the_reference(
        recipe in recipes(COMPOSED, 1..40, numbers()),
        numbers in prop::collection::vec(numbers(), 97),
        varying in 0..=ARGUMENTS,
        length in prop::sample::select(LENGTHS.to_vec()),
    ) {
        let (kernel, outputs) = kernel_of(&recipe);
        let code = code_of(&kernel, &outputs, recipe.rounding);
        check::<f32>(&code, varying, length, &numbers);
        check::<f64>(&code, varying, length, &numbers);
    }

    #[test]
    fn exact_code_yields_the_bits_of_the_definitions(
        recipe in recipes(ARITHMETIC, 1..40, numbers()),
        numbers in prop::collection::vec(numbers(), 97),
    ) {
        let (kernel, outputs) = kernel_of(&recipe);
        let code = code_of(&kernel, &outputs, Rounding::Exact);
        let columns: Vec<Vec<f64>> =
            (0..ARGUMENTS).map(|argument| numbers[argument..argument + 65].to_vec()).collect();
        let results: Vec<_> =
            sets().map(|set| run(&code, set, ARGUMENTS, &columns, 65)).collect();
        for point in 0..65 {
            let inputs: Vec<f64> = columns.iter().map(|column| column[point]).collect();
            let expected = definition(&kernel, &outputs, &inputs);
            let alone = values(&code, &inputs);
            for (output, &expected) in expected.iter().enumerate() {
                for found in results.iter().map(|result| result[output][point]).chain([alone[output]]) {
                    prop_assert!(
                        same(found, expected),
                        "output {output} is {found:?} and not {expected:?} at {inputs:?} of {code:?}"
                    );
                }
            }
        }
    }
}

/// Distance of two numbers in units in the last place.
fn ulps(a: f64, b: f64) -> u64 {
    let place = |number: f64| {
        let bits = number.to_bits() as i64;
        i128::from(if bits < 0 { i64::MIN - bits } else { bits })
    };
    if a.is_nan() && b.is_nan() {
        return 0;
    }
    u64::try_from((place(a) - place(b)).abs()).unwrap_or(u64::MAX)
}

/// Ordinary numbers of all magnitudes and signs, and the special ones.
fn samples() -> Vec<f64> {
    let ordinary = (0..4096).map(|index: i32| {
        let magnitude = f64::from(index % 61 - 30).exp2();
        let fraction = 1.0 + f64::from(index) * 0.618_033_988 % 1.0;
        magnitude * fraction * if index % 2 == 0 { 1.0 } else { -1.0 }
    });
    ordinary.chain(SPECIAL).collect()
}

/// True if the operation's result is rounded once.
fn is_arithmetic(operation: Binary) -> bool {
    BASIC.contains(&operation) || DIVIDED.contains(&operation)
}

#[test]
fn single_operations_are_near_their_definitions() {
    let a = samples();
    let b: Vec<f64> = a.iter().rev().map(|number| number / 3.0).collect();
    let columns = [a.clone(), b.clone(), a.clone(), a.clone(), a.clone()];
    for operation in Unary::ALL {
        let mut kernel = Kernel::new();
        let x = kernel.variable(0);
        let result = kernel.unary(operation, x);
        let code = code_of(&kernel, &[result], Rounding::Exact);
        for set in sets() {
            let results = run(&code, set, ARGUMENTS, &columns, a.len());
            for (&x, &found) in a.iter().zip(&results[0]) {
                let expected = operation.apply(x);
                assert!(
                    ulps(found, expected) <= 4,
                    "{operation:?} of {x:e} is {found:e} and not {expected:e}"
                );
            }
        }
    }
    for operation in Binary::ALL {
        let mut kernel = Kernel::new();
        let (x, y) = (kernel.variable(0), kernel.variable(1));
        let result = kernel.binary(operation, x, y);
        let code = code_of(&kernel, &[result], Rounding::Exact);
        let allowed = if is_arithmetic(operation) { 0 } else { 4 };
        for set in sets() {
            let results = run(&code, set, ARGUMENTS, &columns, a.len());
            for ((&x, &y), &found) in a.iter().zip(&b).zip(&results[0]) {
                let expected = operation.apply(x, y);
                assert!(
                    ulps(found, expected) <= allowed,
                    "{operation:?} of {x:e} and {y:e} is {found:e} and not {expected:e}"
                );
            }
        }
    }
}

#[test]
fn scratch_may_serve_several_blocks() {
    let mut kernel = Kernel::new();
    let (x, y) = (kernel.variable(0), kernel.variable(1));
    let (sine, sum) = (kernel.sin(x), kernel.add(x, y));
    let root = kernel.sqrt(sum);
    let product = kernel.mul(sine, root);
    let set = InstructionSet::best();
    let small = Blocks::<f64>::new(&code_of(&kernel, &[sine], Rounding::Fast), 2, set);
    let large = Blocks::<f64>::new(&code_of(&kernel, &[product, sum], Rounding::Fast), 2, set);
    let mut scratch = small.scratch();
    let (x, y) = ([0.5; 100], [1.75; 100]);
    let mut results = [[0.0; 100]; 3];
    let [first, second, third] = &mut results;
    large.run(&mut scratch, &[&x, &y], &[0.0; 3], &mut [first, second]);
    small.run(&mut scratch, &[&x, &y], &[0.0; 3], &mut [third]);
    for [product, sum, sine] in [0, 50, 99].map(|point| results.map(|list| list[point])) {
        assert!(ulps(sine, 0.5_f64.sin()) <= 1);
        assert!(same(sum, 2.25));
        assert!(same(product, sine * 1.5));
    }
}
