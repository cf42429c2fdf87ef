//! Cuts of a domain: the faces of a box through which a shape goes on.
//!
//! Faces are sampled at a low-discrepancy sequence (Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences",
//! 2018), which also meets walls that are parallel to an axis. The samples are slightly beyond the box, so that a shape
//! that ends exactly at a face is not cut. On faces without a sample inside, the function is followed downhill from the
//! lowest samples by compass search (Kolda, Lewis, Torczon, "Optimization by Direct Search", 2003), which leads to pins
//! and ribs that are thinner than the samples are apart.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use fibula_core::vector::Vector;
use fibula_eval::{Rounding, Settings};

use super::bounds::Bounds;
use super::sample::Sampler;
use super::shape::Shape;

/// Least and most samples of a face, and of the inside.
const SAMPLES: [usize; 2] = [64, 4_096];
/// Distance of the samples from the box, as a fraction of its size along the axis.
const BEYOND: f64 = 1e-6;
/// Maximum number of samples of a face from which the function is followed downhill, and steps of each.
const STARTS: usize = 16;
const STEPS: usize = 24;
/// Directions of a step.
const DIRECTIONS: usize = 4;

/// A face of a box that cuts a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DomainCut {
    /// Axis that is normal to the face: 0 to 2.
    pub axis: usize,
    /// True for the face with the larger coordinate.
    pub is_high: bool,
    /// Coordinate of the face.
    pub at: f64,
    /// Share of the face that is inside the shape, above 0 and at most 1; less than that of a sample if none is inside.
    pub share: f64,
}

/// Returns the faces of a box that cut a shape, in the order of the axes, the lower one first.
///
/// Samples up to 4096 points of each face, and follows the function downhill from the lowest of them: cuts to which no value
/// leads may be missed. All samples together take at most twice `operations`, but a face has at least 64, and 96 downhill.
pub fn domain_cuts(shape: &Shape<'_>, bounds: &Bounds, operations: usize) -> Vec<DomainCut> {
    let each = samples(shape, operations / 6);
    let size = bounds.size();
    let mut points: [Vec<f64>; 3] = Default::default();
    for (axis, is_high) in FACES {
        let beyond = if is_high { 1.0 + BEYOND } else { -BEYOND };
        for index in 0..each {
            let fractions =
                [0.754_877_666, 0.569_840_291].map(|step| (step * (index as f64 + 0.5)).fract());
            for (other, coordinates) in points.iter_mut().enumerate() {
                let fraction = match other.cmp(&axis) {
                    Ordering::Less => fractions[other],
                    Ordering::Equal => beyond,
                    Ordering::Greater => fractions[other - 1],
                };
                coordinates.push(bounds.low()[other] + size[other] * fraction);
            }
        }
    }
    let sampler = sampler(shape);
    let values = sampled(&sampler, &points);
    let mut cuts = Vec::new();
    for (face, (axis, is_high)) in FACES.into_iter().enumerate() {
        let own = face * each..(face + 1) * each;
        let inside = values[own.clone()].iter().filter(|value| **value < 0.0);
        let mut part = inside.count() as f64 / each as f64;
        if part == 0.0 {
            let places = own.map(|index| (points.each_ref().map(|all| all[index]), values[index]));
            let is_cut = leads_inside(&sampler, places.collect(), bounds, axis);
            part = if is_cut { 0.5 / each as f64 } else { 0.0 };
        }
        if part > 0.0 {
            let at = [bounds.low(), bounds.high()][usize::from(is_high)][axis];
            cuts.push(DomainCut {
                axis,
                is_high,
                at,
                share: part,
            });
        }
    }
    cuts
}

/// Follows a function downhill on a face from its lowest samples, each a point and its value; true if that leads inside.
fn leads_inside(
    sampler: &Sampler<f64>,
    mut starts: Vec<(Vector, f64)>,
    bounds: &Bounds,
    axis: usize,
) -> bool {
    starts.retain(|(_, value)| value.is_finite());
    starts.sort_unstable_by(|(_, one), (_, other)| one.total_cmp(other));
    let spacing = 2.0 / (starts.len().max(1) as f64).sqrt();
    // As many samples again as the face has, at most.
    starts.truncate((starts.len() / (STEPS * DIRECTIONS)).clamp(1, STARTS));
    let (low, high, size) = (bounds.low(), bounds.high(), bounds.size());
    let [first, second] = [(axis + 1) % 3, (axis + 2) % 3];
    let mut steps = vec![spacing; starts.len()];
    for _ in 0..STEPS {
        let mut points: [Vec<f64>; 3] = Default::default();
        for ((at, _), step) in starts.iter().zip(&steps) {
            let directions: [(usize, f64); DIRECTIONS] =
                [(first, 1.0), (first, -1.0), (second, 1.0), (second, -1.0)];
            for (along, sign) in directions {
                let mut next = *at;
                let moved = at[along] + sign * step * size[along];
                next[along] = moved.clamp(low[along], high[along]);
                for (coordinates, value) in points.iter_mut().zip(next) {
                    coordinates.push(value);
                }
            }
        }
        let values = sampled(sampler, &points);
        for (start, (at, value)) in starts.iter_mut().enumerate() {
            let own = DIRECTIONS * start..DIRECTIONS * (start + 1);
            let own = own.filter(|&index| !values[index].is_nan());
            let lowest = own.min_by(|one, other| values[*one].total_cmp(&values[*other]));
            let Some(lowest) = lowest.filter(|&lowest| values[lowest] < *value) else {
                steps[start] /= 2.0;
                continue;
            };
            *value = values[lowest];
            *at = points.each_ref().map(|all| all[lowest]);
        }
        if starts.iter().any(|(_, value)| *value < 0.0) {
            return true;
        }
    }
    false
}

