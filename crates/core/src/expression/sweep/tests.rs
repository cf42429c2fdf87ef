use std::f64::consts::{PI, TAU};
use std::fmt::Write;

use proptest::prelude::*;

use crate::expression::add_function;
use crate::expression::fixtures::{assert_refused, refusal, tape};
use crate::graph::Document;
use crate::vector::{Vector, add, cross, dot, length, scale, sub, unit};

/// The call for corners, which are numbers or named constants.
fn call(profile: &str, corners: &[Vector], radius: f64, is_computed: bool) -> String {
    let (mut names, mut call) = (String::new(), format!("sweep_polyline({profile}"));
    for (index, part) in corners.iter().flatten().enumerate() {
        if is_computed {
            write!(names, "let c{index} = {part}; ").unwrap();
            write!(call, ", c{index}").unwrap();
        } else {
            write!(call, ", {part}").unwrap();
        }
    }
    format!("{names}{call}, radius = {radius})")
}

/// Distance to the path: segments between the corners, rounded by arcs.
fn distance(corners: &[Vector], radius: f64, at: Vector) -> f64 {
    let mut nearest = f64::INFINITY;
    let mut start = corners[0];
    for (index, corner) in corners.iter().enumerate().skip(1) {
        let before = unit(sub(*corner, corners[index - 1])).unwrap();
        let mut end = *corner;
        let mut next = *corner;
        if let Some(after) = corners.get(index + 1) {
            let after = unit(sub(*after, *corner)).unwrap();
            let half = dot(before, after).clamp(-1.0, 1.0).acos() / 2.0;
            end = sub(*corner, scale(before, radius * half.tan()));
            next = add(*corner, scale(after, radius * half.tan()));
            let inwards = unit(sub(after, scale(before, dot(before, after))));
            for step in 0..2000 {
                let Some(inwards) = inwards.filter(|_| radius > 0.0) else {
                    break;
                };
                let (s, c) = (2.0 * half * f64::from(step) / 2000.0).sin_cos();
                let place = add(scale(before, s), scale(inwards, 1.0 - c));
                let place = add(end, scale(place, radius));
                nearest = nearest.min(length(sub(at, place)));
            }
        }
        let along = sub(end, start);
        let share = dot(sub(at, start), along) / dot(along, along);
        let foot = add(start, scale(along, share.clamp(0.0, 1.0)));
        nearest = nearest.min(length(sub(at, foot)));
        start = next;
    }
    nearest
}

