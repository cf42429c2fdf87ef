//! Whether what is looked at becomes one mesh or the meshes of its parts, and the files of either.

use std::io::{Cursor, Write};
use std::ops::ControlFlow;

use fibula_core::graph::Document;
use fibula_core::graph::model::Metadata;
use fibula_formats::mesh::Format;

use super::{PartsMade, SeenParts, built, make_parts, plain};
use crate::{DEFAULT_PROJECT, MakeMesh, Refusal, Seen, Service, Subject, make_mesh};

/// A file of triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshFile {
    /// Of triangles, and nothing else that Fibula writes.
    Triangles(Format),
    /// A 3MF package of plain meshes.
    Package,
}

/// Whether the parts of a build stay apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Apart {
    /// Where the file can tell them apart and no bounds cut them off.
    #[default]
    WhereKept,
    /// Always.
    Always,
    /// Never: their union is made.
    Never,
}

/// How what is looked at becomes triangles.
#[derive(Debug, Clone, Copy, Default)]
pub struct MakeTriangles {
    /// How finely, how many, and within what. A single mesh that is there already is taken as it is without bounds and a
    /// cell.
    pub mesh: MakeMesh,
    /// Whether parts stay apart.
    pub apart: Apart,
    /// The file that is to be written, if one is: it says whether colours are made, too.
    pub file: Option<MeshFile>,
}

impl MeshFile {
    /// Every kind of file.
    pub fn all() -> impl Iterator<Item = MeshFile> {
        let triangles = Format::ALL.into_iter().map(MeshFile::Triangles);
        triangles.chain([MeshFile::Package])
    }

    /// The ending of its name.
    pub fn name(self) -> &'static str {
        match self {
            MeshFile::Triangles(format) => format.name(),
            MeshFile::Package => "3mf",
        }
    }

    /// The file with this ending, in upper or lower case.
    pub fn named(ending: &str) -> Option<MeshFile> {
        MeshFile::all().find(|file| file.name().eq_ignore_ascii_case(ending))
    }

    /// Whether it tells parts apart.
    pub fn has_parts(self) -> bool {
        match self {
            MeshFile::Package | MeshFile::Triangles(Format::Obj | Format::Glb) => true,
            MeshFile::Triangles(Format::Stl | Format::Ply) => false,
        }
    }

    /// Whether colours are written into it.
    pub fn has_colors(self) -> bool {
        match self {
            MeshFile::Triangles(format) => format.has_colors(),
            MeshFile::Package => false,
        }
    }
}

/// What triangles are made of.
#[derive(Debug, Clone)]
pub enum SeenTriangles {
    /// Everything, as one, with what the project says of itself.
    One(Box<Seen>, Vec<Metadata>),
    /// Each part.
    Parts(SeenParts),
}

impl SeenTriangles {
    /// Makes the triangles. `watch` is told how much of how much is done, and may end it.
    ///
    /// # Errors
    /// A [`Refusal`], as [`make_mesh`] and [`make_parts`].
    pub fn make(
        self,
        request: &MakeMesh,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<PartsMade, Refusal> {
        match self {
            SeenTriangles::One(seen, metadata) => {
                let made = make_mesh(&seen, request, watch)?;
                Ok(PartsMade {
                    metadata,
                    ..PartsMade::of(&seen.label, made)
                })
            }
            SeenTriangles::Parts(seen) => make_parts(seen, request, watch),
        }
    }
}

impl Service {
    /// Prepares what is to become triangles, in the project or "default", as it is or as of a revision.
    ///
    /// # Errors
    /// A [`Refusal`], as [`see`](Self::see); or it is to be simplified in a way that cannot be.
    pub fn see_triangles(
        &self,
        project: Option<&str>,
        revision: Option<u64>,
        subject: &Subject,
        request: &MakeTriangles,
    ) -> Result<SeenTriangles, Refusal> {
        let MakeTriangles { mesh, apart, file } = request;
        if let Some(how) = &mesh.simplify {
            how.check()?;
        }
        let subject = &Subject {
            plain: subject.plain || !file.is_some_and(MeshFile::has_colors),
            ..subject.clone()
        };
        let is_anew = mesh.cell.is_some();
        let is_apart = match apart {
            Apart::Always => true,
            Apart::Never => false,
            Apart::WhereKept => mesh.bounds.is_none() && file.is_some_and(MeshFile::has_parts),
        };
        let name = project.unwrap_or(DEFAULT_PROJECT);
        let snapshot = self.project(Some(name))?.at(revision)?;
        let (document, revision) = (&snapshot.document, Some(snapshot.head.revision));
        let is_there = mesh.bounds.is_none() && !is_anew && is_one_mesh(document, subject);
        if is_apart || is_there {
            let seen = self.see_parts(Some(name), revision, subject, is_anew)?;
            return Ok(SeenTriangles::Parts(seen));
        }
        let seen = self.see(Some(name), revision, subject)?;
        let metadata = document.model().metadata().cloned().collect();
        Ok(SeenTriangles::One(Box::new(seen), metadata))
    }
}

/// Whether what is looked at is a single mesh without beams, placed once: there is nothing to unite.
fn is_one_mesh(document: &Document, subject: &Subject) -> bool {
    let object = match (subject.function_id, subject.object_id) {
        (Some(_), _) => None,
        (None, Some(id)) => Some(id),
        (None, None) => match &built(document)[..] {
            [(id, places)] if places.len() == 1 => Some(*id),
            _ => None,
        },
    };
    object.is_some_and(|id| plain(document, id).is_some())
}

impl PartsMade {
    /// What should be known of all of it, with the names of the parts if there are several.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.info.warnings.clone();
        for part in &self.info.parts {
            let told = part.mesh.warnings.iter();
            if self.info.parts.len() > 1 {
                warnings.extend(told.map(|warning| format!("{}: {warning}", part.name)));
            } else {
                warnings.extend(told.cloned());
            }
        }
        warnings
    }

    /// Writes all parts into one file.
    ///
    /// # Errors
    /// A [`Refusal`], `unwritable_file`: what `to` fails with, and what is too large for the format; as
    /// [`write_package`](Self::write_package) for a package.
    pub fn write_file(&self, file: MeshFile, to: &mut impl Write) -> Result<(), Refusal> {
        match file {
            MeshFile::Triangles(format) => self
                .write(format, to)
                .map_err(|error| Refusal::unwritable("the file", &error)),
            MeshFile::Package => {
                // Places in the file are known only when what comes before them is packed, so it is made in memory.
                let mut bytes = Cursor::new(Vec::new());
                self.write_package(&mut bytes)?;
                to.write_all(bytes.get_ref())
                    .map_err(|error| Refusal::unwritable("the file", &error))
            }
        }
    }
}
