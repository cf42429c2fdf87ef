//! Errors of the writer, and notes about what it wrote differently.

use std::error::Error;
use std::io;

use fibula_nodes::{ResourceId, Type};

/// Error returned when a project cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// An input or output of a function has a type that 3MF does not have.
    #[error(
        "{place} has type {ty}, which 3MF lacks; it has float, float3, matrix4x4 and resource_id"
    )]
    NoSuchType {
        /// Input or output.
        place: String,
        /// Type.
        ty: Type,
    },
    /// A resource has an id that 3MF does not allow.
    #[error("{what} has the id {id}, but ids in 3MF must be 1 to 2147483647; change its id")]
    InvalidId {
        /// The resource.
        what: String,
        /// Id.
        id: u32,
    },
    /// A resource needs another that is missing.
    #[error(
        "{what} refers to resource {id}, which is not in the project; add it, or remove the reference"
    )]
    MissingResource {
        /// The resource that needs it.
        what: String,
        /// Id of the missing resource.
        id: ResourceId,
    },
    /// A resource is only in memory, without the file that it came from.
    #[error("{what} has no stored content; add it with its content, or remove it")]
    InMemory {
        /// The resource.
        what: String,
    },
    /// Bytes are missing.
    #[error("the content of {what} is not stored; import its file again, or remove it")]
    NoContent {
        /// The resource or part that needs the bytes.
        what: String,
    },
    /// Bytes are damaged.
    #[error("the content of {what} is damaged: {problem}; import its file again")]
    DamagedContent {
        /// The resource or part that needs the bytes.
        what: String,
        /// The damage.
        problem: String,
    },
    /// Bytes could not be fetched.
    #[error("the content of {what} cannot be read")]
    Contents {
        /// The resource or part that needs the bytes.
        what: String,
        /// Cause.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Resources depend on each other in a cycle, and 3MF requires each after its dependencies.
    #[error("the references of resources form a cycle, which 3MF does not allow: {path}")]
    Cycle {
        /// The cycle.
        path: String,
    },
    /// Two parts of the package would have one name.
    #[error("two parts of the package are named {name} (case is ignored); rename one")]
    DuplicatePart {
        /// Name.
        name: String,
    },
    /// A number is not finite.
    #[error("{place} is {value}, but must be finite in 3MF")]
    NotFinite {
        /// The parameter.
        place: String,
        /// Number.
        value: f64,
    },
    /// An item of the build is of an object that 3MF never builds.
    #[error(
        "build item {item} refers to {object}, whose type is other, and 3MF does not build such objects; remove the \
         item, or change the object's type"
    )]
    NotBuildable {
        /// Id of the item.
        item: u32,
        /// Object.
        object: String,
    },
    /// The file could not be written.
    #[error("the file could not be written")]
    Io(#[from] io::Error),
}

impl WriteError {
    pub(super) fn damaged(what: String, problem: String) -> WriteError {
        WriteError::DamagedContent { what, problem }
    }

    /// Stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            WriteError::NoSuchType { .. } => "no_such_type",
            WriteError::InvalidId { .. } => "invalid_id",
            WriteError::MissingResource { .. } => "unknown_resource",
            WriteError::InMemory { .. } => "in_memory",
            WriteError::NoContent { .. } => "content_missing",
            WriteError::DamagedContent { .. } => "damaged",
            WriteError::Contents { .. } => "damaged_store",
            WriteError::Cycle { .. } => "recursive_object",
            WriteError::DuplicatePart { .. } => "duplicate_part",
            WriteError::NotFinite { .. } => "invalid_value",
            WriteError::NotBuildable { .. } => "not_buildable",
            WriteError::Io(_) => "unwritable_file",
        }
    }
}

impl From<zip::result::ZipError> for WriteError {
    fn from(error: zip::result::ZipError) -> Self {
        WriteError::Io(error.into())
    }
}

/// Statement of a project that 3MF cannot express.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteNote {
    /// Stable code of the note.
    pub code: &'static str,
    /// Location, such as `function 3 (main), node Sine 4`.
    pub place: String,
    /// Description of what is written instead.
    pub message: String,
}

impl WriteNote {
    /// True if a parameter is unset, which reading restores; all other notes are about losses.
    pub fn is_unfinished(&self) -> bool {
        self.code == UNSET
    }
}

/// Code of a parameter without a value, which is written as an empty reference.
pub(super) const UNSET: &str = "unset_parameter";
