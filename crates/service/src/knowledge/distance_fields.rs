//! Distance fields: functions that return the distance to a mesh of another shape. Nodes of the knowledge graph record the
//! shape and its state.
//!
//! A distance field is a node of the type [`DISTANCE_FIELD`]. An edge `computed_by` ends at the function that returns the
//! distance, and edges `distance_of` at the functions that the `expression` of the shape calls. Its data has a
//! `fingerprint` of all that these depend on, and one of the function itself (`own`): while both are the same, the
//! function is the distance to the shape.

use std::collections::BTreeSet;

use fibula_core::edit::{Edit, ModelEdit, Origin, Stage};
use fibula_core::graph::model::{Body, ModelResource, Object};
use fibula_core::graph::{
    ContentHash, Document, Function, FunctionData, FunctionId, ImageFunction, NodeData,
};
use fibula_core::{expression, library};
use fibula_knowledge::{Direction, NodeRef, is_same_type};
use fibula_nodes::{PortSpec, ResourceId, Type, names};
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

/// Who makes a change, and of which revision.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChangeSource<'a> {
    pub(crate) origin: &'a Origin,
    pub(crate) revision: u64,
}

/// A mesh whose distance becomes a function, and the shape that it is a mesh of.
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
    /// The outputs of the expression, if they are given.
    pub(crate) outputs: Option<Vec<PortSpec>>,
    /// Name of the input that is the point.
    pub(crate) point: String,
    /// Name of the output that is the distance.
    pub(crate) output: String,
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
    own: String,
    arguments: Option<Vec<PortSpec>>,
    outputs: Option<Vec<PortSpec>>,
    options: Json,
    mesh: u32,
    error: f64,
}

impl DistanceField {
    /// Puts the mesh, in the object of the mesh whose distance the function is already, unless the shape is made of that.
    /// Returns the object.
    ///
    /// # Errors
    /// A [`Refusal`](crate::refusal::Refusal) if the project is full.
    pub(crate) fn put_mesh(
        &self,
        stage: &mut Stage,
        name: &str,
        function: FunctionId,
    ) -> Result<ResourceId> {
        let document = stage.document();
        let own = field_data(document, function).map(|(_, own)| ResourceId(own.mesh));
        let sources = reachable(document, self.refers_to.iter().copied());
        let mesh = match own.filter(|own| !sources.contains(own)) {
            Some(own) => own,
            None => document.next_id_beside(Some(function))?.into(),
        };
        let object = match document.model_resource(mesh) {
            // What people gave it besides its triangles stays.
            Some(ModelResource::Object(object)) => Object {
                body: self.body.clone(),
                ..(**object).clone()
            },
            _ => Object::new(format!("{name}, mesh"), self.body.clone()),
        };
        stage.push(&Edit::Model(ModelEdit::SetResource {
            resource_id: Some(mesh),
            resource: ModelResource::Object(object.into()),
        }))?;
        Ok(mesh)
    }

    /// The function that returns the distance to the mesh.
    pub(crate) fn request(&self, name: &str, mesh: ResourceId) -> expression::Request {
        let [point, output] = [&self.point, &self.output].map(|name| expression::quoted(name));
        expression::Request {
            name: name.to_owned(),
            expression: format!("{output} = mesh({mesh}, {point})"),
            arguments: Some(vec![PortSpec::new(self.point.clone(), Type::Float3)]),
            ..expression::Request::default()
        }
    }

