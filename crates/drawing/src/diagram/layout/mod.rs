//! Layered layout of an acyclic graph with ports, from left to right.
//!
//! The method is the Sugiyama framework (K. Sugiyama, S. Tagawa, M. Toda, "Methods for Visual Understanding of Hierarchical System
//! Structures", 1981) for nodes with ports at fixed positions: `layering` assigns each node to a layer and divides long
//! links by dummy vertices, `crossing_reduction` orders the vertices of each layer, and `coordinates` assigns their heights,
//! so that links are straight where possible. All links from one port share their dummy vertices (a hyperedge). The crates
//! for graph layout (rust-sugiyama, dagre, layout-rs) do not support ports: their links begin and end anywhere at a node.
//!
//! Links bend only in the gaps between layers, so none runs through a node.

mod layering;

mod coordinates;
mod crossing_reduction;

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use layering::Layers;

/// Maximum number of vertices: nodes and dummy vertices.
pub const MAX_VERTICES: usize = 400_000;

/// Graph to be laid out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Graph {
    /// Nodes.
    pub nodes: Vec<Block>,
    /// Links, which form no cycle.
    pub wires: Vec<Wire>,
}

/// A node: a box with inputs on its left side and outputs on its right one.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Width and height.
    pub size: [f64; 2],
    /// Distance of each input from the upper side, increasing.
    pub inputs: Vec<f64>,
    /// Distance of each output from the upper side, increasing.
    pub outputs: Vec<f64>,
    /// Constraint on its layer.
    pub rank: Rank,
}

/// Constraint on the layer of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rank {
    /// In the first layer, unless it has linked inputs.
    First,
    /// Anywhere.
    Free,
    /// In the last layer, unless it has linked outputs.
    Last,
}

/// A link from an output to an input. Each end is the index of a node and the index of its output or input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wire {
    /// Output.
    pub from: [usize; 2],
    /// Input.
    pub to: [usize; 2],
}

/// Minimum distances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spacing {
    /// Between nodes of a layer.
    pub nodes: f64,
    /// Between a link and another link or a node, where they pass a layer.
    pub links: f64,
    /// Between layers: the minimum, and the maximum where links are steep.
    pub layers: [f64; 2],
}

impl Default for Spacing {
    fn default() -> Self {
        Spacing {
            nodes: 24.0,
            links: 14.0,
            layers: [44.0, 120.0],
        }
    }
}

/// Coordinates of a graph; the origin is the upper left corner, x points to the right and y down.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    /// Upper left corner of each node.
    pub nodes: Vec<[f64; 2]>,
    /// Layer of each node, from the left.
    pub layers: Vec<usize>,
    /// Trunk of the links of each output that has some.
    pub trunks: Vec<Trunk>,
    /// Branch of each link.
    pub branches: Vec<Branch>,
    /// Width and height of the drawing.
    pub size: [f64; 2],
    /// Number of crossings of links between layers; the links from one output count as one.
    pub crossings: u64,
    /// Number of crossings before crossing reduction.
    pub crossings_before: u64,
}

/// Common part of the links from one output, as points: a line from the output to the first bend, a curve to the next point,
/// a line again, and so on. It ends with a line, after an odd number of segments.
#[derive(Debug, Clone, PartialEq)]
pub struct Trunk {
    /// Output: the index of its node, and its own.
    pub from: [usize; 2],
    /// Points, an even number.
    pub points: Vec<[f64; 2]>,
}

/// Part of a link after its trunk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Branch {
    /// Index of the trunk.
    pub trunk: usize,
    /// Number of points of the trunk that the link has; it leaves in a curve from the last of them.
    pub shared: usize,
    /// End of the curve, and the input, at the end of a line to the right.
    pub points: [[f64; 2]; 2],
}

impl Placement {
    /// Points of a link: lines and curves in turn, the first a line.
    pub fn path(&self, wire: usize) -> Vec<[f64; 2]> {
        let branch = &self.branches[wire];
        let mut points = self.trunks[branch.trunk].points[..branch.shared].to_vec();
        points.extend(branch.points);
        points
    }
}

/// Error returned when a graph is not laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// There are too many vertices.
    #[error(
        "the layout would need {0} or more vertices, including those that route links, more than the limit of \
         {MAX_VERTICES}"
    )]
    TooLarge(usize),
    /// Links form a cycle.
    #[error("the graph has a cycle, but the layout needs an acyclic graph")]
    Cyclic,
    /// The layout was cancelled.
    #[error("it was ended")]
    Cancelled,
}

