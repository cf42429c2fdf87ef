//! What is wrong with an expression, and where.

use std::fmt::Write as _;

/// The kinds of mistakes; the names are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    /// The text is no expression of the grammar.
    Syntax,
    /// No argument, binding or constant has the name.
    UnknownName,
    /// No kind of node and no function of the project has the name.
    UnknownFunctionName,
    /// The call has no output, or the vector no component, of the name.
    UnknownOutput,
    /// A call has too many or too few arguments.
    WrongArguments,
    /// A value has another type than what takes it.
    TypeMismatch,
    /// A name is given to two things.
    DuplicateName,
    /// The expression's outputs are not those that were asked for.
    WrongOutputs,
    /// Parentheses, calls, powers or choices are nested too deeply.
    TooDeep,
    /// The text is too long.
    TooLarge,
}

impl Code {
    /// Every code, in the order in which they are listed.
    pub const ALL: [Code; 10] = [
        Code::Syntax,
        Code::UnknownName,
        Code::UnknownFunctionName,
        Code::UnknownOutput,
        Code::WrongArguments,
        Code::TypeMismatch,
        Code::DuplicateName,
        Code::WrongOutputs,
        Code::TooDeep,
        Code::TooLarge,
    ];

    /// The code's name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Code::Syntax => "syntax",
            Code::UnknownName => "unknown_name",
            Code::UnknownFunctionName => "unknown_function_name",
            Code::UnknownOutput => "unknown_output",
            Code::WrongArguments => "wrong_arguments",
            Code::TypeMismatch => "type_mismatch",
            Code::DuplicateName => "duplicate_name",
            Code::WrongOutputs => "wrong_outputs",
            Code::TooDeep => "too_deep",
            Code::TooLarge => "too_large",
        }
    }
}

/// Why a text could not become a function.
///
/// Displayed, it is the message, the hint, and the line of the text with a caret below the place:
///
/// ```text
/// '%' is no operator; write mod(a, b) for the remainder
///   a%2
///    ^
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.shown())]
pub struct ExpressionError {
    /// What kind of mistake it is.
    pub code: Code,
    /// What is wrong, without the place.
    pub message: String,
    /// What can be done, if that is not plain from the message.
    pub hint: Option<String>,
    /// The line of the text, from 1.
    pub line: usize,
    /// The place in the line, in characters from 1.
    pub column: usize,
    /// That line; of a long one only what surrounds the place.
    pub excerpt: String,
    /// The place in the excerpt, in characters from 1.
    pub caret: usize,
}

impl ExpressionError {
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

/// A mistake and its place, before it meets the text that it is in.
#[derive(Debug)]
pub(super) struct Mistake {
    code: Code,
    message: String,
    hint: Option<String>,
    /// The place, in bytes from the start of the text.
    at: usize,
}

impl Mistake {
    pub(super) fn new(code: Code, at: usize, message: impl Into<String>) -> Self {
        Mistake {
            code,
            message: message.into(),
            hint: None,
            at,
        }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a hint, if there is none yet.
    pub(super) fn or_hint(mut self, hint: Option<String>) -> Self {
        self.hint = self.hint.or(hint);
        self
    }

    /// Adds "did you mean", if there is something near.
    pub(super) fn nearest(self, nearest: &[String]) -> Self {
        match nearest {
            [] => self,
            [only] => self.hint(format!("did you mean {only}?")),
            [others @ .., last] => {
                self.hint(format!("did you mean {} or {last}?", others.join(", ")))
            }
        }
    }

    /// The mistake shown in the text that it was made in.
    pub(super) fn shown_in(self, text: &str) -> ExpressionError {
        /// How much of a long line is shown on either side of the place, in characters.
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
        excerpt.extend(
            before
                .chars()
                .skip(column.saturating_sub(AROUND + 1))
                .map(blank),
        );
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

/// A message that says a caller's long name, cut.
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
        let mistake = Mistake::new(Code::Syntax, at, "wrong").hint("mend it");
        assert_eq!(mistake.shown_in(text).to_string(), expected);
    }

    #[test]
    fn the_caret_is_below_the_place() {
        check("", 0, "wrong; mend it\n  \n  ^");
        check("a%2", 1, "wrong; mend it\n  a%2\n   ^");
        check("ä%2", 2, "wrong; mend it\n  ä%2\n   ^");
        check("a +\n\tb $", 7, "wrong; mend it\n   b $\n     ^");
        check("a", 1, "wrong; mend it\n  a\n   ^");
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = "x+".repeat(500_000);
        let error = Mistake::new(Code::Syntax, 1000, "wrong").shown_in(&text);
        assert_eq!((error.line, error.column, error.caret), (1, 1001, 52));
        let part = "x+".repeat(25);
        assert_eq!(error.excerpt, format!("…{part}{part}…"));
    }

    #[test]
    fn a_long_message_is_cut() {
        let mistake = Mistake::new(Code::Syntax, 0, "ä".repeat(1_000_000));
        assert_eq!(mistake.shown_in("a").message, "ä".repeat(400) + "…");
    }

    #[test]
    fn names_of_codes_are_unique() {
        let names: std::collections::BTreeSet<_> = Code::ALL.iter().map(|c| c.name()).collect();
        assert_eq!(names.len(), Code::ALL.len());
    }
}
