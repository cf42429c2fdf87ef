//! Room for labels: each is put where it covers nothing, the most important one first, or left out.
//!
//! The greedy method for labels of points (J. Christensen, J. Marks, S. Shieber, "An Empirical Study of Algorithms for
//! Point-Feature Label Placement", 1995). What is taken is kept by cells, so that a try looks only at what is near.

use rustc_hash::FxHashMap;

use super::letters::{self, LETTER, LINE};

/// The sides of the cells.
const CELL: f64 = 48.0;

/// A box by its upper left and lower right corner.
pub(super) type Box2 = [[f64; 2]; 2];

/// What is taken, in a picture.
pub(super) struct Taken {
    inside: Box2,
    boxes: Vec<Box2>,
    cells: FxHashMap<[i32; 2], Vec<u32>>,
}

/// A text and its upper left corner.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Label {
    pub(super) at: [f64; 2],
    pub(super) text: String,
    pub(super) width: f64,
}

impl Taken {
    /// Nothing, but labels have to be inside.
    pub(super) fn new(inside: Box2) -> Taken {
        Taken {
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

    pub(super) fn take(&mut self, own: Box2) {
        let number = self.boxes.len() as u32;
        for cell in Taken::cells(own) {
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
        let mut near = Taken::cells(own)
            .filter_map(|cell| self.cells.get(&cell))
            .flatten();
        is_inside && !near.any(|&number| meets(&self.boxes[number as usize]))
    }

    /// Takes room for a text at the first of some corners, given its width, where there is some; shorter if it must be.
    fn put(
        &mut self,
        text: &str,
        widths: &[f64],
        corners: &dyn Fn(f64) -> Vec<[f64; 2]>,
    ) -> Option<Label> {
        let mut before = None;
        for &widest in widths {
            let text = letters::fitted(text, widest);
            if text.is_empty() || before.as_ref() == Some(&text) {
                continue;
            }
            let width = letters::width(&text);
            for at in corners(width) {
                let own = [[at[0] - 2.0, at[1]], [at[0] + width + 2.0, at[1] + LINE]];
                if self.is_free(own) {
                    self.take(own);
                    return Some(Label { at, text, width });
                }
            }
            before = Some(text);
        }
        None
    }

    /// Takes room for a text where it is, if there is some.
    pub(super) fn put_at(&mut self, label: Label) -> Option<Label> {
        let [x, y] = label.at;
        let own = [label.at, [x + label.width, y + LINE]];
        self.is_free(own).then(|| {
            self.take(own);
            label
        })
    }

    /// Beside a mark.
    pub(super) fn put_beside(
        &mut self,
        text: &str,
        place: [f64; 2],
        size: [f64; 2],
    ) -> Option<Label> {
        const WIDTHS: [f64; 3] = [28.0 * LETTER, 18.0 * LETTER, 11.0 * LETTER];
        let [x, y] = place;
        let half = size.map(|side| side / 2.0);
        self.put(text, &WIDTHS, &|width| {
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

    /// On the way of an edge, around one of some points.
    pub(super) fn put_on(&mut self, text: &str, points: &[[f64; 2]], widest: f64) -> Option<Label> {
        if letters::width(&letters::fitted(text, 22.0 * LETTER)) > widest {
            return None;
        }
        self.put(text, &[22.0 * LETTER], &|width| {
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
    fn labels_keep_off_what_is_taken() {
        let mut taken = Taken::new([[0.0; 2], [200.0, 100.0]]);
        let place = [100.0, 50.0];
        taken.take([[90.0, 40.0], [110.0, 60.0]]);
        let mut found = Vec::new();
        while let Some(label) = taken.put_beside("TP53 gene", place, [20.0; 2]) {
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
        // There is room for none at the edge, or for a short one.
        let mut taken = Taken::new([[0.0; 2], [110.0, 40.0]]);
        let label = taken.put_beside("Non-insulin-dependent diabetes", [55.0, 20.0], [10.0; 2]);
        assert_eq!(label.unwrap().text, "Non-insuli…");
    }
}
