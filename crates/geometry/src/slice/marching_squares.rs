//! Marching squares: the cells that a contour passes, its crossings of their edges, and corners between crossings.
//!
//! Everything is evaluated on the short tape of the leaf that has the cells: values, and directions by finite
//! differences.

use fibula_eval::Interval;
use fibula_eval::prune::{Cell, CellAction, Leaf, Visitor};

use super::polylines::Polylines;
use super::refine::Refinement;
use super::{Point, SlicePlane};
use crate::budget::Budget;
use crate::regula_falsi::{Bracket, End};

/// Cells along an edge of a leaf: the evaluator computes as many samples, one more along each edge, at once.
pub(super) const SIDE: usize = 15;
/// Samples along it.
const SAMPLES: usize = SIDE + 1;
/// A value of this fraction of its edge's scale counts as 0, but for a last Newton step.
const ZERO: f64 = 1e-4;
/// If that step is a larger fraction of the edge, the value is small because the function is flat: the bracket is
/// narrowed further.
const STEP: f64 = 2e-3;
/// Squared slopes that fall to this fraction are lost in rounding.
const FADED: f64 = 1e-2;
/// Brackets shorter than this fraction of the edge are points.
const CLOSE: f64 = 1e-9;
/// Maximum evaluations per edge and narrowing.
const ROUNDS: usize = 48;
/// Tangents that differ by less belong to one smooth line: the cosine of 20 degrees.
const SMOOTH: f64 = 0.94;

/// The search on a crossed edge.
#[derive(Debug, Clone, Copy)]
struct EdgeSearch {
    /// First sample of the edge in the leaf, and its axis.
    from: [usize; 2],
    axis: usize,
    start: Point,
    length: f64,
    bracket: Bracket,
    /// Scale of values that count as 0.
    scale: f64,
    /// True if the contour is the side of the box, at the end outside.
    is_side: bool,
    /// Approximate crossing, and the value there.
    found: End,
    /// Partial derivatives there.
    slopes: Point,
}

impl EdgeSearch {
    fn at(&self, part: f64) -> Point {
        let mut at = self.start;
        at[self.axis] += part * self.length;
        at
    }

    /// Returns the Newton step along the edge, as a fraction of it.
    fn step(&self) -> f64 {
        self.found.value / (self.slopes[self.axis] * self.length)
    }
}

/// A point where a contour crosses an edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crossing {
    pub(super) at: Point,
    /// Unit normal out of the shape; 0 if unknown.
    pub(super) normal: Point,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Patch<'a> {
    plane: &'a SlicePlane<'a>,
    /// Position of the first sample in the grid.
    start: [usize; 2],
    /// Numbers of samples along x and y.
    counts: [usize; 2],
}

impl Patch<'_> {
    /// Returns the coordinates of a sample.
    pub(super) fn at(&self, [column, row]: [usize; 2]) -> Point {
        let [x, y] = self.plane.samples;
        [x[self.start[0] + column], y[self.start[1] + row]]
    }

    /// Returns the low and the high corner.
    fn sides(&self) -> [Point; 2] {
        let [width, height] = self.counts;
        [self.at([0, 0]), self.at([width - 1, height - 1])]
    }

    /// True if a sample is on a side of the box.
    fn is_side(&self, axis: usize, place: usize) -> bool {
        let place = self.start[axis] + place;
        place == 0 || place + 1 == self.plane.samples[axis].len()
    }

    /// Returns the number of the edge from a sample along an axis.
    fn edge(&self, [column, row]: [usize; 2], axis: usize) -> u64 {
        let width = self.plane.samples[0].len();
        let sample = (self.start[1] + row) * width + self.start[0] + column;
        2 * sample as u64 + axis as u64
    }
}

