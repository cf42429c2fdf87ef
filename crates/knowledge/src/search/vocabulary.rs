//! Vocabulary of the inverted index: terms with their posting lists.
//!
//! Terms are looked up by a hash table without keys, by prefix in a sorted list, and fuzzily by length and letter
//! signature: an edit adds at most one letter and removes at most one, so that popcounts leave few candidates for which
//! the edit distance is computed. Signatures are scanned sequentially and are all the memory that fuzzy matching takes.
//! Forms of an English word are looked up by their stem (Snowball's English stemmer, Porter 2), which is computed again
//! and not stored.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use rayon::prelude::*;

use super::fields::Counts;
use super::sorted_list::{HasPlace, SortedList};
use crate::graph::HashEntry;

/// Number of new terms from which all are sorted again.
const MANY: usize = 1_000;
/// Lengths in letters of terms that are matched fuzzily.
const FUZZY_LENGTHS: std::ops::RangeInclusive<usize> = 3..=64;

/// Posting: a node that contains a term, with frequencies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posting {
    place: u32,
    pub(super) counts: Counts,
}

impl HasPlace for Posting {
    fn place(&self) -> u32 {
        self.place
    }
}

#[derive(Debug, Default)]
struct Term {
    text: Box<str>,
    postings: SortedList<Posting>,
}

/// Signature of a term, for fuzzy matching.
#[derive(Debug, Clone, Copy)]
struct FuzzyEntry {
    signature: u64,
    term: u32,
}

/// Terms by number.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    terms: Vec<Term>,
    free: Vec<u32>,
    table: HashTable<HashEntry>,
    hasher: DefaultHashBuilder,
    order: SortedList<u32>,
    /// Terms with a stem, by its hash.
    stems: HashTable<HashEntry>,
    /// Terms that are not in `order` and `stems` yet.
    new: Vec<u32>,
    /// Signatures by number of letters.
    near: Vec<Vec<FuzzyEntry>>,
}

/// Returns number of letters and signature of a term that may be misspelt; numbers are not.
fn letters(text: &str) -> Option<(usize, u64)> {
    let (mut count, mut signature) = (0, 0);
    for c in text.chars() {
        if c.is_numeric() {
            return None;
        }
        count += 1;
        signature |= 1 << (c as u32 & 63);
    }
    FUZZY_LENGTHS.contains(&count).then_some((count, signature))
}

/// Returns the stem of a word that may be English: of three letters or more, without accents.
pub(super) fn stem(text: &str) -> Option<Cow<'_, str>> {
    let is_word = text.len() > 2 && text.bytes().all(|byte| byte.is_ascii_lowercase());
    is_word.then(|| frostem::Stemmer::new(frostem::Algorithm::English).stem(text))
}

