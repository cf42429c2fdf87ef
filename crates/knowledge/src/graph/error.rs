//! Errors of the knowledge graph.

use serde::Serialize;

/// Error of a lookup or a change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum KnowledgeError {
    /// No node has this id.
    #[error("the knowledge graph has no node '{id}'{}", meant(.nearest.as_deref()))]
    UnknownNode {
        /// The requested id.
        id: String,
        /// The most similar id.
        #[serde(skip_serializing_if = "Option::is_none")]
        nearest: Option<String>,
    },
    /// No edge has this id.
    #[error("the knowledge graph has no edge '{id}'")]
    UnknownEdge {
        /// The requested id.
        id: String,
    },
    /// Two elements have the same id.
    #[error("duplicate {what} '{id}'")]
    Twice {
        /// "node" or "edge".
        what: &'static str,
        /// The id.
        id: String,
    },
    /// An end of an edge does not exist.
    #[error(
        "the {end} of edge '{edge}' is the unknown node '{id}'; add the node first, or in the same call"
    )]
    NoEnd {
        /// The edge.
        edge: String,
        /// "source" or "target".
        end: &'static str,
        /// The value.
        id: String,
    },
    /// A text is invalid.
    #[error("{what} {problem}")]
    InvalidText {
        /// Name of the text.
        what: &'static str,
        /// The rule that it violates, and advice.
        problem: String,
    },
    /// A number is not finite.
    #[error("{what} must be a finite number, but is {number}")]
    InvalidNumber {
        /// Name of the number.
        what: &'static str,
        /// The value.
        number: String,
    },
    /// A node has no type.
    #[error("node '{id}' has no type; give it at least one, such as \"note\"")]
    NoType {
        /// The node.
        id: String,
    },
    /// Observations to remove or insert do not exist.
    #[error("node '{id}' has {count} observations, but an index is out of range")]
    NoObservation {
        /// The node.
        id: String,
        /// Number of its observations.
        count: usize,
    },
    /// A limit is exceeded.
    #[error("{what} has {size}, more than the limit of {most}; {hint}")]
    TooLarge {
        /// Name of the element.
        what: &'static str,
        /// Its size.
        size: String,
        /// The limit.
        most: String,
        /// Advice.
        hint: &'static str,
    },
    /// The validity of an edge ends before it begins.
    #[error("the valid_until of edge '{id}' is before its valid_from")]
    NoTime {
        /// The edge.
        id: String,
    },
}

fn meant(id: Option<&str>) -> String {
    id.map_or_else(String::new, |id| format!("; did you mean '{id}'?"))
}

impl KnowledgeError {
    /// Returns the stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            KnowledgeError::UnknownNode { .. } | KnowledgeError::NoEnd { .. } => "unknown_node",
            KnowledgeError::UnknownEdge { .. } => "unknown_edge",
            KnowledgeError::Twice { .. } => "duplicate_id",
            KnowledgeError::InvalidText { .. } => "invalid_name",
            KnowledgeError::InvalidNumber { .. }
            | KnowledgeError::NoType { .. }
            | KnowledgeError::NoObservation { .. }
            | KnowledgeError::NoTime { .. } => "invalid_value",
            KnowledgeError::TooLarge { .. } => "too_large",
        }
    }
}
