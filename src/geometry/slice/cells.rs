//! The cells that a contour passes: where it crosses their edges, and its corners between.

use fibula_eval::prune::{Cell, Leaf, Next, Visitor};
use fibula_eval::{BatchEvaluator, Interval};

use super::budget::Budget;

/// A value that is this part of the difference between the ends of an edge is 0.
const ZERO: f64 = 1e-9;
/// Ends this part of the edge apart are one place.
const CLOSE: f64 = 1e-9;
/// The most evaluations for one edge.
const ROUNDS: usize = 48;
/// Tangents that are turned by less than this are of one smooth line: the cosine of 20 degrees.
const SMOOTH: f64 = 0.94;

/// A point of the plane, or a direction.
pub(super) type Point = [f64; 2];

/// Where a contour crosses an edge of the grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Crossing {
    /// Which edge: twice the number of its first sample, and one more if it runs along y.
    pub(super) edge: u64,
    pub(super) at: Point,
    /// The direction out of the shape, of length 1; 0 if it is not known.
    normal: Point,
}

/// A piece of contour in a cell, the inside being to its left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Piece {
    /// The edges where it begins and ends.
    pub(super) from: u64,
    pub(super) to: u64,
    /// The corner that it has between.
    pub(super) corner: Option<Point>,
}

/// An edge that is crossed, while its crossing is looked for.
#[derive(Debug, Clone, Copy)]
struct Search {
    edge: u64,
    /// The first sample, and which way the edge runs.
    start: Point,
    axis: usize,
    length: f64,
    /// The ends, as parts of the length, and the values there.
    inside: (f64, f64),
    outside: (f64, f64),
    /// Whether the contour is the side of the box, which is at the end outside.
    is_side: bool,
    /// Whether the end inside was moved last.
    moved: Option<bool>,
    part: f64,
}

impl Search {
    fn at(&self, part: f64) -> Point {
        let mut at = self.start;
        at[self.axis] += part * self.length;
        at
    }

    /// Where to look next: by false position, or in the middle.
    fn next(&self, middle: bool) -> f64 {
        let ((inside, below), (outside, above)) = (self.inside, self.outside);
        let guess = inside + (outside - inside) * (below / (below - above));
        if middle || !above.is_finite() || !guess.is_finite() {
            f64::midpoint(inside, outside)
        } else {
            guess
        }
    }

    /// Takes a value in; the value of an end that stays is halved (the Illinois variant).
    fn narrow(&mut self, part: f64, value: f64) {
        let is_inside = value < 0.0;
        let again = self.moved == Some(is_inside);
        if is_inside {
            self.inside = (part, value);
            self.outside.1 *= if again { 0.5 } else { 1.0 };
        } else {
            // What is undefined is outside, and nothing is known of its size.
            self.outside = (part, if value.is_nan() { f64::INFINITY } else { value });
            self.inside.1 *= if again { 0.5 } else { 1.0 };
        }
        self.moved = Some(is_inside);
    }
}

/// The samples of a leaf.
struct Patch<'a> {
    /// The samples of the whole grid on x and y.
    samples: &'a [Vec<f64>; 2],
    /// The place of the first sample in the grid.
    start: [usize; 2],
    width: usize,
    height: usize,
    values: Vec<f64>,
}

