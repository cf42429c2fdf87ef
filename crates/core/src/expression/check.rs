//! Semantic analysis of the syntax tree: name resolution, type checking, construction of nodes.

use std::collections::HashMap;
use std::ops::Range;

use fibula_nodes::{PortSpec, Type, Value};

use super::arguments::{self, POSITION};
use super::ast::{
    ExpressionIndex, ExpressionKind, Name, Operator, Statement, StatementKind, SyntaxTree,
};
use super::builder::{NodeBuilder, Operand, OperandMismatch, OperandSource};
use super::call;
use super::callee::SymbolTable;
use super::error::{COMPARISON, Diagnostic, ErrorCode};
use crate::graph::MOST_NODES;

/// Result of resolving an expression.
#[derive(Debug, Clone, Copy)]
pub(super) enum Resolution {
    Value(Operand),
    /// A call, by its node: a value if it has one output.
    Call(usize),
    /// A comparison, the condition of a conditional expression.
    Condition,
    /// An unresolved name, which may be the function argument of a call.
    Unknown,
}

/// An output: its name, if the text has one, its value, and its offset.
pub(super) struct Output {
    pub(super) name: Option<String>,
    pub(super) value: Operand,
    pub(super) at: usize,
}

/// State of the analysis.
pub(super) struct Checker<'a, 't> {
    pub(super) tree: &'a SyntaxTree<'t>,
    pub(super) symbols: &'a SymbolTable<'a>,
    pub(super) builder: NodeBuilder,
    /// One per expression; unknown until it is analysed.
    resolutions: Vec<Resolution>,
    arguments: HashMap<&'a str, Operand>,
    bindings: HashMap<&'a str, Resolution>,
    outputs: HashMap<&'a str, Operand>,
    /// True in a statement that names a number ([`Checker::is_parameter`]).
    folds: bool,
}

/// Builds the nodes of an expression; returns its outputs in the order of the text.
pub(super) fn check<'a, 't>(
    tree: &'a SyntaxTree<'t>,
    arguments: &'a [PortSpec],
    symbols: &'a SymbolTable<'a>,
) -> Result<(NodeBuilder, Vec<Output>), Diagnostic> {
    let argument = |(index, spec): (usize, &'a PortSpec)| {
        let source = OperandSource::Argument(index);
        (
            &*spec.name,
            Operand {
                source,
                ty: spec.ty,
            },
        )
    };
    let mut check = Checker {
        tree,
        symbols,
        builder: NodeBuilder::default(),
        resolutions: vec![Resolution::Unknown; tree.expressions.len()],
        arguments: arguments.iter().enumerate().map(argument).collect(),
        bindings: HashMap::new(),
        outputs: HashMap::new(),
        folds: false,
    };
    let mut outputs = Vec::new();
    for statement in &tree.statements {
        check.folds = check.is_parameter(statement);
        check.resolve(statement.expressions.clone())?;
        outputs.extend(check.give(statement)?);
    }
    Ok((check.builder, outputs))
}

