//! Shapes whose measures are known: what is true lies within the error, and the error is small.

use std::f64::consts::{FRAC_1_SQRT_2, PI, TAU};
use std::sync::atomic::{AtomicU64, Ordering};

use fibula::geometry::{
    Bounds, CompareSettings, Figure, GapKind, MeasureSettings, Measures, Shape, SlabSettings, Span,
    compare, measure,
};

use super::{ON, cube, holds, measured, tape};

/// Known measures of a shape.
struct Truth {
    volume: f64,
    area: f64,
    centre: [f64; 3],
    moments: [f64; 3],
    pieces: [u64; 3],
}

/// Errors are at most this part of the numbers.
fn check(what: &str, measures: &Measures, truth: &Truth, part: f64) {
    holds(
        &format!("{what}: volume"),
        measures.volume,
        truth.volume,
        part * truth.volume,
    );
    holds(
        &format!("{what}: area"),
        measures.area,
        truth.area,
        part * truth.area,
    );
    let size = truth.volume.cbrt();
    for axis in 0..3 {
        let centre = Figure {
            value: measures.centre.value[axis],
            error: measures.centre.error,
        };
        holds(
            &format!("{what}: centre"),
            centre,
            truth.centre[axis],
            part * size,
        );
        let moment = Figure {
            value: measures.moments.value[axis],
            error: measures.moments.error,
        };
        let largest = truth.moments[2];
        holds(
            &format!("{what}: moments"),
            moment,
            truth.moments[axis],
            2.0 * part * largest,
        );
    }
    let counts = [measures.components, measures.cavities, measures.genus];
    assert_eq!(counts.map(|count| count.value), truth.pieces, "{what}");
    assert_eq!(counts.map(|count| count.error), [0; 3], "{what}");
    let is_sound = measures.closed && measures.manifold && measures.oriented;
    assert!(is_sound, "{what}");
}

#[track_caller]
fn spans(what: &str, span: Option<Span>, truth: f64, most: f64) -> [[f64; 3]; 2] {
    let Span {
        value, error, at, ..
    } = span.unwrap_or_else(|| panic!("{what}: there is one"));
    holds(what, Figure { value, error }, truth, most);
    let long = (0..3)
        .map(|axis| (at[1][axis] - at[0][axis]).powi(2))
        .sum::<f64>()
        .sqrt();
    let most = 1e-12 * (1.0 + value);
    assert!((long - value).abs() < most, "{what}: {at:?}");
    at
}

/// Kind of the narrowest gap.
fn kind(measures: &Measures) -> Option<GapKind> {
    measures.gap?.kind
}

#[test]
fn a_ball() {
    let ball = measured("length(pos - vec3(1, 2, 3)) - 5", cube(9.0), 0.5);
    let volume = 4.0 / 3.0 * PI * 125.0;
    let truth = Truth {
        volume,
        area: 100.0 * PI,
        centre: [1.0, 2.0, 3.0],
        moments: [0.4 * volume * 25.0; 3],
        pieces: [1, 0, 0],
    };
    check("ball", &ball, &truth, 0.03);
    spans("ball", ball.wall, 10.0, 0.1);
    assert!(ball.gap.is_none());
    // The cap below the circle at which the surface is steeper than 45 degrees.
    let steep = FRAC_1_SQRT_2 + FRAC_1_SQRT_2 * 1e-3;
    holds("overhang", ball.overhang, TAU * 25.0 * (1.0 - steep), 8.0);
    for axis in 0..3 {
        let middle = truth.centre[axis];
        for (corner, side) in ball.bounds.value.iter().zip([-5.0, 5.0]) {
            let off = (corner[axis] - middle - side).abs();
            assert!(off <= ball.bounds.error, "{:?}", ball.bounds);
        }
    }
    assert!(ball.bounds.error < 0.1, "{:?}", ball.bounds);
}

