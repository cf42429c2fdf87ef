//! Stitching of blocks to one mesh, slab by slab: around every crossed edge there is a quad of four vertices.
//!
//! A slab is stitched once the next one exists, since a face between them may have to be cut the other way, and
//! released once the next one is stitched: the surface in three slabs is kept.

use fibula_core::vector::{Vector, add, dot, scale, sub};
use fibula_eval::Float;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::block::{Block, EdgeCrossing, SIDE, SurfaceCell, corners, local, shortest_side};
use super::cases::{AROUND, NONE, cases};
use super::error::{ContouringError, MeshError};
use super::grid::MeshGrid;
use super::quads::{QuadSurface, is_fan, split};

/// Fractions by which vertices of flat triangles move to the centres of their cells, one after the other.
const MOVES: [f64; 4] = [1.0 / 256.0, 1.0 / 16.0, 1.0 / 2.0, 1.0];

/// Fans per cell on a round edge for which memory is reserved; growing later would move the whole mesh.
const FANS: usize = 5;

/// The slab before, which is stitched, the slab that is being stitched, and the one after it.
const BEFORE: usize = 0;
const HERE: usize = 1;
const AFTER: usize = 2;

/// Some layers of blocks.
#[derive(Default)]
struct Slab {
    list: Vec<Block>,
    places: FxHashMap<[u32; 3], u32>,
    /// Index of the first vertex of each block, and of its first triangle.
    vertices: Vec<u32>,
    triangles: Vec<usize>,
    /// Fans of each block.
    fans: Vec<Vec<QuadFan>>,
}

/// A quad that becomes four triangles.
#[derive(Debug, Clone, Copy)]
struct QuadFan {
    /// Index of the first of its two triangles in its block.
    half: usize,
    quad: [u32; 4],
    middle: Vector,
}

/// Results of a block beside its triangles.
#[derive(Debug, Default)]
struct BlockTriangles {
    /// Vertices of quads with a flat triangle.
    flat: Vec<u32>,
    fans: Vec<QuadFan>,
}

/// Builds one mesh of slabs, in their order along an axis.
pub(super) struct Stitcher<'a, T> {
    grid: &'a MeshGrid<T>,
    axis: usize,
    /// Blocks of a slab along the axis.
    thickness: u32,
    slabs: [Slab; 3],
    /// Number of slabs so far.
    count: u32,
    vertices: Vec<Vector>,
    triangles: Vec<[u32; 3]>,
    /// Number of moves of vertices in the slabs.
    moved: FxHashMap<u32, usize>,
}

impl<'a, T: Float> Stitcher<'a, T> {
    pub(super) fn new(grid: &'a MeshGrid<T>, axis: usize, thickness: usize) -> Self {
        Stitcher {
            grid,
            axis,
            thickness: u32::try_from(thickness).unwrap_or(u32::MAX),
            slabs: Default::default(),
            count: 0,
            vertices: Vec::new(),
            triangles: Vec::new(),
            moved: FxHashMap::default(),
        }
    }

    /// Adds the blocks of the next slab, and stitches the one before.
    pub(super) fn push(&mut self, list: Vec<Block>) -> Result<(), ContouringError> {
        let places = (0..).zip(&list).map(|(number, block)| (block.at, number));
        let next = Slab {
            places: places.collect(),
            list,
            ..Slab::default()
        };
        self.slabs.rotate_left(1);
        let forgotten = std::mem::replace(&mut self.slabs[AFTER], next);
        self.fan_out(forgotten);
        self.count += 1;
        self.split_pinched();
        self.begin();
        self.stitch()
    }

    /// Returns the vertices and the triangles.
    pub(super) fn finish(mut self) -> Result<(Vec<Vector>, Vec<[u32; 3]>), ContouringError> {
        self.push(Vec::new())?;
        for slab in std::mem::take(&mut self.slabs) {
            self.fan_out(slab);
        }
        Ok((self.vertices, self.triangles))
    }

