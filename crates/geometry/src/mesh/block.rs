//! Blocks: the cells of 8 by 8 by 8 that the surface passes through, and its vertices in them.
//!
//! Each leaf of the pruner becomes a block, on all threads. A block holds all that its own cells need; both neighbours
//! find crossings on their shared sides, with the same bits.

use std::fmt;

use fibula_core::vector::{Vector, sub};
use fibula_eval::prune::{Cell as CellBox, CellAction, Leaf, Visitor};
use fibula_eval::{Float, Interval};

use super::cases::{EDGES, Loops, cases};
use super::crossings::{EdgeSearch, Roots};
use super::grid::MeshGrid;
use super::quadric::{Crossing, vertex};
use super::round_edges::{LiftedVertex, lower};
use super::{MeshWork, RoundEdges};
use crate::regula_falsi::{Bracket, End};

/// Cells along an edge of a block.
pub(super) const SIDE: usize = 8;
/// Samples along it.
const SAMPLES: usize = SIDE + 1;

/// A cell that the surface passes through.
#[derive(Debug, Clone, Copy)]
pub(super) struct SurfaceCell {
    /// Index in the block, x first.
    pub(super) place: u16,
    /// Index of its first vertex in the block.
    pub(super) first: u16,
    /// Set of corners inside.
    pub(super) inside: u8,
    /// True if its pinching face is cut the other way.
    pub(super) parted: bool,
    /// True if a vertex of it was moved onto a round edge.
    pub(super) lowered: bool,
}

impl SurfaceCell {
    pub(super) fn loops(self) -> &'static Loops {
        cases()[usize::from(self.inside)].loops(self.parted)
    }
}

/// The crossing of an edge from the first corner of a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct EdgeCrossing {
    pub(super) part: f32,
    pub(super) normal: [f32; 3],
}

/// A cell with a pinching face, and the crossings from which its vertices can be recomputed.
#[derive(Debug)]
pub(super) struct PinchedCell {
    pub(super) cell: u16,
    pub(super) crossings: Box<[Crossing; 12]>,
}

/// Bit set of the cells of a block, row by row along x, with the number of cells before each row: a fifth of the memory
/// of a table of numbers.
#[derive(Debug)]
struct Index {
    places: [u8; SIDE * SIDE],
    before: [u16; SIDE * SIDE],
}

impl Index {
    /// Indexes cells in the order of their positions.
    fn new(cells: &[SurfaceCell]) -> Box<Index> {
        let mut index = Box::new(Index {
            places: [0; SIDE * SIDE],
            before: [0; SIDE * SIDE],
        });
        for cell in cells {
            let [x, y, z] = local(cell.place);
            index.places[y + SIDE * z] |= 1 << x;
        }
        let mut count = 0;
        for (places, before) in index.places.into_iter().zip(&mut index.before) {
            *before = count;
            count += places.count_ones() as u16;
        }
        index
    }

    /// Returns the number of the cell at a position.
    #[inline]
    fn number(&self, [x, y, z]: [usize; 3]) -> Option<usize> {
        let row = y + SIDE * z;
        let places = self.places[row];
        let before = (places & ((1 << x) - 1)).count_ones();
        (places >> x & 1 == 1).then(|| usize::from(self.before[row]) + before as usize)
    }
}

/// The surface cells of a part of the grid.
#[derive(Debug)]
pub(super) struct Block {
    /// Position of the block along each axis, in blocks.
    pub(super) at: [u32; 3],
    /// The cells, in the order of their positions.
    pub(super) cells: Vec<SurfaceCell>,
    index: Box<Index>,
    pub(super) vertices: Vec<Vector>,
    /// Crossings of the edges from first corners, in the order of cells and axes: one for each quad.
    pub(super) edges: Vec<EdgeCrossing>,
    pub(super) pinched: Vec<PinchedCell>,
}

impl Block {
    /// Returns the cell at a position in the block.
    #[inline]
    pub(super) fn cell(&self, at: [usize; 3]) -> Option<&SurfaceCell> {
        self.cells.get(self.index.number(at)?)
    }

    /// Returns the position of a cell in the grid.
    #[inline]
    pub(super) fn cell_at(&self, cell: SurfaceCell) -> [usize; 3] {
        let [i, j, k] = self.at;
        let [x, y, z] = local(cell.place);
        [
            i as usize * SIDE + x,
            j as usize * SIDE + y,
            k as usize * SIDE + z,
        ]
    }

