//! The definition of a search, written without an index: every node is read for every query. Scores are added up in the
//! order that `bm25` promises: by words of the query, their expansions and fields.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{Direction, Knowledge, NodeRef};
use crate::search::bm25::{B, K1, PREFIX_PENALTY, STEM_PENALTY, SYNONYM_PENALTY, TYPO_PENALTIES};
use crate::search::fields::{Field, texts};
use crate::search::parse::{Exclusion, ParsedQuery, QueryWord};
use crate::search::tokenizer::{Tokenizer, folded, sequence};
use crate::search::vocabulary::stem;
use crate::search::{DataTest, OrderBy, Query, SearchResults, TimeRange};

/// Result of a search: number of hits and of those with all words, corrections, whether any word sufficed, and ids with
/// scores.
#[derive(Debug, PartialEq)]
pub(super) struct Plain {
    pub(super) total: usize,
    pub(super) complete: usize,
    pub(super) flags: [bool; 2],
    pub(super) page: Vec<(String, f64)>,
}

impl Plain {
    pub(super) fn of(found: &SearchResults<'_>) -> Plain {
        let page = found.hits.iter();
        let page = page.map(|hit| (hit.node.id().to_owned(), hit.score));
        Plain {
            total: found.total,
            complete: found.complete,
            flags: [found.corrected, found.relaxed],
            page: page.collect(),
        }
    }
}

/// The words of a node: how often each is in each field, and how long these are.
struct Read<'a> {
    node: NodeRef<'a>,
    counts: BTreeMap<String, [f64; 5]>,
    lengths: [f64; 5],
    sequences: Vec<Vec<String>>,
}

fn read(node: NodeRef<'_>) -> Read<'_> {
    let mut read = Read {
        node,
        counts: BTreeMap::new(),
        lengths: [0.0; 5],
        sequences: Vec::new(),
    };
    for field in Field::ALL {
        texts(&node, field, &mut |_, text| {
            read.sequences.push(sequence(text));
            read.lengths[field as usize] += sequence(text).len() as f64;
            Tokenizer::default().read(text, |token| {
                let counts = read.counts.entry(token.text.to_owned()).or_default();
                counts[field as usize] += 1.0;
            });
        });
    }
    read
}

impl Read<'_> {
    fn has_phrase(&self, phrase: &[String]) -> bool {
        let mut sequences = self.sequences.iter();
        sequences.any(|words| words.windows(phrase.len()).any(|window| window == phrase))
    }

    /// True if everything but the words matches the query.
    fn passes(&self, query: &Query, asked: &ParsedQuery) -> bool {
        let same = |one: &str, two: &String| one.to_lowercase() == two.to_lowercase();
        let has = |names: &[String]| {
            let mut types = self.node.types();
            types.any(|ty| names.iter().any(|name| same(ty, name)))
        };
        let by = |name: &String| same(self.node.creator(), name);
        let within = |range: TimeRange, time: i64| {
            range.from.unwrap_or(i64::MIN) <= time && time <= range.until.unwrap_or(i64::MAX)
        };
        let unwanted = |without: &Exclusion| match without {
            Exclusion::Words(words) => words.iter().all(|word| self.counts.contains_key(word)),
            Exclusion::Phrase(words) => self.has_phrase(words),
        };
        let data = self.node.written().data;
        (query.types.is_empty() || has(&query.types))
            && !has(&query.exclude_types)
            && (query.creators.is_empty() || query.creators.iter().any(by))
            && within(query.created, self.node.created())
            && within(query.modified, self.node.modified())
            && asked.phrases.iter().all(|phrase| self.has_phrase(phrase))
            && !asked.exclusions.iter().any(unwanted)
            && query.data.iter().all(|filter| {
                let value = data.get(&filter.path);
                value.is_some_and(|value| match &filter.test {
                    DataTest::Equals(wanted) => wanted == value,
                    DataTest::Contains(text) => {
                        folded(value.as_str().unwrap_or("")).contains(&folded(text))
                    }
                    DataTest::Exists => true,
                })
            })
    }
}

