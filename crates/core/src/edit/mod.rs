//! Edits: the only way in which a document changes.
//!
//! An [`Edit`] says what is wanted. [`check`] decides whether it may be and answers with a [`Checked`], which
//! holds the facts (ids, names and values as they will be), the inverse, and a plan; or refuses, without a trace.
//! Applying a `Checked` cannot fail.

mod check;
mod files;
mod functions;
mod knowledge;
mod links;
mod model;
mod nodes;
mod ports;
mod stage;
mod words;

mod entry;
mod restore;
mod state;
mod touch;
pub mod undo;

use fibula_knowledge::KnowledgeError;
use fibula_nodes::{FunctionType, ResourceId, Type};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::graph::model::ModelError;
use crate::graph::{
    Document, File, Function, FunctionData, FunctionId, GraphError, ImageFunction, NodeId,
    Resource, Side, form,
};

pub use check::check;
pub use entry::{Caller, Entry, Head, Heading, Origin, Turn};
pub use knowledge::KnowledgeEdit;
pub use model::ModelEdit;
pub use restore::needed_first;
pub use restore::restoring;
pub use stage::{AtEdit, Stage};
pub use state::{ReplayError, Said, State};

/// A wanted change of a document; in JSON `{"create_link": {"function_id": 1, ...}}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Edit {
    /// Adds a function, or puts it in the place of the one with its id.
    SetFunction(FunctionData),
    /// Removes a function that no other calls.
    DeleteFunction {
        /// The function.
        function_id: FunctionId,
    },
    /// Gives a function another name.
    RenameFunction {
        /// The function.
        function_id: FunctionId,
        /// The new name.
        name: String,
    },
    /// Adds an input or output to a function.
    AddPort {
        /// The function.
        function_id: FunctionId,
        /// Whether it is an input or an output.
        side: Side,
        /// The name.
        name: String,
        /// The type.
        #[serde(rename = "type")]
        #[schemars(with = "form::Type")]
        ty: Type,
        /// The place among the inputs or outputs; the last if it is left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<usize>,
        /// The id of the `Begin` node that comes with the first input; the next free one if it is left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        begin_id: Option<NodeId>,
    },
    /// Removes an input or output that is not in use.
    RemovePort {
        /// The function.
        function_id: FunctionId,
        /// Whether it is an input or an output.
        side: Side,
        /// The name.
        name: String,
    },
    /// Renames an input or output; calls follow.
    RenamePort {
        /// The function.
        function_id: FunctionId,
        /// Whether it is an input or an output.
        side: Side,
        /// The present name.
        name: String,
        /// The new name.
        new_name: String,
    },
    /// Gives an input or output another type; every link to it must allow that, in calls too.
    RetypePort {
        /// The function.
        function_id: FunctionId,
        /// Whether it is an input or an output.
        side: Side,
        /// The name.
        name: String,
        /// The new type.
        #[serde(rename = "type")]
        #[schemars(with = "form::Type")]
        ty: Type,
    },
    /// Moves an input or output to another place; links stay.
    MovePort {
        /// The function.
        function_id: FunctionId,
        /// Whether it is an input or an output.
        side: Side,
        /// The name.
        name: String,
        /// The new place, counted from 0.
        index: usize,
    },
    /// Adds a node.
    CreateNode {
        /// The function.
        function_id: FunctionId,
        /// The kind's name.
        node_type: String,
        /// The id; the smallest that was never used if it is left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node_id: Option<NodeId>,
        /// What a person calls the node.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        display_name: Option<String>,
        /// Where the node is drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<[f64; 2]>,
        /// The type of the function that the node follows until a reference names one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<form::FunctionType>")]
        callee: Option<FunctionType>,
    },
    /// Removes a node and every link to and from it.
    DeleteNode {
        /// The function.
        function_id: FunctionId,
        /// The node.
        node_id: NodeId,
    },
    /// Calls a node something else, or by its kind again.
    RenameNode {
        /// The function.
        function_id: FunctionId,
        /// The node.
        node_id: NodeId,
        /// The new name.
        #[serde(default)]
        display_name: Option<String>,
    },
    /// Draws a node elsewhere, or wherever the page likes.
    MoveNode {
        /// The function.
        function_id: FunctionId,
        /// The node.
        node_id: NodeId,
        /// The new position.
        #[serde(default)]
        position: Option<[f64; 2]>,
    },
    /// Links a port to a parameter.
    CreateLink {
        /// The function.
        function_id: FunctionId,
        /// The node whose port it is.
        source_node_id: NodeId,
        /// The port.
        source_port_name: String,
        /// The node whose parameter it is.
        target_node_id: NodeId,
        /// The parameter.
        target_parameter_name: String,
        /// Whether a present link gives way.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        replace: bool,
        /// Whether a node that converts the type is put between, if one is needed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        insert_conversion: bool,
    },
    /// Removes the link to a parameter.
    DeleteLink {
        /// The function.
        function_id: FunctionId,
        /// The node whose parameter it is.
        target_node_id: NodeId,
        /// The parameter.
        target_parameter_name: String,
    },
    /// Gives an unlinked parameter a value; null clears it.
    SetParameterValue {
        /// The function.
        function_id: FunctionId,
        /// The node.
        node_id: NodeId,
        /// The parameter.
        parameter_name: String,
        /// The value, in the form of its type.
        #[schemars(with = "form::ValueOrNull")]
        value: Json,
    },
    /// Chooses among the overloads that a node's inputs leave open.
    SetOverload {
        /// The function.
        function_id: FunctionId,
        /// The node.
        node_id: NodeId,
        /// The overload's index.
        overload: usize,
    },
    /// Lets a node follow a function of this type, while no reference names a function.
    SetCallee {
        /// The function.
        function_id: FunctionId,
        /// The node.
        node_id: NodeId,
        /// What the node is to follow; neither inputs nor outputs for a node that follows nothing yet.
        #[schemars(with = "form::FunctionType")]
        callee: FunctionType,
    },
    /// Adds an image that is called like a function.
    AddImageFunction {
        /// Its id.
        #[schemars(with = "form::ResourceId")]
        resource_id: ResourceId,
        /// What it is.
        image: ImageFunction,
    },
    /// Removes an image function that no function calls.
    RemoveImageFunction {
        /// Its id.
        #[schemars(with = "form::ResourceId")]
        resource_id: ResourceId,
    },
    /// Adds a file.
    AddFile {
        /// The id; the smallest that was never used if it is left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<form::ResourceId>")]
        resource_id: Option<ResourceId>,
        /// What it is.
        file: File,
    },
    /// Removes a file.
    RemoveFile {
        /// Its id.
        #[schemars(with = "form::ResourceId")]
        resource_id: ResourceId,
    },
    /// Changes what is beside the functions.
    Model(ModelEdit),
    /// Changes the knowledge graph.
    Knowledge(KnowledgeEdit),
    /// Several edits as one: all of them, or none.
    Batch(Vec<Edit>),
}

