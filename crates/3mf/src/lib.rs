//! 3MF packages: reading, checking and writing, with functions of the implicit extension.
//!
//! Implements the 3MF core specification 1.3 and the volumetric and implicit extensions 0.8, and reads what existing
//! programs (lib3mf 2.5.0 and others) write. It is not a mesh repair tool, and it does not render or evaluate:
//! [`contents`] turns stored meshes and images into objects that the evaluator can query.
//!
//! # Tour
//!
//! ```
//! use std::io::Cursor;
//! use fibula_3mf::{Dialect, Limits, Severity, WriteOptions};
//! use fibula_core::graph::{Document, FunctionData, FunctionId};
//! use fibula_nodes::{PortSpec, Type};
//!
//! let mut document = Document::default();
//! document.insert(&FunctionData {
//!     function_id: Some(FunctionId(3)),
//!     name: "ball".to_owned(),
//!     inputs: vec![PortSpec::new("pos", Type::Float3)],
//!     outputs: vec![PortSpec::new("shape", Type::Float)],
//!     nodes: Vec::new(),
//! })?;
//!
//! // Write a package with the element names of the specification.
//! let options = WriteOptions { dialect: Dialect::Specification, ..Default::default() };
//! let mut file = Cursor::new(Vec::new());
//! fibula_3mf::write(&document, &|_| Ok(None), &options, &mut file)?;
//! let bytes = file.into_inner();
//!
//! // Check it, and read it back.
//! let report = fibula_3mf::check(&bytes, &Limits::default());
//! assert_eq!(report.count(Severity::Error), 0);
//! let model = fibula_3mf::read(&bytes, &Limits::default())?;
//! let names: Vec<&str> = model.functions.iter().map(|function| function.name.as_str()).collect();
//! assert_eq!(names, ["ball"]);
//!
//! // Bytes that are no package are rejected with a stable code.
//! let error = fibula_3mf::read(b"no zip archive", &Limits::default()).unwrap_err();
//! assert_eq!(error.code(), "not_a_zip");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Invariants
//!
//! 1. **Input is untrusted.** The zip directory is checked against [`Limits`] before anything is decompressed, XML is
//!    streamed without building a tree, and document type declarations are rejected. Memory is bounded by the limits.
//! 2. **Unambiguous mistakes are repaired** and reported as [`Repair`]. Ambiguous ones are rejected with a [`ReadError`]
//!    that has a code and a [`Location`].
//! 3. **[`check`] is the reader** that continues after errors, so it agrees with [`read`] by construction.
//! 4. **Nothing is dropped silently.** Colours, textures, slices and other extensions are kept as XML or bytes;
//!    [`Model::left_out`] lists what cannot be kept, and [`WriteSummary::notes`] what could not be written as it is.
//! 5. **Writing is deterministic**: the same document gives the same bytes, and [`read`] restores it.
//!
//! [`Dialect`] selects the element names where the specification and lib3mf differ. The reader accepts both.
//!
//! # Mapping
//!
//! | in the file | in the project |
//! |---|---|
//! | resource id | the function's id |
//! | `displayname` of a function | its name; `function_ID` if it is empty |
//! | `displayname` of a node | its display name; the identifier if it is empty |
//! | nodes in their order | node ids from 1 on; `Begin` has id 1 if the function has inputs |
//! | identifiers of inputs and outputs | their names, every character outside of `[A-Za-z0-9_]` as `_` |
//! | `<mesh>` | [`MeshData`] in its stored form |
//! | `<object>`, `<item>`, `<v:volumedata>`, `<v:image3d>` | the types of [`model`](fibula_core::graph::model) |
//! | any other resource | XML of its own, with the file's prefixes |

mod attributes;
mod beams;
mod budget;
mod built;
mod capture;
pub mod contents;
mod element;
mod ends;
mod error;
mod fast_tags;
mod findings;
mod fold;
mod fragment;
mod function;
mod geometry;
mod images;
mod kind;
mod links;
mod lowered;
mod mark;
mod materials;
mod mesh;
mod meter;
mod model;
mod names;
mod numbers;
mod object;
mod order;
mod package;
mod ports;
mod progress;
mod raw;
mod relations;
mod resolver;
mod resources;
mod sampler;
mod scope;
mod sparse;
mod values;
mod volume;
mod write;
mod xml;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use fibula_core::graph::model::{
    BuildItem, Foreign, ImageStack, Metadata, ModelInfo, Object, Part, VolumeData,
};
use fibula_core::graph::{ContentHash, FunctionData, ImageFunction};
use fibula_nodes::ResourceId;

