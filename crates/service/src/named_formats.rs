//! Formats that requests name, whose names come from tables and not from the variants of an enum.

use std::fmt;

use serde::Deserializer;
use serde::de::{EnumAccess, Error, VariantAccess as _, Visitor};

/// Deserializes one of some formats by its name, with the errors of a derived `Deserialize`.
pub(crate) fn deserialize_named<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    type_name: &'static str,
    formats: impl Iterator<Item = (&'static str, T)>,
) -> Result<T, D::Error> {
    let formats = formats.collect();
    deserializer.deserialize_enum(type_name, &[], NamedFormats { type_name, formats })
}

struct NamedFormats<T> {
    type_name: &'static str,
    formats: Vec<(&'static str, T)>,
}

impl<'de, T> Visitor<'de> for NamedFormats<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "enum {}", self.type_name)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<T, A::Error> {
        let (name, variant) = data.variant::<String>()?;
        let names: Vec<String> = self
            .formats
            .iter()
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        let found = self.formats.into_iter().find(|(own, _)| *own == name);
        let Some((_, format)) = found else {
            let names = names.join(", ");
            let message = format!("unknown variant `{name}`, expected one of {names}");
            return Err(A::Error::custom(message));
        };
        variant.unit_variant()?;
        Ok(format)
    }
}