/// Why an edit was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EditError {
    /// The graph cannot be that way.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The parameter is not linked.
    #[error("{target} is not linked, so there is no link to delete")]
    NotLinked {
        /// The parameter.
        target: String,
    },
    /// The objects, images or what is beside them cannot be that way.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The knowledge graph cannot be that way.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// There is no such image function.
    #[error("resource {0} is not an image function of this project")]
    UnknownResource(ResourceId),
    /// There is no such file.
    #[error("resource {0} is not a file of this project")]
    UnknownFile(ResourceId),
}

impl EditError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            EditError::Graph(error) => error.code(),
            EditError::Model(error) => error.code(),
            EditError::Knowledge(error) => error.code(),
            EditError::NotLinked { .. } => "not_linked",
            EditError::UnknownResource(_) | EditError::UnknownFile(_) => "unknown_resource",
        }
    }

    /// What the refusal is about, for programs.
    pub fn details(&self) -> Json {
        match self {
            EditError::Graph(error) => serde_json::to_value(error).unwrap_or_default(),
            EditError::Model(error) => serde_json::to_value(error).unwrap_or_default(),
            EditError::Knowledge(error) => serde_json::to_value(error).unwrap_or_default(),
            EditError::NotLinked { target } => serde_json::json!({ "target": target }),
            EditError::UnknownResource(id) | EditError::UnknownFile(id) => {
                serde_json::json!({ "resource_id": id })
            }
        }
    }
}

