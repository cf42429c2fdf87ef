//! Weighted undirected graph of community detection, and its aggregation by community.

use crate::graph::Direction;
use crate::network::subgraph::Subgraph;

/// Weighted adjacency lists.
#[derive(Debug)]
pub(super) struct WeightedGraph {
    starts: Vec<u32>,
    ends: Vec<u32>,
    weights: Vec<f64>,
    /// Weighted degree of each vertex; self-loops count twice.
    pub(super) mass: Vec<f64>,
    /// Sum of all weighted degrees.
    pub(super) all: f64,
}

impl WeightedGraph {
    /// Builds the graph of a subgraph, ignoring direction; weights of parallel edges are added.
    pub(super) fn new(part: &Subgraph<'_>, weighted: bool) -> WeightedGraph {
        let (adjacency, simple) = (part.adjacency(), part.adjacency().simple());
        let weight = part.weight(weighted);
        let vertices = simple.vertices() as u32;
        let own = |vertex: u32| {
            let steps = adjacency.outgoing(vertex).iter();
            let loops = steps.filter(|step| step.to == vertex);
            2.0 * loops.map(|step| weight(step.edge)).sum::<f64>()
        };
        let starts = (0..vertices).map(|vertex| simple.range(vertex).start as u32);
        let ends = (0..vertices).flat_map(|vertex| simple.neighbours(vertex));
        let sum = |one, other| one + other;
        let mut graph = WeightedGraph {
            starts: starts.chain([simple.steps() as u32]).collect(),
            ends: ends.copied().collect(),
            weights: simple.weights(adjacency, Direction::Both, &weight, sum),
            mass: (0..vertices).map(own).collect(),
            all: 0.0,
        };
        for vertex in 0..vertices {
            let others: f64 = graph.steps(vertex).map(|(_, weight)| weight).sum();
            graph.mass[vertex as usize] += others;
        }
        graph.all = graph.mass.iter().sum();
        graph
    }

    pub(super) fn vertices(&self) -> u32 {
        self.mass.len() as u32
    }

    /// Neighbours of a vertex with weights.
    pub(super) fn steps(&self, vertex: u32) -> impl Iterator<Item = (u32, f64)> {
        let vertex = vertex as usize;
        let range = self.starts[vertex] as usize..self.starts[vertex + 1] as usize;
        let ends = self.ends[range.clone()].iter().copied();
        ends.zip(self.weights[range].iter().copied())
    }

    /// Mean weight of an edge.
    pub(super) fn mean(&self) -> f64 {
        let sum: f64 = self.weights.iter().sum();
        sum / self.weights.len().max(1) as f64
    }

    /// Aggregates communities, numbered below `count`, to vertices.
    pub(super) fn aggregate(&self, of: &[u32], count: u32) -> WeightedGraph {
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); count as usize];
        for (vertex, &community) in (0..).zip(of) {
            members[community as usize].push(vertex);
        }
        let mut graph = WeightedGraph {
            starts: vec![0],
            ends: Vec::new(),
            weights: Vec::new(),
            mass: Vec::with_capacity(count as usize),
            all: self.all,
        };
        let mut to = SparseSums::new(count);
        for (community, members) in (0..).zip(&members) {
            let mut mass = 0.0;
            for &vertex in members {
                mass += self.mass[vertex as usize];
                for (other, weight) in self.steps(vertex) {
                    to.add(of[other as usize], weight);
                }
            }
            for &other in to.touched.iter().filter(|&&other| other != community) {
                graph.ends.push(other);
                graph.weights.push(to.get(other));
            }
            to.clear();
            graph.starts.push(graph.ends.len() as u32);
            graph.mass.push(mass);
        }
        graph
    }

    /// Modularity (Newman and Girvan, Finding and evaluating community structure in networks, 2004) with a resolution.
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

/// Sparse accumulator: sums by index, few of which are not zero.
pub(super) struct SparseSums {
    /// Negative if nothing was added.
    sums: Vec<f64>,
    /// Indexes that were added to.
    pub(super) touched: Vec<u32>,
}

impl SparseSums {
    pub(super) fn new(count: u32) -> SparseSums {
        let (sums, touched) = (vec![-1.0; count as usize], Vec::new());
        SparseSums { sums, touched }
    }

    pub(super) fn add(&mut self, number: u32, weight: f64) {
        let sum = &mut self.sums[number as usize];
        if *sum < 0.0 {
            *sum = 0.0;
            self.touched.push(number);
        }
        *sum += weight;
    }

    /// Returns the sum at an index; 0 if nothing was added.
    pub(super) fn get(&self, number: u32) -> f64 {
        self.sums[number as usize].max(0.0)
    }

    pub(super) fn clear(&mut self) {
        for number in self.touched.drain(..) {
            self.sums[number as usize] = -1.0;
        }
    }
}
