//! Queries of memory servers about entities: neighbourhoods, typed paths, summaries and temporal relations.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use fibula_core::graph::Document;
use fibula_knowledge::{
    Direction, EdgeRef, FUNCTION, FunctionEnd, FunctionPart, Knowledge, NodeRef,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entities::{all_named, entities, entity};
use super::entity_model::{Entity, Relation, called, seconds};
use super::node_lookup;
use crate::refusal::{Refusal, Result};
use crate::service::Service;

/// Maximum number of relations around an entity.
const MOST_RELATED: usize = 1_000;
/// Maximum depth of a neighbourhood.
const DEEPEST: u32 = 5;
/// Maximum number of paths of an answer.
const MOST_PATHS: usize = 1_000;
/// Maximum number of characters of a brief.
const BRIEF: usize = 100;

json_structs! {
    /// An entity with its provenance.
    #[serde(rename_all = "camelCase")]
    pub data struct EntityDetails {
        #[serde(flatten)]
        pub entity: Entity,
        /// Its author and times; none of a function or its node at which a relation ends.
        pub created_by: Option<String>,
        /// Creation time in seconds since 1970.
        pub created_at: Option<i64>,
        /// Time of the last change.
        pub updated_at: Option<i64>,
    }

    /// A relation with its provenance.
    #[serde(rename_all = "camelCase")]
    pub data struct RelationDetails {
        #[serde(flatten)]
        pub relation: Relation,
        pub created_by: String,
        /// Creation time in seconds since 1970.
        pub created_at: i64,
    }

    /// Paths with their ends.
    #[serde(rename_all = "camelCase")]
    pub data struct TraversalResult {
        /// Start of the paths.
        pub start_node: String,
        pub paths: Vec<EntityPath>,
        /// Entities at the ends, then functions and their nodes.
        pub end_nodes: Vec<EntityDetails>,
        /// True if there may be more.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        pub truncated: bool,
    }

    /// A path: names of entities and the types of the relations between them.
    pub data(PartialEq, Eq) struct EntityPath {
        pub nodes: Vec<String>,
        pub relations: Vec<String>,
    }

    /// Summary of an entity.
    #[serde(rename_all = "camelCase")]
    pub data(PartialEq, Eq) struct EntityBrief {
        pub name: String,
        pub entity_type: String,
        pub brief: String,
    }
}

/// Entity whose relations are returned.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetRelated {
    /// Its name.
    #[serde(alias = "entity", alias = "target")]
    pub entity_name: String,
    /// Only relations of this type.
    pub relation_type: Option<String>,
    /// outgoing, incoming or both; default both.
    #[serde(default)]
    #[schemars(with = "Option<Direction>")]
    pub direction: Direction,
    /// Number of relations to follow; default 1.
    pub max_depth: Option<u32>,
}

/// Entities related to an entity, nearest first.
#[derive(Debug, Clone, Serialize)]
pub struct RelatedEntities {
    /// The entity.
    pub entity: String,
    /// True if it is a function or its node and no longer exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dangling: Option<bool>,
    /// Each relation once, with the entity at its other end.
    pub relations: Vec<RelatedEntity>,
    /// True if there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// A relation and the entity at its other end.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RelatedEntity {
    /// Type of the relation.
    pub relation_type: String,
    /// Direction in which it was followed: "outgoing" or "incoming".
    pub direction: &'static str,
    /// The entity at the other end.
    pub entity: EntityDetails,
    /// The same entity, under the other name that clients of this answer read.
    pub target: EntityDetails,
    /// Distance in relations, if it is not 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The entity from which it was followed, if that is not the one of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// A step of a path.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PathStep {
    /// The type of the relation to follow; default any.
    #[serde(alias = "relation_type")]
    pub relation_type: Option<String>,
    /// out: from its start to its end, the default; in: back.
    #[serde(default)]
    #[schemars(with = "Option<RelationDirection>")]
    pub direction: RelationDirection,
    /// Only entities of this type.
    #[serde(alias = "target_type")]
    pub target_type: Option<String>,
}

/// Direction in which a relation is followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Heading")]
pub enum RelationDirection {
    /// from start to end
    #[default]
    Out,
    /// from end to start
    In,
}

/// Detail of a summary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntitySummary {
    /// the first observation of each entity
    #[default]
    Brief,
    /// all observations
    Detailed,
    /// counts by type, status and priority
    Stats,
}

