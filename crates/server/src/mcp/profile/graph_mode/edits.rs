//! Nodes and edges are added, changed and removed.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use fibula_knowledge::{Direction, Knowledge, is_same_type};
use fibula_service::{
    AddNodes, Added, EdgeUpdate, GivenEdge, GivenNode, ImportGraph, KnowledgeRemoved, NodeUpdate,
    OnConflict, Refusal, RemoveKnowledge, UpdateKnowledge, Where,
};
use serde_json::Value;

use super::super::{Call, Told, making, or_empty};
use super::given::{
    AddEdge, AddMultipleEdges, AddMultipleNodes, AddNode, ByDegree, EdgeInput, ImportFromJson,
    NodeInput, RemoveByDegree, RemoveByType, RemoveEdge, RemoveEdges, RemoveNode, RemoveNodes,
    UpdateEdge, UpdateNode,
};
use super::prose::{counted, ends, kind, some};

/// The type of edges of which nothing else is said.
const RELATED: &str = "related_to";
/// How many removed things are named.
const NAMED: usize = 5;
/// How many nodes of those that would go are named.
const SAMPLE: usize = 10;

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
            ty: ty.map_or(RELATED, String::as_str).to_owned(),
            label: edge.label.clone(),
            data: edge.data.clone(),
            ..GivenEdge::default()
        }
    }
}

/// Adds nodes and edges to a project that may have to be made.
fn add<P>(
    call: &Call<'_, P>,
    project: Option<&str>,
    nodes: &[GivenNode],
    edges: &[GivenEdge],
) -> Result<Added, Refusal> {
    making(call.service, project, || {
        let request = AddNodes {
            project: project.map(str::to_owned),
            nodes: nodes.to_vec(),
            edges: edges.to_vec(),
            // Edges with the same ends and type may have different labels.
            on_conflict: if edges.is_empty() {
                OnConflict::Skip
            } else {
                OnConflict::Add
            },
            ..AddNodes::default()
        };
        call.service.add_nodes(call.origin, request)
    })
}

/// Whether an edge says what another says already: between the same ends, of the same type, with the same label.
fn is_there(graph: &Knowledge, edge: &GivenEdge) -> bool {
    let ends = [&edge.source, &edge.target].map(|end| graph.named(end));
    let [Some(source), Some(target)] = ends else {
        return false;
    };
    let mut between = graph.edges_between(source.id(), target.id()).into_iter();
    between.any(|own| is_same_type(own.ty(), &edge.ty) && own.label() == edge.label.as_deref())
}

/// What was done, and what is to be known about it.
fn noted(mut text: String, warnings: &[String]) -> Told {
    for warning in warnings {
        text.push_str("\nNote: ");
        text.push_str(warning);
    }
    Told::text(text)
}

pub(super) fn add_node(call: &mut Call<'_, AddNode>) -> Result<Told, Refusal> {
    let (node, project) = (&call.given.node, call.given.of.project());
    let added = add(call, project, &[node.into()], &[])?;
    let (label, ty) = (&node.label, &node.ty);
    let text = if added.counts.skipped > 0 {
        format!("Node '{label}' ({ty}) is in the graph already.")
    } else {
        format!("Added node '{label}' ({ty}) to the graph.")
    };
    Ok(noted(text, &added.warnings))
}

pub(super) fn add_edge(call: &mut Call<'_, AddEdge>) -> Result<Told, Refusal> {
    let (edge, project) = (&call.given.edge, call.given.of.project());
    let graph = or_empty(call.service.knowledge(project), Knowledge::default)?;
    let given = GivenEdge::from(edge);
    let label = edge.label.as_ref();
    let label = label.map_or_else(String::new, |label| format!(" with label '{label}'"));
    let named = |end: &str| {
        let label = graph.named(end).map(|node| node.label().to_owned());
        label.unwrap_or_else(|| end.to_owned())
    };
    let (source, target) = (named(&edge.source), named(&edge.target));
    if is_there(&graph, &given) {
        let text =
            format!("The edge from '{source}' to '{target}'{label} is in the graph already.");
        return Ok(Told::text(text));
    }
    let added = add(call, project, &[], &[given])?;
    let text = format!("Added edge from '{source}' to '{target}'{label}.");
    Ok(noted(text, &added.warnings))
}

