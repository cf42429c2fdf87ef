//! Properties of nodes and edges, under the names that [`fields`](super::fields) reads first.

use std::borrow::Cow;

use fibula_knowledge::{EdgeRef, NodeRef, Observation};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value as Json};

use super::builder::ElementKind;
use super::fields::{DATA, Fields};
use super::graph::{Graph, functions};

/// Named values in an order for people.
#[derive(Debug, Default)]
pub(super) struct PropertyList<'a>(pub(super) Vec<(Cow<'a, str>, Json)>);

impl<'a> PropertyList<'a> {
    pub(super) fn add(&mut self, name: &'a str, value: impl Into<Json>) {
        self.0.push((Cow::Borrowed(name), value.into()));
    }

    fn add_some(&mut self, name: &'a str, value: Option<impl Into<Json>>) {
        if let Some(value) = value {
            self.add(name, value);
        }
    }

    /// Adds data under its own names; items whose names mean fields go to an object called "data".
    pub(super) fn add_data(&mut self, kind: ElementKind, data: Map<String, Json>) {
        let (known, own): (Map<_, _>, Map<_, _>) =
            data.into_iter().partition(|(name, _)| kind.knows(name));
        if !known.is_empty() {
            self.add(DATA, known);
        }
        self.0.extend(
            own.into_iter()
                .map(|(name, value)| (Cow::Owned(name), value)),
        );
    }
}

impl Serialize for PropertyList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// Properties of a node without its data.
pub(super) fn node<'a>(node: &NodeRef<'_>) -> PropertyList<'a> {
    let mut properties = PropertyList::default();
    properties.add("id", node.id());
    properties.add("label", node.label());
    properties.add_some("type", node.types().next());
    if node.types().nth(1).is_some() {
        properties.add("types", node.types().collect::<Vec<&str>>());
    }
    if !node.observations().is_empty() {
        let observations = node.observations().iter().map(observation);
        properties.add("observations", observations.collect::<Vec<Json>>());
    }
    if let Some([x, y]) = node.position() {
        properties.add("x", x);
        properties.add("y", y);
    }
    properties.add("creator", node.creator());
    properties.add("created", node.created());
    properties.add("modified", node.modified());
    properties.add("version", node.version());
    properties.add("order", node.order());
    properties
}

/// Properties of an edge without its data.
pub(super) fn edge<'a>(edge: &EdgeRef<'_>) -> PropertyList<'a> {
    let mut properties = PropertyList::default();
    properties.add("id", edge.id());
    properties.add("source", edge.source());
    properties.add("target", edge.target());
    properties.add("type", edge.ty());
    properties.add_some("label", edge.label());
    properties.add_some("weight", edge.weight());
    let [from, to] = edge.validity();
    properties.add_some("valid_from", from);
    properties.add_some("valid_to", to);
    properties.add("creator", edge.creator());
    properties.add("created", edge.created());
    properties.add("modified", edge.modified());
    properties.add("order", edge.order());
    properties
}

/// Properties of the node that represents a function, in formats in which each end of an edge has to be listed.
pub(super) fn function<'a>(id: &str) -> PropertyList<'a> {
    let mut properties = PropertyList::default();
    properties.add("id", id);
    properties.add("label", id);
    properties.add("type", super::builder::FUNCTION);
    properties
}

fn observation(observation: &Observation) -> Json {
    serde_json::json!({ "text": observation.text, "at": observation.at, "by": observation.by })
}

/// Parses the data that a node or an edge keeps as text.
pub(super) fn data(text: Option<&str>) -> Map<String, Json> {
    let read = |text| serde_json::from_str(text).expect("data was written from an object");
    text.map(read).unwrap_or_default()
}

/// A row of a table: the properties of a node or an edge, and its data.
pub(super) type Row<'a> = (PropertyList<'a>, Fields);

pub(super) fn node_rows<'a>(graph: &Graph<'a>) -> impl Iterator<Item = Row<'a>> {
    let nodes = graph.nodes.iter();
    nodes.map(|own| (node(own), data(own.data())))
}

pub(super) fn edge_rows<'a>(graph: &Graph<'a>) -> impl Iterator<Item = Row<'a>> {
    let edges = graph.edges.iter();
    edges.map(|own| (edge(own), data(own.data())))
}

/// Rows of the nodes that represent functions.
pub(super) fn function_rows<'a>(graph: &Graph<'a>) -> impl Iterator<Item = Row<'a>> {
    let functions = functions(graph).into_iter();
    functions.map(|id| (function(id), Fields::new()))
}
