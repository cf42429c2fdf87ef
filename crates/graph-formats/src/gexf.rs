//! GEXF (<https://gexf.net>): version 1.3 is written, 1.1, 1.2 and 1.3 are read.
//!
//! Nodes in nodes are read as if they stood beside them. An edge's type in the sense of GEXF is its direction; how its ends
//! are related is an attribute, or its "kind".

use std::io::Write;

use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use super::columns::{self, Column, Columns, Dialect, Kind, Row};
use super::error::{FormatError, Place, WriteError, brief};
use super::facts;
use super::fields::{self, Fields, Sort};
use super::gather::Gathering;
use super::node_link::undirected;
use super::written::{Graph, LeftOut, Written, functions};
use super::xml::{Element, Item, Xml, escaped, unescaped};

/// An attribute that a file declares.
struct Attribute {
    title: String,
    kind: Kind,
    default: Option<String>,
}

/// An element that is open.
enum Frame {
    /// One that only holds others.
    Outer,
    /// The attributes of nodes, or of edges.
    Attributes(Option<Sort>),
    /// A declared attribute, by its id.
    Attribute(Sort, String),
    Default(Sort, String),
    Node(Fields),
    Edge(Fields),
    /// One that is passed over.
    Skipped,
}

struct Reading<'a, 'w> {
    to: &'a mut Gathering<'w>,
    /// Of nodes and of edges, by id, in order.
    declared: [FxHashMap<String, Attribute>; 2],
    ids: [Vec<String>; 2],
    open: Vec<Frame>,
    text: String,
    has_graph: bool,
    is_undirected: bool,
}

/// Reads a file.
pub(super) fn read(text: &str, to: &mut Gathering<'_>) -> Result<(), FormatError> {
    let mut xml = Xml::new(text);
    let mut reading = Reading {
        to,
        declared: Default::default(),
        ids: Default::default(),
        open: Vec::new(),
        text: String::new(),
        has_graph: false,
        is_undirected: false,
    };
    loop {
        match xml.next()? {
            Item::Open(element) => reading.open(element, &xml)?,
            Item::Text(piece) => reading.text.push_str(&piece),
            Item::Close => {
                reading.close()?;
                let read = xml.progress();
                reading.to.step(read)?;
            }
            Item::End => break,
        }
    }
    if reading.has_graph {
        return Ok(());
    }
    Err(FormatError::invalid(
        Place::File,
        "there is no <graph> in it, so it is no GEXF",
    ))
}

fn kind(name: &str) -> Kind {
    match name {
        "boolean" => Kind::Boolean,
        "integer" | "long" | "short" | "byte" => Kind::Long,
        "float" | "double" => Kind::Double,
        _ => Kind::Text,
    }
}

fn of(sort: Sort) -> usize {
    match sort {
        Sort::Node => 0,
        Sort::Edge => 1,
    }
}

impl Reading<'_, '_> {
    fn open(&mut self, mut element: Element, xml: &Xml<'_>) -> Result<(), FormatError> {
        self.text.clear();
        let frame = match (&*element.name, self.open.last_mut()) {
            ("graph", Some(Frame::Outer)) => {
                self.has_graph = true;
                self.is_undirected = element
                    .take("defaultedgetype")
                    .is_none_or(|ty| ty == "undirected");
                Frame::Outer
            }
            ("gexf" | "nodes" | "edges", _)
            | ("attvalues", Some(Frame::Node(_) | Frame::Edge(_))) => Frame::Outer,
            ("attributes", _) => Frame::Attributes(match element.take("class").as_deref() {
                Some("node") => Some(Sort::Node),
                Some("edge") => Some(Sort::Edge),
                _ => None,
            }),
            ("attribute", Some(Frame::Attributes(Some(sort)))) => {
                let sort = *sort;
                self.declare(sort, element, xml)?
            }
            ("default", Some(Frame::Attribute(sort, id))) => Frame::Default(*sort, id.clone()),
            ("node", Some(Frame::Outer)) => {
                Frame::Node(start(element, &["id", "label"], Sort::Node))
            }
            ("edge", Some(Frame::Outer)) => {
                let ty = element.take("type");
                let mut fields = start(element, &EDGE, Sort::Edge);
                let is_directed = match ty.as_deref() {
                    Some("directed") => true,
                    Some("undirected" | "mutual") => false,
                    // Some programs say here how the ends are related.
                    other => {
                        fields.extend(other.map(|ty| ("type".to_owned(), Json::from(ty))));
                        !self.is_undirected
                    }
                };
                if !is_directed {
                    undirected(self.to, xml.place());
                }
                Frame::Edge(fields)
            }
            ("attvalue", Some(Frame::Outer)) => {
                self.value(element, xml)?;
                Frame::Skipped
            }
            ("position", Some(Frame::Node(fields))) => {
                for axis in ["x", "y"] {
                    if let Some(at) = element.take(axis) {
                        fields.insert(axis.to_owned(), Json::from(at));
                    }
                }
                Frame::Skipped
            }
            _ => Frame::Skipped,
        };
        self.open.push(frame);
        Ok(())
    }

