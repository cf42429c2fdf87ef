//! What is in a graph, found in it and said about it.

use std::collections::BTreeSet;

use fibula_knowledge::{Direction, EdgeRef, Knowledge, NodeRef, is_same_type};
use fibula_service::{Analysis, Analyze, Analyzed, FindPath, Narrowed, Refusal, SearchNodes, When};

use super::super::{Call, Told, or_empty};
use super::given::{
    Centrality, Filter, FilterByType, GetGraphState, Metric, OfGraph, PathBetween, SearchFor,
};
use super::prose::{EMPTY, by_type, called, counted, list};

/// The most steps of a path that are told.
const MOST_STEPS: usize = 100;
/// How many nodes are ranked, and how many are found, if nothing is said.
const USUAL: u32 = 10;

fn of_filter<'a>(graph: &'a Knowledge, filter: &Filter) -> (Vec<NodeRef<'a>>, Vec<EdgeRef<'a>>) {
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

fn told(graph: &Knowledge, filter: &Filter) -> String {
    let (nodes, edges) = of_filter(graph, filter);
    if nodes.is_empty() {
        let is_empty = graph.is_empty();
        return if is_empty {
            EMPTY
        } else {
            "Nothing in the graph fits the filter."
        }
        .to_owned();
    }
    let degrees = || nodes.iter().map(|node| node.degree(Direction::Both));
    let (least, most) = (degrees().min().unwrap_or(0), degrees().max().unwrap_or(0));
    let mean = degrees().sum::<usize>() as f64 / nodes.len() as f64;
    let changed = nodes.iter().map(NodeRef::modified);
    let changed = changed.chain(edges.iter().map(EdgeRef::modified)).max();
    format!(
        "# Current Graph State\n\n\
         **Total Nodes:** {}\n\
         **Total Edges:** {}\n\
         **Last Updated:** {}\n\n\
         ## Node Statistics\n\n\
         - **Degree Range:** {least} - {most} connections\n\
         - **Average Degree:** {mean:.1} connections\n\n\
         ## Nodes\n\n{}\n\n\
         ## Edges\n\n{}",
        nodes.len(),
        edges.len(),
        When(changed.unwrap_or(0)),
        by_type(&nodes),
        list(graph, &edges)
    )
}

/// The graph of a call; an empty one if nobody has written to it yet.
fn graph<P>(call: &Call<'_, P>, of: &OfGraph) -> Result<Knowledge, Refusal> {
    or_empty(call.service.knowledge(of.project()), Knowledge::default)
}

pub(super) fn state(call: &mut Call<'_, GetGraphState>) -> Result<Told, Refusal> {
    let graph = graph(call, &call.given.of)?;
    let none = Filter::default();
    let filter = call.given.filter.as_ref().unwrap_or(&none);
    Ok(Told::text(told(&graph, filter)))
}

pub(super) fn of_type(call: &mut Call<'_, FilterByType>) -> Result<Told, Refusal> {
    let graph = graph(call, &call.given.of)?;
    let ty = &call.given.node_type;
    let filter = Filter {
        node_type: Some(ty.clone()),
        ..Filter::default()
    };
    let (nodes, _) = of_filter(&graph, &filter);
    if nodes.is_empty() {
        return Ok(Told::text(format!("No nodes of type '{ty}' in the graph.")));
    }
    Ok(Told::text(by_type(&nodes)))
}

pub(super) fn search(call: &mut Call<'_, SearchFor>) -> Result<Told, Refusal> {
    let SearchFor {
        query,
        node_type,
        limit,
        of,
    } = &call.given;
    if graph(call, of)?.is_empty() {
        return Ok(Told::text(EMPTY));
    }
    let request = SearchNodes {
        project: of.project().map(str::to_owned),
        query: query.clone(),
        types: node_type.iter().cloned().collect(),
        limit: Some(limit.unwrap_or(USUAL)),
        ..SearchNodes::default()
    };
    let found = call.service.search_nodes(&request)?;
    if found.nodes.is_empty() {
        return Ok(Told::text(format!("No nodes found for '{query}'.")));
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
    Ok(Told::text(format!(
        "Found {} for '{query}':\n{}",
        counted(found.total, "node"),
        lines.join("\n")
    )))
}

pub(super) fn path(call: &mut Call<'_, PathBetween>) -> Result<Told, Refusal> {
    if graph(call, &call.given.of)?.is_empty() {
        return Ok(Told::text(EMPTY));
    }
    let Call {
        service,
        watch,
        given,
        ..
    } = call;
    let PathBetween { source, target, of } = given;
    let request = FindPath {
        project: of.project().map(str::to_owned),
        source: source.clone(),
        target: target.clone(),
        ..FindPath::default()
    };
    let found = service.find_path(&request, *watch)?;
    let Some(path) = found.paths.first() else {
        return Ok(Told::text(format!(
            "There is no path between '{source}' and '{target}'."
        )));
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
    for (place, leg) in path.edges.iter().enumerate().take(MOST_STEPS) {
        let ty = &leg.link.ty;
        let arrow = if leg.reversed {
            format!(" ←[{ty}]─ ")
        } else {
            format!(" ─[{ty}]→ ")
        };
        text.push_str(&arrow);
        text.push_str(name(place + 1));
    }
    if path.edges.len() > MOST_STEPS {
        text.push_str(" ...");
    }
    Ok(Told::text(text))
}

fn analyze<P>(call: &mut Call<'_, P>, request: &Analyze) -> Result<Analyzed, Refusal> {
    call.service.analyze(request, call.watch)
}

/// A number, or between which it is.
fn narrowed(number: Narrowed) -> String {
    match number {
        Narrowed::Exact(exact) => exact.to_string(),
        Narrowed::Between([least, most]) => format!("{least} to {most}"),
    }
}

pub(super) fn structure(call: &mut Call<'_, OfGraph>) -> Result<Told, Refusal> {
    if graph(call, &call.given)?.is_empty() {
        return Ok(Told::text(EMPTY));
    }
    let request = Analyze {
        project: call.given.project().map(str::to_owned),
        ..Analyze::default()
    };
    let found = analyze(call, &request)?.structure;
    let Some(found) = found else {
        return Ok(Told::text(EMPTY));
    };
    Ok(Told::text(format!(
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
        narrowed(found.diameter),
        found.average_distance,
        found.degree.mean,
        found.degree.min,
        found.degree.max,
        found.average_clustering,
        if found.is_acyclic { "no" } else { "yes" }
    )))
}

pub(super) fn centrality(call: &mut Call<'_, Centrality>) -> Result<Told, Refusal> {
    if graph(call, &call.given.of)?.is_empty() {
        return Ok(Told::text(EMPTY));
    }
    let (what, title) = match call.given.metric {
        Metric::Degree => (Analysis::Degree, "Degree"),
        Metric::Closeness => (Analysis::Closeness, "Closeness"),
        Metric::Betweenness => (Analysis::Betweenness, "Betweenness"),
        Metric::Pagerank => (Analysis::Pagerank, "PageRank"),
    };
    let request = Analyze {
        project: call.given.of.project().map(str::to_owned),
        what,
        limit: Some(call.given.limit.unwrap_or(USUAL)),
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
    Ok(Told::text(format!(
        "# {title} Centrality\n\n{}",
        lines.join("\n")
    )))
}

pub(super) fn communities(call: &mut Call<'_, OfGraph>) -> Result<Told, Refusal> {
    let graph = graph(call, &call.given)?;
    if graph.is_empty() {
        return Ok(Told::text(EMPTY));
    }
    let request = Analyze {
        project: call.given.project().map(str::to_owned),
        what: Analysis::Communities,
        ..Analyze::default()
    };
    let found = analyze(call, &request)?;
    let groups = found.groups.unwrap_or_default();
    let lines = groups.iter().enumerate().map(|(place, group)| {
        let labels = group.nodes.iter().map(|id| called(&graph, id));
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
    Ok(Told::text(format!(
        "# Communities\n\n**Found:** {}\n**Modularity:** {:.3}\n\n{}",
        found.total,
        found.modularity.unwrap_or(0.0),
        lines.join("\n")
    )))
}
