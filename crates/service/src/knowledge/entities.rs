//! Entities and relations by name, as memory servers have them, on the knowledge graph.
//!
//! An entity is a node whose label is its name, and a relation is an edge. The rules of memory servers hold where they
//! differ: names are case-sensitive, and relations may refer to unknown entities, which are represented by a
//! [placeholder] until they are created. A placeholder is removed with its last relation and never shown as an entity.

use std::collections::{BTreeMap, BTreeSet};

use fibula_core::edit::Origin;
use fibula_core::graph::Document;
use fibula_knowledge::{Direction, EdgeRef, FUNCTION, FunctionEnd, Knowledge, NodeRef, id_of_name};

use super::add::{KnowledgeChange, QUICK};
use super::case_insensitive::CaseInsensitivePattern;
use super::entity_model::{
    Entity, EntityGraph, EntityPage, NewObservations, ObservationsAdded, OldObservations, Relation,
    called, seconds,
};
use super::node_lookup;
use super::placeholder;
use super::records::{GivenEdge, GivenNode, GivenObservation, OnConflict};
use super::writer::{Writer, overlaps};
use crate::project::change::CommitOptions;
use crate::refusal::{Refusal, Result};
use crate::service::Service;

/// Nodes with a name, in order of creation.
pub(super) fn all_named<'a>(graph: &'a Knowledge, name: &str) -> Vec<NodeRef<'a>> {
    let mut all = graph.labelled(name);
    all.retain(|node| node.label() == name);
    all
}

/// The first entity with a name.
pub(super) fn entity<'a>(graph: &'a Knowledge, name: &str) -> Option<NodeRef<'a>> {
    let mut all = all_named(graph, name).into_iter();
    all.find(|node| !placeholder::is_placeholder(*node))
}

/// Edges that state the relation.
fn matching_edges<'a>(graph: &'a Knowledge, relation: &Relation) -> Vec<EdgeRef<'a>> {
    let sources = all_named(graph, &relation.from);
    let edges = sources
        .iter()
        .flat_map(|node| node.edges(Direction::Outgoing));
    let mut edges: Vec<EdgeRef<'a>> = edges.collect();
    if FunctionEnd::parse(&relation.from).is_some() {
        edges.extend(graph.edges_at(&relation.from, Direction::Outgoing));
    }
    edges.retain(|edge| {
        edge.ty() == relation.relation_type && called(graph, edge.target()) == relation.to
    });
    edges
}

