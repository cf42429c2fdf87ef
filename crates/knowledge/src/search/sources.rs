//! What a word of a query finds: the words of the nodes that it may stand for, and how much it says of each node.
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
//! where N nodes are there and n of them have one of these words; the score of a node is the sum over the words of the
//! query. What differs from the word of the query is so one word with it, and less of it.

use super::fields::{Counts, FIELDS, Field};
use super::index::SearchIndex;
use super::list::{Cursor, List, PlaceSet, Placed};
use super::vocabulary::Posting;

/// How soon more of a word says little more.
pub(super) const K1: f64 = 1.2;
/// How much a word says less in longer fields.
pub(super) const B: f64 = 0.75;
/// What a word counts that only begins with that of the query.
pub(super) const BEGUN: f64 = 0.5;
/// What a word counts that differs by one edit, and by two.
pub(super) const MISSPELT: [f64; 2] = [0.3, 0.15];

/// How many edits a misspelt word of so many letters may differ by.
pub(super) fn most_edits(letters: usize) -> usize {
    match letters {
        0..4 => 0,
        4..8 => 1,
        8.. => 2,
    }
}

/// Lengths of fields for which factors are kept.
const SHORT: usize = 128;

/// What one word in each field weighs, by the length of the field.
pub(super) struct Weights<'a> {
    pub(super) index: &'a SearchIndex,
    /// What a word of the average length adds, by field.
    slopes: [f64; FIELDS],
    factors: [[f64; SHORT]; FIELDS],
}

