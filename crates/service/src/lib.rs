//! Projects of function graphs as a service: plain requests in, plain answers out, events to every subscriber.
//!
//! A [`Service`] holds projects. Each of its methods takes a request struct, whose fields are the arguments of the
//! tools, routes and commands, and returns an answer struct or a [`Refusal`] with a stable code, a message and a remedy.
//! Requests and answers derive serde and JSON Schema, so that servers only translate.
//!
//! It is **not** a server: it knows neither MCP nor HTTP (see `fibula-server`). It is not a database, either: the log
//! of each project is kept by a [`Store`](fibula_store::Store). And it computes nothing itself: graphs, evaluation,
//! geometry and the knowledge graph are crates of their own.
//!
//! # Tour
//!
//! ```
//! use fibula_core::edit::Origin;
//! use fibula_service::{ApplyEdits, CreateFunctionFromExpression, Evaluate, Service, Undo};
//! use serde_json::json;
//!
//! // Projects in memory; `Service::with_store` keeps them in a file that several processes share.
//! let service = Service::default();
//! let mut events = service.events(None, None)?;
//! let origin = Origin::program("library", "example");
//!
//! // A function from an expression, in the project "default".
//! let request = CreateFunctionFromExpression::new("Ball", "length(pos) - 5");
//! let ball = service.create_function_from_expression(&origin, request)?.function_id;
//! let at = |x: f64| json!({ "pos": [x, 0, 0] });
//! assert_eq!(service.evaluate(Evaluate::new(ball, at(8.0)))?.values["shape"], 3.0);
//!
//! // A batch of edits is atomic, and one step of the history.
//! let request: ApplyEdits = serde_json::from_value(json!({ "edits": [
//!     { "create_function_from_expression":
//!         { "name": "Shell", "expression": "abs(Ball(pos)) - 1", "alias": "shell" } },
//!     { "create_node": { "function_id": "$shell", "node_type": "Sine" } },
//! ] }))?;
//! let applied = service.apply_edits(&origin, request)?;
//! assert_eq!(applied.revision, 2);
//! let undone = service.undo(&origin, &Undo::default())?;
//! assert_eq!(undone.revision, 3); // an undo is a change with a revision of its own
//!
//! // Subscribers receive every change, in the order of the log.
//! let mut revisions = Vec::new();
//! while let Some(event) = events.ready()? {
//!     revisions.push(event.revision);
//! }
//! assert_eq!(revisions, [1, 2, 3]);
//!
//! // A mistake is a refusal, and changes nothing.
//! let refusal = service.evaluate(Evaluate::new(ball, json!({}))).unwrap_err();
//! assert_eq!(refusal.code, "missing_argument");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to find what
//!
//! | concern | requests |
//! |---|---|
//! | projects | [`CreateProject`], [`ListProjects`], [`GetOverview`], [`DuplicateProject`], [`DeleteProject`] |
//! | functions and nodes | [`CreateFunctionFromExpression`], [`GetFunction`], [`CreateNode`], [`CreateLink`] |
//! | batches and refactorings | [`ApplyEdits`] |
//! | history | [`GetHistory`], [`Undo`], [`Checkpoint`], [`Restore`], [`Compact`], [`Redact`] |
//! | evaluation | [`Evaluate`], [`Sample`], [`Service::tape`] |
//! | geometry | [`RenderPart`], [`MeasurePart`], [`SlicePart`], [`ExportPart`], [`make_mesh`] |
//! | files | [`Import`], [`WritePackage`], [`Export`], [`ImportProject`], [`AddFile`] |
//! | knowledge graph | [`AddNodes`], [`SearchNodes`], [`FindPath`], [`Analyze`], [`ImportGraph`] |
//! | subscriptions | [`Service::events`], [`AffectedFunctions`] |
//!
//! # Invariants
//!
//! 1. An answer to a change is returned only after the change is durable in the store; a read observes durable states
//!    only. If an append fails, the change and everything that builds on it is rolled back.
//! 2. A change is applied as a whole or not at all, and is one entry of the history. Nothing else changes a project,
//!    except compaction, redaction and purging.
//! 3. A refusal leaves the project as it was. So does a dry run (`dry_run`), which returns the same answer.
//! 4. Files are read and written only below the configured folders ([`Options::roots`]).
//! 5. Every answer has a bounded size: lists are paginated, texts and details truncated.
//!
//! # Cost
//!
//! A project is locked while a single edit is checked and applied. Batches, evaluation, geometry and files work on
//! snapshots, which are persistent data structures and cost no copy. Concurrent changes share the wait for the store
//! (group commit). Methods block the calling thread; in a Tokio runtime, the wait for the store leaves the worker to
//! other tasks. Long work reports progress to a `watch` closure, which may cancel it. Unused projects are evicted from
//! memory beyond [`Options::most_nodes`].

#![expect(
    clippy::doc_markdown,
    reason = "descriptions of fields appear unchanged in schemas"
)]

mod schema_types;

#[macro_use]
mod json_structs;

mod background;
mod digits;
mod named_formats;
mod refusal;

mod dependents;
mod effects;
mod name_lookup;

mod paging;

mod files;

mod project;

mod service;

mod domain_cuts;
mod following_values;

mod events;
mod knowledge;

mod history;

mod functions;

mod resource_brief;

mod exchange;
mod projects;

mod model;

mod edits;

mod evaluation;
mod shapes;

mod validation;

mod overview;

mod affected_functions;
mod workloads;

pub use affected_functions::{AffectedFunctionIds, AffectedFunctions};
pub use background::{ProgressFn, WatchedProgress, run_watched};
pub use digits::seven_digits;
pub use edits::*;
pub use effects::Effects;
pub use evaluation::*;
pub use events::{Event, Events};
pub use exchange::*;
pub use files::AtomicFile;
pub use functions::*;
pub use history::*;
pub use knowledge::*;
pub use model::{
    BuildItemInfo, ComponentInfo, FieldInfo, GetStructure, MetadataInfo, PartInfo, PropertyInfo,
    RemoveUnused, RemovedInfo, ResourceInfo, Structure, UnusedRemoved,
};
pub use overview::{
    BuildItemBrief, ContentCounts, FunctionBrief, GetOverview, KnowledgeCounts, Overview,
    ProjectSummarized,
};
pub use project::{DEFAULT_PROJECT, ProjectDamage, is_hidden};
pub use projects::{
    CreateProject, DeleteProject, DuplicateProject, ListProjects, ProjectCreated, ProjectInfo,
    ProjectSummary, ProjectsListed, RenameProject, RestoreProject,
};
pub use refusal::{Refusal, Result};
pub use resource_brief::ResourceBrief;
pub use schema_types::{FunctionKey, is_function_key};
pub use service::{Options, Service};
pub use shapes::*;
pub use validation::{FaultInfo, Validate, ValidationResult};
pub use workloads::{Workload, workloads};
