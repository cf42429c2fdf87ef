//! What gradients are at kinks, jumps and poles, and how long the code of some is.

use fibula_nodes::{Expr, Kernel};

use super::model::code;
use super::{DIRECTIONS, both};
use crate::code::{Code, Rounding};
use crate::cpu::{InstructionSet, Settings};
use crate::gradient::derive::LEAST;
use crate::point::Point;

/// The gradient by x, y and z of what `write` makes of them, at a point, and how many kinks were met.
fn gradient(write: impl Fn(&mut Kernel, [Expr; 3]) -> Expr, point: [f64; 3]) -> ([f64; 3], usize) {
    let mut kernel = Kernel::new();
    let variables = [0, 1, 2].map(|index| kernel.variable(index));
    let value = write(&mut kernel, variables);
    let code = code(&kernel, &[value], Rounding::Exact);
    let jacobian = code.jacobian(&point, &DIRECTIONS, Settings::default());
    let gradient = [0, 1, 2].map(|axis| jacobian.gradient(0)[axis]);
    let [_, written] = both(&code, point, InstructionSet::Portable);
    assert_eq!(written[1..], gradient, "written out");
    (gradient, jacobian.kinks)
}

#[test]
fn at_singular_points_gradients_are_what_is_said_of_them() {
    let origin = [0.0; 3];
    let length = |k: &mut Kernel, at: [Expr; 3]| k.length(&at);
    assert_eq!(gradient(length, origin), ([0.0; 3], 1));
    assert_eq!(gradient(length, [0.0, -4.0, 0.0]), ([0.0, -1.0, 0.0], 0));
    let power = |k: &mut Kernel, [x, y, _]: [Expr; 3]| {
        let (square, half) = (k.dot(&[x, y], &[x, y]), k.constant(0.5));
        k.pow(square, half)
    };
    assert_eq!(gradient(power, origin), ([0.0; 3], 1));
    let root = |k: &mut Kernel, [x, _, _]: [Expr; 3]| k.sqrt(x);
    assert_eq!(gradient(root, origin), ([0.5 / LEAST, 0.0, 0.0], 1));
    let angle = |k: &mut Kernel, [x, y, _]: [Expr; 3]| k.atan2(y, x);
    assert_eq!(gradient(angle, origin), ([0.0; 3], 1));
    assert_eq!(
        gradient(angle, [-2.0, 0.0, 0.0]),
        ([0.0, -0.5, 0.0], 1),
        "on the branch cut"
    );
    assert_eq!(gradient(angle, [2.0, 0.0, 0.0]), ([0.0, 0.5, 0.0], 0));
    let cosine = |k: &mut Kernel, [x, _, _]: [Expr; 3]| {
        let cosine = k.cos(x);
        k.acos(cosine)
    };
    assert_eq!(
        gradient(cosine, origin),
        ([0.0; 3], 1),
        "an arc cosine at 1 of what stands still"
    );
    // The operand that is a number counts, on either side.
    let undefined = |k: &mut Kernel, x: Expr| {
        let square = k.neg(x);
        k.sqrt(square)
    };
    let least = |k: &mut Kernel, [x, y, _]: [Expr; 3]| {
        let none = undefined(k, x);
        k.min(y, none)
    };
    assert_eq!(gradient(least, [1.0, 5.0, 0.0]), ([0.0, 1.0, 0.0], 0));
    let most = |k: &mut Kernel, [x, y, _]: [Expr; 3]| {
        let none = undefined(k, x);
        k.max(none, y)
    };
    assert_eq!(gradient(most, [1.0, 5.0, 0.0]), ([0.0, 1.0, 0.0], 0));
}

