//! Scenes of function graphs: boxes of nodes with their ports and values, and links between them.
//!
//! [`draw`] lays a function out (`layout`) and composes its scene. Texts are measured as they are drawn
//! ([`scene`](crate::scene)), so that none is wider than its box.

mod node_box;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use fibula_core::graph::{Document, Function, NodeId};
use fibula_nodes::Type;
use fibula_nodes::names::visible;

use super::layout::{self, Graph, LayoutError, Placement, Spacing, Trunk, Wire};
use super::{colour, links, signature};
use crate::scene::text::{LETTER, truncated, width};
use crate::scene::{Colour, Group, LINE, Scene, Segment, Shape, Stroke, SvgSpelling};
use node_box::{INK, NodeBox, PALE, RED};

/// Free space around the picture.
const MARGIN: f64 = 20.0;
const LINK_WIDTH: f64 = 1.8;
/// Width of a link with the white halo that separates it from those that it crosses.
const LINK_HALO_WIDTH: f64 = LINK_WIDTH + 2.6;
/// Radius of the disc of a port.
const PORT_RADIUS: f64 = 4.0;
const PORT_OUTLINE: f64 = 1.5;
const WHITE: Colour = [255; 3];
/// Number of targets that the tooltip of a link names.
const MAX_TARGETS: usize = 20;

/// Draws the graph of a function of a document. The same function always yields the same scene. `check` may cancel it.
///
/// # Errors
/// [`LayoutError`]: the graph is too large, or `check` cancelled the layout.
pub fn draw(
    document: &Document,
    function: &Function,
    check: &mut layout::CancelCheck<'_>,
) -> Result<Scene, LayoutError> {
    let DiagramGraph {
        boxes,
        graph,
        types,
    } = DiagramGraph::new(document, function);
    let placement = layout::lay_out(&graph, &Spacing::default(), check)?;
    let legend = Legend::new(&boxes);
    let name = visible(function.name(), 48);
    let title = signature(function, |name| visible(name, 400));
    let inner_width = (placement.size[0]).max(width(&name)).max(legend.width());
    let shown_signature = truncated(
        visible(&title, (inner_width / LETTER) as usize),
        inner_width,
    );
    let top = MARGIN + 2.0 * LINE + 22.0;
    let height = top + placement.size[1] + 24.0 + LINE + MARGIN;
    let mut groups = vec![Group::untitled(vec![
        Shape::text([MARGIN, MARGIN], name, true, INK),
        Shape::text([MARGIN, MARGIN + LINE + 4.0], shown_signature, false, PALE),
    ])];
    let links = Links {
        boxes: &boxes,
        graph: &graph,
        placement: &placement,
        types: &types,
        offset: [MARGIN + (inner_width - placement.size[0]) / 2.0, top],
    };
    groups.extend(links.groups());
    let nodes = boxes.iter().zip(&placement.nodes);
    groups.extend(nodes.map(|(node, at)| node.group(links.moved(*at))));
    groups.push(legend.group([MARGIN, height.ceil() - MARGIN - LINE]));
    Ok(Scene {
        size: [inner_width + 2.0 * MARGIN, height].map(|side| side.ceil() as u32),
        title,
        background: WHITE,
        groups,
        spelling: SvgSpelling::LinePerShape,
    })
}

/// Lays the nodes of a function out. `boxes` replaces the boxes that diagrams have, for pages that draw nodes themselves.
///
/// # Errors
/// As [`draw`].
///
/// # Panics
/// If one of the boxes has other numbers of inputs and outputs than its node has parameters and ports.
pub fn place(
    document: &Document,
    function: &Function,
    boxes: &BTreeMap<NodeId, ShownBox>,
    spacing: &Spacing,
    check: &mut layout::CancelCheck<'_>,
) -> Result<Placement, LayoutError> {
    let mut graph = DiagramGraph::new(document, function).graph;
    for (node, block) in function.nodes().zip(&mut graph.nodes) {
        if let Some(shown) = boxes.get(&node.id()) {
            assert_eq!(
                (shown.inputs.len(), shown.outputs.len()),
                (block.inputs.len(), block.outputs.len()),
                "a box has the inputs and outputs of its node"
            );
            block.size = shown.size;
            block.inputs.clone_from(&shown.inputs);
            block.outputs.clone_from(&shown.outputs);
        }
    }
    layout::lay_out(&graph, spacing, check)
}

/// Box of a node as a page shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownBox {
    /// Width and height.
    pub size: [f64; 2],
    /// Distance of each input from the upper side.
    pub inputs: Vec<f64>,
    /// Distance of each output from the upper side.
    pub outputs: Vec<f64>,
}

/// A function as boxes and links between them, in the order of the node ids.
struct DiagramGraph {
    boxes: Vec<NodeBox>,
    graph: Graph,
    /// Type of each link.
    types: Vec<Type>,
}

impl DiagramGraph {
    fn new(document: &Document, function: &Function) -> DiagramGraph {
        let ids = function.node_ids();
        let index = |id: NodeId| ids.binary_search(&id).unwrap_or_default();
        let boxes: Vec<NodeBox> = function
            .nodes()
            .map(|node| NodeBox::new(document, function, node))
            .collect();
        let mut wires = Vec::new();
        let mut types = Vec::new();
        for node in function.nodes() {
            for link in links(node) {
                wires.push(Wire {
                    from: [index(link.source), link.port.0],
                    to: [index(node.id()), link.parameter.0],
                });
                types.push(link.ty);
            }
        }
        let graph = Graph {
            nodes: boxes.iter().map(NodeBox::block).collect(),
            wires,
        };
        DiagramGraph {
            boxes,
            graph,
            types,
        }
    }
}

