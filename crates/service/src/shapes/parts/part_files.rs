//! Files of parts: all in one, each in a file of its own, or a 3MF package of meshes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Seek, Write};

use fibula_3mf::{self as threemf, MeshData, WriteOptions};
use fibula_core::edit::{Edit, ModelEdit, Stage};
use fibula_core::graph::model::{Body, BuildItem, ModelInfo, ModelResource, Object};
use fibula_core::graph::{ContentHash, Document};
use fibula_formats::mesh::{self as files, MeshFormat, MeshPart};
use fibula_geometry::TriangleMesh;
use fibula_geometry::picture::Light;
use fibula_nodes::ResourceId;

use super::resolved::{PartMade, PartPlacement, PartsMade, ResolvedParts};
use crate::exchange::PackageWritten;
use crate::refusal::{Refusal, Result};
use crate::shapes::meshing::check_read;

/// A part at one of its placements, for a file of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshFilePart {
    /// Unique file name of letters, digits, `-` and `_`.
    pub name: String,
    part: usize,
    place: usize,
}

impl PartMade {
    /// The part at a placement, as the writers of files need it.
    pub(super) fn in_file(&self, place: usize) -> MeshPart<'_> {
        MeshPart {
            name: &self.name,
            vertices: self.mesh.vertices(),
            triangles: self.mesh.triangles(),
            colors: self.colors.as_deref(),
            transform: self.places[place].transform.0,
        }
    }
}

impl ResolvedParts {
    /// Returns the files that would contain one part each.
    pub fn pieces(&self) -> Vec<MeshFilePart> {
        let mut taken = BTreeSet::new();
        let mut numbers: BTreeMap<String, u64> = BTreeMap::new();
        let mut pieces = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            let plain = |c: char| {
                if c.is_ascii_alphanumeric() || c == '_' {
                    c
                } else {
                    '-'
                }
            };
            let name: String = part.name.chars().take(60).map(plain).collect();
            let name = name.trim_matches('-');
            let name = if name.is_empty() { "part" } else { name };
            // Some file systems ignore case.
            let next = numbers.entry(name.to_ascii_lowercase()).or_insert(2);
            for place in 0..part.places.len() {
                let mut own = name.to_owned();
                while !taken.insert(own.to_ascii_lowercase()) {
                    own = format!("{name}-{next}");
                    *next += 1;
                }
                pieces.push(MeshFilePart {
                    name: own,
                    part: number,
                    place,
                });
            }
        }
        pieces
    }
}

/// Meshes of all parts at their placements, in one.
#[derive(Debug, Clone, Default)]
pub struct JoinedMesh {
    /// Positions of the vertices.
    pub vertices: Vec<[f64; 3]>,
    /// Vertex indexes of each triangle, counter-clockwise as seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Colours of the vertices, if every part has some: linear red, green and blue of sRGB.
    pub colors: Option<Vec<Light>>,
}

impl PartsMade {
    /// Joins all parts, without a union of overlapping ones.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) `too_large` for 2^32 vertices.
    pub fn joined(self) -> Result<JoinedMesh> {
        let mut all = JoinedMesh::default();
        let mut colors = Vec::new();
        let colored = self.parts.iter().all(|part| part.colors.is_some());
        for part in self.parts {
            for PartPlacement { transform, .. } in &part.places {
                let first = u32::try_from(all.vertices.len() + part.mesh.vertices().len())
                    .map(|_| all.vertices.len() as u32)
                    .map_err(|_| {
                        Refusal::new("too_large", "the meshes have more than 2^32 vertices")
                            .hint("mesh the objects one by one, or with larger cells")
                    })?;
                let vertices = part.mesh.vertices().iter();
                all.vertices.extend(vertices.map(|at| transform.apply(*at)));
                let flips = transform.determinant() < 0.0;
                let triangles = part.mesh.triangles().iter();
                all.triangles.extend(triangles.map(|[a, b, c]| {
                    let [b, c] = if flips { [c, b] } else { [b, c] };
                    [a, b, c].map(|vertex| first + vertex)
                }));
                colors.extend(part.colors.iter().flatten().copied());
            }
        }
        all.colors = (colored && !colors.is_empty()).then_some(colors);
        Ok(all)
    }

