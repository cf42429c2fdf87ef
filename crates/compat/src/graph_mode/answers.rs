//! Answers about a graph: its state, searches, paths and analyses.

use std::collections::BTreeSet;

use fibula_knowledge::{Direction, EdgeRef, FUNCTION, Knowledge, NodeRef, is_same_type};
use fibula_service::{
    Analysis, AnalysisResult, Analyze, ExactOrRange, FindPath, Refusal, SearchNodes, Timestamp,
};

use fibula_server::operation::ToolAnswer;

use super::prose::{EMPTY, ambiguous, by_type, counted, ids_of, kind, label_of, list};
use super::requests::{
    AnalyzeNode, Centrality, Filter, FilterByType, GetGraphState, Metric, OfGraph, PathBetween,
    SearchFor,
};
use crate::{Answer, Call, InProject, group_by, pointing_on};

/// Maximum number of steps of a path in an answer.
const MAX_STEPS: usize = 100;
/// Maximum number of types in an answer.
const MOST_TYPES: usize = 20;
/// Default number of nodes in a ranking or search.
const DEFAULT_LIMIT: u32 = 10;

fn filtered<'a>(graph: &'a Knowledge, filter: &Filter) -> (Vec<NodeRef<'a>>, Vec<EdgeRef<'a>>) {
    let ids: BTreeSet<&str> = filter.node_ids.iter().map(String::as_str).collect();
    let mut nodes = graph.sorted_nodes();
    nodes.retain(|node| {
        let fits = filter.node_type.as_ref();
        fits.is_none_or(|ty| node.types().any(|own| is_same_type(own, ty)))
            && (ids.is_empty() || ids.contains(node.id()))
    });
    let shown: BTreeSet<&str> = nodes.iter().map(NodeRef::id).collect();
    let mut edges = graph.sorted_edges();
    edges.retain(|edge| {
        let ends = [edge.source(), edge.target()].map(|end| shown.contains(end));
        let fits = filter.edge_type.as_ref();
        fits.is_none_or(|ty| is_same_type(edge.ty(), ty))
            && (ids.is_empty() || ends == [true; 2])
            && (filter.node_type.is_none() || ends.contains(&true))
    });
    (nodes, edges)
}

fn state_text(graph: &Knowledge, nodes: &[NodeRef<'_>], edges: &[EdgeRef<'_>]) -> String {
    if nodes.is_empty() {
        let is_empty = graph.is_empty();
        return if is_empty {
            EMPTY
        } else {
            "No node of the graph matches the filter."
        }
        .to_owned();
    }
    let degrees = || nodes.iter().map(|node| node.degree(Direction::Both));
    let (least, most) = (degrees().min().unwrap_or(0), degrees().max().unwrap_or(0));
    let mean = degrees().sum::<usize>() as f64 / nodes.len() as f64;
    let changed = nodes.iter().map(NodeRef::modified);
    let changed = changed.chain(edges.iter().map(EdgeRef::modified)).max();
    format!(
        "Current graph has {} and {}.\n\n\
         # Current Graph State\n\n\
         **Total Nodes:** {}\n\
         **Total Edges:** {}\n\
         **Last Updated:** {}\n\n\
         ## Node Statistics\n\n\
         - **Degree Range:** {least} - {most} connections\n\
         - **Average Degree:** {mean:.1} connections\n\n\
         ## Nodes\n\n{}\n\n\
         ## Edges\n\n{}",
        counted(graph.node_count(), "node"),
        counted(graph.edge_count(), "edge"),
        nodes.len(),
        edges.len(),
        Timestamp(changed.unwrap_or(0)),
        by_type(nodes),
        list(graph, edges)
    )
}

pub(super) fn state(call: &mut Call<'_, GetGraphState>) -> Answer {
    let graph = call.knowledge_or_empty()?;
    let none = Filter::default();
    let filter = call.request.filter.as_ref().unwrap_or(&none);
    let (nodes, edges) = filtered(&graph, filter);
    let ends = edges.iter().flat_map(|edge| [edge.source(), edge.target()]);
    with_deleted(call, state_text(&graph, &nodes, &edges), ends)
}

