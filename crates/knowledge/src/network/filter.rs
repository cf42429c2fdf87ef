//! Filters of vertices and edges by type, time and direction.

use rustc_hash::FxHashSet;

use super::adjacency::Step;
use super::view::Network;
use crate::graph::{Direction, NodeRef};

/// Filter of a network. Types match ignoring case; an unknown type matches nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Types of edges to follow; all if empty.
    pub edge_types: Vec<String>,
    /// Types of edges to ignore.
    pub exclude_edge_types: Vec<String>,
    /// Types of nodes to visit, one of which suffices; all if empty. Functions have no type.
    pub node_types: Vec<String>,
    /// Types of nodes to ignore, even if they also have a type of `node_types`.
    pub exclude_node_types: Vec<String>,
    /// Only edges valid at this time, in milliseconds since 1970, UTC; the beginning of validity is inclusive and its
    /// end exclusive.
    pub at: Option<i64>,
    /// Direction in which edges are followed. For analyses of a whole graph, `Both` makes it undirected and `Incoming`
    /// transposes it.
    pub direction: Direction,
}

/// Lower-case names.
fn folded(names: &[String]) -> FxHashSet<String> {
    names.iter().map(|name| name.to_lowercase()).collect()
}

/// Compiled types of nodes, as they are spelt in the graph.
struct NodeTypeFilter<'a> {
    /// `None`: all.
    wanted: Option<FxHashSet<&'a str>>,
    unwanted: FxHashSet<&'a str>,
}

/// A filter compiled for a network.
pub(super) struct CompiledFilter<'a> {
    network: &'a Network,
    direction: Direction,
    /// True for each included type of edge; `None` if all are included.
    types: Option<Vec<bool>>,
    times: Option<(i64, &'a [[i64; 2]])>,
    kinds: Option<NodeTypeFilter<'a>>,
}

impl<'a> CompiledFilter<'a> {
    pub(super) fn new(network: &'a Network, filter: &Filter) -> CompiledFilter<'a> {
        CompiledFilter {
            network,
            direction: filter.direction,
            types: passing_types(network, filter),
            times: filter.at.zip(network.times()),
            kinds: NodeTypeFilter::new(network, filter),
        }
    }

    pub(super) fn direction(&self) -> Direction {
        self.direction
    }

    /// True if all edges pass.
    pub(super) fn passes_edges(&self) -> bool {
        self.types.is_none() && self.times.is_none()
    }

    /// True if all vertices pass.
    pub(super) fn passes_vertices(&self) -> bool {
        self.kinds.is_none()
    }

    pub(super) fn edge(&self, edge: u32) -> bool {
        let ty = |types: &Vec<bool>| types[self.network.ty(edge) as usize];
        self.types.as_ref().is_none_or(ty)
            && self.times.is_none_or(|(at, times)| {
                let [from, to] = times[edge as usize];
                from <= at && at < to
            })
    }

    pub(super) fn vertex(&self, vertex: u32) -> bool {
        let Some(kinds) = &self.kinds else {
            return true;
        };
        let node = self.network.node(vertex);
        let types = || node.iter().flat_map(NodeRef::types);
        let wanted = kinds.wanted.as_ref();
        wanted.is_none_or(|wanted| types().any(|ty| wanted.contains(ty)))
            && !types().any(|ty| kinds.unwanted.contains(ty))
    }

    /// True if the edge and the vertex at its other end pass.
    pub(super) fn step(&self, step: Step) -> bool {
        self.edge(step.edge) && self.vertex(step.to)
    }

    /// Returns the first edge with a negative weight that passes, and whose ends do.
    pub(super) fn negative(&self, passes: impl Fn(u32) -> bool) -> Option<u32> {
        let mut negative = self.network.negative().iter().copied();
        let ends = |edge| self.network.ends(edge).into_iter();
        negative.find(|&edge| self.edge(edge) && ends(edge).all(&passes))
    }
}

/// Returns whether each type of edge passes; `None` if all do.
fn passing_types(network: &Network, filter: &Filter) -> Option<Vec<bool>> {
    if filter.edge_types.is_empty() && filter.exclude_edge_types.is_empty() {
        return None;
    }
    let [wanted, unwanted] =
        [&filter.edge_types, &filter.exclude_edge_types].map(|all| folded(all));
    let passes = |ty: &String| {
        let ty = ty.to_lowercase();
        (wanted.is_empty() || wanted.contains(&ty)) && !unwanted.contains(&ty)
    };
    let types: Vec<bool> = network.types().iter().map(passes).collect();
    types.contains(&false).then_some(types)
}

impl<'a> NodeTypeFilter<'a> {
    /// `None` if all nodes pass.
    fn new(network: &'a Network, filter: &Filter) -> Option<NodeTypeFilter<'a>> {
        if filter.node_types.is_empty() && filter.exclude_node_types.is_empty() {
            return None;
        }
        let known = network.knowledge().node_type_counts();
        let matching = |names: &[String]| {
            let names = folded(names);
            let is_named = |ty: &&str| names.contains(&ty.to_lowercase());
            known.iter().map(|&(ty, _)| ty).filter(is_named).collect()
        };
        let wanted = (!filter.node_types.is_empty()).then(|| matching(&filter.node_types));
        Some(NodeTypeFilter {
            wanted,
            unwanted: matching(&filter.exclude_node_types),
        })
    }
}
