//! Reader of linked data: JSON-LD by way of RDF.
//!
//! A resource becomes a node, a statement about two resources an edge, and every other statement an item of data. IRIs are
//! compacted with the prefixes of the file. Undefined terms are kept under their own names, where RDF would drop them. The
//! ids of blank nodes are "_:1", "_:2" and so on.

use std::collections::BTreeMap;

use oxjsonld::JsonLdParser;
use oxrdf::{GraphName, NamedOrBlankNode, Quad, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value as Json, json};

use super::context::Context;
use crate::builder::{ElementKind, GraphBuilder, RawEdge, RawNode};
use crate::error::{FileLocation, FormatError, brief};
use crate::fields::{self, Fields};
use crate::imported::{ImportedEdge, ImportedNode};

/// Base of undefined names.
const LOCAL: &str = "local:/";
const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

/// Properties for labels, by priority.
const LABELS: [&str; 9] = [
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
    "https://schema.org/name",
    "http://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://rdfs.org/sioc/ns#name",
    "local:/name",
];
const CREATORS: [&str; 2] = [
    "http://purl.org/dc/terms/creator",
    "http://purl.org/dc/elements/1.1/creator",
];
const CREATED: [&str; 3] = [
    "http://purl.org/dc/terms/created",
    "http://purl.org/dc/terms/date",
    "http://purl.org/dc/elements/1.1/date",
];
const MODIFIED: [&str; 1] = ["http://purl.org/dc/terms/modified"];

/// Statements about a resource.
#[derive(Default)]
struct Resource {
    types: Vec<String>,
    /// Values of each property, by IRI.
    values: BTreeMap<String, Vec<Json>>,
    links: Vec<(String, String)>,
}

#[derive(Default)]
struct RdfReader {
    /// Ids of blank nodes, by their names in the parser.
    blank: FxHashMap<String, String>,
    indices: FxHashMap<String, usize>,
    resources: Vec<(String, Resource)>,
    /// Cells of lists: the item of each, and the next cell.
    cells: FxHashMap<String, (Option<Term>, Option<String>)>,
    prefixes: Vec<(String, String)>,
}

/// Reads a document with checked contexts.
pub(crate) fn read(mut document: Json, to: &mut GraphBuilder<'_>) -> Result<(), FormatError> {
    report_loose_values(&document, to);
    let mut reader = RdfReader::default();
    let documents = match &mut document {
        Json::Array(documents) => documents.iter_mut().collect(),
        one => vec![one],
    };
    for document in documents {
        if let Json::Object(document) = document {
            let context = document.remove("@context");
            let known = Context::new(context.as_ref())?;
            reader.prefixes.extend(known.prefixes());
            let local = json!({ "@vocab": LOCAL });
            let context = match context {
                Some(Json::Array(parts)) => std::iter::once(local).chain(parts).collect(),
                Some(part) => vec![local, part],
                None => vec![local],
            };
            document.insert("@context".to_owned(), Json::Array(context));
        }
    }
    let text = document.to_string();
    drop(document);
    let mut quads = Vec::new();
    let parser = JsonLdParser::new().lenient().with_base_iri(LOCAL);
    let parser = parser.expect("the base is an IRI").for_slice(&text);
    for quad in parser {
        let quad = quad.map_err(|error| {
            FormatError::invalid(FileLocation::File, format!("not JSON-LD: {error}"))
        })?;
        if quad.graph_name != GraphName::DefaultGraph {
            to.repair("named_graph", FileLocation::File, || {
                let graph = brief(&quad.graph_name.to_string());
                format!("the file has the named graph '{graph}'; all graphs were merged into one")
            });
        }
        if let Some(quad) = reader.collect_cell(quad) {
            quads.push(quad);
        }
        to.step(0)?;
    }
    for quad in quads {
        reader.statement(quad, to)?;
    }
    reader.finish(to)
}

