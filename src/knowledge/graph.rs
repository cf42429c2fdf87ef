//! The knowledge graph: nodes, edges, and how they are found.

use std::sync::Arc;

use super::edge::{self, Edge, FunctionEnd};
use super::error::KnowledgeError;
use super::index::Index;
use super::names::Names;
use super::node::{self, Node, Observation, check_observations};
use super::schema::Schema;
use super::slots::{NONE, Slots};
use super::view::{Direction, EdgeRef, NodeRef};

/// The most nodes, and the most edges.
pub const MOST: usize = 20_000_000;
/// Generated ids end before this number, which no graph reaches, whatever ids are given.
const LAST: u64 = 1 << 53;
/// An id longer than this is no mistake in one that is there.
const LONGEST_MISTAKE: usize = 64;
/// Up to so many nodes a refusal looks for an id that is nearly the one that was asked for.
const FEW: usize = 10_000;

/// What edges end at.
#[derive(Debug, Clone)]
pub(super) struct Vertex {
    pub(super) what: What,
    /// The first of the edges that begin here, and of those that end here.
    pub(super) first: [u32; 2],
    /// How many there are of each.
    pub(super) degrees: [u32; 2],
    /// The node before and the node after, of those with the same label.
    same: [u32; 2],
    /// The hash of the node; 0 for a function.
    hash: u64,
}

#[derive(Debug, Clone)]
pub(super) enum What {
    Node(Arc<node::Record>),
    /// A function or one of its nodes, which is here as long as an edge ends at it.
    Function(Box<str>),
}

impl Vertex {
    fn new(what: What, hash: u64) -> Vertex {
        Vertex {
            what,
            first: [NONE; 2],
            degrees: [0; 2],
            same: [NONE; 2],
            hash,
        }
    }

    /// The id that edges name.
    pub(super) fn id(&self) -> &str {
        match &self.what {
            What::Node(record) => &record.id,
            What::Function(id) => id,
        }
    }

    pub(super) fn record(&self) -> Option<&node::Record> {
        match &self.what {
            What::Node(record) => Some(record),
            What::Function(_) => None,
        }
    }
}

/// The highest numbers that were ever given, so that none is given twice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Used {
    pub(super) node_ids: u64,
    pub(super) edge_ids: u64,
    pub(super) nodes: u64,
    pub(super) edges: u64,
}

/// Labelled nodes and typed edges between them, and between them and functions.
///
/// Every edge's ends are there, always: with a node go its edges. Several edges may join the same nodes, and edges may
/// go in circles. A copy takes no time and shares everything with what it was made of, until either is changed.
///
/// What is listed comes in the order in which it was made, which is a part of nodes and edges; the order in which they
/// were put here does not show.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    pub(super) vertices: Slots<Vertex>,
    pub(super) edges: Slots<edge::Record>,
    ids: Index,
    edge_ids: Index,
    /// The first node with each label, whatever its case.
    labels: Index,
    pub(super) node_types: Names,
    pub(super) edge_types: Names,
    pub(super) creators: Names,
    schema: Arc<Schema>,
    functions: usize,
    pub(super) used: Used,
    hash: u64,
}

/// The text by which labels are found.
fn folded(label: &str) -> String {
    label.to_lowercase()
}

/// The number in a generated id.
fn number(id: &str, letter: char) -> Option<u64> {
    let digits = id.strip_prefix(letter)?;
    let is_plain = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits
        .parse()
        .ok()
        .filter(|&number| is_plain && number < LAST)
}

