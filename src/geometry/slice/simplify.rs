//! Fewer points, where lines are nearly straight.

use super::Point;

/// Leaves out points that are no farther than `tolerance` from the line between those that stay (Ramer, Douglas and Peucker).
pub(super) fn simplify(points: &mut Vec<Point>, tolerance: f64) {
    if points.len() < 4 {
        return;
    }
    // Two points that stay: the first, and the one farthest from it.
    let far = |from: usize| {
        let distance = |place: usize| {
            let [dx, dy] = [0, 1].map(|axis| points[place][axis] - points[from][axis]);
            dx * dx + dy * dy
        };
        (0..points.len()).max_by(|&a, &b| distance(a).total_cmp(&distance(b)))
    };
    let opposite = far(0).unwrap_or(0);
    let first = far(opposite).unwrap_or(0);
    points.rotate_left(first);
    let count = points.len();
    let opposite = (opposite + count - first) % count;
    let mut stays = vec![false; count];
    (stays[0], stays[opposite]) = (true, true);
    let mut open = vec![(0, opposite), (opposite, count)];
    while let Some((from, to)) = open.pop() {
        let (a, b) = (points[from], points[to % count]);
        let (mut farthest, mut most) = (None, tolerance * tolerance);
        let piece = Piece::new(a, b);
        for (place, &at) in (from + 1..).zip(&points[from + 1..to]) {
            let square = piece.away(at);
            if square > most {
                (farthest, most) = (Some(place), square);
            }
        }
        if let Some(place) = farthest {
            stays[place] = true;
            open.extend([(from, place), (place, to)]);
        }
    }
    let mut place = 0;
    points.retain(|_| {
        place += 1;
        stays[place - 1]
    });
}

/// A piece of a straight line.
struct Piece {
    from: Point,
    along: Point,
    /// What its part along a direction is multiplied by to be a part of its length.
    share: f64,
}

impl Piece {
    fn new(from: Point, to: Point) -> Piece {
        let along = [to[0] - from[0], to[1] - from[1]];
        let square = along[0] * along[0] + along[1] * along[1];
        Piece {
            from,
            along,
            share: if square > 0.0 { 1.0 / square } else { 0.0 },
        }
    }

    /// The square of how far a point is from it.
    fn away(&self, at: Point) -> f64 {
        let [x, y] = [at[0] - self.from[0], at[1] - self.from[1]];
        let [dx, dy] = self.along;
        let part = ((x * dx + y * dy) * self.share).clamp(0.0, 1.0);
        let [x, y] = [x - part * dx, y - part * dy];
        x * x + y * y
    }
}
