//! Graph traversal: neighbourhoods, shortest paths, and paths that match a pattern.

use std::collections::BTreeSet;

use fibula_core::graph::Document;
use fibula_knowledge::network::{
    Filter, Hop, MAX_PATHS, NeighbourhoodQuery, Network, NetworkError, Path, PathLimits, PathQuery,
    Truncation,
};
use fibula_knowledge::{Direction, FunctionEnd, NodeRef};

use super::node_lookup;
use super::records::LinkShown;
use super::timestamp::Timestamp;
use crate::background::{ProgressFn, run_watched};
use crate::paging::Paging;
use crate::refusal::{Refusal, Result};
use crate::service::Service;

/// Maximum depth of a neighbourhood.
const DEEPEST: u32 = 32;
/// Default number of neighbours.
const DEFAULT_LIMIT: u32 = 50;
/// Maximum number of neighbours of a page.
const MOST: u32 = 1_000;
/// Maximum number of edges among neighbours, and maximum of their bytes.
const MOST_EDGES: usize = 200;
const MOST_EDGE_BYTES: usize = 8 << 10;
/// Maximum number of paths that match a pattern, over all pages.
const MOST_WALKED: usize = 20_000;
/// Maximum number of steps of a traversal: some seconds.
const MOST_STEPS: u64 = 50_000_000;

json_structs! {
    /// Start and filter of a neighbourhood.
    pub request(Default) struct GetNeighbors {
        project,
        /// Its id or label, or "fn:3".
        pub node: String,
        /// Number of edges; default 1.
        pub depth: Option<u32>,
        /// Default both.
        #[schemars(with = "Option<Direction>")]
        pub direction: Direction = default,
        /// Only edges of these types.
        pub edge_types: Vec<String> = default,
        /// Only nodes of these types.
        pub node_types: Vec<String> = default,
        /// true: do not traverse other nodes.
        pub cut: bool,
        /// Only edges valid at this time.
        pub valid_at: Option<Timestamp>,
        revision,
        limit,
        cursor,
    }

    /// Neighbourhood of a node, nearest first.
    pub answer struct NeighborsShown {
        pub success: bool,
        pub node: EndpointSummary,
        pub neighbors: Vec<NeighborShown>,
        /// Edges among the listed nodes, as [source, type, target], or [source, type, target, label].
        pub edges: Vec<Vec<String>>,
        /// Total number, if not all are listed.
        pub edge_total: Option<usize>,
        /// Ends of the edges that are functions or nodes that no longer exist.
        pub dangling: Vec<String> = [],
        pub total: usize,
        pub revision: u64,
        pub next_cursor: Option<String>,
        pub next: Option<String>,
    }

    /// A node of the neighbourhood.
    pub answer struct NeighborShown {
        #[serde(flatten)]
        pub node: EndpointSummary,
        pub distance: u32,
    }

    /// A node; or a function at which an edge ends, with its id and name.
    #[schemars(rename = "Stop")]
    pub answer(PartialEq) struct EndpointSummary {
        pub id: String,
        pub label: Option<String>,
        pub types: Vec<String> = [],
        pub creator: Option<String>,
        pub created: Option<Timestamp>,
        /// True if it is a function or its node and no longer exists.
        pub dangling: Option<bool>,
    }

    /// Ends and options of a path query.
    pub request(Default) struct FindPath {
        project,
        /// Its id or label, or "fn:3".
        pub source: String,
        /// Likewise.
        pub target: String,
        /// Number of paths; default 1.
        pub count: Option<usize>,
        /// true: length is the sum of weights.
        pub weighted: bool,
        /// Default both.
        #[schemars(with = "Option<Direction>")]
        pub direction: Direction = default,
        /// Only edges of these types.
        pub edge_types: Vec<String> = default,
        /// Only nodes of these types.
        pub node_types: Vec<String> = default,
        /// Maximum number of edges.
        pub max_length: Option<u32>,
        /// Only edges valid at this time.
        pub valid_at: Option<Timestamp>,
        revision,
        cursor,
    }

    /// Paths, shortest first.
    pub answer struct PathsFound {
        pub success: bool,
        pub found: bool,
        pub paths: Vec<PathShown>,
        /// Number of matching paths; a lower bound if truncated.
        pub total: Option<usize>,
        /// True if there may be more.
        pub truncated: Option<bool>,
        pub revision: u64,
        pub next_cursor: Option<String>,
        pub next: Option<String>,
    }

    /// A path.
    pub answer(PartialEq) struct PathShown {
        pub nodes: Vec<EndpointSummary>,
        pub edges: Vec<PathEdge>,
        pub length: f64,
    }

    /// An edge on a path.
    #[schemars(rename = "Leg")]
    pub answer(PartialEq) struct PathEdge {
        #[serde(flatten)]
        pub link: LinkShown,
        /// True if it was followed from target to source.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        pub reversed: bool,
    }

    /// Start and pattern of a traversal.
    pub request(Default) struct Traverse {
        project,
        /// Its id or label, or "fn:3".
        pub start: String,
        /// Steps, each {relation_type, target_type, direction, min, max}, all optional.
        pub path: Vec<PatternStep>,
        /// Default 50.
        pub max_results: Option<usize>,
        /// Only edges valid at this time.
        pub valid_at: Option<Timestamp>,
        revision,
        cursor,
    }

    /// A step of a pattern.
    pub request(Default) struct PatternStep {
        /// Default any.
        pub relation_type: Option<String>,
        /// Default outgoing.
        #[schemars(with = "Option<Direction>")]
        pub direction: Option<Direction>,
        /// Type of the node reached; default any.
        pub target_type: Option<String>,
        /// Minimum number of repetitions; default 1.
        pub min: Option<u32>,
        /// Maximum number of repetitions; default 1.
        pub max: Option<u32>,
    }
}

