//! A whole knowledge graph, written out for machines: small, and quick to read.
//!
//! It is plain data of fixed form, fit for formats that do not describe themselves, such as postcard. Names are indexes
//! into a table, ends of edges into the list of nodes. Who stores it says beside it in which form it is.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::edge::{Edge, FunctionEnd};
use super::error::KnowledgeError;
use super::graph::{Knowledge, Used};
use super::node::{Node, Observation};
use super::schema::Schema;
use super::view::{EdgeRef, NodeRef};

/// A knowledge graph, written out for machines.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CompactKnowledge {
    names: Vec<String>,
    used: Used,
    /// As JSON; nothing if nothing is declared.
    schema: Option<String>,
    nodes: Vec<CompactNode>,
    edges: Vec<CompactEdge>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct CompactNode {
    id: String,
    label: String,
    types: Vec<u32>,
    data: Option<String>,
    observations: Vec<(String, i64, u32)>,
    position: Option<[f64; 2]>,
    creator: u32,
    created: i64,
    modified: i64,
    version: u32,
    order: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct CompactEdge {
    id: String,
    ends: [End; 2],
    ty: u32,
    label: Option<String>,
    data: Option<String>,
    weight: Option<f64>,
    valid_from: Option<i64>,
    valid_to: Option<i64>,
    creator: u32,
    created: i64,
    modified: i64,
    order: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum End {
    /// By its place in the list.
    Node(u32),
    /// A function, and a node in it.
    Function(u32, Option<u32>),
}

impl End {
    fn new(id: &str, places: &FxHashMap<&str, u32>) -> End {
        if let Some(&place) = places.get(id) {
            return End::Node(place);
        }
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
        let mut places = FxHashMap::default();
        let mut nodes = Vec::with_capacity(self.node_count());
        for (place, node) in (0..).zip(self.sorted_nodes()) {
            places.insert(node.id(), place);
            nodes.push(CompactNode::new(node, &mut table));
        }
        let edges = self.sorted_edges().into_iter();
        let edges = edges.map(|edge| {
            let ends = [edge.source(), edge.target()];
            let ends = ends.map(|id| End::new(id, &places));
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

impl CompactKnowledge {
    /// The graph.
    ///
    /// # Errors
    /// [`CompactError`] if it is not what was written.
    pub fn knowledge(self) -> Result<Knowledge, CompactError> {
        let name = |place: u32| {
            let name = self.names.get(place as usize).cloned();
            name.ok_or(CompactError::Missing("name", place))
        };
        let mut knowledge = Knowledge::default();
        let mut nodes: Vec<(String, u32)> = Vec::with_capacity(self.nodes.len());
        for node in self.nodes {
            let observations = node.observations.into_iter();
            let observations = observations.map(|(text, at, by)| {
                let by = name(by)?;
                Ok(Observation { text, at, by })
            });
            let types = node.types.into_iter().map(name);
            let node = Node {
                types: types.collect::<Result<_, _>>()?,
                data: data(&node.id, node.data)?,
                observations: observations.collect::<Result<_, CompactError>>()?,
                creator: name(node.creator)?,
                id: node.id,
                label: node.label,
                position: node.position,
                created: node.created,
                modified: node.modified,
                version: node.version,
                order: node.order,
            };
            knowledge.check_node(&node)?;
            let id = node.id.clone();
            nodes.push((id, knowledge.keep(node)));
        }
        for edge in self.edges {
            let mut end = |end: End| match end {
                End::Function(function, node) => {
                    let id = FunctionEnd { function, node }.to_string();
                    let place = knowledge.end(&id);
                    Ok((id, place))
                }
                End::Node(place) => {
                    let node = nodes.get(place as usize).cloned();
                    node.ok_or(CompactError::Missing("node", place))
                }
            };
            let [source, target] = edge.ends;
            let ((source, from), (target, to)) = (end(source)?, end(target)?);
            let edge = Edge {
                source,
                target,
                ty: name(edge.ty)?,
                data: data(&edge.id, edge.data)?,
                creator: name(edge.creator)?,
                id: edge.id,
                label: edge.label,
                weight: edge.weight,
                valid_from: edge.valid_from,
                valid_to: edge.valid_to,
                created: edge.created,
                modified: edge.modified,
                order: edge.order,
            };
            edge.check()?;
            knowledge.join(edge, [from, to]);
        }
        if let Some(text) = self.schema {
            let schema: Schema = serde_json::from_str(&text).map_err(|_| CompactError::Schema)?;
            schema.check()?;
            knowledge.set_schema(schema);
        }
        knowledge.keep_used(self.used);
        Ok(knowledge)
    }
}

fn data(
    id: &str,
    text: Option<String>,
) -> Result<serde_json::Map<String, serde_json::Value>, CompactError> {
    let Some(text) = text else {
        return Ok(serde_json::Map::new());
    };
    serde_json::from_str(&text).map_err(|_| CompactError::Data(id.to_owned()))
}
