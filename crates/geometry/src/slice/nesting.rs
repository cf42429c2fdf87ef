//! Which contour is around which.

use super::Contour;
use super::Point;
use super::polylines::area;
use super::row_index::{Piece, Rows};

/// The sides of contours.
struct Sides {
    rows: Rows,
    pieces: Vec<Piece>,
    /// The contour of each piece.
    contours: Vec<u32>,
}

impl Sides {
    fn new(loops: &[Vec<Point>]) -> Sides {
        let (mut pieces, mut contours) = (Vec::new(), Vec::new());
        for (contour, points) in (0..).zip(loops) {
            let next = points.iter().cycle().skip(1);
            pieces.extend(points.iter().zip(next).map(|(a, b)| [*a, *b]));
            contours.resize(pieces.len(), contour);
        }
        Sides {
            rows: Rows::new(&pieces),
            pieces,
            contours,
        }
    }

    /// The contour before `own` whose side is the nearest to the left of a point.
    fn left_of(&self, [x, y]: Point, own: usize) -> Option<usize> {
        let sides = self.rows.at(y).iter().map(|&side| side as usize);
        // Contours that begin later are not around it; they touch at most.
        let others = sides.filter(|&side| (self.contours[side] as usize) < own);
        let left = others.filter_map(|side| Some((passes(self.pieces[side], y)?, side)));
        let left = left.filter(|&(place, _)| place <= x);
        let nearest = left.max_by(|(one, _), (other, _)| one.total_cmp(other));
        nearest.map(|(_, side)| self.contours[side] as usize)
    }
}

/// Where a piece is at a height that it passes.
fn passes([a, b]: Piece, y: f64) -> Option<f64> {
    let (low, high) = (a[1].min(b[1]), a[1].max(b[1]));
    (low <= y && y < high).then(|| a[0] + (b[0] - a[0]) * ((y - a[1]) / (b[1] - a[1])))
}

/// Contours with those around them; what is around others comes first.
pub(super) fn nest(mut loops: Vec<Vec<Point>>) -> Vec<Contour> {
    let leftmost = |points: &[Point]| {
        let lower = |one: &&Point, other: &&Point| one[0].total_cmp(&other[0]);
        points.iter().min_by(lower).copied().unwrap_or_default()
    };
    // What is around a contour begins to its left.
    loops.sort_by(|one, other| {
        let (one, other) = (leftmost(one), leftmost(other));
        one[0]
            .total_cmp(&other[0])
            .then(one[1].total_cmp(&other[1]))
    });
    let sides = Sides::new(&loops);
    let mut contours: Vec<Contour> = Vec::with_capacity(loops.len());
    for (own, points) in loops.into_iter().enumerate() {
        let is_hole = area(&points) < 0.0;
        let left = sides.left_of(leftmost(&points), own);
        let parent = left.and_then(|left| {
            let around = &contours[left];
            // Beside one of the same sort both are in the same; another sort is around it.
            let is_same = (around.depth % 2 == 1) == is_hole;
            if is_same { around.parent } else { Some(left) }
        });
        let depth = parent.map_or(0, |parent| contours[parent].depth + 1);
        contours.push(Contour {
            points,
            parent,
            depth,
        });
    }
    contours
}
