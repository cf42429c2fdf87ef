//! Lettering: texts in images, shaped and anti-aliased.
//!
//! Latin, Greek, Cyrillic, Arabic, Hebrew, Devanagari, kana, Hangul, frequent Chinese characters and emoji have a font in the
//! program, so that they look alike on every machine; other characters are drawn with the fonts that the system has. A
//! character of no font is a box with its code point.

mod code_box;
mod fonts;
mod typesetter;

use typesetter::typeset;

use crate::image::Image;

/// Width of a Latin letter, as a share of the font size: the font is monospaced.
pub const LETTER_WIDTH: f64 = 1233.0 / 2048.0;

/// Maximum number of characters of a text that are drawn: joined letters take time in the square of their number.
const MAX_CHARS: usize = 4_000;

/// Size and weight of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lettering {
    /// Font size in pixels; texts of a size that is not between 0 and 1000 have no width and are not drawn.
    pub size: f64,
    /// True for bold letters.
    pub bold: bool,
}

impl Lettering {
    /// Returns larger letters of the same weight.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Lettering {
            size: self.size * factor,
            ..self
        }
    }

    /// True if the size is one that is drawn.
    fn is_visible(self) -> bool {
        self.size > 0.0 && self.size <= 1000.0
    }

    /// Returns the width of a line of text in pixels; of a long text, that of its first 4 000 characters, which are drawn.
    pub fn width(self, text: &str) -> f64 {
        if !self.is_visible() {
            return 0.0;
        }
        let text = beginning(text);
        if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            return text.len() as f64 * LETTER_WIDTH * self.size;
        }
        typeset(text, |typesetter, pieces| {
            let widths = pieces.iter().map(|piece| typesetter.width(piece, self));
            widths.sum()
        })
    }

    /// Draws a line of text, whose baseline begins at a position in pixels. What is far outside the image is not drawn.
    pub fn draw(self, image: &mut Image, text: &str, at: [f64; 2], colour: [u8; 3]) {
        // Beyond, a number of 32 bits has no fractions of pixels.
        if !self.is_visible() || !at.iter().all(|part| part.abs() < 1e6) {
            return;
        }
        typeset(beginning(text), |typesetter, pieces| {
            let mut left = at[0];
            for piece in pieces {
                left += typesetter.draw(piece, self, image, [left, at[1]], colour);
            }
        });
    }
}

