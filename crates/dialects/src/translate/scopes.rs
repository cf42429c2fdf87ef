//! Calls of functions that the text defines: a body has the names of the scope that it is written in, not those of its
//! caller.

use std::collections::HashMap;

use super::Translator;
use super::conditions::check_conditions;
use crate::statements::changes_member;
use crate::tree::{Argument, Expr, Parameter, Result, Statement, Untranslatable};

/// Maximum number of calls of functions of the text within each other.
const MAX_INLINED: usize = 16;

/// Values of names.
pub(super) type Values = HashMap<String, Expr>;

/// A function of the text.
#[derive(Debug, Clone)]
pub(super) struct Definition {
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Vec<Statement>,
    /// Number of scopes around the one that the function is defined in.
    pub(super) depth: usize,
    /// Names in the defaults of parameters, with their values at the definition.
    defaults: Vec<(String, Option<Expr>)>,
}

impl Translator<'_> {
    /// A function that is defined in the scope of the statement that is translated.
    pub(super) fn definition(&self, parameters: &[Parameter], body: &[Statement]) -> Definition {
        let mut defaults = Vec::new();
        for default in parameters.iter().filter_map(|it| it.default.as_ref()) {
            default.names(&mut |name| {
                defaults.push((name.to_owned(), self.values.get(name).cloned()));
            });
        }
        Definition {
            defaults,
            parameters: parameters.to_vec(),
            body: body.to_vec(),
            depth: self.outer.len(),
        }
    }

    /// The function of a name, if it is visible here.
    pub(super) fn defined(&self, name: &str) -> Option<Definition> {
        let found = self.definitions.get(name);
        found
            .filter(|function| function.depth <= self.outer.len())
            .cloned()
    }

    /// Defines a function.
    ///
    /// # Errors
    /// If it hides a function of a scope around.
    pub(super) fn define(&mut self, name: &str, function: Definition) -> Result<()> {
        let depth = function.depth;
        match self.definitions.insert(name.to_owned(), function) {
            Some(hidden) if hidden.depth != depth => Err(Untranslatable::Unknown),
            _ => Ok(()),
        }
    }

    /// Values of names in a scope around this one, or in this one.
    pub(super) fn scope(&self, depth: usize) -> Values {
        self.outer.get(depth).unwrap_or(&self.values).clone()
    }

    /// Values of names where a body begins: of the scope at a depth, and of the parameters.
    ///
    /// # Errors
    /// If a parameter hides a name that a condition of outside mentions.
    pub(super) fn entered(&self, depth: usize, parameters: Values) -> Result<Values> {
        let mut values = self.scope(depth);
        for (name, value) in parameters {
            check_conditions(&values, &name)?;
            values.insert(name, value);
        }
        Ok(values)
    }

    /// Calls a function; the variables for its outputs get their values.
    pub(super) fn run_own(
        &mut self,
        function: &Definition,
        arguments: &[Argument],
    ) -> Result<Option<Expr>> {
        let Definition {
            parameters,
            body,
            depth,
            defaults,
        } = function;
        // Python computes defaults once, others in each call.
        let scope = self.scope(*depth);
        let differs = |(name, value): &(String, Option<Expr>)| scope.get(name) != value.as_ref();
        if defaults.iter().any(differs) {
            return Err(Untranslatable::Unknown);
        }
        // Other languages than GLSL give the vector or the object itself, not a copy.
        let changes = |parameter: &Parameter| changes_member(body, &parameter.name);
        if !self.notes.has_glsl() && parameters.iter().any(changes) {
            return Err(Untranslatable::Unknown);
        }
        let given = self.arguments_of(parameters, arguments, *depth)?;
        self.check_objects(arguments)?;
        let values = self.entered(*depth, given)?;
        let (value, after) = self.inlined(values, *depth, body)?;
        for (parameter, argument) in parameters.iter().zip(arguments) {
            if !parameter.is_output {
                if let Expr::Name(name, _) = &argument.value
                    && self.notes.has_javascript()
                    && !after.contains_key(&parameter.name)
                {
                    self.forget(name)?;
                }
                continue;
            }
            let output = after.get(&parameter.name).cloned();
            let output = output.ok_or(Untranslatable::Unknown)?;
            match &argument.value {
                Expr::Name(name, _) => self.assign(name, output)?,
                Expr::Member(of, component, _) => match &**of {
                    Expr::Name(of, _) => self.assign_member(of, component, output)?,
                    _ => return Err(Untranslatable::Unknown),
                },
                _ => return Err(Untranslatable::Unknown),
            }
        }
        Ok(value)
    }

    /// Gives a name no value from here on, since a method changes the object that it stands for.
    ///
    /// # Errors
    /// If other names stand for the object.
    pub(super) fn forget(&mut self, name: &str) -> Result<()> {
        check_conditions(&self.values, name)?;
        if let Some(value) = self.values.remove(name)
            && self.values.values().any(|other| *other == value)
        {
            return Err(Untranslatable::Unknown);
        }
        self.undefined.insert(name.to_owned());
        Ok(())
    }

    /// Refuses that an argument changes an object that is an argument, too.
    pub(super) fn check_objects(&self, arguments: &[Argument]) -> Result<()> {
        let is_changed = |argument: &Argument| {
            matches!(&argument.value, Expr::Name(name, _)
                if self.undefined.contains(name) && !self.values.contains_key(name))
        };
        if arguments.iter().any(is_changed) {
            return Err(Untranslatable::Unknown);
        }
        Ok(())
    }

    /// Value of a body without names of outside, where parameters have these values.
    pub(super) fn inline(&mut self, values: Values, body: &[Statement]) -> Result<Expr> {
        let (value, _) = self.inlined(values, 0, body)?;
        value.ok_or(Untranslatable::Unknown)
    }

    /// Value of a body that is defined at a depth where names have these values, and the values that they have after
    /// it.
    pub(super) fn inlined(
        &mut self,
        values: Values,
        depth: usize,
        body: &[Statement],
    ) -> Result<(Option<Expr>, Values)> {
        if self.inlined == MAX_INLINED {
            return Err(Untranslatable::Unknown);
        }
        for value in values.values() {
            self.spend(value)?;
        }
        self.inlined += 1;
        let mut scopes = self.outer.clone();
        scopes.truncate(depth);
        scopes.push(self.scope(depth));
        // Methods of JavaScript may change what is outside.
        let names = scopes.last().into_iter().flat_map(Values::keys);
        let is_visible = |name: &&String| self.notes.has_javascript() && values.contains_key(*name);
        let visible: Vec<String> = names.filter(is_visible).cloned().collect();
        let scopes = std::mem::replace(&mut self.outer, scopes);
        let outside = std::mem::replace(&mut self.values, values);
        let has_definitions = body
            .iter()
            .any(|it| matches!(it, Statement::Definition(..) | Statement::If(..)));
        let definitions = has_definitions.then(|| self.definitions.clone());
        let declared = self.hidden.len();
        let value = self.block(body)?;
        self.hidden.truncate(declared);
        if visible.iter().any(|name| !self.values.contains_key(name)) {
            return Err(Untranslatable::Unknown);
        }
        if let Some(definitions) = definitions {
            self.definitions = definitions;
        }
        self.inlined -= 1;
        self.outer = scopes;
        Ok((value, std::mem::replace(&mut self.values, outside)))
    }
}
