//! Winding numbers of closed meshes: how often a mesh encloses a point.
//!
//! Shells that do not cut each other are inside of each other as a whole, or outside. So the winding number of one point beside
//! each shell decides whether it overlaps with others, or faces the wrong way.

use fibula_core::vector::{Vector, add, cross, dot, scale, sub};
use rayon::prelude::*;

use super::bvh::Bvh;
use crate::mesh::Shells;
use crate::{Cancelled, TriangleMesh, Watch};

/// Direction of the rays that count crossings: parallel to no plane or edge that is likely.
pub(super) const SKEW: Vector = [0.536_1, 0.288_7, 0.793_3];

/// Returns true if a closed mesh, whose triangles face consistently, encloses each point of its inside once, so that sums over its
/// triangles measure what it encloses: no shell cuts itself or another, is within material, or faces inwards without being a cavity.
/// Shells that touch may count as overlapping.
///
/// Takes O(n log n) time for n triangles, and a ray for each shell and each of its crossings.
///
/// # Errors
/// [`Cancelled`] if `watch` cancelled it.
pub fn encloses_once(mesh: &TriangleMesh, watch: &Watch<'_>) -> Result<bool, Cancelled> {
    if !mesh.cutting_pairs(watch)?.is_empty() {
        return Ok(false);
    }
    let shells = Shells::new(mesh);
    // A single shell has nothing beside it.
    if let [shell] = &shells.all[..] {
        return Ok(!shell.is_cavity());
    }
    let rays = Bvh::new(mesh);
    let is_in_front_of_none = |triangle: u32| {
        let [a, b, c] = mesh.corners(triangle as usize);
        let middle = scale(add(add(a, b), c), 1.0 / 3.0);
        let is_outward = dot(cross(sub(b, a), sub(c, a)), SKEW) > 0.0;
        let along = if is_outward { SKEW } else { scale(SKEW, -1.0) };
        winding(&rays, mesh, middle, along, 0.0, triangle) == 0
    };
    let count = mesh.triangles().len() as u64;
    let overlaps = |triangle: u32| {
        if watch(count, count).is_break() {
            return Err(Cancelled);
        }
        Ok(!is_in_front_of_none(triangle))
    };
    let triangles = shells.largest_triangles(mesh).into_par_iter();
    let first = triangles
        .map(overlaps)
        .find_any(|found| !matches!(found, Ok(false)));
    Ok(!first.transpose()?.unwrap_or(false))
}

/// Winding number of a mesh around the point at a distance along a ray: its exits less its entries beyond, without one
/// triangle.
pub(crate) fn winding(
    rays: &Bvh<'_>,
    mesh: &TriangleMesh,
    from: Vector,
    along: Vector,
    distance: f64,
    but: u32,
) -> i32 {
    let crossings = crossings(rays, mesh, from, along, distance, but);
    crossings.map(|(_, sign)| sign).sum()
}

/// Triangles of a mesh that a ray crosses beyond a distance, but one: 1 for an exit, -1 for an entry.
pub(super) fn crossings(
    rays: &Bvh<'_>,
    mesh: &TriangleMesh,
    from: Vector,
    along: Vector,
    distance: f64,
    but: u32,
) -> impl Iterator<Item = (u32, i32)> {
    let mut reached = distance;
    std::iter::from_fn(move || {
        let hit = rays.first(from, along, [reached, f64::INFINITY], but)?;
        reached = hit.distance;
        let [a, b, c] = mesh.corners(hit.triangle as usize);
        let is_exit = dot(cross(sub(b, a), sub(c, a)), along) > 0.0;
        Some((hit.triangle, if is_exit { 1 } else { -1 }))
    })
}
