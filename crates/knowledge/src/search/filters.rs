//! Which nodes a query allows, whatever its words find.

use super::data::DataFilters;
use super::fields::{Field, texts};
use super::index::{Named, SearchIndex};
use super::list::{Cursor, List};
use super::parse::{Asked, Without};
use super::query::{Query, Span};
use super::vocabulary::Posting;
use super::words::Reader;
use crate::graph::NodeRef;

/// The nodes with one of several names.
pub(super) enum Group<'a> {
    One(&'a List<u32>),
    /// In order of their places.
    Several(Vec<u32>),
}

impl<'a> Group<'a> {
    fn new(nodes: &'a Named, names: &[String]) -> Group<'a> {
        let mut lists = names.iter().filter_map(|name| nodes.get(name));
        let first = lists.next();
        let rest: Vec<&List<u32>> = lists.collect();
        match first {
            Some(first) if rest.is_empty() => Group::One(first),
            None | Some(_) => {
                let all = first.into_iter().chain(rest);
                let mut places: Vec<u32> = all.flat_map(List::iter).copied().collect();
                places.sort_unstable();
                places.dedup();
                Group::Several(places)
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Group::One(list) => list.len(),
            Group::Several(places) => places.len(),
        }
    }

    fn cursor(&self) -> Cursor<'_, u32> {
        match self {
            Group::One(list) => Cursor::new(list),
            Group::Several(places) => Cursor::of(places),
        }
    }

    /// Tells the nodes, by place.
    pub(super) fn each(&self, mut found: impl FnMut(u32)) {
        match self {
            Group::One(list) => list.iter().for_each(|&place| found(place)),
            Group::Several(places) => places.iter().for_each(|&place| found(place)),
        }
    }
}

/// Words that follow each other in one text, found in one pass over it (Shift-And: Baeza-Yates and Gonnet, 1992).
struct Phrase<'a>(&'a [String]);

impl Phrase<'_> {
    fn is_in(&self, node: &NodeRef<'_>, reader: &mut Reader) -> bool {
        let Phrase(words) = self;
        let last = 1_u64 << (words.len() - 1);
        let mut is_found = false;
        for field in Field::ALL {
            texts(node, field, &mut |_, text| {
                if is_found {
                    return;
                }
                // Bit n is set where the words up to the n-th end here.
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

/// What a query does not want: the lists of all the words, and whether they have to be in sequence.
struct Unwanted<'a> {
    lists: Vec<&'a List<Posting>>,
    phrase: Option<Phrase<'a>>,
}

/// What a query allows, made ready.
pub(super) struct Filters<'a> {
    index: &'a SearchIndex,
    wanted: Vec<Group<'a>>,
    excluded: Vec<Group<'a>>,
    unwanted: Vec<Unwanted<'a>>,
    phrases: Vec<Phrase<'a>>,
    spans: Option<[Span; 2]>,
    data: DataFilters<'a>,
    /// Whether all nodes are allowed.
    is_open: bool,
}

impl<'a> Filters<'a> {
    pub(super) fn new(index: &'a SearchIndex, query: &'a Query, asked: &'a Asked) -> Filters<'a> {
        let group = |nodes, names: &[String]| {
            let group = (!names.is_empty()).then(|| Group::new(nodes, names));
            group.into_iter()
        };
        let types = group(&index.tables.types, &query.types);
        let unwanted = asked.without.iter().filter_map(|without| {
            let (words, phrase) = match without {
                Without::Words(words) => (words, None),
                Without::Phrase(words) => (words, Some(Phrase(words))),
            };
            let lists = words.iter().map(|word| {
                let term = index.tables.vocabulary.find(word)?;
                Some(index.tables.vocabulary.postings(term))
            });
            let lists = lists.collect::<Option<_>>()?;
            Some(Unwanted { lists, phrase })
        });
        let phrases = asked.phrases.iter();
        let spans = [query.created, query.modified];
        let mut filters = Filters {
            index,
            wanted: types
                .chain(group(&index.tables.creators, &query.creators))
                .collect(),
            excluded: group(&index.tables.types, &query.exclude_types).collect(),
            unwanted: unwanted.collect(),
            phrases: phrases.map(|words| Phrase(words)).collect(),
            spans: (spans != [Span::default(); 2]).then_some(spans),
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

    /// The smallest group of nodes that has all that are allowed; `None` if that is all nodes.
    pub(super) fn fewest(&self) -> Option<&Group<'a>> {
        self.wanted.iter().min_by_key(|group| group.len())
    }

    /// Begins to ask for places.
    pub(super) fn check(&self) -> Check<'_> {
        let unwanted = self.unwanted.iter().map(|unwanted| {
            let lists = unwanted.lists.iter();
            lists.map(|list| Cursor::new(list)).collect()
        });
        Check {
            filters: self,
            wanted: self.wanted.iter().map(Group::cursor).collect(),
            excluded: self.excluded.iter().map(Group::cursor).collect(),
            unwanted: unwanted.collect(),
            reader: Reader::default(),
        }
    }
}

/// Asks which places are allowed, in their order.
pub(super) struct Check<'a> {
    filters: &'a Filters<'a>,
    wanted: Vec<Cursor<'a, u32>>,
    excluded: Vec<Cursor<'a, u32>>,
    unwanted: Vec<Vec<Cursor<'a, Posting>>>,
    reader: Reader,
}

impl Check<'_> {
    /// Whether the query allows the node at a place that is not before those that were asked for.
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

    /// What the node itself has to be asked for.
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
