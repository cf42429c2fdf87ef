//! The nodes that the words of a query find, with their scores.
//!
//! Lists of nodes are read side by side by place, led by the shortest. Once as many nodes are kept as are wanted, most of
//! the others need not be scored: how often they have the words says already that they cannot be as good.

use super::fields::Field;
use super::filters::{Check, Filters};
use super::list::PlaceSet;
use super::parse::Asked;
use super::query::Query;
use super::sources::{Bounds, K1, Occurrence, Occurrences, Sense, Source, Weights};
use super::words::sequence;

/// Finds and scores nodes by the words of a query.
pub(super) struct Scorer<'a> {
    weights: &'a Weights<'a>,
    words: Vec<Scored<'a>>,
    /// How many of the words are in phrases; they come last.
    phrased: usize,
    /// Of the last so many words every one is wanted; of all any, if none is.
    needed: usize,
    /// The words of a label that is just what is asked for, and the node with such an id.
    sequence: &'a [String],
    id: Option<u32>,
    /// More than any node has for all words.
    bound: f64,
}

/// A word, and what it says of a node that has much of it.
struct Scored<'a> {
    source: Source<'a>,
    most: f64,
}

impl<'a> Scorer<'a> {
    /// For each word of a query what it may stand for; if there are none, all nodes are found.
    pub(super) fn new(
        weights: &'a Weights<'a>,
        query: &Query,
        asked: &'a Asked,
        words: &[Vec<Sense>],
    ) -> Scorer<'a> {
        let index = weights.index;
        let nodes = index.knowledge.node_count() as f64;
        let words = words.iter().map(|senses| {
            let source = Source::new(weights, senses);
            let count = source.len() as f64;
            let rarity: f64 = ((nodes - count + 0.5) / (count + 0.5)).ln_1p();
            Scored {
                source,
                most: rarity * (K1 + 1.0),
            }
        });
        let words: Vec<Scored<'_>> = words.collect();
        let bound = words.iter().map(|word| word.most).sum();
        let id = index.knowledge.find(query.text.trim());
        Scorer {
            weights,
            phrased: asked.phrases.iter().map(Vec::len).sum(),
            needed: words.len(),
            words,
            sequence: &asked.sequence,
            id: id.map(|node| node.place()),
            bound,
        }
    }

    /// It is enough from now on to have all phrases, or if there are none, any word; tells whether that is less.
    pub(super) fn relax(&mut self) -> bool {
        self.needed = self.phrased;
        self.words.len() > self.phrased.max(1)
    }

    /// Tells the nodes that are found and allowed, with their scores, and how many there are. Who is told says which score
    /// the next has to reach; those that cannot are only counted.
    pub(super) fn each(&self, filters: &Filters<'_>, found: impl FnMut(u32, f64) -> f64) -> usize {
        let index = self.weights.index;
        let needed = &self.words[self.words.len() - self.needed..];
        let sources = needed.iter().map(|word| &word.source);
        let rarest = sources.min_by_key(|source| source.len());
        let allowed = filters.fewest();
        let mut look = Look::new(self, filters, found);
        match (rarest, allowed) {
            (Some(rarest), Some(allowed)) if allowed.len() < rarest.len() => {
                allowed.each(|place| look.at(place));
            }
            (Some(rarest), _) => rarest.each(|place| look.at(place)),
            (None, _) if !self.words.is_empty() => {
                let mut any = PlaceSet::new(index.entries.len());
                for word in &self.words {
                    word.source.each(|place| any.insert(place));
                }
                any.iter().for_each(|place| look.at(place));
            }
            (None, Some(allowed)) => allowed.each(|place| look.at(place)),
            (None, None) => index
                .knowledge
                .nodes()
                .for_each(|node| look.at(node.place())),
        }
        look.total
    }

    /// Whether the label of a node is what is asked for.
    fn is_label(&self, place: u32) -> bool {
        if !self.is_as_long(place) {
            return false;
        }
        let node = self.weights.index.knowledge.node_at(place);
        node.is_some_and(|node| sequence(node.label()) == self.sequence)
    }

    /// Whether the label of a node has as many words as are asked for.
    fn is_as_long(&self, place: u32) -> bool {
        let lengths = self.weights.index.entries[place as usize].lengths;
        lengths[Field::Label as usize] as usize == self.sequence.len()
    }
}

/// Looks at places in their order, for all words at once.
struct Look<'a, F> {
    scorer: &'a Scorer<'a>,
    check: Check<'a>,
    occurrences: Vec<Occurrences<'a>>,
    /// The words in the order in which they are asked for.
    asked: Vec<usize>,
    /// What of them is at the place.
    here: Vec<Option<Occurrence<'a>>>,
    bounds: Vec<Bounds>,
    found: F,
    /// The score that the next has to reach.
    least: f64,
    total: usize,
}

impl<'a, F: FnMut(u32, f64) -> f64> Look<'a, F> {
    fn new(scorer: &'a Scorer<'a>, filters: &'a Filters<'_>, found: F) -> Self {
        let words = &scorer.words;
        let loose = words.len() - scorer.needed;
        let mut asked: Vec<usize> = (0..words.len()).collect();
        asked.sort_by_key(|&word| (word < loose, words[word].source.len()));
        let occurrences = words.iter().map(|word| word.source.occurrences());
        Look {
            scorer,
            check: filters.check(),
            occurrences: occurrences.collect(),
            asked,
            here: words.iter().map(|_| None).collect(),
            bounds: words.iter().map(|_| Bounds::default()).collect(),
            found,
            least: 0.0,
            total: 0,
        }
    }

    fn at(&mut self, place: u32) {
        let scorer = self.scorer;
        let loose = scorer.words.len() - scorer.needed;
        for &word in &self.asked {
            let found = self.occurrences[word].at(place);
            if found.is_none() && word >= loose {
                return;
            }
            self.here[word] = found;
        }
        if !self.check.passes(place) {
            return;
        }
        self.total += 1;
        if self.least > 0.0 && self.bound(place) < self.least {
            return;
        }
        let (mut score, mut is_label) = (0.0, !scorer.words.is_empty());
        for (word, occurrence) in scorer.words.iter().zip(&self.here) {
            let occurrence = occurrence.as_ref();
            let share = occurrence.map(|found| found.share(scorer.weights));
            let (share, is_in_label) = share.unwrap_or((0.0, false));
            score += word.most * share;
            is_label &= is_in_label;
        }
        if is_label && scorer.is_label(place) {
            score += 2.0 * scorer.bound;
        }
        if scorer.id == Some(place) {
            score += scorer.bound;
        }
        self.least = (self.found)(place, score);
    }

    /// No less than the score of the node at the place, told without looking at it.
    fn bound(&mut self, place: u32) -> f64 {
        let scorer = self.scorer;
        let (mut score, mut is_label) = (0.0, true);
        let words = scorer.words.iter().zip(&self.here).zip(&mut self.bounds);
        for ((word, occurrence), bounds) in words {
            let occurrence = occurrence.as_ref();
            let bound = occurrence.map(|found| found.bound(scorer.weights, bounds));
            let (share, is_in_label) = bound.unwrap_or((0.0, false));
            score += word.most * share;
            is_label &= is_in_label;
        }
        if is_label && scorer.is_as_long(place) || scorer.id == Some(place) {
            return f64::INFINITY;
        }
        // More than what rounding takes away.
        score * (1.0 + 1e-9)
    }
}
