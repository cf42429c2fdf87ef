//! Lexical types of attribute values.

use crate::numbers::{boolean, finite, index, resource_id, transform};

/// Type of an attribute's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Text,
    Boolean,
    /// Id of the resource itself.
    Id,
    Index,
    /// Positive whole number.
    Count,
    Number,
    /// Number that is not negative.
    NonNegative,
    /// Exactly three numbers.
    Triple,
    /// Numbers from 0 to 1.
    Fractions,
    Fraction,
    Indices,
    Ids,
    Color,
    Matrix,
    /// Absolute name of a part.
    Path,
    Uuid,
    OneOf(&'static [&'static str]),
    BlendMethods,
    /// Id of another resource.
    Reference(Target),
}

/// Kinds of resources that a reference takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Object,
    Properties,
    BaseMaterials,
    Texture,
    Display,
    SliceStack,
    Function,
    Image,
    Volume,
}

impl Target {
    /// Name for messages.
    pub(super) fn label(self) -> &'static str {
        match self {
            Target::Object => "an object",
            Target::Properties => "a group of properties",
            Target::BaseMaterials => "a group of base materials",
            Target::Texture => "a texture2d",
            Target::Display => "a group of display properties",
            Target::SliceStack => "a slice stack",
            Target::Function => "a function",
            Target::Image => "an image3d",
            Target::Volume => "volume data",
        }
    }
}

impl Value {
    /// True if a text is a value of this type.
    pub(super) fn accepts(self, text: &str) -> bool {
        let all = |accepts: &dyn Fn(&str) -> bool| {
            let mut words = text.split_ascii_whitespace().peekable();
            words.peek().is_some() && words.all(accepts)
        };
        let fraction =
            |text: &str| finite(text).is_some_and(|number| (0.0..=1.0).contains(&number));
        match self {
            Value::Text => true,
            Value::Boolean => boolean(text).is_some(),
            Value::Id | Value::Reference(_) => resource_id(text).is_some(),
            Value::Index => index(text).is_some(),
            Value::Count => text
                .trim_ascii()
                .parse::<u64>()
                .is_ok_and(|count| count > 0),
            Value::Number => finite(text).is_some(),
            Value::NonNegative => finite(text).is_some_and(|number| number >= 0.0),
            Value::Triple => {
                text.split_ascii_whitespace().count() == 3 && all(&|word| finite(word).is_some())
            }
            Value::Fraction => fraction(text),
            Value::Fractions => all(&fraction),
            Value::Indices => all(&|word| index(word).is_some()),
            Value::Ids => all(&|word| resource_id(word).is_some()),
            Value::Color => {
                let digits = text.strip_prefix('#').unwrap_or_default();
                matches!(digits.len(), 6 | 8)
                    && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
            }
            Value::Matrix => transform(text).is_some(),
            Value::Path => text.len() > 1 && text.starts_with('/'),
            Value::Uuid => is_uuid(text),
            Value::OneOf(names) => names.contains(&text),
            Value::BlendMethods => all(&|word| matches!(word, "mix" | "multiply")),
        }
    }

    /// True if a text of this type has a number with a decimal point and no digit after it, which the reader takes, but not
    /// the patterns of the schemas.
    pub(super) fn has_bare_point(self, text: &str) -> bool {
        match self {
            Value::Number
            | Value::NonNegative
            | Value::Triple
            | Value::Fraction
            | Value::Fractions => has_bare_point(text),
            // Slice 1 names 0. among the numbers of transforms.
            Value::Matrix
            | Value::Text
            | Value::Boolean
            | Value::Id
            | Value::Index
            | Value::Count
            | Value::Indices
            | Value::Ids
            | Value::Color
            | Value::Path
            | Value::Uuid
            | Value::OneOf(_)
            | Value::BlendMethods
            | Value::Reference(_) => false,
        }
    }

