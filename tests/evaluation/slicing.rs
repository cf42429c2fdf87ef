//! Slices: closed contours with holes, corners, and how near they are to the shape.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use approx::assert_relative_eq;
use fibula::eval::Tape;
use fibula::geometry::{Bounds, Shape, Slice, SliceError, SliceSettings, Slicer};
use fibula::graph::Document;
use proptest::prelude::*;

fn tape(expression: &str) -> Tape {
    let mut document = Document::default();
    let id = fibula::library::add_function(&mut document, "shape", expression)
        .unwrap_or_else(|error| panic!("{expression}: {error}"));
    Tape::new(&document, id).unwrap()
}

fn around(half: f64) -> Bounds {
    Bounds::new([-half; 3], [half; 3]).unwrap()
}

fn sliced(expression: &str, slicing: SliceSettings, z: f64) -> Slice {
    let slicer = Slicer::new(&Shape::new(&tape(expression)).unwrap(), slicing).unwrap();
    let all = slicer.slice(&[z], &|_, _| ControlFlow::Continue(()));
    all.unwrap().remove(0)
}

/// True if two pieces cross, each without its ends.
fn cross(a: [[f64; 2]; 2], b: [[f64; 2]; 2]) -> bool {
    let side = |[from, to]: [[f64; 2]; 2], at: [f64; 2]| {
        (to[0] - from[0]) * (at[1] - from[1]) - (to[1] - from[1]) * (at[0] - from[0])
    };
    side(a, b[0]) * side(a, b[1]) < 0.0 && side(b, a[0]) * side(b, a[1]) < 0.0
}

/// Asserts the laws of every slice: closed lines that do not cross, holes in what is around them.
fn check(slice: &Slice) {
    let mut pieces = Vec::new();
    for (place, contour) in slice.contours.iter().enumerate() {
        assert!(contour.points.len() >= 3);
        assert_eq!(
            contour.area() < 0.0,
            contour.depth % 2 == 1,
            "holes go with the clock"
        );
        match contour.parent {
            None => assert_eq!(contour.depth, 0),
            Some(parent) => {
                assert!(parent < place);
                let around = &slice.contours[parent];
                assert_eq!(around.depth + 1, contour.depth);
                assert!(around.area().abs() > contour.area().abs());
            }
        }
        let points = &contour.points;
        pieces.extend(
            (0..points.len()).map(|place| [points[place], points[(place + 1) % points.len()]]),
        );
    }
    for (place, one) in pieces.iter().enumerate() {
        for other in &pieces[..place] {
            assert!(!cross(*one, *other), "{one:?} crosses {other:?}");
        }
    }
}

#[test]
fn a_circle_is_within_the_tolerance() {
    for (cell, tolerance) in [(1.0, 0.1), (0.5, 0.01), (0.5, 0.001)] {
        let slicing = SliceSettings {
            tolerance,
            ..SliceSettings::new(around(6.0), cell)
        };
        let slice = sliced("length(pos) - 5", slicing, 3.0);
        check(&slice);
        let [circle] = &slice.contours[..] else {
            panic!("one contour, not {}", slice.contours.len());
        };
        let points = &circle.points;
        for (place, a) in points.iter().enumerate() {
            let b = points[(place + 1) % points.len()];
            for at in [*a, [f64::midpoint(a[0], b[0]), f64::midpoint(a[1], b[1])]] {
                let off = (at[0].hypot(at[1]) - 4.0).abs();
                assert!(off <= tolerance, "{at:?} is {off} off");
            }
        }
        // No more points than the tolerance needs, which is 2 pi / acos(1 - tolerance / radius), but for a few.
        let least = PI / (1.0 - tolerance / 4.0).acos();
        let count = points.len() as f64;
        assert!(count < 4.0 * least, "{count} points, {least:.0} do");
        assert!((slice.area() - PI * 16.0).abs() < 2.0 * PI * 4.0 * tolerance);
    }
}

#[test]
fn corners_are_sharp() {
    // A square of side 6, turned by 30 degrees.
    let turned = "let c = cos(pi / 6); let s = sin(pi / 6); \
        max(abs(c * pos.x + s * pos.y), abs(c * pos.y - s * pos.x)) - 3";
    let slice = sliced(turned, SliceSettings::new(around(6.0), 0.4), 0.0);
    check(&slice);
    let [square] = &slice.contours[..] else {
        panic!("one contour");
    };
    assert_eq!(square.points.len(), 4, "{:?}", square.points);
    for at in &square.points {
        assert_relative_eq!(at[0].hypot(at[1]), 3.0 * 2_f64.sqrt(), epsilon = 1e-9);
    }
    assert_relative_eq!(slice.area(), 36.0, epsilon = 1e-9);
}

