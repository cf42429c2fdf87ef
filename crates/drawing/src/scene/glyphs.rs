//! Pixels of letters, so that no font of the system is needed.
//!
//! Letters of European scripts are 7 x 14 pixels, from the bitmap fonts of embedded-graphics, one for each part of ISO 8859;
//! so is katakana, as half-width glyphs. Letters and marks are composed first (Unicode NFC); a mark that composes nothing is
//! left out. A letter of no font is a box with its code point in it, so that it is mistaken for no other and can be looked
//! up. Boxes are in the order of the text, from the left in every script.

use std::sync::LazyLock;

use embedded_graphics::Drawable as _;
use embedded_graphics::Pixel;
use embedded_graphics::draw_target::DrawTarget;
use embedded_graphics::geometry::{OriginDimensions, Point, Size};
use embedded_graphics::mono_font::mapping::{self, StrGlyphMapping};
use embedded_graphics::mono_font::{
    MonoFont, MonoTextStyle, iso_8859_1, iso_8859_2, iso_8859_3, iso_8859_4, iso_8859_5,
    iso_8859_7, iso_8859_9, iso_8859_10, iso_8859_13, iso_8859_14, iso_8859_15, iso_8859_16,
    jis_x0201,
};
use embedded_graphics::pixelcolor::BinaryColor;
use embedded_graphics::text::{Baseline, Text};
use fibula_nodes::names::is_invisible;
use rustc_hash::FxHashMap;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Width of most letters.
pub(crate) const LETTER: f64 = 7.0;
/// Height of a line of text.
pub const LINE: f64 = 14.0;

