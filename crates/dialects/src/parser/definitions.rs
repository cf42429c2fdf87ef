//! The parser of texts in other languages: declarations, and definitions of functions, modules and classes.

use std::collections::HashSet;

use super::{DECLARATIONS, Parser, QUALIFIERS, TYPES};
use crate::declaration_order::ordered;
use crate::lexer::TokenKind;
use crate::notes::Why;
use crate::statements::{assigns, assigns_late, shape_of};
use crate::tree::{
    Argument, Class, Expr, Parameter, Result, Statement, Target, Untranslatable, constant_number,
    union,
};

/// Types of vectors of three components.
const POINT_TYPES: [&str; 9] = [
    "vec3", "vec3f", "float3", "ndarray", "array", "Vec3", "Vector3", "Point", "NDArray",
];
/// Types of vectors of two components.
const FLAT_TYPES: [&str; 5] = ["vec2", "vec2f", "float2", "Vec2", "Vector2"];

/// Hint for a function that assigns to names of outside.
const GLOBAL: &str = "a function changes no value outside of it: return the value instead";

impl Parser<'_> {
    /// `let a = 1, b = 2` and `float map(vec3 p) { ... }`.
    pub(super) fn declaration(&mut self, word: &str, into: &mut Vec<Statement>) -> Result<()> {
        const WORDS: [&str; 5] = ["let", "var", "local", "mut", "final"];
        let at = self.token().at;
        while let TokenKind::Name(word) = &self.token().kind
            && (QUALIFIERS.contains(&word.as_str()) || WORDS.contains(&word.as_str()))
            && !self.peek(1).is("=")
        {
            self.advance();
        }
        if self.token().is_word("function") {
            return self.statement(into);
        }
        let mut ty = String::new();
        if let TokenKind::Name(name) = self.token().kind.clone()
            && (TYPES.contains(&name.as_str()) || self.structs.contains(&name))
            && matches!(self.peek(1 + self.array_size(1)).kind, TokenKind::Name(_))
        {
            self.next += 1 + self.array_size(1);
            self.is_typed = true;
            ty = name;
        }
        if let (TokenKind::Name(name), true) = (self.token().kind.clone(), self.peek(1).is("(")) {
            self.notes
                .add(at, Why::Glsl, &format!("{word} {name}(...)"));
            self.note_integer(&name, matches!(ty.as_str(), "int" | "uint"));
            let indent = self.token().indent;
            return self.definition(indent, into);
        }
        if matches!(word, "uniform" | "precision") {
            self.notes.add(at, Why::Glsl, word);
            self.skip_line();
            return Ok(());
        }
        if self.token().is("[") || self.token().is("{") {
            return self.destructuring(word, at, into);
        }
        loop {
            let TokenKind::Name(name) = self.token().kind.clone() else {
                return Err(Untranslatable::Unknown);
            };
            if word != "let" {
                let why = match word {
                    "local" => Why::Keyword,
                    word if DECLARATIONS.contains(&word) && ty.is_empty() => Why::JavaScript,
                    _ => Why::Glsl,
                };
                self.notes.add(at, why, &format!("{word} {name}"));
            }
            self.advance();
            if word == "var" && !self.tokens.iter().any(|token| token.is_word("fn")) {
                self.notes.variables.push(name.clone());
            }
            self.note_integer(&name, matches!(ty.as_str(), "int" | "uint"));
            self.next += self.array_size(0);
            if self.token().is(":") {
                self.notes.add(self.token().at, Why::Spelling, ":");
                self.advance();
                if !self.token().is("=") {
                    self.annotation();
                }
            }
            if !self.token().is("=") {
                self.declared.insert(name.clone());
            }
            if self.accept("=") {
                let value = self.expression()?;
                self.check_integer(&Target::Names(vec![name.clone()]), &value)?;
                // As of a macro.
                if ty.is_empty() && self.is_integer(&value) {
                    self.note_integer(&name, true);
                }
                if let Expr::Lambda(parameters, body) = value {
                    into.push(Statement::Definition(name, parameters, body));
                } else {
                    let target = Target::Names(vec![name]);
                    if !self.note_value(&target, &value)? {
                        into.push(Statement::Assignment(target, value, true, at));
                    }
                }
            }
            if !self.accept(",") {
                break;
            }
            self.notes.add(at, Why::Separator, "','");
        }
        self.end_statement()
    }

    /// `const [a, b] = ...` and `const {r, h} = ...` from the bracket on.
    fn destructuring(&mut self, word: &str, at: usize, into: &mut Vec<Statement>) -> Result<()> {
        let is_list = self.token().is("[");
        let names = self.bracketed_names()?;
        self.notes
            .add(at, Why::JavaScript, &format!("{word} {{...}}"));
        self.expect("=")?;
        let value = self.expression()?;
        into.extend(taken_apart(names, &value, is_list, at));
        self.end_statement()
    }

    /// `[a, b]` or `{a, b}`.
    fn bracketed_names(&mut self) -> Result<Vec<String>> {
        let close = if self.token().is("[") { "]" } else { "}" };
        self.advance();
        let mut names = Vec::new();
        while !self.accept(close) {
            names.push(self.word()?);
            if !self.accept(",") && !self.token().is(close) {
                return Err(Untranslatable::Unknown);
            }
        }
        Ok(names)
    }

    /// A definition from its name on. A body that cannot be read matters only if it is called.
    pub(super) fn definition(&mut self, indent: usize, into: &mut Vec<Statement>) -> Result<()> {
        let TokenKind::Name(name) = self.token().kind.clone() else {
            return Err(Untranslatable::Unknown);
        };
        self.advance();
        self.expect("(")?;
        let integers = self.integers.clone();
        let outer = std::mem::take(&mut self.prologue);
        let parameters = self.parameters(")")?;
        let mut body = std::mem::replace(&mut self.prologue, outer);
        self.expect(")")?;
        if self.accept("->")
            || self.token().is(":")
                && self.peek(1).kind != TokenKind::End
                && !self.peek(1).begins_line
                && matches!(self.peek(1).kind, TokenKind::Name(_))
                && (self.peek(2).is("{") || self.peek(2).is("=") || self.peek(2).is("<"))
        {
            self.accept(":");
            self.annotation();
        }
        if self.accept("=") {
            body.push(Statement::Return(self.expression()?));
            into.push(Statement::Definition(name, parameters, body));
            return self.end_statement();
        }
        let mut parameters = parameters;
        body.extend(self.body_with_defaults(&mut parameters, indent)?);
        self.integers = integers;
        into.push(Statement::Definition(name, parameters, body));
        Ok(())
    }

    /// The block of a definition, in which loops may have the defaults of parameters as limits.
    pub(super) fn body_with_defaults(
        &mut self,
        parameters: &mut [Parameter],
        indent: usize,
    ) -> Result<Vec<Statement>> {
        let names: Vec<String> = parameters.iter().map(|it| it.name.clone()).collect();
        self.with_defaults(parameters, |parser| {
            let outside = parser.assigned.clone();
            parser.assigned.extend(names.iter().cloned());
            // In Python an assignment declares its name.
            let has_declarations = parser.token().is("{") || parser.is_lua;
            let variables = if has_declarations {
                outside.clone()
            } else {
                HashSet::new()
            };
            let at = parser.token().at;
            let body = parser.body(indent)?;
            let is_input = |name: &str| outside.contains(name) || names.iter().any(|it| it == name);
            let body = match ordered(body, &is_input, parser.notes) {
                Ok(body) => body,
                Err(error) => return Ok(vec![Statement::Unreadable(error)]),
            };
            let mut own: HashSet<String> = names.into_iter().collect();
            own.extend(parser.declared.iter().cloned());
            if changes(&body, [&variables, &outside], &mut own) {
                let error = Untranslatable::Construct(at, "global", GLOBAL);
                return Ok(vec![Statement::Unreadable(error)]);
            }
            Ok(body)
        })
    }

    /// Reads a body in which the numbers that are defaults of parameters are known, and marks those that it needs.
    fn with_defaults<T>(
        &mut self,
        parameters: &mut [Parameter],
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let (constants, assumed) = (self.constants.clone(), std::mem::take(&mut self.assumed));
        let used = self.used.take();
        for parameter in parameters.iter() {
            self.constants.remove(&parameter.name);
            let default = parameter.default.as_ref();
            if let Some(default) = default.and_then(constant_number) {
                self.constants.insert(parameter.name.clone(), default);
                self.assumed.insert(parameter.name.clone());
            }
        }
        let value = read(self);
        let inner = self.used.replace(used);
        for parameter in parameters {
            parameter.is_assumed = inner.contains(&parameter.name);
        }
        (self.constants, self.assumed) = (constants, assumed);
        value
    }

    /// The block of a definition.
    pub(super) fn body(&mut self, indent: usize) -> Result<Vec<Statement>> {
        let (start, depth, brackets) = (self.next, self.depth, self.brackets);
        let (notes, values) = (self.notes.clone(), self.loops.values.clone());
        let (constants, lists) = (self.constants.clone(), self.loops.lists.clone());
        let is_lua = self.is_lua && !self.token().is("{") && !self.token().is(":");
        let globals = std::mem::take(&mut self.globals);
        let body = if is_lua {
            self.lua_block()
        } else {
            self.block(indent)
        };
        let declared = std::mem::replace(&mut self.globals, globals);
        let error = match body {
            Ok(body) => match declared.iter().find(|(name, _)| assigns(&body, name)) {
                Some((_, at)) => Untranslatable::Construct(*at, "global", GLOBAL),
                None => return Ok(body),
            },
            Err(error) => error,
        };
        (self.next, self.depth, self.brackets) = (start, depth, brackets);
        (self.constants, self.loops.values, self.loops.lists) = (constants, values, lists);
        let after = self.after_body(indent).ok_or_else(|| error.clone())?;
        *self.notes = notes;
        self.next = after;
        Ok(vec![Statement::Unreadable(error)])
    }

    /// The token that follows a block that begins here.
    fn after_body(&self, indent: usize) -> Option<usize> {
        let rest = &self.tokens[self.next..];
        if self.token().is("{") {
            let mut depth = 0_usize;
            let close = rest.iter().position(|token| {
                if token.is("{") {
                    depth += 1;
                } else if token.is("}") {
                    depth -= 1;
                }
                depth == 0
            });
            return close.map(|close| self.next + close + 1);
        }
        let is_indented = self.token().is(":") && self.peek(1).begins_line;
        let inner = rest.iter().skip(1);
        let length = inner
            .take_while(|token| {
                token.kind != TokenKind::End && (!token.begins_line || token.indent > indent)
            })
            .count();
        is_indented.then_some(self.next + 1 + length)
    }

    /// Statements of Lua up to `end`, which is read.
    pub(super) fn lua_block(&mut self) -> Result<Vec<Statement>> {
        let body = self.lua_statements()?;
        self.notes.add(self.token().at, Why::Keyword, "end");
        self.advance();
        Ok(body)
    }

    /// Statements of Lua up to `end`, `else` or `elseif`.
    pub(super) fn lua_statements(&mut self) -> Result<Vec<Statement>> {
        self.nested(|parser| {
            let mut body = Vec::new();
            while !["end", "else", "elseif"]
                .iter()
                .any(|word| parser.token().is_word(word))
            {
                if parser.is_end() {
                    return Err(Untranslatable::Unknown);
                }
                parser.statement(&mut body)?;
            }
            Ok(body)
        })
    }

    /// A module of `OpenSCAD`: a function whose value is the union of its shapes.
    pub(super) fn module(&mut self, into: &mut Vec<Statement>) -> Result<()> {
        let indent = self.token().indent;
        self.advance();
        let TokenKind::Name(name) = self.token().kind.clone() else {
            return Err(Untranslatable::Unknown);
        };
        self.advance();
        self.expect("(")?;
        let mut parameters = self.parameters(")")?;
        self.expect(")")?;
        let is_outer = std::mem::replace(&mut self.is_module, true);
        let statements = self.with_defaults(&mut parameters, |parser| parser.block(indent))?;
        self.is_module = is_outer;
        for parameter in &mut parameters {
            // The number of repetitions is no parameter.
            parameter.is_named = !parameter.is_assumed;
        }
        let is_parameter = |name: &str| parameters.iter().any(|own| own.name == name);
        let statements = ordered(statements, &is_parameter, self.notes)?;
        if assigns_late(&statements) {
            return Err(Untranslatable::Unknown);
        }
        let (mut body, mut shapes) = (Vec::new(), Vec::new());
        for statement in statements {
            match shape_of(&statement, &|_| true) {
                Some(shape) => shapes.push(shape),
                None => body.push(statement),
            }
        }
        body.push(Statement::Return(union(shapes)));
        into.push(Statement::Definition(name, parameters, body));
        self.end_block();
        Ok(())
    }

    /// `class Ball(Shape): ...` and `class Ball extends Shape { ... }`.
    pub(super) fn class(&mut self, into: &mut Vec<Statement>) -> Result<()> {
        let (at, indent) = (self.token().at, self.token().indent);
        let is_data = std::mem::take(&mut self.is_dataclass);
        self.notes.add(at, Why::Keyword, "class");
        self.advance();
        let name = self.word()?;
        let mut base = None;
        if self.token().is_word("extends") {
            self.advance();
            base = Some(self.word()?);
        } else if self.accept("(") {
            while !self.accept(")") {
                let word = self.word()?;
                base = Some(word);
                while !self.token().is(",") && !self.token().is(")") && !self.is_end() {
                    self.advance();
                }
                self.accept(",");
            }
        }
        let is_data = is_data || base.as_deref() == Some("NamedTuple");
        let mut class = Class {
            base,
            ..Class::default()
        };
        let body = if self.token().is("{") {
            self.members()?
        } else {
            self.block(indent)?
        };
        for statement in body {
            match statement {
                Statement::Definition(name, parameters, body) => {
                    class.methods.push((name, parameters, body));
                }
                Statement::Assignment(Target::Names(names), value, ..) if names.len() == 1 => {
                    let field = Parameter {
                        name: names[0].clone(),
                        default: Some(value),
                        ..Parameter::default()
                    };
                    if is_data {
                        class.fields.push(field);
                    } else {
                        class.attributes.push(field);
                    }
                }
                Statement::Value(Expr::Name(name, _)) if is_data => {
                    class.fields.push(Parameter {
                        name,
                        ..Parameter::default()
                    });
                }
                Statement::Value(Expr::Text(_) | Expr::Name(..)) => {}
                _ => return Err(Untranslatable::Unknown),
            }
        }
        into.push(Statement::Class(name, class));
        Ok(())
    }

    /// Members of a class of JavaScript.
    fn members(&mut self) -> Result<Vec<Statement>> {
        self.expect("{")?;
        let mut members = Vec::new();
        while !self.accept("}") {
            if self.is_end() {
                return Err(Untranslatable::Unknown);
            }
            if matches!(self.token().kind, TokenKind::Name(_)) && self.peek(1).is("(") {
                let indent = self.token().indent;
                self.definition(indent, &mut members)?;
            } else {
                self.statement(&mut members)?;
            }
        }
        Ok(members)
    }

    /// `struct Ball { vec3 c; float r; };`
    pub(super) fn structure(&mut self, into: &mut Vec<Statement>) -> Result<()> {
        self.notes.add(self.token().at, Why::Keyword, "struct");
        self.advance();
        let name = self.word()?;
        self.expect("{")?;
        let mut class = Class::default();
        while !self.accept("}") {
            let first = self.word()?;
            let name = if self.accept(":") {
                self.annotation();
                first
            } else {
                self.word()?
            };
            class.fields.push(Parameter {
                name,
                ..Parameter::default()
            });
            if !self.accept(";") && !self.accept(",") && !self.token().is("}") {
                return Err(Untranslatable::Unknown);
            }
        }
        self.structs.insert(name.clone());
        into.push(Statement::Class(name, class));
        self.accept(";");
        Ok(())
    }

    /// Parameters up to a closing mark, which is not read.
    pub(super) fn parameters(&mut self, close: &str) -> Result<Vec<Parameter>> {
        let mut parameters = Vec::new();
        while !self.token().is(close) {
            if self.token().is("[") || self.token().is("{") {
                let (at, is_list) = (self.token().at, self.token().is("["));
                let names = self.bracketed_names()?;
                let name = "p".to_owned();
                let point = Expr::Name(name.clone(), at);
                self.prologue
                    .extend(taken_apart(names, &point, is_list, at));
                parameters.push(Parameter {
                    name,
                    ..Parameter::default()
                });
                if !self.accept(",") {
                    break;
                }
                continue;
            }
            self.accept("&");
            let mut words = Vec::new();
            while let TokenKind::Name(word) = &self.token().kind {
                words.push(word.clone());
                self.advance();
                self.accept("&");
            }
            let name = words.pop().ok_or(Untranslatable::Unknown)?;
            if self.loops.lists.contains_key(&name) || self.loops.values.contains_key(&name) {
                return Err(Untranslatable::Unknown);
            }
            self.note_integer(&name, words.iter().any(|word| word == "int"));
            let is_output = words.iter().any(|word| word == "inout" || word == "out");
            if close == ")" && self.accept(":") {
                words.extend(self.annotation());
            }
            let is_one_of = |types: &[&str]| words.iter().any(|word| types.contains(&&**word));
            let components = match (is_one_of(&POINT_TYPES), is_one_of(&FLAT_TYPES)) {
                (true, _) => Some(3),
                (_, true) => Some(2),
                _ => None,
            };
            let default = if self.accept("=") {
                Some(self.expression()?)
            } else {
                None
            };
            parameters.push(Parameter {
                name,
                components,
                is_output,
                default,
                ..Parameter::default()
            });
            if !self.accept(",") {
                break;
            }
        }
        Ok(parameters)
    }

    /// Words of a type such as `vec3<f32>` or `Optional[float]`.
    pub(super) fn annotation(&mut self) -> Vec<String> {
        let (mut words, mut depth) = (Vec::new(), 0_usize);
        let first = self.next;
        loop {
            let token = self.token().clone();
            let is_first = self.next == first;
            match token.kind {
                TokenKind::End => break,
                _ if depth == 0 && token.begins_line && !is_first => break,
                TokenKind::Symbol("[" | "(" | "<") => depth += 1,
                TokenKind::Symbol("]" | ")" | ">") if depth > 0 => depth -= 1,
                TokenKind::Symbol("," | ")" | "=" | "{" | ":" | ";" | "=>" | "]" | "}")
                    if depth == 0 =>
                {
                    break;
                }
                TokenKind::Name(word) => words.push(word),
                _ => {}
            }
            self.advance();
        }
        words
    }
}

