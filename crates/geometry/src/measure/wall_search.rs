//! Search for walls, gaps, and the thickness at a point of a level.

use fibula_core::vector::Vector;

use super::bvh::Bvh;
use super::error::MeasureError;
use super::gap_kind::gap_kind;
use super::level::MeasureLevel;
use super::narrowest::{Narrowest, narrowest};
use super::point_thickness::thickness_at;
use super::stage::Stage;
use super::thickness::{Medium, Probe};
use crate::TriangleMesh;

/// A mesh, and the rays that are cast at it.
pub(super) type RayMesh<'a> = (&'a TriangleMesh, &'a Bvh<'a>);

impl MeasureLevel {
    /// Searches for the thickness at a point.
    pub(super) fn search_thickness(
        &mut self,
        mesh: RayMesh<'_>,
        at: Vector,
        probe: &mut Probe<'_>,
    ) -> Result<(), MeasureError> {
        let way = thickness_at(mesh.0, mesh.1, probe, at)?;
        self.thickness = way.map(|way| Narrowest { way, doubt: 0.0 });
        Ok(())
    }

    /// Searches for the narrowest walls and gaps, from the centres of the triangles of `pieces`. `whole` is the mesh with the
    /// shells of this level; both have the same surface.
    pub(super) fn search_walls(
        &mut self,
        whole: RayMesh<'_>,
        pieces: RayMesh<'_>,
        probe: &mut Probe<'_>,
        stage: Stage<'_>,
    ) -> Result<(), MeasureError> {
        let mut narrowest = |medium, stage| narrowest(pieces.0, pieces.1, probe, medium, stage);
        let walls = narrowest(Medium::Wall, stage.part(0.0, 0.5))?;
        (self.wall, self.thin_places) = (walls.narrowest, walls.places);
        self.feather_edge = walls.feather_edge;
        self.gap = narrowest(Medium::Gap, stage.part(0.5, 1.0))?.narrowest;
        let gap = self.gap.map(|found| found.way);
        self.gap_kind = gap.map(|way| gap_kind(whole.1, way, &self.shells));
        Ok(())
    }
}
