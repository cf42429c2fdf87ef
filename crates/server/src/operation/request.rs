//! Deserializes a request, and finds the fault of one that does not deserialize.
//!
//! serde's error for a [`Value`] has no path. [`Located`] deserializes like `&Value`, and an error that leaves a member or
//! an element notes its name or index on its way out: a request without fault costs no more, and the code exists once per
//! type of request.

use std::cell::RefCell;
use std::fmt;
use std::slice;

use serde::de::value::StrDeserializer;
use serde::de::{
    Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _,
    IntoDeserializer, MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Map, Value, map};

/// Deserializes a value.
///
/// # Errors
/// serde's error, and the path of the value that it is about.
pub(super) fn deserialize<T: DeserializeOwned>(value: &Value) -> Result<T, (Path, Error)> {
    let path = RefCell::default();
    let located = Located { value, path: &path };
    T::deserialize(located).map_err(|error| (Path(path.take()), error))
}

/// Path to a value in a JSON document, innermost segment first. It displays as `a.b[0].c`, and as `.` for the whole.
pub(super) struct Path(Vec<Segment>);

enum Segment {
    Member(String),
    Element(usize),
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(".");
        }
        for (depth, segment) in self.0.iter().rev().enumerate() {
            match segment {
                Segment::Member(name) if depth == 0 => f.write_str(name)?,
                Segment::Member(name) => write!(f, ".{name}")?,
                Segment::Element(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// A value whose errors note where it is.
#[derive(Clone, Copy)]
struct Located<'a> {
    value: &'a Value,
    path: &'a RefCell<Vec<Segment>>,
}

impl<'a> Located<'a> {
    /// Another value of the same document.
    fn at(self, value: &'a Value) -> Self {
        Located { value, ..self }
    }

    fn note<T>(
        self,
        result: Result<T, Error>,
        segment: impl FnOnce() -> Segment,
    ) -> Result<T, Error> {
        if result.is_err() {
            self.path.borrow_mut().push(segment());
        }
        result
    }

    fn elements<V: Visitor<'a>>(
        self,
        elements: &'a [Value],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut rest = Elements {
            rest: elements.iter(),
            length: elements.len(),
            located: self,
        };
        let value = visitor.visit_seq(&mut rest)?;
        if rest.rest.len() > 0 {
            return Err(Error::invalid_length(
                elements.len(),
                &"fewer elements in array",
            ));
        }
        Ok(value)
    }

    fn members<V: Visitor<'a>>(
        self,
        members: &'a Map<String, Value>,
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut rest = Members {
            rest: members.iter(),
            current: None,
            located: self,
        };
        let value = visitor.visit_map(&mut rest)?;
        if rest.rest.len() > 0 {
            return Err(Error::invalid_length(
                members.len(),
                &"fewer elements in map",
            ));
        }
        Ok(value)
    }
}

impl<'a> Deserializer<'a> for Located<'a> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => number.deserialize_any(visitor),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(elements) => self.elements(elements, visitor),
            Value::Object(members) => self.members(members, visitor),
        }
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.value {
            Value::String(name) => visitor.visit_enum(Variant {
                name,
                content: None,
            }),
            Value::Object(members) => {
                let mut members = members.iter();
                let (Some((name, value)), None) = (members.next(), members.next()) else {
                    let found = Unexpected::Map;
                    return Err(Error::invalid_value(found, &"map with a single key"));
                };
                let content = Some(self.at(value));
                visitor.visit_enum(Variant { name, content })
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        <V: Visitor<'a>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier
    }
}

struct Elements<'a> {
    rest: slice::Iter<'a, Value>,
    length: usize,
    located: Located<'a>,
}

impl<'a> SeqAccess<'a> for Elements<'a> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'a>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let index = self.length - self.rest.len();
        let Some(value) = self.rest.next() else {
            return Ok(None);
        };
        let element = seed.deserialize(self.located.at(value));
        let element = self.located.note(element, || Segment::Element(index))?;
        Ok(Some(element))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Members<'a> {
    rest: map::Iter<'a>,
    /// The member whose name was deserialized.
    current: Option<(&'a str, &'a Value)>,
    located: Located<'a>,
}

impl<'a> MapAccess<'a> for Members<'a> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'a>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some((name, value)) = self.rest.next() else {
            return Ok(None);
        };
        self.current = Some((name, value));
        let key = seed.deserialize(Name(name));
        let member = || Segment::Member(name.clone());
        self.located.note(key, member).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let Some((name, value)) = self.current.take() else {
            return Err(Error::custom("value is missing"));
        };
        let value = seed.deserialize(self.located.at(value));
        let member = || Segment::Member(name.to_owned());
        self.located.note(value, member)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// Name of a member, which a newtype can wrap.
