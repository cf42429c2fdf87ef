//! The parts of a shape: each object of the build with its placements, and the meshes made of them.

use std::collections::BTreeMap;

use fibula_3mf::MeshData;
use fibula_core::graph::model::{
    Body, MeshBody, Metadata, ModelResource, ObjectType, Transform, Unit,
};
use fibula_core::graph::{ContentHash, Document};
use fibula_geometry::picture::Light;
use fibula_geometry::{Shape, TriangleMesh, colors};
use fibula_nodes::ResourceId;
use serde::Serialize;

use crate::background::{ProgressFn, run_watched};
use crate::project::change::Snapshot;
use crate::refusal::{LOST_CONTENT, Refusal, Result};
use crate::service::Service;
use crate::shapes::meshing::{MeshInfo, MeshMade};
use crate::shapes::subject::{ResolvedShape, Subject};

/// A subject as parts.
#[derive(Debug, Clone)]
pub struct ResolvedParts {
    /// The parts, in the order of the build.
    pub parts: Vec<ResolvedPart>,
    /// Unit of length.
    pub unit: Unit,
    /// Revision of the project.
    pub revision: u64,
    /// Metadata of the project.
    pub(super) metadata: Vec<Metadata>,
}

/// An object with its placements.
#[derive(Debug, Clone)]
pub struct ResolvedPart {
    /// Display name; never empty.
    pub name: String,
    /// Part number of the manufacturer; may be empty.
    pub part_number: String,
    /// Purpose of the object.
    pub object_type: ObjectType,
    /// Shape in its own coordinates.
    pub shape: PartShape,
    /// Placements: several if several items build it.
    pub places: Vec<PartPlacement>,
}

/// Placement of a part.
#[derive(Debug, Clone, PartialEq)]
pub struct PartPlacement {
    /// From its coordinates to those of the build.
    pub transform: Transform,
    /// Part number of the customer; may be empty.
    pub part_number: String,
}

/// Shape of a part.
#[derive(Debug, Clone)]
pub enum PartShape {
    /// An existing mesh.
    Given(GivenMesh),
    /// A function, to be meshed.
    Implicit(Box<ResolvedShape>),
}

/// An existing mesh.
#[derive(Debug, Clone)]
pub struct GivenMesh {
    /// The triangles.
    pub mesh: TriangleMesh,
    /// Source of the colours, if any.
    pub painted: Option<Box<ResolvedShape>>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Meshes of parts.
#[derive(Debug, Clone)]
pub struct PartsMade {
    /// Properties of the meshes.
    pub info: PartsInfo,
    pub(super) parts: Vec<PartMade>,
    pub(super) unit: Unit,
    pub(super) metadata: Vec<Metadata>,
}

/// Mesh of a part, in its own coordinates.
#[derive(Debug, Clone)]
pub(super) struct PartMade {
    pub(super) name: String,
    pub(super) part_number: String,
    pub(super) object_type: ObjectType,
    pub(super) mesh: TriangleMesh,
    pub(super) colors: Option<Vec<Light>>,
    pub(super) places: Vec<PartPlacement>,
}

/// Properties of the meshes of parts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartsInfo {
    /// The parts.
    pub parts: Vec<PartMeshInfo>,
    /// Number of triangles, counting each placement.
    pub triangles: usize,
    /// Warnings about all of them.
    pub warnings: Vec<String>,
    /// Revision of the project.
    pub revision: u64,
}

/// Properties of the mesh of a part at its first placement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartMeshInfo {
    /// Display name.
    pub name: String,
    /// Number of placements.
    pub places: usize,
    /// Properties of the mesh.
    #[serde(flatten)]
    pub mesh: MeshInfo,
}

