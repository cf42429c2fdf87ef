//! Edits of nodes.

use fibula_nodes::FunctionType;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::Step;
use super::footprint::{Footprint, ProjectItem};
use super::group::EditGroup;
use super::links::{current_overload, keeps_overload, link_to, parameter_name_of, relink};
use super::{Change, Checked, Edit, EditError, LinkEdit, Plan, single_edit};
use crate::graph::{
    self, Document, Function, FunctionId, GraphError, NodeId, Setting, form, input_setting,
};

/// Edits of nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum NodeEdit {
    /// Adds a node.
    #[serde(rename = "create_node")]
    Create {
        /// The function.
        function_id: FunctionId,
        /// Name of the kind.
        node_type: String,
        /// The id; the smallest that was never used if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node_id: Option<NodeId>,
        /// Display name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        display_name: Option<String>,
        /// Position in the diagram.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<[f64; 2]>,
        /// Type of the callee until a reference names a function.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<form::FunctionType>")]
        callee: Option<FunctionType>,
    },
    /// Removes a node and every link to and from it.
    #[serde(rename = "delete_node")]
    Delete {
        /// The function.
        function_id: FunctionId,
        /// The node.
        node_id: NodeId,
    },
    /// Changes or clears the display name of a node.
    #[serde(rename = "rename_node")]
    Rename {
        /// The function.
        function_id: FunctionId,
        /// The node.
        node_id: NodeId,
        /// The new name.
        #[serde(default)]
        display_name: Option<String>,
    },
    /// Changes or clears the position of a node in the diagram.
    #[serde(rename = "move_node")]
    Move {
        /// The function.
        function_id: FunctionId,
        /// The node.
        node_id: NodeId,
        /// The new position.
        #[serde(default)]
        position: Option<[f64; 2]>,
    },
    /// Chooses one of the overloads that the inputs of a node allow.
    SetOverload {
        /// The function.
        function_id: FunctionId,
        /// The node.
        node_id: NodeId,
        /// The overload's index.
        overload: usize,
    },
    /// Sets the type of the callee of a node while no reference names a function.
    SetCallee {
        /// The function.
        function_id: FunctionId,
        /// The node.
        node_id: NodeId,
        /// Type of the callee; without inputs and outputs, the node has none.
        #[schemars(with = "form::FunctionType")]
        callee: FunctionType,
    },
}

impl EditGroup for NodeEdit {
    fn check(&self, document: &Document) -> Result<Checked, EditError> {
        let function = document.function(self.function())?;
        match self {
            NodeEdit::Create {
                node_type,
                node_id,
                display_name,
                position,
                callee,
                ..
            } => create(
                function,
                node_type,
                *node_id,
                display_name.as_deref(),
                *position,
                callee.as_ref(),
            ),
            NodeEdit::Delete { node_id, .. } => delete(function, *node_id),
            NodeEdit::Rename {
                node_id,
                display_name,
                ..
            } => rename(function, *node_id, display_name.clone()),
            NodeEdit::Move {
                node_id, position, ..
            } => reposition(function, *node_id, *position),
            NodeEdit::SetOverload {
                node_id, overload, ..
            } => choose_overload(function, *node_id, *overload),
            NodeEdit::SetCallee {
                node_id, callee, ..
            } => set_callee(function, *node_id, callee),
        }
    }

    fn summary(&self) -> String {
        let function = self.function();
        match self {
            NodeEdit::Create {
                node_type, node_id, ..
            } => {
                let id = node_id.map(|id| format!(" {id}")).unwrap_or_default();
                format!("create {node_type}{id} in function {function}")
            }
            NodeEdit::Delete { node_id, .. } => {
                format!("delete node {node_id} of function {function}")
            }
            NodeEdit::Rename { node_id, .. } => {
                format!("rename node {node_id} of function {function}")
            }
            NodeEdit::Move { node_id, .. } => {
                format!("move node {node_id} of function {function}")
            }
            NodeEdit::SetOverload {
                node_id, overload, ..
            } => format!("choose overload {overload} of node {node_id} in function {function}"),
            NodeEdit::SetCallee { node_id, .. } => {
                format!("change the callee of node {node_id} of function {function}")
            }
        }
    }