pub(super) fn add_nodes(call: &mut Call<'_, AddMultipleNodes>) -> Result<Told, Refusal> {
    let nodes: Vec<GivenNode> = call.given.nodes.iter().map(GivenNode::from).collect();
    let project = call.given.of.project();
    let before = or_empty(call.service.knowledge(project), Knowledge::default)?;
    let added = add(call, project, &nodes, &[])?;
    let is_new = |node: &GivenNode| node.id.as_ref().is_none_or(|id| before.find(id).is_none());
    let labels = nodes.into_iter().filter(is_new).map(|node| node.label);
    let labels: Vec<String> = labels.collect();
    let mut text = format!(
        "Added {} to the graph{}{}.",
        counted(added.counts.made, "node"),
        if labels.is_empty() { "" } else { ": " },
        some(&labels, NAMED)
    );
    if added.counts.skipped > 0 {
        let _ = write!(text, " {} were there already.", added.counts.skipped);
    }
    Ok(noted(text, &added.warnings))
}

pub(super) fn add_edges(call: &mut Call<'_, AddMultipleEdges>) -> Result<Told, Refusal> {
    let project = call.given.of.project();
    let graph = or_empty(call.service.knowledge(project), Knowledge::default)?;
    let mut edges: Vec<GivenEdge> = call.given.edges.iter().map(GivenEdge::from).collect();
    let count = edges.len();
    edges.retain(|edge| !is_there(&graph, edge));
    let before = count - edges.len();
    if before > 0 && edges.is_empty() {
        return Ok(Told::text("All edges are in the graph already."));
    }
    let added = add(call, project, &[], &edges)?;
    let mut text = format!("Added {} to the graph.", counted(added.counts.made, "edge"));
    if before > 0 {
        let _ = write!(text, " {before} were there already.");
    }
    Ok(noted(text, &added.warnings))
}

pub(super) fn import(call: &mut Call<'_, ImportFromJson>) -> Result<Told, Refusal> {
    let Call {
        service,
        origin,
        watch,
        given,
    } = call;
    let content = match &given.data {
        Value::String(text) => text.clone(),
        data => data.to_string(),
    };
    let project = given.of.project();
    let request = ImportGraph {
        project: project.map(str::to_owned),
        content: Some(content),
        on_conflict: OnConflict::Merge,
        ..ImportGraph::default()
    };
    // The project is made before, since what watches can be asked by one only.
    making(service, project, || service.knowledge(project).map(drop))?;
    let done = service.import_graph(origin, &request, *watch)?;
    let mut text = format!(
        "Imported {} and {} into the graph.",
        counted(done.node_count, "node"),
        counted(done.edge_count, "edge")
    );
    for repair in &done.repairs {
        let _ = write!(text, "\nNote: {} ({} times)", repair.message, repair.count);
    }
    Ok(noted(text, &done.warnings))
}

pub(super) fn update_node(call: &mut Call<'_, UpdateNode>) -> Result<Told, Refusal> {
    let given = &call.given;
    let update = NodeUpdate {
        id: given.node_id.clone(),
        label: given.label.clone(),
        types: given.ty.clone().map(|ty| vec![ty]),
        data: given.data.clone(),
        position: given.position.map(|place| Some([place.x, place.y])),
        ..NodeUpdate::default()
    };
    let request = UpdateKnowledge {
        project: given.of.project().map(str::to_owned),
        nodes: vec![update],
        ..UpdateKnowledge::default()
    };
    let done = call.service.update_knowledge(call.origin, &request)?;
    let text = format!(
        "Successfully updated node '{}'.",
        given.label.as_ref().unwrap_or(&given.node_id)
    );
    Ok(noted(text, &done.warnings))
}

