//! Case-insensitive substring search over the texts of nodes.
//!
//! Lower-case texts are split into words: runs of letters and digits. All distinct words are concatenated to one text,
//! which is searched with vector instructions, and each has a posting list. A query is split alike: its inner words
//! must occur whole, the first as a suffix and the last as a prefix of a word, so a node that lacks one of them cannot
//! match, and few of the others fail to contain the whole query.

use std::cmp::Reverse;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use memchr::memmem;
use rayon::prelude::*;

use super::sorted_list::{PlaceSet, SortedList};
use crate::graph::{HashEntry, Knowledge, NodeRef};

/// Minimum number of places per parallel job; small in tests.
const MIN_CHUNK: u32 = if cfg!(test) { 4 } else { 8_192 };
/// Number of words of a query, the longest ones, that select candidates.
const MAX_PARTS: usize = 8;
/// Number of unused words, if they are the majority, from which the index is rebuilt.
const MANY: usize = if cfg!(test) { 8 } else { 10_000 };
/// Separator of words in the concatenation, which occurs in none of them.
const SEPARATOR: char = ' ';

/// Words by number with their posting lists. A word without nodes stays until the index is rebuilt.
#[derive(Debug, Default)]
struct WordTable {
    /// All words, each followed by [`SEPARATOR`].
    text: String,
    /// Offset of each word.
    starts: Vec<usize>,
    places: Vec<SortedList<u32>>,
    table: HashTable<HashEntry>,
    hasher: DefaultHashBuilder,
    /// Number of words without nodes.
    unused: usize,
}

/// Index for substring search in labels, types and observations, as of the last query.
#[derive(Debug, Default)]
pub struct SubstringIndex {
    knowledge: Knowledge,
    words: WordTable,
}

/// Splits a lower-case text into words; some may be empty.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
}

impl SubstringIndex {
    /// Returns candidates: all nodes with a label, type or observation that contains a text, if both are in lower case,
    /// and few others; unsorted. All nodes if the text has no letters or digits.
    ///
    /// The index is updated first. The cost of few changes does not depend on the number of nodes, unless so many words
    /// became unused that it is rebuilt in parallel, as on first use.
    pub fn candidates<'a>(&mut self, graph: &'a Knowledge, text: &str) -> Vec<NodeRef<'a>> {
        self.update(graph);
        let text = text.to_lowercase();
        let last = words(&text).count() - 1;
        let parts = words(&text).enumerate().filter(|part| !part.1.is_empty());
        let parts = parts.map(|(at, part)| (part, at > 0 && at < last));
        let mut parts: Vec<(&str, bool)> = parts.collect();
        parts.sort_unstable_by_key(|&(part, is_whole)| (Reverse(part.len()), part, is_whole));
        parts.dedup();
        let mut parts = parts.into_iter().take(MAX_PARTS);
        let Some((part, is_whole)) = parts.next() else {
            return graph.nodes().collect();
        };
        let mut found = self.places(part, is_whole);
        for (part, is_whole) in parts {
            if found.iter().next().is_none() {
                break;
            }
            found.retain(&self.places(part, is_whole));
        }
        found.iter().filter_map(|at| graph.node_at(at)).collect()
    }

    /// Updates the index to a state of the graph.
    fn update(&mut self, now: &Knowledge) {
        if now.is_shared(&self.knowledge) {
            return;
        }
        let before = std::mem::replace(&mut self.knowledge, now.clone());
        if before.node_count() > 0 {
            for changed in now.changed_nodes(&before) {
                let nodes = [changed.before, changed.after];
                self.words.change(changed.place, nodes);
            }
        }
        let words = &self.words;
        let is_worn = words.unused >= MANY && words.unused * 2 > words.starts.len();
        if before.node_count() == 0 || is_worn {
            self.words = WordTable::build(now);
        }
    }

    /// Places of the nodes that have a word, or a word that contains a part.
    fn places(&self, part: &str, is_whole: bool) -> PlaceSet {
        let mut places = PlaceSet::new(self.knowledge.places() as usize);
        let mut add = |word: u32| {
            let own = self.words.places[word as usize].iter();
            own.for_each(|&place| places.insert(place));
        };
        if is_whole {
            self.words.find(part).into_iter().for_each(add);
        } else {
            self.words.holding(part).for_each(&mut add);
        }
        places
    }
}

