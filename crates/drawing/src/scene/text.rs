//! Texts: their width, their truncation, and their pixels.
//!
//! A program that shows an SVG uses a font of its own, and the SVG states only the width of each text.

use fibula_nodes::names::is_invisible;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::lettering::{LETTER_WIDTH, Lettering};

/// Width of a Latin letter.
pub(crate) const LETTER: f64 = 7.0;
/// Height of a line of text.
pub const LINE: f64 = 14.0;
/// Distance of the baseline from the top of a line.
pub(crate) const BASELINE: f64 = 11.0;

/// Lettering of a text, in pixels of the scene.
pub(crate) fn lettering(bold: bool) -> Lettering {
    Lettering {
        size: LETTER / LETTER_WIDTH,
        bold,
    }
}

/// Width of a text.
pub(crate) fn width(text: &str) -> f64 {
    // Bold letters are as wide.
    lettering(false).width(text)
}

/// Truncates a text, of which nothing is invisible, to a width; an ellipsis stands for the rest.
pub(crate) fn truncated(text: String, max_width: f64) -> String {
    if text.is_empty() || width(&text) <= max_width {
        return text;
    }
    let cut = |end: usize| format!("{}…", text[..end].trim_end());
    let ends: Vec<usize> = text.grapheme_indices(true).map(|(end, _)| end).collect();
    let fitting = ends.partition_point(|&end| width(&cut(end)) <= max_width);
    cut(ends[fitting.saturating_sub(1)])
}

/// The first line of a text that is not blank, truncated to a width. Of invisible characters only joiners are kept, which change
/// the letters beside them.
pub(crate) fn first_line(text: &str, max_width: f64) -> String {
    /// More characters than are drawn of any text.
    const MAX_CHARS: usize = 300;
    let mut lines = text.lines().map(str::trim);
    let line = lines.find(|line| !line.is_empty()).unwrap_or_default();
    let is_joiner = |c: char| matches!(c, '\u{200c}' | '\u{200d}');
    let mut kept = line.chars().filter(|&c| is_joiner(c) || !is_invisible(c));
    let mut first: String = kept.by_ref().take(MAX_CHARS).collect();
    if kept.next().is_some() {
        first.push('…');
    }
    truncated(first.trim_matches(is_joiner).to_owned(), max_width)
}

/// All lines of a text, as a tooltip shows them, without invisible characters and truncated to `max_chars` characters.
pub(crate) fn tooltip(text: &str, max_chars: usize) -> String {
    let lines = text.split(['\n', '\r']).map(|line| line.replace('\t', " "));
    let visible_lines: Vec<String> = lines
        .map(|line| line.chars().filter(|&c| !is_invisible(c)).collect())
        .collect();
    let whole = visible_lines.join("\n");
    match whole.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_as_wide_as_their_letters() {
        for (text, expected) in [
            ("", 0.0),
            ("TP53?", 35.0),
            ("Größe", 35.0),
            ("Žižek Ωμέγα Москва", 126.0),
            ("漢字", 23.25),
            ("e\u{301}", 7.0),
            ("ガス", 23.25),
        ] {
            let width = width(text);
            assert!((width - expected).abs() < 1e-2, "{text}: {width}");
        }
        let line = first_line("  Type 2 Diabetes\nmellitus", 200.0);
        assert_eq!(line, "Type 2 Diabetes");
        assert_eq!(first_line("Type 2 Diabetes", 60.0), "Type 2…");
        assert_eq!(first_line("漢字漢字", 36.0), "漢字…");
        assert_eq!(first_line("e\u{301}e\u{301}e\u{301}", 14.5), "e\u{301}…");
        assert_eq!(first_line("漢字", 1.0), "…");
        assert_eq!([first_line("a", -1.0), first_line("", -1.0)], ["…", ""]);
        assert_eq!(
            first_line("\u{200d}می\u{200c}خواهم\u{200b}", 99.0),
            "می\u{200c}خواهم"
        );
        assert_eq!(first_line("a\u{202e}b\u{0}c", 60.0), "abc");
        assert_eq!(tooltip("a\tb\r\nc\u{200b}d", 10), "a b\n\ncd");
        assert_eq!(tooltip("abcdef", 3), "abc…");
    }
}
