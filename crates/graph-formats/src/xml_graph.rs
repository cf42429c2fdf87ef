//! Elements that `GraphML` and GEXF share: nodes, edges, and attributes that a file declares, with datatypes and defaults.
//!
//! A [`Dialect`] maps elements to frames. [`read`] keeps the stack of open frames, so that there is no recursion,
//! and completes nodes and edges by the declared defaults.

use std::borrow::Cow;
use std::io::Write;

use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use super::builder::{ElementKind, GraphBuilder};
use super::columns::{self, Columns, Datatype, Row};
use super::error::{FileLocation, FormatError, WriteError, brief};
use super::fields::{self, Fields};
use super::xml::{Element, Item, Xml, escaped, unescaped};

/// An attribute that a file declares.
pub(super) struct Declaration {
    title: String,
    datatype: Datatype,
    /// Elements that have it; all of them if it is `None`.
    kind: Option<ElementKind>,
    default: Option<String>,
}

impl Declaration {
    /// Inserts a value of the attribute into fields.
    pub(super) fn insert(
        &self,
        fields: &mut Fields,
        text: &str,
        location: FileLocation,
        to: &mut GraphBuilder<'_>,
    ) {
        columns::insert(fields, &self.title, self.datatype, text, location, to);
    }
}

/// An open element. `Own` are frames that only one dialect has.
pub(super) enum Frame<Own> {
    /// An element that only holds others.
    Outer,
    /// A declaration, by index.
    Declaration(usize),
    /// Default value of a declaration.
    Default(usize),
    /// A node or an edge.
    Element(ElementKind, Fields),
    /// An element that is ignored.
    Skipped,
    Own(Own),
}

/// A format of graphs in XML.
pub(super) trait Dialect: Sized {
    type Frame;
    /// Name of the format.
    const NAME: &'static str;
    /// Names of the datatypes of whole numbers.
    const INTEGERS: &'static [&'static str];

    /// Opens an element.
    fn open(
        &mut self,
        element: Element,
        reader: &mut GraphReader<'_, '_, Self>,
    ) -> Result<Frame<Self::Frame>, FormatError>;

    /// Receives the text up to a tag, before the tag.
    fn receive_text(&mut self, _: &GraphReader<'_, '_, Self>) {}

    /// Closes a frame of its own, with the text in it.
    fn close(
        &mut self,
        _: Self::Frame,
        _: &str,
        _: &mut GraphReader<'_, '_, Self>,
    ) -> Result<(), FormatError> {
        Ok(())
    }

    /// Completes the fields of a node or an edge, after the defaults.
    fn complete(&self, _: ElementKind, _: &mut Fields) {}

    /// True if the file has a graph.
    fn has_graph(&self) -> bool;
}

/// State of reading a file.
pub(super) struct GraphReader<'a, 'w, D: Dialect> {
    pub(super) to: &'a mut GraphBuilder<'w>,
    pub(super) xml: Xml<'a>,
    pub(super) open: Vec<Frame<D::Frame>>,
    /// Text since the last tag.
    pub(super) text: String,
    pub(super) declarations: Declarations,
}

/// Declared attributes, in order.
#[derive(Default)]
pub(super) struct Declarations {
    all: Vec<Declaration>,
    /// Indices by id, for all elements and for each kind of element that has ids of its own.
    indices: [FxHashMap<String, usize>; 3],
}

impl Declarations {
    /// Declaration with an id, which is unique within the attributes of a kind of element or of all elements.
    pub(super) fn get(&self, scope: Option<ElementKind>, id: &str) -> Option<&Declaration> {
        let index = self.indices[scope_index(scope)].get(id)?;
        Some(&self.all[*index])
    }

    fn insert(&mut self, scope: Option<ElementKind>, id: String, own: Declaration) -> usize {
        let next = self.all.len();
        let index = *self.indices[scope_index(scope)].entry(id).or_insert(next);
        if index == next {
            self.all.push(own);
        } else {
            self.all[index] = own;
        }
        index
    }
}

fn scope_index(scope: Option<ElementKind>) -> usize {
    scope.map_or(0, |kind| 1 + kind as usize)
}

/// Reads a file.
pub(super) fn read<D: Dialect>(
    text: &str,
    to: &mut GraphBuilder<'_>,
    mut dialect: D,
) -> Result<D, FormatError> {
    let mut reader = GraphReader {
        to,
        xml: Xml::new(text),
        open: Vec::new(),
        text: String::new(),
        declarations: Declarations::default(),
    };
    loop {
        match reader.xml.next()? {
            Item::Open(element) => {
                dialect.receive_text(&reader);
                reader.text.clear();
                let frame = dialect.open(element, &mut reader)?;
                reader.open.push(frame);
            }
            Item::Text(piece) => reader.text.push_str(&piece),
            Item::Close => {
                dialect.receive_text(&reader);
                reader.close(&mut dialect)?;
                let read = reader.xml.progress();
                reader.to.step(read)?;
            }
            Item::End if dialect.has_graph() => return Ok(dialect),
            Item::End => {
                let name = D::NAME;
                let problem = format!("not a {name} file: it has no <graph>");
                return Err(FormatError::invalid(FileLocation::File, problem));
            }
        }
    }
}

