//! The nodes of a function, with their hashes.
//!
//! Invariant: `sum` is the sum of the hashes of all nodes as they are, but for those in `waiting`, which changed last.
//! Edits come in runs on a few nodes (create it, name it, link it), and most of their changes are never hashed. The
//! sum is kept here and nowhere else: nobody gets hold of a node to change it but through [`Nodes::change`], or of a
//! part that is not hashed through [`Nodes::consumers_mut`] and [`Nodes::set_label`].

use std::ops::Index;

use slotmap::SlotMap;

use super::function::{Consumer, NodeKey, Stored};
use super::hash::{self, Bytes};
use super::ids::FunctionId;

/// The most nodes that wait for their hash, while a function is edited.
const MOST_WAITING: usize = 4;

/// The nodes of a function, with the sum of their hashes.
#[derive(Debug, Clone)]
pub(super) struct Nodes {
    function: FunctionId,
    held: SlotMap<NodeKey, Held>,
    sum: u64,
    /// The nodes that are not in the sum.
    waiting: Vec<NodeKey>,
    /// How many may wait.
    most_waiting: usize,
    bytes: Bytes,
}

#[derive(Debug, Clone)]
struct Held {
    stored: Stored,
    /// The node's part of the sum; `None` while it waits.
    hash: Option<u64>,
}

impl Nodes {
    /// No nodes, of this function.
    pub(super) fn new(function: FunctionId) -> Self {
        Nodes {
            function,
            held: SlotMap::with_key(),
            sum: 0,
            waiting: Vec::new(),
            most_waiting: MOST_WAITING,
            bytes: Bytes::default(),
        }
    }

    /// The function whose nodes they are.
    pub(super) fn function(&self) -> FunctionId {
        self.function
    }

    /// The sum of the nodes' hashes.
    pub(super) fn hash(&self) -> u64 {
        let mut bytes = Bytes::default();
        let waiting = self.waiting.iter();
        waiting.fold(self.sum, |sum, &key| {
            sum.wrapping_add(self.hash_of(key, &mut bytes))
        })
    }

    fn hash_of(&self, key: NodeKey, bytes: &mut Bytes) -> u64 {
        let id = |key: NodeKey| self.held[key].stored.id;
        hash::node(self.function, &self.held[key].stored, id, bytes)
    }

    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Stored> {
        self.held.values().map(|held| &held.stored)
    }

    pub(super) fn insert(&mut self, stored: Stored) -> NodeKey {
        let key = self.held.insert(Held { stored, hash: None });
        self.wait(key);
        key
    }

    /// Removes a node that has no links.
    pub(super) fn remove(&mut self, key: NodeKey) -> Option<Stored> {
        let held = self.held.remove(key)?;
        match held.hash {
            Some(hash) => self.sum = self.sum.wrapping_sub(hash),
            None => self.waiting.retain(|&waiting| waiting != key),
        }
        Some(held.stored)
    }

    /// Changes a node, but not its id.
    pub(super) fn change<T>(&mut self, key: NodeKey, change: impl FnOnce(&mut Stored) -> T) -> T {
        let held = &mut self.held[key];
        let result = change(&mut held.stored);
        if let Some(hash) = held.hash.take() {
            self.sum = self.sum.wrapping_sub(hash);
            self.wait(key);
        }
        result
    }

    /// Lets a node wait that is not in the sum; the one that has waited longest makes room.
    fn wait(&mut self, key: NodeKey) {
        if self.waiting.len() >= self.most_waiting {
            let first = self.waiting.remove(0);
            self.sum_up(first);
        }
        self.waiting.push(key);
    }

    /// Makes room for so many nodes, and lets all of them wait until [`settle`](Self::settle).
    pub(super) fn expect(&mut self, count: usize) {
        self.held.reserve(count);
        self.most_waiting = usize::MAX;
    }

    /// Hashes the nodes that wait.
    pub(super) fn settle(&mut self) {
        self.most_waiting = MOST_WAITING;
        for key in std::mem::take(&mut self.waiting) {
            self.sum_up(key);
        }
    }

    /// Takes a node that waited into the sum.
    fn sum_up(&mut self, key: NodeKey) {
        let mut bytes = std::mem::take(&mut self.bytes);
        let hash = self.hash_of(key, &mut bytes);
        self.bytes = bytes;
        self.held[key].hash = Some(hash);
        self.sum = self.sum.wrapping_add(hash);
    }

    /// The links that leave a node; they are hashed where they arrive.
    pub(super) fn consumers_mut(&mut self, key: NodeKey) -> &mut Vec<Consumer> {
        &mut self.held[key].stored.consumers
    }

    /// Gives a node another place in the order, which is not part of the state.
    pub(super) fn set_label(&mut self, key: NodeKey, label: i64) {
        self.held[key].stored.label = label;
    }
}

impl Index<NodeKey> for Nodes {
    type Output = Stored;

    fn index(&self, key: NodeKey) -> &Stored {
        &self.held[key].stored
    }
}