impl<'a> Weights<'a> {
    pub(super) fn new(index: &'a SearchIndex) -> Weights<'a> {
        let nodes = index.knowledge.node_count() as f64;
        let slopes = index
            .tables
            .totals
            .map(|total| B * nodes / (total as f64).max(1.0));
        let factors = Field::ALL.map(|field| {
            let slope = slopes[field as usize];
            std::array::from_fn(|length| factor(field, slope, length as u32))
        });
        Weights {
            index,
            slopes,
            factors,
        }
    }

    /// What a word that is so often in the fields of a node weighs.
    fn weigh(&self, place: u32, counts: Counts) -> f64 {
        let lengths = &self.index.entries[place as usize].lengths;
        let mut weight = 0.0;
        for field in Field::ALL {
            let (count, length) = (counts.get(field), lengths[field as usize]);
            // That nothing is added for most fields takes less time than to ask whether.
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

/// The share of the most that a word may add to the score of a node.
pub(super) fn share(weight: f64) -> f64 {
    weight / (weight + K1)
}

/// How many bounds are kept: a power of two. Most nodes have a word once, or twice, in one field or two.
const BOUNDS: usize = 64;

/// Bounds of what a word adds to the scores of nodes that have it so often in their fields, whatever the lengths of these.
pub(super) struct Bounds([(Counts, f64); BOUNDS]);

impl Default for Bounds {
    fn default() -> Self {
        Bounds([(Counts::default(), 0.0); BOUNDS])
    }
}

impl Bounds {
    fn get(&mut self, weights: &Weights<'_>, penalty: f64, counts: Counts) -> f64 {
        let kept = &mut self.0[counts.spread() as usize % BOUNDS];
        if kept.0 != counts {
            // What has a word is at least one word long.
            let most = |field: Field| weights.factors[field as usize][1];
            let weights = Field::ALL.map(|field| f64::from(counts.get(field)) * most(field));
            *kept = (counts, share(penalty * weights.iter().sum::<f64>()));
        }
        kept.1
    }
}

/// What a word counts in a field of a length.
fn factor(field: Field, slope: f64, length: u32) -> f64 {
    field.weight() / (1.0 - B + slope * f64::from(length))
}

/// A word that one of the query may stand for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sense {
    /// The number of the word.
    pub(super) term: u32,
    /// 1 for the word itself, less for others.
    pub(super) penalty: f64,
}

/// What several words weigh together in a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weighted {
    place: u32,
    /// Whether the word itself is in the label.
    is_label: bool,
    weight: f64,
}

impl Placed for Weighted {
    fn place(&self) -> u32 {
        self.place
    }
}

/// The nodes that a word of the query finds.
pub(super) enum Source<'a> {
    /// Those of one word.
    One(&'a List<Posting>, f64),
    /// Those of several.
    Merged(Vec<Weighted>),
}

impl<'a> Source<'a> {
    /// Merges the nodes of all senses, which come in the order of their texts.
    pub(super) fn new(weights: &Weights<'a>, senses: &[Sense]) -> Source<'a> {
        let vocabulary = &weights.index.tables.vocabulary;
        if let &[Sense { term, penalty }] = senses {
            return Source::One(vocabulary.postings(term), penalty);
        }
        let each = senses.iter().flat_map(|sense| {
            let postings = vocabulary.postings(sense.term);
            postings.iter().map(|posting| Weighted {
                place: posting.place(),
                is_label: is_itself(sense.penalty) && posting.counts.get(Field::Label) > 0,
                weight: sense.penalty * weights.weigh(posting.place(), posting.counts),
            })
        });
        let count: usize = senses
            .iter()
            .map(|sense| vocabulary.postings(sense.term).len())
            .sum();
        // Both ways add in the same order.
        if count < weights.index.entries.len() / 16 {
            Source::Merged(sorted(each))
        } else {
            Source::Merged(spread(each, weights.index.entries.len()))
        }
    }

    /// How many nodes it finds.
    pub(super) fn len(&self) -> usize {
        match self {
            Source::One(postings, _) => postings.len(),
            Source::Merged(merged) => merged.len(),
        }
    }

    /// Tells the nodes that it finds, by place.
    pub(super) fn each(&self, mut found: impl FnMut(u32)) {
        match self {
            Source::One(postings, _) => postings.iter().for_each(|posting| found(posting.place())),
            Source::Merged(merged) => merged.iter().for_each(|weighted| found(weighted.place)),
        }
    }

    pub(super) fn occurrences(&self) -> Occurrences<'_> {
        match self {
            Source::One(postings, penalty) => Occurrences::One(Cursor::new(postings), *penalty),
            Source::Merged(merged) => Occurrences::Merged(Cursor::of(merged)),
        }
    }
}

/// Whether what counts so much is the word of the query.
fn is_itself(penalty: f64) -> bool {
    penalty >= 1.0
}

/// Adds up what is few among many places.
fn sorted(each: impl Iterator<Item = Weighted>) -> Vec<Weighted> {
    let mut all: Vec<Weighted> = each.collect();
    all.sort_by_key(Weighted::place);
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

/// Adds up what is at many places.
fn spread(each: impl Iterator<Item = Weighted>, places: usize) -> Vec<Weighted> {
    let mut sums = vec![0.0; places];
    let [mut found, mut labels] = [(); 2].map(|()| PlaceSet::new(places));
    each.for_each(|one| {
        sums[one.place as usize] += one.weight;
        found.insert(one.place);
        if one.is_label {
            labels.insert(one.place);
        }
    });
    let found = found.iter().map(|place| Weighted {
        place,
        is_label: labels.has(place),
        weight: sums[place as usize],
    });
    found.collect()
}

/// Reads a source by places that grow.
pub(super) enum Occurrences<'a> {
    One(Cursor<'a, Posting>, f64),
    Merged(Cursor<'a, Weighted>),
}

/// That a word is in a node.
pub(super) enum Occurrence<'a> {
    One(&'a Posting, f64),
    Merged(&'a Weighted),
}

impl<'a> Occurrences<'a> {
    pub(super) fn at(&mut self, place: u32) -> Option<Occurrence<'a>> {
        match self {
            Occurrences::One(cursor, penalty) => {
                let found = cursor.at(place)?;
                Some(Occurrence::One(found, *penalty))
            }
            Occurrences::Merged(cursor) => cursor.at(place).map(Occurrence::Merged),
        }
    }
}

impl Occurrence<'_> {
    /// No less than the share that it adds, and whether the word itself is in the label.
    pub(super) fn bound(&self, weights: &Weights<'_>, bounds: &mut Bounds) -> (f64, bool) {
        match self {
            Occurrence::One(posting, penalty) => {
                let bound = bounds.get(weights, *penalty, posting.counts);
                (
                    bound,
                    is_itself(*penalty) && posting.counts.get(Field::Label) > 0,
                )
            }
            Occurrence::Merged(weighted) => (share(weighted.weight), weighted.is_label),
        }
    }

    /// The share that it adds, and whether the word itself is in the label.
    pub(super) fn share(&self, weights: &Weights<'_>) -> (f64, bool) {
        match self {
            Occurrence::One(posting, penalty) => {
                let weight = penalty * weights.weigh(posting.place(), posting.counts);
                let is_label = is_itself(*penalty) && posting.counts.get(Field::Label) > 0;
                (share(weight), is_label)
            }
            Occurrence::Merged(weighted) => (share(weighted.weight), weighted.is_label),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_few_and_what_many_nodes_have_is_added_alike() {
        let all = (0..3_000_u32).map(|number| Weighted {
            place: number * 7919 % 1_000,
            is_label: number % 3 == 0,
            weight: f64::from(number) / 7.0,
        });
        let shown = |merged: Vec<Weighted>| format!("{merged:?}");
        assert_eq!(shown(sorted(all.clone())), shown(spread(all, 1_000)));
    }
}
