//! Edits: the only way in which a document changes.
//!
//! An [`Edit`] is a request. [`check`] returns it as a [`Checked`] edit, which holds the facts (ids, names and values as
//! they will be), the inverse, and a plan; or it refuses the edit and leaves no trace. Applying a `Checked` cannot fail.
//!
//! To add a kind of edit, add a variant to the enum of its group ([`FunctionEdit`], [`PortEdit`], [`NodeEdit`],
//! [`LinkEdit`], [`ResourceEdit`], [`ModelEdit`], [`KnowledgeEdit`]); the compiler names the matches in the same file
//! that need an arm. Its JSON form, history label, footprint for undo, size limits and content references follow.

mod entry;
mod footprint;
mod group;

mod callers;
mod check;
mod stage;

mod functions;
mod knowledge;
mod links;
mod model;
mod nodes;
mod port_details;
mod ports;
mod resources;

mod build;
mod restore;
mod state;
pub mod undo;

use fibula_knowledge::KnowledgeError;
use fibula_nodes::ResourceId;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::graph::model::ModelError;
use crate::graph::{ContentHash, Document, Function, FunctionId, GraphError, NodeId, Resource};
use group::EditGroup;

pub use check::check;
pub use entry::{Caller, Entry, EntryKind, Head, Heading, Origin};
pub use functions::FunctionEdit;
pub use group::{has_variant, variant_names};
pub use knowledge::KnowledgeEdit;
pub use links::LinkEdit;
pub use model::ModelEdit;
pub use nodes::NodeEdit;
pub use ports::PortEdit;
pub use resources::ResourceEdit;
pub use restore::{restoring, topological_order};
pub use stage::{Stage, StageError};
pub use state::{CommitInfo, ReplayError, State};

/// A requested change of a document, in groups by what it changes.
///
/// The groups do not show in JSON, except for `model` and `knowledge`: `{"create_link": {"function_id": 1, ...}}`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Edit {
    /// An edit of the objects, the build or the package.
    Model(ModelEdit),
    /// An edit of the knowledge graph.
    Knowledge(KnowledgeEdit),
    /// Several edits as one, which are applied together or not at all.
    Batch(Vec<Edit>),
    /// An edit of a function as a whole.
    #[serde(untagged)]
    Function(FunctionEdit),
    /// An edit of the inputs or outputs of a function.
    #[serde(untagged)]
    Port(PortEdit),
    /// An edit of a node.
    #[serde(untagged)]
    Node(NodeEdit),
    /// An edit of a parameter of a node: its link or its value.
    #[serde(untagged)]
    Link(LinkEdit),
    /// An edit of an image function or a file.
    #[serde(untagged)]
    Resource(ResourceEdit),
}

/// Reason for which an edit is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EditError {
    /// The graph refuses the edit.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The parameter is not linked.
    #[error("{target} is not linked, so there is no link to delete")]
    NotLinked {
        /// The parameter.
        target: String,
    },
    /// The model refuses the edit.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The knowledge graph refuses the edit.
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

    /// Details of the error, for programs.
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

/// A link in its serialized form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the field names are those of create_link")]
pub struct LinkData {
    pub source_node_id: NodeId,
    pub source_port_name: String,
    pub target_node_id: NodeId,
    pub target_parameter_name: String,
}

/// Effects of an edit that the request does not name.
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
    /// The conversion node that was inserted into a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversion: Option<NodeId>,
    /// The links that were removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deleted_links: Vec<LinkData>,
}

/// An edit that was checked: its facts, its inverse and its plan.
#[derive(Debug)]
pub struct Checked {
    edit: Edit,
    inverse: Edit,
    change: Change,
    plan: Plan,
}

/// Way to apply a checked edit.
#[derive(Debug)]
enum Plan {
    /// Steps in one function.
    Steps(FunctionId, Vec<check::Step>),
    /// An edit of the model.
    Model(ModelEdit),
    /// An edit of the knowledge graph.
    Knowledge(KnowledgeEdit),
    /// Adds or replaces a function; nothing else changes.
    Function(Box<Function>),
    /// Removes a function.
    DeleteFunction(FunctionId),
    /// Adds an image function or a file.
    Add(ResourceId, Resource),
    /// Removes an image function or a file.
    Remove(ResourceId),
    /// The resulting document, which shares the unchanged parts.
    Staged(Document),
}

impl Checked {
    /// The facts: the edit with every id, name and value explicit.
    pub fn edit(&self) -> &Edit {
        &self.edit
    }

    /// The edit that undoes this one.
    pub fn inverse(&self) -> &Edit {
        &self.inverse
    }

    /// Effects that the edit does not name.
    pub fn change(&self) -> &Change {
        &self.change
    }

    /// Applies the edit to the document that it was checked against, which must not have changed since.
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

    /// The group of the edit, which knows the rest.
    fn group(&self) -> &dyn EditGroup {
        match self {
            Edit::Function(edit) => edit,
            Edit::Port(edit) => edit,
            Edit::Node(edit) => edit,
            Edit::Link(edit) => edit,
            Edit::Resource(edit) => edit,
            Edit::Model(edit) => edit,
            Edit::Knowledge(edit) => edit,
            Edit::Batch(edits) => edits,
        }
    }

    /// Label of the edit in a history: a few words.
    pub fn summary(&self) -> String {
        self.group().summary()
    }

    /// The function that the edit changes; `None` for a batch and for edits of other things.
    pub fn function_id(&self) -> Option<FunctionId> {
        self.group().function_id()
    }

    /// True if the edit only moves nodes in diagrams, which changes nothing that a function computes or the knowledge graph
    /// says.
    pub fn only_moves(&self) -> bool {
        match self {
            Edit::Node(NodeEdit::Move { .. }) | Edit::Knowledge(KnowledgeEdit::MoveNode { .. }) => {
                true
            }
            Edit::Batch(edits) => !edits.is_empty() && edits.iter().all(Edit::only_moves),
            Edit::Node(_)
            | Edit::Knowledge(_)
            | Edit::Model(_)
            | Edit::Function(_)
            | Edit::Port(_)
            | Edit::Link(_)
            | Edit::Resource(_) => false,
        }
    }

    /// Content hashes of the bytes that the edit refers to, in its order.
    pub fn contents(&self) -> Vec<ContentHash> {
        self.group().contents()
    }
}

/// Converts the edits of a group.
macro_rules! edit_from_group {
    ($($variant:ident($group:ident),)+) => {
        $(impl From<$group> for Edit {
            fn from(edit: $group) -> Self {
                Edit::$variant(edit)
            }
        })+
    };
}

edit_from_group! {
    Function(FunctionEdit),
    Port(PortEdit),
    Node(NodeEdit),
    Link(LinkEdit),
    Resource(ResourceEdit),
    Model(ModelEdit),
    Knowledge(KnowledgeEdit),
}

/// Returns the edits as one.
fn single_edit(mut edits: Vec<Edit>) -> Edit {
    if edits.len() == 1 {
        edits.remove(0)
    } else {
        Edit::Batch(edits)
    }
}
