//! Translates syntax trees to the language of expressions.
//!
//! Assignments become let bindings, calls of functions that the text defines are inlined, and conditions become
//! choices. The result is a guess at what is meant: [`super::explain`] compiles it before anybody reads it.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use super::effects;
use super::infinity;
use super::notes::{Notes, Why};
use super::print::print;
use super::program::{MAIN, is_program, last_class, main_definition, mentions, returns};
use super::tree::{
    Class, Expr, Parameter, Result, Statement, Target, Untranslatable, fold, member, name, vector,
};
use super::vectors;
use crate::graph::Document;

/// Most nodes of trees that are copied; a longer text is of no use in a message.
pub(super) const BUDGET: usize = 4_000;
/// Names that points have in other languages.
pub(super) const POINTS: [&str; 11] = [
    "p", "P", "point", "position", "pt", "coord", "coords", "xyz", "Pos", "pnt", "points",
];
/// Type of a value, as far as it is plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ty {
    Float,
    Vector,
}

/// Meaning of a free name of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FreePoints {
    /// Itself: a float argument.
    Argument,
    /// Itself, unless it is combined with a vector.
    Float,
    /// `pos`.
    Position,
}

/// A function of the text: its parameters and its body.
pub(super) type Definition = (Vec<Parameter>, Vec<Statement>);

/// A let binding.
#[derive(Debug, Clone)]
pub(super) struct Binding {
    pub(super) name: String,
    pub(super) value: Expr,
    pub(super) ty: Option<Ty>,
    /// True if the value depends on the point.
    pub(super) has_position: bool,
    /// True if the value is a vector of two components.
    pub(super) is_flat: bool,
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "each says one thing of the text"
)]
pub(super) struct Translator<'a> {
    pub(super) document: &'a Document,
    pub(super) arguments: HashSet<&'a str>,
    pub(super) notes: &'a mut Notes,
    pub(super) points: FreePoints,
    /// True if the text has a shape of `OpenSCAD`, whose shapes one after the other are a union.
    pub(super) is_scad: bool,
    /// True if a vector of two components was met.
    pub(super) has_flat: bool,
    /// Number of values that were looked at to find such vectors.
    pub(super) flat_steps: Cell<usize>,
    /// True where shapes are flat: within an extrusion.
    pub(super) is_flat: bool,
    /// True where the distance to a rectangle is exact, so that an offset rounds it.
    pub(super) is_rounded: bool,
    pub(super) values: HashMap<String, Expr>,
    pub(super) definitions: HashMap<String, Definition>,
    pub(super) classes: HashMap<String, Class>,
    /// Names that have a value after one branch of a condition only.
    pub(super) undefined: HashSet<String>,
    pub(super) lets: Vec<Binding>,
    /// Index of a binding by its name.
    pub(super) bindings: HashMap<String, usize>,
    /// Names that stand for something already.
    pub(super) taken: HashSet<String>,
    pub(super) spent: usize,
    pub(super) inlined: usize,
}

impl<'a> Translator<'a> {
    pub(super) fn new(
        document: &'a Document,
        arguments: impl Iterator<Item = &'a str>,
        points: FreePoints,
        notes: &'a mut Notes,
    ) -> Self {
        Translator {
            document,
            arguments: arguments.collect(),
            notes,
            points,
            is_scad: false,
            has_flat: false,
            flat_steps: Cell::new(0),
            is_flat: false,
            is_rounded: false,
            values: HashMap::new(),
            definitions: HashMap::new(),
            classes: HashMap::new(),
            undefined: HashSet::new(),
            lets: Vec::new(),
            bindings: HashMap::new(),
            taken: HashSet::new(),
            spent: 0,
            inlined: 0,
        }
    }

