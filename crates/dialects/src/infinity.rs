//! Infinity, with which loops begin: `min(inf, d)` is `d`.

use crate::tree::{Argument, Expr, negative};

/// Text of the number that stands for infinity.
pub(super) const TEXT: &str = "inf";
/// Names of infinity and of the largest numbers, which are the start of a minimum or a maximum.
const NAMES: [&str; 12] = [
    "inf",
    "Inf",
    "Infinity",
    "infinity",
    "INFINITY",
    "HUGE_VAL",
    "POSITIVE_INFINITY",
    "FLT_MAX",
    "DBL_MAX",
    "MAX_VALUE",
    "huge",
    "MAX",
];

/// True if a name means infinity, or the largest number.
pub(super) fn is_name(text: &str) -> bool {
    NAMES.contains(&text)
}

/// Infinity of a string such as `-inf`, as in `float("inf")`.
pub(super) fn of_text(text: &str) -> Option<Expr> {
    let folded = text.trim().to_ascii_lowercase();
    match folded.trim_start_matches('+') {
        "inf" | "infinity" => Some(value()),
        "-inf" | "-infinity" => Some(negative(value())),
        _ => None,
    }
}

/// 1 of infinity, -1 of its negative, else 0.
pub(super) fn sign(value: &Expr) -> i32 {
    match value {
        Expr::Number(text) if text == TEXT => 1,
        Expr::Negation(inner) => -sign(inner),
        _ => 0,
    }
}

/// The value of a minimum or maximum of lowered values of which some are infinite; `None` if none is.
pub(super) fn folded(function: &str, arguments: &[Argument]) -> Option<Expr> {
    let neutral = match function {
        "min" | "minimum" | "fmin" | "union" => 1,
        "max" | "maximum" | "fmax" | "intersection" => -1,
        _ => return None,
    };
    let [first, second] = arguments else {
        return None;
    };
    let (first, second) = (&first.value, &second.value);
    match (sign(first), sign(second)) {
        (0, 0) => None,
        (one, _) if one == neutral => Some(second.clone()),
        (_, one) if one == neutral => Some(first.clone()),
        (0, _) => Some(second.clone()),
        _ => Some(first.clone()),
    }
}

/// The limits of `clip(value, low, high)` without those that limit nothing.
pub(super) fn limits(low: &Expr, high: &Expr) -> (Option<Expr>, Option<Expr>) {
    let is_none = |value: &Expr| matches!(value, Expr::Name(name, _) if name == "None");
    let low = (!is_none(low) && sign(low) != -1).then(|| low.clone());
    let high = (!is_none(high) && sign(high) != 1).then(|| high.clone());
    (low, high)
}

/// Infinity as a value.
pub(super) fn value() -> Expr {
    Expr::Number(TEXT.to_owned())
}

/// The truth of a comparison of numbers that are known, or of an infinite one and any that is finite.
pub(super) fn compared(operator: &str, left: Option<f64>, right: Option<f64>) -> Option<bool> {
    let (left, right) = match (left, right) {
        (Some(left), Some(right)) => (left, right),
        (Some(left), None) if left.is_infinite() => (left, 0.0),
        (None, Some(right)) if right.is_infinite() => (0.0, right),
        _ => return None,
    };
    Some(match operator {
        "<" => left < right,
        ">" => left > right,
        // Infinity equals itself.
        _ => left.total_cmp(&right).is_eq() || (left - right).abs() < 1e-9,
    })
}