    /// Builds the fans of a released slab: until then its quads have two triangles, which may change.
    fn fan_out(&mut self, slab: Slab) {
        let count = slab.fans.iter().map(Vec::len).sum();
        self.vertices.reserve_exact(count);
        self.triangles.reserve_exact(2 * count);
        for (first, fans) in slab.triangles.into_iter().zip(slab.fans) {
            for QuadFan { half, quad, middle } in fans {
                let [a, b, c, d] = quad;
                let e = self.vertices.len() as u32;
                self.vertices.push(middle);
                self.triangles[first + half] = [a, b, e];
                self.triangles[first + half + 1] = [b, c, e];
                self.triangles.extend([[c, d, e], [d, a, e]]);
            }
        }
    }

    /// Returns the slab and the number of the block at a position.
    #[inline]
    fn find(&self, at: [u32; 3]) -> Option<(usize, usize)> {
        let slab = at[self.axis] / self.thickness + 3;
        let slab = slab.checked_sub(self.count)? as usize;
        let number = self.slabs.get(slab)?.places.get(&at)?;
        Some((slab, *number as usize))
    }

    /// Cuts faces the other way that pinch both cells that share them.
    fn split_pinched(&mut self) {
        let parted: Vec<Vec<u16>> = self.slabs[HERE]
            .list
            .par_iter()
            .map(|block| {
                let pinched = block.pinched.iter().map(|pinched| pinched.cell);
                pinched
                    .filter(|&cell| self.is_pinched_twice(block, cell))
                    .collect()
            })
            .collect();
        let grid = self.grid;
        self.slabs[HERE]
            .list
            .par_iter_mut()
            .zip(parted)
            .filter(|(_, parted)| !parted.is_empty())
            .for_each(|(block, parted)| block.split_pinched(&parted, grid));
    }

    fn is_pinched_twice(&self, block: &Block, cell: u16) -> bool {
        let cell = block.cells[usize::from(cell)];
        let Some(face) = cases()[usize::from(cell.inside)].pinching else {
            return false;
        };
        let axis = usize::from(face / 2);
        let mut at = block.cell_at(cell);
        let there = if face % 2 == 0 {
            at[axis].checked_sub(1)
        } else {
            Some(at[axis] + 1)
        };
        let Some(there) = there else {
            return false;
        };
        at[axis] = there;
        let Some((slab, number)) = self.find(at.map(|place| (place / SIDE) as u32)) else {
            return false;
        };
        let neighbour = self.slabs[slab].list[number].cell(at.map(|place| place % SIDE));
        neighbour.is_some_and(|neighbour| {
            cases()[usize::from(neighbour.inside)].pinching == Some(face ^ 1)
        })
    }

    /// Assigns the indexes of a slab's vertices and triangles, which are built in place; blocks give up their vertices.
    fn begin(&mut self) {
        let Stitcher {
            slabs,
            vertices,
            triangles,
            moved,
            ..
        } = self;
        let kept = slabs[BEFORE].vertices.first().copied().unwrap_or(0);
        moved.retain(|&vertex, _| vertex >= kept);
        let slab = &mut slabs[HERE];
        let own = |of: fn(&Block) -> usize| slab.list.iter().map(of).sum::<usize>();
        let lowered = own(|block| block.cells.iter().filter(|cell| cell.lowered).count());
        let fans = (FANS * lowered).min(own(|block| block.edges.len()));
        vertices.reserve_exact(own(|block| block.vertices.len()) + fans);
        triangles.reserve_exact(own(|block| 2 * block.edges.len()) + 2 * fans);
        for block in &mut slab.list {
            slab.vertices.push(vertices.len() as u32);
            vertices.append(&mut std::mem::take(&mut block.vertices));
            slab.triangles.push(triangles.len());
            triangles.resize(triangles.len() + 2 * block.edges.len(), [0; 3]);
        }
    }

