//! The words of a text, in the form in which they are compared.
//!
//! Letters are folded: decomposed (NFKD), without accents, in lower case with full case folding, so that "Straße" is
//! "strasse" and "Ångström" is "angstrom". Vowel signs of Indic scripts are letters and stay. A word is a run of letters
//! and digits; of one such as "getNodeInfo" or "TP53" the parts are told too, and of words that single signs join
//! ("get-node-info", "NCBIGene:7157") the compound. Scripts that put no spaces between words (Han, kana, Thai, Lao,
//! Khmer, Burmese) are told by single characters and by pairs of neighbours. A point between digits is part of the
//! number.
//!
//! Every text is read in one pass, in time linear in its length.

use std::ops::Range;

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// Words are compared by no more than about so many bytes of their folded form.
const LONGEST_WORD: usize = 128;
/// Compounds of more bytes than this are not told.
const LONGEST_COMPOUND: usize = 64;
/// Signs that make one compound of the words on both sides.
const JOINTS: [char; 6] = ['-', '_', '.', ':', '\'', '’'];

/// What a token is of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A run of letters and digits.
    Word,
    /// Of a word, what changes of case and between letters and digits divide.
    Part,
    /// Words that single signs join, without the signs.
    Compound,
    /// A character of a script without spaces.
    Character,
    /// Two such characters beside each other.
    Pair,
}

impl Kind {
    /// Whether it is one of those that follow each other in the text, each once.
    pub(super) fn is_whole(self) -> bool {
        match self {
            Kind::Word | Kind::Character => true,
            Kind::Part | Kind::Compound | Kind::Pair => false,
        }
    }
}

/// Something in a text that can be searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// Its folded form.
    pub(super) text: &'a str,
    /// Where it is in the text, in bytes.
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
}

/// What decides where words and their parts end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    /// A letter without case.
    #[default]
    Letter,
    /// A character of a script without spaces.
    Spaceless,
    /// What belongs to the letter before it, and counts.
    Mark,
    /// What belongs to the letter before it, and does not count.
    Nothing,
    Separator,
}

impl Class {
    /// Of a decomposed character.
    fn of(c: char) -> Class {
        match c {
            'a'..='z' => Class::Lower,
            'A'..='Z' => Class::Upper,
            '0'..='9' => Class::Digit,
            '\0'..='\u{7f}' => Class::Separator,
            _ if is_nothing(c) => Class::Nothing,
            _ if is_combining_mark(c) => Class::Mark,
            _ if is_spaceless(c) => Class::Spaceless,
            _ if c.is_uppercase() => Class::Upper,
            _ if c.is_lowercase() => Class::Lower,
            _ if c.is_numeric() => Class::Digit,
            _ if c.is_alphabetic() => Class::Letter,
            _ => Class::Separator,
        }
    }
}

/// Accents of European and Semitic scripts, joiners, and what only chooses the form of a character.
fn is_nothing(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}'
        | '\u{300}'..='\u{36f}' | '\u{483}'..='\u{487}'
        | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}'
        | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}' | '\u{e0100}'..='\u{e01ef}')
}

fn is_spaceless(c: char) -> bool {
    matches!(c,
        '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' | '\u{e81}'..='\u{ecf}' | '\u{edc}'..='\u{edf}'
        | '\u{1000}'..='\u{103f}' | '\u{1050}'..='\u{108f}' | '\u{1780}'..='\u{17d3}'
        | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Decomposes a character and tells each piece in its folded form, with what it was.
fn pieces(c: char, mut each: impl FnMut(char, Class)) {
    if c.is_ascii() {
        return each(c.to_ascii_lowercase(), Class::of(c));
    }
    decompose_compatible(c, |piece| {
        let class = Class::of(piece);
        match class {
            Class::Upper | Class::Lower => {
                // Only the capital form of "ß" is two letters, and only the small form of "ẞ" has it.
                let cases = piece.to_lowercase().flat_map(char::to_uppercase);
                let small = cases.flat_map(char::to_lowercase);
                small.for_each(|small| each(small, class));
            }
            Class::Digit
            | Class::Letter
            | Class::Spaceless
            | Class::Mark
            | Class::Nothing
            | Class::Separator => each(piece, class),
        }
    });
}

/// A text with every character in its folded form, and signs and spaces as they are.
pub(super) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        pieces(c, |piece, class| {
            if class != Class::Nothing {
                folded.push(piece);
            }
        });
    }
    folded
}

