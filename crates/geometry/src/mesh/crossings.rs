//! Hermite data: points and normals where the surface crosses edges of the grid.
//!
//! Each crossing is bracketed by an end inside and one outside; all edges of a block are searched at once. Normals are
//! exact gradients. Results do not depend on which edges are searched together.

use fibula_core::vector::{Vector, unit};
use fibula_eval::prune::Leaf;
use fibula_eval::{BatchEvaluator, Float};

use super::quadric::Crossing;
use crate::regula_falsi::{Bracket, End};

/// A value of this fraction of its edge's scale counts as 0, but for a last Newton step.
const ZERO: f64 = 1e-3;
/// If that step is a larger fraction of the edge, the value is small because the function is flat: the bracket is
/// narrowed further.
const STEP: f64 = 4e-3;
/// If even this fraction of the difference is left, and the slope leads to no root between the ends, the function
/// jumps, and no gradient describes the surface.
const JUMP: f64 = 1e-2;
/// Brackets shorter than this fraction of the edge are points.
const CLOSE: f64 = 1.0 / 4096.0;
/// Distance inside, as a fraction of the edge, at which the normal is evaluated if it is undefined on the surface
/// itself: exact distances of boxes have no gradient where they are 0.
const ASIDE: f64 = 1.0 / 64.0;
/// Maximum evaluations per edge and narrowing.
const ROUNDS: usize = 32;

/// The search on an edge that the surface crosses.
#[derive(Debug, Clone, Copy)]
pub(super) struct EdgeSearch {
    /// First corner of the edge.
    pub(super) corner: Vector,
    pub(super) axis: usize,
    pub(super) length: f64,
    pub(super) bracket: Bracket,
    /// True if the surface is the side of the box, at the end outside.
    pub(super) is_cap: bool,
    /// Difference of the values at the ends.
    pub(super) difference: f64,
    /// Scale of values that count as 0.
    pub(super) scale: f64,
    /// Approximate position of the crossing.
    pub(super) part: f64,
    /// Value there, as a fraction of the difference.
    pub(super) rest: f64,
}

/// Searches edges; belongs to one thread.
pub(super) struct Roots<'a, T: Float> {
    /// Evaluates the value and its three derivatives.
    gradient: BatchEvaluator<'a, T>,
    /// Unfinished searches.
    open: Vec<u32>,
    /// Searches without a normal on the surface.
    unknown: Vec<u32>,
    points: [Vec<T>; 3],
    results: [Vec<T>; 4],
    pub(super) crossings: Vec<Crossing>,
}

impl<'a, T: Float> Roots<'a, T> {
    pub(super) fn new(gradient: BatchEvaluator<'a, T>) -> Roots<'a, T> {
        Roots {
            gradient,
            open: Vec::new(),
            unknown: Vec::new(),
            points: Default::default(),
            results: Default::default(),
            crossings: Vec::new(),
        }
    }

    /// Finds the crossings of edges in a leaf.
    pub(super) fn find(&mut self, leaf: &mut Leaf<'_, T>, searches: &mut [EdgeSearch]) {
        self.open.clear();
        for (number, search) in searches.iter().enumerate() {
            if !search.is_cap && search.bracket.outside.value != 0.0 {
                self.open.push(number as u32);
            }
        }
        self.narrow(leaf, searches, ZERO);
        self.crossings.clear();
        self.unknown.clear();
        self.ask(searches.iter());
        for (number, search) in searches.iter_mut().enumerate() {
            let step = self.step(number, search);
            let is_known = search.is_cap || search.rest == 0.0 || step.abs() <= STEP;
            let crossing = if is_known || search.bracket.length() <= CLOSE {
                self.crossing(number, step, number, search)
            } else {
                self.open.push(number as u32);
                Crossing::default()
            };
            self.crossings.push(crossing);
        }
        if !self.open.is_empty() {
            let again = self.open.clone();
            self.narrow(leaf, searches, 0.0);
            self.ask(again.iter().map(|&number| &searches[number as usize]));
            for (place, &number) in again.iter().enumerate() {
                let number = number as usize;
                let search = &mut searches[number];
                let step = self.step(place, search);
                self.crossings[number] = self.crossing(place, step, number, search);
            }
        }
        if !self.unknown.is_empty() {
            let unknown = std::mem::take(&mut self.unknown);
            let asides = unknown.iter().map(|&number| {
                let search = &searches[number as usize];
                let Bracket {
                    inside, outside, ..
                } = search.bracket;
                let inwards = (inside.part - outside.part).signum();
                search.at(search.part + inwards * ASIDE)
            });
            fill(&mut self.points, asides);
            self.run();
            for (place, &number) in unknown.iter().enumerate() {
                self.crossings[number as usize].normal = self.direction(place).unwrap_or_default();
            }
            self.unknown = unknown;
        }
    }

    /// Narrows the unfinished searches until values are below a fraction of their scales, or brackets are short.
    fn narrow(&mut self, leaf: &mut Leaf<'_, T>, searches: &mut [EdgeSearch], zero: f64) {
        for round in 0..ROUNDS {
            if self.open.is_empty() {
                break;
            }
            let halves = round >= 3 && round % 2 == 1;
            let points = self.open.iter().map(|&number| {
                let search = &mut searches[number as usize];
                search.part = search.bracket.next(halves);
                search.at(search.part)
            });
            fill(&mut self.points, points);
            let [x, y, z] = &self.points;
            let values = &mut self.results[0];
            values.resize(x.len(), T::ZERO);
            leaf.at(&[x, y, z], &mut [values]);
            let mut values = values.iter();
            self.open.retain(|&number| {
                let search = &mut searches[number as usize];
                let value = values.next().map_or(f64::NAN, |value| value.to_f64());
                search.rest = value.abs() / search.difference;
                search.bracket.narrow(End {
                    part: search.part,
                    value,
                });
                !(search.bracket.length() <= CLOSE || value.abs() <= zero * search.scale)
            });
        }
        self.open.clear();
    }

    /// Evaluates the values and gradients at the positions found.
    fn ask<'s>(&mut self, searches: impl ExactSizeIterator<Item = &'s EdgeSearch>) {
        fill(
            &mut self.points,
            searches.map(|search| search.at(search.part)),
        );
        self.run();
    }

