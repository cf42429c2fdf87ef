//! Components, and how they are put beside each other.

use super::Plan;

/// A part of a graph that no edge leaves.
#[derive(Debug)]
pub(super) struct Component {
    /// Its nodes, by their numbers in the plan, rising.
    pub(super) nodes: Vec<usize>,
    /// Its edges between different nodes, whose ends are places in `nodes`.
    pub(super) edges: Vec<(usize, usize, f64)>,
}

/// The components of a plan, the largest first, else that of the first node.
pub(super) fn components(plan: &Plan) -> Vec<Component> {
    let count = plan.sizes.len();
    let mut parent: Vec<usize> = (0..count).collect();
    for &(source, target, _) in &plan.edges {
        let [one, other] = [source, target].map(|end| root(&mut parent, end));
        // The first node of a component is its root.
        parent[one.max(other)] = one.min(other);
    }
    let mut all: Vec<Component> = Vec::new();
    let (mut of, mut inside) = (vec![0; count], vec![0; count]);
    for node in 0..count {
        let root = root(&mut parent, node);
        if root == node {
            of[node] = all.len();
            all.push(Component {
                nodes: Vec::new(),
                edges: Vec::new(),
            });
        }
        of[node] = of[root];
        let nodes = &mut all[of[node]].nodes;
        inside[node] = nodes.len();
        nodes.push(node);
    }
    for &(source, target, weight) in plan.edges.iter().filter(|edge| edge.0 != edge.1) {
        all[of[source]]
            .edges
            .push((inside[source], inside[target], weight));
    }
    all.sort_by_key(|component| std::cmp::Reverse(component.nodes.len()));
    all
}

/// The root of a node; the way there gets shorter.
fn root(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}

/// Lays components out one by one, each by its places of nodes, and packs them.
pub(super) fn packed(
    plan: &Plan,
    components: &[Component],
    local: &[Vec<[f64; 2]>],
    gap: f64,
) -> Vec<[f64; 2]> {
    let bounds: Vec<[[f64; 2]; 2]> = components
        .iter()
        .zip(local)
        .map(|(component, places)| {
            let sizes = component.nodes.iter().map(|&node| plan.sizes[node]);
            bounds(places.iter().copied().zip(sizes))
        })
        .collect();
    let sizes: Vec<[f64; 2]> = bounds
        .iter()
        .map(|[low, high]| [high[0] - low[0], high[1] - low[1]])
        .collect();
    let corners = corners(&sizes, gap);
    let mut places = vec![[0.0; 2]; plan.sizes.len()];
    for (index, component) in components.iter().enumerate() {
        let (corner, low) = (corners[index], bounds[index][0]);
        for (&node, place) in component.nodes.iter().zip(&local[index]) {
            places[node] = [0, 1].map(|axis| place[axis] - low[axis] + corner[axis]);
        }
    }
    places
}

/// What boxes cover, given by their middles and sizes.
pub(super) fn bounds(boxes: impl Iterator<Item = ([f64; 2], [f64; 2])>) -> [[f64; 2]; 2] {
    boxes.fold(
        [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]],
        |[low, high], (place, size)| {
            [
                [0, 1].map(|axis| low[axis].min(place[axis] - size[axis] / 2.0)),
                [0, 1].map(|axis| high[axis].max(place[axis] + size[axis] / 2.0)),
            ]
        },
    )
}

/// Moves everything so that 0 is in its middle.
pub(super) fn centre(places: &mut [[f64; 2]], sizes: &[[f64; 2]]) {
    let [low, high] = bounds(places.iter().copied().zip(sizes.iter().copied()));
    for place in places {
        for axis in 0..2 {
            place[axis] -= f64::midpoint(low[axis], high[axis]);
        }
    }
}

/// The upper left corners of boxes, in that of a few widths in which all is seen largest in a picture a bit wider than high.
fn corners(sizes: &[[f64; 2]], gap: f64) -> Vec<[f64; 2]> {
    const WIDE: f64 = 4.0 / 3.0;
    let area: f64 = sizes
        .iter()
        .map(|size| (size[0] + gap) * (size[1] + gap))
        .sum();
    let widest = sizes.iter().map(|size| size[0] + gap).fold(0.0, f64::max);
    let widths = [0.0, 1.1, 1.3, 1.6].map(|wide| (area.sqrt() * wide).max(widest));
    let tries = widths.map(|width| {
        let corners = within(sizes, gap, width);
        let ends = corners.iter().zip(sizes);
        let extent = ends.fold([0.0_f64; 2], |most, (corner, size)| {
            [0, 1].map(|axis| most[axis].max(corner[axis] + size[axis]))
        });
        ((extent[0] / WIDE).max(extent[1]), corners)
    });
    let best = tries
        .into_iter()
        .min_by(|one, other| one.0.total_cmp(&other.0));
    best.map(|(_, corners)| corners).unwrap_or_default()
}

/// The upper left corners of boxes, put as high as each fits in a width and then as far left: the bottom-left rule along a
/// skyline (B. Chazelle, "The Bottom-Left Bin-Packing Heuristic", 1983). The highest boxes come first. Time is in
/// proportion to the boxes, times those of a row.
fn within(sizes: &[[f64; 2]], gap: f64, width: f64) -> Vec<[f64; 2]> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by(|&one, &other| sizes[other][1].total_cmp(&sizes[one][1]));
    // Steps from the left: where each begins, and how far down it is taken.
    let mut steps: Vec<[f64; 2]> = vec![[0.0, 0.0]];
    let mut corners = vec![[0.0; 2]; sizes.len()];
    for index in order {
        let size = sizes[index].map(|side| side + gap);
        let mut best: Option<([f64; 2], usize)> = None;
        for first in 0..steps.len() {
            let left = steps[first][0];
            // The first one always fits.
            if left + size[0] > width && first > 0 {
                break;
            }
            let under = steps[first..]
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
        let covered = steps[first..].partition_point(|step| step[0] < right);
        let after = steps[first + covered - 1][1];
        let ends = steps.get(first + covered).map_or(width, |step| step[0]);
        let mut fresh = vec![[corner[0], corner[1] + size[1]]];
        if right < ends {
            fresh.push([right, after]);
        }
        steps.splice(first..first + covered, fresh);
    }
    corners
}
