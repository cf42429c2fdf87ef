//! The parser: builds the syntax tree by recursive descent with precedence climbing.
//!
//! Chains of `+ - * /`, signs and `.` are loops. Nested constructs (parentheses, calls, exponents, conditionals)
//! recurse at most [`DEEPEST`] levels, on a stack that grows as needed.

use super::ast::{
    CallArgument, Expression, ExpressionIndex, ExpressionKind, Name, Operator, Precedence,
    Statement, StatementKind, SyntaxTree,
};
use super::error::{Diagnostic, ErrorCode};
use super::lexer::{Lexer, Token, TokenKind};

/// Maximum length of a text, in bytes.
pub(super) const LONGEST: usize = 1_000_000;

/// Maximum nesting depth.
pub(super) const DEEPEST: usize = 1000;

/// Parses a whole text.
pub(super) fn parse(text: &str) -> Result<SyntaxTree<'_>, Diagnostic> {
    if text.len() > LONGEST {
        let message = format!(
            "the expression has {} bytes, more than the limit of {LONGEST}",
            text.len()
        );
        return Err(Diagnostic::too_large(message));
    }
    let mut lexer = Lexer::new(text);
    let token = lexer.next()?;
    let mut parser = Parser {
        lexer,
        token,
        depth: 0,
        tree: SyntaxTree::default(),
    };
    parser.statements()?;
    Ok(parser.tree)
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    /// The lookahead.
    token: Token<'t>,
    depth: usize,
    tree: SyntaxTree<'t>,
}

impl<'t> Parser<'t> {
    fn statements(&mut self) -> Result<(), Diagnostic> {
        if self.token.kind == TokenKind::End {
            return Err(ErrorCode::Syntax
                .error(self.token.at, "the expression is empty")
                .hint("write a number or a formula, such as length(pos) - 5"));
        }
        while self.token.kind != TokenKind::End {
            let statement = self.statement()?;
            self.tree.statements.push(statement);
            if !self.accept(";")? && self.token.kind != TokenKind::End {
                return Err(self.unfinished("an operator, ';' or the end"));
            }
        }
        Ok(())
    }