pub(super) fn update_edge(call: &mut Call<'_, UpdateEdge>) -> Result<Told, Refusal> {
    let given = &call.given;
    let update = EdgeUpdate {
        id: given.edge_id.clone(),
        source: given.source.clone(),
        target: given.target.clone(),
        ty: given.ty.clone(),
        label: given.label.clone().map(Some),
        data: given.data.clone(),
        ..EdgeUpdate::default()
    };
    let project = given.of.project();
    let request = UpdateKnowledge {
        project: project.map(str::to_owned),
        edges: vec![update],
        ..UpdateKnowledge::default()
    };
    let done = call.service.update_knowledge(call.origin, &request)?;
    let graph = call.service.knowledge(project)?;
    let edge = graph.find_edge(&given.edge_id);
    let edge = edge.map_or_else(String::new, |edge| ends(&graph, edge));
    let text = format!(
        "Successfully updated edge '{edge}' (ID: {}).",
        given.edge_id
    );
    Ok(noted(text, &done.warnings))
}

fn remove(
    call: &Call<'_, impl Sized>,
    project: Option<&str>,
    request: RemoveKnowledge,
) -> Result<KnowledgeRemoved, Refusal> {
    let request = RemoveKnowledge {
        project: project.map(str::to_owned),
        ..request
    };
    call.service.remove_knowledge(call.origin, &request)
}

pub(super) fn remove_node(call: &mut Call<'_, RemoveNode>) -> Result<Told, Refusal> {
    let (text, project) = (&call.given.node_id, call.given.of.project());
    let graph = or_empty(call.service.knowledge(project), Knowledge::default)?;
    let Some(node) = graph.named(text) else {
        let message =
            format!("Failed to remove node '{text}' from the graph. The node may not exist.");
        return Err(Refusal::new("unknown_node", message));
    };
    let nodes = vec![node.id().to_owned()];
    remove(
        call,
        project,
        RemoveKnowledge {
            nodes,
            ..RemoveKnowledge::default()
        },
    )?;
    Ok(Told::text(format!(
        "Successfully removed node '{}' (ID: {}) from the graph. All edges connected to this node were also removed.",
        node.label(),
        node.id()
    )))
}

pub(super) fn remove_edge(call: &mut Call<'_, RemoveEdge>) -> Result<Told, Refusal> {
    let (id, project) = (&call.given.edge_id, call.given.of.project());
    let graph = or_empty(call.service.knowledge(project), Knowledge::default)?;
    let Some(edge) = graph.find_edge(id) else {
        let message =
            format!("Failed to remove edge '{id}' from the graph. The edge may not exist.");
        return Err(Refusal::new("unknown_edge", message));
    };
    let edges = vec![id.clone()];
    remove(
        call,
        project,
        RemoveKnowledge {
            edges,
            ..RemoveKnowledge::default()
        },
    )?;
    Ok(Told::text(format!(
        "Successfully removed edge '{}' (ID: {id}) from the graph.",
        ends(&graph, edge)
    )))
}

pub(super) fn remove_nodes(call: &mut Call<'_, RemoveNodes>) -> Result<Told, Refusal> {
    let project = call.given.of.project();
    let graph = call.service.knowledge(project)?;
    let (mut nodes, mut labels, mut failed) = (Vec::new(), Vec::new(), 0);
    let mut seen = BTreeSet::new();
    for text in &call.given.node_ids {
        match graph.named(text) {
            Some(node) if seen.insert(node.id()) => {
                nodes.push(node.id().to_owned());
                labels.push(node.label().to_owned());
            }
            Some(_) | None => failed += 1,
        }
    }
    if !nodes.is_empty() {
        remove(
            call,
            project,
            RemoveKnowledge {
                nodes,
                ..RemoveKnowledge::default()
            },
        )?;
    }
    Ok(Told::text(format!(
        "Bulk removal completed: {} nodes removed successfully, {failed} failed. Removed nodes: {}",
        labels.len(),
        some(&labels, NAMED)
    )))
}

pub(super) fn remove_edges(call: &mut Call<'_, RemoveEdges>) -> Result<Told, Refusal> {
    let project = call.given.of.project();
    let graph = call.service.knowledge(project)?;
    let (mut edges, mut told, mut failed) = (Vec::new(), Vec::new(), 0);
    let mut seen = BTreeSet::new();
    for id in &call.given.edge_ids {
        match graph.find_edge(id) {
            Some(edge) if seen.insert(id) => {
                edges.push(id.clone());
                told.push(ends(&graph, edge));
            }
            Some(_) | None => failed += 1,
        }
    }
    if !edges.is_empty() {
        remove(
            call,
            project,
            RemoveKnowledge {
                edges,
                ..RemoveKnowledge::default()
            },
        )?;
    }
    Ok(Told::text(format!(
        "Bulk edge removal completed: {} edges removed successfully, {failed} failed. Removed edges: {}",
        told.len(),
        some(&told, 3)
    )))
}

