//! `GraphML` (<http://graphml.graphdrawing.org/specification.html>): XML with typed attributes that are declared as keys.
//!
//! Graphs within nodes are read as if they stood beside them; hyperedges and ports, which have no counterpart here, are left
//! out with a repair. Labels of yEd are read.

use std::io::Write;

use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use super::columns::{self, Column, Columns, Dialect, Kind, Row};
use super::error::{FormatError, Place, WriteError, brief};
use super::facts;
use super::fields::{self, Fields, Sort};
use super::gather::Gathering;
use super::node_link::{left_out, schema, undirected};
use super::written::{Graph, Written, functions};
use super::xml::{Element, Item, Xml, escaped, unescaped};

/// An attribute that a file declares.
struct Key {
    title: String,
    kind: Kind,
    /// Of nodes or of edges; of everything if it is not said.
    sort: Option<Sort>,
}

/// An element that is open.
enum Frame {
    /// One that only holds others.
    Outer,
    Key(String),
    Default(String),
    Graph,
    Node(Fields),
    Edge(Fields),
    Data(String),
    /// One inside of data, and whether its text is the label.
    Inside(bool),
    /// One that is passed over.
    Skipped,
}

struct Reading<'a, 'w> {
    to: &'a mut Gathering<'w>,
    keys: FxHashMap<String, Key>,
    /// Values for nodes and edges that do not say: the id of the key, and the text.
    defaults: Vec<(String, String)>,
    open: Vec<Frame>,
    text: String,
    /// The label that a drawing program shows.
    label: Option<String>,
    graphs: usize,
    /// What is said of the whole graph.
    about: Fields,
}

/// Reads a file.
pub(super) fn read(text: &str, to: &mut Gathering<'_>) -> Result<(), FormatError> {
    let mut xml = Xml::new(text);
    let mut reading = Reading {
        to,
        keys: FxHashMap::default(),
        defaults: Vec::new(),
        open: Vec::new(),
        text: String::new(),
        label: None,
        graphs: 0,
        about: Fields::new(),
    };
    loop {
        match xml.next()? {
            Item::Open(element) => reading.open(element, &xml)?,
            Item::Text(piece) => reading.text.push_str(&piece),
            Item::Close => {
                reading.close(&xml)?;
                let read = xml.progress();
                reading.to.step(read)?;
            }
            Item::End => break,
        }
    }
    let Reading {
        to,
        graphs,
        mut about,
        ..
    } = reading;
    if graphs == 0 {
        return Err(FormatError::invalid(
            Place::File,
            "there is no <graph> in it, so it is no GraphML",
        ));
    }
    schema(&mut about, to)?;
    about.remove("name");
    for name in about.keys() {
        left_out(name, to);
    }
    Ok(())
}

fn kind(name: &str) -> Kind {
    match name {
        "boolean" => Kind::Boolean,
        "int" | "long" => Kind::Long,
        "float" | "double" => Kind::Double,
        _ => Kind::Text,
    }
}

impl Reading<'_, '_> {
    fn open(&mut self, mut element: Element, xml: &Xml<'_>) -> Result<(), FormatError> {
        self.keep_label();
        self.text.clear();
        let frame = match (&*element.name, self.open.last()) {
            (_, Some(Frame::Skipped)) => Frame::Skipped,
            (name, Some(Frame::Data(_) | Frame::Inside(_))) => {
                Frame::Inside(name == "NodeLabel" || name == "EdgeLabel")
            }
            ("key", _) => self.key(element, xml)?,
            ("default", Some(Frame::Key(id))) => Frame::Default(id.clone()),
            ("graph", _) => {
                self.graphs += 1;
                if self.graphs > 1 {
                    self.to.repair("nested_graph", xml.place(), || {
                        "there is more than one graph; all are read as one".to_owned()
                    });
                }
                if element.take("edgedefault").as_deref() == Some("undirected") {
                    undirected(self.to, xml.place());
                }
                Frame::Graph
            }
            ("node", _) => Frame::Node(attributes(element, &NODE)),
            ("edge", _) => {
                if element.take("directed").as_deref() == Some("false") {
                    undirected(self.to, xml.place());
                }
                Frame::Edge(attributes(element, &EDGE))
            }
            ("data", _) => {
                let key = element.take("key");
                Frame::Data(key.ok_or_else(|| xml.wrong("<data> names no key"))?)
            }
            (name @ ("hyperedge" | "port"), _) => {
                self.to.repair("left_out_element", xml.place(), || {
                    format!("<{name}> has no counterpart; it was left out")
                });
                Frame::Skipped
            }
            (_, None) => Frame::Outer,
            _ => Frame::Skipped,
        };
        self.open.push(frame);
        Ok(())
    }

