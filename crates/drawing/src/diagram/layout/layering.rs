//! Layer assignment: each node is right of the sources of its links, and a long link has a dummy vertex in every layer that it
//! passes. Nodes are layered by longest paths, and then moved right where that shortens links.

use std::ops::Range;

use super::{Graph, LayoutError, MAX_VERTICES, Rank};

/// A proper layered graph, whose edges join adjacent layers. Its vertices are the nodes, by index, and then the dummies.
pub(super) struct Layers {
    /// Layer of each vertex.
    pub(super) layer: Vec<usize>,
    pub(super) height: Vec<f64>,
    pub(super) width: Vec<f64>,
    /// Vertices of each layer, nodes first.
    pub(super) members: Vec<Vec<usize>>,
    pub(super) edges: Vec<Edge>,
    /// Edges that end at each vertex, by port, and edges that begin there.
    pub(super) incoming: Vec<Vec<usize>>,
    pub(super) outgoing: Vec<Vec<usize>>,
    pub(super) trunks: Vec<Hyperedge>,
    /// Hyperedge of each wire.
    pub(super) trunk_of: Vec<usize>,
    /// Number of vertices that are nodes.
    pub(super) nodes: usize,
}

/// Edge from one layer to the next, a segment of links from one output.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    /// Vertices.
    pub(super) ends: [usize; 2],
    /// Index of the output and of the input; 0 for a dummy.
    pub(super) ports: [usize; 2],
    /// Distances of the ends from the upper sides of the vertices.
    pub(super) offsets: [f64; 2],
}

/// Links from one output, which share their dummies.
#[derive(Debug)]
pub(super) struct Hyperedge {
    pub(super) from: [usize; 2],
    pub(super) dummies: Range<usize>,
}

impl Layers {
    pub(super) fn new(graph: &Graph) -> Result<Layers, LayoutError> {
        let nodes = graph.nodes.len();
        if nodes > MAX_VERTICES {
            return Err(LayoutError::TooLarge(nodes));
        }
        let mut layers = Layers {
            layer: assign_layers(graph)?,
            height: graph.nodes.iter().map(|node| node.size[1]).collect(),
            width: graph.nodes.iter().map(|node| node.size[0]).collect(),
            members: Vec::new(),
            edges: Vec::new(),
            incoming: Vec::new(),
            outgoing: Vec::new(),
            trunks: Vec::new(),
            trunk_of: vec![0; graph.wires.len()],
            nodes,
        };
        let mut wires: Vec<usize> = (0..graph.wires.len()).collect();
        // The order of the links of the graph does not matter.
        wires.sort_by_key(|&wire| (graph.wires[wire].from, graph.wires[wire].to));
        for wires in wires.chunk_by(|&one, &other| graph.wires[one].from == graph.wires[other].from)
        {
            layers.add_hyperedge(graph, wires)?;
        }
        let count = layers.layer.len();
        let most = layers.layer.iter().max().map_or(0, |most| most + 1);
        layers.members = vec![Vec::new(); most];
        for (vertex, &layer) in layers.layer.iter().enumerate() {
            layers.members[layer].push(vertex);
        }
        (layers.incoming, layers.outgoing) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for (index, edge) in layers.edges.iter().enumerate() {
            layers.outgoing[edge.ends[0]].push(index);
            layers.incoming[edge.ends[1]].push(index);
        }
        let edges = &layers.edges;
        for list in &mut layers.incoming {
            list.sort_by_key(|&edge| edges[edge].ports[1]);
        }
        Ok(layers)
    }

    /// Adds the links from one output: their dummies and edges.
    fn add_hyperedge(&mut self, graph: &Graph, wires: &[usize]) -> Result<(), LayoutError> {
        let from = graph.wires[wires[0]].from;
        let start = self.layer[from[0]];
        let farthest = wires
            .iter()
            .map(|&wire| self.layer[graph.wires[wire].to[0]]);
        let farthest = farthest.max().unwrap_or(start + 1);
        let first = self.layer.len();
        let count = farthest - start - 1;
        if first + count > MAX_VERTICES {
            return Err(LayoutError::TooLarge(first + count));
        }
        let offset = graph.nodes[from[0]].outputs[from[1]];
        // Vertex, port and offset of the link in a layer.
        let at = |layer: usize| match layer - start {
            0 => (from[0], from[1], offset),
            passed => (first + passed - 1, 0, 0.0),
        };
        for layer in start + 1..farthest {
            let (vertex, port, offset) = at(layer - 1);
            self.edges.push(Edge {
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
            self.edges.push(Edge {
                ends: [vertex, node],
                ports: [port, input],
                offsets: [offset, graph.nodes[node].inputs[input]],
            });
            self.trunk_of[wire] = self.trunks.len();
        }
        self.trunks.push(Hyperedge {
            from,
            dummies: first..first + count,
        });
        Ok(())
    }

    pub(super) fn is_dummy(&self, vertex: usize) -> bool {
        vertex >= self.nodes
    }
}

/// Assigns layers by longest paths from the sources; then a node that has fewer incoming links than outgoing ones moves right,
/// to its nearest target.
fn assign_layers(graph: &Graph) -> Result<Vec<usize>, LayoutError> {
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
    // Nodes that depend on the first ones; the others may move to their targets.
    let mut is_fixed: Vec<bool> = graph
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
            is_fixed[target] |= is_fixed[node];
            open[target] -= 1;
            if open[target] == 0 {
                sorted.push(target);
            }
        }
    }
    if sorted.len() < count {
        return Err(LayoutError::Cyclic);
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
        let incoming = sources[node].iter().filter(|source| is_fixed[source[0]]);
        let mut outgoing: Vec<usize> = targets[node].iter().map(|&(port, _)| port).collect();
        outgoing.sort_unstable();
        outgoing.dedup();
        if incoming.count() < outgoing.len() {
            layer[node] = nearest - 1;
        }
    }
    Ok(layer)
}
