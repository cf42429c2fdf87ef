//! Adding, changing and removing nodes and edges.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use fibula_knowledge::{Direction, Knowledge, NodeRef, is_same_type};
use fibula_service::{
    AddNodes, AddResult, EdgeUpdate, GivenEdge, GivenNode, ImportGraph, KnowledgeRemoved,
    NodeFilter, NodeUpdate, OnConflict, Refusal, RemoveKnowledge, UpdateKnowledge,
};
use serde_json::Value;

use fibula_server::operation::ToolAnswer;

use super::prose::{counted, ends, first_few, kind};
use super::requests::{
    AddEdge, AddMultipleEdges, AddMultipleNodes, AddNode, ByDegree, EdgeChanges, EdgeInput,
    ImportFromJson, NodeChanges, NodeInput, RemoveByDegree, RemoveByType, RemoveEdge, RemoveEdges,
    RemoveNode, RemoveNodes, UpdateEdge, UpdateNode,
};
use crate::{Answer, Call, InProject};

/// Default type of edges.
const DEFAULT_EDGE_TYPE: &str = "related_to";
/// Maximum number of removed items that are listed.
const MAX_NAMED: usize = 5;
/// Maximum number of nodes in a preview.
const MAX_SAMPLE: usize = 10;

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
    call.creating_project(|| {
        let request = AddNodes {
            project: call.project_name(),
            nodes: nodes.to_vec(),
            edges: edges.to_vec(),
            on_conflict,
            ..AddNodes::default()
        };
        call.service.add_nodes(call.origin, request)
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
    let node = &call.request.node;
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
    Ok(with_notes(text, &added.warnings))
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
        let differs = first_few(&differs, MAX_SAMPLE);
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

pub(super) fn import(call: &mut Call<'_, ImportFromJson>) -> Answer {
    let content = match &call.request.data {
        Value::String(text) => text.clone(),
        data => data.to_string(),
    };
    let import = ImportGraph {
        project: call.project_name(),
        content: Some(content),
        on_conflict: OnConflict::Merge,
        ..ImportGraph::default()
    };
    // The project is created first: the progress callback cannot be used by two attempts.
    call.creating_project(|| call.knowledge())?;
    let service = call.service;
    let done = service.import_graph(call.origin, &import, call.progress)?;
    let mut text = format!(
        "Imported {} and {} into the graph.",
        counted(done.node_count, "node"),
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

fn remove(
    call: &Call<'_, impl InProject>,
    request: RemoveKnowledge,
) -> Result<KnowledgeRemoved, Refusal> {
    let request = RemoveKnowledge {
        project: call.project_name(),
        ..request
    };
    call.service.remove_knowledge(call.origin, &request)
}

/// Removes nodes and edges by their ids, unless there are none.
fn remove_ids(
    call: &Call<'_, impl InProject>,
    nodes: Vec<String>,
    edges: Vec<String>,
) -> Result<(), Refusal> {
    if nodes.is_empty() && edges.is_empty() {
        return Ok(());
    }
    let request = RemoveKnowledge {
        nodes,
        edges,
        ..RemoveKnowledge::default()
    };
    remove(call, request).map(drop)
}

pub(super) fn remove_node(call: &mut Call<'_, RemoveNode>) -> Answer {
    let (text, graph) = (&call.request.node_id, call.knowledge_or_empty()?);
    let Some(node) = graph.named(text) else {
        let message =
            format!("Failed to remove node '{text}' from the graph. The node may not exist.");
        return Err(Refusal::new("unknown_node", message));
    };
    let (label, id) = (node.label(), node.id());
    remove_ids(call, vec![id.to_owned()], Vec::new())?;
    Ok(ToolAnswer::text(format!(
        "Successfully removed node '{label}' (ID: {id}) from the graph. All edges connected to this node were also \
         removed."
    )))
}

pub(super) fn remove_edge(call: &mut Call<'_, RemoveEdge>) -> Answer {
    let (id, graph) = (&call.request.edge_id, call.knowledge_or_empty()?);
    let Some(edge) = graph.find_edge(id) else {
        let message =
            format!("Failed to remove edge '{id}' from the graph. The edge may not exist.");
        return Err(Refusal::new("unknown_edge", message));
    };
    remove_ids(call, Vec::new(), vec![id.clone()])?;
    Ok(ToolAnswer::text(format!(
        "Successfully removed edge '{}' (ID: {id}) from the graph.",
        ends(&graph, edge)
    )))
}

/// Looks up each id once. Returns ids and names of existing items, and the number of the others.
fn find_all(
    ids: &[String],
    find: impl Fn(&str) -> Option<[String; 2]>,
) -> (Vec<String>, Vec<String>, usize) {
    let mut found = ids.iter().filter_map(|id| find(id)).collect::<Vec<_>>();
    let mut seen = BTreeSet::new();
    found.retain(|[id, _]| seen.insert(id.clone()));
    let failed = ids.len() - found.len();
    let (ids, names) = found.into_iter().map(|[id, name]| (id, name)).unzip();
    (ids, names, failed)
}

pub(super) fn remove_nodes(call: &mut Call<'_, RemoveNodes>) -> Answer {
    let graph = call.knowledge()?;
    let (nodes, labels, failed) = find_all(&call.request.node_ids, |text| {
        let node = graph.named(text)?;
        Some([node.id(), node.label()].map(str::to_owned))
    });
    if call.request.preview {
        let about = format!("{} given, {failed} not found", call.request.node_ids.len());
        return Ok(preview("nodes", labels.len(), &about, &labels));
    }
    remove_ids(call, nodes, Vec::new())?;
    Ok(ToolAnswer::text(format!(
        "Bulk removal completed: {} nodes removed successfully, {failed} failed. Removed nodes: {}",
        labels.len(),
        first_few(&labels, MAX_NAMED)
    )))
}

pub(super) fn remove_edges(call: &mut Call<'_, RemoveEdges>) -> Answer {
    let graph = call.knowledge()?;
    let (edges, names, failed) = find_all(&call.request.edge_ids, |id| {
        Some([id.to_owned(), ends(&graph, graph.find_edge(id)?)])
    });
    if call.request.preview {
        let about = format!("{} given, {failed} not found", call.request.edge_ids.len());
        return Ok(preview("edges", names.len(), &about, &names));
    }
    remove_ids(call, Vec::new(), edges)?;
    Ok(ToolAnswer::text(format!(
        "Bulk edge removal completed: {} edges removed successfully, {failed} failed. Removed edges: {}",
        names.len(),
        first_few(&names, 3)
    )))
}

/// Describes criteria on degrees.
fn by_degree(criteria: &ByDegree) -> String {
    let mut parts = Vec::new();
    let [least, most] = [criteria.min_degree, criteria.max_degree];
    if let Some(exact) = criteria.exact_degree {
        parts.push(format!("exactly {exact} connections"));
    } else {
        parts.extend(least.map(|least| format!("≥{least} connections")));
        parts.extend(most.map(|most| format!("≤{most} connections")));
    }
    parts.extend(criteria.node_type.as_ref().map(|ty| format!("type '{ty}'")));
    parts.join(" and ")
}

pub(super) fn remove_by_degree(call: &mut Call<'_, RemoveByDegree>) -> Answer {
    let criteria = &call.request.criteria;
    let exact = criteria.exact_degree;
    let [least, most] = [criteria.min_degree, criteria.max_degree].map(|bound| exact.or(bound));
    if least.is_none() && most.is_none() {
        let message =
            "At least one degree criteria (minDegree, maxDegree, or exactDegree) must be provided";
        return Err(Refusal::new("invalid_arguments", message));
    }
    let graph = call.knowledge()?;
    if graph.is_empty() {
        return Ok(ToolAnswer::text("The graph is empty - no nodes to remove."));
    }
    let filter = NodeFilter {
        types: criteria.node_type.iter().cloned().collect(),
        min_degree: least,
        max_degree: most,
        ..NodeFilter::default()
    };
    let is_preview = criteria.preview || call.request.preview;
    let request = RemoveKnowledge {
        r#where: Some(filter),
        dry_run: is_preview,
        ..RemoveKnowledge::default()
    };
    let removed = remove(call, request)?;
    let labels = removed.nodes.iter().map(|node| node.label.clone());
    let labels: Vec<String> = labels.collect();
    if labels.is_empty() {
        let all = graph.sorted_nodes().into_iter().take(MAX_NAMED + 1);
        let degrees = all.map(|node| {
            let degree = node.degree(Direction::Both);
            format!("{}: {degree} connections", node.label())
        });
        return Ok(ToolAnswer::text(format!(
            "No nodes found matching the degree criteria. Current node degrees: {}",
            first_few(&degrees.collect::<Vec<_>>(), MAX_NAMED)
        )));
    }
    if is_preview {
        let nodes = shown(&graph, &removed);
        return Ok(preview(
            "nodes",
            removed.removed_nodes,
            &by_degree(criteria),
            &nodes,
        ));
    }
    Ok(ToolAnswer::text(format!(
        "Degree-based removal completed: {} nodes removed successfully, 0 failed. Criteria: {}. Removed nodes: {}",
        removed.removed_nodes,
        by_degree(criteria),
        first_few(&labels, MAX_NAMED)
    )))
}

pub(super) fn remove_by_type(call: &mut Call<'_, RemoveByType>) -> Answer {
    let criteria = &call.request.criteria;
    let (types, exclude) = (&criteria.node_types, &criteria.exclude_types);
    if types.is_empty() == exclude.is_empty() {
        let message = "Either nodeTypes or excludeTypes must be provided (but not both)";
        return Err(Refusal::new("invalid_arguments", message));
    }
    let filter = NodeFilter {
        types: types.clone(),
        exclude_types: exclude.clone(),
        ..NodeFilter::default()
    };
    let is_preview = criteria.preview || call.request.preview;
    let request = RemoveKnowledge {
        r#where: Some(filter),
        dry_run: is_preview,
        ..RemoveKnowledge::default()
    };
    let graph = call.knowledge()?;
    let removed = remove(call, request)?;
    let count = removed.removed_nodes;
    let about = if exclude.is_empty() {
        format!("types: {}", types.join(", "))
    } else {
        format!("exclude types: {}", exclude.join(", "))
    };
    if !is_preview {
        return Ok(ToolAnswer::text(format!(
            "Bulk removal completed: {count} nodes removed successfully. Criteria: {about}"
        )));
    }
    if count == 0 {
        let text = "No nodes found matching the specified criteria.";
        return Ok(ToolAnswer::text(text));
    }
    Ok(preview("nodes", count, &about, &shown(&graph, &removed)))
}

/// The first nodes that would be removed, with their types.
fn shown(graph: &Knowledge, removed: &KnowledgeRemoved) -> Vec<String> {
    let nodes = removed.nodes.iter().filter_map(|node| graph.find(&node.id));
    let nodes = nodes.take(MAX_SAMPLE);
    nodes
        .map(|node| format!("{} ({})", node.label(), kind(&node)))
        .collect()
}

/// Answer of the dry run of a removal.
fn preview(what: &str, count: usize, about: &str, sample: &[String]) -> ToolAnswer {
    let shown = sample.len().min(MAX_SAMPLE);
    let more = if count > shown {
        format!(" and {} more...", count - shown)
    } else {
        String::new()
    };
    ToolAnswer::text(format!(
        "Preview: Would delete {count} {what} matching criteria ({about}).\n\nSample {what}: {}{more}\n\n\
         Set preview: false to perform the actual deletion.",
        sample[..shown].join(", ")
    ))
}
