//! The abstract syntax tree: a flat list in postorder.
//!
//! All passes after the parser are loops over the list, so neither long nor deep texts overflow the stack.

use std::borrow::Cow;
use std::ops::Range;

/// Index of an expression in its [`SyntaxTree`].
pub(super) type ExpressionIndex = usize;

/// A parsed text.
#[derive(Debug, Default)]
pub(super) struct SyntaxTree<'t> {
    pub(super) expressions: Vec<Expression<'t>>,
    /// Arguments of all calls, call by call.
    pub(super) arguments: Vec<CallArgument<'t>>,
    pub(super) statements: Vec<Statement<'t>>,
}

/// An expression, and the byte offset of its operator, name or literal.
#[derive(Debug)]
pub(super) struct Expression<'t> {
    pub(super) kind: ExpressionKind<'t>,
    pub(super) at: usize,
}

/// An argument of a call: `value` or `name = value`.
#[derive(Debug)]
pub(super) struct CallArgument<'t> {
    pub(super) name: Option<Name<'t>>,
    /// Byte offset of the argument.
    pub(super) at: usize,
    pub(super) value: ExpressionIndex,
}

#[derive(Debug)]
pub(super) enum ExpressionKind<'t> {
    Number(f64),
    Text(Cow<'t, str>),
    Name(Name<'t>),
    Negation(ExpressionIndex),
    Binary(Operator, ExpressionIndex, ExpressionIndex),
    /// The first is less than the second; `a > b` is `b < a`.
    Less(ExpressionIndex, ExpressionIndex),
    /// `condition ? then : otherwise`.
    Conditional(ExpressionIndex, ExpressionIndex, ExpressionIndex),
    /// The arguments are a range of [`SyntaxTree::arguments`].
    Call(Name<'t>, Range<usize>),
    /// An output of a call, or a component of a vector.
    Member(ExpressionIndex, Name<'t>),
}

#[derive(Debug, Clone)]
pub(super) struct Name<'t> {
    pub(super) text: Cow<'t, str>,
    /// True if it was written between back quotes, so it names nothing built in.
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

/// Precedence of operators, from `? :` to primary expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precedence {
    /// `condition ? a : b`.
    Conditional,
    /// `a + b`, `a - b`.
    Sum,
    /// `a * b`, `a / b`.
    Product,
    /// `-a`.
    Unary,
    /// `a^b`, which binds to the right.
    Power,
    /// Numbers, names, calls and what is between parentheses.
    Primary,
}

impl SyntaxTree<'_> {
    /// The expressions of which an expression consists, itself the last.
    pub(super) fn within(&self, place: ExpressionIndex) -> Range<ExpressionIndex> {
        let mut first = place;
        loop {
            // Of its operands, the one that was written first.
            first = match &self.expressions[first].kind {
                ExpressionKind::Negation(inner) | ExpressionKind::Member(inner, _) => *inner,
                ExpressionKind::Binary(_, one, other) | ExpressionKind::Less(one, other) => {
                    *one.min(other)
                }
                ExpressionKind::Conditional(condition, ..) => *condition,
                ExpressionKind::Call(_, arguments) if !arguments.is_empty() => {
                    self.arguments[arguments.start].value
                }
                ExpressionKind::Number(_)
                | ExpressionKind::Text(_)
                | ExpressionKind::Name(_)
                | ExpressionKind::Call(..) => return first..place + 1,
            };
        }
    }
}

impl Operator {
    pub(super) const ALL: [Operator; 5] = [
        Operator::Add,
        Operator::Subtract,
        Operator::Multiply,
        Operator::Divide,
        Operator::Power,
    ];

    pub(super) fn symbol(self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Power => "^",
        }
    }

    /// Kind of node that implements it.
    pub(super) fn node_kind(self) -> &'static str {
        match self {
            Operator::Add => "Addition",
            Operator::Subtract => "Subtraction",
            Operator::Multiply => "Multiplication",
            Operator::Divide => "Division",
            Operator::Power => "Pow",
        }
    }

    /// Operator that a kind of node implements.
    pub(super) fn of_kind(kind: &str) -> Option<Operator> {
        Operator::ALL
            .into_iter()
            .find(|operator| operator.node_kind() == kind)
    }

    /// Result of an operation whose value does not depend on the evaluator: those of IEEE 754.
    pub(super) fn applied(self, a: f64, b: f64) -> Option<f64> {
        match self {
            Operator::Add => Some(a + b),
            Operator::Subtract => Some(a - b),
            Operator::Multiply => Some(a * b),
            Operator::Divide => Some(a / b),
            Operator::Power => None,
        }
        .filter(|result| result.is_finite())
    }

    pub(super) fn precedence(self) -> Precedence {
        match self {
            Operator::Add | Operator::Subtract => Precedence::Sum,
            Operator::Multiply | Operator::Divide => Precedence::Product,
            Operator::Power => Precedence::Power,
        }
    }
}

/// `let name = value` or `name = value` or `value`; statements are separated by `;`.
#[derive(Debug)]
pub(super) struct Statement<'t> {
    pub(super) kind: StatementKind<'t>,
    /// Byte offset of the statement.
    pub(super) at: usize,
    /// Expressions of the statement; the last is its value.
    pub(super) expressions: Range<ExpressionIndex>,
}

#[derive(Debug)]
pub(super) enum StatementKind<'t> {
    Binding(Name<'t>),
    Output(Option<Name<'t>>),
}

impl Statement<'_> {
    pub(super) fn value(&self) -> ExpressionIndex {
        self.expressions.end - 1
    }
}
