//! Nodes and edges one by one, in any order, as they are found in a text: what is there already becomes more, and edges
//! may come before their ends.

use fibula_core::edit::Origin;
use fibula_knowledge::FunctionEnd;

use super::add::{Added, Asked};
use super::form::{GivenEdge, GivenNode, OnConflict};
use super::stand_in;
use super::writer::{Outcome, Writer};
use crate::Service;
use crate::project::Condition;
use crate::refusal::Refusal;

impl Service {
    /// Puts a node with its id, in the place of what stands for it, or makes it one with the node that has the id.
    ///
    /// # Errors
    /// A [`Refusal`]: it has no id, it is none that can be there, or it is too large.
    pub fn ingest_node(
        &self,
        origin: &Origin,
        project: Option<&str>,
        node: &GivenNode,
    ) -> Result<Added, Refusal> {
        self.ingest(origin, project, |writer| {
            let id = node.id.as_ref().ok_or_else(|| {
                Refusal::new("invalid_arguments", "the node has no id").hint("give it one")
            })?;
            let before = writer.graph().find(id);
            if before.is_some_and(stand_in::is) {
                stand_in::define(writer, id, node.clone())?;
                return Ok((vec![id.clone()], Vec::new(), Outcome::Made));
            }
            let (id, outcome) = writer.add(node.clone(), OnConflict::Merge)?;
            Ok((vec![id], Vec::new(), outcome))
        })
    }

    /// Puts an edge between ids, or makes it one with the edge that says the same. Nodes stand for ends that are not there.
    ///
    /// # Errors
    /// A [`Refusal`]: an end or the edge is none that can be there, or it is too large.
    pub fn ingest_edge(
        &self,
        origin: &Origin,
        project: Option<&str>,
        edge: &GivenEdge,
    ) -> Result<Added, Refusal> {
        self.ingest(origin, project, |writer| {
            let mut stood = Vec::new();
            for end in [&edge.source, &edge.target] {
                let is_there = writer.graph().find(end).is_some();
                if !is_there && FunctionEnd::parse(end).is_none() {
                    stand_in::put(writer, end, end)?;
                    stood.push(end.clone());
                }
            }
            let (id, outcome) = writer.join(edge.clone(), OnConflict::Merge)?;
            Ok((stood, vec![id], outcome))
        })
    }

    fn ingest(
        &self,
        origin: &Origin,
        project: Option<&str>,
        work: impl Fn(&mut Writer<'_>) -> Result<(Vec<String>, Vec<String>, Outcome), Refusal>,
    ) -> Result<Added, Refusal> {
        self.write(
            Asked {
                project,
                condition: Condition::default(),
                origin,
                verb: "add",
                items: 1,
            },
            work,
            |(nodes, edges, outcome), written| {
                let mut added = Added {
                    success: true,
                    nodes,
                    edges,
                    warnings: written.warnings,
                    revision: written.revision,
                    ..Added::default()
                };
                added.counts.count(outcome);
                added
            },
        )
    }
}
