//! The syntax tree's meaning: names are looked up, types are checked, nodes are drawn.

use std::collections::HashMap;

use fibula_nodes::{PortSpec, Type, Value};

use super::arguments::{self, POSITION};
use super::call;
use super::callee::Callees;
use super::draft::{Draft, Misfit, Operand, Source};
use super::error::{Code, Mistake};
use super::tree::{Form, Gives, Name, Place, Statement, Tree};

/// What an expression stands for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Meaning {
    Value(Operand),
    /// A call, by its node: a value if it has one output, and in any case something that has outputs.
    Call(usize),
    /// A comparison, which only a choice takes.
    Condition,
    /// A name of nothing; it may yet be the function that a call refers to.
    Unknown,
}

/// An output: its name, if the text says one, its value, and where it is given.
pub(super) struct Output {
    pub(super) name: Option<String>,
    pub(super) value: Operand,
    pub(super) at: usize,
}

/// The check in progress.
pub(super) struct Check<'a, 't> {
    pub(super) tree: &'a Tree<'t>,
    pub(super) callees: &'a Callees<'a>,
    pub(super) draft: Draft,
    /// One per expression, as far as the check has come.
    meanings: Vec<Meaning>,
    arguments: HashMap<&'a str, Operand>,
    bindings: HashMap<&'a str, Meaning>,
    outputs: HashMap<&'a str, Operand>,
}

/// Draws the nodes of an expression; gives its outputs in the order of the text.
pub(super) fn check<'a, 't>(
    tree: &'a Tree<'t>,
    arguments: &'a [PortSpec],
    callees: &'a Callees<'a>,
) -> Result<(Draft, Vec<Output>), Mistake> {
    let argument = |(index, spec): (usize, &'a PortSpec)| {
        let source = Source::Argument(index);
        (
            &*spec.name,
            Operand {
                source,
                ty: spec.ty,
            },
        )
    };
    let mut check = Check {
        tree,
        callees,
        draft: Draft::default(),
        meanings: Vec::with_capacity(tree.expressions.len()),
        arguments: arguments.iter().enumerate().map(argument).collect(),
        bindings: HashMap::new(),
        outputs: HashMap::new(),
    };
    let mut outputs = Vec::new();
    for statement in &tree.statements {
        for place in statement.expressions.clone() {
            let meaning = check.meaning(place)?;
            check.meanings.push(meaning);
        }
        outputs.extend(check.give(statement)?);
    }
    Ok((check.draft, outputs))
}