    /// Builds the triangles of a slab, and moves vertices until none is flat.
    fn stitch(&mut self) -> Result<(), ContouringError> {
        let slab = &self.slabs[HERE];
        let Some(&first) = slab.triangles.first() else {
            return Ok(());
        };
        let mut triangles = std::mem::take(&mut self.triangles);
        let mut left = &mut triangles[first..];
        let mut parts = Vec::with_capacity(slab.list.len());
        for block in &slab.list {
            let (part, rest) = left.split_at_mut(2 * block.edges.len());
            parts.push(part);
            left = rest;
        }
        let made: Result<Vec<BlockTriangles>, ContouringError> = parts
            .into_par_iter()
            .enumerate()
            .map(|(number, part)| self.sheet((HERE, number), part))
            .collect();
        let mut flat = Vec::new();
        for sheet in made? {
            flat.extend(sheet.flat);
            self.slabs[HERE].fans.push(sheet.fans);
        }
        while !flat.is_empty() {
            let blocks = self.spread(flat)?;
            flat = Vec::new();
            for (slab, number) in blocks {
                let first = self.slabs[slab].triangles[number];
                let count = 2 * self.slabs[slab].list[number].edges.len();
                let sheet = self.sheet((slab, number), &mut triangles[first..first + count])?;
                flat.extend(sheet.flat);
                self.slabs[slab].fans[number] = sheet.fans;
            }
        }
        self.triangles = triangles;
        Ok(())
    }

    /// Moves vertices of flat quads that have moves left; returns the blocks with affected quads, in order.
    ///
    /// A quad whose vertices are all in the centres of their cells is not flat, so this terminates.
    fn spread(&mut self, mut flat: Vec<u32>) -> Result<Vec<(usize, usize)>, ContouringError> {
        flat.sort_unstable();
        flat.dedup();
        let mut blocks = FxHashSet::default();
        for vertex in flat {
            let times = self.moved.get(&vertex).copied().unwrap_or(0);
            let Some(&by) = MOVES.get(times) else {
                continue;
            };
            let cell = self.cell_of(vertex);
            let [low, high] = corners(self.grid, cell);
            let middle = scale(add(low, high), 0.5);
            let at = &mut self.vertices[vertex as usize];
            *at = if times + 1 == MOVES.len() {
                middle
            } else {
                add(*at, scale(sub(middle, *at), by))
            };
            self.moved.insert(vertex, times + 1);
            // The cells whose first corners are those of this one own the quads around it.
            for corner in 0..8 {
                let owner: [u32; 3] =
                    std::array::from_fn(|axis| ((cell[axis] + (corner >> axis & 1)) / SIDE) as u32);
                let Some((slab, number)) = self.find(owner) else {
                    continue;
                };
                let along = owner[self.axis];
                if slab == BEFORE && along > 0 && along.is_multiple_of(self.thickness) {
                    return Err(ContouringError::Far);
                }
                if slab != AFTER {
                    blocks.insert((slab, number));
                }
            }
        }
        let mut blocks: Vec<(usize, usize)> = blocks.into_iter().collect();
        blocks.sort_unstable();
        Ok(blocks)
    }

    /// Returns the cell of a vertex in the grid.
    fn cell_of(&self, vertex: u32) -> [usize; 3] {
        let first = self.slabs[HERE].vertices[0];
        let slab = &self.slabs[if vertex < first { BEFORE } else { HERE }];
        let number = slab.vertices.partition_point(|&first| first <= vertex) - 1;
        let block = &slab.list[number];
        let first = (vertex - slab.vertices[number]) as u16;
        let cell = block.cells.partition_point(|cell| cell.first <= first) - 1;
        block.cell_at(block.cells[cell])
    }