/// Collects polylines from the cells of a grid.
pub(super) struct ContourVisitor<'a> {
    plane: &'a SlicePlane<'a>,
    budget: &'a Budget,
    pub(super) lines: Polylines,
    /// Boxes whose interval bounds exclude no contour, by their low and high corners.
    pub(super) boxes: Vec<[Point; 2]>,
    pub(super) undefined: u64,
    values: Vec<f64>,
    /// For each row of samples, the set of those inside.
    rows: [u32; SAMPLES],
    searches: Vec<EdgeSearch>,
    /// For each sample and axis, the number of the search on the edge that begins there.
    numbers: [u16; SAMPLES * SAMPLES * 2],
    open: Vec<u32>,
    crossings: Vec<Crossing>,
    /// Saddle cells, whose corners alternate, with the set of those inside.
    ambiguous: Vec<([usize; 2], usize)>,
    points: PointBatch,
    refinement: Refinement,
}

/// Points to evaluate, and their values.
#[derive(Debug, Default)]
pub(super) struct PointBatch {
    x: Vec<f64>,
    y: Vec<f64>,
    pub(super) values: Vec<f64>,
}

impl PointBatch {
    pub(super) fn clear(&mut self) {
        self.x.clear();
        self.y.clear();
    }

    pub(super) fn push(&mut self, [x, y]: Point) {
        self.x.push(x);
        self.y.push(y);
    }

    /// Adds the points beside one, on both sides along each axis, clamped to a box.
    pub(super) fn push_beside(&mut self, at: Point, aside: f64, [low, high]: [Point; 2]) {
        for axis in 0..2 {
            for by in [-aside, aside] {
                let mut beside = at;
                beside[axis] = (beside[axis] + by).clamp(low[axis], high[axis]);
                self.push(beside);
            }
        }
    }

    /// Returns the slopes at a point whose neighbours were added from this index on.
    pub(super) fn slopes(&self, first: usize) -> Point {
        [(0, &self.x), (2, &self.y)].map(|(place, along)| {
            let (from, to) = (first + place, first + place + 1);
            (self.values[to] - self.values[from]) / (along[to] - along[from])
        })
    }

    pub(super) fn ask(&mut self, leaf: &mut Leaf<'_, f64>) {
        self.values.resize(self.x.len(), 0.0);
        leaf.at(&[&self.x, &self.y], &mut [&mut self.values]);
    }
}

