//! Which contour is around which.

use super::Contour;
use super::Point;
use super::lines::area;

/// A side of a contour that is not level.
#[derive(Debug, Clone, Copy)]
struct Side {
    contour: usize,
    ends: [Point; 2],
}

impl Side {
    /// Where it is at a height that it passes.
    fn at(&self, y: f64) -> Option<f64> {
        let [a, b] = self.ends;
        let (low, high) = (a[1].min(b[1]), a[1].max(b[1]));
        (low <= y && y < high).then(|| a[0] + (b[0] - a[0]) * ((y - a[1]) / (b[1] - a[1])))
    }
}

/// Sides by height.
struct Rows {
    low: f64,
    height: f64,
    sides: Vec<Vec<Side>>,
}

impl Rows {
    fn new(loops: &[Vec<Point>]) -> Rows {
        let heights = || loops.iter().flatten().map(|at| at[1]);
        let low = heights().fold(f64::INFINITY, f64::min);
        let high = heights().fold(f64::NEG_INFINITY, f64::max);
        let count = (loops.len() * 2).clamp(1, 4096);
        let mut rows = Rows {
            low,
            height: ((high - low) / count as f64).max(f64::MIN_POSITIVE),
            sides: vec![Vec::new(); count],
        };
        for (contour, points) in loops.iter().enumerate() {
            for (place, &a) in points.iter().enumerate() {
                let b = points[(place + 1) % points.len()];
                let (low, high) = (rows.row(a[1].min(b[1])), rows.row(a[1].max(b[1])));
                for row in &mut rows.sides[low..=high] {
                    let ends = [a, b];
                    row.push(Side { contour, ends });
                }
            }
        }
        rows
    }

    fn row(&self, y: f64) -> usize {
        let row = (y - self.low) / self.height;
        (row as usize).min(self.sides.len() - 1)
    }

    /// The contour before `own` whose side is the nearest to the left of a point.
    fn left_of(&self, [x, y]: Point, own: usize) -> Option<usize> {
        let sides = self.sides[self.row(y)].iter();
        // Contours that begin later are not around it; they touch at most.
        let others = sides.filter(|side| side.contour < own);
        let left = others.filter_map(|side| Some((side.at(y)?, side.contour)));
        let left = left.filter(|&(place, _)| place <= x);
        let nearest = left.max_by(|(one, _), (other, _)| one.total_cmp(other));
        nearest.map(|(_, contour)| contour)
    }
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
    let rows = Rows::new(&loops);
    let mut contours: Vec<Contour> = Vec::with_capacity(loops.len());
    for (own, points) in loops.into_iter().enumerate() {
        let is_hole = area(&points) < 0.0;
        let left = rows.left_of(leftmost(&points), own);
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
