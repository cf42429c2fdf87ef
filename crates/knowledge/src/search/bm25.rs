//! BM25F: scores of query words over weighted fields.
//!
//! The score is that of BM25 over weighted fields (Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple
//! weighted fields", 2004). For a word of the query and a node,
//!
//! ```text
//! weight = sum over the words w that it may stand for, and over the fields f:
//!              penalty(w) * weight(f) * count(w, f) / (1 - B + B * length(f) / average length of f)
//! score  = ln(1 + (N - n + 0.5) / (n + 0.5)) * weight * (K1 + 1) / (weight + K1)
//! ```
//!
//! where N is the number of nodes and n that of nodes with one of these terms; the score of a node is the sum over the
//! words of the query. So all expansions of a word count as one term, with penalties.
//!
//! Sums are over fields first, then over expansions in the order of their texts, then over words in that of the query, and
//! all else behind them is an integer. So equal graphs give the same scores to the last bit, by which results are sorted;
//! scores that differ by rounding alone are different.

use super::fields::{Counts, FIELDS, Field};
use super::index::SearchIndex;
use super::sorted_list::{Cursor, HasPlace, PlaceSet, SortedList};
use super::vocabulary::Posting;

/// Saturation of term frequency.
pub(super) const K1: f64 = 1.2;
/// Normalisation by field length.
pub(super) const B: f64 = 0.75;
/// Weight of an expansion by stem: another form of the word.
pub(super) const STEM_PENALTY: f64 = 0.8;
/// Weight of an expansion by a synonym, in any form.
pub(super) const SYNONYM_PENALTY: f64 = 0.5;
/// Weight of an expansion by prefix.
pub(super) const PREFIX_PENALTY: f64 = 0.5;
/// Weight of an expansion by one edit, and by two.
pub(super) const TYPO_PENALTIES: [f64; 2] = [0.3, 0.15];

/// Maximum number of edits of a misspelt word with a number of letters.
pub(super) fn max_edits(letters: usize) -> usize {
    match letters {
        0..4 => 0,
        4..8 => 1,
        8.. => 2,
    }
}

/// Number of field lengths for which factors are precomputed.
const SHORT: usize = 128;

/// Weight of one occurrence in each field, by length of the field.
pub(super) struct FieldWeights<'a> {
    pub(super) index: &'a SearchIndex,
    /// Slope of the length normalisation, by field.
    slopes: [f64; FIELDS],
    factors: [[f64; SHORT]; FIELDS],
}

impl<'a> FieldWeights<'a> {
    pub(super) fn new(index: &'a SearchIndex) -> FieldWeights<'a> {
        let nodes = index.knowledge.node_count() as f64;
        let totals = index.tables.totals;
        let slopes = totals.map(|total| B * nodes / (total as f64).max(1.0));
        let factors = Field::ALL.map(|field| {
            let slope = slopes[field as usize];
            std::array::from_fn(|length| factor(field, slope, length as u32))
        });
        FieldWeights {
            index,
            slopes,
            factors,
        }
    }

    /// Weight of a term with the given frequencies in a node.
    fn weigh(&self, place: u32, counts: Counts) -> f64 {
        let lengths = &self.index.entries[place as usize].lengths;
        let mut weight = 0.0;
        for field in Field::ALL {
            let (count, length) = (counts.get(field), lengths[field as usize]);
            // Adding 0 for most fields is faster than a branch.
            if let Some(factor) = self.factors[field as usize].get(length as usize) {
                weight += f64::from(count) * factor;
            } else if count > 0 {
                let slope = self.slopes[field as usize];
                weight += f64::from(count) * factor(field, slope, length);
            }
        }
        weight
    }
}

/// Share of the maximum contribution of a word, by weight.
pub(super) fn share(weight: f64) -> f64 {
    weight / (weight + K1)
}

/// Number of cached bounds: a power of two. Most nodes have a term once or twice, in one or two fields.
const BOUNDS: usize = 64;

/// Cache of upper bounds of contributions by term frequencies, whatever the field lengths.
pub(super) struct ScoreBounds([(Counts, f64); BOUNDS]);

impl Default for ScoreBounds {
    fn default() -> Self {
        ScoreBounds([(Counts::default(), 0.0); BOUNDS])
    }
}

impl ScoreBounds {
    fn get(&mut self, weights: &FieldWeights<'_>, penalty: f64, counts: Counts) -> f64 {
        let kept = &mut self.0[counts.spread() as usize % BOUNDS];
        if kept.0 != counts {
            // A field with a term is at least one word long.
            let most = |field: Field| weights.factors[field as usize][1];
            let weights = Field::ALL.map(|field| f64::from(counts.get(field)) * most(field));
            *kept = (counts, share(penalty * weights.iter().sum::<f64>()));
        }
        kept.1
    }
}

/// Weight of one occurrence in a field of a length.
fn factor(field: Field, slope: f64, length: u32) -> f64 {
    field.weight() / (1.0 - B + slope * f64::from(length))
}

/// An expansion: a term that a word of the query may stand for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expansion {
    pub(super) term: u32,
    /// Weight: 1 for the word itself, less for others.
    pub(super) penalty: f64,
}

/// Posting of several terms merged.
#[derive(Debug, Clone, Copy)]
pub(super) struct MergedPosting {
    place: u32,
    /// True if the word itself is in the label.
    is_label: bool,
    weight: f64,
}

impl HasPlace for MergedPosting {
    fn place(&self) -> u32 {
        self.place
    }
}

/// Postings of a word of the query.
pub(super) enum WordPostings<'a> {
    /// Those of one term.
    One(&'a SortedList<Posting>, f64),
    /// Those of several terms.
    Merged(Vec<MergedPosting>),
}

