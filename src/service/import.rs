//! Bringing functions in from files.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use fibula_nodes::names;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::form::ObjectForm;
use super::functions::FunctionInfo;
use super::project::{Condition, Project, Step};
use super::refusal::{Refusal, quoted};
use super::renumber::Renumbering;
use super::{Done, Service, functions};
use crate::edit::{Edit, Origin, Stage, State};
use crate::format::threemf::{self, LeftOut, Limits, Model};
use crate::format::vm;
use crate::graph::model::Body;
use crate::graph::{Document, FunctionId};

/// The most functions, repairs and things left out that an answer names of each.
const SHOWN: usize = 100;

/// Either alphabet's text, with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The file that is to be read.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Import {
    /// Left out: "default".
    pub project: Option<String>,
    /// A file below the folders that the server may read, such as "part.3mf".
    pub path: Option<String>,
    /// Or the file itself, as base64; of a .vm file also its text.
    pub content: Option<String>,
    /// Known by the content if left out.
    pub format: Option<ImportFormat>,
    /// Refuse at any other.
    pub expected_revision: Option<u64>,
    /// true tries it and changes nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// A format that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum ImportFormat {
    /// 3MF with implicit functions
    #[serde(rename = "3mf")]
    ThreeMf,
    /// one formula
    #[serde(rename = "vm")]
    Vm,
}

/// What a file brought.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Imported {
    pub success: bool,
    /// The functions that came, as list_functions lists them; the first 100.
    #[schemars(with = "Vec<ObjectForm>")]
    pub functions: Vec<FunctionInfo>,
    pub function_count: usize,
    /// What the file says wrongly, and how it was read; the first 100.
    #[schemars(with = "Vec<ObjectForm>")]
    pub repairs: Vec<RepairInfo>,
    pub repair_count: usize,
    /// What the file has, but was not read.
    #[schemars(with = "Vec<ObjectForm>")]
    pub left_out: Vec<LeftOutInfo>,
    /// Ids that were taken in the project: the file's, and what they became.
    pub renumbered: BTreeMap<String, u32>,
    pub revision: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

/// Something that a file says wrongly, and how it was read.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct RepairInfo {
    pub code: String,
    pub place: String,
    pub message: String,
}

/// Things of one sort that a file has, but that were not read.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct LeftOutInfo {
    pub what: String,
    pub count: usize,
    pub why: String,
}

impl Service {
    /// Brings the functions of a file into a project, as one change. Ids of the file are kept where they are free;
    /// others become the next free ones, and every reference follows.
    ///
    /// # Errors
    /// A [`Refusal`]: the path is forbidden, the file cannot be read, or says something that cannot be.
    pub fn import(&self, origin: &Origin, request: Import) -> Result<Imported, Refusal> {
        self.import_watched(origin, request, &mut |_, _| ControlFlow::Continue(()))
    }

    /// As [`import`](Self::import). `watch` is told which step of how many is done, and may end it while nothing is
    /// changed.
    ///
    /// # Errors
    /// As [`import`](Self::import), and when `watch` ended it.
    pub fn import_watched(
        &self,
        origin: &Origin,
        request: Import,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Imported, Refusal> {
        const STEPS: u64 = 3;
        let mut step = |done| match watch(done, STEPS) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Refusal::cancelled()),
        };
        let Import {
            project,
            path,
            content,
            format,
            expected_revision,
            dry_run,
        } = request;
        let condition = Condition::new(expected_revision, dry_run);
        let project = self.project(project.as_deref())?;
        let bytes = match (&path, content) {
            (Some(path), None) => self.files.read(path)?,
            (None, Some(content)) => decode(&content)?,
            (Some(_), Some(_)) | (None, None) => {
                let hint = "path names a file that the server can read, content is the file itself as base64";
                return Err(
                    Refusal::new("invalid_arguments", "give either path or content").hint(hint),
                );
            }
        };
        step(1)?;
        let file = path
            .as_deref()
            .map(|path| path.rsplit(['/', '\\']).next().unwrap_or(path));
        match format.map_or_else(|| format_of(&bytes, file), Ok)? {
            ImportFormat::ThreeMf => {
                let model = threemf::read(&bytes, &Limits::default())?;
                drop(bytes);
                step(2)?;
                let name = file.unwrap_or("a 3MF file");
                insert(&project, origin, condition, model, name)
            }
            ImportFormat::Vm => {
                let model = formula(&bytes, file)?;
                drop(bytes);
                step(2)?;
                let name = file.unwrap_or("a .vm file");
                let mut imported = insert(&project, origin, condition, model, name)?;
                // The file gives no id that could have been taken.
                imported.renumbered.clear();
                Ok(imported)
            }
        }
    }
}

impl Import {
    /// Whether reading this takes no longer than a thread takes to be woken.
    pub fn is_quick(&self) -> bool {
        const QUICK: usize = 8 << 10;
        self.path.is_none()
            && self
                .content
                .as_ref()
                .is_none_or(|content| content.len() <= QUICK)
    }
}

fn decode(content: &str) -> Result<Vec<u8>, Refusal> {
    // Base64 has no words, so neither is ever taken for the other.
    if vm::is_vm(content.as_bytes()) {
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
        Refusal::new(
            "invalid_content",
            format!("the content is no base64: {error}"),
        )
        .hint("send the bytes of the file as base64, or its path")
    })
}

