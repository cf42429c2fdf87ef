//! Graph traversal: neighbourhoods, shortest paths, and paths that match a pattern.

use fibula_knowledge::network::{
    Filter, Hop, MAX_PATHS, NeighbourhoodQuery, Network, NetworkError, Path, PathLimits, PathQuery,
};
use fibula_knowledge::{Direction, NodeRef};

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
    /// The node whose neighbours are asked for.
    pub request(Default) struct GetNeighbors {
        project,
        /// Its id or label, or "fn:3".
        pub node: String,
        /// How many edges away; 1 if left out.
        pub depth: Option<u32>,
        /// both if left out.
        #[schemars(with = "Option<Direction>")]
        pub direction: Direction = default,
        /// Only along these.
        pub edge_types: Vec<String> = default,
        /// Only nodes of these types.
        pub node_types: Vec<String> = default,
        /// true: does not walk through others.
        pub cut: bool,
        /// Along edges that hold then.
        pub valid_at: Option<Timestamp>,
        revision,
        limit,
        cursor,
    }

    /// What is near a node, the nearest first.
    pub answer struct NeighborsShown {
        pub success: bool,
        pub node: EndpointSummary,
        pub neighbors: Vec<NeighborShown>,
        /// Edges among what is told, as [source, type, target].
        pub edges: Vec<[String; 3]>,
        /// How many there are, if not all are told.
        pub edge_total: Option<usize>,
        pub total: usize,
        pub revision: u64,
        pub next_cursor: Option<String>,
    }

    /// A node that is near.
    pub answer struct NeighborShown {
        #[serde(flatten)]
        pub node: EndpointSummary,
        pub distance: u32,
    }

    /// A node, or a function at which an edge ends, of which only the id is told.
    #[schemars(rename = "Stop")]
    pub answer(PartialEq) struct EndpointSummary {
        pub id: String,
        pub label: Option<String>,
        pub types: Vec<String> = [],
        pub creator: Option<String>,
        pub created: Option<Timestamp>,
    }

    /// The nodes between which paths are asked for.
    pub request(Default) struct FindPath {
        project,
        /// Where it begins: an id or label.
        pub source: String,
        /// Where it ends.
        pub target: String,
        /// How many; 1 if left out.
        pub count: Option<usize>,
        /// true: edges are as long as their weights.
        pub weighted: bool,
        /// both if left out.
        #[schemars(with = "Option<Direction>")]
        pub direction: Direction = default,
        /// Only along these.
        pub edge_types: Vec<String> = default,
        /// Only nodes of these types.
        pub node_types: Vec<String> = default,
        /// The most edges.
        pub max_length: Option<u32>,
        /// Along edges that hold then.
        pub valid_at: Option<Timestamp>,
        revision,
        cursor,
    }

    /// Paths, the shortest first.
    pub answer struct PathsFound {
        pub success: bool,
        pub found: bool,
        pub paths: Vec<PathShown>,
        /// How many there are of those that were asked for; at least, if truncated.
        pub total: Option<usize>,
        /// Whether there may be more.
        pub truncated: Option<bool>,
        pub revision: u64,
        pub next_cursor: Option<String>,
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
        /// Whether it was walked from its target to its source.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        pub reversed: bool,
    }

    /// The pattern that is walked.
    pub request(Default) struct Traverse {
        project,
        /// An id or label.
        pub start: String,
        /// The steps, one behind the other.
        pub path: Vec<PatternStep>,
        /// The most paths; 50 if left out.
        pub max_results: Option<usize>,
        /// Along edges that hold then.
        pub valid_at: Option<Timestamp>,
        revision,
        cursor,
    }

    /// A step of a pattern.
    pub request(Default) struct PatternStep {
        /// Any if left out.
        pub relation_type: Option<String>,
        /// outgoing if left out.
        #[schemars(with = "Option<Direction>")]
        pub direction: Option<Direction>,
        /// What it leads to; anything if left out.
        pub target_type: Option<String>,
        /// How often at least; 1 if left out.
        pub min: Option<u32>,
        /// How often at most; 1 if left out.
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
    pub(super) fn of(network: &Network, vertex: u32) -> EndpointSummary {
        let node = network.node(vertex);
        let types = node.iter().flat_map(NodeRef::types);
        EndpointSummary {
            id: network.id(vertex).to_owned(),
            label: node.map(|node| node.label().to_owned()),
            types: types.map(str::to_owned).collect(),
            creator: node.map(|node| node.creator().to_owned()),
            created: node.map(|node| Timestamp(node.created())),
        }
    }
}