/// Subgraph of entities and the relations at them.
fn part(document: &Document, nodes: &[NodeRef<'_>]) -> EntityGraph {
    let graph = document.knowledge();
    let mut edges = BTreeMap::new();
    let mut names = BTreeSet::new();
    for node in nodes.iter().filter(|node| names.insert(node.label())) {
        // Relations are of names: those at other nodes with the same name are included.
        for own in all_named(graph, node.label()) {
            for edge in own.edges(Direction::Both) {
                edges.insert((edge.order(), edge.id()), edge);
            }
        }
    }
    EntityGraph {
        entities: nodes.iter().map(|node| Entity::of(*node)).collect(),
        relations: edges
            .values()
            .map(|edge| Relation::of(document, *edge))
            .collect(),
    }
}

impl Service {
    /// Creates entities whose names are new, and returns them.
    ///
    /// # Errors
    /// A [`Refusal`] if a name or type is invalid or too large.
    pub fn create_entities(
        &self,
        origin: &Origin,
        project: Option<&str>,
        entities: &[Entity],
    ) -> Result<Vec<Entity>> {
        self.remember(origin, project, entities.len(), |writer| {
            let is_new = |name: &str| entity(writer.graph(), name).is_none();
            let new = entities.iter().filter(|entity| is_new(&entity.name));
            let new: Vec<Entity> = new.cloned().collect();
            for entity in &new {
                define(writer, entity)?;
            }
            Ok(new)
        })
    }

    /// Creates relations that are new, and returns them. Names such as "fn:Plate#wall" stand for functions and their nodes.
    ///
    /// # Errors
    /// A [`Refusal`] if a name or type is invalid or too large, or there is no such function or node.
    pub fn create_relations(
        &self,
        origin: &Origin,
        project: Option<&str>,
        relations: &[Relation],
    ) -> Result<Vec<Relation>> {
        self.remember(origin, project, relations.len(), |writer| {
            let mut new = Vec::new();
            for relation in relations {
                let mut relation = relation.clone();
                for name in [&mut relation.from, &mut relation.to] {
                    if name.starts_with(FUNCTION) && entity(writer.graph(), name).is_none() {
                        *name = node_lookup::end(writer.document(), name)?;
                    }
                }
                let [valid_from, valid_to] = relation.validity()?;
                let before = matching_edges(writer.graph(), &relation);
                if !before
                    .iter()
                    .any(|edge| overlaps(*edge, valid_from, valid_to))
                {
                    new.push((relation, [valid_from, valid_to]));
                }
            }
            for (relation, [valid_from, valid_to]) in &new {
                let source = end(writer, &relation.from)?;
                let target = end(writer, &relation.to)?;
                let edge = GivenEdge {
                    source,
                    target,
                    ty: relation.relation_type.clone(),
                    valid_from: *valid_from,
                    valid_to: *valid_to,
                    creator: relation.created_by.clone(),
                    ..GivenEdge::default()
                };
                writer.add_edge(edge, OnConflict::Add)?;
            }
            Ok(new.into_iter().map(|(relation, _)| relation).collect())
        })
    }

    /// Adds observations that are new to entities, and returns them.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such entity, or it would be too large. Nothing is added then.
    pub fn add_observations(
        &self,
        origin: &Origin,
        project: Option<&str>,
        additions: &[NewObservations],
    ) -> Result<Vec<ObservationsAdded>> {
        self.remember(origin, project, additions.len(), |writer| {
            let (at, by) = writer.now();
            let mut added = Vec::new();
            for one in additions {
                let node = entity(writer.graph(), &one.entity_name).ok_or_else(|| {
                    let message = format!("Entity with name {} not found", one.entity_name);
                    Refusal::new("unknown_node", message)
                })?;
                let is_new =
                    |text: &&String| !node.observations().iter().any(|own| own.text == **text);
                let new: Vec<String> = one.contents.iter().filter(is_new).cloned().collect();
                if !new.is_empty() {
                    let noted = new.iter().cloned().map(GivenObservation::Text);
                    let noted = noted.map(|one| one.noted(at, by)).collect();
                    let id = node.id().to_owned();
                    writer.update_observations(&id, Vec::new(), noted)?;
                }
                added.push(ObservationsAdded {
                    entity_name: one.entity_name.clone(),
                    added_observations: new,
                });
            }
            Ok(added)
        })
    }

    /// Deletes entities with their relations; ignores unknown names.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, or it cannot be changed.
    pub fn delete_entities(
        &self,
        origin: &Origin,
        project: Option<&str>,
        names: &[String],
    ) -> Result<()> {
        self.remember(origin, project, names.len(), |writer| {
            for name in names {
                let nodes = all_named(writer.graph(), name).into_iter();
                let ids: Vec<String> = nodes.map(|node| node.id().to_owned()).collect();
                for id in ids {
                    let others = neighbours(writer.graph(), &id);
                    writer.remove(&id)?;
                    tidy(writer, &others)?;
                }
            }
            Ok(())
        })
    }

    /// Deletes observations of entities; ignores unknown ones.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, or it cannot be changed.
    pub fn delete_observations(
        &self,
        origin: &Origin,
        project: Option<&str>,
        deletions: &[OldObservations],
    ) -> Result<()> {
        self.remember(origin, project, deletions.len(), |writer| {
            for one in deletions {
                let Some(node) = entity(writer.graph(), &one.entity_name) else {
                    continue;
                };
                let all = (0_u32..).zip(node.observations());
                let indices = all.filter(|(_, own)| one.observations.contains(&own.text));
                let indices: Vec<u32> = indices.map(|(place, _)| place).collect();
                if !indices.is_empty() {
                    let id = node.id().to_owned();
                    writer.update_observations(&id, indices, Vec::new())?;
                }
            }
            Ok(())
        })
    }

    /// Deletes relations; ignores unknown ones.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, or it cannot be changed.
    pub fn delete_relations(
        &self,
        origin: &Origin,
        project: Option<&str>,
        relations: &[Relation],
    ) -> Result<()> {
        self.remember(origin, project, relations.len(), |writer| {
            for relation in relations {
                let mut relation = relation.clone();
                for name in [&mut relation.from, &mut relation.to] {
                    if all_named(writer.graph(), name).is_empty()
                        && name.starts_with(FUNCTION)
                        && let Ok(id) = node_lookup::end_id(writer.document(), name)
                    {
                        *name = id;
                    }
                }
                let mut edges = matching_edges(writer.graph(), &relation);
                // Given times must match.
                edges.retain(|edge| {
                    let times = [relation.valid_from, relation.valid_to];
                    let own = edge.validity().map(|time| time.map(seconds));
                    times
                        .iter()
                        .zip(own)
                        .all(|(time, own)| time.is_none() || *time == own)
                });
                let edges = edges.into_iter();
                let edges =
                    edges.map(|edge| [edge.id(), edge.source(), edge.target()].map(str::to_owned));
                let edges: Vec<[String; 3]> = edges.collect();
                for [id, source, target] in edges {
                    writer.remove_edge(&id)?;
                    tidy(writer, &[source, target])?;
                }
            }
            Ok(())
        })
    }

    /// Returns the whole graph, or a page of its entities with the relations at them.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project.
    pub fn read_entities(&self, project: Option<&str>, page: EntityPage) -> Result<EntityGraph> {
        let snapshot = self.project(project)?.snapshot()?;
        let graph = snapshot.document.knowledge();
        if page != EntityPage::default() {
            let some = page.of(entities(graph));
            return Ok(part(&snapshot.document, &some.collect::<Vec<_>>()));
        }
        let edges = graph.sorted_edges().into_iter();
        Ok(EntityGraph {
            entities: entities(graph).map(Entity::of).collect(),
            relations: edges
                .map(|edge| Relation::of(&snapshot.document, edge))
                .collect(),
        })
    }

    /// Searches entities whose name, type or an observation contains a text, ignoring case. Returns them with the
    /// relations at them.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project.
    pub fn search_entities(
        &self,
        project: Option<&str>,
        text: &str,
        page: EntityPage,
    ) -> Result<EntityGraph> {
        let project = self.project(project)?;
        let snapshot = project.snapshot()?;
        let graph = snapshot.document.knowledge();
        // A text that is a synonym is sought with the others of its groups.
        let is_it = |word: &String| word.to_lowercase() == text.to_lowercase();
        let groups = graph.schema().synonyms.iter();
        let groups = groups.filter(|group| group.iter().any(is_it));
        let synonyms: BTreeSet<&str> = groups.flatten().map(String::as_str).collect();
        let mut found = Vec::new();
        for text in std::iter::once(text).chain(synonyms) {
            let sought = CaseInsensitivePattern::new(text);
            let is_found = |node: &NodeRef<'_>| {
                (sought.is_in(node.label())
                    || node.types().next().is_some_and(|ty| sought.is_in(ty))
                    || node
                        .observations()
                        .iter()
                        .any(|one| sought.is_in(&one.text)))
                    && !placeholder::is_placeholder(*node)
            };
            let mut with_text = project.text_candidates(graph, text);
            with_text.retain(is_found);
            found.append(&mut with_text);
        }
        found.sort_by_key(|node| (node.order(), node.id()));
        found.dedup_by_key(|node| node.id());
        Ok(part(
            &snapshot.document,
            &page.of(found.into_iter()).collect::<Vec<_>>(),
        ))
    }

    /// Returns the entities with these names, and the relations at them.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project.
    pub fn open_entities(&self, project: Option<&str>, names: &[String]) -> Result<EntityGraph> {
        let snapshot = self.project(project)?.snapshot()?;
        let graph = snapshot.document.knowledge();
        let mut nodes = BTreeMap::new();
        for node in names.iter().flat_map(|name| all_named(graph, name)) {
            if !placeholder::is_placeholder(node) {
                nodes.insert((node.order(), node.id()), node);
            }
        }
        Ok(part(
            &snapshot.document,
            &nodes.into_values().collect::<Vec<_>>(),
        ))
    }

    /// Changes the graph as one step.
    fn remember<T>(
        &self,
        origin: &Origin,
        project: Option<&str>,
        items: usize,
        work: impl Fn(&mut Writer<'_>) -> Result<T>,
    ) -> Result<T> {
        let items = items.min(QUICK + 1);
        let condition = CommitOptions::default();
        self.write(
            KnowledgeChange::new(origin, project, condition, "remember", items),
            work,
            |made, _| made,
        )
    }
}

/// Entities in order of creation.
pub(super) fn entities(graph: &Knowledge) -> impl Iterator<Item = NodeRef<'_>> {
    let nodes = graph.sorted_nodes().into_iter();
    nodes.filter(|node| !placeholder::is_placeholder(*node))
}

