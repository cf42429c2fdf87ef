//! Default, unit and limits of an input of a function.

use std::fmt;

use serde_json::Value as Json;

use crate::names;
use crate::value::{Type, Value};

/// Maximum length of a unit, in bytes.
pub const LONGEST_UNIT: usize = 32;

/// Default, unit and limits of an input of a function.
///
/// ```
/// use fibula_nodes::{InputDetails, Value};
///
/// let wall = InputDetails {
///     default: Some(Value::Float(2.0)),
///     unit: Some("mm".to_owned()),
///     min: Some(0.5),
///     max: None,
/// };
/// assert_eq!(wall.to_string(), " = 2 mm [0.5, ..]");
/// assert_eq!(wall.violation(&Value::Float(0.1)).unwrap(), "0.1 is below the minimum 0.5 mm");
/// ```
///
/// Two are equal if their numbers have the same bits: a default of 0 is not one of -0.
#[derive(Debug, Clone, Default)]
pub struct InputDetails {
    /// Value of the input where it has no argument.
    pub default: Option<Value>,
    /// Unit of its numbers, such as `mm` or `rad`; a label that converts nothing.
    pub unit: Option<String>,
    /// Smallest value of each of its numbers.
    pub min: Option<f64>,
    /// Largest value of each of its numbers.
    pub max: Option<f64>,
}

impl PartialEq for InputDetails {
    fn eq(&self, other: &Self) -> bool {
        let bits = |limit: Option<f64>| limit.map(f64::to_bits);
        let is_same = match (&self.default, &other.default) {
            (Some(one), Some(other)) => {
                let bits = |value: &Value| -> Vec<u64> {
                    value.scalars().iter().map(|one| one.to_bits()).collect()
                };
                one.ty() == other.ty()
                    && bits(one) == bits(other)
                    && (!one.scalars().is_empty() || one == other)
            }
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        is_same
            && self.unit == other.unit
            && bits(self.min) == bits(other.min)
            && bits(self.max) == bits(other.max)
    }
}

impl Eq for InputDetails {}

impl InputDetails {
    /// True if nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == InputDetails::default()
    }

    /// Describes the limit that a value exceeds; `None` if it is within both.
    pub fn violation(&self, value: &Value) -> Option<String> {
        let integer = match value {
            Value::Integer(number) => Some(*number as f64),
            Value::Float(_)
            | Value::Float3(_)
            | Value::Matrix4x4(_)
            | Value::String(_)
            | Value::ResourceId(_) => None,
        };
        let scalars = value.scalars().iter().copied().chain(integer);
        let unit = self.unit.as_ref();
        let unit = unit.map_or_else(String::new, |unit| format!(" {unit}"));
        for number in scalars {
            if let Some(min) = self.min.filter(|&min| number < min) {
                return Some(format!("{number} is below the minimum {min}{unit}"));
            }
            if let Some(max) = self.max.filter(|&max| number > max) {
                return Some(format!("{number} is above the maximum {max}{unit}"));
            }
        }
        None
    }

    /// Describes the first fault for an input of a type; `None` if there is none.
    pub fn fault(&self, ty: Type) -> Option<String> {
        let has_limits = self.min.is_some() || self.max.is_some();
        let is_number = match ty {
            Type::Float | Type::Float3 | Type::Integer => true,
            Type::Matrix4x4 | Type::String | Type::ResourceId => false,
        };
        if has_limits && !is_number {
            return Some(format!(
                "has limits, but a {ty} has none; remove min and max"
            ));
        }
        if let Some(unit) = &self.unit {
            if !is_number {
                return Some(format!("has a unit, but a {ty} has none; remove it"));
            }
            let is_word = !unit.trim().is_empty() && unit.trim() == unit;
            if !is_word || unit.len() > LONGEST_UNIT || unit.chars().any(names::is_invisible) {
                return Some(format!(
                    "has the unit '{}'; give a short text such as mm or rad, of at most {LONGEST_UNIT} bytes",
                    names::visible(unit, LONGEST_UNIT)
                ));
            }
        }
        if let Some(limit) = [self.min, self.max]
            .into_iter()
            .flatten()
            .find(|limit| !limit.is_finite())
        {
            return Some(format!("has the limit {limit}; give a finite number"));
        }
        if let (Some(min), Some(max)) = (self.min, self.max)
            && min > max
        {
            return Some(format!("has the minimum {min} above the maximum {max}"));
        }
        let default = self.default.as_ref()?;
        if ty == Type::ResourceId {
            return Some(
                "has a default, but a resource_id takes none; pass the id in each call".to_owned(),
            );
        }
        if default.ty() != ty || !default.is_finite() {
            let shown = names::visible(&default.to_json().to_string(), 60);
            return Some(format!("has the default {shown}, but takes {}", ty.form()));
        }
        let violation = self.violation(default)?;
        Some(format!("has a default outside of its limits: {violation}"))
    }

