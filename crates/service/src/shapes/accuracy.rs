//! Meshes of a given accuracy: cells become smaller until the mesh, whose triangles do not cut each other, is near enough to
//! the surface.

use std::ops::ControlFlow;

use fibula_geometry::{
    MeshError, MeshSettings, ResolvedMesh, Shape, mesh_resolved, surface_deviation,
};

/// Share of the accuracy that the mesh may use before it is simplified.
const MESH_SHARE: f64 = 0.5;
/// Maximum number of meshes.
const STEPS: i32 = 4;
/// Range of the factor by which cells become smaller in a step.
const FACTOR: [f64; 2] = [0.25, 0.7];
/// Maximum triangles of a mesh that is refined.
const MOST_TRIANGLES: f64 = 4e6;

/// Goal of a mesh, in the unit of its shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct MeshGoal {
    /// Maximum deviation of the surface after simplification, if any is wanted.
    pub(super) accuracy: Option<f64>,
    /// Smallest cell.
    pub(super) least: f64,
    /// True to keep the cell.
    pub(super) is_fixed: bool,
}

/// A mesh, and what it reached.
pub(super) struct ReachedMesh {
    pub(super) resolved: ResolvedMesh,
    /// Deviation from the surface, if an accuracy is wanted.
    pub(super) deviation: Option<f64>,
    /// Pairs of triangles that cut each other in spite of the repair.
    pub(super) cutting_pairs: usize,
}

impl MeshGoal {
    /// Meshes a shape. Calls `watch` with the share done.
    pub(super) fn mesh(
        &self,
        shape: &Shape<'_>,
        meshing: &MeshSettings,
        watch: &(impl Fn(f64) -> ControlFlow<()> + Sync),
    ) -> Result<ReachedMesh, MeshError> {
        let mut cell = meshing.cell;
        let mut before = None;
        let mut step = 0;
        loop {
            // How often is unknown: each step takes half of the rest.
            let from = 1.0 - 0.5_f64.powi(step);
            let part = 0.5_f64.powi(step + i32::from(self.accuracy.is_some()));
            let report = |done, all| watch(from + part * (done as f64 / u64::max(all, 1) as f64));
            let settings = MeshSettings { cell, ..*meshing };
            let least = self.least.min(cell);
            let mut resolved = match (
                mesh_resolved(shape, &settings, least, &report),
                before.take(),
            ) {
                (Ok(resolved), _) => resolved,
                // Smaller cells were worth a try only.
                (
                    Err(MeshError::TooManyCells { .. } | MeshError::TooManyTriangles { .. }),
                    Some(before),
                ) => return Ok(before),
                (Err(error), _) => return Err(error),
            };
            let still = |_, _| watch(from + part);
            let mesh = &mut resolved.meshed.mesh;
            let cutting_pairs = mesh.untangle(&still)?;
            let Some(accuracy) = self.accuracy else {
                return Ok(ReachedMesh {
                    resolved,
                    deviation: None,
                    cutting_pairs,
                });
            };
            let deviation = surface_deviation(shape, mesh, &meshing.bounds, &still)?;
            let goal = MESH_SHARE * accuracy;
            let factor = (0.9 * (goal / deviation).sqrt()).clamp(FACTOR[0], FACTOR[1]);
            cell = factor * resolved.cell;
            step += 1;
            let is_last = deviation <= goal
                || self.is_fixed
                || step == STEPS
                || cell < self.least
                || mesh.triangles().len() as f64 > MOST_TRIANGLES * factor * factor;
            let reached = ReachedMesh {
                resolved,
                deviation: Some(deviation),
                cutting_pairs,
            };
            if is_last {
                return Ok(reached);
            }
            before = Some(reached);
        }
    }
}
