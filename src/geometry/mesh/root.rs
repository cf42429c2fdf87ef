//! Where the surface crosses edges of the grid, and how it lies there.
//!
//! A crossing is looked for between an end inside and one outside, for all edges of a block at once. The direction of
//! the surface is that of the exact gradient. Nothing depends on which edges are searched together.

use fibula_eval::prune::Leaf;
use fibula_eval::{BatchEvaluator, Float};

use super::quadric::Crossing;
use crate::geometry::bracket::{Bracket, End};
use crate::vector::{Vector, finite, unit};

/// A value that is this part of the difference between the ends is 0.
const ZERO: f64 = 1e-5;
/// Where even this part is left, the values jump, and there is no gradient that tells how the surface lies.
const JUMP: f64 = 1e-2;
/// Ends this part of the edge apart are one place.
const CLOSE: f64 = 1.0 / 4096.0;
/// How far inside, as a part of the edge, the direction is asked again where it is unknown on the surface itself: exact
/// distances of boxes have no gradient where they are 0.
const ASIDE: f64 = 1.0 / 64.0;
/// The most evaluations for one edge.
const ROUNDS: usize = 16;

/// An edge that the surface crosses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search {
    /// The first corner.
    pub(super) corner: Vector,
    pub(super) axis: usize,
    pub(super) length: f64,
    pub(super) bracket: Bracket,
    /// Whether the surface is the side of the box, at the end that is outside.
    pub(super) is_cap: bool,
    /// By how much the values of the ends differ.
    pub(super) difference: f64,
}

/// What is needed to search; belongs to one thread.
pub(super) struct Roots<'a, T: Float> {
    /// The value and its three derivatives.
    gradient: BatchEvaluator<'a, T>,
    open: Vec<u32>,
    /// The values where the edges are crossed, as parts of the differences between the ends.
    rests: Vec<f64>,
    points: [Vec<T>; 3],
    results: [Vec<T>; 4],
    /// Where each of the edges is crossed, as part of its length.
    pub(super) parts: Vec<f64>,
    /// The places and directions.
    pub(super) crossings: Vec<Crossing>,
}

impl<'a, T: Float> Roots<'a, T> {
    pub(super) fn new(gradient: BatchEvaluator<'a, T>) -> Roots<'a, T> {
        Roots {
            gradient,
            open: Vec::new(),
            rests: Vec::new(),
            points: Default::default(),
            results: Default::default(),
            parts: Vec::new(),
            crossings: Vec::new(),
        }
    }

    /// Finds the crossings of edges in a leaf.
    pub(super) fn find(&mut self, leaf: &mut Leaf<'_, T>, searches: &mut [Search]) {
        self.parts.clear();
        self.parts.resize(searches.len(), 0.0);
        self.rests.clear();
        self.rests.resize(searches.len(), 0.0);
        self.open.clear();
        for (number, search) in searches.iter().enumerate() {
            let outside = search.bracket.outside;
            if search.is_cap || outside.value == 0.0 {
                self.parts[number] = outside.part;
            } else {
                self.open.push(number as u32);
            }
        }
        for round in 0..ROUNDS {
            if self.open.is_empty() {
                break;
            }
            self.clear_points();
            for &number in &self.open {
                let search = &searches[number as usize];
                let part = search.bracket.next(round >= 3 && round % 2 == 1);
                self.parts[number as usize] = part;
                push(&mut self.points, search.at(part));
            }
            let [x, y, z] = &self.points;
            let values = &mut self.results[0];
            values.resize(x.len(), T::ZERO);
            leaf.at(&[x, y, z], &mut [values]);
            let mut place = 0;
            let (parts, rests, values) = (&self.parts, &mut self.rests, &self.results[0]);
            self.open.retain(|&number| {
                let end = End {
                    part: parts[number as usize],
                    value: values[place].wide(),
                };
                place += 1;
                let search = &mut searches[number as usize];
                let rest = &mut rests[number as usize];
                *rest = end.value.abs() / search.difference;
                search.bracket.narrow(end);
                !(search.bracket.length() <= CLOSE || *rest <= ZERO)
            });
        }
        self.clear_points();
        self.crossings.clear();
        for (search, &part) in searches.iter().zip(&self.parts) {
            let at = search.at(part);
            push(&mut self.points, at);
            self.crossings.push(Crossing {
                at,
                normal: [0.0; 3],
            });
        }
        self.directions(searches);
        self.open.clear();
        for (number, search) in searches.iter().enumerate() {
            let normal = self.crossings[number].normal;
            let is_unknown = normal.iter().all(|part| *part == 0.0);
            if is_unknown && !search.is_cap && self.rests[number] <= JUMP {
                self.open.push(number as u32);
            }
        }
        if !self.open.is_empty() {
            self.clear_points();
            for &number in &self.open {
                let search = &searches[number as usize];
                let Bracket {
                    inside, outside, ..
                } = search.bracket;
                let inwards = (inside.part - outside.part).signum();
                push(
                    &mut self.points,
                    search.at(self.parts[number as usize] + inwards * ASIDE),
                );
            }
            self.run();
            for (place, &number) in self.open.iter().enumerate() {
                self.crossings[number as usize].normal = self.direction(place);
            }
        }
    }

    fn clear_points(&mut self) {
        for points in &mut self.points {
            points.clear();
        }
    }

    fn directions(&mut self, searches: &[Search]) {
        self.run();
        for (number, search) in searches.iter().enumerate() {
            if search.is_cap {
                let is_high = search.bracket.outside.part > search.bracket.inside.part;
                self.crossings[number].normal[search.axis] = if is_high { 1.0 } else { -1.0 };
            } else if self.rests[number] <= JUMP {
                self.crossings[number].normal = self.direction(number);
            }
        }
    }

    /// Asks for the gradients at the points.
    fn run(&mut self) {
        let [x, y, z] = &self.points;
        for result in &mut self.results {
            result.resize(x.len(), T::ZERO);
        }
        let [value, by_x, by_y, by_z] = &mut self.results;
        self.gradient
            .run(&[x, y, z], &[], &mut [value, by_x, by_y, by_z]);
    }

    /// The direction of the gradient at a point; 0 if it is none, since nothing is known then.
    fn direction(&self, place: usize) -> Vector {
        let [_, by_x, by_y, by_z] = &self.results;
        let gradient = [by_x, by_y, by_z].map(|result| result[place].wide());
        let direction = unit(gradient).filter(|_| finite(gradient));
        direction.filter(|at| finite(*at)).unwrap_or_default()
    }
}

fn push<T: Float>(points: &mut [Vec<T>; 3], at: Vector) {
    for (points, x) in points.iter_mut().zip(at) {
        points.push(T::of(x));
    }
}

impl Search {
    fn at(&self, part: f64) -> Vector {
        let mut at = self.corner;
        at[self.axis] += part * self.length;
        at
    }
}
