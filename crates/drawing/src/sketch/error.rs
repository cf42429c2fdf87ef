//! Why there are no places, or no picture.

use fibula_knowledge::progress::Cancelled;

use super::layout::{MOST_EDGES, MOST_NODES};
use super::picture::{LARGEST_PAGE, LARGEST_SCALE, MOST_PIXELS, MOST_SIDE};

/// Why a graph was not laid out or drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SketchError {
    /// There are too many nodes.
    #[error(
        "{0} nodes were to be laid out or drawn, and at most {MOST_NODES} are; take some of them"
    )]
    TooManyNodes(usize),
    /// There are too many edges.
    #[error(
        "{0} edges were to be laid out or drawn, and at most {MOST_EDGES} are; take fewer nodes, or fewer types of edges"
    )]
    TooManyEdges(usize),
    /// The layers would be too large.
    #[error(
        "in layers the graph has {0} or more nodes and places where edges pass, which is too many; use the method force, \
         or take fewer edges"
    )]
    TooDense(usize),
    /// A list is not as long as that of the nodes.
    #[error("{count} {what} were given for {nodes} nodes; give one for each")]
    Length {
        /// What the list is of.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many nodes there are.
        nodes: usize,
    },
    /// There is no such node.
    #[error(
        "{what} names the node {node}, and there are {nodes} nodes, counted from 0; name one of them"
    )]
    NoNode {
        /// What names it.
        what: String,
        /// Which one it names.
        node: usize,
        /// How many nodes there are.
        nodes: usize,
    },
    /// A number is not one that can be.
    #[error("{what} is {number}; give {expected}")]
    InvalidNumber {
        /// What the number is.
        what: String,
        /// The number.
        number: String,
        /// What it may be.
        expected: &'static str,
    },
    /// There is nothing of this id.
    #[error(
        "'{0}' is to stand out, and is neither a node nor an edge of the picture; give ids of what is in it"
    )]
    Unknown(String),
    /// The picture would be too small or too large.
    #[error("a picture of {0} x {1} was asked for; give each side 200 to {MOST_SIDE} pixels")]
    Size(u32, u32),
    /// The scale cannot be.
    #[error("the scale {0} was asked for; give one of 1 to {LARGEST_SCALE}")]
    Scale(u32),
    /// There would be too many pixels.
    #[error(
        "the image has {0} x {1} pixels, and at most {MOST_PIXELS} in all are written as PNG; take it as SVG, or smaller"
    )]
    TooManyPixels(usize, usize),
    /// The page would be too large.
    #[error("the page has more than {LARGEST_PAGE} bytes; take fewer nodes")]
    PageTooLarge,
    /// It was ended.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl SketchError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            SketchError::TooManyNodes(_)
            | SketchError::TooManyEdges(_)
            | SketchError::TooDense(_)
            | SketchError::TooManyPixels(..)
            | SketchError::PageTooLarge => "too_large",
            SketchError::Length { .. }
            | SketchError::InvalidNumber { .. }
            | SketchError::Scale(_) => "invalid_value",
            SketchError::NoNode { .. } | SketchError::Unknown(_) => "unknown_node",
            SketchError::Size(..) => "invalid_size",
            SketchError::Cancelled(_) => "cancelled",
        }
    }
}
