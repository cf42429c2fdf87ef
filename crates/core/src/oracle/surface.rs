//! The distance to a surface of triangles, and on which side of it a point is.
//!
//! **Distance.** The nearest triangle is searched in a tree of boxes, [`bvh`](super::bvh), and in its leaves among
//! those that their planes let be near, [`packet`](super::packet).
//!
//! **Side.** Where every edge has as many triangles on one side as on the other, the surface parts space into regions
//! with a whole winding number: that is counted along a ray, with predicates that make no error, so it holds however
//! sharp an edge, however thin a triangle, and where shells overlap or lie within each other. (Pseudonormals (Baerentzen
//! and Aanaes, *Signed distance computation using the angle weighted pseudonormal*, 2005) need a surface that nowhere
//! cuts itself, which nobody can promise for a file; they cost less, but see below.) A point is inside where the number
//! is positive, as 3MF fills: shells add up, a shell that is turned inside out takes away. If the whole surface is
//! turned inside out (its volume is negative), it is taken as if it were not. A surface whose edges pair up but whose
//! triangles disagree about the outside is inside where a ray crosses it an odd number of times. An open surface has
//! the generalised winding number, see [`sky`](super::winding_number); inside is where that is above one half.
//!
//! **Cost.** The ray is a sixth of the work for scattered points, a third close to the surface, and nothing for most
//! points of a block: as far from a point as its distance reaches, the side does not change, and nearly all points of a
//! block are in reach of one of those before.

use super::bounding_box::BoundingBox;
use super::bvh::{Bvh, Ray, is_far, limit};
use super::frame::{Frame, FramePoint};
use super::mesh::EdgeDefects;
use super::packet::TrianglePacket;
use super::triangle::{Triangle, crossing};
use super::winding_number::WindingNumber;
use crate::vector::{Vector, cross, dot, length, long_length, scale, sub, unit};

/// How many triangles a leaf of the tree holds.
pub(super) const GROUP: usize = 4;

/// Where the inside is.
#[derive(Debug)]
enum Inside {
    /// Where the winding number, times this, is positive.
    Winding(i32),
    /// Where a ray crosses the surface an odd number of times.
    Parity,
    /// Where the generalised winding number, times this, is above one half.
    GeneralizedWinding(Box<WindingNumber>, f64),
}

/// A surface of triangles, ready to be asked.
#[derive(Debug)]
pub(super) struct Surface {
    frame: Frame,
    /// In the frame, as are the others.
    extent: BoundingBox,
    /// In the order of the bvh.
    triangles: Vec<Triangle>,
    /// Of the leaves.
    packets: Vec<TrianglePacket>,
    bvh: Bvh,
    inside: Inside,
}

/// How many points are remembered: as many as there are in two rows of a small block.
const REMEMBERED: usize = 16;

/// What is known from the points before, for the next.
#[derive(Debug, Default)]
pub(super) struct QueryCache {
    nearest: Option<usize>,
    /// The last points whose sides are known, in a ring, and how many there were.
    known: [KnownSide; REMEMBERED],
    count: usize,
}

/// A point, and its side, which is the same as far as `reach`.
#[derive(Debug, Clone, Copy, Default)]
struct KnownSide {
    at: Vector,
    reach: f64,
    sign: f64,
}

impl QueryCache {
    /// The sign at a point from which the surface is so far away, if it is known: where the two balls without surface
    /// around it and another point meet, both are on the same side.
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

/// The nearest triangle, and how near it is.
#[derive(Debug, Clone, Copy)]
struct Closest {
    triangle: usize,
    square: f64,
}

/// Distances in the frame are wrong by less than this, relative to the size of what is measured.
const ROUNDING: f64 = 1e-12;

impl Surface {
    /// Makes a surface ready: vertices in the document's unit, triangles of different vertices, at least one with an
    /// area. Takes O(n log n) time.
    pub(super) fn new(
        frame: Frame,
        vertices: &[Vector],
        triangles: &[[u32; 3]],
        edges: &EdgeDefects,
    ) -> Surface {
        let in_frame: Vec<Vector> = vertices.iter().map(|&at| frame.inward(at)).collect();
        let corners = |triangle: &[u32; 3]| triangle.map(|corner| in_frame[corner as usize]);
        let given: Vec<Triangle> = triangles
            .iter()
            .map(|triangle| Triangle(corners(triangle)))
            .collect();
        let (bvh, order) = Bvh::new(&given, GROUP);
        let triangles: Vec<Triangle> = order.iter().map(|&place| given[place as usize]).collect();
        let volume: f64 = triangles
            .iter()
            .map(|triangle| {
                let [a, b, c] = triangle.corners();
                dot(a, cross(b, c))
            })
            .sum();
        let inside = if edges.unbalanced == 0 {
            Inside::Winding(if volume < 0.0 { -1 } else { 1 })
        } else if edges.odd == 0 {
            Inside::Parity
        } else {
            let turned = if volume < 0.0 { -1.0 } else { 1.0 };
            Inside::GeneralizedWinding(Box::new(WindingNumber::new(&bvh, &triangles)), turned)
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

    /// The distance to the surface. What is known `before` from other points saves work, and changes nothing.
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
            // It also changes in the middle of a hole.
            (DistanceKind::Signed, Inside::GeneralizedWinding(..)) => self.sign(at),
            (DistanceKind::Signed, Inside::Winding(_) | Inside::Parity) => {
                let known = before.sign(at, distance);
                let sign = known.unwrap_or_else(|| self.sign(at));
                let reach = distance;
                before.remember(KnownSide { at, reach, sign });
                sign
            }
        };
        // Not -0 on the surface.
        if distance == 0.0 {
            0.0
        } else {
            sign * distance * self.frame.unit()
        }
    }