/// A box about the origin, turned about two axes: the text, and the axes.
pub(crate) fn turned_box(half: [f64; 3], one: f64, two: f64) -> String {
    let ((s, c), (t, d)) = (one.sin_cos(), two.sin_cos());
    let axes = [[c, s, 0.0], [-s * d, c * d, t], [s * t, -c * t, d]];
    let sides = axes.iter().zip(half);
    let sides: Vec<String> = sides
        .map(|([a, b, c], half)| format!("abs({a} * x + {b} * y + {c} * z) - {half}"))
        .collect();
    format!("max(max({}, {}), {})", sides[0], sides[1], sides[2])
}

#[test]
fn boxes_upright_and_turned() {
    let truth = Truth {
        volume: 72.0,
        area: 108.0,
        centre: [0.0; 3],
        moments: [6.0 * 25.0, 6.0 * 45.0, 6.0 * 52.0],
        pieces: [1, 0, 0],
    };
    for (one, two, part) in [(0.0, 0.0, 1e-3), (0.6, 0.35, 0.02), (0.2, -0.9, 0.02)] {
        let text = turned_box([3.0, 2.0, 1.5], one, two);
        let brick = measured(&text, cube(5.0), 0.3);
        check(&text, &brick, &truth, part);
        // The edges are no thin walls.
        let [from, to] = spans(&text, brick.wall, 3.0, 0.01);
        let mut sums = from.iter().zip(&to).map(|(from, to)| from + to);
        assert!(sums.all(|sum| sum.abs() < 6.0));
        assert!(brick.gap.is_none(), "{text}");
    }
    let upright = measured(&turned_box([3.0, 2.0, 1.5], 0.0, 0.0), cube(5.0), 0.3);
    // Its lower side lies on the plate.
    holds("overhang", upright.overhang, 0.0, 1e-9);
    assert!(upright.inertia.value[0][1].abs() < upright.inertia.error);
}

#[test]
fn a_ring_and_a_capsule() {
    let text = "length(vec3(length(vec3(x, y, 0)) - 4, z, 0)) - 1.5";
    let ring = measured(text, cube(6.0), 0.3);
    let (large, small) = (4.0, 1.5);
    let volume = TAU * large * PI * small * small;
    let across = volume * (large * large / 2.0 + 5.0 / 8.0 * small * small);
    let along = volume * (large * large + 0.75 * small * small);
    let truth = Truth {
        volume,
        area: TAU * large * TAU * small,
        centre: [0.0; 3],
        moments: [across, across, along],
        pieces: [1, 0, 1],
    };
    check("ring", &ring, &truth, 0.05);
    spans("ring", ring.wall, 3.0, 0.1);
    // Through the hole.
    spans("ring", ring.gap, 5.0, 0.1);
    assert_eq!(kind(&ring), Some(GapKind::Hole));
    let text = "length(vec3(x, y, z - clamp(z, -2, 2))) - 2.5";
    let capsule = measured(text, cube(6.0), 0.4);
    let (radius, height) = (2.5_f64, 4.0);
    let (cylinder, ball) = (
        PI * radius.powi(2) * height,
        4.0 / 3.0 * PI * radius.powi(3),
    );
    let along = cylinder * radius.powi(2) / 2.0 + ball * 0.4 * radius.powi(2);
    let across = cylinder * (radius.powi(2) / 4.0 + height.powi(2) / 12.0)
        + ball * (0.4 * radius.powi(2) + 3.0 / 8.0 * radius * height + height.powi(2) / 4.0);
    let truth = Truth {
        volume: cylinder + ball,
        area: TAU * radius * height + 4.0 * PI * radius.powi(2),
        centre: [0.0; 3],
        moments: [along, across, across],
        pieces: [1, 0, 0],
    };
    check("capsule", &capsule, &truth, 0.05);
    spans("capsule", capsule.wall, 5.0, 0.1);
}

