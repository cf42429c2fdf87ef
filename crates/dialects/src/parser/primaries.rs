//! The parser of texts in other languages: values with what follows them, calls, lists, and shapes with their operands.

use super::{Parser, TYPES};
use crate::impossible::IMPOSSIBLE;
use crate::lexer::{Token, TokenKind};
use crate::names::SCAD_MODULES;
use crate::notes::Why;
use crate::tree::{
    APPLY, Argument, Expr, Parameter, Result, Statement, UNIT, Untranslatable, call, degrees, union,
};

impl Parser<'_> {
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
                    if name == "reduce"
                        && let Some(items) = self.items(&value)
                    {
                        value = Expr::List(items, at);
                    }
                    value = if self.token().is("(") && self.continues() {
                        let arguments = self.arguments()?;
                        match self.with_lists(&name, arguments, at)? {
                            Ok(list) => list,
                            Err(arguments) => Expr::Method(Box::new(value), name, arguments, at),
                        }
                    } else {
                        Expr::Member(Box::new(value), name, at)
                    };
                }
                TokenKind::Symbol("[") if self.continues() => value = self.index(value)?,
                TokenKind::Symbol("(") if self.continues() && matches!(value, Expr::Lambda(..)) => {
                    let arguments = self.arguments()?;
                    value = Expr::Method(Box::new(value), APPLY.to_owned(), arguments, token.at);
                }
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
            if let Some(sliced) = parser.slice(&value)? {
                return Ok(sliced);
            }
            let index = parser.expression()?;
            Ok(parser
                .element(&value, &index)
                .unwrap_or_else(|| Expr::Index(Box::new(value), Box::new(index))))
        })
    }

    /// `:2`, `1:` or `[0, 2]` in brackets: some elements of a vector.
    fn slice(&mut self, value: &Expr) -> Result<Option<Expr>> {
        let digit = |parser: &mut Self| match &parser.token().kind {
            TokenKind::Number(number, None) => match number.as_str() {
                "0" => Some(0),
                "1" => Some(1),
                "2" => Some(2),
                "3" => Some(3),
                _ => None,
            },
            _ => None,
        };
        let is_range = self.token().is(":") || digit(self).is_some() && self.peek(1).is(":");
        let axes = if is_range {
            let from = digit(self);
            self.next += usize::from(from.is_some());
            self.expect(":")?;
            let to = digit(self);
            self.next += usize::from(to.is_some());
            "xyz".get(from.unwrap_or(0)..to.unwrap_or(3))
        } else if self.token().is("[") {
            let Expr::List(places, _) = self.primary()? else {
                return Err(Untranslatable::Unknown);
            };
            let place_of = |place: &Expr| {
                ["0", "1", "2"]
                    .iter()
                    .position(|digit| *place == Expr::Number((*digit).to_owned()))
            };
            let places = places.iter().map(place_of).collect::<Option<Vec<_>>>();
            return places
                .map(|places| {
                    let axes: String = places
                        .into_iter()
                        .map(|place| ["x", "y", "z"][place])
                        .collect();
                    Some(Expr::Member(Box::new(value.clone()), axes, 0))
                })
                .ok_or(Untranslatable::Unknown);
        } else {
            return Ok(None);
        };
        match axes {
            Some("xy") => Ok(Some(Expr::FirstTwo(Box::new(value.clone())))),
            Some(axes @ ("yz" | "xyz")) => Ok(Some(Expr::Member(
                Box::new(value.clone()),
                axes.to_owned(),
                0,
            ))),
            _ => Err(Untranslatable::Unknown),
        }
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
                    "let" if self.token().is("(") => {
                        return self.nested(|parser| parser.scoped(token.at));
                    }
                    word if TYPES.contains(&word)
                        && self.array_size(0) > 0
                        && self.peek(self.array_size(0)).is("(") =>
                    {
                        return self.array(token.at);
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
                let arguments = self.arguments()?;
                let mut arguments = match self.with_lists(&name, arguments, token.at)? {
                    Ok(list) => return Ok(list),
                    Err(arguments) => arguments,
                };
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
            TokenKind::Symbol("{") => self.record(),
            TokenKind::Symbol("|") => {
                self.notes.add(token.at, Why::Spelling, "|...|");
                self.advance();
                let inside = self.nested(Self::sum)?;
                self.expect("|")?;
                Ok(call("|...|", vec![inside], token.at))
            }
            TokenKind::Symbol(_) | TokenKind::End => Err(Untranslatable::Unknown),
        }
    }

    /// `let (r = 4, h = 2 * r) sphere(r)` of `OpenSCAD`, from the parenthesis on.
    fn scoped(&mut self, at: usize) -> Result<Expr> {
        self.notes.add(at, Why::OpenScad, "let (...) ...");
        self.expect("(")?;
        let (outer, constants) = (self.loops.values.clone(), self.constants.clone());
        let lists = self.loops.lists.clone();
        let mut named = Vec::new();
        while !self.accept(")") {
            let name = self.word()?;
            self.expect("=")?;
            let start = self.next;
            let value = self.expression()?;
            let is_known = |token: &Token| matches!(&token.kind, TokenKind::Name(word) if self.loops.values.contains_key(word));
            // What changes with a loop is no parameter.
            let varies = self.tokens[start..self.next].iter().any(is_known);
            let is_number = matches!(
                value,
                Expr::Number(_) | Expr::Negation(_) | Expr::Binary(..)
            );
            if varies || !is_number {
                self.loops.values.insert(name, value);
            } else {
                self.loops.values.remove(&name);
                self.loops.lists.remove(&name);
                self.constants.remove(&name);
                if let Ok(number) = self.value_of(&value) {
                    self.constants.insert(name.clone(), number);
                }
                named.push((name, value));
            }
            if !self.accept(",") && !self.token().is(")") {
                return Err(Untranslatable::Unknown);
            }
        }
        let is_shape = self.token().is("{") || self.token().is_word("for");
        let value = if is_shape {
            let shapes = self.shapes()?;
            self.end_block();
            union(shapes)
        } else {
            self.expression()?
        };
        (self.loops.values, self.loops.lists, self.constants) = (outer, lists, constants);
        let binds = |body: Expr, (name, value): (String, Expr)| {
            let parameter = Parameter {
                name,
                is_named: true,
                ..Parameter::default()
            };
            let function = Expr::Lambda(vec![parameter], vec![Statement::Return(body)]);
            let arguments = vec![Argument { name: None, value }];
            Expr::Method(Box::new(function), APPLY.to_owned(), arguments, at)
        };
        Ok(named.into_iter().rev().fold(value, binds))
    }

    /// `{"r": 5, "h": 10}` and `{r: 5, h}`.
    fn record(&mut self) -> Result<Expr> {
        let at = self.token().at;
        self.notes.add(at, Why::Spelling, "{...}");
        self.bracketed("{", "}", |parser| {
            let mut fields = Vec::new();
            while !parser.token().is("}") {
                let at = parser.token().at;
                let (TokenKind::Name(name) | TokenKind::Text(name)) = parser.token().kind.clone()
                else {
                    return Err(Untranslatable::Unknown);
                };
                parser.advance();
                let value = if parser.accept(":") {
                    parser.expression()?
                } else {
                    parser.named_value(name.clone(), at)?
                };
                fields.push((name, value));
                if !parser.accept(",") {
                    break;
                }
            }
            Ok(Expr::Record(fields, at))
        })
    }

    /// Operand of an `OpenSCAD` module: `{ a; b; }`, or the shape that follows.
    pub(super) fn children(
        &mut self,
        name: String,
        arguments: Vec<Argument>,
        at: usize,
    ) -> Result<Expr> {
        let mut children = Vec::new();
        // A call with the arguments of a function ends with its line.
        let most = match name.as_str() {
            "union" | "difference" | "intersection" | "hull" | "minkowski" => 0,
            "translate" | "scale" | "mirror" => 1,
            _ => usize::MAX,
        };
        let is_function = arguments.len() > most && self.token().begins_line;
        let is_scad = SCAD_MODULES.contains(&name.as_str()) && !is_function;
        let is_block = is_scad && self.token().is("{");
        if is_block {
            children = self.shapes()?;
            self.end_block();
        } else if is_scad && matches!(self.token().kind, TokenKind::Name(_)) && self.peek(1).is("(")
        {
            children.push(self.shape()?);
        }
        if children.is_empty() && !is_block {
            return Ok(Expr::Call(name, arguments, at));
        }
        self.notes
            .add(at, Why::OpenScad, &format!("{name}(...) ..."));
        Ok(Expr::Module(name, arguments, children, at))
    }

    /// Ends the statement after a block, which no ';' follows.
    pub(super) fn end_block(&mut self) {
        if !self.is_end() && !self.token().is(";") && !self.token().is("}") && self.brackets == 0 {
            self.tokens[self.next].begins_line = true;
        }
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
        if self.token().is_word("for") || self.token().is_word("intersection_for") {
            self.nested(Self::for_shape)
        } else if self.token().is_word("if") {
            self.nested(Self::if_shape)
        } else {
            self.nested(Self::postfix)
        }
    }

    /// `if (a) shape else other` among the operands of a module.
    fn if_shape(&mut self) -> Result<Expr> {
        self.notes.add(self.token().at, Why::Keyword, "if");
        self.advance();
        let condition = self.bracketed("(", ")", Self::expression)?;
        let then = self.shapes()?;
        if self.peek(1).is_word("else") {
            self.accept(";");
        }
        let mut otherwise = Vec::new();
        if self.token().is_word("else") {
            self.advance();
            otherwise = self.shapes()?;
        }
        Ok(Expr::Conditional(
            Box::new(condition),
            Box::new(union(then)),
            Box::new(union(otherwise)),
        ))
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
                if parser.token().is("*") || parser.token().is("...") {
                    let (why, mark) = if parser.token().is("*") {
                        (Why::Python, "*[...]")
                    } else {
                        (Why::JavaScript, "...[...]")
                    };
                    parser.advance();
                    parser.notes.add(at, why, mark);
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

    /// A number with its unit: angles in radians, lengths as calls that the translation scales.
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
            "f" => {
                self.notes.add(at, Why::Glsl, &format!("{number}{suffix}"));
                let is_whole = number.bytes().all(|byte| byte.is_ascii_digit());
                Expr::Number(if is_whole { number + ".0" } else { number })
            }
            "°" | "deg" => {
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
