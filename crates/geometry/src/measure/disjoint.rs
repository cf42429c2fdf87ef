//! True if closed meshes share no volume, so that their union is measured by their sums.
//!
//! Two closed surfaces cross only if an edge of one crosses a triangle of the other; without a crossing, a surface is
//! inside of the other as a whole, or outside. Surfaces that touch may count as overlapping.

use fibula_core::vector::{Vector, add, cross, dot, scale, sub};
use rayon::prelude::*;

use super::bvh::Bvh;
use crate::TriangleMesh;

/// Direction of the rays that count crossings: parallel to no plane or edge that is likely.
const SKEW: Vector = [0.536_1, 0.288_7, 0.793_3];

/// Returns true if closed meshes share no volume. Takes O(n log n) time, for each pair whose boxes overlap.
pub fn are_disjoint(meshes: &[TriangleMesh]) -> bool {
    let rays: Vec<Bvh<'_>> = meshes.par_iter().map(Bvh::new).collect();
    let boxes: Vec<Option<[Vector; 2]>> = meshes.iter().map(TriangleMesh::bounding_box).collect();
    let pairs = (0..meshes.len()).flat_map(|one| (0..meshes.len()).map(move |other| (one, other)));
    let pairs: Vec<(usize, usize)> = pairs.filter(|(one, other)| one != other).collect();
    pairs
        .into_par_iter()
        .all(|(one, other)| match (boxes[one], boxes[other]) {
            (Some([low, high]), Some([from, to])) => {
                let is_apart = (0..3).any(|axis| high[axis] < from[axis] || to[axis] < low[axis]);
                is_apart || !is_meeting(&meshes[one], [from, to], &rays[other], &meshes[other])
            }
            _ => true,
        })
}

/// True if a triangle of a mesh is inside of another mesh, or an edge crosses it.
fn is_meeting(
    mesh: &TriangleMesh,
    [low, high]: [Vector; 2],
    rays: &Bvh<'_>,
    other: &TriangleMesh,
) -> bool {
    let reaches = |corners: &[Vector]| {
        (0..3).all(|axis| {
            let is_low = corners.iter().all(|at| at[axis] < low[axis]);
            let is_high = corners.iter().all(|at| at[axis] > high[axis]);
            !is_low && !is_high
        })
    };
    (0..mesh.triangles().len()).any(|number| {
        let corners = mesh.corners(number);
        if !reaches(&corners) {
            return false;
        }
        let names = mesh.triangles()[number];
        let crosses = |side: usize| {
            let next = (side + 1) % 3;
            // The other triangle of the edge has it the other way round.
            let (from, to) = (corners[side], corners[next]);
            names[side] < names[next]
                && reaches(&[from, to])
                && rays
                    .first(from, sub(to, from), [0.0, 1.0], u32::MAX)
                    .is_some()
        };
        let [a, b, c] = corners;
        let middle = scale(add(add(a, b), c), 1.0 / 3.0);
        (0..3).any(crosses) || reaches(&[middle]) && winding(rays, other, middle, SKEW, 0.0) != 0
    })
}

/// Winding number of a mesh around the point at a distance along a ray: its exits less its entries beyond.
pub(crate) fn winding(
    rays: &Bvh<'_>,
    mesh: &TriangleMesh,
    from: Vector,
    along: Vector,
    distance: f64,
) -> i32 {
    let (mut winding, mut reached) = (0, distance);
    while let Some(hit) = rays.first(from, along, [reached, f64::INFINITY], u32::MAX) {
        let [a, b, c] = mesh.corners(hit.triangle as usize);
        winding += if dot(cross(sub(b, a), sub(c, a)), along) > 0.0 {
            1
        } else {
            -1
        };
        reached = hit.distance;
    }
    winding
}
