//! Compact, binary-friendly serialisation of a whole knowledge graph.
//!
//! Plain data of fixed structure, for formats that are not self-describing, such as postcard. Names are indexes into a
//! table, ends of edges indexes into the list of nodes. The version of the structure is stored by the caller.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::edge::{FunctionEnd, FunctionPart};
use super::error::KnowledgeError;
use super::knowledge::{Knowledge, UsedNumbers};
use super::slot_map::NONE;
use super::view::{EdgeRef, NodeRef};

/// A serialisable knowledge graph.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CompactKnowledge {
    pub(super) names: Vec<String>,
    pub(super) used: UsedNumbers,
    /// As JSON; `None` if nothing is declared.
    pub(super) schema: Option<String>,
    pub(super) nodes: Vec<CompactNode>,
    pub(super) edges: Vec<CompactEdge>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct CompactNode {
    pub(super) id: String,
    pub(super) label: String,
    pub(super) types: Vec<u32>,
    pub(super) data: Option<String>,
    pub(super) observations: Vec<(String, i64, u32)>,
    pub(super) position: Option<[f64; 2]>,
    pub(super) creator: u32,
    pub(super) created: i64,
    pub(super) modified: i64,
    pub(super) version: u32,
    pub(super) order: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct CompactEdge {
    pub(super) id: String,
    pub(super) ends: [CompactEnd; 2],
    pub(super) ty: u32,
    pub(super) label: Option<String>,
    pub(super) data: Option<String>,
    pub(super) weight: Option<f64>,
    pub(super) valid_from: Option<i64>,
    pub(super) valid_to: Option<i64>,
    pub(super) creator: u32,
    pub(super) created: i64,
    pub(super) modified: i64,
    pub(super) order: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum CompactEnd {
    /// Index into the list of nodes.
    Node(u32),
    /// Ids of a function and of a node in it.
    Function(u32, Option<u32>),
    /// Id of a function and name of an input of it.
    Input(u32, String),
}

impl CompactEnd {
    /// Converts the id of a function.
    fn function(id: &str) -> CompactEnd {
        let FunctionEnd { function, part } =
            FunctionEnd::parse(id).expect("what is no node is a function");
        match part {
            FunctionPart::Whole => CompactEnd::Function(function, None),
            FunctionPart::Node(node) => CompactEnd::Function(function, Some(node)),
            FunctionPart::Input(name) => CompactEnd::Input(function, name.into()),
        }
    }

    /// The function that it is; `None` for a node.
    pub(super) fn function_end(&self) -> Option<FunctionEnd> {
        let (function, part) = match self {
            CompactEnd::Node(_) => return None,
            CompactEnd::Function(function, None) => (*function, FunctionPart::Whole),
            CompactEnd::Function(function, Some(node)) => (*function, FunctionPart::Node(*node)),
            CompactEnd::Input(function, name) => {
                (*function, FunctionPart::Input(name.as_str().into()))
            }
        };
        Some(FunctionEnd { function, part })
    }
}

/// Error of a [`CompactKnowledge`] that is not valid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompactError {
    /// An index is out of range.
    #[error("the {0} with number {1} is referenced but missing")]
    Missing(&'static str, u32),
    /// The data of an element is not a JSON object.
    #[error("the data of '{0}' is not a JSON object")]
    Data(String),
    /// The schema is not valid JSON.
    #[error("the schema of the knowledge graph cannot be parsed")]
    Schema,
    /// An element violates a rule of the graph.
    #[error(transparent)]
    Refused(#[from] KnowledgeError),
}

/// Table of names under construction.
#[derive(Default)]
struct Table<'a> {
    names: Vec<String>,
    places: FxHashMap<&'a str, u32>,
}

impl<'a> Table<'a> {
    fn place(&mut self, name: &'a str) -> u32 {
        *self.places.entry(name).or_insert_with(|| {
            self.names.push(name.to_owned());
            self.names.len() as u32 - 1
        })
    }
}

impl Knowledge {
    /// Returns the serialisable form; the same for equal graphs.
    pub fn compact(&self) -> CompactKnowledge {
        let mut table = Table::default();
        // Index into the list of nodes, by place.
        let mut listed = vec![NONE; self.places() as usize];
        let mut nodes = Vec::with_capacity(self.node_count());
        for (number, node) in (0..).zip(self.sorted_nodes()) {
            listed[node.place() as usize] = number;
            nodes.push(CompactNode::new(node, &mut table));
        }
        let edges = self.sorted_edges().into_iter();
        let edges = edges.map(|edge| {
            let ends = edge.places().map(|place| match listed[place as usize] {
                NONE => CompactEnd::function(self.vertex(place).id()),
                number => CompactEnd::Node(number),
            });
            CompactEdge::new(edge, ends, &mut table)
        });
        let edges = edges.collect();
        CompactKnowledge {
            names: table.names,
            used: self.used,
            schema: self.schema().written(),
            nodes,
            edges,
        }
    }
}

impl CompactNode {
    fn new<'a>(node: NodeRef<'a>, table: &mut Table<'a>) -> CompactNode {
        let types = node.types().map(|ty| table.place(ty)).collect();
        let observations = node.observations().iter();
        let observations = observations.map(|one| (one.text.clone(), one.at, table.place(&one.by)));
        CompactNode {
            id: node.id().to_owned(),
            label: node.label().to_owned(),
            types,
            data: node.data().map(str::to_owned),
            observations: observations.collect(),
            position: node.position(),
            creator: table.place(node.creator()),
            created: node.created(),
            modified: node.modified(),
            version: node.version(),
            order: node.order(),
        }
    }
}

impl CompactEdge {
    fn new<'a>(edge: EdgeRef<'a>, ends: [CompactEnd; 2], table: &mut Table<'a>) -> CompactEdge {
        let [valid_from, valid_to] = edge.validity();
        CompactEdge {
            id: edge.id().to_owned(),
            ends,
            ty: table.place(edge.ty()),
            label: edge.label().map(str::to_owned),
            data: edge.data().map(str::to_owned),
            weight: edge.weight(),
            valid_from,
            valid_to,
            creator: table.place(edge.creator()),
            created: edge.created(),
            modified: edge.modified(),
            order: edge.order(),
        }
    }
}
