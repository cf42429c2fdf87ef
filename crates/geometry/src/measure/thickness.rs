//! Wall thickness and gap width, by ray casting.
//!
//! A ray goes from the centre of every triangle of a mesh straight into the material, or out of it, to the first
//! triangle that it hits. Where the two surfaces face away from each other, or each other, within 45 degrees, they are
//! the sides of a wall or a gap; otherwise they are sides of an edge, at which every shape is arbitrarily thin. The
//! shortest of these ways are verified with the function itself: they must lie in the material, or outside, all along.
//! Then a compass search looks for shorter ways beside them, now straight from the function's own surface. The result
//! is thus a way that really exists, and not shorter than the thinnest wall.

use fibula_core::vector::{Vector, add, aside, cross, dot, length, scale, sub, unit};
use fibula_eval::PointEvaluator;
use rayon::prelude::*;

use super::bvh::Bvh;
use super::stage::Stage;
use crate::{Bounds, Cancelled, TriangleMesh};

/// Minimum ratio of a way to the cells of a mesh that resolves it.
pub(super) const TELLING: f64 = 1.5;
/// Cosine of the maximum angle between two sides and parallel ones: 45 degrees.
pub(super) const FACING: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// Cosine of the maximum angle between directions that count as parallel: 11 degrees.
pub(super) const PARALLEL: f64 = 0.98;
/// Triangles with a smaller doubled area, in squares of a cell, have arbitrary normals.
const SLIVER: f64 = 1e-3;
/// Length of rays at first, in cells, and the factor by which they are extended.
const NEAR: f64 = 4.0;
const FARTHER: f64 = 4.0;
/// Length in cells beyond which rays are followed to their ends.
const ALL: f64 = 100.0;
/// Points on a way at which the function is evaluated.
const ASKED: usize = 8;
/// Slopes of one side to the other on which an optimisation may end, as angles, and the distance in cells over which they may
/// go on.
const GENTLE: std::ops::Range<f64> = 1e-5..0.01;
const SLIDE: f64 = 4.0;
/// Maximum steps of the compass search.
const MOVES: usize = 24;
/// Newton steps towards the surface.
const STEPS: usize = 4;
/// Distances behind the surface of the mesh, in cells, at which that of the function is searched.
const BEHIND: [f64; 3] = [0.1, 0.25, 0.5];
/// Bisections between a point inside and one outside.
const HALVINGS: usize = 40;

/// Medium between the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Medium {
    /// Material: a wall.
    Wall,
    /// Empty space: a gap.
    Gap,
}

impl Medium {
    /// Direction of rays along the outward normal.
    fn sign(self) -> f64 {
        match self {
            Medium::Wall => -1.0,
            Medium::Gap => 1.0,
        }
    }
}

/// A segment between two points of the surface.
pub(super) type Way = [Vector; 2];

/// The function and its gradient, its bounds, and the cell size.
pub(super) struct Probe<'a> {
    pub(super) bounds: Bounds,
    pub(super) function: PointEvaluator<'a>,
    pub(super) cell: f64,
}

/// Length of a way.
pub(super) fn long([from, to]: Way) -> f64 {
    length(sub(to, from))
}

/// Bisects the interval between a number at which a predicate holds and one at which it fails; returns both ends.
pub(super) fn halved(
    mut holds: f64,
    mut fails: f64,
    mut does_hold: impl FnMut(f64) -> bool,
) -> [f64; 2] {
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(holds, fails);
        if does_hold(middle) {
            holds = middle;
        } else {
            fails = middle;
        }
    }
    [holds, fails]
}

/// Ways from the centres of triangles, the shortest first. Rays are followed only as far as requested: most
/// measurements need the shortest ways only, and most rays hit nothing near.
pub(super) struct ShortestWays<'a> {
    mesh: &'a TriangleMesh,
    rays: &'a Bvh<'a>,
    cell: f64,
    medium: Medium,
    /// Ways found so far, with their lengths, in order; complete up to `reach`.
    found: Vec<(f64, Way)>,
    reach: f64,
    /// Triangles whose rays have hit nothing so far.
    open: Vec<u32>,
    stage: Stage<'a>,
    /// Share of the stage that is reported.
    told: f64,
}

