//! Builder of graphs: merges and repairs the nodes and edges that a reader finds in a file, of any format.

use std::borrow::Cow;

use fibula_knowledge::progress::{Progress, Watch};
use fibula_knowledge::{FunctionEnd, Schema, id_of_name, visible_name, visible_text};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json};

pub(super) use super::error::ElementKind;
use super::error::{FileLocation, FormatError, brief};
use super::imported::{ImportedEdge, ImportedGraph, ImportedNode, Repair};
use super::{MAX_EDGES, MAX_NODES};

/// Type of nodes without a type.
pub const NODE: &str = "node";
/// Type of nodes that a file only names, at ends of edges.
pub(super) const UNKNOWN: &str = "unknown";
/// Type of nodes that represent functions, in formats in which each end of an edge has to be listed.
pub(super) const FUNCTION: &str = "function";
/// Type of edges without a type.
pub const RELATED: &str = "related_to";
/// Maximum number of values that are copied to many nodes or edges.
const MAX_FILLED: usize = 10_000_000;
/// Number of such values that every file may have, with [`FILLED_PER_BYTE`] more for each of its bytes.
const MIN_FILLED: usize = 1_000_000;
/// Number of such values for each byte of a file.
const FILLED_PER_BYTE: usize = 4;
/// Number of values that take as much memory as an edge.
const EDGE_VALUES: usize = 8;
/// Number of nodes or edges between checks for cancellation.
const STRIDE: usize = 256;

/// Replaces the characters that a kind of texts may not have.
type VisibleFn = for<'a> fn(&'a str) -> Cow<'a, str>;

/// Fields of a node or an edge, by name.
pub(super) type Fields = Map<String, Json>;

/// A node as found in a file, before repairs.
#[derive(Debug, Default)]
pub(super) struct RawNode {
    pub(super) id: Option<String>,
    pub(super) label: Option<String>,
    /// All other fields; its id and label are ignored.
    pub(super) rest: ImportedNode,
}

/// An edge as found in a file, before repairs.
#[derive(Debug, Default)]
pub(super) struct RawEdge {
    pub(super) source: Option<String>,
    pub(super) target: Option<String>,
    pub(super) ty: Option<String>,
    /// All other fields; its ends and type are ignored.
    pub(super) rest: ImportedEdge,
}

/// Graph that was read so far.
pub(super) struct GraphBuilder<'w> {
    graph: ImportedGraph,
    nodes: FxHashMap<Box<str>, usize>,
    edges: FxHashMap<Box<str>, usize>,
    /// Indices of nodes without an id.
    nameless: Vec<usize>,
    progress: Progress<'w>,
    /// Number of values that may still be copied to many nodes or edges, and their maximum.
    pub(super) unfilled: usize,
    most_filled: usize,
    /// Numbers of nodes and of edges that the file lists.
    listed: [usize; 2],
    /// Maximum numbers of nodes and of edges.
    pub(super) limits: [usize; 2],
}

