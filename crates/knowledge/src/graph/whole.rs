//! A whole graph of what was written out for machines, put together at once and by all threads.
//!
//! One by one (see `change`), each node and edge is looked for in tables that grow, at places far apart in memory. Here
//! tables are made as large as they become, and the edges at each node are chained before they are made.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::{Map, Value as Json};

use super::change::{number, room};
use super::compact::{CompactEdge, CompactError, CompactKnowledge, CompactNode, End};
use super::edge::{self, Chained, Edge, FunctionEnd};
use super::error::KnowledgeError;
use super::hash;
use super::index::Index;
use super::knowledge::{Knowledge, Used, Vertex, What};
use super::node::{self, Node, Observation};
use super::schema::Schema;
use super::slots::{NONE, Slots};

/// A name, and its numbers as a type of nodes, as a type of edges and as a creator, where it is one.
struct Named {
    text: String,
    node_type: u32,
    edge_type: u32,
    creator: u32,
}

/// The ids of vertices by place, in a row: ends of edges are read all over, and these are near each other.
struct Ids {
    text: String,
    /// Where each begins, and where the last one ends.
    bounds: Vec<usize>,
}

impl Ids {
    fn of(vertices: &Slots<Vertex>) -> Ids {
        let (mut text, mut bounds) = (String::new(), vec![0]);
        for (_, vertex) in vertices.iter() {
            text.push_str(vertex.id());
            bounds.push(text.len());
        }
        Ids { text, bounds }
    }

    fn get(&self, place: u32) -> &str {
        let place = place as usize;
        &self.text[self.bounds[place]..self.bounds[place + 1]]
    }
}

/// The edges at a vertex, by the side that is there.
#[derive(Clone, Copy)]
struct Tip {
    first: [u32; 2],
    degrees: [u32; 2],
}

impl CompactKnowledge {
    /// The graph.
    ///
    /// # Errors
    /// [`CompactError`] if it is not what was written.
    pub fn knowledge(self) -> Result<Knowledge, CompactError> {
        room("nodes", self.nodes.len().saturating_sub(1))?;
        room("edges", self.edges.len().saturating_sub(1))?;
        let mut knowledge = Knowledge::default();
        let names = named(&mut knowledge, self.names, &self.nodes, &self.edges)?;
        let count = self.nodes.len();
        let functions = functions(count, &self.edges);
        knowledge.functions = functions.len();
        let (chained, tips) = chains(count, &functions, &self.edges)?;

        let (node_tips, function_tips) = tips.split_at(count);
        let nodes = self.nodes.into_par_iter().zip(node_tips);
        let nodes = nodes.map(|(node, tip)| node.vertex(*tip, &names));
        let mut ends: Vec<(FunctionEnd, u32)> = functions.into_iter().collect();
        ends.sort_unstable_by_key(|&(_, place)| place);
        let ends = ends.into_par_iter().zip(function_tips);
        let ends = ends.map(|((end, _), tip)| {
            let what = What::Function(end.to_string().into());
            Ok(vertex(what, 0, *tip))
        });
        knowledge.vertices = Slots::gather(nodes.chain(ends))?;

        let ids = Ids::of(&knowledge.vertices);
        let edges = self.edges.into_par_iter().zip(chained);
        let edges = edges.map(|(edge, ends)| edge.record(ends, &ids, &names));
        knowledge.edges = Slots::gather(edges)?;

        knowledge.index(count as u32)?;
        knowledge.sum();
        if let Some(text) = self.schema {
            let schema: Schema = serde_json::from_str(&text).map_err(|_| CompactError::Schema)?;
            schema.check()?;
            knowledge.set_schema(schema);
        }
        knowledge.keep_used(self.used);
        Ok(knowledge)
    }
}

/// The names, which are used as often as nodes and edges name them.
fn named(
    knowledge: &mut Knowledge,
    names: Vec<String>,
    nodes: &[CompactNode],
    edges: &[CompactEdge],
) -> Result<Vec<Named>, CompactError> {
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
    let names = names
        .into_iter()
        .zip(uses)
        .map(|(text, [nodes, edges, both])| Named {
            node_type: knowledge.node_types.take_often(&text, nodes),
            edge_type: knowledge.edge_types.take_often(&text, edges),
            creator: knowledge.creators.take_often(&text, both),
            text,
        });
    Ok(names.collect())
}

