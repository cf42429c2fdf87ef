//! The types of what is drawn, and their colours.

use std::collections::BTreeMap;

use super::Theme;
use super::scene::{Colour, between};
use crate::sketch::subject::Subject;

/// Colours that are told apart by those who see few of them, too (M. Okabe, K. Ito, "Color Universal Design", 2008).
const COLOURS: [Colour; 7] = [
    [0, 114, 178],
    [230, 159, 0],
    [0, 158, 115],
    [204, 121, 167],
    [86, 180, 233],
    [213, 94, 0],
    [240, 228, 66],
];
/// What has none of them.
const OTHER: Colour = [140, 146, 156];
/// The most types that look different: each colour is filled, then a ring.
const MOST: usize = 2 * COLOURS.len();

/// The colours of a picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inks {
    pub(super) ground: Colour,
    pub(super) ink: Colour,
    /// What matters less.
    pub(super) pale: Colour,
    pub(super) edge: Colour,
    /// What stands out.
    pub(super) accent: Colour,
}

impl Inks {
    pub(super) fn of(theme: Theme) -> Inks {
        match theme {
            Theme::Light => Inks {
                ground: [255; 3],
                ink: [38, 42, 50],
                pale: [104, 110, 122],
                edge: [152, 160, 175],
                accent: [190, 20, 40],
            },
            Theme::Dark => Inks {
                ground: [22, 24, 30],
                ink: [232, 234, 240],
                pale: [160, 167, 180],
                edge: [98, 106, 122],
                accent: [255, 110, 120],
            },
        }
    }
}

/// A type, or all those that have no colour of their own.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Kind {
    pub(super) name: String,
    pub(super) count: usize,
    pub(super) colour: Colour,
    /// Whether only a ring has the colour.
    pub(super) is_ring: bool,
}

impl Kind {
    /// The colours inside and around.
    pub(super) fn colours(&self, inks: &Inks) -> [Colour; 2] {
        if self.is_ring {
            [between(inks.ground, self.colour, 0.12), self.colour]
        } else {
            [self.colour, between(self.colour, inks.ink, 0.25)]
        }
    }
}

/// The types, by name, and which one each vertex has. Whatever their case types are the same, named as the first one is.
pub(super) fn kinds(subject: &Subject<'_>) -> (Vec<Kind>, Vec<usize>) {
    let folded: Vec<String> = subject
        .vertices()
        .iter()
        .map(|vertex| vertex.ty().to_lowercase())
        .collect();
    let mut counts: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for (ty, vertex) in folded.iter().zip(subject.vertices()) {
        counts.entry(ty).or_insert((0, vertex.ty())).0 += 1;
    }
    // If there are too many, those that few vertices have are one.
    let mut common: Vec<(&str, usize)> = counts
        .iter()
        .map(|(ty, (count, _))| (*ty, *count))
        .collect();
    common.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let rest = common.split_off(MOST.min(common.len()));
    common.sort_unstable();
    let mut kinds: Vec<Kind> = common
        .iter()
        .enumerate()
        .map(|(number, &(ty, count))| Kind {
            name: counts[ty].1.to_owned(),
            count,
            colour: COLOURS[number % COLOURS.len()],
            is_ring: number >= COLOURS.len(),
        })
        .collect();
    if !rest.is_empty() {
        kinds.push(Kind {
            name: format!("{} other types", rest.len()),
            count: rest.iter().map(|entry| entry.1).sum(),
            colour: OTHER,
            is_ring: false,
        });
    }
    let number = |ty: &String| common.binary_search_by_key(&ty.as_str(), |entry| entry.0);
    let of = folded.iter().map(|ty| number(ty).unwrap_or(common.len()));
    let of = of.collect();
    (kinds, of)
}