    fn statement(&mut self) -> Result<Statement<'t>, Diagnostic> {
        let (at, first) = (self.token.at, self.tree.expressions.len());
        let kind = if self.token.kind == TokenKind::Name("let") {
            self.advance()?;
            let name = self.name("a name after let")?;
            if !self.accept("=")? {
                return Err(self.unexpected("'=' and the value of the name"));
            }
            self.expression()?;
            StatementKind::Binding(name)
        } else {
            self.expression()?;
            if self.token.kind == TokenKind::Symbol("=") {
                let name = self.assigned_name(first)?;
                self.advance()?;
                self.expression()?;
                StatementKind::Output(Some(name))
            } else {
                StatementKind::Output(None)
            }
        };
        let expressions = first..self.tree.expressions.len();
        Ok(Statement {
            kind,
            at,
            expressions,
        })
    }

    /// Converts a parsed expression that `=` follows to the name of an output or of an argument of a call.
    fn assigned_name(&mut self, first: ExpressionIndex) -> Result<Name<'t>, Diagnostic> {
        if self.tree.expressions.len() == first + 1
            && let Some(Expression {
                kind: ExpressionKind::Name(name),
                ..
            }) = self.tree.expressions.pop()
        {
            return Ok(name);
        }
        let message = "'=' is only allowed after the name of an output, a let binding or an argument of a call";
        Err(ErrorCode::Syntax
            .error(self.token.at, message)
            .hint("the only comparisons are < and >, as in a < b ? c : d"))
    }

    /// Parses an expression, one level deeper.
    fn expression(&mut self) -> Result<ExpressionIndex, Diagnostic> {
        self.nested(|parser| {
            let condition = parser.comparison()?;
            let at = parser.token.at;
            if !parser.accept("?")? {
                return Ok(condition);
            }
            let then = parser.expression()?;
            parser.expect(":", "':' and the value for when the condition is false")?;
            let otherwise = parser.expression()?;
            Ok(parser.push(ExpressionKind::Conditional(condition, then, otherwise), at))
        })
    }

    fn comparison(&mut self) -> Result<ExpressionIndex, Diagnostic> {
        let left = self.chain(Precedence::Sum)?;
        let at = self.token.at;
        if self.accept("<")? {
            let right = self.chain(Precedence::Sum)?;
            return Ok(self.push(ExpressionKind::Less(left, right), at));
        }
        if self.accept(">")? {
            let right = self.chain(Precedence::Sum)?;
            return Ok(self.push(ExpressionKind::Less(right, left), at));
        }
        Ok(left)
    }

    /// Parses a left-associative chain of binary operators of at least the precedence `lowest`.
    fn chain(&mut self, lowest: Precedence) -> Result<ExpressionIndex, Diagnostic> {
        let mut left = self.unary()?;
        while let Some(operator) = self.operator(lowest) {
            let at = self.token.at;
            self.advance()?;
            let right = match operator.precedence() {
                Precedence::Sum => self.chain(Precedence::Product)?,
                Precedence::Product
                | Precedence::Conditional
                | Precedence::Unary
                | Precedence::Power
                | Precedence::Primary => self.unary()?,
            };
            left = self.push(ExpressionKind::Binary(operator, left, right), at);
        }
        Ok(left)
    }

    /// Operator of the lookahead, if it continues a chain at this level. Powers do not: they are right-associative.
    fn operator(&self, lowest: Precedence) -> Option<Operator> {
        let TokenKind::Symbol(mark) = self.token.kind else {
            return None;
        };
        Operator::ALL.into_iter().find(|operator| {
            let precedence = operator.precedence();
            operator.symbol() == mark && precedence >= lowest && precedence <= Precedence::Product
        })
    }

    fn unary(&mut self) -> Result<ExpressionIndex, Diagnostic> {
        let mut signs = Vec::new();
        while self.token.kind == TokenKind::Symbol("-") {
            signs.push(self.token.at);
            self.advance()?;
        }
        let mut value = self.power()?;
        while let Some(at) = signs.pop() {
            value = self.push(ExpressionKind::Negation(value), at);
        }
        Ok(value)
    }

    fn power(&mut self) -> Result<ExpressionIndex, Diagnostic> {
        let base = self.member()?;
        let at = self.token.at;
        if !self.accept("^")? {
            return Ok(base);
        }
        let exponent = self.nested(Self::unary)?;
        Ok(self.push(ExpressionKind::Binary(Operator::Power, base, exponent), at))
    }

    fn member(&mut self) -> Result<ExpressionIndex, Diagnostic> {
        let mut value = self.primary()?;
        while self.accept(".")? {
            let at = self.token.at;
            let name = self.name("the name of an output or component after '.'")?;
            value = self.push(ExpressionKind::Member(value, name), at);
        }
        Ok(value)
    }

    fn primary(&mut self) -> Result<ExpressionIndex, Diagnostic> {
        let at = self.token.at;
        if self.accept("(")? {
            let value = self.expression()?;
            self.expect(")", "an operator or ')'")?;
            return Ok(value);
        }
        match &mut self.token.kind {
            TokenKind::Number(number) => {
                let kind = ExpressionKind::Number(*number);
                self.advance()?;
                Ok(self.push(kind, at))
            }
            TokenKind::Text(text) => {
                let kind = ExpressionKind::Text(std::mem::take(text));
                self.advance()?;
                Ok(self.push(kind, at))
            }
            TokenKind::Name("let") => Err(ErrorCode::Syntax
                .error(at, "let is only allowed at the start of a statement")
                .hint("separate statements with ';'")),
            TokenKind::Name(_) | TokenKind::Quoted(_) => {
                let name = self.name("a name")?;
                if self.accept("(")? {
                    return self.call(name, at);
                }
                Ok(self.push(ExpressionKind::Name(name), at))
            }
            TokenKind::Symbol("[") => Err(ErrorCode::Syntax
                .error(at, "unexpected '['")
                .hint("a vector is written vec3(x, y, z), a matrix mat4(16 numbers, row by row)")),
            TokenKind::Symbol(_) | TokenKind::End => Err(self.unexpected("a value")),
        }
    }

    fn call(&mut self, name: Name<'t>, at: usize) -> Result<ExpressionIndex, Diagnostic> {
        let mut arguments = Vec::new();
        if !self.accept(")")? {
            loop {
                arguments.push(self.call_argument()?);
                if self.accept(")")? {
                    break;
                }
                self.expect(",", "an operator, ',' or ')'")?;
            }
        }
        let first = self.tree.arguments.len();
        self.tree.arguments.extend(arguments);
        let arguments = first..self.tree.arguments.len();
        Ok(self.push(ExpressionKind::Call(name, arguments), at))
    }

    fn call_argument(&mut self) -> Result<CallArgument<'t>, Diagnostic> {
        let (at, first) = (self.token.at, self.tree.expressions.len());
        let value = self.expression()?;
        if self.token.kind != TokenKind::Symbol("=") {
            return Ok(CallArgument {
                name: None,
                at,
                value,
            });
        }
        let name = self.assigned_name(first)?;
        self.advance()?;
        Ok(CallArgument {
            name: Some(name),
            at,
            value: self.expression()?,
        })
    }

    fn name(&mut self, expected: &str) -> Result<Name<'t>, Diagnostic> {
        let name = match &mut self.token.kind {
            TokenKind::Name(text) if *text != "let" => Name {
                text: (*text).into(),
                quoted: false,
            },
            TokenKind::Quoted(text) => Name {
                text: std::mem::take(text),
                quoted: true,
            },
            TokenKind::Name(_)
            | TokenKind::Number(_)
            | TokenKind::Text(_)
            | TokenKind::Symbol(_)
            | TokenKind::End => {
                return Err(self.unexpected(expected));
            }
        };
        self.advance()?;
        Ok(name)
    }

    fn nested(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<ExpressionIndex, Diagnostic>,
    ) -> Result<ExpressionIndex, Diagnostic> {
        /// More than one level needs in a build without optimisation.
        const RED_ZONE: usize = 64 * 1024;
        const GROW_BY: usize = 1024 * 1024;
        if self.depth == DEEPEST {
            let message = format!("the expression is nested more than {DEEPEST} levels deep");
            return Err(ErrorCode::TooDeep
                .error(self.token.at, message)
                .hint("split it with let bindings"));
        }
        self.depth += 1;
        let result = stacker::maybe_grow(RED_ZONE, GROW_BY, || parse(self));
        self.depth -= 1;
        result
    }

    fn push(&mut self, kind: ExpressionKind<'t>, at: usize) -> ExpressionIndex {
        self.tree.expressions.push(Expression { kind, at });
        self.tree.expressions.len() - 1
    }

    fn advance(&mut self) -> Result<(), Diagnostic> {
        self.token = self.lexer.next()?;
        Ok(())
    }

    fn accept(&mut self, mark: &'static str) -> Result<bool, Diagnostic> {
        let found = self.token.kind == TokenKind::Symbol(mark);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect(&mut self, mark: &'static str, expected: &str) -> Result<(), Diagnostic> {
        if self.accept(mark)? {
            Ok(())
        } else {
            Err(self.unfinished(expected))
        }
    }

    /// Error of a token that cannot follow a value.
    fn unfinished(&self, expected: &str) -> Diagnostic {
        self.unexpected(expected)
            .or_hint(self.multiplication_hint())
    }

    /// Error of an unexpected token.
    fn unexpected(&self, expected: &str) -> Diagnostic {
        let Token { kind, at, .. } = &self.token;
        let diagnostic = |message: String| ErrorCode::Syntax.error(*at, message);
        match kind {
            TokenKind::End => diagnostic(format!("expected {expected}, but the expression ends")),
            TokenKind::Symbol(mark) => match foreign_operator(mark) {
                Some((message, hint)) => diagnostic(format!("'{mark}' {message}")).hint(hint),
                None => diagnostic(format!("expected {expected}, but found '{mark}'")),
            },
            TokenKind::Number(number) => {
                diagnostic(format!("expected {expected}, but found {number}"))
            }
            TokenKind::Text(_) => diagnostic(format!("expected {expected}, but found a string")),
            TokenKind::Name(name) => diagnostic(format!("expected {expected}, but found '{name}'")),
            TokenKind::Quoted(name) => {
                diagnostic(format!("expected {expected}, but found `{name}`"))
            }
        }
    }

    /// Hint for two adjacent values, which mathematics multiplies, unless they are of another language.
    fn multiplication_hint(&self) -> Option<String> {
        let last = &self.tree.expressions.last()?.kind;
        let words = match (last, &self.token.kind) {
            (ExpressionKind::Name(before), TokenKind::Name(word)) => {
                [Some(&*before.text), Some(*word)]
            }
            (ExpressionKind::Name(before), _) => [Some(&*before.text), None],
            (_, TokenKind::Name(word)) => [None, Some(*word)],
            _ => [None, None],
        };
        if let Some(word) = words
            .into_iter()
            .flatten()
            .find(|word| is_foreign_keyword(word))
        {
            return Some(foreign_keyword_hint(word));
        }
        let hint = if self.lexer.begins_line(self.token.at) {
            "a line break separates no statements: end them with ';', and write let before a name that gets a value"
        } else {
            match (last, &self.token.kind) {
                (ExpressionKind::Member(..), TokenKind::Symbol("(")) => {
                    "values have no methods: write f(a, b) for a.f(b)"
                }
                (_, TokenKind::Symbol("[")) => {
                    "components of a vector are v.x, v.y and v.z; a vector is written vec3(x, y, z)"
                }
                // A word is a function or a sentence more often than a factor.
                (ExpressionKind::Name(before), TokenKind::Name(_) | TokenKind::Number(_))
                    if before.text.chars().count() > 1 =>
                {
                    "arguments of a function are in parentheses, as in sin(x); between two values stands an operator, as in a * b"
                }
                (_, TokenKind::Name(word))
                    if word.chars().count() > 1 && !matches!(last, ExpressionKind::Number(_)) =>
                {
                    "between two values stands an operator, as in a * b, or a function of both, as in union(a, b)"
                }
                _ => "",
            }
        };
        if !hint.is_empty() {
            return Some(hint.to_owned());
        }
        let follows = match &self.token.kind {
            TokenKind::Name(name) => (*name).to_owned(),
            TokenKind::Number(number) => number.to_string(),
            TokenKind::Symbol("(") => "(...)".to_owned(),
            TokenKind::Quoted(_) | TokenKind::Text(_) | TokenKind::Symbol(_) | TokenKind::End => {
                return None;
            }
        };
        let before = if let ExpressionKind::Number(number) = &self.tree.expressions.last()?.kind {
            number.to_string()
        } else {
            "...".to_owned()
        };
        Some(format!("to multiply, write {before}*{follows}"))
    }
}

