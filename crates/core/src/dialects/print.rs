//! Prints translated syntax trees as expressions.

use std::fmt::Write as _;

use super::tree::{Argument, Expr};

/// Precedences of the grammar of expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Conditional,
    Sum,
    Product,
    Unary,
    Power,
    Primary,
}

/// Prints an expression; `None` if it has a construct that expressions lack.
pub(super) fn print(expr: &Expr) -> Option<String> {
    let mut text = String::new();
    put(expr, Level::Conditional, &mut text)?;
    Some(text)
}

fn level(expr: &Expr) -> Level {
    match expr {
        Expr::Conditional(..) => Level::Conditional,
        Expr::Binary("+" | "-", ..) => Level::Sum,
        Expr::Binary("*" | "/", ..) => Level::Product,
        Expr::Binary(..) => Level::Power,
        Expr::Negation(_) => Level::Unary,
        Expr::Number(number) if number.starts_with('-') => Level::Unary,
        _ => Level::Primary,
    }
}

fn put(expr: &Expr, at_least: Level, text: &mut String) -> Option<()> {
    let level = level(expr);
    if level < at_least {
        text.push('(');
    }
    match expr {
        Expr::Number(number) => text.push_str(number),
        Expr::Text(string) => {
            text.push('"');
            text.push_str(&string.replace('"', "\"\""));
            text.push('"');
        }
        Expr::Name(name, _) => text.push_str(name),
        Expr::Negation(inner) => {
            text.push('-');
            put(inner, Level::Unary, text)?;
        }
        Expr::Binary(operator, left, right) => {
            let (before, after) = match level {
                Level::Sum => (Level::Sum, Level::Product),
                Level::Product => (Level::Product, Level::Unary),
                _ => (Level::Primary, Level::Unary),
            };
            put(left, before, text)?;
            if *operator == "^" {
                text.push('^');
            } else {
                let _ = write!(text, " {operator} ");
            }
            put(right, after, text)?;
        }
        Expr::Conditional(condition, then, otherwise) => {
            let Expr::Comparison(operator, left, right, _) = &**condition else {
                return None;
            };
            put(left, Level::Sum, text)?;
            let _ = write!(text, " {operator} ");
            put(right, Level::Sum, text)?;
            text.push_str(" ? ");
            put(then, Level::Sum, text)?;
            text.push_str(" : ");
            put(otherwise, Level::Conditional, text)?;
        }
        Expr::Call(name, arguments, _) => {
            text.push_str(name);
            text.push('(');
            for (index, Argument { value, .. }) in arguments.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                put(value, Level::Conditional, text)?;
            }
            text.push(')');
        }
        Expr::Member(of, name, _) => {
            put(of, Level::Primary, text)?;
            text.push('.');
            text.push_str(name);
        }
        Expr::Bool(_)
        | Expr::Comparison(..)
        | Expr::And(..)
        | Expr::Or(..)
        | Expr::Not(_)
        | Expr::Method(..)
        | Expr::Module(..)
        | Expr::Index(..)
        | Expr::FirstTwo(..)
        | Expr::List(..)
        | Expr::Lambda(..) => return None,
    }
    if level < at_least {
        text.push(')');
    }
    Some(())
}