impl<'a> WordPostings<'a> {
    /// Merges the postings of all expansions, which are in the order of terms.
    pub(super) fn new(weights: &FieldWeights<'a>, expansions: &[Expansion]) -> WordPostings<'a> {
        let vocabulary = &weights.index.tables.vocabulary;
        if let &[Expansion { term, penalty }] = expansions {
            return WordPostings::One(vocabulary.postings(term), penalty);
        }
        let each = expansions.iter().flat_map(|expansion| {
            let postings = vocabulary.postings(expansion.term);
            postings.iter().map(|posting| MergedPosting {
                place: posting.place(),
                is_label: is_itself(expansion.penalty) && posting.counts.get(Field::Label) > 0,
                weight: expansion.penalty * weights.weigh(posting.place(), posting.counts),
            })
        });
        let lists = expansions.iter().map(|one| vocabulary.postings(one.term));
        let count: usize = lists.map(SortedList::len).sum();
        // Both ways sum in the same order.
        if count < weights.index.entries.len() / 16 {
            WordPostings::Merged(sorted(each))
        } else {
            WordPostings::Merged(spread(each, weights.index.entries.len()))
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            WordPostings::One(postings, _) => postings.len(),
            WordPostings::Merged(merged) => merged.len(),
        }
    }

    /// Calls `found` with each place, ascending.
    pub(super) fn for_each(&self, mut found: impl FnMut(u32)) {
        match self {
            WordPostings::One(postings, _) => {
                postings.iter().for_each(|posting| found(posting.place()));
            }
            WordPostings::Merged(merged) => {
                for weighted in merged {
                    found(weighted.place);
                }
            }
        }
    }

    pub(super) fn occurrences(&self) -> PostingCursor<'_> {
        match self {
            WordPostings::One(postings, penalty) => {
                PostingCursor::One(Cursor::new(postings), *penalty)
            }
            WordPostings::Merged(merged) => PostingCursor::Merged(Cursor::from_slice(merged)),
        }
    }
}

/// True if the weight is that of the word itself.
fn is_itself(penalty: f64) -> bool {
    penalty >= 1.0
}

/// Merges few postings by sorting.
fn sorted(each: impl Iterator<Item = MergedPosting>) -> Vec<MergedPosting> {
    let mut all: Vec<MergedPosting> = each.collect();
    all.sort_by_key(MergedPosting::place);
    all.dedup_by(|next, first| {
        let is_same = next.place == first.place;
        if is_same {
            first.weight += next.weight;
            first.is_label |= next.is_label;
        }
        is_same
    });
    all
}

/// Merges many postings by an array over all places.
fn spread(each: impl Iterator<Item = MergedPosting>, places: usize) -> Vec<MergedPosting> {
    let mut sums = vec![0.0; places];
    let [mut found, mut labels] = [(); 2].map(|()| PlaceSet::new(places));
    each.for_each(|one| {
        sums[one.place as usize] += one.weight;
        found.insert(one.place);
        if one.is_label {
            labels.insert(one.place);
        }
    });
    let found = found.iter().map(|place| MergedPosting {
        place,
        is_label: labels.has(place),
        weight: sums[place as usize],
    });
    found.collect()
}

pub(super) enum PostingCursor<'a> {
    One(Cursor<'a, Posting>, f64),
    Merged(Cursor<'a, MergedPosting>),
}

/// Match of a word in a node.
pub(super) enum PostingMatch<'a> {
    One(&'a Posting, f64),
    Merged(&'a MergedPosting),
}

impl<'a> PostingCursor<'a> {
    pub(super) fn at(&mut self, place: u32) -> Option<PostingMatch<'a>> {
        match self {
            PostingCursor::One(cursor, penalty) => {
                let found = cursor.at(place)?;
                Some(PostingMatch::One(found, *penalty))
            }
            PostingCursor::Merged(cursor) => cursor.at(place).map(PostingMatch::Merged),
        }
    }
}

impl PostingMatch<'_> {
    /// Returns an upper bound of its share, and true if the word itself is in the label.
    pub(super) fn bound(
        &self,
        weights: &FieldWeights<'_>,
        bounds: &mut ScoreBounds,
    ) -> (f64, bool) {
        match self {
            PostingMatch::One(posting, penalty) => {
                let bound = bounds.get(weights, *penalty, posting.counts);
                let is_label = is_itself(*penalty) && posting.counts.get(Field::Label) > 0;
                (bound, is_label)
            }
            PostingMatch::Merged(weighted) => (share(weighted.weight), weighted.is_label),
        }
    }

    /// Returns its share, and true if the word itself is in the label.
    pub(super) fn share(&self, weights: &FieldWeights<'_>) -> (f64, bool) {
        match self {
            PostingMatch::One(posting, penalty) => {
                let weight = penalty * weights.weigh(posting.place(), posting.counts);
                let is_label = is_itself(*penalty) && posting.counts.get(Field::Label) > 0;
                (share(weight), is_label)
            }
            PostingMatch::Merged(weighted) => (share(weighted.weight), weighted.is_label),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_few_and_what_many_nodes_have_is_added_alike() {
        let all = (0..3_000_u32).map(|number| MergedPosting {
            place: number * 7919 % 1_000,
            is_label: number % 3 == 0,
            weight: f64::from(number) / 7.0,
        });
        let shown = |merged: Vec<MergedPosting>| format!("{merged:?}");
        assert_eq!(shown(sorted(all.clone())), shown(spread(all, 1_000)));
    }
}
