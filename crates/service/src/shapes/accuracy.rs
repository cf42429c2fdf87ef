//! Meshes of a given accuracy: cells become smaller until the mesh, whose triangles do not cut each other, is near enough to
//! the surface; then it is simplified.

use std::ops::ControlFlow;

use fibula_geometry::{
    MeshError, MeshSettings, ResolvedMesh, Shape, SurfaceReference, mesh_resolved,
};

/// Share of the accuracy that most triangles may use before they are simplified, and the part of the triangles that may use
/// all of it.
const MESH_SHARE: f64 = 0.5;
const EXCEPT: f64 = 0.1;
/// Part of the triangles that may use more if no accuracy was asked for, and they are off by a larger part of a cell than this:
/// at the tips of sharp edges the deviation is about as large as a cell, whatever its size.
const FEW: f64 = 1e-3;
const TIP: f64 = 0.25;
/// Part of the deviation that is left if smaller cells are worth their triangles.
const GAIN: f64 = 0.7;
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
    /// True if that was asked for.
    pub(super) is_asked: bool,
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

/// A mesh before it is simplified.
struct FineMesh {
    resolved: ResolvedMesh,
    /// Deviation of each triangle, and the largest.
    deviations: Vec<f64>,
    deviation: f64,
}

impl MeshGoal {
    /// Meshes a shape. Calls `watch` with the share done.
    pub(super) fn mesh(
        &self,
        shape: &Shape<'_>,
        meshing: &MeshSettings,
        watch: &(impl Fn(f64) -> ControlFlow<()> + Sync),
    ) -> Result<ReachedMesh, MeshError> {
        let Some(accuracy) = self.accuracy else {
            let (resolved, cutting_pairs) = self.attempt(shape, meshing, [0.0, 1.0], watch)?;
            return Ok(ReachedMesh {
                resolved,
                deviation: None,
                cutting_pairs,
            });
        };
        let mut fine = self.fine_mesh(shape, meshing, accuracy, watch)?;
        let reference = SurfaceReference::new(shape, &meshing.bounds, fine.resolved.cell);
        let report = |done, all| watch(0.5 + 0.5 * (done as f64 / u64::max(all, 1) as f64));
        let mesh = &mut fine.resolved.meshed.mesh;
        let simplified = reference.simplify(mesh, fine.deviations, accuracy, &report)?;
        *mesh = simplified.mesh;
        Ok(ReachedMesh {
            resolved: fine.resolved,
            deviation: Some(simplified.deviation),
            cutting_pairs: simplified.cutting_pairs.len(),
        })
    }

    /// Meshes a shape with smaller and smaller cells until most of the mesh is near enough to the surface.
    fn fine_mesh(
        &self,
        shape: &Shape<'_>,
        meshing: &MeshSettings,
        accuracy: f64,
        watch: &(impl Fn(f64) -> ControlFlow<()> + Sync),
    ) -> Result<FineMesh, MeshError> {
        let mut cell = meshing.cell;
        let mut before: Option<FineMesh> = None;
        let mut step = 0;
        loop {
            // How often is unknown: each step takes half of the rest.
            let range = [step, step + 1].map(|step| 0.5 * (1.0 - 0.5_f64.powi(step)));
            let settings = MeshSettings { cell, ..*meshing };
            let (resolved, _) = match (self.attempt(shape, &settings, range, watch), before.take())
            {
                (Ok(made), earlier) => {
                    before = earlier;
                    made
                }
                // Smaller cells were worth a try only.
                (
                    Err(MeshError::TooManyCells { .. } | MeshError::TooManyTriangles { .. }),
                    Some(before),
                ) => return Ok(before),
                (Err(error), _) => return Err(error),
            };
            let mesh = &resolved.meshed.mesh;
            let reference = SurfaceReference::new(shape, &meshing.bounds, resolved.cell);
            let deviations = reference.deviations(mesh, &|_, _| watch(range[1]))?;
            let deviation = deviations.iter().copied().fold(0.0, f64::max);
            if let Some(before) =
                before.take_if(|before| deviation > accuracy && deviation > GAIN * before.deviation)
            {
                return Ok(before);
            }
            let goal = MESH_SHARE * accuracy;
            let above = |most: f64| {
                let count = deviations.iter().filter(|off| **off > most).count();
                count as f64 / deviations.len() as f64
            };
            let is_tip = !self.is_asked && deviation > TIP * resolved.cell;
            let few = if is_tip { FEW } else { 0.0 };
            let is_near = above(accuracy) <= few && above(goal) <= EXCEPT;
            let factor = (0.9 * (goal / deviation).sqrt()).clamp(FACTOR[0], FACTOR[1]);
            cell = factor * resolved.cell;
            step += 1;
            let is_last = is_near
                || self.is_fixed
                || step == STEPS
                || cell < self.least
                || mesh.triangles().len() as f64 > MOST_TRIANGLES * factor * factor;
            let fine = FineMesh {
                resolved,
                deviations,
                deviation,
            };
            if is_last {
                return Ok(fine);
            }
            before = Some(fine);
        }
    }

    /// Meshes a shape once; returns the mesh and the number of pairs of triangles that still cut each other.
    fn attempt(
        &self,
        shape: &Shape<'_>,
        settings: &MeshSettings,
        [from, to]: [f64; 2],
        watch: &(impl Fn(f64) -> ControlFlow<()> + Sync),
    ) -> Result<(ResolvedMesh, usize), MeshError> {
        let report =
            |done, all| watch(from + (to - from) * (done as f64 / u64::max(all, 1) as f64));
        let least = self.least.min(settings.cell);
        let mut resolved = mesh_resolved(shape, settings, least, &report)?;
        let cutting_pairs = resolved.meshed.mesh.untangle(&|_, _| watch(to))?;
        Ok((resolved, cutting_pairs))
    }
}
