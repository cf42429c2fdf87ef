//! The parser of texts in Python, GLSL, `OpenSCAD` or JavaScript: statements.
//!
//! It accepts the union of what models write in these languages for a formula or a shape, and the language of
//! expressions itself. It is no validator: what it cannot read, it gives up.

use std::collections::{HashMap, HashSet};

use super::impossible::IMPOSSIBLE;
use super::lexer::{Token, TokenKind};
use super::loops::Loops;
use super::notes::{Notes, Why};
use super::tree::{Argument, Expr, Parameter, Result, Statement, Target, Untranslatable, binary};

/// Types of GLSL and C, and what else declares a name.
const TYPES: [&str; 17] = [
    "float", "double", "int", "bool", "vec2", "vec3", "vec4", "float2", "float3", "float4", "half",
    "void", "mat4", "mat3", "mat2", "auto", "uint",
];
const QUALIFIERS: [&str; 13] = [
    "const",
    "in",
    "inout",
    "uniform",
    "highp",
    "mediump",
    "lowp",
    "static",
    "inline",
    "precision",
    "export",
    "varying",
    "attribute",
];
const DECLARATIONS: [&str; 2] = ["var", "const"];

const MAX_DEPTH: usize = 60;

pub(super) struct Parser<'n> {
    pub(super) tokens: Vec<Token>,
    pub(super) next: usize,
    /// Open brackets, in which line breaks have no meaning.
    pub(super) brackets: usize,
    depth: usize,
    /// Values of names that stand for a number.
    pub(super) constants: HashMap<String, f64>,
    pub(super) loops: Loops,
    /// Values of `$fn` and the like, which shapes without one have.
    pub(super) options: Vec<Argument>,
    /// True if the text declares types of numbers.
    pub(super) is_typed: bool,
    /// Variables of type `int`.
    pub(super) integers: HashSet<String>,
    pub(super) notes: &'n mut Notes,
}

impl<'n> Parser<'n> {
    pub(super) fn new(tokens: Vec<Token>, notes: &'n mut Notes) -> Self {
        Parser {
            tokens,
            next: 0,
            brackets: 0,
            depth: 0,
            constants: HashMap::new(),
            loops: Loops::default(),
            options: Vec::new(),
            is_typed: false,
            integers: HashSet::new(),
            notes,
        }
    }

    pub(super) fn program(&mut self) -> Result<Vec<Statement>> {
        let mut statements = Vec::new();
        while !self.is_end() {
            self.statement(&mut statements)?;
        }
        Ok(statements)
    }

    pub(super) fn statement(&mut self, into: &mut Vec<Statement>) -> Result<()> {
        if self.accept(";") {
            return Ok(());
        }
        let at = self.token().at;
        if let TokenKind::Name(word) = self.token().kind.clone() {
            let follows_header =
                self.peek(1).is("(") || matches!(self.peek(1).kind, TokenKind::Name(_));
            if word == "for" && follows_header {
                return self.for_statement(into);
            }
            if let Some(&(name, hint)) = IMPOSSIBLE.iter().find(|(name, _)| *name == word)
                && !matches!(
                    self.peek(1).kind,
                    TokenKind::Symbol("=" | "." | "+" | "-" | "*" | "/")
                )
                && (name != "import" || self.peek(1).is("("))
            {
                return Err(Untranslatable::Construct(at, name, hint));
            }
            match word.as_str() {
                "import" | "from" if matches!(self.peek(1).kind, TokenKind::Name(_)) => {
                    self.notes.add(at, Why::Python, &word);
                    self.skip_line();
                    return Ok(());
                }
                "def" | "function" | "fn" | "func"
                    if matches!(self.peek(1).kind, TokenKind::Name(_)) =>
                {
                    let why = match word.as_str() {
                        "def" => Why::Python,
                        "function" if self.peek(2).is("(") => Why::JavaScript,
                        _ => Why::Definition,
                    };
                    self.notes.add(at, why, &word);
                    let indent = self.token().indent;
                    self.advance();
                    return self.definition(indent, into);
                }
                "module" if matches!(self.peek(1).kind, TokenKind::Name(_)) => {
                    self.notes.add(at, Why::OpenScad, "module");
                    return self.module(into);
                }
                "return" => {
                    self.notes.add(at, Why::Keyword, "return");
                    self.advance();
                    let value = self.expressions()?;
                    into.push(Statement::Return(value));
                    return self.end_statement();
                }
                "if" => return self.if_statement(into),
                word if (TYPES.contains(&word)
                    || QUALIFIERS.contains(&word)
                    || matches!(word, "let" | "var"))
                    && matches!(self.peek(1).kind, TokenKind::Name(_)) =>
                {
                    return self.declaration(word, into);
                }
                _ => {}
            }
        }
        if self.token().is("$") {
            // `$fn = 64;` is the fineness of `OpenSCAD`'s meshes.
            self.notes.add(at, Why::OpenScad, "$fn");
            self.advance();
            let name = format!("${}", self.word()?);
            self.expect("=")?;
            let value = self.expression()?;
            self.options
                .retain(|option: &Argument| option.name.as_ref() != Some(&name));
            self.options.push(Argument {
                name: Some(name),
                value,
            });
            return self.end_statement();
        }
        if self.append()? {
            return Ok(());
        }
        let value = self.expressions()?;
        if let Expr::Lambda(parameters, body) = value {
            into.push(Statement::Definition(
                String::new(),
                parameters,
                vec![Statement::Return(*body)],
            ));
            return self.end_statement();
        }
        self.after_expression(value, at, into)
    }

