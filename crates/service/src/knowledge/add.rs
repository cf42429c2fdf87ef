//! Adding nodes and edges, atomically per call.

use fibula_core::edit::{Origin, State};
use fibula_core::graph::Document;
use schemars::JsonSchema;
use serde::Serialize;

use super::records::{GivenEdge, GivenNode, OnConflict};
use super::writer::{Outcome, Writer};
use crate::project::change::{CommitOptions, Committed, PendingEdit};
use crate::refusal::{Refusal, Result};
use crate::service::Service;

/// Number of items that take a few milliseconds at most.
pub(super) const QUICK: usize = 200;
/// Maximum number of items listed in an answer.
pub(super) const MOST_LISTED: usize = 200;

json_structs! {
    /// Nodes to add, and edges to or between them.
    pub request(Default) struct AddNodes {
        project,
        /// Each {label, types}, also observations (texts), data, id, creator, position.
        pub nodes: Vec<GivenNode>,
        /// As in add_edges.
        #[schemars(with = "Option<Vec<crate::schema_types::ObjectForm>>")]
        pub edges: Vec<GivenEdge> = default,
        /// Handling of existing items.
        pub on_conflict: OnConflict = default,
        expected_revision,
        dry_run,
    }

    /// Edges to add.
    pub request(Default) struct AddEdges {
        project,
        /// Each {source, target, type}, also label, data, weight, valid_from, valid_to, id, creator. Ends: a node's id or
        /// label, or "fn:3", "fn:3/7", "fn:3#wall": a function, its node, its parameter.
        pub edges: Vec<GivenEdge>,
        /// Handling of existing items.
        pub on_conflict: OnConflict = default,
        expected_revision,
        dry_run,
    }

    /// Result of adding nodes and edges.
    #[schemars(rename = "Added")]
    pub answer(Default) struct AddResult {
        pub success: bool,
        /// The ids in the order of the request; the first 200.
        pub nodes: Vec<String> = [],
        pub edges: Vec<String> = [],
        #[serde(flatten)]
        pub counts: Counts,
        pub warnings: Vec<String> = [],
        pub revision: u64,
        pub dry_run: Option<bool>,
    }
}

/// Numbers of nodes and edges by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Number created.
    pub made: usize,
    /// Number merged with existing ones.
    #[serde(skip_serializing_if = "is_zero")]
    pub merged: usize,
    /// Number that replaced existing ones.
    #[serde(skip_serializing_if = "is_zero")]
    pub replaced: usize,
    /// Number skipped because they exist.
    #[serde(skip_serializing_if = "is_zero")]
    pub skipped: usize,
}

impl Counts {
    pub(super) fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Made => self.made += 1,
            Outcome::Merged => self.merged += 1,
            Outcome::Replaced => self.replaced += 1,
            Outcome::Skipped => self.skipped += 1,
        }
    }
}

impl AddNodes {
    /// True if it takes a few milliseconds at most.
    pub fn is_quick(&self) -> bool {
        self.nodes.len() + self.edges.len() <= QUICK
    }
}

