//! The GLSL that functions are written in: read by naga, and run by an interpreter of what naga makes of it.

mod interpreter;

use std::fmt::Debug;
use std::sync::Arc;

use fibula_eval::glsl::{self, Arguments, GlslError, GlslSettings, NanHandling, Shader};
use fibula_eval::{Arg, ArgSource, Code, Instruction, Rounding};
use fibula_nodes::{Binary, Bounds, Expr, Kernel, Oracle, OracleUse, Query, ResourceId, Unary};
use interpreter::{Program, parse, whole};
use proptest::prelude::*;

fn code(kernel: &Kernel, outputs: &[Expr], inputs: usize) -> Code {
    Code::new(
        kernel.operations(),
        outputs,
        inputs,
        kernel.oracles(),
        Rounding::Exact,
    )
}

fn written(code: &Code) -> Shader {
    glsl::write(code, &GlslSettings::default()).unwrap()
}

fn with(arguments: Arguments, undefined: NanHandling) -> GlslSettings {
    GlslSettings {
        arguments,
        undefined,
        ..GlslSettings::default()
    }
}

/// Numbers at which something happens.
const NUMBERS: [f32; 26] = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.0,
    -1.0,
    1.5,
    -1.5,
    2.0,
    -2.0,
    2.5,
    -2.5,
    3.0,
    -3.0,
    0.499_999_97,
    0.1,
    -0.2,
    20.0,
    -20.0,
    1e9,
    -1e9,
    1e30,
    1e-30,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

/// True if a result in f32 is that in f64, up to its rounding and some ulp of an elementary function.
#[expect(clippy::float_cmp, reason = "infinity and 0 have one form")]
fn is_near(got: f32, expected: f64, tolerance: f64) -> bool {
    let rounded = expected as f32;
    if got.is_nan() || expected.is_nan() {
        got.is_nan() && expected.is_nan()
    } else if rounded.is_infinite() || rounded == 0.0 {
        got == rounded || rounded == 0.0 && got.abs() < 1e-37
    } else {
        (f64::from(got) - expected).abs() <= tolerance * expected.abs()
    }
}

/// Compares a function of two scalars with its definition.
fn check_scalars(
    build: impl Fn(&mut Kernel, Expr, Expr) -> Expr,
    expected: impl Fn(f64, f64) -> f64,
    tolerance: f64,
    about: impl Debug,
) {
    let mut kernel = Kernel::new();
    let (a, b) = (kernel.variable(0), kernel.variable(1));
    let value = build(&mut kernel, a, b);
    let settings = with(Arguments::Scalars, NanHandling::Kept);
    let shader = &glsl::write(&code(&kernel, &[value], 2), &settings).unwrap();
    let program = Program::new(shader);
    for a in NUMBERS {
        for b in NUMBERS {
            let got = program.answer(shader, None, &[a, b], 1)[0];
            let expected = expected(f64::from(a), f64::from(b));
            assert!(
                is_near(got, expected, tolerance),
                "{about:?} of {a} and {b}: {got}, not {expected}"
            );
        }
    }
}

#[test]
fn operations_mean_what_the_kernel_means() {
    for operation in Unary::ALL {
        let build = |kernel: &mut Kernel, a: Expr, _: Expr| kernel.unary(operation, a);
        check_scalars(build, |a, _| operation.apply(a), 4e-6, operation);
    }
    for operation in Binary::ALL {
        let build = |kernel: &mut Kernel, a: Expr, b: Expr| kernel.binary(operation, a, b);
        let in_f32 = |a: f64, b: f64| single(operation, a as f32, b as f32);
        check_scalars(build, in_f32, 4e-6, operation);
    }
    let select = |kernel: &mut Kernel, a: Expr, b: Expr| {
        let (one, two) = (kernel.constant(1.0), kernel.constant(2.0));
        kernel.select(a, b, one, two)
    };
    let expected = |a, b| if a < b { 1.0 } else { 2.0 };
    check_scalars(select, expected, 0.0, "select");
}