    /// The rest of a statement that begins with an expression.
    pub(super) fn after_expression(
        &mut self,
        value: Expr,
        at: usize,
        into: &mut Vec<Statement>,
    ) -> Result<()> {
        let token = self.token().clone();
        let TokenKind::Symbol(symbol) = token.kind else {
            into.push(Statement::Value(value));
            return self.end_statement();
        };
        match symbol {
            ":" if self.peek(1).is("=") => {
                self.notes.add(token.at, Why::Spelling, ":");
                self.advance();
                return self.after_expression(value, at, into);
            }
            ":" if !token.begins_line && matches!(self.peek(1).kind, TokenKind::Name(_)) => {
                // `name: type = value`
                self.notes.add(token.at, Why::Python, ":");
                self.advance();
                self.postfix()?;
                return self.after_expression(value, at, into);
            }
            "=" => {
                if let Expr::Call(name, arguments, _) = &value
                    && let Some(parameters) = plain_parameters(arguments)
                {
                    self.notes
                        .add(at, Why::Definition, &format!("{name}(...) ="));
                    self.advance();
                    let body = vec![Statement::Return(self.expressions()?)];
                    into.push(Statement::Definition(name.clone(), parameters, body));
                    return self.end_statement();
                }
                let mut targets = vec![target(value)?];
                self.advance();
                let mut assigned = self.expressions()?;
                while self.token().is("=") {
                    targets.push(target(assigned)?);
                    self.advance();
                    assigned = self.expressions()?;
                }
                if let (Expr::Lambda(parameters, body), [Target::Names(names)]) =
                    (&assigned, &targets[..])
                {
                    let body = vec![Statement::Return((**body).clone())];
                    into.push(Statement::Definition(
                        names[0].clone(),
                        parameters.clone(),
                        body,
                    ));
                    return self.end_statement();
                }
                for target in targets.into_iter().rev() {
                    if !self.note_value(&target, &assigned)? {
                        into.push(Statement::Assignment(target, assigned.clone(), false, at));
                    }
                }
            }
            "+=" | "-=" | "*=" | "/=" | "**=" => {
                self.notes.add(token.at, Why::Operator, symbol);
                self.advance();
                let right = self.expressions()?;
                let operator = match symbol {
                    "+=" => "+",
                    "-=" => "-",
                    "*=" => "*",
                    "/=" => "/",
                    _ => "^",
                };
                let sum = if operator == "/" {
                    self.quotient(value.clone(), right, token.at)
                } else {
                    binary(operator, value.clone(), right)
                };
                let target = target(value)?;
                self.note_value(&target, &sum)?;
                into.push(Statement::Assignment(target, sum, false, at));
            }
            _ => into.push(Statement::Value(value)),
        }
        self.end_statement()
    }

    pub(super) fn end_statement(&mut self) -> Result<()> {
        if self.accept(";") || self.is_end() || self.token().is("}") {
            return Ok(());
        }
        if self.token().begins_line {
            self.notes
                .add(self.token().at, Why::Separator, "a line break");
            return Ok(());
        }
        Err(Untranslatable::Unknown)
    }

