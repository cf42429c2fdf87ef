//! Nodes by any part of their texts, whatever its case.
//!
//! Texts in lower case are cut into words: letters and digits in a row. All words are in one text, which is searched by
//! vector instructions for those that hold a part, and each has a sorted list of the nodes that have it. What is
//! looked for is cut in the same way: what is between two cuts is a whole word where it is found, the first is the end of
//! one, and the last the begin of one. So a node that lacks one of these has it nowhere, and of the others few lack
//! the whole.

use std::cmp::Reverse;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use memchr::memmem;
use rayon::prelude::*;

use super::list::{List, PlaceSet};
use crate::graph::{Entry, Knowledge, NodeRef};

/// A thread reads no fewer places than this; in tests small graphs have several parts too.
const PART: u32 = if cfg!(test) { 4 } else { 8_192 };
/// A question's longest parts, so many of them, choose the candidates: few nodes have all of these and lack the whole.
const ASKED: usize = 8;
/// When so many words are in no node any more, and these are most, all are read anew.
const MANY: usize = if cfg!(test) { 8 } else { 10_000 };
/// What is between words in the text of all, which none of them has.
const BETWEEN: char = ' ';

/// Words by number, and the nodes that have them, by place. A word that is in no node any more stays.
#[derive(Debug, Default)]
struct Words {
    /// All of them, each with [`BETWEEN`] behind it.
    text: String,
    /// Where each begins in it.
    starts: Vec<usize>,
    places: Vec<List<u32>>,
    table: HashTable<Entry>,
    hasher: DefaultHashBuilder,
    /// How many are in no node.
    unused: usize,
}

/// Finds nodes by any part of their labels, types and observations, as they were when it followed last.
#[derive(Debug, Default)]
pub struct PartIndex {
    knowledge: Knowledge,
    words: Words,
}

/// The words of a text that is in lower case; between two that are apart by several letters are empty ones.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
}

impl PartIndex {
    /// The nodes of a graph among which are all with a label, type or observation that holds a text, if both are in lower
    /// case; in no order that means anything. Where a text has no letter and no digit, these are all nodes.
    ///
    /// What few changes since the last question take does not depend on the number of nodes, unless so many words went
    /// that all nodes are read anew, by all threads, as they are the first time.
    pub fn candidates<'a>(&mut self, graph: &'a Knowledge, text: &str) -> Vec<NodeRef<'a>> {
        self.follow(graph);
        let text = text.to_lowercase();
        let last = words(&text).count() - 1;
        let parts = words(&text).enumerate();
        let mut parts: Vec<(&str, bool)> = parts
            .filter(|(_, part)| !part.is_empty())
            .map(|(at, part)| (part, at > 0 && at < last))
            .collect();
        parts.sort_unstable_by_key(|&(part, is_whole)| (Reverse(part.len()), part, is_whole));
        parts.dedup();
        let mut parts = parts.into_iter().take(ASKED);
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

    /// Brings the index up to date.
    fn follow(&mut self, now: &Knowledge) {
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
            self.words = Words::of(now);
        }
    }

    /// Where the nodes are that have a word, or a word that holds this part.
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

impl Words {
    /// Those of all nodes.
    fn of(knowledge: &Knowledge) -> Words {
        let places = knowledge.places();
        // Each part has words of its own, which are looked up once more.
        let part = places.div_ceil(rayon::current_num_threads() as u32);
        let part = part.max(PART);
        let parts = (0..places.div_ceil(part)).into_par_iter().map(|number| {
            let mut words = Words::default();
            for place in (number * part..places).take(part as usize) {
                words.change(place, [None, knowledge.node_at(place)]);
            }
            words
        });
        let parts: Vec<Words> = parts.collect();
        parts.into_iter().reduce(Words::append).unwrap_or_default()
    }

    /// With those of nodes that all come after these.
    fn append(mut self, later: Words) -> Words {
        let ends = later
            .starts
            .iter()
            .copied()
            .skip(1)
            .chain([later.text.len()]);
        let starts = later.starts.iter().copied();
        for ((start, end), places) in starts.zip(ends).zip(later.places) {
            let word = self.take(&later.text[start..end - BETWEEN.len_utf8()]);
            let own = &mut self.places[word as usize];
            self.unused -= usize::from(own.len() == 0);
            own.append(places);
        }
        self
    }

    fn entry(&self, text: &str, word: u32) -> Entry {
        let hash = self.hasher.hash_one(text) as u32;
        Entry { hash, number: word }
    }

    /// The number of a word that is or was there.
    fn find(&self, text: &str) -> Option<u32> {
        let entry = self.entry(text, 0);
        let is_it = |other: &Entry| other.hash == entry.hash && self.is(other.number, text);
        let found = self.table.find(entry.spread(), is_it);
        found.map(|entry| entry.number)
    }

    /// Whether a word is this text.
    fn is(&self, word: u32, text: &str) -> bool {
        let own = &self.text[self.starts[word as usize]..];
        let rest = own.strip_prefix(text);
        rest.is_some_and(|rest| rest.starts_with(BETWEEN))
    }

    /// The number of a word, which is there from now on.
    fn take(&mut self, text: &str) -> u32 {
        if let Some(word) = self.find(text) {
            return word;
        }
        let word = self.starts.len() as u32;
        self.starts.push(self.text.len());
        self.text.push_str(text);
        self.text.push(BETWEEN);
        self.places.push(List::default());
        self.unused += 1;
        let entry = self.entry(text, word);
        self.table
            .insert_unique(entry.spread(), entry, |entry| entry.spread());
        word
    }

    /// The words that hold a part.
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

    /// A node is not what it was: as it was before and as it is after.
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

    /// The words of a node, each once, by number.
    fn read(&mut self, node: Option<NodeRef<'_>>) -> Vec<u32> {
        let mut found = Vec::new();
        let mut read = |text: &str| {
            let text = text.to_lowercase();
            let own = words(&text).filter(|word| !word.is_empty());
            found.extend(own.map(|word| self.take(word)));
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
        let mut index = PartIndex::default();
        for round in 0..10 * MANY {
            let label = format!("word{round} and word{}", round + 1);
            index.candidates(&labelled(&[("a", &label)]), "");
            assert!(index.words.starts.len() <= 2 * MANY + 8);
            assert_eq!(index.words.starts.len() - index.words.unused, 4);
        }
    }
}
