//! The picture of a function's graph, as shapes: boxes of nodes with their ports and values, and links between them.
//!
//! [`Drawing::new`] lays a function out; [`Drawing::svg`] writes it. Who draws pixels goes through [`Drawing::groups`].
//! Letters are all equally wide, so that what is drawn is as wide as was reckoned, whatever the font.

mod boxes;
mod svg;

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use fibula_core::graph::{Document, Function, NodeId};
use fibula_nodes::Type;
use fibula_nodes::names::visible;

use super::layout::{self, Graph, Places, Spacing, Unplaceable, Wanted, Wire};
use super::{colour, links, signature};
use boxes::{INK, NodeBox, PALE, RED};

/// Red, green and blue.
pub type Colour = [u8; 3];

/// The width of a letter; those of Chinese, Japanese and Korean are two wide.
pub const LETTER: f64 = 7.0;
/// The height of a line of letters.
pub const LINE: f64 = 14.0;

/// What is around everything.
const MARGIN: f64 = 20.0;
const LINK_WIDTH: f64 = 1.8;
const DOT: f64 = 4.0;
const WHITE: Colour = [255; 3];

/// A picture as shapes, in pixels; the upper left corner is 0, x rises to the right and y down.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// The width and height.
    pub size: [f64; 2],
    /// What it is of.
    pub title: String,
    /// What is drawn, from below to above.
    pub groups: Vec<Group>,
}

/// Shapes that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// What they are, in full.
    pub title: String,
    /// The shapes, from below to above.
    pub shapes: Vec<Shape>,
}

/// Something that is drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A filled box.
    Plate {
        /// The upper left corner.
        at: [f64; 2],
        /// The width and height.
        size: [f64; 2],
        /// How round the upper and the lower corners are.
        radii: [f64; 2],
        /// The colour inside.
        fill: Colour,
        /// The colour of a line around it, one pixel wide.
        line: Option<Colour>,
    },
    /// A link, or a part of one: straight parts and curves in turn, the first straight. A curve begins and ends level: its
    /// control points have the x in the middle of its ends.
    Link {
        /// The points.
        points: Vec<[f64; 2]>,
        /// Its colour.
        colour: Colour,
        /// Its width.
        width: f64,
    },
    /// A disc.
    Dot {
        /// The middle.
        at: [f64; 2],
        /// The radius.
        radius: f64,
        /// The colour inside.
        fill: Colour,
        /// The colour of the ring around it.
        line: Colour,
    },
    /// A line of text.
    Text {
        /// The upper left corner of a line of the height [`LINE`].
        at: [f64; 2],
        /// The text.
        text: String,
        /// The width in letters.
        letters: usize,
        /// Whether it is bold.
        bold: bool,
        /// Its colour.
        colour: Colour,
    },
}

impl Drawing {
    /// Draws a function of a document. The same function is always drawn in the same way.
    ///
    /// # Errors
    /// [`Unplaceable`]: it is too large, or `wanted` ended it.
    pub fn new(
        document: &Document,
        function: &Function,
        wanted: &mut Wanted<'_>,
    ) -> Result<Drawing, Unplaceable> {
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
        let places = layout::lay_out(&graph, &Spacing::default(), wanted)?;
        let legend = Legend::new(&boxes);
        let name = visible(function.name(), 48);
        let signature = signature(function, |name| visible(name, 400));
        let width = (places.size[0])
            .max(LETTER * columns(&name) as f64)
            .max(legend.width());
        let head = Head {
            name,
            signature: fitted(&signature, (width / LETTER) as usize),
        };
        let top = MARGIN + 2.0 * LINE + 22.0;
        let mut drawing = Drawing {
            size: [
                (width + 2.0 * MARGIN).ceil(),
                (top + places.size[1] + 24.0 + LINE + MARGIN).ceil(),
            ],
            title: signature,
            groups: vec![head.group()],
        };
        let offset = [MARGIN + (width - places.size[0]) / 2.0, top];
        drawing.link(&boxes, &graph, &places, &types, offset);
        for (node, at) in boxes.iter().zip(&places.nodes) {
            drawing
                .groups
                .push(node.group([at[0] + offset[0], at[1] + offset[1]]));
        }
        let foot = drawing.size[1] - MARGIN - LINE;
        drawing.groups.push(legend.group([MARGIN, foot]));
        Ok(drawing)
    }

