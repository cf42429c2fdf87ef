//! Signed distance to a surface of triangles.
//!
//! **Distance.** Closest point query in a bounding volume hierarchy, [`bvh`](super::bvh); in its leaves, lower bounds
//! exclude most triangles, see [`packet`](super::packet).
//!
//! **Sign.** If the triangles at every edge are balanced in direction, the winding number of every point is an
//! integer. It is counted along a ray with robust predicates, so it is exact for sharp edges, thin triangles, and
//! shells that overlap or contain each other. (Pseudonormals (Baerentzen and Aanaes, *Signed distance computation
//! using the angle weighted pseudonormal*, 2005) cost less, but require a surface without self-intersections, which
//! files do not guarantee.) A point is inside if its winding number is positive, as in 3MF: shells add up, inverted
//! shells subtract. An inverted surface (of negative volume) is treated as if it were not. If edges have even numbers
//! of triangles of inconsistent orientation, the even-odd rule applies. On an open surface, a point is inside if its
//! generalized winding number exceeds one half, see [`winding_number`](super::winding_number).
//!
//! **Cost.** The ray takes a sixth of the time for scattered points, a third close to the surface, and none for most
//! points of a block: within its distance around a point the sign is constant, and nearly all points of a block are
//! within such a ball of an earlier one.

use super::bounding_box::BoundingBox;
use super::bvh::{Bvh, Ray, is_far, limit};
use super::frame::{Frame, FramePoint};
use super::mesh::EdgeDefects;
use super::packet::TrianglePacket;
use super::triangle::{Triangle, crossing};
use super::winding_number::WindingNumber;
use crate::vector::{Vector, cross, dot, length, long_length, scale, sub, unit};

/// Number of triangles of a leaf.
pub(super) const GROUP: usize = 4;

/// Rule for the inside.
#[derive(Debug)]
enum InsideRule {
    /// The winding number, times this sign, is positive.
    Winding(i32),
    /// A ray crosses the surface an odd number of times.
    Parity,
    /// The generalized winding number, times this sign, exceeds one half.
    GeneralizedWinding(Box<WindingNumber>, f64),
}

/// A surface of triangles, prepared for queries.
#[derive(Debug)]
pub(super) struct Surface {
    frame: Frame,
    /// In local coordinates, as the other fields.
    extent: BoundingBox,
    /// In the order of the hierarchy.
    triangles: Vec<Triangle>,
    /// Of the leaves.
    packets: Vec<TrianglePacket>,
    bvh: Bvh,
    inside: InsideRule,
}

/// Number of cached points: as many as in two rows of a small block.
const REMEMBERED: usize = 16;

/// Results of earlier points that speed up the next query.
#[derive(Debug, Default)]
pub(super) struct QueryCache {
    nearest: Option<usize>,
    /// Ring buffer of the last points with known signs, and their total number.
    known: [KnownSide; REMEMBERED],
    count: usize,
}

/// A point and its sign, which is constant within `reach`.
#[derive(Debug, Clone, Copy, Default)]
struct KnownSide {
    at: Vector,
    reach: f64,
    sign: f64,
}

impl QueryCache {
    /// Sign of a point with this distance, if it is known: if the empty balls around two points intersect, both have
    /// the same sign.
    fn sign(&self, at: Vector, distance: f64) -> Option<f64> {
        let is_same = |known: &&KnownSide| {
            let reach = known.reach + distance;
            let reach = reach - ROUNDING * (1.0 + reach);
            let away = sub(at, known.at);
            reach > 0.0 && dot(away, away) < reach * reach
        };
        let last = self.count % REMEMBERED;
        let (newer, older) = self.known.split_at(last);
        let all = newer.iter().rev().chain(older.iter().rev());
        all.take(self.count).find(is_same).map(|known| known.sign)
    }

    fn remember(&mut self, known: KnownSide) {
        self.known[self.count % REMEMBERED] = known;
        self.count += 1;
    }
}

/// The closest triangle and its squared distance.
#[derive(Debug, Clone, Copy)]
struct ClosestTriangle {
    triangle: usize,
    square: f64,
}

/// Upper bound of the rounding error of a distance in local coordinates, relative to its size.
const ROUNDING: f64 = 1e-12;