#[test]
fn two_balls_and_what_is_between() {
    let text = "min(length(pos - vec3(-2.15, 0, 0)) - 2, length(pos - vec3(2.15, 0.4, 0)) - 2)";
    let apart = (4.3_f64.powi(2) + 0.16).sqrt() - 4.0;
    let balls = measured(text, cube(4.5), 0.14);
    assert_eq!((balls.components.value, balls.genus.value), (2, 0));
    let volume = 2.0 * 4.0 / 3.0 * PI * 8.0;
    holds("volume", balls.volume, volume, 0.03 * volume);
    let at = spans("balls", balls.gap, apart, 0.01);
    let near = |place: &[f64; 3]| place[0].abs() < 0.3 && place[2].abs() < 0.1;
    assert!(at.iter().all(near), "{at:?}");
    spans("balls", balls.wall, 4.0, 0.05);
}

#[test]
fn walls_are_as_thin_as_they_are() {
    // A slab, lying as it likes.
    let slab = measured(&turned_box([4.0, 4.0, 0.4], 0.4, 0.5), cube(7.0), 0.35);
    spans("slab", slab.wall, 0.8, 0.01);
    // A shell, thinner on one side.
    let shell = "max(length(pos) - 5, 4 - length(pos - vec3(0.5, 0, 0)))";
    let shell = measured(shell, cube(5.5), 0.22);
    let at = spans("shell", shell.wall, 0.5, 0.02);
    assert!(at.iter().all(|place| place[0] > 4.4), "{at:?}");
    assert_eq!((shell.components.value, shell.cavities.value), (1, 1));
    // Its hollow is a gap.
    spans("shell", shell.gap, 8.0, 0.05);
    assert_eq!(kind(&shell), Some(GapKind::Cavity));
    // A box with a slot, 0.7 wide, and 1 above its bottom.
    let slotted =
        "max(max(max(abs(x) - 3, abs(y) - 2), abs(z) - 2), -max(abs(x - 0.3) - 0.35, -1 - z))";
    let slotted = measured(slotted, cube(4.0), 0.25);
    spans("slot", slotted.gap, 0.7, 0.01);
    assert_eq!(kind(&slotted), Some(GapKind::Gap));
    spans("slot", slotted.wall, 1.0, 0.01);
}

#[test]
fn holes_are_called_so_and_notches_are_no_gaps() {
    let block = "max(max(abs(x) - 6, abs(y) - 5), abs(z) - 3)";
    // Through, and blind.
    for end in ["", "-1 - z"] {
        let bore = "length(vec3(x - 1, y, 0)) - 1.5";
        let bore = match end {
            "" => bore.to_owned(),
            end => format!("max({bore}, {end})"),
        };
        let bored = measured(&format!("max({block}, -({bore}))"), cube(7.0), 0.3);
        spans("bore", bored.gap, 3.0, 0.02);
        assert_eq!(kind(&bored), Some(GapKind::Hole), "{bore}");
    }
    // Two faces that meet at 30 degrees have no distance; a slot beside them has.
    let notch = "abs(x) - 0.268 * (z + 1)";
    let notched = measured(&format!("max({block}, -({notch}))"), cube(7.0), 0.3);
    assert!(notched.gap.is_none(), "{:?}", notched.gap);
    let slot = "max(abs(x - 4.5) - 0.5, 1 - z)";
    let text = format!("max(max({block}, -({notch})), -({slot}))");
    let both = measured(&text, cube(7.0), 0.3);
    spans("slot", both.gap, 1.0, 0.02);
    assert_eq!(kind(&both), Some(GapKind::Gap));
}

