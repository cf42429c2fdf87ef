//! Export of a project as a 3MF package.

use std::io::{Seek, Write};

use fibula_3mf::{self as threemf, WriteError, WriteOptions};
use fibula_core::graph::{ContentHash, Document};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::refusal::{Refusal, Result};
use crate::service::Service;

json_structs! {
    /// Project to write.
    pub request(Default) struct WritePackage {
        project,
        /// State at this revision; default: now.
        pub revision: Option<u64>,
        /// Element names, where programs and the specification differ; default lib3mf.
        pub dialect: Option<Dialect>,
    }

    /// Result of an export.
    pub answer(PartialEq) struct PackageWritten {
        pub success: bool,
        pub revision: u64,
        pub functions: usize,
        pub objects: usize,
        pub images: usize,
        /// Volume data, and resources that only other programs understand.
        pub other_resources: usize,
        pub build_items: usize,
        pub parts: usize,
        /// Data that 3MF cannot represent, and their replacement; and an empty build.
        pub notes: Vec<NoteInfo>,
    }

    /// Data that 3MF cannot represent.
    pub answer(PartialEq) struct NoteInfo {
        pub code: &'static str,
        pub place: String,
        pub message: String,
    }
}

/// Convention for the names of elements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// lib3mf, Gladius and programs that read their files
    #[default]
    Lib3mf,
    /// the text 0.8 of the implicit extension
    Specification,
}

impl Service {
    /// Writes a project as a 3MF package; after a refusal, `to` contains no valid file.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project or revision, 3MF cannot represent something, bytes are missing or
    /// damaged, or `to` cannot be written.
    pub fn write_package(
        &self,
        request: &WritePackage,
        to: &mut (impl Write + Seek),
    ) -> Result<PackageWritten> {
        let project = self.project(request.project.as_deref())?;
        project.require_sound(request.revision)?;
        let snapshot = project.at(request.revision)?;
        let options = WriteOptions {
            dialect: match request.dialect.unwrap_or_default() {
                Dialect::Lib3mf => threemf::Dialect::Lib3mf,
                Dialect::Specification => threemf::Dialect::Specification,
            },
        };
        let contents = |hash: ContentHash| Ok(self.store.content(hash)?);
        let written = threemf::write(&snapshot.document, &contents, &options, to)?;
        let mut written = PackageWritten::new(written, snapshot.head.revision);
        if written.build_items == 0 {
            written.notes.push(NoteInfo {
                code: "empty_build",
                place: "build".to_owned(),
                message: empty_build(&snapshot.document),
            });
        }
        Ok(written)
    }
}

/// Message about a package without build items: other programs show no part.
fn empty_build(document: &Document) -> String {
    let next = if document.model_resources().next().is_some() {
        "create_build_item adds an object to it"
    } else if document.function_count() > 0 {
        "create_level_set makes a function an object, and builds it"
    } else {
        "the project has no objects"
    };
    format!("it is empty, so other programs show no part; {next}")
}

impl PackageWritten {
    /// The notes as texts: the place, and what is written there instead.
    pub fn warnings(&self) -> Vec<String> {
        let notes = self.notes.iter();
        notes
            .map(|note| format!("{}: {}", note.place, note.message))
            .collect()
    }

    pub(crate) fn new(written: threemf::WriteSummary, revision: u64) -> Self {
        let note = |note: threemf::WriteNote| NoteInfo {
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