/// Returns a text, and below it which functions and nodes of functions shown in it no longer exist.
fn with_deleted<'a, P: InProject>(
    call: &Call<'_, P>,
    mut text: String,
    shown: impl Iterator<Item = &'a str>,
) -> Answer {
    let shown: BTreeSet<&str> = shown.filter(|id| id.starts_with(FUNCTION)).collect();
    if !shown.is_empty() {
        let functions = call.service.function_ends(call.project())?;
        let is_deleted = |id: &&str| functions.get(*id).is_some_and(Option::is_none);
        let deleted: Vec<&str> = shown.into_iter().filter(is_deleted).collect();
        if !deleted.is_empty() {
            text.push_str("\n\n**No longer in the project:** ");
            text.push_str(&deleted.join(", "));
        }
    }
    Ok(ToolAnswer::text(text))
}

pub(super) fn of_type(call: &mut Call<'_, FilterByType>) -> Answer {
    let graph = call.knowledge_or_empty()?;
    let ty = &call.request.node_type;
    let filter = Filter {
        node_type: Some(ty.clone()),
        ..Filter::default()
    };
    let (nodes, _) = filtered(&graph, &filter);
    if nodes.is_empty() {
        let none = ToolAnswer::text(format!("No nodes of type '{ty}' in the graph."));
        let counts = graph.node_type_counts();
        let types: Vec<&str> = counts.iter().take(MOST_TYPES).map(|(ty, _)| *ty).collect();
        let more = if counts.len() > MOST_TYPES {
            ", and others"
        } else {
            ""
        };
        let otherwise = format!("Types of the graph: {}{more}.", types.join(", "));
        return Ok(pointing_on(none, !types.is_empty(), &otherwise));
    }
    Ok(ToolAnswer::text(by_type(&nodes)))
}

pub(super) fn search(call: &mut Call<'_, SearchFor>) -> Answer {
    if call.knowledge_or_empty()?.is_empty() {
        return Ok(ToolAnswer::text(EMPTY));
    }
    let (arguments, query) = (&call.request, &call.request.query);
    let request = SearchNodes {
        project: call.project_name(),
        query: query.clone(),
        types: arguments.node_type.iter().cloned().collect(),
        limit: Some(arguments.limit.unwrap_or(DEFAULT_LIMIT)),
        ..SearchNodes::default()
    };
    let found = call.service.search_nodes(&request)?;
    if found.nodes.is_empty() {
        let none = ToolAnswer::text(format!("No nodes found for '{query}'."));
        let otherwise = "Search for one word, or without nodeType; getGraphState lists the nodes.";
        return Ok(pointing_on(none, true, otherwise));
    }
    let lines = found.nodes.iter().map(|hit| {
        let snippet = hit.snippet.as_ref();
        let snippet = snippet.map_or_else(String::new, |text| format!(": {text}"));
        let node = &hit.node;
        format!(
            "  - {} ({}, ID: {}){snippet}",
            node.label,
            node.types.join(", "),
            node.id
        )
    });
    let lines: Vec<String> = lines.collect();
    let complete = found.complete.unwrap_or(found.total);
    let some = match found.total - complete {
        0 => String::new(),
        some => format!(", and {some} with some of its words"),
    };
    Ok(ToolAnswer::text(format!(
        "Found {} for '{query}'{some}:\n{}",
        counted(complete, "node"),
        lines.join("\n")
    )))
}