#[test]
fn cuts_are_sides_of_walls() {
    // A rod without an end, and a plate whose value jumps.
    let bounds = Bounds::new([-4.0, -4.0, -0.6], [4.0, 4.0, 0.7]).unwrap();
    let rod = measured("length(vec3(x, y, 0)) - 3", bounds, 0.3);
    spans("rod", rod.wall, 1.3, 0.01);
    holds("rod", rod.volume, 9.0 * PI * 1.3, 1.0);
    let jumps = "select(max(abs(x), abs(y)), 3, select(abs(z), 1, -1, 1), 1)";
    spans("plate", measured(jumps, cube(4.0), 0.25).wall, 2.0, 0.3);
}

#[test]
fn edges_are_walls_only_where_they_are_sharp() {
    // The edge of a wedge whose sides stand at an angle.
    let wedge = |angle: f64| {
        let (s, c) = (angle / 2.0_f64).sin_cos();
        let text =
            format!("max(max({c} * y - {s} * x, -{c} * y - {s} * x), max(x - 6, abs(z) - 5.1))");
        measured(&text, cube(7.0), 0.35)
    };
    // At more than 45 degrees an edge is no wall, at less it is a feather edge: no wall either.
    let blunt = wedge(60_f64.to_radians());
    assert!(blunt.wall.unwrap().value > 5.0, "{blunt:?}");
    assert_eq!(blunt.feather_edge, None);
    for degrees in [30.0_f64, 8.0] {
        let sharp = wedge(degrees.to_radians());
        // Larger cells may see less of the thin part, which the error says.
        let wall = sharp.wall.unwrap();
        assert!((wall.value - 10.2).abs() < 0.1, "{wall:?}");
        let edge = sharp.feather_edge.expect("there is one");
        assert!((edge.value - degrees).abs() < 0.1, "{edge:?}");
        // It is the z axis.
        assert!(
            edge.at[0].abs() < 0.05 && edge.at[1].abs() < 0.05,
            "{edge:?}"
        );
    }
    // Sides that narrow and end are a wall where they end.
    let (s, c) = 6_f64.to_radians().sin_cos();
    let text = format!(
        "max(max(max({c} * y - {s} * x, -{c} * y - {s} * x), 5 - x), max(x - 11, abs(z) - 5.1))"
    );
    let bounds = Bounds::new([4.0, -3.0, -6.0], [12.0, 3.0, 6.0]).unwrap();
    let blunt = measured(&text, bounds, 0.3);
    assert_eq!(blunt.feather_edge, None);
    let at = spans("taper", blunt.wall, 10.0 * s / (2.0 * c * c - 1.0), 0.03);
    assert!(at.iter().all(|place| place[0] < 5.3), "{at:?}");
}

/// A flat cavity, whose width is more than twice its height, was called a gap.
#[test]
fn a_cavity_is_one_by_all_answers() {
    let block = "max(max(abs(x) - 6, abs(y) - 6), abs(z) - 4)";
    let flat = "max(max(abs(x) - 4, abs(y) - 4), abs(z - 1) - 0.5)";
    let flat = measured(&format!("max({block}, -({flat}))"), cube(7.0), 0.3);
    assert_eq!(flat.cavities.value, 1);
    spans("flat", flat.gap, 1.0, 0.02);
    assert_eq!(kind(&flat), Some(GapKind::Cavity));
    let [void] = flat.voids[..] else {
        panic!("{:?}", flat.voids);
    };
    assert!((void.value - 64.0).abs() <= void.error, "{void:?}");
    assert!(void.error < 4.0, "{void:?}");
    let expected = [[-4.0, -4.0, 0.5], [4.0, 4.0, 1.5]];
    let corners = void.bounds.iter().zip(expected);
    let mut pairs = corners.flat_map(|(corner, expected)| corner.iter().zip(expected));
    assert!(
        pairs.all(|(at, expected)| (at - expected).abs() < 0.02),
        "{void:?}"
    );
    // A blind hole in a part with a cavity is a hole.
    let ball = "length(pos + vec3(2, 0, 1)) - 2.5";
    let bore = "max(length(vec3(x - 4, y, 0)) - 1, -1 - z)";
    let bored = measured(
        &format!("max(max({block}, -({ball})), -({bore}))"),
        cube(7.0),
        0.3,
    );
    assert_eq!(bored.cavities.value, 1);
    spans("bore", bored.gap, 2.0, 0.02);
    assert_eq!(kind(&bored), Some(GapKind::Hole));
    // Between a loose piece in a cavity and its surface there is a gap.
    let loose = "min(max(length(pos) - 6, 4 - length(pos)), length(pos) - 3)";
    let loose = measured(loose, cube(7.0), 0.3);
    assert_eq!((loose.components.value, loose.cavities.value), (2, 1));
    spans("loose", loose.gap, 1.0, 0.02);
    assert_ne!(kind(&loose), Some(GapKind::Cavity));
    let volumes: Vec<f64> = loose.pieces.iter().map(|piece| piece.value).collect();
    let ball = |radius: f64| 4.0 / 3.0 * PI * radius.powi(3);
    assert_eq!(volumes.len(), 2);
    for (volume, radius) in volumes.iter().zip([6.0, 3.0]) {
        assert!((volume / ball(radius) - 1.0).abs() < 0.01, "{volumes:?}");
    }
}

