//! Inference of transitive relations with decreasing confidence.

use std::collections::BTreeMap;

use fibula_knowledge::Direction;
use serde::Serialize;

use super::entities::entity;
use super::entity_model::{Relation, called, seconds};
use super::entity_queries::{RelationDetails, edges};
use super::node_lookup;
use crate::project::change::now;
use crate::refusal::Result;
use crate::service::Service;

/// Maximum number of inferred relations.
const MOST_INFERRED: usize = 200;

json_structs! {
    /// Relations inferred for an entity.
    #[serde(rename_all = "camelCase")]
    pub data struct InferenceResult {
        pub target: String,
        /// The relations, most confident first.
        pub inferred_relations: Vec<InferredRelation>,
        /// Statistics of the search.
        pub stats: InferStats,
    }

    /// A relation that follows from others.
    #[serde(rename_all = "camelCase")]
    pub data struct InferredRelation {
        pub relation: RelationDetails,
        /// Confidence from 0 to 1.
        pub confidence: f64,
        /// Rule of the inference.
        pub rule_name: &'static str,
        /// The relations that it follows from.
        pub explanation: String,
    }
}

/// Statistics of a search.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InferStats {
    /// Number of entities visited.
    pub nodes_visited: usize,
    /// Number of inferred relations.
    pub paths_found: usize,
    /// Distance in relations of the furthest entity.
    pub max_depth_reached: usize,
    /// Duration in milliseconds.
    pub execution_time_ms: u64,
}

/// Confidence of a path, and its relations with their targets.
type InferencePath<'a> = (f64, Vec<(&'a str, &'a str)>);

impl Service {
    /// Infers relations of an entity along relations that hold now. Each relation reduces the confidence; of several
    /// paths to an entity the most confident counts. Most confident first.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if there is no such project.
    pub fn infer_relations(
        &self,
        project: Option<&str>,
        name: &str,
        least: f64,
        depth: usize,
    ) -> Result<InferenceResult> {
        let begun = std::time::Instant::now();
        let snapshot = self.project(project)?.snapshot()?;
        let document = &snapshot.document;
        let graph = document.knowledge();
        // The best path to each entity, and the entities found or improved in the last round.
        let mut ways: BTreeMap<&str, InferencePath<'_>> = BTreeMap::new();
        let mut newest: BTreeMap<&str, InferencePath<'_>> = BTreeMap::new();
        if entity(graph, name).is_some() {
            newest.insert(name, (1.0, Vec::new()));
        }
        ways.extend(newest.clone());
        let at = seconds(now() as i64);
        for _ in 0..depth {
            let mut next: BTreeMap<&str, InferencePath<'_>> = BTreeMap::new();
            for (from, (confidence, path)) in &newest {
                for edge in edges(graph, from, Direction::Outgoing) {
                    let to = called(graph, edge.target());
                    let confidence = confidence * certainty(edge.ty());
                    let known = [ways.get(to), next.get(to)].into_iter().flatten();
                    let surest = known.map(|way| way.0).fold(0.0, f64::max);
                    let holds = RelationDetails::of(document, edge).holds(at);
                    if holds && confidence >= least && confidence > surest {
                        let longer = [path.as_slice(), &[(edge.ty(), to)]].concat();
                        next.insert(to, (confidence, longer));
                    }
                }
            }
            ways.extend(next.clone());
            newest = next;
        }
        let mut found: Vec<(&str, &InferencePath<'_>)> = ways
            .iter()
            .filter(|(_, (_, path))| path.len() > 1)
            .map(|(to, way)| (*to, way))
            .collect();
        found.sort_by(|(to, (one, _)), (other, (two, _))| two.total_cmp(one).then(to.cmp(other)));
        let lengths = ways.values().map(|(_, path)| path.len());
        let stats = InferStats {
            nodes_visited: ways.len(),
            paths_found: found.len(),
            max_depth_reached: lengths.max().unwrap_or(0),
            execution_time_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        let relations = found.iter().take(MOST_INFERRED);
        Ok(InferenceResult {
            target: name.to_owned(),
            inferred_relations: relations
                .map(|(to, (confidence, path))| {
                    let mut inferred = follows(name, path, *confidence);
                    inferred.relation.relation.dangling = node_lookup::is_dangling(document, to);
                    inferred
                })
                .collect(),
            stats,
        })
    }
}

/// Factor of the confidence for a relation of a type.
fn certainty(ty: &str) -> f64 {
    match ty {
        "depends_on" | "contains" | "part_of" => 0.95,
        "implements" | "fixes" | "caused_by" => 0.90,
        "affects" | "assigned_to" | "blocked_by" => 0.85,
        "relates_to" | "supersedes" | "requires" => 0.70,
        _ => 0.60,
    }
}

/// The relation that a path implies.
fn follows(from: &str, path: &[(&str, &str)], confidence: f64) -> InferredRelation {
    let (first, _) = path[0];
    let (_, to) = path[path.len() - 1];
    let hops = path.iter().map(|(ty, to)| format!(" -[{ty}]-> {to}"));
    let hops = hops.collect::<Vec<_>>().concat();
    InferredRelation {
        relation: RelationDetails {
            relation: Relation {
                from: from.to_owned(),
                to: to.to_owned(),
                relation_type: format!("inferred_{first}"),
                valid_from: None,
                valid_to: None,
                created_by: None,
                dangling: None,
            },
            created_by: "InferenceEngine".to_owned(),
            created_at: seconds(now() as i64),
        },
        // Rounds insignificant digits.
        confidence: (confidence * 1e6).round() / 1e6,
        rule_name: "TransitiveDependencyRule",
        explanation: format!("Inferred via path: {from}{hops}"),
    }
}