    /// Cuts the pinching faces of some cells, by their numbers in order, the other way. Their vertices minimise the
    /// quadric, also above round edges.
    pub(super) fn split_pinched<T: Float>(&mut self, parted: &[u16], grid: &MeshGrid<T>) {
        let before = std::mem::take(&mut self.vertices);
        for number in 0..self.cells.len() {
            let cell = self.cells[number];
            let old = usize::from(cell.first);
            self.cells[number].first = self.vertices.len() as u16;
            if parted.binary_search(&(number as u16)).is_err() {
                let count = usize::from(cell.loops().count);
                self.vertices.extend_from_slice(&before[old..old + count]);
                continue;
            }
            self.cells[number].parted = true;
            self.cells[number].lowered = false;
            let loops = self.cells[number].loops();
            let pinched = self
                .pinched
                .iter()
                .find(|one| usize::from(one.cell) == number);
            let pinched = pinched.expect("what is parted was pinched");
            let corners = corners(grid, self.cell_at(cell));
            let crossing = |edge: u8| &pinched.crossings[usize::from(edge)];
            for edges in loops.each() {
                let vertex = vertex(edges.iter().map(|&edge| crossing(edge)), corners);
                self.vertices.push(vertex.at);
            }
        }
    }
}

/// Returns the index of a position in a block.
#[inline]
fn place([x, y, z]: [usize; 3]) -> usize {
    x + SIDE * (y + SIDE * z)
}

/// Returns the position with an index.
#[inline]
pub(super) fn local(place: u16) -> [usize; 3] {
    let place = usize::from(place);
    [place % SIDE, place / SIDE % SIDE, place / (SIDE * SIDE)]
}

/// Returns the low and the high corner of a cell.
#[inline]
pub(super) fn corners<T: Float>(grid: &MeshGrid<T>, [x, y, z]: [usize; 3]) -> [Vector; 2] {
    [grid.point([x, y, z]), grid.point([x + 1, y + 1, z + 1])]
}

/// Returns the shortest edge of a box.
#[inline]
pub(super) fn shortest_side(low: Vector, high: Vector) -> f64 {
    let [x, y, z] = sub(high, low);
    x.min(y).min(z)
}

/// For each axis the corners on the lower and the upper face of a cell.
const FACES: [[u8; 2]; 3] = [
    [0b0101_0101, 0b1010_1010],
    [0b0011_0011, 0b1100_1100],
    [0b0000_1111, 0b1111_0000],
];
/// Maximum distance of a vertex beyond a face of its cell, in cells: where all corners of the face are on one side, and
/// where they are not and there is another vertex behind it.
const BEYOND: [f64; 2] = [0.5, 0.25];

/// Returns the box in which the vertices of a cell may be. A single vertex may be slightly beyond the cell, for the tip
/// of a sharp edge that protrudes through its faces.
fn room<T: Float>(grid: &MeshGrid<T>, at: [usize; 3], cell: SurfaceCell) -> [Vector; 2] {
    let [mut low, mut high] = corners(grid, at);
    if cell.loops().count == 1 {
        for axis in 0..3 {
            let size = high[axis] - low[axis];
            let [below, above] = FACES[axis].map(|face| {
                let is_mixed = cell.inside & face != 0 && cell.inside & face != face;
                size * BEYOND[usize::from(is_mixed)]
            });
            // The outermost cells are shorter than the others, and beyond the box is nothing.
            let samples = &grid.samples[axis];
            low[axis] = (low[axis] - below).max(samples[0].to_f64());
            high[axis] = (high[axis] + above).min(samples[samples.len() - 1].to_f64());
        }
    }
    [low, high]
}

/// Samples at which a function is undefined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UndefinedSamples {
    /// Number of samples.
    pub samples: u64,
    /// One of them.
    pub at: Vector,
}

impl fmt::Display for UndefinedSamples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UndefinedSamples { samples, at } = self;
        write!(
            f,
            "the function is undefined at {samples} samples near its surface, such as {at:?}; they count as outside"
        )
    }
}

/// Finds the blocks in a part of the grid.
pub(super) struct BlockVisitor<'a, T: Float> {
    grid: &'a MeshGrid<T>,
    /// First cell of that part.
    origin: [usize; 3],
    work: &'a MeshWork<'a>,
    roots: Roots<'a, T>,
    round_edges: RoundEdges,
    pub(super) blocks: Vec<Block>,
    pub(super) undefined: Option<UndefinedSamples>,
    scratch: Scratch<T>,
}

