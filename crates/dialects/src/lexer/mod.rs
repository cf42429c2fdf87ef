//! Tokens of texts in Python, GLSL, `OpenSCAD` or JavaScript: comments are skipped, line breaks and indents are kept.

mod macros;

use fibula_core::graph::model::Unit;

use crate::notes::{Notes, Why};
use macros::Macro;

pub(super) use macros::DEFINE;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    /// A number without its suffix, and the suffix.
    Number(String, Option<&'static str>),
    Name(String),
    Text(String),
    Symbol(&'static str),
    End,
}

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    /// Offset in bytes.
    pub(super) at: usize,
    /// True for the first token of a line.
    pub(super) begins_line: bool,
    /// Column of the first token of the line, in bytes.
    pub(super) indent: usize,
}

/// Operators and punctuation, each before its prefixes.
const SYMBOLS: [&str; 53] = [
    "**=", "//=", "===", "!==", "**", "//", "::", "->", "=>", "<=", ">=", "==", "!=", "&&", "||",
    "+=", "-=", "*=", "/=", "++", "--", "...", "+", "-", "*", "/", "^", "(", ")", ",", ".", ";",
    "=", "<", ">", "?", ":", "%", "!", "[", "]", "{", "}", "&", "|", "~", "@", "$", "²", "³", "√",
    "°", "\\",
];

/// Characters that stand for an operator or a name.
const SPELLINGS: [(char, &str); 12] = [
    ('×', "*"),
    ('·', "*"),
    ('⋅', "*"),
    ('∗', "*"),
    ('÷', "/"),
    ('−', "-"),
    ('–', "-"),
    ('≤', "<="),
    ('≥', ">="),
    ('≠', "!="),
    ('π', "pi"),
    ('τ', "tau"),
];

/// Suffixes of numbers beside units of length, in all spellings: other units, and the `f` of GLSL.
const SUFFIXES: [&[&str]; 4] = [
    &["mil", "mils", "thou"],
    &["deg", "degree", "degrees"],
    &["rad", "radian", "radians"],
    &["f", "F"],
];

/// Splits a text into tokens; `None` if a character or a quote begins none.
pub(super) fn tokens(text: &str, notes: &mut Notes) -> Option<Vec<Token>> {
    let mut tokens: Vec<Token> = Vec::new();
    let (mut at, mut begins_line, mut indent, mut line) = (0, true, 0, 0);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_whitespace() {
            at += c.len_utf8();
            if c == '\n' {
                (begins_line, line) = (true, at);
            }
            continue;
        }
        let macro_value = begins_line.then(|| definition(rest)).flatten();
        if let Some((length, name)) = macro_value
            && !is_operand(rest[length..].split('\n').next()?, name, text)
        {
            notes.macros.push(name.to_owned());
        } else if let Some((length, name)) = macro_value {
            notes.add(at, Why::Glsl, "#define");
            tokens.extend(binding(name, at));
            begins_line = false;
            at += length;
            continue;
        }
        if begins_line && let Some(function) = Macro::new(rest, text) {
            notes.add(at, Why::Glsl, "#define");
            tokens.extend(function.tokens(at));
            begins_line = false;
            at += function.length;
            continue;
        }
        if begins_line && let Some(directive) = rest.strip_prefix('#') {
            (!is_condition(directive)).then(|| notes.note_macro(directive))?;
        }
        if let Some(length) = comment(rest, tokens.last(), begins_line) {
            notes.add(
                at,
                Why::Comment,
                &rest[..if rest.starts_with('#') { 1 } else { 2 }],
            );
            at += length;
            continue;
        }
        if begins_line {
            indent = at - line;
        }
        let start = at;
        let kind = if c.is_ascii_digit()
            || c == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())
        {
            let (kind, length) = number(rest, start, notes);
            at += length;
            kind
        } else if let Some((sign, spelled)) = SPELLINGS.iter().find(|(sign, _)| *sign == c) {
            at += sign.len_utf8();
            notes.add(start, Why::Spelling, &sign.to_string());
            if spelled.starts_with(char::is_alphabetic) {
                TokenKind::Name((*spelled).to_owned())
            } else {
                TokenKind::Symbol(spelled)
            }
        } else if c == '_' || c.is_alphabetic() {
            let length = word_length(rest);
            at += length;
            if is_mark(rest, length) {
                continue;
            }
            TokenKind::Name(rest[..length].to_owned())
        } else if c == '"' || c == '\'' {
            let long = &rest[..1].repeat(3);
            let quote = if rest.starts_with(long.as_str()) {
                long
            } else {
                &rest[..1]
            };
            let inside = &rest[quote.len()..];
            let length = inside.find(quote)?;
            at += length + 2 * quote.len();
            TokenKind::Text(inside[..length].to_owned())
        } else {
            let symbol = SYMBOLS
                .into_iter()
                .find(|symbol| rest.starts_with(symbol))?;
            at += symbol.len();
            TokenKind::Symbol(symbol)
        };
        tokens.push(Token {
            kind,
            at: start,
            begins_line,
            indent,
        });
        begins_line = false;
    }
    tokens.push(Token {
        kind: TokenKind::End,
        at,
        begins_line: true,
        indent: 0,
    });
    Some(tokens)
}