/// What nodes are asked for, in words.
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

pub(super) fn remove_by_degree(call: &mut Call<'_, RemoveByDegree>) -> Result<Told, Refusal> {
    let (criteria, project) = (&call.given.criteria, call.given.of.project());
    let ByDegree {
        min_degree,
        max_degree,
        exact_degree,
        node_type,
    } = criteria;
    if [min_degree, max_degree, exact_degree]
        .iter()
        .all(|degree| degree.is_none())
    {
        let message =
            "At least one degree criteria (minDegree, maxDegree, or exactDegree) must be provided";
        return Err(Refusal::new("invalid_arguments", message));
    }
    let graph = call.service.knowledge(project)?;
    if graph.is_empty() {
        return Ok(Told::text("The graph is empty - no nodes to remove."));
    }
    let wanted = Where {
        types: node_type.iter().cloned().collect(),
        min_degree: exact_degree.or(*min_degree),
        max_degree: exact_degree.or(*max_degree),
        ..Where::default()
    };
    let request = RemoveKnowledge {
        r#where: Some(wanted),
        ..RemoveKnowledge::default()
    };
    let removed = remove(call, project, request)?;
    let labels: Vec<String> = removed
        .nodes
        .iter()
        .map(|node| node.label.clone())
        .collect();
    if labels.is_empty() {
        let all = graph.sorted_nodes().into_iter().take(NAMED + 1);
        let degrees = all.map(|node| {
            format!(
                "{}: {} connections",
                node.label(),
                node.degree(Direction::Both)
            )
        });
        return Ok(Told::text(format!(
            "No nodes found matching the degree criteria. Current node degrees: {}",
            some(&degrees.collect::<Vec<_>>(), NAMED)
        )));
    }
    Ok(Told::text(format!(
        "Degree-based removal completed: {} nodes removed successfully, 0 failed. Criteria: {}. Removed nodes: {}",
        removed.removed_nodes,
        by_degree(criteria),
        some(&labels, NAMED)
    )))
}

pub(super) fn remove_by_type(call: &mut Call<'_, RemoveByType>) -> Result<Told, Refusal> {
    let (criteria, project) = (&call.given.criteria, call.given.of.project());
    let (types, exclude) = (&criteria.node_types, &criteria.exclude_types);
    if types.is_empty() == exclude.is_empty() {
        let message = "Either nodeTypes or excludeTypes must be provided (but not both)";
        return Err(Refusal::new("invalid_arguments", message));
    }
    let request = RemoveKnowledge {
        r#where: Some(Where {
            types: types.clone(),
            exclude_types: exclude.clone(),
            ..Where::default()
        }),
        dry_run: criteria.preview,
        ..RemoveKnowledge::default()
    };
    let graph = call.service.knowledge(project)?;
    let removed = remove(call, project, request)?;
    let (count, about) = (
        removed.removed_nodes,
        if exclude.is_empty() {
            format!("types: {}", types.join(", "))
        } else {
            format!("exclude types: {}", exclude.join(", "))
        },
    );
    if !criteria.preview {
        return Ok(Told::text(format!(
            "Bulk removal completed: {count} nodes removed successfully. Criteria: {about}"
        )));
    }
    if count == 0 {
        return Ok(Told::text(
            "No nodes found matching the specified criteria.",
        ));
    }
    let nodes = removed.nodes.iter().filter_map(|node| graph.find(&node.id));
    let nodes = nodes
        .take(SAMPLE)
        .map(|node| format!("{} ({})", node.label(), kind(&node)));
    let more = if count > SAMPLE {
        format!(" and {} more...", count - SAMPLE)
    } else {
        String::new()
    };
    Ok(Told::text(format!(
        "Preview: Would delete {count} nodes matching criteria ({about}).\n\nSample nodes: {}{more}\n\n\
         Set preview: false to perform the actual deletion.",
        nodes.collect::<Vec<_>>().join(", ")
    )))
}