#[test]
fn the_bounds_close_what_goes_on() {
    let bounds = Bounds::new([-3.0, -2.0, -1.0], [1.0, 2.0, 1.0]).unwrap();
    let slice = sliced("-1 + 0 * pos.x", SliceSettings::new(bounds, 0.3), 0.0);
    check(&slice);
    assert_relative_eq!(slice.area(), 16.0, epsilon = 1e-9);
    assert_eq!(slice.contours[0].points.len(), 4);
    // A pipe along x is cut off at both ends.
    let slice = sliced(
        "length(vec2(pos.y, pos.z)) - 1"
            .replace("vec2(pos.y, pos.z)", "vec3(0, pos.y, pos.z)")
            .as_str(),
        SliceSettings::new(bounds, 0.3),
        0.0,
    );
    check(&slice);
    assert_relative_eq!(slice.area(), 8.0, epsilon = 1e-6);
    // Nothing is above the bounds.
    assert_each_eq! {
        sliced("-1 + 0 * pos.x", SliceSettings::new(bounds, 0.3), 1.5).contours => [];
        sliced("1 + 0 * pos.x", SliceSettings::new(bounds, 0.3), 0.0).contours => [];
    }
}

#[test]
fn rings_lie_in_each_other() {
    // Five rings around the origin, and pieces of others in the corners.
    let rings = "let d = length(vec3(pos.x, pos.y, 0)); abs(fract(d) - 0.5) - 0.25";
    let slice = sliced(rings, SliceSettings::new(around(4.75), 0.06), 0.0);
    check(&slice);
    let depths: Vec<usize> = slice.contours.iter().map(|contour| contour.depth).collect();
    assert_eq!(depths.iter().max(), Some(&9), "{depths:?}");
}

#[test]
fn what_is_undefined_is_outside() {
    let slice = sliced("sqrt(pos.x) - 1", SliceSettings::new(around(2.0), 0.1), 0.0);
    check(&slice);
    assert!(slice.undefined > 0);
    // From 0 to 1, though nothing is known of the side at 0 but where it is.
    assert!((slice.area() - 4.0).abs() < 0.01, "{}", slice.area());
}

#[test]
fn slices_do_not_depend_on_threads_and_others() {
    let slicing = SliceSettings::new(around(8.0), 0.2);
    let slicer = Slicer::new(
        &Shape::new(&tape("shell(gyroid(pos, 5, 0), 0.6)")).unwrap(),
        slicing,
    )
    .unwrap();
    let heights: Vec<f64> = (0..9).map(|step| f64::from(step) - 4.0).collect();
    let all = slicer
        .slice(&heights, &|_, _| ControlFlow::Continue(()))
        .unwrap();
    let one = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    for (slice, &z) in all.iter().zip(&heights) {
        check(slice);
        let alone = one.install(|| {
            slicer
                .slice(&[z], &|_, _| ControlFlow::Continue(()))
                .unwrap()
        });
        assert_eq!(*slice, alone[0]);
    }
}

#[test]
fn a_contour_is_found_where_values_beside_it_are_huge_or_flat() {
    for text in [
        "1 - exp(4000 * (5 - length(pos)))",
        "(length(pos) - 5) * (length(pos) - 5) * (length(pos) - 5)",
    ] {
        let slice = sliced(text, SliceSettings::new(around(6.0), 0.5), 0.0);
        check(&slice);
        assert_eq!(slice.contours.len(), 1, "{text}");
        for [x, y] in &slice.contours[0].points {
            assert!((x.hypot(*y) - 5.0).abs() < 1e-3, "{x} {y}: {text}");
        }
    }
}