impl Service {
    /// Resolves a subject to parts: the objects of the build, or the named one. Existing meshes are used as they are,
    /// unless `anew` requests remeshing.
    ///
    /// # Errors
    /// As [`resolve_shape`](Self::resolve_shape).
    pub fn resolve_parts(
        &self,
        project: Option<&str>,
        revision: Option<u64>,
        subject: &Subject,
        anew: bool,
    ) -> Result<ResolvedParts> {
        subject.check()?;
        let snapshot = self.project(project)?.assembled_at(revision)?;
        let (document, revision) = (&snapshot.document, snapshot.head.revision);
        let see = |subject: &Subject| self.resolve_shape(project, Some(revision), subject);
        let here = || {
            vec![PartPlacement {
                transform: Transform::IDENTITY,
                part_number: String::new(),
            }]
        };
        let mut parts = Vec::new();
        if let Some(function) = subject.function_id {
            let resolved = see(subject)?;
            let function = document.function(function);
            parts.push(ResolvedPart {
                name: function.map_or_else(|_| resolved.label.clone(), |one| one.name().to_owned()),
                part_number: String::new(),
                object_type: ObjectType::Model,
                shape: PartShape::Implicit(Box::new(resolved)),
                places: here(),
            });
        } else {
            let objects = match subject.object_id {
                Some(id) => vec![(id, here())],
                None => built(document),
            };
            if objects.is_empty() {
                // Refuses with the reason.
                see(subject)?;
            }
            for (id, places) in objects {
                let object = match document.model_resource(id) {
                    Some(ModelResource::Object(object)) => Some(object),
                    Some(_) | None => None,
                };
                let existing = mesh_body(document, id).filter(|_| !anew);
                let of_object = Subject {
                    object_id: Some(id),
                    ..subject.clone()
                };
                let name = object.map_or("", |object| object.name.trim());
                parts.push(ResolvedPart {
                    name: match name {
                        "" => format!("object {id}"),
                        name => name.to_owned(),
                    },
                    part_number: object.map_or_else(String::new, |one| one.part_number.clone()),
                    object_type: object.map_or(ObjectType::Model, |one| one.object_type),
                    shape: match existing {
                        Some(body) => PartShape::Given(GivenMesh::of(
                            self.triangles(project, &snapshot, body.content)?,
                            body.volume.map(|_| see(&of_object)),
                        )),
                        None => PartShape::Implicit(Box::new(see(&of_object)?)),
                    },
                    places,
                });
            }
        }
        Ok(ResolvedParts {
            parts,
            unit: document.model().info().unit,
            revision,
            metadata: document.model().metadata().cloned().collect(),
        })
    }

    /// Reads the triangles of a project that are stored under a hash.
    pub(in crate::shapes) fn triangles(
        &self,
        project: Option<&str>,
        snapshot: &Snapshot,
        content: ContentHash,
    ) -> Result<TriangleMesh> {
        let bytes = self.project(project)?.content(snapshot, content)?;
        let bytes = bytes.ok_or_else(|| {
            let message = "the bytes of a mesh that is built are not in the store";
            Refusal::new("damaged_store", message).hint(LOST_CONTENT)
        })?;
        let data = MeshData::from_bytes(&bytes)?;
        Ok(TriangleMesh::new(data.vertices, data.triangles)?)
    }
}

impl GivenMesh {
    /// An existing mesh, with the resolved object if it has volume data.
    fn of(mesh: TriangleMesh, resolved: Option<Result<ResolvedShape>>) -> GivenMesh {
        let (painted, warnings) = match resolved {
            None => (None, Vec::new()),
            Some(Ok(resolved)) => {
                let warnings = resolved.warnings.clone();
                (resolved.red().map(|_| Box::new(resolved)), warnings)
            }
            // A shape is shown even if its colour cannot be evaluated.
            Some(Err(refusal)) => {
                let warning = format!("the colour is omitted: {}", refusal.message);
                (None, vec![warning])
            }
        };
        GivenMesh {
            mesh,
            painted,
            warnings,
        }
    }

