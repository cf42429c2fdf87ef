//! What a ray from the surface of a mesh meets first.
//!
//! Triangles lie in a tree of upright boxes, cut at the middle of their longest side, and a ray looks at the nearer
//! box first. A triangle is met by the test of Möller and Trumbore (*Fast, minimum storage ray/triangle intersection*,
//! 1997), a little beyond its edges, so that no ray slips through between two.

use crate::geometry::TriangleMesh;
use crate::vector::{Vector, cross, dot, sub};

/// Triangles of a leaf.
const LEAF: usize = 4;
/// How far beyond its edges a triangle is met, in parts of its size.
const EDGE: f64 = 1e-9;
/// Boxes that wait; the tree halves 2^32 triangles at most so often.
const STACK: usize = 64;

/// A box and what is in it.
#[derive(Debug, Clone, Copy)]
struct Node {
    low: Vector,
    high: Vector,
    /// The first triangle of a leaf, or the second child; the first child comes right after the node.
    next: u32,
    /// How many triangles a leaf has; 0 for others.
    count: u32,
}

/// The triangles of a mesh, ready for rays.
#[derive(Debug)]
pub(super) struct Rays<'a> {
    mesh: &'a TriangleMesh,
    nodes: Vec<Node>,
    /// The triangles in the order of the leaves.
    order: Vec<u32>,
}

/// What a ray met.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    /// How far away, in lengths of the ray's direction.
    pub(super) distance: f64,
    pub(super) triangle: u32,
}

impl<'a> Rays<'a> {
    /// Takes O(n log n) time.
    pub(super) fn new(mesh: &'a TriangleMesh) -> Rays<'a> {
        let count = mesh.triangles().len();
        let boxes: Vec<[Vector; 2]> = (0..count).map(|number| around(mesh, number)).collect();
        let mut rays = Rays {
            mesh,
            nodes: Vec::with_capacity(count),
            order: (0..count as u32).collect(),
        };
        rays.build(&boxes);
        rays
    }

    fn build(&mut self, boxes: &[[Vector; 2]]) {
        // What is to be built, and the node whose second child it is.
        let mut waiting = vec![(0, self.order.len(), None::<usize>)];
        while let Some((from, to, parent)) = waiting.pop() {
            let index = self.nodes.len();
            if let Some(parent) = parent {
                self.nodes[parent].next = index as u32;
            }
            let part = &mut self.order[from..to];
            let whole = |of: &dyn Fn(&[Vector; 2]) -> [Vector; 2]| {
                let all = part.iter().map(|&number| of(&boxes[number as usize]));
                all.reduce(joined).unwrap_or_default()
            };
            let [low, high] = whole(&|own| *own);
            let middle = |own: &[Vector; 2], axis: usize| own[0][axis] + own[1][axis];
            let [first, last] = whole(&|own| [[0, 1, 2].map(|axis| middle(own, axis)); 2]);
            let is_leaf = part.len() <= LEAF;
            self.nodes.push(Node {
                low,
                high,
                next: from as u32,
                count: if is_leaf { part.len() as u32 } else { 0 },
            });
            if is_leaf {
                continue;
            }
            let size = sub(last, first);
            let longest = (0..3).max_by(|&a, &b| size[a].total_cmp(&size[b]));
            let axis = longest.expect("there are three");
            let half = part.len() / 2;
            part.select_nth_unstable_by(half, |&a, &b| {
                let [one, two] = [a, b].map(|number| middle(&boxes[number as usize], axis));
                one.total_cmp(&two).then(a.cmp(&b))
            });
            waiting.push((from + half, to, Some(index)));
            waiting.push((from, from + half, None));
        }
    }

    /// The first triangle, other than that with number `but`, that a ray meets farther away than `least`.
    pub(super) fn first(&self, from: Vector, along: Vector, least: f64, but: u32) -> Option<Hit> {
        let inverse = along.map(|x| 1.0 / x);
        let mut found: Option<Hit> = None;
        let mut stack = [(0_u32, 0.0); STACK];
        let mut height = usize::from(!self.order.is_empty());
        while height > 0 {
            height -= 1;
            let (index, entry) = stack[height];
            if found.is_some_and(|hit| entry > hit.distance) {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.count > 0 {
                let range = node.next as usize..(node.next + node.count) as usize;
                for &triangle in &self.order[range] {
                    if triangle == but {
                        continue;
                    }
                    let corners = self.mesh.corners(triangle as usize);
                    let distance = met(corners, from, along).filter(|&distance| {
                        distance > least && found.is_none_or(|hit| distance < hit.distance)
                    });
                    if let Some(distance) = distance {
                        found = Some(Hit { distance, triangle });
                    }
                }
                continue;
            }
            let entry = |child: u32| {
                let node = &self.nodes[child as usize];
                entered(node, from, inverse).map(|entry| (child, entry))
            };
            let children = [entry(index + 1), entry(node.next)];
            let is_second_nearer =
                matches!(children, [Some((_, first)), Some((_, second))] if second < first);
            // The nearer one on top.
            let order = if is_second_nearer { [0, 1] } else { [1, 0] };
            for child in order {
                if let Some(child) = children[child] {
                    stack[height] = child;
                    height += 1;
                }
            }
        }
        found
    }
}

fn around(mesh: &TriangleMesh, triangle: usize) -> [Vector; 2] {
    let [a, b, c] = mesh.corners(triangle);
    joined(joined([a, a], [b, b]), [c, c])
}

fn joined(one: [Vector; 2], other: [Vector; 2]) -> [Vector; 2] {
    [
        std::array::from_fn(|axis| one[0][axis].min(other[0][axis])),
        std::array::from_fn(|axis| one[1][axis].max(other[1][axis])),
    ]
}

/// Where a ray enters a box, if it meets it.
fn entered(node: &Node, from: Vector, inverse: Vector) -> Option<f64> {
    let (mut first, mut last) = (0.0_f64, f64::INFINITY);
    for axis in 0..3 {
        let low = (node.low[axis] - from[axis]) * inverse[axis];
        let high = (node.high[axis] - from[axis]) * inverse[axis];
        // The ray goes along a side of the box.
        if low.is_nan() || high.is_nan() {
            continue;
        }
        first = first.max(low.min(high));
        last = last.min(low.max(high));
    }
    // A box without thickness is met in spite of rounding.
    (first <= last * (1.0 + 1e-12)).then_some(first)
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
    use crate::vector::{length, scale};

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
        let rays = Rays::new(&mesh);
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
            let found = rays.first(from, along, 0.5, but);
            assert_eq!(found.map(|hit| hit.distance), expected);
            hits += usize::from(found.is_some());
        }
        assert!((40..450).contains(&hits), "{hits}");
        assert!(
            Rays::new(&TriangleMesh::default())
                .first([0.0; 3], [1.0; 3], 0.0, 0)
                .is_none()
        );
    }
}
