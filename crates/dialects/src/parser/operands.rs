//! The parser of texts in other languages: expressions.

use fibula_core::expression::is_foreign_keyword;

use super::Parser;
use crate::lexer::TokenKind;
use crate::notes::Why;
use crate::tree::{Expr, Parameter, Result, Statement, UNIT, Untranslatable, call};

impl Parser<'_> {
    /// An expression, or several with commas between, which are a tuple.
    pub(super) fn expressions(&mut self) -> Result<Expr> {
        let at = self.token().at;
        let first = self.expression()?;
        if !self.token().is(",") {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.accept(",") {
            if self.is_end() || self.token().is("=") || self.token().is(";") {
                break;
            }
            all.push(self.expression()?);
        }
        Ok(Expr::List(all, at))
    }

    pub(crate) fn expression(&mut self) -> Result<Expr> {
        self.nested(|parser| {
            if let Some(lambda) = parser.lambda()? {
                return Ok(lambda);
            }
            let value = parser.or()?;
            let at = parser.token().at;
            if parser.token().is_word("if") && parser.continues() {
                parser.notes.add(at, Why::Python, "if ... else");
                parser.advance();
                let condition = parser.or()?;
                if !parser.token().is_word("else") {
                    return Err(Untranslatable::Unknown);
                }
                parser.advance();
                let otherwise = parser.expression()?;
                return Ok(conditional(condition, value, otherwise));
            }
            if parser.accept("?") {
                let then = parser.expression()?;
                parser.expect(":")?;
                let otherwise = parser.expression()?;
                return Ok(conditional(value, then, otherwise));
            }
            Ok(value)
        })
    }

    /// `lambda p: ...`, `p => ...` and `(p, q) => ...`.
    pub(super) fn lambda(&mut self) -> Result<Option<Expr>> {
        let at = self.token().at;
        if self.token().is_word("lambda") {
            self.notes.add(at, Why::Python, "lambda");
            self.advance();
            let parameters = self.parameters(":")?;
            self.expect(":")?;
            let body = vec![Statement::Return(self.expression()?)];
            return Ok(Some(Expr::Lambda(parameters, body)));
        }
        let start = self.next;
        let arrow = if matches!(self.token().kind, TokenKind::Name(_)) {
            start + 1
        } else if self.token().is("(") {
            let mut depth = 0_usize;
            let close = self.tokens[start..].iter().position(|token| {
                depth += usize::from(token.is("("));
                depth -= usize::from(token.is(")"));
                depth == 0
            });
            close.map_or(start, |close| start + close + 1)
        } else {
            return Ok(None);
        };
        if !self.tokens.get(arrow).is_some_and(|token| token.is("=>")) {
            return Ok(None);
        }
        self.notes.add(self.tokens[arrow].at, Why::JavaScript, "=>");
        let outer = std::mem::take(&mut self.prologue);
        let mut parameters = if self.accept("(") {
            let parameters = self.parameters(")")?;
            self.expect(")")?;
            parameters
        } else {
            let TokenKind::Name(name) = self.token().kind.clone() else {
                return Err(Untranslatable::Unknown);
            };
            self.advance();
            vec![Parameter {
                name,
                ..Parameter::default()
            }]
        };
        self.expect("=>")?;
        let mut body = std::mem::replace(&mut self.prologue, outer);
        if self.token().is("{") {
            body.extend(self.body_with_defaults(&mut parameters, 0)?);
        } else {
            body.push(Statement::Return(self.expression()?));
        }
        Ok(Some(Expr::Lambda(parameters, body)))
    }

    pub(super) fn or(&mut self) -> Result<Expr> {
        let mut left = self.and()?;
        while self.continues() && (self.token().is("||") || self.token().is_word("or")) {
            self.operator();
            left = Expr::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    pub(super) fn and(&mut self) -> Result<Expr> {
        let mut left = self.not()?;
        while self.continues() && (self.token().is("&&") || self.token().is_word("and")) {
            self.operator();
            left = Expr::And(Box::new(left), Box::new(self.not()?));
        }
        Ok(left)
    }

    pub(super) fn not(&mut self) -> Result<Expr> {
        if self.token().is_word("not") {
            self.operator();
            return self.nested(|parser| Ok(Expr::Not(Box::new(parser.not()?))));
        }
        self.comparison()
    }

    pub(super) fn comparison(&mut self) -> Result<Expr> {
        let mut left = self.bits()?;
        let (mut result, mut was_equality): (Option<Expr>, _) = (None, false);
        loop {
            let (at, symbol) = match self.token().kind {
                TokenKind::Symbol(
                    symbol @ ("<" | ">" | "<=" | ">=" | "==" | "!=" | "===" | "!=="),
                ) => (self.token().at, symbol),
                _ => return Ok(result.unwrap_or(left)),
            };
            if matches!(symbol, "<" | ">") {
                self.advance();
            } else {
                self.operator();
            }
            // Only Python has chains, and others compare the truths of comparisons.
            let is_equality = symbol.contains("==") || symbol.starts_with("!=");
            if result.is_some() && (self.is_truncating || is_equality != was_equality) {
                return Err(Untranslatable::Unknown);
            }
            was_equality = is_equality;
            let right = self.bits()?;
            let (l, r) = (Box::new(left), Box::new(right.clone()));
            let next = match symbol {
                "<" => Expr::Comparison("<", l, r, at),
                ">" => Expr::Comparison(">", l, r, at),
                "<=" => Expr::Not(Box::new(Expr::Comparison(">", l, r, at))),
                ">=" => Expr::Not(Box::new(Expr::Comparison("<", l, r, at))),
                "==" | "===" => Expr::Comparison("==", l, r, at),
                _ => Expr::Not(Box::new(Expr::Comparison("==", l, r, at))),
            };
            result = Some(match result {
                None => next,
                Some(before) => {
                    self.notes.add(at, Why::Python, "a < b < c");
                    Expr::And(Box::new(before), Box::new(next))
                }
            });
            left = right;
        }
    }

    /// `|` and `&`, which libraries of distances write for unions and intersections.
    pub(super) fn bits(&mut self) -> Result<Expr> {
        let mut left = self.sum()?;
        while self.token().is("|") || self.token().is("&") {
            let is_union = self.token().is("|");
            self.operator();
            let right = self.sum()?;
            let (left_box, right) = (Box::new(left), Box::new(right));
            left = if is_union {
                Expr::Or(left_box, right)
            } else {
                Expr::And(left_box, right)
            };
        }
        Ok(left)
    }

    pub(super) fn sum(&mut self) -> Result<Expr> {
        let mut left = self.product()?;
        while let TokenKind::Symbol(symbol @ ("+" | "-")) = self.token().kind {
            self.advance();
            left = Expr::Binary(symbol, Box::new(left), Box::new(self.product()?));
        }
        Ok(left)
    }

    pub(super) fn product(&mut self) -> Result<Expr> {
        let mut left = self.unary()?;
        loop {
            let token = self.token().clone();
            match token.kind {
                TokenKind::Symbol("/") => {
                    self.advance();
                    let right = self.unary()?;
                    // Half an inch, not one by two inches.
                    let has_unit = matches!(&right, Expr::Call(name, ..) if name.starts_with(UNIT));
                    if has_unit && matches!(left, Expr::Number(_)) {
                        return Err(Untranslatable::Unknown);
                    }
                    left = self.quotient(left, right, token.at);
                }
                TokenKind::Symbol("*") => {
                    self.advance();
                    left = Expr::Binary("*", Box::new(left), Box::new(self.unary()?));
                }
                TokenKind::Symbol(symbol @ ("%" | "//" | "@")) => {
                    self.operator();
                    let right = self.unary()?;
                    left = match symbol {
                        "%" if self.is_truncating => call("fmod", vec![left, right], token.at),
                        "%" => call("mod", vec![left, right], token.at),
                        "//" => {
                            let ratio = Expr::Binary("/", Box::new(left), Box::new(right));
                            call("floor", vec![ratio], token.at)
                        }
                        _ => call("dot", vec![left, right], token.at),
                    };
                }
                _ if self.is_factor(&left) => {
                    self.notes.add(
                        token.at,
                        Why::Clause,
                        "two values side by side are no product",
                    );
                    left = Expr::Binary("*", Box::new(left), Box::new(self.power()?));
                }
                _ => return Ok(left),
            }
        }
    }

    /// True if a value follows a number without an operator, as in `2x`.
    pub(super) fn is_factor(&self, left: &Expr) -> bool {
        let token = self.token();
        let follows = match &token.kind {
            TokenKind::Name(word) => !is_foreign_keyword(word),
            TokenKind::Symbol(symbol) => *symbol == "(",
            TokenKind::Number(..) | TokenKind::Text(_) | TokenKind::End => false,
        };
        follows && !token.begins_line && matches!(left, Expr::Number(_))
    }

    pub(super) fn unary(&mut self) -> Result<Expr> {
        let token = self.token().clone();
        let TokenKind::Symbol(symbol @ ("-" | "+" | "!" | "~")) = token.kind else {
            return self.power();
        };
        if symbol == "-" {
            self.advance();
        } else {
            self.operator();
        }
        let value = self.nested(Self::unary)?;
        Ok(match symbol {
            "-" => Expr::Negation(Box::new(value)),
            "+" => value,
            _ => Expr::Not(Box::new(value)),
        })
    }

    pub(super) fn power(&mut self) -> Result<Expr> {
        if self.token().is("√") {
            let at = self.token().at;
            self.notes.add(at, Why::Spelling, "√");
            self.advance();
            let value = self.postfix()?;
            return Ok(call("sqrt", vec![value], at));
        }
        let base = self.postfix()?;
        let at = self.token().at;
        let TokenKind::Symbol(symbol @ ("^" | "**" | "²" | "³")) = self.token().kind else {
            return Ok(base);
        };
        let exponent = match symbol {
            "^" | "**" => {
                if symbol == "**" {
                    self.notes.add(at, Why::Operator, "**");
                }
                self.advance();
                self.nested(Self::unary)?
            }
            _ => {
                self.notes.add(at, Why::Spelling, symbol);
                self.advance();
                Expr::Number(if symbol == "²" { "2" } else { "3" }.to_owned())
            }
        };
        Ok(Expr::Binary("^", Box::new(base), Box::new(exponent)))
    }
}

fn conditional(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    Expr::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise))
}
