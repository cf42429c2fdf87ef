//! Checking one edit: the facts, the inverse and the plan, or the refusal.

use fibula_nodes::Node;
use serde_json::Value as Json;

use super::ports;
use super::stage::Stage;
use super::{Change, Checked, Edit, EditError, LinkData, Plan};
use crate::graph::{
    self, Document, Function, FunctionId, GraphError, InputPlan, NodeId, NodeKey, Resource,
    Retyping, Setting, setting_of,
};

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
}

impl Step {
    pub(super) fn changes_calls(&self, function: &Function) -> bool {
        match self {
            Step::Input(plan) => {
                plan.changes_calls() || refers(function, plan.node, plan.parameter)
            }
            Step::Clear(node, parameter) => refers(function, *node, *parameter),
            Step::Rename(_)
            | Step::AddNode { .. }
            | Step::RemoveNode(_)
            | Step::NameNode(..)
            | Step::MoveNode(..)
            | Step::Retype(_) => false,
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
                let key = function.insert(id, kind);
                function.set_display_name(key, name);
                function.set_position(key, position);
            }
            Step::RemoveNode(key) => function.remove(key),
            Step::NameNode(key, name) => function.set_display_name(key, name),
            Step::MoveNode(key, position) => function.set_position(key, position),
            Step::Input(plan) => function.apply_input(*plan),
            Step::Clear(node, parameter) => function.clear(node, parameter),
            Step::Retype(retyping) => function.apply_retyping(&retyping),
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
        Edit::SetFunction(data) => {
            let mut staged = document.clone();
            let function = document.build(data)?;
            let (id, data) = (function.id(), function.data());
            let inverse = match document.function(id) {
                Ok(before) => Edit::SetFunction(before.data()),
                Err(_) if document.has(id.into()) => {
                    let id = id.to_string();
                    return Err(GraphError::DuplicateId {
                        what: "resource",
                        id,
                    }
                    .into());
                }
                Err(_) => Edit::DeleteFunction { function_id: id },
            };
            let ty = function.ty();
            staged.put(function);
            ports::follow_callers(&mut staged, id.into(), &ty, &|_, _| None)?;
            let change = Change {
                function_id: Some(id),
                ..Change::default()
            };
            Ok(Checked {
                edit: Edit::SetFunction(data),
                inverse,
                change,
                plan: Plan::Staged(staged),
            })
        }
        Edit::DeleteFunction { function_id } => {
            let function = document.function(*function_id)?;
            ports::check_uncalled(document, (*function_id).into(), function.name())?;
            let inverse = Edit::SetFunction(function.data());
            let mut staged = document.clone();
            staged.remove_function(*function_id);
            Ok(staged_edit(edit.clone(), inverse, staged))
        }
        Edit::RenameFunction { function_id, name } => {
            let function = document.function(*function_id)?;
            graph::check_name("a function's name", name)?;
            let inverse = Edit::RenameFunction {
                function_id: *function_id,
                name: function.name().to_owned(),
            };
            Ok(steps(
                edit.clone(),
                inverse,
                *function_id,
                vec![Step::Rename(name.clone())],
            ))
        }
        Edit::AddPort { .. }
        | Edit::RemovePort { .. }
        | Edit::RenamePort { .. }
        | Edit::RetypePort { .. }
        | Edit::MovePort { .. } => ports::check(document, edit),
        Edit::CreateNode {
            function_id,
            node_type,
            node_id,
            display_name,
            position,
        } => {
            let function = document.function(*function_id)?;
            create_node(
                function,
                node_type,
                *node_id,
                display_name.clone(),
                *position,
            )
        }
        Edit::DeleteNode {
            function_id,
            node_id,
        } => delete_node(document.function(*function_id)?, *node_id),
        Edit::RenameNode {
            function_id,
            node_id,
            display_name,
        } => {
            let function = document.function(*function_id)?;
            let key = function.key(*node_id)?;
            if let Some(name) = display_name {
                graph::check_name("a node's name", name)?;
            }
            let inverse = Edit::RenameNode {
                function_id: *function_id,
                node_id: *node_id,
                display_name: function.stored(key).display_name.clone(),
            };
            let step = Step::NameNode(key, display_name.clone());
            Ok(steps(edit.clone(), inverse, *function_id, vec![step]))
        }
        Edit::MoveNode {
            function_id,
            node_id,
            position,
        } => {
            let function = document.function(*function_id)?;
            let key = function.key(*node_id)?;
            if let Some(position) = position {
                graph::check_position(*position)?;
            }
            let inverse = Edit::MoveNode {
                function_id: *function_id,
                node_id: *node_id,
                position: function.stored(key).position,
            };
            let step = Step::MoveNode(key, *position);
            Ok(steps(edit.clone(), inverse, *function_id, vec![step]))
        }
        Edit::CreateLink { .. } => create_link(document, edit),
        Edit::DeleteLink {
            function_id,
            target_node_id,
            target_parameter_name,
        } => {
            let function = document.function(*function_id)?;
            let key = function.key(*target_node_id)?;
            let parameter = function.stored(key).find_parameter(target_parameter_name)?;
            let Some(link) = link_to(function, key, parameter) else {
                let target = function.stored(key).parameter_end(parameter).to_string();
                return Err(EditError::NotLinked { target });
            };
            let facts = Edit::DeleteLink {
                function_id: *function_id,
                target_node_id: link.target_node_id,
                target_parameter_name: link.target_parameter_name.clone(),
            };
            let inverse = relink(*function_id, &link);
            let change = Change {
                deleted_links: vec![link],
                ..Change::default()
            };
            let plan = Plan::Steps(*function_id, vec![Step::Clear(key, parameter)]);
            Ok(Checked {
                edit: facts,
                inverse,
                change,
                plan,
            })
        }
        Edit::SetParameterValue {
            function_id,
            node_id,
            parameter_name,
            value,
        } => {
            let function = document.function(*function_id)?;
            let key = function.key(*node_id)?;
            let parameter = function.stored(key).find_parameter(parameter_name)?;
            let plan = document.plan_value(function, key, parameter, value)?;
            let set = |value: Json| Edit::SetParameterValue {
                function_id: *function_id,
                node_id: *node_id,
                parameter_name: parameter_name_of(function, key, parameter),
                value,
            };
            let facts = set(plan
                .value()
                .map_or(Json::Null, fibula_nodes::Value::to_json));
            let inverse = set(match setting_of(function, key, parameter) {
                Some(Setting::Value(value)) => value,
                Some(Setting::Source(_)) | None => Json::Null,
            });
            let inverse = with_overloads(function, key, &plan, inverse);
            Ok(steps(
                facts,
                inverse,
                *function_id,
                vec![Step::Input(Box::new(plan))],
            ))
        }
        Edit::SetOverload {
            function_id,
            node_id,
            overload,
        } => {
            let function = document.function(*function_id)?;
            let key = function.key(*node_id)?;
            let retyping = function.choose(key, *overload)?;
            let inverse = set_overload(function, key);
            Ok(steps(
                edit.clone(),
                inverse,
                *function_id,
                vec![Step::Retype(retyping)],
            ))
        }
        Edit::AddImageFunction { resource_id, image } => {
            graph::check_name("an image function's name", &image.name)?;
            let mut staged = document.clone();
            staged.insert_resource(*resource_id, Resource::ImageFunction(image.clone()))?;
            let inverse = Edit::RemoveImageFunction {
                resource_id: *resource_id,
            };
            Ok(staged_edit(edit.clone(), inverse, staged))
        }
        Edit::RemoveImageFunction { resource_id } => {
            let Some(Resource::ImageFunction(image)) = document.resource(*resource_id) else {
                return Err(EditError::UnknownResource(*resource_id));
            };
            ports::check_uncalled(document, *resource_id, &image.name)?;
            let inverse = Edit::AddImageFunction {
                resource_id: *resource_id,
                image: image.clone(),
            };
            let mut staged = document.clone();
            staged.remove_resource(*resource_id);
            Ok(staged_edit(edit.clone(), inverse, staged))
        }
        Edit::Batch(edits) => {
            let mut stage = Stage::new(document);
            for edit in edits {
                stage.push(edit)?;
            }
            Ok(stage.finish())
        }
    }
}

