//! Distance fields: functions whose value is the distance to a mesh of another shape, as nodes of the knowledge graph that tell
//! of which shape, and how it was then.
//!
//! A distance field is a node of the type [`DISTANCE_FIELD`]. An edge `computed_by` ends at the function that returns the
//! distance, and edges `distance_of` at the functions that the `expression` of the shape calls. Its data has a
//! `fingerprint` of all that these depend on: while that is the same, so is the shape.

use std::collections::BTreeSet;

use fibula_core::edit::{Edit, ModelEdit, Origin, Stage};
use fibula_core::graph::model::{Body, ModelResource, Object};
use fibula_core::graph::{ContentHash, Document, FunctionData, FunctionId, NodeData};
use fibula_core::library;
use fibula_knowledge::{Direction, NodeRef, is_same_type};
use fibula_nodes::{PortSpec, ResourceId};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::intent::function_end;
use super::records::{GivenEdge, GivenNode, OnConflict};
use super::writer::Writer;
use crate::project::resources::reachable;
use crate::refusal::Result;

/// Type of the nodes that are distance fields.
const DISTANCE_FIELD: &str = "distance_field";
/// Type of the edges to the function of which it is the distance.
const DISTANCE_OF: &str = "distance_of";
/// Type of the edges to the function that returns the distance.
const COMPUTED_BY: &str = "computed_by";

/// A mesh whose distance becomes a function, and of which shape it is.
#[derive(Debug)]
pub(crate) struct DistanceField {
    /// The expression of the shape.
    pub(crate) expression: String,
    /// Functions and resources of the project that the expression refers to.
    pub(crate) refers_to: Vec<ResourceId>,
    /// Fingerprint of these.
    pub(crate) fingerprint: String,
    /// The inputs of the expression, if they are given.
    pub(crate) arguments: Option<Vec<PortSpec>>,
    /// Options of the distance.
    pub(crate) options: Json,
    /// The mesh.
    pub(crate) body: Body,
    /// Its bytes.
    pub(crate) bytes: Vec<u8>,
    /// Greatest error of the distance.
    pub(crate) error: f64,
}

/// Data of a node that is a distance field.
#[derive(Debug, Serialize, Deserialize)]
struct FieldData {
    expression: String,
    refers_to: Vec<u32>,
    fingerprint: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    arguments: Option<Vec<PortSpec>>,
    options: Json,
    mesh: u32,
    error: f64,
}

impl DistanceField {
    /// Puts the mesh; returns its object and the expression of the function. An earlier distance that the function computes is
    /// replaced with its mesh.
    ///
    /// # Errors
    /// A [`Refusal`](crate::refusal::Refusal) if the project is full.
    pub(crate) fn put_mesh(
        &self,
        stage: &mut Stage,
        name: &str,
        function: FunctionId,
    ) -> Result<(ResourceId, String)> {
        let document = stage.document();
        let mesh = match field_data(document, function) {
            Some(own) => ResourceId(own.mesh),
            None => document.next_id_beside(Some(function))?.into(),
        };
        let object = Object::new(format!("{name}, mesh"), self.body.clone());
        stage.push(&Edit::Model(ModelEdit::SetResource {
            resource_id: Some(mesh),
            resource: ModelResource::Object(object.into()),
        }))?;
        Ok((mesh, format!("distance = mesh({mesh}, pos)")))
    }

    /// Tells of it in the knowledge graph, in the node of an earlier one of the function if there is one. Returns the stage and
    /// warnings.
    ///
    /// # Errors
    /// A [`Refusal`](crate::refusal::Refusal) if the schema of the knowledge graph does not allow it.
    pub(crate) fn record(
        &self,
        stage: Stage,
        (origin, revision): (&Origin, u64),
        name: &str,
        function: FunctionId,
        mesh: ResourceId,
    ) -> Result<(Stage, Vec<String>)> {
        let mut writer = Writer::over(stage, origin, revision);
        let before = distance_field(writer.document(), function);
        let before = before.map(|node| node.id().to_owned());
        let data = json!(FieldData {
            expression: self.expression.clone(),
            refers_to: self.refers_to.iter().map(|id| id.0).collect(),
            fingerprint: self.fingerprint.clone(),
            arguments: self.arguments.clone(),
            options: self.options.clone(),
            mesh: mesh.0,
            error: self.error,
        });
        let node = GivenNode {
            id: before.clone(),
            label: format!(
                "{name} ({function}): distance of {}",
                short(&self.expression)
            ),
            types: vec![DISTANCE_FIELD.to_owned()],
            data: data.as_object().cloned().unwrap_or_default(),
            ..GivenNode::default()
        };
        let (source, _) = writer.add(node, OnConflict::Replace)?;
        let document = writer.document();
        let is_own = |id: &&ResourceId| {
            let function = document.find_function((**id).into());
            function.is_some_and(|function| library::find(function.name()).is_none())
        };
        let of = self.refers_to.iter().filter(is_own);
        let of = of.map(|id| (DISTANCE_OF, FunctionId::from(*id)));
        let ends = of.chain([(COMPUTED_BY, function)]);
        let ends: Vec<(&str, String)> = ends
            .map(|(ty, end)| (ty, function_end(end).to_string()))
            .collect();
        let old = writer.graph().edges_at(&source, Direction::Outgoing);
        let old = old.into_iter().filter(|edge| {
            is_same_type(edge.ty(), DISTANCE_OF) && ends.iter().all(|(_, end)| end != edge.target())
        });
        let old: Vec<String> = old.map(|edge| edge.id().to_owned()).collect();
        for edge in old {
            writer.remove_edge(&edge)?;
        }
        for (ty, target) in ends {
            let edge = GivenEdge {
                source: source.clone(),
                target,
                ty: ty.to_owned(),
                ..GivenEdge::default()
            };
            writer.add_edge(edge, OnConflict::Skip)?;
        }
        Ok(writer.into_stage())
    }
}

