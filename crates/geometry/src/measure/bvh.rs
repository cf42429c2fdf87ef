//! Bounding volume hierarchy: the first triangle of a mesh that a ray hits, and the nearest one to a point.
//!
//! Axis-aligned boxes are split at the median of their longest side three times in a row, so that a node has eight
//! children, held as lists of single-precision numbers: vector instructions serve several of them (Wald, Benthin and
//! Boulos, *Getting rid of packets*, 2008). Boxes are padded by more than rounding errors, so none hides a triangle
//! that the test of Möller and Trumbore (*Fast, minimum storage ray/triangle intersection*, 1997) hits; that is
//! computed in double precision, and slightly beyond the edges, so that no ray slips through between two.

use std::ops::Range;

use fibula_core::oracle::offset_from_triangle;
use fibula_core::vector::{Vector, cross, dot, largest, length, sub};

use rayon::prelude::*;

use crate::TriangleMesh;
use crate::bounds::enclosing;

/// Children of a node.
const WIDTH: usize = 8;
/// Maximum triangles of a leaf.
const LEAF: usize = 4;
/// Distance beyond its edges at which a triangle is hit, as a fraction of its size.
const EDGE: f64 = 1e-9;
/// Padding of boxes, as a fraction of the whole: more than the rounding errors of single precision.
const PADDING: f64 = 1e-6;
/// Relative error of distances to boxes.
const SLACK: f32 = 1e-6;
/// Relative difference of squared distances up to which triangles are equally near.
const SAME: f64 = 1e-9;
/// Number of triangles from which on work is shared by threads.
const PARALLEL: usize = 4096;
/// Maximum waiting children: eight for each level of a tree of 2^32 triangles, and some.
const STACK: usize = 128;

/// Eight boxes and their contents, in the frame of the tree, which extends from about -1 to 1.
#[derive(Debug, Clone)]
#[repr(align(64))]
struct Node {
    /// Low sides along x, y and z, and high ones; in the wrong order for missing children.
    sides: [[[f32; WIDTH]; 3]; 2],
    /// First triangle of a leaf, or number of the child node.
    child: [u32; WIDTH],
    /// Number of triangles of a leaf; 0 for nodes.
    count: [u32; WIDTH],
}

#[derive(Debug)]
pub(crate) struct Bvh<'a> {
    mesh: &'a TriangleMesh,
    middle: Vector,
    /// Factor from lengths in the mesh to lengths in the frame.
    scale: f64,
    nodes: Vec<Node>,
    /// Triangles in the order of the leaves.
    order: Vec<u32>,
}

/// A triangle by the middle of its box, doubled, in the frame of the tree.
#[derive(Debug, Clone, Copy)]
struct Middle {
    at: [f32; 3],
    triangle: u32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    /// Distance, in lengths of the ray's direction.
    pub(crate) distance: f64,
    pub(crate) triangle: u32,
}

