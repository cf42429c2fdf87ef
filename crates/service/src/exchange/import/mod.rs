//! Import of 3MF, .vm and mesh files into a project.

mod reports;

mod package;
mod triangles;

use self::reports::SHOWN;
use self::triangles::called;
pub use reports::{FileChecked, FindingInfo, ImportResult, LeftOutInfo, RepairInfo};
pub use triangles::check_mesh_file;

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use fibula_3mf::{self as threemf, Limits, Model, OmittedContent};
use fibula_core::edit::Origin;
use fibula_core::graph::FunctionId;
use fibula_formats::mesh::{self, MeshFormat, enumerated};
use fibula_formats::vm;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use crate::background::ProgressFn;
use crate::exchange::hidden_project::HiddenProject;
use crate::named_formats::deserialize_named;
use crate::project::change::CommitOptions;
use crate::project::commit::Project;
use crate::project::names::DEFAULT_PROJECT;
use crate::refusal::{Refusal, Result, quoted};
use crate::service::Service;

/// Steps of an import: reading, then storing, then the commit.
const STEPS: u64 = 1000;
/// Steps after which the file is read.
const READ_STEPS: u64 = 600;
/// Steps after which its contents are stored.
const STORED_STEPS: u64 = 950;

/// Accepts either alphabet, with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

json_structs! {
    /// File to import.
    pub request(Default) struct Import {
        project,
        /// A file below the folders that the server may read, such as "part.3mf".
        pub path: Option<String>,
        /// Or the file as base64, or its text.
        pub content: Option<String>,
        /// Default: detected from the content.
        pub format: Option<ImportFormat>,
        expected_revision,
        dry_run,
        /// true only reports errors and warnings.
        pub check: bool,
    }
}

/// Format of an imported file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportFormat {
    /// 3MF with implicit functions.
    ThreeMf,
    /// One formula.
    Vm,
    /// Triangles.
    Mesh(MeshFormat),
}

impl ImportFormat {
    fn all() -> impl Iterator<Item = ImportFormat> {
        let meshes = MeshFormat::readable().map(ImportFormat::Mesh);
        [ImportFormat::ThreeMf, ImportFormat::Vm]
            .into_iter()
            .chain(meshes)
    }

    fn name(self) -> &'static str {
        match self {
            ImportFormat::ThreeMf => "3mf",
            ImportFormat::Vm => "vm",
            ImportFormat::Mesh(format) => format.name(),
        }
    }

    fn description(self) -> &'static str {
        match self {
            ImportFormat::ThreeMf => "3MF with implicit functions",
            ImportFormat::Vm => "one formula",
            ImportFormat::Mesh(_) => "triangles",
        }
    }
}

impl<'de> Deserialize<'de> for ImportFormat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let formats = ImportFormat::all().map(|format| (format.name(), format));
        deserialize_named(deserializer, "ImportFormat", formats)
    }
}

impl JsonSchema for ImportFormat {
    fn schema_name() -> Cow<'static, str> {
        "ImportFormat".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let one = |format: ImportFormat| {
            let (name, description) = (format.name(), format.description());
            json_schema!({ "description": description, "type": "string", "const": name })
        };
        let all: Vec<Schema> = ImportFormat::all().map(one).collect();
        json_schema!({ "description": "A format that is read.", "oneOf": all })
    }
}

/// Lists the formats that are checked, such as `3MF, STL and OBJ`.
pub fn checked_formats(conjunction: &str) -> String {
    let meshes = MeshFormat::readable().map(MeshFormat::label);
    enumerated(["3MF"].into_iter().chain(meshes), conjunction)
}

/// Lists the formats that are imported, such as `3MF, STL, OBJ or .vm`.
pub fn imported_formats(conjunction: &str) -> String {
    let meshes = MeshFormat::readable().map(MeshFormat::label);
    enumerated(
        ["3MF"].into_iter().chain(meshes).chain([".vm"]),
        conjunction,
    )
}

/// Lists the extensions of files that may be imported as their text, such as `.vm, .stl or .obj`.
pub fn imported_text_extensions(conjunction: &str) -> String {
    let meshes = MeshFormat::readable().map(|format| format!(".{}", format.name()));
    enumerated([".vm".to_owned()].into_iter().chain(meshes), conjunction)
}

/// Checks a 3MF file, independently of any project. Returns all errors and warnings.
pub fn check_file(bytes: &[u8]) -> FileChecked {
    FileChecked::new(threemf::check(bytes, &Limits::default()), usize::MAX)
}