fn steps(edit: Edit, inverse: Edit, function: FunctionId, steps: Vec<Step>) -> Checked {
    Checked {
        edit,
        inverse,
        change: Change::default(),
        plan: Plan::Steps(function, steps),
    }
}

pub(super) fn staged_edit(edit: Edit, inverse: Edit, staged: Document) -> Checked {
    Checked {
        edit,
        inverse,
        change: Change::default(),
        plan: Plan::Staged(staged),
    }
}

fn parameter_name_of(function: &Function, key: NodeKey, parameter: usize) -> String {
    function.stored(key).signature.parameters[parameter]
        .name
        .to_string()
}

/// The link to a parameter, written out.
fn link_to(function: &Function, node: NodeKey, parameter: usize) -> Option<LinkData> {
    match setting_of(function, node, parameter)? {
        Setting::Value(_) => None,
        Setting::Source(source) => Some(LinkData {
            source_node_id: source.node_id,
            source_port_name: source.port,
            target_node_id: function.stored(node).id,
            target_parameter_name: parameter_name_of(function, node, parameter),
        }),
    }
}

fn relink(function_id: FunctionId, link: &LinkData) -> Edit {
    Edit::CreateLink {
        function_id,
        source_node_id: link.source_node_id,
        source_port_name: link.source_port_name.clone(),
        target_node_id: link.target_node_id,
        target_parameter_name: link.target_parameter_name.clone(),
        replace: true,
        insert_conversion: false,
    }
}