/// A link, written out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are those of create_link")]
pub struct LinkData {
    pub source_node_id: NodeId,
    pub source_port_name: String,
    pub target_node_id: NodeId,
    pub target_parameter_name: String,
}

/// What an edit did, beside what it says itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Change {
    /// The function that was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function_id: Option<FunctionId>,
    /// The resource that was created, unless it is a function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_id: Option<ResourceId>,
    /// The item of the build that was created or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_id: Option<u32>,
    /// The node that was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<NodeId>,
    /// The node that was put between the ends of a link to convert the type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversion: Option<NodeId>,
    /// The links that went.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deleted_links: Vec<LinkData>,
}

/// An edit that may be: its facts, its inverse, and how to do it.
#[derive(Debug)]
pub struct Checked {
    edit: Edit,
    inverse: Edit,
    change: Change,
    plan: Plan,
}

/// How a checked edit is done.
#[derive(Debug)]
enum Plan {
    /// Steps in one function.
    Steps(FunctionId, Vec<check::Step>),
    /// What is done beside the functions.
    Model(ModelEdit),
    /// What is done to the knowledge graph.
    Knowledge(KnowledgeEdit),
    /// Adds a function, or puts it in the place of another; nothing else changes.
    Function(Box<Function>),
    /// Removes a function.
    DeleteFunction(FunctionId),
    /// Adds an image function or a file.
    Add(ResourceId, Resource),
    /// Removes an image function or a file.
    Remove(ResourceId),
    /// The document as it is afterwards; it shares what did not change.
    Staged(Document),
}

impl Checked {
    /// The edit with every id, name and value as it will be.
    pub fn edit(&self) -> &Edit {
        &self.edit
    }

    /// The edit that undoes this one.
    pub fn inverse(&self) -> &Edit {
        &self.inverse
    }

    /// What the edit does, beside what it says itself.
    pub fn change(&self) -> &Change {
        &self.change
    }

    /// Changes the document that the edit was checked against, which did not change since.
    pub fn apply(self, document: &mut Document) -> Change {
        match self.plan {
            Plan::Steps(id, steps) => {
                let function: &mut Function = document.function_mut(id);
                let mut calls = false;
                for step in steps {
                    calls |= step.changes_calls(function);
                    step.apply(function);
                }
                if calls {
                    document.update_calls(id);
                }
            }
            Plan::Model(edit) => edit.apply(document),
            Plan::Knowledge(edit) => edit.apply(document),
            Plan::Function(function) => document.put(*function),
            Plan::DeleteFunction(id) => document.remove_function(id),
            Plan::Add(id, resource) => document.put_resource(id, resource),
            Plan::Remove(id) => drop(document.remove_resource(id)),
            Plan::Staged(staged) => *document = staged,
        }
        self.change
    }
}

impl Edit {
    /// Checks and applies the edit.
    ///
    /// # Errors
    /// Those of [`check`]; the document is then as it was.
    pub fn apply(&self, document: &mut Document) -> Result<Change, EditError> {
        check(document, self).map(|checked| checked.apply(document))
    }

    /// The function that the edit is about; `None` for one of something else.
    pub fn function_id(&self) -> Option<FunctionId> {
        match self {
            Edit::SetFunction(data) => data.function_id,
            Edit::DeleteFunction { function_id }
            | Edit::RenameFunction { function_id, .. }
            | Edit::AddPort { function_id, .. }
            | Edit::RemovePort { function_id, .. }
            | Edit::RenamePort { function_id, .. }
            | Edit::RetypePort { function_id, .. }
            | Edit::MovePort { function_id, .. }
            | Edit::CreateNode { function_id, .. }
            | Edit::DeleteNode { function_id, .. }
            | Edit::RenameNode { function_id, .. }
            | Edit::MoveNode { function_id, .. }
            | Edit::CreateLink { function_id, .. }
            | Edit::DeleteLink { function_id, .. }
            | Edit::SetParameterValue { function_id, .. }
            | Edit::SetOverload { function_id, .. }
            | Edit::SetCallee { function_id, .. } => Some(*function_id),
            Edit::AddImageFunction { .. }
            | Edit::RemoveImageFunction { .. }
            | Edit::AddFile { .. }
            | Edit::RemoveFile { .. }
            | Edit::Model(_)
            | Edit::Knowledge(_)
            | Edit::Batch(_) => None,
        }
    }
}
