//! Meshes of the parts of what is seen: each object of the build on its own, where its items place it.
//!
//! A part that is a plain mesh is taken as it is, unless cells are given: then it is made anew, as level sets and
//! assemblies are.

mod file;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use fibula_nodes::{ResourceId, names};
use serde::Serialize;

use super::limits::Limits;
use super::meshing::{MakeMesh, MeshInfo, MeshMade, coarser, make, measured, one_of};
use super::refusal::Refusal;
use super::sampling::beside;
use super::simplified::{Simplify, kept_colors};
use super::subject::{Seen, Subject};
use super::{DEFAULT_PROJECT, Service};
use crate::format::threemf::MeshData;
use crate::geometry::picture::{Light, SURFACE};
use crate::geometry::{Bounds, Shape, Simplified, TriangleMesh, colors};
use crate::graph::model::{Body, MeshBody, Metadata, ModelResource, ObjectType, Transform, Unit};
use crate::graph::{ContentHash, Document};
pub use file::Piece;

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

/// How meshes of parts are made.
#[derive(Debug, Clone, Copy, Default)]
pub struct MakeParts {
    /// What is beyond is cut off, of a single part that is not moved.
    pub bounds: Option<Bounds>,
    /// The longest edge of a cell, in the coordinates of the build; a hundredth of each part's longest side if left out.
    pub cell: Option<f64>,
    /// The most triangles of each part.
    pub most_triangles: Option<u64>,
    /// How far they are simplified, if they are.
    pub simplify: Option<Simplify>,
    /// How much they may take: the time together, the memory each.
    pub limits: Limits,
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
    /// How many triangles they have together, however often they are placed.
    pub triangles: usize,
    /// What should be known of all of them.
    pub warnings: Vec<String>,
    /// The revision that they were made of.
    pub revision: u64,
}

/// What is told of the mesh of a part. Lengths are in its own coordinates.
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

    /// Whether what is looked at is a single mesh without beams, placed once: there is nothing to unite.
    ///
    /// # Errors
    /// A [`Refusal`]: there is no such project or revision.
    pub fn is_one_mesh(
        &self,
        project: Option<&str>,
        revision: Option<u64>,
        subject: &Subject,
    ) -> Result<bool, Refusal> {
        let name = project.unwrap_or(DEFAULT_PROJECT);
        let document = self.project(Some(name))?.at(revision)?.document;
        let object = match (subject.function_id, subject.object_id) {
            (Some(_), _) => None,
            (None, Some(id)) => Some(id),
            (None, None) => match &built(&document)[..] {
                [(id, places)] if places.len() == 1 => Some(*id),
                _ => None,
            },
        };
        Ok(object.is_some_and(|id| plain(&document, id).is_some()))
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

/// Makes meshes of parts. `watch` is told how far each of the works is, one after the other, and may end it.
///
/// # Errors
/// As [`make_mesh`](super::make_mesh), naming the part; and if bounds are given for parts that are placed.
pub fn make_parts(
    seen: SeenParts,
    request: &MakeParts,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<PartsMade, Refusal> {
    if let Some(how) = &request.simplify {
        how.check()?;
    }
    let moved = |part: &SeenPart| part.places.iter().any(|one| !one.transform.is_identity());
    let given = |part: &SeenPart| matches!(part.shape, PartShape::Given(_));
    let is_one = seen.parts.len() == 1 && !moved(&seen.parts[0]) && !given(&seen.parts[0]);
    if request.bounds.is_some() && !is_one {
        let message = "bounds cut off what is built as one, and not its parts";
        return Err(Refusal::new("invalid_arguments", message)
            .hint("take the union of the parts, or leave the bounds out"));
    }
    let cell = Cell::new(f64::NAN);
    let limits = request.limits;
    limits.within(watch, coarser(&cell), |watch| {
        make_all(seen, request, &cell, watch)
    })
}

/// Makes the meshes, and tells the largest cell that they take, as it is built.
fn make_all(
    seen: SeenParts,
    request: &MakeParts,
    cell: &Cell<f64>,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<PartsMade, Refusal> {
    let count = seen.parts.len() as u64;
    let works = if request.simplify.is_some() {
        2 * count
    } else {
        count
    };
    let mut made = Vec::with_capacity(seen.parts.len());
    for (number, part) in (0..).zip(seen.parts) {
        let watch = &mut one_of(number, works, watch);
        let scale = part
            .places
            .iter()
            .map(|one| one.transform.stretch())
            .fold(0.0, f64::max);
        let (mesh, colors, info) = match part.shape {
            PartShape::Given(given) => {
                let colors = given.colors(watch)?;
                let GivenMesh { mesh, warnings, .. } = given;
                let info = measured(&mesh, mesh.topology(), [0; 3], warnings, seen.revision);
                (mesh, colors, info)
            }
            PartShape::Seen(shape) => {
                let making = MakeMesh {
                    bounds: request.bounds,
                    cell: request.cell.map(|cell| cell / scale),
                    most_triangles: request.most_triangles,
                    simplify: None,
                    limits: request.limits,
                };
                let own = Cell::new(f64::NAN);
                let one = make(&shape, &making, &own, watch);
                cell.set(cell.get().max(own.get() * scale));
                let one = one.map_err(|refusal| named(refusal, &part.name, count > 1))?;
                (one.mesh, one.colors, one.info)
            }
        };
        let place = PartMade {
            name: part.name,
            part_number: part.part_number,
            object_type: part.object_type,
            mesh,
            colors,
            places: part.places,
        };
        made.push((place, info, scale));
    }
    let all = made.iter().map(|(part, ..)| part.mesh.triangles().len());
    let all: usize = all.sum();
    let mut warnings = Vec::new();
    if let Some(how) = &request.simplify {
        for (number, (part, info, scale)) in (count..).zip(&mut made) {
            let own = part.mesh.triangles().len();
            let watch = &mut one_of(number, works, watch);
            let Simplified {
                mesh,
                kept,
                deviation,
            } = how.apply(&part.mesh, [own, all], *scale, watch)?;
            let told = std::mem::take(&mut info.warnings);
            *info = measured(&mesh, mesh.topology(), info.cells, told, seen.revision);
            info.deviation = Some(deviation);
            part.mesh = mesh;
            part.colors = kept_colors(part.colors.take(), &kept);
        }
        let left = made.iter().map(|(part, ..)| part.mesh.triangles().len());
        warnings.extend(how.missed(left.sum()));
    }
    let is_colored = made.iter().any(|(part, ..)| part.colors.is_some());
    let (mut parts, mut infos) = (Vec::new(), Vec::new());
    for (mut part, mesh, _) in made {
        if is_colored && part.colors.is_none() {
            part.colors = Some(vec![SURFACE; part.mesh.vertices().len()]);
        }
        infos.push(PartMeshInfo {
            name: part.name.clone(),
            places: part.places.len(),
            mesh,
        });
        parts.push(part);
    }
    Ok(PartsMade {
        info: PartsInfo {
            triangles: infos.iter().map(|one| one.mesh.triangles).sum(),
            parts: infos,
            warnings,
            revision: seen.revision,
        },
        parts,
        unit: seen.unit,
        metadata: seen.metadata,
    })
}

/// The refusal, with the part that it is about if there are several.
fn named(refusal: Refusal, part: &str, several: bool) -> Refusal {
    if !several {
        return refusal;
    }
    let message = format!("{}: {}", names::visible(part, 60), refusal.message);
    Refusal { message, ..refusal }
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
