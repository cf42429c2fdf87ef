//! Lexical forms of numbers and other attribute values.

use fibula_core::graph::model::Transform;

use crate::error::{Problem, brief};

/// Parses a resource id, by the rules of 3MF core.
pub(crate) fn resource_id(text: &str) -> Option<u32> {
    let id = text.trim_ascii().parse().ok();
    id.filter(|id| (1..1 << 31).contains(id))
}

/// Parses an index or a count, by the rules of 3MF core.
pub(crate) fn index(text: &str) -> Option<u32> {
    text.trim_ascii()
        .parse()
        .ok()
        .filter(|&index| index < 1 << 31)
}

/// Parses an `xs:double` that is finite.
pub(crate) fn finite(text: &str) -> Option<f64> {
    let number = text.trim_ascii().parse().ok();
    number.filter(|number: &f64| number.is_finite())
}

/// Parses an `xs:boolean`.
pub(crate) fn boolean(text: &str) -> Option<bool> {
    match text.trim_ascii() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// Parses a transform: 12 finite numbers.
pub(crate) fn transform(text: &str) -> Option<Transform> {
    let mut numbers = [0.0; 12];
    let mut words = text.split_ascii_whitespace();
    for number in &mut numbers {
        *number = finite(words.next()?)?;
    }
    words.next().is_none().then_some(Transform(numbers))
}

/// Problem of an attribute whose value is invalid.
pub(crate) fn invalid(attribute: &str, got: &str, expected: &str) -> Problem {
    Problem::InvalidValue {
        attribute: brief(attribute),
        got: brief(got),
        expected: expected.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transform_has_twelve_finite_numbers() {
        let text = "1 0 0\n 0 1 0 0 0 1  -1.5 2e3 +.5 ";
        let numbers = [1., 0., 0., 0., 1., 0., 0., 0., 1., -1.5, 2000., 0.5];
        assert_eq!(transform(text), Some(Transform(numbers)));
        let wrong = [
            "",
            "1 0 0 0 1 0 0 0 1 0 0",
            "1 0 0 0 1 0 0 0 1 0 0 0 0",
            "1 0 0 0 1 0 0 0 1 0 0 inf",
        ];
        for wrong in wrong {
            assert_eq!(transform(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn ids_begin_at_one_and_indexes_at_zero() {
        assert_eq!(["0", " 1 "].map(resource_id), [None, Some(1)]);
        let indexes = ["0", "2147483647", "2147483648"].map(index);
        assert_eq!(indexes, [Some(0), Some(2_147_483_647), None]);
        let booleans = ["1", "false", "yes"].map(boolean);
        assert_eq!(booleans, [Some(true), Some(false), None]);
    }
}
