//! Convergence acceleration of vector sequences: reduced rank extrapolation (Eddy, Extrapolating to the limit of a
//! vector sequence, 1979).
//!
//! Near the limit the differences of successive states shrink by nearly constant factors in a few directions.
//! Coefficients with the sum 1 are chosen such that the combination of the last differences is least; the same
//! combination of states approximates the limit. They are found by least squares on a subset of the elements.

/// Number of differences combined.
pub(super) const CHANGES: usize = 4;
/// Approximate number of elements used for the least squares.
const LOOKED_AT: usize = 4096;

/// Replaces the last state by the extrapolated limit of `before` and itself; returns false and leaves it unchanged if
/// there is none. Differences are weighted by `weights`. O(n).
pub(super) fn extrapolate(before: &[Vec<f64>; CHANGES], last: &mut [f64], weights: &[f64]) -> bool {
    let Some(parts) = parts(before, last, weights) else {
        return false;
    };
    let (after, own) = (&before[1..], parts[CHANGES - 1]);
    for (place, last) in last.iter_mut().enumerate() {
        let earlier = after.iter().zip(parts);
        let sum: f64 = earlier.map(|(state, part)| part * state[place]).sum();
        *last = sum + own * *last;
    }
    true
}

/// Coefficients of the combination; `None` if a difference is zero or not finite.
fn parts(before: &[Vec<f64>; CHANGES], last: &[f64], weights: &[f64]) -> Option<[f64; CHANGES]> {
    let places = (0..last.len()).step_by(last.len().div_ceil(LOOKED_AT).max(1));
    let after = before[1..].iter().map(Vec::as_slice).chain([last]);
    let changes = before.iter().zip(after).map(|(from, to)| {
        let places = places.clone();
        let change = places.map(|place| (to[place] - from[place]) * weights[place]);
        change.collect::<Vec<f64>>()
    });
    let triangle = triangle(changes.collect())?;
    // Solves RᵀR x = 1.
    let mut parts = [1.0; CHANGES];
    for row in 0..CHANGES {
        let known: f64 = (0..row).map(|k| triangle[k][row] * parts[k]).sum();
        parts[row] = (parts[row] - known) / triangle[row][row];
    }
    for row in (0..CHANGES).rev() {
        let known: f64 = (row + 1..CHANGES)
            .map(|k| triangle[row][k] * parts[k])
            .sum();
        parts[row] = (parts[row] - known) / triangle[row][row];
    }
    let sum: f64 = parts.iter().sum();
    let parts = parts.map(|part| part / sum);
    parts.iter().all(|part| part.is_finite()).then_some(parts)
}

/// The triangle R of the QR decomposition (modified Gram-Schmidt); `None` if a column is zero or not finite. Diagonal
/// elements are not below the rounding error.
fn triangle(mut lists: Vec<Vec<f64>>) -> Option<[[f64; CHANGES]; CHANGES]> {
    const ROUNDING: f64 = 1e-12;
    let mut triangle = [[0.0; CHANGES]; CHANGES];
    for row in 0..CHANGES {
        let before = triangle[..row].iter();
        let known: f64 = before.map(|values| values[row] * values[row]).sum();
        let (own, rest) = lists[row..].split_first_mut()?;
        let square = product(own, own);
        let (length, least) = (square.sqrt(), ROUNDING * (known + square).sqrt());
        if !(least > 0.0 && length.is_finite()) {
            return None;
        }
        triangle[row][row] = length.max(least);
        if length <= least {
            continue;
        }
        for (column, other) in (row + 1..).zip(rest) {
            let along = product(own, other) / length;
            triangle[row][column] = along;
            for (other, own) in other.iter_mut().zip(&*own) {
                *other -= along * (own / length);
            }
        }
    }
    Some(triangle)
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States that converge to `end` by differences that shrink by the factors in turn.
    fn states(end: &[f64], factors: &[f64]) -> ([Vec<f64>; CHANGES], Vec<f64>) {
        let state = |step: usize| {
            let number = |(place, end): (usize, &f64)| {
                let factor = factors[place % factors.len()];
                end + (1.0 + place as f64) * factor.powi(step as i32)
            };
            end.iter().enumerate().map(number).collect::<Vec<f64>>()
        };
        (std::array::from_fn(state), state(CHANGES))
    }

    #[test]
    fn it_leads_to_the_end_where_there_are_few_factors() {
        let end: Vec<f64> = (0..20_000).map(|place| f64::from(place % 7)).collect();
        let weights = vec![0.5; end.len()];
        let farthest = |state: &[f64]| {
            let away = state.iter().zip(&end).map(|(a, b)| (a - b).abs());
            away.fold(0.0, f64::max)
        };
        for factors in [&[0.9, -0.5, 0.7][..], &[0.9, 0.8], &[0.5]] {
            let (before, mut last) = states(&end, factors);
            assert!(farthest(&last) > 1e3);
            assert!(extrapolate(&before, &mut last, &weights));
            assert!(farthest(&last) < 1e-3, "{factors:?}: {}", farthest(&last));
        }
    }

    #[test]
    fn nothing_is_told_of_states_that_do_not_change_or_are_no_numbers() {
        let end = vec![1.0; 10];
        for factors in [&[1.0][..], &[0.0], &[f64::NAN], &[f64::INFINITY]] {
            let (before, mut last) = states(&end, factors);
            let old = last.clone();
            let is_told = extrapolate(&before, &mut last, &[1.0; 10]);
            assert!(!is_told, "{factors:?}");
            assert_eq!(format!("{last:?}"), format!("{old:?}"));
        }
        let (before, mut last) = states(&[], &[0.5]);
        assert!(!extrapolate(&before, &mut last, &[]));
    }
}
