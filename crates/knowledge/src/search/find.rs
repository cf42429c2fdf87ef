//! A search, from the query to a page of the answer.
//!
//! All words are wanted as they are written, the last also as the begin of one. If no node has them so, they may be
//! misspelt; if still none has all of them, it is enough to have any, or all phrases. An answer says which it was.

use std::cmp::Ordering;

use super::best::Best;
use super::error::SearchError;
use super::filters::Filters;
use super::index::SearchIndex;
use super::parse::{Asked, Word};
use super::query::{OrderBy, Query};
use super::scorer::Scorer;
use super::snippet::{Finder, Snippet};
use super::sources::{BEGUN, MISSPELT, Sense, Weights, most_edits};
use super::words::folded;
use crate::graph::{Direction, NodeRef};

/// What was found.
#[derive(Debug, Clone)]
pub struct Found<'a> {
    /// How many nodes were found; a page of them is told.
    pub total: usize,
    /// Whether words were taken for misspelt ones, because no node had all of them as they are written.
    pub corrected: bool,
    /// Whether it was enough to have any of the words, because no node had all of them.
    pub relaxed: bool,
    /// The page.
    pub hits: Vec<Hit<'a>>,
}

/// A node that was found.
#[derive(Debug, Clone)]
pub struct Hit<'a> {
    /// The node.
    pub node: NodeRef<'a>,
    /// How well it fits, 0 or more; 0 if no words were asked for.
    pub score: f64,
    /// Where in it words were found; none if no words were asked for.
    pub snippet: Option<Snippet>,
}

/// The words of a query, and what they may stand for.
struct Meaning {
    /// For each word; those in phrases come last.
    words: Vec<Vec<Sense>>,
    /// Whether a sense is misspelt.
    is_corrected: bool,
}

/// The nodes that were found: how many, and the place and the score of those on the page.
struct Ranked {
    total: usize,
    page: Vec<(u32, f64)>,
}

