//! Readable serialisation of a whole knowledge graph.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::edge::Edge;
use super::error::KnowledgeError;
use super::knowledge::{Knowledge, UsedNumbers};
use super::node::Node;
use super::schema::Schema;
use super::view::{EdgeRef, NodeRef};

/// A knowledge graph, written out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Knowledge")]
pub struct KnowledgeData {
    /// The nodes, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<Node>,
    /// The edges, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<Edge>,
    /// The declared types.
    #[serde(default, skip_serializing_if = "Schema::is_empty")]
    pub schema: Schema,
    /// The numbers that were ever given.
    #[serde(default, skip_serializing_if = "UsedNumbers::is_empty")]
    pub used: UsedNumbers,
}

impl KnowledgeData {
    /// True if the graph is empty and always was.
    pub fn is_empty(&self) -> bool {
        *self == KnowledgeData::default()
    }

    /// Builds the graph.
    ///
    /// # Errors
    /// Every [`KnowledgeError`] that inserting the elements one by one could return.
    pub fn knowledge(&self) -> Result<Knowledge, KnowledgeError> {
        let mut knowledge = Knowledge::default();
        check_once("node", self.nodes.iter().map(|node| &*node.id))?;
        check_once("edge", self.edges.iter().map(|edge| &*edge.id))?;
        for node in &self.nodes {
            knowledge.check_node(node)?;
            knowledge.put_node(node.clone());
        }
        for edge in &self.edges {
            knowledge.check_edge(edge)?;
            knowledge.put_edge(edge.clone());
        }
        self.schema.check()?;
        knowledge.set_schema(self.schema.clone());
        knowledge.reserve_numbers(self.used);
        Ok(knowledge)
    }
}

fn check_once<'a>(
    what: &'static str,
    ids: impl Iterator<Item = &'a str>,
) -> Result<(), KnowledgeError> {
    let mut seen = BTreeSet::new();
    for id in ids {
        if !seen.insert(id) {
            let id = id.to_owned();
            return Err(KnowledgeError::Twice { what, id });
        }
    }
    Ok(())
}

impl Knowledge {
    /// Returns the serialisable form; the inverse of [`KnowledgeData::knowledge`].
    pub fn data(&self) -> KnowledgeData {
        let (nodes, edges) = (self.sorted_nodes(), self.sorted_edges());
        KnowledgeData {
            nodes: nodes.iter().map(NodeRef::written).collect(),
            edges: edges.iter().map(EdgeRef::written).collect(),
            schema: self.schema().clone(),
            used: self.used,
        }
    }
}
