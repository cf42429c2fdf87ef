//! 3MF files: reading their implicit functions, by the implicit extension 0.8 and as programs really write them.
//!
//! A file is untrusted: its directory is held against [`Limits`] before anything is unpacked, XML is streamed, and
//! document types are refused. What programs in the field write wrongly, but without doubt about what is meant, is
//! read and reported as a [`Repair`]; where there is doubt the file is refused with a [`ReadError`] that names the
//! place. What is there but not read (meshes, level sets, images, the build) is named in [`Model::left_out`].
//!
//! ```
//! use fibula::format::threemf::{self, Limits};
//!
//! let error = threemf::read(b"no zip archive", &Limits::default()).unwrap_err();
//! assert_eq!(error.code(), "not_a_zip");
//! ```
//!
//! | in the file | in the project |
//! |---|---|
//! | resource id | the function's id |
//! | `displayname` of a function | its name; `function_ID` if it is empty |
//! | `displayname` of a node | its display name; the identifier if it is empty |
//! | nodes in their order | node ids from 1 on; `Begin` has id 1 if the function has inputs |
//! | identifiers of inputs and outputs | their names, every character outside of `[A-Za-z0-9_]` as `_` |
//!
//! Sources: the 3MF core specification 1.3, the volumetric and implicit extensions 0.8, lib3mf 2.5.0.

mod beams;
mod built;
pub mod contents;
mod ends;
mod error;
mod fold;
mod fragment;
mod function;
mod kind;
mod links;
mod lowered;
mod mark;
mod mesh;
mod meter;
mod model;
mod numbers;
mod order;
mod package;
mod ports;
mod raw;
mod sampler;
mod scope;
mod sparse;
mod values;
mod write;
mod xml;

#[cfg(test)]
mod tests;

use fibula_nodes::ResourceId;

use crate::graph::{FunctionData, ImageFunction};

pub use crate::graph::model::Unit;

pub use error::{Place, Problem, ReadError};
pub use fragment::{references, renumbered};
pub use mesh::{MeshData, MeshDataError, TriangleProperty};
use package::Package;
pub use sparse::Column;
pub use write::{Contents, Dialect, Note, WriteError, WriteOptions, Written, write};

/// How much of a file is read before it is refused.
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
}

impl Limits {
    /// Entries up to this size may be packed at any ratio.
    const RATIO_FROM: u64 = 1 << 20;
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
            nodes: crate::graph::MOST_NODES,
            ports: crate::graph::MOST_PORTS,
        }
    }
}

/// What was read from a 3MF file.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The unit of lengths.
    pub unit: Unit,
    /// The functions with their ids in the file; callees before callers, else in the order of the file.
    pub functions: Vec<FunctionData>,
    /// The functions that are images, with their ids in the file.
    pub image_functions: Vec<(ResourceId, ImageFunction)>,
    /// What the file says wrongly, and how it was read.
    pub repairs: Vec<Repair>,
    /// What the file has, but is not read.
    pub left_out: Vec<LeftOut>,
    /// Names and values of the model's metadata.
    pub metadata: Vec<(String, String)>,
}

/// Something that the file says wrongly, and how it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The stable name of the repair.
    pub code: &'static str,
    /// Where it is.
    pub place: Place,
    /// What the file says, and how it was read.
    pub message: String,
}

/// Things of one sort that the file has, but that are not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// What they are, such as `mesh object`.
    pub what: String,
    /// How many there are.
    pub count: usize,
    /// The resource ids of those that have one.
    pub ids: Vec<u32>,
    /// Why they are not read.
    pub why: String,
}

/// Whether the bytes are a zip package with a 3MF model.
pub fn is_3mf(bytes: &[u8]) -> bool {
    Package::open(bytes, &Limits::default()).is_ok_and(|mut package| package.model().is_ok())
}

/// Reads the functions of a 3MF file.
///
/// Memory is bounded by the limits; time is near linear in the unpacked size of the model.
///
/// # Errors
/// [`ReadError`] when the file is beyond the limits, damaged, or says something that cannot be a function graph.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Model, ReadError> {
    let mut package =
        Package::open(bytes, limits).map_err(|problem| problem.at(Place::default()))?;
    let name = package.model()?;
    let part = package
        .part(&name)
        .map_err(|problem| problem.at(Place::part(&name)))?;
    let file = match model::File::read(part, &name, limits) {
        Ok(file) => file,
        // A part that was damaged on its way seems to say the strangest things.
        Err(error) => {
            package
                .verify(&name)
                .map_err(|problem| problem.at(Place::part(&name)))?;
            return Err(error);
        }
    };
    let others = package
        .names()
        .filter(|part| is_content(part, &name))
        .count();
    file.into_model(others, limits)
}

/// Whether a part holds something other than the model and the package's own records.
fn is_content(part: &str, model: &str) -> bool {
    let folded = part.to_ascii_lowercase();
    part != model && folded != "[content_types].xml" && !folded.contains("_rels/")
}
