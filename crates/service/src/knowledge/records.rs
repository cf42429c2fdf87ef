//! Nodes and edges in requests and answers.

use fibula_core::graph::Document;
use fibula_knowledge::{EdgeRef, NodeRef, Observation};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::node_lookup;
use super::timestamp::Timestamp;
use crate::schema_types::{ObjectForm, OneOrMany};

json_structs! {
    /// A node to add.
    pub request(Default) struct GivenNode {
        /// Such as "NCBIGene:7157"; generated if left out.
        pub id: Option<String>,
        /// Name for people.
        pub label: String,
        /// Type: "gene", or a list.
        #[serde(alias = "type", deserialize_with = "one_or_many")]
        #[schemars(with = "OneOrMany<String>")]
        pub types: Vec<String>,
        /// Data of any kind.
        #[schemars(with = "Option<ObjectForm>")]
        pub data: Map<String, Json> = default,
        /// Observations, in order.
        #[schemars(with = "Option<Vec<String>>")]
        pub observations: Vec<GivenObservation> = default,
        /// [x, y]
        #[schemars(with = "Option<Vec<f64>>")]
        pub position: Option<[f64; 2]>,
        /// Default: your client's name.
        pub creator: Option<String>,
    }

    /// An edge to add.
    pub request(Default) struct GivenEdge {
        /// Generated if left out.
        pub id: Option<String>,
        /// A node's id or label, or "fn:3", "fn:3/7", "fn:3#wall": a function, its node, parameter.
        pub source: String,
        /// Likewise.
        pub target: String,
        /// Relation of source to target: "treats".
        #[serde(rename = "type")]
        pub ty: String,
        /// Name for people.
        pub label: Option<String>,
        /// Data of any kind.
        #[schemars(with = "Option<ObjectForm>")]
        pub data: Map<String, Json> = default,
        /// Length or strength.
        pub weight: Option<f64>,
        /// Start of validity: "2024-05-01".
        pub valid_from: Option<Timestamp>,
        /// End of validity.
        pub valid_to: Option<Timestamp>,
        /// Default: your client's name.
        pub creator: Option<String>,
    }

    /// A node, in brief.
    pub answer(PartialEq) struct NodeBrief {
        pub id: String,
        pub label: String,
        pub types: Vec<String>,
        pub creator: String,
        pub created: Timestamp,
    }

    /// A whole node.
    pub answer(PartialEq) struct NodeShown {
        #[serde(flatten)]
        pub brief: NodeBrief,
        #[serde(skip_serializing_if = "Map::is_empty")]
        pub data: Map<String, Json>,
        pub observations: Vec<ObservationShown> = [],
        /// Number of observations, if not all are listed.
        pub observation_count: Option<usize>,
        pub position: Option<[f64; 2]>,
        pub modified: Timestamp,
        pub version: u32,
    }

    /// An observation.
    pub answer(PartialEq) struct ObservationShown {
        pub text: String,
        pub at: Timestamp,
        pub by: String,
    }

    /// An edge.
    pub answer(PartialEq) struct EdgeShown {
        pub id: String,
        pub source: String,
        pub target: String,
        #[serde(rename = "type")]
        pub ty: String,
        pub label: Option<String>,
        #[serde(skip_serializing_if = "Map::is_empty")]
        pub data: Map<String, Json>,
        pub weight: Option<f64>,
        pub valid_from: Option<Timestamp>,
        pub valid_to: Option<Timestamp>,
        pub creator: String,
        pub created: Timestamp,
        /// True if an end is a function or its node and no longer exists.
        pub dangling: Option<bool>,
    }

    /// An edge as seen from one of its ends.
    pub answer(PartialEq) struct LinkShown {
        pub edge: String,
        #[serde(rename = "type")]
        pub ty: String,
        /// Label of the edge.
        pub edge_label: Option<String>,
        /// The other end.
        pub id: String,
        /// Its label; of a function, its node or its input its name.
        pub label: Option<String>,
        /// True if the other end is a function or its node and no longer exists.
        pub dangling: Option<bool>,
    }
}

