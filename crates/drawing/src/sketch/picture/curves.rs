//! Routing of edges: straight lines, fans of parallel edges, detours around marks and labels, loops, and arrowheads.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use fibula_knowledge::progress::Progress;

use super::Marks;
use super::frame::{Frame, LOOP};
use super::labels::Obstacles;
use crate::scene::bezier::{Cubic, point};

/// Distance of parallel edges in the middle of a fan, and maximum width of a fan.
const FAN_GAP: f64 = 16.0;
const MAX_FAN: f64 = 120.0;
/// How far from the straight line edges go around marks and labels, on either side; the shortest detour that crosses the
/// fewest is taken.
const DETOURS: [f64; 6] = [14.0, 28.0, 45.0, 70.0, 105.0, 150.0];

/// Routes edges, given by their ends, and around obstacles if there are some; an edge between marks that touch each other has no
/// curve. What is left when `progress` ends goes around nothing.
pub(super) fn route(
    frame: &Frame,
    ends: &[[usize; 2]],
    marks: Marks,
    obstacles: Option<&Obstacles>,
    progress: &Progress<'_>,
) -> Vec<Option<Cubic>> {
    let mut curves = vec![None; ends.len()];
    let mut pairs: BTreeMap<[usize; 2], Vec<usize>> = BTreeMap::new();
    for (edge, &[source, target]) in ends.iter().enumerate() {
        let pair = [source.min(target), source.max(target)];
        pairs.entry(pair).or_default().push(edge);
    }
    let angles = loop_angles(frame, ends);
    for (&[one, other], edges) in &pairs {
        if one == other {
            for (number, &edge) in edges.iter().enumerate() {
                curves[edge] = Some(loop_curve(frame, one, marks, angles[&one], number));
            }
            continue;
        }
        let width = (FAN_GAP * frame.zoom.sqrt() * (edges.len() - 1) as f64).min(MAX_FAN);
        let fan = |detour: f64| -> Vec<Option<Cubic>> {
            let curve = |(number, &edge): (usize, &usize)| {
                // The side is relative to the direction from the first vertex.
                let side = detour + width * share(number, edges.len());
                let side = if ends[edge][0] == one { side } else { -side };
                edge_curve(frame, ends[edge], marks, side)
            };
            edges.iter().enumerate().map(curve).collect()
        };
        let mut best = fan(0.0);
        if let Some(obstacles) = obstacles.filter(|_| !progress.is_ended()) {
            best = shortest_detour(best, &fan, obstacles, [one, other]);
        }
        for (&edge, curve) in edges.iter().zip(best) {
            curves[edge] = curve;
        }
    }
    curves
}

/// The fan with the shortest detour of those that cross the fewest obstacles; all of its edges have curves that `direct` has.
fn shortest_detour(
    direct: Vec<Option<Cubic>>,
    fan: &dyn Fn(f64) -> Vec<Option<Cubic>>,
    obstacles: &Obstacles,
    ends: [usize; 2],
) -> Vec<Option<Cubic>> {
    let drawn = |fan: &[Option<Cubic>]| fan.iter().flatten().count();
    let crossed = |fan: &[Option<Cubic>]| -> Option<usize> {
        let crossed = fan
            .iter()
            .flatten()
            .map(|curve| obstacles.crossed(curve, ends));
        crossed.sum()
    };
    let count = drawn(&direct);
    let mut fewest = crossed(&direct).unwrap_or(0);
    let mut best = direct;
    for detour in DETOURS.iter().flat_map(|&detour| [detour, -detour]) {
        if fewest == 0 {
            break;
        }
        let other = fan(detour);
        if drawn(&other) == count
            && let Some(crossed) = crossed(&other).filter(|&crossed| crossed < fewest)
        {
            (best, fewest) = (other, crossed);
        }
    }
    best
}

/// Position of an item in a row from -1/2 to 1/2.
fn share(number: usize, count: usize) -> f64 {
    number as f64 / (count - 1).max(1) as f64 - if count > 1 { 0.5 } else { 0.0 }
}

/// Curve from one vertex to another, whose middle is `side` beside the straight line.
fn edge_curve(
    frame: &Frame,
    [source, target]: [usize; 2],
    marks: Marks,
    side: f64,
) -> Option<Cubic> {
    let [from, to] = [source, target].map(|end| frame.positions[end]);
    let along = [to[0] - from[0], to[1] - from[1]];
    let length = along[0].hypot(along[1]);
    let across = [-along[1] / length.max(1e-9), along[0] / length.max(1e-9)];
    let control = |share: f64| {
        [0, 1].map(|axis| from[axis] + along[axis] * share + across[axis] * side * 4.0 / 3.0)
    };
    let controls = [control(0.3), control(0.7)];
    let begin = boundary_point(frame, source, marks, controls[0], 0.0);
    let end = boundary_point(frame, target, marks, controls[1], 1.5);
    let left = (end[0] - begin[0]) * along[0] + (end[1] - begin[1]) * along[1];
    (left > length).then(|| {
        // Control points between the visible ends, so that short edges do not overshoot.
        let control = |share: f64| {
            [0, 1].map(|axis| {
                begin[axis] + (end[axis] - begin[axis]) * share + across[axis] * side * 4.0 / 3.0
            })
        };
        [begin, control(0.3), control(0.7), end]
    })
}