struct Name<'a>(&'a str);

impl<'a> Deserializer<'a> for Name<'a> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let text: StrDeserializer<'_, Error> = self.0.into_deserializer();
        text.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        <V: Visitor<'a>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq
        tuple tuple_struct map struct identifier ignored_any
    }
}

/// Variant of an enum, with its content if it is written as an object.
struct Variant<'a> {
    name: &'a str,
    content: Option<Located<'a>>,
}

impl<'a> EnumAccess<'a> for Variant<'a> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<(T::Value, Self), Error> {
        let variant = seed.deserialize(Name(self.name))?;
        Ok((variant, self))
    }
}

impl<'a> Variant<'a> {
    /// Deserializes the content, if there is one.
    fn content<T>(
        self,
        expected: &str,
        deserialize: impl FnOnce(Located<'a>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Some(content) = self.content else {
            return Err(Error::invalid_type(Unexpected::UnitVariant, &expected));
        };
        let member = || Segment::Member(self.name.to_owned());
        content.note(deserialize(content), member)
    }
}

impl<'a> VariantAccess<'a> for Variant<'a> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        match self.content {
            None => Ok(()),
            Some(_) => self.content("unit variant", Deserialize::deserialize),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, Error> {
        self.content("newtype variant", |content| seed.deserialize(content))
    }

    fn tuple_variant<V: Visitor<'a>>(self, _length: usize, visitor: V) -> Result<V::Value, Error> {
        self.content("tuple variant", |content| content.deserialize_any(visitor))
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.content("struct variant", |content| content.deserialize_any(visitor))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Request {
        name: String,
        #[serde(default)]
        sizes: Vec<f32>,
        #[serde(default)]
        shapes: Vec<Shape>,
        #[serde(default)]
        by_name: BTreeMap<Id, Option<u8>>,
    }

    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
    struct Id(String);

    #[derive(Debug, PartialEq, Deserialize)]
    enum Shape {
        Empty,
        Sphere(f32),
        Ring(f32, f32),
        Box { size: [f32; 3] },
    }

    #[test]
    fn it_deserializes_what_serde_json_does() {
        let cases = [
            json!({"name": "a"}),
            json!({"name": "a", "sizes": [1, -2, 0.5], "by_name": {"x": 3, "y": null}}),
            json!({"name": "a", "shapes": ["Empty", {"Empty": null}, {"Sphere": 2}, {"Ring": [1, 2]},
                {"Box": {"size": [1, 2, 3]}}]}),
            json!({"name": 5}),
            json!({"name": "a", "sizes": [1, "2"]}),
            json!({"name": "a", "sizes": {}}),
            json!({"name": "a", "by_name": {"x": 256}}),
            json!({"name": "a", "shapes": [{"Box": {"size": [1, 2, 3, 4]}}]}),
            json!({"name": "a", "shapes": [{"Ring": [1, 2, 3]}]}),
            json!({"name": "a", "shapes": ["Sphere"]}),
            json!({"name": "a", "shapes": ["Cone"]}),
            json!({"name": "a", "shapes": [{}]}),
            json!({"name": "a", "more": 1}),
            json!(["a", [], [], {}]),
            json!(null),
        ];
        for case in cases {
            let expected = Request::deserialize(&case).map_err(|error| error.to_string());
            let found = deserialize(&case).map_err(|(_, error)| error.to_string());
            assert_eq!(found, expected, "{case}");
        }
    }

    #[test]
    fn a_fault_has_its_path() {
        let cases = [
            (json!({"name": "a", "sizes": [1, "2"]}), "sizes[1]"),
            (json!({"name": 5}), "name"),
            (json!({"name": "a", "by_name": {"x": 256}}), "by_name.x"),
            (
                json!({"name": "a", "shapes": ["Empty", {"Sphere": "2"}]}),
                "shapes[1].Sphere",
            ),
            (
                json!({"name": "a", "shapes": [{"Box": {"size": [1, 2, {}]}}]}),
                "shapes[0].Box.size[2]",
            ),
            (json!({"name": "a", "more": 1}), "more"),
            (json!({"sizes": []}), "."),
        ];
        for (case, expected) in cases {
            let found = deserialize::<Request>(&case).map_err(|(path, _)| path.to_string());
            assert_eq!(found, Err(expected.to_owned()), "{case}");
        }
    }
}
