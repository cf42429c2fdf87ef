//! Refinement of meshes whose cells are too large for the walls and gaps of a shape.
//!
//! A mesh is compared with the function at random points ([`mismatch`](super::mismatch)). If it misses much, the shape
//! is meshed again with smaller cells, of the size that the thickness of what is missed suggests.

use std::fmt;

use fibula_eval::Code;

use super::figure::Figure;
use super::mismatch::{Mismatch, Reference};
use super::missed_surface::{MissedSurface, missed_surface};
use super::stage::Stage;
use crate::mesh::{RoundEdges, mesh_of};
use crate::{MeshError, MeshSettings, ShapeMesh, TriangleMesh};

/// Triangles up to which a mesh is refined without being asked to.
const TRIANGLES: f64 = 4e6;
/// Factor by which cells become smaller at most in one step, since the thickness is uncertain.
const STEP: f64 = 8.0;

/// Walls and gaps of a shape that its mesh misses.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct LostFeatures {
    /// Longest edge of a cell of the mesh.
    pub cell: f64,
    /// Volume of the mesh.
    pub meshed: f64,
    /// Volume of the shape, by random points.
    pub volume: Figure,
    /// A cell size that probably finds them.
    pub passes: f64,
}

/// A mesh of a shape that is compared with it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ResolvedMesh {
    /// The mesh.
    pub meshed: ShapeMesh,
    /// Longest edge of its cells.
    pub cell: f64,
    /// What it misses, if that is more than a few percent.
    pub lost: Option<LostFeatures>,
    /// Surface that it does not have, if some was found; its volume may be small.
    pub missed: Option<MissedSurface>,
}

/// Settings of a refinement.
pub(super) struct Refinement<'a> {
    pub(super) code: &'a Code,
    pub(super) reference: &'a Reference<'a>,
    pub(super) round_edges: RoundEdges,
    /// Smallest cell.
    pub(super) least_cell: f64,
}

/// The last mesh of a refinement.
pub(super) struct Refined {
    pub(super) meshed: ShapeMesh,
    pub(super) cell: f64,
    pub(super) mismatch: Mismatch,
    /// Surface that the mesh does not have, if some was found.
    pub(super) missed: Option<MissedSurface>,
}

impl Refinement<'_> {
    /// Meshes with the cells of `meshing`, or smaller ones.
    ///
    /// # Errors
    /// [`MeshError`]: nothing is inside, there are too many triangles at the first cell, or the watch cancelled it.
    pub(super) fn mesh(
        &self,
        meshing: &MeshSettings,
        mut stage: Stage<'_>,
    ) -> Result<Refined, MeshError> {
        let mut cell = meshing.cell;
        let mut refined: Option<Refined> = None;
        loop {
            // How often is unknown: each step takes half of the rest.
            let own = stage.part(0.0, 0.5);
            stage = stage.part(0.5, 1.0);
            let settings = MeshSettings { cell, ..*meshing };
            let making = own.part(0.0, 0.8);
            let watch = |done, total| making.report(done, total);
            let made = mesh_of(self.code, &settings, self.round_edges, &watch);
            let (made, empty) = match (made, refined.take()) {
                (Ok(made), _) => (Some(made), None),
                (Err(error @ MeshError::Empty { .. }), _) => (None, Some(error)),
                // Smaller cells were worth a try only.
                (
                    Err(MeshError::TooManyCells { .. } | MeshError::TooManyTriangles { .. }),
                    Some(before),
                ) => return Ok(before),
                (Err(error), _) => return Err(error),
            };
            let nothing = TriangleMesh::default();
            let mesh = made.as_ref().map_or(&nothing, |made| &made.mesh);
            let (bounds, comparing) = (&meshing.bounds, own.part(0.8, 0.9));
            let mismatch = self.reference.mismatch(mesh, bounds, comparing)?;
            let missed = if mismatch.is_coarse() {
                None
            } else {
                let searching = own.part(0.9, 1.0);
                missed_surface(mesh, cell, bounds, self.reference, searching)?
            };
            let finer = missed.map_or_else(
                || mismatch.finer(cell),
                |missed| missed.passes().min(cell / 1.5),
            );
            let next = finer.max(cell / STEP).max(self.least_cell);
            let growth = (cell / next).powi(2) * (mismatch.volume.value / mesh.volume()).max(1.0);
            let is_last = (!mismatch.is_coarse() && missed.is_none())
                || next >= cell
                || (made.is_some() && mesh.triangles().len() as f64 * growth > TRIANGLES);
            if let Some(meshed) = made {
                let done = Refined {
                    meshed,
                    cell,
                    mismatch,
                    missed,
                };
                if is_last {
                    return Ok(done);
                }
                refined = Some(done);
            } else if let Some(error) = empty.filter(|_| is_last) {
                return Err(error);
            }
            cell = next;
        }
    }
}

impl Refined {
    /// Describes what the mesh misses.
    pub(super) fn lost(&self) -> LostFeatures {
        self.mismatch.lost(self.cell, self.meshed.mesh.volume())
    }
}

impl LostFeatures {
    /// Scales the lengths, for a shape that is built in another size.
    #[must_use]
    pub fn scaled(self, by: f64) -> LostFeatures {
        let cubed = by.powi(3);
        LostFeatures {
            cell: self.cell * by,
            meshed: self.meshed * cubed,
            volume: Figure {
                value: self.volume.value * cubed,
                error: self.volume.error * cubed,
            },
            passes: self.passes * by,
        }
    }
}

impl fmt::Display for LostFeatures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Figure { value, error } = self.volume;
        write!(
            f,
            "cells of {:.3e} are too large for walls or gaps of the shape: the mesh encloses a volume of {:.4e}, but by \
             random points the shape has {value:.4e} +- {error:.1e}; use cells of {:.2e}, or bounds around a part of it",
            self.cell, self.meshed, self.passes
        )
    }
}
