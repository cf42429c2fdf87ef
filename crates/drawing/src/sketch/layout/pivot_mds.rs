//! Pivot MDS: multidimensional scaling of the distances in a graph, as an initial layout.
//!
//! U. Brandes, C. Pich, "Eigensolver Methods for Progressive Multidimensional Scaling of Large Data" (2007): the distances
//! to a few pivots are double-centred and projected onto their first two principal components, which power iteration finds.
//! The pivots are far from each other (farthest-first traversal). Time and memory are linear in the nodes and edges, times
//! the number of pivots.

use super::direction;
use super::neighbours::Neighbours;

/// Number of pivots.
const PIVOTS: usize = 40;
/// Number of iterations of the power method.
const ITERATIONS: usize = 60;

/// Computes positions of a connected graph, centred at the origin with a mean distance of 1 from it.
pub(super) fn lay_out(neighbours: &Neighbours) -> Vec<[f64; 2]> {
    let count = neighbours.count();
    let mut nearest = vec![u32::MAX; count];
    let mut columns: Vec<Vec<f64>> = Vec::new();
    // The first pivot is a farthest node from the first node.
    let mut pivot = farthest(&distances(neighbours, 0));
    for _ in 0..PIVOTS.min(count) {
        let far = distances(neighbours, pivot);
        for (nearest, far) in nearest.iter_mut().zip(&far) {
            *nearest = (*nearest).min(*far);
        }
        columns.push(far.iter().map(|&far| f64::from(far).powi(2)).collect());
        pivot = farthest(&nearest);
    }
    centre(&mut columns);
    let products: Vec<Vec<f64>> = columns
        .iter()
        .map(|one| columns.iter().map(|other| dot(one, other)).collect())
        .collect();
    let first = principal_component(&products, None);
    let second = principal_component(&products, Some(&first));
    let along = |direction: &[f64], node: usize| -> f64 {
        let parts = columns.iter().zip(direction);
        parts.map(|(column, part)| column[node] * part).sum()
    };
    let mut positions: Vec<[f64; 2]> = (0..count)
        .map(|node| [along(&first, node), along(&second, node)])
        .collect();
    normalise(&mut positions);
    positions
}

/// Centres positions, scales their mean distance from the origin to 1, and separates equal ones.
pub(super) fn normalise(positions: &mut [[f64; 2]]) {
    // The sum of numbers near the largest one would overflow.
    let most = positions
        .iter()
        .flatten()
        .fold(0.0_f64, |most, part| most.max(part.abs()));
    let most = if most > 0.0 { most } else { 1.0 };
    let count = positions.len().max(1) as f64;
    let scaled = positions
        .iter()
        .map(|position| position.map(|part| part / most));
    let middle = scaled.fold([0.0; 2], |sum, position| {
        [sum[0] + position[0] / count, sum[1] + position[1] / count]
    });
    for position in positions.iter_mut() {
        *position = [0, 1].map(|axis| position[axis] / most - middle[axis]);
    }
    let mean = positions
        .iter()
        .map(|position| position[0].hypot(position[1]))
        .sum::<f64>()
        / count;
    let factor = if mean > 1e-9 { 1.0 / mean } else { 0.0 };
    for (node, position) in positions.iter_mut().enumerate() {
        let turned = direction(node);
        // Later nodes are farther out, so that no two get the same position.
        let little = 0.02 + 0.1 * (node as f64 / count).sqrt();
        *position = [0, 1].map(|axis| position[axis] * factor + turned[axis] * little);
    }
}

/// Distance of each node from one, in edges.
fn distances(neighbours: &Neighbours, from: usize) -> Vec<u32> {
    let mut distances = vec![u32::MAX; neighbours.count()];
    distances[from] = 0;
    neighbours.breadth_first([from], |node, previous| {
        distances[node] = distances[previous] + 1;
    });
    distances
}

fn farthest(far: &[u32]) -> usize {
    let most = far
        .iter()
        .enumerate()
        .max_by_key(|&(node, &far)| (far, std::cmp::Reverse(node)));
    most.map_or(0, |(node, _)| node)
}

/// Subtracts the means of columns and rows (double centring).
fn centre(columns: &mut [Vec<f64>]) {
    let count = columns.first().map_or(0, Vec::len);
    let mut rows = vec![0.0; count];
    for column in columns.iter_mut() {
        let mean = column.iter().sum::<f64>() / count.max(1) as f64;
        for (entry, row) in column.iter_mut().zip(&mut rows) {
            *entry -= mean;
            *row += *entry;
        }
    }
    let width = columns.len().max(1) as f64;
    for column in columns {
        for (entry, row) in column.iter_mut().zip(&rows) {
            *entry = -(*entry - row / width) / 2.0;
        }
    }
}

/// Dominant eigenvector of a symmetric matrix by power iteration; the dominant one of those orthogonal to `other`, if given.
fn principal_component(matrix: &[Vec<f64>], other: Option<&Vec<f64>>) -> Vec<f64> {
    let mut found: Vec<f64> = (0..matrix.len()).map(|n| 1.0 + direction(n)[0]).collect();
    for _ in 0..ITERATIONS {
        if let Some(other) = other {
            let along = dot(&found, other);
            for (part, other) in found.iter_mut().zip(other) {
                *part -= along * other;
            }
        }
        let length = dot(&found, &found).sqrt();
        if length < 1e-12 {
            return vec![0.0; matrix.len()];
        }
        let unit: Vec<f64> = found.iter().map(|part| part / length).collect();
        found = matrix.iter().map(|row| dot(row, &unit)).collect();
    }
    let length = dot(&found, &found).sqrt().max(1e-12);
    found.iter().map(|part| part / length).collect()
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