/// The functions at ends of edges, with their places, which come after those of so many nodes.
fn functions(nodes: usize, edges: &[CompactEdge]) -> BTreeMap<FunctionEnd, u32> {
    let mut functions = BTreeMap::new();
    for end in edges.iter().flat_map(|edge| edge.ends) {
        if let End::Function(function, node) = end {
            let next = (nodes + functions.len()) as u32;
            let end = FunctionEnd { function, node };
            functions.entry(end).or_insert(next);
        }
    }
    functions
}

/// The chains of edges, as they are if edges come one by one, and where those of each vertex begin.
fn chains(
    nodes: usize,
    functions: &BTreeMap<FunctionEnd, u32>,
    edges: &[CompactEdge],
) -> Result<(Vec<[Chained; 2]>, Vec<Tip>), CompactError> {
    let bare = Tip {
        first: [NONE; 2],
        degrees: [0; 2],
    };
    let mut tips = vec![bare; nodes + functions.len()];
    let mut chained = Vec::with_capacity(edges.len());
    for (number, edge) in (0..).zip(edges) {
        let mut ends = [Chained::new(NONE); 2];
        for (side, (end, from)) in ends.iter_mut().zip(edge.ends).enumerate() {
            end.node = match from {
                End::Node(place) if (place as usize) < nodes => place,
                End::Node(place) => return Err(CompactError::Missing("node", place)),
                End::Function(function, node) => functions[&FunctionEnd { function, node }],
            };
            let tip = &mut tips[end.node as usize];
            end.after = std::mem::replace(&mut tip.first[side], number);
            tip.degrees[side] += 1;
        }
        chained.push(ends);
    }
    // Backwards, what comes before an edge is the one that was seen last.
    let mut seen = vec![[NONE; 2]; tips.len()];
    for (number, ends) in chained.iter_mut().enumerate().rev() {
        for (side, end) in ends.iter_mut().enumerate() {
            let seen = &mut seen[end.node as usize][side];
            end.before = std::mem::replace(seen, number as u32);
        }
    }
    Ok((chained, tips))
}

fn vertex(what: What, hash: u64, tip: Tip) -> Vertex {
    Vertex {
        first: tip.first,
        degrees: tip.degrees,
        ..Vertex::new(what, hash)
    }
}

/// The index of ids, none of which is there twice.
fn once<'a>(
    what: &'static str,
    places: u32,
    read: impl Fn(u32) -> &'a str + Sync,
) -> Result<Index, KnowledgeError> {
    let (index, same) = Index::of(places, &read);
    match same.into_iter().min() {
        None => Ok(index),
        Some([first, _]) => {
            let id = read(first).to_owned();
            Err(KnowledgeError::Twice { what, id })
        }
    }
}

impl Knowledge {
    /// Makes the indexes of all vertices, of which so many are nodes, and of all edges.
    fn index(&mut self, nodes: u32) -> Result<(), KnowledgeError> {
        let (vertices, edges) = (&self.vertices, &self.edges);
        self.ids = once("node", vertices.end(), Self::read_id(vertices))?;
        self.edge_ids = once("edge", edges.end(), Self::read_edge_id(edges))?;
        let (labels, same) = Index::of(nodes, Self::read_label(vertices));
        self.labels = labels;
        for [first, place] in same {
            self.label_behind(place, first);
        }
        Ok(())
    }

    /// Adds up hashes, and finds the highest numbers.
    fn sum(&mut self) {
        let (mut hash, mut used) = (0_u64, Used::default());
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
    /// The node, whose names are in the table.
    fn vertex(self, tip: Tip, names: &[Named]) -> Result<Vertex, CompactError> {
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
        Ok(vertex(What::Node(Arc::new(record)), hash, tip))
    }
}

impl CompactEdge {
    /// The edge, whose names are in the table, between ends that have these ids.
    fn record(
        self,
        ends: [Chained; 2],
        ids: &Ids,
        names: &[Named],
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
        Ok(edge::Record::new(
            edge,
            ends,
            hash,
            ty.edge_type,
            creator.creator,
        ))
    }
}

fn data(id: &str, text: Option<String>) -> Result<Map<String, Json>, CompactError> {
    let Some(text) = text else {
        return Ok(Map::new());
    };
    serde_json::from_str(&text).map_err(|_| CompactError::Data(id.to_owned()))
}
