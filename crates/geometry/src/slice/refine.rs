//! Adaptive refinement: points are inserted only where a polyline needs them.

use fibula_eval::prune::Leaf;

use super::marching_squares::PointBatch;
use super::polylines::Polylines;
use super::{Point, SlicePlane};
use crate::budget::Budget;

/// Maximum bisections of a segment.
const HALVINGS: usize = 10;
/// Newton steps towards the contour.
const STEPS: usize = 4;

/// A segment of a polyline, and the corners of its cell, in which it stays, so that lines of different cells do not
/// intersect.
#[derive(Debug, Clone, Copy)]
struct OpenSegment {
    ends: [u32; 2],
    cell: [Point; 2],
}

/// The midpoint of a segment, while it moves to the contour.
#[derive(Debug, Clone, Copy)]
struct Middle {
    segment: OpenSegment,
    from: Point,
    /// Position so far; `None` once it leaves its cell or reach.
    at: Option<Point>,
    /// Half of the segment's length.
    reach: f64,
}

/// Segments in a leaf from which the contour may deviate.
#[derive(Debug, Default)]
pub(super) struct Refinement {
    open: Vec<OpenSegment>,
    middles: Vec<Middle>,
}

impl Refinement {
    pub(super) fn clear(&mut self) {
        self.open.clear();
    }

    pub(super) fn look_at(&mut self, ends: [u32; 2], cell: [Point; 2]) {
        self.open.push(OpenSegment { ends, cell });
    }

    /// Inserts points where the contour deviates from a segment by more than half of the tolerance, until the budget is
    /// exceeded.
    pub(super) fn refine(
        &mut self,
        plane: &SlicePlane<'_>,
        leaf: &mut Leaf<'_, f64>,
        points: &mut PointBatch,
        lines: &mut Polylines,
        budget: &Budget,
    ) {
        for _ in 0..HALVINGS {
            self.middles.clear();
            for segment in self.open.drain(..) {
                let [a, b] = segment.ends.map(|end| lines.at(end));
                if plane.is_on_side(a, b) {
                    continue;
                }
                let middle = [0, 1].map(|axis| f64::midpoint(a[axis], b[axis]));
                self.middles.push(Middle {
                    segment,
                    from: middle,
                    at: Some(middle),
                    reach: distance(a, b) / 2.0,
                });
            }
            if self.middles.is_empty() {
                return;
            }
            self.approach(plane, leaf, points);
            let mut added = 0;
            for Middle {
                segment, from, at, ..
            } in &self.middles
            {
                let Some(at) = at.filter(|at| distance(*at, *from) > plane.tolerance / 2.0) else {
                    continue;
                };
                let [before, after] = segment.ends;
                let own = lines.insert(before, at);
                added += 1;
                for ends in [[before, own], [own, after]] {
                    self.open.push(OpenSegment { ends, ..*segment });
                }
            }
            if !budget.take(added) {
                return;
            }
        }
    }

    /// Moves the midpoints onto the contour by Newton steps, in their cells and within their reach.
    fn approach(
        &mut self,
        plane: &SlicePlane<'_>,
        leaf: &mut Leaf<'_, f64>,
        points: &mut PointBatch,
    ) {
        for _ in 0..STEPS {
            points.clear();
            for middle in &self.middles {
                let at = middle.at.unwrap_or(middle.from);
                points.push(at);
                points.push_beside(at, plane.aside, middle.segment.cell);
            }
            points.ask(leaf);
            for (number, middle) in self.middles.iter_mut().enumerate() {
                let Some([x, y]) = middle.at else {
                    continue;
                };
                let [by_x, by_y] = points.slopes(5 * number + 1);
                let step = points.values[5 * number] / (by_x * by_x + by_y * by_y);
                let moved = [x - step * by_x, y - step * by_y];
                let [low, high] = middle.segment.cell;
                // False for NaN, too.
                let is_there = distance(moved, middle.from) <= middle.reach
                    && (0..2).all(|axis| low[axis] <= moved[axis] && moved[axis] <= high[axis]);
                middle.at = is_there.then_some(moved);
            }
        }
    }
}

fn distance(a: Point, b: Point) -> f64 {
    let [dx, dy] = [a[0] - b[0], a[1] - b[1]];
    (dx * dx + dy * dy).sqrt()
}