impl<'a> ContourVisitor<'a> {
    pub(super) fn new(plane: &'a SlicePlane<'a>, budget: &'a Budget) -> ContourVisitor<'a> {
        ContourVisitor {
            plane,
            budget,
            lines: Polylines::default(),
            boxes: Vec::new(),
            undefined: 0,
            values: Vec::with_capacity(SAMPLES * SAMPLES),
            rows: [0; SAMPLES],
            searches: Vec::new(),
            numbers: [0; SAMPLES * SAMPLES * 2],
            open: Vec::new(),
            crossings: Vec::new(),
            ambiguous: Vec::new(),
            points: PointBatch::default(),
            refinement: Refinement::default(),
        }
    }

    /// Counts NaN samples, each in one of the leaves that share it.
    fn count_undefined(&mut self, patch: &Patch<'_>) {
        let is_own = |axis: usize, place: usize| {
            place + 1 < patch.counts[axis] || patch.is_side(axis, place)
        };
        let width = patch.counts[0];
        for (number, value) in self.values.iter().enumerate() {
            if value.is_nan() && is_own(0, number % width) && is_own(1, number / width) {
                self.undefined += 1;
            }
        }
    }

    /// Notes the samples inside; those on the sides of the box are outside.
    fn fill_rows(&mut self, patch: &Patch<'_>) {
        let mut within = 0;
        for column in 0..patch.counts[0] {
            within |= u32::from(!patch.is_side(0, column)) << column;
        }
        let rows = self.values.chunks_exact(patch.counts[0]);
        for (number, (row, values)) in self.rows.iter_mut().zip(rows).enumerate() {
            let mut inside = 0;
            for (column, value) in values.iter().enumerate() {
                inside |= u32::from(*value < 0.0) << column;
            }
            let is_side = patch.is_side(1, number);
            *row = if is_side { 0 } else { inside & within };
        }
    }

    /// Begins a search on each crossed edge.
    fn fill_searches(&mut self, patch: &Patch<'_>) {
        self.searches.clear();
        let [width, height] = patch.counts;
        for row in 0..height {
            let inside = self.rows[row];
            let along = (inside ^ inside >> 1) & ((1 << (width - 1)) - 1);
            let above = if row + 1 < height {
                inside ^ self.rows[row + 1]
            } else {
                0
            };
            for (axis, mut crossed) in [along, above].into_iter().enumerate() {
                while crossed != 0 {
                    let column = crossed.trailing_zeros() as usize;
                    crossed &= crossed - 1;
                    let is_inside = inside >> column & 1 == 1;
                    self.search(patch, [column, row], axis, is_inside);
                }
            }
        }
    }

    /// Begins the search on an edge.
    fn search(&mut self, patch: &Patch<'_>, from: [usize; 2], axis: usize, is_inside: bool) {
        let mut to = from;
        to[axis] += 1;
        let ends = [(0.0, from), (1.0, to)].map(|(part, [column, row])| End {
            part,
            value: self.values[row * patch.counts[0] + column],
        });
        let [inside, outside] = if is_inside { ends } else { [ends[1], ends[0]] };
        let (start, end) = (patch.at(from), patch.at(to));
        let bracket = Bracket::new(inside, outside);
        self.numbers[place(from, axis)] = self.searches.len() as u16;
        self.searches.push(EdgeSearch {
            from,
            axis,
            start,
            length: end[axis] - start[axis],
            scale: bracket.scale(),
            bracket,
            // The function continues beyond a side of the box.
            is_side: outside.value < 0.0,
            found: outside,
            slopes: [0.0; 2],
        });
    }

    /// Finds the crossings of edges.
    fn find(&mut self, patch: &Patch<'_>, leaf: &mut Leaf<'_, f64>) {
        self.open.clear();
        for (number, search) in self.searches.iter().enumerate() {
            if !search.is_side && search.found.value != 0.0 {
                self.open.push(number as u32);
            }
        }
        self.narrow(leaf, ZERO);
        self.open.clear();
        self.open.extend(0..self.searches.len() as u32);
        self.ask_slopes(patch, leaf);
        let searches = &self.searches;
        self.open.retain(|&number| {
            let search = &searches[number as usize];
            let is_known =
                search.is_side || search.found.value == 0.0 || search.step().abs() <= STEP;
            !is_known && search.bracket.length() > CLOSE
        });
        if !self.open.is_empty() {
            let again = self.open.clone();
            self.narrow(leaf, 0.0);
            self.open = again;
            self.ask_slopes(patch, leaf);
        }
        self.cross();
    }

    /// Narrows the unfinished searches until values are below a fraction of their scales, or brackets are short.
    fn narrow(&mut self, leaf: &mut Leaf<'_, f64>, zero: f64) {
        for round in 0..ROUNDS {
            if self.open.is_empty() {
                break;
            }
            self.points.clear();
            for &number in &self.open {
                let search = &mut self.searches[number as usize];
                search.found.part = search.bracket.next(round % 4 == 3);
                self.points.push(search.at(search.found.part));
            }
            self.points.ask(leaf);
            let mut values = self.points.values.iter();
            let searches = &mut self.searches;
            self.open.retain(|&number| {
                let search = &mut searches[number as usize];
                search.found.value = *values.next().unwrap_or(&f64::NAN);
                search.bracket.narrow(search.found);
                let is_found = search.found.value.abs() <= zero * search.scale;
                !is_found && search.bracket.length() > CLOSE
            });
        }
        self.open.clear();
    }

    /// Evaluates the slopes at the unfinished searches. Where values hardly differ any more, the earlier slopes are
    /// better: those of the cube of a distance vanish in rounding where it is 0.
    fn ask_slopes(&mut self, patch: &Patch<'_>, leaf: &mut Leaf<'_, f64>) {
        let sides = patch.sides();
        self.points.clear();
        for &number in &self.open {
            let search = &self.searches[number as usize];
            let at = search.at(search.found.part);
            self.points.push_beside(at, self.plane.aside, sides);
        }
        self.points.ask(leaf);
        for (place, &number) in self.open.iter().enumerate() {
            let search = &mut self.searches[number as usize];
            let slopes = self.points.slopes(4 * place);
            let [old, new] = [search.slopes, slopes].map(|[x, y]| x * x + y * y);
            let are_lost = new < FADED * old;
            if !are_lost {
                search.slopes = slopes;
            }
        }
    }

    /// Computes the normals at the crossings, and with them the last digits of their positions.
    fn cross(&mut self) {
        self.crossings.clear();
        for search in &self.searches {
            let mut part = search.found.part;
            let mut slopes = search.slopes;
            if search.is_side {
                let is_high = part > search.bracket.inside.part;
                slopes = [0.0; 2];
                slopes[search.axis] = if is_high { 1.0 } else { -1.0 };
            } else {
                let better = part - search.step();
                if search.bracket.holds(better) {
                    part = better;
                }
            }
            self.crossings.push(Crossing {
                at: search.at(part),
                normal: direction(slopes),
            });
        }
    }

    /// Adds the points of a leaf, and the segments between them.
    fn draw(&mut self, patch: &Patch<'_>, leaf: &mut Leaf<'_, f64>) {
        let [width, height] = patch.counts;
        let mut first = None;
        for (search, crossing) in self.searches.iter().zip(&self.crossings) {
            let across = 1 - search.axis;
            let place = search.from[across];
            let is_shared = place == 0 || place + 1 == patch.counts[across];
            let edge = is_shared.then(|| patch.edge(search.from, search.axis));
            let own = self.lines.push(crossing.at, edge);
            first.get_or_insert(own);
        }
        let first = first.unwrap_or_default();
        self.ambiguous.clear();
        self.refinement.clear();
        for row in 0..height - 1 {
            let (low, high) = (self.rows[row], self.rows[row + 1]);
            let (any, all) = (low | high, low & high);
            let mut mixed = (any | any >> 1) & !(all & all >> 1) & ((1 << (width - 1)) - 1);
            while mixed != 0 {
                let column = mixed.trailing_zeros() as usize;
                mixed &= mixed - 1;
                let (low, high) = ((low >> column & 3) as usize, (high >> column & 3) as usize);
                // Counterclockwise from the lowest.
                let inside = low | (high & 2) << 1 | (high & 1) << 3;
                if inside == 0b0101 || inside == 0b1010 {
                    self.ambiguous.push(([column, row], inside));
                } else {
                    self.cut(patch, [column, row], inside, false, first);
                }
            }
        }
        if self.ambiguous.is_empty() {
            return;
        }
        self.points.clear();
        for &([column, row], _) in &self.ambiguous {
            let (one, other) = (patch.at([column, row]), patch.at([column + 1, row + 1]));
            self.points
                .push([0, 1].map(|axis| f64::midpoint(one[axis], other[axis])));
        }
        self.points.ask(leaf);
        for number in 0..self.ambiguous.len() {
            let (cell, inside) = self.ambiguous[number];
            self.cut(patch, cell, inside, self.points.values[number] < 0.0, first);
        }
    }

    /// Adds the segments of a cell with a set of corners inside. `joined` decides a saddle: true if the centre is
    /// inside; `first` is the leaf's first point.
    fn cut(
        &mut self,
        patch: &Patch<'_>,
        cell: [usize; 2],
        inside: usize,
        joined: bool,
        first: u32,
    ) {
        let [column, row] = cell;
        let edges = [
            place([column, row], 0),
            place([column + 1, row], 1),
            place([column, row + 1], 0),
            place([column, row], 1),
        ];
        let is_inside = |corner: usize| inside >> (corner % 4) & 1 == 1;
        let comes_back = |side: &usize| !is_inside(*side) && is_inside(side + 1);
        for side in 0..4 {
            // The contour leaves the cell's boundary here and ends where the boundary is inside again: at the nearest
            // such edge of a joined saddle, else at the farthest.
            if !is_inside(side) || is_inside(side + 1) {
                continue;
            }
            let mut ends = (side + 1..side + 4).filter(comes_back);
            let end = if joined {
                ends.next()
            } else {
                ends.next_back()
            };
            let (from, to) = (
                self.numbers[edges[side]],
                self.numbers[edges[end.unwrap_or(side) % 4]],
            );
            let ends = [from, to].map(|number| self.crossings[usize::from(number)]);
            let [from, to] = [from, to].map(|number| first + u32::from(number));
            self.lines.join(from, to);
            let around = [patch.at(cell), patch.at([column + 1, row + 1])];
            if let Some(corner) = corner(ends, around) {
                let corner = self.lines.insert(from, corner);
                self.refinement.look_at([from, corner], around);
                self.refinement.look_at([corner, to], around);
            } else if self.plane.is_bent(ends) {
                self.refinement.look_at([from, to], around);
            }
        }
    }
}

/// Index of the search on the edge from a sample.
fn place([column, row]: [usize; 2], axis: usize) -> usize {
    2 * (row * SAMPLES + column) + axis
}

/// Returns the unit vector of a slope; 0 if it has none.
fn direction(slopes: Point) -> Point {
    let length = (slopes[0] * slopes[0] + slopes[1] * slopes[1]).sqrt();
    let is_known = length.is_finite() && length > 0.0;
    slopes.map(|part| if is_known { part / length } else { 0.0 })
}

/// Returns the intersection of two tangents, if they are not parallel and meet in the cell.
fn corner([from, to]: [Crossing; 2], [low, high]: [Point; 2]) -> Option<Point> {
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

impl Visitor<f64> for ContourVisitor<'_> {
    fn bounded(&mut self, cell: &Cell, bounds: Interval<f64>) -> CellAction {
        let is_at_side = (0..2).any(|axis| {
            let end = cell.start[axis] + cell.size[axis];
            cell.start[axis] == 0 || end + 1 >= self.plane.samples[axis].len()
        });
        let is_sure = !bounds.may_be_undefined();
        let is_outside = is_sure && bounds.low() >= 0.0;
        let is_inside = is_sure && bounds.high() < 0.0;
        let is_settled = is_outside || is_inside && !is_at_side;
        if is_settled || self.budget.is_exceeded() {
            CellAction::Done
        } else {
            CellAction::Divide
        }
    }

    fn leaf(&mut self, leaf: &mut Leaf<'_, f64>) {
        let [width, height, _] = leaf.counts();
        let [left, low, _] = leaf.cell().start;
        let patch = Patch {
            plane: self.plane,
            start: [left, low],
            counts: [width, height],
        };
        self.boxes.push(patch.sides());
        self.values.clear();
        self.values.extend_from_slice(leaf.samples());
        if self.values.iter().any(|value| value.is_nan()) {
            self.count_undefined(&patch);
        }
        self.fill_rows(&patch);
        self.fill_searches(&patch);
        if self.searches.is_empty() || !self.budget.take(self.searches.len()) {
            return;
        }
        self.find(&patch, leaf);
        self.draw(&patch, leaf);
        let ContourVisitor {
            plane,
            budget,
            lines,
            points,
            refinement,
            ..
        } = self;
        refinement.refine(plane, leaf, points, lines, budget);
    }
}