/// A way with its length, or the triangle of a ray that has hit nothing so far.
type RayResult = Result<(f64, Way), u32>;

impl<'a> ShortestWays<'a> {
    pub(super) fn new(
        mesh: &'a TriangleMesh,
        rays: &'a Bvh<'a>,
        cell: f64,
        medium: Medium,
        stage: Stage<'a>,
    ) -> ShortestWays<'a> {
        ShortestWays {
            mesh,
            rays,
            cell,
            medium,
            found: Vec::new(),
            reach: 0.0,
            open: (0..mesh.triangles().len() as u32).collect(),
            stage,
            told: 0.0,
        }
    }

    /// Returns a way by its index, if there is one that is not longer than `enough`.
    pub(super) fn get(
        &mut self,
        number: usize,
        enough: Option<f64>,
    ) -> Result<Option<(f64, Way)>, Cancelled> {
        let enough = enough.unwrap_or(f64::INFINITY);
        while number >= self.found.len() && self.reach < enough && !self.open.is_empty() {
            self.follow(enough)?;
        }
        Ok(self.found.get(number).copied())
    }

    /// Extends the rays, but not beyond `enough`.
    fn follow(&mut self, enough: f64) -> Result<(), Cancelled> {
        let next = (self.reach * FARTHER).max(NEAR * self.cell);
        let is_last = next > ALL * self.cell;
        let next = if is_last { f64::INFINITY } else { next }.min(enough);
        let reach = [self.reach.max(1e-6 * self.cell), next];
        let from = self.told;
        self.told = if is_last { 1.0 } else { from.midpoint(1.0) };
        let open = std::mem::take(&mut self.open);
        let stage = self.stage.part(from, self.told);
        let rays = stage.pieces(open.len(), |range| {
            let rays = open[range]
                .iter()
                .filter_map(|&triangle| self.ray(triangle, reach));
            rays.collect()
        })?;
        let mut found = Vec::new();
        for ray in rays {
            match ray {
                Ok(way) => found.push(way),
                Err(triangle) => self.open.push(triangle),
            }
        }
        found.par_sort_unstable_by(|one, other| {
            let length = one.0.total_cmp(&other.0);
            length.then_with(|| one.1.partial_cmp(&other.1).unwrap_or(length))
        });
        self.found.append(&mut found);
        self.reach = next;
        Ok(())
    }

    /// Asks the watch whether to go on.
    pub(super) fn check(&self) -> Result<(), Cancelled> {
        self.stage.part(self.told, self.told).check()
    }

    fn across(&self, triangle: u32) -> Vector {
        let [a, b, c] = self.mesh.corners(triangle as usize);
        cross(sub(b, a), sub(c, a))
    }

    /// Casts the ray of a triangle; `None` if it has none or ends at no side.
    fn ray(&self, triangle: u32, reach: [f64; 2]) -> Option<RayResult> {
        let area = self.across(triangle);
        if length(area) < SLIVER * self.cell * self.cell {
            return None;
        }
        let along = scale(unit(area)?, self.medium.sign());
        let [a, b, c] = self.mesh.corners(triangle as usize);
        let from = scale(add(add(a, b), c), 1.0 / 3.0);
        let Some(hit) = self.rays.first(from, along, reach, triangle) else {
            return Some(Err(triangle));
        };
        let other = unit(self.across(hit.triangle))?;
        let facing = -self.medium.sign() * dot(along, other);
        let to = add(from, scale(along, hit.distance));
        (facing >= FACING).then_some(Ok((hit.distance, [from, to])))
    }
}

