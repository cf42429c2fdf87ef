//! Texts: their width, their truncation, and their pixels.
//!
//! A program that shows an SVG uses a font of its own, and the SVG states only the width of each text. For images, `glyphs` has
//! each letter.

use fibula_nodes::names::{is_invisible, visible};

pub(crate) use super::glyphs::LETTER;
use super::glyphs::glyphs;

/// Width of a text.
pub(crate) fn width(text: &str) -> f64 {
    glyphs(text)
        .map(|(_, glyph)| f64::from(glyph.width()))
        .sum()
}

/// Truncates a text, of which nothing is invisible, to a width; an ellipsis stands for the rest.
pub(crate) fn truncated(text: String, max_width: f64) -> String {
    if width(&text) <= max_width {
        return text;
    }
    let mut free = max_width - width("…");
    let mut kept = String::new();
    for (c, glyph) in glyphs(&text) {
        free -= f64::from(glyph.width());
        if free < 0.0 {
            break;
        }
        kept.push(c);
    }
    // No ellipsis after a space.
    let end = kept.trim_end().len();
    kept.truncate(end);
    kept.push('…');
    kept
}

/// The first line of a text that is not blank, without invisible characters, truncated to a width.
pub(crate) fn first_line(text: &str, max_width: f64) -> String {
    /// More characters than are drawn of any text.
    const MAX_CHARS: usize = 300;
    let mut lines = text.lines().map(str::trim);
    let line = lines.find(|line| !line.is_empty()).unwrap_or_default();
    truncated(visible(line, MAX_CHARS), max_width)
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

/// Calls `pixel` with every pixel of a text, relative to its upper left corner.
pub(crate) fn draw(text: &str, is_bold: bool, pixel: &mut dyn FnMut(i32, i32)) {
    let mut left = 0;
    for (_, glyph) in glyphs(text) {
        glyph.draw(is_bold, &mut |x, y| pixel(left + x, y));
        left += glyph.width();
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
            ("漢字", 24.0),
            ("e\u{301}", 7.0),
            ("ガス", 21.0),
            ("🧬", 16.0),
        ] {
            let width = width(text);
            assert!((width - expected).abs() < 1e-9, "{text}: {width}");
        }
        let line = first_line("  Type 2 Diabetes\nmellitus", 200.0);
        assert_eq!(line, "Type 2 Diabetes");
        assert_eq!(first_line("Type 2 Diabetes", 60.0), "Type 2…");
        assert_eq!(first_line("漢字漢字", 36.0), "漢字…");
        assert_eq!(first_line("a\u{202e}b\u{0}c", 60.0), "abc");
        assert_eq!(tooltip("a\tb\r\nc\u{200b}d", 10), "a b\n\ncd");
        assert_eq!(tooltip("abcdef", 3), "abc…");
    }

    #[test]
    fn letters_are_drawn_beside_each_other() {
        let mut columns: Vec<i32> = Vec::new();
        draw("a漢 i\u{301}…", false, &mut |x, _| columns.push(x));
        columns.sort_unstable();
        let within = |from: i32, to: i32| columns.iter().any(|x| (from..to).contains(x));
        assert!(within(0, 7) && within(7, 19) && within(26, 33) && within(33, 40));
        assert!(!within(19, 26) && !within(40, i32::MAX));
    }
}
