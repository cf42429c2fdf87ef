//! Mesh simplification within a tolerance or to a number of triangles.

use fibula_geometry::picture::Light;
use fibula_geometry::{SimplifiedMesh, SimplifyError, SimplifySettings, TriangleMesh, simplify};

use crate::background::{ProgressFn, run_watched};
use crate::refusal::{Refusal, Result};

/// Targets of a simplification; at least one is given. The surface never moves farther than the tolerance.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Simplify {
    /// Maximum deviation of the surface, in the unit of the project.
    pub tolerance: Option<f64>,
    /// Target number of triangles of all parts together, counting each placement.
    pub triangles: Option<u64>,
}

impl Simplify {
    /// Checks the targets.
    ///
    /// # Errors
    /// A [`Refusal`] if the tolerance is not positive, the number of triangles is too small, or neither is given.
    pub fn check(&self) -> Result<()> {
        let is_length = |tolerance: f64| tolerance.is_finite() && tolerance > 0.0;
        match (self.tolerance, self.triangles) {
            (Some(tolerance), _) if !is_length(tolerance) => {
                let message = format!("a tolerance must be a length above 0, not {tolerance}");
                Err(Refusal::new("invalid_value", message).hint(
                    "a hundredth of the size of the smallest visible features is a good start",
                ))
            }
            (_, Some(0..4)) => {
                let message = "a closed mesh has at least 4 triangles";
                Err(Refusal::new("invalid_value", message).hint("request more triangles"))
            }
            (None, None) => {
                let message = "neither a tolerance nor a number of triangles is given";
                Err(Refusal::new("invalid_arguments", message).hint("pass one of them"))
            }
            (Some(_), _) | (_, Some(_)) => Ok(()),
        }
    }

    /// Simplifies a mesh that is built `scale` times as large, to `triangles` triangles.
    pub(crate) fn apply(
        &self,
        mesh: &TriangleMesh,
        triangles: usize,
        scale: f64,
        watch: ProgressFn<'_>,
    ) -> Result<SimplifiedMesh> {
        let settings = SimplifySettings {
            tolerance: self.tolerance.map_or(f64::INFINITY, |most| most / scale),
            triangles,
        };
        let total = mesh.triangles().len() as u64;
        let simplified = run_watched(total, watch, |progress| {
            simplify(mesh, &settings, &|done, _| progress.report(done))
        });
        simplified.map_err(|error| match error {
            SimplifyError::Cancelled(_) => Refusal::cancelled(),
            SimplifyError::Tolerance { .. } | SimplifyError::TooManyTriangles { .. } => {
                Refusal::new(error.code(), error.to_string())
            }
        })
    }

    /// Warning if more triangles are left than requested.
    pub(crate) fn target_warning(&self, left: usize) -> Option<String> {
        let requested = self
            .triangles
            .filter(|&requested| left as u64 > requested)?;
        let reason = match self.tolerance {
            Some(_) => {
                "fewer would exceed the tolerance, tear the surface, or make triangles cut each other"
            }
            None => "fewer would tear the surface, or fold it",
        };
        Some(format!(
            "{left} triangles remain instead of the requested {requested}: {reason}"
        ))
    }
}

/// Colours of the remaining vertices.
pub(crate) fn kept_colors(colors: Option<Vec<Light>>, kept: &[u32]) -> Option<Vec<Light>> {
    let colors = colors?;
    Some(kept.iter().map(|&place| colors[place as usize]).collect())
}