/// The words that one may stand for, with what they count.
fn senses(
    word: &QueryWord,
    query: &Query,
    all: &BTreeSet<&str>,
    groups: &[Vec<String>],
    is_misspelt: bool,
) -> Vec<(String, f64)> {
    let is_form_of =
        |one: &str, other: &str| one == other || stem(one).is_some() && stem(one) == stem(other);
    let is_in = |word: &str, group: &[String]| {
        let mut words = group.iter().map(|text| sequence(text));
        words.any(|other| other.len() == 1 && is_form_of(&other[0], word))
    };
    let is_synonym = |one: &str, other: &str| {
        let mut groups = groups.iter();
        groups.any(|group| is_in(one, group) && is_in(other, group))
    };
    let letters = word.text.chars().count();
    let has_digit = |text: &str| text.contains(char::is_numeric);
    let most = match letters {
        4..=7 => 1,
        8.. => 2,
        _ => 0,
    };
    let counts = |other: &str| {
        if other == word.text {
            return Some(1.0);
        }
        let is_form = !query.exact && word.is_spelt && stem(&word.text).is_some();
        if is_form && stem(&word.text) == stem(other) {
            return Some(STEM_PENALTY);
        }
        if query.prefix && word.is_last && other.starts_with(&word.text) {
            return Some(PREFIX_PENALTY);
        }
        if !query.exact && word.is_spelt && is_synonym(&word.text, other) {
            return Some(SYNONYM_PENALTY);
        }
        let may = is_misspelt && word.is_spelt && !has_digit(&word.text) && !has_digit(other);
        let distance = strsim::damerau_levenshtein(&word.text, other);
        (may && distance <= most).then(|| TYPO_PENALTIES[distance - 1])
    };
    let senses = all.iter();
    let senses = senses.filter_map(|&other| Some((other.to_owned(), counts(other)?)));
    senses.collect()
}

/// Answers a query.
pub(super) fn search(knowledge: &Knowledge, query: &Query) -> Plain {
    let nodes: Vec<Read<'_>> = knowledge.sorted_nodes().into_iter().map(read).collect();
    let asked = ParsedQuery::parse(&query.text).unwrap();
    let allowed = |read: &&Read<'_>| read.passes(query, &asked);
    let allowed: Vec<&Read<'_>> = nodes.iter().filter(allowed).collect();
    if asked.sequence.is_empty() {
        let found: Vec<_> = allowed.into_iter().map(|read| (read, 0.0)).collect();
        return page(query, found.len(), found, [false; 2]);
    }
    let totals = std::array::from_fn(|field| {
        let lengths = nodes.iter().map(|read| read.lengths[field]);
        lengths.sum::<f64>()
    });
    let words = nodes.iter().flat_map(|read| read.counts.keys());
    let vocabulary: BTreeSet<&str> = words.map(|word| &**word).collect();
    let meaning = |is_misspelt: bool| -> Vec<Vec<(String, f64)>> {
        let words = asked.words.iter();
        let words = words.map(|word| {
            senses(
                word,
                query,
                &vocabulary,
                &knowledge.schema().synonyms,
                is_misspelt,
            )
        });
        let phrases = asked.phrases.iter().flatten();
        let phrases = phrases.map(|word| vec![(word.clone(), 1.0)]);
        words.chain(phrases).collect()
    };
    let has = |read: &Read<'_>, senses: &[(String, f64)]| {
        let mut senses = senses.iter();
        senses.any(|sense| read.counts.contains_key(&sense.0))
    };
    let with_all = |words: &[Vec<(String, f64)>]| {
        let complete = allowed.iter().copied();
        let complete = complete.filter(|read| words.iter().all(|senses| has(read, senses)));
        complete.collect::<Vec<&Read<'_>>>()
    };
    let mut words = meaning(false);
    let mut found = with_all(&words);
    if found.is_empty() && !query.exact {
        words = meaning(true);
        found = with_all(&words);
    }
    let complete = found.len();
    let is_by_relevance = query.order_by == OrderBy::Relevance;
    let is_few = complete == 0 || is_by_relevance && complete < query.minimum;
    // One word alone is either there or not, and phrases are required anyway.
    let is_relaxed = is_few && !asked.words.is_empty() && words.len() > 1;
    let rarities = words
        .iter()
        .map(|senses| (&**senses, rarity(&nodes, senses)));
    let rarities: Vec<_> = rarities.collect();
    if is_relaxed {
        // Of the words of a node, or of all.
        let weight = |read: Option<&Read<'_>>| -> f64 {
            let has = |senses: &[(String, f64)]| read.is_none_or(|read| has(read, senses));
            let there = rarities.iter().filter(|(senses, _)| has(senses));
            there.map(|(_, rarity)| rarity * (K1 + 1.0)).sum()
        };
        let all = weight(None);
        let some = allowed.iter().copied().filter(|read| match complete {
            0 => !asked.phrases.is_empty() || words.iter().any(|senses| has(read, senses)),
            _ => 2.0 * weight(Some(read)) >= all,
        });
        found = some.collect();
    }
    let scored = found.into_iter().map(|read| {
        let is_complete = is_relaxed && words.iter().all(|senses| has(read, senses));
        let all = (nodes.len(), totals);
        let score = score(query, &asked, all, &rarities, (read, is_complete));
        (read, score)
    });
    let found: Vec<(&Read<'_>, f64)> = scored.collect();
    let is_corrected = !found.is_empty() && words != meaning(false);
    let flags = [is_corrected, found.len() > complete];
    page(query, complete, found, flags)
}