impl<'a> Checker<'a, '_> {
    /// Analyses expressions, in order.
    fn resolve(&mut self, places: Range<ExpressionIndex>) -> Result<(), Diagnostic> {
        for place in places {
            self.resolutions[place] = self.resolution(place)?;
        }
        Ok(())
    }

    /// Analyses expressions once more, with another value of the position. Nodes that nothing needs any more are left out of the
    /// function, as all such are.
    pub(super) fn resolve_at(
        &mut self,
        position: Operand,
        places: Range<ExpressionIndex>,
    ) -> Result<(), Diagnostic> {
        if self.builder.nodes.len() > 2 * MOST_NODES {
            let message = format!(
                "the expression needs more than {MOST_NODES} nodes, the limit of a function"
            );
            return Err(Diagnostic::too_large(message));
        }
        let before = self.arguments.insert(POSITION, position);
        let resolved = self.resolve(places);
        if let Some(before) = before {
            self.arguments.insert(POSITION, before);
        }
        resolved
    }

    /// The value of the position, if the function has one.
    pub(super) fn position(&self) -> Option<Operand> {
        self.arguments.get(POSITION).copied()
    }

    /// The first name in expressions that was computed from the position in an earlier statement.
    pub(super) fn computed_name(&self, places: Range<ExpressionIndex>) -> Option<(usize, &'a str)> {
        let position = self.position()?.source;
        places.into_iter().find_map(|place| {
            let expression = &self.tree.expressions[place];
            let ExpressionKind::Name(name) = &expression.kind else {
                return None;
            };
            let source = match self.bindings.get(&*name.text) {
                Some(Resolution::Value(operand)) => operand.source,
                Some(&Resolution::Call(node)) => OperandSource::Port(node, 0),
                Some(Resolution::Condition | Resolution::Unknown) => return None,
                None => self.outputs.get(&*name.text)?.source,
            };
            let is_computed = self.builder.depends_on(source, position);
            is_computed.then_some((expression.at, &*name.text))
        })
    }

    /// Binds a statement's name to its value; returns the output if it is one.
    fn give(&mut self, statement: &'a Statement<'_>) -> Result<Option<Output>, Diagnostic> {
        let at = statement.at;
        match &statement.kind {
            StatementKind::Binding(name) => {
                let resolution = match self.resolutions[statement.value()] {
                    // A call with several outputs is no value, but may be bound.
                    call @ Resolution::Call(_) => call,
                    Resolution::Value(_) | Resolution::Condition | Resolution::Unknown => {
                        let value = self.value(statement.value())?;
                        Resolution::Value(self.builder.named(value, &name.text))
                    }
                };
                let taken = self.arguments.contains_key(&*name.text);
                if taken || self.outputs.contains_key(&*name.text) {
                    let is = if taken { "an argument" } else { "an output" };
                    return Err(duplicate(name, at, is));
                }
                if self.bindings.insert(&name.text, resolution).is_some() {
                    return Err(duplicate(name, at, "a binding"));
                }
                Ok(None)
            }
            StatementKind::Output(name) => {
                let value = self.value(statement.value())?;
                if let Some(name) = name {
                    if self.bindings.contains_key(&*name.text) {
                        return Err(duplicate(name, at, "a binding"));
                    }
                    if self.outputs.insert(&name.text, value).is_some() {
                        return Err(duplicate(name, at, "an output"));
                    }
                }
                let name = name.as_ref().map(|name| name.text.to_string());
                Ok(Some(Output { name, value, at }))
            }
        }
    }

    /// True for a binding of a number that is written as a sum, difference, product or quotient of numbers: it names a parameter
    /// as one of a single number does, so it is a constant too.
    fn is_parameter(&self, statement: &Statement<'_>) -> bool {
        let is_constant = |name: &Name<'_>| {
            let text = &*name.text;
            let is_own = self.bindings.contains_key(text) || self.arguments.contains_key(text);
            let is_own = is_own || self.outputs.contains_key(text) || name.quoted;
            !is_own && arguments::CONSTANTS.iter().any(|(own, _)| *own == text)
        };
        let mut all = self.tree.expressions[statement.expressions.clone()].iter();
        matches!(statement.kind, StatementKind::Binding(_))
            && all.all(|expression| match &expression.kind {
                ExpressionKind::Number(_) | ExpressionKind::Negation(_) => true,
                ExpressionKind::Binary(operator, ..) => *operator != Operator::Power,
                ExpressionKind::Name(name) => is_constant(name),
                _ => false,
            })
    }

    /// The result of an operation of two unnamed numbers.
    fn folded(&self, operator: Operator, operands: [Operand; 2]) -> Option<f64> {
        let [a, b] = operands.map(|operand| match self.builder.foldable(operand) {
            Some(Value::Float(number)) => Some(*number),
            _ => None,
        });
        operator.applied(a?, b?)
    }

    fn resolution(&mut self, place: ExpressionIndex) -> Result<Resolution, Diagnostic> {
        let tree = self.tree;
        let expression = &tree.expressions[place];
        let at = expression.at;
        let value = match &expression.kind {
            ExpressionKind::Number(number) => self.builder.number(*number),
            ExpressionKind::Text(text) => self.builder.constant(Value::String(text.to_string())),
            ExpressionKind::Name(name) => return Ok(self.named(name)),
            ExpressionKind::Negation(inner) => {
                let inner = self.value(*inner)?;
                self.negative(inner, at)?
            }
            ExpressionKind::Binary(operator, left, right) => {
                let operands = [self.value(*left)?, self.value(*right)?];
                let folded = self.folded(*operator, operands).filter(|_| self.folds);
                if let Some(number) = folded {
                    self.builder.number(number)
                } else {
                    let what = format!("'{}'", operator.symbol());
                    self.apply(operator.node_kind(), &what, &operands, at)?
                }
            }
            ExpressionKind::Less(left, right) => {
                self.value(*left)?;
                self.value(*right)?;
                return Ok(Resolution::Condition);
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                let ExpressionKind::Less(less, more) = tree.expressions[*condition].kind else {
                    let message = "the condition before '?' is not a comparison";
                    return Err(ErrorCode::TypeMismatch
                        .error(at, message)
                        .hint("write a < b ? c : d, or a > b ? c : d"));
                };
                let (then, otherwise) = (self.value(*then)?, self.value(*otherwise)?);
                let operands = [self.value(less)?, self.value(more)?, then, otherwise];
                self.apply("Select", "a choice", &operands, at)?
            }
            ExpressionKind::Call(name, arguments) => {
                return call::call(self, name, &tree.arguments[arguments.clone()], at);
            }
            ExpressionKind::Member(of, name) => self.member(*of, name, at)?,
        };
        Ok(Resolution::Value(value))
    }

    fn named(&mut self, name: &Name<'_>) -> Resolution {
        let text = &*name.text;
        if let Some(&resolution) = self.bindings.get(text) {
            return resolution;
        }
        let known = self.arguments.get(text).or_else(|| self.outputs.get(text));
        if let Some(&operand) = known {
            return Resolution::Value(operand);
        }
        if name.quoted {
            return Resolution::Unknown;
        }
        if let (Some(component), Some(&position)) =
            (arguments::component(text), self.arguments.get(POSITION))
            && position.ty == Type::Float3
        {
            return Resolution::Value(self.component(position, component));
        }
        let constant = arguments::CONSTANTS
            .iter()
            .find(|(constant, _)| *constant == text);
        constant.map_or(Resolution::Unknown, |&(_, number)| {
            Resolution::Value(self.builder.number(number))
        })
    }

    /// Value of an expression.
    pub(super) fn value(&self, place: ExpressionIndex) -> Result<Operand, Diagnostic> {
        let at = self.tree.expressions[place].at;
        match self.resolutions[place] {
            Resolution::Value(operand) => Ok(operand),
            Resolution::Call(node) => match &self.builder.signature(node).ports[..] {
                [_] => Ok(self.builder.port(node, 0)),
                [] => Err(ErrorCode::TypeMismatch.error(at, "the function has no output")),
                [first, ..] => {
                    let ports = &self.builder.signature(node).ports;
                    let ports = ports.iter().map(|port| &*port.name);
                    let message = format!("the call has several outputs: {}", list(ports));
                    let hint = format!("select one, as in (...).{}", first.name);
                    Err(ErrorCode::TypeMismatch.error(at, message).hint(hint))
                }
            },
            Resolution::Condition => Err(ErrorCode::TypeMismatch
                .error(at, COMPARISON)
                .hint("write a < b ? c : d")),
            Resolution::Unknown => Err(self.unknown(place)),
        }
    }

    /// True if the expression is an unresolved name.
    pub(super) fn is_unknown(&self, place: ExpressionIndex) -> bool {
        matches!(self.resolutions[place], Resolution::Unknown)
    }

    /// True if a name is bound to a value.
    pub(super) fn is_value(&self, name: &Name<'_>) -> bool {
        let text = &*name.text;
        let is_bound = self.bindings.contains_key(text) || self.outputs.contains_key(text);
        is_bound || self.arguments.contains_key(text)
    }

    /// Error of an unresolved name.
    fn unknown(&self, place: ExpressionIndex) -> Diagnostic {
        let expression = &self.tree.expressions[place];
        let ExpressionKind::Name(name) = &expression.kind else {
            unreachable!("only a name can be unknown");
        };
        let text = &*name.text;
        let diagnostic = |message| ErrorCode::UnknownName.error(expression.at, message);
        if self.symbols.is_callable(name) {
            return diagnostic(format!("'{text}' is a function, not a value")).hint(format!(
                "write {text}(...), or declare {text} as an argument"
            ));
        }
        let names = self.arguments.keys().chain(self.bindings.keys());
        let names = names.chain(self.outputs.keys());
        let constants = arguments::CONSTANTS.iter().map(|(name, _)| *name);
        let near = fibula_nodes::names::nearest(text, names.copied().chain(constants));
        let mut arguments: Vec<&str> = self.arguments.keys().copied().collect();
        arguments.sort_unstable();
        arguments.truncate(20);
        let are = match arguments[..] {
            [] => "the function has no arguments".to_owned(),
            [only] => format!("the only argument is {only}"),
            _ => format!("the arguments are {}", list(arguments.into_iter())),
        };
        diagnostic(format!("'{text}' is not defined"))
            .nearest(&near)
            .or_hint(Some(are))
    }

    /// Component of a vector.
    pub(super) fn component(&mut self, vector: Operand, component: usize) -> Operand {
        if let Some(Value::Float3(numbers)) = self.builder.foldable(vector) {
            let number = numbers[component];
            return self.builder.number(number);
        }
        let decomposed = self.builder.apply("DecomposeVector", &[vector]);
        match decomposed.expect("callers give a float3").source {
            OperandSource::Port(node, _) => self.builder.port(node, component),
            OperandSource::Argument(_) | OperandSource::Constant(_) => {
                unreachable!("a node's value is a port")
            }
        }
    }

    fn member(
        &mut self,
        of: ExpressionIndex,
        name: &Name<'_>,
        at: usize,
    ) -> Result<Operand, Diagnostic> {
        let text = &*name.text;
        if let Resolution::Call(node) = self.resolutions[of] {
            let signature = self.builder.signature(node);
            match signature.port(text) {
                Ok(port) => return Ok(self.builder.port(node, port)),
                Err(_) if signature.ports.len() == 1 => {}
                Err(unknown) => {
                    let ports = signature.ports.iter().map(|port| &*port.name);
                    let message = format!("the call has no output '{text}', but {}", list(ports));
                    return Err(ErrorCode::UnknownOutput
                        .error(at, message)
                        .nearest(&unknown.nearest));
                }
            }
        }
        let value = self.value(of)?;
        let component = arguments::component(&text.to_ascii_lowercase());
        match (value.ty, component) {
            (Type::Float3, Some(component)) => Ok(self.component(value, component)),
            (Type::Float3, None) => {
                let message = format!("a float3 has no component '{text}'");
                Err(ErrorCode::UnknownOutput
                    .error(at, message)
                    .hint("its components are x, y and z; swizzles are not supported"))
            }
            (ty, _) => {
                let message = format!("a {ty} has no component '{text}'");
                let diagnostic = ErrorCode::TypeMismatch.error(at, message);
                Err(match ty {
                    Type::Matrix4x4 => diagnostic.hint("write decomposematrix(m).m00"),
                    Type::Float
                    | Type::Float3
                    | Type::Integer
                    | Type::String
                    | Type::ResourceId => {
                        diagnostic.hint("only a float3 has components x, y and z")
                    }
                })
            }
        }
    }

    /// Negation of a value; constants are folded.
    fn negative(&mut self, value: Operand, at: usize) -> Result<Operand, Diagnostic> {
        if let Some(constant) = self.builder.foldable(value) {
            let scalars: Vec<f64> = constant.scalars().iter().map(|scalar| -scalar).collect();
            if let Some(negative) = Value::from_scalars(value.ty, &scalars) {
                return Ok(self.builder.constant(negative));
            }
        }
        let minus_one = match value.ty {
            Type::Matrix4x4 => self.builder.constant(Value::Matrix4x4([-1.0; 16])),
            Type::Float | Type::Float3 | Type::Integer | Type::String | Type::ResourceId => {
                self.builder.number(-1.0)
            }
        };
        self.apply("Multiplication", "a sign", &[minus_one, value], at)
    }

    /// Value of a new node; `what` names the operation in messages.
    pub(super) fn apply(
        &mut self,
        kind: &str,
        what: &str,
        operands: &[Operand],
        at: usize,
    ) -> Result<Operand, Diagnostic> {
        let applied = self.builder.apply(kind, operands);
        applied.map_err(|mismatch| match mismatch {
            OperandMismatch::Parameter(index, takes) => {
                wrong_type(what, takes, operands[index].ty, at)
            }
            OperandMismatch::Mixed(first, other) => mixed(what, first, other, at),
        })
    }
}