    /// Translates a program to the text of an expression.
    #[expect(clippy::too_many_lines, reason = "one arm for each statement")]
    pub(super) fn program(mut self, statements: &[Statement]) -> Result<String> {
        let has_value = |statement: &Statement| {
            !matches!(
                statement,
                Statement::Assignment(..) | Statement::Value(Expr::Text(_))
            )
        };
        let has_value = statements.iter().any(has_value);
        let mut main = None;
        let mut outputs: Vec<(Option<String>, Expr)> = Vec::new();
        let mut last_let = None;
        let last_definition = main_definition(statements);
        let is_value = |it: &Statement| matches!(it, Statement::Value(value) if !matches!(value, Expr::Text(_)) && !effects::is_output(value));
        let values = statements
            .iter()
            .any(|it| is_value(it) || matches!(it, Statement::Return(_)));
        for (index, statement) in statements.iter().enumerate() {
            match statement {
                Statement::Definition(name, parameters, body) => {
                    if Some(index) == last_definition && !values {
                        main = Some((name, parameters, body));
                    } else {
                        let function = (parameters.clone(), body.clone());
                        self.definitions.insert(name.clone(), function);
                    }
                }
                Statement::Class(..) | Statement::Unreadable(_) => {
                    if matches!(statement, Statement::Class(..)) {
                        self.run(statement)?;
                    }
                }
                Statement::Value(value) if !self.is_result(value) => self.effect(value)?,
                Statement::Value(value) => {
                    let value = self.lower(value)?;
                    outputs.push((None, value));
                }
                Statement::Assignment(Target::Names(names), value, false, _)
                    if !has_value && names.len() == 1 =>
                {
                    let later = &statements[index + 1..];
                    let is_used = later.iter().any(|later| mentions(later, &names[0]));
                    // The elements of a list may have been used.
                    let is_list = matches!(value, Expr::List(..)) && !later.is_empty();
                    if is_used || is_list {
                        self.run(statement)?;
                    } else {
                        let value = self.lower(value)?;
                        outputs.push((Some(names[0].clone()), value));
                    }
                }
                Statement::Return(_) | Statement::If(..) => {
                    let value = self
                        .block(&statements[index..])?
                        .ok_or(Untranslatable::Unknown)?;
                    outputs.push((None, value));
                    break;
                }
                Statement::Assignment(target, ..) => {
                    self.run(statement)?;
                    if let Target::Names(names) = target {
                        last_let = names.last().cloned();
                    }
                }
            }
        }
        let has_other = main.is_some() || values || !outputs.is_empty();
        if let (false, Some(class)) = (has_other, last_class(statements)) {
            let value = self.main_object(class)?;
            outputs.push((None, value));
        }
        if let Some((name, parameters, body)) = main {
            if is_program(name) {
                return Err(Untranslatable::Construct(0, "main", MAIN));
            }
            self.main_parameters(parameters)?;
            let mut value = self.block(body)?.ok_or(Untranslatable::Unknown)?;
            if self.is_flat(&value) {
                // A distance and a material.
                let clause =
                    format!("the second component of {name} is left out: it is no distance");
                self.notes.add(0, Why::Clause, &clause);
                let pair = self.atom("v", value)?;
                value = member(pair, "x");
            }
            outputs.push((None, value));
        }
        if outputs.is_empty()
            && let Some(name) = last_let
        {
            outputs.push((None, self.values[&name].clone()));
        }
        if outputs.len() > 1 && outputs.iter().all(|(name, _)| name.is_none()) {
            if !self.is_scad {
                return Err(Untranslatable::Unknown);
            }
            let shapes = std::mem::take(&mut outputs)
                .into_iter()
                .map(|(_, shape)| shape);
            outputs.push((None, fold("min", shapes, 0)));
        }
        if let [(name @ Some(_), _)] = &mut outputs[..]
            && name.as_ref().is_some_and(|name| self.taken.contains(name))
        {
            // A binding has the name already.
            *name = None;
        }
        self.text(outputs)
    }

    /// Let bindings that the outputs need, and the outputs.
    pub(super) fn text(&self, outputs: Vec<(Option<String>, Expr)>) -> Result<String> {
        let mut needed: HashSet<String> = HashSet::new();
        for (_, value) in &outputs {
            value.names(&mut |name| {
                needed.insert(name.to_owned());
            });
        }
        let mut lets = Vec::new();
        for Binding { name, value, .. } in self.lets.iter().rev() {
            if needed.contains(name) {
                value.names(&mut |name| {
                    needed.insert(name.to_owned());
                });
                if let Some((at, name, hint)) = vectors::foreign(value) {
                    return Err(Untranslatable::Construct(at, name, hint));
                }
                lets.push(format!(
                    "let {name} = {}",
                    print(value).ok_or(Untranslatable::Unknown)?
                ));
            }
        }
        lets.reverse();
        for (name, value) in outputs {
            if let Some((at, name, hint)) = vectors::foreign(&value) {
                return Err(Untranslatable::Construct(at, name, hint));
            }
            let value = print(&value).ok_or(Untranslatable::Unknown)?;
            lets.push(name.map_or_else(|| value.clone(), |name| format!("{name} = {value}")));
        }
        Ok(lets.join("; "))
    }

