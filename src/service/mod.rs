//! The boundary of Fibula: plain requests in, plain answers out, events to all who listen.
//!
//! A [`Service`] holds projects. Every method takes a request, whose fields are what tools, routes and commands
//! take, and gives an answer, whose fields are what they say, or a [`Refusal`]. Nothing here knows of MCP or HTTP.
//! A project is locked while a single edit is checked and applied, not longer; many edits as one, evaluation and the
//! reading of files work on snapshots.
//!
//! ```
//! use fibula::edit::Origin;
//! use fibula::service::{CreateFunctionFromExpression, Evaluate, Service};
//!
//! let service = Service::default();
//! let origin = Origin { client: "library".into(), tool: "example".into() };
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

mod event;
mod refusal;

mod form;
mod page;
mod project;
mod tapes;

mod alias;
mod apply_edits;
mod evaluate;
mod files;
mod functions;
mod history;
mod import;
mod links;
mod next;
mod node_types;
mod nodes;
mod points;
mod projects;
mod renumber;
mod written;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::broadcast;

use crate::edit::{self, Edit, Origin};
use crate::graph::Document;

pub use apply_edits::{ApplyEdits, EditResult, EditsApplied};
pub use evaluate::{Evaluate, Evaluated, Evaluation, TracedNode};
pub use event::Event;
pub use functions::{
    CreateFunctionFromExpression, FunctionCreated, FunctionInfo, FunctionShown, FunctionsListed,
    GetFunction, GraphFormat, ListFunctions,
};
pub use history::{GetHistory, HistoryItem, HistoryShown, Undo, Undone};
pub use import::{Import, ImportFormat, Imported, LeftOutInfo, RepairInfo};
pub use links::{CreateLink, DeleteLink, LinkCreated, LinkDeleted};
pub use node_types::{
    Detail, ExampleInfo, ListNodeTypes, NodeTypeInfo, NodeTypesListed, ParameterTypeInfo, RuleInfo,
};
pub use nodes::{
    CreateNode, DeleteNode, GetNodeInfo, NodeCreated, NodeDeleted, NodeInfo, ParameterInfo,
    PortInfo, SetParameterValue, TargetInfo, ValueSet,
};
pub use projects::{
    CreateProject, ListProjects, ProjectCreated, ProjectInfo, ProjectSummary, ProjectsListed,
};
pub use refusal::Refusal;

use files::Files;
use project::{Done, Project, Step};

/// The project that requests are about which name none.
pub const DEFAULT_PROJECT: &str = "default";

/// How many events a listener may lag behind before it misses some.
const EVENTS: usize = 1024;

/// What a service may reach.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The folders from which files are imported; none by default.
    pub roots: Vec<PathBuf>,
}

/// Projects, and everything that can be asked of them and done to them.
#[derive(Debug)]
pub struct Service {
    projects: RwLock<BTreeMap<String, Arc<Project>>>,
    files: Files,
    events: broadcast::Sender<Event>,
}

impl Default for Service {
    fn default() -> Self {
        Service::new(&Options::default())
    }
}

impl Service {
    /// A service in memory, with the empty project "default".
    pub fn new(options: &Options) -> Self {
        let events = broadcast::channel(EVENTS).0;
        let project = Arc::new(Project::new(DEFAULT_PROJECT, events.clone()));
        Service {
            projects: RwLock::new([(DEFAULT_PROJECT.to_owned(), project)].into()),
            files: Files::new(&options.roots),
            events,
        }
    }

    /// Every change of every project from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.events.subscribe()
    }

    /// The project of a request.
    fn project(&self, name: Option<&str>) -> Result<Arc<Project>, Refusal> {
        let name = name.unwrap_or(DEFAULT_PROJECT);
        let projects = self.projects.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(project) = projects.get(name) {
            return Ok(project.clone());
        }
        let names = projects.keys().map(String::as_str);
        let nearest = fibula_nodes::names::nearest(name, names);
        let message = format!("there is no project {}", refusal::quoted(name));
        let otherwise = "list_projects names them all, create_project makes one";
        Err(Refusal::new("unknown_project", message)
            .hint(refusal::did_you_mean(&nearest, otherwise))
            .details(serde_json::json!({ "project": name.chars().take(80).collect::<String>(), "nearest": nearest })))
    }

    /// Makes one edit; `answer` sees the document as it is then.
    fn edit<T>(
        &self,
        at: (Option<&str>, Option<u64>),
        origin: &Origin,
        edit: &Edit,
        answer: impl FnOnce(&Document, &Done) -> T,
    ) -> Result<T, Refusal> {
        let (project, expected_revision) = at;
        let decide = |document: &Document| {
            let checked = edit::check(document, edit)?;
            Ok((Step::Edit(Box::new(checked), None), ()))
        };
        self.project(project)?
            .change(origin, expected_revision, decide, |document, done, ()| {
                answer(document, done)
            })
    }
}
