//! Meshes of the parts of what is seen: each object of the build on its own, where its items place it.
//!
//! A part that is a plain mesh is taken as it is, unless cells are given: then it is made anew, as level sets and
//! assemblies are.

mod file;
mod making;
mod triangles;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use fibula_3mf::MeshData;
use fibula_core::graph::model::{
    Body, MeshBody, Metadata, ModelResource, ObjectType, Transform, Unit,
};
use fibula_core::graph::{ContentHash, Document};
use fibula_geometry::picture::Light;
use fibula_geometry::{Shape, TriangleMesh, colors};
use fibula_nodes::ResourceId;
use serde::Serialize;

use super::meshing::{MeshInfo, MeshMade};
use super::refusal::Refusal;
use super::sampling::beside;
use super::subject::{Seen, Subject};
use super::{DEFAULT_PROJECT, Service};
pub use file::Piece;
pub use making::make_parts;
pub use triangles::{Apart, MakeTriangles, MeshFile, SeenTriangles};

/// What is seen, as parts.
#[derive(Debug, Clone)]
pub struct SeenParts {
    /// The parts, in the order of the build.
    pub parts: Vec<SeenPart>,
    /// What a length of 1 is.
    pub unit: Unit,
    /// As of which revision.
    pub revision: u64,
    /// What the project says of itself.
    metadata: Vec<Metadata>,
}

/// An object, and where it is placed.
#[derive(Debug, Clone)]
pub struct SeenPart {
    /// What a person calls it; never empty.
    pub name: String,
    /// Its number at whoever made it; may be empty.
    pub part_number: String,
    /// What it is for.
    pub object_type: ObjectType,
    /// Its shape, in its own coordinates.
    pub shape: PartShape,
    /// Where it is placed: once, or more often if several items build it.
    pub places: Vec<Placed>,
}

/// Where a part is placed.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// From its coordinates to those of the build.
    pub transform: Transform,
    /// Its number at whoever ordered it; may be empty.
    pub part_number: String,
}

/// The shape of a part.
#[derive(Debug, Clone)]
pub enum PartShape {
    /// Triangles that are there.
    Given(GivenMesh),
    /// A function, of which triangles are made.
    Seen(Box<Seen>),
}

/// Triangles that are there.
#[derive(Debug, Clone)]
pub struct GivenMesh {
    /// They.
    pub mesh: TriangleMesh,
    /// What tells their colours, if they have some.
    pub painted: Option<Box<Seen>>,
    /// What should be known of them.
    pub warnings: Vec<String>,
}

/// Meshes of parts.
#[derive(Debug, Clone)]
pub struct PartsMade {
    /// What is told of them.
    pub info: PartsInfo,
    parts: Vec<PartMade>,
    unit: Unit,
    metadata: Vec<Metadata>,
}

/// The mesh of a part, in its own coordinates.
#[derive(Debug, Clone)]
struct PartMade {
    name: String,
    part_number: String,
    object_type: ObjectType,
    mesh: TriangleMesh,
    colors: Option<Vec<Light>>,
    places: Vec<Placed>,
}

/// What is told of the meshes of parts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartsInfo {
    /// The parts.
    pub parts: Vec<PartMeshInfo>,
    /// How many triangles they have together, each part as often as it is placed.
    pub triangles: usize,
    /// What should be known of all of them.
    pub warnings: Vec<String>,
    /// The revision that they were made of.
    pub revision: u64,
}

/// What is told of the mesh of a part, where it is placed first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartMeshInfo {
    /// What a person calls it.
    pub name: String,
    /// How often it is placed.
    pub places: usize,
    /// The mesh.
    #[serde(flatten)]
    pub mesh: MeshInfo,
}

