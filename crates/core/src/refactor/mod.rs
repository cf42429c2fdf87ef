//! Refactorings: composite edits of a function that keep what it computes, and edits of a node that keep its links.
//!
//! | refactoring | effect |
//! |---|---|
//! | [`ExtractFunction`] | nodes become a function of their own, called in their place |
//! | [`InlineCall`] | a call is replaced by the nodes of the function that it calls |
//! | [`RemoveUnusedNodes`] | nodes that no output needs are removed (dead code elimination) |
//! | [`CreateMissingConstants`] | parameters that are neither set nor linked get constants |
//! | [`NormalizeFunction`] | a function whose field is divided by the magnitude of its gradient |
//! | [`InsertIntoLink`] | a node comes between the two ends of a link |
//! | [`BypassNode`] | what is linked to a node is linked to its sources instead; the node is deleted, or stays |
//! | [`ReplaceNode`] | a node gets another kind, and keeps what fits of its links and values |
//!
//! A refactoring reads the document of a [`Stage`] and pushes plain [`Edit`](crate::edit::Edit)s to it, node by node
//! and link by link. The log, the history and undo therefore know nothing of refactorings. A refactoring that returns
//! an error before its first edit leaves the stage unchanged; drop the stage after any other error.
//!
//! [`match_nodes`] finds the nodes of a function in another version of it, and [`renumber`] lets a function that is
//! rebuilt keep the ids of its nodes.
//!
//! ```
//! use fibula_core::edit::Stage;
//! use fibula_core::graph::{Document, NodeId};
//! use fibula_core::refactor::{NodeBudget, Refactoring};
//! use fibula_core::{eval::Tape, expression};
//!
//! let mut document = Document::default();
//! let ball = expression::add_function(&mut document, "Ball", "length(pos) - 5")?;
//! let nodes: Vec<NodeId> = document.function(ball)?.node_ids();
//! let length = nodes.into_iter().find(|&id| {
//!     let node = document.function(ball).and_then(|function| function.node(id));
//!     node.is_ok_and(|node| node.kind().info().name == "Length")
//! });
//! let refactoring: Refactoring = serde_json::from_value(serde_json::json!({
//!     "extract_function": { "function_id": ball, "node_ids": [length], "name": "Distance" } }))?;
//!
//! let mut stage = Stage::new(&document);
//! let outcome = refactoring.push(&mut stage, &mut NodeBudget::default())?;
//! assert!(outcome.function.is_some() && outcome.node.is_some());
//! let tape = Tape::new(stage.document(), ball)?;
//! assert_eq!(tape.at([8.0, 0.0, 0.0]), [3.0]); // as before
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod function_editor;
mod traversal;
mod unique_names;

mod completeness;

mod matching;

mod extract_function;
mod inline_call;
mod missing_constants;
mod node_verbs;
mod normalize_function;
mod unused_nodes;

use fibula_nodes::PortSpec;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::edit::Stage;
use crate::graph::{Document, FunctionId, GraphError, NodeId};

pub use error::RefactorError;
pub use extract_function::ExtractFunction;
pub use inline_call::InlineCall;
pub use matching::{NodeMatches, match_nodes, renumber};
pub use missing_constants::CreateMissingConstants;
pub use node_verbs::{BypassNode, InsertIntoLink, ReplaceNode};
pub use normalize_function::NormalizeFunction;
pub use unused_nodes::{RemoveUnusedNodes, unused_nodes};

/// Maximum number of nodes that one refactoring moves, copies, removes or adds.
pub const MOST_NODES: usize = 20_000;

/// A refactoring; in JSON `{"inline_call": {"function_id": 1, "node_id": 5}}`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Refactoring {
    /// Moves nodes to a function of their own.
    ExtractFunction(ExtractFunction),
    /// Replaces a call by the nodes of its function.
    InlineCall(InlineCall),
    /// Removes nodes that no output needs.
    RemoveUnusedNodes(RemoveUnusedNodes),
    /// Adds constants for parameters that have nothing.
    CreateMissingConstants(CreateMissingConstants),
    /// Adds a function with a normalised field.
    NormalizeFunction(NormalizeFunction),
    /// Puts a node between the ends of a link.
    InsertIntoLink(InsertIntoLink),
    /// Links the consumers of a node to its sources.
    BypassNode(BypassNode),
    /// Gives a node another kind.
    ReplaceNode(ReplaceNode),
}

/// Effects of a refactoring.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RefactorOutcome {
    /// The new function.
    pub function: Option<FunctionId>,
    /// The call in the place of the extracted nodes, the node that normalises, the copy that gives the first used
    /// output of an inlined call, or the node that was inserted, bypassed or replaced, if it still exists.
    pub node: Option<NodeId>,
    /// The nodes moved, copied, removed, added, inserted, bypassed or replaced.
    pub nodes: Vec<NodeId>,
    /// Number of further nodes that it would have removed or added.
    pub left: usize,
    /// Inputs of the extracted function.
    pub inputs: Vec<PortSpec>,
    /// Outputs of the extracted function.
    pub outputs: Vec<PortSpec>,
    /// Links and values that could not be kept, in words.
    pub dropped: Vec<String>,
}