/// Buffers that are reused from block to block.
struct Scratch<T> {
    values: Vec<T>,
    /// For each row of samples along x, the set of those inside.
    rows: [u16; SAMPLES * SAMPLES],
    /// For each sample and axis, the number of the search on the edge that begins there.
    edges: Vec<u16>,
    searches: Vec<EdgeSearch>,
    cells: Vec<SurfaceCell>,
}

impl<'a, T: Float> BlockVisitor<'a, T> {
    /// Prepares for the part of the grid from a cell on.
    pub(super) fn new(
        grid: &'a MeshGrid<T>,
        origin: [usize; 3],
        work: &'a MeshWork<'a>,
        roots: Roots<'a, T>,
        round_edges: RoundEdges,
    ) -> Self {
        BlockVisitor {
            grid,
            origin,
            work,
            roots,
            round_edges,
            blocks: Vec::new(),
            undefined: None,
            scratch: Scratch {
                values: Vec::with_capacity(SAMPLES * SAMPLES * SAMPLES),
                rows: [0; SAMPLES * SAMPLES],
                edges: vec![0; SAMPLES * SAMPLES * SAMPLES * 3],
                searches: Vec::new(),
                cells: Vec::new(),
            },
        }
    }

    /// Translates a box of that part to the grid.
    fn placed(&self, part: &CellBox) -> CellBox {
        let start = std::array::from_fn(|axis| part.start[axis] + self.origin[axis]);
        CellBox { start, ..*part }
    }

    /// Reports that a box of cells is done.
    fn pass(&self, part: &CellBox) {
        let cells = part.size.iter().product::<usize>();
        self.work.cells.add(cells as u64);
    }

    /// True if a cell touches a side of the box.
    fn is_cut(&self, at: [usize; 3]) -> bool {
        let cells = self.grid.cells();
        (0..3).any(|axis| at[axis] == 0 || at[axis] + 1 == cells[axis])
    }

    /// True if a box of cells touches a side of the box.
    fn is_at_side(&self, part: &CellBox) -> bool {
        let (part, cells) = (self.placed(part), self.grid.cells());
        (0..3)
            .any(|axis| part.start[axis] == 0 || part.start[axis] + part.size[axis] == cells[axis])
    }
}

impl<T: Float> Visitor<T> for BlockVisitor<'_, T> {
    fn bounded(&mut self, part: &CellBox, bounds: Interval<T>) -> CellAction {
        if self.work.cells.is_ended() {
            return CellAction::Done;
        }
        let is_outside = bounds.low() >= T::ZERO;
        let is_inside = bounds.high() < T::ZERO && !self.is_at_side(part);
        if (is_outside || is_inside) && !bounds.may_be_undefined() {
            self.pass(part);
            CellAction::Done
        } else {
            CellAction::Divide
        }
    }

    fn is_wanted(&mut self, _part: &CellBox) -> bool {
        !self.work.cells.is_ended()
    }

    fn leaf(&mut self, leaf: &mut Leaf<'_, T>) {
        let part = self.placed(leaf.cell());
        self.pass(&part);
        let counts = leaf.counts();
        let scratch = &mut self.scratch;
        scratch.values.clear();
        scratch.values.extend_from_slice(leaf.samples());
        // A full vectorised pass takes less time than ending early.
        let is_any_nan = |any: bool, value: &T| any | value.to_f64().is_nan();
        if scratch.values.iter().fold(false, is_any_nan) {
            self.count_undefined(&part, counts);
        }
        let cells = self.grid.cells();
        self.scratch.fill_rows(&part, counts, cells);
        let quads = self.scratch.fill_cells(&part);
        if self.scratch.cells.is_empty() || !self.work.quads.take(quads) {
            return;
        }
        self.scratch.fill_searches(&part, counts, self.grid);
        self.roots.find(leaf, &mut self.scratch.searches);
        let block = self.block(&part, quads);
        self.blocks.push(block);
    }
}

