//! The order of declarations: a name that gets its only value after the shapes that use it has the value in these, too.
//!
//! `OpenSCAD` says so, and in other languages such a text has no other meaning. Without this, a translation would have
//! a free input in the place of the value.

use std::collections::HashSet;

use crate::names::POINTS;
use crate::notes::{Notes, Why};
use crate::statements::{assigns, mentions};
use crate::tree::{Expr, Result, Statement, Target, Untranslatable};

/// Statements of a program or a module, in which declarations precede the statements that use their names.
///
/// Names of the point and those that `is_input` says are inputs stay what they are until they get a value.
///
/// # Errors
/// If a name that is used before it has a value gets several, or values depend on each other.
pub(super) fn ordered(
    statements: Vec<Statement>,
    is_input: &dyn Fn(&str) -> bool,
    notes: &mut Notes,
) -> Result<Vec<Statement>> {
    let late = |index: usize| {
        let name = declared_name(&statements[index]).filter(|name| !is_input(name))?;
        let is_first = !statements[..index]
            .iter()
            .any(|it| assigns(std::slice::from_ref(it), name));
        let first = first_use(&statements[..index], name)?;
        (is_first && !value_mentions(&statements[index], name)).then_some((index, first))
    };
    let late: Vec<(usize, usize)> = (0..statements.len()).filter_map(late).collect();
    let Some(start) = late.iter().map(|(_, first)| *first).min() else {
        return Ok(statements);
    };
    let mut moved: Vec<usize> = late.iter().map(|(index, _)| *index).collect();
    for &index in &moved {
        let Statement::Assignment(Target::Names(names), _, _, at) = &statements[index] else {
            unreachable!("a late statement is an assignment");
        };
        let clause = format!("{} is used before it gets a value", names[0]);
        notes.add(*at, Why::Clause, &clause);
    }
    // What the values depend on moves with them.
    let mut next = 0;
    while let Some(&index) = moved.get(next) {
        let needed = (start..statements.len()).filter(|other| {
            let name = declared_name(&statements[*other]);
            name.is_some_and(|name| value_mentions(&statements[index], name))
        });
        let needed: Vec<usize> = needed.filter(|other| !moved.contains(other)).collect();
        moved.extend(needed);
        next += 1;
    }
    for &index in &moved {
        let name = declared_name(&statements[index]).ok_or(Untranslatable::Unknown)?;
        if statements
            .iter()
            .filter(|it| assigns(std::slice::from_ref(it), name))
            .count()
            > 1
        {
            return Err(Untranslatable::Unknown);
        }
    }
    moved.sort_unstable();
    let mut order: Vec<usize> = (0..start).collect();
    order.extend(by_dependence(&statements, moved.clone())?);
    order.extend((start..statements.len()).filter(|index| !moved.contains(index)));
    let in_order = order.into_iter().map(|index| statements[index].clone());
    Ok(in_order.collect())
}

/// Assignments in an order in which each follows those that it mentions.
fn by_dependence(statements: &[Statement], mut rest: Vec<usize>) -> Result<Vec<usize>> {
    let mut order = Vec::new();
    while !rest.is_empty() {
        let is_ready = |index: &usize| {
            !rest.iter().any(|other| {
                let name = declared_name(&statements[*other]);
                name.is_some_and(|name| value_mentions(&statements[*index], name))
            })
        };
        let ready = rest.iter().position(is_ready);
        order.push(rest.remove(ready.ok_or(Untranslatable::Unknown)?));
    }
    Ok(order)
}

/// The name that a statement gives a value, if it is no name of the point.
fn declared_name(statement: &Statement) -> Option<&str> {
    let Statement::Assignment(Target::Names(names), ..) = statement else {
        return None;
    };
    let [name] = &names[..] else {
        return None;
    };
    let is_point = matches!(name.as_str(), "pos" | "x" | "y" | "z") || POINTS.contains(&&**name);
    (!is_point).then_some(name)
}

/// Index of the first statement that computes with a name, also within the functions that it calls.
fn first_use(statements: &[Statement], name: &str) -> Option<usize> {
    let mut functions = HashSet::new();
    for statement in statements {
        if let Statement::Definition(function, parameters, body) = statement
            && mentions(statement, name)
            && !assigns(body, name)
            && parameters.iter().all(|own| own.name != name)
        {
            functions.insert(function.as_str());
        }
    }
    statements.iter().position(|statement| match statement {
        Statement::Definition(..) | Statement::Class(..) | Statement::Unreadable(_) => false,
        Statement::Value(value)
        | Statement::Return(value)
        | Statement::Assignment(_, value, ..) => {
            mentions(statement, name) || calls(value, &functions)
        }
        Statement::If(..) => mentions(statement, name),
    })
}

/// True if a value calls one of the functions.
fn calls(value: &Expr, functions: &HashSet<&str>) -> bool {
    let mut found = false;
    value.calls(&mut |name| found |= functions.contains(name));
    found
}

fn value_mentions(statement: &Statement, wanted: &str) -> bool {
    let mut found = false;
    if let Statement::Assignment(_, value, ..) = statement {
        value.names(&mut |name| found |= name == wanted);
    }
    found
}
