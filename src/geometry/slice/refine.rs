//! Points where a line needs them, and only there.

use fibula_eval::BatchEvaluator;

use super::Slicing;
use super::budget::Budget;
use super::cells::Point;

/// How often the pieces of a line may be halved.
const HALVINGS: usize = 10;
/// Steps towards the contour.
const STEPS: usize = 4;

/// Puts points between others where the contour leaves the line between them by more than half of the tolerance. They
/// stay in the cells of the grid, so that lines of different cells do not cross. It ends where there are too many.
pub(super) fn refine(
    loops: &mut [Vec<Point>],
    samples: &[Vec<f64>; 2],
    slicing: &Slicing,
    mut gradient: BatchEvaluator<'_, f64>,
    z: f64,
    budget: &Budget,
) {
    let tolerance = slicing.least_tolerance();
    let grid = Grid {
        samples,
        close: slicing.cell * 1e-6,
    };
    for points in loops {
        // Whether the piece after a point may need more.
        let mut open: Vec<bool> = vec![true; points.len()];
        for _ in 0..HALVINGS {
            let count = points.len();
            let pieces: Vec<(usize, Point, f64)> = (0..count)
                .filter(|&place| open[place])
                .map(|place| (place, points[place], points[(place + 1) % count]))
                .filter(|&(_, a, b)| !grid.is_on_side(a, b))
                .map(|(place, a, b)| {
                    let middle = [f64::midpoint(a[0], b[0]), f64::midpoint(a[1], b[1])];
                    (place, middle, (a[0] - b[0]).hypot(a[1] - b[1]) / 2.0)
                })
                .collect();
            if pieces.is_empty() {
                break;
            }
            let found = onto(&pieces, &mut gradient, z);
            let (mut more, mut still) = (Vec::with_capacity(count), Vec::new());
            let mut next = pieces.iter().zip(found).peekable();
            for (place, &point) in points.iter().enumerate() {
                more.push(point);
                let own = next.next_if(|((piece, _, _), _)| *piece == place);
                let better = own.and_then(|((_, middle, _), found)| {
                    let away = |at: &Point| (at[0] - middle[0]).hypot(at[1] - middle[1]);
                    let is_better = |at: &Point| away(at) > tolerance / 2.0;
                    found.filter(|at| is_better(at) && grid.is_in_cell(*at, *middle))
                });
                still.push(better.is_some());
                if let Some(better) = better {
                    more.push(better);
                    still.push(true);
                }
            }
            let added = more.len() - points.len();
            (*points, open) = (more, still);
            if !budget.take(added) {
                return;
            }
        }
    }
}

/// The grid, within whose cells the pieces of contours stay.
struct Grid<'a> {
    samples: &'a [Vec<f64>; 2],
    /// What is this close to a side of the box is on it.
    close: f64,
}

impl Grid<'_> {
    /// Whether a point is in the cell in which the middle of a piece is.
    fn is_in_cell(&self, at: Point, middle: Point) -> bool {
        (0..2).all(|axis| {
            let samples = &self.samples[axis];
            let above = samples.partition_point(|&sample| sample <= middle[axis]);
            let above = above.clamp(1, samples.len() - 1);
            samples[above - 1] <= at[axis] && at[axis] <= samples[above]
        })
    }

    /// Whether both ends of a piece are on one side of the box, where the contour follows it and not the function.
    fn is_on_side(&self, a: Point, b: Point) -> bool {
        (0..2).any(|axis| {
            let samples = &self.samples[axis];
            let sides = [samples[0], samples[samples.len() - 1]];
            let is_on = |side: f64, at: Point| (at[axis] - side).abs() < self.close;
            sides.iter().any(|&side| is_on(side, a) && is_on(side, b))
        })
    }
}

/// The places of the contour nearest to the middles of pieces, each within its reach; `None` where none is found.
fn onto(
    pieces: &[(usize, Point, f64)],
    gradient: &mut BatchEvaluator<'_, f64>,
    z: f64,
) -> Vec<Option<Point>> {
    let count = pieces.len();
    let mut at: Vec<Option<Point>> = pieces.iter().map(|&(_, middle, _)| Some(middle)).collect();
    let z = vec![z; count];
    let mut results = [(); 3].map(|()| vec![0.0; count]);
    for _ in 0..STEPS {
        let [x, y] = [0, 1].map(|axis| {
            let of =
                |(at, piece): (&Option<Point>, &(usize, Point, f64))| at.unwrap_or(piece.1)[axis];
            at.iter().zip(pieces).map(of).collect::<Vec<f64>>()
        });
        let [value, by_x, by_y] = &mut results;
        gradient.run(&[&x, &y, &z], &[], &mut [value, by_x, by_y]);
        for (number, (place, (_, middle, reach))) in at.iter_mut().zip(pieces).enumerate() {
            let Some([x, y]) = *place else {
                continue;
            };
            let step = value[number] / (by_x[number].powi(2) + by_y[number].powi(2));
            let moved = [x - step * by_x[number], y - step * by_y[number]];
            let [dx, dy] = [moved[0] - middle[0], moved[1] - middle[1]];
            // Also if it is not a number.
            *place = (dx.hypot(dy) <= *reach).then_some(moved);
        }
    }
    at
}

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
        let farthest = (from + 1..to)
            .map(|place| (place, away(points[place], a, b)))
            .max_by(|(_, one), (_, other)| one.total_cmp(other));
        if let Some((place, distance)) = farthest
            && distance > tolerance
        {
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

/// How far a point is from the piece between two others.
fn away(at: Point, a: Point, b: Point) -> f64 {
    let ([x, y], [dx, dy]) = ([at[0] - a[0], at[1] - a[1]], [b[0] - a[0], b[1] - a[1]]);
    let square = dx * dx + dy * dy;
    let part = if square > 0.0 {
        ((x * dx + y * dy) / square).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (x - part * dx).hypot(y - part * dy)
}
