//! Boxes of nodes: their texts, sizes and ports.

use std::fmt::Write as _;

use fibula_core::graph::{Argument, Document, Function, NodeId, NodeView};
use fibula_nodes::names::visible;
use fibula_nodes::{Type, Value};

use super::{WHITE, port_disc};
use crate::diagram::colour;
use crate::diagram::layout::{Block, Rank};
use crate::scene::text::{LETTER, truncated, width};
use crate::scene::{Colour, Group, LINE, Shape};

/// Colour of texts.
pub(super) const INK: Colour = [38, 42, 50];
/// Colour of secondary texts.
pub(super) const PALE: Colour = [112, 118, 130];
/// Colour of missing values.
pub(super) const RED: Colour = [190, 20, 40];
const VALUES: Colour = [70, 62, 150];
const SIDES: Colour = [176, 182, 192];

/// Height of a row of ports.
const ROW: f64 = 18.0;
/// Free space beside texts.
const PAD: f64 = 10.0;
/// Maximum number of letters of headings, names and values.
const HEADING: usize = 30;
const NAME: usize = 22;
const VALUE: usize = 26;
/// Maximum number of characters of a value in a tooltip.
const FULL: usize = 400;

/// Box of a node.
pub(super) struct NodeBox {
    /// Display name of the node, or the function that it calls, or its kind.
    heading: String,
    /// Kind, if that is not the heading.
    kind: Option<String>,
    style: HeadingStyle,
    inputs: Vec<Input>,
    outputs: Vec<Output>,
    rank: Rank,
    title: String,
    size: [f64; 2],
}

/// Style of the heading.
#[derive(Clone, Copy)]
enum HeadingStyle {
    /// Of the first or the last node of a function.
    End,
    /// Of a call of a function.
    Call,
    Other,
}

struct Input {
    name: String,
    /// Value, if the input is not linked, with its colour.
    value: Option<(String, Colour)>,
    ty: Type,
    state: InputState,
}

struct Output {
    name: String,
    ty: Type,
    is_linked: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum InputState {
    Linked,
    Free,
    Missing,
}

impl NodeBox {
    pub(super) fn new(document: &Document, function: &Function, node: NodeView<'_>) -> NodeBox {
        let kind = node.kind().info().name;
        let callee = node.callee().and_then(|id| {
            let function = document.function(id.into()).ok();
            let noun = || document.noun(id);
            function.map_or_else(noun, |function| Some(function.name().to_owned()))
        });
        let callee = callee.map(|name| visible(&name, FULL));
        let display_name = node.display_name().map(|name| visible(name, FULL));
        let heading = display_name.clone().filter(|name| !name.is_empty());
        let heading = heading.or_else(|| callee.clone());
        let heading = heading.unwrap_or_else(|| kind.to_owned());
        let below = match &callee {
            Some(callee) if *callee != heading => format!("{kind}: {callee}"),
            Some(_) | None => kind.to_owned(),
        };
        let (is_begin, is_end) = (
            Some(node.id()) == function.begin(),
            node.id() == NodeId::END,
        );
        let signature = node.signature();
        let inputs: Vec<Input> = (0..signature.parameters.len())
            .map(|index| Input::new(document, node, index))
            .collect();
        let consumers = node.consumers();
        let outputs = signature.ports.iter().enumerate();
        let outputs: Vec<_> = outputs
            .map(|(index, port)| Output {
                name: label(&port.name, NAME),
                ty: node.port_type(index),
                is_linked: consumers
                    .binary_search_by_key(&index, |consumer| consumer.0)
                    .is_ok(),
            })
            .collect();
        let mut made = NodeBox {
            kind: (heading != kind).then(|| label(&below, HEADING)),
            title: tooltip(document, node, &heading, &below),
            heading: label(&heading, HEADING),
            style: match (is_begin || is_end, &callee) {
                (true, _) => HeadingStyle::End,
                (false, Some(_)) => HeadingStyle::Call,
                (false, None) => HeadingStyle::Other,
            },
            inputs,
            outputs,
            rank: match (is_begin, is_end) {
                (true, _) => Rank::First,
                (false, true) => Rank::Last,
                (false, false) => Rank::Free,
            },
            size: [0.0; 2],
        };
        made.size = made.measure();
        made
    }

    fn measure(&self) -> [f64; 2] {
        let kind = self.kind.as_deref().map_or(0.0, width);
        let mut widest = width(&self.heading).max(kind);
        let rows = self.inputs.len().max(self.outputs.len());
        for row in 0..rows {
            let input = self.inputs.get(row).map_or(0.0, Input::width);
            let output = self.outputs.get(row);
            let output = output.map_or(0.0, |output| width(&output.name));
            let has_both = input > 0.0 && output > 0.0;
            let gap = if has_both { 3.0 * LETTER } else { 0.0 };
            widest = widest.max(input + gap + output);
        }
        let rest = if rows > 0 {
            rows as f64 * ROW + 8.0
        } else {
            0.0
        };
        [(widest + 2.0 * PAD).max(64.0), self.head_height() + rest]
    }

