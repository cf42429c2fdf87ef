//! What memory servers are asked of entities beyond reading them: what is related to one, along which relations, at which
//! times.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use fibula_knowledge::{Direction, EdgeRef, Knowledge, NodeRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entities::{Entity, Relation, all_named, called, entities, entity, seconds};
use crate::Service;
use crate::refusal::Refusal;

/// The most relations that are told of an entity and what is around it.
const MOST_RELATED: usize = 1_000;
/// How far relations are followed at most.
const DEEPEST: u32 = 5;
/// The most paths of one answer.
const MOST_PATHS: usize = 1_000;
/// The most letters of a brief.
const BRIEF: usize = 100;

/// An entity, with who made it and when.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityTold {
    /// What is known of it.
    #[serde(flatten)]
    pub entity: Entity,
    /// Who made it.
    pub created_by: String,
    /// When, in seconds since 1970.
    pub created_at: i64,
    /// When it was changed last.
    pub updated_at: i64,
}

/// A relation, with who made it and when.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RelationTold {
    /// What it says.
    #[serde(flatten)]
    pub relation: Relation,
    /// Who made it.
    pub created_by: String,
    /// When, in seconds since 1970.
    pub created_at: i64,
}

/// The entity whose relations are asked for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetRelated {
    /// Its name.
    pub entity_name: String,
    /// Only relations of this type.
    pub relation_type: Option<String>,
    /// outgoing, incoming or both; both if left out.
    #[serde(default)]
    #[schemars(with = "Option<Direction>")]
    pub direction: Direction,
    /// How many relations away; 1 if left out.
    pub max_depth: Option<u32>,
}

/// What is related to an entity, the nearest first.
#[derive(Debug, Clone, Serialize)]
pub struct Related {
    /// The entity.
    pub entity: String,
    /// Each relation to an entity once, with what it leads to.
    pub relations: Vec<RelatedEntity>,
    /// Whether there are more than an answer has place for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// A relation and what it leads to.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RelatedEntity {
    /// The type of the relation.
    pub relation_type: String,
    /// How it was followed: "outgoing" or "incoming".
    pub direction: &'static str,
    /// Where it leads to.
    pub entity: EntityTold,
    /// How many relations away that is, if it is not the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

/// A step of a path.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PathStep {
    /// The type of the relation to follow.
    pub relation_type: String,
    /// out: from its start to its end; in: back.
    pub direction: Heading,
    /// Only entities of this type.
    pub target_type: Option<String>,
}

/// How a relation is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Heading {
    /// from start to end
    Out,
    /// from end to start
    In,
}

/// Paths and where they end.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Traversed {
    /// Where they begin.
    pub start_node: String,
    /// The paths.
    pub paths: Vec<EntityPath>,
    /// The entities at their ends.
    pub end_nodes: Vec<EntityTold>,
    /// Whether there may be more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// Names of entities, and the types of the relations between them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntityPath {
    /// The names.
    pub nodes: Vec<String>,
    /// The types.
    pub relations: Vec<String>,
}

/// How much a summary tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntitySummary {
    /// the first observation of each entity
    #[default]
    Brief,
    /// all observations
    Detailed,
    /// how many there are of each type, status and priority
    Stats,
}

/// Entities in brief.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntitiesSummarized {
    /// How many there are.
    pub total_entities: usize,
    /// What each is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entities: Option<Vec<EntityBrief>>,
    /// How many have an observation "Status: ...".
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub by_status: BTreeMap<String, usize>,
    /// How many are of each type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_type: Option<BTreeMap<String, usize>>,
    /// How many have an observation "Priority: ...".
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub by_priority: BTreeMap<String, usize>,
}

/// An entity in brief.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntityBrief {
    /// Its name.
    pub name: String,
    /// Its type.
    pub entity_type: String,
    /// What is known of it.
    pub brief: String,
}

impl EntityTold {
    fn of(node: NodeRef<'_>) -> EntityTold {
        EntityTold {
            entity: Entity::of(node),
            created_by: node.creator().to_owned(),
            created_at: seconds(node.created()),
            updated_at: seconds(node.modified()),
        }
    }
}