pub use fibula_core::graph::model::Unit;

pub use error::{Location, Problem, ReadError};
use findings::Findings;
pub use findings::{Finding, Report, Severity};
pub use fragment::{references, renumber_attribute, renumber_references};
pub use materials::display_colors;
pub use mesh::{MeshData, MeshDataError, TriangleProperty};
use package::Package;
use progress::ProgressReader;
pub use sparse::Column;
pub use write::{Contents, Dialect, WriteError, WriteNote, WriteOptions, WriteSummary, write};

/// Resource limits of the reader; a file beyond them is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file.
    pub package: u64,
    /// Entries of the archive.
    pub entries: usize,
    /// Bytes of all entries, unpacked.
    pub unpacked: u64,
    /// How many times as large as packed an entry over 1 MiB may be unpacked.
    pub ratio: u64,
    /// Elements inside of each other.
    pub depth: usize,
    /// Attributes of one element.
    pub attributes: usize,
    /// Bytes of one tag or text.
    pub token: usize,
    /// Nodes, inputs and outputs of all functions together; a call counts for as many as its function has.
    pub nodes: usize,
    /// Inputs, or outputs, of one function or node.
    pub ports: usize,
    /// Objects, components, items, metadata and sheets of images, and attributes and elements that are only kept. Of a
    /// small file they are fewer: 20 000, and one for eight of its bytes.
    pub things: usize,
    /// Bytes of meshes, other parts of the package, and what else is kept of XML. Of a small file less is kept: 32 MiB,
    /// and 32 times its own size.
    pub kept: u64,
}

impl Limits {
    /// Entries up to this size may be packed at any ratio.
    const RATIO_FROM: u64 = 1 << 20;
    /// So many bytes may be kept of any file.
    const KEPT_FROM: u64 = 32 << 20;
    /// How many times its size may be kept of a file beside that. Meshes and pictures are at most ten times as large
    /// as they are packed.
    const KEPT_RATIO: u64 = 32;

    /// So many things may be in any file.
    const THINGS_FROM: usize = 20_000;
    /// How many bytes a thing takes at least, packed, in a file that has more of them.
    const THING: usize = 8;

    /// The limits for a file of so many bytes: a file that is sent soon must not take the memory of one that is not.
    fn of_file(self, bytes: usize) -> Limits {
        let most = Limits::KEPT_FROM + Limits::KEPT_RATIO * bytes as u64;
        Limits {
            kept: self.kept.min(most),
            things: self.things.min(Limits::THINGS_FROM + bytes / Limits::THING),
            ..self
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            package: 256 << 20,
            entries: 10_000,
            unpacked: 1 << 30,
            ratio: 250,
            depth: 64,
            attributes: 128,
            token: 1 << 20,
            nodes: fibula_core::graph::MOST_NODES,
            ports: fibula_core::graph::MOST_PORTS,
            things: 500_000,
            kept: 512 << 20,
        }
    }
}

/// Contents of a 3MF file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Model {
    /// The unit, and what else the file says of itself.
    pub info: ModelInfo,
    /// What is said of the model, in the order of the file.
    pub metadata: Vec<Metadata>,
    /// The functions with their ids in the file; callees before callers, else in the order of the file.
    pub functions: Vec<FunctionData>,
    /// The functions that are images, with their ids in the file.
    pub image_functions: Vec<(ResourceId, ImageFunction)>,
    /// The images with their ids in the file.
    pub images: Vec<(ResourceId, ImageStack)>,
    /// The objects with their ids in the file; parts before what is made of them, else in the order of the file.
    pub objects: Vec<(ResourceId, Object)>,
    /// The properties of volumes, with their ids in the file.
    pub volumes: Vec<(ResourceId, VolumeData)>,
    /// Resources that are only kept, with their ids in the file. Elements without an id that stand among the resources
    /// or items are kept with what else the file says of itself.
    pub foreign: Vec<(ResourceId, Foreign)>,
    /// What is to be built, in the order of the file.
    pub items: Vec<BuildItem>,
    /// The parts of the package beside the model, the sheets of its images and the package's own records, by their
    /// names without a slash in front.
    pub parts: BTreeMap<String, Part>,
    /// What is named by its hash: meshes in their [stored form](MeshData::to_bytes), sheets, parts, and XML.
    pub contents: BTreeMap<ContentHash, Vec<u8>>,
    /// What the file says wrongly, and how it was read.
    pub repairs: Vec<Repair>,
    /// What the file has, but is not kept.
    pub left_out: Vec<OmittedContent>,
}