impl Service {
    /// Imports a file into a project, as one change; creates the project if it does not exist. Ids of the file are kept
    /// where they are free; others are renumbered, with every reference.
    ///
    /// # Errors
    /// A [`Refusal`] if the path is forbidden, or the file is unreadable or invalid; then no project is created.
    pub fn import(&self, origin: &Origin, request: Import) -> Result<ImportResult> {
        self.import_watched(origin, request, &mut |_, _| ControlFlow::Continue(()))
    }

    /// As [`import`](Self::import). Calls `watch` with the steps done and their total, while the file is read and its
    /// contents are stored; it may cancel the import until the commit.
    ///
    /// # Errors
    /// As [`import`](Self::import), and if `watch` cancelled it.
    pub fn import_watched(
        &self,
        origin: &Origin,
        request: Import,
        watch: ProgressFn<'_>,
    ) -> Result<ImportResult> {
        let path = request.path;
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let name = request
            .project
            .unwrap_or_else(|| DEFAULT_PROJECT.to_owned());
        let existing = self.existing_or_new(&name)?;
        let head = existing.as_ref().map(|project| project.snapshot());
        let head = head.transpose()?;
        let bytes = match (&path, request.content) {
            (Some(path), None) => self.files.read(path)?,
            (None, Some(content)) => decode(&content)?,
            (Some(_), Some(_)) | (None, None) => {
                let hint = "path names a file that the server can read, content is the file itself as base64";
                return Err(
                    Refusal::new("invalid_arguments", "pass either path or content").hint(hint),
                );
            }
        };
        let file = path
            .as_deref()
            .map(|path| path.rsplit(['/', '\\']).next().unwrap_or(path));
        let format = request.format.map_or_else(|| format_of(&bytes, file), Ok)?;
        if request.check {
            let revision = head.map_or(0, |head| head.head.revision);
            return checked(&bytes, format, revision);
        }
        let (mut findings, mut notice) = (None, None);
        let mut reading =
            |done: u64, total: u64| watch(steps_between(0, READ_STEPS, done, total), STEPS);
        let (model, source) = match format {
            ImportFormat::ThreeMf => {
                let limits = Limits::default();
                let model = threemf::read_with_progress(&bytes, &limits, &mut reading)?;
                (model, file.unwrap_or("a 3MF file"))
            }
            ImportFormat::Vm => (formula(&bytes, file)?, file.unwrap_or("a .vm file")),
            ImportFormat::Mesh(_) => {
                let unit = head.map(|head| head.document.model().info().unit);
                let unit = unit.unwrap_or_default();
                let read = triangles::read(&bytes, file, unit, &mut reading)?;
                (findings, notice) = (read.findings, Some(read.notice));
                (read.model, file.unwrap_or("a file of triangles"))
            }
        };
        drop(bytes);
        let storing = &mut |done: u64, total: u64| {
            let done = steps_between(READ_STEPS, STORED_STEPS, done, total);
            watch(done, STEPS)
        };
        let mut imported = insert_model(self, origin, (&name, condition), &model, source, storing)?;
        if !matches!(format, ImportFormat::ThreeMf) {
            // The file has no ids that could have been taken.
            imported.renumbered.clear();
        }
        imported.findings = findings;
        imported.warnings.extend(notice);
        Ok(imported)
    }
}

/// Inserts a model into a project, by its name, which is created if it does not exist.
pub(super) fn insert_model(
    service: &Service,
    origin: &Origin,
    (name, condition): (&str, CommitOptions),
    model: &Model,
    source: &str,
    watch: ProgressFn<'_>,
) -> Result<ImportResult> {
    match service.existing_or_new(name)? {
        Some(project) => package::insert(&project, origin, condition, model, source, watch),
        None => service.import_new(name, |project| {
            package::insert(project, origin, condition, model, source, watch)
        }),
    }
}

