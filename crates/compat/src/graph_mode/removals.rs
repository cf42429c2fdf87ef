//! Removing nodes and edges, one by one, by degree and by type.

use std::collections::BTreeSet;

use fibula_knowledge::{Direction, Knowledge};
use fibula_service::{KnowledgeRemoved, NodeFilter, Refusal, RemoveKnowledge};

use fibula_server::operation::ToolAnswer;

use super::prose::{ends, first_few, kind};
use super::requests::{
    ByDegree, RemoveByDegree, RemoveByType, RemoveEdge, RemoveEdges, RemoveNode, RemoveNodes,
};
use crate::{Answer, Call, InProject};

/// Maximum number of removed items that are listed.
const MAX_NAMED: usize = 5;
/// Maximum number of nodes in a preview.
const MAX_SAMPLE: usize = 10;

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
