//! Bulk loading of a whole graph in parallel from its compact form.
//!
//! Inserting elements one by one (see `change`) probes growing tables all over memory. Here tables are created at their
//! final size, and the edge lists of nodes are linked before the edges are created.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::{Map, Value as Json};

use super::change::{check_room, number};
use super::compact::{CompactEdge, CompactEnd, CompactError, CompactKnowledge, CompactNode};
use super::edge::{self, Edge, EdgeLink, FunctionEnd, FunctionPart};
use super::error::KnowledgeError;
use super::hash;
use super::hash_index::HashIndex;
use super::knowledge::{Knowledge, UsedNumbers, Vertex, VertexKind};
use super::node::{self, Node, Observation};
use super::schema::Schema;
use super::slot_map::{NONE, SlotMap};
use super::text::{MAX_ID_BYTES, check_name};

/// A name and its numbers as type of nodes, type of edges and creator, where it is one.
struct NameIds {
    text: String,
    node_type: u32,
    edge_type: u32,
    creator: u32,
}

/// Ids of vertices by place, concatenated: they are read in random order, and this keeps them close together.
struct IdTable {
    text: String,
    /// Offset of each id, and the end of the last.
    bounds: Vec<usize>,
}

impl IdTable {
    fn new(vertices: &SlotMap<Vertex>) -> IdTable {
        let (mut text, mut bounds) = (String::new(), vec![0]);
        for (_, vertex) in vertices.iter() {
            text.push_str(vertex.id());
            bounds.push(text.len());
        }
        IdTable { text, bounds }
    }

    fn get(&self, place: u32) -> &str {
        let place = place as usize;
        &self.text[self.bounds[place]..self.bounds[place + 1]]
    }
}

/// Heads of the edge lists of a vertex, by side.
#[derive(Clone, Copy)]
struct ChainHead {
    first: [u32; 2],
    degrees: [u32; 2],
}

impl CompactKnowledge {
    /// Builds the graph.
    ///
    /// # Errors
    /// [`CompactError`] if the data is not valid.
    pub fn knowledge(self) -> Result<Knowledge, CompactError> {
        check_room("nodes", self.nodes.len().saturating_sub(1))?;
        check_room("edges", self.edges.len().saturating_sub(1))?;
        let mut knowledge = Knowledge::default();
        let names = named(&mut knowledge, self.names, &self.nodes, &self.edges)?;
        let count = self.nodes.len();
        let functions = functions(count, &self.edges)?;
        knowledge.functions = functions.len();
        let (chained, tips) = chains(count, &functions, &self.edges)?;

        let (node_tips, function_tips) = tips.split_at(count);
        let nodes = self.nodes.into_par_iter().zip(node_tips);
        let nodes = nodes.map(|(node, tip)| node.vertex(*tip, &names));
        let mut ends: Vec<(FunctionEnd, u32)> = functions.into_iter().collect();
        ends.sort_unstable_by_key(|&(_, place)| place);
        let ends = ends.into_par_iter().zip(function_tips);
        let ends = ends.map(|((end, _), tip)| {
            let what = VertexKind::Function(end.to_string().into());
            Ok(vertex(what, 0, *tip))
        });
        knowledge.vertices = SlotMap::from_par_iter(nodes.chain(ends))?;

        let ids = IdTable::new(&knowledge.vertices);
        let edges = self.edges.into_par_iter().zip(chained);
        let edges = edges.map(|(edge, ends)| edge.record(ends, &ids, &names));
        knowledge.edges = SlotMap::from_par_iter(edges)?;

        knowledge.index(count as u32)?;
        knowledge.sum_up();
        if let Some(text) = self.schema {
            let schema: Schema = serde_json::from_str(&text).map_err(|_| CompactError::Schema)?;
            schema.check()?;
            knowledge.set_schema(schema);
        }
        knowledge.reserve_numbers(self.used);
        Ok(knowledge)
    }
}