impl PathShown {
    fn of(network: &Network, path: &Path) -> PathShown {
        let leg = |(&edge, &to): (&u32, &u32)| {
            let [source, target] = network.ends(edge);
            PathEdge {
                link: LinkShown::of(network.knowledge(), network.edge(edge), network.id(to)),
                reversed: to == source && source != target,
            }
        };
        PathShown {
            nodes: path
                .vertices
                .iter()
                .map(|&vertex| EndpointSummary::of(network, vertex))
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
            return Err(Refusal::new("invalid_value", message).hint(format!(
                "give 1 to {DEEPEST}; find_path looks for what is further away"
            )));
        }
        let limit = request.limit.unwrap_or(DEFAULT_LIMIT).min(MOST);
        let paging = Paging::new(Some(limit), request.cursor.as_deref())?;
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(request.revision)?;
        let graph = snapshot.document.knowledge();
        let network = project.network(graph);
        let offset = paging.after().map_or(0, |after| after as usize + 1);
        let start = node_lookup::end_id(graph, &request.node)?;
        let walk = NeighbourhoodQuery {
            starts: vec![start.clone()],
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
            node: EndpointSummary::of(&network, reached.vertex),
            distance: reached.distance,
        });
        let mut bytes = 0;
        let edges = near.edges.iter().map(|&edge| {
            let edge = network.edge(edge);
            [edge.source(), edge.ty(), edge.target()].map(str::to_owned)
        });
        let edges = edges.take_while(|edge| {
            bytes += edge.iter().map(String::len).sum::<usize>();
            bytes <= MOST_EDGE_BYTES
        });
        let edges: Vec<[String; 3]> = edges.collect();
        Ok(NeighborsShown {
            success: true,
            node: EndpointSummary::of(&network, network.vertex(&start)?),
            neighbors: page.items,
            edge_total: (near.edges_total > edges.len()).then_some(near.edges_total),
            edges,
            total: near.total,
            revision: snapshot.head.revision,
            next_cursor: page.next_cursor,
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
        let graph = snapshot.document.knowledge();
        let network = project.network(graph);
        let between = PathQuery {
            source: node_lookup::end_id(graph, &request.source)?,
            target: node_lookup::end_id(graph, &request.target)?,
            weighted: request.weighted,
            filter: filter(
                &request.edge_types,
                &request.node_types,
                request.valid_at,
                request.direction,
            ),
        };
        let (count, most) = (request.count.unwrap_or(1), request.max_length);
        if !(1..=MAX_PATHS).contains(&count) {
            let message = format!("count is {count}");
            return Err(Refusal::new("invalid_value", message)
                .hint(format!("give 1 to {MAX_PATHS}, or leave it out")));
        }
        if count > 1 && most.is_some() && request.weighted {
            let message = "several paths by weights have no max_length";
            return Err(Refusal::new("invalid_arguments", message)
                .hint("leave out count, weighted or max_length"));
        }
        let found = run_watched(1, watch, |progress| {
            let watch: &fibula_knowledge::progress::Watch<'_> = &|done, _| progress.report(done);
            match (count, most) {
                (1, most) => {
                    let path = network.shortest_path(&between, most, watch)?;
                    Ok((path.into_iter().collect(), false))
                }
                (count, None) => Ok((network.k_shortest_paths(&between, count, watch)?, false)),
                (count, Some(most)) => {
                    let bounds = PathLimits {
                        paths: count,
                        steps: MOST_STEPS,
                    };
                    let paths = network.all_paths(&between, most, bounds, watch)?;
                    Ok((
                        paths.paths,
                        paths.truncation == Some(fibula_knowledge::network::Truncation::Steps),
                    ))
                }
            }
        });
        let (paths, is_cut) = found.map_err(|error: NetworkError| Refusal::from(error))?;
        let page = paging.page((0..).zip(&paths), |path| PathShown::of(&network, path));
        Ok(PathsFound {
            success: true,
            found: !paths.is_empty(),
            total: (count > 1).then_some(paths.len()),
            truncated: is_cut.then_some(true),
            paths: page.items,
            revision: snapshot.head.revision,
            next_cursor: page.next_cursor,
        })
    }

    /// Returns all paths from a node that match a pattern. `watch` may cancel the traversal.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, revision or node, the pattern is invalid, or `watch` cancelled it.
    pub fn traverse(&self, request: &Traverse, watch: ProgressFn<'_>) -> Result<PathsFound> {
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(request.revision)?;
        let graph = snapshot.document.knowledge();
        let network = project.network(graph);
        let start = node_lookup::end_id(graph, &request.start)?;
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
            network.traverse(&start, &pattern, &filter, bounds, &|done, _| {
                progress.report(done)
            })
        })?;
        let numbered = (0..).zip(found.paths.iter().take(offset.saturating_add(most)));
        let mut page = paging.page(numbered, |path| PathShown::of(&network, path));
        let told = offset + page.items.len();
        if page.next_cursor.is_none() && told < found.paths.len() {
            page.next_cursor = told.checked_sub(1).map(|last| last.to_string());
        }
        Ok(PathsFound {
            success: true,
            found: !found.paths.is_empty(),
            total: Some(found.paths.len()),
            truncated: found.truncation.is_some().then_some(true),
            paths: page.items,
            revision: snapshot.head.revision,
            next_cursor: page.next_cursor,
        })
    }
}
