//! Tables of cases, and assertions about texts and about fields of answers.

/// An array of tuples, a row each: `first => second, third;`.
macro_rules! cases {
    ($($first:expr => $($rest:expr),+);* $(;)?) => { [$(($first, $($rest),+)),*] };
}

/// A value of a type with these fields; the others have their defaults.
macro_rules! with_defaults {
    ($type:ident, $($field:ident $(: $value:expr)?),+) => { $type { $($field $(: $value)?,)+ ..$type::default() } };
}

/// Calls a check with each row, after its first argument if there is one: `first => second, third;`.
macro_rules! check_each {
    ($check:ident; $($first:expr => $($rest:expr),+;)+) => { $($check($first, $($rest),+);)+ };
    ($check:ident($fixed:expr); $($first:expr => $($rest:expr),+;)+) => {
        $($check($fixed, $first, $($rest),+);)+
    };
}

/// Asserts that each value is as expected: `value => expected;`.
macro_rules! assert_each_eq {
    ($($value:expr => $expected:expr;)+) => { $(assert_eq!($value, $expected, "{}", stringify!($value));)+ };
}

/// Asserts that an answer has these fields; null stands for one that is absent.
macro_rules! assert_fields {
    ($answer:expr, $fields:tt) => { assert_fields!($answer, $fields, "") };
    ($answer:expr, $fields:tt, $($context:tt)+) => {{
        let (answer, expected): (&serde_json::Value, _) = (&$answer, serde_json::json!($fields));
        for (name, value) in expected.as_object().expect("fields") {
            assert_eq!(&answer[name.as_str()], value, "{name} {}: {answer}", format_args!($($context)+));
        }
    }};
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
        assert!(
            text.starts_with($start),
            "{text} does not begin with {:?}",
            $start
        );
    }};
}
