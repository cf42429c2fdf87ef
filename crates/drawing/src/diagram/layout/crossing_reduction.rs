//! Crossing reduction: an order of the vertices of each layer in which few links cross.
//!
//! Layer-by-layer sweeps to the right and to the left sort each layer by the barycentres of the neighbours, ports counted
//! (Sugiyama and others, 1981); then adjacent vertices are transposed where that removes crossings. Crossings are counted as
//! inversions (W. Barth, M. Jünger, P. Mutzel, "Simple and Efficient Bilayer Cross Counting", 2002).

use super::layering::Layers;
use super::{CancelCheck, LayoutError, check_cancelled};

/// Number of rounds without improvement before the search ends.
const PATIENCE: usize = 4;
/// Approximate number of edges that are visited in all.
const WORK: usize = 6_000_000;

/// Orders the vertices of each layer; returns the order, and the number of crossings before and after.
pub(super) fn order(
    layers: &Layers,
    check: &mut CancelCheck<'_>,
) -> Result<(Vec<Vec<usize>>, u64, u64), LayoutError> {
    let mut current = Order::new(layers);
    let before = current.crossings();
    let (mut best, mut least) = (current.rows.clone(), before);
    let rounds = (WORK / (4 * layers.edges.len() + 1)).clamp(4, 24);
    let mut idle = 0;
    for round in 0..2 * rounds {
        check_cancelled(check)?;
        current.sweep(round % 2 == 0, round / 2 % 2 == 1);
        if layers.edges.len() < WORK / 200 {
            current.transpose();
        }
        let crossings = current.crossings();
        if crossings < least {
            (best, least, idle) = (current.rows.clone(), crossings, 0);
        } else {
            idle += 1;
        }
        if least == 0 || idle > 2 * PATIENCE {
            break;
        }
    }
    Ok((best, before, least))
}

struct Order<'a> {
    layers: &'a Layers,
    rows: Vec<Vec<usize>>,
    /// Position of each vertex in its layer.
    position: Vec<usize>,
    /// Number of linked inputs and outputs of each vertex; ports are spread over its position.
    ports: Vec<[usize; 2]>,
}

