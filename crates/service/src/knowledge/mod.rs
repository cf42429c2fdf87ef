//! The knowledge graph: what is asked of it and done to it.
//!
//! A request says what is wanted; [`writer::Writer`] makes facts of it, with who and when, keeps to the schema, and puts
//! them on a stage, so that a call is done whole or not at all, as one step of the history. Nodes are named by id, or by a
//! label that only one has.

mod form;
mod named;
mod when;

mod graphs;
mod sought;
mod stand_in;
mod writer;

mod add;
mod analyze;
mod entities;
mod exchange;
mod get;
mod infer;
mod ingest;
mod intent;
mod list;
mod merge;
mod recall;
mod remove;
mod schema;
mod search;
mod sketched;
mod state;
mod summarize;
mod update;
mod walk;

pub use add::{AddEdges, AddNodes, Added, Counts};
pub use analyze::{
    Analysis, Analyze, Analyzed, DegreesShown, GroupShown, Narrowed, RankedShown, StructureShown,
};
pub use entities::{
    Entity, EntityGraph, EntityPage, NewObservations, ObservationsAdded, OldObservations, Relation,
};
pub use exchange::{ExportGraph, GraphExported, GraphImported, GraphRepair, ImportGraph};
pub use form::{
    EdgeShown, GivenEdge, GivenNode, GivenObservation, LinkShown, NodeBrief, NodeShown,
    ObservationShown, OnConflict,
};
pub use get::{EdgeGot, GetEdge, GetNodes, NodeGot, NodesGot};
pub use infer::{InferStats, Inferred, InferredRelation};
pub use intent::Intent;
pub use list::{KnowledgeListed, ListKnowledge, Listed};
pub use merge::{MergeNodes, NodesMerged, Suggestion};
pub use recall::{
    EntitiesSummarized, EntityBrief, EntityPath, EntitySummary, EntityTold, GetRelated, Heading,
    PathStep, Related, RelatedEntity, RelationTold, Traversed,
};
pub use remove::{KnowledgeRemoved, RemoveKnowledge, Where};
pub use schema::{EdgeTypeShown, GetSchema, NodeTypeShown, SchemaSet, SchemaShown, SetSchema};
pub use search::{GraphSearched, NodeFound, NodesFound, SearchNodes};
pub use sketched::{
    GraphPicture, LaidOut, LayOut, LayoutMethod, NodePlace, RenderGraph, SketchFormat,
};
pub use state::{GetState, StateShown};
pub use summarize::{Contributor, Counted, Hub, Summarize, Summary, SummaryShown};
pub use update::{EdgeUpdate, KnowledgeUpdated, NodeUpdate, UpdateKnowledge};
pub use walk::{
    FindPath, GetNeighbors, Leg, NeighborShown, NeighborsShown, PathShown, PathsFound, PatternStep,
    Stop, Traverse,
};
pub use when::When;

pub(crate) use graphs::Graphs;

pub(crate) use intent::{lost, of_function, of_node};
