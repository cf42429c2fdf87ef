//! Distances from a mesh for ambient occlusion: signed distances at the nodes of two lattices, each computed when it is
//! first needed, and interpolated linearly along each axis.
//!
//! There are far fewer nodes than points at which a picture needs the distance, and ambient occlusion does not show what is
//! smaller than the spacing. Far from the surface the distance changes slowly, so a coarse lattice serves, as in adaptively
//! sampled distance fields (Frisken et al., 2000).

use std::sync::atomic::{AtomicU32, Ordering};

use fibula_core::vector::{Vector, dot, length, sub};

use super::camera::Frame;
use super::clipping::Clip;
use super::drawn_mesh::DrawnMesh;
use crate::Bounds;

/// Spacing of the coarse lattice, in spacings of the fine one.
const COARSE: f64 = 2.0;
/// Distance from which on the coarse lattice serves, in its spacings.
const FAR: f32 = 2.0;
/// A node that is not computed.
const UNKNOWN: u32 = u32::MAX;

/// Distances of points in front of a camera from a mesh, as far as the bounds and sections leave it.
pub(super) struct DistanceLattice<'a> {
    mesh: &'a DrawnMesh<'a>,
    frame: &'a Frame,
    /// Half spaces that are left: normals and offsets.
    planes: Vec<(Vector, f64)>,
    /// Box around what is left of the mesh.
    corners: [Vector; 2],
    coarse: Lattice,
    fine: Lattice,
    /// Distance beyond which nodes have this number, also inside: the points that are asked for are nearer to the surface, or in
    /// front of a plane by more than this.
    reach: f64,
}

/// Nodes over a box.
struct Lattice {
    spacing: f64,
    /// Nodes along each axis.
    counts: [usize; 3],
    /// Bits of single-precision numbers.
    nodes: Vec<AtomicU32>,
}

impl<'a> DistanceLattice<'a> {
    /// A lattice over what bounds leave of the mesh, for points up to `reach` from its surface.
    pub(super) fn new(
        mesh: &'a DrawnMesh<'a>,
        frame: &'a Frame,
        bounds: &Bounds,
        clip: &Clip,
        [spacing, reach]: [f64; 2],
    ) -> DistanceLattice<'a> {
        let [low, high] = mesh.bounding_box();
        let within = |at: Vector| {
            let (low, high) = (bounds.low(), bounds.high());
            [0, 1, 2].map(|axis| at[axis].clamp(low[axis], high[axis]))
        };
        let corners = [within(low), within(high)];
        let size = sub(corners[1], corners[0]);
        DistanceLattice {
            mesh,
            frame,
            planes: clip.half_spaces().collect(),
            corners,
            coarse: Lattice::new(size, COARSE * spacing),
            fine: Lattice::new(size, spacing),
            reach: reach + 2.0 * COARSE * spacing,
        }
    }

    /// Returns the signed distance of the point at picture coordinates and depth.
    pub(super) fn at(&self, place: [f32; 3]) -> f32 {
        let at = self.frame.point(place.map(f64::from));
        let planes = self.planes.iter();
        let clipped = planes.map(|(normal, offset)| dot(at, *normal) - offset);
        let clipped = clipped.fold(f64::NEG_INFINITY, f64::max);
        // All that is left is in the box, so it is at least this far from what is beside.
        let [low, high] = self.corners;
        let nearest = [0, 1, 2].map(|axis| at[axis].clamp(low[axis], high[axis]));
        let beside = length(sub(at, nearest));
        let coarse = self.interpolated(&self.coarse, nearest);
        let inside = if coarse.abs() > FAR * self.coarse.spacing as f32 {
            coarse
        } else {
            self.interpolated(&self.fine, nearest)
        };
        let inside = f64::from(inside);
        let distance = if beside > 0.0 {
            beside.hypot(inside.max(0.0))
        } else {
            inside
        };
        distance.max(clipped) as f32
    }

    /// Interpolates the nodes around a point in the box.
    fn interpolated(&self, lattice: &Lattice, at: Vector) -> f32 {
        let place = sub(at, self.corners[0]).map(|part| part / lattice.spacing);
        let last = lattice.counts.map(|count| count.saturating_sub(2));
        let first = [0, 1, 2].map(|axis| (place[axis] as usize).min(last[axis]));
        let [x, y, z] = [0, 1, 2].map(|axis| (place[axis] - first[axis] as f64) as f32);
        let mut values: [f32; 8] = std::array::from_fn(|corner| {
            let node =
                |axis: usize| (first[axis] + (corner >> axis & 1)).min(lattice.counts[axis] - 1);
            self.node(lattice, [node(0), node(1), node(2)])
        });
        for (half, by) in [(4, z), (2, y), (1, x)] {
            for corner in 0..half {
                values[corner] += (values[corner + half] - values[corner]) * by;
            }
        }
        values[0]
    }

    fn node(&self, lattice: &Lattice, node: [usize; 3]) -> f32 {
        let [width, height, _] = lattice.counts;
        let cell = &lattice.nodes[(node[2] * height + node[1]) * width + node[0]];
        let bits = cell.load(Ordering::Relaxed);
        if bits != UNKNOWN {
            return f32::from_bits(bits);
        }
        let at = [0, 1, 2].map(|axis| self.corners[0][axis] + node[axis] as f64 * lattice.spacing);
        let distance = self.mesh.hierarchy.signed_distance(at, self.reach);
        let distance = distance.unwrap_or(self.reach) as f32;
        // Another thread may have stored it as well: the same number.
        cell.store(distance.to_bits(), Ordering::Relaxed);
        distance
    }
}

impl Lattice {
    fn new(size: Vector, spacing: f64) -> Lattice {
        let counts = size.map(|side| (side / spacing).ceil() as usize + 1);
        let mut nodes = Vec::new();
        nodes.resize_with(counts.iter().product(), || AtomicU32::new(UNKNOWN));
        Lattice {
            spacing,
            counts,
            nodes,
        }
    }
}
