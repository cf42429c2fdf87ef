//! The text of values and nodes, as they were planned to be spelled.
//!
//! It is written from a stack of what is still to be written: in time linear in its length, and however deep the
//! function is.

use fibula_nodes::{ResourceKind, Value};

use super::arguments::{CONSTANTS, component};
use super::callee::{Callee, Callees};
use super::lexer;
use super::plan::{Origin, Plan, Planned, Spelling};
use super::tree::{Name, Operator, Tightness};
use crate::graph::{Argument, FunctionId, NodeView};

/// What is still to be written.
enum Piece<'a> {
    Text(&'static str),
    Owned(String),
    /// A value that holds together at least so tightly, in parentheses if it does not by itself.
    Value(Origin<'a>, Tightness),
}

pub(super) struct Writer<'p, 'a> {
    plan: &'p Plan<'a>,
    callees: &'p Callees<'p>,
    /// What is written.
    pub(super) text: String,
    /// The next piece is the last.
    rest: Vec<Piece<'p>>,
}

impl<'p, 'a: 'p> Writer<'p, 'a> {
    pub(super) fn new(plan: &'p Plan<'a>, callees: &'p Callees<'p>) -> Self {
        Writer {
            plan,
            callees,
            text: String::new(),
            rest: Vec::new(),
        }
    }

    /// Writes what a name is bound to: the node with this place in the plan.
    pub(super) fn write_bound(&mut self, place: usize) {
        self.node(place);
        self.write();
    }

    /// Writes the value of an output.
    pub(super) fn write_value(&mut self, from: Origin<'p>) {
        self.value(from);
        self.write();
    }

    fn write(&mut self) {
        while let Some(piece) = self.rest.pop() {
            match piece {
                Piece::Text(text) => self.text.push_str(text),
                Piece::Owned(text) => self.text.push_str(&text),
                Piece::Value(from, needs) if self.plan.tightness(from) < needs => {
                    self.text.push('(');
                    self.rest.push(Piece::Text(")"));
                    self.value(from);
                }
                Piece::Value(from, _) => self.value(from),
            }
        }
    }

    /// Puts pieces before what is still to be written.
    fn next(&mut self, pieces: impl IntoIterator<Item = Piece<'p>, IntoIter: DoubleEndedIterator>) {
        self.rest.extend(pieces.into_iter().rev());
    }

    fn value(&mut self, from: Origin<'p>) {
        let (place, port) = match from {
            Origin::Literal(value) => return self.literal(value),
            Origin::Port(place, port) => (place, port),
        };
        let planned = &self.plan.planned[place];
        let ports = &planned.node.signature().ports;
        match (&planned.spelling, &planned.name) {
            (Spelling::Begin, _) => self.text.push_str(&quoted(&ports[port].name)),
            (Spelling::Literal(value), _) => self.literal(value),
            (Spelling::Components, _) => {
                let source = self.plan.source(planned.node, 0);
                let member = [".x", ".y", ".z"][port];
                self.next([Piece::Value(source, Tightness::Whole), Piece::Text(member)]);
            }
            (
                Spelling::Splat
                | Spelling::Negative
                | Spelling::Operator(_)
                | Spelling::Choice
                | Spelling::Call,
                name,
            ) => {
                // A component would be taken for the port if that is called like one.
                let hides = component(&ports[port].name.to_ascii_lowercase()).is_some();
                if ports.len() > 1 || hides {
                    let member = format!(".{}", quoted(&ports[port].name));
                    self.rest.push(Piece::Owned(member));
                }
                match name {
                    Some(name) => self.text.push_str(name),
                    None => self.node(place),
                }
            }
        }
    }

    /// The text of a node that is neither an argument nor a literal nor components.
    fn node(&mut self, place: usize) {
        let planned = &self.plan.planned[place];
        let node = planned.node;
        match planned.spelling {
            Spelling::Negative => {
                let negated = self.plan.source(node, 1);
                self.next([Piece::Text("-"), Piece::Value(negated, Tightness::Power)]);
            }
            Spelling::Operator(operator) => {
                let [left, right] = self.operands(node)[..] else {
                    unreachable!("an operator has two operands");
                };
                let (mark, needs_left, needs_right) = spaced(operator);
                self.next([
                    Piece::Value(left, needs_left),
                    Piece::Text(mark),
                    Piece::Value(right, needs_right),
                ]);
            }
            Spelling::Choice => {
                let [less, more, then, otherwise] = self.operands(node)[..] else {
                    unreachable!("a choice has four operands");
                };
                // A constant is rather compared with than compared.
                let (left, mark, right) = if self.is_literal(less) && !self.is_literal(more) {
                    (more, " > ", less)
                } else {
                    (less, " < ", more)
                };
                self.next([
                    Piece::Value(left, Tightness::Sum),
                    Piece::Text(mark),
                    Piece::Value(right, Tightness::Sum),
                    Piece::Text(" ? "),
                    Piece::Value(then, Tightness::Choice),
                    Piece::Text(" : "),
                    Piece::Value(otherwise, Tightness::Choice),
                ]);
            }
            Spelling::Splat
            | Spelling::Call
            | Spelling::Begin
            | Spelling::Literal(_)
            | Spelling::Components => self.call(planned),
        }
    }

    /// The operands of a node. Among other float3s one that is spread from a number is that number.
    fn operands(&self, node: NodeView<'a>) -> Vec<Origin<'p>> {
        let count = node.signature().parameters.len();
        let mut operands: Vec<Origin<'p>> = (0..count)
            .map(|parameter| self.plan.source(node, parameter))
            .collect();
        if node.signature().overloads.len() == 1 || count < 2 {
            return operands;
        }
        let spread = |from: &Origin<'p>| match *from {
            Origin::Port(place, _) if self.plan.planned[place].spelling == Spelling::Splat => {
                Some(self.plan.source(self.plan.planned[place].node, 0))
            }
            Origin::Port(..) | Origin::Literal(_) => None,
        };
        let keeps = operands
            .iter()
            .position(|from| spread(from).is_none())
            .unwrap_or(0);
        for (index, operand) in operands.iter_mut().enumerate() {
            if let Some(number) = spread(operand).filter(|_| index != keeps) {
                *operand = number;
            }
        }
        operands
    }

    fn call(&mut self, planned: &'p Planned<'a>) {
        let node = planned.node;
        let about = node.kind().info();
        let mut pieces = Vec::new();
        let mut operands = self
            .operands(node)
            .into_iter()
            .enumerate()
            .collect::<Vec<_>>();
        match planned.callee {
            Some(id) if about.name == "FunctionCall" => match self.callable(id) {
                Some(name) => {
                    operands.remove(0);
                    pieces.push(Piece::Owned(name));
                }
                None => pieces.push(Piece::Text("call")),
            },
            _ if about.name == "VectorFromScalar" => pieces.push(Piece::Text("splat")),
            // Of literals alone, vec3 and mat4 would be read as constants.
            _ if operands.iter().all(|&(_, from)| self.is_literal(from)) => {
                pieces.push(Piece::Text(about.element));
            }
            _ if about.name == "ComposeVector" => pieces.push(Piece::Text("vec3")),
            _ if about.name == "ComposeMatrix" => pieces.push(Piece::Text("mat4")),
            _ => pieces.push(Piece::Text(about.element)),
        }
        pieces.push(Piece::Text("("));
        leave_out_defaults(node, &mut operands);
        for (index, (parameter, from)) in operands.into_iter().enumerate() {
            if index > 0 {
                pieces.push(Piece::Text(", "));
            }
            let refers = node.signature().parameters[parameter].refers;
            pieces.push(match planned.callee {
                Some(id) if refers == Some(ResourceKind::Function) => {
                    Piece::Owned(self.reference(id))
                }
                _ => Piece::Value(from, Tightness::Choice),
            });
        }
        pieces.push(Piece::Text(")"));
        self.next(pieces);
    }

    fn is_literal(&self, from: Origin<'_>) -> bool {
        match from {
            Origin::Literal(_) => true,
            Origin::Port(place, _) => {
                matches!(self.plan.planned[place].spelling, Spelling::Literal(_))
            }
        }
    }

    /// A function's name as it is called, in quotes if it must be; `None` if only its id tells it.
    fn callable(&self, id: FunctionId) -> Option<String> {
        let text = self.callees.name(id)?;
        let plain = Name {
            text: text.into(),
            quoted: false,
        };
        let finds = |name: &Name<'_>| matches!(self.callees.called(name), Ok(Callee::Function(found, _)) if found == id);
        if lexer::is_name(text) && finds(&plain) {
            return Some(text.to_owned());
        }
        let name = Name {
            quoted: true,
            ..plain
        };
        finds(&name).then(|| in_quotes(text, "`"))
    }

    /// A function's name as an argument, or its id where a value has the name.
    fn reference(&self, id: FunctionId) -> String {
        let hidden = |name: &str| {
            let constant = CONSTANTS.iter().any(|(constant, _)| *constant == name);
            self.plan.taken.contains(name) || constant || component(name).is_some()
        };
        let name = self.callees.name(id).filter(|name| !hidden(name));
        name.and_then(|_| self.callable(id))
            .unwrap_or_else(|| id.to_string())
    }

    fn literal(&mut self, value: &Value) {
        let scalars = match value {
            Value::Float(number) => return self.number(*number),
            Value::Integer(number) => return self.text.push_str(&number.to_string()),
            Value::ResourceId(id) => return self.text.push_str(&id.to_string()),
            Value::String(text) => return self.text.push_str(&in_quotes(text, "\"")),
            Value::Float3(numbers) => {
                self.text.push_str("vec3");
                &numbers[..]
            }
            Value::Matrix4x4(numbers) => {
                self.text.push_str("mat4");
                &numbers[..]
            }
        };
        for (index, number) in scalars.iter().enumerate() {
            self.text.push_str(if index == 0 { "(" } else { ", " });
            self.number(*number);
        }
        self.text.push(')');
    }

    /// The shortest text that gives the same number, or the name of a constant.
    fn number(&mut self, number: f64) {
        let constant = CONSTANTS.iter().find(|(name, constant)| {
            number.abs().to_bits() == constant.to_bits() && !self.plan.taken.contains(name)
        });
        if number.is_sign_negative() {
            self.text.push('-');
        }
        if let Some((name, _)) = constant {
            self.text.push_str(name);
        } else {
            let text = format!("{:?}", number.abs());
            self.text.push_str(text.strip_suffix(".0").unwrap_or(&text));
        }
    }
}

