//! Writer of a knowledge graph: adds provenance, enforces the schema, and resolves conflicts with existing items.

use fibula_core::edit::{Checked, Edit, EditError, KnowledgeEdit, Origin, Stage, State};
use fibula_core::graph::Document;
use fibula_knowledge::{
    Edge, EdgeRef, FunctionEnd, Knowledge, Node, NodeRef, Observation, ObservationChange, Schema,
    SchemaViolation, Strictness, is_same_type,
};
use serde_json::{Map, Value as Json, json};

use super::node_lookup;
use super::records::{GivenEdge, GivenNode, OnConflict};
use super::timestamp::Timestamp;
use crate::project::change::now;
use crate::refusal::{Refusal, Result};

/// Maximum number of warnings of a call.
const MOST_WARNINGS: usize = 20;

/// Pushes changes of a knowledge graph to a stage.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    stage: Stage,
    by: &'a str,
    at: i64,
    revision: u64,
    warnings: Warnings,
    counts: Counts,
}

/// Warnings of a call.
#[derive(Debug, Default)]
struct Warnings {
    texts: Vec<String>,
    more: usize,
}

/// Numbers of changed items, for the label in the history.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    nodes: usize,
    edges: usize,
}

/// Outcome for a node or an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Made,
    Merged,
    Replaced,
    Skipped,
}

impl Warnings {
    fn push(&mut self, text: String) {
        if self.texts.contains(&text) {
        } else if self.texts.len() < MOST_WARNINGS {
            self.texts.push(text);
        } else {
            self.more += 1;
        }
    }

    fn into_texts(self) -> Vec<String> {
        let Warnings { mut texts, more } = self;
        if more > 0 {
            texts.push(format!("and {more} more like these"));
        }
        texts
    }
}

