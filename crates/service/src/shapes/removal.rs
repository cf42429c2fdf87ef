//! Removal of loose pieces and cavities from meshes on request.

use fibula_geometry::picture::Light;
use fibula_geometry::{ShellRemoval, ShellRemovalError, TriangleMesh, remove_shells};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::background::{ProgressFn, run_watched};
use crate::refusal::{Refusal, Result};
use crate::shapes::meshing::{MeshInfo, mesh_info};
use crate::shapes::simplification::kept_colors;

/// What is removed from meshes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Removable {
    /// Pieces of material that share no vertex with the one that encloses the largest volume, with their cavities.
    #[serde(alias = "loose-pieces")]
    LoosePieces,
    /// Hollows without a way out, which become solid, with the pieces inside of them.
    Cavities,
}

/// What was removed from a mesh.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct RemovedShells {
    /// Number of pieces of material.
    pub pieces: usize,
    /// Number of cavities, those of removed pieces included.
    pub cavities: usize,
    /// Volume of the material removed, less that of the cavities filled.
    pub volume: f64,
    /// Volume that the largest of the pieces encloses, where its part is placed first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest: Option<f64>,
}

impl RemovedShells {
    /// The same, placed by a transform of a determinant.
    pub(crate) fn placed(self, determinant: f64) -> RemovedShells {
        RemovedShells {
            volume: determinant * self.volume,
            largest: self.largest.map(|volume| determinant * volume),
            ..self
        }
    }
}

/// What a list of names removes.
pub fn removal(names: &[Removable]) -> ShellRemoval {
    ShellRemoval {
        loose_pieces: names.contains(&Removable::LoosePieces),
        cavities: names.contains(&Removable::Cavities),
    }
}

/// Removes pieces and cavities from a mesh with its colours and properties.
///
/// # Errors
/// A [`Refusal`], `no_solid`, if the mesh is not closed or overlaps itself, or if `watch` cancelled it.
pub(crate) fn remove_from(
    (mesh, colors, info): (&mut TriangleMesh, &mut Option<Vec<Light>>, &mut MeshInfo),
    removal: ShellRemoval,
    watch: ProgressFn<'_>,
) -> Result<()> {
    if removal == ShellRemoval::default() {
        return Ok(());
    }
    let total = mesh.triangles().len() as u64;
    let fewer = run_watched(total, watch, |progress| {
        remove_shells(mesh, removal, &|_, _| progress.report(total))
    })?;
    *mesh = fewer.mesh;
    *colors = kept_colors(colors.take(), &fewer.kept);
    let warnings = std::mem::take(&mut info.warnings);
    let own = mesh_info(mesh, mesh.topology(), info.cells, warnings, info.revision);
    *info = MeshInfo {
        cell: info.cell,
        deviation: info.deviation,
        removed: Some(RemovedShells {
            pieces: fewer.pieces,
            cavities: fewer.cavities,
            volume: fewer.volume,
            largest: fewer.largest.map(|(volume, _)| volume),
        }),
        ..own
    };
    Ok(())
}

impl From<ShellRemovalError> for Refusal {
    fn from(error: ShellRemovalError) -> Self {
        match error {
            ShellRemovalError::NoSolid => Refusal::new("no_solid", error.to_string())
                .hint("omit remove; a cell meshes the shape anew"),
            ShellRemovalError::Overlap => Refusal::new("no_solid", error.to_string())
                .hint("omit remove; a cell meshes the union anew"),
            ShellRemovalError::Cancelled(_) => Refusal::cancelled(),
        }
    }
}