impl Patch<'_> {
    fn value(&self, column: usize, row: usize) -> f64 {
        self.values[row * self.width + column]
    }

    /// Whether a sample is inside; on the sides of the box none is.
    fn is_inside(&self, column: usize, row: usize) -> bool {
        let is_between = |axis: usize, place: usize| {
            let place = self.start[axis] + place;
            place > 0 && place + 1 < self.samples[axis].len()
        };
        self.value(column, row) < 0.0 && is_between(0, column) && is_between(1, row)
    }

    fn at(&self, column: usize, row: usize) -> Point {
        [
            self.samples[0][self.start[0] + column],
            self.samples[1][self.start[1] + row],
        ]
    }

    /// The number of the edge that runs from a sample along an axis.
    fn edge(&self, column: usize, row: usize, axis: usize) -> u64 {
        let sample = (self.start[1] + row) * self.samples[0].len() + self.start[0] + column;
        2 * sample as u64 + axis as u64
    }

    /// The search for the crossing of an edge; `None` if there is none.
    fn search(&self, column: usize, row: usize, axis: usize) -> Option<Search> {
        let (next, above) = (column + 1 - axis, row + axis);
        if next >= self.width || above >= self.height {
            return None;
        }
        let here = self.is_inside(column, row);
        if here == self.is_inside(next, above) {
            return None;
        }
        let (start, end) = (self.at(column, row), self.at(next, above));
        let ends = [
            (0.0, self.value(column, row)),
            (1.0, self.value(next, above)),
        ];
        let [inside, outside] = if here { ends } else { [ends[1], ends[0]] };
        let known = if outside.1.is_nan() {
            f64::INFINITY
        } else {
            outside.1
        };
        Some(Search {
            edge: self.edge(column, row, axis),
            start,
            axis,
            length: end[axis] - start[axis],
            inside,
            outside: (outside.0, known),
            // The function goes on beyond a side of the box.
            is_side: outside.1 < 0.0,
            moved: None,
            part: outside.0,
        })
    }

    /// Which corners of a cell are inside, against the clock from the lowest.
    fn corners(&self, column: usize, row: usize) -> [bool; 4] {
        [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(x, y)| self.is_inside(column + x, row + y))
    }

    /// The pieces of contour in a cell, without their corners; `joined` says whether insides meet in the middle.
    fn pieces(&self, column: usize, row: usize, joined: bool) -> impl Iterator<Item = (u64, u64)> {
        let inside = self.corners(column, row);
        let edges = [
            self.edge(column, row, 0),
            self.edge(column + 1, row, 1),
            self.edge(column, row + 1, 0),
            self.edge(column, row, 1),
        ];
        let leaves = move |side: usize| inside[side] && !inside[(side + 1) % 4];
        let comes_back = move |side: &usize| !inside[*side] && inside[(*side + 1) % 4];
        (0..4).filter(move |&side| leaves(side)).map(move |side| {
            // The contour leaves the rim here and ends where the rim is inside again: at the nearest such place if the
            // insides are joined, at the farthest if they are not.
            let mut ends = (1..4).map(|step| (side + step) % 4).filter(comes_back);
            let end = if joined {
                ends.next()
            } else {
                ends.next_back()
            };
            (edges[side], edges[end.unwrap_or(side)])
        })
    }
}

/// Collects pieces of contours from the cells of a grid.
pub(super) struct Finder<'a> {
    samples: &'a [Vec<f64>; 2],
    budget: &'a Budget,
    gradient: BatchEvaluator<'a, f64>,
    z: f64,
    pub(super) crossings: Vec<Crossing>,
    pub(super) pieces: Vec<Piece>,
    pub(super) undefined: u64,
}

impl<'a> Finder<'a> {
    pub(super) fn new(
        samples: &'a [Vec<f64>; 2],
        budget: &'a Budget,
        gradient: BatchEvaluator<'a, f64>,
        z: f64,
    ) -> Finder<'a> {
        Finder {
            samples,
            budget,
            gradient,
            z,
            crossings: Vec::new(),
            pieces: Vec::new(),
            undefined: 0,
        }
    }

    /// Writes down the crossings, with the directions of the shape's edge there.
    fn cross(&mut self, searches: &[Search]) {
        let at: Vec<Point> = searches.iter().map(|one| one.at(one.part)).collect();
        let [x, y] = [0, 1].map(|axis| at.iter().map(|at| at[axis]).collect::<Vec<f64>>());
        let z = vec![self.z; at.len()];
        let mut results = [(); 3].map(|()| vec![0.0; at.len()]);
        let [value, by_x, by_y] = &mut results;
        self.gradient
            .run(&[&x, &y, &z], &[], &mut [value, by_x, by_y]);
        for (number, search) in searches.iter().enumerate() {
            let mut normal = [by_x[number], by_y[number]];
            if search.is_side {
                let is_high = search.outside.0 > search.inside.0;
                normal = [0.0; 2];
                normal[search.axis] = if is_high { 1.0 } else { -1.0 };
            }
            let length = normal[0].hypot(normal[1]);
            let is_known = length.is_finite() && length > 0.0;
            self.crossings.push(Crossing {
                edge: search.edge,
                at: at[number],
                normal: normal.map(|part| if is_known { part / length } else { 0.0 }),
            });
        }
    }

    /// Writes down the pieces of a cell; `first` is the place of the first crossing that may be theirs.
    fn cut(&mut self, patch: &Patch<'_>, [column, row]: [usize; 2], joined: bool, first: usize) {
        let around = [patch.at(column, row), patch.at(column + 1, row + 1)];
        let crossings = &self.crossings[first..];
        let find = |edge: u64| crossings.iter().find(|one| one.edge == edge);
        self.pieces
            .extend(patch.pieces(column, row, joined).map(|(from, to)| {
                let both = find(from).zip(find(to));
                let corner = both.and_then(|(from, to)| corner(from, to, around));
                Piece { from, to, corner }
            }));
    }
}