#[test]
fn kinks_are_counted_where_they_are_met_exactly() {
    type Write = fn(&mut Kernel, Expr, Expr) -> Expr;
    // What is written, and how many kinks there are at (1, 1), (0, 1) and (0.5, 2).
    let cases: [(&str, Write, [usize; 3]); 20] = [
        ("min(x, y)", |k, x, y| k.min(x, y), [1, 0, 0]),
        ("max(x, y)", |k, x, y| k.max(x, y), [1, 0, 0]),
        (
            "max(x, x y / y) has one gradient",
            |k, x, y| {
                let (product, zero) = (k.mul(x, y), k.constant(0.5));
                let more = k.add(product, zero);
                let less = k.sub(more, zero);
                k.max(product, less)
            },
            [0, 0, 0],
        ),
        ("|x|", |k, x, _| k.abs(x), [0, 1, 0]),
        (
            "|x^2|",
            |k, x, _| {
                let square = k.mul(x, x);
                k.abs(square)
            },
            [0, 0, 0],
        ),
        ("sign(x)", |k, x, _| k.sign(x), [0, 1, 0]),
        ("floor(x)", |k, x, _| k.floor(x), [1, 1, 0]),
        ("ceil(x)", |k, x, _| k.ceil(x), [1, 1, 0]),
        ("round(x)", |k, x, _| k.round(x), [0, 0, 1]),
        ("fract(x)", |k, x, _| k.fract(x), [1, 1, 0]),
        ("x mod y", |k, x, y| k.modulo(x, y), [1, 1, 0]),
        (
            "x fmod y goes on through 0",
            |k, x, y| k.fmod(x, y),
            [1, 0, 0],
        ),
        ("asin(x)", |k, x, _| k.asin(x), [1, 0, 0]),
        ("acos(x)", |k, x, _| k.acos(x), [1, 0, 0]),
        ("log(x)", |k, x, _| k.log(x), [0, 1, 0]),
        ("y / x", |k, x, y| k.div(y, x), [0, 1, 0]),
        (
            "x^0.3",
            |k, x, _| {
                let exponent = k.constant(0.3);
                k.pow(x, exponent)
            },
            [0, 1, 0],
        ),
        (
            "x < y ? x : y has a kink",
            |k, x, y| k.select(x, y, x, y),
            [1, 0, 0],
        ),
        (
            "x < y ? x : 2 y jumps",
            |k, x, y| {
                let more = k.add(y, y);
                k.select(x, y, x, more)
            },
            [1, 0, 0],
        ),
        (
            "1 < z ? floor(x) : y, whose floor counts too",
            |k, x, y| {
                let (one, z) = (k.constant(1.0), k.variable(2));
                let whole = k.floor(x);
                k.select(one, z, whole, y)
            },
            [1, 1, 0],
        ),
    ];
    for (name, write, expected) in cases {
        let points = [[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.5, 2.0, 0.0]];
        for (point, expected) in points.into_iter().zip(expected) {
            let mut kernel = Kernel::new();
            let (x, y) = (kernel.variable(0), kernel.variable(1));
            let value = write(&mut kernel, x, y);
            let code = code(&kernel, &[value], Rounding::Exact);
            let settings = Settings::default();
            let by_all = code.jacobian(&point, &[2, 2, 2, 2, 2, 0, 1], settings);
            assert_eq!(by_all.kinks, expected, "{name} at {point:?}");
            let by_another = code.jacobian(&point, &[2], settings);
            let is_select = name.contains('?');
            assert!(
                is_select || by_another.kinks == 0,
                "{name} at {point:?} by z"
            );
        }
    }
}

#[test]
fn a_jacobian_has_a_row_for_each_output_and_a_column_for_each_direction() {
    let mut kernel = Kernel::new();
    let inputs: Vec<Expr> = (0..9).map(|index| kernel.variable(index)).collect();
    let product = kernel.mul(inputs[1], inputs[8]);
    let difference = kernel.sub(inputs[3], product);
    let seven = kernel.constant(7.0);
    let code = Code::new(
        kernel.operations(),
        &[product, seven, difference],
        9,
        &[],
        Rounding::Fast,
    );
    let arguments: Vec<f64> = (0..9).map(f64::from).collect();
    let directions = [8, 7, 6, 5, 4, 3, 2, 1, 0, 1];
    let jacobian = code.jacobian(&arguments, &directions, Settings::default());
    assert_eq!(jacobian.values, [8.0, 7.0, -5.0]);
    assert_eq!(
        jacobian.gradient(0),
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 8.0, 0.0, 8.0]
    );
    assert_eq!(jacobian.gradient(1), [0.0; 10]);
    assert_eq!(
        jacobian.gradient(2),
        [-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -8.0, 0.0, -8.0]
    );
    let written = code.with_gradient(&directions);
    let mut results = vec![0.0; 33];
    Point::new(&written, Settings::default())
        .evaluator()
        .run(&arguments, &mut results);
    assert_eq!(results[..3], jacobian.values);
    assert_eq!(results[3..], jacobian.derivatives);
}

#[test]
fn derivatives_of_a_distance_are_as_short_as_by_hand() {
    let mut kernel = Kernel::new();
    let at = [0, 1, 2].map(|index| kernel.variable(index));
    let (length, one) = (kernel.length(&at), kernel.constant(1.0));
    let distance = kernel.sub(length, one);
    let code = code(&kernel, &[distance], Rounding::Fast);
    let written = code.with_gradient(&DIRECTIONS);
    // The guard against 0, a reciprocal, and a product for each direction.
    assert_eq!(
        written.instructions.len(),
        code.instructions.len() + 5,
        "{written:#?}"
    );
}
