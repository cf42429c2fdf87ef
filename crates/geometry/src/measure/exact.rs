//! Measurements of a mesh as it is: sums over its triangles, exact but for rounding.
//!
//! Volume, moments and slabs follow from the divergence theorem, and closure, pieces and holes from the topology. Only
//! walls and gaps are searched for, by rays from all over the triangles, which are subdivided for that.

use fibula_core::vector::{add, cross, dot, largest, length, scale, sub};
use fibula_eval::{Point, Settings};

use super::bvh::Bvh;
use super::error::MeasureError;
use super::figure::{Measures, Span};
use super::level::{Levels, MeasureLevel};
use super::stage::Stage;
use super::thickness::Probe;
use super::{MeasureSettings, check_angle, check_scale, gradient};
use crate::{Shape, TriangleMesh, Watch};

/// Excess over the angle of overhangs, in radians: surfaces at exactly the angle are none.
const STEEPER: f64 = 1e-9;
/// Height above the lowest point of surfaces on the plate, as a fraction of the size.
const PLATE: f64 = 1e-6;
/// Approximate maximum of rays that search for walls, beside one for each triangle: on a larger surface they are farther
/// apart than a cell.
const RAYS: usize = 100_000;
/// Triangles per ray at which subdivision ends in any case: long thin ones have many.
const MOST: usize = 16;

/// Measures a closed mesh as it is.
///
/// `shape` is negative inside of it. Walls and gaps are searched for from points that are about a cell apart; all other figures
/// have the errors of rounding, and no cell. Takes O(n log n) time.
///
/// # Errors
/// [`MeasureError`]: the angle is out of range, figures would not be finite, or `watch` cancelled it.
pub fn measure_mesh(
    mesh: &TriangleMesh,
    shape: &Shape<'_>,
    measuring: &MeasureSettings,
    watch: &Watch<'_>,
) -> Result<Measures, MeasureError> {
    check_angle(measuring.overhang)?;
    check_scale(&measuring.bounds, measuring.cell)?;
    let measuring = &MeasureSettings {
        cell: measuring.cell.max((4.0 * mesh.area() / RAYS as f64).sqrt()),
        ..*measuring
    };
    let stage = Stage::whole(watch);
    let mut level = MeasureLevel::new(mesh, 0.0);
    level.overhang = overhanging(mesh, measuring.overhang);
    if let Some(slabs) = &measuring.slabs {
        level.slabs = slabs.contents(mesh);
    }
    stage.part(0.1, 1.0).check()?;
    if measuring.walls || measuring.thickness_at.is_some() {
        search(mesh, shape, measuring, &mut level, stage.part(0.1, 1.0))?;
    }
    let levels = Levels {
        all: &[level],
        cell: 0.0,
        slabs: measuring.slabs,
    };
    let mut measures = levels.measures();
    measures.set_rounding(mesh, measuring.cell);
    Ok(measures)
}

/// Searches for walls and gaps, and the thickness at a point, as far as they are wanted.
fn search(
    mesh: &TriangleMesh,
    shape: &Shape<'_>,
    measuring: &MeasureSettings,
    level: &mut MeasureLevel,
    stage: Stage<'_>,
) -> Result<(), MeasureError> {
    let cell = measuring.cell;
    let rays = Bvh::new(mesh);
    stage.part(0.2, 1.0).check()?;
    let code = gradient(shape);
    let point = Point::new(&code, Settings::default());
    let mut probe = Probe {
        bounds: measuring.bounds,
        function: point.evaluator(),
        cell,
    };
    let own = (mesh, &rays);
    if let Some(at) = measuring.thickness_at {
        level.search_thickness(own, at, &mut probe)?;
    }
    if measuring.walls {
        let pieces = subdivided(mesh, cell);
        let pieces = (&pieces, &Bvh::new(&pieces));
        level.search_walls(own, pieces, &mut probe, stage.part(0.2, 1.0))?;
    }
    Ok(())
}