/// Length of the name that begins here.
fn word_length(rest: &str) -> usize {
    let ends = |c: char| !(c == '_' || c.is_alphabetic() || c.is_ascii_digit());
    rest.find(ends).unwrap_or(rest.len())
}

/// True if a name of this length is the mark of a string of Python, as of `f"r = {r}"`.
fn is_mark(rest: &str, length: usize) -> bool {
    matches!(&rest[..length], "f" | "r" | "b") && rest[length..].starts_with(['"', '\''])
}

/// The tokens of `let name =`, with which a line begins.
fn binding(name: &str, at: usize) -> [Token; 3] {
    let kinds = [
        TokenKind::Name("let".to_owned()),
        TokenKind::Name(name.to_owned()),
        TokenKind::Symbol("="),
    ];
    kinds.map(|kind| Token {
        begins_line: kind == TokenKind::Name("let".to_owned()),
        kind,
        at,
        indent: 0,
    })
}

/// True if a directive of the preprocessor says which lines are compiled, which is not known.
fn is_condition(directive: &str) -> bool {
    ["if ", "ifdef ", "ifndef ", "else\n", "elif ", "endif"]
        .iter()
        .any(|word| directive.starts_with(word))
}

/// The number that a text begins with, at `start` of the whole, and its length with its unit.
fn number(text: &str, start: usize, notes: &mut Notes) -> (TokenKind, usize) {
    if let Some((length, number)) = hexadecimal(text) {
        notes.add(start, Why::Spelling, &text[..length]);
        return (TokenKind::Number(number, None), length);
    }
    let length = number_length(text);
    let suffix = suffix(&text[length..]);
    let number = text[..length].replace('_', "");
    if number.len() < length {
        notes.add(start, Why::Spelling, &text[..length]);
    }
    let end = length + suffix.map_or(0, |(length, _)| length);
    (
        TokenKind::Number(number, suffix.map(|(_, suffix)| suffix)),
        end,
    )
}

/// Length of a comment that begins here. `//` between an operand and a number or parenthesis is Python's division.
fn comment(rest: &str, before: Option<&Token>, begins_line: bool) -> Option<usize> {
    if let Some(text) = rest.strip_prefix("/*") {
        return Some(text.find("*/").map_or(rest.len(), |end| end + 4));
    }
    let line = rest.split('\n').next().unwrap_or(rest);
    if rest.starts_with('#') {
        return Some(line.len());
    }
    let after = rest.strip_prefix("//")?.trim_start_matches(' ');
    let divides = !begins_line
        && before.is_some_and(Token::ends_operand)
        && after.starts_with(|c: char| c.is_ascii_digit() || c == '(' || c == '=');
    (!divides).then_some(line.len())
}

