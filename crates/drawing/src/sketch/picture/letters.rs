//! Texts: how wide they are, how they are shortened, and their pixels.
//!
//! An SVG leaves letters to who shows it, and only says how wide texts are here. For images, `glyphs` has each letter.

use fibula_nodes::names::{is_invisible, visible};

use super::glyphs::forms;
pub(super) use super::glyphs::{LETTER, LINE};

/// How wide a text is.
pub(super) fn width(text: &str) -> f64 {
    forms(text).map(|(_, form)| f64::from(form.width())).sum()
}

/// A text of one line of which nothing is invisible, no wider than this; what does not fit is an ellipsis.
pub(super) fn fitted(text: &str, widest: f64) -> String {
    /// Longer than what is drawn of any text.
    const LONGEST: usize = 300;
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    let whole = visible(line, LONGEST);
    if width(&whole) <= widest {
        return whole;
    }
    let mut free = widest - width("…");
    let mut kept = String::new();
    for (c, form) in forms(&whole) {
        free -= f64::from(form.width());
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

/// All of a text that is shown beside the pointer: as many lines as it has, none of it invisible.
pub(super) fn shown(text: &str, most: usize) -> String {
    let lines = text.split(['\n', '\r']).map(|line| line.replace('\t', " "));
    let seen: Vec<String> = lines
        .map(|line| line.chars().filter(|&c| !is_invisible(c)).collect())
        .collect();
    let whole = seen.join("\n");
    match whole.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole,
    }
}

/// Tells every pixel of a text, counted from its upper left corner.
pub(super) fn draw(text: &str, is_bold: bool, pixel: &mut dyn FnMut(i32, i32)) {
    let mut left = 0;
    for (_, form) in forms(text) {
        form.draw(is_bold, &mut |x, y| pixel(left + x, y));
        left += form.width();
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
            assert!(
                (width(text) - expected).abs() < 1e-9,
                "{text}: {}",
                width(text)
            );
        }
        assert_eq!(
            fitted("  Type 2 Diabetes\nmellitus", 200.0),
            "Type 2 Diabetes"
        );
        assert_eq!(fitted("Type 2 Diabetes", 60.0), "Type 2…");
        assert_eq!(fitted("漢字漢字", 36.0), "漢字…");
        assert_eq!(fitted("a\u{202e}b\u{0}c", 60.0), "abc");
        assert_eq!(shown("a\tb\r\nc\u{200b}d", 10), "a b\n\ncd");
        assert_eq!(shown("abcdef", 3), "abc…");
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
