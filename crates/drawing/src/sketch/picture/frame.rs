//! Where everything is in the picture, and how large.

use super::kinds::Kind;
use super::letters::{self, LETTER, LINE};
use super::{Options, mark_size};
use crate::sketch::layout::room;
use crate::sketch::subject::Subject;

/// What is around everything.
pub(super) const MARGIN: f64 = 20.0;
/// From one line of the legend to the next.
pub(super) const ROW: f64 = LINE + 6.0;
/// The widest name of a type in the legend.
pub(super) const NAME: f64 = 30.0 * LETTER;
/// How far a loop reaches beyond a mark.
pub(in crate::sketch) const LOOP: f64 = 34.0;
/// The share of marks that are as small as it takes not to overlap.
const FREE: f64 = 0.95;
/// How small marks are at least, beside where there is room.
const SMALLEST: f64 = 0.2;
/// How many times farther apart than they must be the nearest marks are at most.
const LOOSE: f64 = 5.0;

/// Where everything is.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) size: [u32; 2],
    /// The middle of each mark, and its width and height.
    pub(super) places: Vec<[f64; 2]>,
    pub(super) marks: Vec<[f64; 2]>,
    /// How large marks are, beside where there is room: 1 or less.
    pub(super) zoom: f64,
    /// The upper left and lower right corner of what is between the title and the legend.
    pub(super) inside: [[f64; 2]; 2],
    /// The upper left corner of each entry of the legend.
    pub(super) legend: Vec<[f64; 2]>,
}

impl Frame {
    /// Puts places, which are finite, into the picture.
    pub(super) fn new(
        subject: &Subject<'_>,
        places: &[[f64; 2]],
        options: &Options,
        kinds: &[Kind],
    ) -> Frame {
        let vertices = subject.vertices().iter().enumerate();
        let marks: Vec<[f64; 2]> = vertices
            .map(|(vertex, own)| mark_size(options.marks, own.label(), subject.degree(vertex)))
            .collect();
        let half = |axis: usize| {
            marks
                .iter()
                .fold(0.0, |most: f64, size| most.max(size[axis]))
                / 2.0
        };
        // Beside the outermost marks there is room for labels.
        let beside = if subject.has_loops() {
            LOOP
        } else {
            LINE + 6.0
        };
        let inset = [half(0) + beside, half(1) + beside];
        let spread = Spread::of(places);
        let size = options.size.map(|size| size.map(f64::from));
        let size = size.unwrap_or_else(|| spread.natural(inset, kinds));
        let legend = legend(kinds, size);
        let rows = legend
            .last()
            .map_or(0.0, |last| last[1] - legend[0][1] + ROW);
        let inside = [
            [MARGIN, MARGIN + LINE + 10.0],
            [size[0] - MARGIN, size[1] - MARGIN - rows - 4.0],
        ];
        let extent =
            [0, 1].map(|axis| (inside[1][axis] - inside[0][axis] - 2.0 * inset[axis]).max(1.0));
        let middle = [0, 1].map(|axis| f64::midpoint(inside[0][axis], inside[1][axis]));
        let mut found = spread.scaled(places, extent);
        let tight = room(&found, &marks, 3.0, FREE);
        // Few nodes are not drawn as far apart as there is room.
        let factor = if places.len() > 1 {
            (tight * LOOSE).min(1.0)
        } else {
            1.0
        };
        for place in &mut found {
            *place = [0, 1].map(|axis| place[axis] * factor + middle[axis]);
        }
        let zoom = (factor / tight).clamp(SMALLEST, 1.0);
        Frame {
            size: size.map(|side| side as u32),
            marks: marks
                .into_iter()
                .map(|size| size.map(|side| side * zoom))
                .collect(),
            places: found,
            zoom,
            inside,
            legend,
        }
    }
}

/// What places cover, in halves, which are finite whatever the places are.
struct Spread {
    middle: [f64; 2],
    half: [f64; 2],
}

