//! The table of operations, by their subjects. Each row has a tool, a route or both.

#![expect(
    clippy::doc_markdown,
    clippy::too_many_lines,
    reason = "descriptions of fields appear unchanged in schemas; tables are long"
)]

/// Declares requests on a project; those to `write` end with the conditions of the write.
macro_rules! requests {
    () => {};
    ($(#[$meta:meta])* write struct $name:ident { $($fields:tt)* } $($rest:tt)*) => {
        requests! {
            $(#[$meta])*
            struct $name {
                $($fields)*
                /// Fail unless the project is at this revision.
                expected_revision: Option<u64>,
                /// Validate only; change nothing.
                #[serde(default)]
                dry_run: bool,
            }
            $($rest)*
        }
    };
    ($(#[$meta:meta])* struct $name:ident { $($fields:tt)* } $($rest:tt)*) => {
        $(#[$meta])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        struct $name {
            /// The project.
            project: String,
            $($fields)*
        }
        requests! { $($rest)* }
    };
}

mod edits;
mod files;
mod functions;
mod graph;
mod graph_items;
mod graph_mode;
mod history;
mod nodes;
mod parts;
mod projects;

use fibula_core::quote::quoted;
use fibula_service::{DEFAULT_PROJECT, ListNodeTypes, Service};
use serde::{Deserialize, Deserializer};

use crate::operation::{Effect, Operation};

pub use graph::picture as graph_picture;

/// Toolset of projects, their history and files.
pub(crate) const PROJECT: &str = "project";
/// Toolset of functions, nodes, links, values and evaluation.
pub(crate) const FUNCTION: &str = "function";
/// Toolset of pictures, measurements, slices and files of parts.
pub(crate) const GEOMETRY: &str = "geometry";
/// Toolset of the knowledge graph: adding, finding and traversing nodes and edges.
pub(crate) const KNOWLEDGE: &str = "knowledge";
/// Toolset of rarely needed tools for projects: earlier states, names, deletion.
pub(crate) const PROJECT_EXTRA: &str = "project-extra";
/// Toolset of rarely needed tools for the knowledge graph.
pub(crate) const KNOWLEDGE_EXTRA: &str = "knowledge-extra";

/// Every operation by its group, which is its tag in OpenAPI.
pub(crate) fn groups() -> [(&'static str, Vec<Operation>); 11] {
    [
        ("projects", projects::operations()),
        ("history", history::operations()),
        ("functions", functions::operations()),
        ("nodes", nodes::operations()),
        ("edits", edits::operations()),
        ("graph", graph_items::operations()),
        ("graph", graph::operations()),
        ("graph-mode", graph_mode::operations()),
        ("parts", parts::operations()),
        ("files", files::operations()),
        ("server", server()),
    ]
}

/// Every operation.
pub(crate) fn operations() -> Vec<Operation> {
    let groups = groups().into_iter();
    groups.flat_map(|(_, operations)| operations).collect()
}

/// Operations without a project.
fn server() -> Vec<Operation> {
    vec![
        Operation::quick(|call, request: ListNodeTypes| call.service.list_node_types(&request))
            .get(
                "/api/node-types",
                "list_node_types",
                "Searches node types by words; a search that names one also returns its ports, \
                 types and examples",
            )
            .with_tool(
                FUNCTION,
                Effect::Read,
                "Searches node types by words; a search that names one also returns its ports, \
                 types and examples. Example: {\"search\":\"clamp\"}",
            ),
    ]
}

/// Returns the name of a project, quoted, or `None` if there is none, so that a request is refused.
fn existing_project(service: &Service, name: Option<&str>) -> Option<String> {
    let name = name.unwrap_or(DEFAULT_PROJECT);
    let is_absent = |projects: Vec<(String, u64)>| projects.iter().all(|(other, _)| other != name);
    let is_known_absent = service.project_numbers().is_ok_and(is_absent);
    (!is_known_absent).then(|| quoted(name))
}

/// Deserializes a field that is present, so that null differs from a field that is left out.
fn deserialize_some<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}