/// An operation in f32, where its definition rounds more than once.
fn single(operation: Binary, a: f32, b: f32) -> f64 {
    f64::from(match operation {
        Binary::Mod => a - b * (a / b).floor(),
        Binary::Fmod => a - b * (a / b).trunc(),
        Binary::Add
        | Binary::Sub
        | Binary::Mul
        | Binary::Div
        | Binary::Min
        | Binary::Max
        | Binary::Pow
        | Binary::Atan2 => operation.apply(f64::from(a), f64::from(b)) as f32,
    })
}

#[test]
fn contracted_products_are_written_out() {
    let mut kernel = Kernel::new();
    let [x, y, z] = [0, 1, 2].map(|index| kernel.variable(index));
    let product = kernel.mul(x, y);
    let outputs = [
        kernel.add(product, z),
        kernel.sub(product, z),
        kernel.sub(z, product),
    ];
    for (output, expected) in outputs.into_iter().zip([22.0, 8.0, -8.0]) {
        let code = Code::new(kernel.operations(), &[output], 3, &[], Rounding::Fast);
        let last = code.instructions().last().unwrap();
        assert!(matches!(last, Instruction::Fused(..)), "{last:?}");
        let shader = written(&code);
        let got = Program::new(&shader).answer(&shader, Some([3.0, 5.0, 7.0]), &[], 1);
        assert_eq!(got, [expected], "{last:?}");
    }
}

#[test]
fn only_the_supplements_that_are_needed_are_written() {
    let mut kernel = Kernel::new();
    let (x, y) = (kernel.variable(0), kernel.variable(1));
    let sum = kernel.add(x, y);
    let plain = written(&code(&kernel, &[sum], 3));
    assert_eq!(
        plain.source,
        "precision highp float;\nprecision highp int;\n\nfloat fibula_value(vec3 pos) {\n    float v0 = pos.x;\n    \
         float v1 = pos.y;\n    float v2 = v0 + v1;\n    return v2;\n}\n"
    );
    let least = kernel.min(sum, x);
    let code = code(&kernel, &[least], 3);
    let kept = written(&code).source;
    assert!(kept.contains("float fibula_min(") && kept.contains("bool fibula_is_nan("));
    assert!(!kept.contains("fibula_max") && !kept.contains("fibula_nan"));
    let ignored = glsl::write(&code, &with(Arguments::Point, NanHandling::Ignored)).unwrap();
    assert!(ignored.source.contains("= min(") && !ignored.source.contains("fibula_min"));
}

#[test]
fn constants_are_in_the_uniforms_and_not_in_the_text() {
    let shader = |numbers: [f64; 6]| {
        let mut kernel = Kernel::new();
        let mut sum = kernel.variable(0);
        for number in numbers {
            let (factor, shift) = (kernel.constant(number), kernel.variable(1));
            let product = kernel.mul(sum, factor);
            sum = kernel.add(product, shift);
        }
        written(&code(&kernel, &[sum], 3))
    };
    let (one, other) = (
        shader([2.0, 3.0, 4.0, 5.0, 6.0, 7.0]),
        shader([2.5, -3.0, 1e9, 0.1, 8.0, 9.0]),
    );
    assert_eq!(one.source, other.source);
    assert_eq!(one.blocks[0].name, "fibula_Constants0");
    let values = &one.blocks[0].values;
    assert_eq!(*values, [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 0.0, 0.0]);
    let values = &other.blocks[0].values;
    assert_eq!(*values, [2.5, -3.0, 1e9, 0.1, 8.0, 9.0, 0.0, 0.0]);
    let got = Program::new(&other).answer(&other, Some([1.0, 1.0, 0.0]), &[], 1);
    let expected = [2.5, -3.0, 1e9_f32, 0.1, 8.0, 9.0]
        .into_iter()
        .fold(1.0, |sum, factor| sum * factor + 1.0);
    assert_eq!(got, [expected]);
}

