//! From the blocks to one mesh: around every edge that the surface crosses there is a quad of four vertices.

use fibula_eval::Float;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::block::{Block, EdgeCrossing, SIDE, corners, local};
use super::grid::Grid;
use super::table::{AROUND, NONE, cases};
use crate::vector::{Vector, add, cross, dot, length, scale, sub};

/// Triangles with a smaller altitude, in cells, are kept from being.
const FLAT: f64 = 1e-4;
/// How far vertices of such triangles move to the middles of their cells, time after time.
const MOVES: [f64; 4] = [1.0 / 256.0, 1.0 / 16.0, 1.0 / 2.0, 1.0];
/// Quads of which one half lies so much closer to the surface, in cells, are cut this way.
const CLOSER: f64 = 1e-3;

/// The blocks have not the cells on both sides that the signs ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Torn;

/// All blocks.
pub(super) struct Blocks<'a, T> {
    grid: &'a Grid<T>,
    list: Vec<Block>,
    places: FxHashMap<[u32; 3], u32>,
}

impl<'a, T: Float> Blocks<'a, T> {
    pub(super) fn new(grid: &'a Grid<T>, list: Vec<Block>) -> Self {
        let places = (0..).zip(&list).map(|(number, block)| (block.at, number));
        Blocks {
            grid,
            places: places.collect(),
            list,
        }
    }

    /// Cuts faces the other way that pinch both cells that share them.
    pub(super) fn part_pinched(&mut self) {
        let parted: Vec<Vec<u16>> = self
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
        self.list
            .par_iter_mut()
            .zip(parted)
            .filter(|(_, parted)| !parted.is_empty())
            .for_each(|(block, parted)| block.part(&parted, grid));
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
        let Some(&number) = self.places.get(&at.map(|place| (place / SIDE) as u32)) else {
            return false;
        };
        let neighbour = self.list[number as usize].cell(at.map(|place| place % SIDE));
        neighbour.is_some_and(|neighbour| {
            cases()[usize::from(neighbour.inside)].pinching == Some(face ^ 1)
        })
    }

    /// The vertices and the triangles. Both are made in the place where they stay, and the blocks give their vertices up.
    ///
    /// # Errors
    /// [`Torn`].
    pub(super) fn stitched(mut self) -> Result<(Vec<Vector>, Vec<[u32; 3]>), Torn> {
        let mut bases = Vec::with_capacity(self.list.len() + 1);
        let count = self.list.iter().map(|block| block.vertices.len()).sum();
        let mut vertices = Vec::with_capacity(count);
        for block in &mut self.list {
            bases.push(vertices.len() as u32);
            vertices.append(&mut std::mem::take(&mut block.vertices));
        }
        let edges: usize = self.list.iter().map(|block| block.edges.len()).sum();
        let mut triangles = vec![[0; 3]; 2 * edges];
        let mut moved: FxHashMap<u32, usize> = FxHashMap::default();
        loop {
            let mut left = &mut triangles[..];
            let mut parts = Vec::with_capacity(self.list.len());
            for block in &self.list {
                let (part, rest) = left.split_at_mut(2 * block.edges.len());
                parts.push(part);
                left = rest;
            }
            let flat: Vec<Vec<u32>> = parts
                .into_par_iter()
                .enumerate()
                .map(|(number, part)| self.sheet(number, &bases, &vertices, part))
                .collect::<Result<_, _>>()?;
            let mut flat = flat.concat();
            flat.sort_unstable();
            flat.dedup();
            let mut is_done = true;
            for vertex in flat {
                let times = moved.entry(vertex).or_default();
                if let Some(&by) = MOVES.get(*times) {
                    let at = &mut vertices[vertex as usize];
                    let middle = self.middle(vertex, &bases);
                    *at = if *times + 1 == MOVES.len() {
                        middle
                    } else {
                        add(*at, scale(sub(middle, *at), by))
                    };
                    *times += 1;
                    is_done = false;
                }
            }
            // A quad whose vertices are all in the middles of their cells is not flat, so this ends.
            if is_done {
                return Ok((vertices, triangles));
            }
        }
    }

    /// The middle of the cell of a vertex.
    fn middle(&self, vertex: u32, bases: &[u32]) -> Vector {
        let number = bases.partition_point(|&base| base <= vertex) - 1;
        let block = &self.list[number];
        let first = (vertex - bases[number]) as u16;
        let cell = block.cells.partition_point(|cell| cell.first <= first) - 1;
        let [low, high] = corners(self.grid, block.cell_at(block.cells[cell]));
        scale(add(low, high), 0.5)
    }

