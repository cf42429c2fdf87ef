//! Barnes-Hut tree: a quadtree that approximates the repulsion of many points on one.
//!
//! J. Barnes, P. Hut, "A hierarchical O(N log N) force-calculation algorithm" (1986). The points are sorted by Morton codes
//! (a Z-order curve), so that a cell is a range of them; cells are in preorder, each with the index of the cell after its
//! subtree, so that the traversal needs no stack. The centre of mass of a cell is a difference of two prefix sums. Building
//! takes a sort; the repulsion of a point takes time logarithmic in the number of points.

/// Opening angle: maximum ratio of the width of a cell to its distance at which it is one point (1.2 is usual for layouts).
const THETA: f64 = 1.2;
/// Maximum number of points of a leaf.
const LEAF_POINTS: usize = 8;
/// Number of bits of a coordinate in a Morton code.
const BITS: u32 = 21;

/// Quadtree over points with masses.
pub(super) struct BarnesHutTree {
    cells: Vec<Cell>,
    /// Points by Morton code: x, y and mass.
    points: Vec<[f64; 3]>,
}

struct Cell {
    /// Centre of mass, and sum of the masses.
    centre: [f64; 2],
    mass: f64,
    /// Square of the distance beyond which the cell is one point.
    far: f64,
    /// Index of the cell after the subtree.
    next: u32,
    /// Range of its points, if it is a leaf.
    points: [u32; 2],
}

impl BarnesHutTree {
    pub(super) fn new(positions: &[[f64; 2]], masses: &[f64]) -> BarnesHutTree {
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        for position in positions {
            for axis in 0..2 {
                low[axis] = low[axis].min(position[axis]);
                high[axis] = high[axis].max(position[axis]);
            }
        }
        let extent = (high[0] - low[0]).max(high[1] - low[1]).max(1e-9);
        let steps = f64::from((1_u32 << BITS) - 1) / extent;
        let key = |position: &[f64; 2]| {
            let [x, y] = [0, 1].map(|axis| spread(((position[axis] - low[axis]) * steps) as u64));
            x | y << 1
        };
        let keys = positions.iter().enumerate();
        let mut keys: Vec<(u64, u32)> = keys
            .map(|(index, position)| (key(position), index as u32))
            .collect();
        keys.sort_unstable();
        let points: Vec<[f64; 3]> = keys
            .iter()
            .map(|&(_, index)| {
                let [x, y] = positions[index as usize];
                [x, y, masses[index as usize]]
            })
            .collect();
        let mut tree = BarnesHutTree {
            cells: Vec::with_capacity(points.len()),
            points,
        };
        tree.divide(&keys, extent);
        tree
    }

    fn divide(&mut self, keys: &[(u64, u32)], extent: f64) {
        enum Step {
            Divide([usize; 2]),
            Close(usize),
        }
        let mut sums = vec![[0.0; 3]];
        sums.extend(self.points.iter().scan([0.0; 3], |sum, &[x, y, mass]| {
            *sum = [sum[0] + x * mass, sum[1] + y * mass, sum[2] + mass];
            Some(*sum)
        }));
        let mut steps = vec![Step::Divide([0, keys.len()])];
        while let Some(step) = steps.pop() {
            let [first, end] = match step {
                Step::Close(cell) => {
                    self.cells[cell].next = self.cells.len() as u32;
                    continue;
                }
                Step::Divide(range) if range[0] < range[1] => range,
                Step::Divide(_) => continue,
            };
            let mass = sums[end][2] - sums[first][2];
            // The first level at which the points are not in one quadrant.
            let differing = keys[first].0 ^ keys[end - 1].0;
            let level = (64 - differing.leading_zeros()).div_ceil(2);
            let width = extent * f64::from(level).exp2() / f64::from(BITS).exp2();
            let is_divided = end - first > LEAF_POINTS && level > 0;
            let cell = self.cells.len();
            self.cells.push(Cell {
                centre: [0, 1].map(|axis| (sums[end][axis] - sums[first][axis]) / mass),
                mass,
                far: (width / THETA).powi(2),
                next: cell as u32 + 1,
                points: if is_divided {
                    [0; 2]
                } else {
                    [first as u32, end as u32]
                },
            });
            if !is_divided {
                continue;
            }
            steps.push(Step::Close(cell));
            let shift = 2 * (level - 1);
            let quadrant = |key: u64| key >> shift & 3;
            let cut = |number: u64| {
                first + keys[first..end].partition_point(|&(key, _)| quadrant(key) < number)
            };
            let cuts = [first, cut(1), cut(2), cut(3), end];
            // The stack pops the first quadrant first.
            steps.extend(
                cuts.windows(2)
                    .rev()
                    .map(|cut| Step::Divide([cut[0], cut[1]])),
            );
        }
    }