/// Callback that may cancel the layout; it is called often.
pub type CancelCheck<'a> = dyn FnMut() -> ControlFlow<()> + 'a;

fn check_cancelled(check: &mut CancelCheck<'_>) -> Result<(), LayoutError> {
    match check() {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(LayoutError::Cancelled),
    }
}

/// Lays a graph out. The same graph always has the same layout. Time is that of a few dozen sorts of its links and
/// vertices.
///
/// # Errors
/// [`LayoutError`]: there are too many vertices, links form a cycle, or `check` cancelled the layout.
///
/// # Panics
/// If a link names a node, output or input that does not exist.
pub fn lay_out(
    graph: &Graph,
    spacing: &Spacing,
    check: &mut CancelCheck<'_>,
) -> Result<Placement, LayoutError> {
    let layers = Layers::new(graph)?;
    check_cancelled(check)?;
    let (order, crossings_before, crossings) = crossing_reduction::order(&layers, check)?;
    let tops = coordinates::tops(&layers, &order, spacing, check)?;
    let columns = Columns::new(&layers, &tops, spacing);
    let nodes: Vec<[f64; 2]> = (0..graph.nodes.len())
        .map(|node| {
            let [left, right] = columns.sides[layers.layer[node]];
            // The nodes of the first layer are aligned at their outputs.
            let left = match layers.layer[node] {
                0 => right - graph.nodes[node].size[0],
                _ => left,
            };
            [left, tops[node]]
        })
        .collect();
    let at_output = |[node, port]: [usize; 2]| {
        let (block, [x, y]) = (&graph.nodes[node], nodes[node]);
        [x + block.size[0], y + block.outputs[port]]
    };
    let trunks: Vec<Trunk> = layers
        .trunks
        .iter()
        .map(|trunk| {
            let [x, y] = at_output(trunk.from);
            let first = layers.layer[trunk.from[0]];
            let mut points = vec![[x, y], [columns.sides[first][1], y]];
            for (passed, vertex) in trunk.dummies.clone().enumerate() {
                let y = tops[vertex];
                points.extend(columns.sides[first + 1 + passed].map(|x| [x, y]));
            }
            Trunk {
                from: trunk.from,
                points,
            }
        })
        .collect();
    let branches = graph.wires.iter().zip(&layers.trunk_of);
    let branches = branches.map(|(wire, &trunk)| {
        let [node, port] = wire.to;
        let [x, y] = [
            nodes[node][0],
            nodes[node][1] + graph.nodes[node].inputs[port],
        ];
        let (from, to) = (layers.layer[wire.from[0]], layers.layer[node]);
        Branch {
            trunk,
            shared: 2 * (to - from),
            points: [[columns.sides[to][0], y], [x, y]],
        }
    });
    let bottom = (0..layers.layer.len()).map(|vertex| tops[vertex] + layers.height[vertex]);
    Ok(Placement {
        branches: branches.collect(),
        trunks,
        layers: layers.layer[..graph.nodes.len()].to_vec(),
        size: [
            columns.sides.last().map_or(0.0, |sides| sides[1]),
            bottom.fold(0.0, f64::max),
        ],
        nodes,
        crossings,
        crossings_before,
    })
}

/// Left and right side of each layer.
struct Columns {
    sides: Vec<[f64; 2]>,
}

impl Columns {
    /// Makes layers as wide as their widest node, and farther apart where links between them are steep.
    fn new(layers: &Layers, tops: &[f64], spacing: &Spacing) -> Columns {
        /// Share of the rise of a link that is added to the gap.
        const STEEP: f64 = 0.12;
        let mut widths = vec![0.0_f64; layers.members.len()];
        for (vertex, &layer) in layers.layer.iter().enumerate() {
            widths[layer] = widths[layer].max(layers.width[vertex]);
        }
        let mut rises = vec![0.0_f64; layers.members.len()];
        for edge in &layers.edges {
            let [from, to] = [0, 1].map(|end| tops[edge.ends[end]] + edge.offsets[end]);
            let layer = layers.layer[edge.ends[0]];
            rises[layer] = rises[layer].max((from - to).abs());
        }
        let [least, most] = spacing.layers;
        let mut left = 0.0;
        let sides = widths.iter().zip(&rises).map(|(width, rise)| {
            let sides = [left, left + width];
            left = sides[1] + (least + rise * STEEP).min(most);
            sides
        });
        Columns {
            sides: sides.collect(),
        }
    }
}
