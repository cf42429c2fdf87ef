//! Node-link JSON: what networkx calls `node_link_data`, and what d3 and force-graph draw.
//!
//! Edges are under "edges" or "links". A node is labelled by its label, name or title; an edge that has a label and no type
//! is of that type, and "value" is its weight. Data stands beside the fields under its own names, but for what would be
//! taken for a field, which is in an object "data". Nodes without ids are known by their places in the list, as d3 knows
//! them.
//!
//! A document without lists that has a name or an id is one node.

use std::io::Write;

use fibula_knowledge::Schema;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value as Json, json};

use super::error::{FormatError, Place, WriteError};
use super::facts;
use super::fields::{self, Fields, Sort};
use super::gather::Gathering;
use super::stream::{self, Document, Part};
use super::written::{Graph, Written, functions};

struct Reading<'a, 'w> {
    to: &'a mut Gathering<'w>,
    /// How many nodes were listed, as long as none has an id.
    unnamed: Option<usize>,
    has_lists: bool,
    rest: Fields,
}

/// Reads a file.
pub(super) fn read(text: &str, to: &mut Gathering<'_>) -> Result<(), FormatError> {
    let mut reading = Reading {
        to,
        unnamed: Some(0),
        has_lists: false,
        rest: Map::new(),
    };
    stream::read(text, &mut reading)?;
    let Reading {
        to,
        has_lists,
        mut rest,
        ..
    } = reading;
    if !has_lists {
        return read_one(rest, to);
    }
    if rest.remove("directed") == Some(Json::Bool(false)) {
        undirected(to, Place::File);
    }
    rest.remove("multigraph");
    if let Some(Json::Object(graph)) = rest.remove("graph") {
        rest.extend(graph);
    }
    rest.remove("name");
    schema(&mut rest, to)?;
    for name in rest.keys() {
        left_out(name, to);
    }
    Ok(())
}

/// Notes that edges of a file have no direction, and ours do.
pub(super) fn undirected(to: &mut Gathering<'_>, place: Place) {
    to.repair("undirected", place, || {
        "edges have no direction here; each goes from the end that is named first to the other"
            .to_owned()
    });
}

/// Notes that something is said of the graph as a whole, for which there is no place.
pub(super) fn left_out(name: &str, to: &mut Gathering<'_>) {
    to.repair("graph_attribute", Place::File, || {
        let name = super::error::brief(name);
        format!("'{name}' is said of the whole graph; it was left out")
    });
}

/// Takes the declared types out of what is said of the whole graph.
pub(super) fn schema(of: &mut Fields, to: &mut Gathering<'_>) -> Result<(), FormatError> {
    let Some(found) = of.remove("schema") else {
        return Ok(());
    };
    let schema: Schema = serde_json::from_value(found)
        .map_err(|error| FormatError::invalid(Place::File, format!("the schema: {error}")))?;
    to.schema(schema);
    Ok(())
}

fn read_one(rest: Fields, to: &mut Gathering<'_>) -> Result<(), FormatError> {
    if ["id", "originalId", "name", "label"]
        .iter()
        .all(|name| !rest.contains_key(*name))
    {
        return Err(FormatError::invalid(
            Place::File,
            "there is no list of \"nodes\", \"edges\" or \"links\", and no node with an \"id\" or a \"name\"",
        ));
    }
    to.repair("single_node", Place::File, || {
        "there are no lists of nodes and edges; the whole is one node".to_owned()
    });
    fields::add_node(rest, to.node_place(), to)
}

impl Document for Reading<'_, '_> {
    fn part(&mut self, key: &str) -> Part {
        let part = match key {
            "nodes" => Part::Nodes,
            "edges" | "links" => Part::Edges,
            _ => Part::Other,
        };
        self.has_lists |= part != Part::Other;
        part
    }

    fn item(&mut self, part: Part, mut item: Fields) -> Result<(), FormatError> {
        self.has_lists = true;
        let is_edge = match part {
            Part::Edges => true,
            Part::Nodes => false,
            Part::Both | Part::Inside | Part::Other => item.contains_key("source"),
        };
        let place = self.place(if is_edge { Part::Edges } else { Part::Nodes });
        if is_edge {
            return fields::add_edge(item, place, self.to);
        }
        let has_id = item.contains_key("id") || item.contains_key("originalId");
        self.unnamed = self.unnamed.filter(|_| !has_id);
        if let Some(unnamed) = &mut self.unnamed {
            item.insert("id".to_owned(), Json::from(*unnamed));
            *unnamed += 1;
            self.to.repair("missing_id", place, || {
                "nodes have no ids; each is known by its place in the list, from 0 on".to_owned()
            });
        }
        fields::add_node(item, place, self.to)
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
    directed: bool,
    multigraph: bool,
    graph: Json,
    nodes: Nodes<'a>,
    edges: Edges<'a>,
}

struct Nodes<'a>(&'a Graph<'a>);

struct Edges<'a>(&'a Graph<'a>);

impl Serialize for Nodes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let nodes = self.0.nodes.iter().map(|node| {
            let mut facts = facts::node(node);
            facts.add_data(Sort::Node, facts::data(node.data()));
            facts
        });
        serializer.collect_seq(nodes.chain(functions(self.0).into_iter().map(facts::function)))
    }
}

impl Serialize for Edges<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.edges.iter().map(|edge| {
            let mut facts = facts::edge(edge);
            // What networkx tells the edges between two nodes apart by.
            facts.add("key", edge.id());
            facts.add_data(Sort::Edge, facts::data(edge.data()));
            facts
        }))
    }
}

/// Writes a graph.
pub(super) fn write(graph: &Graph<'_>, out: &mut dyn Write) -> Result<Written, WriteError> {
    let mut about = json!({ "name": graph.title });
    if !graph.schema.is_empty() {
        about["schema"] = serde_json::to_value(graph.schema)?;
    }
    let file = File {
        directed: true,
        multigraph: true,
        graph: about,
        nodes: Nodes(graph),
        edges: Edges(graph),
    };
    serde_json::to_writer(&mut *out, &file)?;
    out.write_all(b"\n")?;
    Ok(Written::default())
}
