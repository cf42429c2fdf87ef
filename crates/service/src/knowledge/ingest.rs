//! Streaming ingestion of nodes and edges in any order: existing ones are merged, and edges may precede their ends.

use fibula_core::edit::Origin;
use fibula_knowledge::FunctionEnd;

use super::add::{AddResult, KnowledgeChange};
use super::placeholder;
use super::records::{GivenEdge, GivenNode, OnConflict};
use super::writer::{Outcome, Writer};
use crate::project::change::CommitOptions;
use crate::refusal::{Refusal, Result};
use crate::service::Service;

impl Service {
    /// Inserts a node with its id, replacing a placeholder or merging with the existing node. An empty label is that of
    /// the existing node, or else the id.
    ///
    /// # Errors
    /// A [`Refusal`] if it has no id, or is invalid or too large.
    pub fn ingest_node(
        &self,
        origin: &Origin,
        project: Option<&str>,
        node: &GivenNode,
    ) -> Result<AddResult> {
        self.ingest(origin, project, |writer| {
            let id = node.id.as_ref().ok_or_else(|| {
                Refusal::new("invalid_arguments", "the node has no id").hint("pass an id")
            })?;
            let before = writer.graph().find(id);
            let is_placeholder = before.is_some_and(placeholder::is_placeholder);
            let mut node = node.clone();
            if node.label.is_empty() {
                let label = before.map_or(id.as_str(), |before| before.label());
                label.clone_into(&mut node.label);
            }
            if is_placeholder {
                placeholder::define(writer, id, node)?;
                return Ok((vec![id.clone()], Vec::new(), Outcome::Made));
            }
            let (id, outcome) = writer.add(node, OnConflict::Merge)?;
            Ok((vec![id], Vec::new(), outcome))
        })
    }

    /// Inserts an edge between ids, or merges it with an equal one. Unknown ends become placeholders.
    ///
    /// # Errors
    /// A [`Refusal`] if an end or the edge is invalid or too large.
    pub fn ingest_edge(
        &self,
        origin: &Origin,
        project: Option<&str>,
        edge: &GivenEdge,
    ) -> Result<AddResult> {
        self.ingest(origin, project, |writer| {
            let mut stood = Vec::new();
            for end in [&edge.source, &edge.target] {
                let is_there = writer.graph().find(end).is_some();
                if !is_there && FunctionEnd::parse(end).is_none() {
                    placeholder::create(writer, end, end)?;
                    stood.push(end.clone());
                }
            }
            let (id, outcome) = writer.add_edge(edge.clone(), OnConflict::Merge)?;
            Ok((stood, vec![id], outcome))
        })
    }

    fn ingest(
        &self,
        origin: &Origin,
        project: Option<&str>,
        work: impl Fn(&mut Writer<'_>) -> Result<(Vec<String>, Vec<String>, Outcome)>,
    ) -> Result<AddResult> {
        self.write(
            KnowledgeChange::new(origin, project, CommitOptions::default(), "add", 1),
            work,
            |(nodes, edges, outcome), written| {
                let mut added = AddResult {
                    success: true,
                    nodes,
                    edges,
                    warnings: written.warnings,
                    revision: written.revision,
                    ..AddResult::default()
                };
                added.counts.count(outcome);
                added
            },
        )
    }
}