#[test]
fn thickness_at_a_point_is_that_of_the_wall_around_it() {
    // A plate with a thicker half.
    let plate = "min(max(max(abs(x) - 6, abs(y) - 3), abs(z) - 0.5), max(max(abs(x - 3) - 3, abs(y) - 3), abs(z) - 1.5))";
    let thickness = |at: [f64; 3]| {
        let tape = tape(plate);
        let measuring = MeasureSettings {
            thickness_at: Some(at),
            ..MeasureSettings::new(cube(7.0), 0.3)
        };
        let measured = measure(&Shape::new(&tape).unwrap(), &measuring, ON).unwrap();
        measured.measures.thickness
    };
    for (at, expected) in [
        ([-3.0, 0.0, 0.1], 1.0),
        ([-3.0, 0.0, 0.5], 1.0),
        ([3.0, 0.0, -1.2], 3.0),
        // Beside a rim the wall that ends there counts, not the way along it.
        ([3.0, 2.9, 0.0], 3.0),
        ([3.0, 3.0, 0.7], 3.0),
        ([-6.0, 1.0, 0.1], 1.0),
        ([-5.9, 2.95, 0.38], 1.0),
        ([-5.95, 2.9, 0.3], 1.0),
        ([-5.9, 2.9, 0.4], 1.0),
        // Up to the step between the halves.
        ([-0.2, 0.0, 0.0], 1.0),
    ] {
        spans("plate", thickness(at), expected, 0.01);
    }
    assert_eq!(thickness([-3.0, 0.0, 1.2]), None);
}

/// Near a rim the way along the part was taken, such as 40 at the side of a plate of 2.
#[test]
fn thickness_near_a_rim_is_across_the_wall() {
    let thickness = |text: &str, at: [f64; 3]| {
        let seen = crate::calls::shape(text);
        let tape = seen.tape;
        let measuring = MeasureSettings {
            thickness_at: Some(at),
            ..MeasureSettings::new(cube(22.0), 0.4)
        };
        let measured = measure(&Shape::new(&tape).unwrap(), &measuring, ON).unwrap();
        measured.measures.thickness
    };
    let plate = "box(pos, vec3(40, 20, 2))";
    let rounded = "length(vec3(max(abs(x) - 18, 0), max(abs(y) - 8, 0), z)) - 2";
    let rod = "capsule(pos, vec3(0, 0, -14), vec3(0, 0, 14), 3)";
    let cylinder = "cylinder(pos, 2, 30)";
    let cuboid = "box(pos, vec3(10, 10, 10))";
    let bored = "max(box(pos, vec3(30, 30, 10)), 3 - length(vec3(x, y, 0)))";
    for (text, at, expected) in [
        (plate, [20.0, 0.0, 0.0], 2.0),
        (plate, [20.0, 3.0, 0.6], 2.0),
        (plate, [20.0, 3.0, -0.95], 2.0),
        (plate, [19.8, 0.0, 0.1], 2.0),
        (plate, [19.99, 9.99, 0.99], 2.0),
        (plate, [3.0, 10.0, 0.0], 2.0),
        (plate, [0.0, 0.0, 1.0], 2.0),
        (rounded, [20.0, 0.0, 0.0], 4.0),
        (rod, [0.0, 0.0, 17.0], 6.0),
        (cylinder, [0.0, 0.5, 15.0], 4.0),
        // Everywhere as thick as it is.
        (cuboid, [5.0, 4.5, 4.0], 10.0),
        (cuboid, [0.0, 0.0, 0.1], 10.0),
        (bored, [3.5, 0.0, 5.0], 10.0),
    ] {
        let found = thickness(text, at);
        println!("{text} at {at:?}: {found:?}");
        spans(&format!("{text} at {at:?}"), found, expected, 0.1);
    }
}