#[test]
fn many_constants_take_many_blocks() {
    let mut kernel = Kernel::new();
    let x = kernel.variable(0);
    let mut sum = x;
    for index in 0..5000 {
        let factor = kernel.constant(1.0 + f64::from(index) / 8192.0);
        let product = kernel.mul(x, factor);
        sum = kernel.max(sum, product);
    }
    let shader = written(&code(&kernel, &[sum], 3));
    let blocks = shader.blocks.iter();
    let sizes: Vec<_> = blocks.map(|block| block.values.len()).collect();
    assert_eq!(
        sizes,
        [4096, 904],
        "the first factor is 1 and needs no product"
    );
    let got = Program::new(&shader).answer(&shader, Some([2.0, 0.0, 0.0]), &[], 1);
    assert_eq!(got, [2.0 * (1.0 + 4999.0 / 8192.0)]);
}

#[test]
fn several_outputs_are_parameters() {
    let mut kernel = Kernel::new();
    let inputs: Vec<Expr> = (0..5).map(|index| kernel.variable(index)).collect();
    let first = kernel.sub(inputs[0], inputs[4]);
    let second = kernel.add(inputs[2], inputs[3]);
    let third = kernel.constant(7.0);
    let code = code(&kernel, &[first, second, third, first], 5);
    let shader = written(&code);
    let head = "void fibula_value(vec3 pos, float p3, float p4, out float r0, out float r1, out float r2, out float r3) {";
    assert!(shader.source.contains(head), "{}", shader.source);
    let got = Program::new(&shader).answer(&shader, Some([1.0, 2.0, 3.0]), &[4.0, 5.0], 4);
    assert_eq!(got, [-4.0, 7.0, 7.0, -4.0]);
    assert_eq!(shader.fragment(), None, "it takes more than a point");
    let shader = glsl::write(&code, &with(Arguments::Scalars, NanHandling::Kept)).unwrap();
    let got = Program::new(&shader).answer(&shader, None, &[1.0, 2.0, 3.0, 4.0, 5.0], 4);
    assert_eq!(got, [-4.0, 7.0, 7.0, -4.0]);
}

#[test]
fn unsupported_functions_are_rejected() {
    #[derive(Debug)]
    struct Nothing;
    impl Oracle for Nothing {
        fn sample(&self, _: [f64; 3], _: u8) -> f64 {
            0.0
        }
        fn gradient(&self, _: [f64; 3], _: u8) -> [f64; 3] {
            [0.0; 3]
        }
        fn bounds(&self, _: [f64; 3], _: [f64; 3], _: u8) -> Bounds {
            Bounds::UNKNOWN
        }
    }
    let mut kernel = Kernel::new();
    let x = kernel.variable(0);
    let asked = OracleUse {
        resource: ResourceId(12),
        query: Query::SignedDistance,
        answers: Arc::new(Nothing),
    };
    let distance = kernel.oracle(&asked, 0, [x; 3]);
    let settings = GlslSettings::default();
    let error = glsl::write(&code(&kernel, &[distance], 3), &settings).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the function samples mesh 12, but GLSL can only be generated from formulas; remove the node that refers to \
         it, or evaluate on the CPU"
    );
    let formula = code(&kernel, &[x], 3);
    assert!(
        glsl::write(&formula, &settings).is_ok(),
        "the mesh is not asked"
    );
    for prefix in ["", "a_b", "9a", "gl", "webgl", "ü"] {
        let settings = GlslSettings {
            prefix: prefix.to_owned(),
            ..GlslSettings::default()
        };
        let error = glsl::write(&formula, &settings).unwrap_err();
        assert!(matches!(error, GlslError::InvalidPrefix { .. }), "{prefix}");
    }
    let mut long = x;
    for _ in 0..=glsl::MOST_INSTRUCTIONS {
        long = kernel.sin(long);
    }
    let error = glsl::write(&code(&kernel, &[long], 3), &settings).unwrap_err();
    assert!(matches!(
        error,
        GlslError::TooManyInstructions {
            instructions: 65_538
        }
    ));
    let mut sum = x;
    for index in 0..=glsl::MOST_CONSTANTS {
        let shift = kernel.constant(index as f64 + 0.5);
        sum = kernel.add(sum, shift);
    }
    let error = glsl::write(&code(&kernel, &[sum], 3), &settings).unwrap_err();
    assert!(matches!(
        error,
        GlslError::TooManyConstants { constants: 32_769 }
    ));
}

