//! Morton order (Z-order curve) of the triangles of a mesh: neighbours in space are mostly neighbours in the order.

use fibula_core::vector::{add, scale};
use rayon::prelude::*;

use super::triangles::TriangleMesh;

impl TriangleMesh {
    /// Returns the triangles in Morton order of their centres.
    pub(super) fn morton_order(&self) -> Vec<u32> {
        let [low, high] = self.bounding_box().unwrap_or_default();
        let code = |number: u32| {
            let [a, b, c] = self.corners(number as usize);
            let middle = scale(add(add(a, b), c), 1.0 / 3.0);
            (0..3).fold(0_u64, |code, axis| {
                let size = (high[axis] - low[axis]).max(f64::MIN_POSITIVE);
                let place = ((middle[axis] - low[axis]) / size * 1023.0) as u64;
                code | spread(place) << axis
            })
        };
        let mut order: Vec<(u64, u32)> = (0..self.triangles().len() as u32)
            .into_par_iter()
            .map(|number| (code(number), number))
            .collect();
        order.par_sort_unstable();
        order.into_iter().map(|(_, number)| number).collect()
    }
}

/// Spreads ten bits to every third one.
fn spread(bits: u64) -> u64 {
    (0..10).fold(0, |all, bit| all | (bits >> bit & 1) << (3 * bit))
}