impl Vocabulary {
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.terms.len() - self.free.len()
    }

    pub(super) fn text(&self, term: u32) -> &str {
        &self.terms[term as usize].text
    }

    pub(super) fn postings(&self, term: u32) -> &SortedList<Posting> {
        &self.terms[term as usize].postings
    }

    fn entry(&self, text: &str, term: u32) -> HashEntry {
        let hash = self.hasher.hash_one(text) as u32;
        HashEntry { hash, number: term }
    }

    /// Returns the number of a term.
    pub(super) fn find(&self, text: &str) -> Option<u32> {
        let entry = self.entry(text, 0);
        let is_it = |other: &HashEntry| other.hash == entry.hash && self.text(other.number) == text;
        let found = self.table.find(entry.table_hash(), is_it);
        found.map(|entry| entry.number)
    }

    /// Interns a term.
    pub(super) fn intern(&mut self, text: &str) -> u32 {
        if let Some(term) = self.find(text) {
            return term;
        }
        let term = self.free.pop().unwrap_or_else(|| {
            self.terms.push(Term::default());
            self.terms.len() as u32 - 1
        });
        self.terms[term as usize].text = text.into();
        let entry = self.entry(text, term);
        self.table
            .insert_unique(entry.table_hash(), entry, |entry| entry.table_hash());
        if let Some((count, signature)) = letters(text) {
            if self.near.len() <= count {
                self.near.resize_with(count + 1, Vec::new);
            }
            self.near[count].push(FuzzyEntry { signature, term });
        }
        self.new.push(term);
        term
    }

    /// Changes the frequencies of a term at a place; a term without postings is released.
    pub(super) fn put(&mut self, term: u32, place: u32, change: impl FnOnce(&mut Counts)) {
        let postings = &mut self.terms[term as usize].postings;
        let compare = |other: &Posting| other.place.cmp(&place);
        if let Some(posting) = postings.get_mut(compare) {
            change(&mut posting.counts);
            if posting.counts.is_zero() {
                postings.remove(compare);
                if postings.len() == 0 {
                    self.release(term);
                }
            }
            return;
        }
        let mut counts = Counts::default();
        change(&mut counts);
        if !counts.is_zero() {
            postings.insert(Posting { place, counts }, compare);
        }
    }

    /// Releases a term without postings, which was interned before the last [`sort_new_terms`](Self::sort_new_terms).
    fn release(&mut self, term: u32) {
        let text = std::mem::take(&mut self.terms[term as usize].text);
        let entry = self.entry(&text, term);
        let is_it = |other: &HashEntry| other.number == term;
        if let Ok(found) = self.table.find_entry(entry.table_hash(), is_it) {
            found.remove();
        }
        let terms = &self.terms;
        // Its own text was taken, and it is the only term with an empty one.
        self.order
            .remove(|&other| match &*terms[other as usize].text {
                "" => Ordering::Equal,
                other => other.cmp(&text),
            });
        if let Some(stem) = stem(&text) {
            let entry = self.entry(&stem, term);
            if let Ok(found) = self.stems.find_entry(entry.table_hash(), is_it) {
                found.remove();
            }
        }
        if let Some((count, _)) = letters(&text) {
            let near = &mut self.near[count];
            if let Some(at) = near.iter().position(|near| near.term == term) {
                near.swap_remove(at);
            }
        }
        self.free.push(term);
    }

    /// Merges the vocabulary of nodes that all follow these. New terms of neither are sorted yet.
    pub(super) fn append(&mut self, later: Vocabulary) {
        for Term { text, postings } in later.terms {
            let term = self.intern(&text);
            self.terms[term as usize].postings.append(postings);
        }
    }

    /// Sorts new terms into the order.
    pub(super) fn sort_new_terms(&mut self) {
        let mut new = std::mem::take(&mut self.new);
        for &term in &new {
            if let Some(stem) = stem(&self.terms[term as usize].text) {
                let entry = self.entry(&stem, term);
                self.stems
                    .insert_unique(entry.table_hash(), entry, |entry| entry.table_hash());
            }
        }
        let terms = &self.terms;
        let text = |term: u32| &*terms[term as usize].text;
        if new.len() < MANY {
            for term in new {
                self.order
                    .insert(term, |&other| text(other).cmp(text(term)));
            }
            return;
        }
        new.extend(self.order.iter());
        // Most terms differ in their first bytes, which are compared without indirection.
        let begin = |term: u32| {
            let mut bytes = [0; 8];
            for (byte, &of) in bytes.iter_mut().zip(text(term).as_bytes()) {
                *byte = of;
            }
            (u64::from_be_bytes(bytes), term)
        };
        let mut sorted: Vec<(u64, u32)> = new.into_iter().map(begin).collect();
        sorted.par_sort_unstable_by(|one, two| {
            let begins = one.0.cmp(&two.0);
            begins.then_with(|| text(one.1).cmp(text(two.1)))
        });
        let sorted: Vec<u32> = sorted.into_iter().map(|(_, term)| term).collect();
        self.order = SortedList::new(&sorted);
    }

    /// Returns the terms with a prefix, sorted.
    pub(super) fn with_prefix<'a>(&'a self, text: &'a str) -> impl Iterator<Item = u32> + 'a {
        let words = self.order.lower_bound(move |&term| self.text(term) < text);
        let words = words.copied();
        words.take_while(move |&term| self.text(term).starts_with(text))
    }

    /// Returns the terms with the same stem as a word, itself among them if it is one, unsorted.
    pub(super) fn with_stem_of<'a>(&'a self, text: &'a str) -> impl Iterator<Item = u32> + 'a {
        let wanted = stem(text);
        let entry = wanted.as_ref().map(|stem| self.entry(stem, 0));
        let same_hash = entry.into_iter().flat_map(|entry| {
            let found = self.stems.iter_hash(entry.table_hash());
            found.filter(move |other| other.hash == entry.hash)
        });
        let terms = same_hash.map(|entry| entry.number);
        terms.filter(move |&term| stem(self.text(term)) == wanted)
    }

    /// Returns the terms within `most` edits (Damerau-Levenshtein distance) of a text, with the distances, unsorted.
    pub(super) fn fuzzy_matches(&self, text: &str, most: usize) -> Vec<(u32, usize)> {
        let Some((count, signature)) = letters(text) else {
            return Vec::new();
        };
        let lengths = count.saturating_sub(most)..(count + most + 1).min(self.near.len());
        let all = lengths.flat_map(|length| &self.near[length]);
        // An edit adds at most one letter, and removes at most one.
        let lacks = |one: u64, other: u64| (one & !other).count_ones() as usize;
        let may_be = |near: &&FuzzyEntry| {
            let near = near.signature;
            lacks(near, signature).max(lacks(signature, near)) <= most
        };
        let measured = all.filter(may_be).map(|near| {
            let distance = strsim::damerau_levenshtein(text, self.text(near.term));
            (near.term, distance)
        });
        measured.filter(|&(_, distance)| distance <= most).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::fields::Field;
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn words_come_and_go_and_are_found_whole_by_begin_and_nearly(
            rounds in prop::collection::vec(prop::collection::vec(("[a-d]{1,5}1?", 0..4_u32, 0..3_u32), 0..20), 1..8),
            asked in "[a-d]{3,6}",
        ) {
            let mut vocabulary = Vocabulary::default();
            let mut plain: BTreeMap<String, BTreeMap<u32, u32>> = BTreeMap::new();
            for round in rounds {
                // In one round a place is changed once.
                let round: BTreeMap<(String, u32), u32> =
                    round.into_iter().map(|(text, place, count)| ((text, place), count)).collect();
                for ((text, place), count) in round {
                    let old = plain.get(&text).is_some_and(|places| places.contains_key(&place));
                    if count == 0 && !old {
                        continue;
                    }
                    let places = plain.entry(text.clone()).or_default();
                    places.insert(place, count);
                    places.retain(|_, count| *count > 0);
                    if places.is_empty() {
                        plain.remove(&text);
                        // It may be one of this round.
                        vocabulary.sort_new_terms();
                    }
                    let term = vocabulary.intern(&text);
                    vocabulary.put(term, place, |counts| counts.set(Field::Label, count));
                }
                vocabulary.sort_new_terms();
            }
            prop_assert_eq!(vocabulary.count(), plain.len());
            for (text, places) in &plain {
                let postings = vocabulary.postings(vocabulary.find(text).unwrap());
                let found = postings.iter().map(|posting| (posting.place, posting.counts.get(Field::Label)));
                prop_assert!(found.eq(places.iter().map(|(&place, &count)| (place, count))));
            }
            for begin in ["", "a", "ab", "cd", "d1", "e"] {
                let found = vocabulary.with_prefix(begin).map(|term| vocabulary.text(term));
                prop_assert!(found.eq(plain.keys().filter(|text| text.starts_with(begin))));
            }
            for most in 1..3 {
                let found = vocabulary.fuzzy_matches(&asked, most).into_iter();
                let mut found: Vec<(&str, usize)> = found.map(|(term, distance)| (vocabulary.text(term), distance)).collect();
                found.sort_unstable();
                let all = plain.keys().filter(|text| text.len() > 2 && !text.contains('1'));
                let all = all.map(|text| (&**text, strsim::damerau_levenshtein(text, &asked)));
                let near: Vec<(&str, usize)> = all.filter(|near| near.1 <= most).collect();
                prop_assert_eq!(found, near);
            }
        }
    }

    #[test]
    fn many_new_words_are_sorted_as_one_by_one() {
        let mut vocabulary = Vocabulary::default();
        let text = |number| format!("w{}", number * 7919 % 5003);
        let mut texts: Vec<String> = (0..3 * MANY).map(text).collect();
        for chunk in texts.chunks(MANY + 1) {
            for text in chunk {
                let term = vocabulary.intern(text);
                vocabulary.put(term, 0, |counts| counts.set(Field::Id, 1));
            }
            vocabulary.sort_new_terms();
        }
        texts.sort_unstable();
        let found = vocabulary.with_prefix("").map(|term| vocabulary.text(term));
        assert!(found.eq(texts.iter()));
    }
}