/// Looks for the crossings of edges in a leaf.
fn narrow(searches: &mut [Search], leaf: &mut Leaf<'_, f64>) {
    let mut open: Vec<usize> = (0..searches.len())
        .filter(|&number| !searches[number].is_side)
        .collect();
    let (mut x, mut y, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        if open.is_empty() {
            break;
        }
        x.clear();
        y.clear();
        for &number in &open {
            let search = &mut searches[number];
            search.part = search.next(round % 4 == 3);
            let at = search.at(search.part);
            x.push(at[0]);
            y.push(at[1]);
        }
        values.resize(x.len(), 0.0);
        leaf.at(&[&x, &y], &mut [&mut values]);
        let mut found = values.iter();
        open.retain(|&number| {
            let search = &mut searches[number];
            let value = *found.next().unwrap_or(&0.0);
            let scale = search.outside.1 - search.inside.1;
            search.narrow(search.part, value);
            let is_found = scale.is_finite() && value.abs() <= ZERO * scale;
            !is_found && (search.inside.0 - search.outside.0).abs() > CLOSE
        });
    }
}

/// Where two tangents meet, if they are turned and meet inside of the cell.
fn corner(from: &Crossing, to: &Crossing, [low, high]: [Point; 2]) -> Option<Point> {
    let ([a, b], [c, d]) = (from.normal, to.normal);
    let known = (a != 0.0 || b != 0.0) && (c != 0.0 || d != 0.0);
    if !known || a * c + b * d > SMOOTH {
        return None;
    }
    let (first, second) = (a * from.at[0] + b * from.at[1], c * to.at[0] + d * to.at[1]);
    let determinant = a * d - b * c;
    let at = [
        (first * d - second * b) / determinant,
        (a * second - c * first) / determinant,
    ];
    let within = (0..2).all(|axis| low[axis] <= at[axis] && at[axis] <= high[axis]);
    within.then_some(at)
}

impl Visitor<f64> for Finder<'_> {
    fn bounded(&mut self, cell: &Cell, bounds: Interval<f64>) -> Next {
        let is_at_side = (0..2).any(|axis| {
            let end = cell.start[axis] + cell.size[axis];
            cell.start[axis] == 0 || end + 1 >= self.samples[axis].len()
        });
        let is_sure = !bounds.may_be_undefined();
        let is_outside = is_sure && bounds.low() >= 0.0;
        let is_inside = is_sure && bounds.high() < 0.0;
        let is_settled = is_outside || is_inside && !is_at_side;
        if is_settled || self.budget.is_passed() {
            Next::Done
        } else {
            Next::Divide
        }
    }

    fn leaf(&mut self, leaf: &mut Leaf<'_, f64>) {
        let [width, height, _] = leaf.counts();
        let [left, low, _] = leaf.cell().start;
        let patch = Patch {
            samples: self.samples,
            start: [left, low],
            width,
            height,
            values: leaf.samples().to_vec(),
        };
        let undefined = patch.values.iter().filter(|value| value.is_nan());
        self.undefined += undefined.count() as u64;
        let edges = (0..height).flat_map(|row| {
            (0..width).flat_map(move |column| [[column, row, 0], [column, row, 1]])
        });
        let mut searches: Vec<Search> = edges
            .filter_map(|[column, row, axis]| patch.search(column, row, axis))
            .collect();
        if searches.is_empty() || !self.budget.take(searches.len()) {
            return;
        }
        narrow(&mut searches, leaf);
        let first = self.crossings.len();
        self.cross(&searches);
        let mut doubtful: Vec<[usize; 2]> = Vec::new();
        for row in 0..height - 1 {
            for column in 0..width - 1 {
                match patch.corners(column, row) {
                    [true, true, true, true] | [false, false, false, false] => {}
                    [a, b, c, d] if a == c && b == d => doubtful.push([column, row]),
                    _ => self.cut(&patch, [column, row], false, first),
                }
            }
        }
        let middle = |axis: usize| -> Vec<f64> {
            let middle = |&[column, row]: &[usize; 2]| {
                let (one, other) = (patch.at(column, row), patch.at(column + 1, row + 1));
                f64::midpoint(one[axis], other[axis])
            };
            doubtful.iter().map(middle).collect()
        };
        let mut values = vec![0.0; doubtful.len()];
        leaf.at(&[&middle(0), &middle(1)], &mut [&mut values]);
        for (cell, value) in doubtful.into_iter().zip(values) {
            self.cut(&patch, cell, value < 0.0, first);
        }
    }
}
