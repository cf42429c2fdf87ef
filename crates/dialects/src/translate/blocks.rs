//! Statements of a body: branches, what they return, and which values names have after them.

use super::Translator;
use super::conditions::check_conditions;
use super::scopes::Values;
use crate::statements::{declared, returns};
use crate::tree::{Expr, Result, Statement, Untranslatable};

impl Translator<'_> {
    /// Runs statements up to a `return`; returns its value.
    pub(super) fn block(&mut self, statements: &[Statement]) -> Result<Option<Expr>> {
        self.block_before(statements, &[])
    }

    /// Runs statements that others follow up to a `return`; returns its value, or that of the last statement of all.
    fn block_before(
        &mut self,
        statements: &[Statement],
        following: &[Statement],
    ) -> Result<Option<Expr>> {
        for (index, statement) in statements.iter().enumerate() {
            let rest = &statements[index + 1..];
            match statement {
                Statement::Return(value) => return self.lower(value).map(Some),
                Statement::If(condition, then, otherwise) => {
                    // What follows belongs to each branch that goes on.
                    let may_return = returns(then) || returns(otherwise);
                    let (inner, after) = if may_return || rest.is_empty() {
                        (rest, following)
                    } else {
                        (&[][..], rest)
                    };
                    let value = self.branches(condition, [then, otherwise], inner, after)?;
                    if may_return || value.is_some() {
                        return Ok(value);
                    }
                }
                Statement::Assignment(..) | Statement::Definition(..) | Statement::Class(..) => {
                    self.run(statement)?;
                }
                Statement::Unreadable(reason) => return Err(reason.clone()),
                // A value at the end of a body is what some languages return.
                Statement::Value(value)
                    if rest.is_empty() && following.is_empty() && self.is_result(value) =>
                {
                    return self.lower(value).map(Some);
                }
                Statement::Value(value) => self.effect(value)?,
            }
        }
        Ok(None)
    }

    /// Runs the branches of an `if`, each with statements that belong to both; returns their value.
    fn branches(
        &mut self,
        condition: &Expr,
        branches: [&[Statement]; 2],
        rest: &[Statement],
        following: &[Statement],
    ) -> Result<Option<Expr>> {
        let before = self.values.clone();
        let run = |translator: &mut Self, branch: &[Statement]| {
            let has_rest = returns(branch) || !rest.is_empty();
            let is_hidden = declared(branch).any(|name| before.contains_key(name));
            if has_rest && is_hidden {
                return Err(Untranslatable::Unknown);
            }
            let outside = translator.hidden.len();
            let value = translator.block_before(&[branch, rest].concat(), following)?;
            if !has_rest {
                translator.end_scope(outside)?;
            }
            Ok(value)
        };
        if let Some(is_true) = self.decided(condition) {
            return run(self, branches[usize::from(!is_true)]);
        }
        self.check_calls(condition)?;
        let first = run(self, branches[0])?;
        let after = std::mem::replace(&mut self.values, before.clone());
        let second = run(self, branches[1])?;
        match (first, second) {
            (Some(first), Some(second)) => {
                let mut otherwise = std::mem::replace(&mut self.values, before);
                let chosen = self.choose(condition, first, second)?;
                // What the branches change differently has no value.
                otherwise.retain(|name, value| after.get(name) == Some(value));
                self.values = otherwise;
                Ok(Some(chosen))
            }
            (None, None) => {
                self.merge(condition, &before, &after)?;
                Ok(None)
            }
            _ => Err(Untranslatable::Unknown),
        }
    }

    /// Gives names the values that they had before they were declared, but for the first so many declarations.
    fn end_scope(&mut self, outside: usize) -> Result<()> {
        let hidden = self.hidden.split_off(outside);
        for (name, value) in hidden.iter().rev() {
            if value.is_some() && self.notes.variables.contains(name) {
                return Err(Untranslatable::Unknown);
            }
            match value {
                Some(value) => self.values.insert(name.clone(), value.clone()),
                None => self.values.remove(name),
            };
            self.undefined.insert(name.clone());
        }
        let mut names = hidden.iter();
        names.try_for_each(|(name, _)| check_conditions(&self.values, name))
    }

    /// Chooses among the values that names have after the two branches of an `if`.
    fn merge(&mut self, condition: &Expr, before: &Values, after: &Values) -> Result<()> {
        let otherwise = std::mem::replace(&mut self.values, before.clone());
        let mut names: Vec<&String> = after.keys().chain(otherwise.keys()).collect();
        names.sort_unstable();
        names.dedup();
        let (mut same, mut chosen) = (Values::new(), Vec::new());
        for name in names {
            let (then, otherwise) = (after.get(name), otherwise.get(name));
            if then.is_some() != otherwise.is_some() {
                self.undefined.insert(name.clone());
            }
            match (then, otherwise) {
                (Some(then), Some(otherwise)) if then == otherwise => {
                    same.insert(name.clone(), then.clone());
                }
                (Some(then), Some(otherwise)) => {
                    let value = self.choose(condition, then.clone(), otherwise.clone())?;
                    chosen.push((name.clone(), value));
                }
                _ => {}
            }
        }
        self.values.extend(same);
        self.values
            .retain(|name, _| after.contains_key(name) && otherwise.contains_key(name));
        for (name, value) in chosen {
            self.assign(&name, value)?;
        }
        Ok(())
    }
}