impl<'a> Check<'a, '_> {
    /// Binds a statement's name to its value; gives the output if it is one.
    fn give(&mut self, statement: &'a Statement<'_>) -> Result<Option<Output>, Mistake> {
        let at = statement.at;
        match &statement.gives {
            Gives::Binding(name) => {
                // A call of several outputs may have a name, though it is no value.
                let meaning = self.meanings[statement.value()];
                if !matches!(meaning, Meaning::Call(_)) {
                    self.value(statement.value())?;
                }
                let taken = self.arguments.contains_key(&*name.text);
                if taken || self.outputs.contains_key(&*name.text) {
                    let is = if taken { "an argument" } else { "an output" };
                    return Err(duplicate(name, at, is));
                }
                if self.bindings.insert(&name.text, meaning).is_some() {
                    return Err(duplicate(name, at, "a binding"));
                }
                Ok(None)
            }
            Gives::Output(name) => {
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

    fn meaning(&mut self, place: Place) -> Result<Meaning, Mistake> {
        let tree = self.tree;
        let expression = &tree.expressions[place];
        let at = expression.at;
        let value = match &expression.form {
            Form::Number(number) => self.draft.number(*number),
            Form::Text(text) => self.draft.constant(Value::String(text.to_string())),
            Form::Name(name) => return Ok(self.named(name)),
            Form::Negative(inner) => {
                let inner = self.value(*inner)?;
                self.negative(inner, at)?
            }
            Form::Binary(operator, left, right) => {
                let operands = [self.value(*left)?, self.value(*right)?];
                let what = format!("'{}'", operator.mark());
                self.apply(operator.node_kind(), &what, &operands, at)?
            }
            Form::Less(left, right) => {
                self.value(*left)?;
                self.value(*right)?;
                return Ok(Meaning::Condition);
            }
            Form::Choice(condition, then, otherwise) => {
                let Form::Less(less, more) = tree.expressions[*condition].form else {
                    let message = "the condition before '?' is no comparison";
                    return Err(Mistake::new(Code::TypeMismatch, at, message)
                        .hint("write a < b ? c : d, or a > b ? c : d"));
                };
                let (then, otherwise) = (self.value(*then)?, self.value(*otherwise)?);
                let operands = [self.value(less)?, self.value(more)?, then, otherwise];
                self.apply("Select", "a choice", &operands, at)?
            }
            Form::Call(name, arguments) => {
                return call::call(self, name, &tree.arguments[arguments.clone()], at);
            }
            Form::Member(of, name) => self.member(*of, name, at)?,
        };
        Ok(Meaning::Value(value))
    }

    fn named(&mut self, name: &Name<'_>) -> Meaning {
        let text = &*name.text;
        if let Some(&meaning) = self.bindings.get(text) {
            return meaning;
        }
        let known = self.arguments.get(text).or_else(|| self.outputs.get(text));
        if let Some(&operand) = known {
            return Meaning::Value(operand);
        }
        if name.quoted {
            return Meaning::Unknown;
        }
        if let (Some(component), Some(&position)) =
            (arguments::component(text), self.arguments.get(POSITION))
            && position.ty == Type::Float3
        {
            return Meaning::Value(self.component(position, component));
        }
        let constant = arguments::CONSTANTS
            .iter()
            .find(|(constant, _)| *constant == text);
        constant.map_or(Meaning::Unknown, |&(_, number)| {
            Meaning::Value(self.draft.number(number))
        })
    }

    /// The value of an expression that has one.
    pub(super) fn value(&self, place: Place) -> Result<Operand, Mistake> {
        let at = self.tree.expressions[place].at;
        match self.meanings[place] {
            Meaning::Value(operand) => Ok(operand),
            Meaning::Call(node) => match &self.draft.signature(node).ports[..] {
                [_] => Ok(self.draft.port(node, 0)),
                [] => Err(Mistake::new(
                    Code::TypeMismatch,
                    at,
                    "the function has no output",
                )),
                [first, ..] => {
                    let ports = self
                        .draft
                        .signature(node)
                        .ports
                        .iter()
                        .map(|port| &*port.name);
                    let message = format!("the call has several outputs: {}", list(ports));
                    let hint = format!("take one, as in (...).{}", first.name);
                    Err(Mistake::new(Code::TypeMismatch, at, message).hint(hint))
                }
            },
            Meaning::Condition => {
                let message = "a comparison stands only before '?'";
                Err(Mistake::new(Code::TypeMismatch, at, message).hint("write a < b ? c : d"))
            }
            Meaning::Unknown => Err(self.unknown(place)),
        }
    }

    /// Whether the expression is a name of nothing.
    pub(super) fn is_unknown(&self, place: Place) -> bool {
        matches!(self.meanings[place], Meaning::Unknown)
    }

    /// Whether a name stands for a value.
    pub(super) fn is_value(&self, name: &Name<'_>) -> bool {
        let text = &*name.text;
        let given = self.bindings.contains_key(text) || self.outputs.contains_key(text);
        given || self.arguments.contains_key(text)
    }

    /// The mistake of using a name of nothing.
    fn unknown(&self, place: Place) -> Mistake {
        let expression = &self.tree.expressions[place];
        let Form::Name(name) = &expression.form else {
            unreachable!("only a name can be unknown");
        };
        let text = &*name.text;
        let mistake = |message| Mistake::new(Code::UnknownName, expression.at, message);
        if self.callees.is_callable(name) {
            return mistake(format!("'{text}' is a function, not a value")).hint(format!(
                "write {text}(...), or list {text} among the arguments"
            ));
        }
        let names = self
            .arguments
            .keys()
            .chain(self.bindings.keys())
            .chain(self.outputs.keys());
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
        mistake(format!("'{text}' is not defined"))
            .nearest(&near)
            .or_hint(Some(are))
    }

    /// The component of a vector.
    pub(super) fn component(&mut self, vector: Operand, component: usize) -> Operand {
        if let Some(Value::Float3(numbers)) = self.draft.constant_of(vector) {
            let number = numbers[component];
            return self.draft.number(number);
        }
        let decomposed = self.draft.apply("DecomposeVector", &[vector]);
        match decomposed.expect("callers give a float3").source {
            Source::Port(node, _) => self.draft.port(node, component),
            Source::Argument(_) | Source::Constant(_) => unreachable!("a node's value is a port"),
        }
    }

    fn member(&mut self, of: Place, name: &Name<'_>, at: usize) -> Result<Operand, Mistake> {
        let text = &*name.text;
        if let Meaning::Call(node) = self.meanings[of] {
            let signature = self.draft.signature(node);
            match signature.port(text) {
                Ok(port) => return Ok(self.draft.port(node, port)),
                Err(_) if signature.ports.len() == 1 => {}
                Err(unknown) => {
                    let ports = signature.ports.iter().map(|port| &*port.name);
                    let message = format!("the call has no output '{text}', but {}", list(ports));
                    return Err(
                        Mistake::new(Code::UnknownOutput, at, message).nearest(&unknown.nearest)
                    );
                }
            }
        }
        let value = self.value(of)?;
        let component = arguments::component(&text.to_ascii_lowercase());
        match (value.ty, component) {
            (Type::Float3, Some(component)) => Ok(self.component(value, component)),
            (Type::Float3, None) => {
                let message = format!("a float3 has no component '{text}'");
                Err(Mistake::new(Code::UnknownOutput, at, message)
                    .hint("its components are x, y and z, one at a time"))
            }
            (ty, _) => {
                let message = format!("a {ty} has no component '{text}'");
                let mistake = Mistake::new(Code::TypeMismatch, at, message);
                Err(match ty {
                    Type::Matrix4x4 => mistake.hint("write decomposematrix(m).m00"),
                    Type::Float
                    | Type::Float3
                    | Type::Integer
                    | Type::String
                    | Type::ResourceId => mistake.hint("only a float3 has x, y and z"),
                })
            }
        }
    }

    /// The negative of a value; of a constant it is a constant.
    fn negative(&mut self, value: Operand, at: usize) -> Result<Operand, Mistake> {
        if let Some(constant) = self.draft.constant_of(value) {
            let scalars: Vec<f64> = constant.scalars().iter().map(|scalar| -scalar).collect();
            if let Some(negative) = Value::from_scalars(value.ty, &scalars) {
                return Ok(self.draft.constant(negative));
            }
        }
        let minus_one = match value.ty {
            Type::Matrix4x4 => self.draft.constant(Value::Matrix4x4([-1.0; 16])),
            Type::Float | Type::Float3 | Type::Integer | Type::String | Type::ResourceId => {
                self.draft.number(-1.0)
            }
        };
        self.apply("Multiplication", "a sign", &[minus_one, value], at)
    }

    /// The value of a new node; `what` says in a message who takes the operands.
    pub(super) fn apply(
        &mut self,
        kind: &str,
        what: &str,
        operands: &[Operand],
        at: usize,
    ) -> Result<Operand, Mistake> {
        let applied = self.draft.apply(kind, operands);
        applied.map_err(|misfit| match misfit {
            Misfit::Parameter(index, takes) => wrong_type(what, takes, operands[index].ty, at),
            Misfit::Mixed(first, other) => mixed(what, first, other, at),
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

fn duplicate(name: &Name<'_>, at: usize, is: &str) -> Mistake {
    let message = format!("'{}' is already the name of {is}", name.text);
    Mistake::new(Code::DuplicateName, at, message).hint("choose another name")
}

fn mixed(what: &str, first: Type, other: Type, at: usize) -> Mistake {
    let message = format!("{what} takes values of one type, but gets a {first} and a {other}");
    Mistake::new(Code::TypeMismatch, at, message)
        .hint("transform(matrix, point) transforms a point; there is no other mixing with matrices")
}

/// A value has another type than what takes it.
pub(super) fn wrong_type(what: &str, takes: Type, gets: Type, at: usize) -> Mistake {
    let message = format!("{what} takes a {takes}, but gets a {gets}");
    let mistake = Mistake::new(Code::TypeMismatch, at, message);
    match (takes, gets) {
        (Type::Float, Type::Float3) => mistake.hint("take one component, as in v.x, or length(v)"),
        (Type::Float3, Type::Float) => {
            mistake.hint("write vec3(x, y, z), or splat(a) for equal components")
        }
        (Type::Matrix4x4, _) => mistake.hint("write mat4(16 numbers, row by row)"),
        (Type::Integer, _) => mistake.hint("write a whole number"),
        (Type::ResourceId, _) => mistake.hint("write the id of a resource, a whole number"),
        (Type::String, _) => mistake.hint("write a text between double quotes"),
        (Type::Float | Type::Float3, _) => mistake,
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawn::check;

    #[test]
    fn every_value_is_one_node_in_the_order_of_computation() {
        check(
            "2*a + 2*a",
            "0 End(shape=4.result); 1 Begin(); 2 ConstantScalar(value=2.0); \
             3 Multiplication(A=2.value, B=1.a); 4 Addition(A=3.result, B=3.result)",
        );
        check(
            "2*3",
            "0 End(shape=3.result); 1 ConstantScalar(value=2.0); 2 ConstantScalar(value=3.0); \
             3 Multiplication(A=1.value, B=2.value)",
        );
        check(
            "x*y + pos.x",
            "0 End(shape=4.result); 1 Begin(); 2 DecomposeVector(A=1.pos); \
             3 Multiplication(A=2.x, B=2.y); 4 Addition(A=3.result, B=2.x)",
        );
        check(
            "-pos",
            "0 End(result=4.result); 1 Begin(); 2 ConstantScalar(value=-1.0); \
             3 VectorFromScalar(A=2.value); 4 Multiplication(A=3.result, B=1.pos)",
        );
        check(
            "a > 1 ? 2 : -2",
            "0 End(shape=5.result); 1 Begin(); 2 ConstantScalar(value=1.0); 3 ConstantScalar(value=2.0); \
             4 ConstantScalar(value=-2.0); 5 Select(A=2.value, B=1.a, C=3.value, D=4.value)",
        );
        check(
            "let unused = sin(a); let unused2 = cos(b); a",
            "0 End(shape=1.a); 1 Begin()",
        );
    }

    #[test]
    fn mistakes_are_shown_in_their_place() {
        check(
            "a < b",
            "a comparison stands only before '?'; write a < b ? c : d\n  a < b\n    ^",
        );
        check(
            "(a < b) + 1",
            "a comparison stands only before '?'; write a < b ? c : d\n  (a < b) + 1\n     ^",
        );
        check(
            "a ? 1 : 2",
            "the condition before '?' is no comparison; write a < b ? c : d, or a > b ? c : d\n  a ? 1 : 2\n    ^",
        );
        check(
            "let a = 2",
            "the expression gives no output; end with a value, as in let a = 2; a*x\n  let a = 2\n           ^",
        );
        check(
            "let a = 1; let a = 2; a",
            "'a' is already the name of a binding; choose another name\n  let a = 1; let a = 2; a\n             ^",
        );
        check(
            "let a = a; a",
            "'a' is already the name of an argument; choose another name\n  let a = a; a\n  ^",
        );
        check(
            "b = a; let b = 2; c = b",
            "'b' is already the name of an output; choose another name\n  b = a; let b = 2; c = b\n         ^",
        );
        check(
            "a; b",
            "of several outputs each has a name; write shape = ...; color = ..., or let a = ...; for what is no output\n  a; b\n  ^",
        );
        check(
            "2*matrixfromrows(pos, pos, pos, pos)",
            "'*' takes values of one type, but gets a float and a matrix4x4; transform(matrix, point) transforms a \
             point; there is no other mixing with matrices\n  2*matrixfromrows(pos, pos, pos, pos)\n   ^",
        );
        check(
            "pos.w",
            "a float3 has no component 'w'; its components are x, y and z, one at a time\n  pos.w\n      ^",
        );
        check(
            "a.x",
            "a float has no component 'x'; only a float3 has x, y and z\n  a.x\n    ^",
        );
        check(
            "decomposevector(pos)",
            "the call has several outputs: x, y and z; take one, as in (...).x\n  decomposevector(pos)\n  ^",
        );
        check(
            "`Two parts`(pos).colour",
            "the call has no output 'colour', but shape and color; did you mean color?\n  `Two parts`(pos).colour\n                   ^",
        );
        check(
            "sin + 1",
            "'sin' is a function, not a value; write sin(...), or list sin among the arguments\n  sin + 1\n  ^",
        );
    }
}
