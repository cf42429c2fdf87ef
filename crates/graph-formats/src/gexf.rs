//! GEXF (<https://gexf.net>): version 1.3 is written, 1.1, 1.2 and 1.3 are read.
//!
//! Nested nodes are read as if they stood beside each other. The type of an edge in GEXF is its direction; the relation of its
//! ends is an attribute, or its "kind".

use std::io::Write;

use serde_json::Value as Json;

use super::builder::{ElementKind, GraphBuilder};
use super::columns::{Columns, Row, Typing};
use super::error::{FormatError, WriteError, brief};
use super::fields::Fields;
use super::graph::{Graph, Omissions, WriteReport};
use super::properties;
use super::xml::{Element, escaped};
use super::xml_graph::{self, Dialect, Frame, GraphReader, declared, write_start};

#[derive(Default)]
struct Gexf {
    has_graph: bool,
    is_undirected: bool,
}

/// Declarations of the attributes of nodes, or of edges.
struct Attributes(Option<ElementKind>);

/// Reads a file.
pub(super) fn read(text: &str, to: &mut GraphBuilder<'_>) -> Result<(), FormatError> {
    xml_graph::read(text, to, Gexf::default()).map(drop)
}

impl Dialect for Gexf {
    type Frame = Attributes;
    const NAME: &'static str = "GEXF";
    const INTEGERS: &'static [&'static str] = &["integer", "long", "short", "byte"];

    fn open(
        &mut self,
        mut element: Element,
        reader: &mut GraphReader<'_, '_, Self>,
    ) -> Result<Frame<Attributes>, FormatError> {
        Ok(match (&*element.name, reader.open.last_mut()) {
            ("graph", Some(Frame::Outer)) => {
                self.has_graph = true;
                let direction = element.take("defaultedgetype");
                self.is_undirected = direction.is_none_or(|direction| direction == "undirected");
                Frame::Outer
            }
            ("gexf" | "nodes" | "edges", _) | ("attvalues", Some(Frame::Element(..))) => {
                Frame::Outer
            }
            ("attributes", _) => Frame::Own(Attributes(match element.take("class").as_deref() {
                Some("node") => Some(ElementKind::Node),
                Some("edge") => Some(ElementKind::Edge),
                _ => None,
            })),
            ("attribute", Some(Frame::Own(Attributes(Some(kind))))) => {
                let kind = Some(*kind);
                return reader.declare(element, kind, kind, ["title", "type"]);
            }
            ("default", Some(Frame::Declaration(index))) => Frame::Default(*index),
            ("node", Some(Frame::Outer)) => {
                let kind = ElementKind::Node;
                Frame::Element(kind, all_fields(element, &NODE[..2], kind))
            }
            ("edge", Some(Frame::Outer)) => {
                let direction = element.take("type");
                let mut fields = all_fields(element, &EDGE, ElementKind::Edge);
                let is_directed = match direction.as_deref() {
                    Some("directed") => true,
                    Some("undirected" | "mutual") => false,
                    // Some programs write the relation of the ends here.
                    other => {
                        fields.extend(other.map(|ty| ("type".to_owned(), Json::from(ty))));
                        !self.is_undirected
                    }
                };
                if !is_directed {
                    reader.to.note_undirected(reader.xml.location());
                }
                Frame::Element(ElementKind::Edge, fields)
            }
            ("attvalue", Some(Frame::Outer)) => {
                insert_value(element, reader)?;
                Frame::Skipped
            }
            ("position", Some(Frame::Element(ElementKind::Node, fields))) => {
                fields.extend(xml_graph::take_fields(&mut element, &AXES));
                Frame::Skipped
            }
            _ => Frame::Skipped,
        })
    }

    fn complete(&self, kind: ElementKind, fields: &mut Fields) {
        if kind == ElementKind::Edge && !fields.contains_key("type") {
            // The relation of the ends has a name of its own since version 1.3.
            if let Some(kind) = fields.remove("kind") {
                fields.insert("type".to_owned(), kind);
            }
        }
    }

    fn has_graph(&self) -> bool {
        self.has_graph
    }
}

