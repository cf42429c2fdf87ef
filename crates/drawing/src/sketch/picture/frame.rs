//! Geometry of a picture: positions and sizes of marks, scaled to the picture, and the rows of the legend.

use super::palette::TypeColour;
use super::{Options, mark_size};
use crate::scene::LINE;
use crate::scene::text::{self, LETTER};
use crate::sketch::layout::fitting_scale;
use crate::sketch::subject::Subject;

/// Free space around the picture.
pub(super) const MARGIN: f64 = 20.0;
/// Distance of the rows of the legend.
pub(super) const ROW: f64 = LINE + 6.0;
/// Maximum width of the name of a type in the legend.
pub(super) const NAME: f64 = 30.0 * LETTER;
/// Reach of a loop beyond its mark.
pub(in crate::sketch) const LOOP: f64 = 34.0;
/// Share of the marks that must not overlap others after scaling.
const FREE: f64 = 0.95;
/// Minimum scale of marks.
const SMALLEST: f64 = 0.2;
/// Maximum distance of the nearest marks, as a multiple of the distance that they need.
const LOOSE: f64 = 5.0;

/// Geometry of a picture.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) size: [u32; 2],
    /// Centre of each mark, and its width and height.
    pub(super) positions: Vec<[f64; 2]>,
    pub(super) marks: Vec<[f64; 2]>,
    /// Scale of marks: 1, or less where there is little room.
    pub(super) zoom: f64,
    /// Upper left and lower right corner of the area between the title and the legend.
    pub(super) inside: [[f64; 2]; 2],
    /// Upper left corner of each entry of the legend.
    pub(super) legend: Vec<[f64; 2]>,
}

impl Frame {
    /// Scales finite positions to the picture.
    pub(super) fn new(
        subject: &Subject<'_>,
        positions: &[[f64; 2]],
        options: &Options,
        kinds: &[TypeColour],
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
        // The outermost marks need space for labels.
        let beside = if subject.has_loops() {
            LOOP
        } else {
            LINE + 6.0
        };
        let inset = [half(0) + beside, half(1) + beside];
        let spread = Extent::new(positions);
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
        let mut found = spread.scaled(positions, extent);
        let tight = fitting_scale(&found, &marks, 3.0, FREE);
        // Few nodes do not fill all of the picture.
        let factor = if positions.len() > 1 {
            (tight * LOOSE).min(1.0)
        } else {
            1.0
        };
        for position in &mut found {
            *position = [0, 1].map(|axis| position[axis] * factor + middle[axis]);
        }
        let zoom = (factor / tight).clamp(SMALLEST, 1.0);
        Frame {
            size: size.map(|side| side as u32),
            marks: marks
                .into_iter()
                .map(|size| size.map(|side| side * zoom))
                .collect(),
            positions: found,
            zoom,
            inside,
            legend,
        }
    }
}

/// Bounding box of positions, divided by 2, so that it is finite for all finite positions.
struct Extent {
    middle: [f64; 2],
    half: [f64; 2],
}

impl Extent {
    fn new(positions: &[[f64; 2]]) -> Extent {
        let side = |axis: usize| {
            let parts = positions.iter().map(|position| position[axis] / 2.0);
            let low = parts.clone().fold(f64::INFINITY, f64::min);
            let high = parts.fold(f64::NEG_INFINITY, f64::max);
            if low <= high {
                [low + high, high - low]
            } else {
                [0.0; 2]
            }
        };
        let sides = [side(0), side(1)];
        Extent {
            middle: sides.map(|side| side[0]),
            half: sides.map(|side| side[1]),
        }
    }

    /// Size at which a pixel is a unit of the positions, within limits for a screen.
    fn natural(&self, inset: [f64; 2], kinds: &[TypeColour]) -> [f64; 2] {
        const LEAST: [f64; 2] = [640.0, 400.0];
        const MOST: [f64; 2] = [1_800.0, 1_350.0];
        let size = [0, 1].map(|axis| 2.0 * self.half[axis].min(1e6) + 2.0 * (inset[axis] + MARGIN));
        // A picture that is too large keeps its aspect ratio.
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

    /// Positions around the origin, scaled to an extent.
    fn scaled(&self, positions: &[[f64; 2]], extent: [f64; 2]) -> Vec<[f64; 2]> {
        let share = |axis: usize| self.half[axis] / (extent[axis] / 2.0);
        let largest = share(0).max(share(1));
        let part = |position: &[f64; 2], axis: usize| {
            if largest > 0.0 {
                (position[axis] / 2.0 - self.middle[axis] / 2.0) / largest * 2.0
            } else {
                0.0
            }
        };
        positions
            .iter()
            .map(|position| [part(position, 0), part(position, 1)])
            .collect()
    }
}

/// Upper left corners of the entries of the legend, in rows at the lower side; entries that would need more than a third of the
/// height are left out.
fn legend(kinds: &[TypeColour], size: [f64; 2]) -> Vec<[f64; 2]> {
    let mut corners: Vec<[f64; 2]> = Vec::new();
    let (mut left, mut top) = (MARGIN, 0.0);
    for kind in kinds {
        let width = text::width(&entry(kind)) + 40.0;
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

/// Text of an entry of the legend: the name of a type and the number of its vertices.
pub(super) fn entry(kind: &TypeColour) -> String {
    let name = text::first_line(&kind.name, NAME);
    if name.is_ascii() {
        format!("{name} {}", kind.count)
    } else {
        // Isolated, so that the number does not move into a name that is written from right to left.
        format!("\u{2068}{name}\u{2069} {}", kind.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extreme_positions_fit() {
        for positions in [
            vec![[f64::MAX, f64::MIN], [f64::MIN, 0.0], [0.0, f64::MAX]],
            vec![[f64::MIN_POSITIVE, 0.0], [0.0, 0.0]],
            vec![[3.0, 4.0]; 3],
            vec![],
        ] {
            let found = Extent::new(&positions).scaled(&positions, [300.0, 200.0]);
            let inside = |at: &[f64; 2]| at[0].abs() <= 150.1 && at[1].abs() <= 100.1;
            assert!(found.iter().all(inside), "{found:?}");
        }
    }
}
