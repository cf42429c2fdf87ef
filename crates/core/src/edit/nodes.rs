//! Edits of nodes.

use fibula_nodes::FunctionType;

use super::check::{Step, one, steps};
use super::links::{kept, link_to, parameter_name_of, relink, set_overload};
use super::{Change, Checked, Edit, EditError, Plan};
use crate::graph::{self, Function, GraphError, NodeId, Setting, setting_of};

pub(super) fn create(function: &Function, edit: &Edit) -> Result<Checked, EditError> {
    let Edit::CreateNode {
        node_type,
        node_id,
        display_name,
        position,
        callee,
        ..
    } = edit
    else {
        unreachable!("called for the creation of nodes only");
    };
    let about = graph::node_type(node_type)?;
    if matches!(about.name, "Begin" | "End") {
        let what = format!("a node of the kind {} cannot be created", about.name);
        return Err(GraphError::ProtectedNode { what }.into());
    }
    if let Some(name) = display_name {
        graph::check_name("a node's name", name)?;
    }
    if let Some(position) = position {
        graph::check_position(*position)?;
    }
    let id = match *node_id {
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
        }
        .into());
    }
    let kind = graph::make(about, callee.as_ref())?;
    let function_id = function.id();
    let facts = Edit::CreateNode {
        function_id,
        node_type: about.name.to_owned(),
        node_id: Some(id),
        display_name: display_name.clone(),
        position: *position,
        callee: callee.clone(),
    };
    let inverse = Edit::DeleteNode {
        function_id,
        node_id: id,
    };
    let step = Step::AddNode {
        id,
        kind,
        name: display_name.clone(),
        position: *position,
    };
    let change = Change {
        node_id: Some(id),
        ..Change::default()
    };
    Ok(Checked {
        edit: facts,
        inverse,
        change,
        plan: Plan::Steps(function_id, vec![step]),
    })
}

pub(super) fn delete(function: &Function, node_id: NodeId) -> Result<Checked, EditError> {
    let key = function.free_key(node_id, "deleted")?;
    let function_id = function.id();
    let stored = function.stored(key);
    let mut undo = vec![Edit::CreateNode {
        function_id,
        node_type: stored.kind.info().name.to_owned(),
        node_id: Some(node_id),
        display_name: stored.display_name.clone(),
        position: stored.position,
        callee: function.unnamed_callee(stored),
    }];
    let mut steps = Vec::new();
    let mut deleted_links = Vec::new();
    // The reference comes first, since it decides which other parameters there are.
    let parameters = 0..stored.inputs.len();
    let is_reference = |&place: &usize| stored.signature.parameters[place].refers.is_none();
    let mut parameters: Vec<usize> = parameters.collect();
    parameters.sort_by_key(is_reference);
    for parameter in parameters {
        match setting_of(function, key, parameter) {
            None => continue,
            Some(Setting::Value(value)) => undo.push(Edit::SetParameterValue {
                function_id,
                node_id,
                parameter_name: parameter_name_of(function, key, parameter),
                value,
            }),
            Some(Setting::Source(_)) => {
                let link = link_to(function, key, parameter).expect("the parameter is linked");
                undo.push(relink(function_id, &link));
                deleted_links.push(link);
            }
        }
        steps.push(Step::Clear(key, parameter));
    }
    if kept(function, key) {
        undo.push(set_overload(function, key));
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
    Ok(Checked {
        edit: Edit::DeleteNode {
            function_id,
            node_id,
        },
        inverse: one(undo),
        change: Change {
            deleted_links,
            ..Change::default()
        },
        plan: Plan::Steps(function_id, steps),
    })
}

pub(super) fn rename(
    function: &Function,
    node_id: NodeId,
    display_name: Option<String>,
) -> Result<Checked, EditError> {
    let key = function.key(node_id)?;
    if let Some(name) = &display_name {
        graph::check_name("a node's name", name)?;
    }
    let function_id = function.id();
    let to = |display_name: Option<String>| Edit::RenameNode {
        function_id,
        node_id,
        display_name,
    };
    let inverse = to(function.stored(key).display_name.clone());
    let step = Step::NameNode(key, display_name.clone());
    Ok(steps(to(display_name), inverse, function_id, vec![step]))
}

pub(super) fn place(
    function: &Function,
    node_id: NodeId,
    position: Option<[f64; 2]>,
) -> Result<Checked, EditError> {
    let key = function.key(node_id)?;
    if let Some(position) = position {
        graph::check_position(position)?;
    }
    let function_id = function.id();
    let to = |position: Option<[f64; 2]>| Edit::MoveNode {
        function_id,
        node_id,
        position,
    };
    let inverse = to(function.stored(key).position);
    Ok(steps(
        to(position),
        inverse,
        function_id,
        vec![Step::MoveNode(key, position)],
    ))
}

pub(super) fn choose(
    function: &Function,
    node_id: NodeId,
    overload: usize,
) -> Result<Checked, EditError> {
    let key = function.key(node_id)?;
    let retyping = function.choose(key, overload)?;
    let facts = Edit::SetOverload {
        function_id: function.id(),
        node_id,
        overload,
    };
    let inverse = set_overload(function, key);
    Ok(steps(
        facts,
        inverse,
        function.id(),
        vec![Step::Retype(retyping)],
    ))
}

pub(super) fn follow(
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
    let to = |callee: FunctionType| Edit::SetCallee {
        function_id: function.id(),
        node_id,
        callee,
    };
    let inverse = to(function
        .unnamed_callee(function.stored(key))
        .unwrap_or_default());
    let steps_to = rekind
        .map(|rekind| Step::Rekind(Box::new(rekind)))
        .into_iter()
        .collect();
    Ok(steps(to(callee.clone()), inverse, function.id(), steps_to))
}