/// Names for a message: "a, b and c".
pub(super) fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    match &names[..] {
        [] => "none".to_owned(),
        [only] => (*only).to_owned(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

fn duplicate(name: &Name<'_>, at: usize, is: &str) -> Diagnostic {
    let message = format!("'{}' is already the name of {is}", name.text);
    ErrorCode::DuplicateName
        .error(at, message)
        .hint("choose another name")
}

fn mixed(what: &str, first: Type, other: Type, at: usize) -> Diagnostic {
    let message = format!("{what} takes values of one type, but got a {first} and a {other}");
    ErrorCode::TypeMismatch
        .error(at, message)
        .hint("use transform(matrix, point) to transform a point; no other operation mixes matrices with other types")
}

/// Error of a value of another type than expected.
pub(super) fn wrong_type(what: &str, takes: Type, gets: Type, at: usize) -> Diagnostic {
    let message = format!("{what} takes a {takes}, but got a {gets}");
    let diagnostic = ErrorCode::TypeMismatch.error(at, message);
    match (takes, gets) {
        (Type::Float, Type::Float3) => {
            diagnostic.hint("use one component, as in v.x, or length(v)")
        }
        (Type::Float3, Type::Float) => {
            diagnostic.hint("write vec3(x, y, z), or splat(a) for equal components")
        }
        (Type::Matrix4x4, _) => diagnostic.hint("write mat4(16 numbers, row by row)"),
        (Type::Integer, _) => diagnostic.hint("write a whole number"),
        (Type::ResourceId, _) => diagnostic.hint("write the id of a resource, a whole number"),
        (Type::String, _) => diagnostic.hint("write a string in double quotes"),
        (Type::Float | Type::Float3, _) => diagnostic,
    }
}
