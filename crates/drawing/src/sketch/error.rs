//! Errors of layouts and pictures.

use fibula_knowledge::progress::Cancelled;

use super::layout::{MAX_EDGES, MAX_NODES};
use super::picture::{MAX_PAGE_BYTES, MAX_SIDE};

/// Error returned when a graph is not laid out or drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SketchError {
    /// There are too many nodes.
    #[error(
        "{0} nodes were to be laid out or drawn, and at most {MAX_NODES} are; take some of them"
    )]
    TooManyNodes(usize),
    /// There are too many edges.
    #[error(
        "{0} edges were to be laid out or drawn, and at most {MAX_EDGES} are; take fewer nodes, or fewer types of edges"
    )]
    TooManyEdges(usize),
    /// A layered layout would have too many vertices.
    #[error(
        "in layers the graph has {0} or more nodes and places where edges pass, which is too many; use the method force, \
         or take fewer edges"
    )]
    TooDense(usize),
    /// The length of a list differs from the number of nodes.
    #[error("{count} {what} were given for {nodes} nodes; give one for each")]
    Length {
        /// Items of the list.
        what: &'static str,
        /// Number of items.
        count: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// A node does not exist.
    #[error(
        "{what} names the node {node}, and there are {nodes} nodes, counted from 0; name one of them"
    )]
    NoNode {
        /// Item that names the node.
        what: String,
        /// Index of the node.
        node: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// A number is out of range.
    #[error("{what} is {number}; give {expected}")]
    InvalidNumber {
        /// Name of the number.
        what: String,
        /// Value.
        number: String,
        /// Range.
        expected: &'static str,
    },
    /// A highlighted id is unknown.
    #[error(
        "'{0}' is to stand out, and is neither a node nor an edge of the picture; give ids of what is in it"
    )]
    Unknown(String),
    /// The size of the picture is out of range.
    #[error("a picture of {0} x {1} was asked for; give each side 200 to {MAX_SIDE} pixels")]
    Size(u32, u32),
    /// The page would be too large.
    #[error("the page has more than {MAX_PAGE_BYTES} bytes; take fewer nodes")]
    PageTooLarge,
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl SketchError {
    pub(super) fn invalid_number(what: String, number: f64, expected: &'static str) -> SketchError {
        let number = number.to_string();
        SketchError::InvalidNumber {
            what,
            number,
            expected,
        }
    }

    /// Stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            SketchError::TooManyNodes(_)
            | SketchError::TooManyEdges(_)
            | SketchError::TooDense(_)
            | SketchError::PageTooLarge => "too_large",
            SketchError::Length { .. } | SketchError::InvalidNumber { .. } => "invalid_value",
            SketchError::NoNode { .. } | SketchError::Unknown(_) => "unknown_node",
            SketchError::Size(..) => "invalid_size",
            SketchError::Cancelled(_) => "cancelled",
        }
    }
}
