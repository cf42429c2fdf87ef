//! Wall thickness at a given point: straight through the material, from the nearest surface to the other side.

use fibula_core::graph::Content as _;
use fibula_core::vector::{Vector, add, finite, scale, sub, unit};
use fibula_nodes::Query;

use super::bvh::Bvh;
use super::error::MeasureError;
use super::thickness::{Medium, Probe, Way};
use crate::TriangleMesh;

/// Distance from the surface, in cells, up to which a point lies on it.
const ON_SURFACE: f64 = 1e-6;
/// Distance outside the material, in cells, up to which a point counts as one of the surface.
const BESIDE: f64 = 0.5;

/// Distance in cells at which the function is compared where its gradient is undefined.
const APART: f64 = 0.01;

impl Probe<'_> {
    /// Returns the outward normal by central differences.
    fn difference_normal(&mut self, at: Vector) -> Option<Vector> {
        let apart = APART * self.cell;
        let mut normal = [0.0; 3];
        for (axis, component) in normal.iter_mut().enumerate() {
            let [mut before, mut after] = [at; 2];
            before[axis] -= apart;
            after[axis] += apart;
            *component = self.ask(after).0 - self.ask(before).0;
        }
        unit(normal).filter(|normal| finite(*normal))
    }
}

/// Returns the way through the material at a point, or `None` if the point is outside.
pub(super) fn thickness_at(
    mesh: &TriangleMesh,
    rays: &Bvh<'_>,
    probe: &mut Probe<'_>,
    at: Vector,
) -> Result<Option<Way>, MeasureError> {
    if mesh.triangles().is_empty() {
        return Ok(None);
    }
    let distance = mesh.clone().into_oracle()?.oracle(Query::UnsignedDistance);
    let distance = distance.expect("meshes answer for distances");
    let far = distance.sample(at, 0);
    let away = distance.gradient(at, 0);
    let is_inside = probe.is_inside(at);
    if !is_inside && far > BESIDE * probe.cell {
        return Ok(None);
    }
    let is_on_surface = far <= ON_SURFACE * probe.cell;
    let surface = if is_on_surface {
        at
    } else {
        sub(at, scale(away, far))
    };
    let outward = if is_on_surface {
        probe.normal(at).or_else(|| probe.difference_normal(at))
    } else {
        unit(if is_inside { scale(away, -1.0) } else { away })
    };
    let Some(inward) = outward.map(|outward| scale(outward, -1.0)) else {
        return Ok(None);
    };
    let reach = [1e-3 * probe.cell, f64::INFINITY];
    let Some(hit) = rays.first(surface, inward, reach, u32::MAX) else {
        return Ok(None);
    };
    let way = [surface, add(surface, scale(inward, hit.distance))];
    Ok(Some(probe.trimmed(way, Medium::Wall).unwrap_or(way)))
}
