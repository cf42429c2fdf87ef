//! Loops over numbers and lists that the text gives: their bodies are read once for each value.

use std::collections::HashMap;

use super::Parser;
use crate::impossible::IMPOSSIBLE;
use crate::lexer::TokenKind;
use crate::notes::Why;
use crate::statements::{declared, returns};
use crate::tree::{
    Expr, MAX_COPIED_NODES, Result, Statement, Target, Untranslatable, constant, literal, union,
};

/// Maximum number of repetitions of all loops of a text; a longer sum is of no use in a message.
pub(super) const MAX_REPETITIONS: usize = 64;

/// The variables of a loop: a name, or several that take the elements of a tuple.
enum Pattern {
    Name(String),
    Several(Vec<Pattern>),
}

/// What a parser knows for loops.
#[derive(Default)]
pub(super) struct Loops {
    /// Lists by name.
    pub(super) lists: HashMap<String, NamedList>,
    /// Values of the variables of the loops around.
    pub(super) values: HashMap<String, Expr>,
    /// Repetitions so far.
    repetitions: usize,
    /// Nodes of trees that were copied, as values of names.
    copied: usize,
}

/// A list that has a name.
#[derive(Clone, PartialEq)]
pub(super) struct NamedList {
    pub(super) items: Vec<Expr>,
    /// True if the name may stand for a vector, too, as other values do.
    pub(super) is_vector: bool,
}

/// Variables with their values.
type Range = (Pattern, Vec<Expr>);