/// Hash of functions and resources and of all that they depend on: not of the names of functions, nor of where nodes are drawn.
/// `None` if one does not exist.
pub(crate) fn fingerprint(document: &Document, ids: &[ResourceId]) -> Option<String> {
    let exists = |id: &ResourceId| {
        document.function_type(*id).is_some() || document.model_resource(*id).is_some()
    };
    let part = |id: ResourceId| -> Option<Json> {
        let part = if let Some(function) = document.find_function(id.into()) {
            serde_json::to_value(without_looks(function.data()))
        } else if let Some(image) = document.image_function(id) {
            serde_json::to_value(image)
        } else {
            serde_json::to_value(document.model_resource(id)?)
        };
        Some(json!([id.0, part.ok()?]))
    };
    if !ids.iter().all(exists) {
        return None;
    }
    let parts = reachable(document, ids.iter().copied()).into_iter();
    let parts: Vec<Json> = parts.filter_map(part).collect();
    let text = json!(parts).to_string();
    Some(format!("{:.16}", ContentHash::digest(text.as_bytes())))
}

/// The start of an expression, on one line.
fn short(expression: &str) -> String {
    const LONGEST: usize = 60;
    let line = expression.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST {
        return line;
    }
    let start: String = line.chars().take(LONGEST).collect();
    format!("{start}...")
}

/// A function without its name, and those and the places of its nodes.
fn without_looks(function: FunctionData) -> FunctionData {
    let nodes = function.nodes.into_iter().map(|node| NodeData {
        display_name: None,
        position: None,
        ..node
    });
    FunctionData {
        name: String::new(),
        nodes: nodes.collect(),
        ..function
    }
}

/// The distance field that a function computes.
fn distance_field(document: &Document, function: FunctionId) -> Option<NodeRef<'_>> {
    let graph = document.knowledge();
    let end = function_end(function).to_string();
    let edges = graph.edges_at(&end, Direction::Both).into_iter();
    let mut sources = edges
        .filter(|edge| is_same_type(edge.ty(), COMPUTED_BY))
        .filter_map(|edge| graph.find(edge.source()));
    sources.find(|node| node.types().any(|ty| is_same_type(ty, DISTANCE_FIELD)))
}

/// What a function tells of itself that still is the distance to a mesh.
fn field_data(document: &Document, function: FunctionId) -> Option<FieldData> {
    let data = distance_field(document, function)?.data_map();
    let data: FieldData = serde_json::from_value(Json::Object(data)).ok()?;
    let mut references = document.find_function(function)?.references();
    references.any(|(id, ..)| id.0 == data.mesh).then_some(data)
}

/// The functions among others, and those that they depend on, that are distances, also of shapes made of distances.
fn distances(
    document: &Document,
    asking: impl IntoIterator<Item = ResourceId>,
) -> Vec<(ResourceId, FieldData)> {
    let mut found = Vec::new();
    if !document.knowledge().has_function_ends() {
        return found;
    }
    let mut open: Vec<ResourceId> = reachable(document, asking).into_iter().collect();
    let mut seen: BTreeSet<ResourceId> = open.iter().copied().collect();
    while let Some(id) = open.pop() {
        if let Some(data) = field_data(document, id.into()) {
            let made_of = reachable(document, data.refers_to.iter().copied().map(ResourceId));
            open.extend(made_of.into_iter().filter(|other| seen.insert(*other)));
            found.push((id, data));
        }
    }
    found.sort_by_key(|(id, _)| *id);
    found
}

/// Warnings about the distances that functions or objects depend on, of shapes that have changed since.
pub(crate) fn stale_distances(
    document: &Document,
    asking: impl IntoIterator<Item = ResourceId>,
) -> Vec<String> {
    let distances = distances(document, asking).into_iter();
    let stale = distances.filter_map(|(id, data)| {
        let refers_to: Vec<ResourceId> = data.refers_to.iter().copied().map(ResourceId).collect();
        let now = fingerprint(document, &refers_to);
        if now.as_ref() == Some(&data.fingerprint) {
            return None;
        }
        let own = document.noun(id)?;
        let name = document.find_function(id.into())?.name();
        let shape = short(&data.expression);
        let mut whole = json!({
            "name": name,
            "function_id": id.0,
            "expression": data.expression,
            "distance": data.options,
        });
        if let Some(arguments) = data.arguments {
            whole["arguments"] = json!(arguments);
        }
        Some(match now {
            Some(_) if shape == data.expression => format!(
                "{own} is the distance of {shape}, which has changed since; create_function_from_expression {whole} computes \
                 it anew"
            ),
            Some(_) => format!(
                "{own} is the distance of {shape}, which has changed since; create_function_from_expression with function_id: \
                 {id}, its expression (get_nodes shows it) and distance computes it anew"
            ),
            None => format!("{own} is the distance of {shape}, of which a part is gone"),
        })
    });
    stale.collect()
}

/// Warnings about the errors of the distances that functions or objects depend on.
pub(crate) fn distance_errors(
    document: &Document,
    asking: impl IntoIterator<Item = ResourceId>,
) -> Vec<String> {
    let distances = distances(document, asking).into_iter();
    let inexact = distances.filter_map(|(id, data)| {
        let own = document.noun(id).filter(|_| data.error > 0.0)?;
        Some(format!(
            "{own} is a distance with an error of {:.2e} of its own, which the errors of the figures do not contain",
            data.error
        ))
    });
    inexact.collect()
}