    fn declare(
        &mut self,
        sort: Sort,
        mut element: Element,
        xml: &Xml<'_>,
    ) -> Result<Frame, FormatError> {
        let id = element
            .take("id")
            .ok_or_else(|| xml.wrong("<attribute> has no id"))?;
        let title = element.take("title").unwrap_or_else(|| id.clone());
        let attribute = Attribute {
            title,
            kind: kind(element.take("type").as_deref().unwrap_or_default()),
            default: None,
        };
        self.declared[of(sort)].insert(id.clone(), attribute);
        self.ids[of(sort)].push(id.clone());
        Ok(Frame::Attribute(sort, id))
    }

    /// Puts a value into the fields of the node or edge that is open.
    fn value(&mut self, mut element: Element, xml: &Xml<'_>) -> Result<(), FormatError> {
        // In version 1.1 it was called "id".
        let id = element
            .take("for")
            .or_else(|| element.take("id"))
            .unwrap_or_default();
        let text = element.take("value").unwrap_or_default();
        let mut open = self.open.iter_mut().rev();
        let found = open.find_map(|frame| match frame {
            Frame::Node(fields) => Some((fields, Sort::Node)),
            Frame::Edge(fields) => Some((fields, Sort::Edge)),
            Frame::Outer
            | Frame::Attributes(_)
            | Frame::Attribute(..)
            | Frame::Default(..)
            | Frame::Skipped => None,
        });
        let Some((fields, sort)) = found else {
            return Ok(());
        };
        let place = match sort {
            Sort::Node => self.to.node_place(),
            Sort::Edge => self.to.edge_place(),
        };
        let Some(attribute) = self.declared[of(sort)].get(&id) else {
            let id = brief(&id);
            return Err(xml.wrong(format!(
                "a value is for the attribute '{id}', which is not declared"
            )));
        };
        columns::put(
            fields,
            &attribute.title,
            attribute.kind,
            &text,
            place,
            self.to,
        );
        Ok(())
    }

    fn close(&mut self) -> Result<(), FormatError> {
        let text = std::mem::take(&mut self.text);
        match self.open.pop() {
            Some(Frame::Default(sort, id)) => {
                if let Some(attribute) = self.declared[of(sort)].get_mut(&id) {
                    attribute.default = Some(unescaped(&text));
                }
            }
            Some(Frame::Node(fields)) => {
                let place = self.to.node_place();
                let fields = self.whole(fields, Sort::Node, place)?;
                fields::add_node(fields, place, self.to)?;
            }
            Some(Frame::Edge(fields)) => {
                let place = self.to.edge_place();
                let fields = self.whole(fields, Sort::Edge, place)?;
                fields::add_edge(fields, place, self.to)?;
            }
            Some(Frame::Outer | Frame::Attributes(_) | Frame::Attribute(..) | Frame::Skipped)
            | None => {}
        }
        Ok(())
    }

    /// Adds what the file says of nodes or edges that do not say it.
    fn whole(
        &mut self,
        mut fields: Fields,
        sort: Sort,
        place: Place,
    ) -> Result<Fields, FormatError> {
        for id in &self.ids[of(sort)] {
            let attribute = &self.declared[of(sort)][id];
            let Some(text) = &attribute.default else {
                continue;
            };
            if !fields.contains_key(&attribute.title) {
                self.to.fill(1)?;
                columns::put(
                    &mut fields,
                    &attribute.title,
                    attribute.kind,
                    text,
                    place,
                    self.to,
                );
            }
        }
        if sort == Sort::Edge && !fields.contains_key("type") {
            // How an edge is related has a name of its own since version 1.3.
            if let Some(kind) = fields.remove("kind") {
                fields.insert("type".to_owned(), kind);
            }
        }
        Ok(fields)
    }
}

