//! The MCP server: toolsets, resources and prompts over one [`Service`](fibula_service::Service).
//!
//! rmcp speaks the protocol, in both its eras (2025-11-25 and the stateless 2026-07-28). What is here says which
//! tools there are, in `project`, `function`, `geometry`, `knowledge`, their extras and those of other servers, and makes their answers and refusals what agents need:
//! plain schemas, one JSON object per answer, refusals that teach. [`stdio`] and [`streamable`] are the two transports.
//!
//! A tool that does not wait runs and answers in the order of arrival; long work goes to a thread of its own.

#![expect(
    clippy::doc_markdown,
    clippy::doc_link_with_quotes,
    reason = "agents read what is said of tools, as it is"
)]

mod arguments;
mod reply;
mod schema;

mod job;
mod server;

mod function;
mod geometry;
mod gladius;
mod knowledge;
mod knowledge_extra;
mod profile;
mod project;
mod project_extra;
mod prompts;

mod address;
mod resources;

mod news;
mod subscriptions;

mod lines;
mod unreadable;

pub mod stdio;
pub mod streamable;

use std::str::FromStr;

pub use server::Server;

/// What agents are told before anything else: the workflow, in order.
pub const INSTRUCTIONS: &str = "\
Fibula edits function graphs: dataflow graphs of typed nodes, as in the 3MF implicit extension, above all signed \
distance fields (negative inside, lengths in mm, angles in radians).
1. Look: list_functions. Every tool takes `project`; left out it is \"default\".
2. Make: create_function_from_expression {\"name\":\"Ball\",\"expression\":\"length(pos) - 5\"} is the shortest way. \
Node by node: list_node_types {\"search\":\"distance\"} finds kinds, then create_node, set_parameter_value, create_link. \
Node 0 is End, whose parameters are the outputs (usually shape: float); Begin's ports are the inputs (usually \
pos: float3).
3. Many changes at once, all or none: apply_edits, with aliases: [{\"create_node\":{\"function_id\":1,\
\"node_type\":\"Addition\",\"node_id\":\"$sum\"}},{\"create_link\":{\"source_node_id\":\"$sum\",...}}].
4. Check: evaluate {\"function_id\":1,\"arguments\":{\"pos\":[0,0,5]}}; \"trace\":true tells where a value comes from. \
get_function shows a whole graph or its expression, get_node_info one node.
5. Look at it: render {\"function_id\":1} draws it, slice cuts it, export writes stl or 3mf files.
6. Back: undo takes back your own last step. get_history says who did what; what reads takes `revision` to look \
back. If others edit too, give expected_revision.
7. What you know: search_nodes, add_nodes; edges may end at functions (\"fn:1/3\").
Types never convert by themselves: a refusal names the node that goes between. Names forgive upper and lower case. A \
refused call has changed nothing; its text begins with a code and says what to do.";

/// What a server offers; fixed for the process.
#[derive(Debug, Clone)]
pub struct Options {
    /// The toolsets; tools of others are not there.
    pub toolsets: Vec<Toolset>,
    /// Whether only tools are there that change nothing.
    pub read_only: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            toolsets: Toolset::DEFAULT.to_vec(),
            read_only: false,
        }
    }
}

/// A group of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Toolset {
    /// Projects, their history, files.
    Project,
    /// Functions, nodes, links, values, evaluation.
    Function,
    /// Pictures, measures, slices and files of parts.
    Geometry,
    /// The knowledge graph: nodes and edges, found and walked.
    Knowledge,
    /// What is needed rarely of projects: earlier states, names, deletion, the log itself.
    ProjectExtra,
    /// What is needed rarely of the knowledge graph.
    KnowledgeExtra,
    /// The tools of Gladius's server, by their names.
    Gladius,
    /// The tools of the official memory server and of memory-graph, by their names.
    Memory,
    /// The tools of CharmGPT's Graph Mode, by their names.
    GraphMode,
    /// The tools that Graphinate proposes, by their names.
    Graphinate,
    /// The tools of the Discourse Graph server, by their names.
    Discourse,
}

impl Toolset {
    /// Every toolset, in the order in which their tools are listed.
    pub const ALL: [Toolset; 11] = [
        Toolset::Project,
        Toolset::Function,
        Toolset::Geometry,
        Toolset::Knowledge,
        Toolset::ProjectExtra,
        Toolset::KnowledgeExtra,
        Toolset::Gladius,
        Toolset::Memory,
        Toolset::GraphMode,
        Toolset::Graphinate,
        Toolset::Discourse,
    ];

    /// Those that are there unless others are named.
    pub const DEFAULT: [Toolset; 4] = [
        Toolset::Project,
        Toolset::Function,
        Toolset::Geometry,
        Toolset::Knowledge,
    ];

    /// The name in `--toolsets`.
    pub fn name(self) -> &'static str {
        match self {
            Toolset::Project => "project",
            Toolset::Function => "function",
            Toolset::Geometry => "geometry",
            Toolset::Knowledge => "knowledge",
            Toolset::ProjectExtra => "project-extra",
            Toolset::KnowledgeExtra => "knowledge-extra",
            Toolset::Gladius => "gladius",
            Toolset::Memory => "memory",
            Toolset::GraphMode => "graph-mode",
            Toolset::Graphinate => "graphinate",
            Toolset::Discourse => "discourse",
        }
    }

    /// Whether its tools are those of another server, all of them, under their names. Over HTTP it has an address of its own;
    /// beside other toolsets its tools are called `memory_search_nodes` and so on.
    pub fn is_profile(self) -> bool {
        match self {
            Toolset::Memory | Toolset::GraphMode | Toolset::Graphinate | Toolset::Discourse => true,
            Toolset::Project
            | Toolset::Function
            | Toolset::Geometry
            | Toolset::Knowledge
            | Toolset::ProjectExtra
            | Toolset::KnowledgeExtra
            | Toolset::Gladius => false,
        }
    }
}

/// The name is no toolset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no toolset '{0}'; the toolsets are {names}", names = Toolset::ALL.map(Toolset::name).join(", "))]
pub struct UnknownToolset(pub String);

impl FromStr for Toolset {
    type Err = UnknownToolset;

    fn from_str(name: &str) -> Result<Self, UnknownToolset> {
        let found = Toolset::ALL
            .into_iter()
            .find(|toolset| toolset.name() == name);
        found.ok_or_else(|| UnknownToolset(name.chars().take(80).collect()))
    }
}