    /// Colours of the vertices.
    pub(super) fn colors(&self, watch: ProgressFn<'_>) -> Result<Option<Vec<Light>>> {
        let Some(resolved) = &self.painted else {
            return Ok(None);
        };
        let Some(red) = resolved.red() else {
            return Ok(None);
        };
        let shape = Shape::new(&resolved.tape)?;
        let vertices = self.mesh.vertices();
        let found = run_watched(vertices.len() as u64, watch, |progress| {
            colors(&shape, red, vertices, &|done, _| progress.report(done))
        });
        found.map(Some).map_err(|_| Refusal::cancelled())
    }
}

/// The body of a mesh without beams.
pub(in crate::shapes) fn mesh_body(document: &Document, id: ResourceId) -> Option<&MeshBody> {
    let Some(ModelResource::Object(object)) = document.model_resource(id) else {
        return None;
    };
    match &object.body {
        Body::Mesh(mesh) => (mesh.beams == 0 && mesh.triangles > 0).then_some(mesh),
        Body::Components(_) | Body::LevelSet(_) | Body::Foreign(_) => None,
    }
}

/// Objects of the build with all their placements.
pub(super) fn built(document: &Document) -> Vec<(ResourceId, Vec<PartPlacement>)> {
    let mut objects: Vec<(ResourceId, Vec<PartPlacement>)> = Vec::new();
    let mut known: BTreeMap<ResourceId, usize> = BTreeMap::new();
    for (_, item) in document.model().items() {
        if item.is_external() {
            continue;
        }
        let place = *known.entry(item.object).or_insert_with(|| {
            objects.push((item.object, Vec::new()));
            objects.len() - 1
        });
        objects[place].1.push(PartPlacement {
            transform: item.transform,
            part_number: item.part_number.clone(),
        });
    }
    objects
}

impl PartsMade {
    /// Volume of all parts at all their placements.
    pub(in crate::shapes) fn volume(&self) -> f64 {
        self.placed_sum(|mesh| mesh.volume)
    }

    /// Volume of the cavities of all parts at all their placements.
    pub(in crate::shapes) fn cavity_volume(&self) -> f64 {
        self.placed_sum(|mesh| mesh.cavity_volume)
    }

    /// Volume that was removed on request from all parts at all their placements.
    pub(in crate::shapes) fn removed_volume(&self) -> f64 {
        self.placed_sum(|mesh| mesh.removed.map_or(0.0, |removed| removed.volume))
    }

    /// Sum of a volume of all parts at all their placements.
    fn placed_sum(&self, of: fn(&MeshInfo) -> f64) -> f64 {
        let parts = self.parts.iter().zip(&self.info.parts);
        let volume = |(part, info): (&PartMade, &PartMeshInfo)| {
            let scales = part
                .places
                .iter()
                .map(|place| place.transform.determinant().abs());
            let first = part
                .places
                .first()
                .map_or(1.0, |place| place.transform.determinant().abs());
            of(&info.mesh) * scales.sum::<f64>() / first
        };
        parts.map(volume).sum()
    }

    /// Unit of lengths.
    pub fn unit(&self) -> &'static str {
        self.unit.name()
    }

    /// A mesh as the only part.
    pub fn of(name: &str, made: MeshMade) -> PartsMade {
        let name = if name.is_empty() { "mesh" } else { name };
        PartsMade {
            unit: made.unit,
            info: PartsInfo {
                triangles: made.info.triangles,
                warnings: Vec::new(),
                revision: made.info.revision,
                parts: vec![PartMeshInfo {
                    name: name.to_owned(),
                    places: 1,
                    mesh: made.info,
                }],
            },
            parts: vec![PartMade {
                name: name.to_owned(),
                part_number: String::new(),
                object_type: ObjectType::Model,
                mesh: made.mesh,
                colors: made.colors,
                places: vec![PartPlacement {
                    transform: Transform::IDENTITY,
                    part_number: String::new(),
                }],
            }],
            metadata: Vec::new(),
        }
    }
}