/// Filter of the edges of a request.
pub(super) fn filter(
    edge_types: &[String],
    node_types: &[String],
    valid_at: Option<Timestamp>,
    direction: Direction,
) -> Filter {
    Filter {
        edge_types: edge_types.to_vec(),
        node_types: node_types.to_vec(),
        at: valid_at.map(|time| time.0),
        direction,
        ..Filter::default()
    }
}

impl EndpointSummary {
    pub(super) fn of(document: &Document, network: &Network, vertex: u32) -> EndpointSummary {
        let node = network.node(vertex);
        let types = node.iter().flat_map(NodeRef::types);
        EndpointSummary {
            id: network.id(vertex).to_owned(),
            label: node_lookup::label(document, network.id(vertex)),
            types: types.map(str::to_owned).collect(),
            creator: node.map(|node| node.creator().to_owned()),
            created: node.map(|node| Timestamp(node.created())),
            dangling: node_lookup::is_dangling(document, network.id(vertex)),
        }
    }

    /// A function at which no edge ends.
    fn function(document: &Document, id: String) -> EndpointSummary {
        EndpointSummary {
            dangling: node_lookup::is_dangling(document, &id),
            label: node_lookup::label(document, &id),
            id,
            types: Vec::new(),
            creator: None,
            created: None,
        }
    }
}

impl PathShown {
    fn of(document: &Document, network: &Network, path: &Path) -> PathShown {
        let leg = |(&edge, &to): (&u32, &u32)| {
            let [source, target] = network.ends(edge);
            PathEdge {
                link: LinkShown::of(document, network.edge(edge), network.id(to)),
                reversed: to == source && source != target,
            }
        };
        PathShown {
            nodes: path
                .vertices
                .iter()
                .map(|&vertex| EndpointSummary::of(document, network, vertex))
                .collect(),
            edges: path
                .edges
                .iter()
                .zip(path.vertices.iter().skip(1))
                .map(leg)
                .collect(),
            length: path.length,
        }
    }
}

