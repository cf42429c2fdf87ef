//! What is to be seen of a knowledge graph.

use std::collections::BTreeMap;

use fibula_knowledge::{EdgeRef, FUNCTION, NodeRef};
use rustc_hash::FxHashMap;

use super::error::SketchError;
use super::layout::{MOST_EDGES, MOST_NODES, Plan};
use super::picture::{LOOP, Marks, mark_size};

/// Nodes, the functions at which their edges end, and the edges between them.
#[derive(Debug, Clone)]
pub struct Subject<'a> {
    vertices: Vec<Vertex<'a>>,
    /// The vertices where edges begin and end.
    ends: Vec<[usize; 2]>,
    edges: Vec<EdgeRef<'a>>,
    degrees: Vec<usize>,
    /// Whether an edge of a vertex ends where it begins.
    loops: Vec<bool>,
}

/// What edges end at.
#[derive(Debug, Clone, Copy)]
pub enum Vertex<'a> {
    /// A node.
    Node(NodeRef<'a>),
    /// A function, or a node of one, by its id ("fn:3", "fn:3/7").
    Function(&'a str),
}

impl<'a> Vertex<'a> {
    /// What it is known by.
    pub fn id(&self) -> &'a str {
        match self {
            Vertex::Node(node) => node.id(),
            Vertex::Function(id) => id,
        }
    }

    /// What people call it; its id if that is nothing.
    pub fn label(&self) -> &'a str {
        match self {
            Vertex::Node(node) if !node.label().is_empty() => node.label(),
            Vertex::Node(_) | Vertex::Function(_) => self.id(),
        }
    }

    /// The first of its types, which gives it its colour.
    pub fn ty(&self) -> &'a str {
        match self {
            Vertex::Node(node) => node.types().next().unwrap_or_default(),
            Vertex::Function(_) => "function",
        }
    }

    /// All its types, with commas between.
    pub fn types(&self) -> String {
        match self {
            Vertex::Node(node) => node.types().collect::<Vec<_>>().join(", "),
            Vertex::Function(_) => self.ty().to_owned(),
        }
    }
}

impl<'a> Subject<'a> {
    /// Takes nodes, each once, then the functions at which their edges end, by id, and of the edges those between them.
    ///
    /// # Errors
    /// [`SketchError`]: there are too many.
    pub fn new(nodes: &[NodeRef<'a>], edges: &[EdgeRef<'a>]) -> Result<Subject<'a>, SketchError> {
        let mut found: FxHashMap<u32, usize> = FxHashMap::default();
        let mut vertices = Vec::new();
        for node in nodes {
            found.entry(node.place()).or_insert_with(|| {
                vertices.push(Vertex::Node(*node));
                vertices.len() - 1
            });
        }
        let mut functions: BTreeMap<&'a str, u32> = BTreeMap::new();
        for edge in edges {
            let ends = [edge.source(), edge.target()]
                .into_iter()
                .zip(edge.places());
            functions.extend(ends.filter(|(id, _)| id.starts_with(FUNCTION)));
        }
        for (id, place) in functions {
            found.insert(place, vertices.len());
            vertices.push(Vertex::Function(id));
        }
        if vertices.len() > MOST_NODES {
            return Err(SketchError::TooManyNodes(vertices.len()));
        }
        let mut subject = Subject {
            degrees: vec![0; vertices.len()],
            loops: vec![false; vertices.len()],
            vertices,
            ends: Vec::new(),
            edges: Vec::new(),
        };
        for edge in edges {
            let [source, target] = edge.places();
            if let (Some(&source), Some(&target)) = (found.get(&source), found.get(&target)) {
                subject.ends.push([source, target]);
                subject.edges.push(*edge);
                subject.degrees[source] += 1;
                subject.degrees[target] += 1;
                subject.loops[source] |= source == target;
            }
        }
        if subject.edges.len() > MOST_EDGES {
            return Err(SketchError::TooManyEdges(subject.edges.len()));
        }
        Ok(subject)
    }

    /// What edges end at, in the order in which places are given and found.
    pub fn vertices(&self) -> &[Vertex<'a>] {
        &self.vertices
    }

    /// The edges, each with the vertices where it begins and ends.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = ([usize; 2], EdgeRef<'a>)> + '_ {
        self.ends.iter().copied().zip(self.edges.iter().copied())
    }

    /// How many ends of edges are at a vertex.
    pub(super) fn degree(&self, vertex: usize) -> usize {
        self.degrees[vertex]
    }

    /// Whether an edge ends where it begins.
    pub(super) fn has_loops(&self) -> bool {
        self.loops.contains(&true)
    }

    /// What is to be laid out: as large as it is drawn, in groups by type, beginning where the nodes are. Edges pull alike,
    /// since a weight may as well be a distance.
    pub fn plan(&self, marks: Marks) -> Plan {
        let kinds: BTreeMap<String, usize> = self
            .vertices
            .iter()
            .map(|vertex| (vertex.ty().to_lowercase(), 0))
            .collect();
        let numbers: BTreeMap<String, usize> = kinds.into_keys().zip(0..).collect();
        let place = |vertex: &Vertex<'_>| match vertex {
            Vertex::Node(node) => node.position(),
            Vertex::Function(_) => None,
        };
        Plan {
            sizes: (0..self.vertices.len())
                .map(|vertex| self.room(vertex, marks))
                .collect(),
            edges: self
                .ends
                .iter()
                .map(|&[source, target]| (source, target, 1.0))
                .collect(),
            groups: self
                .vertices
                .iter()
                .map(|vertex| numbers[&vertex.ty().to_lowercase()])
                .collect(),
            start: self.vertices.iter().map(place).collect(),
        }
    }

    /// The size of a mark with its loops; where there are few, with its label.
    fn room(&self, vertex: usize, marks: Marks) -> [f64; 2] {
        /// Up to so many vertices all labels have room.
        const FEW: usize = 150;
        let label = self.vertices[vertex].label();
        let [mut width, mut height] = mark_size(marks, label, self.degree(vertex));
        if marks == Marks::Discs && self.vertices.len() <= FEW {
            let label = mark_size(Marks::Boxes, label, 0);
            (width, height) = (width.max(label[0]), height + label[1]);
        }
        if self.loops[vertex] {
            (width, height) = (width + LOOP, height + LOOP);
        }
        [width, height]
    }
}
