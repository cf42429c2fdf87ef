//! A small graph in plain lists, and its properties by exhaustive search.

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
pub(super) struct PlainEdge {
    pub(super) ends: [usize; 2],
    pub(super) ty: &'static str,
    pub(super) weight: Option<u8>,
    pub(super) times: [Option<i64>; 2],
}

/// Vertices by number: nodes first, then functions.
#[derive(Debug, Clone)]
pub(super) struct Plain {
    pub(super) ids: Vec<String>,
    /// Of nodes.
    pub(super) types: Vec<&'static str>,
    pub(super) edges: Vec<PlainEdge>,
    backwards: bool,
}

const FUNCTIONS: [&str; 3] = ["fn:1", "fn:1/2", "fn:12"];

/// Up to seven nodes and three functions with up to so many edges; loops and several edges between two are frequent,
/// and some are drawn out, with edges from most vertices to the next only.
pub(super) fn plain(most: usize) -> impl Strategy<Value = Plain> {
    let end = || 0..10_usize;
    let times = prop::option::weighted(0.3, (0..5_i64, 0..5_i64));
    let edge = ([end(), end()], 0..3_usize, prop::option::of(1..5_u8), times);
    let edges = prop::collection::vec(edge, 0..most);
    let flags = [any::<bool>(), any::<bool>()];
    (1..8_usize, edges, flags).prop_map(|(nodes, mut edges, [backwards, drawn_out])| {
        for ([source, target], ..) in &mut edges {
            if drawn_out && *target < 8 {
                *target = (*source + 1) % 10;
            }
        }
        made(nodes, &edges, backwards)
    })
}

/// The ends of an edge, its type, its weight, and when it holds from and for how long.
type RenderedImage = ([usize; 2], usize, Option<u8>, Option<(i64, i64)>);

fn made(nodes: usize, edges: &[RenderedImage], backwards: bool) -> Plain {
    let ends = edges.iter().flat_map(|(ends, ..)| ends);
    let mut used: Vec<usize> = ends.copied().filter(|&end| end >= 7).collect();
    used.sort_unstable();
    used.dedup();
    let place = |end: usize| match used.binary_search(&end) {
        Ok(place) => nodes + place,
        Err(_) => end % nodes,
    };
    let edge = |&(ends, ty, weight, times): &RenderedImage| PlainEdge {
        ends: ends.map(place),
        ty: ["causes", "Causes", "part of"][ty],
        weight,
        times: times.map_or([None; 2], |(from, to)| [Some(from), Some(from + to)]),
    };
    let types = ["Gene", "Disease", "gene"];
    let functions = used.iter().map(|end| FUNCTIONS[end - 7].to_owned());
    let ids = (0..nodes).map(|number| format!("n{number}"));
    Plain {
        ids: ids.chain(functions).collect(),
        types: (0..nodes).map(|number| types[number % 3]).collect(),
        edges: edges.iter().map(edge).collect(),
        backwards,
    }
}

/// A path by its edges.
pub(super) type Trail = Vec<usize>;

impl Plain {
    pub(super) fn knowledge(&self) -> Knowledge {
        let mut knowledge = Knowledge::default();
        let nodes = (0..).zip(self.ids.iter().zip(&self.types));
        let mut nodes: Vec<Node> = nodes.map(|(order, (id, ty))| node(id, ty, order)).collect();
        let edges = (0..).zip(&self.edges).map(|(order, plain)| {
            let ends = plain.ends.map(|end| self.ids[end].as_str());
            let mut edge = edge(order, ends, plain.ty, plain.weight.map(f64::from));
            [edge.valid_from, edge.valid_to] = plain.times;
            edge
        });
        let mut edges: Vec<Edge> = edges.collect();
        if self.backwards {
            nodes.reverse();
            edges.reverse();
        }
        for node in nodes {
            knowledge.put_node(node);
        }
        for edge in edges {
            knowledge.put_edge(edge);
        }
        knowledge
    }

