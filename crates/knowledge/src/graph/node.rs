//! Labelled nodes and their observations.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::error::KnowledgeError;
use super::interner::Interner;
use super::knowledge::NUMBER_END;
use super::text::{
    MAX_ID_BYTES, MAX_LABEL_BYTES, MAX_NAME_BYTES, MAX_OBSERVATION_BYTES, check_name, check_text,
    pack_data, unpack_data,
};

/// Maximum number of types of a node.
pub const MAX_NODE_TYPES: usize = 64;
/// Maximum number of observations of a node.
pub const MAX_OBSERVATIONS: usize = 100_000;
/// Maximum bytes of all observations of a node.
pub const MAX_OBSERVATIONS_BYTES: usize = 8 << 20;
/// Prefix of ids of functions and of their nodes and inputs, which no node of the knowledge graph may have.
pub const FUNCTION: &str = "fn:";

/// Something that was noted of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Text of the observation.
    pub text: String,
    /// When: milliseconds since 1970, UTC.
    pub at: i64,
    /// By whom.
    pub by: String,
}

/// A labelled node, written out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "KnowledgeNode")]
pub struct Node {
    /// Id: given, such as "NCBIGene:7157", or generated.
    pub id: String,
    /// Display name.
    pub label: String,
    /// Types; at least one.
    pub types: Vec<String>,
    /// Whatever else is known of it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Json>,
    /// Observations, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observations: Vec<Observation>,
    /// Where it is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 2]>,
    /// Who made it.
    pub creator: String,
    /// When: milliseconds since 1970, UTC.
    pub created: i64,
    /// When it was changed last: milliseconds since 1970, UTC.
    pub modified: i64,
    /// Number of writes, including the first.
    pub version: u32,
    /// Its place among all nodes in the order in which they came.
    pub order: u64,
}

/// Stored form of a node: names by number, data as text.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) id: Box<str>,
    pub(super) label: Box<str>,
    pub(super) types: Box<[u32]>,
    pub(super) data: Option<Box<str>>,
    /// Shared by versions of the node that differ in other fields.
    pub(super) observations: Option<Arc<Vec<Observation>>>,
    pub(super) position: Option<Box<[f64; 2]>>,
    pub(super) creator: u32,
    pub(super) version: u32,
    pub(super) created: i64,
    pub(super) modified: i64,
    pub(super) order: u64,
}

impl Node {
    /// Checks all rules of a node.
    ///
    /// # Errors
    /// [`KnowledgeError`] for the first rule that is violated.
    pub fn check(&self) -> Result<(), KnowledgeError> {
        check_name("the id of a node", &self.id, MAX_ID_BYTES)?;
        if self.id.starts_with(FUNCTION) {
            return Err(KnowledgeError::InvalidText {
                what: "the id of a node",
                problem: format!(
                    "begins with {FUNCTION}, which is reserved for functions; choose another"
                ),
            });
        }
        check_text("the label of a node", &self.label, MAX_LABEL_BYTES)?;
        if self.types.is_empty() {
            return Err(KnowledgeError::NoType {
                id: self.id.clone(),
            });
        }
        if self.types.len() > MAX_NODE_TYPES {
            return Err(KnowledgeError::TooLarge {
                what: "a node",
                size: format!("{} types", self.types.len()),
                most: MAX_NODE_TYPES.to_string(),
                hint: "use edges to other nodes instead",
            });
        }
        for ty in &self.types {
            check_name("a type of a node", ty, MAX_NAME_BYTES)?;
        }
        check_text("the creator of a node", &self.creator, MAX_NAME_BYTES)?;
        check_order(self.order)?;
        check_position(self.position)?;
        pack_data("the data of a node", &self.data)?;
        check_observations(&self.observations)
    }
}

/// Checks that a position is finite.
///
/// # Errors
/// [`KnowledgeError::InvalidNumber`].
pub fn check_position(position: Option<[f64; 2]>) -> Result<(), KnowledgeError> {
    let mut numbers = position.into_iter().flatten();
    numbers.try_for_each(|number| check_number("a position", number))
}

/// Checks that a number is finite.
pub(super) fn check_number(what: &'static str, number: f64) -> Result<(), KnowledgeError> {
    if number.is_finite() {
        return Ok(());
    }
    Err(KnowledgeError::InvalidNumber {
        what,
        number: number.to_string(),
    })
}

/// Checks the bound of an order.
pub(super) fn check_order(order: u64) -> Result<(), KnowledgeError> {
    if order < NUMBER_END - 1 {
        return Ok(());
    }
    Err(KnowledgeError::TooLarge {
        what: "an order",
        size: format!("the index {order}"),
        most: (NUMBER_END - 2).to_string(),
        hint: "indices start at 0",
    })
}

/// Checks number and size of observations.
pub(super) fn check_observations(all: &[Observation]) -> Result<(), KnowledgeError> {
    for one in all {
        check_text("an observation", &one.text, MAX_OBSERVATION_BYTES)?;
        check_text("the author of an observation", &one.by, MAX_NAME_BYTES)?;
    }
    let bytes: usize = all.iter().map(|one| one.text.len()).sum();
    let too_large = |size, most: usize| KnowledgeError::TooLarge {
        what: "a node",
        size,
        most: most.to_string(),
        hint: "split it into several nodes",
    };
    if all.len() > MAX_OBSERVATIONS {
        let size = format!("{} observations", all.len());
        return Err(too_large(size, MAX_OBSERVATIONS));
    }
    if bytes > MAX_OBSERVATIONS_BYTES {
        let size = format!("{bytes} bytes of observations");
        return Err(too_large(size, MAX_OBSERVATIONS_BYTES));
    }
    Ok(())
}

impl Record {
    /// Stores a checked node, with the numbers of its names.
    pub(super) fn new(node: Node, types: Box<[u32]>, creator: u32) -> Record {
        let data = pack_data("the data of a node", &node.data).expect("the node was checked");
        Record {
            id: node.id.into(),
            label: node.label.into(),
            types,
            data,
            observations: (!node.observations.is_empty()).then(|| Arc::new(node.observations)),
            position: node.position.map(Box::new),
            creator,
            version: node.version,
            created: node.created,
            modified: node.modified,
            order: node.order,
        }
    }

    pub(super) fn release(&self, types: &mut Interner, creators: &mut Interner) {
        for &ty in &self.types {
            types.release(ty);
        }
        creators.release(self.creator);
    }

    pub(super) fn observations(&self) -> &[Observation] {
        self.observations.as_ref().map_or(&[], |all| all)
    }

    pub(super) fn node(&self, types: &Interner, creators: &Interner) -> Node {
        let names = self.types.iter().map(|&ty| types.text(ty).to_owned());
        Node {
            id: self.id.clone().into(),
            label: self.label.clone().into(),
            types: names.collect(),
            data: unpack_data(self.data.as_deref()),
            observations: self.observations().to_vec(),
            position: self.position.as_deref().copied(),
            creator: creators.text(self.creator).to_owned(),
            created: self.created,
            modified: self.modified,
            version: self.version,
            order: self.order,
        }
    }
}