impl Service {
    /// Returns the k-hop neighbourhood of a node.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, revision or node, or the depth is too large.
    pub fn get_neighbors(&self, request: &GetNeighbors) -> Result<NeighborsShown> {
        let depth = request.depth.unwrap_or(1);
        if !(1..=DEEPEST).contains(&depth) {
            let message = format!("depth is {depth}");
            return Err(Refusal::new("invalid_value", message)
                .hint(format!("pass 1 to {DEEPEST}; find_path searches farther")));
        }
        let limit = request.limit.unwrap_or(DEFAULT_LIMIT).min(MOST);
        let paging = Paging::new(Some(limit), request.cursor.as_deref())?;
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(request.revision)?;
        let document = &snapshot.document;
        let graph = document.knowledge();
        let network = project.network(graph);
        let offset = paging.after().map_or(0, |after| after as usize + 1);
        let start = node_lookup::end_id(document, &request.node)?;
        let mut starts = node_lookup::ends_within(graph, &start);
        if let Some(end) = FunctionEnd::parse(&start) {
            starts.retain(|start| network.vertex(start).is_ok());
            if starts.is_empty() {
                // No edge may end at a function that exists.
                node_lookup::check_exists(document, &end)?;
            }
        }
        let walk = NeighbourhoodQuery {
            starts,
            depth,
            filter: filter(
                &request.edge_types,
                &request.node_types,
                request.valid_at,
                request.direction,
            ),
            cut: request.cut,
            edges: MOST_EDGES,
            offset,
            limit: limit as usize + 1,
        };
        let near = network.neighbours(&walk)?;
        let numbered = (offset as u64..).zip(&near.reached);
        let page = paging.page(numbered, |reached| NeighborShown {
            node: EndpointSummary::of(document, &network, reached.vertex),
            distance: reached.distance,
        });
        let mut bytes = 0;
        let edges = near.edges.iter().map(|&edge| {
            let edge = network.edge(edge);
            let parts = [edge.source(), edge.ty(), edge.target()].into_iter();
            let parts = parts.chain(edge.label()).map(str::to_owned);
            parts.collect::<Vec<String>>()
        });
        let edges = edges.take_while(|edge| {
            bytes += edge.iter().map(String::len).sum::<usize>();
            bytes <= MOST_EDGE_BYTES
        });
        let edges: Vec<Vec<String>> = edges.collect();
        let ends = edges.iter().flat_map(|edge| [&edge[0], &edge[2]]);
        let ends: BTreeSet<&String> = ends.collect();
        let is_dangling = |end: &&&String| node_lookup::is_dangling(document, end).is_some();
        let dangling = ends
            .iter()
            .filter(is_dangling)
            .map(|&end| end.clone())
            .collect();
        // A function may have ends only at its nodes.
        let node = match network.vertex(&start) {
            Ok(vertex) => EndpointSummary::of(document, &network, vertex),
            Err(_) => EndpointSummary::function(document, start),
        };
        Ok(NeighborsShown {
            success: true,
            node,
            neighbors: page.items,
            edge_total: (near.edges_total > edges.len()).then_some(near.edges_total),
            edges,
            dangling,
            total: near.total,
            revision: snapshot.head.revision,
            next_cursor: page.next_cursor,
            next: (near.total == 0).then(|| {
                let is_filtered = !request.edge_types.is_empty()
                    || !request.node_types.is_empty()
                    || request.valid_at.is_some()
                    || request.direction != Direction::Both;
                let text = if is_filtered {
                    "no edge matches: omit direction, edge_types, node_types and valid_at to see all"
                } else {
                    "no edge ends here: add_edges adds some, search_nodes finds other nodes"
                };
                text.to_owned()
            }),
        })
    }

    /// Returns the shortest paths between two nodes; none is a valid answer. `watch` may cancel the search.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, revision or node, a weight is negative, several weighted paths with
    /// few edges are requested, or `watch` cancelled it.
    pub fn find_path(&self, request: &FindPath, watch: ProgressFn<'_>) -> Result<PathsFound> {
        let paging = Paging::new(None, request.cursor.as_deref())?;
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(request.revision)?;
        let document = &snapshot.document;
        let graph = document.knowledge();
        let network = project.network(graph);
        // A function may have ends only at its nodes.
        let ends = |text: &str| {
            let id = node_lookup::end_id(document, text)?;
            Ok::<_, Refusal>(node_lookup::ends_within(graph, &id))
        };
        let (sources, targets) = (ends(&request.source)?, ends(&request.target)?);
        let pairs = sources
            .iter()
            .flat_map(|source| targets.iter().map(move |target| (source, target)));
        let queries: Vec<PathQuery> = pairs
            .map(|(source, target)| PathQuery {
                source: source.clone(),
                target: target.clone(),
                weighted: request.weighted,
                filter: filter(
                    &request.edge_types,
                    &request.node_types,
                    request.valid_at,
                    request.direction,
                ),
            })
            .collect();
        let (count, most) = (request.count.unwrap_or(1), request.max_length);
        if !(1..=MAX_PATHS).contains(&count) {
            let message = format!("count is {count}");
            return Err(Refusal::new("invalid_value", message)
                .hint(format!("pass 1 to {MAX_PATHS}, or omit it")));
        }
        if count > 1 && most.is_some() && request.weighted {
            let message = "max_length is not supported for several weighted paths";
            return Err(Refusal::new("invalid_arguments", message)
                .hint("omit count, weighted or max_length"));
        }
        let found = run_watched(1, watch, |progress| {
            let watch: &fibula_knowledge::progress::Watch<'_> = &|done, _| progress.report(done);
            let (mut paths, mut is_cut) = (Vec::new(), false);
            for query in &queries {
                match (count, most) {
                    (1, most) => paths.extend(network.shortest_path(query, most, watch)?),
                    (count, None) => paths.extend(network.k_shortest_paths(query, count, watch)?),
                    (count, Some(most)) => {
                        let bounds = PathLimits {
                            paths: count,
                            steps: MOST_STEPS,
                        };
                        let found = network.all_paths(query, most, bounds, watch)?;
                        paths.extend(found.paths);
                        is_cut |= found.truncation == Some(Truncation::Steps);
                    }
                }
            }
            // Each search has its own paths in order.
            paths.sort_by(|a, b| a.length.total_cmp(&b.length));
            paths.truncate(count);
            Ok((paths, is_cut))
        });
        let (paths, is_cut) = found.map_err(|error: NetworkError| Refusal::from(error))?;
        let page = paging.page((0..).zip(&paths), |path| {
            PathShown::of(document, &network, path)
        });
        Ok(PathsFound {
            success: true,
            found: !paths.is_empty(),
            total: (count > 1).then_some(paths.len()),
            truncated: is_cut.then_some(true),
            paths: page.items,
            revision: snapshot.head.revision,
            next_cursor: page.next_cursor,
            next: paths.is_empty().then(|| {
                let is_filtered = !request.edge_types.is_empty()
                    || !request.node_types.is_empty()
                    || request.valid_at.is_some()
                    || most.is_some()
                    || request.direction != Direction::Both;
                let text = if is_filtered {
                    "no path matches: omit direction, edge_types, node_types, max_length and valid_at to search all"
                } else {
                    "nothing connects them: get_neighbors shows what is near each, add_edges adds edges"
                };
                text.to_owned()
            }),
        })
    }