impl Parser<'_> {
    /// `for (i = [0:5])`, `for (int i = 0; i < 6; i++)` or `for i in range(6):` with its block.
    pub(super) fn for_statement(&mut self, into: &mut Vec<Statement>) -> Result<()> {
        let indent = self.token().indent;
        let is_block = self.is_block;
        self.is_block |= self.peek(1).is("(") && self.peek(3).is("=") && self.peek(4).is("[");
        let ranges = self.loop_header()?;
        let bodies = self.unroll(&ranges, &mut |parser| parser.block(indent))?;
        self.is_block = is_block;
        for body in bodies {
            // What a repetition declares ends with it.
            if returns(&body) || declared(&body).next().is_none() {
                into.extend(body);
            } else {
                into.push(Statement::If(Expr::Bool(true), body, Vec::new()));
            }
        }
        Ok(())
    }

    /// A loop of `OpenSCAD` among the operands of a module: the union of its shapes.
    pub(super) fn for_shape(&mut self) -> Result<Expr> {
        let at = self.token().at;
        let is_intersection = self.token().is_word("intersection_for");
        let ranges = self.loop_header()?;
        let shapes = self.unroll(&ranges, &mut Self::shapes)?;
        if is_intersection {
            let shapes = shapes.into_iter().map(union).collect();
            return Ok(Expr::Module(
                "intersection".to_owned(),
                Vec::new(),
                shapes,
                at,
            ));
        }
        Ok(union(shapes.into_iter().flatten().collect()))
    }

    /// The values of `f(i) for i in range(6)` up to a bracket, if that is what follows.
    pub(super) fn comprehension(&mut self, close: &str) -> Result<Option<Vec<Expr>>> {
        let mut depth = 0_usize;
        let mut header = None;
        for (index, token) in self.tokens.iter().enumerate().skip(self.next) {
            if token.is("(") || token.is("[") || token.is("{") {
                depth += 1;
            } else if token.is(")") || token.is("]") || token.is("}") {
                if depth == 0 {
                    break;
                }
                depth -= 1;
            } else if depth == 0 && token.is_word("for") {
                header = Some(index);
                break;
            }
        }
        let Some(header) = header else {
            return Ok(None);
        };
        let start = std::mem::replace(&mut self.next, header);
        let refusal = self.endless();
        let mut ranges = Vec::new();
        while self.token().is_word("for") {
            ranges.extend(self.loop_header()?);
        }
        if !self.token().is(close) {
            return Err(refusal);
        }
        let end = std::mem::replace(&mut self.next, start);
        let values = self.unroll(&ranges, &mut Self::expression)?;
        if self.next != header {
            return Err(Untranslatable::Unknown);
        }
        self.next = end;
        Ok(Some(values))
    }

    /// Refusal of a loop whose values are unknown.
    fn endless(&self) -> Untranslatable {
        let (name, hint) = IMPOSSIBLE[0];
        Untranslatable::Construct(self.token().at, name, hint)
    }

    fn loop_header(&mut self) -> Result<Vec<Range>> {
        let refusal = self.endless();
        self.notes.add(self.token().at, Why::Keyword, "for");
        self.advance();
        let is_list = |parser: &Self| parser.peek(2).is("[") || parser.peek(3).is(")");
        let ranges = if self.token().is("(") && !self.has_word_in() {
            self.advance();
            let declared = usize::from(
                ["const", "let", "var"]
                    .iter()
                    .any(|word| self.token().is_word(word)),
            );
            if self.peek(declared + 1).is_word("of") {
                self.next += declared;
                self.iterable().and_then(|range| {
                    self.expect(")")?;
                    Ok(vec![range])
                })
            } else if self.peek(1).is("=") && is_list(self) {
                self.scad_ranges()
            } else {
                self.counter().map(|range| vec![range])
            }
        } else {
            self.iterable().map(|range| vec![range])
        };
        ranges.map_err(|_| refusal)
    }

    /// True if the bracket that follows has the variables of `for (x, y) in ...`.
    fn has_word_in(&self) -> bool {
        let rest = &self.tokens[self.next..];
        let close = rest.iter().position(|token| token.is(")"));
        close.is_some_and(|close| self.peek(close + 1).is_word("in"))
    }

    /// `i = [0:5], j = [1, 2], p = points)`.
    fn scad_ranges(&mut self) -> Result<Vec<Range>> {
        let mut ranges = Vec::new();
        loop {
            let variable = Pattern::Name(self.word()?);
            self.expect("=")?;
            let start = self.next;
            let values = self.scad_range().or_else(|_| {
                self.next = start;
                let list = self.expression()?;
                self.items(&list).ok_or(Untranslatable::Unknown)
            })?;
            ranges.push((variable, values));
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(ranges)
    }

    /// `[0:5]` or `[0:2:10]`.
    fn scad_range(&mut self) -> Result<Vec<Expr>> {
        self.expect("[")?;
        let first = self.number()?;
        self.expect(":")?;
        let second = self.number()?;
        let values = if self.accept(":") {
            steps(first, second, self.number()?, true)?
        } else {
            steps(first, 1.0, second, true)?
        };
        self.expect("]")?;
        Ok(values)
    }

    /// `int i = 0; i < 6; i++)`.
    fn counter(&mut self) -> Result<Range> {
        while matches!(self.peek(1).kind, TokenKind::Name(_)) {
            self.advance();
        }
        let variable = self.word()?;
        self.expect("=")?;
        let from = self.number()?;
        self.expect(";")?;
        self.same_word(&variable)?;
        let TokenKind::Symbol(comparison @ ("<" | "<=" | ">" | ">=")) = self.token().kind else {
            return Err(Untranslatable::Unknown);
        };
        self.advance();
        let to = self.sum()?;
        let to = self.value_of(&to)?;
        self.expect(";")?;
        let is_first = self.token().is("++") || self.token().is("--");
        if !is_first {
            self.same_word(&variable)?;
        }
        let TokenKind::Symbol(step @ ("++" | "--" | "+=" | "-=")) = self.token().kind else {
            return Err(Untranslatable::Unknown);
        };
        self.advance();
        let size = match step {
            "++" | "--" => 1.0,
            _ => self.number()?,
        };
        if is_first {
            self.same_word(&variable)?;
        }
        self.expect(")")?;
        let step = if step.starts_with('+') { size } else { -size };
        if (step > 0.0) != comparison.starts_with('<') {
            return Err(Untranslatable::Unknown);
        }
        let values = steps(from, step, to, comparison.ends_with('='))?;
        Ok((Pattern::Name(variable), values))
    }

    /// `i in range(6)`, `c in [a, b]` or `i, (x, y) in enumerate(points)`.
    fn iterable(&mut self) -> Result<Range> {
        let pattern = self.pattern()?;
        if !self.token().is_word("of") && !self.token().is_word("in") {
            return Err(Untranslatable::Unknown);
        }
        self.advance();
        let list = self.or()?;
        let values = self.items(&list).ok_or(Untranslatable::Unknown)?;
        Ok((pattern, values))
    }

    fn pattern(&mut self) -> Result<Pattern> {
        let mut patterns = Vec::new();
        loop {
            patterns.push(if self.accept("(") {
                let inner = self.nested(Self::pattern)?;
                self.expect(")")?;
                inner
            } else {
                Pattern::Name(self.word()?)
            });
            if !self.accept(",") {
                break;
            }
        }
        Ok(match patterns.len() {
            1 => patterns.remove(0),
            _ => Pattern::Several(patterns),
        })
    }

    /// The value of the variable of a loop, or the list of a name that is no vector; other names are themselves.
    pub(super) fn named_value(&mut self, name: String, at: usize) -> Result<Expr> {
        let value = match (self.loops.values.get(&name), self.loops.lists.get(&name)) {
            (Some(value), _) => value.clone(),
            (None, Some(list)) if !list.is_vector => Expr::List(list.items.clone(), at),
            (None, _) => return Ok(Expr::Name(name, at)),
        };
        // Lists of lists grow exponentially.
        self.loops.copied += value.size();
        if self.loops.copied > MAX_COPIED_NODES {
            return Err(Untranslatable::Unknown);
        }
        Ok(value)
    }

    /// Keeps the number or the list that a name stands for from here on. True if it is a list that cannot be a vector:
    /// its name stands for the list itself, and nothing is assigned.
    pub(super) fn note_value(&mut self, target: &Target, value: &Expr) -> Result<bool> {
        let names = match target {
            Target::Names(names) => &names[..],
            Target::Member(of, _) => std::slice::from_ref(of),
        };
        self.assigned.extend(names.iter().cloned());
        for name in names {
            let mentions = |value: &Expr| {
                let mut found = false;
                value.names(&mut |inner| found |= inner == name);
                found
            };
            if self.loops.values.values().any(mentions) {
                return Err(Untranslatable::Unknown);
            }
            self.constants.remove(name);
            self.loops
                .lists
                .retain(|other, list| other != name && !list.items.iter().any(mentions));
        }
        let (Target::Names(_), [name]) = (target, names) else {
            return Ok(false);
        };
        if let Ok(value) = self.value_of(value) {
            self.constants.insert(name.clone(), value);
        }
        let Some(items) = self.items(value) else {
            return Ok(false);
        };
        let is_vector = is_vector(&items);
        self.loops
            .lists
            .insert(name.clone(), NamedList { items, is_vector });
        Ok(!is_vector)
    }

    /// `points.append(value)` of a list that the text gives. True if that is what follows.
    pub(super) fn append(&mut self) -> Result<bool> {
        let TokenKind::Name(name) = self.token().kind.clone() else {
            return Ok(false);
        };
        let is_append = self.peek(1).is(".")
            && (self.peek(2).is_word("append") || self.peek(2).is_word("push"));
        if !is_append
            || self
                .loops
                .lists
                .get(&name)
                .is_none_or(|list| list.is_vector)
        {
            return Ok(false);
        }
        self.notes.add(self.peek(2).at, Why::Python, "append");
        self.next += 3;
        let values = self.arguments()?.into_iter().map(|argument| argument.value);
        let values: Vec<Expr> = values.collect();
        if let Some(list) = self.loops.lists.get_mut(&name) {
            list.items.extend(values);
        }
        self.end_statement()?;
        Ok(true)
    }

    pub(super) fn word(&mut self) -> Result<String> {
        let TokenKind::Name(word) = self.token().kind.clone() else {
            return Err(Untranslatable::Unknown);
        };
        self.advance();
        Ok(word)
    }

    fn same_word(&mut self, word: &str) -> Result<()> {
        if self.word()? == word {
            Ok(())
        } else {
            Err(Untranslatable::Unknown)
        }
    }

    /// An expression whose value is known.
    fn number(&mut self) -> Result<f64> {
        let value = self.expression()?;
        self.value_of(&value)
    }

    pub(super) fn value_of(&self, value: &Expr) -> Result<f64> {
        let number = constant(value, &self.constants).ok_or(Untranslatable::Unknown)?;
        let mut names = Vec::new();
        value.names(&mut |name| names.push(name.to_owned()));
        let assumed = names.into_iter().filter(|name| self.assumed.contains(name));
        self.used.borrow_mut().extend(assumed);
        Ok(number)
    }

    /// Reads what follows once for each value of each variable.
    fn unroll<T>(
        &mut self,
        ranges: &[Range],
        parse: &mut dyn FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let [(pattern, values), rest @ ..] = ranges else {
            return Ok(vec![parse(self)?]);
        };
        let (start, outer, refusal) = (self.next, self.loops.values.clone(), self.endless());
        let mut all = Vec::new();
        for value in values {
            self.loops.repetitions += 1;
            if self.loops.repetitions > MAX_REPETITIONS {
                return Err(refusal);
            }
            self.next = start;
            self.loops.values.clone_from(&outer);
            self.bind(pattern, value)?;
            all.extend(self.unroll(rest, parse)?);
        }
        self.loops.values = outer;
        Ok(all)
    }

    /// Gives variables of a loop their values.
    fn bind(&mut self, pattern: &Pattern, value: &Expr) -> Result<()> {
        match (pattern, value) {
            (Pattern::Name(name), _) => {
                self.loops.values.insert(name.clone(), value.clone());
            }
            (Pattern::Several(patterns), Expr::List(values, _))
                if patterns.len() == values.len() =>
            {
                for (pattern, value) in patterns.iter().zip(values) {
                    self.bind(pattern, value)?;
                }
            }
            (Pattern::Several(_), _) => return Err(Untranslatable::Unknown),
        }
        Ok(())
    }
}

/// True if a list may be a vector.
fn is_vector(items: &[Expr]) -> bool {
    let is_scalar = |item: &Expr| match item {
        Expr::List(..) | Expr::Text(_) => false,
        Expr::Call(name, ..) | Expr::Method(_, name, ..) => {
            !["vec2", "vec3", "vec4", "array", "Vector3", "Vec3"].contains(&name.as_str())
        }
        _ => true,
    };
    matches!(items.len(), 2..=3) && items.iter().all(is_scalar)
}

/// Numbers from one to another.
pub(super) fn steps(from: f64, step: f64, to: f64, has_last: bool) -> Result<Vec<Expr>> {
    let count = (to - from) / step;
    let count = if has_last {
        (count + 1e-9).floor() + 1.0
    } else {
        (count - 1e-9).ceil()
    };
    if (1.0..=MAX_REPETITIONS as f64).contains(&count) {
        let numbers = 0..count as usize;
        Ok(numbers
            .map(|index| literal(from + step * index as f64))
            .collect())
    } else {
        Err(Untranslatable::Unknown)
    }
}
