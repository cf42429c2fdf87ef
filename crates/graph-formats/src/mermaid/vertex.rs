//! Nodes, subgraphs and links of a flowchart, and the nodes and edges that they represent.

use std::collections::BTreeSet;

use fibula_knowledge::{FunctionEnd, is_name};
use serde_json::{Map, Value as Json};

use super::cursor::RawText;
use super::link::{Arrowhead, Link, Stroke};
use super::shape::{self, Properties};
use super::text::{label_and_types, plain};
use crate::builder::{ElementKind, FUNCTION, GraphBuilder, RawEdge, RawNode};
use crate::error::{FileLocation, FormatError};
use crate::imported::{ImportedEdge, ImportedNode};

/// Type of nodes that represent subgraphs.
const SUBGRAPH: &str = "subgraph";
/// Name of the shape in the data of a node.
const SHAPE: &str = "shape";

/// A node of a flowchart.
#[derive(Debug, Default)]
pub(super) struct Vertex<'a> {
    pub(super) id: &'a str,
    label: Option<String>,
    types: Vec<String>,
    data: Map<String, Json>,
    pub(super) classes: BTreeSet<&'a str>,
    /// Index of the subgraph in which it occurs first.
    pub(super) subgraph: Option<usize>,
}

/// A subgraph of a flowchart.
#[derive(Debug)]
pub(super) struct Subgraph<'a> {
    pub(super) id: &'a str,
    pub(super) title: String,
}

/// Properties of the edges that a link represents.
#[derive(Debug)]
pub(super) struct LinkEdges<'a> {
    id: Option<&'a str>,
    ty: Option<String>,
    label: Option<String>,
    data: Map<String, Json>,
}

/// Number of values that a copied text counts for.
pub(super) fn weight(text: &str) -> usize {
    const BYTES: usize = 16;
    1 + text.len() / BYTES
}

/// Records that a text had HTML.
pub(super) fn note_html(to: &mut GraphBuilder<'_>, location: FileLocation) {
    to.repair("html_label", location, || {
        "a text contains HTML; only its text was imported".to_owned()
    });
}

