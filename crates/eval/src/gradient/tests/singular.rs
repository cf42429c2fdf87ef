//! Gradients at kinks, jumps and poles, and the length of the code of some.

use fibula_nodes::{Binary, Expr, Kernel, Unary};

use super::model::formula_code;
use super::{DIRECTIONS, both};
use crate::code::{Code, Rounding};
use crate::cpu::{InstructionSet, Settings};
use crate::gradient::derive::LEAST;
use crate::point::Point;
use crate::trial::{Formula, Term};

/// The gradient of a formula by x, y and z at a point, and the number of kinks that were met.
fn gradient(formula: Formula, point: [f64; 3]) -> ([f64; 3], usize) {
    let code = formula_code(formula, Rounding::Exact);
    let jacobian = code.jacobian(&point, &DIRECTIONS, Settings::default());
    let gradient = [0, 1, 2].map(|axis| jacobian.gradient(0)[axis]);
    let [_, written] = both(&code, point, InstructionSet::Portable);
    assert_eq!(written[1..], gradient, "written out");
    (gradient, jacobian.kinks)
}

#[test]
fn gradients_at_singular_points_are_as_documented() {
    let origin = [0.0; 3];
    let length: Formula = |at| Term::length(at);
    let power: Formula = |[x, y, _]| (x * x + y * y).binary(Binary::Pow, x.constant(0.5));
    let root: Formula = |[x, ..]| x.sqrt();
    let angle: Formula = |[x, y, _]| y.binary(Binary::Atan2, x);
    let cosine: Formula = |[x, ..]| x.unary(Unary::Cos).unary(Unary::Acos);
    // The operand that is a number counts, on either side.
    let least: Formula = |[x, y, _]| y.min((-x).sqrt());
    let most: Formula = |[x, y, _]| (-x).sqrt().max(y);
    let cases = [
        ("a length", length, origin, [0.0; 3], 1),
        (
            "a length elsewhere",
            length,
            [0.0, -4.0, 0.0],
            [0.0, -1.0, 0.0],
            0,
        ),
        ("a power", power, origin, [0.0; 3], 1),
        ("a root", root, origin, [0.5 / LEAST, 0.0, 0.0], 1),
        ("an angle", angle, origin, [0.0; 3], 1),
        (
            "an angle on the branch cut",
            angle,
            [-2.0, 0.0, 0.0],
            [0.0, -0.5, 0.0],
            1,
        ),
        (
            "an angle elsewhere",
            angle,
            [2.0, 0.0, 0.0],
            [0.0, 0.5, 0.0],
            0,
        ),
        (
            "an arc cosine at 1 of what stands still",
            cosine,
            origin,
            [0.0; 3],
            1,
        ),
        (
            "a minimum of NaN",
            least,
            [1.0, 5.0, 0.0],
            [0.0, 1.0, 0.0],
            0,
        ),
        (
            "a maximum of NaN",
            most,
            [1.0, 5.0, 0.0],
            [0.0, 1.0, 0.0],
            0,
        ),
    ];
    for (name, formula, point, expected, kinks) in cases {
        assert_eq!(gradient(formula, point), (expected, kinks), "{name}");
    }
}

#[test]
fn kinks_are_counted_where_they_are_met_exactly() {
    // Each formula, and its number of kinks at (1, 1), (0, 1) and (0.5, 2).
    let cases: [(&str, Formula, [usize; 3]); 20] = [
        ("min(x, y)", |[x, y, _]| x.min(y), [1, 0, 0]),
        ("max(x, y)", |[x, y, _]| x.max(y), [1, 0, 0]),
        (
            "max(x y, x y + 1/2 - 1/2) has one gradient",
            |[x, y, _]| (x * y).max(x * y + 0.5 - 0.5),
            [0, 0, 0],
        ),
        ("|x|", |[x, ..]| x.abs(), [0, 1, 0]),
        ("|x^2|", |[x, ..]| x.square().abs(), [0, 0, 0]),
        ("sign(x)", |[x, ..]| x.unary(Unary::Sign), [0, 1, 0]),
        ("floor(x)", |[x, ..]| x.unary(Unary::Floor), [1, 1, 0]),
        ("ceil(x)", |[x, ..]| x.unary(Unary::Ceil), [1, 1, 0]),
        ("round(x)", |[x, ..]| x.unary(Unary::Round), [0, 0, 1]),
        ("fract(x)", |[x, ..]| x.unary(Unary::Fract), [1, 1, 0]),
        ("x mod y", |[x, y, _]| x.binary(Binary::Mod, y), [1, 1, 0]),
        (
            "x fmod y goes on through 0",
            |[x, y, _]| x.binary(Binary::Fmod, y),
            [1, 0, 0],
        ),
        ("asin(x)", |[x, ..]| x.unary(Unary::Asin), [1, 0, 0]),
        ("acos(x)", |[x, ..]| x.unary(Unary::Acos), [1, 0, 0]),
        ("log(x)", |[x, ..]| x.unary(Unary::Log), [0, 1, 0]),
        ("y / x", |[x, y, _]| y / x, [0, 1, 0]),
        (
            "x^0.3",
            |[x, ..]| x.binary(Binary::Pow, x.constant(0.3)),
            [0, 1, 0],
        ),
        (
            "x < y ? x : y has a kink",
            |[x, y, _]| x.if_less(y, x, y),
            [1, 0, 0],
        ),
        (
            "x < y ? x : 2 y jumps",
            |[x, y, _]| x.if_less(y, x, y + y),
            [1, 0, 0],
        ),
        (
            "1 < z ? floor(x) : y, whose floor counts too",
            |[x, y, z]| x.constant(1.0).if_less(z, x.unary(Unary::Floor), y),
            [1, 1, 0],
        ),
    ];
    for (name, formula, expected) in cases {
        let points = [[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.5, 2.0, 0.0]];
        for (point, expected) in points.into_iter().zip(expected) {
            let code = formula_code(formula, Rounding::Exact);
            let settings = Settings::default();
            let by_all = code.jacobian(&point, &[2, 2, 2, 2, 2, 0, 1], settings);
            assert_eq!(by_all.kinks, expected, "{name} at {point:?}");
            let by_another = code.jacobian(&point, &[2], settings);
            let is_select = name.contains('?');
            let is_smooth = by_another.kinks == 0;
            assert!(is_select || is_smooth, "{name} at {point:?} by z");
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
    let gradient = jacobian.gradient(0);
    assert_eq!(gradient, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 8.0, 0.0, 8.0]);
    assert_eq!(jacobian.gradient(1), [0.0; 10]);
    let slope = jacobian.gradient(2);
    assert_eq!(slope, [-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -8.0, 0.0, -8.0]);
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
    let code = formula_code(|at| Term::length(at) - 1.0, Rounding::Fast);
    let written = code.with_gradient(&DIRECTIONS);
    // The guard against 0, a reciprocal, and a product for each direction.
    let added = written.instructions.len() - code.instructions.len();
    assert_eq!(added, 5, "{written:#?}");
}
