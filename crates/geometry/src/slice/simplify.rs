//! Simplification of polylines (Ramer-Douglas-Peucker) without intersections.
//!
//! Omitted points may let a line cross another: they are restored until it does not. Lines that cross with all of their
//! points do so within a cell, where they have points between the edges: these are removed, since segments between the
//! edges of a cell do not cross.

use rayon::prelude::*;

use super::polylines::{Polyline, area};
use super::row_index::crossings;
use super::{Cancelled, Point, Watch};

/// Rounds after which a segment gets all of its points back, and not only the farthest.
const MAX_SINGLE_ROUNDS: usize = 4;

/// Omits points that are no farther than `tolerance` from the segment between their neighbours; removes points at which
/// lines cross.
pub(super) fn simplify(
    lines: Vec<Polyline>,
    tolerance: f64,
    watch: &Watch<'_>,
) -> Result<Vec<Vec<Point>>, Cancelled> {
    let simplified_lines = lines.into_par_iter().map(|line| {
        let is_wanted = watch(0, 1).is_continue();
        is_wanted
            .then(|| SimplifiedLine::new(line, tolerance))
            .ok_or(Cancelled)
    });
    let mut simplified_lines: Vec<SimplifiedLine> = simplified_lines.collect::<Result<_, _>>()?;
    for round in 0.. {
        if watch(0, 1).is_break() {
            return Err(Cancelled);
        }
        let segments = segments(&simplified_lines);
        let ends: Vec<[Point; 2]> = segments
            .iter()
            .map(|segment| simplified_lines[segment.line].ends(segment))
            .collect();
        let mut changed = vec![false; segments.len()];
        for pair in crossings(&ends) {
            let pair = pair.map(|segment| segment as usize);
            // Changed segments may no longer cross.
            if pair.iter().any(|&segment| changed[segment]) {
                continue;
            }
            let all = round >= MAX_SINGLE_ROUNDS;
            let mut is_changed = pair.map(|number| {
                let segment = &segments[number];
                simplified_lines[segment.line].put_back(segment, all)
            });
            if is_changed == [false; 2] {
                is_changed = pair.map(|number| {
                    let segment = &segments[number];
                    simplified_lines[segment.line].take_out(segment)
                });
            }
            for (number, is_changed) in pair.into_iter().zip(is_changed) {
                changed[number] = is_changed;
            }
        }
        if changed.contains(&true) {
            continue;
        }
        let turned = simplified_lines.iter_mut().map(SimplifiedLine::turn_back);
        if turned.filter(|is_changed| *is_changed).count() == 0 {
            break;
        }
    }
    Ok(simplified_lines
        .into_iter()
        .map(SimplifiedLine::points)
        .collect())
}

/// State of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PointState {
    Kept,
    /// Omitted, since it is near the segment between its neighbours.
    Omitted,
    /// Removed for good.
    Removed,
}

/// A closed polyline of which points are omitted.
struct SimplifiedLine {
    line: Polyline,
    states: Vec<PointState>,
}

/// The segment between two kept neighbours.
struct KeptSegment {
    line: usize,
    from: usize,
    /// Index of the other end, counted on beyond the last point.
    to: usize,
}

fn segments(simplified_lines: &[SimplifiedLine]) -> Vec<KeptSegment> {
    let mut all = Vec::new();
    for (line, simplified) in simplified_lines.iter().enumerate() {
        let count = simplified.states.len();
        let mut staying = (0..count).filter(|&place| simplified.states[place] == PointState::Kept);
        let Some(first) = staying.next() else {
            continue;
        };
        let mut from = first;
        for to in staying.chain([first + count]) {
            all.push(KeptSegment { line, from, to });
            from = to;
        }
    }
    all
}

impl SimplifiedLine {
    /// Omits points within the tolerance (Ramer-Douglas-Peucker).
    fn new(line: Polyline, tolerance: f64) -> SimplifiedLine {
        let count = line.points.len();
        let mut simplified = SimplifiedLine {
            line,
            states: vec![PointState::Kept; count],
        };
        if count < 4 {
            return simplified;
        }
        // Two points are kept: the first, and the one farthest from it.
        let points = &simplified.line.points;
        let far = |from: usize| {
            let distance = |place: usize| {
                let [dx, dy] = [0, 1].map(|axis| points[place][axis] - points[from][axis]);
                dx * dx + dy * dy
            };
            (0..count).max_by(|&a, &b| distance(a).total_cmp(&distance(b)))
        };
        let opposite = far(0).unwrap_or(0);
        let first = far(opposite).unwrap_or(0);
        simplified.line.points.rotate_left(first);
        simplified.line.inner.rotate_left(first);
        let opposite = (opposite + count - first) % count;
        simplified.states.fill(PointState::Omitted);
        (simplified.states[0], simplified.states[opposite]) = (PointState::Kept, PointState::Kept);
        let mut open = vec![(0, opposite), (opposite, count)];
        while let Some((from, to)) = open.pop() {
            if let Some(place) = simplified.farthest(from, to, tolerance) {
                simplified.states[place] = PointState::Kept;
                open.extend([(from, place), (place, to)]);
            }
        }
        simplified
    }