    fn add_to(&self, footprint: &mut Footprint) {
        let function = self.function();
        match self {
            NodeEdit::Create { node_id, .. } => {
                footprint.write_all(node_id.map(|node| ProjectItem::Node(function, node)));
            }
            NodeEdit::Delete { node_id, .. } => {
                footprint.write(ProjectItem::Node(function, *node_id));
            }
            NodeEdit::Rename { node_id, .. } => {
                footprint.write(ProjectItem::NodeName(function, *node_id));
            }
            NodeEdit::Move { .. } => {}
            NodeEdit::SetOverload { node_id, .. } | NodeEdit::SetCallee { node_id, .. } => {
                footprint.write(ProjectItem::Overload(function, *node_id));
            }
        }
    }

    fn function_id(&self) -> Option<FunctionId> {
        Some(self.function())
    }

    fn added_nodes(&self) -> usize {
        usize::from(matches!(self, NodeEdit::Create { .. }))
    }

    fn size(&self) -> usize {
        let callee = match self {
            NodeEdit::Create { callee, .. } => callee.as_ref(),
            NodeEdit::SetCallee { callee, .. } => Some(callee),
            NodeEdit::Delete { .. }
            | NodeEdit::Rename { .. }
            | NodeEdit::Move { .. }
            | NodeEdit::SetOverload { .. } => None,
        };
        1 + callee.map_or(0, |ty| ty.inputs.len() + ty.outputs.len())
    }
}

impl NodeEdit {
    fn function(&self) -> FunctionId {
        match self {
            NodeEdit::Create { function_id, .. }
            | NodeEdit::Delete { function_id, .. }
            | NodeEdit::Rename { function_id, .. }
            | NodeEdit::Move { function_id, .. }
            | NodeEdit::SetOverload { function_id, .. }
            | NodeEdit::SetCallee { function_id, .. } => *function_id,
        }
    }
}

fn create(
    function: &Function,
    node_type: &str,
    node_id: Option<NodeId>,
    display_name: Option<&str>,
    position: Option<[f64; 2]>,
    callee: Option<&FunctionType>,
) -> Result<Checked, EditError> {
    let about = graph::node_type(node_type)?;
    if matches!(about.name, "Begin" | "End") {
        let what = format!("a node of type {} cannot be created", about.name);
        return Err(GraphError::ProtectedNode { what }.into());
    }
    if let Some(name) = display_name {
        graph::check_name("a node's name", name)?;
    }
    if let Some(position) = position {
        graph::check_position(position)?;
    }
    let id = match node_id {
        Some(id) if function.has(id) => {
            return Err(GraphError::DuplicateId {
                what: "node",
                id: id.to_string(),
            }
            .into());
        }
        Some(id) => id,
        None => function.next_node_id()?,
    };
    if function.node_count() >= graph::MOST_NODES {
        return Err(GraphError::TooLarge {
            what: "a function",
            limit: graph::MOST_NODES,
            of: "nodes",
        }
        .into());
    }
    let kind = graph::make(about, callee)?;
    let function_id = function.id();
    let facts = NodeEdit::Create {
        function_id,
        node_type: about.name.to_owned(),
        node_id: Some(id),
        display_name: display_name.map(str::to_owned),
        position,
        callee: callee.cloned(),
    };
    let inverse = NodeEdit::Delete {
        function_id,
        node_id: id,
    };
    let step = Step::AddNode {
        id,
        kind,
        name: display_name.map(str::to_owned),
        position,
    };
    let plan = Plan::Steps(function_id, vec![step]);
    Ok(Checked::new(facts, inverse, plan).with_change(Change {
        node_id: Some(id),
        ..Change::default()
    }))
}

