//! Tokenizer with Unicode folding.
//!
//! Folding: compatibility decomposition (NFKD), removal of accents and full case folding, so that "Straße" is "strasse"
//! and "Ångström" is "angstrom"; vowel signs of Indic scripts are kept. A word is a run of letters and digits; of words
//! such as "getNodeInfo" or "TP53" the parts are tokens, too, and of words joined by single signs ("get-node-info",
//! "NCBIGene:7157") the compound. Scripts without spaces (Han, kana, Thai, Lao, Khmer, Burmese) yield single characters
//! and bigrams. A point between digits belongs to the number, and the signs of "C++", "C#" and ".NET" to the word.
//!
//! One pass, linear in the length of the text.

use std::ops::Range;

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// Approximate maximum bytes of a folded word; the rest is ignored.
const MAX_WORD_BYTES: usize = 128;
/// Maximum bytes of a compound.
const MAX_COMPOUND_BYTES: usize = 64;
/// Signs that join words to compounds.
const JOINERS: [char; 6] = ['-', '_', '.', ':', '\'', '’'];

/// Signs that may end a word.
const SUFFIXES: [char; 2] = ['+', '#'];

/// Sign that may begin a word.
const PREFIX: char = '.';

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A run of letters and digits.
    Word,
    /// Part of a word, between changes of case or between letters and digits.
    Part,
    /// Words joined by single signs, without the signs.
    Compound,
    /// A character of a script without spaces.
    Character,
    /// Bigram of two such characters.
    Pair,
}

impl TokenKind {
    /// True for words and characters, which do not overlap each other.
    pub(super) fn is_whole(self) -> bool {
        match self {
            TokenKind::Word | TokenKind::Character => true,
            TokenKind::Part | TokenKind::Compound | TokenKind::Pair => false,
        }
    }
}

/// A searchable unit of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// Folded form.
    pub(super) text: &'a str,
    /// Range in the text, in bytes.
    pub(super) range: Range<usize>,
    pub(super) kind: TokenKind,
}

impl<'a> Token<'a> {
    fn new(text: &'a str, range: Range<usize>, kind: TokenKind) -> Token<'a> {
        Token { text, range, kind }
    }
}
/// Class of a character, which determines boundaries of words and parts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum CharClass {
    Upper,
    Lower,
    Digit,
    /// A letter without case.
    #[default]
    Letter,
    /// A character of a script without spaces.
    Spaceless,
    /// Combining mark that distinguishes letters.
    Mark,
    /// Combining mark or joiner that is ignored.
    Nothing,
    Separator,
}

impl CharClass {
    /// Class of a decomposed character.
    fn of(c: char) -> CharClass {
        match c {
            'a'..='z' => CharClass::Lower,
            'A'..='Z' => CharClass::Upper,
            '0'..='9' => CharClass::Digit,
            '\0'..='\u{7f}' => CharClass::Separator,
            _ if is_ignorable(c) => CharClass::Nothing,
            _ if is_combining_mark(c) => CharClass::Mark,
            _ if is_spaceless(c) => CharClass::Spaceless,
            _ if c.is_uppercase() => CharClass::Upper,
            _ if c.is_lowercase() => CharClass::Lower,
            _ if c.is_numeric() => CharClass::Digit,
            _ if c.is_alphabetic() => CharClass::Letter,
            _ => CharClass::Separator,
        }
    }
}

impl CharClass {
    /// True for letters with case.
    fn is_cased(self) -> bool {
        matches!(self, CharClass::Upper | CharClass::Lower)
    }
}

/// True for accents of European and Semitic scripts, joiners and variation selectors.
fn is_ignorable(c: char) -> bool {
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

/// True for the point of ".NET": before a letter, and not after a letter, a digit or another point.
fn is_prefix(text: &str, at: usize, c: char) -> bool {
    let before = text[..at].chars().next_back();
    let is_start = before.is_none_or(|before| !before.is_alphanumeric() && before != PREFIX);
    c == PREFIX
        && is_start
        && text[at + 1..].starts_with(|next: char| CharClass::of(next).is_cased())
}

/// Decomposes a character; calls `each` with each folded piece and its original class.
fn pieces(c: char, mut each: impl FnMut(char, CharClass)) {
    if c.is_ascii() {
        return each(c.to_ascii_lowercase(), CharClass::of(c));
    }
    decompose_compatible(c, |piece| {
        let class = CharClass::of(piece);
        match class {
            CharClass::Upper | CharClass::Lower => {
                // Only the upper-case form of "ß" has two letters, and only the lower-case form of "ẞ" has an
                // upper-case form.
                let cases = piece.to_lowercase().flat_map(char::to_uppercase);
                let small = cases.flat_map(char::to_lowercase);
                small.for_each(|small| each(small, class));
            }
            CharClass::Digit
            | CharClass::Letter
            | CharClass::Spaceless
            | CharClass::Mark
            | CharClass::Nothing
            | CharClass::Separator => each(piece, class),
        }
    });
}

/// Folds a text, with signs and spaces unchanged.
pub(super) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        pieces(c, |piece, class| {
            if class != CharClass::Nothing {
                folded.push(piece);
            }
        });
    }
    folded
}