/// The characters of a font, and the font, regular and bold.
type Font = (StrGlyphMapping<'static>, [&'static MonoFont<'static>; 2]);

macro_rules! font {
    ($letters:ident $module:ident $plain:ident $bold:ident) => {
        (mapping::$letters, [&$module::$plain, &$module::$bold])
    };
}

const FONTS: [Font; 13] = [
    font!(ISO_8859_1 iso_8859_1 FONT_7X14 FONT_7X14_BOLD),
    font!(ISO_8859_2 iso_8859_2 FONT_7X14 FONT_7X14_BOLD),
    font!(ISO_8859_3 iso_8859_3 FONT_7X14 FONT_7X14_BOLD),
    font!(ISO_8859_4 iso_8859_4 FONT_7X14 FONT_7X14_BOLD),
    font!(ISO_8859_5 iso_8859_5 FONT_7X14 FONT_7X14_BOLD),
    font!(ISO_8859_7 iso_8859_7 FONT_7X14 FONT_7X14_BOLD),
    font!(ISO_8859_9 iso_8859_9 FONT_7X14 FONT_7X14_BOLD),
    font!(ISO_8859_10 iso_8859_10 FONT_7X14 FONT_7X14_BOLD),
    font!(ISO_8859_13 iso_8859_13 FONT_7X14 FONT_7X14_BOLD),
    font!(ISO_8859_14 iso_8859_14 FONT_7X14 FONT_7X14_BOLD),
    font!(ISO_8859_15 iso_8859_15 FONT_7X14 FONT_7X14_BOLD),
    font!(ISO_8859_16 iso_8859_16 FONT_7X14 FONT_7X14_BOLD),
    // Katakana has no bold font.
    font!(JIS_X0201 jis_x0201 FONT_7X14 FONT_7X14),
];

/// Characters that no font has, and characters of the same look and meaning.
const SUBSTITUTES: [(char, char); 9] = [
    ('\u{2010}', '-'),
    ('\u{2011}', '-'),
    ('\u{2012}', '-'),
    ('\u{2013}', '-'),
    ('\u{2014}', '\u{2015}'),
    ('\u{2022}', '·'),
    ('\u{2032}', '\''),
    ('\u{2033}', '"'),
    ('\u{2212}', '-'),
];

/// Characters that fonts claim to have, and draw as a question mark.
const MISSING: [char; 3] = ['\u{3a2}', '\u{3cf}', '\u{ff60}'];

/// Font of a letter, by its index, and the characters that are drawn in it.
static LETTERS: LazyLock<FxHashMap<char, (usize, String)>> = LazyLock::new(letters);

fn letters() -> FxHashMap<char, (usize, String)> {
    let mut letters = FxHashMap::default();
    for (number, (own, _)) in FONTS.iter().enumerate() {
        for c in own.chars().filter(|c| !MISSING.contains(c)) {
            letters.entry(c).or_insert_with(|| (number, c.to_string()));
        }
    }
    for (c, substitute) in SUBSTITUTES {
        letters.insert(c, letters[&substitute].clone());
    }
    // Full-width katakana is drawn as its half-width form, and other full-width letters as the usual ones.
    for narrow_or_wide in '\u{ff01}'..='\u{ff9f}' {
        let usual: String = narrow_or_wide.nfkc().collect();
        let Ok(usual) = usual.parse::<char>() else {
            continue;
        };
        if let Some(found) = letters.get(&narrow_or_wide).cloned() {
            letters.entry(usual).or_insert(found);
        } else if let Some(found) = letters.get(&usual).cloned() {
            letters.insert(narrow_or_wide, found);
        }
    }
    // A voiced syllable is two half-width letters.
    for voiced in '\u{30a1}'..='\u{30ff}' {
        let parts: Option<Vec<&(usize, String)>> = voiced.nfd().map(|c| letters.get(&c)).collect();
        if let Some([(number, syllable), (_, mark)]) = parts.as_deref() {
            let found = (*number, format!("{syllable}{mark}"));
            letters.insert(voiced, found);
        }
    }
    letters
}

/// The hexadecimal digits, 3 x 5 pixels: an octal digit for each row, a bit for each pixel of it.
const DIGITS: [u16; 16] = [
    0o75557, 0o26227, 0o71747, 0o71717, 0o55711, 0o74717, 0o74757, 0o71122, 0o75757, 0o75717,
    0o25755, 0o65656, 0o74447, 0o65556, 0o74647, 0o74644,
];

/// The drawn form of a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Glyph {
    /// These characters in the font with this index.
    Letters(usize, &'static str),
    /// Three dots.
    Ellipsis,
    /// A box with the code point in it.
    Code(u32),
    /// Nothing.
    Nothing,
}

/// Glyphs of the letters of a text, after composition.
pub(super) fn glyphs(text: &str) -> impl Iterator<Item = (char, Glyph)> {
    let mut follows_letter = false;
    text.nfc().map(move |c| {
        let glyph = Glyph::new(c, follows_letter);
        match glyph {
            Glyph::Letters(..) | Glyph::Ellipsis => follows_letter = true,
            Glyph::Code(_) => follows_letter = false,
            Glyph::Nothing => {}
        }
        (c, glyph)
    })
}

impl Glyph {
    fn new(c: char, follows_letter: bool) -> Glyph {
        if is_invisible(c) {
            return Glyph::Nothing;
        }
        if c == '…' {
            return Glyph::Ellipsis;
        }
        match LETTERS.get(&c) {
            Some((font, letters)) => Glyph::Letters(*font, letters),
            None if c.is_whitespace() => Glyph::Letters(0, " "),
            // No font has marks to put over letters.
            None if follows_letter && is_combining_mark(c) => Glyph::Nothing,
            None => Glyph::Code(u32::from(c)),
        }
    }

    pub(super) fn width(self) -> i32 {
        match self {
            Glyph::Letters(_, letters) => letters.chars().count() as i32 * LETTER as i32,
            Glyph::Ellipsis => LETTER as i32,
            Glyph::Code(code) => 4 * columns(code) + 4,
            Glyph::Nothing => 0,
        }
    }

    /// Calls `pixel` with every pixel, relative to the upper left corner.
    pub(super) fn draw(self, is_bold: bool, pixel: &mut dyn FnMut(i32, i32)) {
        match self {
            Glyph::Letters(font, letters) => {
                let (_, faces) = &FONTS[font];
                let style = MonoTextStyle::new(faces[usize::from(is_bold)], BinaryColor::On);
                let text = Text::with_baseline(letters, Point::zero(), style, Baseline::Top);
                // The error type has no value.
                let Ok(_) = text.draw(&mut PixelSink(pixel));
            }
            Glyph::Ellipsis => {
                for x in [1, 3, 5] {
                    for y in if is_bold { 9..11 } else { 10..11 } {
                        pixel(x, y);
                    }
                }
            }
            Glyph::Code(code) => draw_code(code, pixel),
            Glyph::Nothing => {}
        }
    }
}

/// Number of digits of a code point in each of two rows.
fn columns(code: u32) -> i32 {
    if code > 0xffff { 3 } else { 2 }
}

/// Draws a box 14 pixels high, of which only the corners and the sides are drawn, to leave room for the digits.
fn draw_code(code: u32, pixel: &mut dyn FnMut(i32, i32)) {
    let columns = columns(code);
    let right = 4 * columns + 2;
    for y in 0..14 {
        pixel(0, y);
        pixel(right, y);
    }
    for y in [0, 13] {
        pixel(1, y);
        pixel(right - 1, y);
    }
    for place in 0..2 * columns {
        let digit = code >> (4 * (2 * columns - 1 - place)) & 15;
        let (left, top) = (2 + place % columns * 4, 1 + place / columns * 7);
        for bit in (0..15).filter(|bit| DIGITS[digit as usize] >> (14 - bit) & 1 == 1) {
            pixel(left + bit % 3, top + bit / 3);
        }
    }
}

/// Target that passes the pixels of a letter on.
struct PixelSink<'a>(&'a mut dyn FnMut(i32, i32));

