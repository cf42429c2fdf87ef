//! Similar labels by trigrams.
//!
//! Trigrams are those of the words of a label, each padded by two spaces before and one after, as in `PostgreSQL`'s
//! `pg_trgm`; the similarity of two labels is the Jaccard coefficient of their trigrams. Each trigram has a posting
//! list; the cost of a query is the length of the lists of its trigrams, whatever the number of labels.

use hashbrown::HashMap;

use super::error::SearchError;
use super::index::{NodeStats, SearchIndex};
use super::sorted_list::SortedList;
use super::tokenizer::Tokenizer;
use super::top_k::TopK;
use crate::graph::NodeRef;

/// Three characters, 21 bits each.
type Trigram = u64;

/// A node with a similar label.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SimilarLabel<'a> {
    /// The node.
    pub node: NodeRef<'a>,
    /// Jaccard coefficient of the trigrams, above 0; 1 if all are shared.
    pub score: f64,
}

/// Posting lists of the trigrams of all labels.
#[derive(Debug, Default)]
pub(super) struct TrigramIndex {
    nodes: HashMap<Trigram, SortedList<u32>>,
    reader: Tokenizer,
}

/// Returns the distinct trigrams of a label, sorted.
pub(super) fn trigrams(reader: &mut Tokenizer, label: &str) -> Vec<Trigram> {
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

impl TrigramIndex {
    /// Replaces the label of a node; returns the number of trigrams of the new one.
    pub(super) fn change(&mut self, place: u32, before: Option<&str>, after: Option<&str>) -> u32 {
        let [old, new] = [before, after]
            .map(|label| label.map_or_else(Vec::new, |label| trigrams(&mut self.reader, label)));
        let compare = |other: &u32| other.cmp(&place);
        let is_gone = |trigram: &&Trigram| new.binary_search(trigram).is_err();
        for trigram in old.iter().filter(is_gone) {
            if let Some(nodes) = self.nodes.get_mut(trigram) {
                nodes.remove(compare);
                if nodes.len() == 0 {
                    self.nodes.remove(trigram);
                }
            }
        }
        let is_new = |trigram: &&Trigram| old.binary_search(trigram).is_err();
        for trigram in new.iter().filter(is_new) {
            let nodes = self.nodes.entry(*trigram).or_default();
            nodes.insert(place, compare);
        }
        new.len() as u32
    }

    /// Merges the labels of nodes that all follow these.
    pub(super) fn append(&mut self, later: TrigramIndex) {
        for (trigram, nodes) in later.nodes {
            self.nodes.entry(trigram).or_default().append(nodes);
        }
    }

    /// Returns the places whose labels share trigrams with one, and the coefficients, unsorted.
    fn similar(&self, label: &str, entries: &[NodeStats]) -> impl Iterator<Item = (u32, f64)> {
        let own = trigrams(&mut Tokenizer::default(), label);
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
    /// Returns the nodes with the most similar labels, which may be duplicates, in descending order. A label without
    /// words is similar to none.
    ///
    /// # Errors
    /// [`SearchError::Knowledge`] if the node does not exist.
    pub fn similar_labels(
        &self,
        id: &str,
        limit: usize,
    ) -> Result<Vec<SimilarLabel<'_>>, SearchError> {
        let node = self.knowledge.node(id)?;
        let compare = |one: &(u32, f64), two: &(u32, f64)| {
            let scores = two.1.total_cmp(&one.1);
            scores.then_with(|| self.compare_order(one.0, two.0))
        };
        let mut best = TopK::new(limit, compare);
        let similar = self.tables.labels.similar(node.label(), &self.entries);
        for other in similar.filter(|other| other.0 != node.place()) {
            best.push(other);
        }
        let similar = best.into_sorted().into_iter();
        let similar = similar.filter_map(|(place, score)| {
            let node = self.knowledge.node_at(place)?;
            Some(SimilarLabel { node, score })
        });
        Ok(similar.collect())
    }
}
