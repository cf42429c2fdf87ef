//! Why a project cannot be written as a 3MF package, and what was written otherwise than it is.

use std::error::Error;
use std::io;

use fibula_nodes::{ResourceId, Type};

/// Why a project cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A function takes or gives what 3MF has no type for.
    #[error(
        "{place} has the type {ty}, which 3MF does not have; there are float, float3, matrix4x4 and resource_id"
    )]
    NoSuchType {
        /// What has the type.
        place: String,
        /// The type.
        ty: Type,
    },
    /// A resource has an id that 3MF does not allow.
    #[error("{what} has the id {id}, but ids of 3MF go from 1 to 2147483647; give it another one")]
    InvalidId {
        /// What has it.
        what: String,
        /// The id.
        id: u32,
    },
    /// A resource needs another that is not there.
    #[error(
        "{what} needs resource {id}, which is not in the project; add it, or remove what needs it"
    )]
    MissingResource {
        /// What needs it.
        what: String,
        /// The other.
        id: ResourceId,
    },
    /// Something lies only in memory, without the file that it came from.
    #[error("{what} lies only in memory; add it with its bytes, or remove it")]
    InMemory {
        /// What it is.
        what: String,
    },
    /// The bytes of something are not there.
    #[error("the bytes of {what} are not stored; import its file again, or remove it")]
    NoContent {
        /// What they belong to.
        what: String,
    },
    /// The bytes of something are not what they should be.
    #[error("the bytes of {what} are damaged: {problem}; import its file again")]
    DamagedContent {
        /// What they belong to.
        what: String,
        /// What is wrong.
        problem: String,
    },
    /// The bytes of something could not be fetched.
    #[error("the bytes of {what} could not be fetched")]
    Contents {
        /// What they belong to.
        what: String,
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Resources need each other, and 3MF has each after those that it needs.
    #[error("resources refer to each other in a circle, which 3MF does not allow: {path}")]
    Circle {
        /// The circle.
        path: String,
    },
    /// Two parts of the package would have one name.
    #[error(
        "two parts of the package have the name {name} (upper and lower case count as equal); rename one"
    )]
    DuplicatePart {
        /// The name.
        name: String,
    },
    /// A number that 3MF cannot have.
    #[error("{place} is {value}, but 3MF takes finite numbers")]
    NotFinite {
        /// What it is.
        place: String,
        /// The number.
        value: f64,
    },
    /// An item of the build is of an object that 3MF never builds.
    #[error(
        "build item {item} builds {object}, which is of the type other, and 3MF never builds such objects; remove the \
         item, or give the object another type"
    )]
    NotBuildable {
        /// The item's id.
        item: u32,
        /// The object.
        object: String,
    },
    /// The file could not be written.
    #[error("the file could not be written")]
    Io(#[from] io::Error),
}

impl WriteError {
    /// The stable name of what is wrong.
    pub fn code(&self) -> &'static str {
        match self {
            WriteError::NoSuchType { .. } => "no_such_type",
            WriteError::InvalidId { .. } => "invalid_id",
            WriteError::MissingResource { .. } => "unknown_resource",
            WriteError::InMemory { .. } => "in_memory",
            WriteError::NoContent { .. } => "content_missing",
            WriteError::DamagedContent { .. } => "damaged",
            WriteError::Contents { .. } => "damaged_store",
            WriteError::Circle { .. } => "recursive_object",
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

/// Something that 3MF cannot say as the project does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteNote {
    /// The stable name of what it is about.
    pub code: &'static str,
    /// Where it is: `function 3 (main), node Sine 4`.
    pub place: String,
    /// What is written instead.
    pub message: String,
}

impl WriteNote {
    /// Whether the file is unfinished there, but read as the project is: no other note leaves reading what it was.
    pub fn is_unfinished(&self) -> bool {
        self.code == UNSET
    }
}

/// What has no value is written with an empty reference.
pub(super) const UNSET: &str = "unset_parameter";
