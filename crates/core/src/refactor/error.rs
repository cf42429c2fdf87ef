//! Errors of refactorings, with remedies.

use fibula_nodes::Type;
use serde_json::{Value as Json, json};

use super::{MOST_NODES, NodeBudget};
use crate::edit::EditError;
use crate::graph::{GraphError, NodeId};
use crate::quote::quoted;

/// Maximum number of nodes that a hint names.
const SHOWN: usize = 20;

/// Error returned when a refactoring is not possible. Nodes and functions are named by their labels.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "fields are named for what they hold")]
pub enum RefactorError {
    /// An id is unknown, or one of the plain edits is not possible.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The refactorings of a batch would visit too many nodes.
    #[error(
        "the edits of this call that scan whole functions would visit more than {} nodes",
        NodeBudget::MOST
    )]
    Budget,
    /// More nodes than [`MOST_NODES`].
    #[error("{nodes} nodes are too many for one {kind}")]
    TooManyNodes {
        kind: &'static str,
        /// Number of nodes.
        nodes: usize,
    },
    /// No node is named.
    #[error("node_ids is empty, so there is nothing to extract")]
    NoNodes,
    /// The nodes are not convex: paths between them lead through other nodes, so no call can replace them.
    #[error(
        "{first}{} depends on some of the nodes to extract and feeds others, so one call cannot replace them",
        others(.between.len())
    )]
    NotConvex {
        /// The first of the other nodes.
        first: String,
        /// The other nodes, sorted.
        between: Vec<NodeId>,
    },
    /// No other node is linked to the nodes.
    #[error(
        "no other node uses the outputs of these nodes, so the extracted function would have no output"
    )]
    NoOutput,
    /// An output would come to need a node that may be incomplete.
    #[error(
        "the output {output} does not depend on {node}, which may be incomplete, but would after the extraction, \
         because a call needs all inputs of its function"
    )]
    NewlyNeeded {
        output: String,
        /// The node that may be incomplete.
        node: String,
    },
    /// The node is not a call of a function with nodes.
    #[error("{node} {problem}, so there is nothing to inline")]
    NotInlinable {
        node: String,
        problem: &'static str,
        /// The remedy.
        hint: &'static str,
    },
    /// An input that the called function uses is neither linked nor set at the call.
    #[error("{input} of {call} is neither linked nor set, but {callee} uses it")]
    MissingInput {
        input: String,
        call: String,
        callee: String,
    },
    /// An output of the called function is neither linked nor set, but used at the call.
    #[error("the output {output} of {callee} is neither linked nor set, but {call} uses it")]
    MissingOutput {
        output: String,
        callee: String,
        call: String,
    },
    /// No parameter and port of the node fit into the link.
    #[error(
        "{node} does not fit into the link from {source_end} to {target_end}{}",
        because(.error.as_deref())
    )]
    NotInsertable {
        node: String,
        source_end: String,
        target_end: String,
        /// The first refusal; none if the node has no parameter or no port.
        error: Option<Box<EditError>>,
    },
    /// The function lacks an output or input of the type that a field has.
    #[error("{function} has no {ty} {side}{}, so there is no field to normalize", called(.wanted.as_deref()))]
    NoField {
        function: String,
        ty: Type,
        /// `input` or `output`.
        side: &'static str,
        wanted: Option<String>,
        /// Ports that have the type.
        fitting: Vec<String>,
    },
}

impl From<GraphError> for RefactorError {
    fn from(error: GraphError) -> Self {
        RefactorError::Edit(error.into())
    }
}

impl RefactorError {
    /// Stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            RefactorError::Edit(error) => error.code(),
            RefactorError::Budget | RefactorError::TooManyNodes { .. } => "too_large",
            RefactorError::NoNodes => "invalid_edit",
            RefactorError::NotConvex { .. } => "not_convex",
            RefactorError::NoOutput => "no_output",
            RefactorError::NewlyNeeded { .. } => "newly_needed",
            RefactorError::NotInlinable { .. } => "no_call",
            RefactorError::MissingInput { .. } | RefactorError::MissingOutput { .. } => {
                "missing_input"
            }
            RefactorError::NotInsertable { .. } => "cannot_insert",
            RefactorError::NoField { .. } => "no_field",
        }
    }

    /// A remedy, if the message does not name one.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            RefactorError::Edit(_) => return None,
            RefactorError::Budget => "send this edit and those after it in another call",
            RefactorError::TooManyNodes { .. } => {
                return Some(format!("at most {MOST_NODES} can be moved at a time"));
            }
            RefactorError::NoNodes => "name the nodes to extract",
            RefactorError::NotConvex { between, .. } => {
                let ids: Vec<String> = between.iter().take(SHOWN).map(NodeId::to_string).collect();
                let more = if between.len() > SHOWN { ", ..." } else { "" };
                return Some(format!(
                    "add {}{more} to node_ids, or remove the nodes on one side from it",
                    ids.join(", ")
                ));
            }
            RefactorError::NoOutput => {
                "name nodes whose outputs other nodes use; Resource nodes that other nodes use are not extracted"
            }
            RefactorError::NewlyNeeded { .. } => {
                "set the missing parameters (create_missing_constants), or extract each output separately"
            }
            RefactorError::NotInlinable { hint, .. } => hint,
            RefactorError::MissingInput { .. } => "first link or set it",
            RefactorError::MissingOutput { .. } => {
                "first link or set it there, or delete the links from the call's port"
            }
            RefactorError::NotInsertable { .. } => {
                "insert a node with a parameter of the source's type and a port of the target's, or create the links one \
                 by one"
            }
            RefactorError::NoField {
                ty, side, fitting, ..
            } => {
                return Some(match &fitting[..] {
                    [] => format!(
                        "a field has a float output and a float3 input; first add a {ty} {side}"
                    ),
                    names => format!("its {ty} {side}s are {}", names.join(", ")),
                });
            }
        };
        Some(hint.to_owned())
    }

    /// The facts for programs; null if there are none.
    pub fn details(&self) -> Json {
        match self {
            RefactorError::Edit(error) => error.details(),
            RefactorError::NotConvex { between, .. } => json!({ "between": between }),
            RefactorError::Budget
            | RefactorError::TooManyNodes { .. }
            | RefactorError::NoNodes
            | RefactorError::NoOutput
            | RefactorError::NewlyNeeded { .. }
            | RefactorError::NotInlinable { .. }
            | RefactorError::MissingInput { .. }
            | RefactorError::MissingOutput { .. }
            | RefactorError::NotInsertable { .. }
            | RefactorError::NoField { .. } => Json::Null,
        }
    }
}

fn others(between: usize) -> String {
    match between {
        0 | 1 => String::new(),
        2 => " and another node".to_owned(),
        count => format!(" and {} other nodes", count - 1),
    }
}

fn because(error: Option<&EditError>) -> String {
    error.map_or_else(
        || ": it has no parameter or no port".to_owned(),
        |error| format!(": {error}"),
    )
}

fn called(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!(" {}", quoted(name)))
}
