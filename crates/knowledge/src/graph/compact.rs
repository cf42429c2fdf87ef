//! A whole knowledge graph, written out for machines: small, and quick to read.
//!
//! It is plain data of fixed form, fit for formats that do not describe themselves, such as postcard. Names are indexes
//! into a table, ends of edges into the list of nodes. Who stores it says beside it in which form it is.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::edge::FunctionEnd;
use super::error::KnowledgeError;
use super::knowledge::{Knowledge, Used};
use super::slots::NONE;
use super::view::{EdgeRef, NodeRef};

/// A knowledge graph, written out for machines.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CompactKnowledge {
    pub(super) names: Vec<String>,
    pub(super) used: Used,
    /// As JSON; nothing if nothing is declared.
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
    pub(super) ends: [End; 2],
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

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) enum End {
    /// By its place in the list.
    Node(u32),
    /// A function, and a node in it.
    Function(u32, Option<u32>),
}

impl End {
    /// A function at an end of an edge.
    fn function(id: &str) -> End {
        let end = FunctionEnd::parse(id).expect("what is no node is a function");
        End::Function(end.function, end.node)
    }
}

/// Why what was read is no knowledge graph.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CompactError {
    /// Something is named that is not there.
    #[error("the {0} with the number {1} is named and not there")]
    Missing(&'static str, u32),
    /// The data of something is no JSON object.
    #[error("the data of '{0}' is no JSON object")]
    Data(String),
    /// The schema is none.
    #[error("the schema of the knowledge graph cannot be read")]
    Schema,
    /// Something cannot be there.
    #[error(transparent)]
    Refused(#[from] KnowledgeError),
}

/// The table of names while it is filled.
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
    /// The graph, written out for machines; the same for equal graphs.
    pub fn compact(&self) -> CompactKnowledge {
        let mut table = Table::default();
        // By place here, where each is in the list.
        let mut listed = vec![NONE; self.places() as usize];
        let mut nodes = Vec::with_capacity(self.node_count());
        for (number, node) in (0..).zip(self.sorted_nodes()) {
            listed[node.place() as usize] = number;
            nodes.push(CompactNode::new(node, &mut table));
        }
        let edges = self.sorted_edges().into_iter();
        let edges = edges.map(|edge| {
            let ends = edge.places().map(|place| match listed[place as usize] {
                NONE => End::function(self.vertex(place).id()),
                number => End::Node(number),
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
        let observations = node.observations().iter();
        CompactNode {
            id: node.id().to_owned(),
            label: node.label().to_owned(),
            types: node.types().map(|ty| table.place(ty)).collect(),
            data: node.data().map(str::to_owned),
            observations: observations
                .map(|one| (one.text.clone(), one.at, table.place(&one.by)))
                .collect(),
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
    fn new<'a>(edge: EdgeRef<'a>, ends: [End; 2], table: &mut Table<'a>) -> CompactEdge {
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