    /// Draws the links, those from one port as one.
    fn link(
        &mut self,
        boxes: &[NodeBox],
        graph: &Graph,
        places: &Places,
        types: &[Type],
        offset: [f64; 2],
    ) {
        let moved = |points: &[[f64; 2]]| -> Vec<[f64; 2]> {
            let all = points.iter();
            all.map(|at| [at[0] + offset[0], at[1] + offset[1]])
                .collect()
        };
        let mut of = vec![Vec::new(); places.trunks.len()];
        for (wire, branch) in places.branches.iter().enumerate() {
            of[branch.trunk].push(wire);
        }
        for (trunk, wires) in places.trunks.iter().zip(of) {
            // A straight part of no length is not drawn.
            let is_long = trunk.points.len() > 2 || trunk.points[1][0] > trunk.points[0][0];
            let mut lines: Vec<_> = is_long.then(|| moved(&trunk.points)).into_iter().collect();
            for &wire in &wires {
                let branch = &places.branches[wire];
                // An empty straight part, then the curve and the straight part to the input.
                let from = trunk.points[branch.shared - 1];
                lines.push(moved(&[from, from, branch.points[0], branch.points[1]]));
            }
            let ty = wires.first().map_or(Type::Float, |&wire| types[wire]);
            let strokes = |width: f64, colour: Colour| {
                let line = move |points: &Vec<[f64; 2]>| Shape::Link {
                    points: points.clone(),
                    colour,
                    width,
                };
                lines.iter().map(line).collect::<Vec<_>>()
            };
            let mut shapes = strokes(LINK_WIDTH + 2.6, WHITE);
            shapes.extend(strokes(LINK_WIDTH, colour(ty)));
            let end = |[node, port]: [usize; 2], is_input: bool| boxes[node].end(port, is_input);
            let mut title = format!("{} ({ty})", end(trunk.from, false));
            for &wire in wires.iter().take(20) {
                let _ = write!(title, "\n\u{2192} {}", end(graph.wires[wire].to, true));
            }
            if wires.len() > 20 {
                let _ = write!(title, "\nand {} more", wires.len() - 20);
            }
            self.groups.push(Group { title, shapes });
        }
    }
}

/// What is written above.
struct Head {
    name: String,
    signature: String,
}

impl Head {
    fn group(&self) -> Group {
        let text = |line: f64, text: &str, bold: bool, colour: Colour| {
            written([MARGIN, MARGIN + line], text, bold, colour)
        };
        Group {
            title: String::new(),
            shapes: vec![
                text(0.0, &self.name, true, INK),
                text(LINE + 4.0, &self.signature, false, PALE),
            ],
        }
    }
}

/// What the colours mean, of those types that are there.
struct Legend {
    types: Vec<Type>,
    has_missing: bool,
}

impl Legend {
    fn new(boxes: &[NodeBox]) -> Legend {
        let is_there = |ty: &Type| boxes.iter().any(|node| node.has(*ty));
        Legend {
            types: Type::ALL.into_iter().filter(is_there).collect(),
            has_missing: boxes.iter().any(NodeBox::misses),
        }
    }

    /// The words, each with the colours of its dot.
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
        let letters: usize = entries.iter().map(|(word, ..)| word.len()).sum();
        LETTER * letters as f64 + 34.0 * entries.len() as f64 - 20.0
    }

    fn group(&self, [mut x, y]: [f64; 2]) -> Group {
        let mut shapes = Vec::new();
        for (word, fill, line) in self.entries() {
            let at = [x + DOT, y + LINE / 2.0];
            shapes.push(Shape::Dot {
                at,
                radius: DOT,
                fill,
                line,
            });
            shapes.push(written([x + 14.0, y], word, false, PALE));
            x += LETTER * word.len() as f64 + 34.0;
        }
        Group {
            title: String::new(),
            shapes,
        }
    }
}

/// A line of text.
fn written(at: [f64; 2], text: &str, bold: bool, colour: Colour) -> Shape {
    Shape::Text {
        at,
        letters: columns(text),
        text: text.to_owned(),
        bold,
        colour,
    }
}

/// How wide a text is, in letters.
fn columns(text: &str) -> usize {
    text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum()
}

/// Whether a letter is two wide: those of Chinese, Japanese and Korean, and pictures.
fn is_wide(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}' | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}')
}

/// A text of which nothing is invisible, no wider than so many letters; what does not fit is an ellipsis.
fn fitted(text: &str, most: usize) -> String {
    let text = visible(text, most);
    if columns(&text) <= most {
        return text;
    }
    let (mut kept, mut width) = (String::new(), 1);
    for c in text.chars() {
        width += if is_wide(c) { 2 } else { 1 };
        if width > most {
            break;
        }
        kept.push(c);
    }
    kept.push('…');
    kept
}
