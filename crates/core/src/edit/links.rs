//! Edits of links and values, and how they are put back.

use serde_json::Value as Json;

use super::check::{Step, one, steps};
use super::stage::Stage;
use super::{Change, Checked, Edit, EditError, LinkData, Plan};
use crate::graph::{
    self, Document, Function, FunctionId, GraphError, InputPlan, NodeId, NodeKey, Setting,
    input_setting,
};

pub(super) fn create(document: &Document, edit: &Edit) -> Result<Checked, EditError> {
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
        Err(error) if *insert_conversion && error.conversion().is_some() => {
            return convert(document, edit, error);
        }
        Err(error) => return Err(error.into()),
    };
    let before = input_setting(function, target, parameter);
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
    let inverse = with_choices(function, target, &plan, inverse);
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
    let Some(bridge) = error.conversion() else {
        return Err(error.into());
    };
    let bridge = graph::node_type(bridge)?;
    let mut stage = Stage::new(document);
    let node = stage.push(&Edit::CreateNode {
        function_id: *function_id,
        node_type: bridge.name.to_owned(),
        node_id: None,
        display_name: None,
        position: None,
        callee: None,
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
        // The types were not all that is in the way.
        Err(inner) => Err(inner),
    }
}

pub(super) fn delete(
    function: &Function,
    target: NodeId,
    parameter_name: &str,
) -> Result<Checked, EditError> {
    let key = function.key(target)?;
    let parameter = function.stored(key).find_parameter(parameter_name)?;
    let Some(link) = link_to(function, key, parameter) else {
        let target = function.stored(key).parameter_end(parameter).to_string();
        return Err(EditError::NotLinked { target });
    };
    let edit = Edit::DeleteLink {
        function_id: function.id(),
        target_node_id: link.target_node_id,
        target_parameter_name: link.target_parameter_name.clone(),
    };
    let inverse = relink(function.id(), &link);
    let change = Change {
        deleted_links: vec![link],
        ..Change::default()
    };
    let plan = Plan::Steps(function.id(), vec![Step::Clear(key, parameter)]);
    Ok(Checked {
        edit,
        inverse,
        change,
        plan,
    })
}

pub(super) fn set_value(
    document: &Document,
    function: &Function,
    node_id: NodeId,
    parameter_name: &str,
    value: &Json,
) -> Result<Checked, EditError> {
    let key = function.key(node_id)?;
    let parameter = function.stored(key).find_parameter(parameter_name)?;
    let plan = document.plan_value(function, key, parameter, value)?;
    let set = |value: Json| Edit::SetParameterValue {
        function_id: function.id(),
        node_id,
        parameter_name: parameter_name_of(function, key, parameter),
        value,
    };
    let facts = set(plan
        .value()
        .map_or(Json::Null, fibula_nodes::Value::to_json));
    let before = set(match input_setting(function, key, parameter) {
        Some(Setting::Value(value)) => value,
        Some(Setting::Source(_)) | None => Json::Null,
    });
    let inverse = with_choices(function, key, &plan, before);
    Ok(steps(
        facts,
        inverse,
        function.id(),
        vec![Step::Input(Box::new(plan))],
    ))
}

pub(super) fn parameter_name_of(function: &Function, key: NodeKey, parameter: usize) -> String {
    function.stored(key).signature.parameters[parameter]
        .name
        .to_string()
}

/// The link to a parameter, written out.
pub(super) fn link_to(function: &Function, node: NodeKey, parameter: usize) -> Option<LinkData> {
    match input_setting(function, node, parameter)? {
        Setting::Value(_) => None,
        Setting::Source(source) => Some(LinkData {
            source_node_id: source.node_id,
            source_port_name: source.port,
            target_node_id: function.stored(node).id,
            target_parameter_name: parameter_name_of(function, node, parameter),
        }),
    }
}

pub(super) fn relink(function_id: FunctionId, link: &LinkData) -> Edit {
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
pub(super) fn set_overload(function: &Function, key: NodeKey) -> Edit {
    let stored = function.stored(key);
    Edit::SetOverload {
        function_id: function.id(),
        node_id: stored.id,
        overload: stored.rule,
    }
}

/// Whether a node has an overload that its inputs alone would not choose.
pub(super) fn kept(function: &Function, key: NodeKey) -> bool {
    let stored = function.stored(key);
    function.resolved(stored) != Some(stored.rule)
}

/// The inverse of a plan, which also brings back what links and values alone would not: overloads, and what a node
/// followed while no reference named a function.
fn with_choices(function: &Function, key: NodeKey, plan: &InputPlan, inverse: Edit) -> Edit {
    let mut edits = vec![inverse];
    for node in plan
        .rekinded()
        .filter(|&node| function.callee(node).is_none())
    {
        let stored = function.stored(node);
        edits.push(Edit::SetCallee {
            function_id: function.id(),
            node_id: stored.id,
            callee: function.unnamed_callee(stored).unwrap_or_default(),
        });
    }
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