impl<'w> GraphBuilder<'w> {
    /// Creates a builder for a file with a number of bytes.
    pub(super) fn new(bytes: usize, watch: &'w Watch<'w>) -> GraphBuilder<'w> {
        let most_filled = bytes
            .saturating_mul(FILLED_PER_BYTE)
            .saturating_add(MIN_FILLED)
            .min(MAX_FILLED);
        GraphBuilder {
            graph: ImportedGraph::default(),
            nodes: FxHashMap::default(),
            edges: FxHashMap::default(),
            nameless: Vec::new(),
            progress: Progress::new(bytes as u64, watch),
            unfilled: most_filled,
            most_filled,
            listed: [0; 2],
            limits: [MAX_NODES, MAX_EDGES],
        }
    }

    /// Location of the next node or edge.
    pub(super) fn next_location(&self, kind: ElementKind) -> FileLocation {
        FileLocation::element(kind, self.listed[kind as usize] + 1)
    }

    /// Records a repair.
    pub(super) fn repair(
        &mut self,
        what: &'static str,
        location: FileLocation,
        text: impl FnOnce() -> String,
    ) {
        let mut known = self.graph.repairs.iter_mut();
        match known.find(|repair| repair.what == what) {
            Some(repair) => repair.count += 1,
            None => self.graph.repairs.push(Repair {
                what,
                text: text(),
                count: 1,
                first: location,
            }),
        }
    }

    /// Advances the progress by a number of bytes.
    pub(super) fn step(&mut self, bytes: usize) -> Result<(), FormatError> {
        Ok(self.progress.advance(bytes as u64)?)
    }

    /// Counts values that a file gives once for many nodes or edges, so that a small file cannot exhaust the memory.
    pub(super) fn fill(&mut self, values: usize) -> Result<(), FormatError> {
        match self.unfilled.checked_sub(values) {
            Some(left) => self.unfilled = left,
            None => {
                return Err(FormatError::too_large(
                    "values that several nodes or edges share",
                    self.most_filled,
                ));
            }
        }
        Ok(())
    }

    /// Counts the edges of a statement from each of some nodes to each of others, which share so many values.
    pub(super) fn fill_edges(
        &mut self,
        sources: usize,
        targets: usize,
        values: usize,
    ) -> Result<(), FormatError> {
        let count = sources.saturating_mul(targets);
        // The edge of a statement with one is as long as its text.
        let own = if count > 1 { EDGE_VALUES } else { 0 };
        self.fill(count.saturating_mul(values + own))
    }

    /// Checks a number of nodes or edges against the limit.
    pub(super) fn check_count(&self, kind: ElementKind, count: usize) -> Result<(), FormatError> {
        let most = self.limits[kind as usize];
        if count > most {
            let what = ["nodes", "edges"][kind as usize];
            return Err(FormatError::too_large(what, most));
        }
        Ok(())
    }

    fn count(&mut self, kind: ElementKind) -> Result<(), FormatError> {
        let listed = &mut self.listed[kind as usize];
        *listed += 1;
        let listed = *listed;
        self.check_count(kind, listed)?;
        if listed.is_multiple_of(STRIDE) {
            self.step(0)?;
        }
        Ok(())
    }

    /// Sets the declared types.
    pub(super) fn set_schema(&mut self, schema: Schema) {
        self.graph.schema = Some(schema);
    }

    /// Parses the declared types.
    pub(super) fn parse_schema(&mut self, value: Json) -> Result<(), FormatError> {
        let schema = serde_json::from_value(value).map_err(|error| {
            FormatError::invalid(FileLocation::File, format!("the schema: {error}"))
        })?;
        self.set_schema(schema);
        Ok(())
    }

    /// Takes the declared types from the attributes of the whole graph, and records the others as left out.
    pub(super) fn graph_attributes(&mut self, mut attributes: Fields) -> Result<(), FormatError> {
        attributes.remove("name");
        if let Some(schema) = attributes.remove("schema") {
            self.parse_schema(schema)?;
        }
        attributes.keys().for_each(|name| self.note_left_out(name));
        Ok(())
    }

    /// Records that an attribute of the whole graph has no counterpart.
    pub(super) fn note_left_out(&mut self, name: &str) {
        self.repair("graph_attribute", FileLocation::File, || {
            let name = brief(name);
            format!("'{name}' is an attribute of the whole graph; it was skipped")
        });
    }

    /// Records that edges of a file have no direction.
    pub(super) fn note_undirected(&mut self, location: FileLocation) {
        self.repair("undirected", location, || {
            "edges are undirected; each was read as directed from its first end to its second"
                .to_owned()
        });
    }

    /// Records that a file has several graphs.
    pub(super) fn note_nested_graph(&mut self, location: FileLocation) {
        self.repair("nested_graph", location, || {
            "the file has several graphs; they were merged into one".to_owned()
        });
    }

    /// Adds a node, or merges it into an earlier one with its id.
    pub(super) fn node(
        &mut self,
        location: FileLocation,
        found: RawNode,
    ) -> Result<(), FormatError> {
        self.count(ElementKind::Node)?;
        let RawNode {
            id,
            label,
            mut rest,
        } = found;
        let id = id.filter(|id| !id.is_empty());
        let label = label.or_else(|| id.clone());
        let id = id.map(|id| self.valid_id(id, location));
        let label = label.map(|label| self.visible(label, location, visible_text));
        self.make_visible(&mut rest, location);
        if let Some(id) = &id {
            if FunctionEnd::parse(id).is_some() {
                if rest.types != [FUNCTION] {
                    self.repair("function_node", location, || {
                        format!("'{id}' is a function, not a node; it was skipped")
                    });
                }
                return Ok(());
            }
            if let Some(&earlier) = self.nodes.get(id.as_str()) {
                self.repair("duplicate_id", location, || {
                    let id = brief(id);
                    format!("duplicate node '{id}'; the later was merged into the earlier")
                });
                merge(&mut self.graph.nodes[earlier], label, rest);
                return Ok(());
            }
        }
        let at = self.graph.nodes.len();
        if let Some(id) = &id {
            self.nodes.insert(id.as_str().into(), at);
        } else {
            self.repair("missing_id", location, || {
                "a node has no id; one was generated".to_owned()
            });
            self.nameless.push(at);
        }
        self.graph.nodes.push(ImportedNode {
            // The default label of a node without an id is set with its id.
            label: label.unwrap_or_default(),
            is_id_generated: id.is_none(),
            id: id.unwrap_or_default(),
            ..rest
        });
        Ok(())
    }

    /// Adds an edge.
    pub(super) fn edge(
        &mut self,
        location: FileLocation,
        found: RawEdge,
    ) -> Result<(), FormatError> {
        self.count(ElementKind::Edge)?;
        let end = |end: Option<String>, name: &str| {
            end.filter(|end| !end.is_empty()).ok_or_else(|| {
                let problem = format!("the edge has no {name}; an edge needs the ids of two nodes");
                FormatError::invalid(location, problem)
            })
        };
        let source = end(found.source, "source")?;
        let target = end(found.target, "target")?;
        let [source, target] = [source, target].map(|end| self.valid_id(end, location));
        let ty = found.ty.filter(|ty| !ty.is_empty()).unwrap_or_else(|| {
            self.repair("missing_edge_type", location, || {
                format!("an edge has no type; it was read as '{RELATED}'")
            });
            RELATED.to_owned()
        });
        let ty = self.visible(ty, location, visible_name);
        let mut edge = ImportedEdge {
            source,
            target,
            ty,
            ..found.rest
        };
        edge.id = edge.id.filter(|id| !id.is_empty());
        edge.id = edge.id.map(|id| self.valid_id(id, location));
        for (text, rule) in [
            (&mut edge.label, visible_text as VisibleFn),
            (&mut edge.creator, visible_text),
        ] {
            *text = text.take().map(|text| self.visible(text, location, rule));
        }
        if let Some(id) = &edge.id {
            if let Some(&earlier) = self.edges.get(id.as_str()) {
                let id = brief(id);
                let earlier = &mut self.graph.edges[earlier];
                let ends = |edge: &ImportedEdge| (edge.source.clone(), edge.target.clone());
                if ends(earlier) == ends(&edge) && earlier.ty == edge.ty {
                    merge_edges(earlier, edge);
                    self.repair("duplicate_edge_id", location, || {
                        format!("duplicate edge '{id}'; the later was merged into the earlier")
                    });
                    return Ok(());
                }
                self.repair("reused_edge_id", location, || {
                    format!("duplicate edge id '{id}'; it was removed from the later edge")
                });
                edge.id = None;
            } else {
                self.edges
                    .insert(id.as_str().into(), self.graph.edges.len());
            }
        }
        self.graph.edges.push(edge);
        Ok(())
    }

    /// Marks the id of the last node as generated: the file has none of it.
    pub(super) fn mark_generated(&mut self) {
        if let Some(node) = self.graph.nodes.last_mut() {
            node.is_id_generated = true;
        }
    }

    /// Makes a name an id: with visible characters only, and not too long.
    fn valid_id(&mut self, name: String, location: FileLocation) -> String {
        let id = id_of_name(&name);
        if id == name {
            return name;
        }
        self.repair("invalid_id", location, || {
            let (name, id) = (brief(&name), brief(&id));
            format!("'{name}' is too long for an id, or has invisible characters; the id is '{id}'")
        });
        id.into_owned()
    }

    /// Replaces characters that a text may not have.
    fn visible(&mut self, text: String, location: FileLocation, rule: VisibleFn) -> String {
        let visible = rule(&text);
        if visible == text {
            return text;
        }
        self.repair("control_character", location, || {
            let shown = brief(&visible);
            format!("a text has control characters; they were replaced by symbols: '{shown}'")
        });
        visible.into_owned()
    }

    /// Replaces characters that the texts of a node may not have.
    fn make_visible(&mut self, node: &mut ImportedNode, location: FileLocation) {
        let types = node
            .types
            .iter_mut()
            .map(|ty| (ty, visible_name as VisibleFn));
        let creator = node
            .creator
            .iter_mut()
            .map(|by| (by, visible_text as VisibleFn));
        let observations = node.observations.iter_mut().flat_map(|one| {
            let by = one.by.as_mut();
            std::iter::once(&mut one.text)
                .chain(by)
                .map(|text| (text, visible_text as VisibleFn))
        });
        for (text, rule) in types.chain(creator).chain(observations) {
            *text = self.visible(std::mem::take(text), location, rule);
        }
    }

    /// Completes the graph, at the end of the file.
    pub(super) fn finish(mut self) -> Result<ImportedGraph, FormatError> {
        self.name_nodes();
        for at in 0..self.graph.nodes.len() {
            if self.graph.nodes[at].types.is_empty() {
                self.graph.nodes[at].types.push(NODE.to_owned());
                self.repair(
                    "missing_type",
                    FileLocation::element(ElementKind::Node, at + 1),
                    || format!("a node has no type; it was read as '{NODE}'"),
                );
            }
        }
        for at in 0..self.graph.edges.len() {
            let edge = &self.graph.edges[at];
            for end in [edge.source.clone(), edge.target.clone()] {
                self.define(end, FileLocation::element(ElementKind::Edge, at + 1))?;
            }
        }
        self.step(0)?;
        Ok(self.graph)
    }

    /// Gives nodes without an id the first free names.
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
            let node = &mut self.graph.nodes[at];
            if node.label.is_empty() {
                node.label.clone_from(&id);
            }
            node.id = id;
        }
    }

    /// Adds the node at the end of an edge, if it does not exist.
    fn define(&mut self, id: String, location: FileLocation) -> Result<(), FormatError> {
        if self.nodes.contains_key(id.as_str()) || FunctionEnd::parse(&id).is_some() {
            return Ok(());
        }
        self.count(ElementKind::Node)?;
        self.repair("dangling_end", location, || {
            let id = brief(&id);
            format!("an edge ends at '{id}', which the file does not define; a node of type '{UNKNOWN}' is added unless the graph has it")
        });
        self.nodes
            .insert(id.as_str().into(), self.graph.nodes.len());
        self.graph.nodes.push(ImportedNode {
            label: id.clone(),
            id,
            types: vec![UNKNOWN.to_owned()],
            is_end_only: true,
            ..ImportedNode::default()
        });
        Ok(())
    }
}

/// Merges a second node with the same id.
fn merge(node: &mut ImportedNode, label: Option<String>, later: ImportedNode) {
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

/// Merges a second edge with the same id, ends and type.
fn merge_edges(edge: &mut ImportedEdge, later: ImportedEdge) {
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
