//! Laws of the block evaluator: with every instruction set it gives the bits of the meanings, run number by number; and
//! code that is made exactly gives the bits of the operations that it was made of.

use std::sync::Arc;

use fibula_nodes::{
    Binary, Bounds, Expr, Kernel, Operation, Oracle, OracleUse, Query, ResourceId, Unary,
};
use proptest::prelude::*;

use super::{BYTES, Blocks};
use crate::code::{Arg, Code, Instruction, Place, Rounding};
use crate::cpu::InstructionSet;
use crate::lane::Float;
use crate::meaning;

/// Numbers at which something is different.
pub(super) const SPECIAL: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1e-40,
    -5e-324,
    f64::MIN_POSITIVE,
    f32::MAX as f64,
    f64::MIN,
    1e9,
    16_777_216.0,
];

/// The scalar arguments of each random kernel.
pub(super) const ARGUMENTS: u32 = 5;

/// How many numbers a block has, of `f32`; of `f64` it is half.
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

/// Answers the sum of the coordinates and the channel.
#[derive(Debug)]
struct Sum;

impl Oracle for Sum {
    fn sample(&self, [x, y, z]: [f64; 3], channel: u8) -> f64 {
        x + y + z + f64::from(channel)
    }

    fn gradient(&self, _: [f64; 3], _: u8) -> [f64; 3] {
        [1.0; 3]
    }

    fn bounds(&self, _: [f64; 3], _: [f64; 3], _: u8) -> Bounds {
        Bounds::UNKNOWN
    }
}

/// What one operation of a random kernel is chosen by.
#[derive(Debug, Clone)]
struct Gene {
    kind: u8,
    operands: [u16; 4],
    number: f64,
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => (-1_000_000_i32..1_000_000).prop_map(|whole| f64::from(whole) / 65_536.0),
        2 => prop::sample::select(SPECIAL.to_vec()),
        1 => any::<u64>().prop_map(f64::from_bits),
    ]
}

fn gene() -> impl Strategy<Value = Gene> {
    (any::<u8>(), any::<[u16; 4]>(), number()).prop_map(|(kind, operands, number)| Gene {
        kind,
        operands,
        number,
    })
}

fn genes() -> impl Strategy<Value = Vec<Gene>> {
    prop::collection::vec(gene(), 1..40)
}

/// What a random kernel is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Contents {
    /// All operations.
    Everything,
    /// Those whose results are exact or rounded once.
    Arithmetic,
}

/// Operations that other steps are composed with.
const OFTEN: [Unary; 4] = [Unary::Neg, Unary::Abs, Unary::Sqrt, Unary::Floor];
const ARITHMETIC: [Binary; 8] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Max,
    Binary::Min,
    Binary::Div,
    Binary::Mod,
    Binary::Fmod,
];

/// A kernel of operations chosen by `genes`, and its outputs: the last values, an argument, a constant, and one twice.
fn kernel_of(genes: &[Gene], contents: Contents) -> (Kernel, Vec<Expr>) {
    let mut kernel = Kernel::new();
    let mut values: Vec<Expr> = (0..ARGUMENTS).map(|index| kernel.variable(index)).collect();
    let asked = OracleUse {
        resource: ResourceId(7),
        query: Query::SignedDistance,
        answers: Arc::new(Sum),
    };
    for gene in genes {
        let constant = kernel.constant(gene.number);
        let take = |place: usize| {
            let chosen = usize::from(gene.operands[place]);
            match chosen % 4 {
                0 => constant,
                // Values that one other takes are what is composed.
                1 | 2 => values[values.len() - 1 - chosen / 4 % values.len().min(3)],
                _ => values[chosen / 4 % values.len()],
            }
        };
        let kind = usize::from(gene.kind);
        let value = match kind % 16 {
            0 if contents == Contents::Everything => {
                kernel.unary(Unary::ALL[kind / 16 % Unary::ALL.len()], take(0))
            }
            1 if contents == Contents::Everything => {
                kernel.binary(Binary::ALL[kind / 16 % Binary::ALL.len()], take(0), take(1))
            }
            2 if contents == Contents::Everything => {
                kernel.oracle(&asked, gene.kind % 3, [take(0), take(1), take(2)])
            }
            0..=3 => kernel.select(take(0), take(1), take(2), take(3)),
            4 => kernel.mul(take(0), take(0)),
            5 | 6 => kernel.unary(OFTEN[kind / 16 % OFTEN.len()], take(0)),
            7 => kernel.binary(ARITHMETIC[5 + kind / 16 % 3], take(0), take(1)),
            place => kernel.binary(ARITHMETIC[place % 5], take(0), take(1)),
        };
        values.push(value);
    }
    let mut outputs: Vec<Expr> = values.iter().rev().take(3).copied().collect();
    outputs.extend([values[1], kernel.constant(2.5), outputs[0]]);
    (kernel, outputs)
}

fn code_of(kernel: &Kernel, outputs: &[Expr], rounding: Rounding) -> Code {
    let inputs = ARGUMENTS as usize;
    Code::new(
        kernel.operations(),
        outputs,
        inputs,
        kernel.oracles(),
        rounding,
    )
}