impl OriginDimensions for PixelSink<'_> {
    fn size(&self) -> Size {
        Size::new(2 * LETTER as u32, LINE as u32)
    }
}

impl DrawTarget for PixelSink<'_> {
    type Color = BinaryColor;
    type Error = std::convert::Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<BinaryColor>>>(
        &mut self,
        pixels: I,
    ) -> Result<(), Self::Error> {
        for Pixel(at, _) in pixels.into_iter().filter(|pixel| pixel.1.is_on()) {
            (self.0)(at.x, at.y);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels(glyph: Glyph, is_bold: bool) -> Vec<[i32; 2]> {
        let mut pixels = Vec::new();
        glyph.draw(is_bold, &mut |x, y| pixels.push([x, y]));
        pixels
    }

    #[test]
    fn every_letter_has_pixels_within_its_width() {
        let others = "…漢עع🧬\u{e000}\u{10ffff}".chars();
        for c in LETTERS.keys().copied().chain(others) {
            let glyph = Glyph::new(c, false);
            for is_bold in [false, true] {
                let drawn = pixels(glyph, is_bold);
                for &[x, y] in &drawn {
                    assert!((0..glyph.width()).contains(&x), "{c}: {x} {y}");
                    assert!((0..14).contains(&y), "{c}: {x} {y}");
                }
                let is_blank = c.is_whitespace() || is_invisible(c);
                assert_eq!(drawn.is_empty(), is_blank, "{c:?} {glyph:?}");
                let is_question_mark = matches!(c, '?' | '？');
                let is_missing = drawn == pixels(Glyph::Letters(0, "?"), is_bold);
                assert_eq!(is_missing, is_question_mark, "{c:?}");
            }
        }
    }

    #[test]
    fn a_letter_of_no_font_is_its_code_point() {
        let drawn = pixels(Glyph::Code(0x1f9ec), true);
        let mut rows = vec![vec!['.'; 15]; 14];
        for [x, y] in drawn {
            rows[y as usize][x as usize] = '#';
        }
        let rows: Vec<String> = rows.into_iter().map(String::from_iter).collect();
        assert_eq!(
            rows,
            [
                "##...........##",
                "#.###..#..###.#",
                "#.#.#.##..#...#",
                "#.#.#..#..##..#",
                "#.#.#..#..#...#",
                "#.###.###.#...#",
                "#.............#",
                "#.............#",
                "#.###.###.###.#",
                "#.#.#.#...#...#",
                "#.###.##..#...#",
                "#...#.#...#...#",
                "#.###.###.###.#",
                "##...........##",
            ]
        );
    }

    #[test]
    fn equivalent_texts_are_drawn_alike() {
        let drawn = |text: &str| {
            let mut left = 0;
            let mut all = Vec::new();
            for (_, glyph) in glyphs(text) {
                all.extend(pixels(glyph, false).iter().map(|[x, y]| [left + x, *y]));
                left += glyph.width();
            }
            (all, left)
        };
        for (one, other) in [
            ("Ärger", "A\u{308}rger"),
            ("йод", "и\u{306}од"),
            ("5 Ω, 3 Å", "5 \u{2126}, 3 \u{212b}"),
            ("Việt", "Vie\u{302}\u{323}t"),
            ("ガス", "カ\u{3099}ス"),
            ("ガス", "ｶﾞｽ"),
            ("ＴＰ５３（ヒト）", "TP53(ﾋﾄ)"),
            ("a\u{2009}b\u{3000}c", "a b c"),
            // Nothing is composed of these.
            ("x\u{301}\u{302}y", "xy"),
            ("a\u{200d}\u{7}\u{335}b", "ab"),
        ] {
            assert_eq!(drawn(one), drawn(other), "{one} {other}");
        }
        // A mark is seen where its letter is only a code point, or none.
        let seen: Vec<Glyph> = glyphs("\u{93f}हि").map(|(_, glyph)| glyph).collect();
        assert_eq!(seen, [0x93f, 0x939, 0x93f].map(Glyph::Code));
    }
}