/// Summary of entities.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntitiesSummarized {
    /// Number of entities.
    pub total_entities: usize,
    /// Summary of each entity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entities: Option<Vec<EntityBrief>>,
    /// Number of entities by the observation "Status: ...".
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub by_status: BTreeMap<String, usize>,
    /// Number of entities by type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_type: Option<BTreeMap<String, usize>>,
    /// Number of entities by the observation "Priority: ...".
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub by_priority: BTreeMap<String, usize>,
}

impl EntityDetails {
    fn of(node: NodeRef<'_>) -> EntityDetails {
        EntityDetails {
            entity: Entity::of(node),
            created_by: Some(node.creator().to_owned()),
            created_at: Some(seconds(node.created())),
            updated_at: Some(seconds(node.modified())),
        }
    }

    /// A function, its node or its input at which a relation ends; `None` for other ends.
    fn of_end(document: &Document, id: &str) -> Option<EntityDetails> {
        let end = FunctionEnd::parse(id)?;
        let observation = node_lookup::noun(document, &end);
        let observation = observation.unwrap_or_else(|| "no longer exists".to_owned());
        let entity_type = match end.part {
            FunctionPart::Whole => "function",
            FunctionPart::Node(_) => "node",
            FunctionPart::Input(_) => "input",
        };
        Some(EntityDetails {
            entity: Entity {
                name: id.to_owned(),
                entity_type: entity_type.to_owned(),
                observations: vec![observation],
                created_by: None,
            },
            created_by: None,
            created_at: None,
            updated_at: None,
        })
    }
}

impl RelationDetails {
    pub(super) fn of(document: &Document, edge: EdgeRef<'_>) -> RelationDetails {
        RelationDetails {
            relation: Relation::of(document, edge),
            created_by: edge.creator().to_owned(),
            created_at: seconds(edge.created()),
        }
    }

    /// True if it holds at a time in seconds.
    pub fn holds(&self, at: i64) -> bool {
        let (from, to) = (self.relation.valid_from, self.relation.valid_to);
        from.is_none_or(|from| at >= from) && to.is_none_or(|to| at <= to)
    }
}

/// Edges at nodes with a name, or at a function or its node with this id, in order of creation.
pub(super) fn edges<'a>(
    graph: &'a Knowledge,
    name: &str,
    direction: Direction,
) -> Vec<EdgeRef<'a>> {
    let nodes = all_named(graph, name).into_iter();
    let edges = nodes.flat_map(|node| node.edges(direction));
    let of_function = FunctionEnd::parse(name).map(|_| graph.edges_at(name, direction));
    let edges = edges.chain(of_function.into_iter().flatten());
    let edges: BTreeMap<_, _> = edges
        .map(|edge| ((edge.order(), edge.id()), edge))
        .collect();
    edges.into_values().collect()
}

impl Service {
    /// Returns the entities, and functions and their nodes, related to one, for a function also to its nodes (breadth-first
    /// search), after the first `offset`; none if there is none of that name or id.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, no function or parameter of such a name, or the depth is not 1 to 5.
    pub fn related_entities(
        &self,
        project: Option<&str>,
        request: &GetRelated,
        offset: usize,
    ) -> Result<RelatedEntities> {
        let depth = request.max_depth.unwrap_or(1);
        if !(1..=DEEPEST).contains(&depth) {
            let message = format!("maxDepth is {depth}; pass 1 to {DEEPEST}");
            return Err(Refusal::new("invalid_value", message));
        }
        let snapshot = self.project(project)?.snapshot()?;
        let document = &snapshot.document;
        let graph = document.knowledge();
        let mut related = RelatedEntities {
            entity: request.entity_name.clone(),
            dangling: None,
            relations: Vec::new(),
            truncated: false,
        };
        let is_end = request.entity_name.starts_with(FUNCTION);
        let starts = if is_end && entity(graph, &request.entity_name).is_none() {
            let id = node_lookup::end_id(document, &request.entity_name)?;
            related.dangling = node_lookup::is_dangling(document, &id);
            node_lookup::ends_within(graph, &id)
        } else {
            vec![request.entity_name.clone()]
        };
        let mut level: Vec<&str> = starts.iter().map(String::as_str).collect();
        let mut names: BTreeSet<&str> = level.iter().copied().collect();
        let mut visited = BTreeSet::new();
        let mut count = 0;
        for at in 1..=depth {
            let mut next = Vec::new();
            for name in level {
                for edge in edges(graph, name, request.direction) {
                    let is_wanted = request.relation_type.as_ref();
                    if is_wanted.is_some_and(|ty| edge.ty() != ty) || !visited.insert(edge.id()) {
                        continue;
                    }
                    let ends = [edge.source(), edge.target()].map(|end| called(graph, end));
                    let (other, direction) = if ends[0] == name {
                        (ends[1], "outgoing")
                    } else {
                        (ends[0], "incoming")
                    };
                    if names.insert(other) {
                        next.push(other);
                    }
                    let details = entity(graph, other).map(EntityDetails::of);
                    let details = details.or_else(|| EntityDetails::of_end(document, other));
                    let Some(entity) = details else {
                        continue;
                    };
                    count += 1;
                    if count <= offset {
                        continue;
                    }
                    if related.relations.len() == MOST_RELATED {
                        related.truncated = true;
                        return Ok(related);
                    }
                    related.relations.push(RelatedEntity {
                        relation_type: edge.ty().to_owned(),
                        direction,
                        target: entity.clone(),
                        entity,
                        depth: (at > 1).then_some(at),
                        from: (at > 1).then(|| name.to_owned()),
                    });
                }
            }
            level = next;
        }
        Ok(related)
    }