/// The first eight bytes of the BLAKE3 hash of what follows a number in the form of postcard.
fn hash(kind: u8, item: &impl serde::Serialize) -> u64 {
    let bytes = postcard::to_extend(item, vec![kind]).expect("memory is enough for its bytes");
    let [a, b, c, d, e, f, g, h, ..] = *blake3::hash(&bytes).as_bytes();
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

impl Knowledge {
    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.vertices.count() - self.functions
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.edges.count()
    }

    /// Whether there is nothing in it, and nothing was declared.
    pub fn is_empty(&self) -> bool {
        self.vertices.count() == 0 && *self.schema == Schema::default()
    }

    /// The declared types.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The hash of everything in it, whatever the order in which it came.
    ///
    /// It is the sum (which wraps) of one hash for each node, each edge and the schema unless that is empty: the first
    /// eight bytes, the lowest first, of the BLAKE3 hash of 1, 2 or 3 and the item in the form of postcard, its data
    /// being a text of JSON with sorted keys. The numbers of ids that are free again do not count.
    pub fn hash(&self) -> u64 {
        let schema = match &*self.schema {
            schema if *schema == Schema::default() => 0,
            schema => hash(3, schema),
        };
        self.hash.wrapping_add(schema)
    }

    /// An id that no node ever had.
    pub fn free_node_id(&self) -> String {
        format!("n{}", self.used.node_ids + 1)
    }

    /// An id that no edge ever had.
    pub fn free_edge_id(&self) -> String {
        format!("e{}", self.used.edge_ids + 1)
    }

    /// The place in the order of nodes that comes next.
    pub fn next_node(&self) -> u64 {
        self.used.nodes
    }

    /// The place in the order of edges that comes next.
    pub fn next_edge(&self) -> u64 {
        self.used.edges
    }

    pub(super) fn vertex(&self, place: u32) -> &Vertex {
        self.vertices
            .get(place)
            .expect("what edges and indexes name is there")
    }

    fn vertex_mut(&mut self, place: u32) -> &mut Vertex {
        self.vertices
            .get_mut(place)
            .expect("what edges and indexes name is there")
    }

    pub(super) fn record(&self, edge: u32) -> &edge::Record {
        self.edges
            .get(edge)
            .expect("what chains and indexes name is there")
    }

    fn read_id<'a>(vertices: &'a Slots<Vertex>) -> impl Fn(u32) -> &'a str {
        |place| vertices.get(place).map_or("", Vertex::id)
    }

    fn read_edge_id<'a>(edges: &'a Slots<edge::Record>) -> impl Fn(u32) -> &'a str {
        |place| edges.get(place).map_or("", |edge| &*edge.id)
    }

    fn read_label(vertices: &Slots<Vertex>) -> impl Fn(u32) -> String {
        |place| {
            let record = vertices.get(place).and_then(Vertex::record);
            record.map_or_else(String::new, |record| folded(&record.label))
        }
    }

    pub(super) fn place(&self, id: &str) -> Option<u32> {
        self.ids.get(id, Self::read_id(&self.vertices))
    }

    fn edge_place(&self, id: &str) -> Option<u32> {
        self.edge_ids.get(id, Self::read_edge_id(&self.edges))
    }

    /// The node with an id.
    ///
    /// # Errors
    /// [`KnowledgeError::UnknownNode`].
    pub fn node(&self, id: &str) -> Result<NodeRef<'_>, KnowledgeError> {
        let place = self.place(id);
        let found = place.and_then(|place| NodeRef::new(self, place));
        found.ok_or_else(|| KnowledgeError::UnknownNode {
            id: id.to_owned(),
            nearest: self.nearest(id),
        })
    }

    /// The edge with an id.
    ///
    /// # Errors
    /// [`KnowledgeError::UnknownEdge`].
    pub fn edge(&self, id: &str) -> Result<EdgeRef<'_>, KnowledgeError> {
        let place = self.edge_place(id);
        let found = place.map(|place| EdgeRef::new(self, place));
        found.ok_or_else(|| KnowledgeError::UnknownEdge { id: id.to_owned() })
    }

    /// The nodes with a label, whatever its case, in their order.
    pub fn labelled(&self, label: &str) -> Vec<NodeRef<'_>> {
        let first = self
            .labels
            .get(&folded(label), Self::read_label(&self.vertices));
        let after = |&place: &u32| Some(self.vertex(place).same[1]).filter(|&after| after != NONE);
        let places = std::iter::successors(first, after);
        let found = places.filter_map(|place| NodeRef::new(self, place));
        let mut found: Vec<NodeRef<'_>> = found.collect();
        found.sort_unstable_by_key(NodeRef::rank);
        found
    }

    /// An id that is nearly this one, or that of a node whose label it is.
    fn nearest(&self, id: &str) -> Option<String> {
        if let Some(node) = self.labelled(id).first() {
            return Some(node.id().to_owned());
        }
        if self.node_count() > FEW || id.len() > LONGEST_MISTAKE {
            return None;
        }
        let near = self.nodes().map(|node| {
            let distance = strsim::damerau_levenshtein(node.id(), id);
            (distance, node.order(), node.id())
        });
        let near = near.filter(|(distance, ..)| *distance * 3 <= id.chars().count());
        near.min().map(|(.., id)| id.to_owned())
    }

    /// All nodes, in no order that means anything.
    pub fn nodes(&self) -> impl Iterator<Item = NodeRef<'_>> {
        let places = self.vertices.iter().map(|(place, _)| place);
        places.filter_map(|place| NodeRef::new(self, place))
    }

    /// All edges, in no order that means anything.
    pub fn edges(&self) -> impl Iterator<Item = EdgeRef<'_>> {
        let places = self.edges.iter().map(|(place, _)| place);
        places.map(|place| EdgeRef::new(self, place))
    }

    /// All nodes, in their order.
    pub fn sorted_nodes(&self) -> Vec<NodeRef<'_>> {
        let mut all: Vec<NodeRef<'_>> = self.nodes().collect();
        all.sort_unstable_by_key(NodeRef::rank);
        all
    }

    /// All edges, in their order.
    pub fn sorted_edges(&self) -> Vec<EdgeRef<'_>> {
        let mut all: Vec<EdgeRef<'_>> = self.edges().collect();
        all.sort_unstable_by_key(EdgeRef::rank);
        all
    }

    /// The edges at a node, or at a function ("fn:3", "fn:3/7"), in their order; none if it has none.
    pub fn edges_at(&self, id: &str, direction: Direction) -> Vec<EdgeRef<'_>> {
        let Some(place) = self.place(id) else {
            return Vec::new();
        };
        EdgeRef::sorted(self, place, direction)
    }

    /// The edges from one end to another, in their order.
    pub fn edges_between(&self, source: &str, target: &str) -> Vec<EdgeRef<'_>> {
        let (Some(source), Some(target)) = (self.place(source), self.place(target)) else {
            return Vec::new();
        };
        let fewer_in = self.vertex(target).degrees[1] < self.vertex(source).degrees[0];
        let (at, side) = if fewer_in { (target, 1) } else { (source, 0) };
        let found = self.chain(at, side);
        let found =
            found.filter(|&edge| self.record(edge).ends.map(|end| end.node) == [source, target]);
        let mut found: Vec<EdgeRef<'_>> = found.map(|edge| EdgeRef::new(self, edge)).collect();
        found.sort_unstable_by_key(EdgeRef::rank);
        found
    }

    /// The ends of edges that are functions or nodes of functions, sorted.
    pub fn function_ends(&self) -> Vec<FunctionEnd> {
        let ids = self
            .vertices
            .iter()
            .filter_map(|(_, vertex)| match &vertex.what {
                What::Function(id) => FunctionEnd::parse(id),
                What::Node(_) => None,
            });
        let mut ends: Vec<FunctionEnd> = ids.collect();
        ends.sort_unstable();
        ends
    }

    /// The types of nodes, with how many have each, by name.
    pub fn node_type_counts(&self) -> Vec<(&str, usize)> {
        self.node_types.all()
    }

    /// The types of edges, with how many have each, by name.
    pub fn edge_type_counts(&self) -> Vec<(&str, usize)> {
        self.edge_types.all()
    }

    /// Who made nodes and edges, with how many, by name.
    pub fn creator_counts(&self) -> Vec<(&str, usize)> {
        self.creators.all()
    }

    /// The edges at a vertex that begin (0) or end (1) there.
    pub(super) fn chain(&self, vertex: u32, side: usize) -> impl Iterator<Item = u32> {
        let first = self.vertex(vertex).first[side];
        let some = |edge: u32| (edge != NONE).then_some(edge);
        std::iter::successors(some(first), move |&edge| {
            some(self.record(edge).ends[side].after)
        })
    }

    /// Refuses a node that cannot be put here.
    ///
    /// # Errors
    /// [`KnowledgeError`] with what is wrong and what may be.
    pub fn check_node(&self, node: &Node) -> Result<(), KnowledgeError> {
        node.check()?;
        room("nodes", self.node_count())
    }

    /// Refuses an edge that cannot be put here.
    ///
    /// # Errors
    /// [`KnowledgeError`] with what is wrong and what may be. That functions at its ends are there is not asked.
    pub fn check_edge(&self, edge: &Edge) -> Result<(), KnowledgeError> {
        edge.check()?;
        for (end, id) in [("source", &edge.source), ("target", &edge.target)] {
            if self.place(id).is_none() && FunctionEnd::parse(id).is_none() {
                return Err(KnowledgeError::NoEnd {
                    edge: edge.id.clone(),
                    end,
                    id: id.clone(),
                });
            }
        }
        room("edges", self.edge_count())
    }

    /// Refuses observations at these places that cannot be.
    ///
    /// # Errors
    /// [`KnowledgeError`] with what is wrong and what may be.
    pub fn check_observing(&self, observing: &Observing) -> Result<(), KnowledgeError> {
        let node = self.node(&observing.id)?;
        let observations = observing.after(node.observations());
        let observations = observations.ok_or_else(|| KnowledgeError::NoObservation {
            id: observing.id.clone(),
            count: node.observations().len(),
        })?;
        check_observations(&observations)
    }

    /// Adds a node that was checked, or puts it in the place of the one with its id, whose edges it keeps.
    pub fn put_node(&mut self, node: Node) {
        self.used.nodes = self.used.nodes.max(node.order.saturating_add(1));
        self.used.node_ids = self.used.node_ids.max(number(&node.id, 'n').unwrap_or(0));
        let place = self.place(&node.id);
        let record = node::Record::new(node, &mut self.node_types, &mut self.creators);
        let hash = self.node_hash(&record);
        self.hash = self.hash.wrapping_add(hash);
        let label = folded(&record.label);
        let (id, what) = (record.id.clone(), What::Node(Arc::new(record)));
        let place = if let Some(place) = place {
            self.forget(place);
            let vertex = self.vertex_mut(place);
            (vertex.what, vertex.hash) = (what, hash);
            place
        } else {
            let place = self.vertices.insert(Vertex::new(what, hash));
            self.ids.insert(place, &id, Self::read_id(&self.vertices));
            place
        };
        self.label(place, &label);
    }

    /// Puts a node behind the first one with its label.
    fn label(&mut self, place: u32, label: &str) {
        let first = self.labels.get(label, Self::read_label(&self.vertices));
        let Some(first) = first else {
            let read = Self::read_label(&self.vertices);
            self.labels.insert(place, label, read);
            return;
        };
        let second = std::mem::replace(&mut self.vertex_mut(first).same[1], place);
        self.vertex_mut(place).same = [first, second];
        if second != NONE {
            self.vertex_mut(second).same[0] = place;
        }
    }

    /// Takes a node away from those with its label.
    fn unlabel(&mut self, place: u32, label: &str) {
        let [before, after] = std::mem::replace(&mut self.vertex_mut(place).same, [NONE; 2]);
        if after != NONE {
            self.vertex_mut(after).same[0] = before;
        }
        if before != NONE {
            self.vertex_mut(before).same[1] = after;
            return;
        }
        self.labels.remove(place, label);
        if after != NONE {
            let read = Self::read_label(&self.vertices);
            self.labels.insert(after, label, read);
        }
    }

    fn node_hash(&self, record: &node::Record) -> u64 {
        let types: Vec<&str> = record
            .types
            .iter()
            .map(|&ty| self.node_types.text(ty))
            .collect();
        let creator = self.creators.text(record.creator);
        let times = (
            record.created,
            record.modified,
            record.version,
            record.order,
        );
        let texts = (&record.id, &record.label, types, &record.data);
        hash(
            1,
            &(
                texts,
                record.observations(),
                &record.position,
                creator,
                times,
            ),
        )
    }

    /// Takes a node's label, names and hash out of the indexes.
    fn forget(&mut self, place: u32) {
        let vertex = self.vertex(place);
        let hash = vertex.hash;
        let What::Node(record) = vertex.what.clone() else {
            return;
        };
        self.hash = self.hash.wrapping_sub(hash);
        self.unlabel(place, &folded(&record.label));
        record.release(&mut self.node_types, &mut self.creators);
    }

    /// Removes a node with its edges; `None` if there is none.
    pub fn remove_node(&mut self, id: &str) -> Option<()> {
        let place = self.node(id).ok()?.place();
        for side in 0..2 {
            let edges: Vec<u32> = self.chain(place, side).collect();
            for edge in edges {
                self.remove_at(edge);
            }
        }
        self.forget(place);
        self.ids.remove(place, id);
        self.vertices.remove(place).map(drop)
    }

    /// Changes the observations of a node as was checked.
    pub fn observe(&mut self, observing: &Observing) -> Option<()> {
        let node = self.node(&observing.id).ok()?;
        let (place, observations) = (node.place(), observing.after(node.observations())?);
        let vertex = self.vertices.get_mut(place)?;
        let What::Node(shared) = &mut vertex.what else {
            return None;
        };
        let record = Arc::make_mut(shared);
        record.observations = (!observations.is_empty()).then(|| Arc::new(observations));
        (record.modified, record.version) = (observing.modified, observing.version);
        let record = shared.clone();
        let hash = self.node_hash(&record);
        let old = std::mem::replace(&mut self.vertices.get_mut(place)?.hash, hash);
        self.hash = self.hash.wrapping_add(hash).wrapping_sub(old);
        Some(())
    }

    /// Adds an edge that was checked, or puts it in the place of the one with its id.
    pub fn put_edge(&mut self, edge: Edge) {
        self.used.edges = self.used.edges.max(edge.order.saturating_add(1));
        self.used.edge_ids = self.used.edge_ids.max(number(&edge.id, 'e').unwrap_or(0));
        let ends = [&edge.source, &edge.target].map(|id| self.end(id));
        // After its ends are held by the new one, so that a function at an end stays.
        let old = self.edge_place(&edge.id);
        let (id, hash) = (edge.id.clone(), edge_hash(&edge));
        let record = edge::Record::new(edge, ends, hash, &mut self.edge_types, &mut self.creators);
        self.hash = self.hash.wrapping_add(hash);
        let place = self.edges.insert(record);
        for (side, vertex) in ends.into_iter().enumerate() {
            self.chain_in(place, side, vertex);
        }
        if let Some(old) = old {
            self.remove_at(old);
        }
        self.edge_ids
            .insert(place, &id, Self::read_edge_id(&self.edges));
    }

    /// The vertex with an id; a function is added if it is not there.
    fn end(&mut self, id: &str) -> u32 {
        if let Some(place) = self.place(id) {
            return place;
        }
        self.functions += 1;
        let vertex = Vertex::new(What::Function(id.into()), 0);
        let place = self.vertices.insert(vertex);
        self.ids.insert(place, id, Self::read_id(&self.vertices));
        place
    }

    /// Puts an edge before the others at one of its ends.
    fn chain_in(&mut self, edge: u32, side: usize, vertex: u32) {
        let at = self.vertex_mut(vertex);
        let first = std::mem::replace(&mut at.first[side], edge);
        at.degrees[side] += 1;
        self.chained(edge, side).after = first;
        if first != NONE {
            self.chained(first, side).before = edge;
        }
    }

    fn chained(&mut self, edge: u32, side: usize) -> &mut edge::Chained {
        let record = self
            .edges
            .get_mut(edge)
            .expect("an edge of a chain is there");
        &mut record.ends[side]
    }

    /// Removes an edge; `None` if there is none.
    pub fn remove_edge(&mut self, id: &str) -> Option<()> {
        let place = self.edge_place(id)?;
        self.remove_at(place);
        Some(())
    }

    fn remove_at(&mut self, place: u32) {
        let Some(record) = self.edges.get(place).cloned() else {
            return;
        };
        for (side, end) in record.ends.into_iter().enumerate() {
            let vertex = self.vertex_mut(end.node);
            vertex.degrees[side] -= 1;
            if end.before == NONE {
                vertex.first[side] = end.after;
            } else {
                self.chained(end.before, side).after = end.after;
            }
            if end.after != NONE {
                self.chained(end.after, side).before = end.before;
            }
        }
        self.hash = self.hash.wrapping_sub(record.hash);
        self.edge_ids.remove(place, &record.id);
        self.edges.remove(place);
        record.release(&mut self.edge_types, &mut self.creators);
        for end in record.ends {
            self.drop_function(end.node);
        }
    }

    /// Removes a function at which no edge ends any more.
    fn drop_function(&mut self, place: u32) {
        let Some(vertex) = self.vertices.get(place) else {
            return;
        };
        if let (What::Function(id), [0, 0]) = (&vertex.what, vertex.degrees) {
            let id = id.clone();
            self.ids.remove(place, &id);
            self.vertices.remove(place);
            self.functions -= 1;
        }
    }

    /// Declares types, in the place of those before.
    pub fn set_schema(&mut self, schema: Schema) {
        self.schema = Arc::new(schema);
    }
}

