//! Document-at-a-time evaluation of posting lists with early termination.
//!
//! Posting lists are intersected by place, led by the shortest. Once enough results are kept, upper bounds from term
//! frequencies alone show for most nodes that they need not be scored (as in WAND).

use super::bm25::{
    Expansion, FieldWeights, K1, PostingCursor, PostingMatch, ScoreBounds, WordPostings,
};
use super::fields::Field;
use super::filters::{FilterCursor, Filters};
use super::parse::ParsedQuery;
use super::query::Query;
use super::sorted_list::PlaceSet;
use super::tokenizer::sequence;

/// Finds and scores nodes by the words of a query.
pub(super) struct Scorer<'a> {
    weights: &'a FieldWeights<'a>,
    words: Vec<ScoredWord<'a>>,
    /// Number of words in phrases, which come last.
    phrase_words: usize,
    /// Number of the last words that are required; if 0, any word suffices.
    needed: usize,
    /// True if nodes that have all words come before those that have some.
    is_relaxed: bool,
    /// Sum of the upper bounds of the words, of which each node has to have half.
    required: Option<f64>,
    /// Words of a label that equals the query, and the node with such an id.
    sequence: &'a [String],
    id: Option<u32>,
    /// Upper bound of the sum of all words.
    bound: f64,
}

/// A word and the upper bound of its contribution.
struct ScoredWord<'a> {
    source: WordPostings<'a>,
    most: f64,
}

impl<'a> Scorer<'a> {
    /// Prepares the expansions of each word; without words, all nodes match.
    pub(super) fn new(
        weights: &'a FieldWeights<'a>,
        query: &Query,
        asked: &'a ParsedQuery,
        words: &[Vec<Expansion>],
    ) -> Scorer<'a> {
        let index = weights.index;
        let nodes = index.knowledge.node_count() as f64;
        let words = words.iter().map(|expansions| {
            let source = WordPostings::new(weights, expansions);
            let count = source.len() as f64;
            let rarity: f64 = ((nodes - count + 0.5) / (count + 0.5)).ln_1p();
            ScoredWord {
                source,
                most: rarity * (K1 + 1.0),
            }
        });
        let words: Vec<ScoredWord<'_>> = words.collect();
        let bound = words.iter().map(|word| word.most).sum();
        let id = index.knowledge.find(query.text.trim());
        Scorer {
            weights,
            phrase_words: asked.phrases.iter().map(Vec::len).sum(),
            needed: words.len(),
            is_relaxed: false,
            required: None,
            words,
            sequence: &asked.sequence,
            id: id.map(|node| node.place()),
            bound,
        }
    }

    /// Requires only all phrases from now on, or any word if there are none, and scores all words more than some;
    /// returns false if that changes nothing. With `most`, a node has to have the greater part of the words, by their
    /// rarity: half of the sum of their upper bounds.
    pub(super) fn relax(&mut self, most: bool) -> bool {
        self.needed = self.phrase_words;
        self.is_relaxed = true;
        self.required = most.then_some(self.bound);
        self.words.len() > self.phrase_words.max(1)
    }

    /// Calls `found` with matching nodes that pass the filters and their scores; returns their number. The callback
    /// returns the score that the next one has to reach; nodes that cannot reach it are only counted.
    pub(super) fn for_each(
        &self,
        filters: &Filters<'_>,
        found: impl FnMut(u32, f64) -> f64,
    ) -> usize {
        let index = self.weights.index;
        let needed = &self.words[self.words.len() - self.needed..];
        let sources = needed.iter().map(|word| &word.source);
        let rarest = sources.min_by_key(|source| source.len());
        let allowed = filters.fewest();
        let mut pass = ScoringPass::new(self, filters, found);
        match (rarest, allowed) {
            (Some(rarest), Some(allowed)) if allowed.len() < rarest.len() => {
                allowed.iter().for_each(|&place| pass.at(place));
            }
            (Some(rarest), _) => rarest.for_each(|place| pass.at(place)),
            (None, _) if !self.words.is_empty() => {
                let mut any = PlaceSet::new(index.entries.len());
                for word in self.essential_words() {
                    word.source.for_each(|place| any.insert(place));
                }
                any.iter().for_each(|place| pass.at(place));
            }
            (None, Some(allowed)) => allowed.iter().for_each(|&place| pass.at(place)),
            (None, None) => index
                .knowledge
                .nodes()
                .for_each(|node| pass.at(node.place())),
        }
        pass.total
    }

    /// Words one of which a node has to have: all, without the most frequent ones that are not enough together (as in
    /// `MaxScore`: Turtle and Flood, Query evaluation: strategies and optimizations, 1995).
    fn essential_words(&self) -> Vec<&ScoredWord<'a>> {
        let mut words: Vec<&ScoredWord<'_>> = self.words.iter().collect();
        if let Some(required) = self.required {
            words.sort_by(|one, two| one.most.total_cmp(&two.most));
            let mut sum = 0.0;
            let is_too_little = |word: &&&ScoredWord<'_>| {
                sum += word.most;
                // Covers rounding errors.
                2.0 * sum < required * (1.0 - 1e-9)
            };
            let count = words.iter().take_while(is_too_little).count();
            words.drain(..count);
        }
        words
    }

    /// True if the label of a node equals the query.
    fn is_label(&self, place: u32) -> bool {
        if !self.is_as_long(place) {
            return false;
        }
        let node = self.weights.index.knowledge.node_at(place);
        node.is_some_and(|node| sequence(node.label()) == self.sequence)
    }

    /// True if the label of a node has as many words as the query.
    fn is_as_long(&self, place: u32) -> bool {
        let lengths = self.weights.index.entries[place as usize].lengths;
        lengths[Field::Label as usize] as usize == self.sequence.len()
    }
}

