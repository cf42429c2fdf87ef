//! Node-link JSON: what networkx calls `node_link_data`, and what d3 and force-graph draw.
//!
//! Edges are under "edges" or "links". The label of a node is its label, name or title; the label of an edge without a
//! type is its type, and "value" is its weight. Data is beside the fields under its own names; items whose names mean fields
//! are in an object "data". The ids of nodes without ids are their indices in the list, as in d3. Instead of a list of edges
//! there may be an "adjacency", with a list of neighbours of each node: networkx's `adjacency_data`.
//!
//! A document without lists that has a name or an id is one node.

use std::io::Write;

use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::Value as Json;

use super::builder::{ElementKind, Fields, GraphBuilder};
use super::error::{FileLocation, FormatError, WriteError};
use super::fields;
use super::graph::{Graph, WriteReport, functions};
use super::properties;
use super::stream::{self, Document, Part, Sequence};

struct NodeLinkReader {
    /// Number of nodes so far, as long as none has an id.
    unnamed: Option<usize>,
    has_lists: bool,
    attributes: Fields,
    /// Ids of the nodes, for an adjacency.
    ids: Vec<Json>,
}

/// Reads a file.
pub(super) fn read(text: &str, to: &mut GraphBuilder<'_>) -> Result<(), FormatError> {
    let mut reader = NodeLinkReader {
        unnamed: Some(0),
        has_lists: false,
        attributes: Fields::new(),
        ids: Vec::new(),
    };
    stream::read(text, &mut reader, to)?;
    let mut attributes = reader.attributes;
    if !reader.has_lists {
        return read_one(attributes, to);
    }
    let is_undirected = attributes.remove("directed") == Some(Json::Bool(false));
    if is_undirected {
        to.note_undirected(FileLocation::File);
    }
    if let Some(adjacency) = attributes.remove("adjacency") {
        read_adjacency(adjacency, &reader.ids, is_undirected, to)?;
    }
    attributes.remove("multigraph");
    if let Some(Json::Object(graph)) = attributes.remove("graph") {
        attributes.extend(graph);
    }
    to.graph_attributes(attributes)
}

/// Adds the edges from each node to its neighbours; undirected ones that are listed at both ends are added once.
fn read_adjacency(
    adjacency: Json,
    ids: &[Json],
    is_undirected: bool,
    to: &mut GraphBuilder<'_>,
) -> Result<(), FormatError> {
    let Json::Array(lists) = adjacency else {
        let problem = "\"adjacency\" is not a list";
        return Err(FormatError::invalid(FileLocation::File, problem));
    };
    if lists.len() != ids.len() {
        let problem = format!(
            "\"adjacency\" has lists of {} nodes, and \"nodes\" has {}",
            lists.len(),
            ids.len()
        );
        return Err(FormatError::invalid(FileLocation::File, problem));
    }
    // Undirected edges whose other end is still to come, by both ends and key, with their numbers.
    let mut mirrored: FxHashMap<[Json; 3], usize> = FxHashMap::default();
    for (place, list) in lists.into_iter().enumerate() {
        let Json::Array(neighbours) = list else {
            let problem = format!("item {place} of \"adjacency\" is not a list");
            return Err(FormatError::invalid(FileLocation::File, problem));
        };
        for neighbour in neighbours {
            let location = to.next_location(ElementKind::Edge);
            let Json::Object(mut edge) = neighbour else {
                let problem = "a neighbour is not an object with an \"id\"";
                return Err(FormatError::invalid(location, problem));
            };
            let (source, target) = (ids[place].clone(), edge.remove("id").unwrap_or_default());
            // A number only tells edges between the same nodes apart.
            let key = edge.get("key").cloned().unwrap_or_default();
            if key.is_number() {
                edge.remove("key");
            }
            if is_undirected && source != target {
                let seen = [target.clone(), source.clone(), key.clone()];
                if let Some(count) = mirrored.get_mut(&seen).filter(|count| **count > 0) {
                    *count -= 1;
                    continue;
                }
                let own = [source.clone(), target.clone(), key];
                *mirrored.entry(own).or_default() += 1;
            }
            edge.insert("source".to_owned(), source);
            edge.insert("target".to_owned(), target);
            fields::add(ElementKind::Edge, edge, location, to)?;
        }
    }
    Ok(())
}

