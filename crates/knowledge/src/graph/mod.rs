//! The knowledge graph: labelled nodes and typed edges in persistent (copy-on-write) tables with hash indexes.
//!
//! It knows nothing about function graphs but their ids ("fn:3", "fn:3/7"), at which edges may end; so intent is linked
//! to the design. The graph checks and applies changes; logging and undo are the business of edits.

mod hash_entry;
mod hash_index;
mod interner;
mod paged_vec;
mod slot_map;

mod edge;
mod error;
mod node;
mod schema;
mod text;

mod hash;
mod knowledge;
mod observation_change;
mod view;

mod change;
mod changes;

mod compact;
mod data;
mod decode;

pub use compact::{CompactError, CompactKnowledge};
pub use data::KnowledgeData;
pub use edge::{Edge, FunctionEnd, FunctionPart};
pub use error::KnowledgeError;
pub(crate) use hash_entry::HashEntry;
pub use knowledge::{Knowledge, MAX_ELEMENTS, UsedNumbers};
pub use node::{
    FUNCTION, MAX_NODE_TYPES, MAX_OBSERVATIONS, MAX_OBSERVATIONS_BYTES, Node, Observation,
    check_position,
};
pub use observation_change::ObservationChange;
pub use schema::{
    EdgeType, MAX_DECLARED_TYPES, MAX_DOMAIN_TYPES, MAX_SYNONYMS, NodeType, Schema,
    SchemaViolation, Strictness, is_same_type,
};
pub use text::{
    MAX_DATA_BYTES, MAX_ID_BYTES, MAX_LABEL_BYTES, MAX_NAME_BYTES, MAX_OBSERVATION_BYTES,
};
pub use text::{id_of_name, is_name, visible_name, visible_text};
pub use view::{Direction, EdgeRef, NodeRef};

#[cfg(test)]
mod tests;