impl Measures {
    /// Sets the errors of figures of a mesh to bounds of the rounding errors of their sums, and those of walls and gaps
    /// to half of the distance of the rays.
    fn set_rounding(&mut self, mesh: &TriangleMesh, cell: f64) {
        let count = mesh.triangles().len() as f64;
        let [low, high] = self.bounds.value;
        let middle = scale(add(low, high), 0.5);
        let reach = length(sub(high, low));
        // Each term of a sum has the error of its products, and each addition that of the sum so far.
        let (mut terms, mut total) = (0.0, 0.0);
        for number in 0..mesh.triangles().len() {
            let [a, b, c] = mesh.corners(number).map(|corner| sub(corner, middle));
            let sides = length(sub(b, a)) * length(sub(c, a));
            terms += sides * (largest(a) + largest(low) + largest(high));
            total += dot(a, cross(sub(b, a), sub(c, a))).abs();
        }
        let volume = f64::EPSILON * (8.0 * terms + count * total) / 6.0;
        let area = f64::EPSILON * (16.0 + count) * self.area.value;
        self.volume.error = volume;
        self.area.error = area;
        self.overhang.error = area;
        let relative = volume / self.volume.value.abs().max(f64::MIN_POSITIVE);
        self.centre.error = 4.0 * reach * relative;
        self.inertia.error = 4.0 * reach * reach * volume;
        self.moments.error = self.inertia.error;
        for region in self.pieces.iter_mut().chain(&mut self.voids) {
            region.error = volume;
        }
        for slab in &mut self.slabs {
            slab.error = volume;
        }
        let widen = |span: &mut Span, error: f64| span.error = (span.error + error).min(span.value);
        for span in self
            .wall
            .iter_mut()
            .chain(&mut self.gap)
            .chain(&mut self.thin_places)
        {
            widen(span, 0.5 * cell);
        }
        if let Some(span) = &mut self.thickness {
            widen(span, 1e-9 * reach);
        }
    }
}

/// Area of the triangles that face down more steeply than an angle from the vertical, without those on the plate.
fn overhanging(mesh: &TriangleMesh, angle: f64) -> f64 {
    let [low, high] = mesh.bounding_box().unwrap_or_default();
    let plate = low[2] + PLATE * length(sub(high, low));
    let steep = (angle + STEEPER).sin();
    let of_triangle = |number: usize| {
        let [a, b, c] = mesh.corners(number);
        let across = cross(sub(b, a), sub(c, a));
        let doubled = length(across);
        let is_steep = -across[2] > steep * doubled && a[2].max(b[2]).max(c[2]) > plate;
        if is_steep { doubled / 2.0 } else { 0.0 }
    };
    (0..mesh.triangles().len()).map(of_triangle).sum()
}

/// Divides triangles at the middles of their longest edges until these are as short as `edge`.
fn subdivided(mesh: &TriangleMesh, edge: f64) -> TriangleMesh {
    let mut vertices = mesh.vertices().to_vec();
    let mut triangles = Vec::with_capacity(mesh.triangles().len());
    let mut waiting = mesh.triangles().to_vec();
    let limit = mesh.triangles().len() + MOST * RAYS;
    while let Some([a, b, c]) = waiting.pop() {
        let [at_a, at_b, at_c] = [a, b, c].map(|corner| vertices[corner as usize]);
        let sides = [(at_a, at_b), (at_b, at_c), (at_c, at_a)];
        let lengths = sides.map(|(from, to)| length(sub(to, from)));
        let longest = lengths.into_iter().fold(0.0, f64::max);
        if longest <= edge || triangles.len() + waiting.len() >= limit {
            triangles.push([a, b, c]);
            continue;
        }
        // The longest edge comes first.
        let [a, b, c] = match lengths {
            [first, second, third] if first >= second.max(third) => [a, b, c],
            [_, second, third] if second >= third => [b, c, a],
            _ => [c, a, b],
        };
        let [from, to] = [a, b].map(|corner| vertices[corner as usize]);
        let middle = vertices.len() as u32;
        vertices.push(scale(add(from, to), 0.5));
        waiting.extend([[a, middle, c], [middle, b, c]]);
    }
    TriangleMesh::new(vertices, triangles).unwrap_or_else(|_| mesh.clone())
}
