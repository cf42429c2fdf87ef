//! Node overlap removal: overlapping nodes are separated with small moves.
//!
//! A uniform grid finds overlapping pairs, and each pair is separated along the axis that needs the smaller move, in rounds;
//! from time to time the whole layout is enlarged, for the sake of dense regions. Overlaps that remain after the last round
//! are removed by a sweep that moves nodes only to the right, which always succeeds (separation constraints as in T. Dwyer,
//! K. Marriott, P. Stuckey, "Fast Node Overlap Removal", 2005, satisfied greedily). A round takes a sort of the nodes.

use fibula_knowledge::progress::{Cancelled, Progress};

use super::{direction, packing};

/// Number of rounds before the sweep.
const ROUNDS: usize = 120;
/// Number of rounds between enlargements of the layout, and their factor.
const ENLARGEMENT_ROUNDS: usize = 12;
const ENLARGEMENT: f64 = 1.08;
/// Maximum number of boxes of a cell with which a box is compared, which bounds the time for many boxes at one position.
const MAX_COMPARED: usize = 500;
/// Additional distance, so that rounding leaves no overlap.
const SLACK: f64 = 1e-6;

/// Moves boxes, given by centres and sizes, until any two have at least the distance `gap` along an axis.
pub(super) fn separate(
    positions: &mut [[f64; 2]],
    sizes: &[[f64; 2]],
    gap: f64,
    progress: &Progress<'_>,
) -> Result<(), Cancelled> {
    let sizes: Vec<[f64; 2]> = sizes
        .iter()
        .map(|size| size.map(|side| side + gap))
        .collect();
    for round in 0..ROUNDS {
        progress.advance(0)?;
        if round > 0 && round % ENLARGEMENT_ROUNDS == 0 {
            positions
                .iter_mut()
                .flatten()
                .for_each(|part| *part *= ENLARGEMENT);
        }
        if !separate_pairs(positions, &sizes) {
            return Ok(());
        }
    }
    sweep(positions, &sizes);
    Ok(())
}

/// Separates every pair that overlaps; returns true if there was one, or not all were compared.
fn separate_pairs(positions: &mut [[f64; 2]], sizes: &[[f64; 2]]) -> bool {
    let grid = Grid::new(positions, sizes);
    let mut is_moved = false;
    for cell in grid.entries.chunk_by(|one, other| one.0 == other.0) {
        for (at, &(_, one)) in cell.iter().enumerate() {
            let after = &cell[at + 1..];
            for &(_, other) in after.iter().take(MAX_COMPARED) {
                is_moved |= separate_pair(positions, sizes, one as usize, other as usize);
            }
            // Boxes that were not compared may overlap.
            is_moved |= after.len() > MAX_COMPARED;
        }
    }
    is_moved
}

/// Separates two boxes, if they overlap; returns true if they did.
fn separate_pair(positions: &mut [[f64; 2]], sizes: &[[f64; 2]], one: usize, other: usize) -> bool {
    let away = [0, 1].map(|axis| positions[other][axis] - positions[one][axis]);
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
    positions[one][axis] -= step.copysign(side);
    positions[other][axis] += step.copysign(side);
    true
}

/// Uniform grid: pairs of a cell and a box that meets it, sorted.
struct Grid {
    entries: Vec<([i32; 2], u32)>,
}

