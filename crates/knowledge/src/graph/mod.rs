//! The knowledge graph: labelled nodes, typed edges between them, and how they are found.
//!
//! It knows nothing of function graphs but their ids, at which edges may end ("fn:3", "fn:3/7"): what was intended is
//! tied to the design in that way. What changes it is an edit like every other; this module checks and does what edits
//! say.

mod entry;
mod index;
mod names;
mod pages;
mod slots;

mod edge;
mod error;
mod node;
mod schema;
mod text;

mod hash;
mod knowledge;
mod observing;
mod view;

mod change;
mod places;

mod compact;
mod data;
mod whole;

pub use compact::{CompactError, CompactKnowledge};
pub use data::KnowledgeData;
pub use edge::{Edge, FunctionEnd};
pub(crate) use entry::Entry;
pub use error::KnowledgeError;
pub use knowledge::{Knowledge, MOST, Used};
pub use node::{
    FUNCTION, MOST_OBSERVATIONS, MOST_OBSERVED, MOST_TYPES, Node, Observation, check_position,
};
pub use observing::Observing;
pub use schema::{
    EdgeType, MOST_DECLARED, MOST_ENDS, NodeType, Objection, Schema, Strictness, is_same_type,
};
pub use text::is_name;
pub use text::{LARGEST_DATA, LONGEST_ID, LONGEST_LABEL, LONGEST_NAME, LONGEST_OBSERVATION};
pub use view::{Direction, EdgeRef, NodeRef};

#[cfg(test)]
mod tests;
