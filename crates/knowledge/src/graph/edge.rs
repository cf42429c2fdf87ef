//! Typed edges between nodes, or between a node and a function.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::error::KnowledgeError;
use super::interner::Interner;
use super::node::{FUNCTION, check_number, check_order};
use super::slot_map::NONE;
use super::text::{
    MAX_ID_BYTES, MAX_LABEL_BYTES, MAX_NAME_BYTES, check_name, check_text, pack_data, unpack_data,
};

/// A typed edge, written out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "KnowledgeEdge")]
pub struct Edge {
    /// Id: given, or generated.
    pub id: String,
    /// Where it begins: the id of a node, or a function, one of its nodes or inputs as "fn:3", "fn:3/7", "fn:3#radius".
    pub source: String,
    /// Where it ends, in the same way.
    pub target: String,
    /// Type of the relation from source to target.
    #[serde(rename = "type")]
    pub ty: String,
    /// Display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Whatever else is known of it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Json>,
    /// Weight: a length or a strength.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// From when it holds: milliseconds since 1970, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<i64>,
    /// Until when it holds: milliseconds since 1970, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<i64>,
    /// Who made it.
    pub creator: String,
    /// When: milliseconds since 1970, UTC.
    pub created: i64,
    /// When it was changed last: milliseconds since 1970, UTC.
    pub modified: i64,
    /// Its place among all edges in the order in which they came.
    pub order: u64,
}

/// A function, one of its nodes or one of its inputs, at an end of an edge.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FunctionEnd {
    /// Id of the function.
    pub function: u32,
    /// What of it.
    pub part: FunctionPart,
}

/// What of a function an edge is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum FunctionPart {
    /// The function itself.
    Whole,
    /// The node of this id.
    Node(u32),
    /// The input of this name.
    Input(Box<str>),
}

impl FunctionEnd {
    /// Parses "fn:3", "fn:3/7" or "fn:3#radius"; `None` for anything else, such as "fn:03".
    pub fn parse(text: &str) -> Option<FunctionEnd> {
        let rest = text.strip_prefix(FUNCTION)?;
        let (function, part) = match rest.split_once(['/', '#']) {
            Some((function, name)) if rest[function.len()..].starts_with('#') => {
                check_name("the name of an input", name, MAX_ID_BYTES).ok()?;
                (function, FunctionPart::Input(name.into()))
            }
            Some((function, node)) => (function, FunctionPart::Node(node.parse().ok()?)),
            None => (rest, FunctionPart::Whole),
        };
        let function = function.parse().ok()?;
        let end = FunctionEnd { function, part };
        (end.to_string() == text).then_some(end)
    }

    /// Returns the id of the node that it is.
    pub fn node(&self) -> Option<u32> {
        match self.part {
            FunctionPart::Node(node) => Some(node),
            FunctionPart::Whole | FunctionPart::Input(_) => None,
        }
    }

    /// True for the function itself.
    pub fn is_whole(&self) -> bool {
        self.part == FunctionPart::Whole
    }
}

impl fmt::Display for FunctionEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{FUNCTION}{}", self.function)?;
        match &self.part {
            FunctionPart::Whole => Ok(()),
            FunctionPart::Node(node) => write!(f, "/{node}"),
            FunctionPart::Input(name) => write!(f, "#{name}"),
        }
    }
}

/// Fields that most edges lack.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct OptionalFields {
    pub(super) label: Option<Box<str>>,
    pub(super) data: Option<Box<str>>,
    pub(super) weight: Option<f64>,
    pub(super) valid_from: Option<i64>,
    pub(super) valid_to: Option<i64>,
}

/// Links of an edge in the doubly linked list of the edges at one of its ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct EdgeLink {
    /// The vertex at this end.
    pub(super) node: u32,
    pub(super) before: u32,
    pub(super) after: u32,
}

impl EdgeLink {
    /// Creates the links of an edge that is in no list yet.
    pub(super) fn new(node: u32) -> EdgeLink {
        EdgeLink {
            node,
            before: NONE,
            after: NONE,
        }
    }
}

