//! Numbers and the like as attributes write them.

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
    fn ids_begin_at_one_and_indexes_at_zero() {
        assert_eq!([resource_id("0"), resource_id(" 1 ")], [None, Some(1)]);
        assert_eq!(
            [index("0"), index("2147483647"), index("2147483648")],
            [Some(0), Some(2_147_483_647), None]
        );
    }
}
