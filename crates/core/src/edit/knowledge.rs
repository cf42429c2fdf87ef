//! Edits of the knowledge graph.

use fibula_knowledge::{
    Direction, Edge, EdgeRef, Knowledge, Node, NodeRef, ObservationChange, Schema, check_position,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::footprint::{Footprint, ProjectItem};
use super::group::EditGroup;
use super::{Checked, Edit, EditError, Plan, Stage, single_edit};
use crate::graph::Document;

/// Edits of the knowledge graph; in JSON `{"put_node": {"id": "n1", ...}}`.
///
/// Authors and times are part of the edits. Functions at the ends of edges need not exist: an intent outlives its
/// function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum KnowledgeEdit {
    /// Adds a node, or replaces the one with its id, whose edges it keeps.
    PutNode(Box<Node>),
    /// Removes a node with its edges.
    RemoveNode {
        /// Its id.
        id: String,
    },
    /// Changes or clears the position of a node in pictures; its version stays.
    MoveNode {
        /// Its id.
        id: String,
        /// The new position.
        #[serde(default)]
        position: Option<[f64; 2]>,
    },
    /// Changes the observations of a node.
    Observe(ObservationChange),
    /// Adds an edge, or replaces the one with its id.
    PutEdge(Box<Edge>),
    /// Removes an edge.
    RemoveEdge {
        /// Its id.
        id: String,
    },
    /// Replaces the declared types.
    SetSchema(Schema),
}

impl EditGroup for KnowledgeEdit {
    fn check(&self, document: &Document) -> Result<Checked, EditError> {
        check(document, self)
    }

    fn summary(&self) -> String {
        match self {
            KnowledgeEdit::PutNode(node) => format!("set node '{}'", short(&node.label)),
            KnowledgeEdit::RemoveNode { id } => format!("remove node '{}'", short(id)),
            KnowledgeEdit::MoveNode { id, .. } => format!("move node '{}'", short(id)),
            KnowledgeEdit::Observe(observing) => {
                format!("add an observation to '{}'", short(&observing.id))
            }
            KnowledgeEdit::PutEdge(edge) => {
                let [source, ty, target] =
                    [&edge.source, &edge.ty, &edge.target].map(|text| short(text));
                format!("set edge '{source}' {ty} '{target}'")
            }
            KnowledgeEdit::RemoveEdge { id } => format!("remove edge '{}'", short(id)),
            KnowledgeEdit::SetSchema(_) => "set the schema of the knowledge graph".to_owned(),
        }
    }

    fn add_to(&self, footprint: &mut Footprint) {
        match self {
            // If it adds the node, the inverse removes it.
            KnowledgeEdit::PutNode(node) => {
                footprint.write(ProjectItem::KnowledgeContent(node.id.clone()));
            }
            KnowledgeEdit::RemoveNode { id } => {
                footprint.write(ProjectItem::KnowledgeNode(id.clone()));
            }
            KnowledgeEdit::MoveNode { .. } => {}
            KnowledgeEdit::Observe(change) => {
                footprint.write(ProjectItem::KnowledgeContent(change.id.clone()));
            }
            KnowledgeEdit::PutEdge(edge) => {
                footprint.write(ProjectItem::KnowledgeEdge(edge.id.clone()));
                for end in [&edge.source, &edge.target] {
                    footprint.require(ProjectItem::KnowledgeNode(end.clone()));
                }
            }
            KnowledgeEdit::RemoveEdge { id } => {
                footprint.write(ProjectItem::KnowledgeEdge(id.clone()));
            }
            KnowledgeEdit::SetSchema(_) => footprint.write(ProjectItem::KnowledgeSchema),
        }
    }

    fn size(&self) -> usize {
        1 + match self {
            KnowledgeEdit::PutNode(node) => node.observations.len() + node.data.len(),
            KnowledgeEdit::Observe(observing) => observing.remove.len() + observing.insert.len(),
            KnowledgeEdit::PutEdge(edge) => edge.data.len(),
            KnowledgeEdit::SetSchema(schema) => {
                let ends = schema.edge_types.iter();
                let ends = ends.map(|ty| 1 + ty.domain.len() + ty.range.len());
                schema.node_types.len() + ends.sum::<usize>()
            }
            KnowledgeEdit::RemoveNode { .. }
            | KnowledgeEdit::MoveNode { .. }
            | KnowledgeEdit::RemoveEdge { .. } => 0,
        }
    }
}