/// Reports values where nodes are expected, which JSON-LD drops.
fn report_loose_values(value: &Json, to: &mut GraphBuilder<'_>) {
    match value {
        Json::Array(values) => {
            for value in values {
                report_loose_values(value, to);
            }
        }
        Json::Object(node) if !node.contains_key("@value") => {
            if let Some(graph) = node.get("@graph") {
                report_loose_values(graph, to);
            }
        }
        Json::Null => {}
        loose => to.repair("loose_value", FileLocation::File, || {
            let value = brief(&loose.to_string());
            format!("{value} is not a node; it was skipped")
        }),
    }
}

impl RdfReader {
    /// Collects a statement about a cell of a list; returns every other statement.
    fn collect_cell(&mut self, quad: Quad) -> Option<Quad> {
        let property = quad.predicate.as_str().strip_prefix(RDF);
        let cell = match &quad.subject {
            NamedOrBlankNode::BlankNode(cell) => cell.as_str().to_owned(),
            NamedOrBlankNode::NamedNode(_) => return Some(quad),
        };
        match (property, quad.object) {
            (Some("first"), value) => self.cells.entry(cell).or_default().0 = Some(value),
            (Some("rest"), Term::BlankNode(next)) => {
                self.cells.entry(cell).or_default().1 = Some(next.as_str().to_owned());
            }
            (Some("rest"), _) => {
                self.cells.entry(cell).or_default();
            }
            (_, object) => return Some(Quad { object, ..quad }),
        }
        None
    }

    /// Items of a list, if a value is one.
    fn items(&mut self, list: &Term) -> Option<Vec<Term>> {
        if let Term::NamedNode(end) = list {
            return (end.as_str().strip_prefix(RDF) == Some("nil")).then(Vec::new);
        }
        let Term::BlankNode(cell) = list else {
            return None;
        };
        let mut items = Vec::new();
        let mut cell = self.cells.get(cell.as_str())?;
        // A cyclic list has no more items than there are cells.
        for _ in 0..self.cells.len() {
            items.extend(cell.0.clone());
            let next = cell.1.as_ref().and_then(|next| self.cells.get(next));
            let Some(next) = next else {
                break;
            };
            cell = next;
        }
        Some(items)
    }

    fn statement(&mut self, quad: Quad, to: &mut GraphBuilder<'_>) -> Result<(), FormatError> {
        let id = match quad.subject {
            NamedOrBlankNode::NamedNode(name) => named(name.as_str()),
            NamedOrBlankNode::BlankNode(blank) => self.blank(blank.as_str()),
        };
        let property = quad.predicate.into_string();
        let items = self.items(&quad.object);
        if let Some(items) = &items {
            to.fill(items.len())?;
        }
        let terms = items.unwrap_or_else(|| vec![quad.object]);
        for term in terms {
            self.add_statement(&id, property.clone(), term);
        }
        Ok(())
    }

    /// Adds a statement about a resource.
    fn add_statement(&mut self, id: &str, property: String, value: Term) {
        let at = self.resource(id);
        let target = match value {
            Term::NamedNode(name) if property.strip_prefix(RDF) == Some("type") => {
                let ty = self.compact(name.as_str());
                self.resources[at].1.types.push(ty);
                return;
            }
            Term::NamedNode(name) => named(name.as_str()),
            Term::BlankNode(blank) => self.blank(blank.as_str()),
            Term::Literal(literal) => {
                let value = literal_value(&literal);
                let values = &mut self.resources[at].1.values;
                values.entry(property).or_default().push(value);
                return;
            }
        };
        self.resources[at].1.links.push((property, target));
    }

    fn resource(&mut self, id: &str) -> usize {
        if let Some(&at) = self.indices.get(id) {
            return at;
        }
        let at = self.resources.len();
        self.indices.insert(id.to_owned(), at);
        self.resources.push((id.to_owned(), Resource::default()));
        at
    }

    fn blank(&mut self, name: &str) -> String {
        let number = self.blank.len() + 1;
        let blank = self.blank.entry(name.to_owned());
        blank.or_insert_with(|| format!("_:{number}")).clone()
    }