/// An unambiguous mistake in the file, and the interpretation that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The stable name of the repair.
    pub code: &'static str,
    /// Where it is.
    pub place: Location,
    /// What the file says, and how it was read.
    pub message: String,
}

/// Content of one kind that the file has, but that is not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OmittedContent {
    /// What they are, such as `mesh object`.
    pub what: String,
    /// How many there are.
    pub count: usize,
    /// The resource ids of those that have one.
    pub ids: Vec<u32>,
    /// Why they are not read.
    pub why: String,
}

/// Returns `true` if the bytes are a zip package with a 3MF model.
pub fn is_3mf(bytes: &[u8]) -> bool {
    Package::open(bytes, &Limits::default()).is_ok_and(|mut package| package.model().is_ok())
}

/// Reads a 3MF file.
///
/// Memory is bounded by the limits; time is near linear in the unpacked size of the package.
///
/// # Errors
/// [`ReadError`] if the file exceeds the limits, is damaged or is invalid.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Model, ReadError> {
    read_with_progress(bytes, limits, &mut |_, _| ControlFlow::Continue(()))
}

/// Like [`read`], with progress: calls `watch` with the number of bytes of the decompressed model part that were read and
/// their total. `watch` can cancel the reading.
///
/// # Errors
/// Like [`read`], and [`Problem::Cancelled`] if `watch` breaks.
pub fn read_with_progress(
    bytes: &[u8],
    limits: &Limits,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<Model, ReadError> {
    let mut findings = Findings::first();
    let mut model = scan(bytes, limits, watch, &mut findings)?;
    model.repairs = findings.repairs;
    Ok(model)
}

/// Validates a 3MF file with the reader, and returns all errors, repairs and warnings.
///
/// Errors of the package or of the XML syntax end the validation; errors in a function, resource or item do not.
///
/// ```
/// use fibula_3mf::{Limits, Severity};
///
/// let report = fibula_3mf::check(b"no zip archive", &Limits::default());
/// assert_eq!(report.findings[0].severity, Severity::Error);
/// assert_eq!(report.findings[0].code, "not_a_zip");
/// ```
pub fn check(bytes: &[u8], limits: &Limits) -> Report {
    let mut findings = Findings::all();
    let mut watch = |_, _| ControlFlow::Continue(());
    let end = scan(bytes, limits, &mut watch, &mut findings).err();
    findings.report(end)
}

/// Reads a file.
fn scan(
    bytes: &[u8],
    limits: &Limits,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    findings: &mut Findings,
) -> Result<Model, ReadError> {
    let limits = &limits.of_file(bytes.len());
    let mut package =
        Package::open(bytes, limits).map_err(|problem| problem.at(Location::default()))?;
    let name = package.model()?;
    let part = package
        .part(&name)
        .map_err(|problem| problem.at(Location::part(&name)))?;
    let total = part.size();
    let part = ProgressReader::new(part, total, watch);
    let mut file = match model::File::read(part, &name, limits, findings) {
        Ok(file) => file,
        Err(error) if matches!(error.problem, Problem::Cancelled) => return Err(error),
        // A part that was damaged on its way seems to say the strangest things.
        Err(error) => {
            if let Err(problem) = package.verify(&name) {
                findings.forget();
                return Err(problem.at(Location::part(&name)));
            }
            return Err(error);
        }
    };
    let sheets = file.read_sheets(&mut package)?;
    let parts = file.read_package(&mut package, &name, &sheets)?;
    let mut model = file.into_model(limits)?;
    model.parts = parts;
    Ok(model)
}
