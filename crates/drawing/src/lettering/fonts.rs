//! Fonts of the program, and those of the system.

use std::sync::Arc;

use cosmic_text::FontSystem;
use cosmic_text::fontdb::{Database, FaceInfo, Source, Style, Weight};
use fibula_nodes::names::is_invisible;

/// The family that is tried first.
pub(super) const FAMILY: &str = "DejaVu Sans Mono";

/// Files of the fonts, in the order in which they are tried; `fonts/subset.py` has made them.
const REGULAR: [&[u8]; 6] = [
    include_bytes!("../../fonts/DejaVuSansMono.ttf"),
    include_bytes!("../../fonts/DejaVuSans.ttf"),
    include_bytes!("../../fonts/NotoSansDevanagari.ttf"),
    include_bytes!("../../fonts/NotoSansSC.ttf"),
    include_bytes!("../../fonts/NotoSansKR.ttf"),
    include_bytes!("../../fonts/NotoEmoji.ttf"),
];
const BOLD: &[u8] = include_bytes!("../../fonts/DejaVuSansMono-Bold.ttf");

/// True for characters that are drawn, if at all, without a font.
pub(super) fn needs_no_glyph(c: char) -> bool {
    is_invisible(c) || c.is_whitespace()
}

/// Loads the fonts of the program.
pub(super) fn of_program() -> FontSystem {
    font_system(&Database::new())
}

/// Loads the fonts of the program, and those of the system after them.
pub(super) fn of_system() -> FontSystem {
    /// Families that claim to have all characters.
    const PLACEHOLDERS: [&str; 3] = [".LastResort", "Last Resort", "Adobe Blank"];
    let mut database = Database::new();
    database.load_system_fonts();
    let is_placeholder = |face: &FaceInfo| {
        let mut families = face.families.iter();
        families.any(|(name, _)| PLACEHOLDERS.iter().any(|own| name.starts_with(own)))
    };
    let others = database.faces().filter(|face| {
        face.weight != Weight::NORMAL || face.style != Style::Normal || is_placeholder(face)
    });
    let others: Vec<_> = others.map(|face| face.id).collect();
    for id in others {
        database.remove_face(id);
    }
    font_system(&database)
}

/// Loads the fonts of the program, before others that are regular.
fn font_system(others: &Database) -> FontSystem {
    let mut database = Database::new();
    for file in REGULAR {
        database.load_font_source(Source::Binary(Arc::new(file)));
    }
    for face in others.faces() {
        database.push_face_info(face.clone());
    }
    // A bold text is drawn with bold fonts only. So the regular ones, except for the first, stand for them, too, and bold
    // letters are as wide as regular ones.
    let regular: Vec<_> = database.faces().cloned().collect();
    for mut face in regular.into_iter().skip(1) {
        face.weight = Weight::BOLD;
        database.push_face_info(face);
    }
    database.load_font_source(Source::Binary(Arc::new(BOLD)));
    // The locale selects among the fonts of the system for Chinese characters.
    FontSystem::new_with_locale_and_db("en".to_owned(), database)
}