/// Disc of a port.
fn port_disc(at: [f64; 2], fill: Colour, outline: Colour) -> Shape {
    Shape::Disc {
        at,
        radius: PORT_RADIUS,
        fill,
        outline: Stroke {
            colour: outline,
            width: PORT_OUTLINE,
        },
    }
}

/// Links of a graph that is laid out.
struct Links<'a> {
    boxes: &'a [NodeBox],
    graph: &'a Graph,
    placement: &'a Placement,
    /// Type of each wire.
    types: &'a [Type],
    /// Origin of the layout in the scene.
    offset: [f64; 2],
}

impl Links<'_> {
    fn moved(&self, at: [f64; 2]) -> [f64; 2] {
        [at[0] + self.offset[0], at[1] + self.offset[1]]
    }

    /// A group for each output that is linked.
    fn groups(&self) -> Vec<Group> {
        let mut wires = vec![Vec::new(); self.placement.trunks.len()];
        for (wire, branch) in self.placement.branches.iter().enumerate() {
            wires[branch.trunk].push(wire);
        }
        let trunks = self.placement.trunks.iter().zip(wires);
        trunks
            .map(|(trunk, wires)| self.group(trunk, &wires))
            .collect()
    }

    fn group(&self, trunk: &Trunk, wires: &[usize]) -> Group {
        // A trunk that is a line without length is not drawn.
        let is_long = trunk.points.len() > 2 || trunk.points[1][0] > trunk.points[0][0];
        let mut paths: Vec<_> = is_long.then(|| trunk.points.clone()).into_iter().collect();
        for &wire in wires {
            let branch = &self.placement.branches[wire];
            // A line without length, then the curve and the line to the input.
            let from = trunk.points[branch.shared - 1];
            paths.push(vec![from, from, branch.points[0], branch.points[1]]);
        }
        let ty = wires.first().map_or(Type::Float, |&wire| self.types[wire]);
        let mut shapes = Vec::new();
        for (width, colour) in [(LINK_HALO_WIDTH, WHITE), (LINK_WIDTH, colour(ty))] {
            let stroke = Stroke { colour, width };
            shapes.extend(paths.iter().map(|points| self.path(points, stroke)));
        }
        let end = |[node, port]: [usize; 2], is_input: bool| self.boxes[node].end(port, is_input);
        let mut title = format!("{} ({ty})", end(trunk.from, false));
        for &wire in wires.iter().take(MAX_TARGETS) {
            let _ = write!(title, "\n\u{2192} {}", end(self.graph.wires[wire].to, true));
        }
        if wires.len() > MAX_TARGETS {
            let _ = write!(title, "\nand {} more", wires.len() - MAX_TARGETS);
        }
        Group { title, shapes }
    }

    /// Path of lines and curves in turn, the first a line. The control points of a curve are level with its ends and midway
    /// between them.
    fn path(&self, points: &[[f64; 2]], stroke: Stroke) -> Shape {
        /// Rounding of an SVG: a curve with a lower rise is a line, and a line that is shorter is nothing.
        const VISIBLE: f64 = 0.05;
        let points: Vec<[f64; 2]> = points.iter().map(|&at| self.moved(at)).collect();
        let mut segments = Vec::new();
        for (part, ends) in points.windows(2).enumerate() {
            let ([from, above], [to, below]) = (ends[0], ends[1]);
            if part % 2 == 1 && (above - below).abs() >= VISIBLE {
                let middle = f64::midpoint(from, to);
                segments.push(Segment::Curve([[middle, above], [middle, below], ends[1]]));
            } else if (from - to).abs() >= VISIBLE {
                segments.push(Segment::Level(ends[1]));
            }
        }
        Shape::Path {
            start: points[0],
            segments,
            stroke,
        }
    }
}

/// Legend of the colours of the types in a drawing.
struct Legend {
    types: Vec<Type>,
    has_missing: bool,
}

impl Legend {
    fn new(boxes: &[NodeBox]) -> Legend {
        let is_present = |ty: &Type| boxes.iter().any(|node| node.has(*ty));
        Legend {
            types: Type::ALL.into_iter().filter(is_present).collect(),
            has_missing: boxes.iter().any(NodeBox::is_incomplete),
        }
    }

    /// Words, each with the fill and the outline of its disc.
    fn entries(&self) -> Vec<(&'static str, Colour, Colour)> {
        let types = self.types.iter();
        let mut entries: Vec<_> = types
            .map(|&ty| (ty.name(), colour(ty), colour(ty)))
            .collect();
        entries.push(("linked to nothing", WHITE, PALE));
        if self.has_missing {
            entries.push(("needs a value", WHITE, RED));
        }
        entries
    }

    fn width(&self) -> f64 {
        let entries = self.entries();
        let words: f64 = entries.iter().map(|(word, ..)| width(word)).sum();
        words + 34.0 * entries.len() as f64 - 20.0
    }

    fn group(&self, [mut x, y]: [f64; 2]) -> Group {
        let mut shapes = Vec::new();
        for (word, fill, outline) in self.entries() {
            shapes.push(port_disc([x + PORT_RADIUS, y + LINE / 2.0], fill, outline));
            shapes.push(Shape::text([x + 14.0, y], word, false, PALE));
            x += width(word) + 34.0;
        }
        Group::untitled(shapes)
    }
}