impl<D: Dialect> GraphReader<'_, '_, D> {
    /// Declares an attribute of elements of a kind. `scope` is the kind of element within which its id is unique, and
    /// `names` are the names of the XML attributes with its title and its datatype.
    pub(super) fn declare(
        &mut self,
        mut element: Element,
        scope: Option<ElementKind>,
        kind: Option<ElementKind>,
        names: [&str; 2],
    ) -> Result<Frame<D::Frame>, FormatError> {
        let id = element.take("id");
        let id = id.ok_or_else(|| self.xml.wrong(format!("<{}> has no id", element.name)))?;
        if self.declarations.get(scope, &id).is_some() {
            self.to
                .repair("duplicate_declaration", self.xml.location(), || {
                    let id = brief(&id);
                    format!("duplicate declaration of attribute '{id}'; the later one is used")
                });
        }
        let [title, datatype] = names.map(|name| element.take(name));
        let declaration = Declaration {
            title: title.unwrap_or_else(|| id.clone()),
            datatype: match datatype.as_deref().unwrap_or_default() {
                "boolean" => Datatype::Boolean,
                "float" | "double" => Datatype::Double,
                name if D::INTEGERS.contains(&name) => Datatype::Long,
                _ => Datatype::Text,
            },
            kind,
            default: None,
        };
        let index = self.declarations.insert(scope, id, declaration);
        Ok(Frame::Declaration(index))
    }

    fn close(&mut self, dialect: &mut D) -> Result<(), FormatError> {
        let text = std::mem::take(&mut self.text);
        match self.open.pop() {
            Some(Frame::Default(index)) => {
                self.declarations.all[index].default = Some(unescaped(&text));
                Ok(())
            }
            Some(Frame::Element(kind, mut fields)) => {
                let location = self.to.next_location(kind);
                self.add_defaults(kind, &mut fields, location)?;
                dialect.complete(kind, &mut fields);
                fields::add(kind, fields, location, self.to)
            }
            Some(Frame::Own(frame)) => dialect.close(frame, &text, self),
            Some(Frame::Outer | Frame::Declaration(_) | Frame::Skipped) | None => Ok(()),
        }
    }

    /// Adds the defaults of declared attributes that an element does not have.
    fn add_defaults(
        &mut self,
        kind: ElementKind,
        fields: &mut Fields,
        location: FileLocation,
    ) -> Result<(), FormatError> {
        for declaration in &self.declarations.all {
            let is_declared = declaration.kind.is_none_or(|own| own == kind);
            let default = declaration.default.as_deref().filter(|_| is_declared);
            if let Some(text) = default.filter(|_| !fields.contains_key(&declaration.title)) {
                self.to.fill(1)?;
                declaration.insert(fields, text, location, self.to);
            }
        }
        Ok(())
    }
}

/// Takes attributes of an element as fields.
pub(super) fn take_fields(element: &mut Element, names: &[&str]) -> Fields {
    let field = |name: &&str| Some(((*name).to_owned(), Json::from(element.take(name)?)));
    names.iter().filter_map(field).collect()
}

/// Columns that are declared as they are no attributes of their elements, each with its index, escaped title and datatype.
pub(super) fn declared<'a>(
    columns: &'a Columns,
    own: &'a [&str],
) -> impl Iterator<Item = (usize, Cow<'a, str>, &'static str)> {
    let columns = columns.all.iter().enumerate();
    let declared = columns.filter(|(_, column)| !own.contains(&&*column.title));
    declared.map(|(index, column)| {
        let datatype = match column.datatype {
            Datatype::Text | Datatype::Json => "string",
            Datatype::Long => "long",
            Datatype::Double => "double",
            Datatype::Boolean => "boolean",
        };
        (index, escaped(&column.title), datatype)
    })
}

/// Writes the start tag of an element with its own attributes; returns the other cells, by column.
pub(super) fn write_start(
    element: &str,
    own: &[&str],
    columns: &Columns,
    row: Row<'_>,
    out: &mut dyn Write,
) -> Result<Vec<(usize, String)>, WriteError> {
    let cells = columns.cells(row).into_iter();
    let (own, others): (Vec<_>, Vec<_>) =
        cells.partition(|(index, _)| own.contains(&&*columns.all[*index].title));
    write!(out, "<{element}")?;
    for (index, text) in own {
        let title = &columns.all[index].title;
        write!(out, " {title}=\"{}\"", escaped(&text))?;
    }
    out.write_all(b">")?;
    Ok(others)
}