/// The first characters of a text.
fn beginning(text: &str) -> &str {
    let end = text.char_indices().nth(MAX_CHARS);
    end.map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Lettering = Lettering {
        size: 12.0,
        bold: false,
    };

    /// Pixels of a text in black on white, and its width.
    fn drawn(text: &str, lettering: Lettering) -> (Image, f64) {
        let width = lettering.width(text);
        let size = [width + 2.0 * lettering.size, 3.0 * lettering.size].map(|side| side as usize);
        let mut image = Image::new(size[0].max(1), size[1], [255; 3]);
        lettering.draw(
            &mut image,
            text,
            [lettering.size, 2.0 * lettering.size],
            [0; 3],
        );
        (image, width)
    }

    /// Sum of the ink of an image.
    fn ink(image: &Image) -> u64 {
        let pixels = image.pixels().iter();
        pixels.map(|[red, _, _]| u64::from(255 - red)).sum()
    }

    #[test]
    fn scripts_of_the_program_have_letters() {
        for text in [
            "Größe",
            "Việt",
            "Žižek",
            "Ωμέγα",
            "Москва",
            "漢字",
            "东西",
            "かな",
            "ガス",
            "한국어",
            "العربية",
            "עברית",
            "हिन्दी",
            "🧬",
            "→",
            "Ⅳ",
            "∀x∈ℝ",
        ] {
            assert!(typesetter::in_program(text), "{text}");
            for bold in [false, true] {
                let lettering = Lettering { bold, ..SMALL };
                let (image, width) = drawn(text, lettering);
                assert!(width > 6.0 && ink(&image) > 500, "{text}: {width}");
                let nothing = drawn(&"\u{10ffff}".repeat(text.chars().count()), lettering);
                assert_ne!(image, nothing.0, "{text}");
            }
        }
    }

    #[test]
    fn letters_join_and_marks_stand_over_letters() {
        // Joined and alone, the letters of Arabic differ; in Devanagari a vowel goes before its consonant.
        for (text, parts) in [
            ("ببب", vec!["ب", "ب", "ب"]),
            ("कि", vec!["क", "ि"]),
            ("क्ष", vec!["क", "्", "ष"]),
        ] {
            let apart: f64 = parts.iter().map(|part| SMALL.width(part)).sum();
            assert!(SMALL.width(text) < apart - 0.5, "{text}: {apart}");
        }
        // A composed letter and one with a mark look alike.
        let (one, other) = (drawn("Việt", SMALL), drawn("Vie\u{323}\u{302}t", SMALL));
        assert!((one.1 - other.1).abs() < 1e-9);
        assert!(ink(&one.0).abs_diff(ink(&other.0)) < ink(&one.0) / 20);
    }

    #[test]
    fn texts_from_right_to_left_are() {
        // The letter that comes second is on the left, where it stands alone.
        let (both, alone) = (drawn("אש", SMALL).0, drawn("ש", SMALL));
        let columns = (SMALL.size + 0.8 * alone.1) as usize;
        let left = |image: &Image| -> Vec<[u8; 3]> {
            let rows = image.pixels().chunks(image.width());
            rows.flat_map(|row| row[..columns].to_vec()).collect()
        };
        assert_eq!(left(&both), left(&alone.0));
        assert_ne!(left(&drawn("שא", SMALL).0), left(&alone.0));
    }

    #[test]
    fn widths_are_those_of_the_letters() {
        for (text, letters) in [
            ("", 0),
            ("TP53?", 5),
            ("Größe", 5),
            ("Žižek Ωμέγα Москва", 18),
        ] {
            let expected = f64::from(letters) * LETTER_WIDTH * 12.0;
            assert!((SMALL.width(text) - expected).abs() < 1e-3, "{text}");
        }
        for text in ["Größe", "漢字", "العربية", "\u{10ffff}"] {
            let large = Lettering {
                size: 36.0,
                ..SMALL
            };
            let ratio = large.width(text) / SMALL.width(text);
            assert!((ratio - 3.0).abs() < 1e-5, "{text}: {ratio}");
        }
        assert!((SMALL.width("漢字") - 24.0).abs() < 1e-3);
        let long = [9_000, MAX_CHARS].map(|count| SMALL.width(&"ä".repeat(count)));
        assert!((long[0] - long[1]).abs() < 1e-9, "{long:?}");
        for size in [0.0, -1.0, 1e6, f64::NAN] {
            let lettering = Lettering { size, ..SMALL };
            let mut image = Image::new(9, 9, [255; 3]);
            lettering.draw(&mut image, "aä漢\u{10ffff}", [1.0, 8.0], [0; 3]);
            assert_eq!((lettering.width("aä"), ink(&image)), (0.0, 0), "{size}");
        }
    }

    #[test]
    fn controls_are_not_drawn_and_joiners_do_their_work() {
        for text in [
            "a\u{1c}א",
            "א\u{1c}a",
            "x\u{1d}y",
            "a\0b",
            "a\u{7f}b\u{85}c",
        ] {
            let plain: String = text
                .chars()
                .filter(|c| c.is_whitespace() || !c.is_control())
                .collect();
            assert_eq!(
                drawn(text, SMALL),
                drawn(&plain.replace('\u{85}', " "), SMALL),
                "{text:?}"
            );
        }
        // A break between letters that would join.
        assert!(drawn("می\u{200c}خواهم", SMALL) != drawn("میخواهم", SMALL));
    }

    #[test]
    fn boxes_are_where_their_characters_are() {
        let has_box_on_left = |text: &str| {
            let (image, _) = drawn(text, SMALL);
            let alone = drawn("\u{10ffff}", SMALL).0;
            let columns = (2.0 * SMALL.size) as usize - 4;
            let left = |image: &Image| -> Vec<[u8; 3]> {
                let rows = image.pixels().chunks(image.width());
                rows.flat_map(|row| row[..columns].to_vec()).collect()
            };
            left(&image) == left(&alone)
        };
        assert!(has_box_on_left("\u{10ffff}ab") && !has_box_on_left("ab\u{10ffff}"));
        assert!(has_box_on_left("אב\u{10ffff}") && !has_box_on_left("\u{10ffff}אב"));
    }

    #[test]
    fn pixels_are_within_the_width_and_the_line() {
        for text in [
            "Ågjpq|",
            "漢字",
            "한국어",
            "العربية",
            "हिन्दी",
            "\u{10ffff}\u{e000}",
            "Wj🧬",
        ] {
            for size in [6.0, 12.0, 12.5, 40.0] {
                let lettering = Lettering { size, bold: true };
                let (image, width) = drawn(text, lettering);
                for (at, pixel) in image.pixels().iter().enumerate() {
                    let [x, y] = [at % image.width(), at / image.width()].map(|at| at as f64);
                    let is_near = (0.7 * size - 1.0..=size * 1.3 + width + 1.0).contains(&x)
                        && (0.7 * size - 1.0..=2.5 * size + 1.0).contains(&y);
                    assert!(is_near || *pixel == [255; 3], "{text} {size}: {x} {y}");
                }
            }
        }
    }
}
