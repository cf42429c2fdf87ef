//! The distance to a surface of triangles, and on which side of it a point is.
//!
//! **Distance.** The nearest triangle is searched in a tree of boxes, [`tree`](super::tree), and in its leaves among
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
//! the generalised winding number, see [`sky`](super::sky); inside is where that is above one half.
//!
//! **Cost.** The ray is a sixth of the work for scattered points, a third close to the surface, and nothing for most
//! points of a block: as far from a point as its distance reaches, the side does not change, and nearly all points of a
//! block are in reach of one of those before.

use super::extent::Extent;
use super::frame::{Frame, Place};
use super::mesh::Edges;
use super::packet::Packet;
use super::sky::Sky;
use super::tree::{Ray, Tree, is_far, limit};
use super::triangle::{Triangle, crossing};
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
    Sky(Box<Sky>, f64),
}

/// A surface of triangles, ready to be asked.
#[derive(Debug)]
pub(super) struct Surface {
    frame: Frame,
    /// In the frame, as are the others.
    extent: Extent,
    /// In the order of the tree.
    triangles: Vec<Triangle>,
    /// Of the leaves.
    packets: Vec<Packet>,
    tree: Tree,
    inside: Inside,
}

/// How many points are remembered: as many as there are in two rows of a small block.
const REMEMBERED: usize = 16;

/// What is known from the points before, for the next.
#[derive(Debug, Default)]
pub(super) struct Before {
    nearest: Option<usize>,
    /// The last points whose sides are known, in a ring, and how many there were.
    known: [Known; REMEMBERED],
    count: usize,
}

/// A point, and its side, which is the same as far as `reach`.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    at: Vector,
    reach: f64,
    sign: f64,
}

impl Before {
    /// The sign at a point from which the surface is so far away, if it is known: where the two balls without surface
    /// around it and another point meet, both are on the same side.
    fn sign(&self, at: Vector, distance: f64) -> Option<f64> {
        let is_same = |known: &&Known| {
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

    fn remember(&mut self, known: Known) {
        self.known[self.count % REMEMBERED] = known;
        self.count += 1;
    }
}

/// The nearest triangle, and how near it is.
#[derive(Debug, Clone, Copy)]
struct Found {
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
        edges: &Edges,
    ) -> Surface {
        let in_frame: Vec<Vector> = vertices.iter().map(|&at| frame.inward(at)).collect();
        let corners = |triangle: &[u32; 3]| triangle.map(|corner| in_frame[corner as usize]);
        let given: Vec<Triangle> = triangles
            .iter()
            .map(|triangle| Triangle(corners(triangle)))
            .collect();
        let (tree, order) = Tree::new(&given, GROUP);
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
            Inside::Sky(Box::new(Sky::new(&tree, &triangles)), turned)
        };
        Surface {
            frame,
            extent: Extent::of(triangles.iter().flat_map(Triangle::corners)),
            packets: triangles.chunks(GROUP).map(Packet::of).collect(),
            triangles,
            tree,
            inside,
        }
    }

    /// The distance to the surface. What is known `before` from other points saves work, and changes nothing.
    pub(super) fn distance(&self, at: Vector, signed: Signed, before: &mut Before) -> f64 {
        let at = match self.frame.place(at) {
            Place::Nowhere => return f64::NAN,
            Place::Far(offset) => return long_length(offset),
            Place::Near(at) => at,
        };
        let found = self.nearest(at, before.nearest);
        before.nearest = Some(found.triangle);
        let distance = found.square.sqrt();
        let sign = match (signed, &self.inside) {
            (Signed::No, _) => 1.0,
            // It also changes in the middle of a hole.
            (Signed::Yes, Inside::Sky(..)) => self.sign(at),
            (Signed::Yes, Inside::Winding(_) | Inside::Parity) => {
                let known = before.sign(at, distance);
                let sign = known.unwrap_or_else(|| self.sign(at));
                let reach = distance;
                before.remember(Known { at, reach, sign });
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
    pub(super) fn gradient(&self, at: Vector, signed: Signed) -> Vector {
        match self.frame.place(at) {
            Place::Nowhere => [f64::NAN; 3],
            Place::Far(offset) => unit(offset).expect("what is far away has a direction"),
            Place::Near(at) => {
                let found = self.nearest(at, None);
                let triangle = &self.triangles[found.triangle];
                let nearest = triangle.nearest(at);
                match unit(nearest.offset) {
                    Some(away) => match signed {
                        Signed::Yes => scale(away, self.sign(at)),
                        Signed::No => away,
                    },
                    None => self.outward(found.triangle),
                }
            }
        }
    }

    /// Bounds of the distance in a box whose corners are finite.
    pub(super) fn bounds(&self, low: Vector, high: Vector, signed: Signed) -> [f64; 2] {
        let unit = self.frame.unit();
        let (Place::Near(low), Place::Near(high)) = (self.frame.place(low), self.frame.place(high))
        else {
            let far = [low, high].map(|at| long_length(self.frame.offset(at)));
            let most = 2.0 * (far[0].max(far[1]) + unit);
            return match signed {
                Signed::Yes => [-most, most],
                Signed::No => [0.0, most],
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
        let least = (distance - radius).max(self.tree.apart(middle, half, distance)) - rounding;
        let bounds = match (signed, &self.inside) {
            (Signed::No, _) => [least.max(0.0), most],
            // It jumps in the middle of a hole.
            (Signed::Yes, Inside::Sky(..)) => [-most, most],
            (Signed::Yes, Inside::Winding(_) | Inside::Parity) => {
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
    fn nearest(&self, at: Vector, near: Option<usize>) -> Found {
        let mut found = match near {
            Some(triangle) => Found {
                triangle,
                square: self.triangles[triangle].square(at),
            },
            None => Found {
                triangle: usize::MAX,
                square: f64::INFINITY,
            },
        };
        let start = found.square;
        let (rounded, is_far) = (at.map(|x| x as f32), is_far(at));
        self.tree.nearest(at, start, |leaf| {
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
                    found = Found { triangle, square };
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
            Inside::Sky(sky, turned) => sky.winding(&self.tree, &self.triangles, at) * turned > 0.5,
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
        self.tree.along(at, ray, |packet| {
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
            Inside::Sky(_, turned) => scale(normal, *turned),
        }
    }
}

/// Whether a distance is negative inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signed {
    Yes,
    No,
}
