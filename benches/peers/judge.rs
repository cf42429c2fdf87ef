//! How far meshes are from the surface that they stand for, at the centres of their triangles.

use fibula::eval::Tape;
use fibula_eval::{Batch, Rounding, Settings};

/// How far triangles are from the surface.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Distance {
    /// At most, in cells.
    pub(crate) most: f64,
    /// The root of the mean square over the area, in cells.
    pub(crate) mean: f64,
}

/// The distances of the centres of triangles from where a function is 0, to first order: the value divided by the length
/// of the gradient, both in double precision and with exact derivatives. Triangles within two cells of the sides of
/// [-1, 1] do not count, since not all peers close the mesh there.
pub(crate) fn distance(tape: &Tape, triangles: &[[[f64; 3]; 3]], cell: f64) -> Distance {
    let code = tape.code(Rounding::Exact).with_gradient(&[0, 1, 2]);
    let batch = Batch::<f64>::new(&code, 3, Settings::default());
    let mut points = [const { Vec::new() }; 3];
    let mut areas = Vec::new();
    for [a, b, c] in triangles {
        let centre = [0, 1, 2].map(|axis| (a[axis] + b[axis] + c[axis]) / 3.0);
        if centre.iter().all(|place| place.abs() < 1.0 - 2.0 * cell) {
            for (list, place) in points.iter_mut().zip(centre) {
                list.push(place);
            }
            areas.push(area(*a, *b, *c));
        }
    }
    let [x, y, z] = &points;
    let mut results = [(); 4].map(|()| vec![0.0; x.len()]);
    let [value, by_x, by_y, by_z] = &mut results;
    batch
        .evaluator()
        .run(&[x, y, z], &[], &mut [value, by_x, by_y, by_z]);
    let (mut most, mut squares, mut sum) = (0.0_f64, 0.0, 0.0);
    for (place, area) in areas.into_iter().enumerate() {
        let gradient = [by_x[place], by_y[place], by_z[place]];
        let length = gradient.map(|part| part * part).iter().sum::<f64>().sqrt();
        let away = value[place].abs() / length / cell;
        // Where there is no gradient nothing is known.
        if away.is_finite() {
            most = most.max(away);
            squares += away * away * area;
            sum += area;
        }
    }
    Distance {
        most,
        mean: (squares / sum).sqrt(),
    }
}

fn area(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> f64 {
    let along = |to: [f64; 3]| [0, 1, 2].map(|axis| to[axis] - a[axis]);
    let ([x, y, z], [u, v, w]) = (along(b), along(c));
    let across = [y * w - z * v, z * u - x * w, x * v - y * u];
    across.map(|part| part * part).iter().sum::<f64>().sqrt() / 2.0
}