impl WordTable {
    /// Indexes all nodes.
    fn build(knowledge: &Knowledge) -> WordTable {
        let places = knowledge.places();
        // Each part has words of its own, which are merged.
        let part = places.div_ceil(rayon::current_num_threads() as u32);
        let part = part.max(MIN_CHUNK);
        let parts = (0..places.div_ceil(part)).into_par_iter().map(|number| {
            let mut words = WordTable::default();
            for place in (number * part..places).take(part as usize) {
                words.change(place, [None, knowledge.node_at(place)]);
            }
            words
        });
        let parts: Vec<WordTable> = parts.collect();
        let all = parts.into_iter().reduce(WordTable::append);
        all.unwrap_or_default()
    }

    /// Merges the words of nodes that all follow these.
    fn append(mut self, later: WordTable) -> WordTable {
        let starts = later.starts.iter().copied();
        let ends = starts.clone().skip(1).chain([later.text.len()]);
        for ((start, end), places) in starts.zip(ends).zip(later.places) {
            let word = self.intern(&later.text[start..end - SEPARATOR.len_utf8()]);
            let own = &mut self.places[word as usize];
            self.unused -= usize::from(own.len() == 0);
            own.append(places);
        }
        self
    }

    fn entry(&self, text: &str, word: u32) -> HashEntry {
        let hash = self.hasher.hash_one(text) as u32;
        HashEntry { hash, number: word }
    }

    /// Returns the number of a word.
    fn find(&self, text: &str) -> Option<u32> {
        let entry = self.entry(text, 0);
        let is_it = |other: &HashEntry| other.hash == entry.hash && self.is(other.number, text);
        let found = self.table.find(entry.table_hash(), is_it);
        found.map(|entry| entry.number)
    }

    /// True if a word equals a text.
    fn is(&self, word: u32, text: &str) -> bool {
        let own = &self.text[self.starts[word as usize]..];
        let rest = own.strip_prefix(text);
        rest.is_some_and(|rest| rest.starts_with(SEPARATOR))
    }

    /// Interns a word.
    fn intern(&mut self, text: &str) -> u32 {
        if let Some(word) = self.find(text) {
            return word;
        }
        let word = self.starts.len() as u32;
        self.starts.push(self.text.len());
        self.text.push_str(text);
        self.text.push(SEPARATOR);
        self.places.push(SortedList::default());
        self.unused += 1;
        let entry = self.entry(text, word);
        self.table
            .insert_unique(entry.table_hash(), entry, |entry| entry.table_hash());
        word
    }

    /// Returns the words that contain a part.
    fn holding<'a>(&'a self, part: &'a str) -> impl Iterator<Item = u32> + 'a {
        let (finder, mut from) = (memmem::Finder::new(part), 0);
        std::iter::from_fn(move || {
            let at = from + finder.find(&self.text.as_bytes()[from..])?;
            let next = self.starts.partition_point(|&start| start <= at);
            let end = self.starts.get(next).copied();
            from = end.unwrap_or(self.text.len());
            Some(next as u32 - 1)
        })
    }

    /// Updates the posting lists for a node, from its old to its new version.
    fn change(&mut self, place: u32, nodes: [Option<NodeRef<'_>>; 2]) {
        let [before, after] = nodes.map(|node| self.read(node));
        let is_in = |words: &[u32], word: &u32| words.binary_search(word).is_ok();
        for word in before.iter().filter(|word| !is_in(&after, word)) {
            let places = &mut self.places[*word as usize];
            places.remove(|other| other.cmp(&place));
            self.unused += usize::from(places.len() == 0);
        }
        for word in after.iter().filter(|word| !is_in(&before, word)) {
            let places = &mut self.places[*word as usize];
            self.unused -= usize::from(places.len() == 0);
            places.insert(place, |other| other.cmp(&place));
        }
    }

    /// Interns the words of a node; returns them sorted and distinct.
    fn read(&mut self, node: Option<NodeRef<'_>>) -> Vec<u32> {
        let mut found = Vec::new();
        let mut read = |text: &str| {
            let text = text.to_lowercase();
            let own = words(&text).filter(|word| !word.is_empty());
            found.extend(own.map(|word| self.intern(word)));
        };
        if let Some(node) = node {
            read(node.label());
            node.types().for_each(&mut read);
            let observations = node.observations().iter();
            observations.for_each(|one| read(&one.text));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::tests::labelled;

    #[test]
    fn words_that_went_do_not_pile_up() {
        let mut index = SubstringIndex::default();
        for round in 0..10 * MANY {
            let label = format!("word{round} and word{}", round + 1);
            index.candidates(&labelled(&[("a", &label)]), "");
            assert!(index.words.starts.len() <= 2 * MANY + 8);
            assert_eq!(index.words.starts.len() - index.words.unused, 4);
        }
    }
}
