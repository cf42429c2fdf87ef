//! The syntax tree: a flat list in which operands come before what they are operands of.
//!
//! So everything after the parser is a loop over the list, and neither a long nor a deep text can overflow the
//! stack.

use std::borrow::Cow;
use std::ops::Range;

/// The place of an expression in its [`Tree`].
pub(super) type Place = usize;

/// A text, parsed.
#[derive(Debug, Default)]
pub(super) struct Tree<'t> {
    pub(super) expressions: Vec<Expression<'t>>,
    /// The arguments of all calls, one after the other.
    pub(super) arguments: Vec<Place>,
    pub(super) statements: Vec<Statement<'t>>,
}

/// An expression and where its sign stands in the text, in bytes: the operator, the name, the number.
#[derive(Debug)]
pub(super) struct Expression<'t> {
    pub(super) form: Form<'t>,
    pub(super) at: usize,
}

#[derive(Debug)]
pub(super) enum Form<'t> {
    Number(f64),
    Text(Cow<'t, str>),
    Name(Name<'t>),
    Negative(Place),
    Binary(Operator, Place, Place),
    /// The first is less than the second, however it was written.
    Less(Place, Place),
    /// `condition ? then : otherwise`.
    Choice(Place, Place, Place),
    /// The arguments are a part of [`Tree::arguments`].
    Call(Name<'t>, Range<usize>),
    /// An output of a call, or a component of a vector.
    Member(Place, Name<'t>),
}

#[derive(Debug, Clone)]
pub(super) struct Name<'t> {
    pub(super) text: Cow<'t, str>,
    /// Whether it stood between back quotes, and so means nothing that is built in.
    pub(super) quoted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

/// How tightly an expression holds together, from `? :` to what never needs parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tightness {
    Choice,
    Sum,
    Product,
    Sign,
    Power,
    Whole,
}

impl Operator {
    pub(super) const ALL: [Operator; 5] = [
        Operator::Add,
        Operator::Subtract,
        Operator::Multiply,
        Operator::Divide,
        Operator::Power,
    ];

    pub(super) fn mark(self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Power => "^",
        }
    }

    /// The kind of node that it stands for.
    pub(super) fn node_kind(self) -> &'static str {
        match self {
            Operator::Add => "Addition",
            Operator::Subtract => "Subtraction",
            Operator::Multiply => "Multiplication",
            Operator::Divide => "Division",
            Operator::Power => "Pow",
        }
    }

    /// The operator that stands for a kind of node.
    pub(super) fn of_kind(kind: &str) -> Option<Operator> {
        Operator::ALL
            .into_iter()
            .find(|operator| operator.node_kind() == kind)
    }

    pub(super) fn tightness(self) -> Tightness {
        match self {
            Operator::Add | Operator::Subtract => Tightness::Sum,
            Operator::Multiply | Operator::Divide => Tightness::Product,
            Operator::Power => Tightness::Power,
        }
    }
}

/// `let name = value` or `name = value` or `value`; statements are separated by `;`.
#[derive(Debug)]
pub(super) struct Statement<'t> {
    pub(super) gives: Gives<'t>,
    /// Where the statement begins in the text, in bytes.
    pub(super) at: usize,
    /// The expressions of this statement; the last is its value.
    pub(super) expressions: Range<Place>,
}

#[derive(Debug)]
pub(super) enum Gives<'t> {
    Binding(Name<'t>),
    Output(Option<Name<'t>>),
}

impl Statement<'_> {
    pub(super) fn value(&self) -> Place {
        self.expressions.end - 1
    }
}
