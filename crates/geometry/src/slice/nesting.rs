//! Nesting of contours, by a ray to the left of each.

use super::Contour;
use super::Point;
use super::polylines::area;
use super::row_index::{Rows, Segment, passes, segments};

/// Segments of all contours.
struct Sides {
    rows: Rows,
    segments: Vec<Segment>,
    /// Contour of each segment.
    contours: Vec<u32>,
}

impl Sides {
    fn new(loops: &[Vec<Point>]) -> Sides {
        let (mut all, mut contours) = (Vec::new(), Vec::new());
        for (contour, points) in (0..).zip(loops) {
            all.extend(segments(points));
            contours.resize(all.len(), contour);
        }
        Sides {
            rows: Rows::new(&all),
            segments: all,
            contours,
        }
    }

    /// Returns the contour before `own` with the nearest segment to the left of a point.
    fn left_of(&self, [x, y]: Point, own: usize) -> Option<usize> {
        let sides = self.rows.at(y).iter().map(|&side| side as usize);
        // Later contours are not around it; they touch at most.
        let others = sides.filter(|&side| (self.contours[side] as usize) < own);
        let left = others.filter_map(|side| Some((passes(self.segments[side], y)?, side)));
        let left = left.filter(|&(place, _)| place <= x);
        let nearest = left.max_by(|(one, _), (other, _)| one.total_cmp(other));
        nearest.map(|(_, side)| self.contours[side] as usize)
    }
}

/// Sorts contours so that each comes after those around it, and determines parents and depths.
pub(super) fn nest(mut loops: Vec<Vec<Point>>) -> Vec<Contour> {
    let leftmost = |points: &[Point]| {
        let lower = |one: &&Point, other: &&Point| one[0].total_cmp(&other[0]);
        points.iter().min_by(lower).copied().unwrap_or_default()
    };
    // A contour around another begins to its left.
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
            // A contour of the same kind is a sibling; one of the other kind is the parent.
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