    /// Returns the first `most` paths from an entity along relations of these types, in sequence. A long search is
    /// truncated, which the answer reports.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, or there are more than 100 steps.
    pub fn traverse_entities(
        &self,
        project: Option<&str>,
        start: &str,
        steps: &[PathStep],
        most: usize,
    ) -> Result<TraversalResult> {
        const MOST_STEPS: usize = 100;
        if steps.len() > MOST_STEPS {
            let message = format!(
                "the path has {} steps; pass at most {MOST_STEPS}",
                steps.len()
            );
            return Err(Refusal::new("too_large", message));
        }
        let snapshot = self.project(project)?.snapshot()?;
        let graph = snapshot.document.knowledge();
        let mut follower = PathSearch {
            graph,
            steps,
            most: most.min(MOST_PATHS),
            visited_count: 0,
            known: BTreeMap::new(),
            paths: Vec::new(),
        };
        let truncated = follower.follow(&mut vec![("", start)]).is_break();
        let paths = follower.paths;
        let ends = paths.iter().filter_map(|path| path.last());
        let ends: BTreeSet<&str> = ends.map(|(_, end)| *end).collect();
        let functions = ends
            .iter()
            .filter(|name| entity(graph, name).is_none())
            .filter_map(|name| EntityDetails::of_end(&snapshot.document, name));
        let nodes = ends.iter().filter_map(|name| entity(graph, name));
        let nodes: BTreeMap<_, _> = nodes
            .map(|node| ((node.order(), node.id()), node))
            .collect();
        let nodes = nodes.into_values().map(EntityDetails::of);
        let paths = paths.into_iter().map(|path| {
            let relations = path.iter().skip(1).map(|(ty, _)| (*ty).to_owned());
            EntityPath {
                relations: relations.collect(),
                nodes: path.iter().map(|(_, name)| (*name).to_owned()).collect(),
            }
        });
        Ok(TraversalResult {
            start_node: start.to_owned(),
            paths: paths.collect(),
            end_nodes: nodes.chain(functions).collect(),
            truncated,
        })
    }

