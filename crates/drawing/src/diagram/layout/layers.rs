//! Layers: each node is right of all that it takes links from, and long links stop in every layer between.

use std::ops::Range;

use super::{Graph, MOST_STOPS, Rank, Unplaceable};

/// The vertices in layers: first the nodes by their index, then the stops.
pub(super) struct Layers {
    /// The layer of each vertex.
    pub(super) layer: Vec<usize>,
    pub(super) height: Vec<f64>,
    pub(super) width: Vec<f64>,
    /// The vertices of each layer, nodes first.
    pub(super) members: Vec<Vec<usize>>,
    /// The parts of links between layers that follow each other.
    pub(super) parts: Vec<Part>,
    /// The parts that end at a vertex, and those that begin there, by port.
    pub(super) before: Vec<Vec<usize>>,
    pub(super) behind: Vec<Vec<usize>>,
    pub(super) trunks: Vec<Stops>,
    /// The trunk of each wire.
    pub(super) trunk_of: Vec<usize>,
    /// How many vertices are nodes.
    pub(super) nodes: usize,
}

/// A part of a link, from one layer to the next.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// The vertices.
    pub(super) ends: [usize; 2],
    /// Which output and input, 0 for a stop.
    pub(super) ports: [usize; 2],
    /// How far below the upper side they are.
    pub(super) offsets: [f64; 2],
}

/// The stops of the links from one output.
#[derive(Debug)]
pub(super) struct Stops {
    pub(super) from: [usize; 2],
    pub(super) stops: Range<usize>,
}

impl Layers {
    pub(super) fn new(graph: &Graph) -> Result<Layers, Unplaceable> {
        let nodes = graph.nodes.len();
        if nodes > MOST_STOPS {
            return Err(Unplaceable::TooLarge(nodes));
        }
        let mut layers = Layers {
            layer: ranked(graph)?,
            height: graph.nodes.iter().map(|node| node.size[1]).collect(),
            width: graph.nodes.iter().map(|node| node.size[0]).collect(),
            members: Vec::new(),
            parts: Vec::new(),
            before: Vec::new(),
            behind: Vec::new(),
            trunks: Vec::new(),
            trunk_of: vec![0; graph.wires.len()],
            nodes,
        };
        let mut wires: Vec<usize> = (0..graph.wires.len()).collect();
        // The order in which links are given is not seen.
        wires.sort_by_key(|&wire| (graph.wires[wire].from, graph.wires[wire].to));
        for wires in wires.chunk_by(|&one, &other| graph.wires[one].from == graph.wires[other].from)
        {
            layers.grow(graph, wires)?;
        }
        let count = layers.layer.len();
        let most = layers.layer.iter().max().map_or(0, |most| most + 1);
        layers.members = vec![Vec::new(); most];
        for (vertex, &layer) in layers.layer.iter().enumerate() {
            layers.members[layer].push(vertex);
        }
        (layers.before, layers.behind) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for (index, part) in layers.parts.iter().enumerate() {
            layers.behind[part.ends[0]].push(index);
            layers.before[part.ends[1]].push(index);
        }
        let parts = &layers.parts;
        for list in &mut layers.before {
            list.sort_by_key(|&part| parts[part].ports[1]);
        }
        Ok(layers)
    }

    /// The links from one output: their stops, and their parts.
    fn grow(&mut self, graph: &Graph, wires: &[usize]) -> Result<(), Unplaceable> {
        let from = graph.wires[wires[0]].from;
        let start = self.layer[from[0]];
        let farthest = wires
            .iter()
            .map(|&wire| self.layer[graph.wires[wire].to[0]]);
        let farthest = farthest.max().unwrap_or(start + 1);
        let first = self.layer.len();
        let count = farthest - start - 1;
        if first + count > MOST_STOPS {
            return Err(Unplaceable::TooLarge(first + count));
        }
        let offset = graph.nodes[from[0]].outputs[from[1]];
        // Where the link is in a layer that it has reached.
        let at = |layer: usize| match layer - start {
            0 => (from[0], from[1], offset),
            passed => (first + passed - 1, 0, 0.0),
        };
        for layer in start + 1..farthest {
            let (vertex, port, offset) = at(layer - 1);
            self.parts.push(Part {
                ends: [vertex, first + layer - start - 1],
                ports: [port, 0],
                offsets: [offset, 0.0],
            });
            self.layer.push(layer);
            self.height.push(0.0);
            self.width.push(0.0);
        }
        for &wire in wires {
            let [node, input] = graph.wires[wire].to;
            let (vertex, port, offset) = at(self.layer[node] - 1);
            self.parts.push(Part {
                ends: [vertex, node],
                ports: [port, input],
                offsets: [offset, graph.nodes[node].inputs[input]],
            });
            self.trunk_of[wire] = self.trunks.len();
        }
        self.trunks.push(Stops {
            from,
            stops: first..first + count,
        });
        Ok(())
    }

    pub(super) fn is_stop(&self, vertex: usize) -> bool {
        vertex >= self.nodes
    }
}

/// The layer of each node: the longest way to it; then what makes its links shorter by moving right does so.
fn ranked(graph: &Graph) -> Result<Vec<usize>, Unplaceable> {
    let count = graph.nodes.len();
    let (mut sources, mut targets) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for wire in &graph.wires {
        sources[wire.to[0]].push(wire.from);
        targets[wire.from[0]].push((wire.from[1], wire.to[0]));
    }
    for list in &mut sources {
        list.sort_unstable();
        list.dedup();
    }
    let mut open: Vec<usize> = targets.iter().map(|_| 0).collect();
    for list in &targets {
        for &(_, target) in list {
            open[target] += 1;
        }
    }
    let mut layer = vec![0; count];
    // What is behind the first nodes; the rest is free to be near to what needs it.
    let mut is_held: Vec<bool> = graph
        .nodes
        .iter()
        .map(|node| node.rank == Rank::First)
        .collect();
    let mut sorted: Vec<usize> = (0..count).filter(|&node| open[node] == 0).collect();
    let mut next = 0;
    while let Some(&node) = sorted.get(next) {
        next += 1;
        for &(_, target) in &targets[node] {
            layer[target] = layer[target].max(layer[node] + 1);
            is_held[target] |= is_held[node];
            open[target] -= 1;
            if open[target] == 0 {
                sorted.push(target);
            }
        }
    }
    if sorted.len() < count {
        return Err(Unplaceable::Cyclic);
    }
    let last = layer.iter().max().copied().unwrap_or(0);
    for (node, block) in graph.nodes.iter().enumerate() {
        if block.rank == Rank::Last && targets[node].is_empty() {
            layer[node] = last;
        }
    }
    for &node in sorted.iter().rev() {
        let nearest = targets[node].iter().map(|&(_, target)| layer[target]).min();
        let Some(nearest) = nearest.filter(|_| graph.nodes[node].rank != Rank::First) else {
            continue;
        };
        let taken = sources[node].iter().filter(|source| is_held[source[0]]);
        let mut given: Vec<usize> = targets[node].iter().map(|&(port, _)| port).collect();
        given.sort_unstable();
        given.dedup();
        if taken.count() < given.len() {
            layer[node] = nearest - 1;
        }
    }
    Ok(layer)
}
