//! Edges as lines: straight ones, fans where there are several between two vertices, loops, and the tips of arrows.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use super::Marks;
use super::frame::{Frame, LOOP};

/// The way of an edge: where it begins, its control points, and where it ends.
pub(super) type Way = [[f64; 2]; 4];

/// From one edge to the next in the middle of a fan, and the widest fan.
const APART: f64 = 16.0;
const WIDEST: f64 = 120.0;

/// The ways of edges, given by their ends; nothing for an edge between marks that touch each other.
pub(super) fn ways(frame: &Frame, ends: &[[usize; 2]], marks: Marks) -> Vec<Option<Way>> {
    let mut ways = vec![None; ends.len()];
    let mut pairs: BTreeMap<[usize; 2], Vec<usize>> = BTreeMap::new();
    for (edge, &[source, target]) in ends.iter().enumerate() {
        let pair = [source.min(target), source.max(target)];
        pairs.entry(pair).or_default().push(edge);
    }
    let turns = loop_turns(frame, ends);
    for ([one, other], edges) in &pairs {
        for (number, &edge) in edges.iter().enumerate() {
            ways[edge] = if one == other {
                Some(loop_way(frame, *one, marks, turns[one], number))
            } else {
                let fan = (APART * frame.zoom.sqrt() * (edges.len() - 1) as f64).min(WIDEST);
                let side = fan * share(number, edges.len());
                // All bend as seen from the same end.
                let side = if ends[edge][0] == *one { side } else { -side };
                joining(frame, ends[edge], marks, side)
            };
        }
    }
    ways
}

/// A place in a row from -1/2 to 1/2.
fn share(number: usize, count: usize) -> f64 {
    number as f64 / (count - 1).max(1) as f64 - if count > 1 { 0.5 } else { 0.0 }
}

/// From one vertex to another, `side` beside the straight line in the middle.
fn joining(frame: &Frame, [source, target]: [usize; 2], marks: Marks, side: f64) -> Option<Way> {
    let [from, to] = [source, target].map(|end| frame.places[end]);
    let along = [to[0] - from[0], to[1] - from[1]];
    let length = along[0].hypot(along[1]);
    let across = [-along[1] / length.max(1e-9), along[0] / length.max(1e-9)];
    let control = |share: f64| {
        [0, 1].map(|axis| from[axis] + along[axis] * share + across[axis] * side * 4.0 / 3.0)
    };
    let controls = [control(0.3), control(0.7)];
    let begin = edge_of(frame, source, marks, controls[0], 0.0);
    let end = edge_of(frame, target, marks, controls[1], 1.5);
    let left = (end[0] - begin[0]) * along[0] + (end[1] - begin[1]) * along[1];
    (left > length).then(|| {
        // Control points between what is seen, so that short edges do not swing.
        let control = |share: f64| {
            [0, 1].map(|axis| {
                begin[axis] + (end[axis] - begin[axis]) * share + across[axis] * side * 4.0 / 3.0
            })
        };
        [begin, control(0.3), control(0.7), end]
    })
}

/// Where the way to a point leaves a mark, and a bit farther.
fn edge_of(frame: &Frame, vertex: usize, marks: Marks, to: [f64; 2], gap: f64) -> [f64; 2] {
    let (place, size) = (frame.places[vertex], frame.marks[vertex]);
    let away = [to[0] - place[0], to[1] - place[1]];
    let length = away[0].hypot(away[1]).max(1e-9);
    let unit = away.map(|part| part / length);
    let far = match marks {
        Marks::Discs => size[0] / 2.0,
        Marks::Boxes => {
            (size[0] / 2.0 / unit[0].abs().max(1e-9)).min(size[1] / 2.0 / unit[1].abs().max(1e-9))
        }
    };
    [0, 1].map(|axis| place[axis] + unit[axis] * (far + gap))
}

