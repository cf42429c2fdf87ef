//! Why a knowledge graph cannot be as it was asked to be.

use serde::Serialize;

/// Why a node or an edge cannot be there, or cannot go.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(untagged)]
pub enum KnowledgeError {
    /// There is no node with this id.
    #[error("there is no node '{id}' in the knowledge graph{}", meant(.nearest.as_deref()))]
    UnknownNode {
        /// What was asked for.
        id: String,
        /// An id that is nearly the same.
        #[serde(skip_serializing_if = "Option::is_none")]
        nearest: Option<String>,
    },
    /// There is no edge with this id.
    #[error("there is no edge '{id}' in the knowledge graph")]
    UnknownEdge {
        /// What was asked for.
        id: String,
    },
    /// There are two with one id.
    #[error("{what} '{id}' is there twice")]
    Twice {
        /// "node" or "edge".
        what: &'static str,
        /// The id.
        id: String,
    },
    /// An end of an edge is no node.
    #[error(
        "the {end} of edge '{edge}' is '{id}', and there is no such node; add it first, or with the edge in one call"
    )]
    NoEnd {
        /// The edge.
        edge: String,
        /// Which end: "source" or "target".
        end: &'static str,
        /// What was given.
        id: String,
    },
    /// A text is none that can be there.
    #[error("{what} {problem}")]
    InvalidText {
        /// Which text.
        what: &'static str,
        /// What is wrong with it, and what may be.
        problem: String,
    },
    /// A number is none that can be there.
    #[error("{what} is a finite number, not {number}")]
    InvalidNumber {
        /// Which number.
        what: &'static str,
        /// What was given.
        number: String,
    },
    /// A node has no type.
    #[error("node '{id}' has no type; give at least one, such as \"note\"")]
    NoType {
        /// The node.
        id: String,
    },
    /// Observations are named that are not there.
    #[error("node '{id}' has {count} observations, and the places that are named do not fit them")]
    NoObservation {
        /// The node.
        id: String,
        /// How many it has.
        count: usize,
    },
    /// It is too large.
    #[error("{what} has {size}, and {most} is the most; {hint}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// How large it would be.
        size: String,
        /// How large it may be.
        most: String,
        /// What can be done.
        hint: &'static str,
    },
    /// The edge is valid for no time.
    #[error("edge '{id}' would be valid until before it is valid from")]
    NoTime {
        /// The edge.
        id: String,
    },
}

fn meant(id: Option<&str>) -> String {
    id.map_or_else(String::new, |id| format!("; did you mean '{id}'?"))
}

impl KnowledgeError {
    /// The stable code.
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