/// Creates an entity, replacing its placeholder if there is one.
fn define(writer: &mut Writer<'_>, entity: &Entity) -> Result<()> {
    let graph = writer.graph();
    let stand_in = all_named(graph, &entity.name)
        .into_iter()
        .find(|node| placeholder::is_placeholder(*node));
    let node = GivenNode {
        id: None,
        label: entity.name.clone(),
        types: vec![entity.entity_type.clone()],
        observations: entity
            .observations
            .iter()
            .cloned()
            .map(GivenObservation::Text)
            .collect(),
        creator: entity.created_by.clone(),
        ..GivenNode::default()
    };
    match stand_in.map(|node| node.id().to_owned()) {
        Some(id) => placeholder::define(writer, &id, node),
        None => writer.make(free_id(graph, &entity.name), node),
    }
}

/// Id of a node with this name: that of the name, if it is free.
fn free_id(graph: &Knowledge, name: &str) -> String {
    let id = id_of_name(name);
    let is_free = graph.find(&id).is_none() && !id.is_empty() && !name.starts_with(FUNCTION);
    if is_free {
        id.into_owned()
    } else {
        graph.free_node_id()
    }
}

/// Id of the end of a relation; creates a placeholder if there is none.
fn end(writer: &mut Writer<'_>, name: &str) -> Result<String> {
    let graph = writer.graph();
    if let Some(node) = entity(graph, name) {
        return Ok(node.id().to_owned());
    }
    if FunctionEnd::parse(name).is_some() {
        return Ok(name.to_owned());
    }
    if let Some(node) = all_named(graph, name).into_iter().next() {
        return Ok(node.id().to_owned());
    }
    let id = free_id(graph, name);
    placeholder::create(writer, &id, name)?;
    Ok(id)
}

/// Ids of the other ends of a node's edges.
fn neighbours(graph: &Knowledge, id: &str) -> Vec<String> {
    let edges = graph.edges_at(id, Direction::Both).into_iter();
    let ends = edges.flat_map(|edge| [edge.source(), edge.target()]);
    let ends: BTreeSet<&str> = ends.filter(|end| *end != id).collect();
    ends.into_iter().map(str::to_owned).collect()
}

/// Removes placeholders without relations.
fn tidy(writer: &mut Writer<'_>, ids: &[String]) -> Result<()> {
    for id in ids {
        let node = writer.graph().find(id);
        if node.is_some_and(|node| {
            placeholder::is_placeholder(node) && node.degree(Direction::Both) == 0
        }) {
            writer.remove(id)?;
        }
    }
    Ok(())
}