/// Number of nodes that a sequence of refactorings has visited; it is limited, so that a batch of edits ends in time.
#[derive(Debug, Clone, Default)]
pub struct NodeBudget(usize);

impl NodeBudget {
    /// Maximum number of visited nodes.
    pub const MOST: usize = 20 * crate::graph::MOST_NODES;

    fn spend(&mut self, nodes: usize) -> Result<(), RefactorError> {
        self.0 += nodes;
        if self.0 <= Self::MOST {
            return Ok(());
        }
        Err(RefactorError::Budget)
    }
}

impl Refactoring {
    /// The function that is refactored.
    pub fn function_id(&self) -> FunctionId {
        match self {
            Refactoring::ExtractFunction(request) => request.function_id,
            Refactoring::InlineCall(request) => request.function_id,
            Refactoring::RemoveUnusedNodes(request) => request.function_id,
            Refactoring::CreateMissingConstants(request) => request.function_id,
            Refactoring::NormalizeFunction(request) => request.function_id,
            Refactoring::InsertIntoLink(request) => request.function_id,
            Refactoring::BypassNode(request) => request.function_id,
            Refactoring::ReplaceNode(request) => request.function_id,
        }
    }

    /// Label of the refactoring in a history.
    pub fn summary(&self) -> String {
        let id = self.function_id();
        match self {
            Refactoring::ExtractFunction(request) => {
                let name = fibula_nodes::names::visible(&request.name, 40);
                format!("extract '{name}' from function {id}")
            }
            Refactoring::InlineCall(request) => {
                format!("inline call {} in function {id}", request.node_id)
            }
            Refactoring::RemoveUnusedNodes(_) => format!("remove unused nodes of function {id}"),
            Refactoring::CreateMissingConstants(_) => {
                format!("create missing constants in function {id}")
            }
            Refactoring::NormalizeFunction(_) => format!("normalize function {id}"),
            Refactoring::InsertIntoLink(request) => {
                let (node, target) = (request.node_id, request.target_node_id);
                let parameter = fibula_nodes::names::visible(&request.target_parameter_name, 40);
                format!("insert node {node} into the link to {target}.{parameter} in function {id}")
            }
            Refactoring::BypassNode(request) if request.keep => {
                format!("bypass node {} in function {id}", request.node_id)
            }
            Refactoring::BypassNode(request) => {
                format!(
                    "delete and bypass node {} in function {id}",
                    request.node_id
                )
            }
            Refactoring::ReplaceNode(request) => {
                let kind = fibula_nodes::names::visible(&request.node_type, 40);
                format!(
                    "replace node {} by {kind} in function {id}",
                    request.node_id
                )
            }
        }
    }

    /// Pushes the edits of the refactoring to a stage. Time and space are linear in the nodes of the functions that it
    /// visits.
    ///
    /// # Errors
    /// [`RefactorError`] if the document does not allow it, or `budget` is exhausted.
    pub fn push(
        &self,
        stage: &mut Stage,
        budget: &mut NodeBudget,
    ) -> Result<RefactorOutcome, RefactorError> {
        budget.spend(self.visits(stage.document())?)?;
        match self {
            Refactoring::ExtractFunction(request) => request.push(stage, budget),
            Refactoring::InlineCall(request) => request.push(stage),
            Refactoring::RemoveUnusedNodes(request) => request.push(stage),
            Refactoring::CreateMissingConstants(request) => request.push(stage),
            Refactoring::NormalizeFunction(request) => request.push(stage),
            Refactoring::InsertIntoLink(request) => request.push(stage),
            Refactoring::BypassNode(request) => request.push(stage),
            Refactoring::ReplaceNode(request) => request.push(stage),
        }
    }

    /// Number of nodes that it visits.
    fn visits(&self, document: &Document) -> Result<usize, RefactorError> {
        let own = document.function(self.function_id())?.node_count();
        Ok(match self {
            Refactoring::InlineCall(request) => request.callee(document)?.node_count(),
            Refactoring::ExtractFunction(_) | Refactoring::RemoveUnusedNodes(_) => own,
            Refactoring::CreateMissingConstants(request) => request.node_id.map_or(own, |_| 0),
            Refactoring::NormalizeFunction(_)
            | Refactoring::InsertIntoLink(_)
            | Refactoring::BypassNode(_)
            | Refactoring::ReplaceNode(_) => 0,
        })
    }
}

/// Returns the id of a new function unless it is taken.
fn free_id(
    document: &Document,
    wanted: Option<FunctionId>,
) -> Result<Option<FunctionId>, GraphError> {
    match wanted.filter(|&id| document.has(id.into())) {
        None => Ok(wanted),
        Some(id) => Err(GraphError::duplicate("resource", &id)),
    }
}
