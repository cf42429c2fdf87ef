//! Cursor in the text of a flowchart.

use crate::error::{FileLocation, FormatError, brief};

/// A text as it is written in a flowchart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawText<'a> {
    pub(super) text: &'a str,
    pub(super) is_quoted: bool,
}

/// Cursor in a text.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// Offset up to which lines were counted, and the line there. The next offset is near, so that counting takes linear time
    /// in all.
    counted: (usize, u64),
    /// True if a directive (`%%{init: ...}%%`) was skipped.
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

    /// Offset in the text.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Moves to an offset.
    pub(super) fn go(&mut self, at: usize) {
        self.at = at;
    }

    /// Remaining text.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Text from an offset to the cursor.
    pub(super) fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Consumes a symbol, if it is next.
    pub(super) fn eat(&mut self, sign: &str) -> bool {
        let is_next = self.rest().starts_with(sign);
        if is_next {
            self.at += sign.len();
        }
        is_next
    }

    /// Consumes a number of bytes, and returns them.
    pub(super) fn take(&mut self, length: usize) -> &'a str {
        let start = self.at;
        self.at += length;
        self.since(start)
    }

    /// Consumes characters while they match.
    pub(super) fn take_while(&mut self, is_wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        self.take(rest.find(|c| !is_wanted(c)).unwrap_or(rest.len()))
    }

    /// Consumes the rest of the line without its end.
    pub(super) fn take_line(&mut self) -> &'a str {
        self.take_while(|c| c != '\n')
    }

    /// Skips the characters that match, and comments and directives between them.
    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) -> Result<(), FormatError> {
        loop {
            self.take_while(&is_skipped);
            if self.rest().starts_with("%%{") {
                let Some(length) = self.rest().find("}%%") else {
                    return Err(self.wrong(
                        "the directive that starts here with '%%{' is not closed with '}%%'",
                    ));
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

    /// Skips white space and comments up to the end of the line.
    pub(super) fn skip_blanks(&mut self) -> Result<(), FormatError> {
        self.skip(|c| c.is_whitespace() && c != '\n')
    }

    /// Skips white space, comments and line ends.
    pub(super) fn skip_lines(&mut self) -> Result<(), FormatError> {
        self.skip(char::is_whitespace)
    }

    /// Skips separators of statements.
    pub(super) fn skip_separators(&mut self) -> Result<(), FormatError> {
        self.skip(|c| c.is_whitespace() || c == ';')
    }

    /// True if a statement may end here.
    pub(super) fn is_at_separator(&self) -> bool {
        matches!(self.peek(), None | Some('\n' | ';'))
    }

    /// Consumes an id or a keyword; empty if there is none.
    ///
    /// As in Mermaid, an id may have symbols, but for those that begin a link.
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

    /// Consumes a quoted text.
    pub(super) fn quoted(&mut self) -> Result<&'a str, FormatError> {
        let Some(length) = self.rest()[1..].find('"') else {
            return Err(self.wrong("unclosed quote"));
        };
        let text = &self.rest()[1..][..length];
        self.at += length + 2;
        Ok(text)
    }

    /// Consumes a text, quoted or not, up to the first closing symbol; returns the text and the index of the symbol.
    ///
    /// In further lines an unquoted text must not have brackets or quotes, so that an unclosed text is reported where it
    /// begins.
    pub(super) fn text_until(
        &mut self,
        open: &str,
        closing: &[&str],
    ) -> Result<(RawText<'a>, usize), FormatError> {
        let begin = self.at;
        self.take_while(char::is_whitespace);
        if self.peek() == Some('"') {
            let text = self.quoted()?;
            self.take_while(char::is_whitespace);
            let Some(close) = closing.iter().position(|close| self.eat(close)) else {
                return Err(self.expected(&format!("'{}' after the text in quotes", closing[0])));
            };
            let is_quoted = true;
            return Ok((RawText { text, is_quoted }, close));
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
                return Ok((RawText { text, is_quoted }, close));
            }
            has_lines |= c == '\n';
            if has_lines && "[](){}|\"".contains(c) {
                break;
            }
        }
        self.at = begin;
        let close = closing[0];
        Err(self.wrong(format!(
            "the text that starts here after '{open}' is not closed with '{close}'; quote it if it contains brackets"
        )))
    }

    /// Location of the next character.
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

    /// Error at the cursor.
    pub(super) fn wrong(&mut self, problem: impl Into<String>) -> FormatError {
        FormatError::invalid(self.location(), problem)
    }

    /// Error for an unexpected text at the cursor.
    pub(super) fn expected(&mut self, expected: &str) -> FormatError {
        let shown = match self.peek() {
            None => "the end of the file".to_owned(),
            Some('\n') => "the end of the line".to_owned(),
            Some(_) => {
                let word = self.rest().split_whitespace().next();
                format!("'{}'", brief(word.unwrap_or_default()))
            }
        };
        self.wrong(format!("expected {expected}, but found {shown}"))
    }
}