    /// `let a = 1, b = 2` and `float map(vec3 p) { ... }`.
    pub(super) fn declaration(&mut self, word: &str, into: &mut Vec<Statement>) -> Result<()> {
        let at = self.token().at;
        while let TokenKind::Name(word) = &self.token().kind
            && (QUALIFIERS.contains(&word.as_str()) || word == "let" || word == "var")
        {
            self.advance();
        }
        let mut ty = String::new();
        if let TokenKind::Name(name) = self.token().kind.clone()
            && TYPES.contains(&name.as_str())
            && matches!(self.peek(1).kind, TokenKind::Name(_))
        {
            self.advance();
            self.is_typed = true;
            ty = name;
        }
        if let (TokenKind::Name(name), true) = (self.token().kind.clone(), self.peek(1).is("(")) {
            self.notes
                .add(at, Why::Glsl, &format!("{word} {name}(...)"));
            let indent = self.token().indent;
            return self.definition(indent, into);
        }
        if matches!(word, "uniform" | "precision") {
            self.notes.add(at, Why::Glsl, word);
            self.skip_line();
            return Ok(());
        }
        loop {
            let TokenKind::Name(name) = self.token().kind.clone() else {
                return Err(Untranslatable::Unknown);
            };
            if word != "let" {
                let why = if DECLARATIONS.contains(&word) && ty.is_empty() {
                    Why::JavaScript
                } else {
                    Why::Glsl
                };
                self.notes.add(at, why, &format!("{word} {name}"));
            }
            self.advance();
            if matches!(ty.as_str(), "int" | "uint") {
                self.integers.insert(name.clone());
            } else {
                self.integers.remove(&name);
            }
            if self.token().is(":") {
                self.notes.add(self.token().at, Why::Spelling, ":");
                self.advance();
                if !self.token().is("=") {
                    self.postfix()?;
                }
            }
            if self.accept("=") {
                let value = self.expression()?;
                if let Expr::Lambda(parameters, body) = value {
                    into.push(Statement::Definition(
                        name,
                        parameters,
                        vec![Statement::Return(*body)],
                    ));
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

    /// A definition from its name on.
    pub(super) fn definition(&mut self, indent: usize, into: &mut Vec<Statement>) -> Result<()> {
        let TokenKind::Name(name) = self.token().kind.clone() else {
            return Err(Untranslatable::Unknown);
        };
        self.advance();
        self.expect("(")?;
        let parameters = self.parameters(")")?;
        self.expect(")")?;
        if self.accept("->")
            || self.token().is(":")
                && self.peek(1).kind != TokenKind::End
                && !self.peek(1).begins_line
                && !self.peek(1).is_word("return")
        {
            self.accept(":");
            if matches!(self.token().kind, TokenKind::Name(_)) {
                self.postfix()?;
            }
        }
        if self.accept("=") {
            let body = vec![Statement::Return(self.expression()?)];
            into.push(Statement::Definition(name, parameters, body));
            return self.end_statement();
        }
        let body = self.block(indent)?;
        into.push(Statement::Definition(name, parameters, body));
        Ok(())
    }

    /// A module of `OpenSCAD`: a function whose value is the union of its shapes.
    fn module(&mut self, into: &mut Vec<Statement>) -> Result<()> {
        let (at, indent) = (self.token().at, self.token().indent);
        self.advance();
        let TokenKind::Name(name) = self.token().kind.clone() else {
            return Err(Untranslatable::Unknown);
        };
        self.advance();
        self.expect("(")?;
        let parameters = self.parameters(")")?;
        self.expect(")")?;
        let (mut body, mut shapes) = (Vec::new(), Vec::new());
        for statement in self.block(indent)? {
            match statement {
                Statement::Value(shape) => shapes.push(shape),
                other => body.push(other),
            }
        }
        let shape = match shapes.len() {
            1 => shapes.remove(0),
            _ => Expr::Module("union".to_owned(), Vec::new(), shapes, at),
        };
        body.push(Statement::Return(shape));
        into.push(Statement::Definition(name, parameters, body));
        // No ';' follows a block.
        if !self.is_end() && !self.token().is(";") && !self.token().is("}") {
            self.tokens[self.next].begins_line = true;
        }
        Ok(())
    }

    /// Parameters up to a closing mark, which is not read.
    pub(super) fn parameters(&mut self, close: &str) -> Result<Vec<Parameter>> {
        let mut parameters = Vec::new();
        while !self.token().is(close) {
            let mut words = Vec::new();
            while let TokenKind::Name(word) = &self.token().kind {
                words.push(word.clone());
                self.advance();
            }
            let name = words.pop().ok_or(Untranslatable::Unknown)?;
            if self.loops.lists.contains_key(&name) || self.loops.values.contains_key(&name) {
                return Err(Untranslatable::Unknown);
            }
            if words.iter().any(|word| word == "int") {
                self.integers.insert(name.clone());
            } else {
                self.integers.remove(&name);
            }
            let mut is_vector = words.iter().any(|word| word == "vec3" || word == "float3");
            if close == ")" && self.accept(":") {
                let start = self.next;
                self.postfix()?;
                let is_word = |token: &Token| {
                    ["vec3", "float3", "ndarray", "array", "Vec3", "Vector3"]
                        .iter()
                        .any(|word| token.is_word(word))
                };
                is_vector |= self.tokens[start..self.next].iter().any(is_word);
            }
            let default = if self.accept("=") {
                Some(self.expression()?)
            } else {
                None
            };
            parameters.push(Parameter {
                name,
                is_vector,
                default,
            });
            if !self.accept(",") {
                break;
            }
        }
        Ok(parameters)
    }

    /// `{ ... }`, or `: ...` on one line or indented, or one statement.
    pub(super) fn block(&mut self, indent: usize) -> Result<Vec<Statement>> {
        self.nested(|parser| {
            let brackets = std::mem::take(&mut parser.brackets);
            let mut body = Vec::new();
            if parser.accept("{") {
                while !parser.accept("}") {
                    if parser.is_end() {
                        return Err(Untranslatable::Unknown);
                    }
                    parser.statement(&mut body)?;
                }
            } else if parser.accept(":") && parser.token().begins_line {
                while !parser.is_end() && parser.token().indent > indent {
                    parser.statement(&mut body)?;
                }
            } else {
                parser.statement(&mut body)?;
            }
            parser.brackets = brackets;
            Ok(body)
        })
    }

    pub(super) fn if_statement(&mut self, into: &mut Vec<Statement>) -> Result<()> {
        let (at, indent) = (self.token().at, self.token().indent);
        self.notes.add(at, Why::Keyword, "if");
        self.advance();
        let condition = self.expression()?;
        let then = self.block(indent)?;
        let mut otherwise = Vec::new();
        if self.token().is_word("elif") {
            // Read as `if` of the alternative.
            self.if_statement(&mut otherwise)?;
        } else if self.token().is_word("else") {
            self.advance();
            if self.token().is_word("if") {
                self.if_statement(&mut otherwise)?;
            } else {
                otherwise = self.block(indent)?;
            }
        }
        into.push(Statement::If(condition, then, otherwise));
        Ok(())
    }

    /// Notes an operator that is foreign, and skips it.
    pub(super) fn operator(&mut self) {
        let token = self.token().clone();
        match &token.kind {
            TokenKind::Symbol(symbol) => self.notes.add(token.at, Why::Operator, symbol),
            TokenKind::Name(word) => self.notes.add(token.at, Why::Python, word),
            TokenKind::Number(..) | TokenKind::Text(_) | TokenKind::End => {}
        }
        self.advance();
    }

    /// True if the next token belongs to the same statement.
    pub(super) fn continues(&self) -> bool {
        self.brackets > 0 || !self.token().begins_line
    }

    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_DEPTH {
            return Err(Untranslatable::Unknown);
        }
        self.depth += 1;
        let value = parse(self);
        self.depth -= 1;
        value
    }

    pub(super) fn skip_line(&mut self) {
        self.advance();
        while !self.is_end() && !self.token().begins_line && !self.accept(";") {
            self.advance();
        }
    }

    pub(super) fn token(&self) -> &Token {
        self.peek(0)
    }

    pub(super) fn peek(&self, ahead: usize) -> &Token {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.next + ahead).min(last)]
    }

    pub(super) fn is_end(&self) -> bool {
        self.token().kind == TokenKind::End
    }

    pub(super) fn advance(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    pub(super) fn accept(&mut self, symbol: &str) -> bool {
        let found = self.token().is(symbol);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, symbol: &str) -> Result<()> {
        if self.accept(symbol) {
            Ok(())
        } else {
            Err(Untranslatable::Unknown)
        }
    }
}

fn target(value: Expr) -> Result<Target> {
    let name = |value: Expr| match value {
        Expr::Name(name, _) => Ok(name),
        _ => Err(Untranslatable::Unknown),
    };
    match value {
        Expr::List(values, _) => values
            .into_iter()
            .map(name)
            .collect::<Result<_>>()
            .map(Target::Names),
        Expr::Member(of, component, _) => name(*of).map(|of| Target::Member(of, component)),
        other => name(other).map(|name| Target::Names(vec![name])),
    }
}

/// Parameters of a call that is defined, as in `f(p, r) = ...`.
fn plain_parameters(arguments: &[Argument]) -> Option<Vec<Parameter>> {
    let parameter = |argument: &Argument| match &argument.value {
        Expr::Name(name, _) if argument.name.is_none() => Some(Parameter {
            name: name.clone(),
            is_vector: false,
            default: None,
        }),
        _ => None,
    };
    arguments.iter().map(parameter).collect()
}
