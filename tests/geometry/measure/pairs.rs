//! Two shapes: how near, how far apart, and what they have in common.

use std::f64::consts::PI;

use fibula::geometry::{
    Bounds, CompareSettings, Comparison, Figure, MeasureError, Shape, Span, compare,
};

use super::{ON, cube, holds, tape};

fn compared(one: &str, other: &str, bounds: [Bounds; 2], cell: f64) -> Comparison {
    try_compared(one, other, bounds, cell).unwrap()
}

fn try_compared(
    one: &str,
    other: &str,
    bounds: [Bounds; 2],
    cell: f64,
) -> Result<Comparison, MeasureError> {
    let (one, other) = (tape(one), tape(other));
    let comparing = CompareSettings {
        bounds,
        cell,
        most_triangles: 1_000_000,
    };
    let shapes = [Shape::new(&one).unwrap(), Shape::new(&other).unwrap()];
    compare(&shapes[0], &shapes[1], &comparing, ON)
}

#[track_caller]
fn spans(what: &str, span: Span, truth: f64, most: f64) {
    let Span { value, error, .. } = span;
    holds(what, Figure { value, error }, truth, most);
}

const BALL: &str = "length(pos) - 2";

#[test]
fn apart() {
    let other = "length(pos - vec3(5, 0, 0.5)) - 1.5";
    let far = 25.25_f64.sqrt();
    let pair = compared(BALL, other, [cube(7.0), cube(7.0)], 0.25);
    spans("distance", pair.distance, far - 3.5, 0.02);
    let [from, to] = pair.distance.at;
    assert!((from[0] - 10.0 / far).abs() < 0.05, "{from:?}");
    assert!((from[2] - 1.0 / far).abs() < 0.05, "{from:?}");
    assert!(to[0] > from[0] + 1.4);
    assert_eq!((pair.overlap.value, pair.overlap.error), (0.0, 0.0));
    // The far side of the larger ball from the near side of the smaller one.
    spans("most", pair.most, far + 2.0 - 1.5, 0.1);
    holds("volume", pair.volumes[1], 4.5 * PI, 1.0);
    // In boxes of their own, too, far from each other and edge to edge.
    let cubes = [
        "max(abs(x) - 1, max(abs(y) - 1, abs(z) - 1))",
        "max(abs(x - 80) - 1, max(abs(y - 5) - 1, abs(z) - 1))",
    ];
    let there = Bounds::new([78.0, 3.0, -2.0], [82.0, 7.0, 2.0]).unwrap();
    let pair = compared(cubes[0], cubes[1], [cube(2.0), there], 0.2);
    spans(
        "cubes",
        pair.distance,
        (78.0_f64.powi(2) + 9.0).sqrt(),
        0.01,
    );
}

#[test]
fn within_each_other_and_across() {
    // A ball in a hollow, without touching it.
    let hollow = "max(length(pos) - 4, 3 - length(pos - vec3(0, 0, 0.2)))";
    let pair = compared(BALL, hollow, [cube(5.0), cube(5.0)], 0.25);
    spans("clearance", pair.distance, 0.8, 0.02);
    assert!(pair.overlap.value <= 0.0);
    // In the material of another, also without.
    let pair = compared(BALL, "length(pos) - 3", [cube(5.0), cube(5.0)], 0.25);
    spans("depth", pair.distance, 1.0, 0.02);
    let volume = 4.0 / 3.0 * PI * 8.0;
    holds("overlap", pair.overlap, volume, 0.05 * volume);
    // Two that cut each other: a lens.
    let pair = compared(
        BALL,
        "length(pos - vec3(2, 0, 0)) - 2",
        [cube(5.0), cube(5.0)],
        0.25,
    );
    spans("crossing", pair.distance, 0.0, 0.01);
    let at = pair.distance.at[0];
    let length = at.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!((length - 2.0).abs() < 0.05, "{at:?}");
    let (distance, radius) = (2.0_f64, 2.0_f64);
    let lens = PI * (4.0 * radius + distance) * (2.0 * radius - distance).powi(2) / 12.0;
    holds("lens", pair.overlap, lens, 0.1 * lens);
}