    /// Writes all parts into one file, at their placements: a node or object for each, or, in formats without parts,
    /// all triangles together, without a union of overlapping parts.
    ///
    /// # Errors
    /// The errors of `to` and of [`files::write`].
    pub fn write(&self, format: MeshFormat, to: &mut impl Write) -> io::Result<()> {
        let parts = self.parts.iter();
        let placed = parts.flat_map(|part| (0..part.places.len()).map(|place| part.in_file(place)));
        self.write_some(&placed.collect::<Vec<_>>(), format, to)
    }

    fn write_some(
        &self,
        parts: &[MeshPart<'_>],
        format: MeshFormat,
        to: &mut impl Write,
    ) -> io::Result<()> {
        let metres = self.unit.metres();
        if format.has_parts() {
            for part in &self.parts {
                check_read(&part.mesh, format)?;
            }
            return files::write_parts(format, parts, metres, to);
        }
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        let mut colors: Option<Vec<Light>> = None;
        for part in parts {
            let before = vertices.len() as u32;
            vertices.extend(part.placed());
            let turned = part.turned().into_iter();
            triangles.extend(turned.map(|t| t.map(|corner| before + corner)));
            // Either all parts have colours, or none.
            if let Some(own) = part.colors {
                colors.get_or_insert_default().extend(own);
            }
        }
        // Far from the origin, distinct vertices become equal.
        let mut mesh = TriangleMesh::new(vertices, triangles)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        if mesh.touching().is_some() && !mesh.separate() {
            check_read(&mesh, format)?;
        }
        let (vertices, triangles) = (mesh.vertices(), mesh.triangles());
        files::write_colored(format, vertices, triangles, colors.as_deref(), metres, to)
    }

    /// Writes one part at its placement.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    ///
    /// # Panics
    /// Panics if the piece belongs to other parts.
    pub fn write_piece(
        &self,
        piece: &MeshFilePart,
        format: MeshFormat,
        to: &mut impl Write,
    ) -> io::Result<()> {
        let part = &self.parts[piece.part];
        self.write_some(&[part.in_file(piece.place)], format, to)
    }

    /// Writes a 3MF package of plain meshes: an object for each part, a build item for each placement.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if a mesh is too large for 3MF, or `to` cannot be written.
    pub fn write_package(&self, to: &mut (impl Write + Seek)) -> Result<PackageWritten> {
        let mut stage = Stage::new(&Document::default());
        let mut contents: BTreeMap<ContentHash, Vec<u8>> = BTreeMap::new();
        let mut push = |edit: ModelEdit| stage.push(&Edit::Model(edit)).map(|_| ());
        push(ModelEdit::SetInfo(ModelInfo {
            unit: self.unit,
            ..ModelInfo::default()
        }))?;
        for metadata in &self.metadata {
            push(ModelEdit::SetMetadata(metadata.clone()))?;
        }
        for (id, part) in (1..).zip(&self.parts) {
            let id = ResourceId(id);
            let mesh = &part.mesh;
            let data = MeshData::new(mesh.vertices().to_vec(), mesh.triangles().to_vec());
            let bytes = data.to_bytes();
            let mut object = Object::new(part.name.clone(), Body::Mesh(data.body(&bytes)));
            object.part_number.clone_from(&part.part_number);
            object.object_type = part.object_type;
            contents.insert(ContentHash::digest(&bytes), bytes);
            push(ModelEdit::SetResource {
                resource_id: Some(id),
                resource: ModelResource::Object(object.into()),
            })?;
            for place in &part.places {
                let mut item = BuildItem::new(id);
                item.transform = place.transform;
                item.part_number.clone_from(&place.part_number);
                let item_id = None;
                push(ModelEdit::SetBuildItem { item_id, item })?;
            }
        }
        let bytes = |hash: ContentHash| Ok(contents.get(&hash).cloned());
        let options = WriteOptions::default();
        let written = threemf::write(stage.document(), &bytes, &options, to)?;
        Ok(PackageWritten::new(written, self.info.revision))
    }
}
