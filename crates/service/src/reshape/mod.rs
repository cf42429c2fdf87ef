//! Larger changes of functions among the edits of `apply_edits`: nodes become a function of their own, a call is
//! written out in place, nodes that nothing needs go, what is unset gets constants, a field is normalised.
//!
//! Each reads the document as it is on the stage and does what it means in plain edits of that function, node by node
//! and link by link, so the log, the history and undo know nothing of them. None changes what a function yields.

mod extract;
mod inline;
mod local;
mod names;
mod need;
mod normalize;
mod tidy;
mod walk;

use fibula_core::edit::Stage;
use fibula_core::graph::{self, Document, FunctionId, GraphError, NodeId};
use fibula_nodes::PortSpec;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use self::extract::Extract;
use self::inline::Inline;
use self::normalize::Normalize;
use self::tidy::{CreateConstants, RemoveUnused};
use super::refusal::Refusal;
use super::written::malformed;

/// What the larger changes are called.
pub(super) const KINDS: [&str; 5] = [
    "extract_function",
    "inline_call",
    "remove_unused_nodes",
    "create_missing_constants",
    "normalize_function",
];

/// The most nodes that one change moves, writes out, removes or adds: as many edits as a call has.
const MOST_NODES: usize = 20_000;

/// The most nodes that the larger changes of one call look at.
const MOST_READ: usize = 20 * graph::MOST_NODES;

/// A larger change; in JSON `{"inline_call": {"function_id": 1, "node_id": 5}}`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reshape {
    ExtractFunction(Extract),
    InlineCall(Inline),
    RemoveUnusedNodes(RemoveUnused),
    CreateMissingConstants(CreateConstants),
    NormalizeFunction(Normalize),
}

/// What came of a larger change.
#[derive(Debug, Default)]
pub(super) struct Reshaped {
    /// The function that it made.
    pub(super) made: Option<FunctionId>,
    /// The call in the place of nodes, or the node that normalises.
    pub(super) node: Option<NodeId>,
    /// The nodes that it moved, wrote out, removed or added.
    pub(super) nodes: Vec<NodeId>,
    /// How many more it would have removed or added.
    pub(super) left: usize,
    /// The inputs of the function that it made of nodes.
    pub(super) inputs: Vec<PortSpec>,
    /// The outputs of that function.
    pub(super) outputs: Vec<PortSpec>,
}

/// How many nodes were looked at.
#[derive(Debug, Default)]
pub(super) struct Reading(usize);

impl Reshape {
    /// Reads a larger change.
    ///
    /// # Errors
    /// A [`Refusal`] that says what the kind takes.
    pub(super) fn read(kind: &str, body: Json) -> Result<Self, Refusal> {
        Reshape::parse(kind, body).map_err(|error| malformed(kind, &error))
    }

    pub(super) fn parse(kind: &str, body: Json) -> Result<Self, serde_json::Error> {
        let whole = Map::from_iter([(kind.to_owned(), body)]);
        serde_json::from_value(Json::Object(whole))
    }

    /// The function that it is about.
    pub(super) fn function_id(&self) -> FunctionId {
        match self {
            Reshape::ExtractFunction(request) => request.function_id,
            Reshape::InlineCall(request) => request.function_id,
            Reshape::RemoveUnusedNodes(request) => request.function_id,
            Reshape::CreateMissingConstants(request) => request.function_id,
            Reshape::NormalizeFunction(request) => request.function_id,
        }
    }

    /// What it does, in a few words.
    pub(super) fn summary(&self) -> String {
        let id = self.function_id();
        match self {
            Reshape::ExtractFunction(request) => {
                let name = fibula_nodes::names::visible(&request.name, 40);
                format!("extract '{name}' from function {id}")
            }
            Reshape::InlineCall(request) => {
                format!("inline call {} in function {id}", request.node_id)
            }
            Reshape::RemoveUnusedNodes(_) => format!("remove unused nodes of function {id}"),
            Reshape::CreateMissingConstants(_) => {
                format!("create missing constants in function {id}")
            }
            Reshape::NormalizeFunction(_) => format!("normalize function {id}"),
        }
    }

    /// Does it.
    ///
    /// # Errors
    /// A [`Refusal`]: it cannot be, or `reading` is too much.
    pub(super) fn push(
        &self,
        stage: &mut Stage,
        reading: &mut Reading,
    ) -> Result<Reshaped, Refusal> {
        reading.add(self.reads(stage.document())?)?;
        match self {
            Reshape::ExtractFunction(request) => extract::extract(stage, request, reading),
            Reshape::InlineCall(request) => inline::inline(stage, request),
            Reshape::RemoveUnusedNodes(request) => tidy::remove_unused(stage, request),
            Reshape::CreateMissingConstants(request) => tidy::create_constants(stage, request),
            Reshape::NormalizeFunction(request) => normalize::normalize(stage, request),
        }
    }

    /// How many nodes it looks at.
    fn reads(&self, document: &Document) -> Result<usize, Refusal> {
        let own = document.function(self.function_id())?.node_count();
        Ok(match self {
            Reshape::InlineCall(request) => inline::callee(document, request)?.node_count(),
            Reshape::ExtractFunction(_) | Reshape::RemoveUnusedNodes(_) => own,
            Reshape::CreateMissingConstants(request) => request.node_id.map_or(own, |_| 0),
            Reshape::NormalizeFunction(_) => 0,
        })
    }
}

impl Reading {
    fn add(&mut self, nodes: usize) -> Result<(), Refusal> {
        self.0 += nodes;
        if self.0 <= MOST_READ {
            return Ok(());
        }
        let message = format!(
            "the edits of this call that look through whole functions would look at more than {MOST_READ} nodes"
        );
        Err(Refusal::new("too_large", message).hint("send this edit and the rest in another call"))
    }
}

/// The id of a function that is to be made, if it is free.
fn free_id(
    document: &Document,
    wanted: Option<FunctionId>,
) -> Result<Option<FunctionId>, GraphError> {
    match wanted.filter(|&id| document.has(id.into())) {
        None => Ok(wanted),
        Some(id) => Err(GraphError::DuplicateId {
            what: "resource",
            id: id.to_string(),
        }),
    }
}

fn too_many(kind: &str, nodes: usize) -> Refusal {
    let message = format!("{nodes} nodes are too many for one {kind}");
    Refusal::new("too_large", message).hint(format!("at most {MOST_NODES} can be moved at a time"))
}