impl<'a> Bvh<'a> {
    /// Builds the hierarchy in O(n log n) time.
    pub(crate) fn new(mesh: &'a TriangleMesh) -> Bvh<'a> {
        let count = mesh.triangles().len();
        let numbers = (0..count as u32).into_par_iter().with_min_len(PARALLEL);
        let boxes: Vec<[Vector; 2]> = numbers.map(|number| mesh.box_of(number)).collect();
        let [low, high] = boxes.iter().copied().reduce(enclosing).unwrap_or_default();
        let half = largest(sub(high, low)) / 2.0;
        let mut rays = Bvh {
            mesh,
            middle: std::array::from_fn(|axis| f64::midpoint(low[axis], high[axis])),
            scale: if half > 0.0 { 1.0 / half } else { 1.0 },
            nodes: Vec::with_capacity(count / LEAF / (WIDTH - 1) + 1),
            order: Vec::new(),
        };
        rays.order_triangles(&boxes);
        if count > 0 {
            rays.build(0..count, &boxes);
        }
        rays
    }

    /// Fills the order of the triangles.
    fn order_triangles(&mut self, boxes: &[[Vector; 2]]) {
        let middles = (0..).zip(boxes).map(|(triangle, [low, high])| Middle {
            at: [0, 1, 2].map(|axis| {
                let doubled = low[axis] + high[axis] - 2.0 * self.middle[axis];
                (doubled * self.scale) as f32
            }),
            triangle,
        });
        let mut middles: Vec<Middle> = middles.collect();
        arrange(&mut middles);
        self.order = middles.iter().map(|middle| middle.triangle).collect();
    }

    /// Adds the node of a range of the order, and those below it; returns the box around it.
    fn build(&mut self, range: Range<usize>, boxes: &[[Vector; 2]]) -> [Vector; 2] {
        let index = self.nodes.len();
        self.nodes.push(Node::EMPTY);
        let mut parts = vec![range];
        while parts.len() < WIDTH && parts.iter().any(|part| part.len() > LEAF) {
            let halves = parts.into_iter().flat_map(|part| {
                let half = part.start + part.len() / 2;
                let end = if part.len() > LEAF { half } else { part.end };
                [part.start..end, end..part.end]
            });
            parts = halves.filter(|part| !part.is_empty()).collect();
        }
        let mut around = None;
        for (slot, part) in parts.into_iter().enumerate() {
            let (child, count, own) = if part.len() > LEAF {
                (self.nodes.len(), 0, self.build(part, boxes))
            } else {
                let own = self.order[part.clone()].iter();
                let own = own.map(|&triangle| boxes[triangle as usize]);
                let own = own.reduce(enclosing).expect("a part is not empty");
                (part.start, part.len(), own)
            };
            let places = own.map(|at| sub(at, self.middle).map(|x| x * self.scale));
            let node = &mut self.nodes[index];
            (node.child[slot], node.count[slot]) = (child as u32, count as u32);
            for ((sides, at), padding) in node.sides.iter_mut().zip(places).zip([-PADDING, PADDING])
            {
                for (side, x) in sides.iter_mut().zip(at) {
                    side[slot] = (x + padding) as f32;
                }
            }
            around = Some(around.map_or(own, |around| enclosing(around, own)));
        }
        around.expect("a node is not empty")
    }

    /// Returns the first triangle other than `but` that a ray hits beyond the first number of `reach` and up to the
    /// second; among hits at one distance, the one with the lowest index.
    pub(crate) fn first(
        &self,
        from: Vector,
        along: Vector,
        reach: [f64; 2],
        but: u32,
    ) -> Option<Hit> {
        let [least, most] = reach;
        let ray = Ray {
            from: sub(from, self.middle).map(|x| (x * self.scale) as f32),
            inverse: along.map(|x| (1.0 / x) as f32),
            start: (least * self.scale) as f32 * (1.0 - SLACK),
        };
        let mut limit = upward(most * self.scale);
        let mut found: Option<Hit> = None;
        let mut stack = [(0.0_f32, 0_u32, 0_u32); STACK];
        let mut height = usize::from(!self.order.is_empty());
        while height > 0 {
            height -= 1;
            let (entry, child, count) = stack[height];
            if entry > limit {
                continue;
            }
            if count > 0 {
                let range = child as usize..(child + count) as usize;
                for &triangle in &self.order[range] {
                    if triangle == but {
                        continue;
                    }
                    let corners = self.mesh.corners(triangle as usize);
                    let is_first = |distance: &f64| {
                        let is_in_reach = *distance > least && *distance <= most;
                        is_in_reach
                            && found.is_none_or(|hit| {
                                (*distance, triangle) < (hit.distance, hit.triangle)
                            })
                    };
                    if let Some(distance) = met(corners, from, along).filter(is_first) {
                        limit = upward(distance * self.scale);
                        found = Some(Hit { distance, triangle });
                    }
                }
                continue;
            }
            let node = &self.nodes[child as usize];
            let [enters, leaves] = ray.through(node);
            let bottom = height;
            for slot in 0..WIDTH {
                stack[height] = (enters[slot], node.child[slot], node.count[slot]);
                let is_met = enters[slot] <= leaves[slot] && enters[slot] <= limit;
                height += usize::from(is_met);
            }
            nearest_on_top(&mut stack[bottom..height]);
        }
        found
    }
}

impl Bvh<'_> {
    /// Returns the signed distance of a point from the triangles; `None` beyond `most`.
    pub(crate) fn signed_distance(&self, at: Vector, most: f64) -> Option<f64> {
        Some(self.nearest(at, most)?.distance)
    }

