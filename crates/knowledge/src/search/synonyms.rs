//! Words that mean the same, as the schema of a graph declares them.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::tokenizer::sequence;
use super::vocabulary::stem;

/// Synonyms of words, all in their folded form.
#[derive(Debug, Default)]
pub(super) struct Synonyms(HashMap<String, BTreeSet<String>>);

/// Returns the folded form of a text that is one word.
fn as_word(text: &str) -> Option<String> {
    let mut words = sequence(text);
    words.pop().filter(|_| words.is_empty())
}

/// Returns what all forms of a word have in common; `None` if a text is not one word.
pub fn word_key(text: &str) -> Option<String> {
    as_word(text).map(|word| key(&word))
}

/// What forms of a word have in common.
fn key(word: &str) -> String {
    // No word has an asterisk.
    stem(word).map_or_else(|| word.to_owned(), |stem| format!("{stem}*"))
}

impl Synonyms {
    /// Reads groups of words; what is not one word is left out.
    pub(super) fn new(groups: &[Vec<String>]) -> Synonyms {
        let mut all = HashMap::new();
        for group in groups {
            let words: Vec<String> = group.iter().filter_map(|text| as_word(text)).collect();
            for word in &words {
                let own: &mut BTreeSet<String> = all.entry(key(word)).or_default();
                let others = words.iter().filter(|other| key(other) != key(word));
                own.extend(others.cloned());
            }
        }
        Synonyms(all)
    }

    /// Returns the synonyms of a folded word or of another form of it, in order.
    pub(super) fn of(&self, word: &str) -> impl Iterator<Item = &str> {
        let found = self.0.get(&key(word));
        found.into_iter().flatten().map(String::as_str)
    }
}