    fn head_height(&self) -> f64 {
        if self.kind.is_some() { 40.0 } else { 24.0 }
    }

    /// Middle of a row, from the upper side.
    fn row_middle(&self, row: usize) -> f64 {
        self.head_height() + 4.0 + (row as f64 + 0.5) * ROW
    }

    /// Block of the node, for the layout.
    pub(super) fn block(&self) -> Block {
        Block {
            size: self.size,
            inputs: (0..self.inputs.len())
                .map(|row| self.row_middle(row))
                .collect(),
            outputs: (0..self.outputs.len())
                .map(|row| self.row_middle(row))
                .collect(),
            rank: self.rank,
        }
    }

    /// True if an input or output has the type.
    pub(super) fn has(&self, ty: Type) -> bool {
        self.inputs.iter().any(|input| input.ty == ty)
            || self.outputs.iter().any(|output| output.ty == ty)
    }

    /// True if an input needs a value and has none.
    pub(super) fn is_incomplete(&self) -> bool {
        self.inputs
            .iter()
            .any(|input| input.state == InputState::Missing)
    }

    /// Name of an input or output, after that of the node.
    pub(super) fn end(&self, port: usize, is_input: bool) -> String {
        let name = if is_input {
            &self.inputs[port].name
        } else {
            &self.outputs[port].name
        };
        format!("{}.{name}", self.heading)
    }

    /// Shapes of the box, with its upper left corner at a point.
    pub(super) fn group(&self, [x, y]: [f64; 2]) -> Group {
        let (ground, ink, pale) = match self.style {
            HeadingStyle::End => ([64, 70, 84], WHITE, [205, 210, 220]),
            HeadingStyle::Call => ([226, 222, 246], INK, PALE),
            HeadingStyle::Other => ([234, 237, 242], INK, PALE),
        };
        let outline = if self.is_incomplete() { RED } else { SIDES };
        let panel = |size: [f64; 2], radii: [f64; 2], fill: Colour| Shape::Panel {
            at: [x, y],
            size,
            radii,
            fill,
            outline,
        };
        let head = [self.size[0], self.head_height()];
        let has_rows = !(self.inputs.is_empty() && self.outputs.is_empty());
        let lower = if has_rows { 0.0 } else { 6.0 };
        let mut shapes = vec![
            panel(self.size, [6.0; 2], WHITE),
            panel(head, [6.0, lower], ground),
            Shape::text([x + PAD, y + 5.0], &*self.heading, true, ink),
        ];
        if let Some(kind) = &self.kind {
            shapes.push(Shape::text([x + PAD, y + 21.0], &**kind, false, pale));
        }
        for (row, input) in self.inputs.iter().enumerate() {
            shapes.extend(input.shapes([x, y + self.row_middle(row)]));
        }
        for (row, output) in self.outputs.iter().enumerate() {
            let (right, middle) = (x + self.size[0], y + self.row_middle(row));
            let left = right - PAD - width(&output.name);
            let at = [left, middle - LINE / 2.0];
            shapes.push(Shape::text(at, &*output.name, false, INK));
            let own = colour(output.ty);
            let fill = if output.is_linked { own } else { WHITE };
            shapes.push(port_disc([right, middle], fill, own));
        }
        Group {
            title: self.title.clone(),
            shapes,
        }
    }
}

impl Input {
    fn new(document: &Document, node: NodeView<'_>, index: usize) -> Input {
        let spec = &node.signature().parameters[index];
        let (value, state) = match node.argument(index) {
            Argument::Link { .. } => (None, InputState::Linked),
            Argument::Value(value) => (
                Some((value_text(document, value), VALUES)),
                InputState::Free,
            ),
            Argument::Default(value) => {
                (Some((value_text(document, value), PALE)), InputState::Free)
            }
            Argument::Unset => (Some(("needs a value".to_owned(), RED)), InputState::Missing),
        };
        Input {
            name: label(&spec.name, NAME),
            value: value.map(|(text, colour)| (label(&text, VALUE), colour)),
            ty: node.parameter_type(index),
            state,
        }
    }

    fn width(&self) -> f64 {
        let value = self.value.as_ref();
        width(&self.name) + value.map_or(0.0, |(value, _)| LETTER + width(value))
    }

