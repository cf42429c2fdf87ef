//! Streaming reader of JSON documents: long lists are read item by item, so that no tree of the whole document is built. And
//! the sequences that writers stream.

use std::fmt;
use std::io::Write;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};

use super::builder::{ElementKind, Fields, GraphBuilder};
use super::error::{FormatError, WriteError};
use super::graph::{Graph, WriteReport};

/// Value of a key of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// A list of nodes.
    Nodes,
    /// A list of edges.
    Edges,
    /// A list of both.
    Both,
    /// An object with lists in it, or a list of both.
    Inside,
    /// Something else.
    Other,
}

impl Part {
    /// Kind of the items of a list, if they are of one kind.
    pub(super) fn kind(self) -> Option<ElementKind> {
        match self {
            Part::Nodes => Some(ElementKind::Node),
            Part::Edges => Some(ElementKind::Edge),
            Part::Both | Part::Inside | Part::Other => None,
        }
    }
}

/// A format of documents.
pub(super) trait Document {
    /// Kind of the value of a key.
    fn part(&mut self, key: &str) -> Part;
    /// Reads an item of a list.
    fn item(
        &mut self,
        part: Part,
        item: Fields,
        to: &mut GraphBuilder<'_>,
    ) -> Result<(), FormatError>;
    /// Reads the value of a key of the outermost object that is no list.
    fn other(
        &mut self,
        key: String,
        value: Json,
        to: &mut GraphBuilder<'_>,
    ) -> Result<(), FormatError>;
}

/// Reads a document. A list at the top level is one of nodes and edges.
pub(super) fn read(
    text: &str,
    document: &mut dyn Document,
    to: &mut GraphBuilder<'_>,
) -> Result<(), FormatError> {
    let mut failed = None;
    let mut json = serde_json::Deserializer::from_str(text);
    let level = Level {
        document,
        to,
        failed: &mut failed,
        part: Part::Inside,
        is_outermost: true,
    };
    let read = level.deserialize(&mut json).and_then(|()| json.end());
    match (failed, read) {
        (Some(failed), _) => Err(failed),
        (None, Err(error)) => Err(FormatError::json(&error, None)),
        (None, Ok(())) => Ok(()),
    }
}

/// An object or a list of a document.
struct Level<'a, 'd, 'w> {
    document: &'a mut (dyn Document + 'd),
    to: &'a mut GraphBuilder<'w>,
    /// Error that ended the reading, whose message replaces that of the JSON reader.
    failed: &'a mut Option<FormatError>,
    part: Part,
    is_outermost: bool,
}

impl Level<'_, '_, '_> {
    fn ended<E: serde::de::Error>(&mut self, done: Result<(), FormatError>) -> Result<(), E> {
        done.map_err(|error| {
            *self.failed = Some(error);
            E::custom("the reader was stopped")
        })
    }
}

impl<'de> DeserializeSeed<'de> for Level<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.part {
            Part::Nodes | Part::Edges | Part::Both => deserializer.deserialize_seq(self),
            Part::Inside | Part::Other => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Level<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.part {
            Part::Nodes => "a list of nodes",
            Part::Edges => "a list of edges",
            Part::Both => "a list of nodes and edges",
            Part::Inside | Part::Other => "an object or a list with nodes and edges",
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        let part = match self.part {
            Part::Inside | Part::Other => Part::Both,
            part @ (Part::Nodes | Part::Edges | Part::Both) => part,
        };
        while let Some(item) = items.next_element::<Json>()? {
            let done = match item {
                Json::Object(fields) => self.document.item(part, fields, self.to),
                other => Err(FormatError::invalid(
                    self.to
                        .next_location(part.kind().unwrap_or(ElementKind::Node)),
                    format!(
                        "expected an object with the fields of a node or an edge, but found {}",
                        super::error::brief(&other.to_string())
                    ),
                )),
            };
            self.ended::<A::Error>(done)?;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut keys: A) -> Result<(), A::Error> {
        while let Some(key) = keys.next_key::<String>()? {
            let part = self.document.part(&key);
            if part == Part::Other || (part == Part::Inside && !self.is_outermost) {
                if self.is_outermost {
                    let value = keys.next_value()?;
                    let done = self.document.other(key, value, self.to);
                    self.ended::<A::Error>(done)?;
                } else {
                    keys.next_value::<IgnoredAny>()?;
                }
                continue;
            }
            keys.next_value_seed(Level {
                document: &mut *self.document,
                to: &mut *self.to,
                failed: &mut *self.failed,
                part,
                is_outermost: false,
            })?;
        }
        Ok(())
    }
}

/// A sequence that is serialised item by item, of the iterator that a function returns.
pub(super) struct Sequence<F>(pub(super) F);

impl<F: Fn() -> I, I: IntoIterator<Item: Serialize>> Serialize for Sequence<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Writes a document, and a new line after it.
pub(super) fn write(
    document: &impl Serialize,
    out: &mut dyn Write,
) -> Result<WriteReport, WriteError> {
    serde_json::to_writer(&mut *out, document)?;
    out.write_all(b"\n")?;
    Ok(WriteReport::default())
}

/// Attributes of a whole graph: its name, and its declared types if there are any.
pub(super) fn graph_attributes(graph: &Graph<'_>) -> Result<Json, WriteError> {
    let mut attributes = json!({ "name": graph.title });
    if !graph.schema.is_empty() {
        attributes["schema"] = serde_json::to_value(graph.schema)?;
    }
    Ok(attributes)
}
