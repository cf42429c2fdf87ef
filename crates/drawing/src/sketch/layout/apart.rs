//! Nodes that overlap are pushed off each other, as little as it takes.
//!
//! Pairs that overlap are found by a grid and moved apart along the axis on which less is needed, in rounds; where many are
//! in a crowd, everything is drawn out a bit now and then. The few rounds' work that may remain in hopeless cases is done
//! by one sweep that moves nodes only to the right, which always succeeds (constraints as in T. Dwyer, K. Marriott, P.
//! Stuckey, "Fast Node Overlap Removal", 2005, satisfied greedily). A round takes a sort of the nodes.

use fibula_knowledge::progress::{Cancelled, Progress};

use super::{asked, direction};

/// How often pairs are looked for before the sweep.
const ROUNDS: usize = 120;
/// After how many rounds everything is drawn out.
const PATIENCE: usize = 12;
const DRAWN: f64 = 1.08;
/// Looks at so many others of a cell, so that a crowd at one place takes no longer than others.
const CROWD: usize = 500;
/// What is added so that rounding leaves no overlap.
const SLACK: f64 = 1e-6;

/// Moves boxes, given by middles and sizes, until between any two at least `gap` is free along an axis.
pub(super) fn push(
    places: &mut [[f64; 2]],
    sizes: &[[f64; 2]],
    gap: f64,
    progress: &Progress<'_>,
) -> Result<(), Cancelled> {
    let sizes: Vec<[f64; 2]> = sizes
        .iter()
        .map(|size| size.map(|side| side + gap))
        .collect();
    for round in 0..ROUNDS {
        asked(progress)?;
        if round > 0 && round % PATIENCE == 0 {
            places.iter_mut().flatten().for_each(|part| *part *= DRAWN);
        }
        if !pushed(places, &sizes) {
            return Ok(());
        }
    }
    sweep(places, &sizes);
    Ok(())
}

/// Moves every pair that overlaps; whether there was one.
fn pushed(places: &mut [[f64; 2]], sizes: &[[f64; 2]]) -> bool {
    let grid = Grid::new(places, sizes);
    let mut is_moved = false;
    for cell in grid.entries.chunk_by(|one, other| one.0 == other.0) {
        for (at, &(_, one)) in cell.iter().enumerate() {
            let after = &cell[at + 1..];
            for &(_, other) in after.iter().take(CROWD) {
                is_moved |= part(places, sizes, one as usize, other as usize);
            }
            // Those that were not looked at may overlap.
            is_moved |= after.len() > CROWD;
        }
    }
    is_moved
}

/// Moves two boxes off each other, if they overlap.
fn part(places: &mut [[f64; 2]], sizes: &[[f64; 2]], one: usize, other: usize) -> bool {
    let away = [0, 1].map(|axis| places[other][axis] - places[one][axis]);
    let over =
        [0, 1].map(|axis| f64::midpoint(sizes[one][axis], sizes[other][axis]) - away[axis].abs());
    if over[0] <= SLACK / 2.0 || over[1] <= SLACK / 2.0 {
        return false;
    }
    let axis = usize::from(over[1] < over[0]);
    let side = if away[axis] == 0.0 {
        direction(one + other)[axis]
    } else {
        away[axis]
    };
    let step = f64::midpoint(over[axis], SLACK);
    places[one][axis] -= step.copysign(side);
    places[other][axis] += step.copysign(side);
    true
}

/// Which boxes are in which cells, sorted.
struct Grid {
    entries: Vec<([i32; 2], u32)>,
}

impl Grid {
    /// A box is in few cells, and a cell has few boxes unless they overlap.
    fn new(places: &[[f64; 2]], sizes: &[[f64; 2]]) -> Grid {
        let longest = sizes.iter().flatten().copied().fold(0.0, f64::max);
        let sum: f64 = sizes.iter().map(|size| size[0].max(size[1])).sum();
        let [low, high] = super::pack::bounds(places.iter().copied().zip(sizes.iter().copied()));
        let extent = (high[0] - low[0]).max(high[1] - low[1]);
        // Numbers of cells stay far below what fits.
        let cell = (sum / places.len().max(1) as f64)
            .max(longest / 64.0)
            .max(extent / 1e6)
            .max(1e-9);
        let mut entries = Vec::with_capacity(places.len() * 3);
        for (index, (place, size)) in places.iter().zip(sizes).enumerate() {
            let range = |axis: usize| {
                let at = |part: f64| ((part - low[axis]) / cell).floor() as i32;
                at(place[axis] - size[axis] / 2.0)..=at(place[axis] + size[axis] / 2.0)
            };
            for row in range(1) {
                for column in range(0) {
                    entries.push(([row, column], index as u32));
                }
            }
        }
        entries.sort_unstable();
        Grid { entries }
    }
}

