//! Layered layout: nodes in rows or columns, so that most edges have one direction.
//!
//! Cycles are broken by reversing few edges, a feedback arc set: P. Eades, X. Lin, W. Smyth, "A fast and effective heuristic for
//! the feedback arc set problem" (1993). The rest is the layered layout of
//! [`diagram::layout`](crate::diagram::layout), with one input and one output in the middle of each node. The crate
//! rust-sugiyama is not used: it took more than a minute for 1 000 nodes with 2 000 edges, and a chain of 20 000 nodes
//! overflows a stack of 2 MiB.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use fibula_knowledge::progress::{Cancelled, Progress};

use super::packing::{Component, components, pack};
use super::{Flow, Plan, WIDE_GAP};
use crate::diagram::layout::{self, Block, Graph, LayoutError, Rank, Spacing, Wire};
use crate::sketch::error::SketchError;

const SPACING: Spacing = Spacing {
    nodes: 20.0,
    links: 10.0,
    layers: [48.0, 110.0],
};

/// Computes the positions of all nodes.
pub(super) fn lay_out(
    plan: &Plan,
    flow: Flow,
    progress: &Progress<'_>,
) -> Result<Vec<[f64; 2]>, SketchError> {
    let components = components(plan);
    let mut local = Vec::with_capacity(components.len());
    for component in &components {
        local.push(lay_out_component(plan, component, flow, progress)?);
    }
    Ok(pack(plan, &components, &local, WIDE_GAP))
}

fn lay_out_component(
    plan: &Plan,
    component: &Component,
    flow: Flow,
    progress: &Progress<'_>,
) -> Result<Vec<[f64; 2]>, SketchError> {
    let turned = |pair: [f64; 2]| match flow {
        Flow::Down => [pair[1], pair[0]],
        Flow::Right => pair,
    };
    let nodes: Vec<Block> = component
        .nodes
        .iter()
        .map(|&node| {
            let size = turned(plan.sizes[node]);
            let middle = vec![size[1] / 2.0];
            Block {
                size,
                inputs: middle.clone(),
                outputs: middle,
                rank: Rank::Free,
            }
        })
        .collect();
    let wires = acyclic(component).into_iter().map(|(source, target)| Wire {
        from: [source, 0],
        to: [target, 0],
    });
    let graph = Graph {
        nodes,
        wires: wires.collect(),
    };
    let mut check = || {
        progress.add(0);
        progress.flow()
    };
    let positions = layout::lay_out(&graph, &SPACING, &mut check).map_err(|error| match error {
        LayoutError::Cancelled => SketchError::Cancelled(Cancelled),
        LayoutError::TooLarge(count) => SketchError::TooDense(count),
        LayoutError::Cyclic => unreachable!("the edges that would close a cycle are reversed"),
    })?;
    let mut layer_widths = vec![0.0_f64; positions.layers.iter().max().map_or(0, |last| last + 1)];
    for (block, &layer) in graph.nodes.iter().zip(&positions.layers) {
        layer_widths[layer] = layer_widths[layer].max(block.size[0]);
    }
    let middles = graph
        .nodes
        .iter()
        .zip(&positions.nodes)
        .zip(&positions.layers);
    let middles = middles.map(|((block, corner), &layer)| {
        // The layout aligns the first layer at its right side, and the others at their left side.
        let half = layer_widths[layer] / 2.0;
        let along = match layer {
            0 => corner[0] + block.size[0] - half,
            _ => corner[0] + half,
        };
        turned([along, corner[1] + block.size[1] / 2.0])
    });
    Ok(middles.collect())
}

/// Directs the edges so that they form no cycle; each pair of nodes once, sorted.
fn acyclic(component: &Component) -> Vec<(usize, usize)> {
    let count = component.nodes.len();
    let (mut after, mut before) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for &(source, target, _) in &component.edges {
        after[source].push(target);
        before[target].push(source);
    }
    let position = order(&after, &before);
    let mut edges: Vec<(usize, usize)> = component
        .edges
        .iter()
        .map(|&(source, target, _)| {
            if position[source] < position[target] {
                (source, target)
            } else {
                (target, source)
            }
        })
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Eades-Lin-Smyth heuristic: a position of each node in a linear order with few edges that lead back. Sinks are removed first,
/// then sources, then the node with the largest difference of out-degree and in-degree.
fn order(after: &[Vec<usize>], before: &[Vec<usize>]) -> Vec<usize> {
    let count = after.len();
    let mut degrees: Vec<[usize; 2]> = (0..count)
        .map(|node| [before[node].len(), after[node].len()])
        .collect();
    // Sinks, sources, and the others by that difference.
    let key = |node: usize, [reach, leave]: [usize; 2]| {
        let rank = match (reach, leave) {
            (_, 0) => 0_u8,
            (0, _) => 1,
            (_, _) => 2,
        };
        (rank, Reverse(leave as i64 - reach as i64), node)
    };
    let mut open: BTreeSet<_> = (0..count).map(|node| key(node, degrees[node])).collect();
    let mut position = vec![usize::MAX; count];
    let (mut first, mut last) = (0, count);
    while let Some((rank, _, node)) = open.pop_first() {
        if rank == 0 {
            last -= 1;
            position[node] = last;
        } else {
            position[node] = first;
            first += 1;
        }
        for (side, others) in [(0, &after[node]), (1, &before[node])] {
            for &other in others.iter().filter(|&&other| other != node) {
                if position[other] == usize::MAX {
                    open.remove(&key(other, degrees[other]));
                    degrees[other][side] -= 1;
                    open.insert(key(other, degrees[other]));
                }
            }
        }
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_edge_of_a_cycle_is_reversed() {
        let component = Component {
            nodes: vec![0, 1, 2, 3],
            edges: vec![
                (0, 1, 1.0),
                (1, 2, 1.0),
                (2, 0, 1.0),
                (2, 3, 1.0),
                (2, 3, 1.0),
            ],
        };
        let edges = acyclic(&component);
        assert_eq!(edges.len(), 4);
        let kept = edges.iter().filter(|&&(source, target)| {
            component
                .edges
                .iter()
                .any(|edge| (edge.0, edge.1) == (source, target))
        });
        assert_eq!(kept.count(), 3);
    }
}
