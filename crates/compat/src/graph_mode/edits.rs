//! Adding and changing nodes and edges.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::ControlFlow;

use fibula_knowledge::{Knowledge, NodeRef, is_same_type};
use fibula_service::{
    AddNodes, AddResult, EdgeUpdate, GivenEdge, GivenNode, ImportGraph, NodeUpdate, OnConflict,
    Refusal, UpdateKnowledge,
};
use serde_json::Value;

use fibula_server::operation::ToolAnswer;

use super::curies::type_of;
use super::prose::{ambiguous, counted, ends, first_few, ids_of, kind};
use super::requests::{
    AddEdge, AddMultipleEdges, AddMultipleNodes, AddNode, AddNodeByCurie, AddNodeByName,
    EdgeChanges, EdgeInput, ImportFromJson, NodeChanges, NodeInput, UpdateEdge, UpdateNode,
};
use crate::{Answer, Call, InProject};

/// Fields of edges in files that name their ends.
const ENDS: [&str; 4] = ["source", "target", "from", "to"];
/// Default type of edges.
const DEFAULT_EDGE_TYPE: &str = "related_to";
/// Maximum number of added nodes that are listed.
const MAX_NAMED: usize = 5;
/// Maximum number of differences that are listed.
const MAX_DIFFERENCES: usize = 10;

impl From<&NodeInput> for GivenNode {
    fn from(node: &NodeInput) -> GivenNode {
        GivenNode {
            id: node.canonical_id.clone(),
            label: node.label.clone(),
            types: vec![node.ty.clone()],
            data: node.data.clone(),
            position: node.position.map(|place| [place.x, place.y]),
            ..GivenNode::default()
        }
    }
}

impl From<&EdgeInput> for GivenEdge {
    fn from(edge: &EdgeInput) -> GivenEdge {
        let ty = edge.ty.as_ref().or(edge.label.as_ref());
        GivenEdge {
            source: edge.source.clone(),
            target: edge.target.clone(),
            ty: ty.map_or(DEFAULT_EDGE_TYPE, String::as_str).to_owned(),
            label: edge.label.clone(),
            data: edge.data.clone(),
            ..GivenEdge::default()
        }
    }
}

/// Adds nodes and edges; creates the project if it does not exist.
fn add(
    call: &Call<'_, impl InProject>,
    nodes: &[GivenNode],
    edges: &[GivenEdge],
) -> Result<AddResult, Refusal> {
    for node in nodes {
        check_label(node.id.as_deref().unwrap_or("to add"), &node.label)?;
    }
    // Edges with the same ends and type may have different labels.
    let on_conflict = if edges.is_empty() {
        OnConflict::Skip
    } else {
        OnConflict::Add
    };
    call.creating_project(|service| {
        let request = AddNodes {
            project: call.project_name(),
            nodes: nodes.to_vec(),
            edges: edges.to_vec(),
            on_conflict,
            ..AddNodes::default()
        };
        service.add_nodes(call.origin, request)
    })
}

/// Refuses an empty label.
fn check_label(node: &str, label: &str) -> Result<(), Refusal> {
    if !label.trim().is_empty() {
        return Ok(());
    }
    let message = format!("the label of the node {node} is empty");
    Err(Refusal::new("invalid_name", message).hint("pass a label, such as \"TP53\""))
}

/// Returns true if the graph has an edge with the same ends, type and label.
fn is_there(graph: &Knowledge, edge: &GivenEdge) -> bool {
    let ends = [&edge.source, &edge.target].map(|end| graph.named(end));
    let [Some(source), Some(target)] = ends else {
        return false;
    };
    let mut between = graph.edges_between(source.id(), target.id()).into_iter();
    between.any(|own| is_same_type(own.ty(), &edge.ty) && own.label() == edge.label.as_deref())
}

/// Appends warnings to an answer.
fn with_notes(mut text: String, warnings: &[String]) -> ToolAnswer {
    for warning in warnings {
        text.push_str("\nNote: ");
        text.push_str(warning);
    }
    ToolAnswer::text(text)
}

pub(super) fn add_node(call: &mut Call<'_, AddNode>) -> Answer {
    let (text, warnings) = add_one(call, &call.request.node)?;
    Ok(with_notes(text, &warnings))
}

