//! The knowledge graph: labelled nodes, typed edges between them, and how they are found.

pub mod progress;

mod graph;

pub mod network;
pub mod search;

pub use graph::{
    CompactError, CompactKnowledge, Direction, Edge, EdgeRef, EdgeType, FUNCTION, FunctionEnd,
    Knowledge, KnowledgeData, KnowledgeError, LARGEST_DATA, LONGEST_ID, LONGEST_LABEL,
    LONGEST_NAME, LONGEST_OBSERVATION, MOST, MOST_DECLARED, MOST_ENDS, MOST_OBSERVATIONS,
    MOST_OBSERVED, MOST_TYPES, Node, NodeRef, NodeType, Objection, Observation, Observing, Schema,
    Strictness, Used, check_position, is_name, is_same_type,
};
