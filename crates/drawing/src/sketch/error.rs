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
        "{0} nodes are too many for a layout or drawing, the limit is {MAX_NODES}; select fewer"
    )]
    TooManyNodes(usize),
    /// There are too many edges.
    #[error(
        "{0} edges are too many for a layout or drawing, the limit is {MAX_EDGES}; select fewer nodes, or fewer types \
         of edges"
    )]
    TooManyEdges(usize),
    /// A layered layout would have too many vertices.
    #[error(
        "the layered layout would need {0} or more vertices, including those that route edges, which is too many; use \
         the method force, or select fewer edges"
    )]
    TooDense(usize),
    /// The length of a list differs from the number of nodes.
    #[error("got {count} {what} for {nodes} nodes; give one for each node")]
    Length {
        /// Items of the list.
        what: &'static str,
        /// Number of items.
        count: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// A node does not exist.
    #[error("{what} refers to node {node}, but there are {nodes} nodes, counted from 0")]
    NoNode {
        /// Item that names the node.
        what: String,
        /// Index of the node.
        node: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// A number is out of range.
    #[error("{what} is {number}, but must be {expected}")]
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
        "cannot highlight '{0}': it is neither a node nor an edge of the picture; use ids of the picture's nodes and \
         edges"
    )]
    Unknown(String),
    /// The size of the picture is out of range.
    #[error("the picture size is {0} x {1}, but each side must be 200 to {MAX_SIDE} pixels")]
    Size(u32, u32),
    /// The page would be too large.
    #[error("the page has more than {MAX_PAGE_BYTES} bytes; select fewer nodes")]
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
