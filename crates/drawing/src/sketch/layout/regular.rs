//! Grid and circular layouts, which ignore edges: nodes are sorted by group, and within a group by index.

use super::{GAP, Plan, WIDE_GAP};

/// Lays nodes out in rows and columns of equal width. Each group begins a row, unless so many groups would leave most rows
/// unfilled.
pub(super) fn grid(plan: &Plan) -> Vec<[f64; 2]> {
    /// Aspect ratio of the drawing.
    const ASPECT: f64 = 1.4;
    let order = sorted(plan);
    let cell = [0, 1].map(|axis| {
        plan.sizes
            .iter()
            .fold(0.0, |most: f64, size| most.max(size[axis]))
            + 2.0 * GAP
    });
    let columns = (order.len() as f64 * ASPECT * cell[1] / cell[0])
        .sqrt()
        .ceil()
        .max(1.0) as usize;
    let groups: Vec<&[usize]> = order
        .chunk_by(|&one, &other| group(plan, one) == group(plan, other))
        .collect();
    let is_apart = groups.len() <= columns;
    let (mut row, mut column, mut top) = (0, 0, 0.0);
    let mut positions = vec![[0.0; 2]; plan.sizes.len()];
    for (number, nodes) in groups.into_iter().enumerate() {
        if is_apart && number > 0 {
            row += 1;
            column = 0;
            top += WIDE_GAP;
        }
        for &node in nodes {
            if column == columns {
                row += 1;
                column = 0;
            }
            positions[node] = [column as f64 * cell[0], row as f64 * cell[1] + top];
            column += 1;
        }
    }
    positions
}

/// Lays nodes out on one circle, clockwise from the top, with space in proportion to their sizes.
pub(super) fn circle(plan: &Plan) -> Vec<[f64; 2]> {
    let order = sorted(plan);
    let room = |node: usize| plan.sizes[node][0].hypot(plan.sizes[node][1]) + 2.0 * GAP;
    let length: f64 = order.iter().map(|&node| room(node)).sum();
    let mut positions = vec![[0.0; 2]; plan.sizes.len()];
    if order.len() < 2 {
        return positions;
    }
    let radius = length / std::f64::consts::TAU;
    let mut passed = 0.0;
    for node in order {
        let angle = (passed + room(node) / 2.0) / radius;
        positions[node] = [angle.sin() * radius, -angle.cos() * radius];
        passed += room(node);
    }
    positions
}

fn group(plan: &Plan, node: usize) -> usize {
    plan.groups.get(node).copied().unwrap_or(0)
}

fn sorted(plan: &Plan) -> Vec<usize> {
    let mut order: Vec<usize> = (0..plan.sizes.len()).collect();
    order.sort_by_key(|&node| group(plan, node));
    order
}
