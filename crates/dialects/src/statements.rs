//! What statements assign, mention, return and are about.

use std::collections::BTreeSet;

use crate::tree::{Expr, Statement, Target, union};

/// True if a function is a program, or draws, and is no shape.
pub(super) fn is_program(text: &str) -> bool {
    const NAMES: [&str; 22] = [
        "main",
        "mainimage",
        "render",
        "raymarch",
        "march",
        "trace",
        "castray",
        "normal",
        "calcnormal",
        "getnormal",
        "shade",
        "lighting",
        "softshadow",
        "calcao",
        "plot",
        "test",
        "demo",
        "estimatenormal",
        "intersect",
        "gradient",
        "setup",
        "draw",
    ];
    NAMES.contains(&&*text.replace('_', "").to_lowercase())
}

/// The definition that a text is about: the last that is no program, or the last. If that cannot be read, or another uses it, it
/// is the last whose name says that it is, or that none uses.
pub(super) fn main_definition(statements: &[Statement]) -> Option<usize> {
    const NAMES: [&str; 12] = [
        "map", "scene", "sdf", "de", "f", "dist", "distance", "getdist", "sdscene", "scenesdf",
        "model", "shape",
    ];
    let find = |is_one: &dyn Fn(&str, bool) -> bool| {
        statements.iter().rposition(|it| {
            matches!(it, Statement::Definition(name, _, body)
                if is_one(name, !matches!(body[..], [Statement::Unreadable(_)])))
        })
    };
    let is_named = |name: &str| NAMES.contains(&&*name.replace('_', "").to_lowercase());
    let last = find(&|name, _| !is_program(name));
    let readable = find(&|name, is_readable| is_readable && !is_program(name));
    if readable == last {
        let last = last.or_else(|| find(&|_, _| true));
        let is_helper = |name: &str| !is_named(name) && is_used_by_another(statements, name);
        let Some(Statement::Definition(name, ..)) = last.map(|last| &statements[last]) else {
            return last;
        };
        if is_named(name) || is_program(name) {
            return last;
        }
        let named = find(&|name, _| is_named(name) && !is_used_by_another(statements, name));
        let unused = || find(&|name, _| !is_program(name) && !is_helper(name));
        return named.or_else(unused).or(last);
    }
    find(&|name, _| is_named(name)).or(last)
}

/// True if a definition that is no program uses another, by its name.
fn is_used_by_another(statements: &[Statement], wanted: &str) -> bool {
    statements.iter().any(|it| {
        matches!(it, Statement::Definition(name, ..) if name != wanted && !is_program(name))
            && uses(it, &|used| used == wanted)
    })
}

/// True if the last statement gives a name a value that depends on a function that the text defines.
pub(super) fn ends_in_value(statements: &[Statement]) -> bool {
    let (mut dependent, mut is_last) = (BTreeSet::new(), false);
    for statement in statements {
        match statement {
            Statement::Definition(name, ..) => {
                dependent.insert(name);
                is_last = false;
            }
            Statement::Assignment(Target::Names(names), value, ..) => {
                is_last = uses_value(value, &|used| dependent.iter().any(|it| **it == used));
                if is_last {
                    dependent.extend(names);
                }
            }
            Statement::Unreadable(_) | Statement::Value(_) => {}
            Statement::Assignment(..)
            | Statement::Class(..)
            | Statement::Return(_)
            | Statement::If(..) => is_last = false,
        }
    }
    is_last
}

/// True if a statement uses a name, or calls a function, that is wanted.
fn uses(statement: &Statement, is_wanted: &dyn Fn(&str) -> bool) -> bool {
    match statement {
        Statement::Assignment(_, value, ..)
        | Statement::Value(value)
        | Statement::Return(value) => uses_value(value, is_wanted),
        Statement::Class(..) | Statement::Unreadable(_) => false,
        Statement::Definition(_, _, body) => body.iter().any(|inner| uses(inner, is_wanted)),
        Statement::If(condition, then, otherwise) => {
            let mut inner = then.iter().chain(otherwise);
            uses_value(condition, is_wanted) || inner.any(|inner| uses(inner, is_wanted))
        }
    }
}