/// Interns the names with their numbers of uses.
fn named(
    knowledge: &mut Knowledge,
    names: Vec<String>,
    nodes: &[CompactNode],
    edges: &[CompactEdge],
) -> Result<Vec<NameIds>, CompactError> {
    let mut uses = vec![[0; 3]; names.len()];
    let mut count = |name: u32, as_what: usize| {
        let uses = uses.get_mut(name as usize);
        let uses = uses.ok_or(CompactError::Missing("name", name))?;
        uses[as_what] += 1;
        Ok::<_, CompactError>(())
    };
    for node in nodes {
        node.types.iter().try_for_each(|&ty| count(ty, 0))?;
        count(node.creator, 2)?;
    }
    for edge in edges {
        count(edge.ty, 1)?;
        count(edge.creator, 2)?;
    }
    let names = names.into_iter().zip(uses);
    let names = names.map(|(text, [nodes, edges, both])| NameIds {
        node_type: knowledge.node_types.intern_many(&text, nodes),
        edge_type: knowledge.edge_types.intern_many(&text, edges),
        creator: knowledge.creators.intern_many(&text, both),
        text,
    });
    Ok(names.collect())
}

/// Functions at ends of edges, with their places, which follow those of the nodes.
///
/// # Errors
/// [`CompactError::Refused`] if an input has no name that it may have.
fn functions(
    nodes: usize,
    edges: &[CompactEdge],
) -> Result<BTreeMap<FunctionEnd, u32>, CompactError> {
    let mut functions = BTreeMap::new();
    let ends = edges.iter().flat_map(|edge| &edge.ends);
    for end in ends.filter_map(CompactEnd::function_end) {
        if let FunctionPart::Input(name) = &end.part {
            check_name("the name of an input", name, MAX_ID_BYTES)?;
        }
        let next = (nodes + functions.len()) as u32;
        functions.entry(end).or_insert(next);
    }
    Ok(functions)
}

/// Links the edge lists in the order of insertion one by one, and returns their heads.
fn chains(
    nodes: usize,
    functions: &BTreeMap<FunctionEnd, u32>,
    edges: &[CompactEdge],
) -> Result<(Vec<[EdgeLink; 2]>, Vec<ChainHead>), CompactError> {
    let bare = ChainHead {
        first: [NONE; 2],
        degrees: [0; 2],
    };
    let mut tips = vec![bare; nodes + functions.len()];
    let mut chained = Vec::with_capacity(edges.len());
    for (number, edge) in (0..).zip(edges) {
        let mut ends = [EdgeLink::new(NONE); 2];
        for (side, (end, from)) in ends.iter_mut().zip(&edge.ends).enumerate() {
            end.node = match from {
                CompactEnd::Node(place) if (*place as usize) < nodes => *place,
                CompactEnd::Node(place) => return Err(CompactError::Missing("node", *place)),
                CompactEnd::Function(..) | CompactEnd::Input(..) => {
                    functions[&from.function_end().expect("it is no node")]
                }
            };
            let tip = &mut tips[end.node as usize];
            end.after = std::mem::replace(&mut tip.first[side], number);
            tip.degrees[side] += 1;
        }
        chained.push(ends);
    }
    // In reverse order, the predecessor of an edge is the one seen last.
    let mut seen = vec![[NONE; 2]; tips.len()];
    for (number, ends) in chained.iter_mut().enumerate().rev() {
        for (side, end) in ends.iter_mut().enumerate() {
            let seen = &mut seen[end.node as usize][side];
            end.before = std::mem::replace(seen, number as u32);
        }
    }
    Ok((chained, tips))
}

fn vertex(what: VertexKind, hash: u64, tip: ChainHead) -> Vertex {
    Vertex {
        first: tip.first,
        degrees: tip.degrees,
        ..Vertex::new(what, hash)
    }
}

/// Builds an index of ids; rejects duplicates.
fn index_unique<'a>(
    what: &'static str,
    places: u32,
    read: impl Fn(u32) -> &'a str + Sync,
) -> Result<HashIndex, KnowledgeError> {
    let (index, same) = HashIndex::build(places, &read);
    match same.into_iter().min() {
        None => Ok(index),
        Some([first, _]) => {
            let id = read(first).to_owned();
            Err(KnowledgeError::Twice { what, id })
        }
    }
}