#[test]
fn contours_thinner_than_the_tolerance_do_not_cross() {
    let crescent = "max(sphere(pos - vec3(0.03786087446023638, -0.24870445253413062, -0.47452023456473824), \
        1.9828087318160057), 0 - min(box(pos - vec3(0.38378367513928907, -0.5696682783899373, 0), \
        vec3(2.1314677911260054, 2.0153954810619537, 3)), sphere(pos, 0.5)))";
    check(&sliced(crescent, SliceSettings::new(around(5.0), 0.1), 0.0));
    for (number, gap) in [0.3, 0.1, 0.03, 0.01, 0.003, 1e-3, 1e-4, 1e-6]
        .into_iter()
        .enumerate()
    {
        for (cell, tolerance) in [(0.1, 0.01), (0.1, 0.1), (0.7, 0.3)] {
            let moved = 0.377 * number as f64;
            // Rings, crescents and walls.
            for text in [
                format!("abs(length(pos - vec3({moved}, 0, 0)) - 3) - {gap}"),
                format!(
                    "max(length(pos) - 3, {gap} + 2.8 - length(pos - vec3(0.2, {moved} * 0.01, 0)))"
                ),
                format!("abs(x + sin(y * 2 + {moved})) - {gap}"),
                format!("max(abs(x * y * 0.1 - {gap}), length(pos) - 4) - {gap}"),
            ] {
                let slicing = SliceSettings {
                    tolerance,
                    ..SliceSettings::new(around(5.0), cell)
                };
                check(&sliced(&text, slicing, 0.0));
            }
        }
    }
}

#[test]
fn what_cannot_be_sliced_is_told() {
    let ball = tape("length(pos) - 5");
    let refused = |slicing: SliceSettings| {
        Slicer::new(&Shape::new(&ball).unwrap(), slicing)
            .err()
            .map(|error| error.to_string())
    };
    let slicing = SliceSettings::new(around(6.0), 0.1);
    let with_cell = |cell: f64| SliceSettings { cell, ..slicing };
    let tolerance = -1.0;
    let thin = Bounds::new([0.0; 3], [1e3, 1e-5, 1.0]).unwrap();
    let told: Vec<Option<String>> = [
        with_cell(0.0),
        with_cell(f64::NAN),
        SliceSettings {
            tolerance,
            ..slicing
        },
        with_cell(1e-9),
        // All samples along a side are held, however thin the box is.
        SliceSettings {
            bounds: thin,
            ..with_cell(1e-5)
        },
        slicing,
    ]
    .map(refused)
    .into();
    insta::assert_debug_snapshot!(told);
    let slicer = Slicer::new(&Shape::new(&ball).unwrap(), slicing).unwrap();
    let go_on = |_, _| ControlFlow::Continue(());
    assert!(matches!(
        slicer.slice(&[f64::NAN], &go_on),
        Err(SliceError::Height(_))
    ));
    let ended = slicer.slice(&[0.0; 50], &|_, _| ControlFlow::Break(()));
    assert!(matches!(ended, Err(SliceError::Cancelled(_))));
}

/// Samples along each axis that a slice is compared with.
const SIDE: usize = 200;

fn solid() -> impl Strategy<Value = String> {
    let place = || (-3.0..3.0_f64, -3.0..3.0_f64, -1.0..1.0_f64);
    let leaf = prop_oneof![
        (place(), 0.5..2.5_f64)
            .prop_map(|((x, y, z), r)| format!("sphere(pos - vec3({x}, {y}, {z}), {r})")),
        (place(), 0.5..4.0_f64, 0.5..4.0_f64).prop_map(|((x, y, z), a, b)| format!(
            "box(pos - vec3({x}, {y}, {z}), vec3({a}, {b}, 3))"
        )),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        (inner.clone(), inner, 0..3).prop_map(|(a, b, kind)| match kind {
            0 => format!("min({a}, {b})"),
            1 => format!("max({a}, {b})"),
            _ => format!("max({a}, 0 - {b})"),
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Closed, without crossings, nested, and as large as the samples inside say.
    #[test]
    fn slices_of_solids_are_sound(expression in solid(), z in -1.0..1.0_f64) {
        let slice = sliced(&expression, SliceSettings::new(around(5.0), 0.1), z);
        check(&slice);
        let tape = tape(&expression);
        let mut evaluator = tape.evaluator();
        let (mut inside, mut value) = (0, [0.0]);
        for place in 0..SIDE * SIDE {
            let at = |step: usize| (step as f64 + 0.5) / SIDE as f64 * 10.0 - 5.0;
            evaluator.run(&[at(place % SIDE), at(place / SIDE), z], &mut value);
            inside += usize::from(value[0] < 0.0);
        }
        let expected = inside as f64 * (10.0 / SIDE as f64).powi(2);
        prop_assert!((slice.area() - expected).abs() < 0.02 * expected + 0.3, "{} and {expected}", slice.area());
    }
}
