//! The undirected graph with weights among which communities are found, and the same with communities for vertices.

use crate::graph::Direction;
use crate::network::part::Part;

/// Who is joined to whom, and how strongly, both ways.
#[derive(Debug)]
pub(super) struct Weave {
    starts: Vec<u32>,
    ends: Vec<u32>,
    weights: Vec<f64>,
    /// The weight of all that is at each; what joins it to itself counts twice.
    pub(super) mass: Vec<f64>,
    /// The weight of all that is at all.
    pub(super) all: f64,
}

impl Weave {
    /// Of a part of a network, whatever the direction of edges; of several edges between two vertices the weights are
    /// added.
    pub(super) fn new(part: &Part<'_>, weighted: bool) -> Weave {
        let (adjacency, simple) = (part.adjacency(), part.adjacency().simple());
        let weight = part.weight(weighted);
        let vertices = simple.vertices() as u32;
        let own = |vertex: u32| {
            let steps = adjacency.along(vertex).iter();
            let loops = steps.filter(|step| step.to == vertex);
            2.0 * loops.map(|step| weight(step.edge)).sum::<f64>()
        };
        let starts = (0..vertices).map(|vertex| simple.range(vertex).start as u32);
        let ends = (0..vertices).flat_map(|vertex| simple.of(vertex));
        let sum = |one, other| one + other;
        let mut weave = Weave {
            starts: starts.chain([simple.steps() as u32]).collect(),
            ends: ends.copied().collect(),
            weights: simple.weights(adjacency, Direction::Both, &weight, sum),
            mass: (0..vertices).map(own).collect(),
            all: 0.0,
        };
        for vertex in 0..vertices {
            let others: f64 = weave.steps(vertex).map(|(_, weight)| weight).sum();
            weave.mass[vertex as usize] += others;
        }
        weave.all = weave.mass.iter().sum();
        weave
    }

    pub(super) fn vertices(&self) -> u32 {
        self.mass.len() as u32
    }

    /// To whom a vertex is joined, and how strongly.
    pub(super) fn steps(&self, vertex: u32) -> impl Iterator<Item = (u32, f64)> {
        let vertex = vertex as usize;
        let range = self.starts[vertex] as usize..self.starts[vertex + 1] as usize;
        let ends = self.ends[range.clone()].iter().copied();
        ends.zip(self.weights[range].iter().copied())
    }

    /// The mean weight of what joins two.
    pub(super) fn mean(&self) -> f64 {
        let sum: f64 = self.weights.iter().sum();
        sum / self.weights.len().max(1) as f64
    }

    /// The same with the communities for vertices, which are numbered from 0 to below a count.
    pub(super) fn joined(&self, of: &[u32], count: u32) -> Weave {
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); count as usize];
        for (vertex, &community) in (0..).zip(of) {
            members[community as usize].push(vertex);
        }
        let mut weave = Weave {
            starts: vec![0],
            ends: Vec::new(),
            weights: Vec::new(),
            mass: Vec::with_capacity(count as usize),
            all: self.all,
        };
        let mut to = Tally::new(count);
        for (community, members) in (0..).zip(&members) {
            let mut mass = 0.0;
            for &vertex in members {
                mass += self.mass[vertex as usize];
                for (other, weight) in self.steps(vertex) {
                    to.add(of[other as usize], weight);
                }
            }
            for &other in to.touched.iter().filter(|&&other| other != community) {
                weave.ends.push(other);
                weave.weights.push(to.of(other));
            }
            to.clear();
            weave.starts.push(weave.ends.len() as u32);
            weave.mass.push(mass);
        }
        weave
    }

    /// How much more of all weight is within communities than would be if the same masses were joined at random (Newman
    /// and Girvan, Finding and evaluating community structure in networks, 2004), of which so much is expected.
    pub(super) fn modularity(&self, of: &[u32], resolution: f64) -> f64 {
        if self.all == 0.0 {
            return 0.0;
        }
        let count = of.iter().max().map_or(0, |&most| most as usize + 1);
        let (mut between, mut mass) = (0.0, vec![0.0; count]);
        for vertex in 0..self.vertices() {
            let own = of[vertex as usize];
            mass[own as usize] += self.mass[vertex as usize];
            let others = self.steps(vertex);
            let others = others.filter(|(other, _)| of[*other as usize] != own);
            between += others.map(|(_, weight)| weight).sum::<f64>();
        }
        let expected = mass.iter().map(|mass| (mass / self.all).powi(2));
        1.0 - between / self.all - resolution * expected.sum::<f64>()
    }
}

/// Sums by number, of which few are not zero.
pub(super) struct Tally {
    /// Below 0 if nothing was added.
    sums: Vec<f64>,
    /// Those that were added to.
    pub(super) touched: Vec<u32>,
}

impl Tally {
    pub(super) fn new(count: u32) -> Tally {
        Tally {
            sums: vec![-1.0; count as usize],
            touched: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, number: u32, weight: f64) {
        let sum = &mut self.sums[number as usize];
        if *sum < 0.0 {
            *sum = 0.0;
            self.touched.push(number);
        }
        *sum += weight;
    }

    /// The sum of a number; 0 if nothing was added.
    pub(super) fn of(&self, number: u32) -> f64 {
        self.sums[number as usize].max(0.0)
    }

    pub(super) fn clear(&mut self) {
        for number in self.touched.drain(..) {
            self.sums[number as usize] = -1.0;
        }
    }
}
