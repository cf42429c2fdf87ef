//! The knowledge graph: requests to query and to change it.
//!
//! [`writer::Writer`] turns requests into edits with provenance, enforces the schema, and pushes them to a stage, so
//! that a call is atomic and one step of the history. Nodes are referred to by id, or by a unique label.

mod node_lookup;
mod timestamp;

mod records;

mod case_insensitive;
mod indexes;
mod writer;

mod placeholder;

mod add;
mod following_edges;
mod intent;
mod list;
mod merge;
mod remove;
mod schema;
mod search;
mod summarize;
mod traversal;
mod update;

mod analysis;

mod analyze;
mod distance_fields;
mod get;
mod ingest;
mod marks;
mod state;

mod entity_model;

mod entities;

mod entity_queries;

mod inference;

mod graph_export;
mod graph_import;

mod graph_picture;

pub use add::{AddEdges, AddNodes, AddResult, Counts};
pub use analysis::Analysis;
pub use analyze::{
    AnalysisResult, Analyze, DegreesShown, ExactOrRange, GroupShown, RankedShown, StructureShown,
};
pub use entity_model::{
    Entity, EntityGraph, EntityPage, NewObservations, ObservationsAdded, OldObservations, Relation,
};
pub use entity_queries::{
    EntitiesSummarized, EntityBrief, EntityDetails, EntityPath, EntitySummary, GetRelated,
    PathStep, RelatedEntities, RelatedEntity, RelationDetails, RelationDirection, TraversalResult,
};
pub use get::{EdgeGot, GetEdge, GetNodes, NodeGot, NodesGot};
pub use graph_export::{ExportGraph, GraphExported};
pub use graph_import::{GraphImported, GraphRepair, ImportGraph};
pub use graph_picture::{
    GetGraphLayout, GraphPicture, LayOut, LayoutMethod, LayoutResult, NodePlace, RenderGraph,
    SketchFormat,
};
pub use inference::{InferStats, InferenceResult, InferredRelation};
pub use intent::{Intent, MovedEdge};
pub use list::{KnowledgeKind, KnowledgeListed, ListKnowledge};
pub use marks::{ListMarks, MarkShown, MarksListed};
pub use merge::{MergeNodes, NodesMerged, Suggestion};
pub use records::{
    EdgeShown, GivenEdge, GivenNode, GivenObservation, LinkShown, NodeBrief, NodeShown,
    ObservationShown, OnConflict,
};
pub use remove::{KnowledgeRemoved, NodeFilter, RemoveKnowledge};
pub use schema::{EdgeTypeShown, GetSchema, NodeTypeShown, SchemaSet, SchemaShown, SetSchema};
pub use search::{GraphSearched, NodeFound, NodesFound, SearchNodes};
pub use state::{GetState, StateShown};
pub use summarize::{Contributor, Hub, NameCount, Summarize, Summary, SummaryShown};
pub use timestamp::Timestamp;
pub use traversal::{
    EndpointSummary, FindPath, GetNeighbors, NeighborShown, NeighborsShown, PathEdge, PathShown,
    PathsFound, PatternStep, Traverse,
};
pub use update::{EdgeUpdate, KnowledgeUpdated, NodeUpdate, UpdateKnowledge};

pub(crate) use distance_fields::{
    ChangeSource, DistanceField, distance_errors, fingerprint, stale_distances,
};
pub(crate) use marks::{MARK, mark, marked_function, open_marks};

pub(crate) use following_edges::{
    check_untied, check_untied_function, follow, follow_extracted, follow_inlined,
    follow_parameters, follow_replaced, has_tied_parts, number_nodes, renamed_input, tied_nodes,
    untied_id,
};
pub(crate) use intent::{
    AffectedIntent, changed_intent, deleted_intent, function_intent, input_intent, node_intent,
    whole_intent,
};
