//! The boundary of Fibula: plain requests in, plain answers out, events to all who listen.
//!
//! A [`Service`] holds projects. Every method takes a request, whose fields are what tools, routes and commands
//! take, and gives an answer, whose fields are what they say, or a [`Refusal`]. Nothing here knows of MCP or HTTP.
//! A project is locked while a single edit is checked and applied, not longer; many edits as one, evaluation and the
//! reading of files work on snapshots. An answer is given when the [`Store`] has what was done for good; until then
//! the calling thread waits, beside the tasks of its runtime.
//!
//! ```
//! use fibula::edit::Origin;
//! use fibula::service::{CreateFunctionFromExpression, Evaluate, Service};
//!
//! let service = Service::default();
//! let origin = Origin::program("library", "example");
//! let request = CreateFunctionFromExpression::new("Ball", "length(pos) - 5");
//! let ball = service.create_function_from_expression(&origin, request)?.function_id;
//! let request = Evaluate::new(ball, serde_json::json!({ "pos": [8, 0, 0] }));
//! assert_eq!(service.evaluate(request)?.values["shape"], 3.0);
//! # Ok::<(), fibula::service::Refusal>(())
//! ```

#![expect(
    clippy::doc_markdown,
    reason = "agents read what is said of fields, as it is"
)]

mod drawn;
mod events;
mod refusal;
mod render;

mod asked;
mod counted;
mod form;
mod live;
mod loaded;
mod open;
mod package;
mod page;
mod paint;
mod past;
mod project;
mod simplified;
mod slicing;
mod subject;
mod tapes;
mod texts;

mod alias;
mod apply_edits;
mod attachments;
mod emptied;
mod evaluate;
mod files;
mod functions;
mod history;
mod import;
mod knowledge;
mod library;
mod limits;
mod links;
mod listed;
mod maintenance;
mod masking;
mod measuring;
mod meshing;
mod model;
mod next;
mod node_list;
mod node_types;
mod nodes;
mod parts;
mod points;
mod portable;
mod projects;
mod reach;
mod reshape;
mod sampling;
mod validated;
mod whole;
mod workloads;
mod written;

use std::path::PathBuf;
use std::sync::Arc;

use fibula_core::edit::{self, Edit, Origin, State};
use fibula_core::graph::Document;
use fibula_store::{Memory, Store};

pub use apply_edits::{ApplyEdits, EditResult, EditsApplied};
pub use asked::{
    ContourInfo, ExportPart, LARGEST_RESOURCE, Looking, MakePart, Making, MeasurePart,
    PartExported, PartFormat, PartMade, PartMeasured, Places, RenderPart, Second, Show, SliceInfo,
    SlicePart, SlicesShown,
};
pub use attachments::{
    AddFile, FileChanged, FileInfo, FilesListed, LARGEST_FILE, ListFiles, RemoveFile,
};
pub use drawn::{FunctionPicture, GetFunctionPicture, PictureFormat};
pub use emptied::EmptyProject;
pub use evaluate::{Evaluate, Evaluated, Evaluation, TracedNode};
pub use events::{Event, Events};
pub use functions::{
    CreateFunctionFromExpression, FunctionCreated, FunctionInfo, FunctionShown, FunctionsListed,
    GetFunction, GraphFormat, ListFunctions,
};
pub use history::{Checkpoint, GetHistory, HistoryItem, HistoryShown, Restore, Undo, Undone, utc};
pub use import::{
    FileChecked, FindingInfo, Import, ImportFormat, Imported, LeftOutInfo, RepairInfo, check_file,
    check_mesh_file,
};
pub use knowledge::{
    AddEdges, AddNodes, Added, Analysis, Analyze, Analyzed, Contributor, Counted, Counts,
    DegreesShown, EdgeGot, EdgeShown, EdgeTypeShown, EdgeUpdate, EntitiesSummarized, Entity,
    EntityBrief, EntityGraph, EntityPage, EntityPath, EntitySummary, EntityTold, ExportGraph,
    FindPath, GetEdge, GetNeighbors, GetNodes, GetRelated, GetSchema, GetState, GivenEdge,
    GivenNode, GivenObservation, GraphExported, GraphImported, GraphPicture, GraphRepair,
    GraphSearched, GroupShown, Heading, Hub, ImportGraph, InferStats, Inferred, InferredRelation,
    Intent, KnowledgeListed, KnowledgeRemoved, KnowledgeUpdated, LaidOut, LayOut, LayoutMethod,
    Leg, LinkShown, ListKnowledge, Listed, MergeNodes, Narrowed, NeighborShown, NeighborsShown,
    NewObservations, NodeBrief, NodeFound, NodeGot, NodePlace, NodeShown, NodeTypeShown,
    NodeUpdate, NodesFound, NodesGot, NodesMerged, ObservationShown, ObservationsAdded,
    OldObservations, OnConflict, PathShown, PathStep, PathsFound, PatternStep, RankedShown,
    Related, RelatedEntity, Relation, RelationTold, RemoveKnowledge, RenderGraph, SchemaSet,
    SchemaShown, SearchNodes, SetSchema, SketchFormat, StateShown, Stop, StructureShown,
    Suggestion, Summarize, Summary, SummaryShown, Traverse, Traversed, UpdateKnowledge, When,
    Where,
};
pub use library::{Inserted, LibraryInfo, LibraryInputInfo};
pub use limits::Limits;
pub use links::{CreateLink, DeleteLink, LinkCreated, LinkDeleted};
pub use maintenance::{Compact, Compacted, Redact, Redacted};
pub use masking::{MakeMasks, MasksMade, make_masks};
pub use measuring::{Compare, Compared, Measure, Measured, compare, measure};
pub use meshing::{MakeMesh, MeshInfo, MeshMade, make_mesh};
pub use model::{
    BuildItemInfo, ComponentInfo, FieldInfo, GetStructure, MetadataInfo, PartInfo, PropertyInfo,
    RemoveUnused, RemovedInfo, ResourceInfo, Structure, UnusedRemoved,
};
pub use node_list::{ListNodes, NodesListed};
pub use node_types::{
    Detail, ExampleInfo, ListNodeTypes, NodeTypeInfo, NodeTypesListed, ParameterTypeInfo, RuleInfo,
};
pub use nodes::{
    CreateNode, DeleteNode, GetNodeInfo, NodeCreated, NodeDeleted, NodeInfo, ParameterInfo,
    PortInfo, SetParameterValue, TargetInfo, ValueSet,
};
pub use package::{Dialect, NoteInfo, PackageWritten, WritePackage};
pub use parts::{
    Apart, GivenMesh, MakeTriangles, MeshFile, PartMeshInfo, PartShape, PartsInfo, PartsMade,
    Piece, Placed, SeenPart, SeenParts, SeenTriangles, make_parts,
};
pub use portable::{Export, Exported, ImportProject, ProjectImported, is_hidden, project_schema};
pub use projects::{
    CreateProject, DeleteProject, DuplicateProject, ListProjects, ProjectCreated, ProjectInfo,
    ProjectSummary, ProjectsListed, RenameProject, RestoreProject,
};
pub use reach::{Reach, ReachedFunctions};
pub use refusal::Refusal;
pub use render::{Extent, Render, Rendered, ViewName, Views, render};
pub use sampling::{
    Bound, How, Precision, Ready, Region, Sample, Sampled, Sampling, Statistics, Steepness,
};
pub use simplified::Simplify;
pub use slicing::{
    DrawSlices, Heights, MakeSlices, SliceFormat, SlicesMade, draw_slices, make_slices,
};
pub use subject::{Seen, Subject};
pub use texts::{FunctionText, GetFunctionText, Single, TextFormat};
pub use validated::{FaultInfo, Validate, Validated};
pub use whole::Whole;
pub use workloads::{Workload, workloads};