    /// Disc at a point, and texts at the right of it.
    fn shapes(&self, [x, middle]: [f64; 2]) -> Vec<Shape> {
        let top = middle - LINE / 2.0;
        let mut shapes = vec![Shape::text([x + PAD, top], &*self.name, false, INK)];
        if let Some((value, colour)) = &self.value {
            let left = x + PAD + LETTER + width(&self.name);
            shapes.push(Shape::text([left, top], &**value, false, *colour));
        }
        let own = colour(self.ty);
        let (fill, outline) = match self.state {
            InputState::Linked => (own, own),
            InputState::Free => (WHITE, own),
            InputState::Missing => (WHITE, RED),
        };
        shapes.push(port_disc([x, middle], fill, outline));
        shapes
    }
}

/// A text without invisible characters, truncated to the width of so many letters.
fn label(text: &str, max_letters: usize) -> String {
    truncated(visible(text, max_letters), max_letters as f64 * LETTER)
}

/// Tooltip of a node: its kind, and all values in full.
fn tooltip(document: &Document, node: NodeView<'_>, heading: &str, kind: &str) -> String {
    let mut title = format!("{heading}\n{kind}, node {}", node.id());
    for (index, parameter) in node.signature().parameters.iter().enumerate() {
        let name = visible(&parameter.name, FULL);
        let value = match node.argument(index) {
            Argument::Link { node, name, .. } => format!("node {node}, {}", visible(name, FULL)),
            Argument::Value(Value::ResourceId(_)) => continue,
            Argument::Value(value) => visible(&value.to_json().to_string(), FULL),
            Argument::Default(value) => {
                format!(
                    "{}, as it is if left out",
                    visible(&value.to_json().to_string(), FULL)
                )
            }
            Argument::Unset => "needs a value".to_owned(),
        };
        let _ = write!(title, "\n{name}: {value}");
    }
    for index in 0..node.signature().parameters.len() {
        if let Argument::Value(value @ Value::ResourceId(_)) = node.argument(index) {
            let _ = write!(title, "\n{}", value_text(document, value));
        }
    }
    title
}

/// Short text of a value.
fn value_text(document: &Document, value: &Value) -> String {
    match value {
        Value::Float(number) => short(*number),
        Value::Float3(numbers) => vector(numbers),
        Value::Matrix4x4(numbers) => matrix(numbers),
        Value::Integer(number) => number.to_string(),
        Value::String(text) => format!("\"{}\"", visible(text, VALUE)),
        Value::ResourceId(id) => {
            let noun = document.noun(*id);
            noun.unwrap_or_else(|| format!("{id}, not there"))
        }
    }
}

fn vector(numbers: &[f64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(|&number| short(number)).collect();
    format!("({})", numbers.join(", "))
}

/// Text of a matrix: the transformation, if it is a simple one.
fn matrix(numbers: &[f64; 16]) -> String {
    let is = |expected: &dyn Fn(usize, usize) -> Option<f64>| {
        let matches = |at: usize| {
            expected(at / 4, at % 4).is_none_or(|expected| numbers[at] - expected == 0.0)
        };
        (0..16).all(matches)
    };
    let unit = |row: usize, column: usize| f64::from(u8::from(row == column));
    if is(&|row, column| Some(unit(row, column))) {
        return "identity".to_owned();
    }
    if is(&|row, column| (row < 3 || column == 3).then(|| unit(row, column))) {
        return format!("move {}", vector(&numbers[12..15]));
    }
    if is(&|row, column| (row != column || row == 3).then(|| unit(row, column))) {
        return format!("scale {}", vector(&[numbers[0], numbers[5], numbers[10]]));
    }
    "4 x 4 matrix".to_owned()
}

/// Text of a number, with at most six significant digits.
fn short(number: f64) -> String {
    let whole = number.to_string();
    if whole.len() <= 8 || !number.is_finite() {
        return whole;
    }
    let size = number.abs();
    if !(1e-4..1e7).contains(&size) {
        let text = format!("{number:.4e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{power}", trimmed(digits));
    }
    let digits = (5 - size.log10().floor() as i32).clamp(0, 9);
    trimmed(&format!("{number:.*}", digits as usize)).to_owned()
}

/// Removes trailing zeros behind a decimal point.
fn trimmed(digits: &str) -> &str {
    if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_matrices_are_short() {
        let numbers = [
            0.0,
            -2.5,
            0.1 + 0.2,
            1.0 / 3.0,
            123_456_789.0,
            1e-9,
            100_000.5,
            f64::MAX,
        ];
        let texts = [
            "0",
            "-2.5",
            "0.3",
            "0.333333",
            "1.2346e8",
            "1e-9",
            "100000.5",
            "1.7977e308",
        ];
        assert_eq!(numbers.map(short), texts);
        let mut numbers = [0.0; 16];
        (0..4).for_each(|row| numbers[5 * row] = 1.0);
        assert_eq!(matrix(&numbers), "identity");
        numbers[12..15].copy_from_slice(&[1.0, 2.5, -3.0]);
        assert_eq!(matrix(&numbers), "move (1, 2.5, -3)");
        numbers[0] = 2.0;
        assert_eq!(matrix(&numbers), "4 x 4 matrix");
        numbers[12..15].fill(0.0);
        assert_eq!(matrix(&numbers), "scale (2, 1, 1)");
        numbers[1] = f64::NAN;
        assert_eq!(matrix(&numbers), "4 x 4 matrix");
    }
}
