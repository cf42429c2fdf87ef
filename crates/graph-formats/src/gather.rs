//! Nodes and edges as they are found in a file, of whatever format, put together and mended.

use fibula_knowledge::progress::{Cancelled, Progress, Watch};
use fibula_knowledge::{FunctionEnd, Schema};
use rustc_hash::FxHashMap;

use super::error::{FormatError, Place, brief};
use super::given::{Given, GivenEdge, GivenNode, Repair};
use super::{MOST_EDGES, MOST_NODES};

/// The type of nodes of which a file says none.
pub(super) const NODE: &str = "node";
/// The type of nodes that a file only names, at ends of edges.
pub(super) const UNKNOWN: &str = "unknown";
/// The type of nodes that stand for functions, in formats in which each end of an edge has to be listed.
pub(super) const FUNCTION: &str = "function";
/// The type of edges of which a file says none.
const RELATED: &str = "related_to";
/// The most values that are filled in.
pub(super) const MOST_FILLED: usize = 10_000_000;
/// After how many nodes and edges it is asked whether the rest is still wanted.
const STRIDE: usize = 256;

/// A node as it was found.
#[derive(Debug, Default)]
pub(super) struct FoundNode {
    pub(super) id: Option<String>,
    pub(super) label: Option<String>,
    /// The rest; its id and label do not count.
    pub(super) rest: GivenNode,
}

/// An edge as it was found.
#[derive(Debug, Default)]
pub(super) struct FoundEdge {
    pub(super) source: Option<String>,
    pub(super) target: Option<String>,
    pub(super) ty: Option<String>,
    /// The rest; its ends and type do not count.
    pub(super) rest: GivenEdge,
}

/// What was found so far.
pub(super) struct Gathering<'w> {
    given: Given,
    nodes: FxHashMap<Box<str>, usize>,
    edges: FxHashMap<Box<str>, usize>,
    /// The places of nodes without an id.
    nameless: Vec<usize>,
    progress: Progress<'w>,
    /// How many values were filled in where a file gives them once for many.
    pub(super) filled: usize,
    /// How many nodes, and how many edges, the file lists.
    listed: [usize; 2],
    pub(super) most: [usize; 2],
}