/// Moves boxes to the right until none overlaps one that was farther left.
fn sweep(places: &mut [[f64; 2]], sizes: &[[f64; 2]]) {
    let span = |index: usize| {
        let (middle, half) = (places[index][1], sizes[index][1] / 2.0);
        [middle - half, middle + half]
    };
    let spans: Vec<[f64; 2]> = (0..places.len()).map(span).collect();
    let mut heights: Vec<f64> = spans.iter().flatten().copied().collect();
    heights.sort_by(f64::total_cmp);
    heights.dedup();
    let rank = |height: f64| heights.partition_point(|other| *other < height);
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&one, &other| {
        places[one][0]
            .total_cmp(&places[other][0])
            .then(one.cmp(&other))
    });
    let mut taken = Taken::new(heights.len());
    for index in order {
        let [above, below] = spans[index].map(rank);
        // A box without height has a place, too.
        let rows = [above, below.max(above + 1)];
        let half = sizes[index][0] / 2.0;
        places[index][0] = places[index][0].max(taken.most(rows) + half);
        // In proportion to the number, so that it is more than its rounding.
        let right = places[index][0] + half;
        taken.raise(rows, right + SLACK.max(right.abs() * 1e-12));
    }
}

/// How far to the right each row is taken: a tree over ranges of rows, whose leaves are the rows.
struct Taken {
    leaves: usize,
    /// What was taken of all rows of a range at once, and the most that was taken of any of them.
    whole: Vec<f64>,
    most: Vec<f64>,
}

impl Taken {
    fn new(rows: usize) -> Taken {
        let leaves = rows.max(1).next_power_of_two();
        Taken {
            leaves,
            whole: vec![f64::NEG_INFINITY; 2 * leaves],
            most: vec![f64::NEG_INFINITY; 2 * leaves],
        }
    }

    /// The ranges that rows consist of.
    fn ranges(&self, [first, end]: [usize; 2]) -> Vec<usize> {
        let (mut low, mut high) = (first + self.leaves, end + self.leaves);
        let mut ranges = Vec::new();
        while low < high {
            if low % 2 == 1 {
                ranges.push(low);
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                ranges.push(high);
            }
            (low, high) = (low / 2, high / 2);
        }
        ranges
    }

    fn raise(&mut self, rows: [usize; 2], to: f64) {
        for mut range in self.ranges(rows) {
            self.whole[range] = self.whole[range].max(to);
            while range > 0 {
                self.most[range] = self.most[range].max(to);
                range /= 2;
            }
        }
    }

    fn most(&self, rows: [usize; 2]) -> f64 {
        let mut most = f64::NEG_INFINITY;
        for mut range in self.ranges(rows) {
            most = most.max(self.most[range]);
            while range > 1 {
                range /= 2;
                most = most.max(self.whole[range]);
            }
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;

    /// How many pairs overlap.
    fn overlaps(places: &[[f64; 2]], sizes: &[[f64; 2]]) -> usize {
        let pair = |one: usize, other: usize| {
            (0..2).all(|axis| {
                let away = (places[one][axis] - places[other][axis]).abs();
                f64::midpoint(sizes[one][axis], sizes[other][axis]) - away > 1e-9
            })
        };
        let count = places.len();
        (0..count)
            .map(|one| (one + 1..count).filter(|&other| pair(one, other)).count())
            .sum()
    }

    #[test]
    fn the_sweep_leaves_no_overlap() {
        for count in [1, 2, 30, 300] {
            let sizes: Vec<[f64; 2]> = (0..count)
                .map(|n| [f64::from(n % 7), f64::from(n % 5)])
                .collect();
            let mut places: Vec<[f64; 2]> = (0..count)
                .map(|n| [f64::from(n % 3), f64::from(n % 4)])
                .collect();
            sweep(&mut places, &sizes);
            assert_eq!(overlaps(&places, &sizes), 0);
        }
    }

    #[test]
    fn a_crowd_at_one_place_is_parted() {
        let sizes = vec![[20.0, 8.0]; 2_500];
        let mut places = vec![[7.0, -3.0]; 2_500];
        let watch = |_, _| ControlFlow::Continue(());
        push(&mut places, &sizes, 2.0, &Progress::new(1, &watch)).unwrap();
        assert_eq!(overlaps(&places, &sizes), 0);
    }

    #[test]
    fn nodes_that_are_free_stay() {
        let mut places = vec![[0.0, 0.0], [30.0, 0.0], [31.0, 100.0], [35.0, 100.0]];
        let sizes = vec![[10.0; 2]; 4];
        let watch = |_, _| ControlFlow::Continue(());
        push(&mut places, &sizes, 2.0, &Progress::new(1, &watch)).unwrap();
        assert_eq!(places[..2], [[0.0, 0.0], [30.0, 0.0]]);
        let apart = places[3][0] - places[2][0];
        assert!((12.0..12.1).contains(&apart), "{apart}");
        assert!((places[2][0] + places[3][0] - 66.0).abs() < 1e-9);
    }
}
