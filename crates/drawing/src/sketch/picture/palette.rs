//! Colours of a picture, and the assignment of colours to types.

use std::collections::BTreeMap;

use super::Theme;
use crate::scene::{Colour, blend};
use crate::sketch::subject::Subject;

/// A palette for the colour-blind (M. Okabe, K. Ito, "Color Universal Design", 2008).
const COLOURS: [Colour; 7] = [
    [0, 114, 178],
    [230, 159, 0],
    [0, 158, 115],
    [204, 121, 167],
    [86, 180, 233],
    [213, 94, 0],
    [240, 228, 66],
];
/// Colour of the types that have none of these.
const OTHER: Colour = [140, 146, 156];
/// Maximum number of types with a look of their own: each colour is that of a filled mark and of a ring.
const MAX_TYPES: usize = 2 * COLOURS.len();

/// Colours of a picture but for those of types.
#[derive(Debug, Clone, Copy)]
pub(super) struct Palette {
    pub(super) background: Colour,
    /// Colour of texts.
    pub(super) ink: Colour,
    /// Colour of secondary texts.
    pub(super) secondary: Colour,
    pub(super) edge: Colour,
    /// Colour of highlights.
    pub(super) accent: Colour,
}

impl Palette {
    pub(super) fn new(theme: Theme) -> Palette {
        match theme {
            Theme::Light => Palette {
                background: [255; 3],
                ink: [38, 42, 50],
                secondary: [104, 110, 122],
                edge: [152, 160, 175],
                accent: [190, 20, 40],
            },
            Theme::Dark => Palette {
                background: [22, 24, 30],
                ink: [232, 234, 240],
                secondary: [160, 167, 180],
                edge: [98, 106, 122],
                accent: [255, 110, 120],
            },
        }
    }
}

/// Colour of a type, or of all those without a colour of their own.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TypeColour {
    pub(super) name: String,
    pub(super) count: usize,
    pub(super) colour: Colour,
    /// True if only a ring has the colour.
    pub(super) is_ring: bool,
}

impl TypeColour {
    /// Colours of the inside and of the outline.
    pub(super) fn colours(&self, palette: &Palette) -> [Colour; 2] {
        if self.is_ring {
            [blend(palette.background, self.colour, 0.12), self.colour]
        } else {
            [self.colour, blend(self.colour, palette.ink, 0.25)]
        }
    }
}

/// Assigns colours to types, sorted by name; returns them and the index of each vertex's. Types that differ only in case are one
/// type, named like the first.
pub(super) fn assign_colours(subject: &Subject<'_>) -> (Vec<TypeColour>, Vec<usize>) {
    let folded: Vec<String> = subject
        .vertices()
        .iter()
        .map(|vertex| vertex.ty().to_lowercase())
        .collect();
    let mut counts: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for (ty, vertex) in folded.iter().zip(subject.vertices()) {
        counts.entry(ty).or_insert((0, vertex.ty())).0 += 1;
    }
    // If there are too many types, the rarest share one colour.
    let mut common: Vec<(&str, usize)> = counts
        .iter()
        .map(|(ty, (count, _))| (*ty, *count))
        .collect();
    common.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let rest = common.split_off(MAX_TYPES.min(common.len()));
    common.sort_unstable();
    let mut colours: Vec<TypeColour> = common
        .iter()
        .enumerate()
        .map(|(number, &(ty, count))| TypeColour {
            name: counts[ty].1.to_owned(),
            count,
            colour: COLOURS[number % COLOURS.len()],
            is_ring: number >= COLOURS.len(),
        })
        .collect();
    if !rest.is_empty() {
        colours.push(TypeColour {
            name: format!("{} other types", rest.len()),
            count: rest.iter().map(|entry| entry.1).sum(),
            colour: OTHER,
            is_ring: false,
        });
    }
    let number = |ty: &String| common.binary_search_by_key(&ty.as_str(), |entry| entry.0);
    let indices = folded.iter().map(|ty| number(ty).unwrap_or(common.len()));
    let indices = indices.collect();
    (colours, indices)
}
