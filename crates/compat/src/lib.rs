//! Tools of other systems, by their names, arguments and answers, over Fibula's service.
//!
//! An agent that knows the MCP server of another system can work with Fibula in the same way. Each system is a
//! [`Toolset`], which a program passes to [`fibula_server`]; the server itself knows none of them.
//!
//! | toolset | system | answers |
//! |---|---|---|
//! | [`GLADIUS`] | Gladius, an editor of implicit 3MF functions | JSON |
//! | [`MEMORY`] | the official memory server, and memory-graph | JSON |
//! | [`GRAPH_MODE`] | `CharmGPT`'s Graph Mode | prose |
//! | [`GRAPHINATE`] | Graphinate's proposal for agents | JSON |
//! | [`DISCOURSE`] | the Discourse Graph server | JSON |
//!
//! ```
//! use std::sync::Arc;
//!
//! use fibula_compat::MEMORY;
//! use fibula_server::mcp::{Options, Server};
//! use fibula_service::Service;
//!
//! let options = Options {
//!     toolsets: vec![MEMORY],
//!     ..Options::default()
//! };
//! let server = Server::new(Arc::new(Service::default()), &options);
//! assert!(server.tool("create_entities").is_some());
//! assert!(server.tool("add_nodes").is_none());
//! ```
//!
//! # Invariants
//! - A tool is a row of a table: head, arguments, and one function of the service's answer.
//! - The four servers of knowledge graphs are *profiles*: their refusals are the message alone, their writes create the
//!   project that they name, and their tools get a prefix beside other toolsets.
//! - Nothing is stored in another system's form. A graph that one profile writes, every other reads.
//!
//! # Cost
//! Every tool of a profile runs on a thread that may block. Answers in prose copy the graph's index once, O(nodes +
//! edges).

#[macro_use]
mod tables;

mod gladius;

mod discourse;
mod graph_mode;
mod graphinate;
mod memory;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use fibula_core::edit::Origin;
use fibula_knowledge::Knowledge;
use fibula_server::mcp::Toolset;
use fibula_server::operation::{Operation, ToolAnswer};
use fibula_service::{Refusal, Service};
use rmcp::model::ContentBlock;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

/// The tools of Gladius's server.
pub const GLADIUS: Toolset = Toolset::new(gladius::NAME, gladius::operations);

/// The tools of the official memory server and of memory-graph, and their resource.
pub const MEMORY: Toolset = Toolset::new(memory::NAME, memory::operations)
    .profile()
    .with_resources(memory::resources);

/// The tools of `CharmGPT`'s Graph Mode.
pub const GRAPH_MODE: Toolset = Toolset::new(graph_mode::NAME, graph_mode::operations).profile();

/// The tools that Graphinate proposes, its resources, and a prompt for them.
pub const GRAPHINATE: Toolset = Toolset::new(graphinate::NAME, graphinate::operations)
    .profile()
    .with_prompts(graphinate::prompts)
    .with_resources(graphinate::resources);

/// The tools of the Discourse Graph server.
pub const DISCOURSE: Toolset = Toolset::new(discourse::NAME, discourse::operations).profile();

/// Every toolset, in the order in which programs list them.
pub const TOOLSETS: [Toolset; 5] = [GLADIUS, MEMORY, GRAPH_MODE, GRAPHINATE, DISCOURSE];

/// A call of a tool of a profile.
struct Call<'a, P> {
    service: &'a Service,
    origin: &'a Origin,
    progress: &'a mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    request: P,
}

/// Answer of a tool of a profile.
type Answer = Result<ToolAnswer, Refusal>;

/// Arguments that name their project; `None` is the default one.
trait InProject {
    fn project(&self) -> Option<&str>;
}

impl<P: InProject> Call<'_, P> {
    fn project(&self) -> Option<&str> {
        self.request.project()
    }

    /// Name of the project for requests of the service.
    fn project_name(&self) -> Option<String> {
        self.project().map(str::to_owned)
    }

    fn knowledge(&self) -> Result<Knowledge, Refusal> {
        self.service.knowledge(self.project())
    }

    /// Returns the graph, or an empty one if the project does not exist yet.
    fn knowledge_or_empty(&self) -> Result<Knowledge, Refusal> {
        match self.knowledge() {
            Err(refusal) if refusal.code == "unknown_project" => Ok(Knowledge::default()),
            outcome => outcome,
        }
    }

    /// True if the project does not exist yet.
    fn is_new(&self) -> Result<bool, Refusal> {
        match self.knowledge() {
            Err(refusal) if refusal.code == "unknown_project" => Ok(true),
            outcome => outcome.map(|_| false),
        }
    }

    /// Runs a write, and creates its project if that does not exist: other systems have no projects.
    fn creating_project<T>(
        &self,
        write: impl Fn(&Service) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let (done, _) = self.service.creating_project(self.project(), write)?;
        Ok(done)
    }
}

/// A tool of a profile.
fn profile<P: DeserializeOwned + JsonSchema + Send + 'static>(
    run: for<'a> fn(&mut Call<'a, P>) -> Answer,
) -> Operation {
    Operation::content(move |service, origin, request, progress| {
        run(&mut Call {
            service,
            origin,
            progress,
            request,
        })
    })
}

/// An answer, and if it is empty, what to try: in a block of its own, since other servers have the first only.
fn pointing_on(answer: ToolAnswer, is_empty: bool, otherwise: &str) -> ToolAnswer {
    if is_empty {
        answer.with_block(ContentBlock::text(otherwise))
    } else {
        answer
    }
}

/// Groups items by a key; the groups are in the order of their first items.
fn group_by<'a, T>(
    items: impl IntoIterator<Item = T>,
    key: impl Fn(&T) -> &'a str,
) -> Vec<(&'a str, Vec<T>)> {
    let (mut groups, mut places) = (Vec::<(&str, Vec<T>)>::new(), BTreeMap::new());
    for item in items {
        let key = key(&item);
        let place = *places.entry(key).or_insert(groups.len());
        if place == groups.len() {
            groups.push((key, Vec::new()));
        }
        groups[place].1.push(item);
    }
    groups
}
