//! Evaluation of a search, from query to page of results.
//!
//! All words are required, as written or in another form of English (by stem), the last one also as a prefix. Synonyms that
//! the schema declares stand for a word, with less weight. If no node matches, fuzzy matches are allowed. If few nodes have
//! all words, they are followed by those that have most of them, by rarity, and all phrases; if none has, any word suffices.
//! The result reports which relaxation was used.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::bm25::{
    Expansion, FieldWeights, PREFIX_PENALTY, STEM_PENALTY, SYNONYM_PENALTY, TYPO_PENALTIES,
    max_edits,
};
use super::error::SearchError;
use super::filters::Filters;
use super::index::SearchIndex;
use super::parse::{ParsedQuery, QueryWord};
use super::query::{OrderBy, Query};
use super::scorer::Scorer;
use super::snippet::{Snippet, SnippetFinder};
use super::tokenizer::folded;
use super::top_k::TopK;
use crate::graph::{Direction, NodeRef};

/// Results of a search.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SearchResults<'a> {
    /// Total number of matching nodes, of which `hits` are one page.
    pub total: usize,
    /// Number of nodes that have all words; they come first.
    pub complete: usize,
    /// True if fuzzy matches were used, because no node has all words as written.
    pub corrected: bool,
    /// True if most words sufficed, because few nodes have all of them, or any word, because none has.
    pub relaxed: bool,
    /// Synonyms of words of the query that were searched, too, in their folded form.
    pub synonyms: Vec<String>,
    /// The requested page.
    pub hits: Vec<Hit<'a>>,
}

/// A matching node.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Hit<'a> {
    /// The node.
    pub node: NodeRef<'a>,
    /// Relevance, 0 or more; 0 if the query has no words.
    pub score: f64,
    /// Snippet with the matching words; `None` if the query has no words.
    pub snippet: Option<Snippet>,
}

/// Expansions of the words of a query.
struct Interpretation {
    /// Expansions of each word; those of phrases come last.
    words: Vec<Vec<Expansion>>,
    /// True if there is a fuzzy expansion.
    is_corrected: bool,
    /// Synonyms that nodes have.
    synonyms: Vec<String>,
}

/// Total number of matches, and places and scores of the page.
struct RankedPage {
    total: usize,
    page: Vec<(u32, f64)>,
}

