//! Filters of a query, independent of its words.

use std::borrow::Cow;

use super::data::DataFilters;
use super::fields::{Field, texts};
use super::index::{NameIndex, SearchIndex};
use super::parse::{Exclusion, ParsedQuery};
use super::query::{Query, TimeRange};
use super::sorted_list::{Cursor, SortedList};
use super::tokenizer::Tokenizer;
use super::vocabulary::Posting;
use crate::graph::NodeRef;

/// Nodes that have one of several names.
fn group<'a>(nodes: &'a NameIndex, names: &[String]) -> Cow<'a, SortedList<u32>> {
    let lists: Vec<&SortedList<u32>> = names.iter().filter_map(|name| nodes.get(name)).collect();
    if let [list] = lists[..] {
        return Cow::Borrowed(list);
    }
    let places = lists.into_iter().flat_map(SortedList::iter);
    let mut places: Vec<u32> = places.copied().collect();
    places.sort_unstable();
    places.dedup();
    Cow::Owned(SortedList::new(&places))
}

/// Phrase matching in one pass over a text (Shift-And: Baeza-Yates and Gonnet, 1992).
struct Phrase<'a>(&'a [String]);

impl Phrase<'_> {
    fn is_in(&self, node: &NodeRef<'_>, reader: &mut Tokenizer) -> bool {
        let Phrase(words) = self;
        let last = 1_u64 << (words.len() - 1);
        let mut is_found = false;
        for field in Field::ALL {
            texts(node, field, &mut |_, text| {
                if is_found {
                    return;
                }
                // Bit n is set if words 0 to n end here.
                let mut ends = 0_u64;
                reader.read(text, |token| {
                    if token.kind.is_whole() {
                        let all = words.iter().enumerate();
                        let same = all.filter(|(_, word)| **word == token.text);
                        let same = same.fold(0, |bits, (place, _)| bits | 1_u64 << place);
                        ends = (ends << 1 | 1) & same;
                        is_found |= ends & last != 0;
                    }
                });
            });
            if is_found {
                break;
            }
        }
        is_found
    }
}

/// An exclusion: posting lists of all its words, and the phrase if they must be in sequence.
struct ExcludedWords<'a> {
    lists: Vec<&'a SortedList<Posting>>,
    phrase: Option<Phrase<'a>>,
}

/// Compiled filters.
pub(super) struct Filters<'a> {
    index: &'a SearchIndex,
    wanted: Vec<Cow<'a, SortedList<u32>>>,
    excluded: Vec<Cow<'a, SortedList<u32>>>,
    unwanted: Vec<ExcludedWords<'a>>,
    phrases: Vec<Phrase<'a>>,
    spans: Option<[TimeRange; 2]>,
    data: DataFilters<'a>,
    /// True if there are no filters.
    is_open: bool,
}

impl<'a> Filters<'a> {
    pub(super) fn new(
        index: &'a SearchIndex,
        query: &'a Query,
        asked: &'a ParsedQuery,
    ) -> Filters<'a> {
        let group = |nodes, names: &[String]| {
            let group = (!names.is_empty()).then(|| group(nodes, names));
            group.into_iter()
        };
        let types = group(&index.tables.types, &query.types);
        let creators = group(&index.tables.creators, &query.creators);
        let unwanted = asked.exclusions.iter().filter_map(|exclusions| {
            let (words, phrase) = match exclusions {
                Exclusion::Words(words) => (words, None),
                Exclusion::Phrase(words) => (words, Some(Phrase(words))),
            };
            let lists = words.iter().map(|word| {
                let term = index.tables.vocabulary.find(word)?;
                Some(index.tables.vocabulary.postings(term))
            });
            let lists = lists.collect::<Option<_>>()?;
            Some(ExcludedWords { lists, phrase })
        });
        let phrases = asked.phrases.iter();
        let spans = [query.created, query.modified];
        let mut filters = Filters {
            index,
            wanted: types.chain(creators).collect(),
            excluded: group(&index.tables.types, &query.exclude_types).collect(),
            unwanted: unwanted.collect(),
            phrases: phrases.map(|words| Phrase(words)).collect(),
            spans: (spans != [TimeRange::default(); 2]).then_some(spans),
            data: DataFilters::new(&query.data),
            is_open: false,
        };
        filters.is_open = filters.wanted.is_empty()
            && filters.excluded.is_empty()
            && filters.unwanted.is_empty()
            && filters.phrases.is_empty()
            && filters.spans.is_none()
            && filters.data.is_empty();
        filters
    }

    /// Returns the smallest group of nodes that contains all results; `None` if there is no such group.
    pub(super) fn fewest(&self) -> Option<&SortedList<u32>> {
        let wanted = self.wanted.iter().map(|group| &**group);
        wanted.min_by_key(|group| group.len())
    }

    /// Starts to test places.
    pub(super) fn check(&self) -> FilterCursor<'_> {
        let [wanted, excluded] = [&self.wanted, &self.excluded]
            .map(|groups| groups.iter().map(|group| Cursor::new(group)));
        let unwanted = self.unwanted.iter().map(|unwanted| {
            let lists = unwanted.lists.iter();
            lists.map(|list| Cursor::new(list)).collect()
        });
        FilterCursor {
            filters: self,
            wanted: wanted.collect(),
            excluded: excluded.collect(),
            unwanted: unwanted.collect(),
            reader: Tokenizer::default(),
        }
    }
}

/// Tests ascending places.
pub(super) struct FilterCursor<'a> {
    filters: &'a Filters<'a>,
    wanted: Vec<Cursor<'a, u32>>,
    excluded: Vec<Cursor<'a, u32>>,
    unwanted: Vec<Vec<Cursor<'a, Posting>>>,
    reader: Tokenizer,
}

impl FilterCursor<'_> {
    /// True if the node at a place passes; places of successive calls must ascend.
    pub(super) fn passes(&mut self, place: u32) -> bool {
        if self.filters.is_open {
            return true;
        }
        let mut wanted = self.wanted.iter_mut();
        let mut excluded = self.excluded.iter_mut();
        wanted.all(|group| group.at(place).is_some())
            && !excluded.any(|group| group.at(place).is_some())
            && self.reads(place)
    }

    /// Tests that need the postings of exclusions or the node itself.
    fn reads(&mut self, place: u32) -> bool {
        let filters = self.filters;
        let node = || {
            let node = filters.index.knowledge.node_at(place);
            node.expect("what is in the index is in its graph")
        };
        for (unwanted, cursors) in filters.unwanted.iter().zip(&mut self.unwanted) {
            let mut cursors = cursors.iter_mut();
            if cursors.all(|cursor| cursor.at(place).is_some()) {
                let phrase = unwanted.phrase.as_ref();
                if phrase.is_none_or(|phrase| phrase.is_in(&node(), &mut self.reader)) {
                    return false;
                }
            }
        }
        if let Some([created, modified]) = filters.spans {
            let node = node();
            if !created.has(node.created()) || !modified.has(node.modified()) {
                return false;
            }
        }
        let mut phrases = filters.phrases.iter();
        phrases.all(|phrase| phrase.is_in(&node(), &mut self.reader))
            && (filters.data.is_empty() || filters.data.pass(node().data()))
    }
}