/// In which direction loops of a vertex are: the middle of the widest free angle.
fn loop_turns(frame: &Frame, ends: &[[usize; 2]]) -> BTreeMap<usize, f64> {
    let loops = ends.iter().filter(|[source, target]| source == target);
    let mut angles: BTreeMap<usize, Vec<f64>> = loops.map(|end| (end[0], Vec::new())).collect();
    for &[source, target] in ends {
        for (node, other) in [(source, target), (target, source)] {
            let (place, other) = (frame.places[node], frame.places[other]);
            if let Some(angles) = angles.get_mut(&node) {
                let away = [other[0] - place[0], other[1] - place[1]];
                if away[0].hypot(away[1]) > 0.0 {
                    angles.push(away[1].atan2(away[0]));
                }
            }
        }
    }
    let turn = |mut angles: Vec<f64>| {
        angles.sort_by(f64::total_cmp);
        let Some(&first) = angles.first() else {
            // Above, to the right.
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

/// A loop; further ones are larger.
fn loop_way(frame: &Frame, vertex: usize, marks: Marks, turn: f64, number: usize) -> Way {
    let place = frame.places[vertex];
    let size = frame.marks[vertex];
    let reach =
        size[0].min(size[1]) / 2.0 + (LOOP + 14.0 * number.min(20) as f64) * frame.zoom.max(0.4);
    let at = |turn: f64, far: f64| [place[0] + turn.cos() * far, place[1] + turn.sin() * far];
    // Wide enough that the arrow is seen.
    let open = 0.55;
    let [begin, end] = [turn - open, turn + open].map(|turn| at(turn, 1.0));
    let begin = edge_of(frame, vertex, marks, begin, 0.0);
    let end = edge_of(frame, vertex, marks, end, 1.5);
    let control = |from: [f64; 2], turn: f64| {
        let out = at(turn, reach);
        [0, 1].map(|axis| from[axis] + out[axis] - place[axis])
    };
    [
        begin,
        control(begin, turn - open * 0.6),
        control(end, turn + open * 0.6),
        end,
    ]
}

/// A point on a way: 0 is the beginning, 1 the end.
pub(super) fn point(way: &Way, at: f64) -> [f64; 2] {
    let rest = 1.0 - at;
    let shares = [
        rest * rest * rest,
        3.0 * rest * rest * at,
        3.0 * rest * at * at,
        at * at * at,
    ];
    [0, 1].map(|axis| {
        way.iter()
            .zip(shares)
            .map(|(point, share)| point[axis] * share)
            .sum()
    })
}

/// Whether a way is a straight line.
pub(super) fn is_straight(way: &Way) -> bool {
    let [from, to] = [way[0], way[3]];
    let along = [to[0] - from[0], to[1] - from[1]];
    let away = |at: [f64; 2]| ((at[0] - from[0]) * along[1] - (at[1] - from[1]) * along[0]).abs();
    let length = along[0].hypot(along[1]);
    away(way[1]).max(away(way[2])) <= 0.05 * length && length > 0.0
}

/// The tip of the arrow at the end of a way, as three points; nothing if the way is too short for it.
pub(super) fn tip(way: &Way, size: f64) -> Option<Vec<[f64; 2]>> {
    const OPEN: f64 = 0.42;
    let (end, before) = (way[3], point(way, 0.94));
    let far = (way[0][0] - end[0]).hypot(way[0][1] - end[1]);
    let out = [way[1], way[2]].map(|at| (at[0] - end[0]).hypot(at[1] - end[1]));
    if far.max(out[0]).max(out[1]) < 2.0 * size {
        return None;
    }
    let turn = (before[1] - end[1]).atan2(before[0] - end[0]);
    let at = |turn: f64| [end[0] + turn.cos() * size, end[1] + turn.sin() * size];
    Some(vec![at(turn - OPEN), end, at(turn + OPEN)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(places: Vec<[f64; 2]>) -> Frame {
        Frame {
            size: [400, 400],
            marks: vec![[20.0; 2]; places.len()],
            places,
            zoom: 1.0,
            inside: [[0.0; 2], [400.0; 2]],
            legend: Vec::new(),
        }
    }

    #[test]
    fn edges_between_two_vertices_are_apart() {
        let frame = frame(vec![[50.0, 100.0], [250.0, 100.0], [58.0, 100.0]]);
        let found = ways(
            &frame,
            &[[0, 1], [1, 0], [0, 1], [0, 2], [2, 2], [2, 2]],
            Marks::Discs,
        );
        let middles: Vec<f64> = found[..3]
            .iter()
            .map(|way| point(&way.unwrap(), 0.5)[1])
            .collect();
        let mut sorted = middles.clone();
        sorted.sort_by(f64::total_cmp);
        assert!(
            sorted[1] - sorted[0] > 10.0 && sorted[2] - sorted[1] > 10.0,
            "{middles:?}"
        );
        assert!(is_straight(&found[1].unwrap()) && !is_straight(&found[0].unwrap()));
        assert_eq!(found[3], None);
        let far = |way: &Way| (point(way, 0.5)[0] - 58.0).hypot(point(way, 0.5)[1] - 100.0);
        assert!(far(&found[4].unwrap()) > 25.0);
        assert!(far(&found[5].unwrap()) > far(&found[4].unwrap()) + 8.0);
        assert!(tip(&found[0].unwrap(), 7.0).is_some());
    }

    #[test]
    fn a_way_begins_and_ends_at_the_sides_of_boxes() {
        let frame = Frame {
            marks: vec![[80.0, 20.0]; 2],
            ..frame(vec![[50.0, 100.0], [50.0, 200.0]])
        };
        let way = ways(&frame, &[[0, 1]], Marks::Boxes)[0].unwrap();
        assert!(
            (way[0][1] - 110.0).abs() < 1e-9 && (way[3][1] - 188.5).abs() < 1e-9,
            "{way:?}"
        );
    }
}