    /// Returns the triangle nearest to a point and its distance, negative where it faces away; `None` beyond `most`.
    ///
    /// At an edge or a corner several triangles are equally near: the one counts that the point is farthest in front of
    /// or behind, so no sharp edge has the wrong sign beside it. A mesh that cuts itself has.
    pub(crate) fn nearest(&self, at: Vector, most: f64) -> Option<Hit> {
        let place = sub(at, self.middle).map(|x| (x * self.scale) as f32);
        let mut square = most * most;
        let mut limit = upward(square * self.scale * self.scale);
        // The nearest triangle, and the height above its plane.
        let mut nearest = None::<(u32, f64)>;
        let mut stack = [(0.0_f32, 0_u32, 0_u32); STACK];
        let mut waiting = usize::from(!self.order.is_empty());
        while waiting > 0 {
            waiting -= 1;
            let (gap, child, count) = stack[waiting];
            if gap > limit {
                continue;
            }
            for &triangle in &self.order[child as usize..][..count as usize] {
                let corners = self.mesh.corners(triangle as usize);
                let offset = offset_from_triangle(corners, at);
                let own = dot(offset, offset);
                if own > square * (1.0 + SAME) {
                    continue;
                }
                let [a, b, c] = corners;
                let normal = cross(sub(b, a), sub(c, a));
                let above = dot(normal, offset) / length(normal).max(f64::MIN_POSITIVE);
                let is_as_near = own >= square * (1.0 - SAME);
                if is_as_near && nearest.is_some_and(|(_, height)| height.abs() >= above.abs()) {
                    continue;
                }
                nearest = Some((triangle, above));
                square = own.min(square);
                limit = upward(square * self.scale * self.scale);
            }
            if count > 0 {
                continue;
            }
            let node = &self.nodes[child as usize];
            let gaps = node.squared_gaps(place);
            let bottom = waiting;
            for (slot, gap) in gaps.into_iter().enumerate() {
                stack[waiting] = (gap, node.child[slot], node.count[slot]);
                waiting += usize::from(gap <= limit);
            }
            nearest_on_top(&mut stack[bottom..waiting]);
        }
        nearest.map(|(triangle, height)| Hit {
            distance: square.sqrt().copysign(height),
            triangle,
        })
    }
}

/// Moves the entry with the least distance to the end.
fn nearest_on_top(entries: &mut [(f32, u32, u32)]) {
    for last in (1..entries.len()).rev() {
        for place in 0..last {
            if entries[place].0 < entries[last].0 {
                entries.swap(place, last);
            }
        }
    }
}

impl Node {
    const EMPTY: Node = Node {
        sides: [[[f32::INFINITY; WIDTH]; 3], [[f32::NEG_INFINITY; WIDTH]; 3]],
        child: [0; WIDTH],
        count: [0; WIDTH],
    };

    /// Returns lower bounds of the squared distances of a point from each of the boxes; infinite for missing children.
    #[inline]
    fn squared_gaps(&self, at: [f32; 3]) -> [f32; WIDTH] {
        let mut squares = [0.0; WIDTH];
        for (axis, at) in at.into_iter().enumerate() {
            let [low, high] = [&self.sides[0][axis], &self.sides[1][axis]];
            for slot in 0..WIDTH {
                let gap = (low[slot] - at).max(at - high[slot]).max(0.0);
                squares[slot] += gap * gap;
            }
        }
        squares.map(|square| square * (1.0 - SLACK))
    }
}