impl<'a> Writer<'a> {
    pub(super) fn new(state: &State, origin: &'a Origin) -> Writer<'a> {
        Writer::over(Stage::new(state.document()), origin, state.revision())
    }

    /// Writes to a stage that has other edits already.
    pub(super) fn over(stage: Stage, origin: &'a Origin, revision: u64) -> Writer<'a> {
        Writer {
            stage,
            by: &origin.client,
            at: now() as i64,
            revision,
            warnings: Warnings::default(),
            counts: Counts::default(),
        }
    }

    /// The document with the changes so far.
    pub(super) fn document(&self) -> &Document {
        self.stage.document()
    }

    /// The knowledge graph with the changes so far.
    pub(super) fn graph(&self) -> &Knowledge {
        self.document().knowledge()
    }

    /// Revision before the changes.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// Time and author of the changes.
    pub(super) fn now(&self) -> (i64, &'a str) {
        (self.at, self.by)
    }

    pub(super) fn warn(&mut self, text: impl Into<String>) {
        self.warnings.push(text.into());
    }

    /// Returns the stage with the changes, and the warnings.
    pub(super) fn into_stage(self) -> (Stage, Vec<String>) {
        (self.stage, self.warnings.into_texts())
    }

    /// Returns the changes as one checked edit, the warnings, and the label for the history.
    pub(super) fn finish(self, verb: &str) -> (Checked, Vec<String>, String) {
        let texts = self.warnings.into_texts();
        let parts = [("node", self.counts.nodes), ("edge", self.counts.edges)];
        let parts = parts.into_iter().filter(|(_, count)| *count > 0);
        let parts: Vec<String> = parts
            .map(|(what, count)| format!("{count} {what}{}", if count == 1 { "" } else { "s" }))
            .collect();
        let label = if parts.is_empty() {
            format!("{verb} nothing")
        } else {
            format!("{verb} {}", parts.join(" and "))
        };
        (self.stage.finish(), texts, label)
    }

    fn push(&mut self, edit: KnowledgeEdit) -> Result<()> {
        self.stage.push(&Edit::Knowledge(edit))?;
        Ok(())
    }

    /// Refuses or warns of violations of the schema, depending on its strictness.
    fn object(&mut self, what: &str, objections: &[SchemaViolation]) -> Result<()> {
        let texts: Vec<String> = objections.iter().map(SchemaViolation::to_string).collect();
        match self.graph().schema().strict {
            Strictness::Off => Ok(()),
            _ if texts.is_empty() => Ok(()),
            Strictness::Warn => {
                for text in texts {
                    self.warnings.push(text);
                }
                Ok(())
            }
            Strictness::Reject => {
                let message = format!("{what}: {}", texts.join("; "));
                Err(Refusal::new("not_in_schema", message).hint(
                    "get_schema lists the types; set_schema declares others, or with \"strict\": \"warn\" allows any",
                ))
            }
        }
    }

    /// Puts a complete node.
    pub(super) fn put(&mut self, node: Node) -> Result<()> {
        let before = self.graph().find(&node.id);
        let is_known = before.is_some_and(|before| before.types().eq(&node.types));
        if !is_known {
            let objections = self.graph().schema().node_violations(&node.types);
            let objections: Vec<SchemaViolation> = objections.collect();
            self.object(&format!("node '{}'", node.id), &objections)?;
        }
        self.counts.nodes += 1;
        self.push(KnowledgeEdit::PutNode(Box::new(node)))
    }

    /// Puts a complete edge between ids.
    pub(super) fn put_edge(&mut self, edge: Edge) -> Result<()> {
        let graph = self.graph();
        let types = [&edge.source, &edge.target].map(|id| {
            let node = graph.find(id)?;
            Some(node.types().map(str::to_owned).collect::<Vec<String>>())
        });
        let objections = graph
            .schema()
            .edge_violations(&edge.ty, types.each_ref().map(Option::as_deref));
        self.object(&format!("edge '{}'", edge.id), &objections)?;
        self.counts.edges += 1;
        self.push(KnowledgeEdit::PutEdge(Box::new(edge)))
    }

    /// Adds a node, or resolves the conflict with the one that has its id.
    pub(super) fn add(
        &mut self,
        new: GivenNode,
        on_conflict: OnConflict,
    ) -> Result<(String, Outcome)> {
        if let Some(id) = &new.id
            && let Some(before) = self.graph().find(id)
        {
            let before = before.written();
            return self.resolve_conflict(before, new, on_conflict);
        }
        let graph = self.graph();
        let id = new.id.clone().unwrap_or_else(|| graph.free_node_id());
        if new.id.is_none()
            && let Some(other) = graph.labelled(&new.label).first()
        {
            let text = format!(
                "node '{}' has the label '{}' too; if they are the same, merge_nodes merges them, or update one and remove the other",
                other.id(),
                other.label()
            );
            self.warn(text);
        }
        self.make(id.clone(), new)?;
        Ok((id, Outcome::Made))
    }

    /// Creates a node, replacing the one with its id.
    pub(super) fn make(&mut self, id: String, new: GivenNode) -> Result<()> {
        let node = self.new_node(id, new);
        self.put(node)
    }

    /// A new node.
    fn new_node(&self, id: String, new: GivenNode) -> Node {
        let creator = new.creator.unwrap_or_else(|| self.by.to_owned());
        let noted = new.observations.into_iter();
        Node {
            id,
            label: new.label,
            types: new.types,
            data: new.data,
            observations: noted.map(|one| one.noted(self.at, &creator)).collect(),
            position: new.position,
            creator,
            created: self.at,
            modified: self.at,
            version: 1,
            order: self.graph().next_node(),
        }
    }

    /// Resolves the conflict of a new node with the existing one.
    fn resolve_conflict(
        &mut self,
        before: Node,
        new: GivenNode,
        on_conflict: OnConflict,
    ) -> Result<(String, Outcome)> {
        let id = before.id.clone();
        match on_conflict {
            OnConflict::Skip => Ok((id, Outcome::Skipped)),
            OnConflict::Error | OnConflict::Add => Err(duplicate_id("node", &id)),
            OnConflict::Merge => {
                let mut node = before;
                let added = new.types.into_iter();
                for ty in added {
                    if !node.types.iter().any(|own| is_same_type(own, &ty)) {
                        node.types.push(ty);
                    }
                }
                node.label = new.label;
                merge(&mut node.data, new.data);
                let by = new.creator.as_deref().unwrap_or(self.by);
                for one in new.observations {
                    let one = one.noted(self.at, by);
                    if !node.observations.iter().any(|own| own.text == one.text) {
                        node.observations.push(one);
                    }
                }
                node.position = new.position.or(node.position);
                self.replace(node)?;
                Ok((id, Outcome::Merged))
            }
            OnConflict::Replace => {
                let mut node = self.new_node(id.clone(), new);
                node.creator = before.creator;
                (node.created, node.order) = (before.created, before.order);
                node.version = before.version;
                self.replace(node)?;
                Ok((id, Outcome::Replaced))
            }
        }
    }

    /// Replaces a node by its changed copy.
    pub(super) fn replace(&mut self, mut node: Node) -> Result<()> {
        node.version = node.version.saturating_add(1);
        node.modified = self.at;
        self.put(node)
    }

    /// Adds observations to a node, and removes those with these indices.
    pub(super) fn update_observations(
        &mut self,
        id: &str,
        remove: Vec<u32>,
        add: Vec<Observation>,
    ) -> Result<()> {
        let node = self.graph().node(id).map_err(EditError::from)?;
        let first = (node.observations().len() - remove.len()) as u32;
        let observing = ObservationChange {
            id: id.to_owned(),
            remove,
            insert: (first..).zip(add).collect(),
            modified: self.at,
            version: node.version().saturating_add(1),
        };
        self.counts.nodes += 1;
        self.push(KnowledgeEdit::Observe(observing))
    }

    /// Adds an edge, or resolves the conflict with an equal one.
    pub(super) fn add_edge(
        &mut self,
        new: GivenEdge,
        on_conflict: OnConflict,
    ) -> Result<(String, Outcome)> {
        let source = node_lookup::end(self.document(), &new.source)?;
        let target = node_lookup::end(self.document(), &new.target)?;
        if [&source, &target]
            .iter()
            .all(|id| FunctionEnd::parse(id).is_some())
        {
            let message = format!("'{source}' and '{target}' are both functions");
            return Err(Refusal::new("invalid_edge", message)
                .hint("one end of an edge must be a node of the knowledge graph; functions are linked by create_link"));
        }
        let graph = self.graph();
        let by_id = new.id.as_deref().and_then(|id| graph.find_edge(id));
        let same = || {
            let between = graph.edges_between(&source, &target).into_iter();
            let mut same = between.filter(|edge| is_same_type(edge.ty(), &new.ty));
            same.find(|edge| overlaps(*edge, new.valid_from, new.valid_to))
        };
        let beside = on_conflict == OnConflict::Add;
        let before = by_id.or_else(|| if beside { None } else { same() });
        let Some(before) = before.map(|edge| edge.written()) else {
            let id = new.id.clone().unwrap_or_else(|| graph.free_edge_id());
            let edge = self.new_edge(id.clone(), [source, target], new);
            self.put_edge(edge)?;
            return Ok((id, Outcome::Made));
        };
        let id = before.id.clone();
        match on_conflict {
            OnConflict::Skip => Ok((id, Outcome::Skipped)),
            OnConflict::Error | OnConflict::Add => Err(if new.id.as_ref() == Some(&id) {
                duplicate_id("edge", &id)
            } else {
                let message = format!(
                    "edge '{id}' states the same: '{}' {} '{}'",
                    before.source, before.ty, before.target
                );
                Refusal::new("duplicate_edge", message)
                    .hint("set on_conflict to skip, merge, replace or add")
            }),
            OnConflict::Merge => {
                let mut edge = before;
                (edge.source, edge.target) = (source, target);
                merge(&mut edge.data, new.data);
                edge.label = new.label.or(edge.label);
                edge.weight = new.weight.or(edge.weight);
                edge.valid_from = new.valid_from.map(|time| time.0).or(edge.valid_from);
                edge.valid_to = new.valid_to.map(|time| time.0).or(edge.valid_to);
                edge.modified = self.at;
                self.put_edge(edge)?;
                Ok((id, Outcome::Merged))
            }
            OnConflict::Replace => {
                let mut edge = self.new_edge(id.clone(), [source, target], new);
                edge.creator = before.creator;
                (edge.created, edge.order) = (before.created, before.order);
                self.put_edge(edge)?;
                Ok((id, Outcome::Replaced))
            }
        }
    }

    fn new_edge(&self, id: String, [source, target]: [String; 2], new: GivenEdge) -> Edge {
        Edge {
            id,
            source,
            target,
            ty: new.ty,
            label: new.label,
            data: new.data,
            weight: new.weight,
            valid_from: new.valid_from.map(|time| time.0),
            valid_to: new.valid_to.map(|time| time.0),
            creator: new.creator.unwrap_or_else(|| self.by.to_owned()),
            created: self.at,
            modified: self.at,
            order: self.graph().next_edge(),
        }
    }

    /// Removes a node with its edges.
    pub(super) fn remove(&mut self, id: &str) -> Result<()> {
        self.counts.nodes += 1;
        self.push(KnowledgeEdit::RemoveNode { id: id.to_owned() })
    }

    /// Removes an edge.
    pub(super) fn remove_edge(&mut self, id: &str) -> Result<()> {
        self.counts.edges += 1;
        self.push(KnowledgeEdit::RemoveEdge { id: id.to_owned() })
    }

    /// Moves a node in drawings.
    pub(super) fn place(&mut self, id: &str, position: Option<[f64; 2]>) -> Result<()> {
        self.counts.nodes += 1;
        let id = id.to_owned();
        self.push(KnowledgeEdit::MoveNode { id, position })
    }

    /// Declares types.
    pub(super) fn declare(&mut self, schema: Schema) -> Result<()> {
        self.push(KnowledgeEdit::SetSchema(schema))
    }

    /// Looks up a node, with the changes so far.
    pub(super) fn named(&self, text: &str) -> Result<NodeRef<'_>> {
        node_lookup::node(self.graph(), text)
    }
}

/// True if the validity of an edge overlaps an interval.
pub(super) fn overlaps(edge: EdgeRef<'_>, from: Option<Timestamp>, to: Option<Timestamp>) -> bool {
    let [own_from, own_to] = edge.validity();
    let ends_before =
        |to: Option<i64>, from: Option<i64>| to.zip(from).is_some_and(|(to, from)| to <= from);
    let (from, to) = (from.map(|time| time.0), to.map(|time| time.0));
    !ends_before(own_to, from) && !ends_before(to, own_from)
}

fn duplicate_id(what: &str, id: &str) -> Refusal {
    Refusal::new("duplicate_id", format!("{what} '{id}' exists already"))
        .hint("set on_conflict to skip, merge or replace")
}

/// Applies a JSON merge patch (RFC 7396): null removes a member, objects are merged recursively, other values replace.
pub(super) fn merge(data: &mut Map<String, Json>, patch: Map<String, Json>) {
    for (name, value) in patch {
        match value {
            Json::Null => {
                data.remove(&name);
            }
            Json::Object(patch) => {
                let member = data.entry(name).or_insert_with(|| json!({}));
                if !member.is_object() {
                    *member = json!({});
                }
                if let Json::Object(member) = member {
                    merge(member, patch);
                }
            }
            value => {
                data.insert(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merge_patch_follows_rfc_7396() {
        // The examples of its appendix A that are objects.
        let check = |before: Json, patch: Json, after: Json| {
            let (Json::Object(mut data), Json::Object(patch)) = (before, patch) else {
                panic!("objects");
            };
            merge(&mut data, patch);
            assert_eq!(Json::Object(data), after);
        };
        check(json!({"a":"b"}), json!({"a":"c"}), json!({"a":"c"}));
        check(json!({"a":"b"}), json!({"b":"c"}), json!({"a":"b","b":"c"}));
        check(json!({"a":"b"}), json!({"a":null}), json!({}));
        check(json!({"a":["b"]}), json!({"a":"c"}), json!({"a":"c"}));
        check(
            json!({"a":{"b":"c"}}),
            json!({"a":{"b":"d","c":null}}),
            json!({"a":{"b":"d"}}),
        );
        check(
            json!({}),
            json!({"a":{"bb":{"ccc":null}}}),
            json!({"a":{"bb":{}}}),
        );
        check(json!({"e":null}), json!({"a":1}), json!({"e":null,"a":1}));
    }
}