/// The words and single characters of a text, in sequence.
pub(super) fn sequence(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    Reader::default().read(text, |token| {
        if token.kind.is_whole() {
            words.push(token.text.to_owned());
        }
    });
    words
}

/// Folded text and where it came from.
#[derive(Debug, Default)]
struct Piece {
    text: String,
    range: Range<usize>,
}

impl Piece {
    fn clear(&mut self) {
        self.text.clear();
    }
}

/// Reads texts, one after the other; it keeps only the room for what it reads.
#[derive(Debug, Default)]
pub(super) struct Reader {
    word: Piece,
    /// Where parts of the word begin, after the first: in its folded form, and in the text.
    cuts: Vec<(usize, usize)>,
    /// What the last character of the word was, and where, as in `cuts`.
    last: Class,
    last_at: (usize, usize),
    /// The words that signs joined so far, and how many they are.
    compound: Piece,
    joined: usize,
    /// The character of a script without spaces, the one before it, and both.
    character: Piece,
    before: Piece,
    pair: String,
}

impl Reader {
    /// Tells every token of a text: the words and characters in sequence, and between them what else they give.
    pub(super) fn read(&mut self, text: &str, mut each: impl FnMut(Token<'_>)) {
        self.before.clear();
        for (at, c) in text.char_indices() {
            let range = at..at + c.len_utf8();
            pieces(c, |piece, class| match class {
                Class::Upper | Class::Lower | Class::Digit | Class::Letter => {
                    self.end_character(&mut each);
                    self.letter(piece, class, &range);
                }
                Class::Spaceless => {
                    self.end_word(text, &mut each);
                    self.end_character(&mut each);
                    self.character.text.push(piece);
                    self.character.range = range.clone();
                }
                Class::Mark => self.mark(Some(piece), range.end),
                Class::Nothing => self.mark(None, range.end),
                Class::Separator => {
                    let next = text.as_bytes().get(range.end);
                    let is_point = c == '.' && next.is_some_and(u8::is_ascii_digit);
                    if is_point && self.last == Class::Digit && !self.word.text.is_empty() {
                        self.letter(piece, Class::Digit, &range);
                    } else {
                        self.end_word(text, &mut each);
                        self.end_character(&mut each);
                    }
                }
            });
        }
        self.end_word(text, &mut each);
        self.end_compound(&mut each);
        self.end_character(&mut each);
    }

    /// Adds a letter or a digit to the word.
    fn letter(&mut self, piece: char, class: Class, range: &Range<usize>) {
        let folded = self.word.text.len();
        let here = (folded, range.start);
        if folded == 0 {
            self.word.range.start = range.start;
            self.cuts.clear();
        } else if folded < LONGEST_WORD {
            let part = self.cuts.last().map_or(0, |cut| cut.0);
            let is_cut = (self.last == Class::Digit) != (class == Class::Digit)
                || (self.last, class) == (Class::Lower, Class::Upper);
            if is_cut {
                self.cuts.push(here);
            } else if (self.last, class) == (Class::Upper, Class::Lower) && self.last_at.0 > part {
                self.cuts.push(self.last_at);
            }
        }
        self.word.range.end = range.end;
        if folded < LONGEST_WORD {
            self.word.text.push(piece);
            // The pieces of one character are not divided.
            if self.last_at.1 != range.start || folded == 0 {
                self.last_at = here;
            }
            self.last = class;
        }
    }

    /// Adds to the last character what belongs to it.
    fn mark(&mut self, mark: Option<char>, end: usize) {
        for piece in [&mut self.character, &mut self.word] {
            if !piece.text.is_empty() {
                piece.range.end = end;
                if piece.text.len() < LONGEST_WORD {
                    piece.text.extend(mark);
                }
                return;
            }
        }
    }

    fn end_word(&mut self, text: &str, each: &mut impl FnMut(Token<'_>)) {
        let Piece { text: word, range } = &mut self.word;
        if word.is_empty() {
            return;
        }
        each(Token {
            text: word,
            range: range.clone(),
            kind: Kind::Word,
        });
        if !self.cuts.is_empty() {
            let ends = self.cuts.iter().copied();
            let ends = ends.chain([(word.len(), range.end)]);
            let mut from = (0, range.start);
            for to in ends {
                let part = &word[from.0..to.0];
                // Single letters tell nothing.
                if part.chars().nth(1).is_some() {
                    each(Token {
                        text: part,
                        range: from.1..to.1.max(from.1),
                        kind: Kind::Part,
                    });
                }
                from = to;
            }
        }
        let gap = text.get(self.compound.range.end..range.start);
        let mut gap = gap.unwrap_or_default().chars();
        let is_joined = gap.next().is_some_and(|c| JOINTS.contains(&c)) && gap.next().is_none();
        if self.joined == 0 || !is_joined {
            self.end_compound(each);
            self.compound.range.start = self.word.range.start;
        }
        if self.compound.text.len() <= LONGEST_COMPOUND {
            self.compound.text.push_str(&self.word.text);
        }
        self.compound.range.end = self.word.range.end;
        self.joined += 1;
        self.word.clear();
    }

    fn end_compound(&mut self, each: &mut impl FnMut(Token<'_>)) {
        if self.joined > 1 && self.compound.text.len() <= LONGEST_COMPOUND {
            each(Token {
                text: &self.compound.text,
                range: self.compound.range.clone(),
                kind: Kind::Compound,
            });
        }
        self.compound.clear();
        self.joined = 0;
    }

    fn end_character(&mut self, each: &mut impl FnMut(Token<'_>)) {
        let Piece { text, range } = &self.character;
        if text.is_empty() {
            return;
        }
        each(Token {
            text,
            range: range.clone(),
            kind: Kind::Character,
        });
        if !self.before.text.is_empty() && self.before.range.end == range.start {
            self.pair.clear();
            self.pair.push_str(&self.before.text);
            self.pair.push_str(text);
            each(Token {
                text: &self.pair,
                range: self.before.range.start..range.end,
                kind: Kind::Pair,
            });
        }
        std::mem::swap(&mut self.before, &mut self.character);
        self.character.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        Reader::default().read(text, |token| {
            assert!(text.get(token.range.clone()).is_some(), "{token:?}");
            all.push(token.text.to_owned());
        });
        all
    }

    #[test]
    fn words_are_folded() {
        for (text, expected) in [
            ("Ångström STRAẞE straße", "angstrom strasse strasse"),
            ("A\u{308}rger Ärger ärger", "arger arger arger"),
            ("ΣΊΣΥΦΟΣ σίσυφος", "σισυφοσ σισυφοσ"),
            ("İstanbul ﬁne ㎏ x²", "istanbul fine kg x2"),
            ("हिन्दी", "हिन्दी"),
            ("مُحَمَّد", "محمد"),
            ("co\u{ad}operate \u{1f600} ½", "cooperate 1 2"),
        ] {
            let found = tokens(text);
            let found: Vec<&str> = found.iter().map(String::as_str).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
        assert_eq!(folded("Ä-b \u{65e5}"), "a-b \u{65e5}");
    }

    #[test]
    fn words_have_parts_and_compounds() {
        for (text, expected) in [
            ("getNodeInfo", "getnodeinfo get node info"),
            ("get_node_info", "get node info getnodeinfo"),
            ("NCBIGene:7157 x", "ncbigene ncbi gene 7157 x ncbigene7157"),
            ("TP53", "tp53 tp 53"),
            ("TP-53", "tp 53 tp53"),
            ("v1.2.3, 3.14.", "v1.2.3 1.2.3 3.14"),
            ("a--b c - d", "a b c d"),
            ("l'homme", "l homme lhomme"),
            ("n17", "n17 17"),
        ] {
            assert_eq!(tokens(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn scripts_without_spaces_give_characters_and_pairs() {
        assert_eq!(tokens("東京都 x東").join(" "), "東 京 東京 都 京都 x 東");
        // A letter with its mark is one character, however it is written.
        assert_eq!(tokens("が"), ["か\u{3099}"]);
        assert_eq!(tokens("ｶﾞ"), tokens("ガ"));
        assert_eq!(sequence("東京 ab-c"), ["東", "京", "ab", "c"]);
    }

    #[test]
    fn long_words_are_cut_and_ranges_are_whole() {
        let text = format!("{}é y", "aB".repeat(5_000));
        let mut ranges = Vec::new();
        Reader::default().read(&text, |token| {
            assert!(token.text.len() <= LONGEST_WORD + 4);
            if token.kind == Kind::Word {
                ranges.push(token.range);
            }
        });
        assert_eq!(ranges, [0..10_002, 10_003..10_004]);
    }
}
