//! The lexer: splits a text into tokens, on demand.
//!
//! Numbers are decimal, with an optional fraction and exponent; a sign is an operator. Names begin with a letter or
//! `_`. Other names are written between back quotes, strings between double quotes; a quote inside is doubled.

use std::borrow::Cow;

use super::error::{Diagnostic, ErrorCode};

/// Kind of a token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind<'t> {
    Number(f64),
    /// A plain name.
    Name(&'t str),
    /// A name between back quotes.
    Quoted(Cow<'t, str>),
    /// A string between double quotes.
    Text(Cow<'t, str>),
    /// One of [`SYMBOLS`].
    Symbol(&'static str),
    End,
}

#[derive(Debug, Clone)]
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind<'t>,
    /// Offset in bytes.
    pub(super) at: usize,
}

/// Operators and punctuation, each before its prefixes. Some are recognized only for better error messages.
const SYMBOLS: [&str; 28] = [
    "**", "<=", ">=", "==", "!=", "&&", "||", "//", "/*", "+", "-", "*", "/", "^", "(", ")", ",",
    ".", ";", "=", "<", ">", "?", ":", "%", "!", "[", "]",
];

/// Mathematical symbols that are spelled differently here.
const SPELLINGS: [(char, &str); 12] = [
    ('×', "*"),
    ('·', "*"),
    ('⋅', "*"),
    ('∗', "*"),
    ('÷', "/"),
    ('−', "-"),
    ('–', "-"),
    ('≤', "<"),
    ('≥', ">"),
    ('²', "^2"),
    ('³', "^3"),
    ('√', "sqrt(...)"),
];

#[derive(Debug)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Lexer { text, at: 0 }
    }

    /// True if a token at an offset is the first of its line, but not of the text.
    pub(super) fn begins_line(&self, at: usize) -> bool {
        let before = &self.text[..at];
        before[before.trim_end().len()..].contains('\n')
    }

    /// The next token; at the end of the text [`TokenKind::End`], again and again.
    pub(super) fn next(&mut self) -> Result<Token<'t>, Diagnostic> {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        let mut at = self.at;
        let kind = match rest.chars().next() {
            None => {
                at = self.text.trim_end().len();
                TokenKind::End
            }
            Some('0'..='9') => self.number(rest)?,
            Some('.') if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                self.number(rest)?
            }
            Some(c) if c == '_' || c.is_alphabetic() => {
                let name = &rest[..name_length(rest)];
                self.at += name.len();
                TokenKind::Name(name)
            }
            Some('`') => TokenKind::Quoted(self.quoted(rest, "`")?),
            Some('"') => TokenKind::Text(self.quoted(rest, "\"")?),
            Some(other) => {
                let Some(mark) = SYMBOLS.into_iter().find(|mark| rest.starts_with(mark)) else {
                    return Err(unknown_character(other, at));
                };
                self.at += mark.len();
                TokenKind::Symbol(mark)
            }
        };
        Ok(Token { kind, at })
    }

    fn number(&mut self, rest: &'t str) -> Result<TokenKind<'t>, Diagnostic> {
        let at = self.at;
        let text = &rest[..number_length(rest)];
        let value: f64 = text
            .parse()
            .expect("digits with a point and an exponent are a number");
        if !value.is_finite() {
            let message = format!("{text} is not finite");
            return Err(ErrorCode::Syntax
                .error(at, message)
                .hint("the largest number is about 1.8e308"));
        }
        self.at += text.len();
        Ok(TokenKind::Number(value))
    }

    /// Text between two quotes; doubled quotes inside are unescaped.
    fn quoted(&mut self, rest: &'t str, quote: &'static str) -> Result<Cow<'t, str>, Diagnostic> {
        let at = self.at;
        let mut end = 1;
        loop {
            let Some(found) = rest[end..].find(quote) else {
                let message = format!("unclosed {quote}");
                return Err(ErrorCode::Syntax.error(at, message));
            };
            end += found + 1;
            if !rest[end..].starts_with(quote) {
                break;
            }
            end += 1;
        }
        self.at += end;
        let inside = &rest[1..end - 1];
        Ok(if inside.contains(quote) {
            Cow::Owned(inside.replace(&quote.repeat(2), quote))
        } else {
            Cow::Borrowed(inside)
        })
    }
}