    /// Description for messages.
    pub(super) fn expected(self) -> String {
        let text = match self {
            Value::Text => "text",
            Value::Boolean => "true, false, 1 or 0",
            Value::Id | Value::Reference(_) => "a whole number from 1 to 2147483647",
            Value::Index => "a whole number from 0 to 2147483647",
            Value::Count => "a positive whole number",
            Value::Number => "a finite number",
            Value::NonNegative => "a finite number of at least 0",
            Value::Triple => "three finite numbers",
            Value::Fraction => "a number from 0 to 1",
            Value::Fractions => "numbers from 0 to 1, separated by spaces",
            Value::Indices => "indices from 0 on, separated by spaces",
            Value::Ids => "ids of resources, separated by spaces",
            Value::Color => "a colour, #RRGGBB or #RRGGBBAA",
            Value::Matrix => "12 finite numbers",
            Value::Path => "the name of a part, from / on",
            Value::Uuid => "a UUID, such as 6ba7b810-9dad-11d1-80b4-00c04fd430c8",
            Value::OneOf(names) => return names.join(", "),
            Value::BlendMethods => "mix or multiply, separated by spaces",
        };
        text.to_owned()
    }
}

/// True if a decimal point has no digit after it.
pub(super) fn has_bare_point(text: &str) -> bool {
    let mut parts = text.split('.').skip(1);
    parts.any(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// True for a UUID by RFC 4122, in either case.
fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths = [8, 4, 4, 4, 12];
    groups.len() == lengths.len()
        && groups.iter().zip(lengths).all(|(group, length)| {
            group.len() == length && group.bytes().all(|digit| digit.is_ascii_hexdigit())
        })
}

/// True for the name of a built-in simple type of XML Schema, with or without a prefix.
pub(super) fn is_simple_type(name: &str) -> bool {
    const TYPES: &str = " anySimpleType anyURI base64Binary boolean byte date dateTime decimal double duration ENTITIES ENTITY \
        float gDay gMonth gMonthDay gYear gYearMonth hexBinary ID IDREF IDREFS int integer language long Name NCName \
        negativeInteger NMTOKEN NMTOKENS nonNegativeInteger nonPositiveInteger normalizedString NOTATION positiveInteger QName \
        short string time token unsignedByte unsignedInt unsignedLong unsignedShort ";
    let name = name.rsplit_once(':').map_or(name, |(_, name)| name);
    TYPES.split_ascii_whitespace().any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_of_their_types() {
        let cases: [(Value, &[&str], &[&str]); 10] = [
            (
                Value::Color,
                &["#00ff00", "#00FF0080"],
                &["", "red", "#00ff0", "#00ff0g", " #00ff00"],
            ),
            (Value::Path, &["/a"], &["", "/", "a"]),
            (Value::Indices, &["0", " 1  2 "], &["", " ", "1,2", "-1"]),
            (Value::Ids, &["1 2"], &["0", ""]),
            (Value::Triple, &["1 2 3"], &["1 2", "1 2 3 4", "1 2 x"]),
            (Value::Fractions, &["0 1 .5"], &["1.1", "-1", ""]),
            (
                Value::Uuid,
                &["6ba7b810-9dad-11d1-80b4-00c04fd430c8"],
                &["6ba7b8109dad11d180b400c04fd430c8", "{}"],
            ),
            (
                Value::BlendMethods,
                &["mix", "mix multiply"],
                &["", "add", "mix add"],
            ),
            (Value::NonNegative, &["0", "1e3"], &["-1", "inf"]),
            (Value::OneOf(&["a"]), &["a"], &["b", " a", ""]),
        ];
        for (value, right, wrong) in cases {
            assert!(
                right.iter().all(|text| value.accepts(text)),
                "{value:?} {right:?}"
            );
            assert!(
                !wrong.iter().any(|text| value.accepts(text)),
                "{value:?} {wrong:?}"
            );
            assert!(!value.expected().is_empty());
        }
        let bare = ["1.", "0 1. 2", "1.e3", "-."].map(has_bare_point);
        assert_eq!(bare, [true; 4]);
        assert!(
            !["1", "1.0", ".5", "0 1.0 .2e3", ""]
                .iter()
                .any(|text| has_bare_point(text))
        );
        assert!(is_simple_type("xs:string") && is_simple_type("dateTime"));
        assert!(!is_simple_type("xs:text") && !is_simple_type(""));
    }
}
