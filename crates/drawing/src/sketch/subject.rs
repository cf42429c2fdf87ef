//! The part of a knowledge graph that is drawn.

use std::collections::BTreeMap;

use fibula_knowledge::{EdgeRef, FUNCTION, NodeRef};
use rustc_hash::FxHashMap;

use super::error::SketchError;
use super::layout::{MAX_EDGES, MAX_NODES, Plan};
use super::picture::{LOOP, Marks, mark_size};

/// Nodes, the functions at which their edges end, and the edges between them.
#[derive(Debug, Clone)]
pub struct Subject<'a> {
    vertices: Vec<Vertex<'a>>,
    /// Vertices where edges begin and end.
    ends: Vec<[usize; 2]>,
    edges: Vec<EdgeRef<'a>>,
    degrees: Vec<usize>,
    /// True for vertices with a loop.
    loops: Vec<bool>,
}

/// An end of edges.
#[derive(Debug, Clone, Copy)]
pub enum Vertex<'a> {
    /// A node.
    Node(NodeRef<'a>),
    /// A function, or a node of one, by its id ("fn:3", "fn:3/7").
    Function(&'a str),
    /// A function, or a node of one, that no longer exists.
    DeletedFunction(&'a str),
}

impl<'a> Vertex<'a> {
    /// Id of the node or function.
    pub fn id(&self) -> &'a str {
        match self {
            Vertex::Node(node) => node.id(),
            Vertex::Function(id) | Vertex::DeletedFunction(id) => id,
        }
    }

    /// Label; the id if there is no label.
    pub fn label(&self) -> &'a str {
        match self {
            Vertex::Node(node) if !node.label().is_empty() => node.label(),
            Vertex::Node(_) | Vertex::Function(_) | Vertex::DeletedFunction(_) => self.id(),
        }
    }

    /// First type, which decides the colour.
    pub fn ty(&self) -> &'a str {
        match self {
            Vertex::Node(node) => node.types().next().unwrap_or_default(),
            Vertex::Function(_) => "function",
            Vertex::DeletedFunction(_) => "deleted function",
        }
    }

    /// All types, separated by commas.
    pub fn types(&self) -> String {
        match self {
            Vertex::Node(node) => node.types().collect::<Vec<_>>().join(", "),
            Vertex::Function(_) | Vertex::DeletedFunction(_) => self.ty().to_owned(),
        }
    }
}

impl<'a> Subject<'a> {
    /// Collects nodes, each once, then the functions at which edges end, sorted by id, and the edges between all of these.
    ///
    /// # Errors
    /// [`SketchError`]: there are too many nodes or edges.
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
        if vertices.len() > MAX_NODES {
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
        if subject.edges.len() > MAX_EDGES {
            return Err(SketchError::TooManyEdges(subject.edges.len()));
        }
        Ok(subject)
    }

    /// Marks the functions that no longer exist: they have a type of their own.
    pub fn mark_deleted(&mut self, is_deleted: impl Fn(&str) -> bool) {
        for vertex in &mut self.vertices {
            if let Vertex::Function(id) = *vertex
                && is_deleted(id)
            {
                *vertex = Vertex::DeletedFunction(id);
            }
        }
    }

    /// Vertices, in the order of positions.
    pub fn vertices(&self) -> &[Vertex<'a>] {
        &self.vertices
    }

    /// Edges, each with the indices of the vertices where it begins and ends.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = ([usize; 2], EdgeRef<'a>)> + '_ {
        self.ends.iter().copied().zip(self.edges.iter().copied())
    }

    /// Number of edge ends at a vertex.
    pub(super) fn degree(&self, vertex: usize) -> usize {
        self.degrees[vertex]
    }

    /// True if there is a loop.
    pub(super) fn has_loops(&self) -> bool {
        self.loops.contains(&true)
    }

    /// Plan of a layout: sizes as drawn, groups by type, and the positions of the nodes as initial ones. All edges have the
    /// same weight, since a weight in the graph may as well be a distance.
    pub fn plan(&self, marks: Marks) -> Plan {
        let kinds: BTreeMap<String, usize> = self
            .vertices
            .iter()
            .map(|vertex| (vertex.ty().to_lowercase(), 0))
            .collect();
        let numbers: BTreeMap<String, usize> = kinds.into_keys().zip(0..).collect();
        let position = |vertex: &Vertex<'_>| match vertex {
            Vertex::Node(node) => node.position(),
            Vertex::Function(_) | Vertex::DeletedFunction(_) => None,
        };
        Plan {
            sizes: (0..self.vertices.len())
                .map(|vertex| self.mark_extent(vertex, marks))
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
            start: self.vertices.iter().map(position).collect(),
        }
    }

    /// Size of a mark with its loops; if there are few vertices, with its label.
    fn mark_extent(&self, vertex: usize, marks: Marks) -> [f64; 2] {
        /// Maximum number of vertices for which all labels have room.
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
