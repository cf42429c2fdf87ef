use std::collections::BTreeSet;

use fibula_eval::{Rounding, Settings};
use fibula_nodes::catalogue;

use super::{Distance, add_function, find, functions};
use crate::eval::Tape;
use crate::graph::Document;

/// Tape of an expression with the functions of the library that it calls.
fn tape(text: &str) -> Tape {
    let mut document = Document::default();
    let id = add_function(&mut document, "made", text);
    let id = id.unwrap_or_else(|error| panic!("{text}: {error}"));
    Tape::new(&document, id).expect("it is whole")
}

/// Points in a box that is somewhat larger than the examples, none where two coordinates are equal.
fn points() -> impl Iterator<Item = [f64; 3]> {
    (1..4_000).map(|index| {
        let index = f64::from(index);
        [0.754_877_666, 0.569_840_291, 0.819_172_513]
            .map(|step| (index * step).fract() * 24.0 - 12.0)
    })
}

/// The value and gradient at a point.
fn slope(tape: &Tape, point: [f64; 3]) -> (f64, [f64; 3], usize) {
    let code = tape.code(Rounding::Exact);
    let found = code.jacobian(&point, &[0, 1, 2], Settings::default());
    let gradient = found.derivatives.try_into().expect("three");
    (found.values[0], gradient, found.kinks)
}

fn length(vector: [f64; 3]) -> f64 {
    vector.iter().map(|part| part * part).sum::<f64>().sqrt()
}

#[test]
fn every_function_is_whole_and_has_a_name_of_its_own() {
    let mut names = BTreeSet::new();
    for function in functions() {
        let name = &function.name;
        assert!(names.insert(name.to_lowercase()), "{name} is a duplicate");
        let is_kind = catalogue::catalogue().iter().any(|about| {
            let all = [about.name, about.element].into_iter();
            all.chain(about.aliases.iter().copied())
                .any(|other| other.eq_ignore_ascii_case(name))
        });
        assert!(!is_kind, "{name} is the name of a kind");
        let unknown = crate::expression::unknown_calls(&Document::default(), &format!("{name}(1)"));
        assert!(!unknown.is_empty());
        let own = super::called(&Document::default(), &function.example);
        assert!(
            own.iter().any(|called| called.name == *name),
            "{name}'s example does not call it"
        );
        assert!(function.about.ends_with('.'), "{name}: {}", function.about);
        for input in &function.inputs {
            let varies = matches!(&*input.name, "pos" | "coordinates" | "a" | "b" | "distance");
            assert_eq!(input.default.is_none(), varies, "{name}: {input}");
        }
        let found = find(&name.to_uppercase());
        assert_eq!(found.map(|found| &found.name), Some(name));
    }
    assert_eq!(names.len(), 45);
}

/// The declared quality of the distance holds for the example: signs and zeros in any case; for a bound, the slope is
/// at most 1; for a distance, the gradient leads to the surface.
#[test]
fn distances_are_as_good_as_they_say() {
    for function in functions() {
        let tape = tape(&function.example);
        let (mut inside, mut outside, mut near) = (0, 0, 0);
        for point in points() {
            let (value, gradient, kinks) = slope(&tape, point);
            let name = &function.name;
            assert!(value.is_finite(), "{name} is {value} at {point:?}");
            inside += i32::from(value < 0.0);
            outside += i32::from(value >= 0.0);
            if function.distance == Distance::Field || kinks > 0 {
                continue;
            }
            let steepness = length(gradient);
            assert!(
                steepness < 1.0 + 1e-9,
                "{name} has the slope {steepness} at {point:?}"
            );
            if function.distance == Distance::Exact {
                assert!(
                    (steepness - 1.0).abs() < 1e-9,
                    "{name} has the slope {steepness} at {point:?}"
                );
                let foot = [0, 1, 2].map(|axis| point[axis] - value * gradient[axis]);
                let (rest, ..) = slope(&tape, foot);
                assert!(
                    rest.abs() < 1e-9,
                    "{name} is {rest} at the foot of {point:?}"
                );
                near += 1;
            }
        }
        assert!(
            inside > 20 && outside > 20,
            "{}: {inside} inside, {outside} outside",
            function.name
        );
        let is_exact = function.distance == Distance::Exact;
        assert_eq!(near > 1_000, is_exact, "{}", function.name);
    }
}

