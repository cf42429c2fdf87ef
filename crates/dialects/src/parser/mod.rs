//! The parser of texts in Python, GLSL, `OpenSCAD` or JavaScript: statements.
//!
//! It accepts the union of what models write in these languages for a formula or a shape, and the language of
//! expressions itself. It is no validator: what it cannot read, it gives up.

mod definitions;
mod integers;
mod loops;
mod matching;
mod operands;
mod primaries;
mod sequences;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use crate::impossible::IMPOSSIBLE;
use crate::lexer::DEFINE;
use crate::lexer::{Token, TokenKind};
use crate::notes::{Notes, Why};
use crate::tree::{Argument, Expr, Result, Statement, Target, Untranslatable, binary};
use definitions::plain_parameters;
use loops::Loops;

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

#[expect(
    clippy::struct_excessive_bools,
    reason = "each says one thing of the language of the text"
)]
pub(super) struct Parser<'n> {
    tokens: Vec<Token>,
    next: usize,
    /// Open brackets, in which line breaks have no meaning.
    brackets: usize,
    depth: usize,
    /// Values of names that stand for a number.
    constants: HashMap<String, f64>,
    loops: Loops,
    /// Values of `$fn` and the like, which shapes without one have.
    options: Vec<Argument>,
    /// True if the text declares types of numbers.
    is_typed: bool,
    /// Variables of type `int`.
    integers: HashSet<String>,
    /// Parameters whose default is a constant of the body that is read, and those that it uses.
    assumed: HashSet<String>,
    used: RefCell<HashSet<String>>,
    /// Structures that the text defines.
    structs: HashSet<String>,
    /// Names that were assigned so far, and those that were declared without a value.
    assigned: HashSet<String>,
    declared: HashSet<String>,
    /// Names that a function declares `global`, with the offsets of these declarations.
    globals: Vec<(String, usize)>,
    /// Assignments that the parameters of a function make, as of `({x, y}) => ...`.
    prologue: Vec<Statement>,
    /// True in a module of `OpenSCAD`, and in a block within, whose names stand for what is assigned to them.
    is_module: bool,
    is_block: bool,
    /// True after `@dataclass`.
    is_dataclass: bool,
    /// True if blocks end with `end`.
    is_lua: bool,
    /// True if `%` has the sign of the dividend.
    is_truncating: bool,
    notes: &'n mut Notes,
}