impl SearchIndex {
    /// Evaluates a query.
    ///
    /// Words match without accents and case: whole, in other forms of English ("compress" as "compressed"), by part
    /// ("Node" of "getNodeInfo") and as compounds ("NCBIGene:7157"). A node whose label equals the query ranks first,
    /// then one whose id does. The cost is about that of reading the posting list of the rarest word, and the
    /// corresponding parts of the others; if no node has all words, all lists, and if few have, those of the rarer
    /// words.
    ///
    /// # Errors
    /// [`SearchError`] if a limit is exceeded, or the text has no token.
    pub fn search(&self, query: &Query) -> Result<SearchResults<'_>, SearchError> {
        query.check()?;
        let asked = ParsedQuery::parse(&query.text)?;
        let filters = Filters::new(self, query, &asked);
        let weights = FieldWeights::new(self);
        let mut words = self.interpret(query, &asked, false);
        let mut scorer = Scorer::new(&weights, query, &asked, &words.words);
        let mut ranked = self.rank(query, &filters, &scorer);
        if ranked.total == 0 {
            let misspelt = self.interpret(query, &asked, true);
            if misspelt.is_corrected {
                words = misspelt;
                scorer = Scorer::new(&weights, query, &asked, &words.words);
                ranked = self.rank(query, &filters, &scorer);
            }
        }
        let complete = ranked.total;
        let minimum = match query.order_by {
            OrderBy::Relevance => query.minimum.max(1),
            _ => 1,
        };
        if complete < minimum && scorer.relax(complete > 0) {
            ranked = self.rank(query, &filters, &scorer);
        }
        let mut finder = SnippetFinder::new(self, &words.words);
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
        Ok(SearchResults {
            total: ranked.total,
            complete,
            corrected: ranked.total > 0 && words.is_corrected,
            relaxed: ranked.total > complete,
            synonyms: words.synonyms,
            hits: hits.collect(),
        })
    }

    /// Expands the words of a query.
    fn interpret(&self, query: &Query, asked: &ParsedQuery, is_misspelt: bool) -> Interpretation {
        let (mut is_corrected, mut synonyms) = (false, BTreeSet::new());
        let mut words: Vec<Vec<Expansion>> = Vec::new();
        for word in &asked.words {
            let mut expansions = self.exact_expansions(word, query.prefix);
            if word.is_spelt && !query.exact {
                self.add_forms(&word.text, STEM_PENALTY, &mut expansions);
                for synonym in self.synonyms.of(&word.text) {
                    if self.add_forms(synonym, SYNONYM_PENALTY, &mut expansions) {
                        synonyms.insert(synonym.to_owned());
                    }
                }
                if is_misspelt {
                    is_corrected |= self.add_fuzzy_expansions(&word.text, &mut expansions);
                }
            }
            words.push(expansions);
        }
        for word in asked.phrases.iter().flatten() {
            words.push(self.exact_expansion(word));
        }
        Interpretation {
            words,
            is_corrected,
            synonyms: {
                let is_asked = |text: &String| asked.words.iter().any(|word| word.text == *text);
                synonyms
                    .into_iter()
                    .filter(|text| !is_asked(text))
                    .collect()
            },
        }
    }

    /// Returns the word itself, if there is such a term.
    fn exact_expansion(&self, word: &str) -> Vec<Expansion> {
        let term = self.tables.vocabulary.find(word);
        let expansion = term.map(|term| Expansion { term, penalty: 1.0 });
        expansion.into_iter().collect()
    }

    /// Returns the word itself, and if it is the last one, the terms with it as prefix, in order of terms.
    fn exact_expansions(&self, word: &QueryWord, prefix: bool) -> Vec<Expansion> {
        if !(prefix && word.is_last) {
            return self.exact_expansion(&word.text);
        }
        let begun = self.tables.vocabulary.with_prefix(&word.text).map(|term| {
            let is_it = self.tables.vocabulary.text(term) == word.text;
            let penalty = if is_it { 1.0 } else { PREFIX_PENALTY };
            Expansion { term, penalty }
        });
        begun.collect()
    }

    /// Adds a word and its other forms, which have its stem. What is there already has the greater weight of both.
    /// Returns false if no node has any of them.
    fn add_forms(&self, text: &str, penalty: f64, expansions: &mut Vec<Expansion>) -> bool {
        let vocabulary = &self.tables.vocabulary;
        let itself = vocabulary.find(text);
        let mut has_any = false;
        let begun = expansions.len();
        let others = vocabulary.with_stem_of(text);
        for term in itself
            .into_iter()
            .chain(others.filter(|term| Some(*term) != itself))
        {
            has_any = true;
            let mut known = expansions[..begun].iter_mut();
            match known.find(|known| known.term == term) {
                Some(known) => known.penalty = known.penalty.max(penalty),
                None => expansions.push(Expansion { term, penalty }),
            }
        }
        self.sort(expansions);
        has_any
    }

    /// Sorts expansions by their texts.
    fn sort(&self, expansions: &mut [Expansion]) {
        let text = |expansion: &Expansion| self.tables.vocabulary.text(expansion.term);
        expansions.sort_by(|one, two| text(one).cmp(text(two)));
    }

    /// Adds fuzzy matches; returns true if there are any.
    fn add_fuzzy_expansions(&self, text: &str, expansions: &mut Vec<Expansion>) -> bool {
        let most = max_edits(text.chars().count());
        if most == 0 || text.contains(char::is_numeric) {
            return false;
        }
        let known: hashbrown::HashSet<u32> =
            expansions.iter().map(|expansion| expansion.term).collect();
        let near = self.tables.vocabulary.fuzzy_matches(text, most).into_iter();
        let near = near.filter(|(term, distance)| *distance > 0 && !known.contains(term));
        expansions.extend(near.map(|(term, distance)| Expansion {
            term,
            penalty: TYPO_PENALTIES[distance - 1],
        }));
        self.sort(expansions);
        expansions.len() > known.len()
    }

    /// Returns the matches in order, up to the end of the page.
    fn rank(&self, query: &Query, filters: &Filters<'_>, scorer: &Scorer<'_>) -> RankedPage {
        let node = |place: u32| {
            let node = self.knowledge.node_at(place);
            node.expect("what is in the index is in its graph")
        };
        let order = |place: u32| self.entries[place as usize].order;
        let degree = |place| node(place).degree(Direction::Both);
        match query.order_by {
            OrderBy::Relevance => self.rank_best(query, filters, scorer),
            OrderBy::Label => {
                self.rank_by(query, filters, scorer, |place| folded(node(place).label()))
            }
            OrderBy::Created => self.rank_by(query, filters, scorer, |place| node(place).created()),
            OrderBy::Modified => {
                self.rank_by(query, filters, scorer, |place| node(place).modified())
            }
            OrderBy::Order => self.rank_by(query, filters, scorer, order),
            OrderBy::Degree => self.rank_by(query, filters, scorer, degree),
        }
    }

    /// As [`rank`](Self::rank), by relevance: most matches are only counted and not scored.
    fn rank_best(&self, query: &Query, filters: &Filters<'_>, scorer: &Scorer<'_>) -> RankedPage {
        let compare = |one: &(u32, f64), two: &(u32, f64)| {
            let order = two.1.total_cmp(&one.1);
            order.then_with(|| self.compare_order(one.0, two.0))
        };
        let mut best = TopK::new(query.offset.saturating_add(query.limit), compare);
        let total = scorer.for_each(filters, |place, score| {
            best.push((place, score));
            best.worst().map_or(0.0, |worst| worst.1)
        });
        let sorted = best.into_sorted().into_iter();
        let page = sorted.skip(query.offset).collect();
        RankedPage { total, page }
    }

    /// As [`rank`](Self::rank), by a key other than relevance.
    fn rank_by<K: Ord + Clone>(
        &self,
        query: &Query,
        filters: &Filters<'_>,
        scorer: &Scorer<'_>,
        key: impl Fn(u32) -> K,
    ) -> RankedPage {
        let compare = |one: &(K, u32, f64), two: &(K, u32, f64)| {
            let by = one.0.cmp(&two.0);
            let by = if query.descending { by.reverse() } else { by };
            by.then_with(|| self.compare_order(one.1, two.1))
        };
        let mut best = TopK::new(query.offset.saturating_add(query.limit), compare);
        let total = scorer.for_each(filters, |place, score| {
            best.push((key(place), place, score));
            0.0
        });
        let sorted = best.into_sorted().into_iter().skip(query.offset);
        let page = sorted.map(|(_, place, score)| (place, score)).collect();
        RankedPage { total, page }
    }

    /// Compares nodes by order of creation, then id.
    pub(super) fn compare_order(&self, one: u32, two: u32) -> Ordering {
        let orders = [one, two].map(|place| self.entries[place as usize].order);
        let id = |place| self.knowledge.id_at(place);
        orders[0]
            .cmp(&orders[1])
            .then_with(|| id(one).cmp(&id(two)))
    }
}