/// Positions, sizes and senses of rotation.
#[test]
fn values_are_where_they_should_be() {
    for case in [
        "sphere(pos, 5) @ 0 0 7 = 2",
        "ellipsoid(pos, vec3(9, 6, 4)) @ 0 6 0 = 0",
        "box(pos, vec3(2, 4, 6)) @ 0 0 5 = 2",
        "rounded_box(pos, vec3(2, 4, 6), 1) @ 0 3 0 = 1",
        "torus(pos, 5, 1) @ 0 5 3 = 2",
        "capsule(pos, vec3(0, 0, 0), vec3(4, 0, 0), 1) @ 7 0 0 = 2",
        "capsule(pos, vec3(4, 0, 0), vec3(4, 0, 0), 1) @ 7 0 0 = 2",
        "cylinder(pos, 2, 6) @ 0 0 4 = 1",
        "tube(pos, 4, 2, 6) @ 1.5 0 0 = 0.5",
        "cone(pos, 4, 1, 6) @ 0 5 -3 = 1",
        "cone(pos, 4, 1, 6) @ 0 0 5 = 2",
        "plane(pos, vec3(0, 0, 2), 1) @ 5 5 4 = 3",
        "hexagonal_prism(pos, 6, 2) @ 0 4 0 = 1",
        "hexagonal_prism(pos, 6, 2) @ 0 0 -2 = 1",
        "gyroid(pos, 8, 1) @ 4 4 4 = -0.5",
        "honeycomb(pos, 6, 1) @ 3 0 9 = -0.5",
        "honeycomb(pos, 6, 1) @ 0 0 9 = 2.5",
        "cubic_lattice(pos, 8, 1) @ 4 0 0 = -1",
        "body_centred_lattice(pos, 8, 1) @ 3 3 3 = -1",
        "face_centred_lattice(pos, 8, 1) @ 0 4 4 = -1",
        "difference(x, y) @ 1 -3 0 = 3",
        "smooth_union(x, y, 2) @ 1 1 0 = 0.5",
        "smooth_intersection(x, y, 2) @ 1 1 0 = 1.5",
        "smooth_difference(x, y, 2) @ 1 -1 0 = 1.5",
        "smooth_union(x, y, 0) @ 1 1 0 = 1",
        "shell(x, 2) @ -3 0 0 = 2",
        "offset(x, 2) @ 3 0 0 = 1",
        "blend(x, y, 0.25) @ 4 8 0 = 5",
        "let p = translate(pos, vec3(1, 2, 3)); p.x + 10 * p.y + 100 * p.z @ 1 3 5 = 210",
        // Points are mapped from the rotated shape to the original one.
        "let p = rotate_x(pos, pi / 2); p.y @ 0 0 1 = 1",
        "let p = rotate_y(pos, pi / 2); p.z @ 1 0 0 = 1",
        "let p = rotate_z(pos, pi / 2); p.x @ 0 1 0 = 1",
        "let p = rotate(pos, vec3(0, 0, 3), pi / 2); p.x @ 0 1 0 = 1",
        "let p = mirror(pos, vec3(1, 0, 0), 1); p.x @ -2 0 0 = 4",
        "let p = repeat(pos, vec3(4, 4, 4)); p.x + 10 * p.y @ 5 -5 0 = -9",
        "let p = repeat_limited(pos, vec3(4, 4, 4), vec3(2, 1, 1)); p.x + 10 * p.y @ 7 5 0 = 55",
        "let p = repeat_polar(pos, 4); p.x + 10 * p.y @ 0 3 0 = 3",
        "let p = twist(pos, 4); p.x @ 0 1 1 = 1",
        "let p = bend(pos, 2); p.x @ 2 0 2 = 3.141592653589793",
        "let p = taper(pos, 4, 0.5); p.x @ 1 0 4 = 2",
        "let c = to_cylindrical(pos); c.y @ 0 1 7 = 1.5707963267948966",
        "let c = to_spherical(pos); c.z @ 1 0 0 = 1.5707963267948966",
    ] {
        let (text, numbers) = case.rsplit_once(" @ ").expect("a point");
        let numbers: Vec<f64> = numbers
            .split([' ', '='])
            .filter_map(|number| number.parse().ok())
            .collect();
        let [x, y, z, expected] = numbers[..] else {
            panic!("{case}");
        };
        let value = tape(text).at([x, y, z])[0];
        assert!((value - expected).abs() < 1e-12, "{value} at {case}");
    }
}

#[test]
fn coordinates_lead_back() {
    let text = "length(from_cylindrical(to_cylindrical(pos)) - pos) + length(from_spherical(to_spherical(pos)) - pos)";
    let tape = tape(text);
    for point in points() {
        let (value, ..) = slope(&tape, point);
        assert!(value < 1e-12, "{value} at {point:?}");
    }
}