/// One pass over ascending places, for all words at once.
struct ScoringPass<'a, F> {
    scorer: &'a Scorer<'a>,
    check: FilterCursor<'a>,
    occurrences: Vec<PostingCursor<'a>>,
    /// Words in the order in which they are tested.
    asked: Vec<usize>,
    /// Matches at the current place.
    here: Vec<Option<PostingMatch<'a>>>,
    bounds: Vec<ScoreBounds>,
    found: F,
    /// Score that the next node has to reach.
    least: f64,
    total: usize,
}

impl<'a, F: FnMut(u32, f64) -> f64> ScoringPass<'a, F> {
    fn new(scorer: &'a Scorer<'a>, filters: &'a Filters<'_>, found: F) -> Self {
        let words = &scorer.words;
        let loose = words.len() - scorer.needed;
        let mut asked: Vec<usize> = (0..words.len()).collect();
        asked.sort_by_key(|&word| (word < loose, words[word].source.len()));
        let occurrences = words.iter().map(|word| word.source.occurrences());
        ScoringPass {
            scorer,
            check: filters.check(),
            occurrences: occurrences.collect(),
            asked,
            here: words.iter().map(|_| None).collect(),
            bounds: words.iter().map(|_| ScoreBounds::default()).collect(),
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
        if let Some(required) = scorer.required {
            let words = scorer.words.iter().zip(&self.here);
            let own = words.filter(|(_, here)| here.is_some());
            if 2.0 * own.map(|(word, _)| word.most).sum::<f64>() < required {
                return;
            }
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
        if scorer.is_relaxed && self.here.iter().all(Option::is_some) {
            score += scorer.bound;
        }
        self.least = (self.found)(place, score);
    }

    /// Upper bound of the score of the current node, from frequencies alone.
    fn bound(&mut self, place: u32) -> f64 {
        let scorer = self.scorer;
        let (mut score, mut is_label, mut is_complete) = (0.0, true, scorer.is_relaxed);
        let words = scorer.words.iter().zip(&self.here).zip(&mut self.bounds);
        for ((word, occurrence), bounds) in words {
            let occurrence = occurrence.as_ref();
            is_complete &= occurrence.is_some();
            let bound = occurrence.map(|found| found.bound(scorer.weights, bounds));
            let (share, is_in_label) = bound.unwrap_or((0.0, false));
            score += word.most * share;
            is_label &= is_in_label;
        }
        if is_label && scorer.is_as_long(place) || scorer.id == Some(place) || is_complete {
            return f64::INFINITY;
        }
        // Covers rounding errors.
        score * (1.0 + 1e-9)
    }
}
