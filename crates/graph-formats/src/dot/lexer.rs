//! Lexer of DOT.

use crate::MAX_DEPTH;
use crate::error::{FileLocation, FormatError, brief};

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name, number or keyword without quotes.
    Word(String),
    /// A quoted text, with its escapes except for quotes.
    Quoted(String),
    /// The HTML between angle brackets.
    Html(String),
    /// One of `{ } [ ] ; , = :`.
    Sign(char),
    /// `->` if directed, `--` if not.
    Edge {
        is_directed: bool,
    },
    End,
}

/// Lexer of a file.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u64,
    /// Line on which the last token begins.
    token_line: u64,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Lexer<'a> {
        Lexer {
            text,
            at: 0,
            line: 1,
            token_line: 1,
        }
    }

    /// Location of the last token.
    pub(super) fn location(&self) -> FileLocation {
        FileLocation::Line(self.token_line)
    }

    /// Number of bytes read.
    pub(super) fn read(&self) -> usize {
        self.at
    }

    fn wrong(&self, problem: impl Into<String>) -> FormatError {
        FormatError::invalid(self.location(), problem)
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        self.line += u64::from(c == '\n');
        Some(c)
    }

    fn starts_with(&self, start: &str) -> bool {
        self.text[self.at..].starts_with(start)
    }

    /// Skips white space and comments.
    fn skip(&mut self) -> Result<(), FormatError> {
        while let Some(c) = self.peek() {
            let is_line_start = self.at == 0 || self.text[..self.at].ends_with('\n');
            if c.is_whitespace() || c == '\u{feff}' {
                self.bump();
            } else if self.starts_with("//") || (c == '#' && is_line_start) {
                while self.peek().is_some_and(|c| c != '\n') {
                    self.bump();
                }
            } else if self.starts_with("/*") {
                self.token_line = self.line;
                let Some(length) = self.text[self.at..].find("*/") else {
                    return Err(self.wrong("unclosed comment"));
                };
                let comment = &self.text[self.at..self.at + length];
                self.line += comment.matches('\n').count() as u64;
                self.at += length + 2;
            } else {
                break;
            }
        }
        Ok(())
    }

    /// Reads the next token.
    pub(super) fn next(&mut self) -> Result<Token, FormatError> {
        self.skip()?;
        self.token_line = self.line;
        let Some(c) = self.peek() else {
            return Ok(Token::End);
        };
        match c {
            '{' | '}' | '[' | ']' | ';' | ',' | '=' | ':' => {
                self.bump();
                Ok(Token::Sign(c))
            }
            '"' => self.quoted(),
            '<' => self.html(),
            '-' if self.starts_with("->") || self.starts_with("--") => {
                let is_directed = self.starts_with("->");
                self.at += 2;
                Ok(Token::Edge { is_directed })
            }
            c if c == '-' || c == '.' || is_word(c) => {
                let start = self.at;
                self.bump();
                while self.peek().is_some_and(|c| is_word(c) || c == '.') {
                    self.bump();
                }
                Ok(Token::Word(self.text[start..self.at].to_owned()))
            }
            c => Err(self.wrong(format!(
                "expected a name, a quote or one of {{ }} [ ] ; , = : -> --, but found '{}'",
                c.escape_debug()
            ))),
        }
    }

    /// Reads a quoted text, or several that are concatenated by plus signs.
    fn quoted(&mut self) -> Result<Token, FormatError> {
        let mut text = String::new();
        loop {
            self.bump();
            loop {
                match self.bump() {
                    None => return Err(self.wrong("unclosed quote")),
                    Some('"') => break,
                    Some('\\') => match self.bump() {
                        Some('"') => text.push('"'),
                        // A backslash at the end of a line continues the text.
                        Some('\n') | None => {}
                        Some(c) => text.extend(['\\', c]),
                    },
                    Some(c) => text.push(c),
                }
            }
            let (at, line, token_line) = (self.at, self.line, self.token_line);
            self.skip()?;
            if self.peek() == Some('+') {
                self.bump();
                self.skip()?;
                if self.peek() == Some('"') {
                    self.token_line = token_line;
                    continue;
                }
            }
            (self.at, self.line, self.token_line) = (at, line, token_line);
            return Ok(Token::Quoted(text));
        }
    }

    fn html(&mut self) -> Result<Token, FormatError> {
        let start = self.at + 1;
        let mut depth = 0_usize;
        loop {
            match self.bump() {
                None => return Err(self.wrong("unclosed HTML text")),
                Some('<') => {
                    depth += 1;
                    if depth > MAX_DEPTH {
                        return Err(FormatError::too_large("nested angle brackets", MAX_DEPTH));
                    }
                }
                Some('>') => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(Token::Html(self.text[start..self.at - 1].to_owned()));
                    }
                }
                Some(_) => {}
            }
        }
    }
}

impl Token {
    /// True if the token is a keyword.
    pub(super) fn is(&self, keyword: &str) -> bool {
        matches!(self, Token::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    /// Text of the token in messages.
    pub(super) fn shown(&self) -> String {
        match self {
            Token::Word(text) | Token::Quoted(text) => format!("'{}'", brief(text)),
            Token::Html(text) => format!("'<{}>'", brief(text)),
            Token::Sign(sign) => format!("'{sign}'"),
            Token::Edge { is_directed: true } => "'->'".to_owned(),
            Token::Edge { is_directed: false } => "'--'".to_owned(),
            Token::End => "the end of the file".to_owned(),
        }
    }

    /// Name, unless the token is a keyword or none.
    pub(super) fn name(&self) -> Option<String> {
        match self {
            Token::Word(word) => {
                let keywords = ["strict", "graph", "digraph", "node", "edge", "subgraph"];
                let is_keyword = keywords
                    .iter()
                    .any(|keyword| word.eq_ignore_ascii_case(keyword));
                (!is_keyword).then(|| word.clone())
            }
            Token::Quoted(text) => Some(text.replace("\\\\", "\\")),
            Token::Html(text) => Some(text.clone()),
            Token::Sign(_) | Token::Edge { .. } | Token::End => None,
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || (!c.is_ascii() && !c.is_whitespace())
}