    /// The direction away from the surface, of length 1; the outside's normal on the surface itself.
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

    /// Bounds of the distance in a box whose corners are finite.
    pub(super) fn bounds(&self, low: Vector, high: Vector, kind: DistanceKind) -> [f64; 2] {
        let unit = self.frame.unit();
        let (FramePoint::Near(low), FramePoint::Near(high)) =
            (self.frame.place(low), self.frame.place(high))
        else {
            let far = [low, high].map(|at| long_length(self.frame.offset(at)));
            let most = 2.0 * (far[0].max(far[1]) + unit);
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
        // The distance to one triangle is convex: it is largest at a corner.
        let corner = |k: usize| {
            std::array::from_fn(|axis| {
                if k >> axis & 1 == 0 {
                    low[axis]
                } else {
                    high[axis]
                }
            })
        };
        let squares = (0..8).map(|k| self.triangles[found.triangle].nearest(corner(k)).square);
        let most = squares.fold(0.0, f64::max).sqrt().min(distance + radius) + rounding;
        let least =
            (distance - radius).max(self.bvh.box_distance_bound(middle, half, distance)) - rounding;
        let bounds = match (kind, &self.inside) {
            (DistanceKind::Unsigned, _) => [least.max(0.0), most],
            // It jumps in the middle of a hole.
            (DistanceKind::Signed, Inside::GeneralizedWinding(..)) => [-most, most],
            (DistanceKind::Signed, Inside::Winding(_) | Inside::Parity) => {
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

    /// The nearest triangle; one that may be near makes it quicker.
    fn nearest(&self, at: Vector, near: Option<usize>) -> Closest {
        let mut found = match near {
            Some(triangle) => Closest {
                triangle,
                square: self.triangles[triangle].square(at),
            },
            None => Closest {
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
                // Of equally near ones the first, in whatever order they are looked at.
                if (square, triangle) < (found.square, found.triangle) {
                    found = Closest { triangle, square };
                }
            }
            found.square
        });
        found
    }

    /// -1 inside, 1 outside.
    fn sign(&self, at: Vector) -> f64 {
        let inside = match &self.inside {
            Inside::Winding(turned) => self.crossings(at, |turns, turn| turns + turn) * turned > 0,
            Inside::Parity => self.crossings(at, |turns, turn| turns ^ turn.abs()) != 0,
            Inside::GeneralizedWinding(sky, turned) => {
                sky.winding(&self.bvh, &self.triangles, at) * turned > 0.5
            }
        };
        if inside { -1.0 } else { 1.0 }
    }

    /// What the crossings of a ray with the surface amount to.
    fn crossings(&self, at: Vector, sum: impl Fn(i32, i32) -> i32) -> i32 {
        // The shortest way out of the box.
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

    /// The normal of a triangle, to the outside of the whole.
    fn outward(&self, triangle: usize) -> Vector {
        let normal = self.triangles[triangle].normal().unwrap_or([1.0, 0.0, 0.0]);
        match &self.inside {
            Inside::Winding(turned) => scale(normal, f64::from(*turned)),
            Inside::Parity => normal,
            Inside::GeneralizedWinding(_, turned) => scale(normal, *turned),
        }
    }
}

/// Whether a distance is negative inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DistanceKind {
    Signed,
    Unsigned,
}