impl Knowledge {
    /// Builds the indexes of all vertices, the first `nodes` of which are nodes, and of all edges.
    fn index(&mut self, nodes: u32) -> Result<(), KnowledgeError> {
        let (vertices, edges) = (&self.vertices, &self.edges);
        self.ids = index_unique("node", vertices.end(), Self::read_id(vertices))?;
        self.edge_ids = index_unique("edge", edges.end(), Self::read_edge_id(edges))?;
        let (labels, same) = HashIndex::build(nodes, Self::read_label(vertices));
        self.labels = labels;
        for [first, place] in same {
            self.link_label_after(place, first);
        }
        Ok(())
    }

    /// Sums up hashes and finds the highest numbers used.
    fn sum_up(&mut self) {
        let (mut hash, mut used) = (0_u64, UsedNumbers::default());
        for (_, vertex) in self.vertices.iter() {
            hash = hash.wrapping_add(vertex.hash);
            if let Some(record) = vertex.record() {
                used.nodes = used.nodes.max(record.order + 1);
                used.node_ids = used.node_ids.max(number(&record.id, 'n').unwrap_or(0));
            }
        }
        for (_, edge) in self.edges.iter() {
            hash = hash.wrapping_add(edge.hash);
            used.edges = used.edges.max(edge.order + 1);
            used.edge_ids = used.edge_ids.max(number(&edge.id, 'e').unwrap_or(0));
        }
        (self.hash, self.used) = (hash, used);
    }
}

impl CompactNode {
    fn vertex(self, tip: ChainHead, names: &[NameIds]) -> Result<Vertex, CompactError> {
        let observations = self.observations.into_iter().map(|(text, at, by)| {
            let name = names.get(by as usize);
            let by = name.ok_or(CompactError::Missing("name", by))?.text.clone();
            Ok(Observation { text, at, by })
        });
        let types = self.types.iter().map(|&ty| &names[ty as usize]);
        let creator = &names[self.creator as usize];
        let node = Node {
            types: types.clone().map(|ty| ty.text.clone()).collect(),
            data: data(&self.id, self.data)?,
            observations: observations.collect::<Result<_, CompactError>>()?,
            creator: creator.text.clone(),
            id: self.id,
            label: self.label,
            position: self.position,
            created: self.created,
            modified: self.modified,
            version: self.version,
            order: self.order,
        };
        node.check()?;
        let hash = hash::node(&node);
        let types = types.map(|ty| ty.node_type).collect();
        let record = node::Record::new(node, types, creator.creator);
        Ok(vertex(VertexKind::Node(Arc::new(record)), hash, tip))
    }
}

impl CompactEdge {
    fn record(
        self,
        ends: [EdgeLink; 2],
        ids: &IdTable,
        names: &[NameIds],
    ) -> Result<edge::Record, CompactError> {
        let [source, target] = ends.map(|end| ids.get(end.node).to_owned());
        let [ty, creator] = [self.ty, self.creator].map(|name| &names[name as usize]);
        let edge = Edge {
            source,
            target,
            ty: ty.text.clone(),
            data: data(&self.id, self.data)?,
            creator: creator.text.clone(),
            id: self.id,
            label: self.label,
            weight: self.weight,
            valid_from: self.valid_from,
            valid_to: self.valid_to,
            created: self.created,
            modified: self.modified,
            order: self.order,
        };
        edge.check()?;
        let hash = hash::edge(&edge);
        let (ty, creator) = (ty.edge_type, creator.creator);
        Ok(edge::Record::new(edge, ends, hash, ty, creator))
    }
}

fn data(id: &str, text: Option<String>) -> Result<Map<String, Json>, CompactError> {
    let Some(text) = text else {
        return Ok(Map::new());
    };
    serde_json::from_str(&text).map_err(|_| CompactError::Data(id.to_owned()))
}
