//! Places for the nodes and links of a graph, from left to right: a graph in, places out.
//!
//! The method is that of K. Sugiyama, S. Tagawa, M. Toda, "Methods for Visual Understanding of Hierarchical System
//! Structures" (1981), for nodes with ports at fixed places: `layers` gives each node a layer and has long links stop in
//! every layer between, `order` puts the stops and nodes of a layer in an order in which few links cross, and `rows` gives
//! them heights, so that links are straight where they can be. All links from one port share their stops. The crates
//! that lay graphs out (rust-sugiyama, dagre, layout-rs) know no ports: their links begin and end anywhere at a node.
//!
//! Links bend only in the gutters between layers, where there is no node, so none runs through one.

mod layers;
mod order;
mod rows;

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use layers::Layers;

/// The most nodes, and places where links stop between them.
pub const MOST_STOPS: usize = 400_000;

/// What is to be drawn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<Block>,
    /// The links, which make no cycle.
    pub wires: Vec<Wire>,
}

/// A node: a box with inputs on its left side and outputs on its right one.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Its width and height.
    pub size: [f64; 2],
    /// How far below the upper side each input is, from above.
    pub inputs: Vec<f64>,
    /// How far below the upper side each output is, from above.
    pub outputs: Vec<f64>,
    /// Where it is to be.
    pub rank: Rank,
}

/// Where a node is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rank {
    /// In the first layer, unless it has linked inputs.
    First,
    /// Anywhere.
    Free,
    /// In the last layer, unless it has linked outputs.
    Last,
}

/// A link, from an output to an input. Each end is the index of a node, and that of its output or input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wire {
    /// The output.
    pub from: [usize; 2],
    /// The input.
    pub to: [usize; 2],
}

/// How far things are apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spacing {
    /// From one node to the next in a layer.
    pub nodes: f64,
    /// From a link to the next, or to a node, where they pass.
    pub links: f64,
    /// From one layer to the next: the least, and the most where links are steep.
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

/// Where everything is; the upper left corner is 0, x rises to the right and y down.
#[derive(Debug, Clone, PartialEq)]
pub struct Places {
    /// The upper left corner of each node.
    pub nodes: Vec<[f64; 2]>,
    /// The layer of each node, from the left.
    pub layers: Vec<usize>,
    /// What the links from one output share.
    pub trunks: Vec<Trunk>,
    /// The rest of each link.
    pub branches: Vec<Branch>,
    /// The width and height of all.
    pub size: [f64; 2],
    /// How many links cross between layers, those from one output counted as one.
    pub crossings: u64,
    /// How many did before the order was improved.
    pub crossings_before: u64,
}

/// What the links from one output share, as points: from the output straight to the first bend, from there in a curve to
/// the next point, straight again, and so on. It ends where a straight part does, after an odd number of parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Trunk {
    /// The output: the index of its node, and its own.
    pub from: [usize; 2],
    /// The points, an even number.
    pub points: Vec<[f64; 2]>,
}

/// How a link leaves its trunk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Branch {
    /// The trunk.
    pub trunk: usize,
    /// How many of the trunk's points it shares; it leaves in a curve from the last of them.
    pub shared: usize,
    /// Where the curve ends, and the input, straight to the right of it.
    pub points: [[f64; 2]; 2],
}

impl Places {
    /// The points of a link, straight parts and curves in turn, the first straight.
    pub fn path(&self, wire: usize) -> Vec<[f64; 2]> {
        let branch = &self.branches[wire];
        let mut points = self.trunks[branch.trunk].points[..branch.shared].to_vec();
        points.extend(branch.points);
        points
    }
}

/// Why there are no places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unplaceable {
    /// There is too much.
    #[error(
        "the graph has {0} or more nodes and places where links pass, and at most {MOST_STOPS} are laid out"
    )]
    TooLarge(usize),
    /// Links lead from a node to itself.
    #[error("links of the graph make a cycle, and only graphs without one are laid out")]
    Cyclic,
    /// It was ended.
    #[error("it was ended")]
    Cancelled,
}

/// Whether the work is still wanted; it is asked often.
pub type Wanted<'a> = dyn FnMut() -> ControlFlow<()> + 'a;

fn asked(wanted: &mut Wanted<'_>) -> Result<(), Unplaceable> {
    match wanted() {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Unplaceable::Cancelled),
    }
}

/// Finds places: the same for the same graph, in about the time that sorting its links and stops takes, a few dozen
/// times.
///
/// # Errors
/// [`Unplaceable`]: there is too much, a cycle, or `wanted` ended it.
///
/// # Panics
/// If a link names a node, output or input that is not there.
pub fn lay_out(
    graph: &Graph,
    spacing: &Spacing,
    wanted: &mut Wanted<'_>,
) -> Result<Places, Unplaceable> {
    let layers = Layers::new(graph)?;
    asked(wanted)?;
    let (order, crossings_before, crossings) = order::found(&layers, wanted)?;
    let tops = rows::found(&layers, &order, spacing, wanted)?;
    let columns = Columns::new(&layers, &tops, spacing);
    let nodes: Vec<[f64; 2]> = (0..graph.nodes.len())
        .map(|node| {
            let [left, right] = columns.sides[layers.layer[node]];
            // What begins is beside what it leads to.
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
            for (stop, vertex) in trunk.stops.clone().enumerate() {
                let y = tops[vertex];
                points.extend(columns.sides[first + 1 + stop].map(|x| [x, y]));
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
    Ok(Places {
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

/// Where each layer begins and ends.
struct Columns {
    sides: Vec<[f64; 2]>,
}

impl Columns {
    /// Layers as wide as their widest node, and farther apart where links between them are steep.
    fn new(layers: &Layers, tops: &[f64], spacing: &Spacing) -> Columns {
        /// How much of the height that a link rises is added to the gutter.
        const STEEP: f64 = 0.12;
        let mut widths = vec![0.0_f64; layers.members.len()];
        for (vertex, &layer) in layers.layer.iter().enumerate() {
            widths[layer] = widths[layer].max(layers.width[vertex]);
        }
        let mut rises = vec![0.0_f64; layers.members.len()];
        for part in &layers.parts {
            let [from, to] = [0, 1].map(|end| tops[part.ends[end]] + part.offsets[end]);
            let layer = layers.layer[part.ends[0]];
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