impl Surface {
    /// Prepares a surface: vertices in the document's unit, triangles of different vertices, at least one with an
    /// area. Takes O(n log n) time.
    pub(super) fn new(
        frame: Frame,
        vertices: &[Vector],
        triangles: &[[u32; 3]],
        edges: &EdgeDefects,
    ) -> Surface {
        let in_frame: Vec<Vector> = vertices.iter().map(|&at| frame.inward(at)).collect();
        let corner = |corner: u32| in_frame[corner as usize];
        let unsorted = triangles
            .iter()
            .map(|corners| Triangle(corners.map(corner)));
        let unsorted: Vec<Triangle> = unsorted.collect();
        let (bvh, order) = Bvh::new(&unsorted, GROUP);
        let triangles: Vec<Triangle> = order
            .iter()
            .map(|&place| unsorted[place as usize])
            .collect();
        let volumes = triangles
            .iter()
            .map(|Triangle([a, b, c])| dot(*a, cross(*b, *c)));
        let volume: f64 = volumes.sum();
        let inside = if edges.unbalanced == 0 {
            InsideRule::Winding(if volume < 0.0 { -1 } else { 1 })
        } else if edges.odd == 0 {
            InsideRule::Parity
        } else {
            let sign = if volume < 0.0 { -1.0 } else { 1.0 };
            InsideRule::GeneralizedWinding(Box::new(WindingNumber::new(&bvh, &triangles)), sign)
        };
        Surface {
            frame,
            extent: BoundingBox::around(triangles.iter().flat_map(Triangle::corners)),
            packets: triangles.chunks(GROUP).map(TrianglePacket::new).collect(),
            triangles,
            bvh,
            inside,
        }
    }

    /// Distance to the surface. The cache saves work and does not change the result.
    pub(super) fn distance(&self, at: Vector, kind: DistanceKind, before: &mut QueryCache) -> f64 {
        let at = match self.frame.place(at) {
            FramePoint::NotFinite => return f64::NAN,
            FramePoint::Far(offset) => return long_length(offset),
            FramePoint::Near(at) => at,
        };
        let found = self.nearest(at, before.nearest);
        before.nearest = Some(found.triangle);
        let distance = found.square.sqrt();
        let sign = match (kind, &self.inside) {
            (DistanceKind::Unsigned, _) => 1.0,
            // The sign also changes inside of a hole.
            (DistanceKind::Signed, InsideRule::GeneralizedWinding(..)) => self.sign(at),
            (DistanceKind::Signed, InsideRule::Winding(_) | InsideRule::Parity) => {
                let known = before.sign(at, distance);
                let sign = known.unwrap_or_else(|| self.sign(at));
                let reach = distance;
                before.remember(KnownSide { at, reach, sign });
                sign
            }
        };
        // 0 and not -0 on the surface.
        if distance == 0.0 {
            0.0
        } else {
            sign * distance * self.frame.unit()
        }
    }

    /// Gradient of the distance, of length 1; on the surface, the outward normal.
    pub(super) fn gradient(&self, at: Vector, kind: DistanceKind) -> Vector {
        match self.frame.place(at) {
            FramePoint::NotFinite => [f64::NAN; 3],
            FramePoint::Far(offset) => unit(offset).expect("what is far away has a direction"),
            FramePoint::Near(at) => {
                let found = self.nearest(at, None);
                let triangle = &self.triangles[found.triangle];
                let nearest = triangle.nearest(at);
                match unit(nearest.offset) {
                    Some(away) => match kind {
                        DistanceKind::Signed => scale(away, self.sign(at)),
                        DistanceKind::Unsigned => away,
                    },
                    None => self.outward(found.triangle),
                }
            }
        }
    }

