//! The grid in which a surface is looked for.

use fibula_core::vector::Vector;
use fibula_eval::Float;

use crate::{Bounds, short_that};

/// The most cells of a grid.
pub(super) const MOST_CELLS: f64 = (1_u64 << 40) as f64;
/// The most along one side of the box, whose samples are all held.
pub(super) const MOST_ALONG: f64 = (1_u64 << 24) as f64;
/// The most cells of a box's edge over its distance from the origin, so that neighbouring samples differ.
const FINEST: f64 = (1_u64 << 44) as f64;

/// How much closer to the low corner the samples inside are than the middles of an even division: a number that no
/// design has. Faces at round places lie between samples then, so that what touches there is one, and what is cut off
/// there is gone.
const SHIFT: f64 = 0.381_966_011_250_105;

/// Samples on three axes, the first and the last ones on the sides of the box.
#[derive(Debug)]
pub(super) struct Grid<T> {
    pub(super) samples: [Vec<T>; 3],
}

/// How many cells of at most a size there are along the axes, and how long the inner ones are.
pub(super) fn division(bounds: &Bounds, cell: f64) -> [(f64, f64); 3] {
    bounds.size().map(|size| {
        let inner = (size / cell * (1.0 - 1e-12)).ceil().max(1.0);
        (inner + 1.0, size / inner)
    })
}

/// How many cells of at most a size there are.
pub(super) fn cells(bounds: &Bounds, cell: f64) -> f64 {
    let division = division(bounds, cell);
    division.iter().map(|(count, _)| count).product()
}

/// Whether there are not too many of them.
pub(super) fn is_moderate(bounds: &Bounds, cell: f64) -> bool {
    let along = division(bounds, cell).map(|(count, _)| count);
    cells(bounds, cell) <= MOST_CELLS && along.into_iter().all(|count| count <= MOST_ALONG)
}

/// About the least size of cells of which there are not too many, and whose samples differ.
pub(super) fn least(bounds: &Bounds) -> f64 {
    let [x, y, z] = bounds.size();
    // Where the box is as thin as a cell there are two of them.
    let sheet = |a: f64, b: f64| (a / MOST_CELLS).sqrt() * b.sqrt() * 2.0_f64.sqrt();
    let least = [
        [x, y, z].map(f64::cbrt).iter().product::<f64>() / MOST_CELLS.cbrt(),
        sheet(x, y).max(sheet(y, z)).max(sheet(z, x)),
        x.max(y).max(z) / MOST_ALONG,
        bounds.reach() / FINEST,
    ];
    let passes = |cell: f64| is_moderate(bounds, cell) && is_resolved(bounds, cell);
    short_that(1.02 * least.into_iter().fold(0.0, f64::max), passes)
}

/// Whether neighbouring samples are different numbers.
pub(super) fn is_resolved(bounds: &Bounds, cell: f64) -> bool {
    bounds.reach() / cell < FINEST
}

impl<T: Float> Grid<T> {
    /// A grid in a box that [is resolved](is_resolved).
    pub(super) fn new(bounds: &Bounds, cell: f64) -> Grid<T> {
        let division = division(bounds, cell);
        let samples = [0, 1, 2].map(|axis| {
            let (low, high) = (bounds.low()[axis], bounds.high()[axis]);
            let (count, step) = division[axis];
            let sample = |place: usize| {
                if place == 0 {
                    T::from_f64(low)
                } else if place == count as usize {
                    T::from_f64(high)
                } else {
                    T::from_f64(low + (place as f64 - SHIFT) * step)
                }
            };
            (0..=count as usize).map(sample).collect()
        });
        Grid { samples }
    }

    /// How many cells there are along the axes.
    pub(super) fn cells(&self) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.samples[axis].len() - 1)
    }

    /// The sample at a place.
    ///
    /// Component by component, so that it stays in registers.
    #[inline]
    pub(super) fn point(&self, [x, y, z]: [usize; 3]) -> Vector {
        let [xs, ys, zs] = &self.samples;
        [xs[x].to_f64(), ys[y].to_f64(), zs[z].to_f64()]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_least_size_passes_and_is_about_the_least(
            powers in prop::array::uniform3(-9.0..4.0_f64),
            off in prop_oneof![Just(0.0), 0.0..1e3],
        ) {
            let size = powers.map(|power| 10_f64.powf(power));
            let bounds = Bounds::new([off; 3], size.map(|size| off + size));
            prop_assume!(bounds.is_ok());
            let bounds = bounds.unwrap();
            let least = least(&bounds);
            let passes = |cell: f64| is_moderate(&bounds, cell) && is_resolved(&bounds, cell);
            prop_assert!(passes(least), "{least} {bounds:?}");
            // It has two digits, and counts are whole numbers.
            prop_assert!(!passes(least / 1.6), "{least} {bounds:?}");
        }
    }

    #[test]
    fn a_grid_fills_its_box_with_cells_that_are_no_larger_than_asked() {
        for cell in [0.05, 0.3, 0.999, 1.0, 7.0] {
            let bounds = Bounds::new([-1.0, 0.1, 10.0], [1.0, 2.3, 13.7]).unwrap();
            let grid = Grid::<f32>::new(&bounds, cell);
            let cells = grid.cells();
            for (count, samples) in cells.iter().zip(&grid.samples) {
                assert_eq!(samples.len(), count + 1);
                for pair in samples.windows(2) {
                    let width = f64::from(pair[1]) - f64::from(pair[0]);
                    assert!(width > 0.0 && width < cell + 1e-5, "{width} of {cell}");
                }
            }
            for axis in 0..3 {
                let ends = [grid.point([0; 3])[axis], grid.point(cells)[axis]];
                let sides = [bounds.low()[axis], bounds.high()[axis]];
                assert_eq!(
                    ends.map(f64::to_bits),
                    sides.map(|x| f64::from(x as f32).to_bits())
                );
            }
        }
    }
}
