//! The inverted index, updated incrementally from a knowledge graph.
//!
//! The index holds a copy of the graph that it describes; changes since are found by comparing pages, and of a changed
//! node only the fields that differ are read, in the old and the new version. Posting lists are changed in place (see
//! [`SortedList`](super::sorted_list)). All sums behind scores are integers, so that results depend on the graph alone
//! and not on its history.

use hashbrown::HashMap;
use rayon::prelude::*;
use smallvec::SmallVec;

use super::fields::{FIELDS, Field, is_same, texts};
use super::sorted_list::SortedList;
use super::synonyms::Synonyms;
use super::tokenizer::Tokenizer;
use super::trigram_index::TrigramIndex;
use super::vocabulary::Vocabulary;
use crate::graph::{Knowledge, NodeRef};

/// Minimum number of places per parallel job; small in tests.
const MIN_CHUNK: u32 = if cfg!(test) { 4 } else { 8_192 };

/// Statistics of the node at a place.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NodeStats {
    /// Number of words of each field.
    pub(super) lengths: [u32; FIELDS],
    /// Number of trigrams of the label.
    pub(super) trigrams: u32,
    pub(super) order: u64,
}

/// Places of the nodes with each name, in lower case.
#[derive(Debug, Default)]
pub(super) struct NameIndex(HashMap<Box<str>, SortedList<u32>>);

impl NameIndex {
    pub(super) fn get(&self, name: &str) -> Option<&SortedList<u32>> {
        self.0.get(&*name.to_lowercase())
    }

    fn add(&mut self, name: &str, place: u32) {
        let nodes = self.0.entry(name.to_lowercase().into()).or_default();
        nodes.insert(place, |other| other.cmp(&place));
    }

    fn remove(&mut self, name: &str, place: u32) {
        let name = name.to_lowercase();
        if let Some(nodes) = self.0.get_mut(&*name) {
            nodes.remove(|other| other.cmp(&place));
            if nodes.len() == 0 {
                self.0.remove(&*name);
            }
        }
    }

    /// Merges names of nodes that all follow these.
    fn append(&mut self, later: NameIndex) {
        for (name, nodes) in later.0 {
            self.0.entry(name).or_default().append(nodes);
        }
    }
}

/// Tables of the index, which can be merged from those of parts of the nodes.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) vocabulary: Vocabulary,
    /// Number of words of each field of all nodes.
    pub(super) totals: [u64; FIELDS],
    pub(super) types: NameIndex,
    pub(super) creators: NameIndex,
    pub(super) labels: TrigramIndex,
    counter: TermCounter,
}

/// Full-text index of the nodes of a knowledge graph, as of the last update.
#[derive(Debug, Default)]
pub struct SearchIndex {
    pub(super) knowledge: Knowledge,
    /// Statistics by place.
    pub(super) entries: Vec<NodeStats>,
    pub(super) tables: Tables,
    pub(super) synonyms: Synonyms,
}

/// Counts the terms of a node; its buffers are reused.
#[derive(Debug, Default)]
struct TermCounter {
    reader: Tokenizer,
    /// Occurrences: term, true if in the new version, and field.
    words: Vec<(u32, bool, u8)>,
}

impl TermCounter {
    /// Tokenizes some fields of a version of a node; returns their numbers of words. `number` returns the number of a
    /// term.
    fn read(
        &mut self,
        node: &NodeRef<'_>,
        is_now: bool,
        fields: &[Field],
        mut number: impl FnMut(&str) -> u32,
    ) -> [u32; FIELDS] {
        let mut lengths = [0; FIELDS];
        for &field in fields {
            texts(node, field, &mut |_, text| {
                self.reader.read(text, |token| {
                    lengths[field as usize] += u32::from(token.kind.is_whole());
                    let word = (number(token.text), is_now, field as u8);
                    self.words.push(word);
                });
            });
        }
        lengths
    }
}

impl SearchIndex {
    /// Updates the index to a state of the graph. The cost of few changes does not depend on the number of nodes; the
    /// first update reads all nodes in parallel.
    pub fn update(&mut self, now: &Knowledge) {
        if !now.has_schema_of(&self.knowledge) {
            self.synonyms = Synonyms::new(&now.schema().synonyms);
        } else if now.is_shared(&self.knowledge) {
            return;
        }
        let before = std::mem::replace(&mut self.knowledge, now.clone());
        if before.node_count() == 0 && now.node_count() > 0 {
            self.build();
        } else {
            let places = now.places().max(before.places());
            self.entries.resize(places as usize, NodeStats::default());
            for changed in now.changed_nodes(&before) {
                let entry = &mut self.entries[changed.place as usize];
                let nodes = [changed.before, changed.after];
                self.tables.change(changed.place, nodes, entry);
            }
        }
        self.entries.truncate(now.places() as usize);
        self.tables.vocabulary.sort_new_terms();
    }

