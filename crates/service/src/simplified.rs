//! Meshes with fewer triangles, within what is wanted of them.

use std::ops::ControlFlow;

use fibula_geometry::picture::Light;
use fibula_geometry::{Simplified, Simplifying, TriangleMesh, Unsimplifiable, simplify};

use super::meshing::{MeshMade, measured};
use super::refusal::Refusal;
use super::sampling::beside;

/// How far meshes are simplified. At least one of both is given; the surface never moves farther than the tolerance.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Simplify {
    /// How far the surface may move, in the unit of the project.
    pub tolerance: Option<f64>,
    /// How many triangles are few enough, of all parts together, each as often as it is built.
    pub triangles: Option<u64>,
}

impl Simplify {
    /// Refuses what cannot be wanted.
    ///
    /// # Errors
    /// A [`Refusal`]: the tolerance is no positive number, there are no triangles, or neither is given.
    pub fn check(&self) -> Result<(), Refusal> {
        let is_length = |tolerance: f64| tolerance.is_finite() && tolerance > 0.0;
        match (self.tolerance, self.triangles) {
            (Some(tolerance), _) if !is_length(tolerance) => {
                let message =
                    format!("a tolerance is a length, which {tolerance} is not: it is above 0");
                Err(Refusal::new("invalid_value", message)
                    .hint("a hundredth of what is seen at a glance is a good start"))
            }
            (_, Some(0..4)) => {
                let message = "a mesh that encloses something has 4 triangles at least";
                Err(Refusal::new("invalid_value", message).hint("ask for more triangles"))
            }
            (None, None) => {
                let message = "neither a tolerance nor a number of triangles is given";
                Err(Refusal::new("invalid_arguments", message).hint("give one of them"))
            }
            (Some(_), _) | (_, Some(_)) => Ok(()),
        }
    }

    /// A mesh with fewer triangles: so many are few enough of it, and it is built `scale` times as large.
    pub(super) fn apply(
        &self,
        mesh: &TriangleMesh,
        triangles: usize,
        scale: f64,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Simplified, Refusal> {
        let how = Simplifying {
            tolerance: self.tolerance.map_or(f64::INFINITY, |most| most / scale),
            triangles,
        };
        let total = mesh.triangles().len() as u64;
        let simplified = beside(total, watch, |progress| {
            simplify(mesh, &how, &|done, _| progress.tell(done))
        });
        simplified.map_err(|error| match error {
            Unsimplifiable::Cancelled(_) => Refusal::cancelled(),
            Unsimplifiable::Tolerance { .. } | Unsimplifiable::TooManyTriangles { .. } => {
                Refusal::new(error.code(), error.to_string())
            }
        })
    }

    /// Says that more triangles are left than were wanted.
    pub(super) fn missed(&self, left: usize) -> Option<String> {
        let wanted = self.triangles.filter(|&wanted| left as u64 > wanted)?;
        let why = match self.tolerance {
            Some(_) => "with fewer it would be farther off than the tolerance, or tear",
            None => "with fewer it would tear, or fold over itself",
        };
        Some(format!(
            "{left} triangles are left, and {wanted} were wanted: {why}"
        ))
    }
}

/// The colours of the vertices that are kept.
pub(super) fn kept_colors(colors: Option<Vec<Light>>, kept: &[u32]) -> Option<Vec<Light>> {
    let colors = colors?;
    Some(kept.iter().map(|&place| colors[place as usize]).collect())
}

impl MeshMade {
    /// The mesh with fewer triangles. `watch` is told how many of how many are gone, and may end it.
    ///
    /// # Errors
    /// A [`Refusal`]: `watch` ended it.
    pub(super) fn simplified(
        self,
        how: &Simplify,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<MeshMade, Refusal> {
        let triangles = how.triangles.unwrap_or(0) as usize;
        let Simplified {
            mesh,
            kept,
            deviation,
        } = how.apply(&self.mesh, triangles, 1.0, watch)?;
        let mut warnings = self.info.warnings;
        warnings.extend(how.missed(mesh.triangles().len()));
        let mut info = measured(
            &mesh,
            mesh.topology(),
            self.info.cells,
            warnings,
            self.info.revision,
        );
        info.deviation = Some(deviation);
        Ok(MeshMade {
            info,
            mesh,
            colors: kept_colors(self.colors, &kept),
            ..self
        })
    }
}
