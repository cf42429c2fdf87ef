//! What a flowchart draws, and the nodes and edges that it stands for.

use std::collections::BTreeSet;

use fibula_knowledge::{FunctionEnd, is_name};
use serde_json::{Map, Value as Json};

use super::cursor::Raw;
use super::link::{Head, Link, Stroke};
use super::shape::{self, Properties};
use super::text::{label_and_types, shown};
use crate::builder::{ElementKind, FUNCTION, GraphBuilder, RawEdge, RawNode};
use crate::error::{FileLocation, FormatError};
use crate::imported::{ImportedEdge, ImportedNode};

/// The type of nodes that stand for subgraphs.
const SUBGRAPH: &str = "subgraph";
/// What the shape of a node is called in its data.
const SHAPE: &str = "shape";

/// A node of a flowchart.
#[derive(Debug, Default)]
pub(super) struct Vertex<'a> {
    pub(super) id: &'a str,
    label: Option<String>,
    types: Vec<String>,
    data: Map<String, Json>,
    pub(super) classes: BTreeSet<&'a str>,
    /// The first subgraph in which it was mentioned, by place.
    pub(super) subgraph: Option<usize>,
}

/// A subgraph of a flowchart.
#[derive(Debug)]
pub(super) struct Subgraph<'a> {
    pub(super) id: &'a str,
    pub(super) title: String,
}

/// What is said of the edges that a link draws.
#[derive(Debug)]
pub(super) struct Drawn<'a> {
    id: Option<&'a str>,
    ty: Option<String>,
    label: Option<String>,
    data: Map<String, Json>,
}

/// How many values a text counts for where it is filled in.
pub(super) fn weight(text: &str) -> usize {
    const BYTES: usize = 16;
    1 + text.len() / BYTES
}

/// Tells that a text had HTML.
pub(super) fn html(to: &mut GraphBuilder<'_>, location: FileLocation) {
    to.repair("html_label", location, || {
        "a text has HTML; only its text was read".to_owned()
    });
}

impl<'a> Vertex<'a> {
    /// One of which only the id is known.
    pub(super) fn new(id: &'a str) -> Vertex<'a> {
        Vertex {
            id,
            ..Vertex::default()
        }
    }

    /// Takes a shape with a text. What was said earlier gives way, as in Mermaid.
    pub(super) fn draw(
        &mut self,
        shape: &str,
        raw: Raw<'_>,
        location: FileLocation,
        to: &mut GraphBuilder<'_>,
    ) {
        let (label, types) = label_and_types(raw);
        if label.has_html {
            html(to, location);
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

    /// Takes properties; those that are not known stay as they are.
    pub(super) fn describe(
        &mut self,
        given: Properties,
        location: FileLocation,
        to: &mut GraphBuilder<'_>,
    ) {
        if given.have_html {
            html(to, location);
        }
        let mut properties = given.values;
        if let Some(Json::String(label)) = properties.remove("label") {
            self.label = Some(label);
        }
        if let Some(Json::String(shape)) = properties.remove(SHAPE) {
            self.shape(&shape);
        }
        self.data.extend(properties);
    }

    /// The id of the function that it stands for, if it is written as we write those.
    fn function(&self) -> Option<&str> {
        let is_shaped = self.data.get(SHAPE).is_some_and(|it| it == shape::FUNCTION);
        let label = self.label.as_deref().filter(|_| is_shaped);
        label.filter(|label| FunctionEnd::parse(label).is_some())
    }

    /// What it is known by.
    pub(super) fn name(&self) -> &str {
        self.function().unwrap_or(self.id)
    }

    /// Adds it as a node. `own` is the subgraph that it is itself, and `within` the one that it is in.
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
                "a link ends at a subgraph; a node of type 'subgraph' stands for it".to_owned()
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

impl<'a> Drawn<'a> {
    /// What a link says of its edges.
    pub(super) fn of(
        link: &Link<'a>,
        location: FileLocation,
        to: &mut GraphBuilder<'_>,
    ) -> Drawn<'a> {
        let text = link.text.map(shown);
        if text.as_ref().is_some_and(|text| text.has_html) {
            html(to, location);
        }
        let text = text.map(|text| text.text).filter(|text| !text.is_empty());
        let (ty, label) = match text {
            Some(text) if is_name(&text) => (Some(text), None),
            other => (None, other),
        };
        let [tail, head] = link.heads;
        let looks = [
            ("stroke", link.stroke.name()),
            ("arrow", head.or(tail).and_then(Head::name)),
        ];
        let named = |(key, name): (&str, Option<&str>)| Some((key.to_owned(), Json::from(name?)));
        Drawn {
            id: link.id,
            ty,
            label,
            data: looks.into_iter().filter_map(named).collect(),
        }
    }

    /// How many values it fills in for an edge more.
    pub(super) fn weight(&self) -> usize {
        let texts = [self.id, self.ty.as_deref(), self.label.as_deref()];
        let texts = texts.into_iter().flatten().map(weight);
        1 + self.data.len() + texts.sum::<usize>()
    }

    /// Adds an edge that it draws.
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

/// Which way the edges of a link go; none if it is not seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Forward,
    Backward,
    /// As it is drawn, both ways or none.
    Undirected,
    Unseen,
}

impl Way {
    pub(super) fn of(link: &Link<'_>) -> Way {
        match (link.stroke, link.heads) {
            (Stroke::Invisible, _) => Way::Unseen,
            (_, [None, Some(_)]) => Way::Forward,
            (_, [Some(_), None]) => Way::Backward,
            (_, [tail, head]) if tail == head => Way::Undirected,
            (_, [_, _]) => Way::Forward,
        }
    }
}