impl<'n> Parser<'n> {
    pub(super) fn new(tokens: Vec<Token>, notes: &'n mut Notes) -> Self {
        let has = |words: &[&str]| {
            let is_one = |token: &Token| {
                words
                    .iter()
                    .any(|word| token.is_word(word) || token.is(word))
            };
            tokens.iter().any(is_one)
        };
        let is_lua = !has(&["{"]) && has(&["end"]) && has(&["function", "then", "local"]);
        let is_floored = is_lua
            || has(&[
                "def", "lambda", "np", "elif", "and", "or", "not", "local", "then",
            ]);
        // Declarations with a type, and blocks, not dictionaries.
        let is_of_c = |pair: &[Token]| match &pair[0].kind {
            TokenKind::Name(word) if TYPES.contains(&word.as_str()) => {
                matches!(pair[1].kind, TokenKind::Name(_))
            }
            TokenKind::Name(word) => pair[1].is("{") && !matches!(word.as_str(), "return" | "in"),
            before => pair[1].is("{") && *before == TokenKind::Symbol(")"),
        };
        let is_truncating = !is_floored
            && (has(&["Math", "const", "var", "=>", "module", "function"])
                || has(&["let"]) && has(&["return"])
                || has(&[";"]) && has(&["translate", "rotate", "cube", "sphere", "cylinder"])
                || tokens.windows(2).any(is_of_c));
        notes.has_fields |= has(&["orient"]);
        Parser {
            assumed: HashSet::new(),
            used: RefCell::default(),
            assigned: HashSet::new(),
            declared: HashSet::new(),
            structs: HashSet::new(),
            globals: Vec::new(),
            prologue: Vec::new(),
            is_module: false,
            is_block: false,
            is_dataclass: false,
            is_lua,
            is_truncating,
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

    #[expect(clippy::too_many_lines, reason = "one arm for each keyword")]
    fn statement(&mut self, into: &mut Vec<Statement>) -> Result<()> {
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
            if word == "intersection_for" && self.peek(1).is("(") {
                let shape = self.for_shape()?;
                into.push(Statement::Value(shape));
                return Ok(());
            }
            if matches!(word.as_str(), "class" | "struct" | "match" | "switch")
                && (matches!(self.peek(1).kind, TokenKind::Name(_)) || self.peek(1).is("("))
            {
                let (start, notes) = (self.next, self.notes.clone());
                let read = match word.as_str() {
                    "class" => self.class(into),
                    "struct" => self.structure(into),
                    "match" => self.match_statement(into),
                    _ => self.switch_statement(into),
                };
                if !matches!(read, Err(Untranslatable::Unknown)) {
                    return read;
                }
                // The table of what is impossible has an answer.
                self.next = start;
                *self.notes = notes;
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
                "assert" if !matches!(self.peek(1).kind, TokenKind::Symbol("=")) => {
                    self.notes.add(
                        at,
                        Why::Clause,
                        "assert is left out, since it changes no value",
                    );
                    self.advance();
                    self.expressions()?;
                    return self.end_statement();
                }
                "global" | "nonlocal" if matches!(self.peek(1).kind, TokenKind::Name(_)) => {
                    self.notes.add(at, Why::Python, &word);
                    loop {
                        self.advance();
                        let at = self.token().at;
                        let name = self.word()?;
                        self.globals.push((name, at));
                        if !self.token().is(",") {
                            return self.end_statement();
                        }
                    }
                }
                "break" | "continue" if self.peek(1).begins_line || self.peek(1).is(";") => {
                    return Err(Untranslatable::Construct(
                        at,
                        if word == "break" { "break" } else { "continue" },
                        "loops run through all their values: choose by a condition, as in x < 0 ? a : b",
                    ));
                }
                "raise" | "throw" | "yield" | "del" | "goto" | "async" | "await"
                    if !matches!(self.peek(1).kind, TokenKind::Symbol(_) | TokenKind::End) =>
                {
                    // No value.
                    return Err(Untranslatable::Unknown);
                }
                // Of a statement that has none here, such as a loop.
                "else" | "elif" | "except" | "finally" | "case" | "default"
                    if !self.peek(1).is("=") =>
                {
                    return Err(Untranslatable::Unknown);
                }
                "pass" if self.peek(1).begins_line || self.peek(1).is(";") => {
                    self.advance();
                    return self.end_statement();
                }
                "export" if self.peek(1).is_word("default") || self.peek(1).is_word("function") => {
                    self.notes.add(at, Why::JavaScript, "export");
                    self.advance();
                    if self.token().is_word("default") {
                        self.advance();
                    }
                    return self.statement(into);
                }
                "use" | "include" if self.peek(1).is("<") => {
                    return Err(Untranslatable::Construct(
                        at,
                        if word == "use" { "use" } else { "include" },
                        "files of OpenSCAD are not read: write the modules that the text calls, too",
                    ));
                }
                "import" | "from" if matches!(self.peek(1).kind, TokenKind::Name(_)) => {
                    self.notes.add(at, Why::Python, &word);
                    if let TokenKind::Name(imported) = self.peek(1).kind.clone() {
                        self.notes.note_library(&imported);
                    }
                    self.skip_line();
                    return Ok(());
                }
                "def" | "function" | "fn" | "func" | DEFINE
                    if matches!(self.peek(1).kind, TokenKind::Name(_)) =>
                {
                    let why = match word.as_str() {
                        "def" => Why::Python,
                        "function" if self.peek(2).is("(") => Why::JavaScript,
                        _ => Why::Definition,
                    };
                    if word != DEFINE {
                        self.notes.add(at, why, &word);
                    }
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
                "if" if self.peek(1).is_word("__name__") => {
                    let indent = self.token().indent;
                    self.notes.add(at, Why::Python, "if __name__");
                    self.skip_line();
                    while !self.is_end() && self.token().indent > indent {
                        self.advance();
                    }
                    return Ok(());
                }
                "if" => return self.if_statement(into),
                word if (TYPES.contains(&word)
                    || QUALIFIERS.contains(&word)
                    || self.structs.contains(word)
                    || matches!(word, "let" | "var" | "local"))
                    && (matches!(self.peek(1).kind, TokenKind::Name(_))
                        || self.array_size(1) > 0
                            && matches!(
                                self.peek(1 + self.array_size(1)).kind,
                                TokenKind::Name(_)
                            )
                        || matches!(word, "let" | "const" | "var")
                            && (self.peek(1).is("[") || self.peek(1).is("{"))) =>
                {
                    return self.declaration(word, into);
                }
                _ => {}
            }
        }
        if self.token().is("@") && matches!(self.peek(1).kind, TokenKind::Name(_)) {
            self.is_dataclass = self.peek(1).is_word("dataclass");
            self.notes.add(at, Why::Python, "@");
            self.skip_line();
            return Ok(());
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
            into.push(Statement::Definition(String::new(), parameters, body));
            return self.end_statement();
        }
        self.after_expression(value, at, into)
    }

    /// The rest of a statement that begins with an expression.
    fn after_expression(
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
                self.annotation();
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
                    && let [name] = &names[..]
                {
                    into.push(Statement::Definition(
                        name.clone(),
                        parameters.clone(),
                        body.clone(),
                    ));
                    return self.end_statement();
                }
                if let (true, [Target::Names(names)]) = (self.is_block, &targets[..])
                    && let [name] = &names[..]
                {
                    self.loops.values.insert(name.clone(), assigned);
                    return self.end_statement();
                }
                for target in targets.into_iter().rev() {
                    self.check_integer(&target, &assigned)?;
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
                self.check_integer(&target, &sum)?;
                self.note_value(&target, &sum)?;
                into.push(Statement::Assignment(target, sum, false, at));
            }
            _ => into.push(Statement::Value(value)),
        }
        self.end_statement()
    }

    fn end_statement(&mut self) -> Result<()> {
        let ends_block = self.is_lua
            && ["end", "else", "elseif"]
                .iter()
                .any(|word| self.token().is_word(word));
        if self.accept(";") || self.is_end() || self.token().is("}") || ends_block {
            return Ok(());
        }
        if self.token().begins_line {
            self.notes
                .add(self.token().at, Why::Separator, "a line break");
            return Ok(());
        }
        Err(Untranslatable::Unknown)
    }

    /// `{ ... }`, or `: ...` on one line or indented, or one statement.
    fn block(&mut self, indent: usize) -> Result<Vec<Statement>> {
        self.nested(|parser| {
            let brackets = std::mem::take(&mut parser.brackets);
            let integers = parser.integers.clone();
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
            (parser.brackets, parser.integers) = (brackets, integers);
            Ok(body)
        })
    }

    /// Notes an operator that is foreign, and skips it.
    fn operator(&mut self) {
        let token = self.token().clone();
        match &token.kind {
            TokenKind::Symbol(symbol) => self.notes.add(token.at, Why::Operator, symbol),
            TokenKind::Name(word) => self.notes.add(token.at, Why::Python, word),
            TokenKind::Number(..) | TokenKind::Text(_) | TokenKind::End => {}
        }
        self.advance();
    }

    /// True if the next token belongs to the same statement.
    fn continues(&self) -> bool {
        self.brackets > 0 || !self.token().begins_line
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_DEPTH {
            return Err(Untranslatable::Unknown);
        }
        self.depth += 1;
        let value = parse(self);
        self.depth -= 1;
        value
    }

    fn skip_line(&mut self) {
        self.advance();
        while !self.is_end() && !self.token().begins_line && !self.accept(";") {
            self.advance();
        }
    }

    fn token(&self) -> &Token {
        self.peek(0)
    }

    fn peek(&self, ahead: usize) -> &Token {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.next + ahead).min(last)]
    }

    fn is_end(&self) -> bool {
        self.token().kind == TokenKind::End
    }

    fn advance(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    fn accept(&mut self, symbol: &str) -> bool {
        let found = self.token().is(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Result<()> {
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