fn format_of(bytes: &[u8], file: Option<&str>) -> Result<ImportFormat, Refusal> {
    if bytes.starts_with(b"PK") {
        return Ok(ImportFormat::ThreeMf);
    }
    if vm::is_vm(bytes) || file.is_some_and(is_called_vm) {
        return Ok(ImportFormat::Vm);
    }
    let start: String = String::from_utf8_lossy(&bytes[..bytes.len().min(24)]).into_owned();
    let message = match bytes {
        [] => "the file is empty".to_owned(),
        _ => format!(
            "the file begins with {}, which is no format that is read",
            quoted(&start.escape_debug().to_string())
        ),
    };
    let hint = "3MF files are read, which are zip archives and begin with PK, and .vm files, whose lines are operations \
                such as `_2 add _0 _1`";
    Err(Refusal::new("unknown_format", message).hint(hint))
}

/// Whether a file is one with the ending .vm.
fn is_called_vm(file: &str) -> bool {
    Path::new(file)
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("vm"))
}

/// The function of a .vm file, called as the file is.
fn formula(bytes: &[u8], file: Option<&str>) -> Result<Model, Refusal> {
    const LONGEST: usize = 60;
    let name = file.and_then(|file| Path::new(file).file_stem()?.to_str());
    let name = name.map(|name| names::visible(name, LONGEST));
    let name = name.filter(|name| !name.trim().is_empty());
    let vm::Model {
        mut function,
        unused,
    } = vm::read(
        bytes,
        name.as_deref().unwrap_or("formula"),
        &vm::Limits::default(),
    )?;
    function.function_id = Some(FunctionId(1));
    let left_out = LeftOut {
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

fn insert(
    project: &Arc<Project>,
    origin: &Origin,
    condition: Condition,
    model: Model,
    name: &str,
) -> Result<Imported, Refusal> {
    let mut left_out = not_imported(&model);
    let Model {
        functions,
        image_functions,
        repairs,
        left_out: unread,
        ..
    } = model;
    left_out.extend(unread);
    let others = left_out.iter().flat_map(|other| other.ids.iter().copied());
    let others: Vec<u32> = others.collect();
    if functions.is_empty() && image_functions.is_empty() {
        return Err(
            Refusal::new("nothing_to_import", "the file has no implicit functions")
                .hint("meshes and images alone are not read yet"),
        );
    }
    let decide = |state: &State| {
        let document = state.document();
        let numbers = Renumbering::new(document, &functions, &image_functions, &others)?;
        let mut stage = Stage::new(document);
        for (id, image) in &image_functions {
            stage.push(&Edit::AddImageFunction {
                resource_id: numbers.of(id.0),
                image: numbers.image(image),
            })?;
        }
        for function in &functions {
            stage.push(&Edit::SetFunction(numbers.function(function, &functions)))?;
        }
        let label = match functions.len() + image_functions.len() {
            1 => format!("import a function from {}", short(name)),
            count => format!("import {count} functions from {}", short(name)),
        };
        Ok((Step::labelled(stage.finish(), Some(label)), numbers))
    };
    let answer = |document: &Document, done: &Done, numbers: Renumbering| {
        let new: Vec<u32> = numbers.functions().collect();
        let listed = functions::all(document).filter(|(id, _)| new.contains(id));
        Imported {
            success: true,
            functions: listed
                .take(SHOWN)
                .map(|(_, listed)| listed.info())
                .collect(),
            function_count: new.len(),
            repair_count: repairs.len(),
            repairs: Vec::new(),
            left_out: Vec::new(),
            renumbered: numbers.changed(),
            revision: done.revision,
            dry_run: done.dry_run,
        }
    };
    let mut imported = project.change_apart(origin, condition, decide, answer)?;
    imported.repairs = repairs
        .into_iter()
        .take(SHOWN)
        .map(|repair| RepairInfo {
            code: repair.code.to_owned(),
            place: repair.place.to_string(),
            message: repair.message,
        })
        .collect();
    imported.left_out = left_out
        .into_iter()
        .take(SHOWN)
        .map(|other| LeftOutInfo {
            what: other.what,
            count: other.count,
            why: other.why,
        })
        .collect();
    Ok(imported)
}

/// What a file has beside its functions.
fn not_imported(model: &Model) -> Vec<LeftOut> {
    let body = |body: &Body| match body {
        Body::Mesh(_) => "mesh object".to_owned(),
        Body::Components(_) => "components object".to_owned(),
        Body::LevelSet(_) => "level set".to_owned(),
        Body::Foreign(foreign) => format!("{} object", short(&foreign.element)),
    };
    let objects = model.objects.iter();
    let objects = objects.map(|(id, object)| (body(&object.body), Some(id.0)));
    let images = model.images.iter();
    let images = images.map(|(id, _)| ("image3d".to_owned(), Some(id.0)));
    let volumes = model.volumes.iter();
    let volumes = volumes.map(|(id, _)| ("volumedata".to_owned(), Some(id.0)));
    let foreign = model.foreign.iter();
    let foreign = foreign.map(|(id, foreign)| (short(&foreign.element), Some(id.0)));
    let items = model.items.iter();
    let items = items.map(|item| ("build item".to_owned(), Some(item.object.0)));
    let parts = model.parts.keys();
    let parts = parts.map(|_| ("part of the package".to_owned(), None));
    let all = objects.chain(images).chain(volumes).chain(foreign);
    let mut sorts: BTreeMap<String, Vec<Option<u32>>> = BTreeMap::new();
    for (what, id) in all.chain(items).chain(parts) {
        sorts.entry(what).or_default().push(id);
    }
    let sorts = sorts.into_iter().map(|(what, ids)| LeftOut {
        what,
        count: ids.len(),
        ids: ids.into_iter().flatten().collect(),
        why: "only functions are brought into projects yet".to_owned(),
    });
    sorts.collect()
}

/// A file's name as a label has it.
fn short(name: &str) -> String {
    names::visible(name, 80)
}
