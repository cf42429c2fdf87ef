//! The MCP server: toolsets, resources and prompts over one [`Service`](fibula_service::Service).
//!
//! rmcp implements the protocol, in both its eras (2025-11-25 and the stateless 2026-07-28). Tools are
//! [operations](crate::operation); [`Server`] gives them plain schemas, one JSON object per answer, and refusals that
//! say what to do. [`stdio`] and [`streamable`] are the two transports.
//!
//! Quick calls run and are answered in the order of arrival; long work runs on a pool of threads that may block.

mod arguments;
mod parse_errors;
mod reply;
pub(crate) mod schema;

mod skills;
mod views;

mod instructions;
mod listing;

mod absent_tools;
mod confirm;
mod job;
mod logging;
mod offer;
mod server;
mod tasks;
mod unknown_tool;

mod prompts;

mod resources;

mod notifications;
mod subscriptions;

mod batches;

mod line_transport;

pub mod selection;
pub mod stdio;
pub mod streamable;

use std::fmt;

use rmcp::model::Resource;

use crate::operation::Operation;
use crate::operations::{
    self, FUNCTION, GEOMETRY, KNOWLEDGE, KNOWLEDGE_EXTRA, PROJECT, PROJECT_EXTRA,
};

pub use crate::address::{
    GRAPH_EXPORT, GRAPH_SCHEMA, GRAPH_SUMMARY, MEMORY_GRAPH, structure_of, truncate,
};
pub use prompts::Prompt;
pub use server::Server;

/// The offer of a server.
#[derive(Debug, Clone)]
pub struct Options {
    /// The toolsets, in listing order.
    pub toolsets: Vec<Toolset>,
    /// Single tools of Fibula's own toolsets, beside those of `toolsets`.
    pub tools: Vec<String>,
    /// Tools that are not offered, whatever the toolsets.
    pub excluded_tools: Vec<String>,
    /// True if only read-only tools are offered.
    pub read_only: bool,
    /// True if clients of 2026-07-28 repeat the argument `project` in the header `Mcp-Param-Project`, by which a proxy may
    /// route calls (SEP-2243).
    pub project_header: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            toolsets: Toolset::DEFAULT.to_vec(),
            tools: Vec::new(),
            excluded_tools: Vec::new(),
            read_only: false,
            project_header: false,
        }
    }
}

/// A group of tools, with the resources and prompts that belong to them. Toolsets are equal if their names are.
///
/// ```
/// use fibula_server::mcp::{Options, Server, Toolset};
/// use fibula_server::operation::{Effect, Operation};
/// use fibula_service::ListProjects;
///
/// fn operations() -> Vec<Operation> {
///     vec![
///         Operation::quick(|call, request: ListProjects| call.service.list_projects(&request))
///             .tool("archive", "list_archive", "List the archive", Effect::Read, "Lists the projects."),
///     ]
/// }
///
/// let options = Options { toolsets: vec![Toolset::new("archive", operations)], ..Options::default() };
/// let server = Server::new(Default::default(), &options);
/// assert_eq!(server.tools()[0].name, "list_archive");
/// ```
#[derive(Clone, Copy)]
pub struct Toolset {
    name: &'static str,
    is_profile: bool,
    operations: fn() -> Vec<Operation>,
    prompts: fn() -> Vec<Prompt>,
    resources: fn() -> Vec<Resource>,
}

impl Toolset {
    /// Projects, their history and files.
    pub const PROJECT: Toolset = Toolset::new(PROJECT, operations::operations);
    /// Functions, nodes, links, values and evaluation.
    pub const FUNCTION: Toolset = Toolset::new(FUNCTION, operations::operations);
    /// Pictures, measurements, slices and files of parts.
    pub const GEOMETRY: Toolset = Toolset::new(GEOMETRY, operations::operations);
    /// The knowledge graph: adding, finding and traversing nodes and edges.
    pub const KNOWLEDGE: Toolset = Toolset::new(KNOWLEDGE, operations::operations);
    /// Rarely needed tools for projects: earlier states, names, deletion.
    pub const PROJECT_EXTRA: Toolset = Toolset::new(PROJECT_EXTRA, operations::operations);
    /// Rarely needed tools for the knowledge graph.
    pub const KNOWLEDGE_EXTRA: Toolset = Toolset::new(KNOWLEDGE_EXTRA, operations::operations);

    /// Fibula's own toolsets, in listing order.
    pub const OWN: [Toolset; 6] = [
        Toolset::PROJECT,
        Toolset::FUNCTION,
        Toolset::GEOMETRY,
        Toolset::KNOWLEDGE,
        Toolset::PROJECT_EXTRA,
        Toolset::KNOWLEDGE_EXTRA,
    ];

    /// The default toolsets.
    pub const DEFAULT: [Toolset; 4] = [
        Toolset::PROJECT,
        Toolset::FUNCTION,
        Toolset::GEOMETRY,
        Toolset::KNOWLEDGE,
    ];

    /// The toolset of the operations with this toolset's name.
    pub const fn new(name: &'static str, operations: fn() -> Vec<Operation>) -> Self {
        Toolset {
            name,
            is_profile: false,
            operations,
            prompts: Vec::new,
            resources: Vec::new,
        }
    }

    /// The toolset as a profile: all tools of another system's server, under their names and with refusals in its
    /// style. Over HTTP it has an address of its own; beside other toolsets its tools are named `memory_search_nodes`
    /// and so on.
    #[must_use]
    pub const fn profile(self) -> Self {
        Toolset {
            is_profile: true,
            ..self
        }
    }

    /// The toolset with prompts for its tools.
    #[must_use]
    pub const fn with_prompts(self, prompts: fn() -> Vec<Prompt>) -> Self {
        Toolset { prompts, ..self }
    }

    /// The toolset with resources that are listed with it.
    #[must_use]
    pub const fn with_resources(self, resources: fn() -> Vec<Resource>) -> Self {
        Toolset { resources, ..self }
    }

    /// Returns the name in `--toolsets`.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Returns true if the tools are those of another system's [profile](Self::profile).
    pub const fn is_profile(self) -> bool {
        self.is_profile
    }

    /// Returns the name by which a tool is excluded: that of a profile has a prefix.
    pub(crate) fn full_name(self, tool: &str) -> String {
        if self.is_profile {
            format!("{}_{tool}", self.name)
        } else {
            tool.to_owned()
        }
    }

    /// Finds the toolset with this name among `all`.
    ///
    /// # Errors
    /// [`UnknownToolset`].
    pub fn find(all: &[Toolset], name: &str) -> Result<Toolset, UnknownToolset> {
        let found = all.iter().find(|toolset| toolset.name == name).copied();
        found.ok_or_else(|| UnknownToolset {
            name: name.chars().take(80).collect(),
            known: all.iter().map(|toolset| toolset.name).collect(),
        })
    }
}

impl fmt::Debug for Toolset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Toolset").field(&self.name).finish()
    }
}

impl PartialEq for Toolset {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Toolset {}

/// Error of a name that no toolset has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no toolset '{name}'; the toolsets are {}", known.join(", "))]
pub struct UnknownToolset {
    /// The name, at most 80 characters of it.
    pub name: String,
    /// Names of all toolsets.
    pub known: Vec<&'static str>,
}
