//! Writer of JSON-LD, in the vocabulary of Discourse Graphs and a vocabulary of Fibula's own.
//!
//! Ids and types become IRIs, percent-encoded. A date is a text of ISO 8601, or the number of milliseconds if its year does
//! not have four digits.

use std::io::Write;

use fibula_knowledge::{EdgeRef, FUNCTION, FunctionEnd, FunctionPart, NodeRef, Schema};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::dates;
use crate::error::WriteError;
use crate::graph::{Graph, WriteReport};
use crate::properties::{self, PropertyList};

/// Fibula's vocabulary.
pub(super) const FIBULA: &str = "urn:fibula:graph#";
/// Prefix of the ids of nodes.
pub(super) const NODE: &str = "node:";
const NODE_TYPE: &str = "nodeType:";
const EDGE: &str = "edge:";
const EDGE_TYPE: &str = "edgeType:";

/// Characters of a name that are percent-encoded in an IRI.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

fn encode(prefix: &str, name: &str) -> String {
    format!("{prefix}{}", utf8_percent_encode(name, ENCODED))
}

/// Decodes a name in an IRI.
pub(super) fn decode(code: &str) -> String {
    percent_decode_str(code).decode_utf8_lossy().into_owned()
}

fn context() -> Json {
    let link = |iri: &str| json!({ "@id": iri, "@type": "@id" });
    let json = |iri: &str| json!({ "@id": iri, "@type": "@json" });
    json!({
        "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
        "dct": "http://purl.org/dc/terms/",
        "sioc": "http://rdfs.org/sioc/ns#",
        "dgb": "https://discoursegraphs.com/schema/dg_base#",
        "fibula": FIBULA,
        "node": "urn:fibula:node:",
        "edge": "urn:fibula:edge:",
        "nodeType": "urn:fibula:node-type:",
        "edgeType": "urn:fibula:edge-type:",
        "fn": "urn:fibula:function:",
        "title": "dct:title",
        "label": "rdfs:label",
        "content": "sioc:content",
        "identifier": "dct:identifier",
        "created": "dct:created",
        "modified": "dct:modified",
        "creator": "dct:creator",
        "nodeSchema": "dgb:NodeSchema",
        "relationDef": "dgb:RelationDef",
        "relationInstance": "dgb:RelationInstance",
        "predicate": link("rdf:predicate"),
        "source": link("dgb:source"),
        "destination": link("dgb:destination"),
        "domain": link("rdfs:domain"),
        "range": link("rdfs:range"),
        "weight": "fibula:weight",
        "version": "fibula:version",
        "order": "fibula:order",
        "validFrom": "fibula:validFrom",
        "validTo": "fibula:validTo",
        "position": json("fibula:position"),
        "observations": json("fibula:observations"),
        "data": json("fibula:data"),
        "schema": json("fibula:schema"),
    })
}

/// Writes a graph.
pub(crate) fn write(graph: &Graph<'_>, out: &mut dyn Write) -> Result<WriteReport, WriteError> {
    write!(
        out,
        "{{\"@context\":{},\n\"@id\":\"urn:fibula:graph\"",
        context()
    )?;
    write!(out, ",\"title\":{}", serde_json::to_string(graph.title)?)?;
    if !graph.schema.is_empty() {
        write!(out, ",\"schema\":{}", serde_json::to_string(graph.schema)?)?;
    }
    out.write_all(b",\n\"@graph\":[")?;
    let mut separator: &[u8] = b"\n";
    let mut write_one = |element: &dyn ErasedElement| -> Result<(), WriteError> {
        out.write_all(std::mem::replace(&mut separator, b",\n"))?;
        element.write(out)
    };
    let mut types: Vec<&str> = graph.nodes.iter().flat_map(NodeRef::types).collect();
    types.sort_unstable();
    types.dedup();
    for ty in types {
        let id = encode(NODE_TYPE, ty);
        write_one(&json!({ "@id": id, "@type": "nodeSchema", "label": ty }))?;
    }
    let mut types: Vec<&str> = graph.edges.iter().map(EdgeRef::ty).collect();
    types.sort_unstable();
    types.dedup();
    for ty in types {
        write_one(&relation(ty, graph.schema))?;
    }
    for of in graph.nodes {
        write_one(&node(of))?;
    }
    for of in graph.edges {
        write_one(&edge(of))?;
    }
    out.write_all(b"\n]}\n")?;
    Ok(WriteReport::default())
}