impl RelationTold {
    pub(super) fn of(graph: &Knowledge, edge: EdgeRef<'_>) -> RelationTold {
        RelationTold {
            relation: Relation::of(graph, edge),
            created_by: edge.creator().to_owned(),
            created_at: seconds(edge.created()),
        }
    }

    /// Whether it holds at a second.
    pub fn holds(&self, at: i64) -> bool {
        let Relation {
            valid_from,
            valid_to,
            ..
        } = self.relation;
        valid_from.is_none_or(|from| at >= from) && valid_to.is_none_or(|to| at <= to)
    }
}

/// The edges at what has a name, in the order in which they came.
pub(super) fn edges<'a>(
    graph: &'a Knowledge,
    name: &str,
    direction: Direction,
) -> Vec<EdgeRef<'a>> {
    let nodes = all_named(graph, name).into_iter();
    let edges = nodes.flat_map(|node| node.edges(direction));
    let edges: BTreeMap<_, _> = edges
        .map(|edge| ((edge.order(), edge.id()), edge))
        .collect();
    edges.into_values().collect()
}

impl Service {
    /// What is related to an entity; nothing if there is none of that name.
    ///
    /// # Errors
    /// A [`Refusal`]: there is no such project, or the depth is not 1 to 5.
    pub fn related_entities(
        &self,
        project: Option<&str>,
        request: &GetRelated,
    ) -> Result<Related, Refusal> {
        let depth = request.max_depth.unwrap_or(1);
        if !(1..=DEEPEST).contains(&depth) {
            let message = format!("maxDepth is {depth}; give 1 to {DEEPEST}");
            return Err(Refusal::new("invalid_value", message));
        }
        let snapshot = self.project(project)?.snapshot()?;
        let graph = snapshot.document.knowledge();
        let mut related = Related {
            entity: request.entity_name.clone(),
            relations: Vec::new(),
            truncated: false,
        };
        let mut names = BTreeSet::from([request.entity_name.as_str()]);
        let (mut told, mut level) = (BTreeSet::new(), vec![request.entity_name.as_str()]);
        for at in 1..=depth {
            let mut next = Vec::new();
            for name in level {
                for edge in edges(graph, name, request.direction) {
                    let is_wanted = request.relation_type.as_ref();
                    if is_wanted.is_some_and(|ty| edge.ty() != ty) || !told.insert(edge.id()) {
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
                    let Some(node) = entity(graph, other) else {
                        continue;
                    };
                    if related.relations.len() == MOST_RELATED {
                        related.truncated = true;
                        return Ok(related);
                    }
                    related.relations.push(RelatedEntity {
                        relation_type: edge.ty().to_owned(),
                        direction,
                        entity: EntityTold::of(node),
                        depth: (at > 1).then_some(at),
                    });
                }
            }
            level = next;
        }
        Ok(related)
    }

    /// The paths from an entity along relations of these types, one behind the other; the first `most`. What is looked for
    /// too long is cut, which is told.
    ///
    /// # Errors
    /// A [`Refusal`]: there is no such project, or there are more than 100 steps.
    pub fn traverse_entities(
        &self,
        project: Option<&str>,
        start: &str,
        steps: &[PathStep],
        most: usize,
    ) -> Result<Traversed, Refusal> {
        const MOST_STEPS: usize = 100;
        if steps.len() > MOST_STEPS {
            let message = format!(
                "the path has {} steps; give at most {MOST_STEPS}",
                steps.len()
            );
            return Err(Refusal::new("too_large", message));
        }
        let snapshot = self.project(project)?.snapshot()?;
        let graph = snapshot.document.knowledge();
        let mut follower = Follower {
            graph,
            steps,
            most: most.min(MOST_PATHS),
            looked: 0,
            known: BTreeMap::new(),
            paths: Vec::new(),
        };
        let truncated = follower.follow(&mut vec![start]).is_break();
        let paths = follower.paths;
        let ends: BTreeSet<&str> = paths
            .iter()
            .filter_map(|path| path.last().copied())
            .collect();
        let ends = ends.into_iter().filter_map(|name| entity(graph, name));
        let ends: BTreeMap<_, _> = ends.map(|node| ((node.order(), node.id()), node)).collect();
        let relations: Vec<String> = steps
            .iter()
            .map(|step| step.relation_type.clone())
            .collect();
        let paths = paths.into_iter().map(|path| EntityPath {
            nodes: path.into_iter().map(str::to_owned).collect(),
            relations: relations.clone(),
        });
        Ok(Traversed {
            start_node: start.to_owned(),
            paths: paths.collect(),
            end_nodes: ends.into_values().map(EntityTold::of).collect(),
            truncated,
        })
    }

    /// Entities in brief: those with these names, or of this type, or all.
    ///
    /// # Errors
    /// A [`Refusal`] when there is no such project.
    pub fn summarize_entities(
        &self,
        project: Option<&str>,
        names: Option<&[String]>,
        ty: Option<&str>,
        format: EntitySummary,
    ) -> Result<EntitiesSummarized, Refusal> {
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

    /// The relations of an entity, or all, those that are over too.
    ///
    /// # Errors
    /// A [`Refusal`] when there is no such project.
    pub fn entity_relations(
        &self,
        project: Option<&str>,
        name: Option<&str>,
    ) -> Result<Vec<RelationTold>, Refusal> {
        let snapshot = self.project(project)?.snapshot()?;
        let graph = snapshot.document.knowledge();
        let all = match name {
            Some(name) => edges(graph, name, Direction::Both),
            None => graph.sorted_edges(),
        };
        let told = all.into_iter().map(|edge| RelationTold::of(graph, edge));
        Ok(told.collect())
    }
}

/// Follows relations of some types, one behind the other.
struct Follower<'a> {
    graph: &'a Knowledge,
    steps: &'a [PathStep],
    most: usize,
    /// How many names were looked at.
    looked: usize,
    /// Where a step leads from a name, for those that were looked at.
    known: BTreeMap<(usize, &'a str), Vec<&'a str>>,
    paths: Vec<Vec<&'a str>>,
}

impl<'a> Follower<'a> {
    /// Adds the paths that go on from this one; breaks off when there are too many, or it takes too long.
    fn follow(&mut self, path: &mut Vec<&'a str>) -> ControlFlow<()> {
        const MOST_LOOKED: usize = 1_000_000;
        let step = path.len() - 1;
        self.looked += 1;
        if self.looked > MOST_LOOKED {
            return ControlFlow::Break(());
        }
        if step == self.steps.len() {
            if self.paths.len() == self.most {
                return ControlFlow::Break(());
            }
            self.paths.push(path.clone());
            return ControlFlow::Continue(());
        }
        for next in self.led(step, path[step]) {
            path.push(next);
            self.follow(path)?;
            path.pop();
        }
        ControlFlow::Continue(())
    }

    fn led(&mut self, step: usize, name: &'a str) -> Vec<&'a str> {
        if let Some(known) = self.known.get(&(step, name)) {
            return known.clone();
        }
        let (graph, wanted) = (self.graph, &self.steps[step]);
        let direction = match wanted.direction {
            Heading::Out => Direction::Outgoing,
            Heading::In => Direction::Incoming,
        };
        let is_of = |name: &str, ty: &str| {
            entity(graph, name).is_some_and(|node| node.types().next() == Some(ty))
        };
        let all = edges(graph, name, direction).into_iter();
        let all = all.filter(|edge| edge.ty() == wanted.relation_type);
        let ends = all.map(|edge| match wanted.direction {
            Heading::Out => called(graph, edge.target()),
            Heading::In => called(graph, edge.source()),
        });
        let ends = ends.filter(|end| wanted.target_type.as_ref().is_none_or(|ty| is_of(end, ty)));
        let ends: Vec<&str> = ends.collect();
        self.known.insert((step, name), ends.clone());
        ends
    }
}
