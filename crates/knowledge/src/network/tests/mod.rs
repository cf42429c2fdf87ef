//! Network analyses against naive models and against the results of another program.

#![expect(
    clippy::float_cmp,
    reason = "where numbers are compared exactly, there is one definition, and all of its sums are exact"
)]

mod deep;
mod neighbourhood;
mod paths;
mod peers;
mod plain;
mod refusals;
mod subgraph;

use std::ops::ControlFlow;

use super::*;
use crate::graph::{Direction, Edge, Knowledge, Node};

/// Callback that never cancels.
fn on(_: u64, _: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn node(id: &str, ty: &str, order: u64) -> Node {
    Node {
        id: id.to_owned(),
        label: id.to_owned(),
        types: vec![ty.to_owned()],
        creator: "ann".to_owned(),
        version: 1,
        order,
        ..Node::default()
    }
}

fn edge(order: u64, ends: [&str; 2], ty: &str, weight: Option<f64>) -> Edge {
    let [source, target] = ends.map(str::to_owned);
    Edge {
        id: format!("e{order}"),
        source,
        target,
        ty: ty.to_owned(),
        weight,
        creator: "ann".to_owned(),
        order,
        ..Edge::default()
    }
}

/// The default with some changes.
fn with<T: Default>(change: impl FnOnce(&mut T)) -> T {
    let mut options = T::default();
    change(&mut options);
    options
}

fn sample(pivots: usize, seed: u64) -> Sample {
    Sample { pivots, seed }
}

fn between(source: &str, target: &str, weighted: bool, filter: Filter) -> PathQuery {
    let [source, target] = [source, target].map(str::to_owned);
    PathQuery {
        source,
        target,
        weighted,
        filter,
    }
}

/// Edges of diamonds, one behind the other: 2^n paths lead from vertex 0 to vertex 3 n.
fn diamonds(count: usize) -> impl Iterator<Item = [usize; 2]> {
    let sides = [[0, 1], [0, 2], [1, 3], [2, 3]];
    (0..count).flat_map(move |number| sides.map(|ends| ends.map(|end| 3 * number + end)))
}

/// A graph of nodes "n0", "n1" and so on, and edges without weights.
fn graph(nodes: usize, edges: impl IntoIterator<Item = [usize; 2]>) -> Knowledge {
    let mut knowledge = Knowledge::default();
    for number in 0..nodes {
        knowledge.put_node(node(&format!("n{number}"), "Thing", number as u64));
    }
    for (order, ends) in (0..).zip(edges) {
        let [source, target] = ends.map(|end| format!("n{end}"));
        knowledge.put_edge(edge(order, [&source, &target], "to", None));
    }
    knowledge
}

/// As [`graph`], with a weight for each edge.
fn weighted_graph(nodes: usize, edges: &[(usize, usize, f64)]) -> Knowledge {
    let mut knowledge = graph(nodes, []);
    for (order, &(source, target, weight)) in (0..).zip(edges) {
        let [source, target] = [source, target].map(|end| format!("n{end}"));
        knowledge.put_edge(edge(order, [&source, &target], "to", Some(weight)));
    }
    knowledge
}

fn towards(direction: Direction) -> Filter {
    Filter {
        direction,
        ..Filter::default()
    }
}

const DIRECTIONS: [Direction; 3] = [Direction::Outgoing, Direction::Incoming, Direction::Both];
