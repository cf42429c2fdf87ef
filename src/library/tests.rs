use std::collections::BTreeSet;

use fibula_eval::{Rounding, Settings};
use fibula_nodes::{Type, catalogue};

use super::{Distance, LibraryFunction, find, library};
use crate::eval::Tape;
use crate::expression;
use crate::graph::Document;

/// The function of an example, with the functions of the library that it calls.
fn example(function: &LibraryFunction) -> Tape {
    let mut document = Document::default();
    for called in super::called(&document, &function.example) {
        document.insert(called.data()).expect("it is a function");
    }
    let id = expression::add_function(&mut document, "example", &function.example);
    let id = id.unwrap_or_else(|error| panic!("{}: {error}", function.name));
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
    for function in library() {
        let name = &function.name;
        assert!(names.insert(name.to_lowercase()), "{name} is there twice");
        let is_kind = catalogue::catalogue().iter().any(|about| {
            let all = [about.name, about.element].into_iter();
            all.chain(about.aliases.iter().copied())
                .any(|other| other.eq_ignore_ascii_case(name))
        });
        assert!(!is_kind, "{name} is the name of a kind");
        assert!(
            !crate::expression::unknown_calls(&Document::default(), &format!("{name}(1)"))
                .is_empty()
        );
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
        assert_eq!(
            find(&name.to_uppercase()).map(|found| &found.name),
            Some(name)
        );
    }
    assert_eq!(names.len(), 45);
}

/// What a function says of its value is so, in its example: signs and zeros in any case; of a bound that it is never steeper
/// than 1; of a distance that it leads to the surface.
#[test]
fn distances_are_as_good_as_they_say() {
    for function in library() {
        let tape = example(function);
        let (mut inside, mut outside, mut near) = (0, 0, 0);
        for point in points() {
            let (value, gradient, kinks) = slope(&tape, point);
            let name = &function.name;
            assert!(value.is_finite(), "{name} is {value} at {point:?}");
            if value < 0.0 {
                inside += 1;
            } else {
                outside += 1;
            }
            if function.distance == Distance::Field || kinks > 0 {
                continue;
            }
            let steepness = length(gradient);
            assert!(
                steepness < 1.0 + 1e-9,
                "{name} has the slope {steepness} at {point:?}"
            );
            if function.distance == Distance::Exact && function.outputs()[0].ty == Type::Float {
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
        let is_exact =
            function.distance == Distance::Exact && function.outputs()[0].ty == Type::Float;
        assert_eq!(near > 1_000, is_exact, "{}", function.name);
    }
}

/// Maps that keep distances do: what is measured behind them is an exact distance again.
#[test]
fn motions_keep_distances() {
    for name in ["translate", "rotate_x", "rotate_y", "rotate_z", "rotate"] {
        let tape = example(find(name).expect("it is there"));
        for point in points() {
            let (value, gradient, kinks) = slope(&tape, point);
            if kinks > 0 {
                continue;
            }
            let foot = [0, 1, 2].map(|axis| point[axis] - value * gradient[axis]);
            let (rest, ..) = slope(&tape, foot);
            assert!(
                rest.abs() < 1e-9,
                "{name} is {rest} at the foot of {point:?}"
            );
        }
    }
}

#[test]
fn coordinates_lead_back() {
    let mut document = Document::default();
    let text = "shape = length(from_cylindrical(to_cylindrical(pos)) - pos) + length(from_spherical(to_spherical(pos)) - pos)";
    for called in super::called(&document, text) {
        document.insert(called.data()).expect("it is a function");
    }
    let id = expression::add_function(&mut document, "there and back", text).expect("it is right");
    let tape = Tape::new(&document, id).expect("it is whole");
    for point in points() {
        let (value, ..) = slope(&tape, point);
        assert!(value < 1e-12, "{value} at {point:?}");
    }
}