/// Adds a node. Returns the answer and its warnings.
fn add_one(
    call: &Call<'_, impl InProject>,
    node: &NodeInput,
) -> Result<(String, Vec<String>), Refusal> {
    let added = add(call, &[node.into()], &[])?;
    let (label, ty) = (&node.label, &node.ty);
    let text = if added.counts.skipped > 0 {
        let graph = call.knowledge()?;
        let existing = node.canonical_id.as_ref().and_then(|id| graph.find(id));
        existing.map_or_else(
            || format!("Node '{label}' ({ty}) is in the graph already."),
            |existing| existing_node(node, existing),
        )
    } else {
        format!("Added node '{label}' ({ty}) to the graph.")
    };
    Ok((text, added.warnings))
}

pub(super) fn add_node_by_curie(call: &mut Call<'_, AddNodeByCurie>) -> Answer {
    let arguments = &call.request;
    let curie = &arguments.curie;
    let is_curie = curie.split_once(':');
    let is_curie = is_curie.is_some_and(|(prefix, local)| !prefix.is_empty() && !local.is_empty());
    if !is_curie || curie.contains(char::is_whitespace) {
        let message = format!("{curie:?} is no CURIE, which has a prefix and a local id");
        return Err(Refusal::new("invalid_arguments", message)
            .hint("pass one such as \"NCBIGene:7157\", or use addNodeByName"));
    }
    let graph = call.knowledge_or_empty()?;
    let known = graph.find(curie);
    let ty = arguments.ty.as_deref();
    let ty = ty.or_else(|| known.map(|node| kind(&node)).or_else(|| type_of(curie)));
    let Some(ty) = ty else {
        let message = format!("the prefix of {curie} does not say of which type it is");
        return Err(Refusal::new("invalid_arguments", message)
            .hint("pass its type, such as \"gene\"; no other server is asked for it"));
    };
    let label = arguments.label.as_deref();
    let label = label
        .or_else(|| known.map(|node| node.label()))
        .unwrap_or(curie);
    let node = NodeInput {
        label: label.to_owned(),
        ty: ty.to_owned(),
        data: arguments.data.clone(),
        position: arguments.position,
        canonical_id: Some(curie.clone()),
    };
    let (text, mut warnings) = add_one(call, &node)?;
    if arguments.label.is_none() && known.is_none() {
        warnings.push(
            "the label is the CURIE, since no other server is asked for its name; updateNode changes it".to_owned(),
        );
    }
    Ok(with_notes(text, &warnings))
}

pub(super) fn add_node_by_name(call: &mut Call<'_, AddNodeByName>) -> Answer {
    let arguments = &call.request;
    let graph = call.knowledge_or_empty()?;
    let node = NodeInput {
        label: arguments.name.clone(),
        ty: arguments.ty.clone(),
        data: arguments.data.clone(),
        position: arguments.position,
        canonical_id: None,
    };
    if let Some(existing) = graph.labelled(&node.label).first() {
        return Ok(ToolAnswer::text(existing_node(&node, *existing)));
    }
    let (text, warnings) = add_one(call, &node)?;
    Ok(with_notes(text, &warnings))
}

/// Describes the node that has the id of one to add, and what of that was not taken.
fn existing_node(node: &NodeInput, before: NodeRef<'_>) -> String {
    let mut differs = Vec::new();
    if before.label() != node.label {
        differs.push(format!("label '{}'", node.label));
    }
    if !before.types().any(|own| is_same_type(own, &node.ty)) {
        differs.push(format!("type '{}'", node.ty));
    }
    let own = before.data_map();
    let other = node.data.iter();
    let other = other.filter(|(key, value)| own.get(*key) != Some(value));
    differs.extend(other.map(|(key, _)| format!("data '{key}'")));
    let position = node.position.map(|place| [place.x, place.y]);
    if position.is_some() && position != before.position() {
        differs.push("position".to_owned());
    }
    let (label, ty, id) = (before.label(), kind(&before), before.id());
    let text = format!("Node '{label}' ({ty}, ID: {id}) is in the graph already.");
    if differs.is_empty() {
        text
    } else {
        let differs = first_few(&differs, MAX_DIFFERENCES);
        format!("{text} Not taken: {differs}; updateNode changes it.")
    }
}

pub(super) fn add_edge(call: &mut Call<'_, AddEdge>) -> Answer {
    let (edge, graph) = (&call.request.edge, call.knowledge_or_empty()?);
    let new_edge = GivenEdge::from(edge);
    let label = edge.label.as_ref();
    let label = label.map_or_else(String::new, |label| format!(" with label '{label}'"));
    let named = |end: &str| {
        let label = graph.named(end).map(|node| node.label().to_owned());
        label.unwrap_or_else(|| end.to_owned())
    };
    let (source, target) = (named(&edge.source), named(&edge.target));
    if is_there(&graph, &new_edge) {
        let text =
            format!("The edge from '{source}' to '{target}'{label} is in the graph already.");
        return Ok(ToolAnswer::text(text));
    }
    let added = add(call, &[], &[new_edge])?;
    let text = format!("Added edge from '{source}' to '{target}'{label}.");
    Ok(with_notes(text, &added.warnings))
}

