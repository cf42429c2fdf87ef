//! Triangles of a subject: one mesh of the union, or a mesh for each part, and the file formats of both.

use std::io::{Cursor, Write};

use fibula_core::graph::Document;
use fibula_core::graph::model::Metadata;
use fibula_formats::mesh::MeshFormat;

use super::part_meshes::make_parts;
use super::resolved::{PartsMade, ResolvedParts, built, mesh_body};
use crate::background::ProgressFn;
use crate::refusal::{Refusal, Result};
use crate::service::Service;
use crate::shapes::meshing::{MakeMesh, make_mesh};
use crate::shapes::subject::{ResolvedShape, Subject};

/// File format of triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshFile {
    /// A format of triangles only.
    Triangles(MeshFormat),
    /// A 3MF package of plain meshes.
    Package,
}

/// Separation of the parts of a build.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PartSeparation {
    /// Separate if the file format supports it and no bounds cut them off.
    #[default]
    WhereKept,
    /// Always separate.
    Always,
    /// Never separate: meshes their union.
    Never,
}

/// Settings of triangles.
#[derive(Debug, Clone, Copy, Default)]
pub struct MakeTriangles {
    /// Resolution, limits and bounds. A single existing mesh is used as it is, unless bounds or a cell are given.
    pub mesh: MakeMesh,
    /// Separation of parts.
    pub apart: PartSeparation,
    /// Format of the file to be written, if any; it determines whether colours are computed.
    pub file: Option<MeshFile>,
}

impl MeshFile {
    /// All formats.
    pub fn all() -> impl Iterator<Item = MeshFile> {
        let triangles = MeshFormat::ALL.into_iter().map(MeshFile::Triangles);
        triangles.chain([MeshFile::Package])
    }

    /// File extension.
    pub fn name(self) -> &'static str {
        match self {
            MeshFile::Triangles(format) => format.name(),
            MeshFile::Package => "3mf",
        }
    }

    /// Name in texts.
    pub fn label(self) -> &'static str {
        match self {
            MeshFile::Triangles(format) => format.label(),
            MeshFile::Package => "3MF",
        }
    }

    /// Returns the format with this extension, ignoring case.
    pub fn named(ending: &str) -> Option<MeshFile> {
        MeshFile::all().find(|file| file.name().eq_ignore_ascii_case(ending))
    }

    /// True if the format has separate parts.
    pub fn has_parts(self) -> bool {
        match self {
            MeshFile::Triangles(format) => format.has_parts(),
            MeshFile::Package => true,
        }
    }

    /// True if the format has colours.
    pub fn has_colors(self) -> bool {
        match self {
            MeshFile::Triangles(format) => format.has_colors(),
            MeshFile::Package => false,
        }
    }
}

/// Source of triangles.
#[derive(Debug, Clone)]
pub enum TriangleSource {
    /// The union of everything, with the metadata of the project.
    One(Box<ResolvedShape>, Vec<Metadata>),
    /// Each part.
    Parts(ResolvedParts),
}

impl TriangleSource {
    /// Meshes the source. Calls `watch` with the progress and its total; it may cancel the work.
    ///
    /// # Errors
    /// A [`Refusal`], as [`make_mesh`] and [`make_parts`].
    pub fn make(self, request: &MakeMesh, watch: ProgressFn<'_>) -> Result<PartsMade> {
        match self {
            TriangleSource::One(resolved, metadata) => {
                let made = make_mesh(&resolved, request, watch)?;
                Ok(PartsMade {
                    metadata,
                    ..PartsMade::of(&resolved.label, made)
                })
            }
            TriangleSource::Parts(resolved) => make_parts(resolved, request, watch),
        }
    }
}

impl Service {
    /// Resolves a subject to a source of triangles, in the project or "default", at a revision or the current one.
    ///
    /// # Errors
    /// A [`Refusal`], as [`resolve_shape`](Self::resolve_shape), or if the simplification is invalid.
    pub fn resolve_triangles(
        &self,
        project: Option<&str>,
        revision: Option<u64>,
        subject: &Subject,
        request: &MakeTriangles,
    ) -> Result<TriangleSource> {
        let MakeTriangles { mesh, apart, file } = request;
        mesh.check()?;
        let subject = &Subject {
            plain: subject.plain || !file.is_some_and(MeshFile::has_colors),
            ..subject.clone()
        };
        let is_anew = mesh.cell.is_some();
        let is_apart = match apart {
            PartSeparation::Always => true,
            PartSeparation::Never => false,
            PartSeparation::WhereKept => {
                mesh.bounds.is_none() && file.is_some_and(MeshFile::has_parts)
            }
        };
        let snapshot = self.project(project)?.assembled_at(revision)?;
        let (document, revision) = (&snapshot.document, Some(snapshot.head.revision));
        let is_there = mesh.bounds.is_none() && !is_anew && is_one_mesh(document, subject);
        if is_apart || is_there {
            let resolved = self.resolve_parts(project, revision, subject, is_anew)?;
            return Ok(TriangleSource::Parts(resolved));
        }
        let resolved = self.resolve_shape(project, revision, subject)?;
        let metadata = document.model().metadata().cloned().collect();
        Ok(TriangleSource::One(Box::new(resolved), metadata))
    }
}

/// True if the subject is a single mesh without beams, placed once, so that no union is needed.
fn is_one_mesh(document: &Document, subject: &Subject) -> bool {
    let object = match (subject.function_id, subject.object_id) {
        (Some(_), _) => None,
        (None, Some(id)) => Some(id),
        (None, None) => match &built(document)[..] {
            [(id, places)] if places.len() == 1 => Some(*id),
            _ => None,
        },
    };
    object.is_some_and(|id| mesh_body(document, id).is_some())
}

impl PartsMade {
    /// All warnings, with the names of the parts if there are several.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.info.warnings.clone();
        for part in &self.info.parts {
            let own_warnings = part.mesh.warnings.iter();
            if self.info.parts.len() > 1 {
                warnings.extend(own_warnings.map(|warning| format!("{}: {warning}", part.name)));
            } else {
                warnings.extend(own_warnings.cloned());
            }
        }
        warnings
    }

    /// Writes all parts into one file.
    ///
    /// # Errors
    /// A [`Refusal`], `unwritable_file`, if `to` fails or the format cannot hold the meshes; as
    /// [`write_package`](Self::write_package) for a package.
    pub fn write_file(&self, file: MeshFile, to: &mut impl Write) -> Result<()> {
        match file {
            MeshFile::Triangles(format) => self
                .write(format, to)
                .map_err(|error| Refusal::unwritable("the file", &error)),
            MeshFile::Package => {
                // Offsets in the file are known only after compression, so it is written to memory first.
                let mut bytes = Cursor::new(Vec::new());
                self.write_package(&mut bytes)?;
                to.write_all(bytes.get_ref())
                    .map_err(|error| Refusal::unwritable("the file", &error))
            }
        }
    }
}