/// The overload that a node has now, as an edit.
fn set_overload(function: &Function, key: NodeKey) -> Edit {
    let stored = function.stored(key);
    Edit::SetOverload {
        function_id: function.id(),
        node_id: stored.id,
        overload: stored.rule,
    }
}

/// Whether a node has an overload that its inputs alone would not choose.
fn kept(function: &Function, key: NodeKey) -> bool {
    let stored = function.stored(key);
    function.resolved(stored) != Some(stored.rule)
}

/// The inverse of a plan, which also brings back overloads that the inputs alone would not choose.
fn with_overloads(function: &Function, key: NodeKey, plan: &InputPlan, inverse: Edit) -> Edit {
    let mut edits = vec![inverse];
    let retyped = plan
        .retyped()
        .map(|(node, _)| node)
        .filter(|&node| node != key);
    for node in std::iter::once(key).chain(retyped) {
        if kept(function, node) {
            edits.push(set_overload(function, node));
        }
    }
    one(edits)
}

/// The edits as one.
pub(super) fn one(mut edits: Vec<Edit>) -> Edit {
    if edits.len() == 1 {
        edits.remove(0)
    } else {
        Edit::Batch(edits)
    }
}

fn create_node(
    function: &Function,
    node_type: &str,
    node_id: Option<NodeId>,
    display_name: Option<String>,
    position: Option<[f64; 2]>,
) -> Result<Checked, EditError> {
    let about = graph::node_type(node_type)?;
    if matches!(about.name, "Begin" | "End") {
        let what = format!("a node of the kind {} cannot be created", about.name);
        return Err(GraphError::ProtectedNode { what }.into());
    }
    if let Some(name) = &display_name {
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
    let facts = Edit::CreateNode {
        function_id: function.id(),
        node_type: about.name.to_owned(),
        node_id: Some(id),
        display_name: display_name.clone(),
        position,
    };
    let inverse = Edit::DeleteNode {
        function_id: function.id(),
        node_id: id,
    };
    let step = Step::AddNode {
        id,
        kind: (about.make)(),
        name: display_name,
        position,
    };
    let change = Change {
        node_id: Some(id),
        ..Change::default()
    };
    Ok(Checked {
        edit: facts,
        inverse,
        change,
        plan: Plan::Steps(function.id(), vec![step]),
    })
}

fn delete_node(function: &Function, node_id: NodeId) -> Result<Checked, EditError> {
    let key = function.free_key(node_id, "deleted")?;
    let function_id = function.id();
    let stored = function.stored(key);
    let mut undo = vec![Edit::CreateNode {
        function_id,
        node_type: stored.kind.about().name.to_owned(),
        node_id: Some(node_id),
        display_name: stored.display_name.clone(),
        position: stored.position,
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
    let mut consumers: Vec<(NodeId, usize, NodeKey)> = stored
        .consumers
        .iter()
        .map(|consumer| {
            (
                function.stored(consumer.node).id,
                consumer.parameter,
                consumer.node,
            )
        })
        .collect();
    consumers.sort_unstable();
    for (_, parameter, consumer) in consumers {
        let link = link_to(function, consumer, parameter).expect("the consumer is linked");
        undo.push(relink(function_id, &link));
        deleted_links.push(link);
        steps.push(Step::Clear(consumer, parameter));
    }
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

fn create_link(document: &Document, edit: &Edit) -> Result<Checked, EditError> {
    let Edit::CreateLink {
        function_id,
        source_node_id,
        source_port_name,
        target_node_id,
        target_parameter_name,
        replace,
        insert_conversion,
    } = edit
    else {
        unreachable!("called for links only");
    };
    let function = document.function(*function_id)?;
    let (source, target) = (
        function.key(*source_node_id)?,
        function.key(*target_node_id)?,
    );
    let port = function.stored(source).find_port(source_port_name)?;
    let parameter = function
        .stored(target)
        .find_parameter(target_parameter_name)?;
    let plan = match document.plan_link(function, (source, port), (target, parameter), *replace) {
        Ok(plan) => plan,
        Err(error) if *insert_conversion && !error.bridges().is_empty() => {
            return convert(document, edit, error);
        }
        Err(error) => return Err(error.into()),
    };
    let before = setting_of(function, target, parameter);
    let name = parameter_name_of(function, target, parameter);
    let facts = Edit::CreateLink {
        function_id: *function_id,
        source_node_id: *source_node_id,
        source_port_name: function.stored(source).signature.ports[port]
            .name
            .to_string(),
        target_node_id: *target_node_id,
        target_parameter_name: name.clone(),
        replace: *replace,
        insert_conversion: false,
    };
    let unlink = Edit::DeleteLink {
        function_id: *function_id,
        target_node_id: *target_node_id,
        target_parameter_name: name.clone(),
    };
    let mut deleted_links = Vec::new();
    let inverse = match before {
        None => unlink,
        Some(Setting::Value(value)) => {
            let set = Edit::SetParameterValue {
                function_id: *function_id,
                node_id: *target_node_id,
                parameter_name: name,
                value,
            };
            Edit::Batch(vec![unlink, set])
        }
        Some(Setting::Source(_)) => {
            let link = link_to(function, target, parameter).expect("the parameter is linked");
            let inverse = relink(*function_id, &link);
            deleted_links.push(link);
            inverse
        }
    };
    let inverse = with_overloads(function, target, &plan, inverse);
    let change = Change {
        deleted_links,
        ..Change::default()
    };
    let plan = Plan::Steps(*function_id, vec![Step::Input(Box::new(plan))]);
    Ok(Checked {
        edit: facts,
        inverse,
        change,
        plan,
    })
}

/// The link by way of the first node that converts its type, or the refusal if that does not do either.
fn convert(document: &Document, edit: &Edit, error: GraphError) -> Result<Checked, EditError> {
    let Edit::CreateLink {
        function_id,
        source_node_id,
        source_port_name,
        target_node_id,
        target_parameter_name,
        replace,
        ..
    } = edit
    else {
        return Err(error.into());
    };
    let bridge = graph::node_type(error.bridges()[0])?;
    let mut stage = Stage::new(document);
    let node = stage.push(&Edit::CreateNode {
        function_id: *function_id,
        node_type: bridge.name.to_owned(),
        node_id: None,
        display_name: None,
        position: None,
    })?;
    let conversion = node.node_id.expect("a node was created");
    let link = |from: NodeId, port: &str, to: NodeId, parameter: &str| Edit::CreateLink {
        function_id: *function_id,
        source_node_id: from,
        source_port_name: port.to_owned(),
        target_node_id: to,
        target_parameter_name: parameter.to_owned(),
        replace: *replace,
        insert_conversion: false,
    };
    for parameter in &bridge.signature.parameters {
        stage.push(&link(
            *source_node_id,
            source_port_name,
            conversion,
            &parameter.name,
        ))?;
    }
    let port = &bridge.signature.ports[0].name;
    match stage.push(&link(
        conversion,
        port,
        *target_node_id,
        target_parameter_name,
    )) {
        Ok(last) => {
            let mut checked = stage.finish();
            checked.change = Change {
                conversion: Some(conversion),
                deleted_links: last.deleted_links,
                ..Change::default()
            };
            Ok(checked)
        }
        Err(_) => Err(error.into()),
    }
}