    /// Returns the details that an input of another type keeps: the unit, if the type has numbers.
    #[must_use]
    pub fn retyped(&self, ty: Type) -> InputDetails {
        let kept = InputDetails {
            unit: self.unit.clone(),
            ..InputDetails::default()
        };
        if kept.fault(ty).is_some() {
            return InputDetails::default();
        }
        kept
    }
}

/// Text after the type of an input in a signature: ` = 10 mm [0.1, 50]`; empty if nothing is set.
impl fmt::Display for InputDetails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.default {
            Some(Value::Float(number)) => write!(f, " = {number}")?,
            Some(Value::Float3([x, y, z])) => write!(f, " = vec3({x}, {y}, {z})")?,
            Some(other) => {
                let text = names::visible(&other.to_json().to_string(), 120);
                write!(f, " = {text}")?;
            }
            None => {}
        }
        if let Some(unit) = &self.unit {
            write!(f, " {unit}")?;
        }
        match (self.min, self.max) {
            (None, None) => Ok(()),
            (Some(min), Some(max)) => write!(f, " [{min}, {max}]"),
            (Some(min), None) => write!(f, " [{min}, ..]"),
            (None, Some(max)) => write!(f, " [.., {max}]"),
        }
    }
}

/// Parses the default of an input of a type.
///
/// # Errors
/// A text if the JSON is no value of the type.
pub fn parse_default(name: &str, ty: Type, json: &Json) -> Result<Value, String> {
    Value::from_json(ty, json)
        .map_err(|error| format!("the default of '{}': {error}", names::visible(name, 60)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn details(
        default: Option<Value>,
        unit: &str,
        min: Option<f64>,
        max: Option<f64>,
    ) -> InputDetails {
        InputDetails {
            default,
            unit: Some(unit.to_owned()).filter(|unit| !unit.is_empty()),
            min,
            max,
        }
    }

    #[test]
    fn texts_follow_the_type_of_the_input() {
        let ten = || Some(Value::Float(10.0));
        for (details, expected) in [
            (details(None, "", None, None), ""),
            (details(ten(), "", None, None), " = 10"),
            (
                details(ten(), "mm", Some(0.1), Some(50.0)),
                " = 10 mm [0.1, 50]",
            ),
            (details(None, "rad", None, Some(1.5)), " rad [.., 1.5]"),
            (
                details(Some(Value::Float3([1.0, 2.5, -3.0])), "", Some(-4.0), None),
                " = vec3(1, 2.5, -3) [-4, ..]",
            ),
            (
                details(Some(Value::String("a".to_owned())), "", None, None),
                " = \"a\"",
            ),
        ] {
            assert_eq!(details.to_string(), expected);
        }
    }

    #[test]
    fn faults_are_described() {
        let number = |number| Some(Value::Float(number));
        for (details, ty, expected) in [
            (
                details(number(1.0), "mm", Some(0.0), Some(2.0)),
                Type::Float,
                None,
            ),
            (details(None, "", Some(0.0), None), Type::Integer, None),
            (
                details(number(3.0), "mm", None, Some(2.0)),
                Type::Float,
                Some("has a default outside of its limits: 3 is above the maximum 2 mm"),
            ),
            (
                details(Some(Value::Float3([0.0, -1.0, 0.0])), "", Some(0.0), None),
                Type::Float3,
                Some("has a default outside of its limits: -1 is below the minimum 0"),
            ),
            (
                details(None, "", Some(2.0), Some(1.0)),
                Type::Float,
                Some("has the minimum 2 above the maximum 1"),
            ),
            (
                details(None, "", Some(f64::NAN), None),
                Type::Float,
                Some("has the limit NaN; give a finite number"),
            ),
            (
                details(None, "", Some(1.0), None),
                Type::String,
                Some("has limits, but a string has none; remove min and max"),
            ),
            (
                details(None, " mm", None, None),
                Type::Float,
                Some(
                    "has the unit ' mm'; give a short text such as mm or rad, of at most 32 bytes",
                ),
            ),
            (
                details(number(1.0), "", None, None),
                Type::Integer,
                Some("has the default 1.0, but takes a whole number"),
            ),
        ] {
            let fault = details.fault(ty);
            assert_eq!(fault.as_deref(), expected, "{details:?} for a {ty}");
        }
    }

    #[test]
    fn equal_details_have_equal_bits() {
        let zero = details(Some(Value::Float(0.0)), "", Some(0.0), None);
        let negative = details(Some(Value::Float(-0.0)), "", Some(0.0), None);
        assert_ne!(zero, negative);
        assert_ne!(zero, details(Some(Value::Float(0.0)), "", Some(-0.0), None));
        assert_eq!(zero, zero.clone());
        let text = |text: &str| details(Some(Value::String(text.to_owned())), "", None, None);
        assert_ne!(text("a"), text("b"));
        assert_eq!(text("a"), text("a"));
    }

    #[test]
    fn other_types_keep_the_unit_if_they_have_numbers() {
        let full = details(Some(Value::Float(1.0)), "mm", Some(0.0), None);
        assert_eq!(full.retyped(Type::Float3), details(None, "mm", None, None));
        assert!(full.retyped(Type::String).is_empty());
    }
}
