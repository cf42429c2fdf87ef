//! Data of nodes: texts and numbers to index, and filters by path.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;

use super::query::{DataFilter, DataTest};
use super::tokenizer::folded;

/// Calls `each` with every text and number in a JSON text, and its path ("a.b.0"), without building the value.
///
/// Keys, nulls and booleans are skipped. Data is nested at most 64 levels deep; the parser stops at 128.
pub(super) fn leaves(text: &str, each: &mut dyn FnMut(&str, &str)) {
    let path = &mut String::new();
    let leaves = LeafVisitor { path, each };
    let read = leaves.deserialize(&mut serde_json::Deserializer::from_str(text));
    read.expect("data was written from a map");
}

struct LeafVisitor<'a> {
    path: &'a mut String,
    each: &'a mut dyn FnMut(&str, &str),
}

impl LeafVisitor<'_> {
    /// Visitor of a nested value.
    fn at(&mut self, key: &dyn fmt::Display) -> LeafVisitor<'_> {
        use fmt::Write;
        let (path, each) = (&mut *self.path, &mut *self.each);
        let dot = if path.is_empty() { "" } else { "." };
        write!(path, "{dot}{key}").expect("a string takes every text");
        LeafVisitor { path, each }
    }
}

impl<'de> DeserializeSeed<'de> for LeafVisitor<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for LeafVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.visit_str(&number.to_string())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        (self.each)(self.path, text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        let len = self.path.len();
        for place in 0_usize.. {
            let item = items.next_element_seed(self.at(&place))?;
            self.path.truncate(len);
            if item.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<(), A::Error> {
        let len = self.path.len();
        while let Some(key) = entries.next_key::<String>()? {
            entries.next_value_seed(self.at(&key))?;
            self.path.truncate(len);
        }
        Ok(())
    }
}

/// Compiled filters by data.
pub(super) struct DataFilters<'a>(Vec<(&'a str, CompiledTest<'a>)>);

enum CompiledTest<'a> {
    Equals(&'a Json),
    /// With folded text.
    Contains(String),
    Exists,
}

impl<'a> DataFilters<'a> {
    pub(super) fn new(filters: &'a [DataFilter]) -> DataFilters<'a> {
        let filters = filters.iter().map(|filter| {
            let wanted = match &filter.test {
                DataTest::Equals(value) => CompiledTest::Equals(value),
                DataTest::Contains(text) => CompiledTest::Contains(folded(text)),
                DataTest::Exists => CompiledTest::Exists,
            };
            (&*filter.path, wanted)
        });
        DataFilters(filters.collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if data, as text of a JSON object, passes all filters.
    pub(super) fn pass(&self, data: Option<&str>) -> bool {
        let Some(data) = data else {
            return self.0.is_empty();
        };
        let data: Json = serde_json::from_str(data).expect("data was written from a map");
        let mut filters = self.0.iter();
        filters.all(|(path, wanted)| {
            let found = value_at(&data, path);
            found.is_some_and(|found| wanted.fits(found) || any_item(found, wanted))
        })
    }
}

/// True if an item of an array passes.
fn any_item(found: &Json, wanted: &CompiledTest<'_>) -> bool {
    let items = found.as_array();
    items.is_some_and(|items| items.iter().any(|item| wanted.fits(item)))
}

impl CompiledTest<'_> {
    fn fits(&self, found: &Json) -> bool {
        match self {
            CompiledTest::Equals(value) => is_equal(found, value),
            CompiledTest::Contains(text) => match found {
                Json::String(found) => folded(found).contains(text),
                Json::Number(found) => found.to_string().contains(text),
                Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => false,
            },
            CompiledTest::Exists => true,
        }
    }
}

/// True if two values are equal; numbers are compared by value.
fn is_equal(one: &Json, two: &Json) -> bool {
    one == two
        || matches!((one, two), (Json::Number(one), Json::Number(two)) if one.as_f64() == two.as_f64())
}

/// Returns the value at a path. A key that contains points is matched as a whole.
fn value_at<'a>(data: &'a Json, path: &str) -> Option<&'a Json> {
    let (mut value, mut rest) = (data, path);
    loop {
        let inner = |key: &str| match value {
            Json::Object(entries) => entries.get(key),
            Json::Array(items) => items.get(key.parse::<usize>().ok()?),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
        };
        if let Some(found) = inner(rest) {
            return Some(found);
        }
        let (key, after) = rest.split_once('.')?;
        (value, rest) = (inner(key)?, after);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn leaves_are_told_with_their_paths() {
        let data = json!({ "a": { "b": ["x\n", 2, null, true, -1.5] }, "c.d": "y" });
        let mut found = Vec::new();
        leaves(&data.to_string(), &mut |path, text| {
            found.push(format!("{path}={text}"));
        });
        assert_eq!(found, ["a.b.0=x\n", "a.b.1=2", "a.b.4=-1.5", "c.d=y"]);
    }

    #[test]
    fn data_is_filtered_by_path() {
        let data = json!({ "a": { "b": [1, "Ärger"], "x.y": null }, "status": "done" }).to_string();
        let pass_data = |data: Option<&str>, path: &str, test: DataTest| {
            let path = path.to_owned();
            DataFilters::new(&[DataFilter { path, test }]).pass(data)
        };
        let pass = |path: &str, test| pass_data(Some(&data), path, test);
        assert!(pass("status", DataTest::Equals(json!("done"))));
        assert!(!pass("status", DataTest::Equals(json!("Done"))));
        assert!(pass("status", DataTest::Contains("ON".to_owned())));
        assert!(pass("a.b", DataTest::Equals(json!(1.0))));
        assert!(pass("a.b", DataTest::Contains("arg".to_owned())));
        assert!(pass("a.b.1", DataTest::Exists));
        assert!(!pass("a.b.2", DataTest::Exists));
        assert!(pass("a.x.y", DataTest::Exists));
        assert!(!pass("a.x.z", DataTest::Exists));
        assert!(pass("a.b", DataTest::Equals(json!([1, "Ärger"]))));
        assert!(!pass_data(None, "", DataTest::Exists));
    }
}
