//! Grid of dual contouring.

use fibula_core::vector::Vector;
use fibula_eval::Float;

use crate::grid_axis::{FINEST, MAX_ALONG, division, samples};
use crate::{Bounds, short_that};

/// Maximum cells of a grid.
pub(super) const MAX_CELLS: f64 = (1_u64 << 40) as f64;

/// Samples on three axes, the first and the last ones on the sides of the box.
#[derive(Debug)]
pub(super) struct MeshGrid<T> {
    pub(super) samples: [Vec<T>; 3],
}

/// Returns the numbers of cells of at most a size along the axes.
fn counts(bounds: &Bounds, cell: f64) -> [f64; 3] {
    bounds.size().map(|size| division(size, cell).0)
}

/// Returns the number of cells of at most a size.
pub(super) fn cells(bounds: &Bounds, cell: f64) -> f64 {
    counts(bounds, cell).iter().product()
}

/// True unless there are too many cells.
pub(super) fn is_moderate(bounds: &Bounds, cell: f64) -> bool {
    let is_short = |count: f64| count <= MAX_ALONG;
    cells(bounds, cell) <= MAX_CELLS && counts(bounds, cell).into_iter().all(is_short)
}

/// Returns about the least cell size with which there are not too many cells and all samples differ.
pub(super) fn least(bounds: &Bounds) -> f64 {
    let [x, y, z] = bounds.size();
    // A box as thin as a cell has two of them.
    let sheet = |a: f64, b: f64| (a / MAX_CELLS).sqrt() * b.sqrt() * 2.0_f64.sqrt();
    let least = [
        [x, y, z].map(f64::cbrt).iter().product::<f64>() / MAX_CELLS.cbrt(),
        sheet(x, y).max(sheet(y, z)).max(sheet(z, x)),
        x.max(y).max(z) / MAX_ALONG,
        bounds.reach() / FINEST,
    ];
    let passes = |cell: f64| is_moderate(bounds, cell) && is_resolved(bounds, cell);
    short_that(1.02 * least.into_iter().fold(0.0, f64::max), passes)
}

/// True if neighbouring samples differ.
pub(super) fn is_resolved(bounds: &Bounds, cell: f64) -> bool {
    bounds.reach() / cell < FINEST
}

impl<T: Float> MeshGrid<T> {
    /// Creates the grid of a box that [is resolved](is_resolved).
    pub(super) fn new(bounds: &Bounds, cell: f64) -> MeshGrid<T> {
        let samples = [0, 1, 2].map(|axis| samples(bounds, axis, cell));
        MeshGrid { samples }
    }

    /// Numbers of cells along the axes.
    pub(super) fn cells(&self) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.samples[axis].len() - 1)
    }

    /// Returns a sample.
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
            // Sizes have two digits, and counts are whole numbers.
            prop_assert!(!passes(least / 1.6), "{least} {bounds:?}");
        }
    }

    #[test]
    fn a_grid_fills_its_box_with_cells_that_are_no_larger_than_asked() {
        for cell in [0.05, 0.3, 0.999, 1.0, 7.0] {
            let bounds = Bounds::new([-1.0, 0.1, 10.0], [1.0, 2.3, 13.7]).unwrap();
            let grid = MeshGrid::<f32>::new(&bounds, cell);
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
                let rounded = sides.map(|x| f64::from(x as f32).to_bits());
                assert_eq!(ends.map(f64::to_bits), rounded);
            }
        }
    }
}