/// Intersection of the boundary of a mark with the ray to a point, moved outward by a gap.
fn boundary_point(frame: &Frame, vertex: usize, marks: Marks, to: [f64; 2], gap: f64) -> [f64; 2] {
    let (position, size) = (frame.positions[vertex], frame.marks[vertex]);
    let away = [to[0] - position[0], to[1] - position[1]];
    let length = away[0].hypot(away[1]).max(1e-9);
    let unit = away.map(|part| part / length);
    let far = match marks {
        Marks::Discs => size[0] / 2.0,
        Marks::Boxes => {
            (size[0] / 2.0 / unit[0].abs().max(1e-9)).min(size[1] / 2.0 / unit[1].abs().max(1e-9))
        }
    };
    [0, 1].map(|axis| position[axis] + unit[axis] * (far + gap))
}

/// Direction of the loops of each vertex that has some: the middle of the widest free angle.
fn loop_angles(frame: &Frame, ends: &[[usize; 2]]) -> BTreeMap<usize, f64> {
    let loops = ends.iter().filter(|[source, target]| source == target);
    let mut angles: BTreeMap<usize, Vec<f64>> = loops.map(|end| (end[0], Vec::new())).collect();
    for &[source, target] in ends {
        for (node, other) in [(source, target), (target, source)] {
            let (position, other) = (frame.positions[node], frame.positions[other]);
            if let Some(angles) = angles.get_mut(&node) {
                let away = [other[0] - position[0], other[1] - position[1]];
                if away[0].hypot(away[1]) > 0.0 {
                    angles.push(away[1].atan2(away[0]));
                }
            }
        }
    }
    let turn = |mut angles: Vec<f64>| {
        angles.sort_by(f64::total_cmp);
        let Some(&first) = angles.first() else {
            // Up and to the right.
            return -TAU / 8.0;
        };
        let next = angles.iter().skip(1).copied().chain([first + TAU]);
        let widest = angles
            .iter()
            .zip(next)
            .map(|(&one, next)| (next - one, one));
        let widest = widest.max_by(|one, other| one.0.total_cmp(&other.0));
        widest.map_or(0.0, |(width, from)| from + width / 2.0)
    };
    angles
        .into_iter()
        .map(|(node, angles)| (node, turn(angles)))
        .collect()
}

/// Curve of a loop; further ones are larger.
fn loop_curve(frame: &Frame, vertex: usize, marks: Marks, turn: f64, number: usize) -> Cubic {
    let position = frame.positions[vertex];
    let size = frame.marks[vertex];
    let reach =
        size[0].min(size[1]) / 2.0 + (LOOP + 14.0 * number.min(20) as f64) * frame.zoom.max(0.4);
    let at = |turn: f64, far: f64| {
        [
            position[0] + turn.cos() * far,
            position[1] + turn.sin() * far,
        ]
    };
    // Wide enough for the arrowhead.
    let open = 0.55;
    let [begin, end] = [turn - open, turn + open].map(|turn| at(turn, 1.0));
    let begin = boundary_point(frame, vertex, marks, begin, 0.0);
    let end = boundary_point(frame, vertex, marks, end, 1.5);
    let control = |from: [f64; 2], turn: f64| {
        let out = at(turn, reach);
        [0, 1].map(|axis| from[axis] + out[axis] - position[axis])
    };
    [
        begin,
        control(begin, turn - open * 0.6),
        control(end, turn + open * 0.6),
        end,
    ]
}

/// True if a curve is a straight line.
pub(super) fn is_straight(curve: &Cubic) -> bool {
    let [from, to] = [curve[0], curve[3]];
    let along = [to[0] - from[0], to[1] - from[1]];
    let away = |at: [f64; 2]| ((at[0] - from[0]) * along[1] - (at[1] - from[1]) * along[0]).abs();
    let length = along[0].hypot(along[1]);
    away(curve[1]).max(away(curve[2])) <= 0.05 * length && length > 0.0
}

