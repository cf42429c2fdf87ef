//! Forty parts against random points and lines: volumes, areas and bounds are inside of the stated errors.
//!
//! `FIBULA_POINTS=10000000` takes as many points; 200 000 are the default.

use std::f64::consts::{PI, SQRT_2, TAU};

use fibula::geometry::{Bounds, Figure, MeasureSettings, Sampler, Shape, measure};
use fibula_eval::{Rounding, Settings};
use rayon::prelude::*;

use super::ON;
use crate::calls::shape;
use crate::solids::{SOLIDS, Solid};

/// Default number of points of a volume.
const POINTS: usize = 200_000;
/// Points for each line, and samples on each.
const PER_LINE: usize = 200;
const SAMPLES: usize = 512;
/// Standard deviations by which an estimate may be off.
const SURE: f64 = 4.5;

/// Number from 0 to 1 for an index: `SplitMix64`.
pub(crate) fn random(index: u64) -> f64 {
    let mut bits = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// A part as random points see it.
struct Sampled<'a> {
    sampler: Sampler<f64>,
    bounds: &'a Bounds,
    points: usize,
}

impl Sampled<'_> {
    /// True for the points inside.
    fn inside(&self, points: &[[f64; 3]]) -> Vec<bool> {
        let columns = [0, 1, 2].map(|axis| points.iter().map(|at| at[axis]).collect::<Vec<_>>());
        let inputs = columns.each_ref().map(Vec::as_slice);
        let mut values = vec![0.0; points.len()];
        self.sampler
            .points(&inputs, &mut [&mut values[..]], ON)
            .unwrap();
        let both = values.iter().zip(points);
        both.map(|(value, at)| *value < 0.0 && self.bounds.contains(*at))
            .collect()
    }

    /// The volume by one random point in each of many small boxes, and the box around those inside.
    fn volume(&self) -> (Figure, [[f64; 3]; 2]) {
        let along = (self.points as f64).cbrt() as usize;
        let (low, size) = (self.bounds.low(), self.bounds.size());
        let place = |index: usize| {
            let cell = [index % along, index / along % along, index / along / along];
            [0, 1, 2].map(|axis| {
                let share = cell[axis] as f64 + random((3 * index + axis) as u64);
                low[axis] + size[axis] * share / along as f64
            })
        };
        let points: Vec<[f64; 3]> = (0..along.pow(3)).map(place).collect();
        let inside = self.inside(&points);
        let count = inside.iter().filter(|is| **is).count() as f64;
        // Only boxes beside others that differ contribute to the variance.
        let at = |x: usize, y: usize, z: usize| inside[x + along * (y + along * z)];
        let mut mixed = 0.0;
        for z in 0..along {
            for y in 0..along {
                for x in 0..along {
                    let own = at(x, y, z);
                    let is_mixed = (x + 1 < along && at(x + 1, y, z) != own)
                        || (y + 1 < along && at(x, y + 1, z) != own)
                        || (z + 1 < along && at(x, y, z + 1) != own);
                    mixed += f64::from(is_mixed);
                }
            }
        }
        let each = size.into_iter().product::<f64>() / inside.len() as f64;
        let mut around = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for (at, _) in points.iter().zip(&inside).filter(|(_, is)| **is) {
            for axis in 0..3 {
                around[0][axis] = around[0][axis].min(at[axis]);
                around[1][axis] = around[1][axis].max(at[axis]);
            }
        }
        let volume = Figure {
            value: count * each,
            error: SURE * each * (0.25 * mixed + 1.0_f64).sqrt(),
        };
        (volume, around)
    }

    /// The area by the crossings of random lines with the surface (Cauchy and Crofton).
    fn area(&self) -> Figure {
        let reach = self.bounds.size().map(|side| side * side);
        let radius = 0.5 * reach.iter().sum::<f64>().sqrt();
        let count = self.points / PER_LINE;
        let crossings = |line: usize| {
            let own = |number: u64| random(u64::MAX - (8 * line as u64 + number));
            let (z, turn) = (2.0 * own(0) - 1.0, TAU * own(1));
            let across = (1.0 - z * z).sqrt();
            let along = [across * turn.cos(), across * turn.sin(), z];
            let one = [-turn.sin(), turn.cos(), 0.0];
            let other = [-z * turn.cos(), -z * turn.sin(), across];
            let (out, angle) = (radius * own(2).sqrt(), TAU * own(3));
            let points: Vec<[f64; 3]> = (0..SAMPLES)
                .map(|place| {
                    let far = radius * (2.0 * (place as f64 + own(4)) / SAMPLES as f64 - 1.0);
                    [0, 1, 2].map(|axis| {
                        out * (angle.cos() * one[axis] + angle.sin() * other[axis])
                            + far * along[axis]
                    })
                })
                .collect();
            let inside = self.inside(&points);
            let both = inside.iter().zip(&inside[1..]);
            both.filter(|(one, other)| one != other).count() as f64
        };
        let counts: Vec<f64> = (0..count).into_par_iter().map(crossings).collect();
        let mean = counts.iter().sum::<f64>() / count as f64;
        let square = counts.iter().map(|own| own * own).sum::<f64>() / count as f64;
        let each = 2.0 * PI * radius * radius;
        Figure {
            value: each * mean,
            error: SURE * each * ((square - mean * mean) / count as f64).sqrt(),
        }
    }
}