    /// Repulsion of a point of mass 1: the sum over the other points of mass over distance, along the line between them. A
    /// point at the same position has no effect.
    pub(super) fn repulsion(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let mut force = [0.0; 2];
        let mut add = |at: [f64; 2], mass: f64| {
            let away = [x - at[0], y - at[1]];
            let square = away[0] * away[0] + away[1] * away[1];
            let share = mass / square.max(1e-12);
            force = [force[0] + away[0] * share, force[1] + away[1] * share];
        };
        let mut at = 0;
        while let Some(cell) = self.cells.get(at) {
            let away = [x - cell.centre[0], y - cell.centre[1]];
            if away[0] * away[0] + away[1] * away[1] > cell.far {
                add(cell.centre, cell.mass);
                at = cell.next as usize;
                continue;
            }
            let [first, end] = cell.points.map(|point| point as usize);
            for &[x, y, mass] in &self.points[first..end] {
                add([x, y], mass);
            }
            // The children of a cell follow it.
            at += 1;
        }
        force
    }
}

/// Spreads the bits of a number, each followed by a zero: half of a Morton code.
fn spread(number: u64) -> u64 {
    let mut bits = number & 0xffff_ffff;
    for (shift, mask) in [
        (16, 0x0000_ffff_0000_ffff),
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ] {
        bits = (bits | bits << shift) & mask;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::layout::direction;

    #[test]
    fn approximation_is_close_to_the_exact_sum() {
        let positions: Vec<[f64; 2]> = (0..2_000)
            .map(|n| direction(n).map(|part| part * (n as f64).sqrt()))
            .chain([[3.0, 4.0]; 40])
            .collect();
        let masses: Vec<f64> = (0..positions.len()).map(|n| (n % 9 + 1) as f64).collect();
        let tree = BarnesHutTree::new(&positions, &masses);
        let (mut worst, mut sum, mut count) = (0.0_f64, 0.0, 0.0);
        for &[x, y] in positions.iter().step_by(17) {
            let mut exact = [0.0; 2];
            for (at, mass) in positions.iter().zip(&masses) {
                let away = [x - at[0], y - at[1]];
                let square = (away[0] * away[0] + away[1] * away[1]).max(1e-12);
                exact = [0, 1].map(|axis| exact[axis] + away[axis] * mass / square);
            }
            let found = tree.repulsion([x, y]);
            let error = f64::hypot(found[0] - exact[0], found[1] - exact[1]);
            let share = error / f64::hypot(exact[0], exact[1]).max(50.0);
            (worst, sum, count) = (worst.max(share), sum + share, count + 1.0);
        }
        // The known accuracy for this opening angle: a few per cent, less where forces from all sides cancel.
        let mean = sum / count;
        assert!(mean > 0.0 && mean < 0.03 && worst < 0.15, "{mean} {worst}");
    }

    #[test]
    fn one_point_has_no_repulsion() {
        let repulsion =
            |tree: BarnesHutTree| tree.repulsion([1.0, 2.0]).map(f64::abs).iter().sum::<f64>();
        assert!(repulsion(BarnesHutTree::new(&[], &[])) <= 0.0);
        assert!(repulsion(BarnesHutTree::new(&[[1.0, 2.0]], &[3.0])) <= 0.0);
    }
}