/// True if `text` is a name without quotes.
pub(super) fn is_name(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c == '_' || c.is_alphabetic());
    starts && name_length(text) == text.len() && text != "let"
}

fn name_length(text: &str) -> usize {
    let ends = |c: char| !(c == '_' || c.is_alphabetic() || c.is_ascii_digit());
    text.find(ends).unwrap_or(text.len())
}

fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let more = bytes[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit());
        from + more.count()
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let signed = matches!(bytes.get(end + 1), Some(b'+' | b'-'));
        let first = end + 1 + usize::from(signed);
        if digits(first.min(bytes.len())) > first {
            end = digits(first);
        }
    }
    end
}

fn unknown_character(other: char, at: usize) -> Diagnostic {
    let message = match other {
        other if other.is_control() => {
            format!("unexpected character U+{:04X}", other as u32)
        }
        other => format!("unexpected '{other}'"),
    };
    let diagnostic = ErrorCode::Syntax.error(at, message);
    match SPELLINGS.iter().find(|(sign, _)| *sign == other) {
        Some((_, notation)) => diagnostic.hint(format!("write {notation}")),
        None if other == '#' => diagnostic.hint("comments are not supported"),
        None if other == '\'' => {
            diagnostic.hint("a string is written \"text\", a name with other characters `a-b`")
        }
        None if other == '$' => diagnostic.hint(
            "functions are called by their names, those of earlier edits of the same call too, as in Wall(pos, 2)",
        ),
        None if matches!(other, '{' | '}') => diagnostic
            .hint("there are no blocks: name values by let, as in let d = length(pos); d - 5, and group with ( )"),
        None if other == '\\' => {
            diagnostic.hint("functions are called as in sqrt(x^2 + y^2), fractions written as a / b")
        }
        None => diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut lexer = Lexer::new(text);
        let mut shown = Vec::new();
        let result = loop {
            match lexer.next() {
                Ok(Token { kind, .. }) => match kind {
                    TokenKind::Number(number) => shown.push(format!("{number:?}")),
                    TokenKind::Name(name) => shown.push(name.to_owned()),
                    TokenKind::Quoted(name) => shown.push(format!("`{name}")),
                    TokenKind::Text(text) => shown.push(format!("\"{text}")),
                    TokenKind::Symbol(mark) => shown.push(mark.to_owned()),
                    TokenKind::End => break shown.join(" "),
                },
                Err(diagnostic) => break diagnostic.with_source(text).to_string(),
            }
        };
        assert_eq!(result, expected, "{text}");
    }

    #[test]
    fn reads_tokens() {
        check("", "");
        check(" \n\t ", "");
        check(".5 5. 1e-3 2E+2 1.5e3", "0.5 5.0 0.001 200.0 1500.0");
        check("1.2.3 1e 1e+ 2x", "1.2 0.3 1.0 e 1.0 e + 2.0 x");
        check("pos.x pos .x", "pos . x pos . x");
        check("größe_2+_a", "größe_2 + _a");
        check("a<=b**-c==d", "a <= b ** - c == d");
        check("`a-b```(\"te\"\"xt\") `` \"\"", "`a-b` ( \"te\"xt ) ` \"");
        check(
            "1e999",
            "1e999 is not finite; the largest number is about 1.8e308\n  1e999\n  ^",
        );
        check(
            "a $ b",
            "unexpected '$'; functions are called by their names, those of earlier edits of the same call too, as in \
             Wall(pos, 2)\n  a $ b\n    ^",
        );
        check("3×a²", "unexpected '×'; write *\n  3×a²\n   ^");
        check("a²", "unexpected '²'; write ^2\n  a²\n   ^");
        check("a\u{7}", "unexpected character U+0007\n  a \n   ^");
        check("f(`a", "unclosed `\n  f(`a\n    ^");
    }

    #[test]
    fn names_need_no_quotes_if_they_read_as_one() {
        for (text, expected) in [
            ("a", true),
            ("_1", true),
            ("1a", false),
            ("", false),
            ("a b", false),
            ("let", false),
        ] {
            assert_eq!(is_name(text), expected, "{text}");
        }
    }
}
