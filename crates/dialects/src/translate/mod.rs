//! Translates syntax trees to the language of expressions.
//!
//! Assignments become let bindings, calls of functions that the text defines are inlined, and conditions become
//! choices. The result is a guess at what is meant: [`crate::explain`] compiles it before anybody reads it.

mod arguments;
mod blocks;
mod calls;
mod conditions;
mod distance_functions;
mod effects;
mod extrusion;
mod fields;
mod flat;
mod openscad;
mod placement;
mod print;
mod program;
mod records;
mod reductions;
mod rotation;
mod scopes;
mod solids;
mod values;
mod vectors;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use fibula_core::graph::Document;

use crate::infinity;
use crate::names::POINTS;
use crate::notes::{Notes, Why};
use crate::statements::{
    assigns_late, ends_in_value, is_program, last_class, main_definition, mentions, shape_of,
};
use crate::tree::{
    Class, Expr, MAX_COPIED_NODES, Result, Statement, Target, Untranslatable, member, name,
};
use conditions::check_conditions;
use print::print;
use program::MAIN;
use reductions::folded;
use scopes::{Definition, Values};

pub(super) use solids::SOLIDS_HINT;

/// Type of a value, as far as it is plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ty {
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

/// A let binding.
#[derive(Debug, Clone)]
struct Binding {
    name: String,
    value: Expr,
    ty: Option<Ty>,
    /// True if the value depends on the point.
    has_position: bool,
    /// True if the value is a vector of two components.
    is_flat: bool,
    /// True if no part of the value is infinite.
    is_finite: bool,
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "each says one thing of the text"
)]
pub(super) struct Translator<'a> {
    document: &'a Document,
    arguments: HashSet<&'a str>,
    /// Words of the text, of which any may be the name of an input.
    words: HashSet<&'a str>,
    notes: &'a mut Notes,
    points: FreePoints,
    /// True if the text has a shape of `OpenSCAD`, whose shapes one after the other are a union.
    is_scad: bool,
    /// True if a vector of two components was met.
    has_flat: bool,
    /// Number of values that were looked at to find such vectors.
    flat_steps: Cell<usize>,
    /// True where shapes are flat: within an extrusion.
    is_flat: bool,
    /// True where the distance to a rectangle is exact, so that an offset rounds it.
    is_rounded: bool,
    values: Values,
    /// Values of names in the scopes around, from the outermost on.
    outer: Vec<Values>,
    definitions: HashMap<String, Definition>,
    classes: HashMap<String, Class>,
    /// Names that have a value after one branch of a condition only.
    undefined: HashSet<String>,
    /// Names that were declared, with the values that they had before.
    hidden: Vec<(String, Option<Expr>)>,
    lets: Vec<Binding>,
    /// Index of a binding by its name.
    bindings: HashMap<String, usize>,
    /// Names of parameters with those of the bindings of the numbers that calls gave them.
    parameters: Vec<(String, String)>,
    /// Names that stand for something already.
    taken: HashSet<String>,
    spent: usize,
    inlined: usize,
}