/// What a code yields at one point, by the meanings.
fn reference<T: Float>(code: &Code, inputs: &[T]) -> Vec<T> {
    let mut values: Vec<T> = Vec::new();
    for instruction in code.instructions() {
        let of = |arg: Arg| match arg.place() {
            Place::Value(index) => values[index],
            Place::Constant(index) => T::of(code.constants()[index]),
        };
        let value = match *instruction {
            Instruction::Input(index) => inputs[index as usize],
            Instruction::Unary(operation, a) => meaning::unary_of(operation, of(a)),
            Instruction::Binary(operation, a, b) => meaning::binary(operation, of(a), of(b)),
            Instruction::Fused(operation, a, b, c) => {
                meaning::fused(operation, of(a), of(b), of(c))
            }
            Instruction::Select([a, b, then, otherwise]) => {
                of(a).if_less(of(b), of(then), of(otherwise))
            }
            Instruction::Oracle {
                oracle,
                channel,
                at,
            } => {
                let answers = &code.oracles()[oracle as usize].answers;
                T::of(answers.sample(at.map(|arg| of(arg).wide()), channel))
            }
        };
        values.push(value);
    }
    let of = |arg: &Arg| match arg.place() {
        Place::Value(index) => values[index],
        Place::Constant(index) => T::of(code.constants()[index]),
    };
    code.outputs().iter().map(of).collect()
}

/// What a kernel yields at one point, by the definitions.
fn definition(kernel: &Kernel, outputs: &[Expr], inputs: &[f64]) -> Vec<f64> {
    let mut values = Vec::new();
    for operation in kernel.operations() {
        values.push(Operation::apply(
            *operation,
            &values,
            inputs,
            kernel.oracles(),
        ));
    }
    outputs.iter().map(|expr| values[expr.index()]).collect()
}

fn same<T: Float>(found: T, expected: T) -> bool {
    Float::to_bits(found) == Float::to_bits(expected)
        || found.wide().is_nan() && expected.wide().is_nan()
}

/// What blocks yield: for each output, the numbers at all points.
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
pub(super) fn check<T: Float>(code: &Code, varying: usize, points: usize, numbers: &[f64]) {
    let number = |place: usize| T::of(numbers[place % numbers.len()]);
    let column = |argument: usize| -> Vec<T> {
        let place = |point| point * (argument + 1) + 17 * argument;
        let is_varying = argument < varying;
        (0..points.max(1))
            .map(|point| number(place(if is_varying { point } else { 0 })))
            .collect()
    };
    let columns: Vec<Vec<T>> = (0..ARGUMENTS as usize).map(column).collect();
    let expected: Vec<Vec<T>> = (0..points)
        .map(|point| {
            let inputs: Vec<T> = columns.iter().map(|column| column[point]).collect();
            reference(code, &inputs)
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn blocks_give_the_bits_of_the_meanings(
        genes in genes(),
        numbers in prop::collection::vec(number(), 97),
        varying in 0..=ARGUMENTS as usize,
        length in prop::sample::select(LENGTHS.to_vec()),
        rounding in prop::sample::select(vec![Rounding::Fast, Rounding::Exact]),
    ) {
        let (kernel, outputs) = kernel_of(&genes, Contents::Everything);
        let code = code_of(&kernel, &outputs, rounding);
        check::<f32>(&code, varying, length, &numbers);
        check::<f64>(&code, varying, length, &numbers);
    }

    #[test]
    fn exact_code_gives_the_bits_of_the_definitions(
        genes in genes(),
        numbers in prop::collection::vec(number(), 97),
    ) {
        let (kernel, outputs) = kernel_of(&genes, Contents::Arithmetic);
        let code = code_of(&kernel, &outputs, Rounding::Exact);
        let arguments = ARGUMENTS as usize;
        let columns: Vec<Vec<f64>> =
            (0..arguments).map(|argument| numbers[argument..argument + 65].to_vec()).collect();
        let results: Vec<_> =
            sets().map(|set| run(&code, set, arguments, &columns, 65)).collect();
        for point in 0..65 {
            let inputs: Vec<f64> = columns.iter().map(|column| column[point]).collect();
            let expected = definition(&kernel, &outputs, &inputs);
            let alone = reference(&code, &inputs);
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

/// How many numbers lie between two, at most.
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

/// Whether the operation's result is rounded once.
fn is_arithmetic(operation: Binary) -> bool {
    ARITHMETIC.contains(&operation)
}

#[test]
fn single_operations_are_near_their_definitions() {
    let a = samples();
    let b: Vec<f64> = a.iter().rev().map(|number| number / 3.0).collect();
    let columns = [a.clone(), b.clone(), a.clone(), a.clone(), a.clone()];
    let arguments = ARGUMENTS as usize;
    for operation in Unary::ALL {
        let mut kernel = Kernel::new();
        let x = kernel.variable(0);
        let result = kernel.unary(operation, x);
        let code = code_of(&kernel, &[result], Rounding::Exact);
        for set in sets() {
            let results = run(&code, set, arguments, &columns, a.len());
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
            let results = run(&code, set, arguments, &columns, a.len());
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