    /// Returns all paths from a node that match a pattern. `watch` may cancel the traversal.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, revision or node, the pattern is invalid, or `watch` cancelled it.
    pub fn traverse(&self, request: &Traverse, watch: ProgressFn<'_>) -> Result<PathsFound> {
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(request.revision)?;
        let document = &snapshot.document;
        let graph = document.knowledge();
        let network = project.network(graph);
        let start = node_lookup::end_id(document, &request.start)?;
        // A function may have ends only at its nodes.
        let starts = node_lookup::ends_within(graph, &start);
        let hop = |step: &PatternStep| Hop {
            relation_type: step.relation_type.clone(),
            direction: step.direction.unwrap_or(Direction::Outgoing),
            target_type: step.target_type.clone(),
            least: step.min.unwrap_or(1),
            most: step.max.unwrap_or_else(|| step.min.unwrap_or(1).max(1)),
        };
        let pattern: Vec<Hop> = request.path.iter().map(hop).collect();
        let most = request.max_results.unwrap_or(DEFAULT_LIMIT as usize);
        let most = most.clamp(1, MOST as usize);
        let paging = Paging::new(None, request.cursor.as_deref())?;
        let offset = paging.after().map_or(0, |after| after as usize + 1);
        let bounds = PathLimits {
            paths: MOST_WALKED,
            steps: MOST_STEPS,
        };
        let filter = filter(&[], &[], request.valid_at, Direction::default());
        let found = run_watched(1, watch, |progress| {
            let (mut paths, mut is_cut) = (Vec::new(), false);
            for start in &starts {
                let watch = &|done, _| progress.report(done);
                let found = network.traverse(start, &pattern, &filter, bounds, watch)?;
                paths.extend(found.paths);
                is_cut |= found.truncation.is_some();
            }
            Ok((paths, is_cut))
        });
        let (paths, is_cut) = found.map_err(|error: NetworkError| Refusal::from(error))?;
        let numbered = (0..).zip(paths.iter().take(offset.saturating_add(most)));
        let mut page = paging.page(numbered, |path| PathShown::of(document, &network, path));
        let listed = offset + page.items.len();
        if page.next_cursor.is_none() && listed < paths.len() {
            page.next_cursor = listed.checked_sub(1).map(|last| last.to_string());
        }
        Ok(PathsFound {
            success: true,
            found: !paths.is_empty(),
            total: Some(paths.len()),
            truncated: is_cut.then_some(true),
            paths: page.items,
            revision: snapshot.head.revision,
            next_cursor: page.next_cursor,
            next: paths.is_empty().then(|| {
                "no path matches: get_neighbors lists the edges at the start with their types; a step follows outgoing \
                 edges unless it has a direction"
                    .to_owned()
            }),
        })
    }
}
