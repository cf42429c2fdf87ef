//! Adding nodes and edges, all of a call or none.

use fibula_core::edit::{Origin, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::form::{GivenEdge, GivenNode, OnConflict};
use super::writer::{Outcome, Writer};
use crate::Service;
use crate::project::{Condition, Step};
use crate::refusal::Refusal;

/// Up to so many items a call keeps nobody waiting.
pub(super) const QUICK: usize = 200;
/// The most items that an answer tells one by one.
pub(super) const MOST_TOLD: usize = 200;

/// Nodes, and edges to or between them, that are to be there.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddNodes {
    /// Left out: "default".
    pub project: Option<String>,
    /// The nodes.
    pub nodes: Vec<GivenNode>,
    /// As add_edges takes them.
    #[serde(default)]
    #[schemars(with = "Option<Vec<crate::form::ObjectForm>>")]
    pub edges: Vec<GivenEdge>,
    /// What becomes of what is there.
    #[serde(default)]
    pub on_conflict: OnConflict,
    /// Refuse at any other.
    pub expected_revision: Option<u64>,
    /// true tries it and changes nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// Edges that are to be there.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddEdges {
    /// Left out: "default".
    pub project: Option<String>,
    /// The edges.
    pub edges: Vec<GivenEdge>,
    /// What becomes of what is there.
    #[serde(default)]
    pub on_conflict: OnConflict,
    /// Refuse at any other.
    pub expected_revision: Option<u64>,
    /// true tries it and changes nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// How many nodes and edges became what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// How many came to be.
    pub made: usize,
    /// How many became one with what was there.
    #[serde(skip_serializing_if = "is_zero")]
    pub merged: usize,
    /// How many took the place of what was there.
    #[serde(skip_serializing_if = "is_zero")]
    pub replaced: usize,
    /// How many were there and stayed as they were.
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

/// What became of nodes and edges.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Added {
    pub success: bool,
    /// The ids in the order of the request; the first 200.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<String>,
    #[serde(flatten)]
    pub counts: Counts,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    pub revision: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

impl AddNodes {
    /// Whether this takes some milliseconds at most.
    pub fn is_quick(&self) -> bool {
        self.nodes.len() + self.edges.len() <= QUICK
    }
}

impl AddEdges {
    /// Whether this takes some milliseconds at most.
    pub fn is_quick(&self) -> bool {
        self.edges.len() <= QUICK
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
pub(super) fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Service {
    /// Adds nodes, and edges that may end at them by id or label.
    ///
    /// # Errors
    /// A [`Refusal`] that names the item: an end is not there or a label is that of several nodes, an id is there and
    /// is not to be, the schema is against it, something is too large. Nothing was added then.
    pub fn add_nodes(&self, origin: &Origin, request: AddNodes) -> Result<Added, Refusal> {
        let AddNodes {
            project,
            nodes,
            edges,
            on_conflict,
            expected_revision,
            dry_run,
        } = request;
        let condition = Condition::new(expected_revision, dry_run);
        self.add(
            project.as_deref(),
            condition,
            origin,
            (&nodes, &edges),
            on_conflict,
        )
    }

    /// Adds edges.
    ///
    /// # Errors
    /// As [`Service::add_nodes`].
    pub fn add_edges(&self, origin: &Origin, request: &AddEdges) -> Result<Added, Refusal> {
        let condition = Condition::new(request.expected_revision, request.dry_run);
        self.add(
            request.project.as_deref(),
            condition,
            origin,
            (&[], &request.edges),
            request.on_conflict,
        )
    }

    fn add(
        &self,
        project: Option<&str>,
        condition: Condition,
        origin: &Origin,
        (nodes, edges): (&[GivenNode], &[GivenEdge]),
        on_conflict: OnConflict,
    ) -> Result<Added, Refusal> {
        if nodes.is_empty() && edges.is_empty() {
            return Err(Refusal::new("invalid_arguments", "there is nothing to add")
                .hint(r#"give nodes such as {"label": "TP53", "types": "gene"}, or edges such as {"source": "TP53", "target": "MDM2", "type": "inhibits"}"#));
        }
        self.write(
            Asked {
                project,
                condition,
                origin,
                verb: "add",
                items: nodes.len() + edges.len(),
            },
            |writer| {
                let mut added = Added::default();
                for (place, node) in nodes.iter().enumerate() {
                    let (id, outcome) = writer
                        .add(node.clone(), on_conflict)
                        .map_err(|refusal| at("nodes", place, refusal))?;
                    added.counts.count(outcome);
                    if place < MOST_TOLD {
                        added.nodes.push(id);
                    }
                }
                for (place, edge) in edges.iter().enumerate() {
                    let (id, outcome) = writer
                        .join(edge.clone(), on_conflict)
                        .map_err(|refusal| at("edges", place, refusal))?;
                    added.counts.count(outcome);
                    if place < MOST_TOLD {
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

    /// Changes the knowledge graph of a project as one step: `work` says what to do, and `answer` gets what came of it.
    pub(super) fn write<X, T>(
        &self,
        asked: Asked<'_>,
        work: impl Fn(&mut Writer<'_>) -> Result<X, Refusal>,
        answer: impl Fn(X, Written) -> T,
    ) -> Result<T, Refusal> {
        let Asked {
            project,
            condition,
            origin,
            verb,
            items,
        } = asked;
        let decide = |state: &State| {
            let mut writer = Writer::new(state.document(), origin);
            let made = work(&mut writer)?;
            let (checked, warnings, label) = writer.finish(verb);
            Ok((Step::labelled(checked, Some(label)), (made, warnings)))
        };
        let answer =
            |_: &fibula_core::graph::Document, done: &crate::project::Done, (made, warnings)| {
                answer(
                    made,
                    Written {
                        revision: done.revision,
                        dry_run: done.dry_run,
                        warnings,
                    },
                )
            };
        let project = self.project(project)?;
        if items <= QUICK {
            project.change(origin, condition, decide, answer)
        } else {
            project.change_apart(origin, condition, decide, answer)
        }
    }
}

/// A change that is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) project: Option<&'a str>,
    pub(super) condition: Condition,
    pub(super) origin: &'a Origin,
    /// What the history calls it.
    pub(super) verb: &'static str,
    /// About how many nodes and edges it is of.
    pub(super) items: usize,
}

/// What came of a change of a knowledge graph.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) revision: u64,
    pub(super) dry_run: Option<bool>,
    pub(super) warnings: Vec<String>,
}

/// A refusal that says which item of a list it is about.
pub(super) fn at(list: &str, place: usize, refusal: Refusal) -> Refusal {
    Refusal {
        message: format!("{list}[{place}]: {}", refusal.message),
        ..refusal
    }
}
