//! A tree over points that tells how many together push a point, far ones as one.
//!
//! J. Barnes, P. Hut, "A hierarchical O(N log N) force-calculation algorithm" (1986). The points are sorted along a Z-order
//! curve, so that a cell is a range of them; cells stand in the order in which a walk from above meets them, each with the
//! place to go on at if it is not opened, so that the walk needs no stack. The middle of a cell's masses is a difference of
//! two sums along the curve. Building takes a sort, and the push on a point about the logarithm of their number.

/// How wide a cell may be beside its distance and still be taken as one point (1.2 is usual for layouts).
const OPENING: f64 = 1.2;
/// Cells of so few points are not divided.
const FEW: usize = 8;
/// How many bits each coordinate has on the curve.
const BITS: u32 = 21;

/// Points with masses, ready to push.
pub(super) struct Tree {
    cells: Vec<Cell>,
    /// The points along the curve: x, y and mass.
    points: Vec<[f64; 3]>,
}

struct Cell {
    /// The middle of its masses, and their sum.
    middle: [f64; 2],
    mass: f64,
    /// Farther away than the root of this, it is taken as one point.
    far: f64,
    /// The cell to go on with if this one is not opened.
    next: u32,
    /// Its points, if it is not divided.
    points: [u32; 2],
}

impl Tree {
    pub(super) fn new(places: &[[f64; 2]], masses: &[f64]) -> Tree {
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        for place in places {
            for axis in 0..2 {
                low[axis] = low[axis].min(place[axis]);
                high[axis] = high[axis].max(place[axis]);
            }
        }
        let extent = (high[0] - low[0]).max(high[1] - low[1]).max(1e-9);
        let steps = f64::from((1_u32 << BITS) - 1) / extent;
        let key = |place: &[f64; 2]| {
            let [x, y] = [0, 1].map(|axis| spread(((place[axis] - low[axis]) * steps) as u64));
            x | y << 1
        };
        let keys = places.iter().enumerate();
        let mut keys: Vec<(u64, u32)> = keys
            .map(|(index, place)| (key(place), index as u32))
            .collect();
        keys.sort_unstable();
        let points: Vec<[f64; 3]> = keys
            .iter()
            .map(|&(_, index)| {
                let [x, y] = places[index as usize];
                [x, y, masses[index as usize]]
            })
            .collect();
        let mut tree = Tree {
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
            // The first level at which the points are not in one quarter.
            let differing = keys[first].0 ^ keys[end - 1].0;
            let level = (64 - differing.leading_zeros()).div_ceil(2);
            let width = extent * f64::from(level).exp2() / f64::from(BITS).exp2();
            let is_divided = end - first > FEW && level > 0;
            let cell = self.cells.len();
            self.cells.push(Cell {
                middle: [0, 1].map(|axis| (sums[end][axis] - sums[first][axis]) / mass),
                mass,
                far: (width / OPENING).powi(2),
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
            let quarter = |key: u64| key >> shift & 3;
            let cut = |quarters: u64| {
                first + keys[first..end].partition_point(|&(key, _)| quarter(key) < quarters)
            };
            let cuts = [first, cut(1), cut(2), cut(3), end];
            // The last one that is put there is the first one that is taken.
            steps.extend(
                cuts.windows(2)
                    .rev()
                    .map(|cut| Step::Divide([cut[0], cut[1]])),
            );
        }
    }

    /// How a point of mass 1 is pushed: by each other one along the line between them, mass over distance. One at the same
    /// place does not push.
    pub(super) fn push(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let mut push = [0.0; 2];
        let mut add = |at: [f64; 2], mass: f64| {
            let away = [x - at[0], y - at[1]];
            let square = away[0] * away[0] + away[1] * away[1];
            let share = mass / square.max(1e-12);
            push = [push[0] + away[0] * share, push[1] + away[1] * share];
        };
        let mut at = 0;
        while let Some(cell) = self.cells.get(at) {
            let away = [x - cell.middle[0], y - cell.middle[1]];
            if away[0] * away[0] + away[1] * away[1] > cell.far {
                add(cell.middle, cell.mass);
                at = cell.next as usize;
                continue;
            }
            let [first, end] = cell.points.map(|point| point as usize);
            for &[x, y, mass] in &self.points[first..end] {
                add([x, y], mass);
            }
            // A cell that is divided is followed by its parts.
            at += 1;
        }
        push
    }
}

/// The bits of a number, each followed by an empty one.
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
    fn far_points_push_nearly_as_if_each_were_asked() {
        let places: Vec<[f64; 2]> = (0..2_000)
            .map(|n| direction(n).map(|part| part * (n as f64).sqrt()))
            .chain([[3.0, 4.0]; 40])
            .collect();
        let masses: Vec<f64> = (0..places.len()).map(|n| (n % 9 + 1) as f64).collect();
        let tree = Tree::new(&places, &masses);
        let (mut worst, mut sum, mut count) = (0.0_f64, 0.0, 0.0);
        for &[x, y] in places.iter().step_by(17) {
            let mut exact = [0.0; 2];
            for (at, mass) in places.iter().zip(&masses) {
                let away = [x - at[0], y - at[1]];
                let square = (away[0] * away[0] + away[1] * away[1]).max(1e-12);
                exact = [0, 1].map(|axis| exact[axis] + away[axis] * mass / square);
            }
            let found = tree.push([x, y]);
            let error = f64::hypot(found[0] - exact[0], found[1] - exact[1]);
            let share = error / f64::hypot(exact[0], exact[1]).max(50.0);
            (worst, sum, count) = (worst.max(share), sum + share, count + 1.0);
        }
        // What the method is known for at this opening: a few per cent, more where pushes from all sides cancel.
        let mean = sum / count;
        assert!(mean > 0.0 && mean < 0.03 && worst < 0.15, "{mean} {worst}");
    }

    #[test]
    fn one_point_or_none_is_not_pushed() {
        let push = |tree: Tree| tree.push([1.0, 2.0]).map(f64::abs).iter().sum::<f64>();
        assert!(push(Tree::new(&[], &[])) <= 0.0);
        assert!(push(Tree::new(&[[1.0, 2.0]], &[3.0])) <= 0.0);
    }
}