    /// Makes the triangles of the edges that a block owns; gives the vertices of quads of which no halves have an area.
    fn sheet(
        &self,
        number: usize,
        bases: &[u32],
        vertices: &[Vector],
        triangles: &mut [[u32; 3]],
    ) -> Result<Vec<u32>, Torn> {
        let block = &self.list[number];
        // The blocks around the block's first corner; bit by bit, whether it is the one before.
        let around: [Option<u32>; 8] = std::array::from_fn(|before| {
            let mut at = block.at;
            for (axis, at) in at.iter_mut().enumerate() {
                *at = at.checked_sub((before >> axis & 1) as u32)?;
            }
            self.places.get(&at).copied()
        });
        let mut flat = Vec::new();
        let mut edges = block.edges.iter().zip(triangles.chunks_exact_mut(2));
        for cell in &block.cells {
            for (axis, around_edge) in AROUND.iter().enumerate() {
                let is_inside = cell.inside & 1 == 1;
                if (cell.inside >> (1 << axis) & 1 == 1) == is_inside {
                    continue;
                }
                let (edge, halves) = edges.next().ok_or(Torn)?;
                let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
                let mut quad = [0; 4];
                for ((vertex, edge), back) in quad.iter_mut().zip(around_edge).zip([0, u, u | v, v])
                {
                    let (mut at, mut before) = (local(cell.place), 0);
                    for (axis, at) in at.iter_mut().enumerate() {
                        if back >> axis & 1 == 1 {
                            before |= usize::from(*at == 0) << axis;
                            *at = (*at + SIDE - 1) % SIDE;
                        }
                    }
                    let number = around[before].ok_or(Torn)? as usize;
                    let there = self.list[number].cell(at).ok_or(Torn)?;
                    let of = there.loops().of[usize::from(*edge)];
                    if of == NONE {
                        return Err(Torn);
                    }
                    *vertex = bases[number] + u32::from(there.first) + u32::from(of);
                }
                if !is_inside {
                    quad.reverse();
                }
                let surface = self.surface(block.cell_at(*cell), axis, edge, is_inside);
                let (cut, is_flat) = halved(quad, vertices, &surface);
                halves.copy_from_slice(&cut);
                if is_flat {
                    flat.extend(quad);
                }
            }
        }
        Ok(flat)
    }

    /// The surface where it crosses an edge.
    fn surface(
        &self,
        corner: [usize; 3],
        axis: usize,
        edge: &EdgeCrossing,
        outward: bool,
    ) -> Surface {
        let samples = &self.grid.samples;
        let size: Vector = std::array::from_fn(|axis| {
            samples[axis][corner[axis] + 1].wide() - samples[axis][corner[axis]].wide()
        });
        let mut at = self.grid.point(corner);
        at[axis] += f64::from(edge.part) * size[axis];
        let mut normal = edge.normal.map(f64::from);
        if dot(normal, normal) == 0.0 {
            normal[axis] = if outward { 1.0 } else { -1.0 };
        }
        Surface {
            at,
            normal,
            cell: size.into_iter().fold(f64::INFINITY, f64::min),
        }
    }
}

/// The surface in the middle of a quad.
struct Surface {
    at: Vector,
    normal: Vector,
    /// The shortest edge of the cell.
    cell: f64,
}

/// Cuts a quad in two triangles, so that they have areas, face outward, lie on the surface and are not thin; and says
/// whether one of them has no area all the same.
fn halved(quad: [u32; 4], vertices: &[Vector], surface: &Surface) -> ([[u32; 3]; 2], bool) {
    let [a, b, c, d] = quad;
    let cuts = [[[a, b, c], [a, c, d]], [[b, c, d], [b, d, a]]];
    let both = cuts.map(|halves| Cut::of(halves, vertices, surface));
    let better = usize::from(both[1].is_better(&both[0], surface.cell));
    let is_flat = both[better].altitude <= FLAT * surface.cell;
    (cuts[better], is_flat)
}

/// What is good and bad about a way to cut a quad.
#[derive(Debug, Clone, Copy)]
struct Cut {
    /// The smaller altitude of the two triangles.
    altitude: f64,
    /// How many of them face outward.
    outward: u8,
    /// How far the middle of the cut is from the surface.
    distance: f64,
}

impl Cut {
    fn of(halves: [[u32; 3]; 2], vertices: &[Vector], surface: &Surface) -> Cut {
        let (mut altitude, mut outward) = (f64::INFINITY, 0);
        for half in halves {
            let [a, b, c] = half.map(|corner| vertices[corner as usize]);
            let (ab, ac, bc) = (sub(b, a), sub(c, a), sub(c, b));
            let doubled = cross(ab, ac);
            let longest = dot(ab, ab).max(dot(ac, ac)).max(dot(bc, bc)).sqrt();
            if longest > 0.0 {
                altitude = altitude.min(length(doubled) / longest);
            } else {
                altitude = 0.0;
            }
            outward += u8::from(dot(doubled, surface.normal) > 0.0);
        }
        // The second half begins along the cut.
        let [from, to] = [halves[1][0], halves[1][1]].map(|end| vertices[end as usize]);
        let middle = scale(add(from, to), 0.5);
        Cut {
            altitude,
            outward,
            distance: dot(surface.normal, sub(middle, surface.at)).abs(),
        }
    }

    fn is_better(&self, other: &Cut, cell: f64) -> bool {
        let (flat, other_flat) = (self.altitude <= FLAT * cell, other.altitude <= FLAT * cell);
        if flat != other_flat {
            return other_flat;
        }
        if self.outward != other.outward {
            return self.outward > other.outward;
        }
        if (self.distance - other.distance).abs() > CLOSER * cell {
            return self.distance < other.distance;
        }
        self.altitude > other.altitude
    }
}