/// A kernel of random operations over three variables.
fn random(choices: &[(u8, u16, u16, u16, u16)], is_arithmetic: bool) -> (Kernel, Vec<Expr>) {
    let mut kernel = Kernel::new();
    let mut values: Vec<Expr> = (0..3).map(|index| kernel.variable(index)).collect();
    values.extend([0.5, -2.0, 3.0].map(|number| kernel.constant(number)));
    let unary: Vec<Unary> = Unary::ALL
        .into_iter()
        .filter(|&each| !is_arithmetic || is_exact(each))
        .collect();
    let binary: Vec<Binary> = Binary::ALL
        .into_iter()
        .filter(|each| !is_arithmetic || !matches!(each, Binary::Pow | Binary::Atan2))
        .collect();
    for &(operation, a, b, c, d) in choices {
        // Late values more often, so that the codes are deep.
        let pick = |at: u16| {
            values[values.len() - 1 - (at as usize * at as usize / 65_536) * values.len() / 65_536]
        };
        let operation = usize::from(operation) % (unary.len() + binary.len() + 1);
        let value = if let Some(&unary) = unary.get(operation) {
            kernel.unary(unary, pick(a))
        } else if let Some(&binary) = binary.get(operation - unary.len()) {
            kernel.binary(binary, pick(a), pick(b))
        } else {
            kernel.select(pick(a), pick(b), pick(c), pick(d))
        };
        values.push(value);
    }
    let outputs = values
        .iter()
        .rev()
        .take(1 + choices.len() % 4)
        .copied()
        .collect();
    (kernel, outputs)
}

fn is_exact(operation: Unary) -> bool {
    matches!(
        operation,
        Unary::Neg
            | Unary::Abs
            | Unary::Sign
            | Unary::Sqrt
            | Unary::Floor
            | Unary::Ceil
            | Unary::Round
            | Unary::Fract
    )
}

/// Evaluates a code of arithmetic in f32, by the kernel's definitions.
fn arithmetic(code: &Code, point: [f32; 3]) -> Vec<f32> {
    let mut values: Vec<f32> = Vec::new();
    let taken = |values: &[f32], arg: Arg| match arg.source() {
        ArgSource::Value(index) => values[index],
        ArgSource::Constant(index) => code.constants()[index] as f32,
    };
    for instruction in code.instructions() {
        let taken = |arg| taken(&values, arg);
        let value = match *instruction {
            Instruction::Input(index) => point[index as usize],
            // x - floor(x) of an f32 is exact but for very small negative ones.
            Instruction::Unary(operation, a) => operation.apply(f64::from(taken(a))) as f32,
            Instruction::Binary(operation, a, b) => single(operation, taken(a), taken(b)) as f32,
            Instruction::Select([a, b, then, otherwise]) => {
                taken(if taken(a) < taken(b) { then } else { otherwise })
            }
            Instruction::Fused(..) | Instruction::Oracle { .. } => {
                unreachable!("exact code of formulas has none")
            }
        };
        values.push(value);
    }
    code.outputs()
        .iter()
        .map(|&output| taken(&values, output))
        .collect()
}

