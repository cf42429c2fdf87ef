//! Where steps lead, each of which changes less than the one before: reduced rank extrapolation (Eddy, Extrapolating to
//! the limit of a vector sequence, 1979).
//!
//! What a step changes shrinks by nearly the same factors in the same few directions, step after step. So there are parts
//! whose sum is 1 and with which the last changes nearly cancel each other; the same parts of the states that followed them
//! are near the end. The parts are found by least squares, from some of the numbers, since they are the same for all.

/// How many changes are weighed against each other.
pub(super) const CHANGES: usize = 4;
/// About how many of the numbers are looked at.
const LOOKED_AT: usize = 4096;

/// Replaces the last state by where it leads to, by the states before it, the first one first; says whether that could be
/// told. A change of a number counts by its weight. O(n).
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

/// The parts with which the changes cancel as far as they can; none if a step changed nothing of what is looked at, or to what is
/// no number.
fn parts(before: &[Vec<f64>; CHANGES], last: &[f64], weights: &[f64]) -> Option<[f64; CHANGES]> {
    let places = (0..last.len()).step_by(last.len().div_ceil(LOOKED_AT).max(1));
    let after = before[1..].iter().map(Vec::as_slice).chain([last]);
    let changes = before.iter().zip(after).map(|(from, to)| {
        let places = places.clone();
        let change = places.map(|place| (to[place] - from[place]) * weights[place]);
        change.collect::<Vec<f64>>()
    });
    let triangle = triangle(changes.collect())?;
    // The product of the triangle, turned over, and itself, times the parts has the same number in every row.
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

/// The upper triangle of lists' orthogonal decomposition (by the modified method of Gram and Schmidt); none if a list is nothing or
/// no numbers. What is new in a list is not taken for less than rounding may make of it.
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

    /// States that go to an end, by changes that shrink by some factors, one after the other.
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