pub(super) fn path(call: &mut Call<'_, PathBetween>) -> Answer {
    let graph = call.knowledge_or_empty()?;
    if graph.is_empty() {
        return Ok(ToolAnswer::text(EMPTY));
    }
    let (source, target) = (&call.request.source, &call.request.target);
    let request = FindPath {
        project: call.project_name(),
        source: source.clone(),
        target: target.clone(),
        ..FindPath::default()
    };
    let found = call.service.find_path(&request, call.progress)?;
    let Some(path) = found.paths.first() else {
        let none = ToolAnswer::text(format!(
            "There is no path between '{source}' and '{target}'."
        ));
        let otherwise =
            "Links count in both directions: analyzeStructure counts the connected components.";
        return Ok(pointing_on(none, true, otherwise));
    };
    let name = |place: usize| {
        let stop = &path.nodes[place];
        stop.label.as_ref().unwrap_or(&stop.id)
    };
    let mut text = format!(
        "Shortest path between '{}' and '{}' ({}):\n  {}",
        name(0),
        name(path.nodes.len() - 1),
        counted(path.edges.len(), "edge"),
        name(0)
    );
    for (place, leg) in path.edges.iter().enumerate().take(MAX_STEPS) {
        let edge = graph.find_edge(&leg.link.edge);
        let label = edge.and_then(|edge| edge.label()).unwrap_or(&leg.link.ty);
        let arrow = if leg.reversed {
            format!(" ←[{label}]─ ")
        } else {
            format!(" ─[{label}]→ ")
        };
        text.push_str(&arrow);
        text.push_str(name(place + 1));
    }
    if path.edges.len() > MAX_STEPS {
        text.push_str(" ...");
    }
    with_deleted(call, text, path.nodes.iter().map(|node| node.id.as_str()))
}

pub(super) fn relationships(call: &mut Call<'_, AnalyzeNode>) -> Answer {
    let graph = call.knowledge_or_empty()?;
    let name = &call.request.node_id;
    let Some(node) = graph.named(name) else {
        let several = ids_of(&graph, name);
        let refusal = if several.is_empty() {
            let message = format!("Node '{name}' is not in the graph.");
            Refusal::new("unknown_node", message)
        } else {
            Refusal::new("ambiguous_node", ambiguous(name, &several))
        };
        return Err(refusal.hint("name it by its id; searchNodes and getGraphState show ids"));
    };
    let id = node.id();
    let (edges, outgoing) = (
        graph.edges_at(id, Direction::Both),
        graph.edges_at(id, Direction::Outgoing),
    );
    let incoming = graph.edges_at(id, Direction::Incoming).len();
    let labels = group_by(&edges, |edge| edge.label().unwrap_or(edge.ty()));
    let labels = labels.iter().map(|(label, group)| {
        let away = group.iter().filter(|edge| edge.source() == id).count();
        format!("  - {label}: {} ({away} outgoing)", group.len())
    });
    let others = edges.iter().flat_map(|edge| [edge.source(), edge.target()]);
    let others: BTreeSet<&str> = others.filter(|other| *other != id).collect();
    let types = group_by(others.iter().copied(), |other| {
        graph.find(other).map_or("function", |node| kind(&node))
    });
    let types = types
        .iter()
        .map(|(ty, group)| format!("  - {ty}: {}", group.len()));
    let text = format!(
        "# Relationships of {} ({}, ID: {id})\n\n\
         **Connections:** {} ({} outgoing, {incoming} incoming)\n\
         **Neighbors:** {}\n\n\
         ## By Label\n\n{}\n\n\
         ## By Type of Neighbor\n\n{}\n\n\
         ## Edges\n\n{}",
        node.label(),
        kind(&node),
        edges.len(),
        outgoing.len(),
        others.len(),
        or_none(labels),
        or_none(types),
        list(&graph, &edges)
    );
    with_deleted(call, text, others.iter().copied())
}

/// Joins lines, or says that there are none.
fn or_none(lines: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        return "  (None)".to_owned();
    }
    lines.join("\n")
}

fn analyze<P>(call: &mut Call<'_, P>, request: &Analyze) -> Result<AnalysisResult, Refusal> {
    call.service.analyze(request, call.progress)
}

/// Formats a number or its bounds.
fn range_text(number: ExactOrRange) -> String {
    match number {
        ExactOrRange::Exact(exact) => exact.to_string(),
        ExactOrRange::Between([least, most]) => format!("{least} to {most}"),
    }
}