    /// Returns the graph of the last update.
    pub fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// Indexes all nodes.
    fn build(&mut self) {
        let knowledge = &self.knowledge;
        let places = knowledge.places();
        self.entries = vec![NodeStats::default(); places as usize];
        // Each part has a vocabulary of its own, which is merged.
        let part = places.div_ceil(rayon::current_num_threads() as u32);
        let part = part.max(MIN_CHUNK);
        let entries = self.entries.par_chunks_mut(part as usize);
        let parts = (0..entries.len() as u32).into_par_iter().zip(entries);
        let parts = parts.map(|(number, entries)| {
            let mut tables = Tables::default();
            for (place, entry) in (number * part..).zip(entries) {
                if let Some(node) = knowledge.node_at(place) {
                    tables.change(place, [None, Some(node)], entry);
                }
            }
            tables
        });
        let parts: Vec<Tables> = parts.collect();
        let all = parts.into_iter().reduce(Tables::append);
        self.tables = all.unwrap_or_default();
    }
}

impl Tables {
    /// Merges the tables of nodes that all follow these.
    fn append(mut self, later: Tables) -> Tables {
        self.vocabulary.append(later.vocabulary);
        self.labels.append(later.labels);
        self.types.append(later.types);
        self.creators.append(later.creators);
        for (total, later) in self.totals.iter_mut().zip(later.totals) {
            *total += later;
        }
        self
    }

    /// Updates the tables for a node, from its old to its new version, and its statistics.
    fn change(&mut self, place: u32, nodes: [Option<NodeRef<'_>>; 2], entry: &mut NodeStats) {
        let is_changed = |field: &Field| match &nodes {
            [Some(before), Some(after)] => !is_same(*field, before, after),
            [Some(_), None] | [None, Some(_) | None] => true,
        };
        let fields: SmallVec<[Field; FIELDS]> = Field::ALL.into_iter().filter(is_changed).collect();
        self.change_words(place, &nodes, &fields, entry);
        let [before, after] = &nodes;
        if fields.contains(&Field::Label) {
            let [before, after] = nodes.map(|node| node.map(|node| node.label()));
            entry.trigrams = self.labels.change(place, before, after);
        }
        if fields.contains(&Field::Types) {
            let [before, after] = [before, after].map(|node| node.iter().flat_map(NodeRef::types));
            before.for_each(|ty| self.types.remove(ty, place));
            after.for_each(|ty| self.types.add(ty, place));
        }
        let creators = nodes.map(|node| node.map(|node| node.creator()));
        if let [before, after] = creators
            && before != after
        {
            before.inspect(|creator| self.creators.remove(creator, place));
            after.inspect(|creator| self.creators.add(creator, place));
        }
        let order = after.map_or(0, |node| node.order());
        entry.order = order;
    }

    /// Updates the postings of some fields.
    fn change_words(
        &mut self,
        place: u32,
        nodes: &[Option<NodeRef<'_>>; 2],
        fields: &[Field],
        entry: &mut NodeStats,
    ) {
        let [before, after] = nodes;
        let (counter, vocabulary) = (&mut self.counter, &mut self.vocabulary);
        counter.words.clear();
        if let Some(before) = before {
            counter.read(before, false, fields, |word| {
                let found = vocabulary.find(word);
                found.expect("the words of a node are there until it goes")
            });
        }
        let mut lengths = [0; FIELDS];
        if let Some(after) = after {
            lengths = counter.read(after, true, fields, |word| vocabulary.intern(word));
        }
        counter.words.sort_unstable();
        for word in counter.words.chunk_by(|one, two| one.0 == two.0) {
            let mut counts = [[0; FIELDS]; 2];
            for &(_, is_now, field) in word {
                counts[usize::from(is_now)][field as usize] += 1;
            }
            let [before, after] = counts;
            if before == after {
                continue;
            }
            vocabulary.put(word[0].0, place, |counts| {
                for &field in fields {
                    counts.set(field, after[field as usize]);
                }
            });
        }
        for field in fields.iter().map(|&field| field as usize) {
            self.totals[field] += u64::from(lengths[field]);
            self.totals[field] -= u64::from(entry.lengths[field]);
            entry.lengths[field] = lengths[field];
        }
    }
}