#[test]
fn slabs_have_the_volume_between_their_planes() {
    let tape = tape("length(pos - vec3(1, 2, 3)) - 5");
    let bounds = [[-4.0, -3.0, -2.0], [6.0, 7.0, 8.0]];
    for axis in 0..3 {
        let measuring = MeasureSettings {
            slabs: Some(SlabSettings {
                axis,
                count: 4,
                bounds,
            }),
            ..MeasureSettings::new(cube(9.0), 0.5)
        };
        let measured = measure(&Shape::new(&tape).unwrap(), &measuring, ON).unwrap();
        let slabs = measured.measures.slabs;
        // Caps of 2.5 and the zones beside them.
        let cap = PI * 2.5_f64.powi(2) * (15.0 - 2.5) / 3.0;
        let zone = 2.0 / 3.0 * PI * 125.0 - cap;
        for (slab, expected) in slabs.iter().zip([cap, zone, zone, cap]) {
            assert!(
                (slab.value - expected).abs() <= slab.error,
                "{slab:?}, {expected}"
            );
            assert!(slab.error < 0.05 * expected, "{slab:?}, {expected}");
            assert!(
                (slab.fraction * 250.0 - slab.value).abs() < 1e-9,
                "{slab:?}"
            );
        }
        assert_eq!((slabs.len(), slabs[0].from), (4, bounds[0][axis]));
        assert!((slabs[3].to - bounds[1][axis]).abs() < 1e-9);
    }
}

#[test]
fn overhangs_lie_not_on_the_plate_and_are_steeper_than_the_angle() {
    // A table, whose top sticks out 2 on all sides.
    let table = "min(max(max(abs(x), abs(y)) - 2, abs(z - 2) - 2), max(max(abs(x), abs(y)) - 4, abs(z - 5) - 1))";
    let bounds = Bounds::new([-5.0, -5.0, -1.0], [5.0, 5.0, 7.0]).unwrap();
    let table = measured(table, bounds, 0.3);
    holds("table", table.overhang, 64.0 - 16.0, 0.5);
    // A cone that stands on its tip, 45 degrees steep: no overhang at 45, one at 40.
    let cone = "max((length(vec3(x, y, 0)) - z) / sqrt(2), z - 4)";
    let overhang = |degrees: f64| {
        let tape = tape(cone);
        let measuring = MeasureSettings {
            overhang: degrees.to_radians(),
            ..MeasureSettings::new(bounds, 0.3)
        };
        let measured = measure(&Shape::new(&tape).unwrap(), &measuring, ON).unwrap();
        measured.measures.overhang
    };
    let side = PI * 4.0 * 32.0_f64.sqrt();
    holds("cone", overhang(40.0), side, 0.1 * side);
    let none = overhang(45.1);
    assert!(none.value < 0.02 * side, "{none:?}");
}