pub(super) fn add_nodes(call: &mut Call<'_, AddMultipleNodes>) -> Answer {
    let nodes: Vec<GivenNode> = call.request.nodes.iter().map(GivenNode::from).collect();
    let before = call.knowledge_or_empty()?;
    let added = add(call, &nodes, &[])?;
    let is_new = |node: &GivenNode| node.id.as_ref().is_none_or(|id| before.find(id).is_none());
    let labels = nodes.into_iter().filter(is_new).map(|node| node.label);
    let labels: Vec<String> = labels.collect();
    let mut text = format!(
        "Added {} to the graph{}{}.",
        counted(added.counts.made, "node"),
        if labels.is_empty() { "" } else { ": " },
        first_few(&labels, MAX_NAMED)
    );
    if added.counts.skipped > 0 {
        let _ = write!(text, " {} were there already.", added.counts.skipped);
    }
    Ok(with_notes(text, &added.warnings))
}

pub(super) fn add_edges(call: &mut Call<'_, AddMultipleEdges>) -> Answer {
    let graph = call.knowledge_or_empty()?;
    let mut edges: Vec<GivenEdge> = call.request.edges.iter().map(GivenEdge::from).collect();
    let count = edges.len();
    edges.retain(|edge| !is_there(&graph, edge));
    let before = count - edges.len();
    if before > 0 && edges.is_empty() {
        return Ok(ToolAnswer::text("All edges are in the graph already."));
    }
    let added = add(call, &[], &edges)?;
    let mut text = format!("Added {} to the graph.", counted(added.counts.made, "edge"));
    if before > 0 {
        let _ = write!(text, " {before} were there already.");
    }
    Ok(with_notes(text, &added.warnings))
}

/// True if an edge has a number at an end: the place of a node in the list.
fn names_places(data: &Value) -> bool {
    let lists = ["edges", "links"].map(|name| data.get(name).and_then(Value::as_array));
    let mut edges = lists.into_iter().flatten().flatten();
    edges.any(|edge| {
        ENDS.iter()
            .any(|end| edge.get(end).is_some_and(Value::is_number))
    })
}

/// Gives labelled nodes without an id their canonical id or a new one, and replaces labels at ends of edges by ids. Files
/// whose edges name places in the list of nodes stay as they are.
///
/// # Errors
/// A [`Refusal`] if an end is a label of several nodes.
fn identify(data: &mut Value, graph: &Knowledge) -> Result<(), Refusal> {
    if names_places(data) {
        return Ok(());
    }
    let text = |node: &Value, name: &str| node.get(name).and_then(Value::as_str).map(str::to_owned);
    let nodes = data.get_mut("nodes").and_then(Value::as_array_mut);
    let nodes = nodes.map_or(&mut [][..], Vec::as_mut_slice);
    let mut ids: BTreeSet<String> = nodes.iter().filter_map(|node| text(node, "id")).collect();
    let mut labels: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut number = graph.next_node();
    for node in nodes {
        if let Value::Object(fields) = node
            && !fields.contains_key("id")
            && fields.contains_key("label")
        {
            let id = fields.remove("canonicalId").unwrap_or_else(|| {
                loop {
                    number += 1;
                    let id = format!("n{number}");
                    if graph.find(&id).is_none() && !ids.contains(&id) {
                        break id.into();
                    }
                }
            });
            ids.extend(id.as_str().map(str::to_owned));
            fields.insert("id".to_owned(), id);
        }
        if let (Some(id), Some(label)) = (text(node, "id"), text(node, "label")) {
            labels.entry(label).or_default().push(id);
        }
    }
    for list in ["edges", "links"] {
        let edges = data.get_mut(list).and_then(Value::as_array_mut);
        for edge in edges.into_iter().flatten() {
            for end in ENDS {
                let Some(Value::String(name)) = edge.get_mut(end) else {
                    continue;
                };
                if ids.contains(name) || graph.find(name).is_some() {
                    continue;
                }
                let found = labels.get(name).cloned();
                match &found.unwrap_or_else(|| ids_of(graph, name))[..] {
                    [] => {}
                    [id] => name.clone_from(id),
                    several => {
                        return Err(Refusal::new("ambiguous_node", ambiguous(name, several))
                            .hint("name the ends of edges by ids"));
                    }
                }
            }
        }
    }
    Ok(())
}