impl Probe<'_> {
    /// Evaluates the function and its gradient.
    pub(super) fn ask(&mut self, at: Vector) -> (f64, Vector) {
        let mut results = [0.0; 4];
        self.function.run(&at, &mut results);
        let [value, gradient @ ..] = results;
        (value, gradient)
    }

    /// True if a point is in the material.
    pub(super) fn is_inside(&mut self, at: Vector) -> bool {
        self.bounds.contains(at) && self.ask(at).0 < 0.0
    }

    /// True if a point is in the medium.
    fn is_on(&mut self, at: Vector, medium: Medium) -> bool {
        let is_inside = self.is_inside(at);
        is_inside == (medium == Medium::Wall)
    }

    /// True if all of a way is in the medium.
    pub(super) fn is_clear(&mut self, [from, to]: Way, medium: Medium) -> bool {
        (0..ASKED).all(|place| {
            let share = (place as f64 + 0.5) / ASKED as f64;
            self.is_on(add(from, scale(sub(to, from), share)), medium)
        })
    }

    /// Moves the ends of a way onto the function's surface; `None` if that is not where the mesh is.
    pub(super) fn trimmed(&mut self, way: Way, medium: Medium) -> Option<Way> {
        let [from, to] = way;
        Some([self.end(from, to, medium)?, self.end(to, from, medium)?])
    }

    /// Returns the end of a way towards another point.
    fn end(&mut self, at: Vector, other: Vector, medium: Medium) -> Option<Vector> {
        let along = sub(other, at);
        let place = |share: f64| add(at, scale(along, share));
        let reach = self.cell / length(along);
        let before = BEHIND
            .into_iter()
            .map(|cells| -cells * reach)
            .find(|&share| !self.is_on(place(share), medium))?;
        let after = 0.5;
        if !self.is_on(place(after), medium) {
            return None;
        }
        let [after, before] = halved(after, before, |share| self.is_on(place(share), medium));
        Some(place(f64::midpoint(before, after)))
    }

    /// Finds the shortest way near this one that begins perpendicular to the surface, by compass search; `None` if this
    /// one is oblique, as those from triangles at edges are, and there is no other beside it.
    pub(super) fn settled(&mut self, way: Way, medium: Medium) -> Option<Way> {
        let cast = self.cast(way[0], long(way), medium);
        let Some(mut best) = cast.or_else(|| self.straightened(way, medium)) else {
            return (!self.is_oblique(way)).then_some(way);
        };
        let mut step = 0.5 * self.cell;
        for _ in 0..MOVES {
            let [from, to] = best;
            let across = |along| Some((along, unit(cross(along, aside(along)))?));
            let Some((along, across)) = unit(sub(to, from)).and_then(across) else {
                break;
            };
            let sides = [across, cross(along, across)];
            let all = [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)];
            let shorter = all.into_iter().find_map(|(side, sign)| {
                let at = self.onto(add(from, scale(sides[side], sign * step)))?;
                let next = self.cast(at, long(best), medium)?;
                let is_near = long([at, way[0]]) < 2.0 * self.cell;
                (is_near && long(next) < long(best) * (1.0 - 1e-9)).then_some(next)
            });
            match shorter {
                Some(shorter) => best = shorter,
                None => step /= 2.0,
            }
        }
        Some(best)
    }

    /// Returns the way that begins where this one does, but perpendicular to the surface.
    fn straightened(&mut self, way: Way, medium: Medium) -> Option<Way> {
        let along = scale(self.normal(way[0])?, medium.sign());
        let step = long(way) / ASKED as f64;
        let first = (1..=2 * ASKED)
            .map(|steps| steps as f64 * step)
            .find(|&length| !self.is_on(add(way[0], scale(along, length)), medium))?;
        let [before, after] = halved(first - step, first, |length| {
            self.is_on(add(way[0], scale(along, length)), medium)
        });
        self.cast(way[0], f64::midpoint(before, after), medium)
    }

    /// True if a way is perpendicular to the surface at neither end, as far as the normals are known.
    fn is_oblique(&mut self, [from, to]: Way) -> bool {
        let Some(along) = unit(sub(to, from)) else {
            return false;
        };
        [from, to].into_iter().all(|end| {
            let normal = self.normal(end);
            normal.is_some_and(|normal| dot(normal, along).abs() < PARALLEL)
        })
    }

    /// Maximum difference to a shorter way to which one leads whose sides are almost parallel: there the optimisation may end
    /// on a long and gentle slope.
    pub(super) fn slide(&mut self, [from, to]: Way) -> f64 {
        let (Some(one), Some(other)) = (self.normal(from), self.normal(to)) else {
            return 0.0;
        };
        let slope = length(add(one, other));
        if GENTLE.contains(&slope) {
            slope * SLIDE * self.cell
        } else {
            0.0
        }
    }

    /// Returns the way perpendicular to the surface, if it ends at about the expected length, at another side.
    pub(super) fn cast(&mut self, at: Vector, expected: f64, medium: Medium) -> Option<Way> {
        let along = self.normal(at)?;
        let sign = medium.sign();
        let along = scale(along, sign);
        let place = |way: f64| add(at, scale(along, way));
        let margin = self.cell.min(expected / 4.0);
        let (before, after) = (expected - margin, expected + margin);
        if !self.is_on(place(before), medium) || self.is_on(place(after), medium) {
            return None;
        }
        let [before, after] = halved(before, after, |way| self.is_on(place(way), medium));
        let way = [at, place(f64::midpoint(before, after))];
        let other = self.normal(way[1])?;
        let is_side = -sign * dot(other, along) >= FACING;
        (is_side && self.is_clear(way, medium)).then_some(way)
    }

    /// True if the function's own surfaces at both ends are sides, as far as they are known.
    pub(super) fn are_sides(&mut self, [from, to]: Way) -> bool {
        match (self.normal(from), self.normal(to)) {
            (Some(one), Some(other)) => -dot(one, other) >= FACING,
            (Some(_) | None, None) | (None, Some(_)) => true,
        }
    }

    /// True if the sides of an optimised gap meet at an angle and it still narrows towards the edge between them, or the
    /// cells do not resolve it: there is no narrowest place.
    pub(super) fn is_notch(&mut self, way: Way) -> bool {
        let (Some(one), Some(other)) = (self.normal(way[0]), self.normal(way[1])) else {
            return false;
        };
        if -dot(one, other) >= PARALLEL {
            return false;
        }
        if long(way) <= TELLING * self.cell {
            return true;
        }
        let step = unit(add(one, other)).map(|apart| scale(apart, -0.5 * self.cell));
        let at = step.and_then(|step| self.onto(add(way[0], step)));
        let next = at.and_then(|at| self.cast(at, long(way), Medium::Gap));
        next.is_some_and(|next| long(next) < long(way) * (1.0 - 1e-6))
    }

    /// Returns the outward normal at a point of the surface, unless the function jumps there. Where it is not that of the
    /// function, it is that of the sides of the box.
    pub(super) fn normal(&mut self, at: Vector) -> Option<Vector> {
        if let Some(own) = self.own_normal(at) {
            return Some(own);
        }
        let close = 1e-3 * self.cell;
        for (corner, sign) in [(self.bounds.low(), -1.0), (self.bounds.high(), 1.0)] {
            for axis in 0..3 {
                if (at[axis] - corner[axis]).abs() < close {
                    let mut normal = [0.0; 3];
                    normal[axis] = sign;
                    return Some(normal);
                }
            }
        }
        None
    }

    /// Returns the function's own normal at a point of its surface.
    fn own_normal(&mut self, at: Vector) -> Option<Vector> {
        // On the faces of a box whose distance is a root, the gradient is undefined or 0; beside them it is
        // neither.
        let beside = 1e-6 * self.cell;
        let steps = (0..6).map(|step| {
            let mut by = [0.0; 3];
            by[step % 3] = if step < 3 { beside } else { -beside };
            by
        });
        let mut near = std::iter::once([0.0; 3]).chain(steps);
        let (value, gradient, normal) = near.find_map(|by| {
            let (value, gradient) = self.ask(add(at, by));
            Some((value, gradient, unit(gradient)?))
        })?;
        let is_on_surface = value.abs() < 0.01 * self.cell * length(gradient);
        is_on_surface.then_some(normal)
    }

    /// Projects a point onto the surface.
    pub(super) fn onto(&mut self, mut at: Vector) -> Option<Vector> {
        for _ in 0..STEPS {
            let (value, gradient) = self.ask(at);
            if value.abs() <= 0.0 {
                break;
            }
            let step = scale(gradient, value / dot(gradient, gradient));
            let is_small = length(step) < self.cell;
            if !is_small {
                return None;
            }
            at = sub(at, step);
        }
        Some(at)
    }
}
