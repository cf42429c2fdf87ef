//! Label placement: each label goes to the first of its candidate positions that is free, the most important label first, or is
//! left out.
//!
//! This is the greedy method for point features (J. Christensen, J. Marks, S. Shieber, "An Empirical Study of Algorithms for
//! Point-Feature Label Placement", 1995). A grid of cells holds the occupied boxes, so that a test visits
//! only nearby ones.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::scene::bezier::{self, Cubic};
use crate::scene::text::{self, LETTER};
use crate::scene::{Colour, LINE, Shape};

/// Side of a cell.
const CELL: f64 = 48.0;
/// Side of a cell of lines.
const LINE_CELL: f64 = LINE / 4.0;

/// A box: its upper left and lower right corner.
pub(super) type Box2 = [[f64; 2]; 2];

/// Occupied boxes of a picture.
#[derive(Clone)]
pub(super) struct OccupancyGrid {
    inside: Box2,
    boxes: Vec<Box2>,
    cells: FxHashMap<[i32; 2], Vec<u32>>,
    /// Cells of the side [`LINE_CELL`] that lines run through, which labels avoid where they can.
    lines: FxHashSet<[i32; 2]>,
}

/// A text that is placed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Label {
    pub(super) at: [f64; 2],
    pub(super) text: String,
    pub(super) width: f64,
}

impl Label {
    pub(super) fn bounds(&self) -> Box2 {
        let [x, y] = self.at;
        [self.at, [x + self.width, y + LINE]]
    }

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
            lines: FxHashSet::default(),
        }
    }

    /// Rows and columns of the cells of a side that a box meets.
    fn cells([low, high]: Box2, side: f64) -> impl Iterator<Item = [i32; 2]> {
        let range = move |axis: usize| {
            (low[axis] / side).floor() as i32..=(high[axis] / side).floor() as i32
        };
        range(1).flat_map(move |row| range(0).map(move |column| [row, column]))
    }

    /// Labels avoid these curves where they can.
    pub(super) fn avoid(&mut self, curve: &Cubic) {
        let cell = |at: [f64; 2]| at.map(|part| (part / LINE_CELL).floor() as i32);
        self.lines
            .extend(points(curve, LINE_CELL / 2.0).map(|[x, y]| cell([y, x])));
    }

    pub(super) fn occupy(&mut self, own: Box2) {
        let number = self.boxes.len() as u32;
        for cell in OccupancyGrid::cells(own, CELL) {
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
        let mut near = OccupancyGrid::cells(own, CELL)
            .filter_map(|cell| self.cells.get(&cell))
            .flatten();
        is_inside && !near.any(|&number| meets(&self.boxes[number as usize]))
    }

    /// Places a text at the first free one of its candidate corners, which depend on its width, if possible one where no
    /// line runs. The widths are tried in turn; the text is truncated to them.
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
            let label_box =
                |at: &[f64; 2]| [[at[0] - 2.0, at[1]], [at[0] + width + 2.0, at[1] + LINE]];
            let mut free = corners(width);
            free.retain(|at| self.is_free(label_box(at)));
            let is_clear = |at: &&[f64; 2]| {
                OccupancyGrid::cells(label_box(at), LINE_CELL)
                    .all(|cell| !self.lines.contains(&cell))
            };
            if let Some(&at) = free.iter().find(is_clear).or(free.first()) {
                self.occupy(label_box(&at));
                return Some(Label { at, text, width });
            }
            before = Some(text);
        }
        None
    }

    /// Places a text at its corner, if that is free.
    pub(super) fn place_at(&mut self, label: Label) -> Option<Label> {
        let own = label.bounds();
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

    /// A label over the middle of its mark, whatever is there: moved into the picture, and truncated to it.
    pub(super) fn place_over(&self, text: &str, place: [f64; 2]) -> Option<Label> {
        let [low, high] = self.inside;
        let text = text::first_line(text, (high[0] - low[0]).min(18.0 * LETTER));
        let width = text::width(&text);
        let size = [width, LINE];
        let at = [0, 1].map(|axis| {
            let last = (high[axis] - size[axis]).max(low[axis]);
            (place[axis] - size[axis] / 2.0).clamp(low[axis], last)
        });
        (!text.is_empty()).then_some(Label { at, text, width })
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

/// What edges go around: marks and labels, each of a vertex.
pub(super) struct Obstacles {
    grid: OccupancyGrid,
    owners: Vec<usize>,
}

impl Obstacles {
    pub(super) fn new(inside: Box2) -> Obstacles {
        Obstacles {
            grid: OccupancyGrid::new(inside),
            owners: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, vertex: usize, own: Box2) {
        self.grid.occupy(own);
        self.owners.push(vertex);
    }

    /// Number of boxes that a curve crosses, but for those of its ends; `None` if it leaves the picture.
    pub(super) fn crossed(&self, curve: &Cubic, ends: [usize; 2]) -> Option<usize> {
        let mut crossed: Vec<u32> = Vec::new();
        for at in points(curve, 5.0) {
            let is_within =
                |own: &Box2| (0..2).all(|axis| (own[0][axis]..=own[1][axis]).contains(&at[axis]));
            if !is_within(&self.grid.inside) {
                return None;
            }
            let cells = OccupancyGrid::cells([at, at], CELL);
            let near = cells
                .filter_map(|cell| self.grid.cells.get(&cell))
                .flatten();
            crossed.extend(near.filter(|&&number| {
                let number = number as usize;
                !ends.contains(&self.owners[number]) && is_within(&self.grid.boxes[number])
            }));
        }
        crossed.sort_unstable();
        crossed.dedup();
        Some(crossed.len())
    }
}

/// Points of a curve, about `step` apart.
fn points(curve: &Cubic, step: f64) -> impl Iterator<Item = [f64; 2]> {
    let steps = (bezier::polygon_length(curve) / step)
        .ceil()
        .clamp(4.0, 2_000.0) as u32;
    (0..=steps).map(move |at| bezier::point(curve, f64::from(at) / f64::from(steps)))
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
        // Where a line runs there is none, as long as there is another place.
        let mut occupied = OccupancyGrid::new([[0.0; 2], [200.0, 100.0]]);
        occupied.occupy([[90.0, 40.0], [110.0, 60.0]]);
        let below = [[100.0, 60.0], [100.0, 70.0], [100.0, 80.0], [100.0, 99.0]];
        occupied.avoid(&below);
        let label = occupied.place_beside("TP53 gene", place, [20.0; 2]);
        assert!(label.unwrap().at[1] < 50.0);
        // At the edge there is room for a truncated label only.
        let mut occupied = OccupancyGrid::new([[0.0; 2], [110.0, 40.0]]);
        let label =
            occupied.place_beside("Non-insulin-dependent diabetes", [55.0, 20.0], [10.0; 2]);
        assert_eq!(label.unwrap().text, "Non-insuli…");
    }
}
