//! `GraphML` (<http://graphml.graphdrawing.org/specification.html>): XML with typed attributes that are declared as keys.
//!
//! Nested graphs are read as if they stood beside their nodes; hyperedges and ports, which have no counterpart here, are left
//! out with a repair. Labels of yEd are read.

use std::io::Write;

use serde_json::Value as Json;

use super::builder::{ElementKind, GraphBuilder};
use super::columns::{Columns, Row, Typing};
use super::error::{FileLocation, FormatError, WriteError, brief};
use super::fields::Fields;
use super::graph::{Graph, WriteReport};
use super::properties;
use super::xml::{Element, escaped, unescaped};
use super::xml_graph::{self, Dialect, Frame, GraphReader, declared, write_start};

enum OwnFrame {
    /// Value of a key.
    Data(String),
    /// An element in data; true if its text is the label.
    Inside(bool),
}

#[derive(Default)]
struct GraphMl {
    /// Label that a drawing program shows.
    label: Option<String>,
    graphs: usize,
    /// Attributes of the whole graph.
    attributes: Fields,
}

/// Reads a file.
pub(super) fn read(text: &str, to: &mut GraphBuilder<'_>) -> Result<(), FormatError> {
    let dialect = xml_graph::read(text, to, GraphMl::default())?;
    to.graph_attributes(dialect.attributes)
}

impl Dialect for GraphMl {
    type Frame = OwnFrame;
    const NAME: &'static str = "GraphML";
    const INTEGERS: &'static [&'static str] = &["int", "long"];

    fn open(
        &mut self,
        mut element: Element,
        reader: &mut GraphReader<'_, '_, Self>,
    ) -> Result<Frame<OwnFrame>, FormatError> {
        Ok(match (&*element.name, reader.open.last()) {
            (_, Some(Frame::Skipped)) => Frame::Skipped,
            (name, Some(Frame::Own(_))) => {
                let is_label = name == "NodeLabel" || name == "EdgeLabel";
                Frame::Own(OwnFrame::Inside(is_label))
            }
            ("key", _) => {
                let kind = match element.take("for").as_deref() {
                    Some("node") => Some(ElementKind::Node),
                    Some("edge") => Some(ElementKind::Edge),
                    _ => None,
                };
                return reader.declare(element, None, kind, ["attr.name", "attr.type"]);
            }
            ("default", Some(Frame::Declaration(index))) => Frame::Default(*index),
            ("graph", _) => {
                self.graphs += 1;
                if self.graphs > 1 {
                    reader.to.note_nested_graph(reader.xml.location());
                }
                if element.take("edgedefault").as_deref() == Some("undirected") {
                    reader.to.note_undirected(reader.xml.location());
                }
                Frame::Outer
            }
            ("node", _) => {
                let fields = xml_graph::take_fields(&mut element, &NODE);
                Frame::Element(ElementKind::Node, fields)
            }
            ("edge", _) => {
                if element.take("directed").as_deref() == Some("false") {
                    reader.to.note_undirected(reader.xml.location());
                }
                let fields = xml_graph::take_fields(&mut element, &EDGE);
                Frame::Element(ElementKind::Edge, fields)
            }
            ("data", _) => {
                let key = element.take("key");
                let key = key.ok_or_else(|| reader.xml.wrong("<data> has no key"))?;
                Frame::Own(OwnFrame::Data(key))
            }
            (name @ ("hyperedge" | "port"), _) => {
                let location = reader.xml.location();
                reader.to.repair("left_out_element", location, || {
                    format!("<{name}> is not supported; it was skipped")
                });
                Frame::Skipped
            }
            (_, None) => Frame::Outer,
            _ => Frame::Skipped,
        })
    }

    /// Keeps the first text in a label.
    fn receive_text(&mut self, reader: &GraphReader<'_, '_, Self>) {
        let label = reader.text.trim();
        let is_label = matches!(reader.open.last(), Some(Frame::Own(OwnFrame::Inside(true))));
        if is_label && !label.is_empty() && self.label.is_none() {
            self.label = Some(label.to_owned());
        }
    }

    /// Adds data to the element that has it, or to the attributes of the graph.
    fn close(
        &mut self,
        frame: OwnFrame,
        text: &str,
        reader: &mut GraphReader<'_, '_, Self>,
    ) -> Result<(), FormatError> {
        let OwnFrame::Data(id) = frame else {
            return Ok(());
        };
        let Some(declaration) = reader.declarations.get(None, &id) else {
            let id = brief(&id);
            let problem = format!("<data> refers to the undeclared key '{id}'");
            return Err(reader.xml.wrong(problem));
        };
        let (fields, location) = match reader.open.last_mut() {
            Some(Frame::Element(kind, fields)) => (fields, reader.to.next_location(*kind)),
            Some(_) | None => (&mut self.attributes, FileLocation::File),
        };
        if let Some(label) = self.label.take() {
            fields.entry("label").or_insert(Json::from(label));
        } else {
            declaration.insert(fields, &unescaped(text), location, reader.to);
        }
        Ok(())
    }

    fn has_graph(&self) -> bool {
        self.graphs > 0
    }
}

/// Writes a graph.
pub(super) fn write(graph: &Graph<'_>, out: &mut dyn Write) -> Result<WriteReport, WriteError> {
    let nodes = || properties::node_rows(graph).chain(properties::function_rows(graph));
    let node_columns = Columns::new(ElementKind::Node, Typing::Typed, nodes());
    let edges = || properties::edge_rows(graph);
    let edge_columns = Columns::new(ElementKind::Edge, Typing::Typed, edges());
    out.write_all(
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    )?;
    write_keys("node", &NODE, &node_columns, out)?;
    write_keys("edge", &EDGE, &edge_columns, out)?;
    out.write_all(
        b"<key id=\"name\" for=\"graph\" attr.name=\"name\" attr.type=\"string\"/>\n\
          <key id=\"schema\" for=\"graph\" attr.name=\"json:schema\" attr.type=\"string\"/>\n\
          <graph edgedefault=\"directed\">\n",
    )?;
    writeln!(out, "<data key=\"name\">{}</data>", escaped(graph.title))?;
    if !graph.schema.is_empty() {
        let schema = serde_json::to_string(graph.schema)?;
        writeln!(out, "<data key=\"schema\">{}</data>", escaped(&schema))?;
    }
    for row in nodes() {
        write_row("node", &NODE, &node_columns, row, out)?;
    }
    for row in edges() {
        write_row("edge", &EDGE, &edge_columns, row, out)?;
    }
    out.write_all(b"</graph>\n</graphml>\n")?;
    Ok(WriteReport::default())
}

/// Fields that are attributes of their elements.
const NODE: [&str; 1] = ["id"];
const EDGE: [&str; 3] = ["id", "source", "target"];

fn write_keys(
    element: &str,
    own: &[&str],
    columns: &Columns,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    for (index, title, datatype) in declared(columns, own) {
        writeln!(
            out,
            "<key id=\"{element}{index}\" for=\"{element}\" attr.name=\"{title}\" attr.type=\"{datatype}\"/>"
        )?;
    }
    Ok(())
}

fn write_row(
    element: &str,
    own: &[&str],
    columns: &Columns,
    row: Row<'_>,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    for (index, text) in write_start(element, own, columns, row, out)? {
        let text = escaped(&text);
        write!(out, "<data key=\"{element}{index}\">{text}</data>")?;
    }
    writeln!(out, "</{element}>")?;
    Ok(())
}
