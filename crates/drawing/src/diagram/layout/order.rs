//! The order of nodes and stops within their layers, in which few links cross.
//!
//! Layers are sorted by the means of what they are linked to, ports counted, to the left and to the right in turn
//! (Sugiyama and others, 1981); then neighbours change places where fewer links cross so. Crossings are counted as
//! inversions (W. Barth, M. Jünger, P. Mutzel, "Simple and Efficient Bilayer Cross Counting", 2002).

use super::layers::Layers;
use super::{Unplaceable, Wanted, asked};

/// Rounds that may bring nothing before it ends.
const PATIENCE: usize = 4;
/// About how many parts of links are looked at in all.
const WORK: usize = 6_000_000;

/// The order of the vertices in each layer, with the number of crossings at first and at last.
pub(super) fn found(
    layers: &Layers,
    wanted: &mut Wanted<'_>,
) -> Result<(Vec<Vec<usize>>, u64, u64), Unplaceable> {
    let mut now = Order::new(layers);
    let before = now.crossings();
    let (mut best, mut least) = (now.rows.clone(), before);
    let rounds = (WORK / (4 * layers.parts.len() + 1)).clamp(4, 24);
    let mut idle = 0;
    for round in 0..2 * rounds {
        asked(wanted)?;
        now.sweep(round % 2 == 0, round / 2 % 2 == 1);
        if layers.parts.len() < WORK / 200 {
            now.exchange();
        }
        let crossings = now.crossings();
        if crossings < least {
            (best, least, idle) = (now.rows.clone(), crossings, 0);
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
    /// The place of each vertex in its layer.
    place: Vec<usize>,
    /// The number of inputs and outputs that are linked, of each vertex; ports are spread over its place.
    ports: Vec<[usize; 2]>,
}

impl<'a> Order<'a> {
    /// As the vertices are met from the last layer on, each with what leads to it, by the order of its inputs.
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
                let sources = layers.before[vertex].iter().rev();
                stack.extend(sources.map(|&part| layers.parts[part].ends[0]));
            }
        }
        let mut ports = vec![[0; 2]; count];
        for part in &layers.parts {
            ports[part.ends[0]][1] = ports[part.ends[0]][1].max(part.ports[0] + 1);
            ports[part.ends[1]][0] = ports[part.ends[1]][0].max(part.ports[1] + 1);
        }
        let mut order = Order {
            layers,
            rows,
            place: vec![0; count],
            ports,
        };
        (0..order.rows.len()).for_each(|row| order.number(row));
        order
    }

    fn number(&mut self, row: usize) {
        for (place, &vertex) in self.rows[row].iter().enumerate() {
            self.place[vertex] = place;
        }
    }

    /// The parts at the left or right side of a vertex, and which of their ends is the other one.
    fn beside(&self, vertex: usize, is_left: bool) -> (&'a [usize], usize) {
        if is_left {
            (&self.layers.before[vertex], 0)
        } else {
            (&self.layers.behind[vertex], 1)
        }
    }

    /// Sorts every layer by what it is linked to on one side. Vertices that have no links there keep their places.
    fn sweep(&mut self, is_left: bool, later_first: bool) {
        let count = self.rows.len();
        for step in 1..count {
            let row = if is_left { step } else { count - 1 - step };
            let mut keyed: Vec<(f64, usize)> = Vec::new();
            let mut slots = Vec::new();
            for (place, &vertex) in self.rows[row].iter().enumerate() {
                if let Some(mean) = self.mean(vertex, is_left) {
                    keyed.push((mean, vertex));
                    slots.push(place);
                }
            }
            if later_first {
                keyed.reverse();
            }
            keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
            for (place, (_, vertex)) in slots.into_iter().zip(keyed) {
                self.rows[row][place] = vertex;
            }
            self.number(row);
        }
    }

    fn mean(&self, vertex: usize, is_left: bool) -> Option<f64> {
        let (parts, end) = self.beside(vertex, is_left);
        let place = |&part: &usize| {
            let part = &self.layers.parts[part];
            let other = part.ends[end];
            let share = (part.ports[end] + 1) as f64 / (self.ports[other][1 - end] + 1) as f64;
            self.place[other] as f64 + share
        };
        let sum: f64 = parts.iter().map(place).sum();
        (!parts.is_empty()).then(|| sum / parts.len() as f64)
    }

    /// Neighbours change places where fewer links cross so.
    fn exchange(&mut self) {
        for row in 0..self.rows.len() {
            let mut is_better = true;
            // A pass in which nothing changes is the last one.
            for _ in 0..8 {
                if !std::mem::take(&mut is_better) {
                    break;
                }
                for place in 1..self.rows[row].len() {
                    let pair = [self.rows[row][place - 1], self.rows[row][place]];
                    let [kept, changed] = self.between(pair);
                    if changed < kept {
                        self.rows[row].swap(place - 1, place);
                        (self.place[pair[0]], self.place[pair[1]]) = (place, place - 1);
                        is_better = true;
                    }
                }
            }
        }
    }

    /// How often the links of two neighbours cross, as they are, and the other way round.
    fn between(&self, [upper, lower]: [usize; 2]) -> [u64; 2] {
        let mut crossings = [0; 2];
        for is_left in [true, false] {
            let [upper, lower] = [upper, lower].map(|vertex| {
                let (parts, end) = self.beside(vertex, is_left);
                let mut ends: Vec<(usize, usize)> =
                    parts.iter().map(|&part| self.end(part, end)).collect();
                ends.sort_unstable();
                ends
            });
            crossings[0] += pairs(&lower, &upper);
            crossings[1] += pairs(&upper, &lower);
        }
        crossings
    }

    /// Where a part ends, to be compared.
    fn end(&self, part: usize, end: usize) -> (usize, usize) {
        let part = &self.layers.parts[part];
        (self.place[part.ends[end]], part.ports[end])
    }

    fn crossings(&self) -> u64 {
        let mut all = 0;
        for row in 0..self.rows.len().saturating_sub(1) {
            let parts = self.rows[row].iter();
            let parts = parts.flat_map(|&vertex| &self.layers.behind[vertex]);
            let mut ends: Vec<_> = parts
                .map(|&part| (self.end(part, 0), self.end(part, 1)))
                .collect();
            ends.sort_unstable();
            let mut ranks: Vec<(usize, usize)> = ends.iter().map(|&(_, right)| right).collect();
            ranks.sort_unstable();
            ranks.dedup();
            // How many of those so far are at most at a rank, in the manner of Fenwick.
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

/// The number of pairs of which the first is the smaller one, of two sorted lists.
fn pairs(first: &[(usize, usize)], second: &[(usize, usize)]) -> u64 {
    let (mut smaller, mut count) = (0, 0);
    for end in second {
        while first.get(smaller).is_some_and(|other| other < end) {
            smaller += 1;
        }
        count += smaller as u64;
    }
    count
}