/// A ray in the frame of the tree.
struct Ray {
    from: [f32; 3],
    /// Inverse of the direction, by which distances along the axes are multiplied.
    inverse: [f32; 3],
    /// Distance from which on hits count.
    start: f32,
}

impl Ray {
    /// Returns the distances at which the ray enters and leaves each of a node's boxes (slab test); in the wrong order
    /// if it misses.
    #[inline]
    fn through(&self, node: &Node) -> [[f32; WIDTH]; 2] {
        let (mut first, mut last) = ([self.start; WIDTH], [f32::INFINITY; WIDTH]);
        for axis in 0..3 {
            let (from, inverse) = (self.from[axis], self.inverse[axis]);
            let is_up = inverse >= 0.0;
            let near = &node.sides[usize::from(!is_up)][axis];
            let far = &node.sides[usize::from(is_up)][axis];
            for slot in 0..WIDTH {
                // NaN, along a side of the box, is ignored.
                let enters = (near[slot] - from) * inverse;
                let leaves = (far[slot] - from) * inverse;
                first[slot] = if enters > first[slot] {
                    enters
                } else {
                    first[slot]
                };
                last[slot] = if leaves < last[slot] {
                    leaves
                } else {
                    last[slot]
                };
            }
        }
        for slot in 0..WIDTH {
            first[slot] *= 1.0 - SLACK;
            last[slot] *= 1.0 + SLACK;
        }
        [first, last]
    }
}

/// Rounds a number up to single precision.
fn upward(number: f64) -> f32 {
    (number as f32).next_up()
}

/// Orders triangles as they are in the leaves: in halves of halves.
fn arrange(part: &mut [Middle]) {
    if part.len() <= LEAF {
        return;
    }
    let half = part.len() / 2;
    split(part, half);
    let (left, right) = part.split_at_mut(half);
    if left.len() < PARALLEL {
        arrange(left);
        arrange(right);
    } else {
        rayon::join(|| arrange(left), || arrange(right));
    }
}

/// Partitions triangles at the median along the longest side.
fn split(part: &mut [Middle], half: usize) {
    let (mut first, mut last) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for middle in part.iter() {
        for axis in 0..3 {
            first[axis] = first[axis].min(middle.at[axis]);
            last[axis] = last[axis].max(middle.at[axis]);
        }
    }
    let size = [0, 1, 2].map(|axis| last[axis] - first[axis]);
    let longest = (0..3).max_by(|&a, &b| size[a].total_cmp(&size[b]));
    let axis = longest.expect("there are three");
    part.select_nth_unstable_by(half, |one, other| {
        let places = one.at[axis].total_cmp(&other.at[axis]);
        places.then(one.triangle.cmp(&other.triangle))
    });
}

