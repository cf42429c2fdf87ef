//! Why objects, images and what is beside them cannot be the way that was asked.

use fibula_nodes::{ResourceId, Type};
use serde::Serialize;

/// Why an object, an image or what is beside them cannot be the way that was asked.
///
/// `what` is always what was to be changed or refers to something, such as `level set 5`.
#[derive(Debug, Clone, PartialEq, Serialize, thiserror::Error)]
#[serde(untagged)]
pub enum ModelError {
    /// A resource that is referred to is not there.
    #[error("{what} refers to resource {id} as {role}, but this project has no resource {id}")]
    UnknownResource {
        /// What refers to it.
        what: String,
        /// What is not there.
        id: ResourceId,
        /// As what it is referred to.
        role: &'static str,
    },
    /// A resource that is referred to is something else.
    #[error("{what} refers to resource {id} as {role}, but it is {is}; it needs {wants}")]
    WrongResource {
        /// What refers to it.
        what: String,
        /// The resource.
        id: ResourceId,
        /// As what it is referred to.
        role: &'static str,
        /// What it is.
        is: String,
        /// What it should be.
        wants: &'static str,
    },
    /// The function of a field does not take a point.
    #[error(
        "{what} asks function {function_id} at points, but it has no input `pos` of the type float3; {inputs}"
    )]
    NoPosition {
        /// What asks it.
        what: String,
        /// The function.
        function_id: ResourceId,
        /// What inputs there are.
        inputs: String,
    },
    /// The function of a field does not have the channel.
    #[error("{what} needs the output '{channel}' of function {function_id}, which has {outputs}")]
    UnknownChannel {
        /// What needs it.
        what: String,
        /// The function.
        function_id: ResourceId,
        /// The output.
        channel: String,
        /// What outputs there are.
        outputs: String,
    },
    /// The channel has the wrong type.
    #[error("{what} takes {wants}, but the output '{channel}' of function {function_id} is a {is}")]
    ChannelType {
        /// What needs it.
        what: String,
        /// The function.
        function_id: ResourceId,
        /// The output.
        channel: String,
        /// What it should be.
        wants: &'static str,
        /// What it is.
        is: Type,
    },
    /// A resource would be part of itself, or need itself.
    #[error("a resource cannot be part of itself: {}", circle(.path))]
    RecursiveResource {
        /// The resources, each refers to the next; the last one is the first again.
        path: Vec<ResourceId>,
    },
    /// Something that is in use was to be removed or to become something else.
    #[error("{what} is in use by {}; change or remove that first", .by.join(", "))]
    InUse {
        /// What is in use.
        what: String,
        /// Who uses it, the first few.
        by: Vec<String>,
    },
    /// The id belongs to something.
    #[error(
        "resource {id} is {is}, so no {wanted} can have this id; leave the id out, and the next free one is taken"
    )]
    DuplicateId {
        /// The id.
        id: ResourceId,
        /// What has it.
        is: String,
        /// What was to have it.
        wanted: String,
    },
    /// There is nothing that could be removed or changed.
    #[error("there is no {what} in this project; {}", there_is(.there))]
    Unknown {
        /// What was asked for, such as `build item 3`.
        what: String,
        /// What there is.
        there: Vec<String>,
    },
    /// A text, number or size that cannot be.
    #[error("{what}: {field} {problem}")]
    Invalid {
        /// Whose it is.
        what: String,
        /// Which one.
        field: &'static str,
        /// What is wrong with it, and what it may be.
        problem: String,
    },
    /// Too many.
    #[error("{what} can have at most {limit} {of}")]
    TooLarge {
        /// Who has them.
        what: String,
        /// Of what.
        of: &'static str,
        /// How many there may be.
        limit: usize,
    },
}

impl ModelError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            ModelError::UnknownResource { .. } | ModelError::Unknown { .. } => "unknown_resource",
            ModelError::WrongResource { .. } => "resource_kind_mismatch",
            ModelError::NoPosition { .. } => "no_position",
            ModelError::UnknownChannel { .. } => "unknown_channel",
            ModelError::ChannelType { .. } => "type_mismatch",
            ModelError::RecursiveResource { .. } => "recursive_object",
            ModelError::InUse { .. } => "in_use",
            ModelError::DuplicateId { .. } => "duplicate_id",
            ModelError::Invalid { .. } => "invalid_value",
            ModelError::TooLarge { .. } => "too_large",
        }
    }
}

fn circle(ids: &[ResourceId]) -> String {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    ids.join(" -> ")
}

fn there_is(there: &[String]) -> String {
    if there.is_empty() {
        return "there is none at all".to_owned();
    }
    format!("there is {}", there.join(", "))
}
