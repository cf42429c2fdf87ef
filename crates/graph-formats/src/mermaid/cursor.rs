//! A place in the text of a flowchart, from which is read on.

use crate::error::{FileLocation, FormatError, brief};

/// A text that stands in a flowchart, as it is written there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Raw<'a> {
    pub(super) text: &'a str,
    pub(super) is_quoted: bool,
}

/// Reads a text from its start to its end.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// A place up to which lines were counted, and the line there. The next place is near, so that all counting together
    /// takes time in proportion to the text.
    counted: (usize, u64),
    /// Whether a directive (`%%{init: ...}%%`) was passed.
    pub(super) has_directive: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Cursor<'a> {
        Cursor {
            text,
            at: 0,
            counted: (0, 1),
            has_directive: false,
        }
    }

    /// How many bytes were read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Goes back, or on, to a place.
    pub(super) fn go(&mut self, at: usize) {
        self.at = at;
    }

    /// What is not yet read.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// What was read from a place on.
    pub(super) fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Passes over a sign, if it is next.
    pub(super) fn eat(&mut self, sign: &str) -> bool {
        let is_next = self.rest().starts_with(sign);
        if is_next {
            self.at += sign.len();
        }
        is_next
    }

    /// Passes over what stands before a place in the rest, which it returns.
    pub(super) fn take(&mut self, length: usize) -> &'a str {
        let start = self.at;
        self.at += length;
        self.since(start)
    }

    /// Passes over the characters that are wanted.
    pub(super) fn take_while(&mut self, is_wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        self.take(rest.find(|c| !is_wanted(c)).unwrap_or(rest.len()))
    }

    /// Passes over the rest of the line, but not its end.
    pub(super) fn take_line(&mut self) -> &'a str {
        self.take_while(|c| c != '\n')
    }

    /// Passes over white space and comments; over ends of lines, too, if `is_passed` says so of them.
    fn skip(&mut self, is_passed: impl Fn(char) -> bool) -> Result<(), FormatError> {
        loop {
            self.take_while(&is_passed);
            if self.rest().starts_with("%%{") {
                let Some(length) = self.rest().find("}%%") else {
                    return Err(self
                        .wrong("a directive begins here with '%%{' and does not end with '}%%'"));
                };
                self.at += length + 3;
                self.has_directive = true;
            } else if self.rest().starts_with("%%") {
                self.take_line();
            } else {
                return Ok(());
            }
        }
    }

    /// Passes over white space and comments up to the end of the line.
    pub(super) fn skip_blanks(&mut self) -> Result<(), FormatError> {
        self.skip(|c| c.is_whitespace() && c != '\n')
    }

    /// Passes over white space, comments and ends of lines.
    pub(super) fn skip_lines(&mut self) -> Result<(), FormatError> {
        self.skip(char::is_whitespace)
    }

    /// Passes over what stands between statements.
    pub(super) fn skip_separators(&mut self) -> Result<(), FormatError> {
        self.skip(|c| c.is_whitespace() || c == ';')
    }

    /// Whether a statement may end here.
    pub(super) fn is_at_separator(&self) -> bool {
        matches!(self.peek(), None | Some('\n' | ';'))
    }

    /// Reads an id, or a keyword; nothing if there is none.
    ///
    /// As in Mermaid, signs may stand in an id, but for those that begin a link.
    pub(super) fn id(&mut self) -> &'a str {
        let rest = self.rest();
        let mut chars = rest.char_indices().peekable();
        let end = loop {
            let Some((at, c)) = chars.next() else {
                break rest.len();
            };
            let next = chars.peek().map(|&(_, next)| next);
            let is_of_id = match c {
                '-' => next.is_some_and(|next| !matches!(next, '>' | '-' | '.')),
                '=' => next != Some('='),
                '%' => next != Some('%'),
                '&' => at > 0,
                c if c.is_ascii() => c.is_ascii_alphanumeric() || "!#$'*+.`?\\_/".contains(c),
                c => !c.is_whitespace() && !c.is_control(),
            };
            if !is_of_id {
                break at;
            }
        };
        self.take(end)
    }

    /// Reads a text in quotes.
    pub(super) fn quoted(&mut self) -> Result<&'a str, FormatError> {
        let Some(length) = self.rest()[1..].find('"') else {
            return Err(self.wrong("a quote begins here and does not end"));
        };
        let text = &self.rest()[1..][..length];
        self.at += length + 2;
        Ok(text)
    }

    /// Reads a text, in quotes or not, up to the first of the signs that may end it; which of them did, is told.
    ///
    /// A text without quotes that goes on in the next line has no brackets and quotes there, so that one that does not end is
    /// found where it begins.
    pub(super) fn text_until(
        &mut self,
        open: &str,
        closing: &[&str],
    ) -> Result<(Raw<'a>, usize), FormatError> {
        let begin = self.at;
        self.take_while(char::is_whitespace);
        if self.peek() == Some('"') {
            let text = self.quoted()?;
            self.take_while(char::is_whitespace);
            let Some(close) = closing.iter().position(|close| self.eat(close)) else {
                return Err(self.expected(&format!("'{}' after the text in quotes", closing[0])));
            };
            let is_quoted = true;
            return Ok((Raw { text, is_quoted }, close));
        }
        let rest = self.rest();
        let mut has_lines = false;
        for (at, c) in rest.char_indices() {
            let close = closing
                .iter()
                .position(|close| rest[at..].starts_with(close));
            if let Some(close) = close {
                let text = self.take(at).trim();
                self.at += closing[close].len();
                let is_quoted = false;
                return Ok((Raw { text, is_quoted }, close));
            }
            has_lines |= c == '\n';
            if has_lines && "[](){}|\"".contains(c) {
                break;
            }
        }
        self.at = begin;
        let close = closing[0];
        Err(self.wrong(format!(
            "a text begins here after '{open}' and does not end with '{close}'; put it in quotes if it has brackets"
        )))
    }

    /// Where the next character stands.
    pub(super) fn location(&mut self) -> FileLocation {
        let (at, line) = self.counted;
        let between = |from: usize, to: usize| crate::lines(&self.text.as_bytes()[from..to]);
        let line = if self.at >= at {
            line + between(at, self.at)
        } else {
            line - between(self.at, at)
        };
        self.counted = (self.at, line);
        FileLocation::Line(line)
    }

    /// Something is wrong here.
    pub(super) fn wrong(&mut self, problem: impl Into<String>) -> FormatError {
        FormatError::invalid(self.location(), problem)
    }

    /// Something else is to be here.
    pub(super) fn expected(&mut self, expected: &str) -> FormatError {
        let shown = match self.peek() {
            None => "the end of the file".to_owned(),
            Some('\n') => "the end of the line".to_owned(),
            Some(_) => {
                let word = self.rest().split_whitespace().next();
                format!("'{}'", brief(word.unwrap_or_default()))
            }
        };
        self.wrong(format!("{shown} is here, where {expected} is to be"))
    }
}