#[test]
fn arguments_after_the_point_are_uniforms_if_they_are_to_be() {
    let mut kernel = Kernel::new();
    let variables: Vec<Expr> = (0..9).map(|index| kernel.variable(index)).collect();
    let mut sum = variables[0];
    for &variable in &variables[1..] {
        sum = kernel.add(sum, variable);
    }
    let shader = glsl::write(
        &code(&kernel, &[sum], 9),
        &with(Arguments::Uniforms, NanHandling::Kept),
    )
    .unwrap();
    parse(&shader.fragment().unwrap());
    let block = shader.parameter_block().unwrap();
    assert!(
        shader.source.contains(&format!("uniform {block} {{")),
        "{}",
        shader.source
    );
    for expected in [
        "_value(vec3 pos) {",
        "_parameters[0].x",
        "_parameters[1].y",
        "_parameters[2]",
    ] {
        assert!(
            shader.source.contains(expected),
            "{expected} in {}",
            shader.source
        );
    }
    assert!(!shader.source.contains("float p3"));
    // A function of a point alone has no such block.
    let mut kernel = Kernel::new();
    let z = kernel.variable(2);
    let settings = with(Arguments::Uniforms, NanHandling::Kept);
    let point = glsl::write(&code(&kernel, &[z], 3), &settings).unwrap();
    assert_eq!(point.parameter_block(), None);
    parse(&point.fragment().unwrap());
}

fn choices(most: usize) -> impl Strategy<Value = Vec<(u8, u16, u16, u16, u16)>> {
    prop::collection::vec(any::<(u8, u16, u16, u16, u16)>(), 1..most)
}

proptest! {
    #[test]
    fn random_codes_are_valid(choices in choices(200), is_fast: bool) {
        let (kernel, outputs) = random(&choices, false);
        let rounding = if is_fast { Rounding::Fast } else { Rounding::Exact };
        let code = Code::new(kernel.operations(), &outputs, 3, kernel.oracles(), rounding);
        for undefined in [NanHandling::Kept, NanHandling::Ignored] {
            let shader = glsl::write(&code, &with(Arguments::Point, undefined)).unwrap();
            parse(&shader.fragment().unwrap());
            let shader = glsl::write(&code, &with(Arguments::Scalars, undefined)).unwrap();
            parse(&whole(&shader));
        }
    }

    #[test]
    fn random_arithmetic_has_the_same_bits(choices in choices(60), point: [i8; 3]) {
        let (kernel, outputs) = random(&choices, true);
        let code = Code::new(kernel.operations(), &outputs, 3, kernel.oracles(), Rounding::Exact);
        let shader = written(&code);
        let point = point.map(|number| f32::from(number) / 16.0);
        let got = Program::new(&shader).answer(&shader, Some(point), &[], outputs.len());
        let expected = arithmetic(&code, point);
        for (got, expected) in got.into_iter().zip(expected) {
            let is_same = is_near(got, f64::from(expected), 0.0);
            prop_assert!(is_same, "{} is not {}", got, expected);
        }
    }
}

#[test]
fn a_long_code_is_valid() {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as u16
    };
    let mut kernel = Kernel::new();
    let mut values: Vec<Expr> = (0..3).map(|index| kernel.variable(index)).collect();
    while kernel.operations().len() < 14_000 {
        let count = values.len();
        let pick = |at: u16| values[count - 1 - usize::from(at) % count.min(40)];
        let number = f64::from(next()) / 128.0;
        let value = match next() % 6 {
            0 => kernel.sin(pick(next())),
            1 => kernel.sqrt(pick(next())),
            2 => {
                let number = kernel.constant(number);
                kernel.mul(pick(next()), number)
            }
            3 => kernel.min(pick(next()), pick(next())),
            4 => kernel.max(pick(next()), pick(next())),
            _ => kernel.add(pick(next()), pick(next())),
        };
        values.push(value);
    }
    let mut sum = values[0];
    for &value in &values[1..] {
        sum = kernel.add(sum, value);
    }
    let code = code(&kernel, &[sum], 3);
    let length = code.instructions().len();
    assert!(length >= 10_000, "{length}");
    let shader = written(&code);
    parse(&shader.fragment().unwrap());
    assert_eq!(shader.source.matches("fibula_value(").count(), 1);
    let fragment = shader.fragment().unwrap();
    let calls = fragment.matches("fibula_value(").count();
    assert_eq!(calls, 2, "one call site");
}
