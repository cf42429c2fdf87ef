//! Content hash of a knowledge graph: the sum of the hashes of its elements, which is independent of their order and
//! updated in O(1).
//!
//! It is a part of the hash of the document (see `graph::hash`), which is stored and compared across processes, platforms
//! and versions, so the bytes below never change. Sums wrap at 2^64. An element's hash is the first eight bytes, little
//! endian, of the BLAKE3 hash of its bytes:
//!
//! - node: 11, id, label, types, data, number of observations `u32` and for each its text, when `i64` and by whom;
//!   position (0, or 1 and two `f64`), creator, created `i64`, modified `i64`, version `u32`, order `u64`
//! - edge: 12, id, source, target, type, label (0, or 1 and the text), data, weight (0, or 1 and `f64`), from when and
//!   until when it holds (each 0, or 1 and `i64`), creator, created `i64`, modified `i64`, order `u64`
//! - schema, unless nothing is declared: 13, itself as JSON value
//!
//! Numbers are little endian, `f64` by their bits. A text is its length in bytes `u32` and its bytes, a list its length
//! `u32` and its items. Data is a JSON value: null 0, false 1, true 2, an integer below 0 3 and `i64`, another integer 4
//! and `u64`, another number 5 and `f64`, a text 6 and itself, a list 7 and itself, an object 8, its length `u32`, and its
//! members by name in the order of their bytes, each as name and value.

use serde_json::{Map, Value as Json};

use super::edge::Edge;
use super::node::Node;
use super::schema::Schema;

struct Bytes(Vec<u8>);

impl Bytes {
    /// Starts the bytes of an element of a kind, with the usual capacity.
    fn new(kind: u8) -> Bytes {
        let mut bytes = Vec::with_capacity(256);
        bytes.push(kind);
        Bytes(bytes)
    }

    fn count(&mut self, count: usize) {
        self.0.extend((count as u32).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend(text.as_bytes());
    }

    fn integers<const N: usize>(&mut self, numbers: [i64; N]) {
        self.0
            .extend(numbers.into_iter().flat_map(i64::to_le_bytes));
    }

    fn floats(&mut self, numbers: &[f64]) {
        self.0
            .extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }

    fn maybe<T>(&mut self, item: Option<T>, write: impl FnOnce(&mut Bytes, T)) {
        self.0.push(u8::from(item.is_some()));
        if let Some(item) = item {
            write(self, item);
        }
    }

    fn json(&mut self, value: &Json) {
        match value {
            Json::Null => self.0.push(0),
            Json::Bool(is) => self.0.push(1 + u8::from(*is)),
            Json::Number(number) => {
                if let Some(number) = number.as_u64() {
                    self.0.push(4);
                    self.0.extend(number.to_le_bytes());
                } else if let Some(number) = number.as_i64() {
                    self.0.push(3);
                    self.integers([number]);
                } else {
                    self.0.push(5);
                    self.floats(&[number.as_f64().unwrap_or(f64::NAN)]);
                }
            }
            Json::String(text) => {
                self.0.push(6);
                self.text(text);
            }
            Json::Array(items) => {
                self.0.push(7);
                self.count(items.len());
                for item in items {
                    self.json(item);
                }
            }
            Json::Object(members) => self.object(members),
        }
    }

    fn object(&mut self, members: &Map<String, Json>) {
        self.0.push(8);
        self.count(members.len());
        let mut members: Vec<(&String, &Json)> = members.iter().collect();
        members.sort_unstable_by_key(|(name, _)| *name);
        for (name, value) in members {
            self.text(name);
            self.json(value);
        }
    }

    fn hash(&self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = *blake3::hash(&self.0).as_bytes();
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }
}

pub(super) fn node(node: &Node) -> u64 {
    let mut bytes = Bytes::new(11);
    bytes.text(&node.id);
    bytes.text(&node.label);
    bytes.count(node.types.len());
    for ty in &node.types {
        bytes.text(ty);
    }
    bytes.object(&node.data);
    bytes.count(node.observations.len());
    for observation in &node.observations {
        bytes.text(&observation.text);
        bytes.integers([observation.at]);
        bytes.text(&observation.by);
    }
    bytes.maybe(node.position, |bytes, position| bytes.floats(&position));
    bytes.text(&node.creator);
    bytes.integers([node.created, node.modified]);
    bytes.0.extend(node.version.to_le_bytes());
    bytes.0.extend(node.order.to_le_bytes());
    bytes.hash()
}

pub(super) fn edge(edge: &Edge) -> u64 {
    let mut bytes = Bytes::new(12);
    for text in [&edge.id, &edge.source, &edge.target, &edge.ty] {
        bytes.text(text);
    }
    bytes.maybe(edge.label.as_deref(), Bytes::text);
    bytes.object(&edge.data);
    bytes.maybe(edge.weight, |bytes, weight| bytes.floats(&[weight]));
    for time in [edge.valid_from, edge.valid_to] {
        bytes.maybe(time, |bytes, time| bytes.integers([time]));
    }
    bytes.text(&edge.creator);
    bytes.integers([edge.created, edge.modified]);
    bytes.0.extend(edge.order.to_le_bytes());
    bytes.hash()
}

/// Hash of a schema; 0 if nothing is declared.
pub(super) fn schema(schema: &Schema) -> u64 {
    if schema.is_empty() {
        return 0;
    }
    let mut bytes = Bytes::new(13);
    bytes.json(&serde_json::to_value(schema).expect("texts can be written as JSON"));
    bytes.hash()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_as_is_promised() {
        let check = |value: Json, expected: &[u8]| {
            let mut bytes = Bytes(Vec::new());
            bytes.json(&value);
            assert_eq!(bytes.0, expected, "{value}");
        };
        check(json!(null), &[0]);
        check(json!([true, false]), &[7, 2, 0, 0, 0, 2, 1]);
        check(json!(-2), &[3, 254, 255, 255, 255, 255, 255, 255, 255]);
        check(
            json!(u64::MAX),
            &[4, 255, 255, 255, 255, 255, 255, 255, 255],
        );
        check(json!(1e21), &[&[5][..], &1e21_f64.to_le_bytes()].concat());
        let object: Json = serde_json::from_str(r#"{"b": "x", "a": {}}"#).expect("JSON");
        check(
            object,
            &[
                8, 2, 0, 0, 0, 1, 0, 0, 0, b'a', 8, 0, 0, 0, 0, 1, 0, 0, 0, b'b', 6, 1, 0, 0, 0,
                b'x',
            ],
        );
    }
}