fn uses_value(value: &Expr, is_wanted: &dyn Fn(&str) -> bool) -> bool {
    let mut found = false;
    value.names(&mut |name| found |= is_wanted(name));
    value.calls(&mut |name| found |= is_wanted(name));
    found
}

/// Name of the last class that a text defines.
pub(super) fn last_class(statements: &[Statement]) -> Option<&str> {
    statements.iter().rev().find_map(|it| match it {
        Statement::Class(name, _) => Some(name.as_str()),
        _ => None,
    })
}

/// True if statements return a value.
pub(super) fn returns(body: &[Statement]) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Return(_) => true,
        Statement::If(_, then, otherwise) => returns(then) || returns(otherwise),
        _ => false,
    })
}

/// Names that statements declare, which end with them.
pub(super) fn declared(body: &[Statement]) -> impl Iterator<Item = &String> {
    let names = body.iter().map(|statement| match statement {
        Statement::Assignment(Target::Names(names), _, true, _) => &names[..],
        _ => &[],
    });
    names.flatten()
}

/// True if shapes use a name before it gets a value, which it has from the beginning on in `OpenSCAD`.
pub(super) fn assigns_late(body: &[Statement]) -> bool {
    body.iter().enumerate().any(|(index, statement)| {
        let Statement::Assignment(Target::Names(names), ..) = statement else {
            return false;
        };
        let is_used = |earlier: &Statement| {
            let is_shape = matches!(earlier, Statement::Value(_) | Statement::If(..));
            is_shape && names.iter().any(|name| mentions(earlier, name))
        };
        body[..index].iter().any(is_used)
    })
}

/// The shape that a statement of `OpenSCAD` is, if its values are; `None` if it is none.
pub(super) fn shape_of(statement: &Statement, is_shape: &dyn Fn(&Expr) -> bool) -> Option<Expr> {
    let union = |branch: &[Statement]| {
        let shapes = branch.iter().map(|inner| shape_of(inner, is_shape));
        shapes.collect::<Option<_>>().map(union)
    };
    match statement {
        Statement::Value(shape) => is_shape(shape).then(|| shape.clone()),
        Statement::If(condition, then, otherwise) => {
            let (then, otherwise) = (Box::new(union(then)?), Box::new(union(otherwise)?));
            Some(Expr::Conditional(
                Box::new(condition.clone()),
                then,
                otherwise,
            ))
        }
        _ => None,
    }
}

/// True if statements give components or fields of a name values.
pub(super) fn changes_member(body: &[Statement], wanted: &str) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Assignment(Target::Member(of, _), ..) => of == wanted,
        Statement::If(_, then, otherwise) => {
            changes_member(then, wanted) || changes_member(otherwise, wanted)
        }
        _ => false,
    })
}

/// True if a statement mentions a name.
pub(super) fn mentions(statement: &Statement, wanted: &str) -> bool {
    let mut found = false;
    let mut visit = |value: &Expr| value.names(&mut |name| found |= name == wanted);
    match statement {
        Statement::Assignment(Target::Member(of, _), ..) if of == wanted => return true,
        Statement::Assignment(Target::Names(names), value, ..) => {
            visit(value);
            return found || names.iter().any(|name| name == wanted);
        }
        Statement::Assignment(_, value, ..)
        | Statement::Value(value)
        | Statement::Return(value) => visit(value),
        Statement::Class(..) | Statement::Unreadable(_) => return false,
        Statement::Definition(_, _, body) => {
            return body.iter().any(|inner| mentions(inner, wanted));
        }
        Statement::If(condition, then, otherwise) => {
            visit(condition);
            return found
                || then
                    .iter()
                    .chain(otherwise)
                    .any(|inner| mentions(inner, wanted));
        }
    }
    found
}

/// True if statements assign to a name.
pub(super) fn assigns(body: &[Statement], wanted: &str) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Assignment(Target::Names(names), ..) => names.iter().any(|name| name == wanted),
        Statement::Assignment(Target::Member(name, _), ..) => name == wanted,
        Statement::If(_, then, otherwise) => assigns(then, wanted) || assigns(otherwise, wanted),
        _ => false,
    })
}
