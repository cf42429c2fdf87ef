//! Writing a project as a 3MF file.

use std::io::{self, Cursor, Seek, SeekFrom, Write};

use fibula_3mf::{self as threemf, WriteError, WriteOptions};
use fibula_core::graph::ContentHash;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Service;
use super::refusal::Refusal;

/// The project that is to be written.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WritePackage {
    /// Left out: "default".
    pub project: Option<String>,
    /// As it was at this revision; now if left out.
    pub revision: Option<u64>,
    /// The names of elements, where programs and the specification differ; lib3mf if left out.
    pub dialect: Option<Dialect>,
}

/// Whose names elements have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// lib3mf, Gladius and what reads their files
    #[default]
    Lib3mf,
    /// the text 0.8 of the implicit extension
    Specification,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct PackageWritten {
    pub success: bool,
    pub revision: u64,
    pub functions: usize,
    pub objects: usize,
    pub images: usize,
    /// Volume data, and what only other programs understand.
    pub other_resources: usize,
    pub build_items: usize,
    pub parts: usize,
    /// What 3MF cannot say as the project does, and what is written instead.
    pub notes: Vec<NoteInfo>,
}

/// Something that 3MF cannot say as the project does.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct NoteInfo {
    pub code: &'static str,
    pub place: String,
    pub message: String,
}

impl Service {
    /// Writes a project as a 3MF file; whatever `to` holds after a refusal is no file.
    ///
    /// # Errors
    /// A [`Refusal`]: there is no such project or revision, it has what 3MF cannot say, bytes are lost or damaged, or
    /// `to` does not take it.
    pub fn write_package(
        &self,
        request: &WritePackage,
        to: &mut (impl Write + Seek),
    ) -> Result<PackageWritten, Refusal> {
        let snapshot = self
            .project(request.project.as_deref())?
            .at(request.revision)?;
        let options = WriteOptions {
            dialect: match request.dialect.unwrap_or_default() {
                Dialect::Lib3mf => threemf::Dialect::Lib3mf,
                Dialect::Specification => threemf::Dialect::Specification,
            },
        };
        let contents = |hash: ContentHash| Ok(self.store.content(hash)?);
        let written = threemf::write(&snapshot.document, &contents, &options, to)?;
        Ok(PackageWritten::new(written, snapshot.head.revision))
    }
}

impl PackageWritten {
    /// The notes as texts: the place, and what is written there instead.
    pub fn warnings(&self) -> Vec<String> {
        let notes = self.notes.iter();
        notes
            .map(|note| format!("{}: {}", note.place, note.message))
            .collect()
    }

    pub(super) fn new(written: threemf::Written, revision: u64) -> Self {
        let note = |note: threemf::Note| NoteInfo {
            code: note.code,
            place: note.place,
            message: note.message,
        };
        PackageWritten {
            success: true,
            revision,
            functions: written.functions + written.image_functions,
            objects: written.objects,
            images: written.images,
            other_resources: written.volumes + written.foreign,
            build_items: written.items,
            parts: written.parts,
            notes: written.notes.into_iter().map(note).collect(),
        }
    }
}

/// A file in memory that takes so many bytes.
pub(super) struct Bounded {
    file: Cursor<Vec<u8>>,
    most: u64,
    /// Whether it was to take more.
    is_full: bool,
}

impl Bounded {
    pub(super) fn new(most: u64) -> Self {
        Bounded {
            file: Cursor::new(Vec::new()),
            most,
            is_full: false,
        }
    }

    /// What was written, unless it was too much.
    pub(super) fn into_bytes(self) -> Option<Vec<u8>> {
        (!self.is_full).then(|| self.file.into_inner())
    }
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_full {
            // It was refused before; what is written of the archive's end after that goes nowhere.
            return Ok(bytes.len());
        }
        let end = self.file.position().saturating_add(bytes.len() as u64);
        if end > self.most {
            self.is_full = true;
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Bounded {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl From<WriteError> for Refusal {
    fn from(error: WriteError) -> Self {
        let code = error.code();
        let cause = std::error::Error::source(&error).map(ToString::to_string);
        let message = match cause {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        };
        Refusal::new(code, message)
    }
}
