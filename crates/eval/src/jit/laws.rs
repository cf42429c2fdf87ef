//! Laws of machine code: on every instruction set it yields the bits of the reference evaluator, run number by number,
//! for random codes on random and special numbers.

use fibula_nodes::{Binary, Expr, Kernel, Unary};
use proptest::prelude::*;

use super::{FALLBACK_RUNS, Machine};
use crate::code::{Code, Rounding};
use crate::cpu::InstructionSet;
use crate::lane::{Float, Lane};
use crate::trial::{
    BASIC, Family, Mix, Recipe, SPECIAL, Values, numbers, ordinary, recipes, same, values,
};

/// The arguments of each random code; of these the first are one number for each point.
const ARGUMENTS: usize = 5;
const VARYING: usize = 3;

/// Random functions without oracles, in which any value may be used long after it was computed.
const MIX: Mix = Mix {
    inputs: ARGUMENTS,
    families: &[
        (22, Family::Binary(&BASIC)),
        (5, Family::Constant),
        (1, Family::Select),
        (1, Family::Binary(&Binary::ALL)),
        (3, Family::Unary(&Unary::ALL)),
    ],
    operands: [0, 0, 1],
    near_angles: true,
};

fn point() -> impl Strategy<Value = [f64; VARYING]> {
    (ordinary(), numbers(), numbers()).prop_map(Into::into)
}

/// Code of a recipe with the sum of all unused values as a further output, so that many values are live.
fn code_of(recipe: &Recipe, rounding: Rounding) -> Code {
    let (mut kernel, values) = recipe.kernel();
    let mut is_taken = vec![false; kernel.operations().len()];
    for operation in kernel.operations() {
        operation.operands(|operand| is_taken[operand.index()] = true);
    }
    let mut ends = values[values.len() - recipe.outputs..].to_vec();
    let left = values.iter().filter(|value| !is_taken[value.index()]);
    let sum = left.fold(kernel.constant(0.0), |sum, &value| kernel.add(sum, value));
    ends.push(sum);
    Code::new(kernel.operations(), &ends, ARGUMENTS, &[], rounding)
}

/// Machine code with the code that it is generated from.
struct Case<'a, T: Float> {
    machine: Machine<T>,
    code: &'a Code,
    uniforms: [T; 2],
    name: String,
}

impl<'a, T: Float> Case<'a, T> {
    fn new(code: &'a Code, set: InstructionSet, uniforms: [f64; 2]) -> Option<Self> {
        let Some(machine) = Machine::<T>::write(code, VARYING, set) else {
            assert!(!set.is_available() || set == InstructionSet::Portable);
            return None;
        };
        Some(Case {
            machine,
            code,
            uniforms: uniforms.map(T::from_f64),
            name: format!("{} f{}", set.name(), 8 * size_of::<T>()),
        })
    }

    /// Expected outputs at a point, and true if an angle is beyond the reduction limit.
    fn expected(&self, point: [f64; VARYING]) -> (Vec<T>, bool) {
        let [x, y, z] = point.map(T::from_f64);
        let [u, v] = self.uniforms;
        let values = Values::new(self.code, &[x, y, z, u, v]);
        (values.outputs(), values.has_reduction_limit())
    }

    /// Runs over all points until the result is valid, as it finally is if no angle is large.
    fn check(&self, points: &[[f64; VARYING]]) {
        let expected: Vec<(Vec<T>, bool)> =
            points.iter().map(|&point| self.expected(point)).collect();
        let is_far = expected.iter().any(|(_, is_far)| *is_far);
        let inputs: [Vec<T>; VARYING] = std::array::from_fn(|column| {
            points
                .iter()
                .map(|point| T::from_f64(point[column]))
                .collect()
        });
        let inputs = inputs.each_ref().map(Vec::as_slice);
        let mut scratch = self.machine.scratch();
        let mut columns = vec![vec![T::NAN; points.len()]; self.code.outputs().len()];
        let mut outputs: Vec<&mut [T]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
        let mut run = || {
            self.machine
                .run(&mut scratch, &inputs, &self.uniforms, &mut outputs)
        };
        let counts = run() || run() || run();
        assert_eq!(
            counts, !is_far,
            "{}: it counts unless a number is far",
            self.name
        );
        if is_far {
            return;
        }
        for (point, (expected, _)) in expected.iter().enumerate() {
            for (output, (&expected, column)) in expected.iter().zip(&columns).enumerate() {
                let found = column[point];
                assert!(
                    same(found, expected),
                    "{}: output {output} is {found:?} and not {expected:?} at {:?}",
                    self.name,
                    points[point]
                );
            }
        }
    }