impl<'w> Gathering<'w> {
    /// Of a file of so many bytes.
    pub(super) fn new(bytes: usize, watch: &'w Watch<'w>) -> Gathering<'w> {
        Gathering {
            given: Given::default(),
            nodes: FxHashMap::default(),
            edges: FxHashMap::default(),
            nameless: Vec::new(),
            progress: Progress::new(bytes as u64, watch),
            filled: 0,
            listed: [0; 2],
            most: [MOST_NODES, MOST_EDGES],
        }
    }

    /// The place of the node that comes next.
    pub(super) fn node_place(&self) -> Place {
        Place::node(self.listed[0] + 1)
    }

    /// The place of the edge that comes next.
    pub(super) fn edge_place(&self) -> Place {
        Place::edge(self.listed[1] + 1)
    }

    /// Notes that something was not as it should be.
    pub(super) fn repair(
        &mut self,
        what: &'static str,
        place: Place,
        text: impl FnOnce() -> String,
    ) {
        let mut known = self.given.repairs.iter_mut();
        match known.find(|repair| repair.what == what) {
            Some(repair) => repair.count += 1,
            None => self.given.repairs.push(Repair {
                what,
                text: text(),
                count: 1,
                first: place,
            }),
        }
    }

    /// So many bytes more are read.
    pub(super) fn step(&mut self, bytes: usize) -> Result<(), FormatError> {
        self.progress.add(bytes as u64);
        if self.progress.is_ended() {
            return Err(Cancelled.into());
        }
        Ok(())
    }

    /// So many values more are filled in where a file gives them once for many nodes or edges, so that a small file cannot
    /// fill the memory.
    pub(super) fn fill(&mut self, values: usize) -> Result<(), FormatError> {
        self.filled += values;
        if self.filled > MOST_FILLED {
            return Err(FormatError::TooLarge {
                what: "values that are given once for many nodes or edges",
                most: MOST_FILLED,
            });
        }
        Ok(())
    }

    fn count(&mut self, sort: usize) -> Result<(), FormatError> {
        self.listed[sort] += 1;
        if self.listed[sort] > self.most[sort] {
            return Err(FormatError::TooLarge {
                what: ["nodes", "edges"][sort],
                most: self.most[sort],
            });
        }
        if self.listed[sort].is_multiple_of(STRIDE) {
            self.step(0)?;
        }
        Ok(())
    }

    /// The declared types.
    pub(super) fn schema(&mut self, schema: Schema) {
        self.given.schema = Some(schema);
    }

    /// Adds a node. What a second one with its id says is added to the first.
    pub(super) fn node(&mut self, place: Place, found: FoundNode) -> Result<(), FormatError> {
        self.count(0)?;
        let FoundNode { id, label, rest } = found;
        let id = id.filter(|id| !id.is_empty());
        if let Some(id) = &id {
            if FunctionEnd::parse(id).is_some() {
                if rest.types != [FUNCTION] {
                    self.repair("function_node", place, || {
                        format!("'{id}' names a function, which is no node; it was left out")
                    });
                }
                return Ok(());
            }
            if let Some(&earlier) = self.nodes.get(id.as_str()) {
                self.repair("duplicate_id", place, || {
                    let id = brief(id);
                    format!("the node '{id}' is there twice; the later was merged into the earlier")
                });
                merge(&mut self.given.nodes[earlier], label, rest);
                return Ok(());
            }
        }
        let at = self.given.nodes.len();
        if let Some(id) = &id {
            self.nodes.insert(id.as_str().into(), at);
        } else {
            self.repair("missing_id", place, || {
                "a node has no id; one was made up".to_owned()
            });
            self.nameless.push(at);
        }
        // A nameless node is labelled when it has its name.
        let id = id.unwrap_or_default();
        self.given.nodes.push(GivenNode {
            label: label.unwrap_or_else(|| id.clone()),
            id,
            ..rest
        });
        Ok(())
    }

    /// Adds an edge.
    pub(super) fn edge(&mut self, place: Place, found: FoundEdge) -> Result<(), FormatError> {
        self.count(1)?;
        let end = |end: Option<String>, name: &str| {
            end.filter(|end| !end.is_empty()).ok_or_else(|| {
                let problem =
                    format!("the edge has no {name}; an edge joins two nodes by their ids");
                FormatError::invalid(place, problem)
            })
        };
        let source = end(found.source, "source")?;
        let target = end(found.target, "target")?;
        let ty = found.ty.filter(|ty| !ty.is_empty()).unwrap_or_else(|| {
            self.repair("missing_edge_type", place, || {
                format!("an edge has no type; it is of type '{RELATED}'")
            });
            RELATED.to_owned()
        });
        let mut edge = GivenEdge {
            source,
            target,
            ty,
            ..found.rest
        };
        edge.id = edge.id.filter(|id| !id.is_empty());
        if let Some(id) = &edge.id {
            if let Some(&earlier) = self.edges.get(id.as_str()) {
                let id = brief(id);
                let earlier = &mut self.given.edges[earlier];
                let ends = |edge: &GivenEdge| (edge.source.clone(), edge.target.clone());
                if ends(earlier) == ends(&edge) && earlier.ty == edge.ty {
                    merge_edges(earlier, edge);
                    self.repair("duplicate_edge_id", place, || {
                        format!(
                            "the edge '{id}' is there twice; the later was merged into the earlier"
                        )
                    });
                    return Ok(());
                }
                self.repair("reused_edge_id", place, || {
                    format!("two edges have the id '{id}'; the later lost it")
                });
                edge.id = None;
            } else {
                self.edges
                    .insert(id.as_str().into(), self.given.edges.len());
            }
        }
        self.given.edges.push(edge);
        Ok(())
    }

    /// All of it, after the file was read to its end.
    pub(super) fn finish(mut self) -> Result<Given, FormatError> {
        self.name_nodes();
        for at in 0..self.given.nodes.len() {
            if self.given.nodes[at].types.is_empty() {
                self.given.nodes[at].types.push(NODE.to_owned());
                self.repair("missing_type", Place::node(at + 1), || {
                    format!("a node has no type; it is of type '{NODE}'")
                });
            }
        }
        for at in 0..self.given.edges.len() {
            let edge = &self.given.edges[at];
            for end in [edge.source.clone(), edge.target.clone()] {
                self.define(end, Place::edge(at + 1))?;
            }
        }
        self.step(0)?;
        Ok(self.given)
    }

    /// Gives names to nodes that have none: the first that are free.
    fn name_nodes(&mut self) {
        let mut number = 0;
        for at in std::mem::take(&mut self.nameless) {
            let id = loop {
                number += 1;
                let id = format!("n{number}");
                if !self.nodes.contains_key(id.as_str()) {
                    break id;
                }
            };
            self.nodes.insert(id.as_str().into(), at);
            let node = &mut self.given.nodes[at];
            if node.label.is_empty() {
                node.label.clone_from(&id);
            }
            node.id = id;
        }
    }

    /// Adds the node at the end of an edge, if it is none that there is.
    fn define(&mut self, id: String, place: Place) -> Result<(), FormatError> {
        if self.nodes.contains_key(id.as_str()) || FunctionEnd::parse(&id).is_some() {
            return Ok(());
        }
        self.count(0)?;
        self.repair("dangling_end", place, || {
            let id = brief(&id);
            format!("an edge ends at '{id}', which the file does not define; a node of type '{UNKNOWN}' is added unless the graph has it")
        });
        self.nodes
            .insert(id.as_str().into(), self.given.nodes.len());
        self.given.nodes.push(GivenNode {
            label: id.clone(),
            id,
            types: vec![UNKNOWN.to_owned()],
            is_end_only: true,
            ..GivenNode::default()
        });
        Ok(())
    }
}

/// Adds what a second node with the same id says.
fn merge(node: &mut GivenNode, label: Option<String>, later: GivenNode) {
    if let Some(label) = label
        && node.label == node.id
    {
        node.label = label;
    }
    for ty in later.types {
        if !node.types.contains(&ty) {
            node.types.push(ty);
        }
    }
    for (key, value) in later.data {
        node.data.entry(key).or_insert(value);
    }
    for observation in later.observations {
        if !node.observations.contains(&observation) {
            node.observations.push(observation);
        }
    }
    node.position = node.position.or(later.position);
    node.creator = node.creator.take().or(later.creator);
    node.created = node.created.or(later.created);
    node.modified = node.modified.or(later.modified);
    node.version = node.version.or(later.version);
    node.order = node.order.or(later.order);
}

/// Adds what a second edge with the same id, ends and type says.
fn merge_edges(edge: &mut GivenEdge, later: GivenEdge) {
    for (key, value) in later.data {
        edge.data.entry(key).or_insert(value);
    }
    edge.label = edge.label.take().or(later.label);
    edge.weight = edge.weight.or(later.weight);
    edge.valid_from = edge.valid_from.or(later.valid_from);
    edge.valid_to = edge.valid_to.or(later.valid_to);
    edge.creator = edge.creator.take().or(later.creator);
    edge.created = edge.created.or(later.created);
    edge.modified = edge.modified.or(later.modified);
    edge.order = edge.order.or(later.order);
}
