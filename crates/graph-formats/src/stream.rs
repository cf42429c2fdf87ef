//! JSON documents whose long lists are read item by item, so that no tree of the whole is built.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;

use super::error::{FormatError, Place};
use super::fields::Fields;

/// What stands under a key of a document.
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

/// A format of documents.
pub(super) trait Document {
    /// What stands under a key.
    fn part(&mut self, key: &str) -> Part;
    /// Takes an item of a list.
    fn item(&mut self, part: Part, item: Fields) -> Result<(), FormatError>;
    /// Takes what stands under a key of the outermost object and is no list.
    fn other(&mut self, key: String, value: Json) -> Result<(), FormatError>;
    /// Where the reader is in a list, for messages.
    fn place(&self, part: Part) -> Place;
}

/// Reads a document. A list without an object around it is one of nodes and edges.
pub(super) fn read(text: &str, document: &mut dyn Document) -> Result<(), FormatError> {
    let mut failed = None;
    let mut json = serde_json::Deserializer::from_str(text);
    let level = Level {
        document,
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
struct Level<'a, 'd> {
    document: &'a mut (dyn Document + 'd),
    /// Why reading ended, which is told in our words and not in those of the JSON reader.
    failed: &'a mut Option<FormatError>,
    part: Part,
    is_outermost: bool,
}

impl Level<'_, '_> {
    fn ended<E: serde::de::Error>(&mut self, done: Result<(), FormatError>) -> Result<(), E> {
        done.map_err(|error| {
            *self.failed = Some(error);
            E::custom("the reading ended")
        })
    }
}

impl<'de> DeserializeSeed<'de> for Level<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.part {
            Part::Nodes | Part::Edges | Part::Both => deserializer.deserialize_seq(self),
            Part::Inside | Part::Other => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Level<'_, '_> {
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
                Json::Object(fields) => self.document.item(part, fields),
                other => Err(FormatError::invalid(
                    self.document.place(part),
                    format!(
                        "{} is here, where an object with the fields of a node or an edge is to be",
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
                    let done = self.document.other(key, value);
                    self.ended::<A::Error>(done)?;
                } else {
                    keys.next_value::<IgnoredAny>()?;
                }
                continue;
            }
            keys.next_value_seed(Level {
                document: &mut *self.document,
                failed: &mut *self.failed,
                part,
                is_outermost: false,
            })?;
        }
        Ok(())
    }
}
