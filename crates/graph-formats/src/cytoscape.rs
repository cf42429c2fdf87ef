//! Elements of Cytoscape.js, which Cytoscape writes and reads, too.
//!
//! Both forms are read: `{ "elements": { "nodes": [...], "edges": [...] } }`, and one list in which an element with a source
//! is an edge. The fields of an element are in its "data"; what else it has ("classes") joins them. Written is the first
//! form.

use std::borrow::Cow;
use std::io::Write;

use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};

use super::error::{FormatError, Place, WriteError};
use super::facts::{self, Facts};
use super::fields::{self, Fields, Sort};
use super::gather::Gathering;
use super::node_link::{left_out, schema};
use super::stream::{self, Document, Part};
use super::written::{Graph, Written, functions};

struct Reading<'a, 'w> {
    to: &'a mut Gathering<'w>,
    rest: Fields,
}

/// Reads a file.
pub(super) fn read(text: &str, to: &mut Gathering<'_>) -> Result<(), FormatError> {
    let mut reading = Reading {
        to,
        rest: Fields::new(),
    };
    stream::read(text, &mut reading)?;
    let Reading { to, mut rest } = reading;
    if let Some(Json::Object(about)) = rest.remove("data") {
        rest.extend(about);
    }
    schema(&mut rest, to)?;
    rest.remove("name");
    for name in rest.keys() {
        left_out(name, to);
    }
    Ok(())
}

impl Document for Reading<'_, '_> {
    fn part(&mut self, key: &str) -> Part {
        match key {
            "elements" => Part::Inside,
            "nodes" => Part::Nodes,
            "edges" => Part::Edges,
            _ => Part::Other,
        }
    }

    fn item(&mut self, part: Part, mut element: Fields) -> Result<(), FormatError> {
        let Some(Json::Object(mut fields)) = element.remove("data") else {
            return Err(FormatError::invalid(
                self.place(part),
                "the element has no object \"data\" with its fields",
            ));
        };
        let is_edge = match part {
            Part::Edges => true,
            Part::Nodes => false,
            Part::Both | Part::Inside | Part::Other => match element.get("group") {
                Some(group) => group == "edges",
                None => fields.contains_key("source"),
            },
        };
        element.remove("group");
        for (name, value) in element {
            fields.entry(name).or_insert(value);
        }
        if is_edge {
            fields::add_edge(fields, self.to.edge_place(), self.to)
        } else {
            fields::add_node(fields, self.to.node_place(), self.to)
        }
    }

    fn other(&mut self, key: String, value: Json) -> Result<(), FormatError> {
        self.rest.insert(key, value);
        Ok(())
    }

    fn place(&self, part: Part) -> Place {
        if part == Part::Edges {
            self.to.edge_place()
        } else {
            self.to.node_place()
        }
    }
}

#[derive(Serialize)]
struct File<'a> {
    data: Json,
    elements: Elements<'a>,
}

#[derive(Serialize)]
struct Elements<'a> {
    nodes: Nodes<'a>,
    edges: Edges<'a>,
}

#[derive(Serialize)]
struct Element<'a> {
    data: Facts<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<Json>,
}

struct Nodes<'a>(&'a Graph<'a>);

struct Edges<'a>(&'a Graph<'a>);

impl Serialize for Nodes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let nodes = self.0.nodes.iter().map(|node| {
            let mut data = facts::node(node);
            data.0.retain(|(name, _)| !["x", "y"].contains(&&**name));
            data.add_data(Sort::Node, facts::data(node.data()));
            nested(&mut data);
            let position = node.position().map(|[x, y]| json!({ "x": x, "y": y }));
            Element { data, position }
        });
        let functions = functions(self.0).into_iter().map(|id| Element {
            data: facts::function(id),
            position: None,
        });
        serializer.collect_seq(nodes.chain(functions))
    }
}

impl Serialize for Edges<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.edges.iter().map(|edge| {
            let mut data = facts::edge(edge);
            data.add_data(Sort::Edge, facts::data(edge.data()));
            nested(&mut data);
            Element {
                data,
                position: None,
            }
        }))
    }
}

/// Puts what Cytoscape.js takes for something of its own ("parent": a node inside of another) into the object "data".
fn nested(facts: &mut Facts<'_>) {
    const PARENT: &str = "parent";
    let Some(at) = facts.0.iter().position(|(name, _)| name == PARENT) else {
        return;
    };
    let (_, parent) = facts.0.remove(at);
    let data = facts.0.iter_mut().find(|(name, _)| name == fields::DATA);
    if let Some((_, Json::Object(data))) = data {
        data.insert(PARENT.to_owned(), parent);
    } else {
        let data = json!({ PARENT: parent });
        facts.0.push((Cow::Borrowed(fields::DATA), data));
    }
}

/// Writes a graph.
pub(super) fn write(graph: &Graph<'_>, out: &mut dyn Write) -> Result<Written, WriteError> {
    let mut data = json!({ "name": graph.title });
    if !graph.schema.is_empty() {
        data["schema"] = serde_json::to_value(graph.schema)?;
    }
    let elements = Elements {
        nodes: Nodes(graph),
        edges: Edges(graph),
    };
    serde_json::to_writer(&mut *out, &File { data, elements })?;
    out.write_all(b"\n")?;
    Ok(Written::default())
}
