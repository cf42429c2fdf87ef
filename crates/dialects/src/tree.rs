//! The syntax tree of a text in another language, and of its translation.

use std::collections::HashMap;

/// Most nodes of trees that are copied; a longer text is of no use in a message.
pub(super) const MAX_COPIED_NODES: usize = 4_000;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expr {
    Number(String),
    Text(String),
    Name(String, usize),
    Bool(bool),
    Negation(Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `<`, `>` or `==`; the others are negations of these.
    Comparison(&'static str, Box<Expr>, Box<Expr>, usize),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Call(String, Vec<Argument>, usize),
    /// A call of a member, such as `np.sin(x)` or `a.dot(b)`.
    Method(Box<Expr>, String, Vec<Argument>, usize),
    /// A module of `OpenSCAD` with its children.
    Module(String, Vec<Argument>, Vec<Expr>, usize),
    Member(Box<Expr>, String, usize),
    Index(Box<Expr>, Box<Expr>),
    /// The first two elements, as of `p[:2]`.
    FirstTwo(Box<Expr>),
    List(Vec<Expr>, usize),
    Lambda(Vec<Parameter>, Vec<Statement>),
    /// Values by name: of a dictionary, or of an object, whose class is the field [`CLASS`].
    Record(Vec<(String, Expr)>, usize),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Argument {
    pub(super) name: Option<String>,
    pub(super) value: Expr,
}

/// Name of the method that a call of a value is, as of `(lambda p: p.x)(pos)`.
pub(super) const APPLY: &str = "__call__";

/// Field of an object that names its class; no name contains a blank.
pub(super) const CLASS: &str = "class ";

/// Parameter of a function.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Parameter {
    pub(super) name: String,
    /// Number of components, if its type says that it is a vector.
    pub(super) components: Option<usize>,
    /// True if a call changes the variable that is given for it.
    pub(super) is_output: bool,
    /// True if the body was read for the default only, as the limit of a loop.
    pub(super) is_assumed: bool,
    /// True if a number has its name in the translation, even if it is given by its place.
    pub(super) is_named: bool,
    pub(super) default: Option<Expr>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Target {
    Names(Vec<String>),
    Member(String, String),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Statement {
    /// True if it declares its name, as `let` and `float` do.
    Assignment(Target, Expr, bool, usize),
    Value(Expr),
    Return(Expr),
    Definition(String, Vec<Parameter>, Vec<Statement>),
    If(Expr, Vec<Statement>, Vec<Statement>),
    Class(String, Class),
    /// The body of a function that cannot be read, and why.
    Unreadable(Untranslatable),
}

/// A class of objects.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Class {
    pub(super) base: Option<String>,
    /// Fields that the arguments of a call give, of a structure.
    pub(super) fields: Vec<Parameter>,
    /// Fields with the same value in each object.
    pub(super) attributes: Vec<Parameter>,
    pub(super) methods: Vec<(String, Vec<Parameter>, Vec<Statement>)>,
}

/// Reason why a text has no translation.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Untranslatable {
    /// It is none of the languages, or uses what no table knows.
    Unknown,
    /// A free name of a point would be a float.
    Point,
    /// A construct that expressions cannot have; with its offset, and what to write.
    Construct(usize, &'static str, &'static str),
}

pub(super) type Result<T> = std::result::Result<T, Untranslatable>;

/// Prefix of the call that stands for a number with a unit of length; no name contains a blank.
pub(super) const UNIT: &str = "unit ";

pub(super) fn call(name: &str, values: Vec<Expr>, at: usize) -> Expr {
    let arguments = values
        .into_iter()
        .map(|value| Argument { name: None, value });
    Expr::Call(name.to_owned(), arguments.collect(), at)
}

/// An angle in degrees as radians.
pub(super) fn degrees(angle: Expr) -> Expr {
    let pi = Expr::Name("pi".to_owned(), 0);
    let product = Expr::Binary("*", Box::new(angle), Box::new(pi));
    Expr::Binary(
        "/",
        Box::new(product),
        Box::new(Expr::Number("180".to_owned())),
    )
}

/// The value of an expression of numbers, and of names that stand for one.
pub(super) fn constant(value: &Expr, names: &HashMap<String, f64>) -> Option<f64> {
    match value {
        Expr::Number(text) => text.parse().ok(),
        Expr::Name(name, _) => names.get(name).copied(),
        Expr::Negation(inner) => constant(inner, names).map(|value| -value),
        Expr::Binary(operator, left, right) => {
            let (left, right) = (constant(left, names)?, constant(right, names)?);
            Some(match *operator {
                "+" => left + right,
                "-" => left - right,
                "*" => left * right,
                "/" => left / right,
                _ => left.powf(right),
            })
        }
        _ => None,
    }
}

pub(super) fn name(text: &str) -> Expr {
    Expr::Name(text.to_owned(), 0)
}

pub(super) fn number(value: f64) -> Expr {
    let text = value.to_string();
    Expr::Number(if value != 0.0 && value.abs() < 1e-4 {
        format!("{value:e}")
    } else {
        text
    })
}

pub(super) fn binary(operator: &'static str, left: Expr, right: Expr) -> Expr {
    Expr::Binary(operator, Box::new(left), Box::new(right))
}

/// The negative; of a negative the value.
pub(super) fn negative(value: Expr) -> Expr {
    match value {
        Expr::Negation(inner) => *inner,
        other => Expr::Negation(Box::new(other)),
    }
}

pub(super) fn half(value: Expr) -> Expr {
    if let Expr::Number(text) = &value
        && let Ok(parsed) = text.parse::<f64>()
    {
        return number(parsed / 2.0);
    }
    binary("/", value, number(2.0))
}

/// The value of an expression of numbers.
pub(super) fn constant_number(value: &Expr) -> Option<f64> {
    constant(value, &HashMap::new())
}

/// A vector of two components.
pub(super) fn flat(x: Expr, y: Expr) -> Expr {
    call("vec2", vec![x, y], 0)
}

pub(super) fn vector(values: [Expr; 3]) -> Expr {
    call("vec3", Vec::from(values), 0)
}

/// A component; of the components of a vector the one.
pub(super) fn member(of: Expr, name: &str) -> Expr {
    if let Expr::Call(function, arguments, _) = &of
        && let ("vec3", [_, _, _]) | ("vec2", [_, _]) = (function.as_str(), &arguments[..])
        && let Some(axis) = ["x", "y", "z"].iter().position(|axis| *axis == name)
    {
        let element = arguments.get(axis);
        return element.map_or_else(|| number(0.0), |element| element.value.clone());
    }
    Expr::Member(Box::new(of), name.to_owned(), 0)
}

/// The union of shapes of `OpenSCAD`, which may be none.
pub(super) fn union(mut shapes: Vec<Expr>) -> Expr {
    match shapes.len() {
        1 => shapes.remove(0),
        _ => Expr::Module("union".to_owned(), Vec::new(), shapes, 0),
    }
}

/// `f(f(a, b), c)`.
pub(super) fn fold(function: &str, values: impl Iterator<Item = Expr>, at: usize) -> Expr {
    let folded = values.reduce(|a, b| call(function, vec![a, b], at));
    folded.unwrap_or_else(|| number(0.0))
}

impl Expr {
    /// Parts of the expression, without itself.
    pub(super) fn parts(&self) -> Vec<&Expr> {
        match self {
            Expr::Number(_) | Expr::Text(_) | Expr::Name(..) | Expr::Bool(_) => Vec::new(),
            Expr::Negation(inner)
            | Expr::Not(inner)
            | Expr::Member(inner, ..)
            | Expr::FirstTwo(inner) => vec![inner],
            Expr::Lambda(_, body) => {
                let values = body.iter().map(|statement| match statement {
                    Statement::Return(value)
                    | Statement::Value(value)
                    | Statement::Assignment(_, value, ..) => Some(value),
                    _ => None,
                });
                values.flatten().collect()
            }
            Expr::Record(fields, _) => fields.iter().map(|(_, value)| value).collect(),
            Expr::Binary(_, a, b)
            | Expr::Comparison(_, a, b, _)
            | Expr::And(a, b)
            | Expr::Or(a, b)
            | Expr::Index(a, b) => vec![a, b],
            Expr::Conditional(a, b, c) => vec![a, b, c],
            Expr::Call(_, arguments, _) => {
                arguments.iter().map(|argument| &argument.value).collect()
            }
            Expr::Method(of, _, arguments, _) => {
                let values = arguments.iter().map(|argument| &argument.value);
                std::iter::once(&**of).chain(values).collect()
            }
            Expr::Module(_, arguments, children, _) => {
                let values = arguments.iter().map(|argument| &argument.value);
                values.chain(children).collect()
            }
            Expr::List(values, _) => values.iter().collect(),
        }
    }

    /// Number of nodes of the tree.
    pub(super) fn size(&self) -> usize {
        1 + self.parts().into_iter().map(Expr::size).sum::<usize>()
    }

    /// Calls `visit` with each name.
    pub(super) fn names(&self, visit: &mut dyn FnMut(&str)) {
        if let Expr::Name(name, _) = self {
            visit(name);
        }
        for part in self.parts() {
            part.names(visit);
        }
    }

    /// Calls `visit` with the name of each function or module that is called.
    pub(super) fn calls(&self, visit: &mut dyn FnMut(&str)) {
        if let Expr::Call(name, ..) | Expr::Module(name, ..) = self {
            visit(name);
        }
        for part in self.parts() {
            part.calls(visit);
        }
    }

    /// Replaces names in a translated expression.
    pub(super) fn map_names(&self, replace: &dyn Fn(&str) -> Option<Expr>) -> Expr {
        let mapped = |inner: &Expr| Box::new(inner.map_names(replace));
        match self {
            Expr::Name(name, _) => replace(name).unwrap_or_else(|| self.clone()),
            Expr::Negation(inner) => Expr::Negation(mapped(inner)),
            Expr::Binary(operator, a, b) => Expr::Binary(operator, mapped(a), mapped(b)),
            Expr::Comparison(operator, a, b, at) => {
                Expr::Comparison(operator, mapped(a), mapped(b), *at)
            }
            Expr::Conditional(a, b, c) => Expr::Conditional(mapped(a), mapped(b), mapped(c)),
            Expr::Member(of, name, at) => Expr::Member(mapped(of), name.clone(), *at),
            Expr::Call(name, arguments, at) => {
                let arguments = arguments.iter().map(|argument| Argument {
                    name: argument.name.clone(),
                    value: argument.value.map_names(replace),
                });
                Expr::Call(name.clone(), arguments.collect(), *at)
            }
            Expr::Number(_)
            | Expr::Text(_)
            | Expr::Bool(_)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Not(_)
            | Expr::Method(..)
            | Expr::Module(..)
            | Expr::Index(..)
            | Expr::FirstTwo(..)
            | Expr::List(..)
            | Expr::Lambda(..)
            | Expr::Record(..) => self.clone(),
        }
    }
}

/// A number, whatever its sign.
pub(super) fn literal(value: f64) -> Expr {
    if value < 0.0 {
        negative(number(-value))
    } else {
        number(value)
    }
}