impl Grid {
    /// Builds a grid in which a box meets few cells, and a cell few boxes unless they overlap.
    fn new(positions: &[[f64; 2]], sizes: &[[f64; 2]]) -> Grid {
        let longest = sizes.iter().flatten().copied().fold(0.0, f64::max);
        let sum: f64 = sizes.iter().map(|size| size[0].max(size[1])).sum();
        let [low, high] = packing::bounds(positions.iter().copied().zip(sizes.iter().copied()));
        let extent = (high[0] - low[0]).max(high[1] - low[1]);
        // Indices of cells stay far below the limits of their type.
        let cell = (sum / positions.len().max(1) as f64)
            .max(longest / 64.0)
            .max(extent / 1e6)
            .max(1e-9);
        let mut entries = Vec::with_capacity(positions.len() * 3);
        for (index, (position, size)) in positions.iter().zip(sizes).enumerate() {
            let range = |axis: usize| {
                let at = |part: f64| ((part - low[axis]) / cell).floor() as i32;
                at(position[axis] - size[axis] / 2.0)..=at(position[axis] + size[axis] / 2.0)
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

/// Sweep: moves boxes to the right until none overlaps a box that was farther left.
fn sweep(positions: &mut [[f64; 2]], sizes: &[[f64; 2]]) {
    let span = |index: usize| {
        let (middle, half) = (positions[index][1], sizes[index][1] / 2.0);
        [middle - half, middle + half]
    };
    let spans: Vec<[f64; 2]> = (0..positions.len()).map(span).collect();
    let mut heights: Vec<f64> = spans.iter().flatten().copied().collect();
    heights.sort_by(f64::total_cmp);
    heights.dedup();
    let rank = |height: f64| heights.partition_point(|other| *other < height);
    let mut order: Vec<usize> = (0..positions.len()).collect();
    order.sort_by(|&one, &other| {
        positions[one][0]
            .total_cmp(&positions[other][0])
            .then(one.cmp(&other))
    });
    let mut occupied = MaxTree::new(heights.len());
    for index in order {
        let [above, below] = spans[index].map(rank);
        // A box without height occupies a row, too.
        let rows = [above, below.max(above + 1)];
        let half = sizes[index][0] / 2.0;
        positions[index][0] = positions[index][0].max(occupied.most(rows) + half);
        // Relative to the number, so that it exceeds the rounding.
        let right = positions[index][0] + half;
        occupied.raise(rows, right + SLACK.max(right.abs() * 1e-12));
    }
}

/// Segment tree over rows with range updates and range maxima: the right end of the boxes in each row.
struct MaxTree {
    leaves: usize,
    /// Update of all rows of a range, and maximum over its rows.
    whole: Vec<f64>,
    most: Vec<f64>,
}

impl MaxTree {
    fn new(rows: usize) -> MaxTree {
        let leaves = rows.max(1).next_power_of_two();
        MaxTree {
            leaves,
            whole: vec![f64::NEG_INFINITY; 2 * leaves],
            most: vec![f64::NEG_INFINITY; 2 * leaves],
        }
    }

    /// Nodes of the tree that make up a range of rows.
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

    /// Number of pairs that overlap.
    fn overlaps(positions: &[[f64; 2]], sizes: &[[f64; 2]]) -> usize {
        let pair = |one: usize, other: usize| {
            (0..2).all(|axis| {
                let away = (positions[one][axis] - positions[other][axis]).abs();
                f64::midpoint(sizes[one][axis], sizes[other][axis]) - away > 1e-9
            })
        };
        let count = positions.len();
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
            let mut positions: Vec<[f64; 2]> = (0..count)
                .map(|n| [f64::from(n % 3), f64::from(n % 4)])
                .collect();
            sweep(&mut positions, &sizes);
            assert_eq!(overlaps(&positions, &sizes), 0);
        }
    }

    #[test]
    fn many_boxes_at_one_position_are_separated() {
        let sizes = vec![[20.0, 8.0]; 2_500];
        let mut positions = vec![[7.0, -3.0]; 2_500];
        let watch = |_, _| ControlFlow::Continue(());
        separate(&mut positions, &sizes, 2.0, &Progress::new(1, &watch)).unwrap();
        assert_eq!(overlaps(&positions, &sizes), 0);
    }

    #[test]
    fn boxes_without_overlap_stay() {
        let mut positions = vec![[0.0, 0.0], [30.0, 0.0], [31.0, 100.0], [35.0, 100.0]];
        let sizes = vec![[10.0; 2]; 4];
        let watch = |_, _| ControlFlow::Continue(());
        separate(&mut positions, &sizes, 2.0, &Progress::new(1, &watch)).unwrap();
        assert_eq!(positions[..2], [[0.0, 0.0], [30.0, 0.0]]);
        let apart = positions[3][0] - positions[2][0];
        assert!((12.0..12.1).contains(&apart), "{apart}");
        assert!((positions[2][0] + positions[3][0] - 66.0).abs() < 1e-9);
    }
}
