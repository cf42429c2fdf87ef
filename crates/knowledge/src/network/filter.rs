//! Which vertices and edges of a network are walked.

use rustc_hash::FxHashSet;

use super::adjacency::Step;
use super::view::Network;
use crate::graph::{Direction, NodeRef};

/// What is wanted of a network. Types match ignoring case; one that nothing has matches nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The types of edges; all if empty.
    pub edge_types: Vec<String>,
    /// Types of edges that are left out.
    pub exclude_edge_types: Vec<String>,
    /// The types of nodes, of which one suffices; all if empty. A function has no type.
    pub node_types: Vec<String>,
    /// Types of nodes that are left out, whatever else these are.
    pub exclude_node_types: Vec<String>,
    /// Only edges that hold at this time, in milliseconds since 1970, UTC: at the time from which they hold, and no
    /// longer at that until which they do.
    pub at: Option<i64>,
    /// How edges are followed. Where a whole network is looked at, it is undirected in both directions, and turned
    /// around if they are followed from their targets to their sources.
    pub direction: Direction,
}

/// Which names match some, ignoring case.
fn folded(names: &[String]) -> FxHashSet<String> {
    names.iter().map(|name| name.to_lowercase()).collect()
}

/// Types of nodes, as they are written there.
struct Kinds<'a> {
    /// All if there are none.
    wanted: Option<FxHashSet<&'a str>>,
    unwanted: FxHashSet<&'a str>,
}

/// A filter made ready for a network.
pub(super) struct Sieve<'a> {
    network: &'a Network,
    direction: Direction,
    /// Whether each type of edges may pass, if not all may.
    types: Option<Vec<bool>>,
    times: Option<(i64, &'a [[i64; 2]])>,
    kinds: Option<Kinds<'a>>,
}

impl<'a> Sieve<'a> {
    pub(super) fn new(network: &'a Network, filter: &Filter) -> Sieve<'a> {
        Sieve {
            network,
            direction: filter.direction,
            types: passing_types(network, filter),
            times: filter.at.zip(network.times()),
            kinds: Kinds::new(network, filter),
        }
    }

    /// How edges are followed.
    pub(super) fn direction(&self) -> Direction {
        self.direction
    }

    /// Whether all edges pass.
    pub(super) fn passes_edges(&self) -> bool {
        self.types.is_none() && self.times.is_none()
    }

    /// Whether all vertices pass.
    pub(super) fn passes_vertices(&self) -> bool {
        self.kinds.is_none()
    }

    /// Whether an edge passes.
    pub(super) fn edge(&self, edge: u32) -> bool {
        let ty = |types: &Vec<bool>| types[self.network.ty(edge) as usize];
        self.types.as_ref().is_none_or(ty)
            && self.times.is_none_or(|(at, times)| {
                let [from, to] = times[edge as usize];
                from <= at && at < to
            })
    }

    /// Whether a vertex passes.
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

    /// Whether a step may be made.
    pub(super) fn step(&self, step: Step) -> bool {
        self.edge(step.edge) && self.vertex(step.to)
    }

    /// The first edge that passes, whose ends do, and that has a weight below 0.
    pub(super) fn negative(&self, passes: impl Fn(u32) -> bool) -> Option<u32> {
        let mut negative = self.network.negative().iter().copied();
        let ends = |edge| self.network.ends(edge).into_iter();
        negative.find(|&edge| self.edge(edge) && ends(edge).all(&passes))
    }
}

/// Whether each type of edges passes; `None` if all do.
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

impl<'a> Kinds<'a> {
    /// `None` if all nodes pass.
    fn new(network: &'a Network, filter: &Filter) -> Option<Kinds<'a>> {
        if filter.node_types.is_empty() && filter.exclude_node_types.is_empty() {
            return None;
        }
        let known = network.knowledge().node_type_counts();
        let matching = |names: &[String]| {
            let names = folded(names);
            let known = known.iter().map(|&(ty, _)| ty);
            known
                .filter(|ty| names.contains(&ty.to_lowercase()))
                .collect()
        };
        let wanted = (!filter.node_types.is_empty()).then(|| matching(&filter.node_types));
        Some(Kinds {
            wanted,
            unwanted: matching(&filter.exclude_node_types),
        })
    }
}
