//! Connected components, and their packing beside each other.

use super::Plan;

/// A connected component of a plan.
#[derive(Debug)]
pub(super) struct Component {
    /// Nodes, by their indices in the plan, increasing.
    pub(super) nodes: Vec<usize>,
    /// Edges without loops, whose ends are indices in `nodes`.
    pub(super) edges: Vec<(usize, usize, f64)>,
}

/// Finds the connected components of a plan by union-find, the largest first; those of one size are in the order of their first
/// nodes.
pub(super) fn components(plan: &Plan) -> Vec<Component> {
    let count = plan.sizes.len();
    let mut parent: Vec<usize> = (0..count).collect();
    for &(source, target, _) in &plan.edges {
        let [one, other] = [source, target].map(|end| root(&mut parent, end));
        // The first node of a component is its root.
        parent[one.max(other)] = one.min(other);
    }
    let mut all: Vec<Component> = Vec::new();
    let (mut component, mut index) = (vec![0; count], vec![0; count]);
    for node in 0..count {
        let root = root(&mut parent, node);
        if root == node {
            component[node] = all.len();
            all.push(Component {
                nodes: Vec::new(),
                edges: Vec::new(),
            });
        }
        component[node] = component[root];
        let nodes = &mut all[component[node]].nodes;
        index[node] = nodes.len();
        nodes.push(node);
    }
    for &(source, target, weight) in plan.edges.iter().filter(|edge| edge.0 != edge.1) {
        all[component[source]]
            .edges
            .push((index[source], index[target], weight));
    }
    all.sort_by_key(|component| std::cmp::Reverse(component.nodes.len()));
    all
}

/// Finds the root of a node, with path halving.
fn root(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}

/// Packs components, each with the positions of its nodes, and returns the positions of all nodes.
pub(super) fn pack(
    plan: &Plan,
    components: &[Component],
    local: &[Vec<[f64; 2]>],
    gap: f64,
) -> Vec<[f64; 2]> {
    let bounds: Vec<[[f64; 2]; 2]> = components
        .iter()
        .zip(local)
        .map(|(component, positions)| {
            let sizes = component.nodes.iter().map(|&node| plan.sizes[node]);
            bounds(positions.iter().copied().zip(sizes))
        })
        .collect();
    let sizes: Vec<[f64; 2]> = bounds
        .iter()
        .map(|[low, high]| [high[0] - low[0], high[1] - low[1]])
        .collect();
    let corners = corners(&sizes, gap);
    let mut positions = vec![[0.0; 2]; plan.sizes.len()];
    for (index, component) in components.iter().enumerate() {
        let (corner, low) = (corners[index], bounds[index][0]);
        for (&node, position) in component.nodes.iter().zip(&local[index]) {
            positions[node] = [0, 1].map(|axis| position[axis] - low[axis] + corner[axis]);
        }
    }
    positions
}

/// Bounding box of boxes, given by centres and sizes.
pub(super) fn bounds(boxes: impl Iterator<Item = ([f64; 2], [f64; 2])>) -> [[f64; 2]; 2] {
    boxes.fold(
        [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]],
        |[low, high], (position, size)| {
            [
                [0, 1].map(|axis| low[axis].min(position[axis] - size[axis] / 2.0)),
                [0, 1].map(|axis| high[axis].max(position[axis] + size[axis] / 2.0)),
            ]
        },
    )
}

/// Moves positions so that the centre of the drawing is the origin.
pub(super) fn centre(positions: &mut [[f64; 2]], sizes: &[[f64; 2]]) {
    let [low, high] = bounds(positions.iter().copied().zip(sizes.iter().copied()));
    for position in positions {
        for axis in 0..2 {
            position[axis] -= f64::midpoint(low[axis], high[axis]);
        }
    }
}

/// Upper left corners of boxes in a strip, whose width is the best of a few: the one that fits a 4:3 picture at the largest
/// scale.
fn corners(sizes: &[[f64; 2]], gap: f64) -> Vec<[f64; 2]> {
    const WIDE: f64 = 4.0 / 3.0;
    let area: f64 = sizes
        .iter()
        .map(|size| (size[0] + gap) * (size[1] + gap))
        .sum();
    let widest = sizes.iter().map(|size| size[0] + gap).fold(0.0, f64::max);
    let widths = [0.0, 1.1, 1.3, 1.6].map(|wide| (area.sqrt() * wide).max(widest));
    let candidates = widths.map(|width| {
        let corners = bottom_left(sizes, gap, width);
        let ends = corners.iter().zip(sizes);
        let extent = ends.fold([0.0_f64; 2], |most, (corner, size)| {
            [0, 1].map(|axis| most[axis].max(corner[axis] + size[axis]))
        });
        ((extent[0] / WIDE).max(extent[1]), corners)
    });
    let best = candidates
        .into_iter()
        .min_by(|one, other| one.0.total_cmp(&other.0));
    best.map(|(_, corners)| corners).unwrap_or_default()
}

/// Upper left corners of boxes in a strip of a width, each as high as it fits and then as far left: the bottom-left heuristic with
/// a skyline (B. Chazelle, "The Bottom-Left Bin-Packing Heuristic", 1983). The highest boxes come
/// first. Time is linear in the number of boxes, times that of a row.
fn bottom_left(sizes: &[[f64; 2]], gap: f64, width: f64) -> Vec<[f64; 2]> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by(|&one, &other| sizes[other][1].total_cmp(&sizes[one][1]));
    // The skyline from the left: start of each step, and lower end of the boxes there.
    let mut skyline: Vec<[f64; 2]> = vec![[0.0, 0.0]];
    let mut corners = vec![[0.0; 2]; sizes.len()];
    for index in order {
        let size = sizes[index].map(|side| side + gap);
        let mut best: Option<([f64; 2], usize)> = None;
        for first in 0..skyline.len() {
            let left = skyline[first][0];
            // The first one always fits.
            if left + size[0] > width && first > 0 {
                break;
            }
            let under = skyline[first..]
                .iter()
                .take_while(|step| step[0] < left + size[0]);
            let top = under.map(|step| step[1]).fold(0.0, f64::max);
            if best.is_none_or(|(corner, _)| top < corner[1]) {
                best = Some(([left, top], first));
            }
        }
        let Some((corner, first)) = best else {
            continue;
        };
        corners[index] = corner;
        let right = corner[0] + size[0];
        let covered = skyline[first..].partition_point(|step| step[0] < right);
        let after = skyline[first + covered - 1][1];
        let ends = skyline.get(first + covered).map_or(width, |step| step[0]);
        let mut fresh = vec![[corner[0], corner[1] + size[1]]];
        if right < ends {
            fresh.push([right, after]);
        }
        skyline.splice(first..first + covered, fresh);
    }
    corners
}