    fn ends(&self, segment: &KeptSegment) -> [Point; 2] {
        let points = &self.line.points;
        [segment.from, segment.to].map(|place| points[place % points.len()])
    }

    /// Returns the omitted point that is farthest from the segment between two others, if farther than `least`.
    fn farthest(&self, from: usize, to: usize, least: f64) -> Option<usize> {
        let count = self.states.len();
        let points = &self.line.points;
        let distance = SegmentDistance::new(points[from % count], points[to % count]);
        let (mut farthest, mut most) = (None, least * least);
        for place in from + 1..to {
            let square = distance.away(points[place % count]);
            if square > most && self.states[place % count] == PointState::Omitted {
                (farthest, most) = (Some(place), square);
            }
        }
        farthest
    }

    /// Restores the point that is farthest from a segment, or all that were omitted there. Returns true if there was
    /// one.
    fn put_back(&mut self, segment: &KeptSegment, all: bool) -> bool {
        let count = self.states.len();
        let farthest = self.farthest(segment.from, segment.to, 0.0);
        if let (Some(place), false) = (farthest, all) {
            self.states[place % count] = PointState::Kept;
            return true;
        }
        let mut is_changed = false;
        for place in segment.from + 1..segment.to {
            let state = &mut self.states[place % count];
            if *state == PointState::Omitted {
                *state = PointState::Kept;
                is_changed = true;
            }
        }
        is_changed
    }

    /// Removes the points next to a segment within its cell; its ends at the cell's edges are kept. Returns true if
    /// there was one.
    fn take_out(&mut self, segment: &KeptSegment) -> bool {
        let count = self.states.len();
        let mut is_changed = false;
        for (start, by) in [(segment.from, count - 1), (segment.to, 1)] {
            let mut place = start % count;
            while self.line.inner[place] && self.states[place] != PointState::Removed {
                self.states[place] = PointState::Removed;
                is_changed = true;
                place = (place + by) % count;
            }
            if !self.line.inner[place] {
                self.states[place] = PointState::Kept;
            }
        }
        is_changed
    }

    /// Restores all points of a line, about as thin as the tolerance, that was turned inside out. Returns true if there
    /// was one.
    fn turn_back(&mut self) -> bool {
        let staying = self.states.iter().zip(&self.line.points);
        let staying = staying.filter(|(state, _)| **state == PointState::Kept);
        let staying: Vec<Point> = staying.map(|(_, at)| *at).collect();
        let is_turned = area(&staying) * area(&self.line.points) < 0.0;
        let mut is_changed = false;
        for state in &mut self.states {
            if is_turned && *state == PointState::Omitted {
                *state = PointState::Kept;
                is_changed = true;
            }
        }
        is_changed
    }

    fn points(self) -> Vec<Point> {
        let mut points = self.line.points;
        let mut states = self.states.into_iter();
        points.retain(|_| states.next() == Some(PointState::Kept));
        points
    }
}

/// A segment, prepared for distances.
struct SegmentDistance {
    from: Point,
    along: Point,
    /// Inverse of the squared length, or 0.
    share: f64,
}

impl SegmentDistance {
    fn new(from: Point, to: Point) -> SegmentDistance {
        let along = [to[0] - from[0], to[1] - from[1]];
        let square = along[0] * along[0] + along[1] * along[1];
        SegmentDistance {
            from,
            along,
            share: if square > 0.0 { 1.0 / square } else { 0.0 },
        }
    }

    /// Returns the square of a point's distance.
    fn away(&self, at: Point) -> f64 {
        let [x, y] = [at[0] - self.from[0], at[1] - self.from[1]];
        let [dx, dy] = self.along;
        let part = ((x * dx + y * dy) * self.share).clamp(0.0, 1.0);
        let [x, y] = [x - part * dx, y - part * dy];
        x * x + y * y
    }
}
