//! 3MF packages: reading, checking and writing, with functions of the implicit extension.
//!
//! Implements the 3MF core specification 1.3 and the volumetric and implicit extensions 0.8, and reads what existing
//! programs (lib3mf 2.5.0 and others) write. It is for programs that import or export such packages, or validate files that
//! strangers send. It is not a mesh repair tool, and it neither renders nor evaluates: [`contents`] turns stored meshes and
//! images into objects that the evaluator can query. It does no input or output of its own, and starts no threads.
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
//!    streamed without building a tree, and document type declarations are rejected. No input makes it panic.
//! 2. **Unambiguous mistakes are repaired** and reported as [`Repair`]. Ambiguous ones are rejected with a [`ReadError`]
//!    that has a code and a [`Location`].
//! 3. **[`check`] is the reader** that continues after errors, so it agrees with [`read`] by construction. It adds the rules of
//!    the specifications in [`RULES`] that the reader does not need: what breaks them is a violation, and is read.
//! 4. **Nothing is dropped silently.** Colours, textures, slices and other extensions are kept as XML or bytes;
//!    [`Model::left_out`] lists omissions of the reader, and [`WriteSummary::notes`] those of the writer.
//! 5. **Writing is deterministic**: the same document gives the same bytes, and [`read`] restores it, except for what the
//!    notes name.
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
//!
//! # Costs and limits
//!
//! Reading takes time near linear in the unpacked size, plus a sort of the functions and objects, and memory for what is kept:
//! 24 bytes a vertex, 12 a triangle, and the bytes of other parts. [`Limits`] bounds all of it; the defaults allow packages
//! of 256 MiB, 1 GiB unpacked and 512 MiB kept, and small files less. Writing holds all meshes of the document in memory.
//! [`contents`] limits an image to 1 GiB of samples. Encrypted packages are not supported. Further model parts (the
//! production extension) are validated and kept as bytes; [`assemble`] adds their objects to a document to be built.
//!
//! # Where to start
//!
//! [`read`], [`check`] and [`write()`] are the whole interface for files; [`Model`] is what a file holds, and [`MeshData`] the
//! stored form of its meshes. [`merge()`] adds a model to a document.

mod error;
mod limits;
mod progress;
mod sparse_column;
mod topological_sort;

mod resource_order;
mod rules;

mod findings;
mod numbers;

mod xml;

mod uuid;

mod beam_lattice;
mod materials;
mod package;

mod mesh;

pub mod contents;
mod model;
mod references;
mod roundtrip;

mod functions;
mod merge;
mod reader;
mod write;

mod conformance;
mod production;

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use error::Locate as _;
pub use error::{Location, Problem, ReadError};
use findings::Findings;
pub use findings::{Finding, Repair, Report};
pub use limits::Limits;
pub use materials::display_colors;
pub use merge::{Merge, MergeError, merge};
pub use mesh::{MeshData, MeshDataError, TriangleProperty};
pub use model::{Contents, Model, OmittedContent};
use package::Package;
pub use production::{Assembly, AssemblyError, assemble, has_external_objects};
use progress::ProgressReader;
use reader::ModelReader;
pub use rules::{RULES, Rule, Severity};
pub use sparse_column::Column;
pub use write::{Dialect, WriteError, WriteNote, WriteOptions, WriteSummary, write};

/// Returns `true` if the bytes are a zip package with a 3MF model.
pub fn is_3mf(bytes: &[u8]) -> bool {
    Package::open(bytes, &Limits::default()).is_ok_and(|mut package| package.find_model().is_ok())
}

/// Checks the size of a package, the number of its parts and their sizes against limits, without reading the parts.
///
/// # Errors
/// [`ReadError`] if the package exceeds a limit or its directory is damaged.
pub fn check_size(bytes: &[u8], limits: &Limits) -> Result<(), ReadError> {
    let package = Package::open(bytes, &limits.of_file(bytes.len()));
    package.map(drop).at(&Location::default())
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
    let mut findings = Findings::default();
    let mut model = scan(bytes, limits, watch, &mut findings)?;
    model.repairs = findings.repairs;
    Ok(model)
}

/// Validates a 3MF file with the reader and the [rules](RULES) of the specifications, and returns all errors, violations, repairs
/// and warnings.
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
    let end = match scan(bytes, limits, &mut watch, &mut findings) {
        Ok(model) => {
            for one in model.left_out {
                let message = format!("{} {} will not be kept: {}", one.count, one.what, one.why);
                findings.warn("not_kept", Location::default(), message, "");
            }
            check_rules(bytes, limits, &mut findings);
            None
        }
        Err(error) => Some(error),
    };
    findings.report(end)
}

/// Checks the rules of the specifications in a file that could be read.
fn check_rules(bytes: &[u8], limits: &Limits, findings: &mut Findings) {
    let limits = &limits.of_file(bytes.len());
    let Ok(mut package) = Package::open(bytes, limits) else {
        return;
    };
    if let Ok(name) = package.find_model() {
        conformance::check(&mut package, &name, limits, findings);
    }
}

/// Reads a file, with errors, repairs and warnings to `findings`.
fn scan(
    bytes: &[u8],
    limits: &Limits,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    findings: &mut Findings,
) -> Result<Model, ReadError> {
    let limits = &limits.of_file(bytes.len());
    let mut package = Package::open(bytes, limits).at(&Location::default())?;
    let name = package.find_model()?;
    let part = package.open_part(&name)?;
    let total = part.size();
    let part = ProgressReader::new(part, total, watch);
    let mut reader = match ModelReader::read(part, &name, limits, findings) {
        Ok(reader) => reader,
        Err(error) if matches!(error.problem, Problem::Cancelled) => return Err(error),
        // Errors in a damaged part are consequences of the damage.
        Err(error) => {
            if let Err(damage) = package.verify(&name) {
                findings.forget();
                return Err(damage);
            }
            return Err(error);
        }
    };
    let sheets = reader.read_sheets(&mut package)?;
    let parts = reader.read_package(&mut package, &name, &sheets)?;
    let external = std::mem::take(&mut reader.external);
    let mut model = reader.into_model(limits)?;
    model.parts = parts;
    production::check(&name, &model, &external, limits, findings)?;
    Ok(model)
}