impl<T: Float> BlockVisitor<'_, T> {
    /// Counts NaN samples, each in one of the blocks that share it.
    fn count_undefined(&mut self, part: &CellBox, [width, height, _]: [usize; 3]) {
        let cells = self.grid.cells();
        for (number, value) in self.scratch.values.iter().enumerate() {
            let local = [
                number % width,
                number / width % height,
                number / width / height,
            ];
            let at: [usize; 3] = std::array::from_fn(|axis| part.start[axis] + local[axis]);
            let is_own =
                (0..3).all(|axis| local[axis] < part.size[axis] || at[axis] == cells[axis]);
            if value.to_f64().is_nan() && is_own {
                let at = self.grid.point(at);
                let undefined = self
                    .undefined
                    .get_or_insert(UndefinedSamples { samples: 0, at });
                undefined.samples += 1;
            }
        }
    }

    /// Builds the block of the noted cells, with the vertices of their crossings.
    fn block(&mut self, part: &CellBox, quads: usize) -> Block {
        // Exact capacities, since blocks stay until the mesh is complete.
        let mut cells = self.scratch.cells.clone();
        let (mut made, mut lifted) = (Vec::with_capacity(cells.len()), Vec::new());
        let (mut edges, mut pinched) = (Vec::with_capacity(quads), Vec::new());
        for (number, cell) in cells.iter_mut().enumerate() {
            cell.first = made.len() as u16;
            let local = local(cell.place);
            let first = edge_place(local, 0);
            let search = |edge: u8| {
                let edge = first + EDGE_PLACES[usize::from(edge)];
                usize::from(self.scratch.edges[edge])
            };
            for axis in 0..3_u8 {
                if (cell.inside ^ cell.inside >> (1 << axis)) & 1 == 1 {
                    let search = search(4 * axis);
                    edges.push(EdgeCrossing {
                        part: self.scratch.searches[search].part as f32,
                        normal: self.roots.crossings[search].normal.map(|x| x as f32),
                    });
                }
            }
            let at = std::array::from_fn(|axis| part.start[axis] + local[axis]);
            let room = room(self.grid, at, *cell);
            // The function knows nothing of the sides of the box.
            let lowers = self.round_edges == RoundEdges::Lowered && !self.is_cut(at);
            let crossing = |edge: u8| &self.roots.crossings[search(edge)];
            for edges in cell.loops().each() {
                let vertex = vertex(edges.iter().map(|&edge| crossing(edge)), room);
                if lowers && vertex.is_lifted(room) {
                    lifted.push(LiftedVertex::new([number, made.len()], &vertex, room));
                }
                made.push(vertex.at);
            }
            if cases()[usize::from(cell.inside)].pinching.is_some() {
                let mut crossings = Box::new([Crossing::default(); 12]);
                for &edge in cell.loops().each().flatten() {
                    crossings[usize::from(edge)] = *crossing(edge);
                }
                pinched.push(PinchedCell {
                    cell: number as u16,
                    crossings,
                });
            }
        }
        lower(&mut self.roots, &lifted, &mut cells, &mut made);
        Block {
            at: part.start.map(|start| (start / SIDE) as u32),
            index: Index::new(&cells),
            cells,
            vertices: made,
            edges,
            pinched,
        }
    }
}

/// Returns the set of samples of a row that are inside.
#[inline]
fn inside<T: Float>(row: &[T]) -> u16 {
    let bits = row.iter().enumerate();
    bits.fold(0, |bits, (x, value)| {
        bits | u16::from(*value < T::ZERO) << x
    })
}

/// Index of the search on the edge from a sample along an axis.
#[inline]
const fn edge_place([x, y, z]: [usize; 3], axis: usize) -> usize {
    (x + SAMPLES * (y + SAMPLES * z)) * 3 + axis
}

/// Offsets of those indexes for the edges of a cell, from that of its first one.
const EDGE_PLACES: [usize; 12] = {
    let mut places = [0; 12];
    let mut edge = 0;
    while edge < 12 {
        let corner = EDGES[edge][0] as usize;
        places[edge] = edge_place([corner & 1, corner >> 1 & 1, corner >> 2], edge / 4);
        edge += 1;
    }
    places
};