use files::Files;
use open::Open;
use project::{Condition, Done, Project, Step};

/// The project that requests are about which name none.
pub const DEFAULT_PROJECT: &str = "default";

/// What a service may reach, and how much it may hold.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folders from which files are imported, and below which they are written; none by default.
    pub roots: Vec<PathBuf>,
    /// About how many nodes are held in memory; beyond it, projects that are not in use are let go, to be read again
    /// when they are.
    pub most_nodes: usize,
    /// The most operations of one evaluation in a region, over all its points.
    pub most_work: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            roots: Vec::new(),
            most_nodes: 1_000_000,
            most_work: 100_000_000_000,
        }
    }
}

/// Projects, and everything that can be asked of them and done to them.
#[derive(Debug)]
pub struct Service {
    store: Arc<dyn Store>,
    open: Open,
    files: Files,
    most_work: u64,
}

impl Default for Service {
    fn default() -> Self {
        Service::new(&Options::default())
    }
}

impl Service {
    /// A service whose projects last as long as it does.
    pub fn new(options: &Options) -> Self {
        Service::with_store(Arc::new(Memory::default()), options)
    }

    /// A service whose projects are kept in a store, which others may use at the same time.
    pub fn with_store(store: Arc<dyn Store>, options: &Options) -> Self {
        Service {
            open: Open::new(store.clone(), options.most_nodes),
            files: Files::new(&options.roots),
            most_work: options.most_work,
            store,
        }
    }

    /// Where the projects are kept.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// How many projects are in memory now; the others are read when they are asked for.
    pub fn open_projects(&self) -> usize {
        self.open.count()
    }

    /// The project of a request.
    fn project(&self, name: Option<&str>) -> Result<Arc<Project>, Refusal> {
        self.open.project(name.unwrap_or(DEFAULT_PROJECT))
    }

    /// Makes one edit; `answer` sees the document as it is then.
    fn edit<T>(
        &self,
        project: Option<&str>,
        condition: Condition,
        origin: &Origin,
        edit: &Edit,
        mut answer: impl FnMut(&Document, &Done) -> T,
    ) -> Result<T, Refusal> {
        let decide = |state: &State| {
            let checked = edit::check(state.document(), edit)?;
            Ok((Step::edit(checked), ()))
        };
        self.project(project)?
            .change(origin, condition, decide, |document, done, ()| {
                answer(document, done)
            })
    }
}