    /// Compacts an IRI with the prefixes of the file.
    fn compact(&self, iri: &str) -> String {
        let compact = self.prefixes.iter().find_map(|(start, prefix)| {
            let rest = iri.strip_prefix(start.as_str())?;
            Some(format!("{prefix}:{rest}"))
        });
        compact.unwrap_or_else(|| named(iri))
    }

    /// Adds the nodes and edges to the graph.
    fn finish(mut self, to: &mut GraphBuilder<'_>) -> Result<(), FormatError> {
        let resources = std::mem::take(&mut self.resources);
        let known: FxHashSet<String> = resources.iter().map(|(id, _)| id.clone()).collect();
        let mut edges = Vec::new();
        for (id, mut resource) in resources {
            let location = to.next_location(ElementKind::Node);
            let label = take(&mut resource, &LABELS, fields::text);
            let creator = take(&mut resource, &CREATORS, fields::text);
            let created = take(&mut resource, &CREATED, fields::time);
            let modified = take(&mut resource, &MODIFIED, fields::time);
            let mut data = Fields::new();
            for (property, mut values) in resource.values {
                let value = match values.len() {
                    1 => values.remove(0),
                    _ => Json::Array(values),
                };
                data.insert(self.compact(&property), value);
            }
            let rest = ImportedNode {
                types: resource.types,
                data,
                creator,
                created,
                modified,
                ..ImportedNode::default()
            };
            for (property, target) in resource.links {
                edges.push((id.clone(), self.compact(&property), target));
            }
            let id = Some(id);
            to.node(location, RawNode { id, label, rest })?;
        }
        for (source, ty, target) in edges {
            if !known.contains(&target) && target.starts_with("_:") {
                // A blank node without statements is a node, too.
                let node = RawNode {
                    id: Some(target.clone()),
                    ..RawNode::default()
                };
                to.node(to.next_location(ElementKind::Node), node)?;
            }
            let edge = RawEdge {
                source: Some(source),
                target: Some(target),
                ty: Some(ty),
                rest: ImportedEdge::default(),
            };
            to.edge(to.next_location(ElementKind::Edge), edge)?;
        }
        Ok(())
    }
}

/// Id of a resource with an IRI.
fn named(iri: &str) -> String {
    let local = iri.strip_prefix(LOCAL).filter(|name| !name.is_empty());
    local.unwrap_or(iri).to_owned()
}

/// Takes the single value of the first of these properties that `read` accepts.
fn take<T>(of: &mut Resource, properties: &[&str], read: impl Fn(&Json) -> Option<T>) -> Option<T> {
    properties.iter().find_map(|property| {
        let [value] = &of.values.get(*property)?[..] else {
            return None;
        };
        let value = read(value)?;
        of.values.remove(*property);
        Some(value)
    })
}

/// Converts a literal to JSON, with its language or datatype if JSON does not imply it.
fn literal_value(literal: &oxrdf::Literal) -> Json {
    let text = literal.value();
    if let Some(language) = literal.language() {
        return json!({ "@value": text, "@language": language });
    }
    let ty = literal.datatype();
    let known = match ty.as_str().strip_prefix(XSD) {
        Some("string" | "dateTime" | "date" | "anyURI") => Some(Json::from(text)),
        Some("boolean") => text.parse::<bool>().ok().map(Json::from),
        Some("integer" | "int" | "long") => text.parse::<i64>().ok().map(Json::from),
        Some("double" | "float" | "decimal") => {
            let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
            number.map(Json::from)
        }
        None if ty.as_str().strip_prefix(RDF) == Some("JSON") => serde_json::from_str(text).ok(),
        Some(_) | None => None,
    };
    known.unwrap_or_else(|| {
        let mut value = Map::new();
        value.insert("@value".to_owned(), Json::from(text));
        value.insert("@type".to_owned(), Json::from(ty.as_str()));
        Json::Object(value)
    })
}