    /// Checks the points without large angles together, and the others one by one.
    fn check_parts(&self, points: &[[f64; VARYING]]) {
        let (far, near): (Vec<_>, Vec<_>) =
            points.iter().partition(|&&point| self.expected(point).1);
        self.check(&near);
        for point in far {
            self.check(&[point]);
        }
    }
}

fn check_all(code: &Code, points: &[[f64; VARYING]], uniforms: [f64; 2]) {
    for set in InstructionSet::ALL {
        if let Some(case) = Case::<f32>::new(code, set, uniforms) {
            case.check_parts(points);
        }
        if let Some(case) = Case::<f64>::new(code, set, uniforms) {
            case.check_parts(points);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn machine_code_yields_the_bits_of_the_reference(
        recipe in recipes(MIX, 1..60, numbers()),
        points in prop::collection::vec(point(), 1..80),
        uniforms in (numbers(), ordinary()),
    ) {
        check_all(&code_of(&recipe, recipe.rounding), &points, uniforms.into());
    }

    #[test]
    fn spilled_values_are_kept(
        recipe in recipes(MIX, 200..500, ordinary()),
        points in prop::collection::vec([ordinary(), ordinary(), ordinary()], 1..20),
        uniforms in [ordinary(), ordinary()],
    ) {
        check_all(&code_of(&recipe, Rounding::Fast), &points, uniforms);
    }
}

fn exact_code(kernel: &Kernel, outputs: &[Expr], inputs: usize) -> Code {
    Code::new(kernel.operations(), outputs, inputs, &[], Rounding::Exact)
}

/// One operation on two arguments, at all pairs of special numbers.
fn check_pairs(build: impl Fn(&mut Kernel, Expr, Expr) -> Expr) {
    let mut kernel = Kernel::new();
    let [a, b] = [0, 1].map(|index| kernel.variable(index));
    let output = build(&mut kernel, a, b);
    let code = exact_code(&kernel, &[output], ARGUMENTS);
    let pairs = SPECIAL
        .iter()
        .flat_map(|&a| SPECIAL.iter().map(move |&b| [a, b, 0.0]));
    let pairs: Vec<_> = pairs.collect();
    check_all(&code, &pairs, [0.0; 2]);
}

#[test]
fn every_operation_agrees_with_the_reference_at_special_numbers() {
    for operation in Unary::ALL {
        check_pairs(|kernel, a, _| kernel.unary(operation, a));
        for outer in Unary::ALL {
            check_pairs(|kernel, a, _| {
                let inner = kernel.unary(operation, a);
                kernel.unary(outer, inner)
            });
        }
    }
    for operation in Binary::ALL {
        check_pairs(|kernel, a, b| kernel.binary(operation, a, b));
        for number in SPECIAL {
            check_pairs(|kernel, a, _| {
                let number = kernel.constant(number);
                kernel.binary(operation, a, number)
            });
            check_pairs(|kernel, a, _| {
                let number = kernel.constant(number);
                kernel.binary(operation, number, a)
            });
        }
    }
    check_pairs(|kernel, a, b| {
        let sum = kernel.add(a, b);
        kernel.select(a, b, sum, a)
    });
}

#[test]
fn exponentials_are_rounded_once_where_they_lose_bits() {
    // From below the least exponent of f64 and f32 to above their largest, most of all about where results are
    // subnormal.
    let steps = |from: i32, to: i32| (from * 64..to * 64).map(|step| f64::from(step) / 64.0 + 1e-5);
    let exponents = steps(-760, -700)
        .chain(steps(-110, -80))
        .chain(steps(80, 95))
        .chain(steps(700, 720));
    let points: Vec<_> = exponents.map(|x| [x, -x, 0.0]).collect();
    let mut kernel = Kernel::new();
    let [x, base] = [kernel.variable(0), kernel.constant(1.9)];
    let outputs = [kernel.exp(x), kernel.pow(base, x)];
    let code = exact_code(&kernel, &outputs, ARGUMENTS);
    check_all(&code, &points, [0.0; 2]);
}

/// The code of `min(x, y)` on 100 points, the last of which may be NaN.
fn minimum_of(set: InstructionSet, runs: &[(f32, bool)]) {
    let mut kernel = Kernel::new();
    let [x, y] = [0, 1].map(|index| kernel.variable(index));
    let output = kernel.min(x, y);
    let code = exact_code(&kernel, &[output], 2);
    let Some(machine) = Machine::<f32>::write(&code, 2, set) else {
        return;
    };
    let mut scratch = machine.scratch();
    for (run, &(last, counts)) in runs.iter().enumerate() {
        let x: Vec<f32> = (0..100).map(|index| index as f32).collect();
        let y = [vec![50.0; 99], vec![last]].concat();
        let mut output = vec![0.0; 100];
        let counted = machine.run(&mut scratch, &[&x, &y], &[], &mut [&mut output]);
        assert_eq!(counted, counts, "run {run} with {last}");
        if counted {
            let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x.min(*y)).collect();
            assert_eq!(output, expected);
        }
    }
}

#[test]
fn nans_are_flagged_at_first_and_handled_if_they_recur() {
    for set in InstructionSet::ALL {
        let (good, nan) = ((1.0, true), (f32::NAN, false));
        minimum_of(set, &[good, nan, good, good, good, nan]);
        let minded = (f32::NAN, true);
        let mut long = vec![nan, minded];
        long.extend([good; FALLBACK_RUNS as usize]);
        long.push(minded);
        minimum_of(set, &long);
    }
}

/// The code of a sine of one argument.
fn check_far<T: Float>(code: &Code, set: InstructionSet) {
    let Some(machine) = Machine::<T>::write(code, 1, set) else {
        return;
    };
    let beyond = Lane::mul(T::REDUCTION_LIMIT, T::from_f64(1.001));
    let cases = [
        (T::ONE, true),
        (T::REDUCTION_LIMIT.next_down(), true),
        (beyond, false),
        (Lane::neg(beyond), false),
        (T::INFINITY, false),
        (T::NAN, false),
        (Lane::neg(T::ONE), true),
    ];
    for count in [1, 7, 64, 203] {
        for place in [0, count / 2, count - 1] {
            for (number, counts) in cases {
                let mut input = vec![T::ZERO; count];
                input[place] = number;
                let mut output = vec![T::ZERO; count];
                // Of its own, since runs are skipped after large angles.
                let mut scratch = machine.scratch();
                let counted = machine.run(&mut scratch, &[&input], &[], &mut [&mut output]);
                assert_eq!(counted, counts, "{number:?} at {place} of {count}");
            }
        }
    }
    let mut scratch = machine.scratch();
    let mut counts = |number: T| {
        let mut output = [T::ZERO; 1];
        machine.run(&mut scratch, &[&[number]], &[], &mut [&mut output])
    };
    assert!(
        !counts(beyond) && !counts(beyond) && !counts(T::ONE),
        "left to others for a while"
    );
    let tried_again = (0..FALLBACK_RUNS).any(|_| counts(T::ONE));
    assert!(tried_again, "and tried again");
}

#[test]
fn large_angles_are_rejected() {
    let mut kernel = Kernel::new();
    let x = kernel.variable(0);
    let output = kernel.sin(x);
    let code = exact_code(&kernel, &[output], 1);
    for set in InstructionSet::ALL {
        check_far::<f32>(&code, set);
        check_far::<f64>(&code, set);
    }
}

#[test]
fn any_number_of_arguments_and_outputs() {
    for count in [1, 2, 5, 6, 7, 9, 20] {
        let mut kernel = Kernel::new();
        let inputs: Vec<Expr> = (0..count).map(|index| kernel.variable(index)).collect();
        let mut outputs = inputs.clone();
        let sum = inputs
            .iter()
            .skip(1)
            .fold(inputs[0], |sum, &x| kernel.add(sum, x));
        outputs.insert(1, sum);
        outputs.push(kernel.constant(0.1));
        let code = exact_code(&kernel, &outputs, count as usize);
        for set in InstructionSet::ALL {
            let Some(machine) = Machine::<f64>::write(&code, count as usize, set) else {
                continue;
            };
            let columns: Vec<Vec<f64>> = (0..count)
                .map(|column| (0..77).map(|row| f64::from(row * 3 + column)).collect())
                .collect();
            let inputs: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            let mut found = vec![vec![0.0; 77]; outputs.len()];
            let mut places: Vec<&mut [f64]> = found.iter_mut().map(Vec::as_mut_slice).collect();
            assert!(machine.run(&mut machine.scratch(), &inputs, &[], &mut places));
            let mut expected = columns.clone();
            let sums = (0..77).map(|row| columns.iter().map(|column| column[row]).sum());
            expected.insert(1, sums.collect());
            expected.push(vec![0.1; 77]);
            assert_eq!(found, expected, "{count} arguments");
        }
    }
}

#[test]
fn any_number_of_constants() {
    for count in [1, 255, 256, 300, 2000, 4000] {
        let mut kernel = Kernel::new();
        let x = kernel.variable(0);
        let mut sum = x;
        for number in 1..=count {
            let constant = kernel.constant(f64::from(number) / 8.0);
            let more = kernel.max(x, constant);
            sum = kernel.add(sum, more);
        }
        let code = exact_code(&kernel, &[sum], 1);
        for set in InstructionSet::ALL {
            let Some(machine) = Machine::<f64>::write(&code, 1, set) else {
                continue;
            };
            let mut found = [0.0; 3];
            assert!(machine.run(
                &mut machine.scratch(),
                &[&[0.0, 9.0, -1.0]],
                &[],
                &mut [&mut found]
            ));
            let expected = [0.0, 9.0, -1.0].map(|x: f64| values(&code, &[x])[0]);
            let [found, expected] = [found, expected].map(|found| found.map(f64::to_bits));
            assert_eq!(found, expected, "{count} constants");
        }
    }
}

#[test]
fn any_number_of_masks() {
    let mut kernel = Kernel::new();
    let [x, y, z] = [0, 1, 2].map(|index| kernel.variable(index));
    let numbers: Vec<Expr> = (0..20)
        .map(|number| kernel.constant(f64::from(number) - 9.5))
        .collect();
    // Each comparison is used twice, with all others in between.
    let mut sum = y;
    for (then, otherwise) in [(y, z), (z, x)] {
        for &number in &numbers {
            let chosen = kernel.select(x, number, then, otherwise);
            let product = kernel.mul(chosen, number);
            sum = kernel.add(sum, product);
        }
    }
    let code = exact_code(&kernel, &[sum], ARGUMENTS);
    let points = (0..100).map(|row| f64::from(row) / 7.0 - 7.0);
    let points: Vec<[f64; VARYING]> = points.map(|x| [x, 1.0 - x, x * x]).collect();
    check_all(&code, &points, [0.0; 2]);
}

#[test]
fn threads_share_a_machine() {
    fn is_shared<S: Send + Sync>() {}
    is_shared::<Machine<f32>>();
    is_shared::<Machine<f64>>();
}