    /// Records it in the knowledge graph, in the node of an earlier one of the function if there is one. Returns the stage and
    /// warnings.
    ///
    /// # Errors
    /// A [`Refusal`](crate::refusal::Refusal) if the schema of the knowledge graph does not allow it.
    pub(crate) fn record(
        &self,
        stage: Stage,
        by: ChangeSource<'_>,
        name: &str,
        function: FunctionId,
        mesh: ResourceId,
    ) -> Result<(Stage, Vec<String>)> {
        let mut writer = Writer::over(stage, by.origin, by.revision);
        let document = writer.document();
        let data = json!(FieldData {
            expression: self.expression.clone(),
            refers_to: self.refers_to.iter().map(|id| id.0).collect(),
            fingerprint: self.fingerprint.clone(),
            own: fingerprint(document, &[function.into()]).unwrap_or_default(),
            arguments: self.arguments.clone(),
            outputs: self.outputs.clone(),
            options: self.options.clone(),
            mesh: mesh.0,
            error: self.error,
        });
        let data = data.as_object().cloned().unwrap_or_default();
        let label = format!(
            "{name} ({function}): distance of {}",
            start(&self.expression)
        );
        let before = distance_field(document, function).map(|node| node.written());
        let source = if let Some(mut node) = before {
            let id = node.id.clone();
            node.label = label;
            node.data.extend(data);
            writer.replace(node)?;
            id
        } else {
            let node = GivenNode {
                label,
                types: vec![DISTANCE_FIELD.to_owned()],
                data,
                ..GivenNode::default()
            };
            writer.add(node, OnConflict::Error)?.0
        };
        let document = writer.document();
        let is_own = |id: &&ResourceId| {
            let function = document.find_function((**id).into());
            function.is_some_and(|function| !library::is_copy(function))
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

/// Hash of functions and resources, and of all that they depend on; names, and the places of nodes, do not matter. `None` if
/// one does not exist.
pub(crate) fn fingerprint(document: &Document, ids: &[ResourceId]) -> Option<String> {
    let exists = |id: &ResourceId| !is_missing(document, *id);
    let part = |id: ResourceId| -> Option<Json> {
        let part = if let Some(function) = document.find_function(id.into()) {
            serde_json::to_value(without_names(function.data()))
        } else if let Some(image) = document.image_function(id) {
            serde_json::to_value(ImageFunction {
                name: String::new(),
                ..image.clone()
            })
        } else {
            match document.model_resource(id)? {
                ModelResource::Object(object) => serde_json::to_value(&object.body),
                other => serde_json::to_value(other),
            }
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

fn is_missing(document: &Document, id: ResourceId) -> bool {
    document.function_type(id).is_none() && document.model_resource(id).is_none()
}

/// The start of an expression, on one line.
fn start(expression: &str) -> String {
    const LONGEST: usize = 60;
    let words: Vec<&str> = expression.split_whitespace().collect();
    names::visible(&words.join(" "), LONGEST)
}

/// A function without its name, and without the names and places of its nodes.
fn without_names(function: FunctionData) -> FunctionData {
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
    let edges = graph.edges_at(&end, Direction::Incoming).into_iter();
    let mut sources = edges
        .filter(|edge| is_same_type(edge.ty(), COMPUTED_BY))
        .filter_map(|edge| graph.find(edge.source()));
    sources.find(|node| node.types().any(|ty| is_same_type(ty, DISTANCE_FIELD)))
}

/// The node and the data of a function that still refers to the mesh whose distance it was.
fn field_data(document: &Document, function: FunctionId) -> Option<(NodeRef<'_>, FieldData)> {
    let node = distance_field(document, function)?;
    let data: FieldData = serde_json::from_value(Json::Object(node.data_map())).ok()?;
    let mut references = document.find_function(function)?.references();
    let is_used = references.any(|(id, ..)| id.0 == data.mesh);
    is_used.then_some((node, data))
}

/// A function that is a distance.
struct KnownDistance<'a> {
    function: ResourceId,
    node: NodeRef<'a>,
    data: FieldData,
}

/// The distances among functions and all that they depend on, and those of which the shapes of these are made.
fn distances(
    document: &Document,
    ids: impl IntoIterator<Item = ResourceId>,
) -> Vec<KnownDistance<'_>> {
    let mut found = Vec::new();
    let graph = document.knowledge();
    let types = || graph.node_type_counts();
    if !graph.has_function_ends()
        || !types()
            .iter()
            .any(|(ty, _)| is_same_type(ty, DISTANCE_FIELD))
    {
        return found;
    }
    let mut open: Vec<ResourceId> = reachable(document, ids).into_iter().collect();
    let mut seen: BTreeSet<ResourceId> = open.iter().copied().collect();
    while let Some(function) = open.pop() {
        if let Some((node, data)) = field_data(document, function.into()) {
            let made_of = reachable(document, data.refers_to.iter().copied().map(ResourceId));
            open.extend(made_of.into_iter().filter(|other| seen.insert(*other)));
            found.push(KnownDistance {
                function,
                node,
                data,
            });
        }
    }
    found.sort_by_key(|distance| distance.function);
    found
}

/// Warnings about the distances that functions or objects depend on, if their shapes, or they themselves, have changed since.
pub(crate) fn stale_distances(
    document: &Document,
    ids: impl IntoIterator<Item = ResourceId>,
) -> Vec<String> {
    let distances = distances(document, ids).into_iter();
    let stale = distances.filter_map(|distance| distance.staleness(document));
    stale.collect()
}

/// Warnings about the errors of the distances that functions or objects depend on.
pub(crate) fn distance_errors(
    document: &Document,
    ids: impl IntoIterator<Item = ResourceId>,
) -> Vec<String> {
    let distances = distances(document, ids).into_iter();
    let inexact = distances.filter_map(|distance| {
        let error = distance.data.error;
        let own = document.noun(distance.function).filter(|_| error > 0.0)?;
        Some(format!(
            "{own} is a distance with an error of {error:.2e} of its own, which other errors do not contain"
        ))
    });
    inexact.collect()
}

impl KnownDistance<'_> {
    /// Warning if the shape, or the function itself, has changed since.
    fn staleness(&self, document: &Document) -> Option<String> {
        /// Maximum length of an expression in a warning.
        const LONGEST: usize = 200;
        let (id, data) = (self.function, &self.data);
        let own = document.noun(id)?;
        let (shape, node) = (start(&data.expression), self.node.id());
        if fingerprint(document, &[id]).as_ref() != Some(&data.own) {
            return Some(format!(
                "{own} was the distance of {shape}, and has been edited since: nothing warns of changes of that shape; remove \
                 the node {node} of the knowledge graph if that is meant"
            ));
        }
        let refers_to: Vec<ResourceId> = data.refers_to.iter().copied().map(ResourceId).collect();
        let Some(now) = fingerprint(document, &refers_to) else {
            let missing = refers_to.iter().filter(|id| is_missing(document, **id));
            let missing: Vec<String> = missing.map(ToString::to_string).collect();
            return Some(format!(
                "{own} is the distance of {shape}, of which a part is gone: {}",
                missing.join(", ")
            ));
        };
        if now == data.fingerprint {
            return None;
        }
        let anew = if data.expression.len() > LONGEST {
            format!(
                "create_function_from_expression with function_id: {id} and the data of the node {node} of the knowledge graph"
            )
        } else {
            format!("create_function_from_expression {}", self.request(document))
        };
        Some(format!(
            "{own} is the distance of {shape}, which has changed since; {anew} computes it anew"
        ))
    }

    /// The request that computes it anew.
    fn request(&self, document: &Document) -> Json {
        let function = document.find_function(self.function.into());
        let mut request = json!({
            "name": function.map(Function::name),
            "function_id": self.function.0,
            "expression": self.data.expression,
            "distance": self.data.options,
        });
        for (name, ports) in [
            ("arguments", &self.data.arguments),
            ("outputs", &self.data.outputs),
        ] {
            if let Some(ports) = ports {
                request[name] = json!(ports);
            }
        }
        request
    }
}
