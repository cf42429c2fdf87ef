//! A first layout, in which distances are about those in the graph.
//!
//! U. Brandes, C. Pich, "Eigensolver Methods for Progressive Multidimensional Scaling of Large Data" (2007): the distances
//! to a few nodes that are far from each other, centred, are looked at from the two directions in which they differ most.
//! Time and memory are in proportion to the nodes and edges, times the number of those few.

use std::collections::VecDeque;

use super::direction;
use super::force::Neighbours;

/// How many nodes distances are taken from.
const PIVOTS: usize = 40;
/// Multiplications until a direction is found.
const ROUNDS: usize = 60;

/// Places around 0 whose mean distance from it is 1, for a connected graph.
pub(super) fn found(neighbours: &Neighbours) -> Vec<[f64; 2]> {
    let count = neighbours.count();
    let mut nearest = vec![u32::MAX; count];
    let mut columns: Vec<Vec<f64>> = Vec::new();
    // The first one is as far as can be from some node.
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
    let first = strongest(&products, None);
    let second = strongest(&products, Some(&first));
    let along = |direction: &[f64], node: usize| -> f64 {
        let parts = columns.iter().zip(direction);
        parts.map(|(column, part)| column[node] * part).sum()
    };
    let mut places: Vec<[f64; 2]> = (0..count)
        .map(|node| [along(&first, node), along(&second, node)])
        .collect();
    spread(&mut places);
    places
}

/// Makes the mean distance from 0 equal to 1, and parts what is at one place.
pub(super) fn spread(places: &mut [[f64; 2]]) {
    // Numbers near the largest there is have no mean.
    let most = places
        .iter()
        .flatten()
        .fold(0.0_f64, |most, part| most.max(part.abs()));
    let most = if most > 0.0 { most } else { 1.0 };
    let count = places.len().max(1) as f64;
    let scaled = places.iter().map(|place| place.map(|part| part / most));
    let middle = scaled.fold([0.0; 2], |sum, place| {
        [sum[0] + place[0] / count, sum[1] + place[1] / count]
    });
    for place in places.iter_mut() {
        *place = [0, 1].map(|axis| place[axis] / most - middle[axis]);
    }
    let mean = places
        .iter()
        .map(|place| place[0].hypot(place[1]))
        .sum::<f64>()
        / count;
    let factor = if mean > 1e-9 { 1.0 / mean } else { 0.0 };
    for (node, place) in places.iter_mut().enumerate() {
        let turned = direction(node);
        // Farther out for later nodes, so that no two get the same.
        let little = 0.02 + 0.1 * (node as f64 / count).sqrt();
        *place = [0, 1].map(|axis| place[axis] * factor + turned[axis] * little);
    }
}

/// How many edges each node is away from one.
fn distances(neighbours: &Neighbours, from: usize) -> Vec<u32> {
    let mut far = vec![u32::MAX; neighbours.count()];
    far[from] = 0;
    let mut open = VecDeque::from([from]);
    while let Some(node) = open.pop_front() {
        for &(other, _) in neighbours.of(node) {
            if far[other as usize] == u32::MAX {
                far[other as usize] = far[node] + 1;
                open.push_back(other as usize);
            }
        }
    }
    far
}

fn farthest(far: &[u32]) -> usize {
    let most = far
        .iter()
        .enumerate()
        .max_by_key(|&(node, &far)| (far, std::cmp::Reverse(node)));
    most.map_or(0, |(node, _)| node)
}

/// Takes the means of rows and columns away.
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

/// The direction that a symmetric matrix lengthens most, or most of those at right angles to one.
fn strongest(matrix: &[Vec<f64>], other: Option<&Vec<f64>>) -> Vec<f64> {
    let mut found: Vec<f64> = (0..matrix.len()).map(|n| 1.0 + direction(n)[0]).collect();
    for _ in 0..ROUNDS {
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