/// True if some of up to 4096 points in a box are inside a shape, which take at most about `operations`: a small part of
/// the shape may be missed.
pub fn is_met(shape: &Shape<'_>, bounds: &Bounds, operations: usize) -> bool {
    let (low, size) = (bounds.low(), bounds.size());
    let steps = [0.819_172_513, 0.671_043_607, 0.549_700_478];
    let indexes = 0..samples(shape, operations);
    let points = std::array::from_fn(|axis| {
        let fraction = |index| (steps[axis] * (index as f64 + 0.5)).fract();
        let places = indexes.clone().map(fraction);
        places.map(|place| low[axis] + size[axis] * place).collect()
    });
    let values = sampled(&sampler(shape), &points);
    values.into_iter().any(|value| value < 0.0)
}

/// Number of samples that take at most so many operations.
fn samples(shape: &Shape<'_>, operations: usize) -> usize {
    let count = operations / shape.cost().max(1);
    count.clamp(SAMPLES[0], SAMPLES[1])
}

/// Sampler of the values of a shape.
fn sampler(shape: &Shape<'_>) -> Sampler<f64> {
    let code = shape.code(Rounding::Exact, &[shape.value()], |_, at| at);
    Sampler::from_code(&code, Settings::default())
}

/// Values at points, given by their coordinates.
fn sampled(sampler: &Sampler<f64>, points: &[Vec<f64>; 3]) -> Vec<f64> {
    let mut values = vec![f64::NAN; points[0].len()];
    // The watch never cancels; otherwise values that are missing would count as outside.
    let _ = sampler.points(
        &[&points[0], &points[1], &points[2]],
        &mut [&mut values],
        &|_, _| ControlFlow::Continue(()),
    );
    values
}

/// Axes of the faces; true for the face with the larger coordinate.
const FACES: [(usize, bool); 6] = [
    (0, false),
    (0, true),
    (1, false),
    (1, true),
    (2, false),
    (2, true),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::tape;

    /// Checks the faces and shares of the cuts of an expression by a box.
    fn check(text: &str, low: [f64; 3], high: [f64; 3], expected: &[(usize, bool, f64)]) {
        let tape = tape(text);
        let bounds = Bounds::new(low, high).unwrap();
        let cuts = domain_cuts(&Shape::new(&tape).unwrap(), &bounds, 10_000_000);
        let faces: Vec<_> = cuts.iter().map(|cut| (cut.axis, cut.is_high)).collect();
        let wanted: Vec<_> = expected
            .iter()
            .map(|(axis, is_high, _)| (*axis, *is_high))
            .collect();
        assert_eq!(faces, wanted, "{text}");
        for (cut, (.., share)) in cuts.iter().zip(expected) {
            assert!((cut.share - share).abs() < 0.005, "{text}: {cut:?}");
        }
    }

    #[test]
    fn a_box_meets_a_shape_or_not() {
        let tape = tape("length(pos) - 5");
        let shape = Shape::new(&tape).unwrap();
        for (low, high, expected) in [
            ([-6.0; 3], [6.0; 3], true),
            ([-20.0; 3], [20.0; 3], true),
            ([2.0; 3], [9.0; 3], true),
            ([20.0; 3], [30.0; 3], false),
            ([4.0; 3], [6.0; 3], false),
        ] {
            let bounds = Bounds::new(low, high).unwrap();
            assert_eq!(is_met(&shape, &bounds, 1_000_000), expected, "{low:?}");
        }
    }

    #[test]
    fn faces_that_cut_are_found_with_their_shares() {
        check("length(pos) - 5", [-6.0; 3], [6.0; 3], &[]);
        let pi = std::f64::consts::PI;
        let disc = 16.0 * pi / 144.0;
        check(
            "length(pos) - 5",
            [-6.0; 3],
            [6.0, 3.0, 6.0],
            &[(1, true, disc)],
        );
        // A shape that ends at the box is not cut; a thin wall is.
        check(
            "max(max(abs(x), abs(y)), abs(z)) - 5",
            [-5.0; 3],
            [5.0; 3],
            &[],
        );
        check(
            "max(abs(x - 0.37) - 0.05, z - 4)",
            [-5.0; 3],
            [5.0; 3],
            &[
                (1, false, 0.01 * 0.9),
                (1, true, 0.01 * 0.9),
                (2, false, 0.01),
            ],
        );
        // Pins thinner than the samples are apart.
        check(
            "min(length(vec3(max(abs(x) - 50, 0), max(abs(y) - 50, 0), max(abs(z) - 5, 0))), length(vec3(x - 31, y - 17, 0)) - 0.1)",
            [-60.0, -60.0, -10.0],
            [60.0, 60.0, 10.0],
            &[(2, false, 0.0), (2, true, 0.0)],
        );
        check(
            "min(length(pos) - 20, length(vec3(x, y, 0)) - 0.075)",
            [-30.0; 3],
            [30.0; 3],
            &[(2, false, 0.0), (2, true, 0.0)],
        );
        let whole = |axis| [(axis, false, 1.0), (axis, true, 1.0)];
        let all = [whole(0), whole(1), whole(2)].concat();
        check("x * 0 - 1", [-5.0; 3], [5.0; 3], &all);
    }
}