impl Service {
    /// Returns the project of a name, or `None` if there is none and it may be created.
    fn existing_or_new(&self, name: &str) -> Result<Option<Arc<Project>>> {
        match self.project(Some(name)) {
            Ok(project) => Ok(Some(project)),
            Err(refusal) if refusal.code == "unknown_project" => {
                self.check_new_project(name)?;
                Ok(None)
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// Inserts into a new project, which appears with its contents; a dry run leaves none.
    fn import_new(
        &self,
        name: &str,
        insert: impl FnOnce(&Arc<Project>) -> Result<ImportResult>,
    ) -> Result<ImportResult> {
        let mut hidden = HiddenProject::new(&self.store)?;
        let mut imported = insert(&self.projects.open(hidden.id(), name))?;
        if imported.dry_run.is_none() {
            hidden.publish(name)?;
            self.projects.invalidate(name);
        }
        imported.project_created = Some(true);
        Ok(imported)
    }
}

/// Step of a stage of an import from the share of it that is done.
fn steps_between(from: u64, to: u64, done: u64, total: u64) -> u64 {
    let share = done.min(total) as f64 / total.max(1) as f64;
    from + ((to - from) as f64 * share) as u64
}

/// Answer of a check; nothing is imported.
fn checked(bytes: &[u8], format: ImportFormat, revision: u64) -> Result<ImportResult> {
    let mut contents = ImportResult::default();
    let findings = match format {
        ImportFormat::ThreeMf => {
            let limits = Limits::default();
            if let Ok(model) = threemf::read(bytes, &limits) {
                contents = package::inspect(&model);
            }
            FileChecked::new(threemf::check(bytes, &limits), SHOWN)
        }
        ImportFormat::Mesh(_) => check_mesh_file(bytes),
        ImportFormat::Vm => {
            let checked = checked_formats("and");
            let message = format!("only {checked} files can be checked, not .vm files");
            return Err(
                Refusal::new("invalid_arguments", message).hint("use dry_run for a .vm file")
            );
        }
    };
    Ok(ImportResult {
        success: true,
        findings: Some(findings),
        revision,
        ..contents
    })
}

impl Import {
    /// True if reading takes less time than waking a thread.
    pub fn is_quick(&self) -> bool {
        const QUICK: usize = 8 << 10;
        self.path.is_none()
            && self
                .content
                .as_ref()
                .is_none_or(|content| content.len() <= QUICK)
    }
}

fn decode(content: &str) -> Result<Vec<u8>> {
    // Base64 contains no words, so the two cannot be confused.
    let is_text = content.contains([' ', '\t']) && mesh::format_of(content.as_bytes()).is_some();
    if is_text || vm::is_vm(content.as_bytes()) {
        return Ok(content.as_bytes().to_vec());
    }
    let text = match content.split_once(";base64,") {
        Some((head, text)) if head.starts_with("data:") => text,
        Some(_) | None => content,
    };
    let mut text = text.as_bytes().to_vec();
    text.retain(|byte| !byte.is_ascii_whitespace());
    for byte in &mut text {
        match *byte {
            b'-' => *byte = b'+',
            b'_' => *byte = b'/',
            _ => {}
        }
    }
    BASE64.decode(&text).map_err(|error| {
        let message = format!("the content is not valid base64: {error}");
        Refusal::new("invalid_content", message)
            .hint("send the bytes of the file as base64, or its path")
    })
}

fn format_of(bytes: &[u8], file: Option<&str>) -> Result<ImportFormat> {
    if bytes.starts_with(b"PK") {
        return Ok(ImportFormat::ThreeMf);
    }
    let ending = file.and_then(|file| Path::new(file).extension()?.to_str());
    let is_called = |other: &str| ending.is_some_and(|own| own.eq_ignore_ascii_case(other));
    let named = MeshFormat::readable().find(|format| is_called(format.name()));
    if let Some(format) = named {
        return Ok(ImportFormat::Mesh(format));
    }
    if vm::is_vm(bytes) || is_called("vm") {
        return Ok(ImportFormat::Vm);
    }
    if let Some(format) = mesh::format_of(bytes) {
        return Ok(ImportFormat::Mesh(format));
    }
    let start: String = String::from_utf8_lossy(&bytes[..bytes.len().min(24)]).into_owned();
    let message = match bytes {
        [] => "the file is empty".to_owned(),
        _ => format!(
            "the file begins with {}, which is not a known format",
            quoted(&start.escape_debug().to_string())
        ),
    };
    let meshes = enumerated(MeshFormat::readable().map(MeshFormat::label), "and");
    let hint = format!(
        "supported are 3MF files, which are zip archives and begin with PK, .vm files, whose lines are operations such \
         as `_2 add _0 _1`, and {meshes} files"
    );
    Err(Refusal::new("unknown_format", message).hint(hint))
}

/// Returns the function of a .vm file, named after the file.
fn formula(bytes: &[u8], file: Option<&str>) -> Result<Model> {
    let vm::Model {
        mut function,
        unused,
    } = vm::read(
        bytes,
        called(file).as_deref().unwrap_or("formula"),
        &vm::Limits::default(),
    )?;
    function.function_id = Some(FunctionId(1));
    let left_out = OmittedContent {
        what: "operation".to_owned(),
        count: unused,
        ids: Vec::new(),
        why: "the last line does not need it".to_owned(),
    };
    Ok(Model {
        functions: vec![function],
        left_out: if unused > 0 {
            vec![left_out]
        } else {
            Vec::new()
        },
        ..Model::default()
    })
}
