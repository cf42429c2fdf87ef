//! Meshes of a subject that consists of nothing else, with their placements.

use std::sync::Arc;

use fibula_core::eval::{Solid, Tape};
use fibula_core::graph::model::{Body, ModelResource, Transform};
use fibula_core::graph::{Content, Document};
use fibula_geometry::{Bounds, Cancelled, TriangleMesh, encloses_once};
use fibula_nodes::ResourceId;

use crate::background::{ProgressFn, run_watched};
use crate::refusal::{Refusal, Result};

/// Maximum number of triangles that are used as they are.
const MOST_TRIANGLES: usize = 20_000_000;
/// Maximum number of meshes that are used as they are.
const MOST_MESHES: usize = 1_000;

/// Placed meshes whose union is a subject.
#[derive(Debug, Clone)]
pub(super) struct PlacedMeshes(Vec<(Arc<dyn Content>, Transform)>);

/// The surface of a subject.
#[derive(Debug, Clone)]
pub(super) struct SubjectMesh {
    /// The triangles, with the material on their inner side.
    pub(super) mesh: TriangleMesh,
    /// Warnings.
    pub(super) warnings: Vec<String>,
}

impl SubjectMesh {
    /// The signed distance to the triangles, which is faster than the union of the parts.
    pub(super) fn tape(&self) -> Option<Tape> {
        let mut document = Document::default();
        let mesh = self.mesh.clone().into_oracle().ok()?;
        let object = document.add(mesh).ok()?;
        Some(Solid::new(&document, object).ok()?.tape)
    }
}

impl PlacedMeshes {
    /// The meshes of objects whose contents are loaded, and of the parts of assemblies; `None` if something else is among
    /// them.
    pub(super) fn new(
        document: &Document,
        objects: &[(ResourceId, Transform)],
    ) -> Option<PlacedMeshes> {
        let mut waiting: Vec<(ResourceId, Transform)> = objects.iter().rev().copied().collect();
        let mut meshes = Vec::new();
        let mut triangles = 0;
        while let Some((id, transform)) = waiting.pop() {
            if let Some(ModelResource::Object(object)) = document.model_resource(id) {
                match &object.body {
                    Body::Components(parts) => {
                        let parts = parts.iter().rev();
                        waiting.extend(
                            parts.map(|part| (part.object, part.transform.then(&transform))),
                        );
                        continue;
                    }
                    Body::Mesh(mesh) if mesh.beams == 0 => {}
                    Body::Mesh(_) | Body::LevelSet(_) | Body::Foreign(_) => return None,
                }
            }
            let content = document.content(id)?;
            triangles += content.triangles()?.1.len();
            if triangles > MOST_TRIANGLES || meshes.len() >= MOST_MESHES {
                return None;
            }
            meshes.push((Arc::clone(content), transform));
        }
        Some(PlacedMeshes(meshes)).filter(|meshes| !meshes.0.is_empty())
    }

    /// Bounding box of the triangles; `None` if it is flat.
    pub(super) fn bounds(&self) -> Option<Bounds> {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for (content, transform) in &self.0 {
            let (vertices, triangles) = content.triangles()?;
            for &corner in triangles.as_flattened() {
                let at = transform.apply(vertices[corner as usize]);
                for axis in 0..3 {
                    low[axis] = low[axis].min(at[axis]);
                    high[axis] = high[axis].max(at[axis]);
                }
            }
        }
        Bounds::new(low, high).ok()
    }

    /// Numbers of edges of only one triangle, and of two that face opposite ways.
    pub(super) fn faulty_edges(&self) -> [usize; 2] {
        let meshes = self.0.iter();
        let meshes = meshes.filter_map(|(content, transform)| placed(content.as_ref(), transform));
        meshes.fold([0, 0], |[open, turned], mesh| {
            let own = mesh.topology();
            [open + own.open_edges, turned + own.turned_edges]
        })
    }

    /// The triangles, if the meshes are closed, and their triangles do not face opposite ways. Meshes may share volume.
    pub(super) fn surface(&self) -> Option<SubjectMesh> {
        let mut warnings = Vec::new();
        let mut meshes = Vec::with_capacity(self.0.len());
        for (content, transform) in &self.0 {
            let mesh = placed(content.as_ref(), transform)?;
            let topology = mesh.topology();
            if !topology.is_closed() || topology.turned_edges > 0 {
                return None;
            }
            let is_inverted = mesh.volume() < 0.0;
            if is_inverted {
                warnings.push(
                    "the triangles of a mesh face inwards; it is measured as if they faced outwards"
                        .to_owned(),
                );
            }
            meshes.push(if is_inverted { inverted(mesh)? } else { mesh });
        }
        warnings.dedup();
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for mesh in meshes {
            let first = vertices.len() as u32;
            let (own, corners) = mesh.into_parts();
            vertices.extend(own);
            triangles.extend(
                corners
                    .into_iter()
                    .map(|corners| corners.map(|corner| first + corner)),
            );
        }
        let mesh = TriangleMesh::new(vertices, triangles).ok()?;
        Some(SubjectMesh { mesh, warnings })
    }
}

/// True if sums over the triangles of a closed mesh measure what it encloses. Calls `watch`, which may cancel the work.
pub(super) fn is_summable(mesh: &TriangleMesh, watch: ProgressFn<'_>) -> Result<bool> {
    let once = run_watched(1, watch, |progress| {
        encloses_once(mesh, &|_, _| progress.report(0))
    });
    once.map_err(|Cancelled| Refusal::cancelled())
}

/// A mesh at its place.
fn placed(content: &dyn Content, transform: &Transform) -> Option<TriangleMesh> {
    let (vertices, triangles) = content.triangles()?;
    let vertices = vertices.iter().map(|&at| transform.apply(at)).collect();
    let mesh = TriangleMesh::new(vertices, triangles.to_vec()).ok()?;
    if transform.determinant() < 0.0 {
        inverted(mesh)
    } else {
        Some(mesh)
    }
}

/// A mesh whose triangles face the other way.
fn inverted(mesh: TriangleMesh) -> Option<TriangleMesh> {
    let (vertices, triangles) = mesh.into_parts();
    let triangles = triangles.into_iter().map(|[a, b, c]| [a, c, b]).collect();
    TriangleMesh::new(vertices, triangles).ok()
}
