//! A whole knowledge graph, written out to be read by people and other programs, and put back.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::edge::Edge;
use super::error::KnowledgeError;
use super::knowledge::{Knowledge, Used};
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
    #[serde(default, skip_serializing_if = "Used::is_empty")]
    pub used: Used,
}

impl KnowledgeData {
    /// Whether there is nothing, and nothing was ever there.
    pub fn is_empty(&self) -> bool {
        *self == KnowledgeData::default()
    }

    /// The graph that was written out.
    ///
    /// # Errors
    /// Every [`KnowledgeError`] that making it edit by edit could give.
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
        knowledge.keep_used(self.used);
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
    /// The graph, written out; [`KnowledgeData::knowledge`] is the way back.
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
