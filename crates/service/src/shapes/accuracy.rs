//! Meshes of a given accuracy: cells become smaller until the mesh is near enough to the surface.

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

impl MeshGoal {
    /// Meshes a shape; returns the deviation too if an accuracy is wanted. Calls `watch` with the share
    /// done.
    pub(super) fn mesh(
        &self,
        shape: &Shape<'_>,
        meshing: &MeshSettings,
        watch: &(impl Fn(f64) -> ControlFlow<()> + Sync),
    ) -> Result<(ResolvedMesh, Option<f64>), MeshError> {
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
            let refined = match (
                mesh_resolved(shape, &settings, least, &report),
                before.take(),
            ) {
                (Ok(refined), _) => refined,
                // Smaller cells were worth a try only.
                (
                    Err(MeshError::TooManyCells { .. } | MeshError::TooManyTriangles { .. }),
                    Some(before),
                ) => return Ok(before),
                (Err(error), _) => return Err(error),
            };
            let Some(accuracy) = self.accuracy else {
                return Ok((refined, None));
            };
            let mesh = &refined.meshed.mesh;
            let still = |_, _| watch(from + part);
            let deviation = surface_deviation(shape, mesh, &meshing.bounds, &still)?;
            let goal = MESH_SHARE * accuracy;
            let factor = (0.9 * (goal / deviation).sqrt()).clamp(FACTOR[0], FACTOR[1]);
            cell = factor * refined.cell;
            step += 1;
            let is_last = deviation <= goal
                || self.is_fixed
                || step == STEPS
                || cell < self.least
                || mesh.triangles().len() as f64 > MOST_TRIANGLES * factor * factor;
            if is_last {
                return Ok((refined, Some(deviation)));
            }
            before = Some((refined, Some(deviation)));
        }
    }
}