/// The fields of an element: attributes that are fields, and the rest as data.
fn start(mut element: Element, names: &[&str], sort: Sort) -> Fields {
    let mut fields = Fields::new();
    for name in names {
        if let Some(text) = element.take(name) {
            fields.insert((*name).to_owned(), Json::from(text));
        }
    }
    for (name, text) in element.rest() {
        if !sort.knows(&name) {
            fields.insert(name, Json::from(text));
        }
    }
    fields
}

/// Writes a graph.
pub(super) fn write(graph: &Graph<'_>, out: &mut dyn Write) -> Result<Written, WriteError> {
    let nodes = || {
        let nodes = graph.nodes.iter();
        let nodes = nodes.map(|node| (facts::node(node), facts::data(node.data())));
        let functions = functions(graph).into_iter();
        nodes.chain(functions.map(|id| (facts::function(id), Fields::new())))
    };
    let edges = || {
        let edges = graph.edges.iter();
        edges.map(|edge| (facts::edge(edge), facts::data(edge.data())))
    };
    let node_columns = Columns::of(Sort::Node, Dialect::Typed, nodes());
    let edge_columns = Columns::of(Sort::Edge, Dialect::Typed, edges());
    out.write_all(
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gexf xmlns=\"http://gexf.net/1.3\" xmlns:viz=\"http://gexf.net/1.3/viz\" version=\"1.3\">\n",
    )?;
    writeln!(out, "<meta><title>{}</title></meta>", escaped(graph.title))?;
    writeln!(out, "<graph mode=\"static\" defaultedgetype=\"directed\">")?;
    write_attributes("node", &NODE, &node_columns.all, out)?;
    write_attributes("edge", &EDGE, &edge_columns.all, out)?;
    writeln!(out, "<nodes>")?;
    for row in nodes() {
        write_row("node", &NODE, &node_columns, row, out)?;
    }
    writeln!(out, "</nodes>\n<edges>")?;
    for row in edges() {
        write_row("edge", &EDGE, &edge_columns, row, out)?;
    }
    out.write_all(b"</edges>\n</graph>\n</gexf>\n")?;
    let mut left_out = LeftOut::default();
    left_out.add_schema(graph.schema);
    Ok(left_out.finish())
}

/// Fields that GEXF has a place for: as attributes of the element, and those of the position.
const NODE: [&str; 4] = ["id", "label", "x", "y"];
const EDGE: [&str; 5] = ["id", "source", "target", "label", "weight"];

fn write_attributes(
    class: &str,
    own: &[&str],
    columns: &[Column],
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    writeln!(out, "<attributes class=\"{class}\">")?;
    for (at, Column { title, kind }) in columns.iter().enumerate() {
        let kind = match kind {
            Kind::Text | Kind::Json => "string",
            Kind::Long => "long",
            Kind::Double => "double",
            Kind::Boolean => "boolean",
        };
        if !own.contains(&&**title) {
            let title = escaped(title);
            writeln!(
                out,
                "<attribute id=\"{at}\" title=\"{title}\" type=\"{kind}\"/>"
            )?;
        }
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
    write!(out, "<{element}")?;
    let (own, values): (Vec<_>, Vec<_>) = columns
        .cells(row)
        .into_iter()
        .partition(|(at, _)| own.contains(&&*columns.all[*at].title));
    let (axes, own): (Vec<_>, Vec<_>) = own
        .into_iter()
        .partition(|(at, _)| ["x", "y"].contains(&&*columns.all[*at].title));
    for (at, text) in own {
        write!(out, " {}=\"{}\"", columns.all[at].title, escaped(&text))?;
    }
    out.write_all(b"><attvalues>")?;
    for (at, text) in values {
        write!(out, "<attvalue for=\"{at}\" value=\"{}\"/>", escaped(&text))?;
    }
    out.write_all(b"</attvalues>")?;
    if !axes.is_empty() {
        out.write_all(b"<viz:position")?;
        for (at, text) in axes {
            write!(out, " {}=\"{text}\"", columns.all[at].title)?;
        }
        out.write_all(b" z=\"0.0\"/>")?;
    }
    writeln!(out, "</{element}>")?;
    Ok(())
}