/// An operator between spaces where it is loose, and how tightly its operands hold together at least.
fn spaced(operator: Operator) -> (&'static str, Tightness, Tightness) {
    match operator {
        Operator::Add => (" + ", Tightness::Sum, Tightness::Product),
        Operator::Subtract => (" - ", Tightness::Sum, Tightness::Product),
        Operator::Multiply => ("*", Tightness::Product, Tightness::Sign),
        Operator::Divide => ("/", Tightness::Product, Tightness::Sign),
        Operator::Power => ("^", Tightness::Whole, Tightness::Sign),
    }
}

/// Leaves out every parameter that is at its default, or else those at the end.
fn leave_out_defaults(node: NodeView<'_>, operands: &mut Vec<(usize, Origin<'_>)>) {
    let is_default = |parameter| matches!(node.argument(parameter), Argument::Default(_));
    let may_be = |parameter: usize| node.signature().parameters[parameter].default.is_some();
    if operands
        .iter()
        .all(|&(parameter, _)| !may_be(parameter) || is_default(parameter))
    {
        operands.retain(|&(parameter, _)| !may_be(parameter));
        return;
    }
    while operands
        .last()
        .is_some_and(|&(parameter, _)| is_default(parameter))
    {
        operands.pop();
    }
}

/// A name as it stands in a text, between back quotes if it is no word.
pub(super) fn quoted(name: &str) -> String {
    if lexer::is_name(name) {
        name.to_owned()
    } else {
        in_quotes(name, "`")
    }
}

fn in_quotes(text: &str, quote: &str) -> String {
    format!("{quote}{}{quote}", text.replace(quote, &quote.repeat(2)))
}
