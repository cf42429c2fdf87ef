//! Checking one edit: the facts, the inverse and the plan, or the refusal.

use fibula_nodes::Node;

use super::stage::Stage;
use super::{
    Change, Checked, Edit, EditError, Plan, files, functions, knowledge, links, model, nodes, ports,
};
use crate::graph::{Document, Function, FunctionId, InputPlan, NodeId, NodeKey, Rekind, Retyping};

/// One step in a function; steps follow one another, and none can fail.
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

/// Whether what a parameter has can decide which function is called.
fn refers(function: &Function, node: NodeKey, parameter: usize) -> bool {
    function.stored(node).parameter_type(parameter) == fibula_nodes::Type::ResourceId
}

/// Decides whether an edit may be.
///
/// # Errors
/// [`EditError`] with the code and what is in the way. The document is not changed in either case.
pub fn check(document: &Document, edit: &Edit) -> Result<Checked, EditError> {
    match edit {
        Edit::SetFunction(data) => functions::set(document, data),
        Edit::DeleteFunction { function_id } => functions::delete(document, *function_id),
        Edit::RenameFunction { function_id, name } => {
            functions::rename(document.function(*function_id)?, name)
        }
        Edit::AddPort { .. }
        | Edit::RemovePort { .. }
        | Edit::RenamePort { .. }
        | Edit::RetypePort { .. }
        | Edit::MovePort { .. } => ports::check(document, edit),
        Edit::CreateNode { function_id, .. } => {
            nodes::create(document.function(*function_id)?, edit)
        }
        Edit::DeleteNode {
            function_id,
            node_id,
        } => nodes::delete(document.function(*function_id)?, *node_id),
        Edit::RenameNode {
            function_id,
            node_id,
            display_name,
        } => nodes::rename(
            document.function(*function_id)?,
            *node_id,
            display_name.clone(),
        ),
        Edit::MoveNode {
            function_id,
            node_id,
            position,
        } => nodes::place(document.function(*function_id)?, *node_id, *position),
        Edit::SetOverload {
            function_id,
            node_id,
            overload,
        } => nodes::choose(document.function(*function_id)?, *node_id, *overload),
        Edit::SetCallee {
            function_id,
            node_id,
            callee,
        } => nodes::follow(document.function(*function_id)?, *node_id, callee),
        Edit::CreateLink { .. } => links::create(document, edit),
        Edit::DeleteLink {
            function_id,
            target_node_id,
            target_parameter_name,
        } => {
            let function = document.function(*function_id)?;
            links::delete(function, *target_node_id, target_parameter_name)
        }
        Edit::SetParameterValue {
            function_id,
            node_id,
            parameter_name,
            value,
        } => {
            let function = document.function(*function_id)?;
            links::set_value(document, function, *node_id, parameter_name, value)
        }
        Edit::AddImageFunction { resource_id, image } => {
            functions::add_image(document, *resource_id, image)
        }
        Edit::RemoveImageFunction { resource_id } => {
            functions::remove_image(document, *resource_id)
        }
        Edit::AddFile { resource_id, file } => files::add(document, *resource_id, file),
        Edit::RemoveFile { resource_id } => files::remove(document, *resource_id),
        Edit::Model(edit) => model::check(document, edit),
        Edit::Knowledge(edit) => knowledge::check(document, edit),
        Edit::Batch(edits) => {
            let mut stage = Stage::new(document);
            stage.push_all(edits)?;
            Ok(stage.finish())
        }
    }
}

/// An edit of one function in steps.
pub(super) fn steps(edit: Edit, inverse: Edit, function: FunctionId, steps: Vec<Step>) -> Checked {
    Checked {
        edit,
        inverse,
        change: Change::default(),
        plan: Plan::Steps(function, steps),
    }
}

/// An edit whose result is there already.
pub(super) fn staged_edit(edit: Edit, inverse: Edit, staged: Document) -> Checked {
    planned(edit, inverse, Plan::Staged(staged))
}

/// An edit that is done in this way and made nothing.
pub(super) fn planned(edit: Edit, inverse: Edit, plan: Plan) -> Checked {
    Checked {
        edit,
        inverse,
        change: Change::default(),
        plan,
    }
}

/// The edits as one.
pub(super) fn one(mut edits: Vec<Edit>) -> Edit {
    if edits.len() == 1 {
        edits.remove(0)
    } else {
        Edit::Batch(edits)
    }
}
