//! Checking an edit, which yields its facts, its inverse and its plan, or a refusal.

use fibula_nodes::Node;

use super::{Change, Checked, Edit, EditError, Plan};
use crate::graph::{Document, Function, InputPlan, NodeId, NodeKey, Rekind, Retyping};

/// A step in a function. Steps are applied in order and cannot fail.
#[derive(Debug)]
pub(super) enum Step {
    Rename(String),
    AddNode {
        id: NodeId,
        kind: Box<dyn Node>,
        name: Option<String>,
        position: Option<[f64; 2]>,
    },
    RemoveNode(NodeKey),
    NameNode(NodeKey, Option<String>),
    MoveNode(NodeKey, Option<[f64; 2]>),
    Input(Box<InputPlan>),
    Clear(NodeKey, usize),
    Retype(Retyping),
    Rekind(Box<Rekind>),
}

impl Step {
    pub(super) fn changes_calls(&self, function: &Function) -> bool {
        match self {
            Step::Input(plan) => {
                plan.changes_calls() || refers(function, plan.node, plan.parameter)
            }
            Step::Clear(node, parameter) => refers(function, *node, *parameter),
            Step::RemoveNode(node) => function.refers(*node),
            Step::Rename(_)
            | Step::AddNode { .. }
            | Step::NameNode(..)
            | Step::MoveNode(..)
            | Step::Retype(_)
            | Step::Rekind(_) => false,
        }
    }

    pub(super) fn apply(self, function: &mut Function) {
        match self {
            Step::Rename(name) => function.set_name(name),
            Step::AddNode {
                id,
                kind,
                name,
                position,
            } => {
                function.insert(id, kind, name, position);
            }
            Step::RemoveNode(key) => function.remove(key),
            Step::NameNode(key, name) => function.set_display_name(key, name),
            Step::MoveNode(key, position) => function.set_position(key, position),
            Step::Input(plan) => function.apply_input(*plan),
            Step::Clear(node, parameter) => function.clear(node, parameter),
            Step::Retype(retyping) => function.apply_retyping(&retyping),
            Step::Rekind(rekind) => function.apply_rekind(*rekind),
        }
    }
}

/// True if a parameter may determine which function is called.
fn refers(function: &Function, node: NodeKey, parameter: usize) -> bool {
    function.stored(node).parameter_type(parameter) == fibula_nodes::Type::ResourceId
}

/// Checks an edit against a document, which does not change.
///
/// # Errors
/// [`EditError`] with the code and the obstacle.
pub fn check(document: &Document, edit: &Edit) -> Result<Checked, EditError> {
    edit.group().check(document)
}

impl Checked {
    /// An edit that creates nothing.
    pub(super) fn new(edit: impl Into<Edit>, inverse: impl Into<Edit>, plan: Plan) -> Self {
        Checked {
            edit: edit.into(),
            inverse: inverse.into(),
            change: Change::default(),
            plan,
        }
    }

    /// The same with its effects.
    pub(super) fn with_change(self, change: Change) -> Self {
        Checked { change, ..self }
    }
}
