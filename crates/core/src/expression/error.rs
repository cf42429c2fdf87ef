//! Errors of expressions, with their locations.

use std::fmt::Write as _;

/// Message about a comparison as a value.
pub const COMPARISON: &str = "a comparison is only allowed before '?'";

/// Stable codes of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The text does not match the grammar.
    Syntax,
    /// No argument, binding or constant has the name.
    UnknownName,
    /// No kind of node and no function of the project has the name.
    UnknownFunctionName,
    /// The call has no output, or the vector no component, of the name.
    UnknownOutput,
    /// A call has too many or too few arguments, or a constant outside of the limits of an input.
    WrongArguments,
    /// A value is of another type than expected.
    TypeMismatch,
    /// A name is defined twice.
    DuplicateName,
    /// The expression's outputs are not those requested.
    WrongOutputs,
    /// Parentheses, calls, powers or choices are nested too deeply.
    TooDeep,
    /// The text is too long.
    TooLarge,
}

impl ErrorCode {
    /// Creates an error at an offset of the text.
    pub(super) fn error(self, at: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code: self,
            message: message.into(),
            hint: None,
            at,
        }
    }

    /// Every code, in the order in which they are listed.
    pub const ALL: [ErrorCode; 10] = [
        ErrorCode::Syntax,
        ErrorCode::UnknownName,
        ErrorCode::UnknownFunctionName,
        ErrorCode::UnknownOutput,
        ErrorCode::WrongArguments,
        ErrorCode::TypeMismatch,
        ErrorCode::DuplicateName,
        ErrorCode::WrongOutputs,
        ErrorCode::TooDeep,
        ErrorCode::TooLarge,
    ];

    /// Name of the code.
    pub fn name(self) -> &'static str {
        match self {
            ErrorCode::Syntax => "syntax",
            ErrorCode::UnknownName => "unknown_name",
            ErrorCode::UnknownFunctionName => "unknown_function_name",
            ErrorCode::UnknownOutput => "unknown_output",
            ErrorCode::WrongArguments => "wrong_arguments",
            ErrorCode::TypeMismatch => "type_mismatch",
            ErrorCode::DuplicateName => "duplicate_name",
            ErrorCode::WrongOutputs => "wrong_outputs",
            ErrorCode::TooDeep => "too_deep",
            ErrorCode::TooLarge => "too_large",
        }
    }
}

/// Error returned when a text is not a valid expression.
///
/// Its display form is the message, the hint, and the line of the text with a caret below the location:
///
/// ```text
/// '%' is not an operator; write mod(a, b) for the remainder
///   a%2
///    ^
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.shown())]
#[non_exhaustive]
pub struct ExpressionError {
    /// Stable code.
    pub code: ErrorCode,
    /// The problem, without its location.
    pub message: String,
    /// The remedy, if the message does not imply it.
    pub hint: Option<String>,
    /// Line number, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The line, truncated around the location if it is long.
    pub excerpt: String,
    /// Column in the excerpt, in characters from 1.
    pub caret: usize,
}

impl ExpressionError {
    /// Error at an offset of a text, in bytes.
    pub fn new(
        code: ErrorCode,
        message: impl Into<String>,
        hint: impl Into<String>,
        at: usize,
        text: &str,
    ) -> Self {
        code.error(at, message).hint(hint).with_source(text)
    }

    fn shown(&self) -> String {
        let mut text = self.message.clone();
        if let Some(hint) = &self.hint {
            text.push_str("; ");
            text.push_str(hint);
        }
        let width = self.caret;
        let _ = write!(text, "\n  {}\n  {:>width$}", self.excerpt, '^');
        text
    }
}

/// An error and its offset, not yet located in the text.
#[derive(Debug)]
pub(super) struct Diagnostic {
    code: ErrorCode,
    message: String,
    hint: Option<String>,
    /// Offset in the text, in bytes.
    at: usize,
}

impl Diagnostic {
    /// Error of a limit of functions.
    pub(super) fn too_large(message: String) -> Self {
        let hint = "split it into functions that call each other";
        ErrorCode::TooLarge.error(0, message).hint(hint)
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a hint, if it has none.
    pub(super) fn or_hint(mut self, hint: Option<String>) -> Self {
        self.hint = self.hint.or(hint);
        self
    }

    /// Adds the hint "did you mean", if there are similar names.
    pub(super) fn nearest(self, nearest: &[String]) -> Self {
        match nearest {
            [] => self,
            [only] => self.hint(format!("did you mean {only}?")),
            [others @ .., last] => {
                self.hint(format!("did you mean {} or {last}?", others.join(", ")))
            }
        }
    }

    /// Locates the error in its text.
    pub(super) fn with_source(self, text: &str) -> ExpressionError {
        /// Maximum number of characters shown on either side of the location.
        const AROUND: usize = 50;
        let (before, after) = text.split_at(self.at.min(text.len()));
        let line = before.matches('\n').count() + 1;
        let before = before.rsplit('\n').next().unwrap_or_default();
        let after = after.split('\n').next().unwrap_or_default();
        let column = before.chars().count() + 1;
        let blank = |c: char| if c.is_control() { ' ' } else { c };
        let mut excerpt = String::new();
        if column > AROUND + 1 {
            excerpt.push('…');
        }
        let shown = before.chars().skip(column.saturating_sub(AROUND + 1));
        excerpt.extend(shown.map(blank));
        let caret = excerpt.chars().count() + 1;
        let mut rest = after.chars().map(blank);
        excerpt.extend(rest.by_ref().take(AROUND));
        if rest.next().is_some() {
            excerpt.push('…');
        }
        ExpressionError {
            code: self.code,
            message: shortened(self.message),
            hint: self.hint.map(shortened),
            line,
            column,
            excerpt,
            caret,
        }
    }
}

/// Truncates a message with a long name.
fn shortened(mut text: String) -> String {
    const LONGEST: usize = 400;
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, at: usize, expected: &str) {
        let diagnostic = ErrorCode::Syntax.error(at, "wrong").hint("mend it");
        assert_eq!(diagnostic.with_source(text).to_string(), expected);
    }

    #[test]
    fn the_caret_is_below_the_location() {
        check("", 0, "wrong; mend it\n  \n  ^");
        check("a%2", 1, "wrong; mend it\n  a%2\n   ^");
        check("ä%2", 2, "wrong; mend it\n  ä%2\n   ^");
        check("a +\n\tb $", 7, "wrong; mend it\n   b $\n     ^");
        check("a", 1, "wrong; mend it\n  a\n   ^");
    }

    #[test]
    fn a_long_line_is_truncated_around_the_location() {
        let text = "x+".repeat(500_000);
        let error = ErrorCode::Syntax.error(1000, "wrong").with_source(&text);
        assert_eq!((error.line, error.column, error.caret), (1, 1001, 52));
        let part = "x+".repeat(25);
        assert_eq!(error.excerpt, format!("…{part}{part}…"));
    }

    #[test]
    fn a_long_message_is_truncated() {
        let diagnostic = ErrorCode::Syntax.error(0, "ä".repeat(1_000_000));
        assert_eq!(diagnostic.with_source("a").message, "ä".repeat(400) + "…");
    }

    #[test]
    fn names_of_codes_are_unique() {
        let names: std::collections::BTreeSet<_> =
            ErrorCode::ALL.iter().map(|c| c.name()).collect();
        assert_eq!(names.len(), ErrorCode::ALL.len());
    }
}