    pub(super) fn vertices(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn passes_edge(&self, edge: usize, filter: &Filter) -> bool {
        let PlainEdge { ty, times, .. } = &self.edges[edge];
        let has = |types: &[String]| types.iter().any(|other| other.eq_ignore_ascii_case(ty));
        (filter.edge_types.is_empty() || has(&filter.edge_types))
            && !has(&filter.exclude_edge_types)
            && filter.at.is_none_or(|at| {
                times[0].is_none_or(|from| from <= at) && times[1].is_none_or(|to| at < to)
            })
    }

    pub(super) fn passes_vertex(&self, vertex: usize, filter: &Filter) -> bool {
        let ty = self.types.get(vertex);
        let is = |other: &String| ty.is_some_and(|ty| other.eq_ignore_ascii_case(ty));
        let has = |types: &[String]| types.iter().any(is);
        (filter.node_types.is_empty() || has(&filter.node_types))
            && !has(&filter.exclude_node_types)
    }

    /// Each step from a vertex: the edge and where it leads; a loop is one step.
    pub(super) fn steps(&self, vertex: usize, direction: Direction) -> Vec<(usize, usize)> {
        let mut along = Vec::new();
        let mut against = Vec::new();
        for (number, edge) in self.edges.iter().enumerate() {
            let [source, target] = edge.ends;
            if source == vertex && direction != Direction::Incoming {
                along.push((number, target));
            } else if target == vertex && direction != Direction::Outgoing {
                against.push((number, source));
            }
        }
        [along, against].concat()
    }

    pub(super) fn length(&self, edge: usize, weighted: bool) -> f64 {
        let weight = self.edges[edge].weight.filter(|_| weighted);
        weight.map_or(1.0, f64::from)
    }

    /// The length of the shortest path between each two (Floyd and Warshall); infinite if there is none.
    pub(super) fn lengths(&self, direction: Direction, weighted: bool) -> Vec<Vec<f64>> {
        let count = self.vertices();
        let mut far = vec![vec![f64::INFINITY; count]; count];
        for (vertex, far) in far.iter_mut().enumerate() {
            for (edge, to) in self.steps(vertex, direction) {
                far[to] = far[to].min(self.length(edge, weighted));
            }
            far[vertex] = 0.0;
        }
        for middle in 0..count {
            for one in 0..count {
                for other in 0..count {
                    far[one][other] = far[one][other].min(far[one][middle] + far[middle][other]);
                }
            }
        }
        far
    }

    /// All paths that pass no vertex twice, of edges that pass, through vertices that do.
    pub(super) fn simple_paths(&self, source: usize, target: usize, filter: &Filter) -> Vec<Trail> {
        let mut found = Vec::new();
        let mut open = vec![(source, vec![source], Vec::new())];
        while let Some((at, seen, edges)) = open.pop() {
            if at == target {
                found.push(edges);
                continue;
            }
            for (edge, to) in self.steps(at, filter.direction) {
                let may = to == target || self.passes_vertex(to, filter);
                if may && self.passes_edge(edge, filter) && !seen.contains(&to) {
                    let seen = [&seen[..], &[to]].concat();
                    open.push((to, seen, [&edges[..], &[edge]].concat()));
                }
            }
        }
        found
    }

    pub(super) fn trail_length(&self, trail: &[usize], weighted: bool) -> f64 {
        trail.iter().map(|&edge| self.length(edge, weighted)).sum()
    }

    /// True if two vertices are weakly connected after one edge or one vertex is removed.
    pub(super) fn joined(
        &self,
        one: usize,
        other: usize,
        without: (Option<usize>, Option<usize>),
    ) -> bool {
        let mut seen = vec![one];
        let mut next = 0;
        while next < seen.len() {
            for (edge, to) in self.steps(seen[next], Direction::Both) {
                if Some(edge) != without.0 && Some(to) != without.1 && !seen.contains(&to) {
                    seen.push(to);
                }
            }
            next += 1;
        }
        seen.contains(&other)
    }

    /// The other vertices to which edges lead.
    pub(super) fn neighbours(&self, vertex: usize, direction: Direction) -> Vec<usize> {
        let steps = self.steps(vertex, direction);
        let mut others: Vec<usize> = steps.iter().map(|step| step.1).collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|&other| other != vertex);
        others
    }
}

/// Filters of all kinds.
pub(super) fn filter() -> impl Strategy<Value = Filter> {
    let list = |names: &'static [&'static str]| {
        prop_oneof![
            2 => Just(Vec::new()),
            1 => prop::sample::select(names).prop_map(|name| vec![name.to_owned()]),
        ]
    };
    let times = prop::option::weighted(0.3, 0..8_i64);
    let edge_types = (
        list(&["CAUSES", "part of", "unknown"]),
        list(&["causes", "Part Of"]),
    );
    let node_types = (
        list(&["GENE", "disease"]),
        list(&["gene", "Disease", "unknown"]),
    );
    let directions = prop::sample::select(&DIRECTIONS[..]);
    let all = (edge_types, node_types, times, directions);
    all.prop_map(|(edge_types, node_types, at, direction)| Filter {
        edge_types: edge_types.0,
        exclude_edge_types: edge_types.1,
        node_types: node_types.0,
        exclude_node_types: node_types.1,
        at,
        direction,
    })
}
