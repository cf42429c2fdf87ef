//! Reading and writing whole graphs of functions.

use std::collections::{BTreeMap, BTreeSet};

use fibula_core::graph::FunctionId;
use fibula_server::operation::{Call, Operation, Work};
use fibula_service::{
    ApplyEdits, FunctionInfo, FunctionKey, ListNodes, NodeInfo, NodesListed, Refusal,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{EditNotes, Members, NAME, invalid, members, named, port, type_name, without_nulls};

requests! {
    GetFunctionGraph {
        /// The function.
        #[schemars(with = "FunctionKey")]
        function_id: FunctionId,
        /// State at this revision.
        revision: Option<u64>,
        /// Maximum number of nodes per page.
        limit: Option<u32>,
        /// next_cursor of the last page.
        cursor: Option<String>,
    }

    SetFunctionGraph {
        /// The function, which keeps its inputs and outputs.
        #[schemars(with = "FunctionKey")]
        function_id: FunctionId,
        /// {nodes: [{id, type, display_name?, position?, parameters?: [{name, value}]}], links: [{from_node_id, from_port,
        /// to_node_id, to_parameter}]}. Nodes of the types Input and Output stand for the function's own.
        #[schemars(with = "Members")]
        graph: Graph,
        /// false adds to the existing graph; default true.
        replace: Option<bool>,
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct FunctionGraph {
    success: bool,
    requested_function_id: u32,
    /// {resource_id, name, display_name, inputs, outputs}
    model: Members,
    /// Each {id, type, unique_name, display_name, position, parameters, outputs}; Output is node 0.
    nodes: Vec<Members>,
    /// The links to these nodes, each {from_node_id, from_port, to_node_id, to_parameter, type}.
    links: Vec<Members>,
    /// {nodes, links} of the whole function.
    counts: Members,
    revision: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// A graph in the form of Gladius.
#[derive(Debug, Deserialize)]
struct Graph {
    model: Option<Model>,
    nodes: Vec<Node>,
    #[serde(default)]
    links: Vec<Link>,
}

#[derive(Debug, Deserialize)]
struct Model {
    display_name: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Node {
    id: Option<u32>,
    #[serde(rename = "type")]
    kind: String,
    display_name: Option<String>,
    position: Option<[f64; 2]>,
    #[serde(default)]
    parameters: Vec<Parameter>,
}

#[derive(Debug, Deserialize)]
struct Parameter {
    name: String,
    value: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Link {
    from_node_id: u32,
    from_port: String,
    to_node_id: u32,
    to_parameter: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct GraphSet {
    success: bool,
    requested_function_id: u32,
    /// {ID in the graph: id of the node}
    id_map: Members,
    revision: u64,
    #[serde(flatten)]
    notes: EditNotes,
}

pub(super) fn operations() -> Vec<Operation> {
    tools! {
        Read "get_function_graph", "Get a function's graph", Operation::quick(get_function_graph),
            "Returns a function as nodes and links; set_function_graph accepts the same.", r#"{"function_id":1}"#;
        Change "set_function_graph", "Set a function's graph", Operation::work(set_function_graph),
            "Replaces the whole graph of a function.",
            "{\"function_id\":1,\"graph\":{\"nodes\": [{\"id\":1,\"type\":\"Input\"},{\"id\":2,\"type\":\"Output\"},\
             {\"id\":3,\"type\":\"Length\"}],\"links\":[{\"from_node_id\":1, \"from_port\":\"pos\",\"to_node_id\":3,\
             \"to_parameter\":\"A\"},{\"from_node_id\":3,\"from_port\":\"result\",\"to_node_id\":2, \
             \"to_parameter\":\"shape\"}]}}";
    }
}

fn get_function_graph(call: &Call, request: GetFunctionGraph) -> Result<FunctionGraph, Refusal> {
    let function_id = request.function_id;
    let listed = call.service.list_nodes(&ListNodes {
        project: request.project,
        function_id,
        revision: request.revision,
        whole: false,
        limit: request.limit,
        cursor: request.cursor,
    })?;
    let nodes = listed.nodes.iter();
    let nodes = nodes.map(|(info, position)| node(info, *position));
    let links = listed.nodes.iter().flat_map(|(info, _)| links(info));
    let counts = json!({ "nodes": listed.total, "links": listed.function.link_count });
    Ok(FunctionGraph {
        success: true,
        requested_function_id: function_id.0,
        nodes: nodes.collect(),
        links: links.collect(),
        model: model(&listed.function),
        counts: members(counts),
        revision: listed.revision,
        truncated: listed.next_cursor.is_some().then_some(true),
        next_cursor: listed.next_cursor,
    })
}

fn set_function_graph(call: &Call, request: SetFunctionGraph) -> Result<Work<GraphSet>, Refusal> {
    let (project, function_id, graph) = (request.project, request.function_id, request.graph);
    let whole = ListNodes::whole(project.clone(), function_id);
    let held = call.service.list_nodes(&whole)?;
    let replace = request.replace.unwrap_or(true);
    let ids = ids(&graph, &held, replace)?;
    let edits = if replace {
        vec![replacing(&graph, &held, &ids)?]
    } else {
        adding(&graph, &held, &ids)?
    };
    let request = ApplyEdits {
        project,
        edits,
        dry_run: false,
        label: Some(format!("set the graph of function {function_id}")),
        // The edits rely on the inputs and outputs of this revision.
        expected_revision: Some(held.revision),
    };
    Ok(call.defer(move |service, origin, progress| {
        let applied = service.apply_edits_watched(origin, request, progress)?;
        let ids = ids.into_iter();
        let id_map = ids.map(|(theirs, ours)| (theirs.to_string(), ours.into()));
        Ok(GraphSet {
            success: true,
            requested_function_id: function_id.0,
            id_map: id_map.collect(),
            revision: applied.revision,
            notes: applied.into(),
        })
    }))
}

fn model(function: &FunctionInfo) -> Members {
    let ports = |ports: &[fibula_nodes::PortSpec]| -> Vec<Members> {
        ports.iter().map(|one| port(&one.name, one.ty)).collect()
    };
    members(json!({
        "resource_id": function.function_id,
        "name": function.name,
        "display_name": function.name,
        "inputs": ports(&function.inputs),
        "outputs": ports(&function.outputs),
    }))
}

fn node(info: &NodeInfo, position: Option<[f64; 2]>) -> Members {
    let parameters = info.parameters.iter().map(|(name, parameter)| {
        without_nulls(json!({
            "name": name,
            "type": type_name(parameter.r#type),
            "is_connected": parameter.source.is_some(),
            "source": parameter.source,
            "value": parameter.value,
        }))
    });
    let outputs = info.outputs.iter();
    let outputs = outputs.map(|(name, output)| port(name, output.r#type));
    let mut node = named(info);
    node.extend(without_nulls(json!({ "position": position })));
    let parameters: Vec<Members> = parameters.collect();
    node.insert("parameters".to_owned(), json!(parameters));
    node.insert("outputs".to_owned(), json!(outputs.collect::<Vec<_>>()));
    node
}

/// The links to a node.
fn links(info: &NodeInfo) -> impl Iterator<Item = Members> {
    info.parameters.iter().filter_map(|(name, parameter)| {
        let source = parameter.source.as_ref()?;
        Some(members(json!({
            "from_node_id": source.node_id,
            "from_port": source.port,
            "to_node_id": info.node_id,
            "to_parameter": name,
            "type": type_name(parameter.r#type),
        })))
    })
}

fn is_begin(kind: &str) -> bool {
    kind.eq_ignore_ascii_case("Begin") || kind.eq_ignore_ascii_case("Input")
}

fn is_end(kind: &str) -> bool {
    kind.eq_ignore_ascii_case("End") || kind.eq_ignore_ascii_case("Output")
}

/// Returns the node of the function's inputs, if it has any.
fn begin(held: &NodesListed) -> Option<u32> {
    let nodes = held.nodes.iter();
    let mut begin = nodes.filter(|(info, _)| is_begin(&info.node_type));
    begin.next().map(|(info, _)| info.node_id.0)
}

/// Maps the ids of a graph to those of nodes. Ids are kept where they are free.
fn ids(graph: &Graph, held: &NodesListed, replace: bool) -> Result<BTreeMap<u32, u32>, Refusal> {
    let begin = begin(held);
    let mut taken: BTreeSet<u32> = begin.into_iter().chain([0]).collect();
    if !replace {
        taken.extend(held.nodes.iter().map(|(info, _)| info.node_id.0));
    }
    let ids = graph.nodes.iter().filter_map(|node| node.id);
    let highest = ids.chain(taken.iter().copied()).max().unwrap_or_default();
    let mut next = (highest..u32::MAX).skip(1);
    let mut ids = BTreeMap::new();
    for node in &graph.nodes {
        let Some(theirs) = node.id else {
            continue;
        };
        let ours = if is_end(&node.kind) {
            0
        } else if is_begin(&node.kind) {
            begin.ok_or_else(|| invalid("the function has no inputs, so it has no Input node"))?
        } else if taken.insert(theirs) {
            theirs
        } else {
            let full = || Refusal::new("too_large", "no id is left for a node");
            next.next().ok_or_else(full)?
        };
        if ids.insert(theirs, ours).is_some() {
            let message = format!("two nodes of the graph have the id {theirs}");
            return Err(Refusal::new("duplicate_id", message));
        }
    }
    Ok(ids)
}

/// Returns the node at an end of a link.
fn end_of(ids: &BTreeMap<u32, u32>, id: u32, link: &Link) -> Result<u32, Refusal> {
    ids.get(&id).copied().ok_or_else(|| {
        let (from, to) = (&link.from_port, &link.to_parameter);
        let message = format!(
            "the link from '{from}' to '{to}' refers to node {id}, which is not in the \
                graph"
        );
        Refusal::new("unknown_node", message).hint("add the node to nodes, with this id")
    })
}

/// Returns the values of a node's parameters.
fn values(node: &Node) -> Members {
    let values = node.parameters.iter().filter_map(|parameter| {
        let value = parameter.value.as_ref()?;
        Some((parameter.name.clone(), json!({ "value": value })))
    });
    values.collect()
}

/// Returns the edit that replaces a function's graph.
fn replacing(
    graph: &Graph,
    held: &NodesListed,
    ids: &BTreeMap<u32, u32>,
) -> Result<Value, Refusal> {
    let mut settings: BTreeMap<u32, Members> = BTreeMap::new();
    for link in &graph.links {
        let (from, to) = (
            end_of(ids, link.from_node_id, link)?,
            end_of(ids, link.to_node_id, link)?,
        );
        let source = json!({ "source": { "node_id": from, "port": link.from_port } });
        let settings = settings.entry(to).or_default();
        settings.insert(link.to_parameter.clone(), source);
    }
    let mut nodes = Vec::new();
    for node in &graph.nodes {
        let id = node.id.and_then(|id| ids.get(&id));
        let mut parameters = values(node);
        // A linked parameter has no value of its own.
        parameters.extend(id.and_then(|id| settings.remove(id)).unwrap_or_default());
        let is_own = is_begin(&node.kind) || is_end(&node.kind);
        if is_own && id.is_none() {
            continue;
        }
        let kind = match (is_begin(&node.kind), is_end(&node.kind)) {
            (true, _) => "Begin",
            (_, true) => "End",
            (false, false) => &node.kind,
        };
        let name = node.display_name.as_ref();
        nodes.push(without_nulls(json!({
            "node_id": id,
            "node_type": kind,
            "display_name": name.filter(|name| !is_own && !name.is_empty() && *name != kind),
            "position": node.position,
            "parameters": parameters,
        })));
    }
    let name = graph.model.as_ref();
    let name = name.and_then(|model| model.display_name.as_deref());
    Ok(json!({ "set_function": {
        "function_id": held.function.function_id,
        "name": name.unwrap_or(&held.function.name),
        "inputs": held.function.inputs,
        "outputs": held.function.outputs,
        "nodes": nodes,
    } }))
}

/// Returns the edits that add a graph to that of a function.
fn adding(
    graph: &Graph,
    held: &NodesListed,
    ids: &BTreeMap<u32, u32>,
) -> Result<Vec<Value>, Refusal> {
    let function_id = held.function.function_id;
    let mut edits = Vec::new();
    for node in &graph.nodes {
        if is_begin(&node.kind) || is_end(&node.kind) {
            continue;
        }
        let name = node.display_name.as_ref().filter(|name| !name.is_empty());
        edits.push(json!({ "create_node": without_nulls(json!({
            "function_id": function_id,
            "node_type": node.kind,
            "node_id": node.id.and_then(|id| ids.get(&id)),
            "display_name": name,
            "position": node.position,
            "parameters": values(node),
        })) }));
    }
    for link in &graph.links {
        edits.push(json!({ "create_link": {
            "function_id": function_id,
            "source_node_id": end_of(ids, link.from_node_id, link)?,
            "source_port_name": link.from_port,
            "target_node_id": end_of(ids, link.to_node_id, link)?,
            "target_parameter_name": link.to_parameter,
            "replace": true,
        } }));
    }
    Ok(edits)
}