#[test]
fn versions_of_a_part() {
    let one = "max(max(abs(x) - 3, abs(y) - 2), abs(z) - 1)";
    let boxes = [cube(4.0), cube(4.0)];
    let same = compared(one, one, boxes, 0.25);
    let all = [same.distance.value, same.most.value, same.mean.value];
    assert!(all.iter().all(|&length| length <= 0.0), "{all:?}");
    holds("same", same.overlap, 48.0, 0.2);
    // With a knob of 0.5 on its upper side.
    let other = format!("min({one}, max(max(abs(x), abs(y)) - 0.5, abs(z - 1) - 0.5))");
    let knob = compared(one, &other, boxes, 0.2);
    spans("at most", knob.most, 0.5, 0.05);
    let [from, to] = knob.most.at;
    assert!((to[2] - 1.5).abs() < 0.05, "{from:?} {to:?}");
    assert!((from[2] - 1.0).abs() < 0.05, "{from:?} {to:?}");
    // Of the one, what the knob covers is as far away as the edges of that square are; of the other, the top of the
    // knob is 0.5 away, and its sides half of that.
    let away = 1.0 / 6.0 + 0.5 + 4.0 * 0.5 * 0.25;
    holds("mean", knob.mean, away / (88.0 + 90.0), 0.002);
    holds("overlap", knob.overlap, 48.0, 0.2);
    // One that is smaller all around.
    let smaller = compared("length(pos) - 3", "length(pos) - 2.9", boxes, 0.25);
    spans("at most", smaller.most, 0.1, 0.03);
    spans("at least", smaller.distance, 0.1, 0.03);
    holds("on average", smaller.mean, 0.1, 0.03);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let (ball, nothing) = (tape(BALL), tape("length(pos) + 2"));
    let shapes = [Shape::new(&ball).unwrap(), Shape::new(&nothing).unwrap()];
    let comparing = |cell: f64| CompareSettings {
        bounds: [cube(3.0); 2],
        cell,
        most_triangles: 1_000_000,
    };
    let code = |other: &Shape<'_>, cell: f64| {
        compare(&shapes[0], other, &comparing(cell), ON)
            .unwrap_err()
            .code()
    };
    assert_eq!(code(&shapes[1], 0.5), "empty_shape");
    for cell in [0.0, f64::NAN, -1.0] {
        assert_eq!(code(&shapes[0], cell), "invalid_value");
    }
    assert_eq!(code(&shapes[0], 1e-9), "too_large");
    let ended = compare(&shapes[0], &shapes[0], &comparing(0.3), &|_, _| {
        std::ops::ControlFlow::Break(())
    });
    assert_eq!(ended.unwrap_err().code(), "cancelled");
}

#[test]
fn each_is_cut_off_at_its_own_bounds() {
    // Material everywhere, but where it is undefined.
    let all = "0 * sqrt(30 - x) - 1";
    let here = Bounds::new([0.0; 3], [4.0, 5.0, 6.0]).unwrap();
    let there = Bounds::new([2.0, 1.0, -1.0], [9.0, 4.0, 8.0]).unwrap();
    let pair = compared(all, all, [here, there], 0.4);
    holds("volume", pair.volumes[0], 120.0, 5.0);
    holds("volume", pair.volumes[1], 7.0 * 3.0 * 9.0, 10.0);
    holds("overlap", pair.overlap, 2.0 * 3.0 * 6.0, 5.0);
    spans("distance", pair.distance, 0.0, 0.01);
    // The far corner of the second from the first.
    spans("most", pair.most, (25.0_f64 + 4.0).sqrt(), 0.3);
    // One within the other, that does not reach the sides of the first.
    let within = Bounds::new([1.0, 1.0, 1.0], [3.0, 3.0, 5.5]).unwrap();
    let pair = compared(all, all, [here, within], 0.2);
    spans("depth", pair.distance, 0.5, 0.05);
    holds("inner", pair.volumes[1], 18.0, 1.0);
    holds("overlap", pair.overlap, 18.0, 1.0);
}

/// A comparison whose cells miss most of a shape is refused, in either order, with cells that find it; a smaller loss is in
/// the error of the volume.
#[test]
fn walls_that_cells_miss_are_not_compared() {
    let sheets = "max(length(pos) - 6, abs(sin(x * 3) * cos(y * 3) + sin(y * 3) * cos(z * 3) + sin(z * 3) * cos(x * 3)) - 0.05)";
    let bounds = [cube(7.0), cube(7.0)];
    for pair in [[BALL, sheets], [sheets, BALL]] {
        let refused = try_compared(pair[0], pair[1], bounds, 0.5).unwrap_err();
        let MeasureError::Unresolved(lost) = refused else {
            panic!("{refused}");
        };
        assert!(lost.passes < 0.1, "{lost}");
    }
    let wall = "max(length(pos) - 6, abs(x - 0.013) - 0.1)";
    let pair = compared(BALL, wall, bounds, 0.3);
    let disc = 0.2 * PI * 36.0;
    holds("disc", pair.volumes[1], disc, 1.01 * disc);
}
