//! Laws of every oracle.

use fibula_nodes::{Bounds, Oracle};

pub(crate) fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i] * b[j] - a[j] * b[i]
    })
}

pub(crate) fn length(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

/// Points of a block are answered as if alone, in whatever order they come.
pub(crate) fn check_block(oracle: &dyn Oracle, points: &[[f64; 3]], channel: u8) {
    let alone: Vec<u64> = points
        .iter()
        .map(|&at| oracle.sample(at, channel).to_bits())
        .collect();
    let lists: [Vec<f64>; 3] = [0, 1, 2].map(|axis| points.iter().map(|at| at[axis]).collect());
    let mut results = vec![0.0; points.len()];
    oracle.sample_block([&lists[0], &lists[1], &lists[2]], channel, &mut results);
    let together: Vec<u64> = results.into_iter().map(f64::to_bits).collect();
    assert_eq!(alone, together);
}

/// Bounds of the box between two points hold at its corners, and at points that are given by shares of its sides.
pub(crate) fn check_bounds(
    oracle: &dyn Oracle,
    [a, b]: [[f64; 3]; 2],
    shares: &[[f64; 3]],
    channel: u8,
) -> Bounds {
    let low: [f64; 3] = std::array::from_fn(|k| a[k].min(b[k]));
    let high: [f64; 3] = std::array::from_fn(|k| a[k].max(b[k]));
    let bounds = oracle.bounds(low, high, channel);
    assert!(!bounds.undefined);
    let corners = (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2 & 1].map(f64::from));
    for share in corners.chain(shares.iter().copied()) {
        let at = std::array::from_fn(|k| {
            (low[k] + (high[k] - low[k]) * share[k]).clamp(low[k], high[k])
        });
        let value = oracle.sample(at, channel);
        assert!(
            bounds.low <= value && value <= bounds.high,
            "{value} at {at:?} is not in {bounds:?}, of {low:?} to {high:?}"
        );
    }
    bounds
}

/// The slopes of what is sampled, and whether they are the same on both sides.
pub(crate) fn slopes(
    oracle: &dyn Oracle,
    at: [f64; 3],
    channel: u8,
    step: f64,
) -> Option<[f64; 3]> {
    let here = oracle.sample(at, channel);
    let mut slopes = [0.0; 3];
    for axis in 0..3 {
        let moved = |by: f64| {
            let mut to = at;
            to[axis] += by;
            oracle.sample(to, channel)
        };
        let (back, forth) = ((here - moved(-step)) / step, (moved(step) - here) / step);
        if (back - forth).abs() > 1e-3 {
            return None;
        }
        slopes[axis] = f64::midpoint(back, forth);
    }
    Some(slopes)
}

/// The gradient is that of what is sampled, wherever it has one; says whether it has.
pub(crate) fn check_gradient(oracle: &dyn Oracle, at: [f64; 3], channel: u8, step: f64) -> bool {
    let gradient = oracle.gradient(at, channel);
    let Some(slopes) = slopes(oracle, at, channel, step) else {
        return false;
    };
    // Second derivatives are less than 1e3 where both sides agree, and rounding is less than 1e-15.
    let off = length(sub(gradient, slopes));
    assert!(off < 2e-3, "{gradient:?} is not {slopes:?} at {at:?}");
    true
}

/// No point without a place has an answer, and none is fatal.
pub(crate) fn check_nowhere(oracle: &dyn Oracle, channel: u8) {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for axis in 0..3 {
            let mut at = [0.25, 0.5, 0.75];
            at[axis] = bad;
            assert!(oracle.sample(at, channel).is_nan());
            assert!(oracle.gradient(at, channel).iter().any(|x| x.is_nan()));
            let (mut low, mut high) = ([0.0; 3], [1.0; 3]);
            low[axis] = bad.min(0.0);
            high[axis] = bad.max(1.0);
            if bad.is_nan() {
                low[axis] = bad;
            }
            assert!(oracle.bounds(low, high, channel).undefined);
            check_block(oracle, &[[0.1; 3], at, [0.2; 3]], channel);
        }
    }
}