impl<'a> Vertex<'a> {
    /// A node with an id.
    pub(super) fn new(id: &'a str) -> Vertex<'a> {
        Vertex {
            id,
            ..Vertex::default()
        }
    }

    /// Sets the shape and the text. As in Mermaid, the last ones count.
    pub(super) fn draw(
        &mut self,
        shape: &str,
        raw: RawText<'_>,
        location: FileLocation,
        to: &mut GraphBuilder<'_>,
    ) {
        let (label, types) = label_and_types(raw);
        if label.has_html {
            note_html(to, location);
        }
        self.shape(shape);
        self.label = Some(label.text);
        self.types = types;
    }

    fn shape(&mut self, shape: &str) {
        self.data.remove(SHAPE);
        if shape != shape::PLAIN {
            self.data.insert(SHAPE.to_owned(), Json::from(shape));
        }
    }

    /// Sets properties; unknown ones become data.
    pub(super) fn describe(
        &mut self,
        properties: Properties,
        location: FileLocation,
        to: &mut GraphBuilder<'_>,
    ) {
        if properties.have_html {
            note_html(to, location);
        }
        let mut properties = properties.values;
        if let Some(Json::String(label)) = properties.remove("label") {
            self.label = Some(label);
        }
        if let Some(Json::String(shape)) = properties.remove(SHAPE) {
            self.shape(&shape);
        }
        self.data.extend(properties);
    }

    /// Id of the function that it represents, if it is written as Fibula does.
    fn function(&self) -> Option<&str> {
        let is_shaped = self.data.get(SHAPE).is_some_and(|it| it == shape::FUNCTION);
        let label = self.label.as_deref().filter(|_| is_shaped);
        label.filter(|label| FunctionEnd::parse(label).is_some())
    }

    /// Id of the node in the graph.
    pub(super) fn name(&self) -> &str {
        self.function().unwrap_or(self.id)
    }

    /// Adds the node to a graph. `own` is the subgraph that it represents, and `within` the one that contains it.
    pub(super) fn add(
        mut self,
        own: Option<&Subgraph<'_>>,
        within: Option<&Subgraph<'_>>,
        to: &mut GraphBuilder<'_>,
    ) -> Result<(), FormatError> {
        let location = to.next_location(ElementKind::Node);
        let id = self.name().to_owned();
        if self.function().is_some() {
            self.types = vec![FUNCTION.to_owned()];
        } else if let Some(own) = own {
            to.repair("subgraph_node", location, || {
                "a link ends at a subgraph, which was read as a node of type 'subgraph'".to_owned()
            });
            self.label.get_or_insert_with(|| own.title.clone());
            if self.types.is_empty() {
                self.types.push(SUBGRAPH.to_owned());
            }
        }
        if !self.classes.is_empty() {
            let classes: Vec<&str> = self.classes.into_iter().collect();
            self.data
                .insert("classes".to_owned(), Json::from(classes.join(" ")));
        }
        if let Some(within) = within {
            self.data
                .insert(SUBGRAPH.to_owned(), Json::from(within.title.as_str()));
        }
        let rest = ImportedNode {
            types: self.types,
            data: self.data,
            ..ImportedNode::default()
        };
        let found = RawNode {
            id: Some(id),
            label: self.label,
            rest,
        };
        to.node(location, found)
    }
}

impl<'a> LinkEdges<'a> {
    /// Properties of the edges of a link.
    pub(super) fn new(
        link: &Link<'a>,
        location: FileLocation,
        to: &mut GraphBuilder<'_>,
    ) -> LinkEdges<'a> {
        let text = link.text.map(plain);
        if text.as_ref().is_some_and(|text| text.has_html) {
            note_html(to, location);
        }
        let text = text.map(|text| text.text).filter(|text| !text.is_empty());
        let (ty, label) = match text {
            Some(text) if is_name(&text) => (Some(text), None),
            other => (None, other),
        };
        let [tail, head] = link.heads;
        let looks = [
            ("stroke", link.stroke.name()),
            ("arrow", head.or(tail).and_then(Arrowhead::name)),
        ];
        let named = |(key, name): (&str, Option<&str>)| Some((key.to_owned(), Json::from(name?)));
        LinkEdges {
            id: link.id,
            ty,
            label,
            data: looks.into_iter().filter_map(named).collect(),
        }
    }

    /// Number of values that a further edge copies.
    pub(super) fn weight(&self) -> usize {
        let texts = [self.id, self.ty.as_deref(), self.label.as_deref()];
        let texts = texts.into_iter().flatten().map(weight);
        1 + self.data.len() + texts.sum::<usize>()
    }

    /// Adds an edge to a graph.
    pub(super) fn add(
        &self,
        source: &str,
        target: &str,
        to: &mut GraphBuilder<'_>,
    ) -> Result<(), FormatError> {
        let rest = ImportedEdge {
            id: self.id.map(str::to_owned),
            label: self.label.clone(),
            data: self.data.clone(),
            ..ImportedEdge::default()
        };
        let found = RawEdge {
            source: Some(source.to_owned()),
            target: Some(target.to_owned()),
            ty: self.ty.clone(),
            rest,
        };
        to.edge(to.next_location(ElementKind::Edge), found)
    }
}

/// Direction of the edges of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkDirection {
    Forward,
    Backward,
    /// Arrows at both ends or at none.
    Undirected,
    /// The link is invisible.
    Invisible,
}

impl LinkDirection {
    pub(super) fn new(link: &Link<'_>) -> LinkDirection {
        match (link.stroke, link.heads) {
            (Stroke::Invisible, _) => LinkDirection::Invisible,
            (_, [None, Some(_)]) => LinkDirection::Forward,
            (_, [Some(_), None]) => LinkDirection::Backward,
            (_, [tail, head]) if tail == head => LinkDirection::Undirected,
            (_, [_, _]) => LinkDirection::Forward,
        }
    }
}
