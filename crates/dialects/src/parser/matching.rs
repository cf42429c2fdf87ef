//! `if`, and `match` of Python and `switch` of JavaScript and GLSL as a sequence of conditions.

use super::Parser;
use super::loops::NamedList;
use crate::lexer::TokenKind;
use crate::notes::Why;
use crate::tree::{Expr, Result, Statement, Target, Untranslatable};

/// A case: the assignment of a name that its pattern binds, its condition, or none if it is the default, and its statements.
type Case = (Option<Statement>, Option<Expr>, Vec<Statement>);

impl Parser<'_> {
    /// `if` with its branches.
    pub(super) fn if_statement(&mut self, into: &mut Vec<Statement>) -> Result<()> {
        let (at, indent) = (self.token().at, self.token().indent);
        self.notes.add(at, Why::Keyword, "if");
        self.advance();
        let condition = self.expression()?;
        let mut otherwise = Vec::new();
        if self.token().is_word("then") {
            self.advance();
            let then = self.branch(Self::lua_statements)?;
            if self.token().is_word("elseif") {
                self.branch(|parser| parser.if_statement(&mut otherwise))?;
            } else {
                if self.token().is_word("else") {
                    self.advance();
                    otherwise = self.branch(Self::lua_statements)?;
                }
                self.advance();
            }
            into.push(Statement::If(condition, then, otherwise));
            return Ok(());
        }
        // Of Python's statements within each other, the indent says which one an alternative belongs to.
        let is_indented = self.token().is(":");
        let then = self.branch(|parser| parser.block(indent))?;
        let has_word =
            |word| self.token().is_word(word) && (!is_indented || self.token().indent == indent);
        if has_word("elif") {
            // Read as `if` of the alternative.
            self.branch(|parser| parser.if_statement(&mut otherwise))?;
        } else if has_word("else") {
            self.advance();
            if self.token().is_word("if") {
                self.branch(|parser| parser.if_statement(&mut otherwise))?;
            } else {
                otherwise = self.branch(|parser| parser.block(indent))?;
            }
        }
        into.push(Statement::If(condition, then, otherwise));
        Ok(())
    }

    /// Reads a branch that may not be taken: of what is known, its assignments leave what they do not change.
    pub(super) fn branch<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let (constants, lists) = (self.constants.clone(), self.loops.lists.clone());
        let (values, is_block) = (self.loops.values.clone(), self.is_block);
        self.is_block |= self.is_module;
        let value = parse(self)?;
        (self.loops.values, self.is_block) = (values, is_block);
        self.constants
            .retain(|name, value| constants.get(name) == Some(value));
        let after = std::mem::take(&mut self.loops.lists);
        let is_lost = |list: &NamedList| !list.is_vector;
        let changed = |name: &String, list: &NamedList| lists.get(name) != Some(list);
        // The name of a list that is no vector stands for nothing else.
        if after
            .iter()
            .any(|(name, list)| changed(name, list) && is_lost(list))
            || lists
                .iter()
                .any(|(name, list)| after.get(name) != Some(list) && is_lost(list))
        {
            return Err(Untranslatable::Unknown);
        }
        self.loops.lists = after;
        self.loops
            .lists
            .retain(|name, list| lists.get(name) == Some(list));
        Ok(value)
    }

    /// `match mode:` with its cases.
    pub(super) fn match_statement(&mut self, into: &mut Vec<Statement>) -> Result<()> {
        let (at, indent) = (self.token().at, self.token().indent);
        self.notes.add(at, Why::Keyword, "match");
        self.advance();
        let subject = self.expressions()?;
        self.expect(":")?;
        let mut cases: Vec<Case> = Vec::new();
        while self.token().is_word("case") && self.token().indent > indent {
            let case_indent = self.token().indent;
            self.advance();
            let (mut condition, bound) = self.pattern_of(&subject)?;
            if self.token().is_word("if") {
                self.advance();
                let guard = self.expression()?;
                condition = Some(match condition {
                    Some(condition) => Expr::And(Box::new(condition), Box::new(guard)),
                    None => guard,
                });
            }
            if !self.token().is(":") {
                return Err(Untranslatable::Unknown);
            }
            let body = self.branch(|parser| parser.block(case_indent))?;
            cases.push((bound, condition, body));
        }
        into.extend(chosen(cases));
        Ok(())
    }

    /// The condition of a pattern, none if it is always met, and the assignment of a name that it binds.
    fn pattern_of(&mut self, subject: &Expr) -> Result<(Option<Expr>, Option<Statement>)> {
        let at = self.token().at;
        if let TokenKind::Name(name) = self.token().kind.clone()
            && !["True", "False", "None"].contains(&&*name)
            && !self.peek(1).is(".")
        {
            self.advance();
            if name == "_" {
                return Ok((None, None));
            }
            let target = Target::Names(vec![name.clone()]);
            if self.note_value(&target, subject)? {
                return Err(Untranslatable::Unknown);
            }
            // The case may not be reached.
            self.constants.remove(&name);
            self.loops.lists.remove(&name);
            let bound = Statement::Assignment(target, subject.clone(), false, at);
            return Ok((None, Some(bound)));
        }
        let mut condition = None;
        loop {
            let value = self.unary()?;
            let is_constant = match &value {
                Expr::Number(_) | Expr::Text(_) | Expr::Bool(_) | Expr::Member(..) => true,
                Expr::Negation(inner) => matches!(**inner, Expr::Number(_)),
                _ => false,
            };
            if !is_constant {
                return Err(Untranslatable::Unknown);
            }
            condition = Some(either(condition, equal(subject, value, at)));
            if !self.accept("|") {
                break;
            }
        }
        Ok((condition, None))
    }

    /// `switch (mode) { case 1: ...; break; default: ... }`.
    pub(super) fn switch_statement(&mut self, into: &mut Vec<Statement>) -> Result<()> {
        let at = self.token().at;
        self.notes.add(at, Why::Keyword, "switch");
        self.advance();
        let subject = self.expression()?;
        self.expect("{")?;
        let mut cases: Vec<Case> = Vec::new();
        // Of the cases that share the next statements.
        let (mut condition, mut is_default) = (None, false);
        while !self.accept("}") {
            let at = self.token().at;
            if self.token().is_word("default") {
                self.advance();
                is_default = true;
            } else if self.token().is_word("case") {
                self.advance();
                let value = self.sum()?;
                condition = Some(either(condition, equal(&subject, value, at)));
            } else {
                return Err(Untranslatable::Unknown);
            }
            self.expect(":")?;
            if self.token().is_word("case") || self.token().is_word("default") {
                continue;
            }
            let body = self.branch(Self::case_body)?;
            let condition = condition.take();
            cases.push((None, condition.filter(|_| !is_default), body));
            is_default = false;
        }
        let last = cases.len().saturating_sub(1);
        if cases
            .iter()
            .position(|(_, condition, _)| condition.is_none())
            .is_some_and(|at| at != last)
        {
            return Err(Untranslatable::Unknown);
        }
        into.extend(chosen(cases));
        Ok(())
    }

    /// Statements of a case up to the end of it, which `break` or `return` must be unless it is the last.
    fn case_body(&mut self) -> Result<Vec<Statement>> {
        let mut body = Vec::new();
        loop {
            if self.token().is_word("break") {
                self.advance();
                self.end_statement()?;
                return Ok(body);
            }
            let has_returned = matches!(body.last(), Some(Statement::Return(_)));
            let is_next = self.token().is_word("case") || self.token().is_word("default");
            if self.token().is("}") || has_returned && is_next {
                return Ok(body);
            }
            if is_next || self.is_end() {
                return Err(Untranslatable::Unknown);
            }
            self.statement(&mut body)?;
        }
    }
}

fn equal(subject: &Expr, value: Expr, at: usize) -> Expr {
    Expr::Comparison("==", Box::new(subject.clone()), Box::new(value), at)
}

fn either(first: Option<Expr>, second: Expr) -> Expr {
    match first {
        Some(first) => Expr::Or(Box::new(first), Box::new(second)),
        None => second,
    }
}

/// The statements of the first case whose condition is met.
fn chosen(cases: Vec<Case>) -> Vec<Statement> {
    let nested = |otherwise: Vec<Statement>, (bound, condition, body): Case| {
        let chosen = match condition {
            Some(condition) => vec![Statement::If(condition, body, otherwise)],
            None => body,
        };
        bound.into_iter().chain(chosen).collect()
    };
    cases.into_iter().rev().fold(Vec::new(), nested)
}