/// Returns the words and single characters of a text, in sequence.
pub(super) fn sequence(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    Tokenizer::default().read(text, |token| {
        if token.kind.is_whole() {
            words.push(token.text.to_owned());
        }
    });
    words
}

/// Folded text and its range in the original.
#[derive(Debug, Default)]
struct FoldedText {
    text: String,
    range: Range<usize>,
}

impl FoldedText {
    fn clear(&mut self) {
        self.text.clear();
    }
}

/// Tokenizer, whose buffers are reused for successive texts.
#[derive(Debug, Default)]
pub(super) struct Tokenizer {
    word: FoldedText,
    /// Boundaries of parts of the word, after the first: in its folded form, and in the text.
    cuts: Vec<(usize, usize)>,
    /// Where the signs at the end of the word begin, likewise.
    signs: Option<(usize, usize)>,
    /// Class and position (as in `cuts`) of the last character of the word.
    last: CharClass,
    last_at: (usize, usize),
    /// Compound so far, and its number of words.
    compound: FoldedText,
    joined: usize,
    /// Character of a script without spaces, the one before it, and their bigram.
    character: FoldedText,
    before: FoldedText,
    pair: String,
}

impl Tokenizer {
    /// Calls `each` with every token of a text: words and characters in sequence, interleaved with the other kinds.
    pub(super) fn read(&mut self, text: &str, mut each: impl FnMut(Token<'_>)) {
        self.before.clear();
        for (at, c) in text.char_indices() {
            let range = at..at + c.len_utf8();
            pieces(c, |piece, class| match class {
                CharClass::Upper | CharClass::Lower | CharClass::Digit | CharClass::Letter => {
                    self.end_character(&mut each);
                    if self.word.text.ends_with(SUFFIXES) {
                        self.end_word(text, &mut each);
                    }
                    self.letter(piece, class, &range);
                }
                CharClass::Spaceless => {
                    self.end_word(text, &mut each);
                    self.end_character(&mut each);
                    self.character.text.push(piece);
                    self.character.range = range.clone();
                }
                CharClass::Mark => self.mark(Some(piece), range.end),
                CharClass::Nothing => self.mark(None, range.end),
                CharClass::Separator => {
                    let next = text.as_bytes().get(range.end);
                    let is_point = c == '.' && next.is_some_and(u8::is_ascii_digit);
                    if is_point && self.last == CharClass::Digit && !self.word.text.is_empty() {
                        self.letter(piece, CharClass::Digit, &range);
                    } else if self.is_suffix(text, at, c) {
                        self.suffix(piece, &range);
                    } else {
                        self.end_word(text, &mut each);
                        self.end_character(&mut each);
                        if is_prefix(text, at, c) {
                            self.prefix(piece, &range);
                        }
                    }
                }
            });
        }
        self.end_word(text, &mut each);
        self.end_compound(&mut each);
        self.end_character(&mut each);
    }

    /// Appends a letter or digit to the word.
    fn letter(&mut self, piece: char, class: CharClass, range: &Range<usize>) {
        let folded = self.word.text.len();
        let here = (folded, range.start);
        if folded == 0 {
            self.word.range.start = range.start;
            self.cuts.clear();
            self.signs = None;
        } else if folded < MAX_WORD_BYTES {
            let part = self.cuts.last().map_or(0, |cut| cut.0);
            let is_cut = (self.last == CharClass::Digit) != (class == CharClass::Digit)
                || (self.last, class) == (CharClass::Lower, CharClass::Upper);
            if is_cut {
                self.cuts.push(here);
            } else if (self.last, class) == (CharClass::Upper, CharClass::Lower)
                && self.last_at.0 > part
            {
                self.cuts.push(self.last_at);
            }
        }
        self.word.range.end = range.end;
        if folded < MAX_WORD_BYTES {
            self.word.text.push(piece);
            // The pieces of one character are not separated.
            if self.last_at.1 != range.start || folded == 0 {
                self.last_at = here;
            }
            self.last = class;
        }
    }

    /// True for the signs of "C++" and "C#": doubled, or after a word of letters and at its end.
    fn is_suffix(&self, text: &str, at: usize, c: char) -> bool {
        let word = &self.word;
        if !SUFFIXES.contains(&c) || word.text.is_empty() || word.range.end != at {
            return false;
        }
        let next = text[at + 1..].chars().next();
        let is_doubled = c == '+' && next == Some('+');
        let is_end = next.is_none_or(|next| !next.is_alphanumeric() && next != c);
        match word.text.strip_suffix(SUFFIXES) {
            None => is_doubled || is_end && !word.text.contains(char::is_numeric),
            Some(before) => c == '+' && word.text.ends_with('+') && !before.ends_with(SUFFIXES),
        }
    }

    /// Appends a sign to the word.
    fn suffix(&mut self, piece: char, range: &Range<usize>) {
        if self.word.text.len() < MAX_WORD_BYTES {
            if !self.word.text.ends_with(SUFFIXES) {
                self.signs = Some((self.word.text.len(), range.start));
            }
            self.word.text.push(piece);
        }
        self.word.range.end = range.end;
    }

    /// Begins a word with a sign.
    fn prefix(&mut self, piece: char, range: &Range<usize>) {
        self.word.text.push(piece);
        self.word.range = range.clone();
        self.cuts.clear();
        self.signs = None;
        self.last = CharClass::Separator;
        self.last_at = (0, range.start);
    }

    /// Appends a mark to the last character.
    fn mark(&mut self, mark: Option<char>, end: usize) {
        for piece in [&mut self.character, &mut self.word] {
            if !piece.text.is_empty() {
                piece.range.end = end;
                if piece.text.len() < MAX_WORD_BYTES {
                    piece.text.extend(mark);
                }
                return;
            }
        }
    }

    fn end_word(&mut self, text: &str, each: &mut impl FnMut(Token<'_>)) {
        let FoldedText { text: word, range } = &mut self.word;
        if word.is_empty() {
            return;
        }
        each(Token::new(word, range.clone(), TokenKind::Word));
        // Without its signs a word is a part of itself.
        let sign = usize::from(word.starts_with(PREFIX));
        let first = (sign, range.start + sign);
        let last = self.signs.unwrap_or((word.len(), range.end));
        if last.0 - first.0 < word.len() {
            let plain = &word[first.0..last.0];
            each(Token::new(plain, first.1..last.1, TokenKind::Part));
        }
        if !self.cuts.is_empty() {
            let ends = self.cuts.iter().copied().chain([last]);
            let mut from = first;
            for to in ends {
                let part = &word[from.0..to.0];
                // Single letters are not significant.
                if part.chars().nth(1).is_some() {
                    let range = from.1..to.1.max(from.1);
                    each(Token::new(part, range, TokenKind::Part));
                }
                from = to;
            }
        }
        let gap = text.get(self.compound.range.end..range.start);
        let mut gap = gap.unwrap_or_default().chars();
        let is_joined = gap.next().is_some_and(|c| JOINERS.contains(&c)) && gap.next().is_none();
        if self.joined == 0 || !is_joined {
            self.end_compound(each);
            self.compound.range.start = self.word.range.start;
        }
        if self.compound.text.len() <= MAX_COMPOUND_BYTES {
            self.compound.text.push_str(&self.word.text);
        }
        self.compound.range.end = self.word.range.end;
        self.joined += 1;
        self.word.clear();
    }

    fn end_compound(&mut self, each: &mut impl FnMut(Token<'_>)) {
        if self.joined > 1 && self.compound.text.len() <= MAX_COMPOUND_BYTES {
            let range = self.compound.range.clone();
            each(Token::new(&self.compound.text, range, TokenKind::Compound));
        }
        self.compound.clear();
        self.joined = 0;
    }

    fn end_character(&mut self, each: &mut impl FnMut(Token<'_>)) {
        let FoldedText { text, range } = &self.character;
        if text.is_empty() {
            return;
        }
        each(Token::new(text, range.clone(), TokenKind::Character));
        if !self.before.text.is_empty() && self.before.range.end == range.start {
            self.pair.clear();
            self.pair.push_str(&self.before.text);
            self.pair.push_str(text);
            let range = self.before.range.start..range.end;
            each(Token::new(&self.pair, range, TokenKind::Pair));
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
        Tokenizer::default().read(text, |token| {
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
            ("C++, C# (F#)", "c++ c c# c f# f"),
            ("c++17 K+", "c++ c 17 k+ k"),
            ("CD4+ cells, Ca2+ 5+", "cd4 cd cells ca2 ca 5"),
            (
                "Notepad++ NodeJs++",
                "notepad++ notepad nodejs++ nodejs node js",
            ),
            ("g++-13", "g++ g 13 g++13"),
            (
                ".NET and .NetCore",
                ".net net and .netcore netcore net core",
            ),
            (
                "src/.gitignore ASP.NET",
                "src .gitignore gitignore asp net aspnet",
            ),
            ("a+b x+++ #1 item#1 C#d ##", "a b x++ x 1 item 1 c d"),
            ("etc. ...and .5 end.", "etc and 5 end"),
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
        Tokenizer::default().read(&text, |token| {
            assert!(token.text.len() <= MAX_WORD_BYTES + 4);
            if token.kind == TokenKind::Word {
                ranges.push(token.range);
            }
        });
        assert_eq!(ranges, [0..10_002, 10_003..10_004]);
    }
}
