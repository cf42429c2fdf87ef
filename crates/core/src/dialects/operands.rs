//! The parser of texts in other languages: expressions.

use super::impossible::IMPOSSIBLE;
use super::lexer::{Token, TokenKind};
use super::notes::Why;
use super::openscad;
use super::parser::Parser;
use super::tree::{Argument, Expr, Parameter, Result, UNIT, Untranslatable, call, degrees};

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

    pub(super) fn expression(&mut self) -> Result<Expr> {
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
            let body = self.expression()?;
            return Ok(Some(Expr::Lambda(parameters, Box::new(body))));
        }
        let start = self.next;
        let arrow = if matches!(self.token().kind, TokenKind::Name(_)) {
            start + 1
        } else if self.token().is("(") {
            let rest = &self.tokens[start..];
            let parameters = |token: &&Token| {
                matches!(
                    token.kind,
                    TokenKind::Name(_) | TokenKind::Symbol("," | "(")
                )
            };
            start + rest.iter().take_while(parameters).count() + 1
        } else {
            return Ok(None);
        };
        if !self.tokens.get(arrow).is_some_and(|token| token.is("=>")) {
            return Ok(None);
        }
        self.notes.add(self.tokens[arrow].at, Why::JavaScript, "=>");
        let parameters = if self.accept("(") {
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
                is_vector: false,
                default: None,
            }]
        };
        self.expect("=>")?;
        let body = self.expression()?;
        Ok(Some(Expr::Lambda(parameters, Box::new(body))))
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
        let mut result: Option<Expr> = None;
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
            TokenKind::Name(word) => {
                !["if", "else", "and", "or", "for", "in"].contains(&word.as_str())
            }
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

    pub(super) fn postfix(&mut self) -> Result<Expr> {
        let mut value = self.primary()?;
        loop {
            let token = self.token().clone();
            match token.kind {
                TokenKind::Symbol("." | "::") => {
                    self.advance();
                    let TokenKind::Name(name) = self.token().kind.clone() else {
                        return Err(Untranslatable::Unknown);
                    };
                    let at = self.token().at;
                    self.advance();
                    value = if self.token().is("(") && self.continues() {
                        let arguments = self.arguments()?;
                        Expr::Method(Box::new(value), name, arguments, at)
                    } else {
                        Expr::Member(Box::new(value), name, at)
                    };
                }
                TokenKind::Symbol("[") if self.continues() => value = self.index(value)?,
                _ => return Ok(value),
            }
        }
    }

    /// `[0]`, `[:2]`, `[..., 0]`, `[:, 0]`.
    pub(super) fn index(&mut self, value: Expr) -> Result<Expr> {
        let at = self.token().at;
        self.notes.add(at, Why::Component, "[...]");
        self.bracketed("[", "]", |parser| {
            while parser.accept("...") || parser.token().is(":") && parser.peek(1).is(",") {
                parser.accept(":");
                parser.expect(",")?;
            }
            let is_zero = |token: &Token| matches!(&token.kind, TokenKind::Number(number, _) if number == "0");
            if is_zero(parser.token()) && parser.peek(1).is(":") {
                parser.advance();
            }
            if parser.accept(":") {
                let index = parser.expression()?;
                return if index == Expr::Number("2".to_owned()) {
                    Ok(Expr::FirstTwo(Box::new(value)))
                } else {
                    Err(Untranslatable::Unknown)
                };
            }
            let index = parser.expression()?;
            Ok(parser.element(&value, &index).unwrap_or_else(|| Expr::Index(Box::new(value), Box::new(index))))
        })
    }

    pub(super) fn primary(&mut self) -> Result<Expr> {
        let token = self.token().clone();
        match token.kind {
            TokenKind::Number(number, suffix) => {
                self.advance();
                Ok(self.measured(number, suffix, token.at))
            }
            TokenKind::Text(text) => {
                self.advance();
                Ok(Expr::Text(text))
            }
            TokenKind::Name(name) => {
                self.advance();
                match name.as_str() {
                    "True" | "true" | "False" | "false" => {
                        self.notes.add(token.at, Why::Value, &name);
                        return Ok(Expr::Bool(name.eq_ignore_ascii_case("true")));
                    }
                    "new" if matches!(self.token().kind, TokenKind::Name(_)) => {
                        self.notes.add(token.at, Why::JavaScript, "new");
                        return self.postfix();
                    }
                    _ => {}
                }
                if !self.token().is("(") || !self.continues() {
                    return self.named_value(name, token.at);
                }
                if let Some(&(name, hint)) = IMPOSSIBLE.iter().find(|(word, _)| *word == name) {
                    return Err(Untranslatable::Construct(token.at, name, hint));
                }
                let mut arguments = self.arguments()?;
                if matches!(name.as_str(), "cylinder" | "circle" | "sphere") {
                    let is_new =
                        |option: &&Argument| arguments.iter().all(|own| own.name != option.name);
                    let options: Vec<Argument> =
                        self.options.iter().filter(is_new).cloned().collect();
                    arguments.extend(options);
                }
                self.children(name, arguments, token.at)
            }
            TokenKind::Symbol("(") => {
                let list = self.bracketed("(", ")", Self::expressions)?;
                if let Expr::List(_, at) = &list {
                    self.notes.add(*at, Why::List, "(a, b, ...)");
                }
                Ok(list)
            }
            TokenKind::Symbol("[") => {
                self.notes.add(token.at, Why::List, "[...]");
                if self.peek(1).is("]") {
                    self.next += 2;
                    return Ok(Expr::List(Vec::new(), token.at));
                }
                let list = self.bracketed("[", "]", |parser| {
                    let values = parser.comprehension("]")?;
                    values.map_or_else(
                        || parser.expressions(),
                        |values| Ok(Expr::List(values, token.at)),
                    )
                })?;
                Ok(match list {
                    Expr::List(..) => list,
                    other => Expr::List(vec![other], token.at),
                })
            }
            TokenKind::Symbol(_) | TokenKind::End => Err(Untranslatable::Unknown),
        }
    }

    /// Operand of an `OpenSCAD` module: `{ a; b; }`, or the shape that follows.
    pub(super) fn children(
        &mut self,
        name: String,
        arguments: Vec<Argument>,
        at: usize,
    ) -> Result<Expr> {
        let mut children = Vec::new();
        let is_scad = openscad::is_module(&name);
        if is_scad && self.token().is("{") {
            children = self.shapes()?;
            // No ';' follows a block.
            if !self.is_end()
                && !self.token().is(";")
                && !self.token().is("}")
                && self.brackets == 0
            {
                self.tokens[self.next].begins_line = true;
            }
        } else if is_scad && matches!(self.token().kind, TokenKind::Name(_)) && self.peek(1).is("(")
        {
            children.push(self.shape()?);
        }
        if children.is_empty() {
            return Ok(Expr::Call(name, arguments, at));
        }
        self.notes
            .add(at, Why::OpenScad, &format!("{name}(...) ..."));
        Ok(Expr::Module(name, arguments, children, at))
    }

    /// Operands of a module or a loop: `{ a; b; }`, or the shape that follows.
    pub(super) fn shapes(&mut self) -> Result<Vec<Expr>> {
        if !self.accept("{") {
            return Ok(vec![self.shape()?]);
        }
        let brackets = std::mem::take(&mut self.brackets);
        let mut shapes = Vec::new();
        while !self.accept("}") {
            if self.is_end() {
                return Err(Untranslatable::Unknown);
            }
            if !self.accept(";") {
                shapes.push(self.shape()?);
            }
        }
        self.brackets = brackets;
        Ok(shapes)
    }

    fn shape(&mut self) -> Result<Expr> {
        if self.token().is_word("for") {
            self.nested(Self::for_shape)
        } else {
            self.nested(Self::postfix)
        }
    }

    pub(super) fn arguments(&mut self) -> Result<Vec<Argument>> {
        self.bracketed("(", ")", |parser| {
            if let Some(values) = parser.comprehension(")")? {
                let values = values.into_iter();
                return Ok(values.map(|value| Argument { name: None, value }).collect());
            }
            let mut arguments = Vec::new();
            while !parser.token().is(")") {
                let is_option = parser.accept("$");
                let mut name = None;
                if let TokenKind::Name(word) = parser.token().kind.clone()
                    && parser.peek(1).is("=")
                {
                    parser.advance();
                    parser.advance();
                    name = Some(word);
                }
                let at = parser.token().at;
                if parser.accept("*") {
                    parser.notes.add(at, Why::Python, "*[...]");
                    let list = parser.expression()?;
                    let values = parser.items(&list).ok_or(Untranslatable::Unknown)?;
                    let values = values.into_iter();
                    arguments.extend(values.map(|value| Argument { name: None, value }));
                } else {
                    let value = parser.expression()?;
                    let name = name.map(|name| if is_option { format!("${name}") } else { name });
                    arguments.push(Argument { name, value });
                }
                if !parser.accept(",") {
                    break;
                }
            }
            Ok(arguments)
        })
    }

    pub(super) fn bracketed<T>(
        &mut self,
        open: &str,
        close: &str,
        parse: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.expect(open)?;
        let brackets = self.brackets;
        self.brackets += 1;
        let value = parse(self);
        self.brackets = brackets;
        let value = value?;
        if self.token().is_word("for") {
            return Err(Untranslatable::Construct(
                self.token().at,
                IMPOSSIBLE[0].0,
                IMPOSSIBLE[0].1,
            ));
        }
        self.expect(close)?;
        Ok(value)
    }

    /// A number with its unit: angles in radians, lengths as [`super::translate`] scales them.
    pub(super) fn measured(
        &mut self,
        number: String,
        suffix: Option<&'static str>,
        at: usize,
    ) -> Expr {
        let Some(suffix) = suffix else {
            return Expr::Number(number);
        };
        match suffix {
            "f" | "F" => {
                self.notes.add(at, Why::Glsl, &format!("{number}{suffix}"));
                let is_whole = number.bytes().all(|byte| byte.is_ascii_digit());
                Expr::Number(if is_whole { number + ".0" } else { number })
            }
            "°" | "deg" | "degrees" => {
                self.notes.add(at, Why::Unit, suffix);
                degrees(Expr::Number(number))
            }
            "rad" => {
                self.notes.add(at, Why::Unit, suffix);
                Expr::Number(number)
            }
            unit => {
                self.notes.add(at, Why::Unit, unit);
                call(&format!("{UNIT}{unit}"), vec![Expr::Number(number)], at)
            }
        }
    }
}

fn conditional(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    Expr::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise))
}
