//! Prints translated syntax trees as expressions.

use std::fmt::Write as _;

use fibula_core::expression::Precedence;

use crate::tree::{Argument, Expr};

/// Prints an expression; `None` if it has a construct that expressions lack.
pub(super) fn print(expr: &Expr) -> Option<String> {
    let mut text = String::new();
    put(expr, Precedence::Conditional, &mut text)?;
    Some(text)
}

fn level(expr: &Expr) -> Precedence {
    match expr {
        Expr::Conditional(..) => Precedence::Conditional,
        Expr::Binary("+" | "-", ..) => Precedence::Sum,
        Expr::Binary("*" | "/", ..) => Precedence::Product,
        Expr::Binary(..) => Precedence::Power,
        Expr::Negation(_) => Precedence::Unary,
        Expr::Number(number) if number.starts_with('-') => Precedence::Unary,
        _ => Precedence::Primary,
    }
}

fn put(expr: &Expr, at_least: Precedence, text: &mut String) -> Option<()> {
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
            put(inner, Precedence::Unary, text)?;
        }
        Expr::Binary(operator, left, right) => {
            let (before, after) = match level {
                Precedence::Sum => (Precedence::Sum, Precedence::Product),
                Precedence::Product => (Precedence::Product, Precedence::Unary),
                _ => (Precedence::Primary, Precedence::Unary),
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
            put(left, Precedence::Sum, text)?;
            let _ = write!(text, " {operator} ");
            put(right, Precedence::Sum, text)?;
            text.push_str(" ? ");
            put(then, Precedence::Sum, text)?;
            text.push_str(" : ");
            put(otherwise, Precedence::Conditional, text)?;
        }
        Expr::Call(name, arguments, at) if name == "vec2" && arguments.len() == 2 => {
            let mut arguments = arguments.clone();
            arguments.push(Argument {
                name: None,
                value: Expr::Number("0".to_owned()),
            });
            let raised = Expr::Call("vec3".to_owned(), arguments, *at);
            put(&raised, Precedence::Primary, text)?;
        }
        Expr::Call(name, arguments, _) => {
            text.push_str(name);
            text.push('(');
            for (index, Argument { name, value }) in arguments.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                if let Some(name) = name {
                    let _ = write!(text, "{name} = ");
                }
                put(value, Precedence::Conditional, text)?;
            }
            text.push(')');
        }
        Expr::Member(of, name, _) => {
            put(of, Precedence::Primary, text)?;
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
        | Expr::Lambda(..)
        | Expr::Record(..) => return None,
    }
    if level < at_least {
        text.push(')');
    }
    Some(())
}
