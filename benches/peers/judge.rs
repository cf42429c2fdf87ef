//! Distance of meshes from the surface that they approximate, at the centres of their triangles.

use fibula::eval::Tape;
use fibula_eval::{Batch, BatchEvaluator, Rounding, Settings};

/// Places in a cell at which the surface is looked for beside a centre.
const STEPS: usize = 64;
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

/// The distances of the centres of triangles from where a function is 0.
///
/// They are the value divided by the length of the gradient, both in double precision and with exact derivatives. Where this
/// is not small it may be far too much, since functions that meet in a maximum grow at different rates: there it is how
/// far the surface is along the gradient or the triangle's own normal, if that is less. Triangles within two cells of
/// the sides of [-1, 1] do not count, since not all peers close the mesh there.
pub(crate) fn distance(tape: &Tape, triangles: &[[[f64; 3]; 3]], cell: f64) -> Distance {
    let code = tape.code(Rounding::Exact).with_gradient(&[0, 1, 2]);
    let batch = Batch::<f64>::new(&code, 3, Settings::default());
    let plain = Batch::<f64>::new(tape.code(Rounding::Exact), 3, Settings::default());
    let mut points = [const { Vec::new() }; 3];
    let mut directions = Vec::new();
    for [a, b, c] in triangles {
        let centre = [0, 1, 2].map(|axis| (a[axis] + b[axis] + c[axis]) / 3.0);
        if centre.iter().all(|place| place.abs() < 1.0 - 2.0 * cell) {
            for (list, place) in points.iter_mut().zip(centre) {
                list.push(place);
            }
            directions.push(direction(*a, *b, *c));
        }
    }
    let [x, y, z] = &points;
    let mut results = [(); 4].map(|()| vec![0.0; x.len()]);
    let [value, by_x, by_y, by_z] = &mut results;
    batch
        .evaluator()
        .run(&[x, y, z], &[], &mut [value, by_x, by_y, by_z]);
    let mut near = Near {
        values: plain.evaluator(),
        cell,
    };
    let (mut most, mut squares, mut sum) = (0.0_f64, 0.0, 0.0);
    for (place, direction) in directions.into_iter().enumerate() {
        let gradient = [by_x[place], by_y[place], by_z[place]];
        let mut away = value[place].abs() / length(gradient) / cell;
        // Where there is no gradient nothing is known.
        if !away.is_finite() {
            continue;
        }
        if away > DOUBTFUL {
            let centre = [x[place], y[place], z[place]];
            for along in [gradient, direction] {
                away = away.min(near.along(centre, along));
            }
        }
        let area = length(direction) / 2.0;
        most = most.max(away);
        squares += away * away * area;
        sum += area;
    }
    Distance {
        most,
        mean: (squares / sum).sqrt(),
    }
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