fn edge_hash(edge: &Edge) -> u64 {
    let data = (!edge.data.is_empty())
        .then(|| serde_json::to_string(&edge.data).expect("JSON can be written"));
    let texts = (
        &edge.id,
        &edge.source,
        &edge.target,
        &edge.ty,
        &edge.label,
        data,
    );
    let times = (edge.valid_from, edge.valid_to, edge.created, edge.modified);
    hash(2, &(texts, edge.weight, &edge.creator, times, edge.order))
}

fn room(what: &'static str, count: usize) -> Result<(), KnowledgeError> {
    if count < MOST {
        return Ok(());
    }
    Err(KnowledgeError::TooLarge {
        what: "a knowledge graph",
        size: format!("{count} {what}"),
        most: MOST.to_string(),
        hint: "divide it between projects",
    })
}

/// A change of a node's observations.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct Observing {
    /// The node.
    pub id: String,
    /// The places of those that go, counted from 0, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<u32>,
    /// Those that come, with the places at which they are then, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub insert: Vec<(u32, Observation)>,
    /// When: milliseconds since 1970, UTC.
    pub modified: i64,
    /// How often the node was written then.
    pub version: u32,
}

impl Observing {
    /// The observations after it; `None` if the places are none.
    fn after(&self, before: &[Observation]) -> Option<Vec<Observation>> {
        let ascend = |places: &mut dyn Iterator<Item = u32>| {
            let places: Vec<u32> = places.collect();
            places.is_sorted_by(|one, next| one < next)
        };
        let (mut removed, mut inserted) = (
            self.remove.iter().copied(),
            self.insert.iter().map(|(place, _)| *place),
        );
        if !ascend(&mut removed) || !ascend(&mut inserted) {
            return None;
        }
        if self
            .remove
            .last()
            .is_some_and(|&last| last as usize >= before.len())
        {
            return None;
        }
        let mut gone = self.remove.iter().peekable();
        let left = (0..)
            .zip(before)
            .filter(|(place, _)| gone.next_if_eq(&place).is_none());
        let mut left = left.map(|(_, observation)| observation.clone()).peekable();
        let mut after = Vec::new();
        for (place, observation) in &self.insert {
            while after.len() < *place as usize {
                after.push(left.next()?);
            }
            after.push(observation.clone());
        }
        after.extend(left);
        Some(after)
    }

    /// What takes it back, for the node as it was before; `None` if the places are none.
    pub fn inverse(&self, before: NodeRef<'_>) -> Option<Observing> {
        let observations = before.observations();
        let removed = self.remove.iter();
        let removed =
            removed.map(|&place| Some((place, observations.get(place as usize)?.clone())));
        Some(Observing {
            id: self.id.clone(),
            remove: self.insert.iter().map(|(place, _)| *place).collect(),
            insert: removed.collect::<Option<_>>()?,
            modified: before.modified(),
            version: before.version(),
        })
    }
}