impl SearchIndex {
    /// Finds nodes.
    ///
    /// Words are compared without accents and case: whole, by their parts ("Node" of "getNodeInfo") and joined
    /// ("NCBIGene:7157"). A node with the label that is asked for comes first, then one with the id. The cost is about
    /// that of reading the lists of the rarest word, and as far as these go, of the others.
    ///
    /// # Errors
    /// [`SearchError`] if too much is asked, or nothing that could be found.
    pub fn search(&self, query: &Query) -> Result<Found<'_>, SearchError> {
        query.check()?;
        let asked = Asked::parse(&query.text)?;
        let filters = Filters::new(self, query, &asked);
        let weights = Weights::new(self);
        let written = self.meaning(query, &asked, false);
        let mut scorer = Scorer::new(&weights, query, &asked, &written.words);
        let mut ranked = self.rank(query, &filters, &scorer);
        if ranked.total > 0 {
            return Ok(self.found(query, ranked, &written.words, false, false));
        }
        let misspelt = self.meaning(query, &asked, true);
        if misspelt.is_corrected {
            scorer = Scorer::new(&weights, query, &asked, &misspelt.words);
            ranked = self.rank(query, &filters, &scorer);
        }
        let mut relaxed = false;
        if ranked.total == 0 && scorer.relax() {
            ranked = self.rank(query, &filters, &scorer);
            relaxed = ranked.total > 0;
        }
        let corrected = ranked.total > 0 && misspelt.is_corrected;
        Ok(self.found(query, ranked, &misspelt.words, corrected, relaxed))
    }

    /// What the words of a query may stand for.
    fn meaning(&self, query: &Query, asked: &Asked, is_misspelt: bool) -> Meaning {
        let mut is_corrected = false;
        let mut words: Vec<Vec<Sense>> = Vec::new();
        for word in &asked.words {
            let mut senses = self.written(word, query.prefix);
            if is_misspelt && word.is_spelt && !query.exact {
                is_corrected |= self.misspelt(&word.text, &mut senses);
            }
            words.push(senses);
        }
        for word in asked.phrases.iter().flatten() {
            let term = self.tables.vocabulary.find(word);
            let senses = term.map(|term| Sense { term, penalty: 1.0 });
            words.push(senses.into_iter().collect());
        }
        Meaning {
            words,
            is_corrected,
        }
    }

    /// The word itself, and if it is the last, those that begin with it, in the order of their texts.
    fn written(&self, word: &Word, prefix: bool) -> Vec<Sense> {
        if !(prefix && word.is_last) {
            let term = self.tables.vocabulary.find(&word.text);
            let sense = term.map(|term| Sense { term, penalty: 1.0 });
            return sense.into_iter().collect();
        }
        let begun = self.tables.vocabulary.beginning(&word.text).map(|term| {
            let is_it = self.tables.vocabulary.text(term) == word.text;
            let penalty = if is_it { 1.0 } else { BEGUN };
            Sense { term, penalty }
        });
        begun.collect()
    }

    /// Adds the words that are nearly this one, and tells whether there are any.
    fn misspelt(&self, text: &str, senses: &mut Vec<Sense>) -> bool {
        let most = most_edits(text.chars().count());
        if most == 0 || text.contains(char::is_numeric) {
            return false;
        }
        let known: hashbrown::HashSet<u32> = senses.iter().map(|sense| sense.term).collect();
        let near = self.tables.vocabulary.near(text, most).into_iter();
        let near = near.filter(|(term, distance)| *distance > 0 && !known.contains(term));
        senses.extend(near.map(|(term, distance)| Sense {
            term,
            penalty: MISSPELT[distance - 1],
        }));
        senses.sort_by(|one, two| {
            let [one, two] = [one, two].map(|sense| self.tables.vocabulary.text(sense.term));
            one.cmp(two)
        });
        senses.len() > known.len()
    }

    /// The nodes that the query allows and the words find, the first of them in order.
    fn rank(&self, query: &Query, filters: &Filters<'_>, scorer: &Scorer<'_>) -> Ranked {
        let node = |place: u32| {
            let node = self.knowledge.node_at(place);
            node.expect("what is in the index is in its graph")
        };
        match query.order_by {
            OrderBy::Relevance => self.rank_best(query, filters, scorer),
            OrderBy::Label => {
                let label = |place| folded(node(place).label());
                self.rank_by(query, filters, scorer, label)
            }
            OrderBy::Created => {
                let created = |place| node(place).created();
                self.rank_by(query, filters, scorer, created)
            }
            OrderBy::Modified => {
                let modified = |place| node(place).modified();
                self.rank_by(query, filters, scorer, modified)
            }
            OrderBy::Order => {
                let order = |place: u32| self.entries[place as usize].order;
                self.rank_by(query, filters, scorer, order)
            }
            OrderBy::Degree => {
                let degree = |place| node(place).degree(Direction::Both);
                self.rank_by(query, filters, scorer, degree)
            }
        }
    }

    /// As [`rank`](Self::rank), the best first: of most only that they are found is asked, and not how good they are.
    fn rank_best(&self, query: &Query, filters: &Filters<'_>, scorer: &Scorer<'_>) -> Ranked {
        let compare = |one: &(u32, f64), two: &(u32, f64)| {
            let order = two.1.total_cmp(&one.1);
            order.then_with(|| self.compare_order(one.0, two.0))
        };
        let mut best = Best::new(query.offset.saturating_add(query.limit), compare);
        let total = scorer.each(filters, |place, score| {
            best.push((place, score));
            best.worst().map_or(0.0, |worst| worst.1)
        });
        let sorted = best.into_sorted().into_iter().skip(query.offset);
        Ranked {
            total,
            page: sorted.collect(),
        }
    }

    /// As [`rank`](Self::rank), by something else than the score.
    fn rank_by<K: Ord + Clone>(
        &self,
        query: &Query,
        filters: &Filters<'_>,
        scorer: &Scorer<'_>,
        key: impl Fn(u32) -> K,
    ) -> Ranked {
        let compare = |one: &(K, u32, f64), two: &(K, u32, f64)| {
            let keys = one.0.cmp(&two.0);
            let keys = if query.descending {
                keys.reverse()
            } else {
                keys
            };
            keys.then_with(|| self.compare_order(one.1, two.1))
        };
        let mut best = Best::new(query.offset.saturating_add(query.limit), compare);
        let total = scorer.each(filters, |place, score| {
            best.push((key(place), place, score));
            0.0
        });
        let sorted = best.into_sorted().into_iter().skip(query.offset);
        Ranked {
            total,
            page: sorted.map(|(_, place, score)| (place, score)).collect(),
        }
    }

    /// Which of two nodes comes first among all.
    pub(super) fn compare_order(&self, one: u32, two: u32) -> Ordering {
        let orders = [one, two].map(|place| self.entries[place as usize].order);
        let id = |place| self.knowledge.id_at(place);
        orders[0]
            .cmp(&orders[1])
            .then_with(|| id(one).cmp(&id(two)))
    }

    fn found(
        &self,
        query: &Query,
        ranked: Ranked,
        words: &[Vec<Sense>],
        corrected: bool,
        relaxed: bool,
    ) -> Found<'_> {
        let mut finder = Finder::new(self, words);
        let hits = ranked.page.into_iter().take(query.limit);
        let hits = hits.filter_map(|(place, score)| {
            let node = self.knowledge.node_at(place)?;
            let snippet = finder.snippet(&node);
            Some(Hit {
                node,
                score,
                snippet,
            })
        });
        Found {
            total: ranked.total,
            corrected,
            relaxed,
            hits: hits.collect(),
        }
    }
}
