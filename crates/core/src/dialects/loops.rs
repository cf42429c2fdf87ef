//! Loops over ranges of numbers that the text gives: their bodies are read once for each number.

use super::impossible::IMPOSSIBLE;
use super::notes::Why;
use super::parser::Parser;
use super::tree::{Expr, Result, Statement, Untranslatable, constant};

use super::lexer::TokenKind;

/// Maximum number of repetitions of all loops of a text; a longer sum is of no use in a message.
const MAX_REPETITIONS: usize = 64;

/// A variable with its values.
type Range = (String, Vec<f64>);

impl Parser<'_> {
    /// `for (i = [0:5])`, `for (int i = 0; i < 6; i++)` or `for i in range(6):` with its block.
    pub(super) fn for_statement(&mut self, into: &mut Vec<Statement>) -> Result<()> {
        let indent = self.token().indent;
        let ranges = self.loop_header()?;
        let bodies = self.unroll(&ranges, &mut |parser| parser.block(indent))?;
        into.extend(bodies.into_iter().flatten());
        Ok(())
    }

    /// A loop of `OpenSCAD` among the operands of a module: the union of its shapes.
    pub(super) fn for_shape(&mut self) -> Result<Expr> {
        let at = self.token().at;
        let ranges = self.loop_header()?;
        let shapes = self.unroll(&ranges, &mut Self::shapes)?;
        let shapes = shapes.into_iter().flatten().collect();
        Ok(Expr::Module("union".to_owned(), Vec::new(), shapes, at))
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

    /// Refusal of a loop whose numbers are unknown.
    fn endless(&self) -> Untranslatable {
        let (name, hint) = IMPOSSIBLE[0];
        Untranslatable::Construct(self.token().at, name, hint)
    }

    fn loop_header(&mut self) -> Result<Vec<Range>> {
        let refusal = self.endless();
        self.notes.add(self.token().at, Why::Keyword, "for");
        self.advance();
        let ranges = if self.accept("(") {
            if self.peek(1).is("=") && self.peek(2).is("[") {
                self.scad_ranges()
            } else {
                self.counter().map(|range| vec![range])
            }
        } else {
            self.iterable().map(|range| vec![range])
        };
        ranges.map_err(|_| refusal)
    }

    /// `i = [0:5], j = [1, 2])`.
    fn scad_ranges(&mut self) -> Result<Vec<Range>> {
        let mut ranges = Vec::new();
        loop {
            let variable = self.word()?;
            self.expect("=")?;
            self.expect("[")?;
            let first = self.number()?;
            let values = if self.accept(":") {
                let second = self.number()?;
                if self.accept(":") {
                    let last = self.number()?;
                    steps(first, second, last, true)?
                } else {
                    steps(first, 1.0, second, true)?
                }
            } else {
                let mut values = vec![first];
                while self.accept(",") {
                    values.push(self.number()?);
                }
                values
            };
            self.expect("]")?;
            ranges.push((variable, values));
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(ranges)
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
        Ok((variable, steps(from, step, to, comparison.ends_with('='))?))
    }

    /// `i in range(6)` or `i in [1, 2, 4]`.
    fn iterable(&mut self) -> Result<Range> {
        let variable = self.word()?;
        self.same_word("in")?;
        if self.token().is_word("range") {
            self.advance();
            let arguments = self.arguments()?;
            let values = arguments
                .iter()
                .map(|argument| self.value_of(&argument.value));
            let values = values.collect::<Result<Vec<_>>>()?;
            let values = match values[..] {
                [to] => steps(0.0, 1.0, to, false)?,
                [from, to] => steps(from, 1.0, to, false)?,
                [from, to, step] => steps(from, step, to, false)?,
                _ => return Err(Untranslatable::Unknown),
            };
            return Ok((variable, values));
        }
        let Expr::List(values, _) = self.primary()? else {
            return Err(Untranslatable::Unknown);
        };
        let values = values.iter().map(|value| self.value_of(value));
        Ok((variable, values.collect::<Result<_>>()?))
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

    fn value_of(&self, value: &Expr) -> Result<f64> {
        constant(value, &self.constants).ok_or(Untranslatable::Unknown)
    }

    /// Reads what follows once for each value of each variable.
    fn unroll<T>(
        &mut self,
        ranges: &[Range],
        parse: &mut dyn FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let [(variable, values), rest @ ..] = ranges else {
            return Ok(vec![parse(self)?]);
        };
        let (start, tokens, refusal) = (self.next, self.tokens.clone(), self.endless());
        let mut all = Vec::new();
        for value in values {
            self.repetitions += 1;
            if self.repetitions > MAX_REPETITIONS {
                return Err(refusal);
            }
            self.next = start;
            self.tokens.clone_from(&tokens);
            for index in start..tokens.len() {
                let is_member = index > 0 && tokens[index - 1].is(".");
                if tokens[index].is_word(variable) && !is_member {
                    self.tokens[index].kind = TokenKind::Number(value.to_string(), None);
                }
            }
            all.extend(self.unroll(rest, parse)?);
        }
        let begins_line = self.tokens[self.next].begins_line;
        self.tokens = tokens;
        self.tokens[self.next].begins_line = begins_line;
        Ok(all)
    }
}

/// Numbers from one to another.
fn steps(from: f64, step: f64, to: f64, has_last: bool) -> Result<Vec<f64>> {
    let count = (to - from) / step;
    let count = if has_last {
        (count + 1e-9).floor() + 1.0
    } else {
        (count - 1e-9).ceil()
    };
    if (1.0..=MAX_REPETITIONS as f64).contains(&count) {
        let numbers = 0..count as usize;
        Ok(numbers.map(|number| from + step * number as f64).collect())
    } else {
        Err(Untranslatable::Unknown)
    }
}
