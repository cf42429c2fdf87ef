//! Numbers and the like as attributes write them.

use fibula_core::graph::model::Transform;

use super::error::{Problem, brief};

/// A resource id, by the rules of 3MF core.
pub(super) fn resource_id(text: &str) -> Option<u32> {
    text.trim()
        .parse()
        .ok()
        .filter(|id| (1..1 << 31).contains(id))
}

/// An index or a count, by the rules of 3MF core.
pub(super) fn index(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|&index| index < 1 << 31)
}

/// A number as XML Schema writes a double, but neither infinite nor NaN.
pub(super) fn finite(text: &str) -> Option<f64> {
    text.trim()
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite())
}

/// Yes or no, as XML Schema writes it.
pub(super) fn boolean(text: &str) -> Option<bool> {
    match text.trim() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// A transform: 12 finite numbers.
pub(super) fn transform(text: &str) -> Option<Transform> {
    let mut numbers = [0.0; 12];
    let mut words = text.split_ascii_whitespace();
    for number in &mut numbers {
        *number = finite(words.next()?)?;
    }
    words.next().is_none().then_some(Transform(numbers))
}

/// An attribute that says nothing that it may say.
pub(super) fn invalid(attribute: &str, got: &str, expected: &str) -> Problem {
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
        assert_eq!([resource_id("0"), resource_id(" 1 ")], [None, Some(1)]);
        assert_eq!(
            [index("0"), index("2147483647"), index("2147483648")],
            [Some(0), Some(2_147_483_647), None]
        );
        assert_eq!(
            [boolean("1"), boolean("false"), boolean("yes")],
            [Some(true), Some(false), None]
        );
    }
}