/// Inverse document frequency of the senses of a word.
fn rarity(nodes: &[Read<'_>], senses: &[(String, f64)]) -> f64 {
    let has = |read: &&Read<'_>| {
        let mut senses = senses.iter();
        senses.any(|sense| read.counts.contains_key(&sense.0))
    };
    let (count, with) = (nodes.len() as f64, nodes.iter().filter(has).count() as f64);
    ((count - with + 0.5) / (with + 0.5)).ln_1p()
}

fn score(
    query: &Query,
    asked: &ParsedQuery,
    (nodes, totals): (usize, [f64; 5]),
    words: &[(&[(String, f64)], f64)],
    (read, is_complete): (&Read<'_>, bool),
) -> f64 {
    let field_weights = [5.0, 3.0, 2.0, 1.0, 0.5];
    let (mut score, mut bound) = (0.0, 0.0);
    for (senses, rarity) in words {
        let mut weight = 0.0;
        for (word, penalty) in *senses {
            let counts = read.counts.get(word).copied().unwrap_or_default();
            let mut own = 0.0;
            for field in 0..5 {
                let slope = B * nodes as f64 / totals[field].max(1.0);
                own += counts[field]
                    * (field_weights[field] / (1.0 - B + slope * read.lengths[field]));
            }
            weight += penalty * own;
        }
        let most = rarity * (K1 + 1.0);
        score += most * (weight / (weight + K1));
        bound += most;
    }
    if sequence(read.node.label()) == asked.sequence {
        score += 2.0 * bound;
    }
    if read.node.id() == query.text.trim() {
        score += bound;
    }
    if is_complete {
        score += bound;
    }
    score
}

fn page(
    query: &Query,
    complete: usize,
    mut found: Vec<(&Read<'_>, f64)>,
    flags: [bool; 2],
) -> Plain {
    // They are in their order, which stays where nothing else is said.
    let turned = |order: Ordering| {
        if query.descending {
            order.reverse()
        } else {
            order
        }
    };
    found.sort_by(|(one, first), (two, second)| {
        let (one, two) = (&one.node, &two.node);
        match query.order_by {
            OrderBy::Relevance => second.total_cmp(first),
            OrderBy::Label => turned(folded(one.label()).cmp(&folded(two.label()))),
            OrderBy::Created => turned(one.created().cmp(&two.created())),
            OrderBy::Modified => turned(one.modified().cmp(&two.modified())),
            OrderBy::Order => turned(one.order().cmp(&two.order())),
            OrderBy::Degree => {
                let [one, two] = [one, two].map(|node| node.degree(Direction::Both));
                turned(one.cmp(&two))
            }
        }
    });
    let total = found.len();
    let page = found.into_iter().skip(query.offset).take(query.limit);
    let id_and_score = |(read, score): (&Read<'_>, f64)| (read.node.id().to_owned(), score);
    let page = page.map(id_and_score).collect();
    Plain {
        total,
        complete,
        flags,
        page,
    }
}