/// Known volumes and areas.
const KNOWN: [(&str, f64, f64); 17] = [
    ("plate", 560.0, 696.0),
    ("thin plate", 128.0, 544.0),
    ("thin turned plate", 86.4, 316.8),
    ("fins", 610.0, 1362.0),
    ("tube", 30.72 * PI, (30.72 / 4.0 + 153.6) * PI),
    ("hollow ball", 60.128 * 4.0 / 3.0 * PI, 50.32 * 4.0 * PI),
    ("rods on edges", 175.0, 626.0),
    ("twisted bar", 576.0, f64::NAN),
    ("fast twisted bar", 576.0, f64::NAN),
    ("boxes that touch in an edge", 192.0, 256.0),
    ("turned boxes that touch in an edge", 192.0, 256.0),
    ("boxes that touch in a corner", 128.0, 192.0),
    ("checkerboard", 64.0, 192.0),
    ("balls that touch", 512.0 / 3.0 * PI, 128.0 * PI),
    ("lens", 52.0 / 3.0 * PI, 36.0 * PI),
    (
        "cone",
        250.0 / 3.0 * PI,
        (25.0 + 5.0 * 11.180_339_887_498_95) * PI,
    ),
    ("hourglass", 128.0 / 3.0 * PI, (32.0 + 32.0 * SQRT_2) * PI),
];

/// Describes the figures of a part that are off.
fn wrong(solid: &Solid, points: usize) -> Vec<String> {
    let seen = shape(solid.text);
    let part = Shape::new(&seen.tape).unwrap();
    let bounds = solid.bounds();
    let measuring = MeasureSettings {
        least_cell: solid.cell / 4.0,
        ..MeasureSettings::new(bounds, solid.cell)
    };
    let measures = match measure(&part, &measuring, ON) {
        Ok(measured) => measured.measures,
        Err(error) => return vec![format!("{}: {error}", solid.name)],
    };
    let sampled = Sampled {
        sampler: Sampler::new(&seen.tape, Rounding::Exact, Settings::default()),
        bounds: &bounds,
        points,
    };
    let (volume, around) = sampled.volume();
    let area = sampled.area();
    let mut faults = Vec::new();
    let known = KNOWN.iter().filter(|(name, ..)| *name == solid.name);
    let exact = |value| Figure { value, error: 0.0 };
    let known = known.flat_map(|(_, volume, area)| {
        [
            ("volume", measures.volume, exact(*volume)),
            ("area", measures.area, exact(*area)),
        ]
    });
    let sampled = [
        ("volume", measures.volume, volume),
        ("area", measures.area, area),
    ];
    for (what, own, truth) in sampled.into_iter().chain(known) {
        if (own.value - truth.value).abs() > own.error + truth.error {
            faults.push(format!("{}: {what} {own:?}, but {truth:?}", solid.name));
        }
    }
    let Figure { value, error } = measures.bounds;
    for axis in 0..3 {
        let is_around =
            value[0][axis] - error <= around[0][axis] && around[1][axis] <= value[1][axis] + error;
        if !is_around {
            faults.push(format!(
                "{}: bounds {value:?} +- {error}, but {around:?}",
                solid.name
            ));
        }
    }
    faults
}

#[test]
fn figures_of_forty_parts_hold() {
    let points = std::env::var("FIBULA_POINTS");
    let points = points.map_or(POINTS, |text| text.parse().expect("a number"));
    let faults: Vec<String> = SOLIDS
        .par_iter()
        .flat_map_iter(|solid| wrong(solid, points))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
