//! The piece of a node that shows why it was found.

use std::cmp::Reverse;
use std::ops::Range;

use hashbrown::HashMap;

use super::fields::{Field, texts};
use super::index::SearchIndex;
use super::sources::Sense;
use super::words::Reader;
use crate::graph::NodeRef;

/// About how many characters a snippet has.
const LENGTH: usize = 160;
/// How many of them are before the first word that was found.
const BEFORE: usize = 40;
/// Of a node no more bytes than this are read.
const MOST_READ: usize = 1 << 16;

/// A piece of a text of a node, with the words that were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// Where the text is: "label", "id", "types", "observation 2" (they count from 0), "data.a.b".
    pub field: String,
    /// The text, cut to about 160 characters around the first word that was found; "…" stands for the rest.
    pub text: String,
    /// Where words were found, in bytes of `text`; in order and apart.
    pub matched: Vec<Range<usize>>,
}

/// Finds the words of a query in nodes.
pub(super) struct Finder<'a> {
    index: &'a SearchIndex,
    /// Which words of the query a word may be meant by, a bit for each; there are no more than 64.
    words: HashMap<u32, u64>,
    all: u64,
    reader: Reader,
}

/// A text with words that were found.
struct Best {
    field: String,
    text: String,
    ranges: Vec<Range<usize>>,
    words: u64,
}

impl<'a> Finder<'a> {
    pub(super) fn new(index: &'a SearchIndex, asked: &[Vec<Sense>]) -> Finder<'a> {
        let mut words: HashMap<u32, u64> = HashMap::new();
        for (place, senses) in asked.iter().enumerate() {
            for sense in senses {
                *words.entry(sense.term).or_default() |= 1 << place;
            }
        }
        Finder {
            index,
            all: words.values().fold(0, |all, bits| all | bits),
            words,
            reader: Reader::default(),
        }
    }

    /// The text of a node that has the most words of the query, and of those the first.
    pub(super) fn snippet(&mut self, node: &NodeRef<'_>) -> Option<Snippet> {
        if self.words.is_empty() {
            return None;
        }
        let mut best: Option<Best> = None;
        let mut left = MOST_READ;
        for field in Field::ALL {
            texts(node, field, &mut |place, text| {
                let known = best.as_ref().map_or(0, |best| best.words);
                if known == self.all || left == 0 {
                    return;
                }
                left = left.saturating_sub(text.len());
                let (words, ranges) = self.find(text);
                if words.count_ones() > known.count_ones() {
                    best = Some(Best {
                        field: place.to_string(),
                        text: text.to_owned(),
                        ranges,
                        words,
                    });
                }
            });
        }
        best.map(Best::cut)
    }

    /// The words of the query that are in a text, and where.
    fn find(&mut self, text: &str) -> (u64, Vec<Range<usize>>) {
        let (mut found, mut ranges) = (0, Vec::new());
        self.reader.read(text, |token| {
            let term = self.index.tables.vocabulary.find(token.text);
            if let Some(words) = term.and_then(|term| self.words.get(&term)) {
                found |= words;
                ranges.push(token.range);
            }
        });
        (found, apart(ranges))
    }
}

/// Ranges that do not overlap: of those in each other the inner ones, and what is left joined.
fn apart(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| (range.start, Reverse(range.end)));
    let mut inner: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        while inner.pop_if(|outer| outer.end >= range.end).is_some() {}
        inner.push(range);
    }
    inner.dedup_by(|next, range| {
        let is_joined = next.start < range.end;
        if is_joined {
            range.end = next.end;
        }
        is_joined
    });
    inner
}

impl Best {
    fn cut(self) -> Snippet {
        let first = self.ranges.first().map_or(0, |range| range.start);
        let back = |end: usize, count: usize| {
            let places = self.text[..end].char_indices().rev();
            places.take(count).last().map_or(end, |(at, _)| at)
        };
        let ahead = |from: usize, count: usize| {
            let mut places = self.text[from..].char_indices();
            places
                .nth(count)
                .map_or(self.text.len(), |(at, _)| from + at)
        };
        // What is left over at the end is given to the begin.
        let mut from = back(first, BEFORE);
        let to = ahead(from, LENGTH);
        if to == self.text.len() {
            from = back(to, LENGTH).min(from);
        }
        let (begin, end) = (
            if from > 0 { "…" } else { "" },
            if to < self.text.len() { "…" } else { "" },
        );
        let inside = self.ranges.iter().filter(|range| range.start < to);
        let moved = inside.map(|range| {
            let moved = |at: usize| at.clamp(from, to) - from + begin.len();
            moved(range.start)..moved(range.end)
        });
        Snippet {
            field: self.field,
            matched: moved.collect(),
            text: format!("{begin}{}{end}", &self.text[from..to]),
        }
    }
}