fn read_one(fields: Fields, to: &mut GraphBuilder<'_>) -> Result<(), FormatError> {
    let names = ["id", "originalId", "name", "label"];
    if !names.iter().any(|name| fields.contains_key(*name)) {
        return Err(FormatError::invalid(
            FileLocation::File,
            "there is no list of \"nodes\", \"edges\" or \"links\", and no node with an \"id\" or a \"name\"",
        ));
    }
    to.repair("single_node", FileLocation::File, || {
        "the file has no lists of nodes and edges; it was read as one node".to_owned()
    });
    let location = to.next_location(ElementKind::Node);
    fields::add(ElementKind::Node, fields, location, to)
}

impl Document for NodeLinkReader {
    fn part(&mut self, key: &str) -> Part {
        let part = match key {
            "nodes" => Part::Nodes,
            "edges" | "links" => Part::Edges,
            _ => Part::Other,
        };
        self.has_lists |= part != Part::Other;
        part
    }

    fn item(
        &mut self,
        part: Part,
        mut item: Fields,
        to: &mut GraphBuilder<'_>,
    ) -> Result<(), FormatError> {
        self.has_lists = true;
        let kind = part.kind().unwrap_or(if item.contains_key("source") {
            ElementKind::Edge
        } else {
            ElementKind::Node
        });
        let location = to.next_location(kind);
        let mut is_generated = false;
        if kind == ElementKind::Node {
            let has_id = item.contains_key("id") || item.contains_key("originalId");
            self.unnamed = self.unnamed.filter(|_| !has_id);
            is_generated = self.unnamed.is_some();
            if let Some(unnamed) = &mut self.unnamed {
                item.insert("id".to_owned(), Json::from(*unnamed));
                *unnamed += 1;
                to.repair("missing_id", location, || {
                    "nodes have no ids; their indices in the list were used, from 0 on".to_owned()
                });
            }
            self.ids.push(item.get("id").cloned().unwrap_or_default());
        }
        fields::add(kind, item, location, to)?;
        if is_generated {
            to.mark_generated();
        }
        Ok(())
    }

    fn other(
        &mut self,
        key: String,
        value: Json,
        _: &mut GraphBuilder<'_>,
    ) -> Result<(), FormatError> {
        self.attributes.insert(key, value);
        Ok(())
    }
}

/// Name of the list of edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EdgeList {
    Edges,
    Links,
}

#[derive(Serialize)]
struct File<N, E> {
    directed: bool,
    multigraph: bool,
    graph: Json,
    nodes: N,
    #[serde(skip_serializing_if = "Option::is_none")]
    edges: Option<E>,
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<E>,
}

/// Writes a graph.
pub(super) fn write(
    graph: &Graph<'_>,
    list: EdgeList,
    out: &mut dyn Write,
) -> Result<WriteReport, WriteError> {
    let nodes = || {
        let nodes = properties::node_rows(graph).map(|(mut node, data)| {
            node.add_data(ElementKind::Node, data);
            node
        });
        nodes.chain(functions(graph).into_iter().map(properties::function))
    };
    let edges = || {
        let rows = graph.edges.iter().zip(properties::edge_rows(graph));
        rows.map(|(edge, (mut properties, data))| {
            // The key by which networkx distinguishes the edges between two nodes.
            properties.add("key", edge.id());
            properties.add_data(ElementKind::Edge, data);
            properties
        })
    };
    let edges = Sequence(edges);
    let (edges, links) = match list {
        EdgeList::Edges => (Some(edges), None),
        EdgeList::Links => (None, Some(edges)),
    };
    let file = File {
        directed: true,
        multigraph: true,
        graph: stream::graph_attributes(graph)?,
        nodes: Sequence(nodes),
        edges,
        links,
    };
    stream::write(&file, out)
}
