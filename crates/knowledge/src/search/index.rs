//! The index: which words are in which nodes, kept up to date with a knowledge graph.
//!
//! The index has a copy of the graph that it tells of; what changed since is found by comparing pages, and of a node
//! that changed only the fields that differ are read, once as they were and once as they are. Postings are changed in
//! place (see [`List`](super::list)), so that answers depend on the graph alone and not on how it came about: all sums
//! that scores are made of are whole numbers.

use hashbrown::HashMap;
use rayon::prelude::*;
use smallvec::SmallVec;

use super::fields::{FIELDS, Field, is_same, texts};
use super::labels::Labels;
use super::list::List;
use super::vocabulary::Vocabulary;
use super::words::Reader;
use crate::graph::{Knowledge, NodeRef};

/// A thread reads no fewer places than this; in tests small graphs have several parts too.
const PART: u32 = if cfg!(test) { 4 } else { 8_192 };

/// How much there is at a place.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entry {
    /// The words in each field.
    pub(super) lengths: [u32; FIELDS],
    /// The trigrams of the label.
    pub(super) trigrams: u32,
    /// The node's place in the order of nodes.
    pub(super) order: u64,
}

/// The nodes with each of some names, which are in lower case.
#[derive(Debug, Default)]
pub(super) struct Named(HashMap<Box<str>, List<u32>>);

impl Named {
    pub(super) fn get(&self, name: &str) -> Option<&List<u32>> {
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

    /// Adds names of nodes that all come after these.
    fn append(&mut self, later: Named) {
        for (name, nodes) in later.0 {
            self.0.entry(name).or_default().append(nodes);
        }
    }
}

/// Everything that is found by words and names. That of all nodes can be made of parts.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) vocabulary: Vocabulary,
    /// The words in each field of all nodes.
    pub(super) totals: [u64; FIELDS],
    pub(super) types: Named,
    pub(super) creators: Named,
    pub(super) labels: Labels,
    counter: Counter,
}

/// Full-text search over the nodes of a knowledge graph, as they were when it followed last.
#[derive(Debug, Default)]
pub struct SearchIndex {
    pub(super) knowledge: Knowledge,
    /// By place.
    pub(super) entries: Vec<Entry>,
    pub(super) tables: Tables,
}

/// Counts the words of a node; what it holds is only kept for its room.
#[derive(Debug, Default)]
struct Counter {
    reader: Reader,
    /// A word, whether it is there now and not before, and the field, for each time that it is there.
    words: Vec<(u32, bool, u8)>,
}

impl Counter {
    /// Reads some fields of a node as it was or is, and tells how many words they have. `number` tells that of a word.
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
    /// Brings the index up to date. What few changes take does not depend on the number of nodes; all nodes of a graph are
    /// read by all threads.
    pub fn follow(&mut self, now: &Knowledge) {
        if now.is_shared(&self.knowledge) {
            return;
        }
        let before = std::mem::replace(&mut self.knowledge, now.clone());
        if before.node_count() == 0 && now.node_count() > 0 {
            self.build();
        } else {
            let places = now.places().max(before.places());
            self.entries.resize(places as usize, Entry::default());
            for changed in now.changed_nodes(&before) {
                let entry = &mut self.entries[changed.place as usize];
                let nodes = [changed.before, changed.after];
                self.tables.change(changed.place, nodes, entry);
            }
        }
        self.entries.truncate(now.places() as usize);
        self.tables.vocabulary.settle();
    }

    /// The graph that is searched.
    pub fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// Reads all nodes.
    fn build(&mut self) {
        let knowledge = &self.knowledge;
        let places = knowledge.places();
        self.entries = vec![Entry::default(); places as usize];
        // Each part has words of its own, which are looked up once more.
        let part = places.div_ceil(rayon::current_num_threads() as u32);
        let part = part.max(PART);
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
    /// With those of nodes that all come after these.
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

    /// A node is not what it was: as it was before and as it is after, and how much there is at its place.
    fn change(&mut self, place: u32, nodes: [Option<NodeRef<'_>>; 2], entry: &mut Entry) {
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

    /// Counts the words of some fields anew.
    fn change_words(
        &mut self,
        place: u32,
        nodes: &[Option<NodeRef<'_>>; 2],
        fields: &[Field],
        entry: &mut Entry,
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
            lengths = counter.read(after, true, fields, |word| vocabulary.take(word));
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