impl Service {
    /// Prepares the parts of what is to be looked at: the objects that are built, or the one that is named. Meshes are
    /// given as they are, unless `anew` says that triangles are to be made of them, too.
    ///
    /// # Errors
    /// As [`see`](Self::see).
    pub fn see_parts(
        &self,
        project: Option<&str>,
        revision: Option<u64>,
        subject: &Subject,
        anew: bool,
    ) -> Result<SeenParts, Refusal> {
        subject.check()?;
        let name = project.unwrap_or(DEFAULT_PROJECT);
        let snapshot = self.project(Some(name))?.at(revision)?;
        let (document, revision) = (&snapshot.document, snapshot.head.revision);
        let see = |subject: &Subject| self.see(Some(name), Some(revision), subject);
        let here = || {
            vec![Placed {
                transform: Transform::IDENTITY,
                part_number: String::new(),
            }]
        };
        let mut parts = Vec::new();
        if let Some(function) = subject.function_id {
            let seen = see(subject)?;
            let function = document.function(function);
            parts.push(SeenPart {
                name: function.map_or_else(|_| seen.label.clone(), |one| one.name().to_owned()),
                part_number: String::new(),
                object_type: ObjectType::Model,
                shape: PartShape::Seen(Box::new(seen)),
                places: here(),
            });
        } else {
            let objects = match subject.object_id {
                Some(id) => vec![(id, here())],
                None => built(document),
            };
            if objects.is_empty() {
                // Says why.
                see(subject)?;
            }
            for (id, places) in objects {
                let object = match document.model_resource(id) {
                    Some(ModelResource::Object(object)) => Some(object),
                    Some(_) | None => None,
                };
                let given = plain(document, id).filter(|_| !anew);
                let of_object = Subject {
                    object_id: Some(id),
                    ..subject.clone()
                };
                let name = object.map_or("", |object| object.name.trim());
                parts.push(SeenPart {
                    name: match name {
                        "" => format!("object {id}"),
                        name => name.to_owned(),
                    },
                    part_number: object.map_or_else(String::new, |one| one.part_number.clone()),
                    object_type: object.map_or(ObjectType::Model, |one| one.object_type),
                    shape: match given {
                        Some(body) => PartShape::Given(GivenMesh::of(
                            self.triangles(body.content)?,
                            body.volume.map(|_| see(&of_object)),
                        )),
                        None => PartShape::Seen(Box::new(see(&of_object)?)),
                    },
                    places,
                });
            }
        }
        Ok(SeenParts {
            parts,
            unit: document.model().info().unit,
            revision,
            metadata: document.model().metadata().cloned().collect(),
        })
    }

    /// The triangles that are stored under a hash.
    fn triangles(&self, content: ContentHash) -> Result<TriangleMesh, Refusal> {
        let bytes = self.store.content(content)?.ok_or_else(|| {
            Refusal::new(
                "damaged_store",
                "the bytes of a mesh that is built are not in the store",
            )
            .hint("`fibula verify` tells what else is missing")
        })?;
        let data = MeshData::from_bytes(&bytes)
            .map_err(|error| Refusal::new(error.code(), error.to_string()))?;
        TriangleMesh::new(data.vertices, data.triangles)
            .map_err(|error| Refusal::new(error.code(), error.to_string()))
    }
}

impl GivenMesh {
    /// Triangles, and the object that they are, if it has volume data.
    fn of(mesh: TriangleMesh, seen: Option<Result<Seen, Refusal>>) -> GivenMesh {
        let (painted, warnings) = match seen {
            None => (None, Vec::new()),
            Some(Ok(seen)) => {
                let warnings = seen.warnings.clone();
                (seen.red().map(|_| Box::new(seen)), warnings)
            }
            // What has a shape is shown, whatever is wrong with its colour.
            Some(Err(refusal)) => {
                let warning = format!("the colour is left out: {}", refusal.message);
                (None, vec![warning])
            }
        };
        GivenMesh {
            mesh,
            painted,
            warnings,
        }
    }

    /// The colours of the vertices.
    fn colors(
        &self,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Option<Vec<Light>>, Refusal> {
        let Some(seen) = &self.painted else {
            return Ok(None);
        };
        let Some(red) = seen.red() else {
            return Ok(None);
        };
        let shape = Shape::new(&seen.tape)?;
        let vertices = self.mesh.vertices();
        let found = beside(vertices.len() as u64, watch, |progress| {
            colors(&shape, red, vertices, &|done, _| progress.tell(done))
        });
        found.map(Some).map_err(|_| Refusal::cancelled())
    }
}

/// What a mesh without beams consists of.
fn plain(document: &Document, id: ResourceId) -> Option<&MeshBody> {
    let Some(ModelResource::Object(object)) = document.model_resource(id) else {
        return None;
    };
    match &object.body {
        Body::Mesh(mesh) => (mesh.beams == 0 && mesh.triangles > 0).then_some(mesh),
        Body::Components(_) | Body::LevelSet(_) | Body::Foreign(_) => None,
    }
}

/// The objects that are built, each with all its places.
fn built(document: &Document) -> Vec<(ResourceId, Vec<Placed>)> {
    let mut objects: Vec<(ResourceId, Vec<Placed>)> = Vec::new();
    let mut known: BTreeMap<ResourceId, usize> = BTreeMap::new();
    for (_, item) in document.model().items() {
        if item.is_external() {
            continue;
        }
        let place = *known.entry(item.object).or_insert_with(|| {
            objects.push((item.object, Vec::new()));
            objects.len() - 1
        });
        objects[place].1.push(Placed {
            transform: item.transform,
            part_number: item.part_number.clone(),
        });
    }
    objects
}

impl PartsMade {
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
                places: vec![Placed {
                    transform: Transform::IDENTITY,
                    part_number: String::new(),
                }],
            }],
            metadata: Vec::new(),
        }
    }
}
