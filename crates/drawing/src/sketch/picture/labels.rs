//! Label placement: each label goes to the first of its candidate positions that is free, the most important label first, or is
//! left out.
//!
//! This is the greedy method for point features (J. Christensen, J. Marks, S. Shieber, "An Empirical Study of Algorithms for
//! Point-Feature Label Placement", 1995). A grid of cells holds the occupied boxes, so that a test visits
//! only nearby ones.

use rustc_hash::FxHashMap;

use crate::scene::text::{self, LETTER};
use crate::scene::{Colour, LINE, Shape};

/// Side of a cell.
const CELL: f64 = 48.0;

/// A box: its upper left and lower right corner.
pub(super) type Box2 = [[f64; 2]; 2];

/// Occupied boxes of a picture.
pub(super) struct OccupancyGrid {
    inside: Box2,
    boxes: Vec<Box2>,
    cells: FxHashMap<[i32; 2], Vec<u32>>,
}

/// A text that is placed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Label {
    pub(super) at: [f64; 2],
    pub(super) text: String,
    pub(super) width: f64,
}

impl Label {
    pub(super) fn shape(self, bold: bool, colour: Colour, halo: Option<Colour>) -> Shape {
        let Label { at, text, width } = self;
        Shape::Text {
            at,
            text,
            width,
            bold,
            colour,
            halo,
        }
    }
}

impl OccupancyGrid {
    /// Creates an empty grid, for labels within a box.
    pub(super) fn new(inside: Box2) -> OccupancyGrid {
        OccupancyGrid {
            inside,
            boxes: Vec::new(),
            cells: FxHashMap::default(),
        }
    }

    fn cells([low, high]: Box2) -> impl Iterator<Item = [i32; 2]> {
        let range = move |axis: usize| {
            (low[axis] / CELL).floor() as i32..=(high[axis] / CELL).floor() as i32
        };
        range(1).flat_map(move |row| range(0).map(move |column| [row, column]))
    }

    pub(super) fn occupy(&mut self, own: Box2) {
        let number = self.boxes.len() as u32;
        for cell in OccupancyGrid::cells(own) {
            self.cells.entry(cell).or_default().push(number);
        }
        self.boxes.push(own);
    }

    fn is_free(&self, own: Box2) -> bool {
        let is_inside = (0..2).all(|axis| {
            own[0][axis] >= self.inside[0][axis] && own[1][axis] <= self.inside[1][axis]
        });
        let meets = |other: &Box2| {
            (0..2).all(|axis| own[0][axis] < other[1][axis] && other[0][axis] < own[1][axis])
        };
        let mut near = OccupancyGrid::cells(own)
            .filter_map(|cell| self.cells.get(&cell))
            .flatten();
        is_inside && !near.any(|&number| meets(&self.boxes[number as usize]))
    }

    /// Places a text at the first free one of its candidate corners, which depend on its width. The widths are tried in turn; the
    /// text is truncated to them.
    fn place(
        &mut self,
        text: &str,
        widths: &[f64],
        corners: &dyn Fn(f64) -> Vec<[f64; 2]>,
    ) -> Option<Label> {
        let mut before = None;
        for &widest in widths {
            let text = text::first_line(text, widest);
            if text.is_empty() || before.as_ref() == Some(&text) {
                continue;
            }
            let width = text::width(&text);
            for at in corners(width) {
                let own = [[at[0] - 2.0, at[1]], [at[0] + width + 2.0, at[1] + LINE]];
                if self.is_free(own) {
                    self.occupy(own);
                    return Some(Label { at, text, width });
                }
            }
            before = Some(text);
        }
        None
    }

    /// Places a text at its corner, if that is free.
    pub(super) fn place_at(&mut self, label: Label) -> Option<Label> {
        let [x, y] = label.at;
        let own = [label.at, [x + label.width, y + LINE]];
        self.is_free(own).then(|| {
            self.occupy(own);
            label
        })
    }

    /// Places a label beside a mark.
    pub(super) fn place_beside(
        &mut self,
        text: &str,
        place: [f64; 2],
        size: [f64; 2],
    ) -> Option<Label> {
        const WIDTHS: [f64; 3] = [28.0 * LETTER, 18.0 * LETTER, 11.0 * LETTER];
        let [x, y] = place;
        let half = size.map(|side| side / 2.0);
        self.place(text, &WIDTHS, &|width| {
            let (left, right) = (x - half[0] - width - 4.0, x + half[0] + 4.0);
            let (above, below) = (y - half[1] - LINE - 1.0, y + half[1] + 1.0);
            vec![
                [x - width / 2.0, below],
                [x - width / 2.0, above],
                [right, y - LINE / 2.0],
                [left, y - LINE / 2.0],
                [right - 4.0, below - 5.0],
                [right - 4.0, above + 5.0],
                [left + 4.0, below - 5.0],
                [left + 4.0, above + 5.0],
            ]
        })
    }

    /// Places a label on an edge, centred at one of some points.
    pub(super) fn place_on(
        &mut self,
        text: &str,
        points: &[[f64; 2]],
        max_width: f64,
    ) -> Option<Label> {
        if text::width(&text::first_line(text, 22.0 * LETTER)) > max_width {
            return None;
        }
        self.place(text, &[22.0 * LETTER], &|width| {
            points
                .iter()
                .map(|at| [at[0] - width / 2.0, at[1] - LINE / 2.0])
                .collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_avoid_occupied_boxes() {
        let mut occupied = OccupancyGrid::new([[0.0; 2], [200.0, 100.0]]);
        let place = [100.0, 50.0];
        occupied.occupy([[90.0, 40.0], [110.0, 60.0]]);
        let mut found = Vec::new();
        while let Some(label) = occupied.place_beside("TP53 gene", place, [20.0; 2]) {
            found.push(label);
        }
        assert!((4..=8).contains(&found.len()), "{found:?}");
        for (number, one) in found.iter().enumerate() {
            for other in &found[number + 1..] {
                let is_free = (one.at[0] - other.at[0]).abs() >= 63.0
                    || (one.at[1] - other.at[1]).abs() >= LINE;
                assert!(is_free, "{one:?} {other:?}");
            }
        }
        // At the edge there is room for a truncated label only.
        let mut occupied = OccupancyGrid::new([[0.0; 2], [110.0, 40.0]]);
        let label =
            occupied.place_beside("Non-insulin-dependent diabetes", [55.0, 20.0], [10.0; 2]);
        assert_eq!(label.unwrap().text, "Non-insuli…");
    }
}
