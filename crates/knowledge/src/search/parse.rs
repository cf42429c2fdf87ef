//! The text of a query, read.

use super::error::SearchError;
use super::query::MOST_WORDS;
use super::words::{Kind, Reader, sequence};

/// What a text asks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    /// Words in no phrase, each once.
    pub(super) words: Vec<Word>,
    /// Words that follow each other.
    pub(super) phrases: Vec<Vec<String>>,
    /// What is not wanted: all words of one of these.
    pub(super) without: Vec<Without>,
    /// All words and characters in sequence, but for those that are not wanted.
    pub(super) sequence: Vec<String>,
}

/// A word that is wanted.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// Its folded form.
    pub(super) text: String,
    /// Whether it is the last of the query, so that it may be unfinished.
    pub(super) is_last: bool,
    /// Whether it may be misspelt: pairs of characters are not.
    pub(super) is_spelt: bool,
}

/// What is not wanted.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Without {
    /// These words, wherever they are.
    Words(Vec<String>),
    /// These words in sequence.
    Phrase(Vec<String>),
}

impl Asked {
    /// Reads the text of a query; nothing is asked for if it is empty.
    ///
    /// # Errors
    /// [`SearchError::NoWord`], [`SearchError::TooMuch`].
    pub(super) fn parse(text: &str) -> Result<Asked, SearchError> {
        let mut asked = Asked::default();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let minus = rest.strip_prefix('-');
            let minus =
                minus.filter(|after| after.starts_with(|c: char| c == '"' || c.is_alphanumeric()));
            let body = minus.unwrap_or(rest);
            let quoted = body
                .strip_prefix('"')
                .and_then(|inner| inner.split_once('"'));
            rest = if let Some((phrase, after)) = quoted {
                asked.phrase(phrase, minus.is_some());
                after
            } else {
                // A quotation mark that nothing closes is one sign among others.
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

    fn phrase(&mut self, text: &str, is_without: bool) {
        let words = sequence(text);
        if words.is_empty() {
            return;
        }
        for word in &mut self.words {
            word.is_last = false;
        }
        if is_without {
            self.without.push(Without::Phrase(words));
        } else {
            self.sequence.extend_from_slice(&words);
            self.phrases.push(words);
        }
    }

    fn words(&mut self, text: &str, is_without: bool) {
        let mut words: Vec<(String, Kind)> = Vec::new();
        Reader::default().read(text, |token| match token.kind {
            Kind::Word | Kind::Character => words.push((token.text.to_owned(), token.kind)),
            Kind::Pair => {
                // It says more than its characters, which came just before.
                for _ in 0..2 {
                    words.pop_if(|last| last.1 == Kind::Character);
                }
                words.push((token.text.to_owned(), token.kind));
            }
            Kind::Part | Kind::Compound => {}
        });
        if words.is_empty() {
            return;
        }
        for word in &mut self.words {
            word.is_last = false;
        }
        if is_without {
            let words = words.into_iter().map(|(text, _)| text);
            self.without.push(Without::Words(words.collect()));
            return;
        }
        self.sequence.extend(sequence(text));
        let last = words.len() - 1;
        for (place, (text, kind)) in words.into_iter().enumerate() {
            let is_spelt = kind == Kind::Word;
            let is_last = is_spelt && place == last;
            match self.words.iter_mut().find(|word| word.text == text) {
                Some(word) => word.is_last |= is_last,
                None => self.words.push(Word {
                    text,
                    is_last,
                    is_spelt,
                }),
            }
        }
    }

    /// How many words there are.
    fn count(&self) -> usize {
        let without = self.without.iter().map(|without| match without {
            Without::Words(words) | Without::Phrase(words) => words.len(),
        });
        self.sequence.len().max(self.words.len()) + without.sum::<usize>()
    }

    fn check(&self) -> Result<(), SearchError> {
        let count = self.count();
        if count <= MOST_WORDS {
            return Ok(());
        }
        Err(SearchError::TooMuch {
            what: "the text of a query",
            unit: "words",
            count,
            most: MOST_WORDS,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words with "*" after what may be unfinished, phrases, and what is not wanted.
    fn read(text: &str) -> String {
        let asked = Asked::parse(text).unwrap();
        let words = asked.words.iter();
        let words =
            words.map(|word| format!("{}{}", word.text, if word.is_last { "*" } else { "" }));
        let phrases = asked.phrases.iter().map(|words| format!("{words:?}"));
        let without = asked.without.iter().map(|without| match without {
            Without::Words(words) => format!("-{}", words.join("&")),
            Without::Phrase(words) => format!("-{words:?}"),
        });
        words
            .chain(phrases)
            .chain(without)
            .collect::<Vec<_>>()
            .join(" ")
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
        let asked = Asked::parse("x \"y z\" 東京 -w").unwrap();
        assert_eq!(asked.sequence, ["x", "y", "z", "東", "京"]);
        assert_eq!(Asked::parse(" \n"), Ok(Asked::default()));
    }

    #[test]
    fn what_has_no_word_or_too_many_is_refused() {
        let refused = Asked::parse("-> \"!\" *").unwrap_err();
        assert_eq!(refused.code(), "invalid_value");
        assert!(refused.to_string().contains("no letter and no digit"));
        let many = "-a ".repeat(MOST_WORDS + 1);
        let refused = Asked::parse(&many).unwrap_err().to_string();
        assert!(
            refused.contains("has 65 words, and 64 is the most"),
            "{refused}"
        );
        assert!(Asked::parse(&"\"".repeat(5_000)).is_err());
    }
}
