//! Corner table (Rossignac, Safonova and Szymczak, 2001): each corner of a triangle knows its vertex and the corner on
//! the other side of the opposite edge.

use rayon::prelude::*;

use crate::Cancelled;
use crate::mesh::TriangleMesh;

/// No corner, no vertex.
pub(super) const NONE: u32 = u32::MAX;

/// Maximum triangles whose corners can be indexed.
pub(super) const MOST_TRIANGLES: usize = (NONE / 3) as usize;

/// Corner `3 t + i` is corner `i` of triangle `t`.
pub(super) struct CornerTable {
    /// The vertex of each corner; none if the triangle is removed.
    pub(super) vertex: Vec<u32>,
    opposite: Vec<u32>,
    /// A corner of each vertex.
    of_vertex: Vec<u32>,
    /// True for vertices that stay: those without triangles, and those whose triangles are not one closed fan.
    fixed: Vec<bool>,
}

/// Returns the next corner of the same triangle.
pub(super) fn next(corner: u32) -> u32 {
    if corner % 3 == 2 {
        corner - 2
    } else {
        corner + 1
    }
}

/// Returns the previous corner of the same triangle.
pub(super) fn previous(corner: u32) -> u32 {
    if corner.is_multiple_of(3) {
        corner + 2
    } else {
        corner - 1
    }
}

impl CornerTable {
    /// Builds the table of a mesh of no more than [`MOST_TRIANGLES`]; calls `still` between the steps.
    pub(super) fn new(
        mesh: &TriangleMesh,
        still: impl Fn() -> Result<(), Cancelled>,
    ) -> Result<CornerTable, Cancelled> {
        still()?;
        let vertex: Vec<u32> = mesh.triangles().as_flattened().to_vec();
        let vertices = mesh.vertices().len();
        let mut corners = CornerTable {
            opposite: opposites(&vertex, &still)?,
            of_vertex: vec![NONE; vertices],
            fixed: vec![true; vertices],
            vertex,
        };
        let mut counts = vec![0_u32; vertices];
        for (corner, &vertex) in (0..).zip(&corners.vertex) {
            corners.of_vertex[vertex as usize] = corner;
            counts[vertex as usize] += 1;
        }
        let is_fixed = |vertex: u32| {
            let count = counts[vertex as usize];
            count < 3 || !corners.is_fan(vertex, count)
        };
        still()?;
        corners.fixed = (0..vertices as u32).into_par_iter().map(is_fixed).collect();
        Ok(corners)
    }

    /// True if the triangles of a vertex, of which there are so many, are one closed fan.
    fn is_fan(&self, vertex: u32, count: u32) -> bool {
        let first = self.of_vertex[vertex as usize];
        let mut corner = first;
        for passed in 1..=count {
            let over = self.opposite[next(corner) as usize];
            if over == NONE {
                return false;
            }
            corner = next(over);
            if corner == first {
                return passed == count;
            }
        }
        false
    }

    /// The corner on the other side of the edge that is opposite to a corner; none at the rim of the mesh.
    pub(super) fn opposite(&self, corner: u32) -> Option<u32> {
        let over = self.opposite[corner as usize];
        (over != NONE).then_some(over)
    }

    pub(super) fn is_fixed(&self, vertex: u32) -> bool {
        self.fixed[vertex as usize]
    }

    /// Marks a vertex that stays, or that was removed.
    pub(super) fn fix(&mut self, vertex: u32) {
        self.fixed[vertex as usize] = true;
    }

    /// Returns the corners of a vertex that is not fixed, counterclockwise; the triangle of corner `c` has the vertex,
    /// that of `next(c)`, and that of `previous(c)`, which is that of `next` of the following corner.
    pub(super) fn fan(&self, vertex: u32) -> impl Iterator<Item = u32> {
        let first = self.of_vertex[vertex as usize];
        std::iter::successors(Some(first), move |&corner| {
            let corner = next(self.opposite[next(corner) as usize]);
            (corner != first).then_some(corner)
        })
    }

    /// Collapses the edge from a vertex with the corners `fan` to its neighbour at `next(fan[0])`; removes two
    /// triangles.
    pub(super) fn collapse(&mut self, fan: &[u32]) {
        let (first, last) = (fan[0], fan[fan.len() - 1]);
        let (second, last_but_one) = (fan[1], fan[fan.len() - 2]);
        let to = self.vertex[next(first) as usize];
        let (left, right) = (self.vertex[next(second) as usize], previous(last_but_one));
        let right = self.vertex[right as usize];
        let (over_first, over_last) = (self.opposite[first as usize], self.opposite[last as usize]);
        self.join(previous(second), over_first);
        self.join(next(last_but_one), over_last);
        for &corner in &fan[1..fan.len() - 1] {
            self.vertex[corner as usize] = to;
        }
        for corner in [first, last] {
            for corner in [corner, next(corner), previous(corner)] {
                self.vertex[corner as usize] = NONE;
            }
        }
        self.of_vertex[to as usize] = second;
        self.of_vertex[left as usize] = next(second);
        self.of_vertex[right as usize] = previous(last_but_one);
    }

    fn join(&mut self, one: u32, other: u32) {
        self.opposite[one as usize] = other;
        self.opposite[other as usize] = one;
    }
}

/// Returns the opposite corners across edges of exactly two triangles whose orientations agree.
fn opposites(
    vertex: &[u32],
    still: impl Fn() -> Result<(), Cancelled>,
) -> Result<Vec<u32>, Cancelled> {
    let ends = |corner: u32| {
        let (from, to) = (next(corner), previous(corner));
        (vertex[from as usize], vertex[to as usize])
    };
    let mut edges: Vec<(u32, u32, u32)> = (0..vertex.len() as u32)
        .into_par_iter()
        .map(|corner| {
            let (from, to) = ends(corner);
            (from.min(to), from.max(to), corner)
        })
        .collect();
    still()?;
    edges.par_sort_unstable();
    still()?;
    let mut opposite = vec![NONE; vertex.len()];
    for same in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        if let [(low, high, one), (_, _, other)] = *same
            && low != high
            && ends(one) != ends(other)
        {
            opposite[one as usize] = other;
            opposite[other as usize] = one;
        }
    }
    Ok(opposite)
}