    /// Summarises entities: those with these names, or of this type, or all.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project.
    pub fn summarize_entities(
        &self,
        project: Option<&str>,
        names: Option<&[String]>,
        ty: Option<&str>,
        format: EntitySummary,
    ) -> Result<EntitiesSummarized> {
        let snapshot = self.project(project)?.snapshot()?;
        let graph = snapshot.document.knowledge();
        let names: Option<BTreeSet<&str>> =
            names.map(|names| names.iter().map(String::as_str).collect());
        let is_meant = |node: &NodeRef<'_>| match (&names, ty) {
            (Some(names), _) => names.contains(node.label()),
            (None, Some(ty)) => node.types().next() == Some(ty),
            (None, None) => true,
        };
        let mut summary = EntitiesSummarized::default();
        let (mut briefs, mut types) = (Vec::new(), BTreeMap::new());
        for node in entities(graph).filter(is_meant) {
            summary.total_entities += 1;
            let ty = node.types().next().unwrap_or_default();
            let texts = node.observations().iter().map(|one| one.text.as_str());
            let brief = match format {
                EntitySummary::Brief => texts.take(1).flat_map(str::chars).take(BRIEF).collect(),
                EntitySummary::Detailed => texts.collect::<Vec<_>>().join("; "),
                EntitySummary::Stats => {
                    *types.entry(ty.to_owned()).or_default() += 1;
                    for text in texts {
                        let count = |counts: &mut BTreeMap<String, usize>, mark| {
                            if let Some(value) = text.strip_prefix(mark) {
                                *counts.entry(value.trim().to_owned()).or_default() += 1;
                            }
                        };
                        count(&mut summary.by_status, "Status:");
                        count(&mut summary.by_priority, "Priority:");
                    }
                    continue;
                }
            };
            briefs.push(EntityBrief {
                name: node.label().to_owned(),
                entity_type: ty.to_owned(),
                brief,
            });
        }
        if format == EntitySummary::Stats {
            summary.by_type = Some(types);
        } else {
            summary.entities = Some(briefs);
        }
        Ok(summary)
    }

    /// Returns the relations of an entity, or all, including those that are over.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project.
    pub fn entity_relations(
        &self,
        project: Option<&str>,
        name: Option<&str>,
    ) -> Result<Vec<RelationDetails>> {
        let snapshot = self.project(project)?.snapshot()?;
        let document = &snapshot.document;
        let graph = document.knowledge();
        let all = match name {
            Some(name) => edges(graph, name, Direction::Both),
            None => graph.sorted_edges(),
        };
        let details = all
            .into_iter()
            .map(|edge| RelationDetails::of(document, edge));
        Ok(details.collect())
    }
}

/// Depth-first search for paths with a sequence of relation types.
struct PathSearch<'a> {
    graph: &'a Knowledge,
    steps: &'a [PathStep],
    most: usize,
    /// Number of names visited.
    visited_count: usize,
    /// Relation types and targets of a step from a name, for visited names.
    known: BTreeMap<(usize, &'a str), Vec<(&'a str, &'a str)>>,
    /// Names on each path, each with the type of the relation to it.
    paths: Vec<Vec<(&'a str, &'a str)>>,
}

impl<'a> PathSearch<'a> {
    /// Adds the continuations of a path; breaks when there are too many, or too many names were
    /// visited.
    fn follow(&mut self, path: &mut Vec<(&'a str, &'a str)>) -> ControlFlow<()> {
        const MOST_LOOKED: usize = 1_000_000;
        let step = path.len() - 1;
        self.visited_count += 1;
        if self.visited_count > MOST_LOOKED {
            return ControlFlow::Break(());
        }
        if step == self.steps.len() {
            if self.paths.len() == self.most {
                return ControlFlow::Break(());
            }
            self.paths.push(path.clone());
            return ControlFlow::Continue(());
        }
        for next in self.targets(step, path[step].1) {
            path.push(next);
            self.follow(path)?;
            path.pop();
        }
        ControlFlow::Continue(())
    }

    fn targets(&mut self, step: usize, name: &'a str) -> Vec<(&'a str, &'a str)> {
        if let Some(known) = self.known.get(&(step, name)) {
            return known.clone();
        }
        let (graph, pattern) = (self.graph, &self.steps[step]);
        let direction = match pattern.direction {
            RelationDirection::Out => Direction::Outgoing,
            RelationDirection::In => Direction::Incoming,
        };
        let is_of = |name: &str, ty: &str| {
            entity(graph, name).is_some_and(|node| node.types().next() == Some(ty))
        };
        let all = edges(graph, name, direction).into_iter();
        let wanted = pattern.relation_type.as_ref();
        let all = all.filter(|edge| wanted.is_none_or(|ty| edge.ty() == ty));
        let ends = all.map(|edge| match pattern.direction {
            RelationDirection::Out => (edge.ty(), called(graph, edge.target())),
            RelationDirection::In => (edge.ty(), called(graph, edge.source())),
        });
        let target = pattern.target_type.as_ref();
        let ends = ends.filter(|(_, end)| target.is_none_or(|ty| is_of(end, ty)));
        let ends: Vec<(&str, &str)> = ends.collect();
        self.known.insert((step, name), ends.clone());
        ends
    }
}