/// An observation: its text, or an object with time and author.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum GivenObservation {
    /// The text, with the current time and the caller.
    Text(String),
    /// Observation with time and author.
    Whole {
        /// The text.
        text: String,
        /// Time.
        at: Option<Timestamp>,
        /// Author.
        by: Option<String>,
    },
}

/// Handling of a node whose id exists, or of an edge whose source, type and target exist.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnConflict {
    /// keeps the existing one
    #[default]
    Skip,
    /// merges both
    Merge,
    /// replaces it
    Replace,
    /// fails
    Error,
    /// adds a parallel edge
    Add,
}

impl GivenObservation {
    /// Completes an observation with its time and author.
    pub(super) fn noted(self, at: i64, by: &str) -> Observation {
        match self {
            GivenObservation::Text(text) => Observation {
                text,
                at,
                by: by.to_owned(),
            },
            GivenObservation::Whole {
                text,
                at: said,
                by: other,
            } => Observation {
                text,
                at: said.map_or(at, |Timestamp(at)| at),
                by: other.unwrap_or_else(|| by.to_owned()),
            },
        }
    }
}

impl NodeBrief {
    pub(super) fn of(node: NodeRef<'_>) -> NodeBrief {
        NodeBrief {
            id: node.id().to_owned(),
            label: node.label().to_owned(),
            types: node.types().map(str::to_owned).collect(),
            creator: node.creator().to_owned(),
            created: Timestamp(node.created()),
        }
    }
}

impl NodeShown {
    /// A node with its last observations: at most this many, with at most `bytes` bytes.
    pub(super) fn of(node: NodeRef<'_>, most_observations: usize, bytes: usize) -> NodeShown {
        let all = node.observations();
        let mut left = bytes;
        let last = all.iter().rev().take(most_observations);
        let fits = last.take_while(|one| {
            let is_first = left == bytes;
            left = left.saturating_sub(one.text.len());
            is_first || left > 0
        });
        let shown = &all[all.len() - fits.count()..];
        let notes = shown.iter().map(|one| ObservationShown {
            text: brief(&one.text, bytes),
            at: Timestamp(one.at),
            by: one.by.clone(),
        });
        NodeShown {
            brief: NodeBrief::of(node),
            data: node.data_map(),
            observations: notes.collect(),
            observation_count: (all.len() > shown.len()).then_some(all.len()),
            position: node.position(),
            modified: Timestamp(node.modified()),
            version: node.version(),
        }
    }
}

/// A text, or its beginning and length.
fn brief(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end));
    format!(
        "{}… ({} bytes in all)",
        &text[..end.unwrap_or(0)],
        text.len()
    )
}

impl EdgeShown {
    pub(super) fn of(document: &Document, edge: EdgeRef<'_>) -> EdgeShown {
        let [valid_from, valid_to] = edge.validity().map(|time| time.map(Timestamp));
        EdgeShown {
            id: edge.id().to_owned(),
            source: edge.source().to_owned(),
            target: edge.target().to_owned(),
            ty: edge.ty().to_owned(),
            label: edge.label().map(str::to_owned),
            data: edge.data_map(),
            weight: edge.weight(),
            valid_from,
            valid_to,
            creator: edge.creator().to_owned(),
            created: Timestamp(edge.created()),
            dangling: node_lookup::has_dangling_end(document, edge),
        }
    }
}

impl LinkShown {
    /// An edge as seen from its other end.
    pub(super) fn of(document: &Document, edge: EdgeRef<'_>, other: &str) -> LinkShown {
        LinkShown {
            edge: edge.id().to_owned(),
            ty: edge.ty().to_owned(),
            edge_label: edge.label().map(str::to_owned),
            id: other.to_owned(),
            label: node_lookup::label(document, other),
            dangling: node_lookup::is_dangling(document, other),
        }
    }
}

/// Parses a list, or a single item as a list.
fn one_or_many<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a text or a list of texts")]
    enum ObservationRepr {
        One(String),
        Many(Vec<String>),
    }
    Ok(match ObservationRepr::deserialize(from)? {
        ObservationRepr::One(one) => vec![one],
        ObservationRepr::Many(many) => many,
    })
}
