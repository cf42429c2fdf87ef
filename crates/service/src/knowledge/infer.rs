//! What follows for entities from relations one behind the other.

use std::collections::BTreeMap;

use fibula_knowledge::Direction;
use serde::Serialize;

use super::entities::{Relation, called, entity, seconds};
use super::recall::{RelationTold, edges};
use crate::Service;
use crate::project::now;
use crate::refusal::Refusal;

/// The most relations that are told to follow.
const MOST_INFERRED: usize = 200;

/// What may be said of an entity though nobody did.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inferred {
    /// The entity.
    pub target: String,
    /// What follows.
    pub inferred_relations: Vec<InferredRelation>,
    /// How it was found.
    pub stats: InferStats,
}

/// A relation that follows from others.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InferredRelation {
    /// What it says.
    pub relation: RelationTold,
    /// How sure that is, from 0 to 1.
    pub confidence: f64,
    /// By which rule.
    pub rule_name: &'static str,
    /// Along which relations.
    pub explanation: String,
}

/// How far a search went.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InferStats {
    /// How many entities were looked at.
    pub nodes_visited: usize,
    /// How many relations follow.
    pub paths_found: usize,
    /// How many relations away the furthest is.
    pub max_depth_reached: usize,
    /// How long it took.
    pub execution_time_ms: u64,
}

/// How sure something is, and along which relations, with where each leads.
type Way<'a> = (f64, Vec<(&'a str, &'a str)>);

impl Service {
    /// What follows for an entity from relations that hold now, one behind the other, each of which makes it less sure; of
    /// several ways to an entity, the surest. The surest come first.
    ///
    /// # Errors
    /// A [`Refusal`] when there is no such project.
    pub fn infer_relations(
        &self,
        project: Option<&str>,
        name: &str,
        least: f64,
        depth: usize,
    ) -> Result<Inferred, Refusal> {
        let begun = std::time::Instant::now();
        let snapshot = self.project(project)?.snapshot()?;
        let graph = snapshot.document.knowledge();
        // The surest way to each, and those that were found or made surer in the last round.
        let mut ways: BTreeMap<&str, Way<'_>> = BTreeMap::new();
        let mut newest: BTreeMap<&str, Way<'_>> = BTreeMap::new();
        if entity(graph, name).is_some() {
            newest.insert(name, (1.0, Vec::new()));
        }
        ways.extend(newest.clone());
        let at = seconds(now() as i64);
        for _ in 0..depth {
            let mut next: BTreeMap<&str, Way<'_>> = BTreeMap::new();
            for (from, (confidence, path)) in &newest {
                for edge in edges(graph, from, Direction::Outgoing) {
                    let to = called(graph, edge.target());
                    let confidence = confidence * certainty(edge.ty());
                    let known = [ways.get(to), next.get(to)].into_iter().flatten();
                    let surest = known.map(|way| way.0).fold(0.0, f64::max);
                    let holds = RelationTold::of(graph, edge).holds(at);
                    if holds && confidence >= least && confidence > surest {
                        let longer = [path.as_slice(), &[(edge.ty(), to)]].concat();
                        next.insert(to, (confidence, longer));
                    }
                }
            }
            ways.extend(next.clone());
            newest = next;
        }
        let mut found: Vec<(&str, &Way<'_>)> = ways
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
        let told = found.iter().take(MOST_INFERRED);
        Ok(Inferred {
            target: name.to_owned(),
            inferred_relations: told
                .map(|(_, (confidence, path))| follows(name, path, *confidence))
                .collect(),
            stats,
        })
    }
}

/// How much of one's certainty is left after a relation of a type.
fn certainty(ty: &str) -> f64 {
    match ty {
        "depends_on" | "contains" | "part_of" => 0.95,
        "implements" | "fixes" | "caused_by" => 0.90,
        "affects" | "assigned_to" | "blocked_by" => 0.85,
        "relates_to" | "supersedes" | "requires" => 0.70,
        _ => 0.60,
    }
}

/// The relation that a path stands for.
fn follows(from: &str, path: &[(&str, &str)], confidence: f64) -> InferredRelation {
    let (first, _) = path[0];
    let (_, to) = path[path.len() - 1];
    let hops = path.iter().map(|(ty, to)| format!(" -[{ty}]-> {to}"));
    let hops = hops.collect::<Vec<_>>().concat();
    InferredRelation {
        relation: RelationTold {
            relation: Relation {
                from: from.to_owned(),
                to: to.to_owned(),
                relation_type: format!("inferred_{first}"),
                valid_from: None,
                valid_to: None,
                created_by: None,
            },
            created_by: "InferenceEngine".to_owned(),
            created_at: seconds(now() as i64),
        },
        // Digits that mean nothing are left out.
        confidence: (confidence * 1e6).round() / 1e6,
        rule_name: "TransitiveDependencyRule",
        explanation: format!("Inferred via path: {from}{hops}"),
    }
}