fn met([a, b, c]: [Vector; 3], from: Vector, along: Vector) -> Option<f64> {
    let (first, second) = (sub(b, a), sub(c, a));
    let across = cross(along, second);
    let determinant = dot(first, across);
    if determinant == 0.0 {
        return None;
    }
    let offset = sub(from, a);
    let one = dot(offset, across) / determinant;
    let turned = cross(offset, first);
    let two = dot(along, turned) / determinant;
    let is_met = one >= -EDGE && two >= -EDGE && one + two <= 1.0 + EDGE;
    is_met.then(|| dot(second, turned) / determinant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibula_core::graph::Content;
    use fibula_core::vector::scale;
    use fibula_nodes::Query;

    /// Triangles all over the place.
    fn heap() -> TriangleMesh {
        let number = |index: usize| (index as f64 * 0.618_033_988_749).fract() * 10.0;
        let small = |index: usize| (index as f64 * 0.754_877_666_2).fract() * 2.0 - 1.0;
        let vertices: Vec<Vector> = (0..300)
            .map(|index| {
                let middle = [0, 1, 2].map(|axis| number(index / 3 * 3 + axis + 1));
                [0, 1, 2].map(|axis| middle[axis] + small(7 * index + axis))
            })
            .collect();
        let triangles = (0..100).map(|first| [3 * first, 3 * first + 1, 3 * first + 2]);
        TriangleMesh::new(vertices, triangles.collect()).unwrap()
    }

    #[test]
    fn rays_meet_what_looking_at_all_finds() {
        let mesh = heap();
        let rays = Bvh::new(&mesh);
        let mut hits = 0;
        for number in 0..500 {
            let part = |step: f64| (f64::from(number) * step).fract() * 10.0;
            let from = [part(0.819_17), part(0.671_04), part(0.549_70)];
            let to = [part(0.138_9), part(0.236_1), part(0.342_7)];
            // Also along axes.
            let along = if number % 5 == 0 {
                [0.0, -1.0, 0.0]
            } else {
                let along = sub(to, from);
                scale(along, 1.0 / length(along))
            };
            let but = number as u32 % 100;
            let all = (0..100_u32).filter(|&other| other != but);
            let all = all.filter_map(|other| met(mesh.corners(other as usize), from, along));
            let expected = all
                .filter(|&distance| distance > 0.5)
                .min_by(f64::total_cmp);
            let found = rays.first(from, along, [0.5, f64::INFINITY], but);
            assert_eq!(found.map(|hit| hit.distance), expected);
            // A ray that is followed in parts hits the same, wherever it is cut.
            let cut = 0.5 + f64::from(number % 7);
            let near = rays.first(from, along, [0.5, cut], but);
            let far = || rays.first(from, along, [cut, f64::INFINITY], but);
            let in_parts = near.or_else(far).map(|hit| (hit.distance, hit.triangle));
            assert_eq!(in_parts, found.map(|hit| (hit.distance, hit.triangle)));
            if let Some(distance) = expected {
                let just = rays.first(from, along, [0.5, distance], but);
                assert_eq!(just.map(|hit| hit.distance), expected);
            }
            hits += usize::from(found.is_some());
        }
        assert!((40..450).contains(&hits), "{hits}");
        assert!(
            Bvh::new(&TriangleMesh::default())
                .first([0.0; 3], [1.0; 3], [0.0, f64::INFINITY], 0)
                .is_none()
        );
    }

    #[test]
    fn signed_distances_are_those_of_the_oracle() {
        // A thin blade: beside its sharp edge the nearest point belongs to triangles that face opposite ways.
        let blade = [
            [0.0, 0.0, 0.0],
            [4.0, 0.2, 0.0],
            [4.0, -0.2, 0.0],
            [0.0, 0.0, 3.0],
            [4.0, 0.2, 3.0],
            [4.0, -0.2, 3.0],
        ];
        let sides = [
            [0, 1, 2],
            [3, 5, 4],
            [0, 3, 4],
            [0, 4, 1],
            [1, 4, 5],
            [1, 5, 2],
            [2, 5, 3],
            [2, 3, 0],
        ];
        let mesh = TriangleMesh::new(blade.to_vec(), sides.to_vec()).unwrap();
        let oracle = mesh.clone().into_oracle().unwrap();
        let oracle = oracle.oracle(Query::SignedDistance).unwrap();
        let rays = Bvh::new(&mesh);
        let mut inside = 0;
        for number in 0..2_000 {
            let part = |step: f64| (f64::from(number) * step).fract();
            let at = [
                5.5 * part(0.819_17) - 0.8,
                part(0.671_04) - 0.5,
                4.0 * part(0.549_70) - 0.5,
            ];
            let expected = oracle.sample(at, 0);
            let found = rays.signed_distance(at, 10.0).unwrap();
            assert!(
                (found - expected).abs() < 1e-12,
                "{at:?}: {found} {expected}"
            );
            assert_eq!(rays.signed_distance(at, 0.9 * expected.abs()), None);
            inside += usize::from(found < 0.0);
        }
        assert!((100..1_900).contains(&inside), "{inside}");
    }
}
