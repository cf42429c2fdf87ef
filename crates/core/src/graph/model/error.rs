//! Errors of the model.

use fibula_nodes::{ResourceId, Type};
use serde::Serialize;

/// Error returned when the model would become invalid.
///
/// `what` is the label of the element that is changed or has the reference, such as `level set 5`.
#[derive(Debug, Clone, PartialEq, Serialize, thiserror::Error)]
#[serde(untagged)]
#[expect(missing_docs, reason = "fields are named for what they hold")]
pub enum ModelError {
    /// A referenced resource does not exist.
    #[error("{what} refers to resource {id} as {role}, but this project has no resource {id}")]
    UnknownResource {
        what: String,
        id: ResourceId,
        role: &'static str,
    },
    /// A referenced resource is of another kind.
    #[error("{what} refers to resource {id} as {role}, but that is {is}, not {wants}")]
    WrongResource {
        what: String,
        id: ResourceId,
        role: &'static str,
        is: String,
        wants: &'static str,
    },
    /// The function of a field has no input `pos: float3`.
    #[error(
        "{what} evaluates function {function_id} at points, but the function has no input `pos` of type float3; \
         {inputs}"
    )]
    NoPosition {
        what: String,
        function_id: ResourceId,
        inputs: String,
    },
    /// The function of a field has no such output.
    #[error("{what} needs the output '{channel}' of function {function_id}, which has {outputs}")]
    UnknownChannel {
        what: String,
        function_id: ResourceId,
        channel: String,
        outputs: String,
    },
    /// The output has another type.
    #[error("{what} takes {wants}, but the output '{channel}' of function {function_id} is a {is}")]
    ChannelType {
        what: String,
        function_id: ResourceId,
        channel: String,
        wants: &'static str,
        is: Type,
    },
    /// References of resources would close a cycle.
    #[error("a resource cannot contain itself: {}", path_text(.path))]
    RecursiveResource {
        /// The resources, each referring to the next; the first is named again at the end.
        path: Vec<ResourceId>,
    },
    /// A resource that is in use would be removed or changed.
    #[error("{what} is in use by {}; first change or remove that", .by.join(", "))]
    InUse {
        what: String,
        /// The first few users.
        by: Vec<String>,
    },
    /// The id is in use.
    #[error(
        "the id {id} is in use by {is}, so no {wanted} can have it; omit the id to get the next free one"
    )]
    DuplicateId {
        id: ResourceId,
        is: String,
        wanted: String,
    },
    /// The element to be removed or changed does not exist.
    #[error("there is no {what} in this project; {}", there_is(.there))]
    Unknown {
        /// The element, such as `build item 3`.
        what: String,
        there: Vec<String>,
    },
    /// A text, number or size is invalid.
    #[error("{what}: {field} {problem}")]
    Invalid {
        what: String,
        field: &'static str,
        /// The problem and the remedy.
        problem: String,
    },
    /// A limit is exceeded.
    #[error("{what} can have at most {limit} {of}")]
    TooLarge {
        what: String,
        of: &'static str,
        limit: usize,
    },
}

impl ModelError {
    /// Stable code of the error.
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

fn path_text(ids: &[ResourceId]) -> String {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    ids.join(" -> ")
}

fn there_is(there: &[String]) -> String {
    if there.is_empty() {
        return "there are none".to_owned();
    }
    format!("there is {}", there.join(", "))
}