    /// Returns the Newton step along the edge, as a fraction of it.
    fn step(&self, place: usize, search: &EdgeSearch) -> f64 {
        let [value, slope] = [0, 1 + search.axis].map(|of| self.results[of][place].to_f64());
        value / (slope * search.length)
    }

    /// Returns the crossing of an edge, by its index among the points and the step from there; notes its number if its
    /// normal is unknown.
    #[inline]
    fn crossing(
        &mut self,
        place: usize,
        step: f64,
        number: usize,
        search: &mut EdgeSearch,
    ) -> Crossing {
        let mut normal = [0.0; 3];
        if search.is_cap {
            let is_high = search.bracket.outside.part > search.bracket.inside.part;
            normal[search.axis] = if is_high { 1.0 } else { -1.0 };
        } else if search.rest <= JUMP || step.abs() <= search.bracket.length() {
            let better = search.part - step;
            if search.bracket.holds(better) {
                search.part = better;
            }
            if let Some(direction) = self.direction(place) {
                normal = direction;
            } else if search.rest <= JUMP {
                self.unknown.push(number as u32);
            }
        }
        Crossing {
            at: search.at(search.part),
            normal,
        }
    }

    /// Evaluates the values and gradients at some points.
    pub(super) fn evaluate(
        &mut self,
        points: impl ExactSizeIterator<Item = Vector>,
    ) -> impl Iterator<Item = (f64, Vector)> {
        fill(&mut self.points, points);
        self.run();
        let values = self.results[0].iter().enumerate();
        values.map(|(place, value)| (value.to_f64(), self.gradient_at(place)))
    }

    fn run(&mut self) {
        let [x, y, z] = &self.points;
        for result in &mut self.results {
            result.resize(x.len(), T::ZERO);
        }
        let [value, by_x, by_y, by_z] = &mut self.results;
        self.gradient
            .run(&[x, y, z], &[], &mut [value, by_x, by_y, by_z]);
    }

    /// Returns the normalised gradient at a point; `None` if it is 0.
    fn direction(&self, place: usize) -> Option<Vector> {
        unit(self.gradient_at(place))
    }

    fn gradient_at(&self, place: usize) -> Vector {
        let [_, by_x, by_y, by_z] = &self.results;
        [by_x, by_y, by_z].map(|result| result[place].to_f64())
    }
}

/// Replaces lists of coordinates by those of points.
fn fill<T: Float>(lists: &mut [Vec<T>; 3], points: impl ExactSizeIterator<Item = Vector>) {
    let count = points.len();
    for list in &mut *lists {
        list.resize(count, T::ZERO);
    }
    let [x, y, z] = lists;
    for (((x, y), z), at) in x.iter_mut().zip(y).zip(z).zip(points) {
        [*x, *y, *z] = at.map(T::from_f64);
    }
}

impl EdgeSearch {
    fn at(&self, part: f64) -> Vector {
        let mut at = self.corner;
        at[self.axis] += part * self.length;
        at
    }
}
