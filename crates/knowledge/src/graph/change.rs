//! Mutation of a knowledge graph: insertion, replacement and removal of nodes and edges.

use std::sync::Arc;

use super::edge::{self, Edge, EdgeLink, FunctionEnd};
use super::error::KnowledgeError;
use super::hash;
use super::knowledge::{Knowledge, MAX_ELEMENTS, NUMBER_END, Vertex, VertexKind, folded};
use super::node::{self, Node, check_observations};
use super::observation_change::ObservationChange;
use super::schema::Schema;
use super::slot_map::NONE;

/// Parses the number of a generated id.
pub(super) fn number(id: &str, letter: char) -> Option<u64> {
    let digits = id.strip_prefix(letter)?;
    let is_plain = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.parse().ok();
    number.filter(|&number| is_plain && number < NUMBER_END)
}

impl Knowledge {
    /// Checks that a node can be inserted or replaced.
    ///
    /// # Errors
    /// [`KnowledgeError`] for the first rule that is violated.
    pub fn check_node(&self, node: &Node) -> Result<(), KnowledgeError> {
        node.check()?;
        if self.find(&node.id).is_some() {
            return Ok(());
        }
        check_room("nodes", self.node_count())
    }

    /// Checks that an edge can be inserted or replaced.
    ///
    /// # Errors
    /// [`KnowledgeError`] for the first rule that is violated. The existence of functions at its ends is not checked.
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
        if self.find_edge(&edge.id).is_some() {
            return Ok(());
        }
        check_room("edges", self.edge_count())
    }

    /// Checks that a change of observations can be applied.
    ///
    /// # Errors
    /// [`KnowledgeError`] for the first rule that is violated.
    pub fn check_observation_change(
        &self,
        observing: &ObservationChange,
    ) -> Result<(), KnowledgeError> {
        let node = self.node(&observing.id)?;
        let observations = observing.after(node.observations());
        let observations = observations.ok_or_else(|| KnowledgeError::NoObservation {
            id: observing.id.clone(),
            count: node.observations().len(),
        })?;
        check_observations(&observations)
    }

    /// Inserts a checked node, or replaces the one with its id, which keeps its edges.
    pub fn put_node(&mut self, node: Node) {
        self.keep(node);
    }

    /// As [`put_node`](Self::put_node); returns the place.
    pub(super) fn keep(&mut self, node: Node) -> u32 {
        self.used.nodes = self.used.nodes.max(node.order + 1);
        self.used.node_ids = self.used.node_ids.max(number(&node.id, 'n').unwrap_or(0));
        let place = self.place(&node.id);
        let hash = hash::node(&node);
        let types = node.types.iter().map(|ty| self.node_types.intern(ty));
        let (types, creator) = (types.collect(), self.creators.intern(&node.creator));
        let record = node::Record::new(node, types, creator);
        self.hash = self.hash.wrapping_add(hash);
        let label = folded(&record.label);
        let (id, what) = (record.id.clone(), VertexKind::Node(Arc::new(record)));
        let place = if let Some(place) = place {
            self.forget(place);
            let vertex = self.vertex_mut(place);
            (vertex.what, vertex.hash) = (what, hash);
            place
        } else {
            let place = self.vertices.insert(Vertex::new(what, hash));
            self.ids.insert(place, &id);
            place
        };
        self.label(place, &label);
        place
    }

    /// Adds a node to the nodes with its label.
    fn label(&mut self, place: u32, label: &str) {
        let first = self.labels.get(label, Self::read_label(&self.vertices));
        let Some(first) = first else {
            self.labels.insert(place, label);
            return;
        };
        self.link_label_after(place, first);
    }

    /// Links a node after `first`, the first with its label.
    pub(super) fn link_label_after(&mut self, place: u32, first: u32) {
        let second = std::mem::replace(&mut self.vertex_mut(first).same[1], place);
        self.vertex_mut(place).same = [first, second];
        if second != NONE {
            self.vertex_mut(second).same[0] = place;
        }
    }

    /// Removes a node from the nodes with its label.
    fn unlink_label(&mut self, place: u32, label: &str) {
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
            self.labels.insert(after, label);
        }
    }

    /// Removes a node's label, names and hash from the indexes.
    fn forget(&mut self, place: u32) {
        let vertex = self.vertex(place);
        let hash = vertex.hash;
        let VertexKind::Node(record) = vertex.what.clone() else {
            return;
        };
        self.hash = self.hash.wrapping_sub(hash);
        self.unlink_label(place, &folded(&record.label));
        record.release(&mut self.node_types, &mut self.creators);
    }

    /// Removes a node and its edges; `None` if it does not exist.
    pub fn remove_node(&mut self, id: &str) -> Option<()> {
        let place = self.find(id)?.place();
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

    /// Sets the position at which a node is drawn; `None` if it does not exist.
    pub fn move_node(&mut self, id: &str, position: Option<[f64; 2]>) -> Option<()> {
        let place = self.find(id)?.place();
        self.rewrite(place, |record| record.position = position.map(Box::new))
    }

    /// Changes a node except for its id, label and names.
    fn rewrite(&mut self, place: u32, change: impl FnOnce(&mut node::Record)) -> Option<()> {
        let vertex = self.vertices.get_mut(place)?;
        let VertexKind::Node(shared) = &mut vertex.what else {
            return None;
        };
        let record = Arc::make_mut(shared);
        change(record);
        let hash = hash::node(&record.node(&self.node_types, &self.creators));
        let old = std::mem::replace(&mut vertex.hash, hash);
        self.hash = self.hash.wrapping_add(hash).wrapping_sub(old);
        Some(())
    }

    /// Applies a checked change of observations; `None` if the node does not exist.
    pub fn observe(&mut self, observing: &ObservationChange) -> Option<()> {
        let node = self.find(&observing.id)?;
        let (place, observations) = (node.place(), observing.after(node.observations())?);
        self.rewrite(place, |record| {
            record.observations = (!observations.is_empty()).then(|| Arc::new(observations));
            (record.modified, record.version) = (observing.modified, observing.version);
        })
    }

    /// Inserts a checked edge, or replaces the one with its id.
    pub fn put_edge(&mut self, edge: Edge) {
        let ends = [&edge.source, &edge.target].map(|id| self.end(id));
        self.put_edge_between(edge, ends);
    }

    /// As [`put_edge`](Self::put_edge), with the places of its ends.
    pub(super) fn put_edge_between(&mut self, edge: Edge, ends: [u32; 2]) {
        self.used.edges = self.used.edges.max(edge.order + 1);
        self.used.edge_ids = self.used.edge_ids.max(number(&edge.id, 'e').unwrap_or(0));
        let old = self.edge_place(&edge.id);
        let (id, hash) = (edge.id.clone(), hash::edge(&edge));
        let ty = self.edge_types.intern(&edge.ty);
        let creator = self.creators.intern(&edge.creator);
        let record = edge::Record::new(edge, ends.map(EdgeLink::new), hash, ty, creator);
        self.hash = self.hash.wrapping_add(hash);
        let place = self.edges.insert(record);
        for (side, vertex) in ends.into_iter().enumerate() {
            self.link_edge(place, side, vertex);
        }
        // After the new edge holds its ends, so that a function at an end is kept.
        if let Some(old) = old {
            self.remove_at(old);
        }
        self.edge_ids.insert(place, &id);
    }

    /// Returns the vertex with an id; inserts it if it is a new function.
    pub(super) fn end(&mut self, id: &str) -> u32 {
        if let Some(place) = self.place(id) {
            return place;
        }
        self.functions += 1;
        let vertex = Vertex::new(VertexKind::Function(id.into()), 0);
        let place = self.vertices.insert(vertex);
        self.ids.insert(place, id);
        place
    }

    /// Links an edge before the others at one of its ends.
    fn link_edge(&mut self, edge: u32, side: usize, vertex: u32) {
        let at = self.vertex_mut(vertex);
        let first = std::mem::replace(&mut at.first[side], edge);
        at.degrees[side] += 1;
        self.edge_link(edge, side).after = first;
        if first != NONE {
            self.edge_link(first, side).before = edge;
        }
    }

    fn edge_link(&mut self, edge: u32, side: usize) -> &mut EdgeLink {
        let record = self.edges.get_mut(edge);
        &mut record.expect("an edge of a chain is there").ends[side]
    }

    /// Removes an edge; `None` if it does not exist.
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
                self.edge_link(end.before, side).after = end.after;
            }
            if end.after != NONE {
                self.edge_link(end.after, side).before = end.before;
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
        if let (VertexKind::Function(id), [0, 0]) = (&vertex.what, vertex.degrees) {
            let id = id.clone();
            self.ids.remove(place, &id);
            self.vertices.remove(place);
            self.functions -= 1;
        }
    }

    /// Replaces the schema.
    pub fn set_schema(&mut self, schema: Schema) {
        self.schema_hash = hash::schema(&schema);
        self.schema = Arc::new(schema);
    }
}

/// Checks that one more element fits.
pub(super) fn check_room(what: &'static str, count: usize) -> Result<(), KnowledgeError> {
    if count < MAX_ELEMENTS {
        return Ok(());
    }
    Err(KnowledgeError::TooLarge {
        what: "a knowledge graph",
        size: format!("{count} {what}"),
        most: MAX_ELEMENTS.to_string(),
        hint: "split it into several projects",
    })
}
