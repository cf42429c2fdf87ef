//! Tables of cases, and assertions about texts and about fields of answers.

use serde_json::Value as Json;

/// An array of tuples, a row each: `first => second, third;`.
macro_rules! cases {
    ($($first:expr => $($rest:expr),+);* $(;)?) => { [$(($first, $($rest),+)),*] };
}

/// Asserts that an answer has these fields; null stands for one that is absent.
macro_rules! assert_fields {
    ($answer:expr, $fields:tt) => { assert_fields!($answer, $fields, "") };
    ($answer:expr, $fields:tt, $($context:tt)+) => {
        crate::check::fields(&$answer, &serde_json::json!($fields), &format!($($context)+))
    };
}

/// Asserts that a text contains each of these.
macro_rules! assert_contains {
    ($text:expr => $($part:expr),+) => {{
        let text: &str = &$text;
        $(assert!(text.contains($part), "{:?} is not in {text}", $part);)+
    }};
}

/// Asserts that a text begins with this.
macro_rules! assert_starts {
    ($text:expr => $start:expr) => {{
        let text: &str = &$text;
        assert!(text.starts_with($start), "{text} does not begin with {:?}", $start);
    }};
}

/// Asserts that an answer has these fields; null stands for one that is absent.
#[track_caller]
pub(crate) fn fields(answer: &Json, expected: &Json, context: &str) {
    for (name, value) in expected.as_object().expect("fields") {
        assert_eq!(&answer[name.as_str()], value, "{name} {context}: {answer}");
    }
}