/// Parameters of a call that is defined, as in `f(p, r) = ...`.
pub(super) fn plain_parameters(arguments: &[Argument]) -> Option<Vec<Parameter>> {
    let parameter = |argument: &Argument| match &argument.value {
        Expr::Name(name, _) if argument.name.is_none() => Some(Parameter {
            name: name.clone(),
            ..Parameter::default()
        }),
        _ => None,
    };
    arguments.iter().map(parameter).collect()
}

/// Assignments of the elements or the members of a value.
fn taken_apart(names: Vec<String>, value: &Expr, is_list: bool, at: usize) -> Vec<Statement> {
    if is_list {
        let target = Target::Names(names);
        return vec![Statement::Assignment(target, value.clone(), true, at)];
    }
    let members = names.into_iter().map(|name| {
        let member = Expr::Member(Box::new(value.clone()), name.clone(), at);
        Statement::Assignment(Target::Names(vec![name]), member, true, at)
    });
    members.collect()
}

/// True if statements assign to a variable, or to members of an object, of outside that they do not declare.
fn changes(
    body: &[Statement],
    [variables, objects]: [&HashSet<String>; 2],
    own: &mut HashSet<String>,
) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Assignment(Target::Names(names), _, true, _) => {
            own.extend(names.iter().cloned());
            false
        }
        Statement::Assignment(Target::Names(names), ..) => names
            .iter()
            .any(|name| variables.contains(name) && !own.contains(name)),
        Statement::Assignment(Target::Member(name, _), ..) => {
            objects.contains(name) && !own.contains(name)
        }
        Statement::If(_, then, otherwise) => {
            let outside = [variables, objects];
            changes(then, outside, own) || changes(otherwise, outside, own)
        }
        _ => false,
    })
}
