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
    /// Half spaces that are left, of the planes that cut the mesh: normals and offsets.
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
    /// Differences of the indices of neighbours.
    strides: [usize; 3],
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
        let planes = clip.cutting([low, high]).into_iter();
        let planes = planes.map(|plane| clip.half_space(plane)).collect();
        DistanceLattice {
            mesh,
            frame,
            planes,
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
        let (mut first, mut shares) = ([0; 3], [0.0; 3]);
        for axis in 0..3 {
            let place = (at[axis] - self.corners[0][axis]) / lattice.spacing;
            first[axis] = (place as usize).min(lattice.counts[axis] - 2);
            shares[axis] = (place - first[axis] as f64) as f32;
        }
        let strides = lattice.strides;
        let base = strides[0] * first[0] + strides[1] * first[1] + strides[2] * first[2];
        let mut values = [0.0; 8];
        for (corner, value) in values.iter_mut().enumerate() {
            let [x, y, z] = [0, 1, 2].map(|axis| corner >> axis & 1);
            let index = base + strides[0] * x + strides[1] * y + strides[2] * z;
            let bits = lattice.nodes[index].load(Ordering::Relaxed);
            *value = if bits == UNKNOWN {
                self.node(lattice, index, [x + first[0], y + first[1], z + first[2]])
            } else {
                f32::from_bits(bits)
            };
        }
        for (half, by) in [(4, shares[2]), (2, shares[1]), (1, shares[0])] {
            for corner in 0..half {
                values[corner] += (values[corner + half] - values[corner]) * by;
            }
        }
        values[0]
    }

    /// Computes the distance of a node, given its index and its place.
    #[cold]
    fn node(&self, lattice: &Lattice, index: usize, node: [usize; 3]) -> f32 {
        let at = [0, 1, 2].map(|axis| self.corners[0][axis] + node[axis] as f64 * lattice.spacing);
        let distance = self.mesh.hierarchy.signed_distance(at, self.reach);
        let distance = distance.unwrap_or(self.reach) as f32;
        // Another thread may store it as well: the same number.
        lattice.nodes[index].store(distance.to_bits(), Ordering::Relaxed);
        distance
    }
}

impl Lattice {
    fn new(size: Vector, spacing: f64) -> Lattice {
        // At least two, so that each point is between some.
        let counts = size.map(|side| (side / spacing).ceil().max(1.0) as usize + 1);
        let mut nodes = Vec::new();
        nodes.resize_with(counts.iter().product(), || AtomicU32::new(UNKNOWN));
        Lattice {
            spacing,
            counts,
            strides: [1, counts[0], counts[0] * counts[1]],
            nodes,
        }
    }
}