impl<'a> Order<'a> {
    /// Orders vertices by a depth-first search from the last layer, each before its sources, by the order of its inputs.
    fn new(layers: &'a Layers) -> Order<'a> {
        let count = layers.layer.len();
        let mut rows = vec![Vec::new(); layers.members.len()];
        let mut is_met = vec![false; count];
        let ends = layers.members.iter().rev().flatten();
        for &end in ends {
            let mut stack = vec![end];
            while let Some(vertex) = stack.pop() {
                if std::mem::replace(&mut is_met[vertex], true) {
                    continue;
                }
                rows[layers.layer[vertex]].push(vertex);
                let sources = layers.incoming[vertex].iter().rev();
                stack.extend(sources.map(|&edge| layers.edges[edge].ends[0]));
            }
        }
        let mut ports = vec![[0; 2]; count];
        for edge in &layers.edges {
            ports[edge.ends[0]][1] = ports[edge.ends[0]][1].max(edge.ports[0] + 1);
            ports[edge.ends[1]][0] = ports[edge.ends[1]][0].max(edge.ports[1] + 1);
        }
        let mut order = Order {
            layers,
            rows,
            position: vec![0; count],
            ports,
        };
        (0..order.rows.len()).for_each(|row| order.number(row));
        order
    }

    fn number(&mut self, row: usize) {
        for (position, &vertex) in self.rows[row].iter().enumerate() {
            self.position[vertex] = position;
        }
    }

    /// Edges at the left or right side of a vertex, and the index of their other end.
    fn edges_at(&self, vertex: usize, is_left: bool) -> (&'a [usize], usize) {
        if is_left {
            (&self.layers.incoming[vertex], 0)
        } else {
            (&self.layers.outgoing[vertex], 1)
        }
    }

    /// Sorts every layer by barycentres on one side. Vertices without edges there keep their positions.
    fn sweep(&mut self, is_left: bool, later_first: bool) {
        let count = self.rows.len();
        for step in 1..count {
            let row = if is_left { step } else { count - 1 - step };
            let mut keyed: Vec<(f64, usize)> = Vec::new();
            let mut slots = Vec::new();
            for (position, &vertex) in self.rows[row].iter().enumerate() {
                if let Some(barycentre) = self.barycentre(vertex, is_left) {
                    keyed.push((barycentre, vertex));
                    slots.push(position);
                }
            }
            if later_first {
                keyed.reverse();
            }
            keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
            for (position, (_, vertex)) in slots.into_iter().zip(keyed) {
                self.rows[row][position] = vertex;
            }
            self.number(row);
        }
    }

    fn barycentre(&self, vertex: usize, is_left: bool) -> Option<f64> {
        let (edges, end) = self.edges_at(vertex, is_left);
        let position = |&edge: &usize| {
            let edge = &self.layers.edges[edge];
            let other = edge.ends[end];
            let share = (edge.ports[end] + 1) as f64 / (self.ports[other][1 - end] + 1) as f64;
            self.position[other] as f64 + share
        };
        let sum: f64 = edges.iter().map(position).sum();
        (!edges.is_empty()).then(|| sum / edges.len() as f64)
    }

    /// Transposes adjacent vertices where that removes crossings.
    fn transpose(&mut self) {
        for row in 0..self.rows.len() {
            let mut is_better = true;
            // A pass without a change is the last one.
            for _ in 0..8 {
                if !std::mem::take(&mut is_better) {
                    break;
                }
                for position in 1..self.rows[row].len() {
                    let pair = [self.rows[row][position - 1], self.rows[row][position]];
                    let [kept, transposed] = self.pair_crossings(pair);
                    if transposed < kept {
                        self.rows[row].swap(position - 1, position);
                        (self.position[pair[0]], self.position[pair[1]]) = (position, position - 1);
                        is_better = true;
                    }
                }
            }
        }
    }

    /// Number of crossings of the edges of two adjacent vertices, as they are and transposed.
    fn pair_crossings(&self, [upper, lower]: [usize; 2]) -> [u64; 2] {
        let mut crossings = [0; 2];
        for is_left in [true, false] {
            let [upper, lower] = [upper, lower].map(|vertex| {
                let (edges, end) = self.edges_at(vertex, is_left);
                let mut ends: Vec<(usize, usize)> =
                    edges.iter().map(|&edge| self.end(edge, end)).collect();
                ends.sort_unstable();
                ends
            });
            crossings[0] += count_pairs(&lower, &upper);
            crossings[1] += count_pairs(&upper, &lower);
        }
        crossings
    }

    /// Sort key of an end of an edge.
    fn end(&self, edge: usize, end: usize) -> (usize, usize) {
        let edge = &self.layers.edges[edge];
        (self.position[edge.ends[end]], edge.ports[end])
    }

    fn crossings(&self) -> u64 {
        let mut all = 0;
        for row in 0..self.rows.len().saturating_sub(1) {
            let edges = self.rows[row].iter();
            let edges = edges.flat_map(|&vertex| &self.layers.outgoing[vertex]);
            let mut ends: Vec<_> = edges
                .map(|&edge| (self.end(edge, 0), self.end(edge, 1)))
                .collect();
            ends.sort_unstable();
            let mut ranks: Vec<(usize, usize)> = ends.iter().map(|&(_, right)| right).collect();
            ranks.sort_unstable();
            ranks.dedup();
            // Fenwick tree: numbers of the edges so far up to each rank.
            let mut sums = vec![0_u64; ranks.len() + 1];
            for (passed, (_, right)) in ends.iter().enumerate() {
                let rank = ranks.partition_point(|rank| rank <= right);
                let (mut at, mut not_above) = (rank, 0);
                while at > 0 {
                    not_above += sums[at];
                    at &= at - 1;
                }
                all += passed as u64 - not_above;
                at = rank;
                while at < sums.len() {
                    sums[at] += 1;
                    at += at & at.wrapping_neg();
                }
            }
        }
        all
    }
}

/// Number of pairs of two sorted lists whose first element is the smaller one.
fn count_pairs(first: &[(usize, usize)], second: &[(usize, usize)]) -> u64 {
    let (mut smaller, mut count) = (0, 0);
    for end in second {
        while first.get(smaller).is_some_and(|other| other < end) {
            smaller += 1;
        }
        count += smaller as u64;
    }
    count
}