    /// Runs statements up to a `return`; returns its value.
    pub(super) fn block(&mut self, statements: &[Statement]) -> Result<Option<Expr>> {
        for (index, statement) in statements.iter().enumerate() {
            match statement {
                Statement::Return(value) => return self.lower(value).map(Some),
                Statement::If(condition, then, otherwise) => {
                    if let Some(is_true) = self.decided(condition) {
                        let taken = if is_true { then } else { otherwise };
                        let value = self.block(taken)?;
                        if value.is_some() {
                            return Ok(value);
                        }
                        continue;
                    }
                    let before = self.values.clone();
                    if returns(then) || returns(otherwise) {
                        // What follows belongs to each branch that goes on.
                        let rest = &statements[index + 1..];
                        let first = self.block(&[then, rest].concat())?;
                        self.values = before.clone();
                        let second = self.block(&[otherwise, rest].concat())?;
                        self.values = before;
                        let (Some(first), Some(second)) = (first, second) else {
                            return Err(Untranslatable::Unknown);
                        };
                        return self.choose(condition, first, second).map(Some);
                    }
                    self.block(then)?;
                    let after = std::mem::replace(&mut self.values, before.clone());
                    self.block(otherwise)?;
                    self.merge(condition, &before, &after)?;
                }
                Statement::Assignment(..) | Statement::Definition(..) | Statement::Class(..) => {
                    self.run(statement)?;
                }
                Statement::Unreadable(reason) => return Err(reason.clone()),
                // A value at the end of a body is what some languages return.
                Statement::Value(value)
                    if index + 1 == statements.len() && self.is_result(value) =>
                {
                    return self.lower(value).map(Some);
                }
                Statement::Value(value) => self.effect(value)?,
            }
        }
        Ok(None)
    }

    /// Chooses among the values that names have after the two branches of an `if`.
    pub(super) fn merge(
        &mut self,
        condition: &Expr,
        before: &HashMap<String, Expr>,
        after: &HashMap<String, Expr>,
    ) -> Result<()> {
        let otherwise = std::mem::replace(&mut self.values, before.clone());
        let mut names: Vec<&String> = after.keys().chain(otherwise.keys()).collect();
        names.sort_unstable();
        names.dedup();
        let mut chosen = Vec::new();
        for name in names {
            let (then, otherwise) = (after.get(name), otherwise.get(name));
            if then.is_some() != otherwise.is_some() {
                self.undefined.insert(name.clone());
            }
            if let (Some(then), Some(otherwise)) = (then, otherwise)
                && then != otherwise
            {
                let value = self.choose(condition, then.clone(), otherwise.clone())?;
                chosen.push((name.clone(), value));
            }
        }
        for (name, value) in chosen {
            self.assign(&name, value);
        }
        Ok(())
    }

    /// True if a condition that a name stands for mentions another name, whose value must not change then.
    fn is_in_condition(&self, assigned: &str) -> bool {
        self.values.iter().any(|(name, stored)| {
            let mut is_mentioned = false;
            stored.names(&mut |inner| is_mentioned |= inner == assigned);
            is_mentioned && self.is_condition(&Expr::Name(name.clone(), 0))
        })
    }

    /// Runs an assignment or a definition.
    pub(super) fn run(&mut self, statement: &Statement) -> Result<()> {
        match statement {
            Statement::Definition(name, parameters, body) => {
                let function = (parameters.clone(), body.clone());
                self.definitions.insert(name.clone(), function);
            }
            Statement::Assignment(Target::Names(names), value, _, at) => match &names[..] {
                [only] => {
                    if self.is_condition(value) {
                        self.spend(value)?;
                        self.values.insert(only.clone(), value.clone());
                        return Ok(());
                    }
                    let value = self.lower(value)?;
                    if self.is_in_condition(only) {
                        return Err(Untranslatable::Unknown);
                    }
                    if self.values.contains_key(only) {
                        self.notes.add(*at, Why::Twice, only);
                    }
                    self.assign(only, value);
                }
                several => {
                    self.notes
                        .add(*at, Why::Python, &format!("{} =", several.join(", ")));
                    let values: Vec<Expr> = match value {
                        Expr::List(values, _) if values.len() == several.len() => values
                            .iter()
                            .map(|value| self.lower(value))
                            .collect::<Result<_>>()?,
                        value => {
                            let value = self.lower(value)?;
                            let axes = match (several.len(), self.is_flat(&value)) {
                                (3, false) => vec!["x", "y", "z"],
                                (2, true) => vec!["x", "y"],
                                _ => return Err(Untranslatable::Unknown),
                            };
                            let value = self.atom("v", value)?;
                            let axes = axes.into_iter();
                            axes.map(|axis| member(value.clone(), axis)).collect()
                        }
                    };
                    for (name, value) in several.iter().zip(values) {
                        self.assign(name, value);
                    }
                }
            },
            Statement::Assignment(Target::Member(of, component), value, _, at) => {
                self.notes
                    .add(*at, Why::Component, &format!("{of}.{component} ="));
                let value = self.lower(value)?;
                if !self.set_field(of, component, value.clone())? {
                    self.assign_member(of, component, value)?;
                }
            }
            Statement::Class(name, class) => {
                self.classes.insert(name.clone(), class.clone());
            }
            Statement::Value(_)
            | Statement::Return(_)
            | Statement::If(..)
            | Statement::Unreadable(_) => {
                unreachable!("the callers run these")
            }
        }
        Ok(())
    }