impl KnowledgeEdit {
    /// Applies the facts to the document that they were checked against.
    pub(super) fn apply(self, document: &mut Document) {
        let knowledge = document.knowledge_mut();
        let there = "what was checked names what is there";
        match self {
            KnowledgeEdit::PutNode(node) => knowledge.put_node(*node),
            KnowledgeEdit::RemoveNode { id } => knowledge.remove_node(&id).expect(there),
            KnowledgeEdit::MoveNode { id, position } => {
                knowledge.move_node(&id, position).expect(there);
            }
            KnowledgeEdit::Observe(observing) => knowledge.observe(&observing).expect(there),
            KnowledgeEdit::PutEdge(edge) => knowledge.put_edge(*edge),
            KnowledgeEdit::RemoveEdge { id } => knowledge.remove_edge(&id).expect(there),
            KnowledgeEdit::SetSchema(schema) => knowledge.set_schema(schema),
        }
    }
}

/// Checks an edit.
pub(super) fn check(document: &Document, edit: &KnowledgeEdit) -> Result<Checked, EditError> {
    let knowledge = document.knowledge();
    let inverse = match edit {
        KnowledgeEdit::PutNode(node) => {
            knowledge.check_node(node)?;
            match knowledge.find(&node.id) {
                Some(before) => put_node(before),
                None => Edit::Knowledge(KnowledgeEdit::RemoveNode {
                    id: node.id.clone(),
                }),
            }
        }
        KnowledgeEdit::RemoveNode { id } => {
            let node = knowledge.node(id)?;
            let edges = node.edges(Direction::Both).into_iter().map(put_edge);
            single_edit([put_node(node)].into_iter().chain(edges).collect())
        }
        KnowledgeEdit::MoveNode { id, position } => {
            check_position(*position)?;
            Edit::Knowledge(KnowledgeEdit::MoveNode {
                id: id.clone(),
                position: knowledge.node(id)?.position(),
            })
        }
        KnowledgeEdit::Observe(observing) => {
            knowledge.check_observation_change(observing)?;
            let inverse = observing.inverse(knowledge.node(&observing.id)?);
            Edit::Knowledge(KnowledgeEdit::Observe(
                inverse.expect("its places were checked"),
            ))
        }
        KnowledgeEdit::PutEdge(edge) => {
            knowledge.check_edge(edge)?;
            match knowledge.find_edge(&edge.id) {
                Some(before) => put_edge(before),
                None => Edit::Knowledge(KnowledgeEdit::RemoveEdge {
                    id: edge.id.clone(),
                }),
            }
        }
        KnowledgeEdit::RemoveEdge { id } => put_edge(knowledge.edge(id)?),
        KnowledgeEdit::SetSchema(schema) => {
            schema.check()?;
            Edit::Knowledge(KnowledgeEdit::SetSchema(knowledge.schema().clone()))
        }
    };
    let facts = Edit::Knowledge(edit.clone());
    Ok(Checked::new(facts, inverse, Plan::Knowledge(edit.clone())))
}

fn put_node(node: NodeRef<'_>) -> Edit {
    Edit::Knowledge(KnowledgeEdit::PutNode(Box::new(node.written())))
}

fn put_edge(edge: EdgeRef<'_>) -> Edit {
    Edit::Knowledge(KnowledgeEdit::PutEdge(Box::new(edge.written())))
}

/// Does the edits that lead from one knowledge graph to another of the same project.
pub(super) fn restore(
    stage: &mut Stage,
    now: &Knowledge,
    then: &Knowledge,
) -> Result<(), EditError> {
    if now.hash() == then.hash() {
        return Ok(());
    }
    let mut push = |edit: Edit| stage.push(&edit).map(drop);
    for edge in now.sorted_edges() {
        if then.find_edge(edge.id()).is_none() {
            let id = edge.id().to_owned();
            push(Edit::Knowledge(KnowledgeEdit::RemoveEdge { id }))?;
        }
    }
    for node in then.sorted_nodes() {
        if now.find(node.id()).map(|now| now.hash()) != Some(node.hash()) {
            push(put_node(node))?;
        }
    }
    for edge in then.sorted_edges() {
        if now.find_edge(edge.id()).map(|now| now.hash()) != Some(edge.hash()) {
            push(put_edge(edge))?;
        }
    }
    for node in now.sorted_nodes() {
        if then.find(node.id()).is_none() {
            let id = node.id().to_owned();
            push(Edit::Knowledge(KnowledgeEdit::RemoveNode { id }))?;
        }
    }
    if now.schema() != then.schema() {
        let schema = then.schema().clone();
        push(Edit::Knowledge(KnowledgeEdit::SetSchema(schema)))?;
    }
    Ok(())
}

fn short(text: &str) -> String {
    fibula_nodes::names::visible(text, 60)
}
