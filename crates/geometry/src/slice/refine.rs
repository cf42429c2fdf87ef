//! Points where a line needs them, and only there.

use fibula_eval::prune::Leaf;

use super::marching_squares::Points;
use super::polylines::Lines;
use super::{Plane, Point};
use crate::budget::Budget;

/// How often the pieces of a line may be halved.
const HALVINGS: usize = 10;
/// Steps towards the contour.
const STEPS: usize = 4;

/// A piece of a line, between two points that follow each other, and the corners of its cell, in which it stays, so that
/// lines of different cells do not cross.
#[derive(Debug, Clone, Copy)]
struct Piece {
    ends: [u32; 2],
    cell: [Point; 2],
}

/// The middle of a piece, while it moves to the contour.
#[derive(Debug, Clone, Copy)]
struct Middle {
    piece: Piece,
    from: Point,
    /// Where it is by now; `None` if it goes astray.
    at: Option<Point>,
    /// Half of the piece's length.
    reach: f64,
}

/// Pieces of lines in a leaf between whose ends the contour may be elsewhere.
#[derive(Debug, Default)]
pub(super) struct Refinement {
    open: Vec<Piece>,
    middles: Vec<Middle>,
}

impl Refinement {
    pub(super) fn clear(&mut self) {
        self.open.clear();
    }

    /// Notes a piece.
    pub(super) fn look_at(&mut self, ends: [u32; 2], cell: [Point; 2]) {
        self.open.push(Piece { ends, cell });
    }

    /// Puts points between others where the contour leaves the line between them by more than half of the tolerance. It
    /// ends where there are too many.
    pub(super) fn refine(
        &mut self,
        plane: &Plane<'_>,
        leaf: &mut Leaf<'_, f64>,
        points: &mut Points,
        lines: &mut Lines,
        budget: &Budget,
    ) {
        for _ in 0..HALVINGS {
            self.middles.clear();
            for piece in self.open.drain(..) {
                let [a, b] = piece.ends.map(|end| lines.at(end));
                if plane.is_on_side(a, b) {
                    continue;
                }
                let middle = [0, 1].map(|axis| f64::midpoint(a[axis], b[axis]));
                self.middles.push(Middle {
                    piece,
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
                piece, from, at, ..
            } in &self.middles
            {
                let Some(at) = at.filter(|at| distance(*at, *from) > plane.tolerance / 2.0) else {
                    continue;
                };
                let [before, after] = piece.ends;
                let own = lines.insert(before, at);
                added += 1;
                for ends in [[before, own], [own, after]] {
                    self.open.push(Piece { ends, ..*piece });
                }
            }
            if !budget.take(added) {
                return;
            }
        }
    }

    /// Moves the middles to the nearest places of the contour, in their cells and within their reach.
    fn approach(&mut self, plane: &Plane<'_>, leaf: &mut Leaf<'_, f64>, points: &mut Points) {
        for _ in 0..STEPS {
            points.clear();
            for middle in &self.middles {
                let at = middle.at.unwrap_or(middle.from);
                points.push(at);
                points.push_beside(at, plane.aside, middle.piece.cell);
            }
            points.ask(leaf);
            for (number, middle) in self.middles.iter_mut().enumerate() {
                let Some([x, y]) = middle.at else {
                    continue;
                };
                let [by_x, by_y] = points.slopes(5 * number + 1);
                let step = points.values[5 * number] / (by_x * by_x + by_y * by_y);
                let moved = [x - step * by_x, y - step * by_y];
                let [low, high] = middle.piece.cell;
                // Also if it is not a number.
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