    fn key(&mut self, mut element: Element, xml: &Xml<'_>) -> Result<Frame, FormatError> {
        let id = element
            .take("id")
            .ok_or_else(|| xml.wrong("<key> has no id"))?;
        let title = element.take("attr.name").unwrap_or_else(|| id.clone());
        let key = Key {
            title,
            kind: kind(element.take("attr.type").as_deref().unwrap_or_default()),
            sort: match element.take("for").as_deref() {
                Some("node") => Some(Sort::Node),
                Some("edge") => Some(Sort::Edge),
                _ => None,
            },
        };
        self.keys.insert(id.clone(), key);
        Ok(Frame::Key(id))
    }

    /// Keeps the first text in a label.
    fn keep_label(&mut self) {
        let label = self.text.trim();
        let is_label = matches!(self.open.last(), Some(Frame::Inside(true)));
        if is_label && !label.is_empty() && self.label.is_none() {
            self.label = Some(label.to_owned());
        }
    }

    fn close(&mut self, xml: &Xml<'_>) -> Result<(), FormatError> {
        self.keep_label();
        let text = std::mem::take(&mut self.text);
        match self.open.pop() {
            Some(Frame::Default(id)) => self.defaults.push((id, unescaped(&text))),
            Some(Frame::Data(id)) => self.data(&id, &text, xml)?,
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
            Some(
                Frame::Outer | Frame::Key(_) | Frame::Graph | Frame::Inside(_) | Frame::Skipped,
            )
            | None => {}
        }
        Ok(())
    }

    /// Puts what was said of an element into its fields.
    fn data(&mut self, id: &str, text: &str, xml: &Xml<'_>) -> Result<(), FormatError> {
        let Some(key) = self.keys.get(id) else {
            let id = brief(id);
            return Err(xml.wrong(format!(
                "<data> names the key '{id}', which is not declared"
            )));
        };
        let (fields, place) = match self.open.last_mut() {
            Some(Frame::Node(fields)) => (fields, self.to.node_place()),
            Some(Frame::Edge(fields)) => (fields, self.to.edge_place()),
            Some(_) | None => (&mut self.about, Place::File),
        };
        if let Some(label) = self.label.take() {
            fields.entry("label").or_insert(Json::from(label));
            return Ok(());
        }
        let text = unescaped(text);
        columns::put(fields, &key.title, key.kind, &text, place, self.to);
        Ok(())
    }

    /// Adds what the keys say of nodes or edges that do not say it.
    fn whole(
        &mut self,
        mut fields: Fields,
        sort: Sort,
        place: Place,
    ) -> Result<Fields, FormatError> {
        for (id, text) in &self.defaults {
            let key = self.keys.get(id);
            let key = key.filter(|key| key.sort.is_none_or(|own| own == sort));
            if let Some(key) = key.filter(|key| !fields.contains_key(&key.title)) {
                self.to.fill(1)?;
                columns::put(&mut fields, &key.title, key.kind, text, place, self.to);
            }
        }
        Ok(fields)
    }
}

/// Fields of these attributes of an element.
fn attributes(mut element: Element, names: &[&str]) -> Fields {
    let field = |name: &&str| Some(((*name).to_owned(), Json::from(element.take(name)?)));
    names.iter().filter_map(field).collect()
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
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    )?;
    write_keys("node", &NODE, &node_columns.all, out)?;
    write_keys("edge", &EDGE, &edge_columns.all, out)?;
    writeln!(
        out,
        "<key id=\"name\" for=\"graph\" attr.name=\"name\" attr.type=\"string\"/>"
    )?;
    writeln!(
        out,
        "<key id=\"schema\" for=\"graph\" attr.name=\"json:schema\" attr.type=\"string\"/>"
    )?;
    writeln!(out, "<graph edgedefault=\"directed\">")?;
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
    Ok(Written::default())
}

/// Fields that are attributes of their elements.
const NODE: [&str; 1] = ["id"];
const EDGE: [&str; 3] = ["id", "source", "target"];

fn write_keys(
    of: &str,
    own: &[&str],
    columns: &[Column],
    out: &mut dyn Write,
) -> Result<(), WriteError> {
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
                "<key id=\"{of}{at}\" for=\"{of}\" attr.name=\"{title}\" attr.type=\"{kind}\"/>"
            )?;
        }
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
    write!(out, "<{element}")?;
    let (own, data): (Vec<_>, Vec<_>) = columns
        .cells(row)
        .into_iter()
        .partition(|(at, _)| own.contains(&&*columns.all[*at].title));
    for (at, text) in own {
        write!(out, " {}=\"{}\"", columns.all[at].title, escaped(&text))?;
    }
    out.write_all(b">")?;
    for (at, text) in data {
        write!(out, "<data key=\"{element}{at}\">{}</data>", escaped(&text))?;
    }
    writeln!(out, "</{element}>")?;
    Ok(())
}
