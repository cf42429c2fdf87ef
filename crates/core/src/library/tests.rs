mod lattices;

use std::collections::BTreeSet;

use fibula_eval::{Rounding, Settings};
use fibula_nodes::{Type, catalogue};

use super::{Distance, LibraryFunction, LibraryInput, UpperLimit, add_function, find, functions};
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
            let varies = matches!(
                &*input.name,
                "pos" | "coordinates" | "a" | "b" | "distance" | "lattice"
            );
            assert_eq!(input.default.is_none(), varies, "{name}: {input}");
        }
        let found = find(&name.to_uppercase());
        assert_eq!(found.map(|found| &found.name), Some(name));
    }
    assert_eq!(names.len(), 104);
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
            if matches!(function.distance, Distance::Field | Distance::Number) || kinks > 0 {
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

/// Positions, sizes and senses of rotation: an expression, a point and the value there.
const VALUES: [&str; 98] = [
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
    "hollow(x, 2) @ -3 0 0 = 1",
    "hollow(x, 2) @ -1 0 0 = -1",
    "thicken(x, 2) @ 3 0 0 = 1",
    "thicken(x, 2) @ -1 0 0 = 1",
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
    "circle(pos, 5) @ 0 7 99 = 2",
    "rectangle(pos, 8, 4) @ 0 5 99 = 3",
    "rectangle(pos, 8, 4) @ 7 6 0 = 5",
    "rounded_rectangle(pos, 8, 4, 1) @ 0 3 0 = 1",
    "slot(pos, 10, 4) @ 6 0 0 = 1",
    "slot(pos, 10, 4) @ 1 3 0 = 1",
    "regular_polygon(pos, 4, 5) @ 6 0 0 = 1",
    "regular_polygon(pos, 6, 10) @ 0 0 0 = -8.660254037844386",
    "sector(pos, 0, pi) @ 3 -2 0 = 2",
    "sector(pos, 0, 1.5 * pi) @ 3 -2 0 = 2",
    "sector(pos, 0, 1.5 * pi) @ -3 -2 0 = -3",
    "extrude(pos, circle(pos, 5), 4) @ 0 0 4 = 2",
    "extrude(pos, circle(pos, 5), 4) @ 7 0 1 = 2",
    "extrude_rounded(pos, circle(pos, 5), 4, 1) @ 5 0 3 = 1.2360679774997898",
    "extrude_chamfered(pos, circle(pos, 5), 4, 1) @ 5 0 2 = 0.7071067811865476",
    "extrude_tapered(pos, x, 4, pi / 4) @ -2 0 0 = 0",
    "let p = revolve(pos); p.x + 10 * p.y @ 3 4 7 = 75",
    "let p = sweep_arc(pos, 4); p.z @ 4 0 4 = 6.283185307179586",
    "let p = sweep_arc(pos, 4); p.x + p.y @ 4 2 3 = 3",
    "let p = helix(pos, 4, 2); p.x + 10 * p.y @ 7 0 6 = 3",
    "let p = helix(pos, 4, 2 * pi); p.z / sqrt(17) @ 0 4 7.853981633974483 = 7.853981633974483",
    "let p = helix(pos, 4, 2); p.z @ -4 0 1 = 12.606096557516514",
    "loft(pos, x - 2, x - 4, 10) @ 5 0 0 = 2",
    "slab(pos, 1, 4) @ 9 9 6 = 2",
    "fillet_union(x, z, 4) @ 1 9 1 = -0.2426406871192848",
    "fillet_intersection(x, z, 4) @ 0 9 0 = 1.6568542494923806",
    "fillet_difference(x, -z, 4) @ 0 9 0 = 1.6568542494923806",
    "chamfer_union(x, z, 4) @ 2 9 2 = 0",
    "chamfer_intersection(x, z, 4) @ -2 9 -2 = 0",
    "chamfer_difference(x, -z, 4) @ -2 9 -2 = 0",
    "chamfered_box(pos, vec3(8, 8, 8), 1) @ 3.5 3.5 0 = 0",
    "hole(pos, 6, 5) @ 0 0 99 = -3",
    "hole(pos, 6, 5) @ 0 0 -7 = 2",
    "counterbore(pos, 4, 9, 8, 3) @ 3 0 -1 = -1",
    "counterbore(pos, 4, 9, 8, 3) @ 0 0 -8 = -1",
    "countersink(pos, 4, 9, 10, pi / 2) @ 4 0 -1 = 0",
    "boss(pos, 8, 5, 0) @ 6 0 2 = 2",
    "rib(pos, 20, 4, 5, 0) @ 0 5 2 = 3",
    "infill(x, y, 1) @ -0.5 9 0 = -0.5",
    "infill(x, y, 1) @ -3 -2 0 = -2",
    "let p = frame(pos, vec3(1, 2, 3), vec3(2, 0, 0)); p.z + 10 * p.x @ 5 2 3 = 4",
    "let p = frame(pos, vec3(0, 0, 0), vec3(0, 5, 0), vec3(0, 0, 2)); p.x + 10 * p.y + 100 * p.z @ 1 2 3 = 213",
    "let p = repeat_linear(pos, vec3(0, 2, 0), 5, 3); p.y @ 0 11 0 = 1",
    "let p = repeat_linear(pos, vec3(0, 2, 0), 5, 3); p.y @ 0 -4 0 = -4",
    "let p = repeat_arc(pos, 3, pi / 2); p.x + 10 * p.y @ -3 0 0 = 3",
    "let p = repeat_arc(pos, 2, pi / 2); p.x + 10 * p.y @ 0 -3 0 = -30",
    "let p = around_cylinder(pos, 4); p.x + 10 * p.y + 100 * p.z @ 0 5 2 = 126.28318530717959",
    "let p = around_sphere(pos, 4); p.y + p.z @ 0 0 5 = 7.283185307179586",
    "octet_lattice(pos, 8, 1) @ 4 4 0 = -1",
    "octet_lattice(pos, 8, 1) @ 4 2 2 = -1",
    "kelvin_lattice(pos, 8, 1) @ 4 2 0 = -1",
    "kelvin_lattice(pos, 8, 1) @ 3 3 0 = -1",
    "let c = to_cylindrical(pos); c.y @ 0 1 7 = 1.5707963267948966",
    "let c = to_spherical(pos); c.z @ 1 0 0 = 1.5707963267948966",
];

/// The values are those of the list.
#[test]
fn values_are_where_they_should_be() {
    for case in VALUES {
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

/// Fractions of a sequence of low discrepancy.
fn fractions(step: f64) -> impl Iterator<Item = f64> {
    (1..).map(move |index| (f64::from(index) * step).fract())
}

/// A random value of an input within its limits, as text; `given` are those of the inputs before it.
fn random(input: &LibraryInput, given: &[(String, f64)], next: &mut impl FnMut() -> f64) -> String {
    let most = match &input.at_most {
        None => f64::INFINITY,
        Some(UpperLimit::Number(most)) => *most,
        Some(UpperLimit::Share { share, of }) => {
            let named = given.iter().filter(|(name, _)| of.contains(name));
            share * named.fold(f64::INFINITY, |least, (_, value)| least.min(*value))
        }
    };
    let mut number = |default: f64| {
        let is_count = ["count", "sides"].contains(&&*input.name);
        let free = if is_count {
            (default * (0.5 + next())).round()
        } else if default.abs() > 0.0 {
            default * (0.4 + next())
        } else {
            0.6 * next()
        };
        let least = input.at_least.unwrap_or(f64::NEG_INFINITY);
        free.min(0.999 * most).max(least)
    };
    let default = input.default.as_ref().expect("it is no point or distance");
    let numbers: Vec<f64> = default.scalars().iter().map(|&x| number(x)).collect();
    match input.ty {
        Type::Float3 => format!("vec3({}, {}, {})", numbers[0], numbers[1], numbers[2]),
        _ => numbers[0].to_string(),
    }
}

/// Calls of a shape with random values of its inputs.
fn random_calls(function: &LibraryFunction, count: usize) -> Vec<String> {
    let mut numbers = fractions(0.618_033_988_749_895);
    let mut next = || numbers.next().expect("it goes on for ever");
    let call = |_| {
        let mut given = Vec::new();
        let mut text = format!("{}(pos", function.name);
        for input in &function.inputs[1..] {
            let value = random(input, &given, &mut next);
            let split = |c: char| "vec3(), ".contains(c);
            let least = value.split(split).filter_map(|number| number.parse().ok());
            given.push((input.name.clone(), least.fold(f64::INFINITY, f64::min)));
            text = format!("{text}, {value}");
        }
        text + ")"
    };
    (0..count).map(call).collect()
}

/// The value at a point, and the gradient by central differences.
fn central(tape: &Tape, point: [f64; 3]) -> (f64, [f64; 3]) {
    const STEP: f64 = 1e-5;
    let gradient = [0, 1, 2].map(|axis| {
        let beside = |step: f64| {
            let mut place = point;
            place[axis] += step;
            tape.at(place)[0]
        };
        (beside(STEP) - beside(-STEP)) / (2.0 * STEP)
    });
    (tape.at(point)[0], gradient)
}

/// With random values of the inputs no shape is steeper than declared. Where the slope is 1 and the gradient leads to the
/// surface, the distance is that of the closest point: none is nearer, since the slope is nowhere above 1.
#[test]
fn shapes_with_random_inputs_keep_their_distance() {
    let is_shape = |function: &&LibraryFunction| {
        function.takes_point()
            && function.outputs()[0].ty == Type::Float
            && function.inputs[1..]
                .iter()
                .all(|input| input.default.is_some())
            && function.distance != Distance::Field
    };
    let mut shapes = 0;
    for function in functions().iter().filter(is_shape) {
        shapes += 1;
        for text in random_calls(function, 12) {
            let tape = tape(&text);
            let mut exact = 0;
            for point in points().step_by(9) {
                let point = point.map(|part| 1.5 * part);
                let (value, gradient) = central(&tape, point);
                assert!(value.is_finite(), "{text} is {value} at {point:?}");
                let steepness = length(gradient);
                assert!(
                    steepness < 1.0 + 1e-6,
                    "{text} has the slope {steepness} at {point:?}"
                );
                // On creases the gradient is a mean.
                if function.distance == Distance::Exact && steepness > 1.0 - 1e-7 {
                    let foot = [0, 1, 2].map(|axis| point[axis] - value * gradient[axis]);
                    let rest = tape.at(foot)[0];
                    assert!(
                        rest.abs() < 1e-5,
                        "{text} is {rest} at the foot of {point:?}"
                    );
                    exact += 1;
                }
            }
            if function.distance == Distance::Exact {
                assert!(exact > 300, "{text}: {exact}");
            }
        }
    }
    assert!(shapes > 35, "{shapes}");
}

/// Between planes at any angle the round is a circle of exactly the radius, and a chamfer reaches as far as its leg.
#[test]
fn fillets_and_chamfers_are_of_their_size_at_any_angle() {
    for (angle, size) in [
        (0.7, 2.0),
        (1.1, 0.5),
        (std::f64::consts::FRAC_PI_2, 3.0),
        (2.4, 4.0),
    ] {
        // The plane x = 0 and one through the z axis at the angle.
        let (s, c) = f64::sin_cos(angle);
        let other = format!("(x * {} - y * {s})", -c);
        let call = |name: &str, sign: &str| {
            // A difference is the intersection with the complement.
            let complement = if name.ends_with("difference") {
                "-"
            } else {
                ""
            };
            tape(&format!(
                "{name}({sign}x, {complement}({sign}{other}), {size}, {angle})"
            ))
        };
        // The bisector of the empty space of a union, in which both distances are positive.
        let bisector = {
            let [x, y] = [1.0 - c, -s];
            let length = f64::hypot(x, y);
            [x / length, y / length]
        };
        let along = |t: f64| [bisector[0] * t, bisector[1] * t, 0.3];
        let centre = size / (angle / 2.0).sin();
        let surfaces = [
            ("fillet_union", "", 1.0, centre - size),
            ("fillet_intersection", "-", -1.0, centre - size),
            ("fillet_difference", "-", -1.0, centre - size),
            ("chamfer_union", "", 1.0, size * (angle / 2.0).cos()),
            (
                "chamfer_intersection",
                "-",
                -1.0,
                size * (angle / 2.0).cos(),
            ),
        ];
        for (name, sign, side, far) in surfaces {
            let tape = call(name, sign);
            let value = tape.at(along(far))[0];
            assert!(
                value.abs() < 1e-9,
                "{name} of {angle}: {value} on the bisector"
            );
            for t in [0.1, 0.5, 0.9] {
                let between = if name.starts_with("fillet") {
                    (t * far + (1.0 - t) * centre) - far
                } else {
                    0.2 * t * size
                };
                let value = side * tape.at(along(far + between))[0];
                assert!(
                    (value - between).abs() < 1e-9,
                    "{name}: {value} for {between}"
                );
            }
            if name.starts_with("fillet") {
                // Points of the circle, between the feet on both planes.
                for turn in [-0.9, -0.4, 0.2, 0.8] {
                    let half = std::f64::consts::FRAC_PI_2 - angle / 2.0;
                    let (s, c) = f64::sin_cos(turn * half);
                    let [x, y] = bisector;
                    let out = [-(x * c - y * s), -(y * c + x * s)];
                    let point = [x * centre + out[0] * size, y * centre + out[1] * size, 0.0];
                    let value = tape.at(point)[0];
                    assert!(value.abs() < 1e-9, "{name}: {value} on the circle");
                }
            }
        }
    }
}

/// A wire along a helix is as thick as its profile: points of the surface of a tube, by the Frenet frame, are on its surface.
#[test]
fn wires_along_a_helix_have_their_profile() {
    for (radius, pitch, wire, most) in [
        (10.0, 4.0, 1.0, 2e-4),
        (10.0, 20.0, 3.0, 6e-3),
        (4.0, 10.0, 1.0, 4e-3),
    ] {
        let coil = tape(&format!("circle(helix(pos, {radius}, {pitch}), {wire})"));
        let rise = pitch / std::f64::consts::TAU;
        let steepness = f64::hypot(radius, rise);
        for (turn, around) in fractions(0.754_877_666)
            .zip(fractions(0.569_840_291))
            .take(500)
        {
            let (turn, around) = (20.0 * (turn - 0.5), std::f64::consts::TAU * around);
            let ((s, c), (up, out)) = (turn.sin_cos(), around.sin_cos());
            // Outwards, and along the binormal.
            let binormal = [
                rise * s / steepness,
                -rise * c / steepness,
                radius / steepness,
            ];
            let at = [
                radius * c + wire * out * c,
                radius * s + wire * out * s,
                rise * turn,
            ];
            let point = [0, 1, 2].map(|axis| at[axis] + wire * up * binormal[axis]);
            let value = coil.at(point)[0];
            assert!(
                value.abs() < most * wire,
                "{radius} {pitch} {wire}: {value}"
            );
        }
    }
}
