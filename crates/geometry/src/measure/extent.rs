//! Bounding box of a shape, enclosed from both sides.
//!
//! Vertices of a mesh may lie beyond its function, in the same way at every cell size, so that differences between
//! meshes do not show it. Interval arithmetic proves that nothing is beyond a plane, and a point at which the function
//! is below 0 proves that something is: the side of the box lies between the two.

use fibula_core::vector::{Vector, add, scale, sub, unit};
use fibula_eval::PointEvaluator;

use super::figure::Figure;
use super::stage::Stage;
use crate::tight_bounds::{TOUCHING, proven_bounds};
use crate::{Bounds, Cancelled, Shape, TriangleMesh};

/// Vertices of each side from which a point inside is looked for.
const VERTICES: usize = 256;
/// Steps into the material: each is twice as long as the one before, the last one a cell.
const STEPS: i32 = 24;
/// Bisections between the last point outside and the first one inside.
const BISECTIONS: u32 = 20;
/// Directions of the compass search.
const COMPASS: [(f64, f64); 8] = [
    (1.0, 0.0),
    (0.0, 1.0),
    (-1.0, 0.0),
    (0.0, -1.0),
    (0.7, 0.7),
    (-0.7, 0.7),
    (-0.7, -0.7),
    (0.7, -0.7),
];
/// Smallest step of it in cells, and the maximum number of its moves.
const LEAST_STEP: f64 = 1e-4;
const MOVES: usize = 200;

/// Two boxes, each given by its low and its high corner, between which the bounding box of a shape lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extent {
    /// Box that the bounding box contains.
    inner: [Vector; 2],
    /// Box that contains the bounding box.
    outer: [Vector; 2],
    /// Part of it beyond the proven planes, which the surface may touch.
    touching: Vector,
}

impl Extent {
    /// Encloses the bounding box of what `bounds` contains of a shape.
    ///
    /// `function` has the value and the gradient; `inside` is the box of known points inside. Takes about as long as
    /// [`tight_bounds`](crate::tight_bounds).
    ///
    /// # Errors
    /// [`Cancelled`] if the watch cancelled it.
    pub(super) fn new(
        shape: &Shape<'_>,
        function: &mut PointEvaluator<'_>,
        mesh: &TriangleMesh,
        cell: f64,
        bounds: &Bounds,
        inside: Option<[Vector; 2]>,
        stage: Stage<'_>,
    ) -> Result<Extent, Cancelled> {
        let [low, high] = mesh.bounding_box().unwrap_or([bounds.centre(); 2]);
        // A vertex is less than a cell away from the surface.
        let least = [low.map(|low| low + cell), high.map(|high| high - cell)];
        let proof = stage.part(0.0, 0.8);
        let watch = |done, total| proof.report(done, total);
        let proven = proven_bounds(shape, bounds, least, &watch)?;
        let touching = scale(bounds.size(), TOUCHING);
        let outer = [
            sub(proven.low(), touching),
            add(proven.high(), touching).map(|high| high + 0.0),
        ];
        let mut inner = [proven.centre(); 2];
        let nears = candidates(mesh, outer);
        for (side, near) in nears.iter().enumerate() {
            stage.part(0.8, 1.0).check()?;
            let (axis, is_high) = (side / 2, side % 2 == 1);
            let sign = if is_high { 1.0 } else { -1.0 };
            let corner = usize::from(is_high);
            let mut search = InsidePoint {
                function,
                bounds,
                axis,
                sign,
                farthest: sign * inner[corner][axis],
                at: None,
            };
            for (at, middle) in near {
                search.enter(*at, *middle, cell);
            }
            search.climb(sign * outer[corner][axis], cell);
            let known = inside.map_or(search.farthest, |inside| sign * inside[corner][axis]);
            inner[corner][axis] = sign * known.max(search.farthest);
        }
        Ok(Extent {
            inner,
            outer,
            touching,
        })
    }

    /// Returns by how much a bounding box may be too small at most.
    pub(super) fn doubt(&self, [low, high]: &[Vector; 2]) -> f64 {
        let [outer_low, outer_high] = &self.outer;
        let doubt = |axis: usize| (low[axis] - outer_low[axis]).max(outer_high[axis] - high[axis]);
        (0..3).map(doubt).fold(0.0, f64::max)
    }

    /// Corrects a bounding box and its error: to the proven box where that is as certain, and into it elsewhere.
    pub(super) fn correct(&self, found: &mut Figure<[Vector; 2]>) {
        let mut error = 0.0_f64;
        for side in 0..6 {
            let (axis, is_high) = (side / 2, side % 2 == 1);
            let corner = usize::from(is_high);
            let sign = if is_high { 1.0 } else { -1.0 };
            let inner = sign * self.inner[corner][axis];
            let outer = (sign * self.outer[corner][axis]).max(inner);
            let meshed = sign * found.value[corner][axis];
            // The points inside refute the error of the mesh.
            let doubt = found.error.max(inner - meshed);
            let (value, off) = if outer - inner <= doubt {
                let value = (outer - self.touching[axis]).max(inner);
                (value, (value - inner).max(outer - value))
            } else {
                let value = meshed.clamp(inner, outer);
                (value, (value - inner).max(doubt.min(outer - value)))
            };
            found.value[corner][axis] = sign * value + 0.0;
            error = error.max(off);
        }
        found.error = error;
    }
}

