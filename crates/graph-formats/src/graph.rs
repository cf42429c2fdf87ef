//! Graphs to be written, and the omissions of a format.

use std::collections::BTreeMap;

use fibula_knowledge::{EdgeRef, Knowledge, NodeRef, Schema};

/// A graph, or a part of one, to be written.
#[derive(Debug, Clone, Copy)]
pub struct Graph<'a> {
    /// Nodes, in the order of the file.
    pub nodes: &'a [NodeRef<'a>],
    /// Edges, in the order of the file. If one ends at a node that is not written, the reader of the file has to repair it.
    pub edges: &'a [EdgeRef<'a>],
    /// Declared types.
    pub schema: &'a Schema,
    /// Title, for formats that have one.
    pub title: &'a str,
}

/// Report of writing a graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WriteReport {
    /// Omissions of the format, by name; none if the file is complete.
    pub left_out: Vec<Omission>,
}

/// Kind of information that a format cannot represent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Omission {
    /// Name of the information: "observations".
    pub what: &'static str,
    /// Number of items.
    pub count: usize,
}

/// Functions at ends of edges, each once, sorted.
pub(super) fn functions<'a>(graph: &Graph<'a>) -> Vec<&'a str> {
    let ends = graph.edges.iter();
    let ends = ends.flat_map(|edge| [edge.source(), edge.target()]);
    let is_function = |id: &&str| fibula_knowledge::FunctionEnd::parse(id).is_some();
    let mut ends: Vec<&str> = ends.filter(is_function).collect();
    ends.sort_unstable();
    ends.dedup();
    ends
}

/// Counter of omissions.
#[derive(Debug, Default)]
pub(super) struct Omissions {
    counts: BTreeMap<&'static str, usize>,
}

impl Omissions {
    /// Adds a number of omitted items.
    pub(super) fn add(&mut self, what: &'static str, count: usize) {
        if count > 0 {
            *self.counts.entry(what).or_default() += count;
        }
    }

    /// Adds the declared types.
    pub(super) fn add_schema(&mut self, schema: &Schema) {
        let declared = schema.node_types.len() + schema.edge_types.len();
        let is_strict = schema.strict != fibula_knowledge::Strictness::default();
        self.add("declared types", declared);
        self.add("strictness of the schema", usize::from(is_strict));
        self.add("groups of synonyms of the schema", schema.synonyms.len());
    }

    pub(super) fn finish(self) -> WriteReport {
        let left = |(what, count)| Omission { what, count };
        WriteReport {
            left_out: self.counts.into_iter().map(left).collect(),
        }
    }
}

impl<'a> Graph<'a> {
    /// A whole knowledge graph, given its sorted nodes and edges.
    pub fn new(
        knowledge: &'a Knowledge,
        nodes: &'a [NodeRef<'a>],
        edges: &'a [EdgeRef<'a>],
        title: &'a str,
    ) -> Graph<'a> {
        Graph {
            nodes,
            edges,
            schema: knowledge.schema(),
            title,
        }
    }
}