impl<T: Float> Scratch<T> {
    /// Notes the samples inside; those on the sides of the box are outside.
    fn fill_rows(&mut self, part: &CellBox, [width, height, depth]: [usize; 3], cells: [usize; 3]) {
        let is_side = |axis: usize, local: usize| {
            let at = part.start[axis] + local;
            at == 0 || at == cells[axis]
        };
        let mut within: u16 = 0;
        for x in 0..width {
            within |= u16::from(!is_side(0, x)) << x;
        }
        self.rows.fill(0);
        let mut rows = self.values.chunks_exact(width);
        for z in 0..depth {
            for y in 0..height {
                let row = rows.next().unwrap_or_default();
                if is_side(1, y) || is_side(2, z) {
                    continue;
                }
                // Most rows have full length, which is vectorised.
                let inside = match <&[T; SAMPLES]>::try_from(row) {
                    Ok(row) => inside(row),
                    Err(_) => inside(row),
                };
                self.rows[y + SAMPLES * z] = inside & within;
            }
        }
    }

    /// Notes the cells with corners on both sides; returns the number of crossed edges from first corners.
    fn fill_cells(&mut self, part: &CellBox) -> usize {
        let mut quads = 0;
        self.cells.clear();
        for z in 0..part.size[2] {
            for y in 0..part.size[1] {
                let first = y + SAMPLES * z;
                let rows = [first, first + 1, first + SAMPLES, first + SAMPLES + 1];
                let rows = rows.map(|row| self.rows[row]);
                let any = rows.iter().fold(0, |any, row| any | row);
                let all = rows.iter().fold(!0, |all, row| all & row);
                let mut mixed = (any | any >> 1) & !(all & all >> 1) & ((1 << part.size[0]) - 1);
                while mixed != 0 {
                    let x = mixed.trailing_zeros() as usize;
                    mixed &= mixed - 1;
                    let corners = rows.map(|row| (row >> x & 3) as u8);
                    let inside = corners[0] | corners[1] << 2 | corners[2] << 4 | corners[3] << 6;
                    let apart = if inside & 1 == 0 { inside } else { !inside };
                    quads += (apart & 0b1_0110).count_ones() as usize;
                    self.cells.push(SurfaceCell {
                        place: place([x, y, z]) as u16,
                        first: 0,
                        inside,
                        parted: false,
                        lowered: false,
                    });
                }
            }
        }
        quads
    }

    /// Begins a search on each crossed edge.
    fn fill_searches(&mut self, part: &CellBox, counts: [usize; 3], grid: &MeshGrid<T>) {
        self.searches.clear();
        let [width, height, depth] = counts;
        for z in 0..depth {
            for y in 0..height {
                let row = self.rows[y + SAMPLES * z];
                let beside = |is_there: bool, rows: usize| {
                    let row = y + SAMPLES * z + rows;
                    is_there.then(|| self.rows[row])
                };
                let along = (row ^ row >> 1) & ((1 << (width - 1)) - 1);
                let [across, up] = [beside(y + 1 < height, 1), beside(z + 1 < depth, SAMPLES)]
                    .map(|next| next.map_or(0, |next| row ^ next));
                for (axis, mut crossed) in [along, across, up].into_iter().enumerate() {
                    while crossed != 0 {
                        let x = crossed.trailing_zeros() as usize;
                        crossed &= crossed - 1;
                        let is_inside = row >> x & 1 == 1;
                        self.search(part, counts, [x, y, z], axis, is_inside, grid);
                    }
                }
            }
        }
    }

    /// Begins the search on the edge from a sample along an axis.
    fn search(
        &mut self,
        part: &CellBox,
        [width, height, _]: [usize; 3],
        from: [usize; 3],
        axis: usize,
        is_inside: bool,
        grid: &MeshGrid<T>,
    ) {
        let [x, y, z] = from;
        let sample = x + width * (y + height * z);
        let step = [1, width, width * height][axis];
        let near = self.values[sample].to_f64();
        let far = self.values[sample + step].to_f64();
        let end = |part, value| End { part, value };
        let (inside, outside) = if is_inside {
            (end(0.0, near), end(1.0, far))
        } else {
            (end(1.0, far), end(0.0, near))
        };
        let along = &grid.samples[axis][part.start[axis] + from[axis]..];
        let length = along[1].to_f64() - along[0].to_f64();
        let [i, j, k] = part.start;
        let bracket = Bracket::new(inside, outside);
        self.edges[edge_place(from, axis)] = self.searches.len() as u16;
        self.searches.push(EdgeSearch {
            corner: grid.point([i + x, j + y, k + z]),
            axis,
            length,
            is_cap: outside.value < 0.0,
            difference: bracket.difference(),
            scale: bracket.scale(),
            bracket,
            part: outside.part,
            rest: 0.0,
        });
    }
}