pub(super) fn import(call: &mut Call<'_, ImportFromJson>) -> Answer {
    let content = match &call.request.data {
        Value::String(text) => text.clone(),
        data => data.to_string(),
    };
    // What is no JSON is refused below, with the place of the mistake.
    let mut content = serde_json::from_str(&content).unwrap_or(Value::String(content));
    identify(&mut content, &call.knowledge_or_empty()?)?;
    let given = content.get("nodes").and_then(Value::as_array).map(Vec::len);
    let content = match content {
        Value::String(text) => text,
        data => data.to_string(),
    };
    let import = ImportGraph {
        project: call.project_name(),
        content: Some(content),
        on_conflict: OnConflict::Merge,
        ..ImportGraph::default()
    };
    if call.is_new()? {
        // The progress callback cannot be used by two attempts.
        let check = ImportGraph {
            dry_run: true,
            ..import.clone()
        };
        call.creating_project(|service| {
            service.import_graph(call.origin, &check, &mut |_, _| ControlFlow::Continue(()))
        })?;
    }
    let service = call.service;
    let done = service.import_graph(call.origin, &import, call.progress)?;
    let mut text = format!(
        "Imported {} and {} into the graph.",
        // The ends that the graph has are no part of the file.
        counted(given.unwrap_or(done.node_count), "node"),
        counted(done.edge_count, "edge")
    );
    for repair in &done.repairs {
        let _ = write!(text, "\nNote: {} ({} times)", repair.message, repair.count);
    }
    Ok(with_notes(text, &done.warnings))
}

fn update(
    call: &Call<'_, impl InProject>,
    nodes: Vec<NodeUpdate>,
    edges: Vec<EdgeUpdate>,
) -> Result<Vec<String>, Refusal> {
    let request = UpdateKnowledge {
        project: call.project_name(),
        nodes,
        edges,
        ..UpdateKnowledge::default()
    };
    let updated = call.service.update_knowledge(call.origin, &request)?;
    Ok(updated.warnings)
}

pub(super) fn update_node(call: &mut Call<'_, UpdateNode>) -> Answer {
    let arguments = &call.request;
    let NodeChanges {
        label,
        ty,
        mut data,
        position,
    } = arguments.updates.clone().unwrap_or_default();
    data.extend(arguments.data.clone());
    let position = arguments.position.or(position);
    let node = NodeUpdate {
        id: arguments.node_id.clone(),
        label: arguments.label.clone().or(label),
        types: arguments.ty.clone().or(ty).map(|ty| vec![ty]),
        data,
        position: position.map(|place| Some([place.x, place.y])),
        ..NodeUpdate::default()
    };
    if node.label.is_none() && node.types.is_none() && node.data.is_empty() && position.is_none() {
        return Err(nothing_to_update("label, type, data or position"));
    }
    if let Some(label) = &node.label {
        check_label(&node.id, label)?;
    }
    let name = node.label.clone();
    let name = name.unwrap_or_else(|| arguments.node_id.clone());
    let warnings = update(call, vec![node], Vec::new())?;
    let text = format!("Successfully updated node '{name}'.");
    Ok(with_notes(text, &warnings))
}

pub(super) fn update_edge(call: &mut Call<'_, UpdateEdge>) -> Answer {
    let arguments = &call.request;
    let id = &arguments.edge_id;
    let EdgeChanges {
        source,
        target,
        label,
        ty,
        mut data,
    } = arguments.updates.clone().unwrap_or_default();
    data.extend(arguments.data.clone());
    let edge = EdgeUpdate {
        id: id.clone(),
        source: arguments.source.clone().or(source),
        target: arguments.target.clone().or(target),
        ty: arguments.ty.clone().or(ty),
        label: arguments.label.clone().or(label).map(Some),
        data,
        ..EdgeUpdate::default()
    };
    let texts = [&edge.source, &edge.target, &edge.ty];
    let is_empty = texts.iter().all(|text| text.is_none()) && edge.label.is_none();
    if is_empty && edge.data.is_empty() {
        return Err(nothing_to_update("source, target, label, type or data"));
    }
    let warnings = update(call, Vec::new(), vec![edge])?;
    let graph = call.knowledge()?;
    let edge = graph.find_edge(id);
    let edge = edge.map_or_else(String::new, |edge| ends(&graph, edge));
    let text = format!("Successfully updated edge '{edge}' (ID: {id}).");
    Ok(with_notes(text, &warnings))
}

fn nothing_to_update(what: &str) -> Refusal {
    Refusal::new("invalid_arguments", "the call names nothing to update")
        .hint(format!("pass {what}, or several of them in updates"))
}