    /// Bounds of the distance in a finite box.
    pub(super) fn bounds(&self, low: Vector, high: Vector, kind: DistanceKind) -> [f64; 2] {
        let unit = self.frame.unit();
        let (FramePoint::Near(low), FramePoint::Near(high)) =
            (self.frame.place(low), self.frame.place(high))
        else {
            let most = self.frame.far_bound(low, high);
            return match kind {
                DistanceKind::Signed => [-most, most],
                DistanceKind::Unsigned => [0.0, most],
            };
        };
        let middle: Vector = std::array::from_fn(|axis| low[axis] / 2.0 + high[axis] / 2.0);
        let half: Vector =
            std::array::from_fn(|axis| (high[axis] - middle[axis]).max(middle[axis] - low[axis]));
        let radius = length(half);
        let rounding = ROUNDING * (1.0 + length(middle) + radius);
        let found = self.nearest(middle, None);
        let distance = found.square.sqrt();
        // The distance to one triangle is convex, so its maximum is at a corner.
        let corner = |k: usize| std::array::from_fn(|axis| [low, high][k >> axis & 1][axis]);
        let squares = (0..8).map(|k| self.triangles[found.triangle].nearest(corner(k)).square);
        let most = squares.fold(0.0, f64::max).sqrt().min(distance + radius) + rounding;
        let least =
            (distance - radius).max(self.bvh.box_distance_bound(middle, half, distance)) - rounding;
        let bounds = match (kind, &self.inside) {
            (DistanceKind::Unsigned, _) => [least.max(0.0), most],
            // The distance is discontinuous inside of a hole.
            (DistanceKind::Signed, InsideRule::GeneralizedWinding(..)) => [-most, most],
            (DistanceKind::Signed, InsideRule::Winding(_) | InsideRule::Parity) => {
                let sign = self.sign(middle);
                if least <= 0.0 {
                    let reach = radius + rounding;
                    let at_middle = sign * distance;
                    [
                        (at_middle - reach).max(-most),
                        (at_middle + reach).min(most),
                    ]
                } else if sign > 0.0 {
                    [least, most]
                } else {
                    [-most, -least]
                }
            }
        };
        bounds.map(|bound| bound * unit)
    }

    /// Closest triangle query. A guess saves work and does not change the result.
    fn nearest(&self, at: Vector, near: Option<usize>) -> ClosestTriangle {
        let mut found = match near {
            Some(triangle) => ClosestTriangle {
                triangle,
                square: self.triangles[triangle].square(at),
            },
            None => ClosestTriangle {
                triangle: usize::MAX,
                square: f64::INFINITY,
            },
        };
        let start = found.square;
        let (rounded, is_far) = (at.map(|x| x as f32), is_far(at));
        self.bvh.nearest(at, start, |leaf| {
            let first = leaf * GROUP;
            let keys = if is_far {
                [0.0; GROUP]
            } else {
                self.packets[leaf].keys(rounded)
            };
            let all = self.triangles[first..].iter().zip(keys);
            for (triangle, (corners, key)) in (first..).zip(all) {
                if key > limit(found.square) {
                    continue;
                }
                let square = corners.square(at);
                // Of equally close ones the first, whatever the order of the search.
                if (square, triangle) < (found.square, found.triangle) {
                    found = ClosestTriangle { triangle, square };
                }
            }
            found.square
        });
        found
    }

    /// Sign of the distance: -1 inside, 1 outside.
    fn sign(&self, at: Vector) -> f64 {
        let inside = match &self.inside {
            InsideRule::Winding(sign) => self.crossings(at, |turns, turn| turns + turn) * sign > 0,
            InsideRule::Parity => self.crossings(at, |turns, turn| turns ^ turn.abs()) != 0,
            InsideRule::GeneralizedWinding(winding, sign) => {
                winding.winding(&self.bvh, &self.triangles, at) * sign > 0.5
            }
        };
        if inside { -1.0 } else { 1.0 }
    }

    /// Accumulates the crossings of a ray with the surface.
    fn crossings(&self, at: Vector, sum: impl Fn(i32, i32) -> i32) -> i32 {
        // The shortest ray out of the bounding box.
        let mut shortest = f64::INFINITY;
        let mut ray = Ray { axis: 0, up: true };
        for (axis, &place) in at.iter().enumerate() {
            for (way, up) in [
                (self.extent.high[axis] - place, true),
                (place - self.extent.low[axis], false),
            ] {
                if way < shortest {
                    (shortest, ray) = (way, Ray { axis, up });
                }
            }
        }
        if shortest < 0.0 {
            return 0;
        }
        let mut turns = 0;
        self.bvh.visit_ray(at, ray, |packet| {
            for triangle in self.triangles.iter().skip(packet * GROUP).take(GROUP) {
                let turn = crossing(triangle.corners(), at, ray);
                if turn != 0 {
                    turns = sum(turns, turn);
                }
            }
        });
        turns
    }

    /// Normal of a triangle, oriented to the outside of the surface.
    fn outward(&self, triangle: usize) -> Vector {
        let normal = self.triangles[triangle].normal().unwrap_or([1.0, 0.0, 0.0]);
        match &self.inside {
            InsideRule::Winding(sign) => scale(normal, f64::from(*sign)),
            InsideRule::Parity => normal,
            InsideRule::GeneralizedWinding(_, sign) => scale(normal, *sign),
        }
    }
}

/// Kind of a distance: signed ones are negative inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DistanceKind {
    Signed,
    Unsigned,
}
