//! Classification of gaps: both sides of a cavity belong to one closed surface inside the material. For the others, rays
//! from the middle of a gap, at right angles to it, find out whether there is material all round.

use fibula_core::vector::{add, aside, cross, scale, sub, unit};

use super::bvh::Bvh;
use super::figure::GapKind;
use super::thickness::{Way, long};
use crate::mesh::Shells;

/// Lines through the middle of the gap.
const LINES: usize = 16;
/// Maximum width of a hole at right angles to the gap, in widths of the gap.
const ROUND: f64 = 2.0;

/// Determines what a gap is, in a mesh with these closed surfaces.
pub(super) fn gap_kind(rays: &Bvh<'_>, way: Way, shells: &Shells) -> GapKind {
    let [from, to] = way;
    let middle = scale(add(from, to), 0.5);
    let Some(along) = unit(sub(to, from)) else {
        return GapKind::Gap;
    };
    let Some(across) = unit(cross(along, aside(along))) else {
        return GapKind::Gap;
    };
    let third = cross(along, across);
    let first = |direction| rays.first(middle, direction, [0.0, f64::INFINITY], u32::MAX);
    let sides = [along, scale(along, -1.0)].map(first);
    if let [Some(one), Some(other)] = sides
        && shells.are_of_one_cavity(one.triangle, other.triangle)
    {
        return GapKind::Cavity;
    }
    let hit = |direction| first(direction).map(|hit| hit.distance);
    // Widths of the lines that end at material on both sides.
    let widths: Vec<f64> = (0..LINES)
        .filter_map(|line| {
            let (s, c) = (std::f64::consts::PI * line as f64 / LINES as f64).sin_cos();
            let direction = add(scale(across, c), scale(third, s));
            Some(hit(direction)? + hit(scale(direction, -1.0))?)
        })
        .collect();
    let least = widths.iter().copied().fold(f64::INFINITY, f64::min);
    if least > ROUND * long(way) {
        GapKind::Gap
    } else {
        GapKind::Hole
    }
}
