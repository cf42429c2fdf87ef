//! Entity resolution: merging duplicate nodes, and suggesting them.

use std::collections::BTreeSet;

use fibula_core::edit::Origin;
use fibula_knowledge::network::{Filter, SimilarityMeasure};
use fibula_knowledge::{Direction, Knowledge, is_same_type};

use super::add::KnowledgeChange;
use super::records::NodeBrief;
use super::writer::{Writer, merge};
use crate::project::change::CommitOptions;
use crate::refusal::{Refusal, Result};
use crate::service::Service;

/// Maximum number of suggestions.
const MOST: usize = 20;
/// Similarity of labels below which nodes are not suggested.
const LEAST: f64 = 0.35;

json_structs! {
    /// Nodes to merge.
    pub request(Default) struct MergeNodes {
        project,
        /// The node to keep: its id or label.
        pub keep: String,
        /// Nodes to merge into it; default: list probable duplicates.
        pub merge: Vec<String> = default,
        expected_revision,
        dry_run,
    }

    /// Result of a merge.
    pub answer struct NodesMerged {
        pub success: bool,
        pub kept: NodeBrief,
        pub merged: usize,
        /// Edges that were moved to the kept node.
        pub moved_edges: usize,
        /// Edges that were duplicates, or would be loops.
        pub dropped_edges: usize,
        /// Probable duplicates, most similar first.
        pub suggestions: Vec<Suggestion> = [],
        pub revision: u64,
        pub dry_run: Option<bool>,
    }

    /// A probable duplicate.
    pub answer struct Suggestion {
        #[serde(flatten)]
        pub node: NodeBrief,
        /// Similarity of the labels, from 0 to 1.
        pub label_likeness: f64,
        /// Fraction of the neighbours of both that is common.
        pub neighbor_likeness: f64,
    }
}

/// Effects of a merge.
struct MergeCounts {
    kept: String,
    count: usize,
    moved: usize,
    dropped: usize,
}

impl Service {
    /// Merges nodes into one, which gets the edges, observations, types and data of all; the kept node wins conflicts.
    /// Without nodes, suggests duplicates.
    ///
    /// # Errors
    /// A [`Refusal`] if a node does not exist or is named twice, or the result would be too large.
    pub fn merge_nodes(&self, origin: &Origin, request: &MergeNodes) -> Result<NodesMerged> {
        if request.merge.is_empty() {
            return self.suggest(request);
        }
        let work = |writer: &mut Writer<'_>| {
            let merged = merge_nodes(writer, request)?;
            let kept = NodeBrief::of(writer.named(&merged.kept)?);
            Ok((kept, merged))
        };
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let project = request.project.as_deref();
        self.write(
            KnowledgeChange::new(origin, project, condition, "merge", usize::MAX),
            work,
            |(kept, merged), written| NodesMerged {
                success: true,
                kept,
                merged: merged.count,
                moved_edges: merged.moved,
                dropped_edges: merged.dropped,
                suggestions: Vec::new(),
                revision: written.revision,
                dry_run: written.dry_run,
            },
        )
    }

    fn suggest(&self, request: &MergeNodes) -> Result<NodesMerged> {
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(None)?;
        let graph = snapshot.document.knowledge();
        let kept = super::node_lookup::node(graph, &request.keep)?;
        let suggestions = project.with_search_index(&snapshot, true, |index| {
            let similar = index.similar_labels(kept.id(), MOST)?;
            let similar = similar.into_iter().filter(|similar| similar.score >= LEAST);
            let similar: Vec<(String, f64)> = similar
                .map(|similar| (similar.node.id().to_owned(), similar.score))
                .collect();
            Ok(similar)
        })?;
        let network = project.network(graph);
        let part = network.subgraph(&Filter::default());
        let pairs: Vec<(&str, &str)> = suggestions
            .iter()
            .map(|(id, _)| (kept.id(), id.as_str()))
            .collect();
        let near = part.similarities(&pairs, SimilarityMeasure::Jaccard)?;
        let suggestions = suggestions.iter().zip(near);
        let suggestions = suggestions.filter_map(|((id, label_likeness), neighbor_likeness)| {
            Some(Suggestion {
                node: NodeBrief::of(graph.find(id)?),
                label_likeness: (label_likeness * 1000.0).round() / 1000.0,
                neighbor_likeness: (neighbor_likeness * 1000.0).round() / 1000.0,
            })
        });
        Ok(NodesMerged {
            success: true,
            kept: NodeBrief::of(kept),
            merged: 0,
            moved_edges: 0,
            dropped_edges: 0,
            suggestions: suggestions.collect(),
            revision: snapshot.head.revision,
            dry_run: None,
        })
    }
}

fn merge_nodes(writer: &mut Writer<'_>, request: &MergeNodes) -> Result<MergeCounts> {
    let mut kept = writer.named(&request.keep)?.written();
    let mut ids = BTreeSet::new();
    for text in &request.merge {
        let id = writer.named(text)?.id().to_owned();
        if id == kept.id || !ids.insert(id.clone()) {
            let message = format!("node '{id}' is named twice");
            return Err(Refusal::new("invalid_arguments", message)
                .hint("keep names one node, and merge others, each once"));
        }
    }
    let mut merged = MergeCounts {
        kept: kept.id.clone(),
        count: ids.len(),
        moved: 0,
        dropped: 0,
    };
    let mut observations = std::mem::take(&mut kept.observations);
    for id in &ids {
        let node = writer.named(id)?.written();
        for ty in node.types {
            if !kept.types.iter().any(|own| is_same_type(own, &ty)) {
                kept.types.push(ty);
            }
        }
        let own = std::mem::replace(&mut kept.data, node.data);
        merge(&mut kept.data, own);
        for one in node.observations {
            if !observations.iter().any(|own| own.text == one.text) {
                observations.push(one);
            }
        }
        kept.position = kept.position.or(node.position);
    }
    // Observations stay in order of time.
    observations.sort_by_key(|one| one.at);
    kept.observations = observations;
    writer.replace(kept)?;
    let (graph, mut seen) = (writer.graph().clone(), BTreeSet::new());
    for id in &ids {
        for edge in graph.edges_at(id, Direction::Both) {
            let was_loop = edge.is_loop();
            let mut edge = edge.written();
            if !seen.insert(edge.id.clone()) {
                continue;
            }
            for end in [&mut edge.source, &mut edge.target] {
                if ids.contains(end) {
                    end.clone_from(&merged.kept);
                }
            }
            let is_new_loop = edge.source == edge.target && !was_loop;
            if is_new_loop || says_the_same(writer.graph(), &edge) {
                writer.remove_edge(&edge.id)?;
                merged.dropped += 1;
            } else {
                writer.put_edge(edge)?;
                merged.moved += 1;
            }
        }
    }
    for id in &ids {
        writer.remove(id)?;
    }
    Ok(merged)
}

/// True if another edge states the same.
fn says_the_same(graph: &Knowledge, edge: &fibula_knowledge::Edge) -> bool {
    let mut between = graph.edges_between(&edge.source, &edge.target).into_iter();
    between.any(|other| {
        other.id() != edge.id
            && is_same_type(other.ty(), &edge.ty)
            && other.validity() == [edge.valid_from, edge.valid_to]
            && other.weight() == edge.weight
            && other.label() == edge.label.as_deref()
            && other.data_map() == edge.data
    })
}
