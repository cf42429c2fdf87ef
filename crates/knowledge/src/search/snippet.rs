//! Snippets: extracts of nodes with highlighted matches.

use std::cmp::Reverse;
use std::ops::Range;

use hashbrown::HashMap;

use super::bm25::Expansion;
use super::fields::{Field, texts};
use super::index::SearchIndex;
use super::tokenizer::Tokenizer;
use crate::graph::NodeRef;

/// Approximate number of characters of a snippet.
const LENGTH: usize = 160;
/// Number of characters before the first match.
const BEFORE: usize = 40;
/// Maximum bytes of a node that are read.
const MAX_BYTES_READ: usize = 1 << 16;

/// An extract of a text of a node, with the matches in it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snippet {
    /// Location: "label", "id", "types", "observation 2" (counted from 0), "data.a.b".
    pub field: String,
    /// The text, truncated to about 160 characters around the first match; "…" marks omissions.
    pub text: String,
    /// Ranges of the matches, in bytes of `text`; sorted and disjoint.
    pub matched: Vec<Range<usize>>,
}

/// Finds the words of a query in nodes.
pub(super) struct SnippetFinder<'a> {
    index: &'a SearchIndex,
    /// Words of the query that each term matches, as a bit set; there are at most 64.
    words: HashMap<u32, u64>,
    all: u64,
    reader: Tokenizer,
}

/// Text with the most matches so far.
struct BestText {
    field: String,
    text: String,
    ranges: Vec<Range<usize>>,
    words: u64,
}

impl<'a> SnippetFinder<'a> {
    pub(super) fn new(index: &'a SearchIndex, asked: &[Vec<Expansion>]) -> SnippetFinder<'a> {
        let mut words: HashMap<u32, u64> = HashMap::new();
        for (place, senses) in asked.iter().enumerate() {
            for sense in senses {
                *words.entry(sense.term).or_default() |= 1 << place;
            }
        }
        SnippetFinder {
            index,
            all: words.values().fold(0, |all, bits| all | bits),
            words,
            reader: Tokenizer::default(),
        }
    }

    /// Returns an extract of the text with the most words of the query, and of those the first.
    pub(super) fn snippet(&mut self, node: &NodeRef<'_>) -> Option<Snippet> {
        if self.words.is_empty() {
            return None;
        }
        let mut best: Option<BestText> = None;
        let mut left = MAX_BYTES_READ;
        for field in Field::ALL {
            texts(node, field, &mut |place, text| {
                let known = best.as_ref().map_or(0, |best| best.words);
                if known == self.all || left == 0 {
                    return;
                }
                left = left.saturating_sub(text.len());
                let (words, ranges) = self.find(text);
                if words.count_ones() > known.count_ones() {
                    best = Some(BestText {
                        field: place.to_string(),
                        text: text.to_owned(),
                        ranges,
                        words,
                    });
                }
            });
        }
        best.map(BestText::cut)
    }

    /// Returns the words of the query that occur in a text, and their ranges.
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

/// Makes ranges disjoint: drops ranges that contain others, and merges the rest.
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

impl BestText {
    fn cut(self) -> Snippet {
        let first = self.ranges.first().map_or(0, |range| range.start);
        let back = |end: usize, count: usize| {
            let places = self.text[..end].char_indices().rev();
            places.take(count).last().map_or(end, |(at, _)| at)
        };
        let ahead = |from: usize, count: usize| {
            let place = self.text[from..].char_indices().nth(count);
            place.map_or(self.text.len(), |(at, _)| from + at)
        };
        // Unused length at the end is added at the beginning.
        let mut from = back(first, BEFORE);
        let to = ahead(from, LENGTH);
        if to == self.text.len() {
            from = back(to, LENGTH).min(from);
        }
        let begin = if from > 0 { "…" } else { "" };
        let end = if to < self.text.len() { "…" } else { "" };
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