impl Spread {
    fn of(places: &[[f64; 2]]) -> Spread {
        let side = |axis: usize| {
            let parts = places.iter().map(|place| place[axis] / 2.0);
            let low = parts.clone().fold(f64::INFINITY, f64::min);
            let high = parts.fold(f64::NEG_INFINITY, f64::max);
            if low <= high {
                [low + high, high - low]
            } else {
                [0.0; 2]
            }
        };
        let sides = [side(0), side(1)];
        Spread {
            middle: sides.map(|side| side[0]),
            half: sides.map(|side| side[1]),
        }
    }

    /// The size at which a pixel is as long as a unit, within what is seen well.
    fn natural(&self, inset: [f64; 2], kinds: &[Kind]) -> [f64; 2] {
        const LEAST: [f64; 2] = [640.0, 400.0];
        const MOST: [f64; 2] = [1_800.0, 1_350.0];
        let size = [0, 1].map(|axis| 2.0 * self.half[axis].min(1e6) + 2.0 * (inset[axis] + MARGIN));
        // Too large ones keep their form.
        let shrunk = (MOST[0] / size[0]).min(MOST[1] / size[1]).min(1.0);
        let size = [0, 1].map(|axis| (size[axis] * shrunk).clamp(LEAST[axis], MOST[axis]));
        let below = match &legend(kinds, size)[..] {
            [first, .., last] => last[1] - first[1],
            [_] | [] => 0.0,
        };
        [
            size[0].round(),
            (size[1] + LINE + 10.0 + below + ROW).round(),
        ]
    }

    /// The places around 0, as large as can be.
    fn scaled(&self, places: &[[f64; 2]], extent: [f64; 2]) -> Vec<[f64; 2]> {
        let share = |axis: usize| self.half[axis] / (extent[axis] / 2.0);
        let largest = share(0).max(share(1));
        let part = |place: &[f64; 2], axis: usize| {
            if largest > 0.0 {
                (place[axis] / 2.0 - self.middle[axis] / 2.0) / largest * 2.0
            } else {
                0.0
            }
        };
        places
            .iter()
            .map(|place| [part(place, 0), part(place, 1)])
            .collect()
    }
}

/// Where the entries of the legend begin, in rows at the lower side; those that would take more than a third of the height
/// have no place.
fn legend(kinds: &[Kind], size: [f64; 2]) -> Vec<[f64; 2]> {
    let mut corners: Vec<[f64; 2]> = Vec::new();
    let (mut left, mut top) = (MARGIN, 0.0);
    for kind in kinds {
        let width = letters::width(&entry(kind)) + 40.0;
        if left > MARGIN && left + width - 22.0 > size[0] - MARGIN {
            (left, top) = (MARGIN, top + ROW);
        }
        if top + ROW > size[1] / 3.0 {
            top -= ROW;
            break;
        }
        corners.push([left, top]);
        left += width;
    }
    let first = size[1] - MARGIN - LINE - top;
    corners
        .iter()
        .map(|corner| [corner[0], corner[1] + first])
        .collect()
}

/// What is written of a type: its name and how many have it.
pub(super) fn entry(kind: &Kind) -> String {
    format!("{} {}", letters::fitted(&kind.name, NAME), kind.count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_places_there_are_fit() {
        for places in [
            vec![[f64::MAX, f64::MIN], [f64::MIN, 0.0], [0.0, f64::MAX]],
            vec![[f64::MIN_POSITIVE, 0.0], [0.0, 0.0]],
            vec![[3.0, 4.0]; 3],
            vec![],
        ] {
            let found = Spread::of(&places).scaled(&places, [300.0, 200.0]);
            assert!(
                found
                    .iter()
                    .all(|at| at[0].abs() <= 150.1 && at[1].abs() <= 100.1),
                "{found:?}"
            );
        }
    }
}