/// True if a word is a keyword of other languages and no value: to multiply by it is never meant.
pub fn is_foreign_keyword(word: &str) -> bool {
    const KEYWORDS: [&str; 62] = [
        "and", "as", "assert", "async", "await", "break", "case", "catch", "class", "const",
        "continue", "def", "del", "do", "elif", "else", "elseif", "end", "enum", "except",
        "export", "finally", "fn", "for", "foreach", "from", "func", "function", "global", "goto",
        "if", "impl", "import", "in", "include", "is", "lambda", "local", "loop", "match",
        "module", "new", "nonlocal", "not", "of", "or", "pass", "raise", "return", "struct",
        "switch", "then", "throw", "try", "typeof", "until", "use", "var", "void", "while", "with",
        "yield",
    ];
    KEYWORDS.contains(&word)
}

/// Hint for a keyword of another language.
fn foreign_keyword_hint(word: &str) -> String {
    format!(
        "'{word}' is a word of other languages: write one expression of pos, as in let d = length(pos) - 5; x < 0 ? d : -d"
    )
}

/// Message and hint for operators of other languages.
fn foreign_operator(mark: &str) -> Option<(&'static str, &'static str)> {
    Some(match mark {
        "**" => ("is not an operator", "write a^b for a power"),
        "%" => ("is not an operator", "write mod(a, b) for the remainder"),
        "<=" => (
            "is not an operator",
            "write a > b ? d : c for a <= b ? c : d; they differ only if a or b is NaN",
        ),
        ">=" => (
            "is not an operator",
            "write a < b ? d : c for a >= b ? c : d; they differ only if a or b is NaN",
        ),
        "==" | "!=" => (
            "is not an operator",
            "the only comparisons are < and >, as in abs(a - b) < 1e-9 ? c : d",
        ),
        "&&" => (
            "is not an operator",
            "nest the conditionals: a < b ? (c < d ? x : y) : y",
        ),
        "||" => (
            "is not an operator",
            "nest the conditionals: a < b ? x : (c < d ? x : y)",
        ),
        "!" => ("is not an operator", "swap the two values of the choice"),
        "//" | "/*" => ("does not start a comment", "comments are not supported"),
        "?" => (
            "needs a comparison before it",
            "write a conditional as a < b ? c : d",
        ),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::check;

    /// Texts that `cases.txt` cannot hold.
    #[test]
    fn errors_at_ends_of_lines_are_located() {
        check(
            "",
            "the expression is empty; write a number or a formula, such as length(pos) - 5\n  \n  ^",
        );
        check(
            "a + ",
            "expected a value, but the expression ends\n  a + \n     ^",
        );
        check(
            "a\n + größe ~",
            "unexpected '~'\n   + größe ~\n           ^",
        );
    }
}