#[test]
fn errors_tell_what_cells_do_not_see() {
    // Two balls, one of which is lost in the larger cells.
    let text = "min(length(pos - vec3(0, 0, 3)) - 0.28, length(pos + vec3(0, 0, 2)) - 2)";
    let balls = measured(text, cube(5.0), 0.4);
    let count = &balls.components;
    assert!(count.value == 1 || count.error > 0, "{balls:?}");
    // What is thinner than the larger cells.
    let sheet = measured(&turned_box([3.0, 3.0, 0.25], 0.4, 0.5), cube(5.0), 0.4);
    holds("sheet", sheet.volume, 18.0, 18.0);
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let tape = tape("length(pos) - 1");
    let shape = Shape::new(&tape).unwrap();
    let with = |measuring: &MeasureSettings| {
        let refused = measure(&shape, measuring, ON).unwrap_err();
        (refused.code(), refused.to_string())
    };
    for cell in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let (code, _) = with(&MeasureSettings::new(cube(2.0), cell));
        assert_eq!(code, "invalid_value");
    }
    assert_eq!(with(&MeasureSettings::new(cube(2.0), 1e-9)).0, "too_large");
    for overhang in [-0.1, f64::NAN, std::f64::consts::FRAC_PI_2, 45.0] {
        let measuring = MeasureSettings {
            overhang,
            ..MeasureSettings::new(cube(2.0), 0.2)
        };
        let (code, text) = with(&measuring);
        assert_eq!(code, "invalid_value");
        assert!(text.contains("90 degrees"), "{text}");
    }
    let few = MeasureSettings {
        most_triangles: 100,
        ..MeasureSettings::new(cube(2.0), 0.1)
    };
    assert_eq!(with(&few).0, "too_large");
    let nothing = Bounds::new([5.0; 3], [6.0; 3]).unwrap();
    assert_eq!(with(&MeasureSettings::new(nothing, 0.2)).0, "empty_shape");
    let told = AtomicU64::new(0);
    let ended = measure(
        &shape,
        &MeasureSettings::new(cube(2.0), 0.1),
        &|done, total| {
            assert!(done <= total);
            crate::calls::stop_if(told.fetch_max(done, Ordering::Relaxed) > 500)
        },
    );
    assert_eq!(ended.unwrap_err().code(), "cancelled");
    assert!((500..1000).contains(&told.into_inner()));
}

#[test]
fn scales_at_which_figures_are_no_numbers_are_refused() {
    for size in [1e70, 1e-70] {
        let tape = tape(&format!("length(pos) - {size:e}"));
        let shape = Shape::new(&tape).unwrap();
        let measuring = MeasureSettings::new(cube(1.5 * size), 0.3 * size);
        let refused = measure(&shape, &measuring, ON).unwrap_err();
        assert_eq!(refused.code(), "invalid_value");
        assert!(refused.to_string().contains("another unit"), "{refused}");
        let comparing = CompareSettings {
            bounds: [measuring.bounds; 2],
            cell: measuring.cell,
            most_triangles: 1_000_000,
        };
        let refused = compare(&shape, &shape, &comparing, ON).unwrap_err();
        assert_eq!(refused.code(), "invalid_value");
    }
    for size in [1e50, 1e-50] {
        let text = format!("length(pos) - {size:e}");
        let ball = measured(&text, cube(1.5 * size), 0.3 * size);
        let figures = [
            (ball.volume.value, ball.volume.error, 3),
            (ball.area.value, ball.area.error, 2),
            (ball.moments.value[0], ball.moments.error, 5),
            (ball.centre.value[1].abs() + size, ball.centre.error, 1),
        ];
        for (value, error, power) in figures {
            let value = value / size.powi(power);
            let error = error / size.powi(power);
            assert!(value > 0.5 && value < 20.0, "{value} {error}");
            assert!(error < value, "{value} {error}");
        }
    }
}
