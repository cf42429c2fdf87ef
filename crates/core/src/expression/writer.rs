//! Writes the text of planned values and nodes.
//!
//! An explicit stack of pending pieces makes it linear in the length of the text and independent of the depth.

use fibula_nodes::{ResourceKind, Value};

use super::arguments::{CONSTANTS, component};
use super::ast::{Name, Operator, Precedence};
use super::callee::{Callee, SymbolTable};
use super::lexer;
use super::plan::{Notation, PlannedNode, PrintPlan, ValueSource};
use crate::graph::{Argument, FunctionId, NodeView};

/// A pending piece of text.
enum Piece<'a> {
    Text(&'static str),
    Owned(String),
    /// A value, in parentheses if its precedence is lower.
    Value(ValueSource<'a>, Precedence),
}

pub(super) struct ExpressionWriter<'p, 'a> {
    plan: &'p PrintPlan<'a>,
    symbols: &'p SymbolTable<'p>,
    pub(super) text: String,
    /// Stack of pending pieces; the next one is the last.
    rest: Vec<Piece<'p>>,
}

impl<'p, 'a: 'p> ExpressionWriter<'p, 'a> {
    pub(super) fn new(plan: &'p PrintPlan<'a>, symbols: &'p SymbolTable<'p>) -> Self {
        ExpressionWriter {
            plan,
            symbols,
            text: String::new(),
            rest: Vec::new(),
        }
    }

    /// Writes the text of a bound node, given its index in the plan.
    pub(super) fn write_bound(&mut self, place: usize) {
        self.node(place);
        self.write();
    }

    /// Writes the value of an output.
    pub(super) fn write_value(&mut self, from: ValueSource<'p>) {
        self.value(from);
        self.write();
    }

    fn write(&mut self) {
        while let Some(piece) = self.rest.pop() {
            match piece {
                Piece::Text(text) => self.text.push_str(text),
                Piece::Owned(text) => self.text.push_str(&text),
                Piece::Value(from, needs) if self.plan.precedence(from) < needs => {
                    self.text.push('(');
                    self.rest.push(Piece::Text(")"));
                    self.value(from);
                }
                Piece::Value(from, _) => self.value(from),
            }
        }
    }

    /// Pushes pieces before the pending ones.
    fn next(&mut self, pieces: impl IntoIterator<Item = Piece<'p>, IntoIter: DoubleEndedIterator>) {
        self.rest.extend(pieces.into_iter().rev());
    }

    fn value(&mut self, from: ValueSource<'p>) {
        let (place, port) = match from {
            ValueSource::Literal(value) => return self.literal(value),
            ValueSource::Port(place, port) => (place, port),
        };
        let planned = &self.plan.planned[place];
        let ports = &planned.node.signature().ports;
        match (&planned.notation, &planned.name) {
            (Notation::Begin, _) => self.text.push_str(&quoted(&ports[port].name)),
            (Notation::Literal(value), _) => self.literal(value),
            (Notation::Components, _) => {
                let source = self.plan.source(planned.node, 0);
                let member = [".x", ".y", ".z"][port];
                self.next([
                    Piece::Value(source, Precedence::Primary),
                    Piece::Text(member),
                ]);
            }
            (
                Notation::NamedConstant(_)
                | Notation::Splat
                | Notation::Negative
                | Notation::Operator(_)
                | Notation::Choice
                | Notation::Call,
                name,
            ) => {
                // A component would be parsed as the port if that has the name of one.
                let hides = component(&ports[port].name.to_ascii_lowercase()).is_some();
                if ports.len() > 1 || hides {
                    let member = format!(".{}", quoted(&ports[port].name));
                    self.rest.push(Piece::Owned(member));
                }
                match name {
                    Some(name) => self.text.push_str(&quoted(name)),
                    None => self.node(place),
                }
            }
        }
    }

    /// Text of a node that is neither an argument nor a literal nor components.
    fn node(&mut self, place: usize) {
        let planned = &self.plan.planned[place];
        let node = planned.node;
        match planned.notation {
            Notation::NamedConstant(ref value) => self.literal(value),
            Notation::Negative => {
                let negated = self.plan.source(node, 1);
                self.next([Piece::Text("-"), Piece::Value(negated, Precedence::Power)]);
            }
            Notation::Operator(operator) => {
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
            Notation::Choice => {
                let [less, more, then, otherwise] = self.operands(node)[..] else {
                    unreachable!("a choice has four operands");
                };
                // Prefers constants on the right.
                let (left, mark, right) = if self.is_literal(less) && !self.is_literal(more) {
                    (more, " > ", less)
                } else {
                    (less, " < ", more)
                };
                self.next([
                    Piece::Value(left, Precedence::Sum),
                    Piece::Text(mark),
                    Piece::Value(right, Precedence::Sum),
                    Piece::Text(" ? "),
                    Piece::Value(then, Precedence::Conditional),
                    Piece::Text(" : "),
                    Piece::Value(otherwise, Precedence::Conditional),
                ]);
            }
            Notation::Splat
            | Notation::Call
            | Notation::Begin
            | Notation::Literal(_)
            | Notation::Components => self.call(planned),
        }
    }

    /// Operands of a node. Among other float3s, a float that is converted by `splat` is printed as the float.
    fn operands(&self, node: NodeView<'a>) -> Vec<ValueSource<'p>> {
        let count = node.signature().parameters.len();
        let mut operands: Vec<ValueSource<'p>> = (0..count)
            .map(|parameter| self.plan.source(node, parameter))
            .collect();
        if node.signature().overloads.len() == 1 || count < 2 {
            return operands;
        }
        let spread = |from: &ValueSource<'p>| match *from {
            ValueSource::Port(place, _) if self.plan.planned[place].notation == Notation::Splat => {
                Some(self.plan.source(self.plan.planned[place].node, 0))
            }
            ValueSource::Port(..) | ValueSource::Literal(_) => None,
        };
        let keeps = operands.iter().position(|from| spread(from).is_none());
        let keeps = keeps.unwrap_or(0);
        for (index, operand) in operands.iter_mut().enumerate() {
            if let Some(number) = spread(operand).filter(|_| index != keeps) {
                *operand = number;
            }
        }
        operands
    }

    fn call(&mut self, planned: &'p PlannedNode<'a>) {
        let node = planned.node;
        let about = node.kind().info();
        let mut pieces = Vec::new();
        let mut operands: Vec<_> = self.operands(node).into_iter().enumerate().collect();
        match planned.callee {
            Some(id) if about.name == "FunctionCall" => match self.callable(id) {
                Some(name) => {
                    operands.remove(0);
                    pieces.push(Piece::Owned(name));
                }
                None => pieces.push(Piece::Text("call")),
            },
            _ if about.name == "VectorFromScalar" => pieces.push(Piece::Text("splat")),
            // With literals only, vec3 and mat4 would be parsed as constants.
            _ if operands.iter().all(|&(_, from)| self.is_literal(from)) => {
                pieces.push(Piece::Text(about.element));
            }
            _ if about.name == "ComposeVector" => pieces.push(Piece::Text("vec3")),
            _ if about.name == "ComposeMatrix" => pieces.push(Piece::Text("mat4")),
            _ => pieces.push(Piece::Text(about.element)),
        }
        pieces.push(Piece::Text("("));
        let left_out = leave_out_defaults(node, &mut operands);
        for (index, (parameter, from)) in operands.into_iter().enumerate() {
            if index > 0 {
                pieces.push(Piece::Text(", "));
            }
            let described = &node.signature().parameters[parameter];
            // What follows an argument that is left out is named.
            if left_out.is_some_and(|left_out| parameter > left_out) {
                pieces.push(Piece::Owned(format!("{} = ", described.name)));
            }
            let refers = described.refers;
            pieces.push(match planned.callee {
                Some(id) if refers == Some(ResourceKind::Function) => {
                    Piece::Owned(self.reference(id))
                }
                _ => Piece::Value(from, Precedence::Conditional),
            });
        }
        pieces.push(Piece::Text(")"));
        self.next(pieces);
    }

    fn is_literal(&self, from: ValueSource<'_>) -> bool {
        match from {
            ValueSource::Literal(_) => true,
            ValueSource::Port(place, _) => {
                matches!(self.plan.planned[place].notation, Notation::Literal(_))
            }
        }
    }

    /// Name by which a function is called, in quotes if necessary; `None` if only its id is unambiguous.
    fn callable(&self, id: FunctionId) -> Option<String> {
        let text = self.symbols.name(id)?;
        let plain = Name {
            text: text.into(),
            quoted: false,
        };
        let finds = |name: &Name<'_>| matches!(self.symbols.resolve_call(name), Ok(Callee::Function(found, _)) if found == id);
        if lexer::is_name(text) && finds(&plain) {
            return Some(text.to_owned());
        }
        let name = Name {
            quoted: true,
            ..plain
        };
        finds(&name).then(|| in_quotes(text, "`"))
    }

    /// Name of a function as an argument, or its id where a value has the name.
    fn reference(&self, id: FunctionId) -> String {
        let hidden = |name: &str| {
            let constant = CONSTANTS.iter().any(|(constant, _)| *constant == name);
            self.plan.taken.contains(name) || constant || component(name).is_some()
        };
        let name = self.symbols.name(id).filter(|name| !hidden(name));
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

    /// Shortest text that parses to the same number, or the name of a constant.
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

/// Text of an operator with its spaces, and the minimum precedences of its operands.
fn spaced(operator: Operator) -> (&'static str, Precedence, Precedence) {
    match operator {
        Operator::Add => (" + ", Precedence::Sum, Precedence::Product),
        Operator::Subtract => (" - ", Precedence::Sum, Precedence::Product),
        Operator::Multiply => ("*", Precedence::Product, Precedence::Unary),
        Operator::Divide => ("/", Precedence::Product, Precedence::Unary),
        Operator::Power => ("^", Precedence::Primary, Precedence::Unary),
    }
}

/// Removes the arguments at their defaults, so that another default applies to them. Returns the first after which arguments
/// have to be named; those that follow others without a name of the language are kept.
fn leave_out_defaults(
    node: NodeView<'_>,
    operands: &mut Vec<(usize, ValueSource<'_>)>,
) -> Option<usize> {
    let is_default = |parameter| matches!(node.argument(parameter), Argument::Default(_));
    let may_be = |parameter: usize| node.signature().parameters[parameter].default.is_some();
    let mut parameters = operands.iter().map(|&(parameter, _)| parameter);
    if parameters.all(|parameter| !may_be(parameter) || is_default(parameter)) {
        operands.retain(|&(parameter, _)| !may_be(parameter));
        return None;
    }
    while operands
        .last()
        .is_some_and(|&(parameter, _)| is_default(parameter))
    {
        operands.pop();
    }
    let parameters = operands.iter().map(|&(parameter, _)| parameter);
    let mut others = parameters
        .clone()
        .skip_while(|&parameter| !is_default(parameter));
    let first = others.next()?;
    let is_named = |parameter: usize| lexer::is_name(&node.signature().parameters[parameter].name);
    if !others.all(|parameter| is_default(parameter) || is_named(parameter)) {
        return None;
    }
    operands.retain(|&(parameter, _)| !is_default(parameter));
    Some(first)
}

/// Returns a name as expressions write it: between back quotes if necessary.
pub fn quoted(name: &str) -> String {
    if lexer::is_name(name) {
        name.to_owned()
    } else {
        in_quotes(name, "`")
    }
}

fn in_quotes(text: &str, quote: &str) -> String {
    format!("{quote}{}{quote}", text.replace(quote, &quote.repeat(2)))
}