fn corners() -> impl Strategy<Value = Vec<Vector>> {
    let step = (0.0..TAU, -1.0..1.0_f64, 6.0..12.0_f64);
    prop::collection::vec(step, 1..5).prop_map(|steps| {
        let mut corners: Vec<Vector> = vec![[0.5, -1.0, 2.0]];
        let mut before: Option<Vector> = None;
        for (turn, height, far) in steps {
            let flat = (1.0 - height * height).sqrt();
            let mut direction = [flat * turn.cos(), flat * turn.sin(), height];
            // No turn of more than about 100 degrees.
            if let Some(before) = before {
                direction = unit(add(direction, scale(before, 1.2))).unwrap();
            }
            before = Some(direction);
            corners.push(add(corners[corners.len() - 1], scale(direction, far)));
        }
        corners
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Across the path, the point is as far away as the path is.
    #[test]
    fn distances_across_are_those_to_the_path(
        corners in corners(),
        is_rounded: bool,
        is_computed: bool,
        around in prop::collection::vec((0.0..1.0, [-3.0..3.0, -3.0..3.0, -3.0..3.0_f64]), 24),
    ) {
        let radius = if is_rounded { 2.0 } else { 0.0 };
        let [across, beyond] = ["length(vec3(x, y, 0))", "0 * x - 1000"]
            .map(|profile| tape(&call(profile, &corners, radius, is_computed)));
        for (share, offset) in around {
            let place: f64 = share * (corners.len() - 1) as f64;
            let (edge, share) = (place as usize, place.fract());
            let along = sub(corners[edge + 1], corners[edge]);
            let at = add(add(corners[edge], scale(along, share)), offset);
            if beyond.at(at)[0] > 0.0 {
                continue;
            }
            let (value, distance) = (across.at(at)[0], distance(&corners, radius, at));
            // Outside of a sharp corner, a profile reaches the mitre plane.
            prop_assert!(value < distance + 1e-3, "{value} for {distance} at {at:?}");
            let reaches = if is_rounded { 1e-3 } else { 0.4 * distance + 1e-3 };
            prop_assert!(value > distance - reaches, "{value} for {distance} at {at:?}");
        }
    }

    /// Near the path, which does not come near itself, the point in the frame of the profile moves without jumps.
    #[test]
    fn the_frame_continues_along_the_path(corners in corners(), is_rounded: bool, is_computed: bool) {
        let radius = if is_rounded { 2.0 } else { 0.0 };
        let tape = tape(&call("x + 3 * y", &corners, radius, is_computed));
        let mut last: Option<(Vector, f64)> = None;
        for (index, ends) in corners.windows(2).enumerate() {
            let side = cross(sub(ends[1], ends[0]), [0.3, 0.5, 0.8]);
            let side = scale(unit(side).unwrap(), 0.2);
            for step in 1..200 {
                let share = f64::from(step) / 200.0;
                let at = add(add(ends[0], scale(sub(ends[1], ends[0]), share)), side);
                let value = tape.at(at)[0];
                if let Some((place, before)) = last {
                    let moved = 4.0 * length(sub(at, place)) + 1e-6;
                    prop_assert!((value - before).abs() < moved, "{before} to {value} on edge {index}");
                }
                last = Some((at, value));
            }
        }
    }
}

const BAR: &str = "max(abs(x) - 2, abs(y) - 1)";

/// Shares of a sequence of low discrepancy.
fn shares(index: i32) -> [f64; 3] {
    [0.819_172_513, 0.671_043_606, 0.549_700_477].map(|step| (f64::from(index) * step).fract())
}

#[test]
fn a_profile_around_corners_is_the_polygon_of_its_outline() {
    for is_computed in [false, true] {
        let path = [[0.0, 0.0, 0.0], [20.0, 0.0, 0.0], [20.0, 20.0, 0.0]];
        let swept = tape(&call(BAR, &path, 0.0, is_computed));
        let drawn = tape("max(polygon(pos, 0,-2, 22,-2, 22,20, 18,20, 18,2, 0,2), abs(z) - 1)");
        // An upright path has the axes of the space, and z is the length along it.
        let path = [[0.0, 0.0, -3.0], [0.0, 0.0, 5.0]];
        let upright = tape(&call(
            "x + 10 * y + 100 * z + 1000",
            &path,
            0.0,
            is_computed,
        ));
        for index in 0..4000 {
            let place = shares(index);
            let at = [
                place[0] * 30.0 - 4.0,
                place[1] * 30.0 - 5.0,
                place[2] * 4.0 - 2.0,
            ];
            let [one, other] = [&swept, &drawn].map(|tape| tape.at(at)[0]);
            assert_eq!(one < 0.0, other < 0.0, "{one} and {other} at {at:?}");
            let expected = at[0] + 10.0 * at[1] + 100.0 * (at[2] + 3.0) + 1000.0;
            assert!((upright.at(at)[0] - expected).abs() < 1e-9);
        }
    }
}

#[test]
fn ends_are_those_of_an_extrusion() {
    let swept = tape(&call(
        "length(vec3(x, y, 0)) - 2",
        &[[1.0, 0.0, 0.0], [9.0, 0.0, 0.0]],
        0.0,
        false,
    ));
    for (at, expected) in [
        ([5.0, 3.0, 4.0], 3.0),
        ([5.0, 0.0, 1.0], -1.0),
        ([1.5, 0.0, 0.0], -0.5),
        ([11.0, 0.0, 1.0], 2.0),
        ([-2.0, 6.0, 0.0], 5.0),
    ] {
        let value = swept.at(at)[0];
        assert!((value - expected).abs() < 1e-12, "{value} at {at:?}");
    }
}

#[test]
fn closed_paths_have_no_ends() {
    let path = [
        [0.0, 0.0],
        [20.0, 0.0],
        [20.0, 12.0],
        [0.0, 12.0],
        [0.0, 0.0],
    ];
    let path = path.map(|[x, y]| [x, y, 0.0]);
    let [sharp, round] = [0.0, 4.0].map(|radius| tape(&call(BAR, &path, radius, false)));
    let frame = "let q = vec3(abs(x - 10), abs(y - 6), 0);";
    let expected = tape(&format!(
        "{frame} max(max(max(q.x - 12, q.y - 8), min(8 - q.x, 4 - q.y)), abs(z) - 1)"
    ));
    let rounded = tape(&format!(
        "{frame} let s = vec3(max(q.x - 6, 0), max(q.y - 2, 0), 0); \
         let d = length(s) + min(max(q.x - 6, q.y - 2), 0) - 4; max(abs(d) - 2, abs(z) - 1)"
    ));
    let (mut volume, count) = (0, 20_000);
    for index in 0..count {
        let place = shares(index);
        let at = [
            place[0] * 26.0 - 3.0,
            place[1] * 18.0 - 3.0,
            place[2] * 3.0 - 1.5,
        ];
        let [one, other] = [&sharp, &expected].map(|tape| tape.at(at)[0]);
        assert_eq!(one < 0.0, other < 0.0, "{one} and {other} at {at:?}");
        let [one, other] = [&round, &rounded].map(|tape| tape.at(at)[0]);
        assert_eq!(one < 0.0, other < 0.0, "{one} and {other} at {at:?}");
        volume += i32::from(one < 0.0);
    }
    // Pappus' theorem, of the path's length.
    let length = 2.0 * (12.0 + 4.0) + TAU * 4.0;
    let volume = f64::from(volume) / f64::from(count) * 26.0 * 18.0 * 3.0;
    assert!((volume - 8.0 * length).abs() < 0.03 * volume, "{volume}");
}

#[test]
fn z_is_the_length_along_the_path() {
    // Half a turn of radius 5 by two corners.
    let path = [
        [0.0, -9.0, 0.0],
        [0.0, 0.0, 0.0],
        [10.0, 0.0, 0.0],
        [10.0, -9.0, 0.0],
    ];
    let along = tape(&call("z + 100", &path, 5.0, false));
    for (at, length) in [
        ([0.0, -8.0, 0.0], 1.0),
        ([0.0, -5.0, 1.0], 4.0),
        (
            [5.0 - 5.0 * 0.5_f64.sqrt(), -5.0 + 5.0 * 0.5_f64.sqrt(), 0.0],
            4.0 + 1.25 * PI,
        ),
        ([5.0, 0.0, 2.0], 4.0 + 2.5 * PI),
        ([10.0, -6.0, 0.0], 5.0 + 5.0 * PI),
    ] {
        let value = along.at(at)[0] - 100.0;
        assert!(
            (value - length).abs() < 1e-9,
            "{value} for {length} at {at:?}"
        );
    }
}

#[test]
fn sweeps_are_evaluated_elsewhere_and_of_each_other() {
    let here = tape("sweep_polyline(max(abs(x) - 2, abs(y) - 1), 0,0,0, 9,0,0, 9,9,0)");
    let there = tape(
        "let q = pos - vec3(1, 2, 3); sweep_polyline(max(abs(x) - 2, abs(y) - 1), 0,0,0, 9,0,0, 9,9,0, at = q) + 0 * sin(q.x)",
    );
    // A profile that is a sweep itself: a ring of four rods.
    let twice = tape(
        "sweep_polyline(sweep_polyline(abs(x) - 1, -4,-4,0, 4,-4,0, 4,4,0, -4,4,0, -4,-4,0), 0,0,0, 0,0,9, 0,20,9)",
    );
    let frame = "let q = max(abs(x), abs(y)); abs(q - 4) - 1";
    let once = tape(&format!(
        "sweep_polyline(max({}, 0 - 9), 0,0,0, 0,0,9, 0,20,9)",
        "abs(max(abs(x), abs(y)) - 4) - 1"
    ));
    assert!((tape(frame).at([4.5, 1.0, 0.0])[0] + 0.5).abs() < 1e-12);
    for index in 0..2000 {
        let at = shares(index).map(|share| share * 24.0 - 6.0);
        let moved = crate::vector::add(at, [1.0, 2.0, 3.0]);
        assert!((here.at(at)[0] - there.at(moved)[0]).abs() < 1e-12);
        let [first, second] = [&twice, &once].map(|tape| tape.at(at)[0]);
        assert_eq!(first < 0.0, second < 0.0, "{first} and {second} at {at:?}");
    }
}

/// The profile at `pos` itself is left out.
#[test]
fn only_nodes_of_use_are_built() {
    let count = |text: &str| {
        let mut document = Document::default();
        let id = add_function(&mut document, "swept", text).unwrap();
        document.function(id).unwrap().nodes().count()
    };
    let once = count("sweep_polyline(cos(x) + y, 0,0,0, 9,0,0)");
    // The sine is computed once, before.
    let twice = count("let s = sin(x); sweep_polyline(cos(x) + y, 0,0,0, 9,0,0) + s");
    assert_eq!(twice, once + 3);
}

#[test]
fn what_is_no_path_is_refused() {
    assert_refused(&[
        ("sweep_polyline(x)", "x, y and z of at least 2 corners"),
        (
            "sweep_polyline(x, 0,0,0)",
            "x, y and z of at least 2 corners",
        ),
        (
            "sweep_polyline(x, 0,0,0, 1,0)",
            "x, y and z of at least 2 corners",
        ),
        (
            "sweep_polyline(x, 0,0,0, 1,0,0, r = 2)",
            "x, y and z of at least 2 corners",
        ),
        (
            "sweep_polyline(x, 0,0,0, 1,0,0, radius = 1, radius = 2)",
            "x, y and z of at least 2 corners",
        ),
        ("sweep_polyline(pos, 0,0,0, 1,0,0)", "float"),
        (
            "sweep_polyline(x, 0,0,0, 0,0,0)",
            "corners 1 and 2 of sweep_polyline are the same point",
        ),
        (
            "sweep_polyline(x, 0,0,0, 9,0,0, 2,0,0)",
            "turns back at corner 2",
        ),
        (
            "sweep_polyline(x, 0,0,0, 9,0,0, radius = -1)",
            "the radius of sweep_polyline is -1.0, but must be above 0",
        ),
        ("sweep_polyline(x, 0,0,0, 9,0,0, radius = pos)", "float"),
        ("sweep_polyline(x, 0,0,0, 9,0,0, at = 3)", "float3"),
        (
            "sweep_polyline(x, 0,0,0, 9,0,0, 9,4,0, radius = 5)",
            "edge 2 of sweep_polyline is too short for the arcs of radius 5.0 at its ends",
        ),
        (
            "sweep_polyline(x, 0,0,0, 9,0,0, 9,4,0, radius = 5)",
            "a radius of at most 4 fits all edges",
        ),
        (
            "sweep_polyline(x, 0,0,0, 9,0,0, 9,9,3, 0,7,8, 0,0,0)",
            "rotates its profile by",
        ),
        (
            "sweep_polyline(3, 0,0,0, 9,0,0)",
            "the function has no argument of this name",
        ),
        (
            "let q = length(pos); sweep_polyline(q - 3, 0,0,0, 9,0,0)",
            "the profile of sweep_polyline uses q, which is computed from pos outside of it",
        ),
    ]);
    // Names of numbers are the same everywhere.
    tape("let r = 3; sweep_polyline(length(vec3(x, y, 0)) - r, 0,0,0, 9,0,0)");
}

/// Numbers that are named or computed are checked as those that are written.
#[test]
fn computed_numbers_are_checked() {
    assert_refused(&[
        (
            "let r = 5; sweep_polyline(x, 0,0,0, 9,0,0, 9,4,0, radius = r)",
            "a radius of at most 4 fits",
        ),
        (
            "sweep_polyline(x, 0,0,0, 9,0,0, 9,4,0, radius = 10/2)",
            "a radius of at most 4 fits",
        ),
        (
            "let r = 0; sweep_polyline(x, 0,0,0, 9,0,0, 9,4,0, radius = r)",
            "for sharp corners, leave it out",
        ),
        (
            "sweep_polyline(x, 0,0,0, 9,0,0, 9,4,sin(y), radius = -2)",
            "is -2.0, but must be above 0",
        ),
        (
            "let a = 9; sweep_polyline(x, 0,0,0, a,0,0, a,0,0, a,9,0)",
            "corners 2 and 3",
        ),
        (
            "let a = 9; sweep_polyline(x, 0,0,0, a,0,0, a - 2,0,0)",
            "turns back at corner 2",
        ),
        (
            "let h = 3; sweep_polyline(x, 0,0,0, 9,0,0, 9,9,h, 0,7,8, 0,0,0)",
            "rotates its profile by",
        ),
    ]);
    // A radius that is limited by what is known only later.
    let limited = tape(
        "sweep_polyline(length(vec3(x, y, 0)) - 1, 0,0,0, 9,0,0, 9,4,0, radius = 1e6 + 0 * sin(x))",
    );
    let written =
        tape("sweep_polyline(length(vec3(x, y, 0)) - 1, 0,0,0, 9,0,0, 9,4,0, radius = 4)");
    // Closed by the same numbers.
    let named = tape(
        "let a = 0; let b = 20; sweep_polyline(max(abs(x), abs(y)) - 1, a,a,0, b,a,0, b,b,0, a,b,0, a,a,0)",
    );
    let closed =
        tape("sweep_polyline(max(abs(x), abs(y)) - 1, 0,0,0, 20,0,0, 20,20,0, 0,20,0, 0,0,0)");
    // A closed path in an oblique plane.
    tape("sweep_polyline(x, 0,0,0, 1,2,3, 6,5,5, 5,3,2, 0,0,0)");
    // Corners in a line have no arcs.
    let line = tape(
        "let a = 9; sweep_polyline(max(abs(x), abs(y)) - 1, 0,0,0, a,0,0, a*2,0,0, a*3,9,0, radius = 2)",
    );
    let shorter =
        tape("sweep_polyline(max(abs(x), abs(y)) - 1, 0,0,0, 18,0,0, 27,9,0, radius = 2)");
    for index in 0..2000 {
        let at = shares(index).map(|share| share * 30.0 - 5.0);
        let at = [at[0], at[1], at[2] / 10.0];
        for [one, other] in [[&limited, &written], [&named, &closed], [&line, &shorter]] {
            let (a, b) = (one.at(at)[0], other.at(at)[0]);
            assert!((a - b).abs() < 1e-9, "{a} and {b} at {at:?}");
        }
    }
}

/// Arcs that leave nothing of the first and of the last edge end where the path does.
#[test]
fn arcs_may_take_whole_edges() {
    for text in [
        "sweep_polyline(length(vec3(x, y, 0)) - 3, 0,0,0, 10,0,0, 10,5,0, radius = 5)",
        "let r = 5; sweep_polyline(length(vec3(x, y, 0)) - 3, 10,5,0, 10,0,0, 0,0,0, radius = r)",
    ] {
        let swept = tape(text);
        assert!((swept.at([10.0, 8.0, 0.0])[0] - 3.0).abs() < 1e-9, "{text}");
        assert!((swept.at([-4.0, 0.0, 0.0])[0] - 4.0).abs() < 1e-9, "{text}");
        assert!((swept.at([10.0, 4.0, 0.0])[0] + 1.0).abs() < 0.1, "{text}");
    }
}

#[test]
fn the_radius_of_the_hint_fits() {
    for index in 1..60 {
        let [a, b, c] = shares(index);
        let corners = format!(
            "0,0,0, {},0,0, {},{},{}, {},9,3",
            5.0 + 9.0 * a,
            9.0 * b,
            3.0 + 9.0 * c,
            4.0 * a,
            -3.0 * b
        );
        let refused = refusal(&format!("sweep_polyline(x, {corners}, radius = 1000)"));
        let (_, rest) = refused.split_once("at most ").unwrap();
        let (radius, _) = rest.split_once(" fits").unwrap();
        tape(&format!("sweep_polyline(x, {corners}, radius = {radius})"));
    }
}

#[test]
fn nested_sweeps_are_limited() {
    let mut text = "x".to_owned();
    for _ in 0..12 {
        text = format!("sweep_polyline({text}, 0,0,0, 9,0,0, 9,9,0, 0,9,0, 0,0,0)");
    }
    let refused = refusal(&text);
    assert!(refused.contains("more than 150000 nodes"), "{refused}");
}