/// Inserts a value into the fields of the innermost open node or edge.
fn insert_value(
    mut element: Element,
    reader: &mut GraphReader<'_, '_, Gexf>,
) -> Result<(), FormatError> {
    // In version 1.1 it was called "id".
    let id = element.take("for").or_else(|| element.take("id"));
    let id = id.unwrap_or_default();
    let text = element.take("value").unwrap_or_default();
    let mut open = reader.open.iter_mut().rev();
    let found = open.find_map(|frame| match frame {
        Frame::Element(kind, fields) => Some((*kind, fields)),
        Frame::Outer
        | Frame::Declaration(_)
        | Frame::Default(_)
        | Frame::Skipped
        | Frame::Own(_) => None,
    });
    let Some((kind, fields)) = found else {
        return Ok(());
    };
    let Some(declaration) = reader.declarations.get(Some(kind), &id) else {
        let id = brief(&id);
        let problem = format!("a value refers to the undeclared attribute '{id}'");
        return Err(reader.xml.wrong(problem));
    };
    let location = reader.to.next_location(kind);
    declaration.insert(fields, &text, location, reader.to);
    Ok(())
}

/// All attributes of an element: fields by these names, and the rest as data.
fn all_fields(mut element: Element, names: &[&str], kind: ElementKind) -> Fields {
    let mut fields = xml_graph::take_fields(&mut element, names);
    let rest = element.rest().into_iter();
    let data = rest.filter(|(name, _)| !kind.knows(name));
    fields.extend(data.map(|(name, text)| (name, Json::from(text))));
    fields
}

/// Writes a graph.
pub(super) fn write(graph: &Graph<'_>, out: &mut dyn Write) -> Result<WriteReport, WriteError> {
    let nodes = || properties::node_rows(graph).chain(properties::function_rows(graph));
    let node_columns = Columns::new(ElementKind::Node, Typing::Typed, nodes());
    let edges = || properties::edge_rows(graph);
    let edge_columns = Columns::new(ElementKind::Edge, Typing::Typed, edges());
    out.write_all(
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gexf xmlns=\"http://gexf.net/1.3\" xmlns:viz=\"http://gexf.net/1.3/viz\" version=\"1.3\">\n",
    )?;
    writeln!(out, "<meta><title>{}</title></meta>", escaped(graph.title))?;
    writeln!(out, "<graph mode=\"static\" defaultedgetype=\"directed\">")?;
    write_attributes("node", &NODE, &node_columns, out)?;
    write_attributes("edge", &EDGE, &edge_columns, out)?;
    writeln!(out, "<nodes>")?;
    for row in nodes() {
        write_row("node", &NODE[..2], &node_columns, row, out)?;
    }
    writeln!(out, "</nodes>\n<edges>")?;
    for row in edges() {
        write_row("edge", &EDGE, &edge_columns, row, out)?;
    }
    out.write_all(b"</edges>\n</graph>\n</gexf>\n")?;
    let mut omissions = Omissions::default();
    omissions.add_schema(graph.schema);
    Ok(omissions.finish())
}

/// Fields that GEXF has a place for: as attributes of the element, and those of the position.
const NODE: [&str; 4] = ["id", "label", "x", "y"];
const EDGE: [&str; 5] = ["id", "source", "target", "label", "weight"];
const AXES: [&str; 2] = ["x", "y"];

fn write_attributes(
    class: &str,
    own: &[&str],
    columns: &Columns,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    writeln!(out, "<attributes class=\"{class}\">")?;
    for (index, title, datatype) in declared(columns, own) {
        writeln!(
            out,
            "<attribute id=\"{index}\" title=\"{title}\" type=\"{datatype}\"/>"
        )?;
    }
    writeln!(out, "</attributes>")?;
    Ok(())
}

fn write_row(
    element: &str,
    own: &[&str],
    columns: &Columns,
    row: Row<'_>,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let title = |index: usize| &*columns.all[index].title;
    let cells = write_start(element, own, columns, row, out)?.into_iter();
    let (axes, values): (Vec<_>, Vec<_>) =
        cells.partition(|(index, _)| element == "node" && AXES.contains(&title(*index)));
    out.write_all(b"<attvalues>")?;
    for (index, text) in values {
        let text = escaped(&text);
        write!(out, "<attvalue for=\"{index}\" value=\"{text}\"/>")?;
    }
    out.write_all(b"</attvalues>")?;
    if !axes.is_empty() {
        out.write_all(b"<viz:position")?;
        for (index, text) in axes {
            write!(out, " {}=\"{text}\"", title(index))?;
        }
        out.write_all(b" z=\"0.0\"/>")?;
    }
    writeln!(out, "</{element}>")?;
    Ok(())
}