    /// Gives components of a vector a value.
    pub(super) fn assign_member(&mut self, of: &str, component: &str, value: Expr) -> Result<()> {
        // Other languages than GLSL keep one vector under two names.
        let bound = self.values.get(of);
        let is_shared = |(name, value): (&String, &Expr)| name != of && Some(value) == bound;
        let is_alias = bound.is_some_and(|value| *value == name("pos")) && !POINTS.contains(&of);
        if !self.notes.has_glsl()
            && bound.is_some()
            && (is_alias || self.values.iter().any(is_shared))
        {
            return Err(Untranslatable::Unknown);
        }
        let old = self.lower(&name(of))?;
        let new = match component {
            "x" | "y" | "z" => ["x", "y", "z"].map(|axis| {
                if axis == component {
                    value.clone()
                } else {
                    member(old.clone(), axis)
                }
            }),
            // `p.xy = ...` takes the first components of the value.
            "xy" | "xz" | "yz" => {
                let value = self.atom("v", value)?;
                ["x", "y", "z"].map(|axis| match component.find(axis) {
                    Some(0) => member(value.clone(), "x"),
                    Some(_) => member(value.clone(), "y"),
                    None => member(old.clone(), axis),
                })
            }
            _ => return Err(Untranslatable::Unknown),
        };
        self.assign(of, vector(new));
        Ok(())
    }

    /// Binds a name to a value, under another name if it is taken.
    pub(super) fn assign(&mut self, name: &str, value: Expr) {
        let is_atom = match &value {
            Expr::Name(..) | Expr::Text(_) | Expr::Record(..) => true,
            Expr::Member(of, ..) => matches!(**of, Expr::Name(..)),
            // There are no such types: their elements are used.
            Expr::Call(function, ..) => matches!(function.as_str(), "mat2" | "mat3" | "vec4"),
            other => infinity::sign(other) != 0,
        };
        let bound = if is_atom {
            value
        } else {
            self.bind(name, value)
        };
        self.values.insert(name.to_owned(), bound);
    }

    pub(super) fn bind(&mut self, wanted: &str, value: Expr) -> Expr {
        let mut bound = wanted.to_owned();
        let mut count = 1;
        let is_reserved = |name: &str| matches!(name, "let" | "pos" | "pi" | "e" | "x" | "y" | "z");
        while self.taken.contains(&bound) || self.arguments.contains(&*bound) || is_reserved(&bound)
        {
            count += 1;
            bound = format!("{wanted}{count}");
        }
        self.taken.insert(bound.clone());
        let (ty, has_position) = (self.ty(&value), self.mentions_position(&value));
        let is_flat = self.is_flat(&value);
        self.bindings.insert(bound.clone(), self.lets.len());
        self.lets.push(Binding {
            name: bound.clone(),
            value,
            ty,
            has_position,
            is_flat,
        });
        name(&bound)
    }

    /// The value itself if it may be repeated, else a let binding of it.
    pub(super) fn atom(&mut self, wanted: &str, value: Expr) -> Result<Expr> {
        self.spend(&value)?;
        Ok(match value {
            Expr::Name(..) | Expr::Number(_) => value,
            Expr::Member(ref of, ..) if matches!(**of, Expr::Name(..)) => value,
            value => self.bind(wanted, value),
        })
    }

    pub(super) fn spend(&mut self, value: &Expr) -> Result<()> {
        self.spent += value.size();
        if self.spent > BUDGET {
            Err(Untranslatable::Unknown)
        } else {
            Ok(())
        }
    }
}