pub(super) fn structure(call: &mut Call<'_, OfGraph>) -> Answer {
    if call.knowledge_or_empty()?.is_empty() {
        return Ok(ToolAnswer::text(EMPTY));
    }
    let request = Analyze {
        project: call.project_name(),
        ..Analyze::default()
    };
    let found = analyze(call, &request)?.structure;
    let Some(found) = found else {
        return Ok(ToolAnswer::text(EMPTY));
    };
    Ok(ToolAnswer::text(format!(
        "# Graph Structure\n\n\
         - **Nodes:** {}\n\
         - **Edges:** {}\n\
         - **Density:** {:.4}\n\
         - **Connected Components:** {} (the largest has {})\n\
         - **Isolated Nodes:** {}\n\
         - **Diameter:** {}\n\
         - **Average Path Length:** {:.2}\n\
         - **Average Degree:** {:.1} connections ({} - {})\n\
         - **Average Clustering:** {:.3}\n\
         - **Cycles:** {}",
        found.nodes,
        found.edges,
        found.density,
        found.components,
        counted(found.largest_component, "node"),
        found.isolated,
        range_text(found.diameter),
        found.average_distance,
        found.degree.mean,
        found.degree.min,
        found.degree.max,
        found.average_clustering,
        if found.is_acyclic { "no" } else { "yes" }
    )))
}

pub(super) fn centrality(call: &mut Call<'_, Centrality>) -> Answer {
    if call.knowledge_or_empty()?.is_empty() {
        return Ok(ToolAnswer::text(EMPTY));
    }
    let (analysis, title) = match call.request.metric {
        Metric::Degree => (Analysis::Degree, "Degree"),
        Metric::Closeness => (Analysis::Closeness, "Closeness"),
        Metric::Betweenness => (Analysis::Betweenness, "Betweenness"),
        Metric::Pagerank => (Analysis::Pagerank, "PageRank"),
    };
    let request = Analyze {
        project: call.project_name(),
        what: analysis,
        limit: Some(call.request.limit.unwrap_or(DEFAULT_LIMIT)),
        ..Analyze::default()
    };
    let found = analyze(call, &request)?;
    let ranking = found.ranking.unwrap_or_default();
    let lines = ranking.iter().enumerate().map(|(place, ranked)| {
        let node = &ranked.node;
        let label = node.label.as_ref().unwrap_or(&node.id);
        format!(
            "{}. {label} (ID: {}): {:.4}",
            place + 1,
            node.id,
            ranked.score
        )
    });
    let lines: Vec<String> = lines.collect();
    let text = format!("# {title} Centrality\n\n{}", lines.join("\n"));
    let shown = ranking.iter().map(|ranked| ranked.node.id.as_str());
    with_deleted(call, text, shown)
}

pub(super) fn communities(call: &mut Call<'_, OfGraph>) -> Answer {
    let graph = call.knowledge_or_empty()?;
    if graph.is_empty() {
        return Ok(ToolAnswer::text(EMPTY));
    }
    let request = Analyze {
        project: call.project_name(),
        what: Analysis::Communities,
        ..Analyze::default()
    };
    let found = analyze(call, &request)?;
    let groups = found.groups.unwrap_or_default();
    let lines = groups.iter().enumerate().map(|(place, group)| {
        let labels = group.nodes.iter().map(|id| label_of(&graph, id));
        let more = if group.size > group.nodes.len() {
            ", ..."
        } else {
            ""
        };
        let labels = labels.collect::<Vec<_>>().join(", ");
        format!(
            "{}. {}: {labels}{more}",
            place + 1,
            counted(group.size, "node")
        )
    });
    let lines: Vec<String> = lines.collect();
    let text = format!(
        "# Communities\n\n**Found:** {}\n**Modularity:** {:.3}\n\n{}",
        found.total,
        found.modularity.unwrap_or(0.0),
        lines.join("\n")
    );
    let shown = groups.iter().flat_map(|group| &group.nodes);
    with_deleted(call, text, shown.map(String::as_str))
}