    /// Builds the triangles of the edges that a block owns.
    fn sheet(
        &self,
        (slab, number): (usize, usize),
        triangles: &mut [[u32; 3]],
    ) -> Result<BlockTriangles, ContouringError> {
        let block = &self.slabs[slab].list[number];
        let cases = cases();
        // The blocks around the block's first corner; a bit per axis is set for the one before.
        let around: [Option<(&Block, u32)>; 8] = std::array::from_fn(|before| {
            let mut at = block.at;
            for (axis, at) in at.iter_mut().enumerate() {
                *at = at.checked_sub((before >> axis & 1) as u32)?;
            }
            let (slab, number) = self.find(at)?;
            let slab = &self.slabs[slab];
            Some((&slab.list[number], slab.vertices[number]))
        });
        let mut sheet = BlockTriangles::default();
        let mut edges = block
            .edges
            .iter()
            .zip(triangles.chunks_exact_mut(2))
            .enumerate();
        for cell in &block.cells {
            let apart = if cell.inside & 1 == 0 {
                cell.inside
            } else {
                !cell.inside
            };
            if apart & 0b1_0110 == 0 {
                continue;
            }
            let here = local(cell.place);
            let back = here.map(|place| (place + SIDE - 1) % SIDE);
            let first = (0..3).fold(0, |first, axis| {
                first | usize::from(here[axis] == 0) << axis
            });
            // The vertex of a cell that is one step back along some axes, by one of its edges.
            let vertex = |by: usize, edge: u8| {
                let at = |axis: usize| {
                    if by >> axis & 1 == 1 {
                        back[axis]
                    } else {
                        here[axis]
                    }
                };
                let (block, base) = around[by & first]?;
                let cell = block.cell([at(0), at(1), at(2)])?;
                let loops = cases[usize::from(cell.inside)].loops(cell.parted);
                let of = loops.of[usize::from(edge)];
                let number = base + u32::from(cell.first) + u32::from(of);
                (of != NONE).then_some((number, cell.lowered))
            };
            let frame = CellFrame::new(self.grid, block, *cell);
            for (axis, around_edge) in AROUND.iter().enumerate() {
                if apart >> (1 << axis) & 1 == 0 {
                    continue;
                }
                let (number, (edge, halves)) = edges.next().ok_or(MeshError::Torn)?;
                let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
                let [a, b, c, d] = *around_edge;
                let quad = [vertex(0, a), vertex(u, b), vertex(u | v, c), vertex(v, d)];
                let [Some((a, i)), Some((b, j)), Some((c, k)), Some((d, l))] = quad else {
                    return Err(MeshError::Torn.into());
                };
                let is_round = i | j | k | l;
                let outward = cell.inside & 1 == 1;
                let quad = if outward { [a, b, c, d] } else { [d, c, b, a] };
                let surface = frame.surface(axis, edge, outward);
                let quad_split = split(quad, &self.vertices, &surface);
                [halves[0], halves[1]] = quad_split.halves(quad);
                if quad_split.is_flat {
                    sheet.flat.extend(quad);
                } else if is_round && is_fan(quad, &self.vertices, &surface) {
                    sheet.fans.push(QuadFan {
                        half: 2 * number,
                        quad,
                        middle: surface.at,
                    });
                }
            }
        }
        Ok(sheet)
    }
}

/// Position and size of a cell.
struct CellFrame {
    corner: Vector,
    size: Vector,
    shortest: f64,
}

impl CellFrame {
    fn new<T: Float>(grid: &MeshGrid<T>, block: &Block, cell: SurfaceCell) -> CellFrame {
        let [corner, other] = corners(grid, block.cell_at(cell));
        let size = sub(other, corner);
        CellFrame {
            corner,
            size,
            shortest: shortest_side(corner, other),
        }
    }

    /// Returns the surface where it crosses an edge.
    fn surface(&self, axis: usize, edge: &EdgeCrossing, outward: bool) -> QuadSurface {
        let along = f64::from(edge.part) * self.size[axis];
        let [u, v, w] = edge.normal;
        let mut normal = [f64::from(u), f64::from(v), f64::from(w)];
        if dot(normal, normal) == 0.0 {
            normal = on(axis, if outward { 1.0 } else { -1.0 });
        }
        QuadSurface {
            at: add(self.corner, on(axis, along)),
            normal,
            cell: self.shortest,
        }
    }
}

/// Returns a vector along an axis.
#[inline]
fn on(axis: usize, length: f64) -> Vector {
    let part = |other: usize| if other == axis { length } else { 0.0 };
    [part(0), part(1), part(2)]
}
