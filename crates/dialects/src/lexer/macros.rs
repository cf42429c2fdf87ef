//! Macros with parameters of the preprocessor of C, as of `#define rot(a) mat2(cos(a), sin(a), -sin(a), cos(a))`.
//!
//! A macro is a text, not a function: it is read as one only if that makes no difference, whatever its arguments are and
//! wherever it stands.

use super::{Token, TokenKind};
use crate::notes::Notes;

/// Word with which the definition of a function that was a macro begins.
pub(crate) const DEFINE: &str = "define";

/// A macro that is a function.
pub(super) struct Macro {
    name: String,
    parameters: Vec<String>,
    /// Length of the line up to the value.
    pub(super) length: usize,
}

impl Macro {
    /// The macro that a line of a text defines; `None` if it is no function.
    pub(super) fn new(rest: &str, text: &str) -> Option<Self> {
        let line = rest.split('\n').next().unwrap_or(rest);
        let header = line.strip_prefix("#define")?.trim_start();
        let (name, after) = header.split_once('(')?;
        let (parameters, value) = after.split_once(')')?;
        let is_name = |word: &str| {
            let mut chars = word.chars();
            let is_first = |c: char| c == '_' || c.is_ascii_alphabetic();
            chars.next().is_some_and(is_first) && chars.all(|c| is_first(c) || c.is_ascii_digit())
        };
        let parameters: Vec<&str> = parameters.split(',').map(str::trim).collect();
        let is_once = text.matches(&format!("{name}(")).count() > 0
            && text.matches(&format!("#define {name}")).count() == 1
            && !text.contains("#undef");
        if !is_name(name) || !parameters.iter().all(|word| is_name(word)) || !is_once {
            return None;
        }
        let tokens = super::tokens(value, &mut Notes::default())?;
        is_function(&tokens, &parameters).then(|| Macro {
            name: name.to_owned(),
            parameters: parameters.into_iter().map(str::to_owned).collect(),
            length: line.len() - value.len(),
        })
    }

    /// The tokens of `define name(a, b) =`.
    pub(super) fn tokens(&self, at: usize) -> Vec<Token> {
        let mut kinds = vec![
            TokenKind::Name(DEFINE.to_owned()),
            TokenKind::Name(self.name.clone()),
        ];
        for (index, parameter) in self.parameters.iter().enumerate() {
            kinds.push(TokenKind::Symbol(if index == 0 { "(" } else { "," }));
            kinds.push(TokenKind::Name(parameter.clone()));
        }
        kinds.extend([TokenKind::Symbol(")"), TokenKind::Symbol("=")]);
        let token = |(index, kind)| Token {
            kind,
            at,
            begins_line: index == 0,
            indent: 0,
        };
        kinds.into_iter().enumerate().map(token).collect()
    }
}

/// True if a value is one operand, has no names but of its parameters and of functions, and each parameter is an
/// argument of a call in it.
fn is_function(value: &[Token], parameters: &[&str]) -> bool {
    let [first, .., last, _] = value else {
        return false;
    };
    let starts = usize::from(matches!(first.kind, TokenKind::Name(_)));
    let mut depth = 0_usize;
    for (index, token) in value[..value.len() - 1].iter().enumerate().skip(starts) {
        if token.is("(") {
            depth += 1;
        } else if token.is(")") {
            depth = depth.saturating_sub(1);
        }
        // Nothing precedes or follows the parentheses.
        if depth == 0 && index + 2 < value.len() {
            return false;
        }
    }
    let is_right = |index: usize| match &value[index].kind {
        TokenKind::Name(word) if parameters.contains(&word.as_str()) => {
            let (before, after) = (index.checked_sub(1), &value[index + 1]);
            let begins =
                before.is_some_and(|before| value[before].is("(") || value[before].is(","));
            begins && (after.is(")") || after.is(","))
        }
        TokenKind::Name(_) => value[index + 1].is("("),
        TokenKind::Symbol(symbol) => !matches!(*symbol, "{" | "}" | ";" | "=" | "?" | "."),
        TokenKind::Number(..) | TokenKind::End => true,
        TokenKind::Text(_) => false,
    };
    last.is(")") && (0..value.len()).all(is_right)
}