/// Stored form of an edge.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) id: Box<str>,
    /// Source and target.
    pub(super) ends: [EdgeLink; 2],
    pub(super) ty: u32,
    pub(super) creator: u32,
    pub(super) created: i64,
    pub(super) modified: i64,
    pub(super) order: u64,
    pub(super) hash: u64,
    pub(super) extra: Option<Arc<OptionalFields>>,
}

impl Edge {
    /// Checks everything but the existence of its ends.
    ///
    /// # Errors
    /// [`KnowledgeError`] for the first rule that is violated.
    pub fn check(&self) -> Result<(), KnowledgeError> {
        check_name("the id of an edge", &self.id, MAX_ID_BYTES)?;
        check_name("the type of an edge", &self.ty, MAX_NAME_BYTES)?;
        if let Some(label) = &self.label {
            check_text("the label of an edge", label, MAX_LABEL_BYTES)?;
        }
        check_text("the creator of an edge", &self.creator, MAX_NAME_BYTES)?;
        check_order(self.order)?;
        if let Some(weight) = self.weight {
            check_number("a weight", weight)?;
        }
        if let (Some(from), Some(to)) = (self.valid_from, self.valid_to)
            && to < from
        {
            return Err(KnowledgeError::NoTime {
                id: self.id.clone(),
            });
        }
        pack_data("the data of an edge", &self.data).map(drop)
    }
}

impl Record {
    /// Stores a checked edge, with its hash and the numbers of its names.
    pub(super) fn new(edge: Edge, ends: [EdgeLink; 2], hash: u64, ty: u32, creator: u32) -> Record {
        let extra = OptionalFields {
            label: edge.label.map(Into::into),
            data: pack_data("the data of an edge", &edge.data).expect("the edge was checked"),
            weight: edge.weight,
            valid_from: edge.valid_from,
            valid_to: edge.valid_to,
        };
        Record {
            id: edge.id.into(),
            ends,
            ty,
            creator,
            created: edge.created,
            modified: edge.modified,
            order: edge.order,
            hash,
            extra: (extra != OptionalFields::default()).then(|| Arc::new(extra)),
        }
    }

    pub(super) fn release(&self, types: &mut Interner, creators: &mut Interner) {
        types.release(self.ty);
        creators.release(self.creator);
    }

    /// Returns the edge, with the ids of its ends.
    pub(super) fn edge(&self, ends: [&str; 2], types: &Interner, creators: &Interner) -> Edge {
        let extra = self.extra.as_deref();
        let [source, target] = ends.map(str::to_owned);
        Edge {
            id: self.id.clone().into(),
            source,
            target,
            ty: types.text(self.ty).to_owned(),
            label: extra.and_then(|extra| extra.label.clone()).map(Into::into),
            data: unpack_data(extra.and_then(|extra| extra.data.as_deref())),
            weight: extra.and_then(|extra| extra.weight),
            valid_from: extra.and_then(|extra| extra.valid_from),
            valid_to: extra.and_then(|extra| extra.valid_to),
            creator: creators.text(self.creator).to_owned(),
            created: self.created,
            modified: self.modified,
            order: self.order,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_at_ends_are_written_in_one_way() {
        let input = |name: &str| FunctionPart::Input(name.into());
        for (text, function, part) in [
            ("fn:3", 3, FunctionPart::Whole),
            ("fn:3/7", 3, FunctionPart::Node(7)),
            ("fn:0/0", 0, FunctionPart::Node(0)),
            ("fn:3#wall", 3, input("wall")),
            ("fn:3#7/1 #", 3, input("7/1 #")),
        ] {
            let end = FunctionEnd { function, part };
            assert_eq!(end.to_string(), text);
            assert_eq!(FunctionEnd::parse(text), Some(end));
        }
        let others =
            " 3 fn: fn:x fn:3/ fn:3# fn:03 fn:03#a fn:3/7/1 fn:3/7#a fn:+3 fn:4294967296 FN:3";
        for text in others.split(' ') {
            assert_eq!(FunctionEnd::parse(text), None, "{text}");
        }
    }
}
