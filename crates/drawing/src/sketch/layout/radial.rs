//! Radial layout: nodes on concentric rings, by their distance from the central node.
//!
//! Each subtree of the breadth-first tree has a wedge in proportion to its number of leaves (P. Eades, "Drawing Free
//! Trees", 1992; J. Battista and others, "Graph Drawing", 1999, section 3.1.3). A ring that would be very wide is
//! divided into several, which take the nodes in turn. Time is linear in nodes and edges.

use fibula_knowledge::progress::Progress;

use super::neighbours::Neighbours;
use super::packing::{Component, components, pack};
use super::{GAP, Plan, WIDE_GAP};
use crate::sketch::error::SketchError;

/// Minimum distance of rings.
const RING: f64 = 34.0;

/// Computes the positions of all nodes.
pub(super) fn lay_out(
    plan: &Plan,
    centre: Option<usize>,
    progress: &Progress<'_>,
) -> Result<Vec<[f64; 2]>, SketchError> {
    let nodes = plan.sizes.len();
    if let Some(node) = centre.filter(|&node| node >= nodes) {
        let what = "the centre".to_owned();
        return Err(SketchError::NoNode { what, node, nodes });
    }
    let components = components(plan);
    let mut local = Vec::with_capacity(components.len());
    for component in &components {
        progress.advance(0)?;
        let own = centre.and_then(|node| component.nodes.binary_search(&node).ok());
        local.push(lay_out_component(plan, component, own));
    }
    Ok(pack(plan, &components, &local, WIDE_GAP))
}

fn lay_out_component(plan: &Plan, component: &Component, centre: Option<usize>) -> Vec<[f64; 2]> {
    let count = component.nodes.len();
    let neighbours = Neighbours::new(count, &component.edges);
    let busiest = || {
        (0..count)
            .rev()
            .max_by_key(|&node| neighbours.of(node).len())
    };
    let centre = centre.or_else(busiest).unwrap_or(0);
    let tree = RadialTree::new(&neighbours, centre);
    let longest = |node: usize| {
        let [width, height] = plan.sizes[component.nodes[node]];
        width.max(height) + GAP
    };
    let mut positions = vec![[0.0; 2]; count];
    // Radius that the rings so far occupy.
    let mut occupied = longest(centre) / 2.0;
    for ring in tree.rings.iter().skip(1) {
        let thick = ring.iter().map(|&node| longest(node)).fold(0.0, f64::max);
        let nearest = occupied + thick / 2.0 + RING;
        let beside = ring.iter().zip(ring.iter().cycle().skip(1));
        let needed = beside
            .filter(|(one, other)| one != other)
            .map(|(&one, &other)| {
                let turn =
                    (tree.angles[other] - tree.angles[one]).rem_euclid(std::f64::consts::TAU);
                f64::midpoint(longest(one), longest(other)) / turn.max(1e-6)
            })
            .fold(0.0, f64::max);
        let rows = (needed / nearest).sqrt().ceil().max(1.0);
        let radius = (needed / rows).max(nearest);
        for (at, &node) in ring.iter().enumerate() {
            let radius = radius + (at % rows as usize) as f64 * thick;
            positions[node] = [
                tree.angles[node].cos() * radius,
                tree.angles[node].sin() * radius,
            ];
        }
        occupied = radius + (rows - 1.0) * thick + thick / 2.0;
    }
    positions
}

/// Breadth-first tree of a node.
struct RadialTree {
    /// Nodes at each distance, in the order of their angles.
    rings: Vec<Vec<usize>>,
    angles: Vec<f64>,
}

impl RadialTree {
    fn new(neighbours: &Neighbours, centre: usize) -> RadialTree {
        let count = neighbours.count();
        let mut parent = vec![usize::MAX; count];
        parent[centre] = centre;
        let mut distance = vec![0; count];
        let mut rings = vec![vec![centre]];
        neighbours.breadth_first([centre], |node, previous| {
            parent[node] = previous;
            distance[node] = distance[previous] + 1;
            if distance[node] == rings.len() {
                rings.push(Vec::new());
            }
            rings[distance[node]].push(node);
        });
        // Number of leaves of each subtree.
        let mut leaves = vec![0_usize; count];
        for &node in rings.iter().rev().flatten() {
            leaves[node] = leaves[node].max(1);
            if node != centre {
                leaves[parent[node]] += leaves[node];
            }
        }
        let mut angles = vec![0.0; count];
        // Start of the wedge of each node, and then of that of its next child.
        let mut begin = vec![0.0; count];
        let share = std::f64::consts::TAU / leaves.get(centre).copied().unwrap_or(1).max(1) as f64;
        for ring in rings.iter().skip(1) {
            for &node in ring {
                let start: f64 = begin[parent[node]];
                let width = share * leaves[node] as f64;
                begin[parent[node]] = start + width;
                begin[node] = start;
                angles[node] = start + width / 2.0;
            }
        }
        RadialTree { rings, angles }
    }
}