/// Length and value of a number such as `0x1F` or `0b101` that begins here.
fn hexadecimal(rest: &str) -> Option<(usize, String)> {
    let digits = rest.strip_prefix('0')?;
    let radix = match digits.chars().next()? {
        'x' | 'X' => 16,
        'o' | 'O' => 8,
        'b' | 'B' => 2,
        _ => return None,
    };
    let digits = &digits[1..];
    let length = digits
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(digits.len());
    let value = u32::from_str_radix(&digits[..length], radix).ok()?;
    Some((length + 2, value.to_string()))
}

/// Length up to the value of `#define NAME value`, and the name.
fn definition(rest: &str) -> Option<(usize, &str)> {
    let line = rest.split('\n').next().unwrap_or(rest);
    let after = line.strip_prefix("#define")?;
    let named = after.trim_start();
    let length = named
        .find(|c: char| !(c == '_' || c.is_ascii_alphanumeric()))
        .unwrap_or(named.len());
    let (name, value) = named.split_at(length);
    let begins_name = name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
    let is_value = value.starts_with([' ', '\t']) && !value.trim().is_empty();
    (begins_name && is_value).then(|| (line.len() - value.len(), name))
}

/// True if the value of a macro of a name means the same wherever the name stands in a text: it is one operand, or a
/// product that nothing is divided by, of numbers and macros.
fn is_operand(value: &str, name: &str, text: &str) -> bool {
    let value = value.split("//").next().unwrap_or(value).trim();
    let is_divisor = ["/", "/ ", "% ", "%"]
        .iter()
        .any(|operator| text.contains(&format!("{operator}{name}")));
    let (mut depth, mut before) = (0_usize, None);
    for (index, c) in value.char_indices() {
        let is_foreign = match c {
            '(' => {
                depth += 1;
                false
            }
            ')' => {
                depth = depth.saturating_sub(1);
                false
            }
            '+' | '-' => depth == 0 && !matches!(before, None | Some('e' | 'E')),
            '*' | '/' | '%' => depth == 0 && is_divisor,
            ' ' | '.' | ',' | '_' => false,
            c if c.is_lowercase() && before.is_none_or(|before| !is_word(before)) => {
                let rest = value[index..].trim_start_matches(is_word);
                !rest.starts_with('(') && index + rest.len() > 0
            }
            c => !is_word(c),
        };
        if is_foreign {
            return false;
        }
        before = Some(c);
    }
    true
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn number_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let digits = |from: usize| {
        let more = bytes[from..].iter();
        from + more
            .take_while(|byte| byte.is_ascii_digit() || **byte == b'_')
            .count()
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let first = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(first).is_some_and(u8::is_ascii_digit) {
            end = digits(first);
        }
    }
    end
}

/// Suffix of a number, with its length; a blank may precede `mm` and the like, but not `f`, `m` and `in`.
fn suffix(rest: &str) -> Option<(usize, &'static str)> {
    let word = rest.trim_start_matches(' ');
    let blanks = rest.len() - word.len();
    if word.starts_with('°') {
        return Some((blanks + '°'.len_utf8(), "°"));
    }
    let length = word
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(word.len());
    let written = &word[..length];
    let is_meant = |own: &&str| match own.len() {
        1 => *own == written,
        _ => own.eq_ignore_ascii_case(written),
    };
    let lengths = Unit::ALL.into_iter().map(Unit::spellings);
    let found = lengths
        .chain(SUFFIXES)
        .find(|spellings| spellings.iter().any(is_meant))?;
    let is_plain = blanks == 0 || written.len() > 1 && written != "in";
    is_plain.then_some((blanks + length, found[0]))
}

impl Token {
    pub(super) fn is(&self, symbol: &str) -> bool {
        matches!(self.kind, TokenKind::Symbol(own) if own == symbol)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(&self.kind, TokenKind::Name(own) if own == word)
    }

    fn ends_operand(&self) -> bool {
        match &self.kind {
            TokenKind::Number(..) | TokenKind::Name(_) | TokenKind::Text(_) => true,
            TokenKind::Symbol(symbol) => matches!(*symbol, ")" | "]" | "²" | "³"),
            TokenKind::End => false,
        }
    }
}