/// A serialisable element, as a trait object.
trait ErasedElement {
    fn write(&self, out: &mut dyn Write) -> Result<(), WriteError>;
}

impl<T: Serialize> ErasedElement for T {
    fn write(&self, out: &mut dyn Write) -> Result<(), WriteError> {
        Ok(serde_json::to_writer(out, self)?)
    }
}

/// Definition of a type of edges.
fn relation(ty: &str, schema: &Schema) -> Json {
    let mut relation = json!({ "@id": encode(EDGE_TYPE, ty), "@type": "relationDef", "label": ty });
    if let Some(declared) = schema.edge_types.iter().find(|own| own.key == ty) {
        for (name, types) in [("domain", &declared.domain), ("range", &declared.range)] {
            if !types.is_empty() {
                let types: Vec<String> = types.iter().map(|ty| encode(NODE_TYPE, ty)).collect();
                relation[name] = json!(types);
            }
        }
    }
    relation
}

fn time(at: i64) -> Json {
    dates::format(at).map_or_else(|| Json::from(at), Json::from)
}

/// IRI of a node, or of a function.
fn end(id: &str) -> String {
    match FunctionEnd::parse(id) {
        Some(FunctionEnd {
            function,
            part: FunctionPart::Input(name),
        }) => encode(&format!("{FUNCTION}{function}#"), &name),
        Some(_) => id.to_owned(),
        None => encode(NODE, id),
    }
}

fn node<'a>(of: &NodeRef<'_>) -> PropertyList<'a> {
    let mut node = PropertyList::default();
    let types: Vec<String> = of.types().map(|ty| encode(NODE_TYPE, ty)).collect();
    node.add("@id", end(of.id()));
    node.add("@type", types);
    node.add("identifier", of.id());
    node.add("title", of.label());
    node.add("creator", of.creator());
    node.add("created", time(of.created()));
    node.add("modified", time(of.modified()));
    node.add("version", of.version());
    node.add("order", of.order());
    if let Some(position) = of.position() {
        node.add("position", position.to_vec());
    }
    let known = properties::node(of).0.into_iter();
    node.0
        .extend(known.filter(|(name, _)| name == "observations"));
    add_data(&mut node, of.data());
    node
}

fn edge<'a>(of: &EdgeRef<'_>) -> PropertyList<'a> {
    let mut edge = PropertyList::default();
    edge.add("@id", encode(EDGE, of.id()));
    edge.add("@type", "relationInstance");
    edge.add("identifier", of.id());
    edge.add("predicate", encode(EDGE_TYPE, of.ty()));
    edge.add("source", end(of.source()));
    edge.add("destination", end(of.target()));
    if let Some(label) = of.label() {
        edge.add("label", label);
    }
    if let Some(weight) = of.weight() {
        edge.add("weight", weight);
    }
    let [from, to] = of.validity();
    for (name, at) in [("validFrom", from), ("validTo", to)] {
        if let Some(at) = at {
            edge.add(name, time(at));
        }
    }
    edge.add("creator", of.creator());
    edge.add("created", time(of.created()));
    edge.add("modified", time(of.modified()));
    edge.add("order", of.order());
    add_data(&mut edge, of.data());
    edge
}

/// Adds data; the text of a page has a term of its own.
fn add_data(to: &mut PropertyList<'_>, text: Option<&str>) {
    let mut data = properties::data(text);
    if data.get("content").is_some_and(Json::is_string) {
        to.0.extend(
            data.remove("content")
                .map(|content| ("content".into(), content)),
        );
    }
    if !data.is_empty() {
        to.add("data", data);
    }
}