/// Arrowhead at the end of a curve, as three points; `None` if the curve is too short for it.
pub(super) fn arrowhead(curve: &Cubic, size: f64) -> Option<[[f64; 2]; 3]> {
    const OPEN: f64 = 0.42;
    let (end, before) = (curve[3], point(curve, 0.94));
    let far = (curve[0][0] - end[0]).hypot(curve[0][1] - end[1]);
    let out = [curve[1], curve[2]].map(|at| (at[0] - end[0]).hypot(at[1] - end[1]));
    if far.max(out[0]).max(out[1]) < 2.0 * size {
        return None;
    }
    let turn = (before[1] - end[1]).atan2(before[0] - end[0]);
    let at = |turn: f64| [end[0] + turn.cos() * size, end[1] + turn.sin() * size];
    Some([at(turn - OPEN), end, at(turn + OPEN)])
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;

    fn frame(positions: Vec<[f64; 2]>) -> Frame {
        Frame {
            size: [400, 400],
            marks: vec![[20.0; 2]; positions.len()],
            positions,
            zoom: 1.0,
            inside: [[0.0; 2], [400.0; 2]],
            legend: Vec::new(),
        }
    }

    fn routed(frame: &Frame, ends: &[[usize; 2]], marks: Marks) -> Vec<Option<Cubic>> {
        let mut obstacles = Obstacles::new(frame.inside);
        for (vertex, (place, size)) in frame.positions.iter().zip(&frame.marks).enumerate() {
            let corner = |side: f64| [0, 1].map(|axis| place[axis] + side * size[axis]);
            obstacles.add(vertex, [-0.5, 0.5].map(corner));
        }
        let go_on = |_, _| ControlFlow::Continue(());
        route(
            frame,
            ends,
            marks,
            Some(&obstacles),
            &Progress::new(1, &go_on),
        )
    }

    #[test]
    fn edges_go_around_what_is_between_their_ends() {
        let three = frame(vec![[50.0, 100.0], [350.0, 100.0], [200.0, 105.0]]);
        let found = routed(&three, &[[0, 1], [1, 0], [0, 2]], Marks::Discs);
        for curve in &found[..2] {
            let curve = curve.unwrap();
            let middle = point(&curve, 0.5);
            assert!(
                (11.0..60.0).contains(&(105.0 - middle[1]).abs()),
                "{middle:?}"
            );
        }
        assert!(is_straight(&found[2].unwrap()));
        // Where a detour would leave no room for a curve, the edge stays as it is.
        let tight = Frame {
            marks: vec![[80.0, 26.0], [80.0, 26.0], [10.0, 4.0]],
            ..frame(vec![[200.0, 250.0], [226.5, 211.0], [213.0, 231.0]])
        };
        let found = routed(&tight, &[[0, 1]], Marks::Boxes);
        assert!(found[0].is_some());
        // Against the side of the picture there is one way around.
        let three = Frame {
            inside: [[0.0, 88.0], [400.0; 2]],
            ..three
        };
        let found = routed(&three, &[[0, 1]], Marks::Discs);
        assert!(point(&found[0].unwrap(), 0.5)[1] > 115.0);
    }

    #[test]
    fn parallel_edges_are_apart() {
        let frame = frame(vec![[50.0, 100.0], [250.0, 100.0], [42.0, 100.0]]);
        let found = routed(
            &frame,
            &[[0, 1], [1, 0], [0, 1], [0, 2], [2, 2], [2, 2]],
            Marks::Discs,
        );
        let middles: Vec<f64> = found[..3]
            .iter()
            .map(|curve| point(&curve.unwrap(), 0.5)[1])
            .collect();
        let mut sorted = middles.clone();
        sorted.sort_by(f64::total_cmp);
        assert!(sorted[1] - sorted[0] > 10.0, "{middles:?}");
        assert!(sorted[2] - sorted[1] > 10.0, "{middles:?}");
        assert!(is_straight(&found[1].unwrap()) && !is_straight(&found[0].unwrap()));
        assert_eq!(found[3], None);
        let far = |curve: &Cubic| (point(curve, 0.5)[0] - 42.0).hypot(point(curve, 0.5)[1] - 100.0);
        assert!(far(&found[4].unwrap()) > 25.0);
        assert!(far(&found[5].unwrap()) > far(&found[4].unwrap()) + 8.0);
        assert!(arrowhead(&found[0].unwrap(), 7.0).is_some());
    }

    #[test]
    fn a_curve_begins_and_ends_at_the_sides_of_boxes() {
        let frame = Frame {
            marks: vec![[80.0, 20.0]; 2],
            ..frame(vec![[50.0, 100.0], [50.0, 200.0]])
        };
        let curve = routed(&frame, &[[0, 1]], Marks::Boxes)[0].unwrap();
        assert!((curve[0][1] - 110.0).abs() < 1e-9, "{curve:?}");
        assert!((curve[3][1] - 188.5).abs() < 1e-9, "{curve:?}");
    }
}
