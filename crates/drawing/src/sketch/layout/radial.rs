//! Rings around a node, by how many edges nodes are away from it.
//!
//! Each subtree of the shortest ways from the middle has a wedge as wide as its share of the ends (P. Eades, "Drawing Free
//! Trees", 1992; J. Battista and others, "Graph Drawing", 1999, section 3.1.3). A ring of so many nodes that it would be
//! very wide is several narrower ones, on which they are in turn. Time is in proportion to nodes and edges.

use fibula_knowledge::progress::Progress;

use super::force::Neighbours;
use super::pack::{Component, components, packed};
use super::{GAP, Plan, WIDE_GAP, asked};
use crate::sketch::error::SketchError;

/// The least from ring to ring.
const RING: f64 = 34.0;

/// The places of all nodes.
pub(super) fn found(
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
        asked(progress)?;
        let given = centre.and_then(|node| component.nodes.binary_search(&node).ok());
        local.push(placed(plan, component, given));
    }
    Ok(packed(plan, &components, &local, WIDE_GAP))
}

fn placed(plan: &Plan, component: &Component, centre: Option<usize>) -> Vec<[f64; 2]> {
    let count = component.nodes.len();
    let neighbours = Neighbours::new(count, &component.edges);
    let busiest = || {
        (0..count)
            .rev()
            .max_by_key(|&node| neighbours.of(node).len())
    };
    let centre = centre.or_else(busiest).unwrap_or(0);
    let tree = Spread::new(&neighbours, centre);
    let longest = |node: usize| {
        let [width, height] = plan.sizes[component.nodes[node]];
        width.max(height) + GAP
    };
    let mut places = vec![[0.0; 2]; count];
    // How far out everything is, so far.
    let mut taken = longest(centre) / 2.0;
    for ring in tree.rings.iter().skip(1) {
        let thick = ring.iter().map(|&node| longest(node)).fold(0.0, f64::max);
        let nearest = taken + thick / 2.0 + RING;
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
            places[node] = [
                tree.angles[node].cos() * radius,
                tree.angles[node].sin() * radius,
            ];
        }
        taken = radius + (rows - 1.0) * thick + thick / 2.0;
    }
    places
}

/// The tree of shortest ways from a node.
struct Spread {
    /// The nodes that are so many edges away, in the order of their angles.
    rings: Vec<Vec<usize>>,
    angles: Vec<f64>,
}

impl Spread {
    fn new(neighbours: &Neighbours, centre: usize) -> Spread {
        let count = neighbours.count();
        let mut parent = vec![usize::MAX; count];
        parent[centre] = centre;
        let mut rings = vec![vec![centre]];
        while let Some(ring) = rings.last() {
            let mut next = Vec::new();
            for &node in ring {
                for &(other, _) in neighbours.of(node) {
                    let other = other as usize;
                    if parent[other] == usize::MAX {
                        parent[other] = node;
                        next.push(other);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            rings.push(next);
        }
        // How many ends each subtree has.
        let mut ends = vec![0_usize; count];
        for &node in rings.iter().rev().flatten() {
            ends[node] = ends[node].max(1);
            if node != centre {
                ends[parent[node]] += ends[node];
            }
        }
        let mut angles = vec![0.0; count];
        // Where the wedge of each begins, and where that of its next child does.
        let mut begin = vec![0.0; count];
        let share = std::f64::consts::TAU / ends.get(centre).copied().unwrap_or(1).max(1) as f64;
        for ring in rings.iter().skip(1) {
            for &node in ring {
                let start: f64 = begin[parent[node]];
                let width = share * ends[node] as f64;
                begin[parent[node]] = start + width;
                begin[node] = start;
                angles[node] = start + width / 2.0;
            }
        }
        Spread { rings, angles }
    }
}
