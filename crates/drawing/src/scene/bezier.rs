//! Cubic Bézier curves.

/// A start, two control points and an end.
pub(crate) type Cubic = [[f64; 2]; 4];

/// Point of a curve at a parameter from 0 to 1, by the Bernstein polynomials.
pub(crate) fn point(curve: &Cubic, t: f64) -> [f64; 2] {
    let rest = 1.0 - t;
    let weights = [
        rest * rest * rest,
        3.0 * rest * rest * t,
        3.0 * rest * t * t,
        t * t * t,
    ];
    [0, 1].map(|axis| {
        let terms = curve.iter().zip(weights);
        terms.map(|(point, weight)| point[axis] * weight).sum()
    })
}

/// Length of the polygon of the control points, which is at least that of the curve.
pub(crate) fn polygon_length(curve: &Cubic) -> f64 {
    let sides = curve.windows(2);
    sides
        .map(|ends| (ends[1][0] - ends[0][0]).hypot(ends[1][1] - ends[0][1]))
        .sum()
}
