//! Elements of Cytoscape.js, which Cytoscape writes and reads, too.
//!
//! Both forms are read: `{ "elements": { "nodes": [...], "edges": [...] } }`, and one list in which an element with a source
//! is an edge. The fields of an element are in its "data", and its other members ("classes") are added to them. The first
//! form is written.

use std::borrow::Cow;
use std::io::Write;

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::builder::{ElementKind, Fields, GraphBuilder};
use super::error::{FormatError, WriteError};
use super::fields;
use super::graph::{Graph, WriteReport, functions};
use super::properties::{self, PropertyList};
use super::stream::{self, Document, Part, Sequence};

/// Reader of a document, with the attributes of the whole graph.
struct CytoscapeReader(Fields);

/// Reads a file.
pub(super) fn read(text: &str, to: &mut GraphBuilder<'_>) -> Result<(), FormatError> {
    let mut reader = CytoscapeReader(Fields::new());
    stream::read(text, &mut reader, to)?;
    let mut attributes = reader.0;
    if let Some(Json::Object(data)) = attributes.remove("data") {
        attributes.extend(data);
    }
    to.graph_attributes(attributes)
}

impl Document for CytoscapeReader {
    fn part(&mut self, key: &str) -> Part {
        match key {
            "elements" => Part::Inside,
            "nodes" => Part::Nodes,
            "edges" => Part::Edges,
            _ => Part::Other,
        }
    }

    fn item(
        &mut self,
        part: Part,
        mut element: Fields,
        to: &mut GraphBuilder<'_>,
    ) -> Result<(), FormatError> {
        let Some(Json::Object(mut fields)) = element.remove("data") else {
            return Err(FormatError::invalid(
                to.next_location(part.kind().unwrap_or(ElementKind::Node)),
                "the element has no \"data\" object with its fields",
            ));
        };
        let kind = part.kind().unwrap_or_else(|| {
            let is_edge = match element.get("group") {
                Some(group) => group == "edges",
                None => fields.contains_key("source"),
            };
            if is_edge {
                ElementKind::Edge
            } else {
                ElementKind::Node
            }
        });
        element.remove("group");
        for (name, value) in element {
            fields.entry(name).or_insert(value);
        }
        fields::add(kind, fields, to.next_location(kind), to)
    }

    fn other(
        &mut self,
        key: String,
        value: Json,
        _: &mut GraphBuilder<'_>,
    ) -> Result<(), FormatError> {
        self.0.insert(key, value);
        Ok(())
    }
}

#[derive(Serialize)]
struct File<N, E> {
    data: Json,
    elements: Elements<N, E>,
}

#[derive(Serialize)]
struct Elements<N, E> {
    nodes: N,
    edges: E,
}

#[derive(Serialize)]
struct Element<'a> {
    data: PropertyList<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<Json>,
}

impl<'a> From<PropertyList<'a>> for Element<'a> {
    fn from(data: PropertyList<'a>) -> Self {
        let position = None;
        Element { data, position }
    }
}

/// Moves an item that means something else in Cytoscape.js ("parent": the outer one of nested nodes) to the object "data".
fn nest_parent(properties: &mut PropertyList<'_>) {
    const PARENT: &str = "parent";
    let Some(at) = properties.0.iter().position(|(name, _)| name == PARENT) else {
        return;
    };
    let (_, parent) = properties.0.remove(at);
    let data = properties
        .0
        .iter_mut()
        .find(|(name, _)| name == fields::DATA);
    if let Some((_, Json::Object(data))) = data {
        data.insert(PARENT.to_owned(), parent);
    } else {
        let data = json!({ PARENT: parent });
        properties.0.push((Cow::Borrowed(fields::DATA), data));
    }
}

/// Writes a graph.
pub(super) fn write(graph: &Graph<'_>, out: &mut dyn Write) -> Result<WriteReport, WriteError> {
    let nodes = || {
        let rows = graph.nodes.iter().zip(properties::node_rows(graph));
        let nodes = rows.map(|(node, (mut own, data))| {
            own.0.retain(|(name, _)| !["x", "y"].contains(&&**name));
            own.add_data(ElementKind::Node, data);
            nest_parent(&mut own);
            let position = node.position().map(|[x, y]| json!({ "x": x, "y": y }));
            Element {
                data: own,
                position,
            }
        });
        let functions = functions(graph).into_iter().map(properties::function);
        nodes.chain(functions.map(Element::from))
    };
    let edges = || {
        properties::edge_rows(graph).map(|(mut own, data)| {
            own.add_data(ElementKind::Edge, data);
            nest_parent(&mut own);
            Element::from(own)
        })
    };
    let file = File {
        data: stream::graph_attributes(graph)?,
        elements: Elements {
            nodes: Sequence(nodes),
            edges: Sequence(edges),
        },
    };
    stream::write(&file, out)
}
