//! Distance of meshes from the surface that they approximate, at points of their triangles.

use fibula::eval::Tape;
use fibula_eval::{Batch, BatchEvaluator, Rounding, Settings};

/// Places in a cell at which the surface is looked for beside a centre.
const STEPS: usize = 64;
/// Points of a mesh at which its distance is taken, at least.
const SAMPLES: usize = 50_000;
/// Distances to first order that are larger, in cells, are looked at more closely.
const DOUBTFUL: f64 = 0.02;

/// Distance of triangles from the surface.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Distance {
    /// At most, in cells.
    pub(crate) most: f64,
    /// The root of the mean square over the area, in cells.
    pub(crate) mean: f64,
}

/// The distances of the centres of triangles from where a function is 0. Triangles within two cells of the sides of
/// [-1, 1] do not count, since not all peers close the mesh there.
pub(crate) fn distance(tape: &Tape, triangles: &[[[f64; 3]; 3]], cell: f64) -> Distance {
    let third = 1.0 / 3.0;
    let centres = triangles.iter().map(|of| Sample::new(of, [third; 3], 1.0));
    let is_within =
        |sample: &Sample| (sample.at.iter()).all(|place| place.abs() < 1.0 - 2.0 * cell);
    let centres: Vec<Sample> = centres.filter(is_within).collect();
    let (mut most, mut squares, mut sum) = (0.0_f64, 0.0, 0.0);
    for (away, area) in distances(tape, &centres, cell) {
        let away = away / cell;
        most = most.max(away);
        squares += away * away * area;
        sum += area;
    }
    Distance {
        most,
        mean: (squares / sum).sqrt(),
    }
}

/// The distance from where a function is 0 within which 99.9 % of the area of triangles is.
pub(crate) fn most_points_within(tape: &Tape, triangles: &[[[f64; 3]; 3]]) -> f64 {
    let areas = triangles
        .iter()
        .map(|[a, b, c]| length(direction(*a, *b, *c)));
    let spacing = (areas.sum::<f64>() / SAMPLES as f64).sqrt();
    let samples = triangles.iter().flat_map(|of| {
        let [a, b, c] = *of;
        let count = (length(direction(a, b, c)) / (spacing * spacing)).ceil();
        // A sequence of low discrepancy, folded into the triangle.
        (0..count as u32).map(move |place| {
            let [mut u, mut v] = [0.754_877_666_246_692_7, 0.569_840_290_998_053_2]
                .map(|step: f64| (0.5 + step * f64::from(place)).fract());
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            Sample::new(of, [1.0 - u - v, u, v], 1.0 / count)
        })
    });
    let samples: Vec<Sample> = samples.collect();
    let mut all: Vec<(f64, f64)> = distances(tape, &samples, spacing).collect();
    all.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let mut left = all.iter().map(|(_, area)| area).sum::<f64>() / 1000.0;
    let within = all.into_iter().find(|(_, area)| {
        left -= area;
        left < 0.0
    });
    within.map_or(0.0, |(away, _)| away)
}

/// A point of a triangle.
struct Sample {
    at: [f64; 3],
    /// Across the triangle.
    across: [f64; 3],
    /// The part of the triangle for which it stands.
    area: f64,
}

impl Sample {
    fn new(triangle: &[[f64; 3]; 3], weights: [f64; 3], share: f64) -> Sample {
        let [a, b, c] = *triangle;
        let across = direction(a, b, c);
        let [u, v, w] = weights;
        Sample {
            at: [0, 1, 2].map(|axis| u * a[axis] + v * b[axis] + w * c[axis]),
            across,
            area: share * length(across) / 2.0,
        }
    }
}

/// The distances of points from where a function is 0, and their areas.
///
/// They are the value divided by the length of the gradient, both in double precision and with exact derivatives. Where this
/// is not small beside `step` it may be far too much, since functions that meet in a maximum grow at different rates: there
/// it is how far the surface is along the gradient or the triangle's own normal, if that is less.
fn distances(tape: &Tape, samples: &[Sample], step: f64) -> impl Iterator<Item = (f64, f64)> {
    let code = tape.code(Rounding::Exact).with_gradient(&[0, 1, 2]);
    let batch = Batch::<f64>::new(&code, 3, Settings::default());
    let plain = Batch::<f64>::new(tape.code(Rounding::Exact), 3, Settings::default());
    let [x, y, z] = [0, 1, 2].map(|axis| samples.iter().map(|of| of.at[axis]).collect::<Vec<_>>());
    let mut results = [(); 4].map(|()| vec![0.0; x.len()]);
    let [value, by_x, by_y, by_z] = &mut results;
    batch
        .evaluator()
        .run(&[&x, &y, &z], &[], &mut [value, by_x, by_y, by_z]);
    let mut near = Near {
        values: plain.evaluator(),
        cell: step,
    };
    let mut all = Vec::with_capacity(samples.len());
    for (place, sample) in samples.iter().enumerate() {
        let gradient = [by_x[place], by_y[place], by_z[place]];
        let mut away = value[place].abs() / length(gradient);
        // Where there is no gradient nothing is known.
        if !away.is_finite() {
            continue;
        }
        if away > DOUBTFUL * step {
            for along in [gradient, sample.across] {
                away = away.min(step * near.along(sample.at, along));
            }
        }
        all.push((away, sample.area));
    }
    all.into_iter()
}

/// Looks for the surface beside a place.
struct Near<'a> {
    values: BatchEvaluator<'a, f64>,
    cell: f64,
}

impl Near<'_> {
    /// Distance of the surface along a direction, in cells, on the nearer side; infinitely, if it is farther than a cell.
    fn along(&mut self, [x, y, z]: [f64; 3], direction: [f64; 3]) -> f64 {
        let step = self.cell / STEPS as f64 / length(direction);
        let parts: Vec<f64> = (0..=2 * STEPS).map(|at| at as f64 - STEPS as f64).collect();
        let points = [x, y, z].into_iter().zip(direction);
        let points =
            points.map(|(at, by)| parts.iter().map(|part| at + part * step * by).collect());
        let points: Vec<Vec<f64>> = points.collect();
        let mut values = vec![0.0; parts.len()];
        self.values.run(
            &[&points[0], &points[1], &points[2]],
            &[],
            &mut [&mut values],
        );
        let crossings = (1..parts.len()).filter(|&at| (values[at] < 0.0) != (values[at - 1] < 0.0));
        let places = crossings.map(|at| {
            let part = values[at - 1] / (values[at - 1] - values[at]);
            (parts[at - 1] + part).abs() / STEPS as f64
        });
        places.fold(f64::INFINITY, f64::min)
    }
}

/// Across a triangle, as long as twice its area.
fn direction(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> [f64; 3] {
    let along = |to: [f64; 3]| [0, 1, 2].map(|axis| to[axis] - a[axis]);
    let ([x, y, z], [u, v, w]) = (along(b), along(c));
    [y * w - z * v, z * u - x * w, x * v - y * u]
}

fn length(of: [f64; 3]) -> f64 {
    of.map(|part| part * part).iter().sum::<f64>().sqrt()
}
