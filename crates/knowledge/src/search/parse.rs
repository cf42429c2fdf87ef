//! Parser of the text of a query.

use super::error::SearchError;
use super::query::MAX_QUERY_WORDS;
use super::tokenizer::{TokenKind, Tokenizer, sequence};

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ParsedQuery {
    /// Distinct words outside of phrases.
    pub(super) words: Vec<QueryWord>,
    /// Phrases: sequences of words.
    pub(super) phrases: Vec<Vec<String>>,
    pub(super) exclusions: Vec<Exclusion>,
    /// All words and characters in sequence, without exclusions.
    pub(super) sequence: Vec<String>,
}

/// A required word.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct QueryWord {
    /// Folded form.
    pub(super) text: String,
    /// True if it is the last word of the query, and may be incomplete.
    pub(super) is_last: bool,
    /// True if it may be misspelt; bigrams may not.
    pub(super) is_spelt: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Exclusion {
    /// Excludes nodes with all of these words.
    Words(Vec<String>),
    /// Excludes nodes with this phrase.
    Phrase(Vec<String>),
}

impl ParsedQuery {
    /// Parses the text of a query; the empty text has no requirements.
    ///
    /// # Errors
    /// [`SearchError::NoWord`], [`SearchError::TooMuch`].
    pub(super) fn parse(text: &str) -> Result<ParsedQuery, SearchError> {
        let mut asked = ParsedQuery::default();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let minus = rest.strip_prefix('-');
            let minus =
                minus.filter(|after| after.starts_with(|c: char| c == '"' || c.is_alphanumeric()));
            let body = minus.unwrap_or(rest);
            let quoted = body.strip_prefix('"');
            let quoted = quoted.and_then(|inner| inner.split_once('"'));
            rest = if let Some((phrase, after)) = quoted {
                asked.phrase(phrase, minus.is_some());
                after
            } else {
                // An unclosed quotation mark is punctuation.
                let is_end = |c: char| c == '"' || c.is_whitespace();
                let first = body.chars().next().map_or(0, char::len_utf8);
                let end = body[first..].find(is_end);
                let (words, after) = body.split_at(end.map_or(body.len(), |end| first + end));
                asked.words(words, minus.is_some());
                after
            }
            .trim_start();
            asked.check()?;
        }
        if asked.count() == 0 && !text.trim().is_empty() {
            let text = text.chars().take(100).collect();
            return Err(SearchError::NoWord { text });
        }
        Ok(asked)
    }

    fn end_last_word(&mut self) {
        self.words.iter_mut().for_each(|word| word.is_last = false);
    }

    fn phrase(&mut self, text: &str, is_excluded: bool) {
        let words = sequence(text);
        if words.is_empty() {
            return;
        }
        self.end_last_word();
        if is_excluded {
            self.exclusions.push(Exclusion::Phrase(words));
        } else {
            self.sequence.extend_from_slice(&words);
            self.phrases.push(words);
        }
    }

    fn words(&mut self, text: &str, is_excluded: bool) {
        let mut words: Vec<(String, TokenKind)> = Vec::new();
        Tokenizer::default().read(text, |token| match token.kind {
            TokenKind::Word | TokenKind::Character => {
                words.push((token.text.to_owned(), token.kind));
            }
            TokenKind::Pair => {
                // It replaces its two characters, which precede it.
                for _ in 0..2 {
                    words.pop_if(|last| last.1 == TokenKind::Character);
                }
                words.push((token.text.to_owned(), token.kind));
            }
            TokenKind::Part | TokenKind::Compound => {}
        });
        if words.is_empty() {
            return;
        }
        self.end_last_word();
        if is_excluded {
            let words = words.into_iter().map(|(text, _)| text);
            self.exclusions.push(Exclusion::Words(words.collect()));
            return;
        }
        self.sequence.extend(sequence(text));
        let last = words.len() - 1;
        for (place, (text, kind)) in words.into_iter().enumerate() {
            let is_spelt = kind == TokenKind::Word;
            let is_last = is_spelt && place == last;
            match self.words.iter_mut().find(|word| word.text == text) {
                Some(word) => word.is_last |= is_last,
                None => self.words.push(QueryWord {
                    text,
                    is_last,
                    is_spelt,
                }),
            }
        }
    }

    fn count(&self) -> usize {
        let exclusions = self.exclusions.iter().map(|exclusions| match exclusions {
            Exclusion::Words(words) | Exclusion::Phrase(words) => words.len(),
        });
        self.sequence.len().max(self.words.len()) + exclusions.sum::<usize>()
    }

    fn check(&self) -> Result<(), SearchError> {
        let count = self.count();
        if count <= MAX_QUERY_WORDS {
            return Ok(());
        }
        Err(SearchError::TooMuch {
            what: "the text of a query",
            unit: "words",
            count,
            most: MAX_QUERY_WORDS,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words with "*" after what may be unfinished, phrases, and what is not wanted.
    fn read(text: &str) -> String {
        let asked = ParsedQuery::parse(text).unwrap();
        let words = asked.words.iter();
        let words =
            words.map(|word| format!("{}{}", word.text, if word.is_last { "*" } else { "" }));
        let phrases = asked.phrases.iter().map(|words| format!("{words:?}"));
        let exclusions = asked.exclusions.iter().map(|exclusions| match exclusions {
            Exclusion::Words(words) => format!("-{}", words.join("&")),
            Exclusion::Phrase(words) => format!("-{words:?}"),
        });
        let all: Vec<String> = words.chain(phrases).chain(exclusions).collect();
        all.join(" ")
    }

    #[test]
    fn queries_are_words_phrases_and_what_is_left_out() {
        for (text, expected) in [
            ("Tumor  Protein", "tumor protein*"),
            ("a \"B c\" d", "a d* [\"b\", \"c\"]"),
            ("a -b", "a -b"),
            ("-b a", "a* -b"),
            ("-\"b c\" x-y", "x y* -[\"b\", \"c\"]"),
            ("--flag - -> well-known", "flag well known*"),
            ("un\"closed words", "un closed words*"),
            ("-\"unclosed", "-unclosed"),
            ("\"\" x \"!\"", "x*"),
            ("x a x", "x* a"),
            ("東京都", "東京 京都"),
            ("東 -京都タ", "東 -京都&都タ"),
            ("NCBIGene:7157", "ncbigene 7157*"),
            ("a|b (c) .*[d]{2}^$\\ AND\0e", "a b c d 2 and e*"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
        let asked = ParsedQuery::parse("x \"y z\" 東京 -w").unwrap();
        assert_eq!(asked.sequence, ["x", "y", "z", "東", "京"]);
        assert_eq!(ParsedQuery::parse(" \n"), Ok(ParsedQuery::default()));
    }

    #[test]
    fn what_has_no_word_or_too_many_is_refused() {
        let refused = ParsedQuery::parse("-> \"!\" *").unwrap_err();
        assert_eq!(refused.code(), "invalid_value");
        assert!(refused.to_string().contains("no letter or digit"));
        let many = "-a ".repeat(MAX_QUERY_WORDS + 1);
        let refused = ParsedQuery::parse(&many).unwrap_err().to_string();
        let expected = "has 65 words, more than the limit of 64";
        assert!(refused.contains(expected), "{refused}");
        assert!(ParsedQuery::parse(&"\"".repeat(5_000)).is_err());
    }
}