/// Returns the vertices of a mesh that are nearest to each side of a box and within it, the nearest first, each with
/// the mean of its neighbours.
fn candidates(mesh: &TriangleMesh, [low, high]: [Vector; 2]) -> [Vec<(Vector, Vector)>; 6] {
    let vertices = mesh.vertices();
    let mut sums = vec![([0.0; 3], 0.0); vertices.len()];
    for &[a, b, c] in mesh.triangles() {
        for [at, next, last] in [[a, b, c], [b, c, a], [c, a, b]] {
            let (sum, count) = &mut sums[at as usize];
            *sum = add(*sum, add(vertices[next as usize], vertices[last as usize]));
            *count += 2.0;
        }
    }
    std::array::from_fn(|side| {
        let (axis, is_high) = (side / 2, side % 2 == 1);
        let depth = |vertex: &u32| {
            let at = vertices[*vertex as usize][axis];
            if is_high {
                high[axis] - at
            } else {
                at - low[axis]
            }
        };
        let mut near: Vec<u32> = (0..vertices.len() as u32)
            .filter(|vertex| depth(vertex) >= 0.0)
            .collect();
        let nearer =
            |one: &u32, other: &u32| depth(one).total_cmp(&depth(other)).then(one.cmp(other));
        if near.len() > VERTICES {
            near.select_nth_unstable_by(VERTICES, nearer);
            near.truncate(VERTICES);
        }
        near.sort_unstable_by(nearer);
        let paired = |vertex: u32| {
            let (sum, count) = sums[vertex as usize];
            (
                vertices[vertex as usize],
                scale(sum, 1.0 / f64::max(count, 1.0)),
            )
        };
        near.into_iter().map(paired).collect()
    })
}

/// Search for points inside that are far in a direction.
struct InsidePoint<'a, 'b> {
    function: &'a mut PointEvaluator<'b>,
    bounds: &'a Bounds,
    axis: usize,
    /// 1 or -1: the direction along the axis.
    sign: f64,
    /// Coordinate of the farthest known point inside, in the direction.
    farthest: f64,
    /// That point, if this search found it.
    at: Option<Vector>,
}

impl InsidePoint<'_, '_> {
    /// Value and gradient of the function.
    fn evaluate(&mut self, at: Vector) -> (f64, Vector) {
        let mut results = [0.0; 4];
        self.function.run(&at, &mut results);
        let [value, x, y, z] = results;
        (value, [x, y, z])
    }

    /// True if a point is inside; the farthest one is kept.
    fn is_inside(&mut self, at: Vector) -> bool {
        let is_inside = self.bounds.contains(at) && self.evaluate(at).0 < 0.0;
        if is_inside && self.sign * at[self.axis] > self.farthest {
            self.farthest = self.sign * at[self.axis];
            self.at = Some(at);
        }
        is_inside
    }

    /// Bisects between a share of a way that ends outside and one that ends inside.
    fn bisect(&mut self, mut outside: f64, mut inside: f64, place: impl Fn(f64) -> Vector) {
        for _ in 0..BISECTIONS {
            let middle = f64::midpoint(outside, inside);
            if self.is_inside(place(middle)) {
                inside = middle;
            } else {
                outside = middle;
            }
        }
    }

    /// Looks for points on lines from a vertex: against the direction of the search, against the gradient, and towards
    /// the mean of its neighbours.
    fn enter(&mut self, at: Vector, middle: Vector, cell: f64) {
        let (axis, sign) = (self.axis, self.sign);
        if sign * at[axis] <= self.farthest || self.is_inside(at) {
            return;
        }
        let (_, gradient) = self.evaluate(at);
        let mut inwards = [0.0; 3];
        inwards[axis] = -sign;
        for way in [inwards, scale(gradient, -1.0), sub(middle, at)] {
            let Some(way) = unit(way) else {
                continue;
            };
            let place = |share: f64| add(at, scale(way, share * cell));
            let mut outside = 0.0;
            for halvings in (0..=STEPS).rev() {
                let share = 0.5_f64.powi(halvings);
                if sign * place(share)[axis] <= self.farthest {
                    break;
                }
                if self.is_inside(place(share)) {
                    self.bisect(outside, share, place);
                    break;
                }
                outside = share;
            }
        }
    }

    /// Compass search across the direction, from the farthest point (Kolda, Lewis and Torczon, *Optimization by direct
    /// search*, 2003): a point inside at the same height has others beyond it, up to `outer`.
    fn climb(&mut self, outer: f64, cell: f64) {
        let (axis, sign) = (self.axis, self.sign);
        let mut step = cell;
        let mut moves = 0;
        while let Some(at) = self
            .at
            .filter(|_| step > LEAST_STEP * cell && moves < MOVES)
        {
            moves += 1;
            let before = self.farthest;
            for (one, other) in COMPASS {
                let mut beside = at;
                beside[(axis + 1) % 3] += one * step;
                beside[(axis + 2) % 3] += other * step;
                if self.is_inside(beside) {
                    let beyond = |share: f64| {
                        let mut place = beside;
                        place[axis] += sign * share * (outer - sign * beside[axis]);
                        place
                    };
                    self.bisect(1.0, 0.0, beyond);
                }
            }
            if self.farthest <= before {
                step *= 0.5;
            }
        }
    }
}
