//! Nodes: calls, constants, values.

use fibula_core::graph::{FunctionId, NodeId};
use fibula_nodes::Type;
use fibula_server::operation::{Call, Operation};
use fibula_service::{
    ApplyEdits, Effects, FunctionKey, GetNodeInfo, ListNodes, NodeInfo, NodesListed, Refusal,
    SetParameterValue,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    EditNotes, Members, NAME, apply, function, invalid, kind_name, members, named, port, type_name,
    unique_name,
};

requests! {
    CreateFunctionCallNode {
        /// Same as target_function_id, which may then be left out.
        #[schemars(with = "Option<FunctionKey>")]
        function_id: Option<FunctionId>,
        /// The function to which the nodes are added.
        #[schemars(with = "Option<FunctionKey>")]
        target_function_id: Option<FunctionId>,
        /// The called function.
        #[schemars(with = "FunctionKey")]
        referenced_function_id: FunctionId,
        /// Name of the call; default: that of the function.
        display_name: Option<String>,
    }

    CreateConstantNodes {
        /// The function.
        #[schemars(with = "FunctionKey")]
        function_id: FunctionId,
        /// The node without values.
        node_id: u32,
        /// false creates the nodes without links; default true.
        auto_connect: Option<bool>,
    }

    SetParameter {
        /// The function.
        #[schemars(with = "FunctionKey")]
        model_id: FunctionId,
        /// The node's unique_name or display_name, or its id.
        node_name: String,
        /// Its parameter.
        parameter_name: String,
        /// The value, a number or a text.
        value: Value,
        /// Type of the value.
        r#type: ValueType,
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct CallCreated {
    success: bool,
    target_function_id: u32,
    referenced_function_id: u32,
    display_name: String,
    /// {id, unique_name, display_name, type}
    resource_node: Members,
    /// {id, unique_name, display_name, type}
    function_call_node: Members,
    /// Each {name, type}.
    unconnected_inputs: Vec<Members>,
    /// Each {name, type}.
    outputs: Vec<Members>,
    revision: u64,
    #[serde(flatten)]
    notes: EditNotes,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ConstantsCreated {
    success: bool,
    function_id: u32,
    node_id: u32,
    auto_connect: bool,
    /// Each {name, type}, with error if the type has no constant.
    unconnected_parameters: Vec<Members>,
    created_constant_nodes: Vec<Members>,
    created_links: Vec<Members>,
    total_created_nodes: usize,
    total_created_links: usize,
    message: String,
    revision: u64,
    #[serde(flatten)]
    notes: EditNotes,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ValueType {
    Float,
    String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ParameterSet {
    success: bool,
    model_id: u32,
    node_name: String,
    node_id: u32,
    parameter_name: String,
    #[schemars(with = "String")]
    value: Value,
    r#type: ValueType,
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<Value>,
    revision: u64,
    #[serde(flatten)]
    notes: EditNotes,
}

pub(super) fn operations() -> Vec<Operation> {
    tools! {
        Add "create_function_call_node", "Create a function call node", Operation::quick(create_function_call_node),
            "Adds a call of another function: a Resource node with its id, linked to a FunctionCall node.",
            r#"{"target_function_id":3,"referenced_function_id":1}"#;
        AddOnce "create_constant_nodes_for_missing_parameters", "Create constant nodes for missing parameters",
            Operation::quick(create_constant_nodes_for_missing_parameters),
            "Creates a constant for every parameter of a node that is neither set nor linked, and links it.",
            r#"{"function_id":1,"node_id":3}"#;
        Set "set_parameter", "Set a parameter", Operation::quick(set_parameter),
            "Sets a parameter of a node, which is found by its name.",
            r#"{"model_id":1,"node_name": "ConstantScalar_2","parameter_name":"value","value":5,"type":"float"}"#;
    }
}

fn create_function_call_node(
    call: &Call,
    request: CreateFunctionCallNode,
) -> Result<CallCreated, Refusal> {
    let (project, referenced_function_id) = (request.project, request.referenced_function_id);
    let target = match (request.target_function_id, request.function_id) {
        (Some(target), Some(function)) if target != function => {
            let message = "function_id and target_function_id differ";
            let hint = "both are the function to which the nodes are added; omit function_id";
            return Err(invalid(message).hint(hint));
        }
        (Some(target), _) | (None, Some(target)) => target,
        (None, None) => {
            let message = "`target_function_id` is missing: the function to which the nodes are \
                added";
            return Err(invalid(message));
        }
    };
    let name = match request.display_name.filter(|name| !name.is_empty()) {
        Some(name) => name,
        None => {
            function(&call.service, project.clone(), referenced_function_id)?
                .function
                .name
        }
    };
    let source = json!({ "node_id": "$resource", "port": "value" });
    let edits = vec![
        json!({ "create_node": {
            "function_id": target,
            "node_type": "Resource",
            "node_id": "$resource",
            "display_name": format!("{name}_Resource"),
            "parameters": { "resourceid": { "value": referenced_function_id } },
        } }),
        json!({ "create_node": {
            "function_id": target,
            "node_type": "FunctionCall",
            "node_id": "$call",
            "display_name": name,
            "parameters": { "functionID": { "source": source } },
        } }),
    ];
    let applied = apply(call, project.clone(), edits)?;
    let info = |alias: &str| {
        let id = applied.ids.get(alias).copied().unwrap_or_default();
        call.service.get_node_info(&GetNodeInfo {
            project: project.clone(),
            function_id: target,
            node_id: NodeId(id),
            revision: Some(applied.revision),
        })
    };
    let (resource, call) = (info("$resource")?, info("$call")?);
    let unset = missing(&call);
    let unset = unset.map(|(name, ty)| port(name, ty));
    let outputs = call.outputs.iter();
    let outputs = outputs.map(|(name, output)| port(name, output.r#type));
    Ok(CallCreated {
        success: true,
        target_function_id: target.0,
        referenced_function_id: referenced_function_id.0,
        display_name: name,
        resource_node: named(&resource),
        function_call_node: named(&call),
        unconnected_inputs: unset.collect(),
        outputs: outputs.collect(),
        revision: applied.revision,
        notes: applied.into(),
    })
}

fn create_constant_nodes_for_missing_parameters(
    call: &Call,
    request: CreateConstantNodes,
) -> Result<ConstantsCreated, Refusal> {
    let (function_id, node_id) = (request.function_id, request.node_id);
    let auto_connect = request.auto_connect.unwrap_or(true);
    let info = call.service.get_node_info(&GetNodeInfo {
        project: request.project.clone(),
        function_id,
        node_id: NodeId(node_id),
        revision: None,
    })?;
    let (mut edits, mut unset, mut made) = (Vec::new(), Vec::new(), Vec::new());
    for (place, (name, ty)) in missing(&info).enumerate() {
        let mut parameter = port(name, ty);
        let Some((kind, output)) = constant(ty) else {
            let error = "Unsupported parameter type for constant node creation";
            parameter.insert("error".to_owned(), error.into());
            unset.push(parameter);
            continue;
        };
        unset.push(parameter);
        let alias = format!("$c{place}");
        edits.push(json!({ "create_node": {
            "function_id": function_id,
            "node_type": kind,
            "node_id": alias,
            "display_name": name,
        } }));
        if auto_connect {
            edits.push(json!({ "create_link": {
                "function_id": function_id,
                "source_node_id": alias,
                "source_port_name": output,
                "target_node_id": node_id,
                "target_parameter_name": name,
            } }));
        }
        made.push((alias, name, ty, kind, output));
    }
    let applied = call.service.apply_edits(
        &call.origin,
        ApplyEdits {
            project: request.project,
            edits,
            expected_revision: Some(info.revision),
            ..ApplyEdits::default()
        },
    )?;
    let id = |alias: &str| applied.ids.get(alias).copied().unwrap_or_default();
    let nodes = made.iter().map(|(alias, name, ty, kind, _)| {
        members(json!({
            "id": id(alias),
            "unique_name": unique_name(kind, id(alias)),
            "display_name": name,
            "type": kind,
            "parameter_name": name,
            "parameter_type": type_name(*ty),
        }))
    });
    let nodes: Vec<Members> = nodes.collect();
    let links = made.iter().filter(|_| auto_connect);
    let links = links.map(|(alias, name, _, _, output)| {
        members(json!({
            "source_node_id": id(alias),
            "source_port_name": output,
            "target_node_id": node_id,
            "target_parameter_name": name,
        }))
    });
    let links: Vec<Members> = links.collect();
    let message = match nodes.len() {
        0 => "No missing parameters found that require constant nodes".to_owned(),
        count => format!("Created {count} constant node(s) for missing parameters"),
    };
    Ok(ConstantsCreated {
        success: true,
        function_id: function_id.0,
        node_id,
        auto_connect,
        unconnected_parameters: unset,
        total_created_nodes: nodes.len(),
        total_created_links: links.len(),
        created_constant_nodes: nodes,
        created_links: links,
        message,
        revision: applied.revision,
        notes: applied.into(),
    })
}

fn set_parameter(call: &Call, request: SetParameter) -> Result<ParameterSet, Refusal> {
    let (model_id, value) = (request.model_id, request.value);
    let fits = match request.r#type {
        ValueType::Float => value.is_number(),
        ValueType::String => value.is_string(),
    };
    if !fits {
        let kind = json!(request.r#type);
        let message = format!("the value {value} is not of the type {kind}");
        return Err(Refusal::new("invalid_value", message));
    }
    let whole = ListNodes::whole(request.project.clone(), model_id);
    let held = call.service.list_nodes(&whole)?;
    let node_id = by_name(&held, &request.node_name)?;
    let set = call.service.set_parameter_value(
        &call.origin,
        SetParameterValue {
            project: request.project,
            function_id: model_id,
            node_id: Some(node_id),
            parameter_name: Some(request.parameter_name.clone()),
            value: Some(value.clone()),
            values: None,
            expected_revision: Some(held.revision),
            dry_run: false,
        },
    )?;
    Ok(ParameterSet {
        success: true,
        model_id: model_id.0,
        node_name: request.node_name,
        node_id: node_id.0,
        parameter_name: request.parameter_name,
        value,
        r#type: request.r#type,
        previous: set.previous,
        revision: set.revision,
        notes: EditNotes {
            effects: Effects {
                affects: set.affects,
                ..Effects::default()
            },
            intent: set.intent,
            warnings: set.warnings,
            ..EditNotes::default()
        },
    })
}

/// Returns the parameters that are neither set nor linked and have no default.
fn missing(info: &NodeInfo) -> impl Iterator<Item = (&str, Type)> {
    let all = info.parameters.iter();
    let unset = all.filter(|(_, parameter)| {
        parameter.value.is_none() && parameter.source.is_none() && parameter.default.is_none()
    });
    unset.map(|(name, parameter)| (name.as_str(), parameter.r#type))
}

/// Returns the kind of constant of a type, and its port.
fn constant(ty: Type) -> Option<(&'static str, &'static str)> {
    match ty {
        Type::Float => Some(("ConstantScalar", "value")),
        Type::Float3 => Some(("ConstantVector", "vector")),
        Type::Matrix4x4 => Some(("ConstantMatrix", "matrix")),
        Type::ResourceId => Some(("Resource", "value")),
        Type::Integer | Type::String => None,
    }
}

/// Finds a node by its name.
fn by_name(held: &NodesListed, name: &str) -> Result<NodeId, Refusal> {
    let nodes = || held.nodes.iter().map(|(info, _)| info);
    let unique = |info: &&NodeInfo| {
        let kind = kind_name(&info.node_type);
        unique_name(kind, info.node_id.0) == name || info.node_id.0.to_string() == name
    };
    if let Some(info) = nodes().find(unique) {
        return Ok(info.node_id);
    }
    let mut shown = nodes().filter(|info| info.display_name == name);
    let name: String = name.chars().take(80).collect();
    match (shown.next(), shown.next()) {
        (Some(info), None) => Ok(info.node_id),
        (Some(_), Some(_)) => Err(invalid(format!("several nodes are named '{name}'"))
            .hint("pass the unique_name, as in get_function_graph")),
        (None, _) => {
            let message = format!("no node is named '{name}'");
            Err(Refusal::new("unknown_node", message).hint("get_function_graph lists all names"))
        }
    }
}
