//! Labels that are nearly the same, by the trigrams that they share.
//!
//! The trigrams of a label are those of its words, each with two spaces before it and one after, as in `PostgreSQL`'s
//! `pg_trgm`; two labels are as similar as the share of their trigrams that both have (Jaccard). Every trigram has the
//! list of its nodes, and counting through the lists of one label gives how many each other label shares: the cost is
//! the length of these lists, no matter how many labels there are.

use hashbrown::HashMap;

use super::best::Best;
use super::error::SearchError;
use super::index::{Entry, SearchIndex};
use super::list::List;
use super::words::Reader;
use crate::graph::NodeRef;

/// Three characters, 21 bits each.
type Trigram = u64;

/// A node whose label is nearly that of another.
#[derive(Debug, Clone, Copy)]
pub struct Similar<'a> {
    /// The node.
    pub node: NodeRef<'a>,
    /// The share of trigrams that both have, above 0; 1 if all.
    pub score: f64,
}

/// The trigrams of all labels.
#[derive(Debug, Default)]
pub(super) struct Labels {
    nodes: HashMap<Trigram, List<u32>>,
    reader: Reader,
}

/// The trigrams of a label, each once, sorted.
pub(super) fn trigrams(reader: &mut Reader, label: &str) -> Vec<Trigram> {
    let mut all = Vec::with_capacity(label.len() + 8);
    reader.read(label, |token| {
        if !token.kind.is_whole() {
            return;
        }
        let space = Trigram::from(' ');
        let mut last = space << 21 | space;
        for c in token.text.chars().chain([' ']) {
            last = (last << 21 | Trigram::from(c)) & ((1 << 63) - 1);
            all.push(last);
        }
    });
    all.sort_unstable();
    all.dedup();
    all
}

impl Labels {
    /// The label of a node was this, if it was there, and is that, if it is; tells how many trigrams it has.
    pub(super) fn change(&mut self, place: u32, before: Option<&str>, after: Option<&str>) -> u32 {
        let [old, new] = [before, after]
            .map(|label| label.map_or_else(Vec::new, |label| trigrams(&mut self.reader, label)));
        let compare = |other: &u32| other.cmp(&place);
        for trigram in old
            .iter()
            .filter(|trigram| new.binary_search(trigram).is_err())
        {
            if let Some(nodes) = self.nodes.get_mut(trigram) {
                nodes.remove(compare);
                if nodes.len() == 0 {
                    self.nodes.remove(trigram);
                }
            }
        }
        for trigram in new
            .iter()
            .filter(|trigram| old.binary_search(trigram).is_err())
        {
            self.nodes
                .entry(*trigram)
                .or_default()
                .insert(place, compare);
        }
        new.len() as u32
    }

    /// Adds the labels of nodes that all come after these.
    pub(super) fn append(&mut self, later: Labels) {
        for (trigram, nodes) in later.nodes {
            self.nodes.entry(trigram).or_default().append(nodes);
        }
    }

    /// The labels that share trigrams with one, with the share, in no order.
    fn similar(&self, label: &str, entries: &[Entry]) -> impl Iterator<Item = (u32, f64)> {
        let own = trigrams(&mut Reader::default(), label);
        let mut shared = vec![0_u32; entries.len()];
        let mut found = Vec::new();
        for nodes in own.iter().filter_map(|trigram| self.nodes.get(trigram)) {
            for &place in nodes.iter() {
                let count = &mut shared[place as usize];
                if *count == 0 {
                    found.push(place);
                }
                *count += 1;
            }
        }
        found.into_iter().map(move |place| {
            let shared = shared[place as usize];
            let all = own.len() as u32 + entries[place as usize].trigrams - shared;
            (place, f64::from(shared) / f64::from(all))
        })
    }
}

impl SearchIndex {
    /// The other nodes whose labels are nearly that of a node, the most similar first: what may be there twice. A label
    /// without a word is similar to none.
    ///
    /// # Errors
    /// [`SearchError::Knowledge`] if there is no such node.
    pub fn similar_labels(&self, id: &str, limit: usize) -> Result<Vec<Similar<'_>>, SearchError> {
        let node = self.knowledge.node(id)?;
        let compare = |one: &(u32, f64), two: &(u32, f64)| {
            let scores = two.1.total_cmp(&one.1);
            scores.then_with(|| self.compare_order(one.0, two.0))
        };
        let mut best = Best::new(limit, compare);
        let similar = self.tables.labels.similar(node.label(), &self.entries);
        for other in similar.filter(|other| other.0 != node.place()) {
            best.push(other);
        }
        let similar = best.into_sorted().into_iter();
        let similar = similar.filter_map(|(place, score)| {
            let node = self.knowledge.node_at(place)?;
            Some(Similar { node, score })
        });
        Ok(similar.collect())
    }
}