impl<'a> Translator<'a> {
    pub(super) fn new(
        document: &'a Document,
        arguments: impl Iterator<Item = &'a str>,
        text: &'a str,
        points: FreePoints,
        notes: &'a mut Notes,
    ) -> Self {
        Translator {
            document,
            arguments: arguments.collect(),
            words: text
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .collect(),
            notes,
            points,
            is_scad: false,
            has_flat: false,
            flat_steps: Cell::new(0),
            is_flat: false,
            is_rounded: false,
            values: Values::new(),
            outer: Vec::new(),
            definitions: HashMap::new(),
            classes: HashMap::new(),
            undefined: HashSet::new(),
            hidden: Vec::new(),
            lets: Vec::new(),
            bindings: HashMap::new(),
            parameters: Vec::new(),
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
        let is_own = |wanted: &str| {
            statements
                .iter()
                .any(|it| matches!(it, Statement::Definition(name, ..) if name == wanted))
        };
        let is_shown = |it: &Expr| !matches!(it, Expr::Text(_)) && !effects::is_output(it, &is_own);
        let is_value = |it: &Statement| shape_of(it, &is_shown).is_some();
        let values = statements
            .iter()
            .any(|it| is_value(it) || matches!(it, Statement::Return(_)));
        let has_last_value = !values && ends_in_value(statements);
        for (index, statement) in statements.iter().enumerate() {
            if let Statement::If(..) = statement
                && let Some(shape) = shape_of(statement, &|value| self.is_result(value))
            {
                outputs.push((None, self.lower(&shape)?));
                continue;
            }
            match statement {
                Statement::Definition(name, parameters, body) => {
                    if Some(index) == last_definition && !values && !has_last_value {
                        main = Some((name, parameters, body));
                    } else {
                        self.define(name, self.definition(parameters, body))?;
                    }
                }
                Statement::Class(..) => self.run(statement)?,
                Statement::Unreadable(_) => {}
                Statement::Value(value) if !self.is_result(value) => self.effect(value)?,
                Statement::Value(value) => {
                    let value = self.shape(value)?;
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
                        let value = self.shape(value)?;
                        outputs.push((Some(names[0].clone()), value));
                    }
                }
                // Assignments of a block of OpenSCAD end with it.
                Statement::If(..) if self.notes.has_scad() => return Err(Untranslatable::Unknown),
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
        let has_other = main.is_some() || values || has_last_value || !outputs.is_empty();
        if let (false, Some(class)) = (has_other, last_class(statements)) {
            let value = self.main_object(class)?;
            outputs.push((None, value));
        }
        if let Some((name, parameters, body)) = main {
            if is_program(name) {
                return Err(Untranslatable::Construct(0, "main", MAIN));
            }
            self.outer.push(self.values.clone());
            self.main_parameters(parameters)?;
            let condition = match &body[..] {
                [Statement::Return(value) | Statement::Value(value)] => Some(value),
                _ => None,
            };
            let mut value = match condition.filter(|value| self.is_condition(value)) {
                Some(condition) => self.shape(condition)?,
                None => self.block(body)?.ok_or(Untranslatable::Unknown)?,
            };
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
            let is_vector = |(_, value): &(_, Expr)| self.ty(value) == Some(Ty::Vector);
            if !self.is_scad || outputs.iter().any(is_vector) {
                return Err(Untranslatable::Unknown);
            }
            let shapes = std::mem::take(&mut outputs)
                .into_iter()
                .map(|(_, shape)| shape);
            outputs.push((None, folded("min", shapes.collect(), 0)));
        }
        let has_negative = |it: &Statement| matches!(it, Statement::Value(Expr::Not(_)));
        let is_partial = statements.len() > 1 && statements.iter().any(has_negative);
        if self.is_scad && (is_partial || assigns_late(statements)) {
            // Of `!a; b;` OpenSCAD has the first shape only.
            return Err(Untranslatable::Unknown);
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
    fn text(&self, outputs: Vec<(Option<String>, Expr)>) -> Result<String> {
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

    /// Runs an assignment or a definition.
    fn run(&mut self, statement: &Statement) -> Result<()> {
        if let Statement::Assignment(Target::Names(names), _, true, _) = statement {
            let old = |name: &String| (name.clone(), self.values.get(name).cloned());
            self.hidden.extend(names.iter().map(old));
        }
        match statement {
            Statement::Definition(name, parameters, body) => {
                self.define(name, self.definition(parameters, body))?;
            }
            Statement::Assignment(Target::Names(names), value, _, at) => match &names[..] {
                [only] => {
                    if self.is_truth(value) {
                        let same = match value {
                            Expr::Name(other, _) => self.values.get(other),
                            _ => None,
                        };
                        let value = same.unwrap_or(value).clone();
                        self.spend(&value)?;
                        self.check_calls(&value)?;
                        self.values.insert(only.clone(), value);
                        return check_conditions(&self.values, only);
                    }
                    let value = self.lower(value)?;
                    if self.values.contains_key(only) {
                        self.notes.add(*at, Why::Twice, only);
                    }
                    self.assign(only, value)?;
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
                        self.assign(name, value)?;
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
            // The methods of others have names of the scope around.
            Statement::Class(..) if !self.outer.is_empty() => return Err(Untranslatable::Unknown),
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
    fn assign_member(&mut self, of: &str, component: &str, value: Expr) -> Result<()> {
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
        let axes = self.axes(&old);
        let has_axis = |axis: char| axes.contains(&axis.to_string().as_str());
        if !component.chars().all(has_axis) {
            return Err(Untranslatable::Unknown);
        }
        let new: Vec<Expr> = match component {
            "x" | "y" | "z" => {
                let chosen = |axis: &&str| {
                    if *axis == component {
                        value.clone()
                    } else {
                        member(old.clone(), axis)
                    }
                };
                axes.iter().map(chosen).collect()
            }
            // `p.xy = ...` takes the first components of the value.
            "xy" | "xz" | "yz" => {
                let value = self.atom("v", value)?;
                let chosen = |axis: &&str| match component.find(axis) {
                    Some(0) => member(value.clone(), "x"),
                    Some(_) => member(value.clone(), "y"),
                    None => member(old.clone(), axis),
                };
                axes.iter().map(chosen).collect()
            }
            _ => return Err(Untranslatable::Unknown),
        };
        self.assign(
            of,
            vectors::vector_from(new).ok_or(Untranslatable::Unknown)?,
        )
    }

    /// Binds a name to a value, under another name if it is taken.
    ///
    /// # Errors
    /// If a condition that has a name mentions it.
    fn assign(&mut self, name: &str, value: Expr) -> Result<()> {
        check_conditions(&self.values, name)?;
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
        Ok(())
    }

    fn bind(&mut self, wanted: &str, value: Expr) -> Expr {
        let mut bound = wanted.to_owned();
        let mut count = 1;
        let is_reserved = |name: &str| matches!(name, "let" | "pos" | "pi" | "e" | "x" | "y" | "z");
        while self.taken.contains(&bound)
            || self.arguments.contains(&*bound)
            || is_reserved(&bound)
            || count > 1 && self.words.contains(&*bound)
        {
            count += 1;
            bound = format!("{wanted}{count}");
        }
        self.taken.insert(bound.clone());
        let (ty, has_position) = (self.ty(&value), self.mentions_position(&value));
        let (is_flat, is_finite) = (self.is_flat(&value), self.is_finite(&value));
        self.bindings.insert(bound.clone(), self.lets.len());
        self.lets.push(Binding {
            name: bound.clone(),
            value,
            ty,
            has_position,
            is_flat,
            is_finite,
        });
        name(&bound)
    }

    /// A number under a name that it has in the text, of which one binding is enough; other values are themselves.
    fn named_number(&mut self, wanted: &str, value: Expr) -> Expr {
        let is_plain = matches!(value, Expr::Name(..)) || infinity::sign(&value) != 0;
        if is_plain || self.ty(&value) != Some(Ty::Float) || self.mentions_position(&value) {
            return value;
        }
        let is_same = |(parameter, bound): &&(String, String)| {
            let binding = self.binding(bound);
            parameter == wanted && binding.is_some_and(|binding| binding.value == value)
        };
        if let Some((_, bound)) = self.parameters.iter().find(is_same) {
            return name(bound);
        }
        let bound = self.bind(wanted, value);
        if let Expr::Name(name, _) = &bound {
            self.parameters.push((wanted.to_owned(), name.clone()));
        }
        bound
    }

    /// The value itself if it may be repeated, else a let binding of it.
    fn atom(&mut self, wanted: &str, value: Expr) -> Result<Expr> {
        self.spend(&value)?;
        Ok(match value {
            Expr::Name(..) | Expr::Number(_) => value,
            Expr::Member(ref of, ..) if matches!(**of, Expr::Name(..)) => value,
            value => self.bind(wanted, value),
        })
    }

    fn spend(&mut self, value: &Expr) -> Result<()> {
        self.spent += value.size();
        if self.spent > MAX_COPIED_NODES {
            Err(Untranslatable::Unknown)
        } else {
            Ok(())
        }
    }
}
