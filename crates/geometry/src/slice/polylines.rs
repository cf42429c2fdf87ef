//! Polylines of a slice: points, and the successor of each.

use super::Point;

const NONE: u32 = u32::MAX;

/// Points of contours, with the inside to the left of each segment.
#[derive(Debug, Default)]
pub(super) struct Polylines {
    points: Vec<Point>,
    /// True for points within a cell and not on its edge.
    inner: Vec<bool>,
    /// Successor of each point; [`NONE`] where a polyline leaves its box.
    next: Vec<u32>,
    /// Points on the sides of boxes, with the numbers of their edges: the neighbouring box has the same.
    shared: Vec<(u64, u32)>,
}

pub(super) struct Polyline {
    pub(super) points: Vec<Point>,
    /// True for points within a cell and not on its edge.
    pub(super) inner: Vec<bool>,
}

impl Polylines {
    /// Adds a point on the edge of a cell, with the number of its edge if that is on the side of a box.
    pub(super) fn push(&mut self, at: Point, shared: Option<u64>) -> u32 {
        let own = self.points.len() as u32;
        self.points.push(at);
        self.inner.push(false);
        self.next.push(NONE);
        self.shared.extend(shared.map(|edge| (edge, own)));
        own
    }

    pub(super) fn at(&self, point: u32) -> Point {
        self.points[point as usize]
    }

    /// Makes a point the successor of another.
    pub(super) fn join(&mut self, from: u32, to: u32) {
        self.next[from as usize] = to;
    }

    /// Inserts a new point within a cell between another and its successor.
    pub(super) fn insert(&mut self, from: u32, at: Point) -> u32 {
        let own = self.push(at, None);
        self.inner[own as usize] = true;
        self.next[own as usize] = self.next[from as usize];
        self.next[from as usize] = own;
        own
    }

    /// Joins the polylines of all boxes to closed ones.
    pub(super) fn loops(all: Vec<Polylines>) -> Vec<Polyline> {
        let count = all.iter().map(|lines| lines.points.len()).sum();
        let (mut points, mut next) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let (mut inner, mut shared) = (Vec::with_capacity(count), Vec::new());
        for lines in all {
            let first = points.len() as u32;
            let moved = |own: u32| if own == NONE { NONE } else { own + first };
            points.extend(lines.points);
            inner.extend(lines.inner);
            next.extend(lines.next.into_iter().map(moved));
            shared.extend(
                lines
                    .shared
                    .into_iter()
                    .map(|(edge, own)| (edge, own + first)),
            );
        }
        shared.sort_unstable();
        // A polyline ends at one of the two points of an edge and begins at the other.
        let mut done = vec![false; points.len()];
        for pair in shared.windows(2) {
            let [(edge, one), (other_edge, other)] = [pair[0], pair[1]];
            if edge != other_edge {
                continue;
            }
            let (end, begin) = if next[one as usize] == NONE {
                (one as usize, other as usize)
            } else {
                (other as usize, one as usize)
            };
            next[end] = next[begin];
            done[begin] = true;
        }
        let mut loops = Vec::new();
        for start in 0..points.len() {
            let mut own = Polyline {
                points: Vec::new(),
                inner: Vec::new(),
            };
            let mut at = start;
            while at < points.len() && !done[at] {
                done[at] = true;
                own.points.push(points[at]);
                own.inner.push(inner[at]);
                at = next[at] as usize;
            }
            if !own.points.is_empty() {
                loops.push(own);
            }
        }
        loops
    }
}

/// Signed area (shoelace formula); negative if clockwise.
pub(super) fn area(points: &[Point]) -> f64 {
    let (Some(&origin), Some(&last)) = (points.first(), points.last()) else {
        return 0.0;
    };
    let from = |at: Point| [at[0] - origin[0], at[1] - origin[1]];
    let mut before = from(last);
    let mut twice = 0.0;
    for &at in points {
        let at = from(at);
        twice += before[0] * at[1] - before[1] * at[0];
        before = at;
    }
    twice / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_two_boxes_meet_on_the_edges_that_they_share() {
        // A line around the sides of a square, cut into two boxes at x = 1.
        let (mut left, mut right) = (Polylines::default(), Polylines::default());
        let ends = [[1.0, 2.0], [1.0, 0.0]];
        let [above, below] = ends.map(|at| left.push(at, Some(at[1] as u64)));
        let middle = left.push([0.0, 1.0], None);
        left.join(above, middle);
        left.join(middle, below);
        let corner = left.insert(middle, [0.0, 0.0]);
        assert_eq!(left.at(corner).map(|x| x as i32), [0, 0]);
        let [below, above] = [ends[1], ends[0]].map(|at| right.push(at, Some(at[1] as u64)));
        right.join(below, above);
        right.insert(below, [2.0, 1.0]);
        let loops = Polylines::loops(vec![left, right]);
        let [line] = &loops[..] else {
            panic!("one line, not {}", loops.len());
        };
        let line = &line.points;
        assert_eq!(line.len(), 5, "{line:?}");
        assert!((area(line) - 2.5).abs() < 1e-12, "{line:?}");
    }
}
