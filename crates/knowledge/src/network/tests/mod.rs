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
        data: serde_json::Map::new(),
        observations: Vec::new(),
        position: None,
        creator: "ann".to_owned(),
        created: 0,
        modified: 0,
        version: 1,
        order,
    }
}

fn edge(order: u64, ends: [&str; 2], ty: &str, weight: Option<f64>) -> Edge {
    let [source, target] = ends.map(str::to_owned);
    Edge {
        id: format!("e{order}"),
        source,
        target,
        ty: ty.to_owned(),
        label: None,
        data: serde_json::Map::new(),
        weight,
        valid_from: None,
        valid_to: None,
        creator: "ann".to_owned(),
        created: 0,
        modified: 0,
        order,
    }
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

fn towards(direction: Direction) -> Filter {
    Filter {
        direction,
        ..Filter::default()
    }
}

const DIRECTIONS: [Direction; 3] = [Direction::Outgoing, Direction::Incoming, Direction::Both];
