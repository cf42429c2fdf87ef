//! Meshes of a given accuracy: cells become smaller until the mesh, whose triangles do not cut each other, is near enough to
//! the surface, or the few triangles that are not are refined; then it is simplified.

use std::ops::ControlFlow;

use fibula_geometry::{
    Accuracy, AccuracyAttempt, AccuracySearch, MeshError, MeshSettings, ResolvedMesh, Shape,
    SurfaceReference, mesh_resolved,
};

use crate::refusal::{Refusal, Result as Answer};

/// Share of the accuracy that most triangles may use before they are simplified.
const MESH_SHARE: f64 = 0.5;

/// Share of the work of a mesh that is done when it is made, but not measured or refined.
const MAKING: f64 = 0.6;

/// Maximum part of a cell by which vertices are rounded to single precision.
const ROUNDING: f64 = 0.01;

/// Default accuracy, as a fraction of the longest side.
pub(super) const ACCURACY: f64 = 1e-3;

/// Refuses an accuracy that is no length.
pub(super) fn check_accuracy(accuracy: f64) -> Answer<()> {
    if accuracy.is_finite() && accuracy > 0.0 {
        return Ok(());
    }
    let message = format!("an accuracy must be a length above 0, not {accuracy}");
    Err(Refusal::new("invalid_value", message)
        .hint("a thousandth of the size of the part is a good start"))
}

/// Warning about a surface that is farther off than the accuracy that was asked for.
pub(super) fn missed_accuracy(wanted: f64, deviation: f64, cell: f64) -> Option<String> {
    (deviation > wanted).then(|| {
        format!(
            "the surface is off by up to {deviation:.2e}, not {wanted:.2e}, with cells of {cell:.2e}; use smaller \
             cells, or bounds around a part of it"
        )
    })
}

/// Warning about a surface that is farther off than by default. The default is a goal, which a few percent more do not
/// miss.
pub(super) fn missed_default(wanted: f64, deviation: f64) -> Option<String> {
    (deviation > 1.5 * wanted).then(|| {
        format!(
            "the surface is off by up to {deviation:.2e}, more than the default of {wanted:.2e}, a thousandth of the size; \
             pass an accuracy, or bounds around a part of it"
        )
    })
}

/// Goal of a mesh, in the unit of its shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct MeshGoal {
    /// Accuracy of the surface after simplification, if any is wanted.
    pub(super) accuracy: Option<Accuracy>,
    /// Smallest cell.
    pub(super) least: f64,
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
        let Some(accuracy) = self.accuracy else {
            let (resolved, cutting_pairs) = self.attempt(shape, meshing, [0.0, 1.0], watch)?;
            return Ok(ReachedMesh {
                resolved,
                deviation: None,
                cutting_pairs,
            });
        };
        let search = AccuracySearch::new(accuracy, MESH_SHARE, self.least);
        let attempt = |cell: f64, range: [f64; 2]| {
            let range = range.map(|share| 0.5 * share);
            let within = |share: f64| range[0] + (range[1] - range[0]) * share;
            let settings = MeshSettings { cell, ..*meshing };
            let making = [0.0, MAKING].map(within);
            let (mut resolved, cutting_pairs) = self.attempt(shape, &settings, making, watch)?;
            let cell = resolved.cell;
            let reference = SurfaceReference::new(shape, &meshing.bounds, cell);
            let mut deviations =
                reference.deviations(&resolved.meshed.mesh, &|_, _| watch(within(MAKING)))?;
            let mut is_refined = false;
            if search.is_near_but_for_few(&deviations) {
                let still = |done, all| {
                    let part = done as f64 / u64::max(all, 1) as f64;
                    watch(within(MAKING + (1.0 - MAKING) * part))
                };
                let mesh = &resolved.meshed.mesh;
                let most = accuracy.most;
                let refined = reference.refine(mesh, &deviations, most, cutting_pairs, &still)?;
                if let Some((mesh, off)) = refined {
                    resolved.meshed.mesh = mesh;
                    deviations = off;
                    is_refined = true;
                }
            }
            Ok(AccuracyAttempt {
                mesh: resolved,
                cell,
                deviations,
                is_refined,
            })
        };
        let (mut resolved, deviations) = search.run(meshing.cell, attempt)?;
        let reference = SurfaceReference::new(shape, &meshing.bounds, resolved.cell);
        let report = |done, all| watch(0.5 + 0.5 * (done as f64 / u64::max(all, 1) as f64));
        let mesh = &mut resolved.meshed.mesh;
        let simplified = reference.simplify(mesh, deviations, accuracy.most, &report)?;
        *mesh = simplified.mesh;
        Ok(ReachedMesh {
            resolved,
            deviation: Some(simplified.deviation),
            cutting_pairs: simplified.cutting_pairs,
        })
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
        let (mesh, cell) = (&mut resolved.meshed.mesh, resolved.cell);
        mesh.round_to_single(ROUNDING * cell);
        let cutting_pairs = mesh.untangle(&|_, _| watch(to))?;
        Ok((resolved, cutting_pairs))
    }
}
