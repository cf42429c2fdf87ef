//! A graph that is to be written, and what a format has no place for.

use std::collections::BTreeMap;

use fibula_knowledge::{EdgeRef, Knowledge, NodeRef, Schema};

/// What is to be written: a graph, or a part of one.
#[derive(Debug, Clone, Copy)]
pub struct Graph<'a> {
    /// The nodes, in the order in which they are written.
    pub nodes: &'a [NodeRef<'a>],
    /// The edges, in the order in which they are written. Those that end at nodes that are left out are for the reader to
    /// mend.
    pub edges: &'a [EdgeRef<'a>],
    /// The declared types.
    pub schema: &'a Schema,
    /// What the whole is called, where a format has a place for that.
    pub title: &'a str,
}

/// What became of a graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// What the format has no place for, by name; nothing if the file says everything.
    pub left_out: Vec<Left>,
}

/// Facts that a format has no place for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Which facts: "observations".
    pub what: &'static str,
    /// How many of them there are.
    pub count: usize,
}

/// The functions at ends of edges, each once, in order.
pub(super) fn functions<'a>(graph: &Graph<'a>) -> Vec<&'a str> {
    let ends = graph.edges.iter();
    let ends = ends.flat_map(|edge| [edge.source(), edge.target()]);
    let is_function = |id: &&str| fibula_knowledge::FunctionEnd::parse(id).is_some();
    let mut ends: Vec<&str> = ends.filter(is_function).collect();
    ends.sort_unstable();
    ends.dedup();
    ends
}

/// Counts what is left out.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    counts: BTreeMap<&'static str, usize>,
}

impl LeftOut {
    /// So many facts of a sort are not written.
    pub(super) fn add(&mut self, what: &'static str, count: usize) {
        if count > 0 {
            *self.counts.entry(what).or_default() += count;
        }
    }

    /// The declared types are not written.
    pub(super) fn add_schema(&mut self, schema: &Schema) {
        let declared = schema.node_types.len() + schema.edge_types.len();
        let is_strict = schema.strict != fibula_knowledge::Strictness::default();
        self.add("declared types", declared);
        self.add("strictness of the schema", usize::from(is_strict));
    }

    pub(super) fn finish(self) -> Written {
        let left = |(what, count)| Left { what, count };
        Written {
            left_out: self.counts.into_iter().map(left).collect(),
        }
    }
}

impl<'a> Graph<'a> {
    /// Everything in a knowledge graph, whose sorted nodes and edges these are.
    pub fn of(
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
