//! Nodes of a function and the incremental hash of their states.
//!
//! Invariant: `sum` is the sum of the current hashes of all nodes except those in `waiting`, which changed most
//! recently. Edits come in runs on a few nodes (create, name, link), so most intermediate states are never hashed.
//! Nodes change only through [`Nodes::change`], and parts that are not hashed through [`Nodes::consumers_mut`] and
//! [`Nodes::set_label`].

use std::ops::Index;

use slotmap::SlotMap;

use super::function::{Consumer, NodeKey, Stored};
use super::hash::{self, HashInput};
use super::ids::FunctionId;

/// Maximum number of nodes that wait for their hash while a function is edited.
const MOST_WAITING: usize = 4;

/// Nodes of a function, with the sum of their hashes.
#[derive(Debug, Clone)]
pub(super) struct Nodes {
    function: FunctionId,
    slots: SlotMap<NodeKey, HashedNode>,
    sum: u64,
    /// The nodes that are not in the sum.
    waiting: Vec<NodeKey>,
    /// Maximum length of `waiting`.
    most_waiting: usize,
    bytes: HashInput,
}

#[derive(Debug, Clone)]
struct HashedNode {
    stored: Stored,
    /// Summand of the node; `None` while it waits.
    hash: Option<u64>,
}

impl Nodes {
    pub(super) fn new(function: FunctionId) -> Self {
        Nodes {
            function,
            slots: SlotMap::with_key(),
            sum: 0,
            waiting: Vec::new(),
            most_waiting: MOST_WAITING,
            bytes: HashInput::default(),
        }
    }

    pub(super) fn function(&self) -> FunctionId {
        self.function
    }

    /// Sum of the current hashes of all nodes.
    pub(super) fn hash(&self) -> u64 {
        let mut bytes = HashInput::default();
        let waiting = self.waiting.iter();
        waiting.fold(self.sum, |sum, &key| {
            sum.wrapping_add(self.hash_of(key, &mut bytes))
        })
    }

    fn hash_of(&self, key: NodeKey, bytes: &mut HashInput) -> u64 {
        let id = |key: NodeKey| self.slots[key].stored.id;
        hash::node(self.function, &self.slots[key].stored, id, bytes)
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Stored> {
        self.slots.values().map(|node| &node.stored)
    }

    pub(super) fn insert(&mut self, stored: Stored) -> NodeKey {
        let key = self.slots.insert(HashedNode { stored, hash: None });
        self.wait(key);
        key
    }

    /// Removes a node that has no links.
    pub(super) fn remove(&mut self, key: NodeKey) -> Option<Stored> {
        let node = self.slots.remove(key)?;
        match node.hash {
            Some(hash) => self.sum = self.sum.wrapping_sub(hash),
            None => self.waiting.retain(|&waiting| waiting != key),
        }
        Some(node.stored)
    }

    /// Changes a node, but not its id.
    pub(super) fn change<T>(&mut self, key: NodeKey, change: impl FnOnce(&mut Stored) -> T) -> T {
        let node = &mut self.slots[key];
        let result = change(&mut node.stored);
        if let Some(hash) = node.hash.take() {
            self.sum = self.sum.wrapping_sub(hash);
            self.wait(key);
        }
        result
    }

    /// Queues a node that is not in the sum; if the queue is full, hashes its first node.
    fn wait(&mut self, key: NodeKey) {
        if self.waiting.len() >= self.most_waiting {
            let first = self.waiting.remove(0);
            self.add_hash(first);
        }
        self.waiting.push(key);
    }

    /// Reserves space for nodes, and lets all of them wait until [`hash_waiting`](Self::hash_waiting).
    pub(super) fn reserve(&mut self, count: usize) {
        self.slots.reserve(count);
        self.most_waiting = usize::MAX;
    }

    /// Hashes all waiting nodes.
    pub(super) fn hash_waiting(&mut self) {
        self.most_waiting = MOST_WAITING;
        for key in std::mem::take(&mut self.waiting) {
            self.add_hash(key);
        }
    }

    /// Adds the hash of a node to the sum.
    fn add_hash(&mut self, key: NodeKey) {
        let mut bytes = std::mem::take(&mut self.bytes);
        let hash = self.hash_of(key, &mut bytes);
        self.bytes = bytes;
        self.slots[key].hash = Some(hash);
        self.sum = self.sum.wrapping_add(hash);
    }

    /// Links that leave a node; they are hashed at their targets.
    pub(super) fn consumers_mut(&mut self, key: NodeKey) -> &mut Vec<Consumer> {
        &mut self.slots[key].stored.consumers
    }

    /// Sets the label of a node, which is not part of the state.
    pub(super) fn set_label(&mut self, key: NodeKey, label: i64) {
        self.slots[key].stored.label = label;
    }
}

impl Index<NodeKey> for Nodes {
    type Output = Stored;

    fn index(&self, key: NodeKey) -> &Stored {
        &self.slots[key].stored
    }
}