impl AddEdges {
    /// True if it takes a few milliseconds at most.
    pub fn is_quick(&self) -> bool {
        self.edges.len() <= QUICK
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
pub(super) fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Service {
    /// Adds nodes, and edges that may refer to them by id or label.
    ///
    /// # Errors
    /// A [`Refusal`] that names the item, if an end does not exist or is ambiguous, an id exists and conflicts, the
    /// schema forbids it, or something is too large. Nothing is added then.
    pub fn add_nodes(&self, origin: &Origin, request: AddNodes) -> Result<AddResult> {
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let (project, nodes, edges) = (request.project, request.nodes, request.edges);
        let (project, items) = (project.as_deref(), (&*nodes, &*edges));
        self.add(project, condition, origin, items, request.on_conflict)
    }

    /// Adds edges.
    ///
    /// # Errors
    /// As [`Service::add_nodes`].
    pub fn add_edges(&self, origin: &Origin, request: &AddEdges) -> Result<AddResult> {
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let (project, items) = (request.project.as_deref(), (&[][..], &*request.edges));
        self.add(project, condition, origin, items, request.on_conflict)
    }

    fn add(
        &self,
        project: Option<&str>,
        condition: CommitOptions,
        origin: &Origin,
        (nodes, edges): (&[GivenNode], &[GivenEdge]),
        on_conflict: OnConflict,
    ) -> Result<AddResult> {
        if nodes.is_empty() && edges.is_empty() {
            return Err(Refusal::new("invalid_arguments", "there is nothing to add")
                .hint(r#"give nodes such as {"label": "TP53", "types": "gene"}, or edges such as {"source": "TP53", "target": "MDM2", "type": "inhibits"}"#));
        }
        self.write(
            KnowledgeChange::new(origin, project, condition, "add", nodes.len() + edges.len()),
            |writer| {
                let mut added = AddResult::default();
                for (place, node) in nodes.iter().enumerate() {
                    let (id, outcome) = writer
                        .add(node.clone(), on_conflict)
                        .map_err(|refusal| with_index("nodes", place, refusal))?;
                    added.counts.count(outcome);
                    if place < MOST_LISTED {
                        added.nodes.push(id);
                    }
                }
                for (place, edge) in edges.iter().enumerate() {
                    let (id, outcome) = writer
                        .add_edge(edge.clone(), on_conflict)
                        .map_err(|refusal| with_index("edges", place, refusal))?;
                    added.counts.count(outcome);
                    if place < MOST_LISTED {
                        added.edges.push(id);
                    }
                }
                Ok(added)
            },
            |mut added, written| {
                added.success = true;
                added.warnings = written.warnings;
                (added.revision, added.dry_run) = (written.revision, written.dry_run);
                added
            },
        )
    }

    /// Changes the knowledge graph of a project as one step: `work` makes the changes, and `answer` gets its result.
    pub(super) fn write<X, T>(
        &self,
        change: KnowledgeChange<'_>,
        work: impl Fn(&mut Writer<'_>) -> Result<X>,
        answer: impl Fn(X, CommittedChange) -> T,
    ) -> Result<T> {
        let decide = |state: &State| {
            let mut writer = Writer::new(state, change.origin);
            let made = work(&mut writer)?;
            let (checked, warnings, label) = writer.finish(change.verb);
            Ok((
                PendingEdit::labelled(checked, Some(label)),
                (made, warnings),
            ))
        };
        let answer = |_: &Document, done: &Committed, (made, warnings)| {
            let committed = CommittedChange {
                revision: done.revision,
                dry_run: done.dry_run,
                warnings,
            };
            answer(made, committed)
        };
        let project = self.project(change.project)?;
        if change.items <= QUICK {
            project.change(change.origin, change.condition, decide, answer)
        } else {
            project.change_optimistically(change.origin, change.condition, decide, answer)
        }
    }
}

/// A requested change of a knowledge graph.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnowledgeChange<'a> {
    pub(super) project: Option<&'a str>,
    pub(super) condition: CommitOptions,
    pub(super) origin: &'a Origin,
    /// Verb of the label in the history.
    pub(super) verb: &'static str,
    /// Approximate number of nodes and edges.
    pub(super) items: usize,
}

impl<'a> KnowledgeChange<'a> {
    pub(super) fn new(
        origin: &'a Origin,
        project: Option<&'a str>,
        condition: CommitOptions,
        verb: &'static str,
        items: usize,
    ) -> Self {
        KnowledgeChange {
            project,
            condition,
            origin,
            verb,
            items,
        }
    }
}

/// A committed change of a knowledge graph.
#[derive(Debug)]
pub(crate) struct CommittedChange {
    pub(crate) revision: u64,
    pub(crate) dry_run: Option<bool>,
    pub(crate) warnings: Vec<String>,
}

/// Adds the index in a list to a refusal.
pub(super) fn with_index(list: &str, place: usize, refusal: Refusal) -> Refusal {
    Refusal {
        message: format!("{list}[{place}]: {}", refusal.message),
        ..refusal
    }
}