fn delete(function: &Function, node_id: NodeId) -> Result<Checked, EditError> {
    let key = function.free_key(node_id, "deleted")?;
    let function_id = function.id();
    let stored = function.stored(key);
    let mut undo = vec![Edit::Node(NodeEdit::Create {
        function_id,
        node_type: stored.kind.info().name.to_owned(),
        node_id: Some(node_id),
        display_name: stored.display_name.clone(),
        position: stored.position,
        callee: function.unnamed_callee(stored),
    })];
    let mut steps = Vec::new();
    let mut deleted_links = Vec::new();
    // The reference comes first, since it decides which other parameters there are.
    let parameters = 0..stored.inputs.len();
    let is_reference = |&place: &usize| stored.signature.parameters[place].refers.is_none();
    let mut parameters: Vec<usize> = parameters.collect();
    parameters.sort_by_key(is_reference);
    for parameter in parameters {
        match input_setting(function, key, parameter) {
            None => continue,
            Some(Setting::Value(value)) => undo.push(Edit::Link(LinkEdit::SetValue {
                function_id,
                node_id,
                parameter_name: parameter_name_of(function, key, parameter),
                value,
            })),
            Some(Setting::Source(_)) => {
                let link = link_to(function, key, parameter).expect("the parameter is linked");
                undo.push(relink(function_id, &link));
                deleted_links.push(link);
            }
        }
        steps.push(Step::Clear(key, parameter));
    }
    if keeps_overload(function, key) {
        undo.push(current_overload(function, key));
    }
    // Taken from the back, each is found at once.
    for consumer in stored.consumers.iter().rev() {
        let link = link_to(function, consumer.node, consumer.parameter);
        let link = link.expect("the consumer is linked");
        undo.push(relink(function_id, &link));
        deleted_links.push(link);
        steps.push(Step::Clear(consumer.node, consumer.parameter));
    }
    deleted_links.sort_unstable();
    steps.push(Step::RemoveNode(key));
    let facts = NodeEdit::Delete {
        function_id,
        node_id,
    };
    let plan = Plan::Steps(function_id, steps);
    Ok(
        Checked::new(facts, single_edit(undo), plan).with_change(Change {
            deleted_links,
            ..Change::default()
        }),
    )
}

fn rename(
    function: &Function,
    node_id: NodeId,
    display_name: Option<String>,
) -> Result<Checked, EditError> {
    let key = function.key(node_id)?;
    if let Some(name) = &display_name {
        graph::check_name("a node's name", name)?;
    }
    let function_id = function.id();
    let to = |display_name: Option<String>| NodeEdit::Rename {
        function_id,
        node_id,
        display_name,
    };
    let inverse = to(function.stored(key).display_name.clone());
    let step = Step::NameNode(key, display_name.clone());
    let plan = Plan::Steps(function_id, vec![step]);
    Ok(Checked::new(to(display_name), inverse, plan))
}

fn reposition(
    function: &Function,
    node_id: NodeId,
    position: Option<[f64; 2]>,
) -> Result<Checked, EditError> {
    let key = function.key(node_id)?;
    if let Some(position) = position {
        graph::check_position(position)?;
    }
    let function_id = function.id();
    let to = |position: Option<[f64; 2]>| NodeEdit::Move {
        function_id,
        node_id,
        position,
    };
    let inverse = to(function.stored(key).position);
    let plan = Plan::Steps(function_id, vec![Step::MoveNode(key, position)]);
    Ok(Checked::new(to(position), inverse, plan))
}

fn choose_overload(
    function: &Function,
    node_id: NodeId,
    overload: usize,
) -> Result<Checked, EditError> {
    let key = function.key(node_id)?;
    let retyping = function.choose(key, overload)?;
    let function_id = function.id();
    let facts = NodeEdit::SetOverload {
        function_id,
        node_id,
        overload,
    };
    let plan = Plan::Steps(function_id, vec![Step::Retype(retyping)]);
    Ok(Checked::new(facts, current_overload(function, key), plan))
}

fn set_callee(
    function: &Function,
    node_id: NodeId,
    callee: &FunctionType,
) -> Result<Checked, EditError> {
    let key = function.key(node_id)?;
    if let Some(named) = function.callee(key) {
        return Err(GraphError::InUse {
            what: function.stored(key).label().to_string(),
            users: vec![format!("it refers to function {named}")],
            hint: "set functionID instead".to_owned(),
        }
        .into());
    }
    // Says so when the kind follows nothing, or names collide.
    graph::make(function.stored(key).kind.info(), Some(callee))?;
    let rekind = function.follow(key, callee, &|_, _| None)?;
    let to = |callee: FunctionType| NodeEdit::SetCallee {
        function_id: function.id(),
        node_id,
        callee,
    };
    let inverse = to(function
        .unnamed_callee(function.stored(key))
        .unwrap_or_default());
    let steps = rekind.map(|rekind| Step::Rekind(Box::new(rekind)));
    let plan = Plan::Steps(function.id(), steps.into_iter().collect());
    Ok(Checked::new(to(callee.clone()), inverse, plan))
}
