//! Shaping and drawing of texts with the crate cosmic-text.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use cosmic_text::{
    Attrs, Buffer, CacheKeyFlags, Color, Family, FontSystem, LayoutRun, Metrics, Shaping,
    SwashCache, Weight, Wrap,
};
use rustc_hash::FxHashMap;

use super::{Lettering, code_box, fonts};
use crate::image::Image;

/// Number of pixels of glyphs that are kept, estimated as if all had the size of the text that is drawn.
const MAX_GLYPH_PIXELS: f64 = 16e6;
/// Height of a [code box](code_box) as a share of the font size, and of what is below the baseline.
const BOX_HEIGHT: f64 = 1.2;
const BOX_DEPTH: f64 = 0.26;

/// With the fonts of the program, so that a text looks alike everywhere.
static OF_PROGRAM: LazyLock<Mutex<Typesetter>> =
    LazyLock::new(|| Mutex::new(Typesetter::new(fonts::of_program())));
/// With those of the system, too.
static OF_SYSTEM: LazyLock<Mutex<Typesetter>> =
    LazyLock::new(|| Mutex::new(Typesetter::new(fonts::of_system())));

/// A part of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    /// Characters that fonts have.
    Text(String),
    /// A character of no font.
    Code(char),
}

/// Fonts, and what has been made of them.
pub(super) struct Typesetter {
    fonts: FontSystem,
    glyphs: SwashCache,
    line: Buffer,
    /// Characters that were looked up, and whether a font has them.
    found: FxHashMap<char, bool>,
}

/// Splits a text into pieces, and passes them to `work` with the fonts for them.
pub(super) fn typeset<T>(text: &str, work: impl FnOnce(&mut Typesetter, &[Piece]) -> T) -> T {
    let typesetter = if in_program(text) {
        &OF_PROGRAM
    } else {
        &OF_SYSTEM
    };
    let mut typesetter = locked(typesetter);
    let pieces = typesetter.pieces(text);
    work(&mut typesetter, &pieces)
}

/// True if the fonts of the program have all characters of a text.
pub(super) fn in_program(text: &str) -> bool {
    let mut typesetter = locked(&OF_PROGRAM);
    text.chars().all(|c| typesetter.has(c))
}

fn locked(typesetter: &Mutex<Typesetter>) -> MutexGuard<'_, Typesetter> {
    typesetter.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Typesetter {
    fn new(fonts: FontSystem) -> Self {
        let mut line = Buffer::new_empty(Metrics::new(1.0, 1.0));
        line.set_wrap(Wrap::None);
        Typesetter {
            fonts,
            glyphs: SwashCache::new(),
            line,
            found: FxHashMap::default(),
        }
    }

    /// Pieces of a text, from left to right.
    fn pieces(&mut self, text: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for c in text.chars() {
            // A line break or a tab would begin another line or column.
            let c = if c.is_whitespace() { ' ' } else { c };
            match pieces.last_mut() {
                _ if c.is_control() => {}
                _ if !self.has(c) => pieces.push(Piece::Code(c)),
                Some(Piece::Text(text)) => text.push(c),
                Some(Piece::Code(_)) | None => pieces.push(Piece::Text(c.to_string())),
            }
        }
        if is_from_right(text) {
            pieces.reverse();
        }
        pieces
    }

    /// True if a font has a character.
    fn has(&mut self, c: char) -> bool {
        if fonts::needs_no_glyph(c) {
            return true;
        }
        if let Some(&found) = self.found.get(&c) {
            return found;
        }
        let faces: Vec<_> = self
            .fonts
            .db()
            .faces()
            .map(|face| (face.id, face.weight))
            .collect();
        let found = faces.into_iter().any(|(id, weight)| {
            let font = self.fonts.get_font(id, weight);
            font.is_some_and(|font| font.as_swash().charmap().map(c) != 0)
        });
        self.found.insert(c, found);
        found
    }

    /// Width of a piece in pixels.
    pub(super) fn width(&mut self, piece: &Piece, lettering: Lettering) -> f64 {
        match piece {
            Piece::Code(c) => f64::from(code_box::width(*c)) * box_pixel(lettering),
            Piece::Text(text) => self
                .shape(text, lettering)
                .map_or(0.0, |run| f64::from(run.line_w)),
        }
    }

    /// Draws a piece, whose baseline begins at a position; returns its width.
    pub(super) fn draw(
        &mut self,
        piece: &Piece,
        lettering: Lettering,
        image: &mut Image,
        at: [f64; 2],
        colour: [u8; 3],
    ) -> f64 {
        let text = match piece {
            Piece::Text(text) => text,
            Piece::Code(c) => {
                draw_box(*c, lettering, image, at, colour);
                return self.width(piece, lettering);
            }
        };
        let Some(run) = self.shape(text, lettering) else {
            return 0.0;
        };
        let width = f64::from(run.line_w);
        let offset = at.map(|part| part as f32);
        let glyphs: Vec<_> = run
            .glyphs
            .iter()
            .map(|glyph| glyph.physical((offset[0], offset[1]), 1.0))
            .collect();
        let [red, green, blue] = colour;
        for glyph in glyphs {
            let kept = self.glyphs.image_cache.len() as f64;
            if kept * lettering.size * lettering.size > MAX_GLYPH_PIXELS {
                self.glyphs.image_cache.clear();
            }
            let colour = Color::rgb(red, green, blue);
            self.glyphs
                .with_pixels(&mut self.fonts, glyph.cache_key, colour, |x, y, colour| {
                    let [red, green, blue, alpha] = colour.as_rgba();
                    let (x, y) = (
                        i64::from(glyph.x) + i64::from(x),
                        i64::from(glyph.y) + i64::from(y),
                    );
                    image.blend(x, y, [red, green, blue], f64::from(alpha) / 255.0);
                });
        }
        width
    }

    /// Lays a text out in one line.
    fn shape(&mut self, text: &str, lettering: Lettering) -> Option<LayoutRun<'_>> {
        let size = lettering.size as f32;
        let weight = if lettering.bold {
            Weight::BOLD
        } else {
            Weight::NORMAL
        };
        let attributes = Attrs::new()
            .family(Family::Name(fonts::FAMILY))
            .weight(weight)
            // Positions are not rounded, so that a width is proportional to the font size.
            .cache_key_flags(CacheKeyFlags::DISABLE_HINTING);
        self.line.set_metrics(Metrics::new(size, size));
        self.line
            .set_text(text, &attributes, Shaping::Advanced, None);
        self.line.shape_until_scroll(&mut self.fonts, false);
        self.line.layout_runs().next()
    }
}

/// True if the first letter of a text is of a script that is written from right to left.
fn is_from_right(text: &str) -> bool {
    let first = text.chars().find(|c| c.is_alphabetic());
    first.is_some_and(
        |c| matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}'),
    )
}

/// Side of a pixel of a box.
fn box_pixel(lettering: Lettering) -> f64 {
    lettering.size * BOX_HEIGHT / f64::from(code_box::HEIGHT)
}

fn draw_box(
    c: char,
    lettering: Lettering,
    image: &mut Image,
    [left, base]: [f64; 2],
    colour: [u8; 3],
) {
    let side = box_pixel(lettering);
    let top = base - (BOX_HEIGHT - BOX_DEPTH) * lettering.size;
    code_box::draw(c, &mut |x, y| {
        let corner = [left + side * f64::from(x), top + side * f64::from(y)];
        image.plate(corner, [side; 2], [0.0; 2], colour, None);
    });
}
