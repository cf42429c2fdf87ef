//! Oracles of random functions, with known values.

use std::sync::Arc;

use fibula_nodes::{Bounds, Filter, Oracle, OracleUse, Query, ResourceId, TileStyle};

/// The distance to a ball of radius 1.
pub(crate) fn ball() -> OracleUse {
    OracleUse {
        resource: ResourceId(1),
        query: Query::SignedDistance,
        answers: Arc::new(Ball),
    }
}

/// An image of x y + z, in each channel with another factor.
pub(crate) fn field() -> OracleUse {
    OracleUse {
        resource: ResourceId(2),
        query: Query::Image {
            filter: Filter::Linear,
            tiles: [TileStyle::Wrap; 3],
        },
        answers: Arc::new(Field),
    }
}

#[derive(Debug)]
struct Ball;

fn length([x, y, z]: [f64; 3]) -> f64 {
    x.hypot(y).hypot(z)
}

impl Oracle for Ball {
    fn sample(&self, at: [f64; 3], _: u8) -> f64 {
        if at.iter().all(|number| number.is_finite()) {
            length(at) - 1.0
        } else {
            f64::NAN
        }
    }

    fn gradient(&self, at: [f64; 3], _: u8) -> [f64; 3] {
        at.map(|number| number / length(at).max(1e-100))
    }

    fn bounds(&self, low: [f64; 3], high: [f64; 3], _: u8) -> Bounds {
        let is_finite = |corner: [f64; 3]| corner.iter().all(|number| number.is_finite());
        if !is_finite(low) || !is_finite(high) {
            return Bounds::UNKNOWN;
        }
        let far = [0, 1, 2].map(|axis| low[axis].abs().max(high[axis].abs()));
        let near = [0, 1, 2].map(|axis| low[axis].max(0.0).max(-high[axis]));
        let [far, near] = [far, near].map(|at| length(at) - 1.0);
        let room = 1e-14 * (1.0 + far.abs());
        Bounds::new(near - room, far + room)
    }
}

#[derive(Debug)]
struct Field;

fn factor(channel: u8) -> f64 {
    1.0 - 2.0 * f64::from(channel)
}

impl Oracle for Field {
    fn sample(&self, [x, y, z]: [f64; 3], channel: u8) -> f64 {
        (x * y + z) * factor(channel)
    }

    fn gradient(&self, [x, y, _]: [f64; 3], channel: u8) -> [f64; 3] {
        [y, x, 1.0].map(|part| part * factor(channel))
    }

    fn bounds(&self, _: [f64; 3], _: [f64; 3], _: u8) -> Bounds {
        Bounds::UNKNOWN
    }
}
