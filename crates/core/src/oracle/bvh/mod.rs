//! A bounding volume hierarchy of oriented boxes, for closest point and ray queries.
//!
//! Every node has eight children in structure-of-arrays layout in single precision, so that a vector instruction
//! serves four of them (wide hierarchies for ray tracing: Wald, Benthin and Boulos, *Getting rid of packets*, 2008).
//! Boxes are oriented along their contents (Gottschalk, Lin and Manocha, *`OBBTree`*, SIGGRAPH 1996): around a patch
//! of a surface they are nearly flat. Axis-aligned boxes stick out, and where a surface is round, hundreds of them are
//! as close as the closest point.
//!
//! Primitives are split at the median along the longest side, at a multiple of the size of a full subtree, so that all
//! nodes but the last ones are full and the depth is known.
//!
//! Boxes are rounded up and padded by more than the rounding errors of distances inside of them. What is pruned is
//! therefore never closer *as computed*, and results depend neither on the order of the search nor on its initial
//! bound.

mod build;

use crate::vector::{Vector, length};
use build::BvhBuilder;

const WIDTH: usize = 8;
/// Maximum number of primitives.
pub(super) const MOST_PRIMITIVES: usize = 1 << 27;
/// Maximum depth: `WIDTH` to the power of this exceeds [`MOST_PRIMITIVES`].
const DEPTH: usize = 10;
/// Size of the stack: on each level all children but one wait, and one slot is written before its key is checked.
pub(super) const STACK: usize = DEPTH * (WIDTH - 1) + 2;

/// Flag of children that are leaves.
const LEAF: u32 = 1 << 31;

/// Upper bound of the error of a distance by rounding to single precision, relative to the coordinates.
const BLUR: f32 = 2e-6;

/// Coordinate beyond which single precision cannot order distances.
const FAR: f64 = 100.0;

/// Maximum number of children that are sorted completely.
const FEW: usize = 4;

/// Upper bound of the rounding error of a key, relative to the bound.
const SLACK: f64 = 1e-6;

/// A primitive of a hierarchy.
pub(super) trait Primitive {
    /// Representative points, for the orientation of boxes.
    fn points(&self) -> impl Iterator<Item = Vector> + Clone;

    /// Interval of its projection on a direction.
    fn projection(&self, direction: Vector) -> [f64; 2];
}

#[derive(Debug)]
#[repr(align(64))]
struct BvhNode {
    /// The three orthonormal axes of each box.
    axes: [[[f32; WIDTH]; 3]; 3],
    /// Its centre along these.
    middle: [[f32; WIDTH]; 3],
    /// Its half widths along these.
    half: [[f32; WIDTH]; 3],
    /// The axis-aligned boxes, for rays.
    low: [[f32; WIDTH]; 3],
    high: [[f32; WIDTH]; 3],
    child: [u32; WIDTH],
}

impl BvhNode {
    /// A node without children: its boxes have negative widths, so they are infinitely far away.
    const EMPTY: BvhNode = {
        let (zeros, ones) = ([0.0; WIDTH], [1.0; WIDTH]);
        BvhNode {
            axes: [
                [ones, zeros, zeros],
                [zeros, ones, zeros],
                [zeros, zeros, ones],
            ],
            middle: [zeros; 3],
            half: [[-1e30; WIDTH]; 3],
            low: [[f32::INFINITY; WIDTH]; 3],
            high: [[f32::NEG_INFINITY; WIDTH]; 3],
            child: [0; WIDTH],
        }
    };

    /// Distances of a point from the boxes along their axes; negative inside.
    #[inline]
    fn gaps(&self, at: [f32; 3]) -> [[f32; WIDTH]; 3] {
        let blur = blur(at);
        let mut gaps = [[0.0; WIDTH]; 3];
        for (direction, gaps) in gaps.iter_mut().enumerate() {
            let [x, y, z] = &self.axes[direction];
            let middle = &self.middle[direction];
            for (child, gap) in gaps.iter_mut().enumerate() {
                let along = at[0] * x[child] + at[1] * y[child] + at[2] * z[child] - middle[child];
                *gap = along.abs() - self.half[direction][child] - blur;
            }
        }
        gaps
    }

    /// As [`gaps`](Self::gaps), for an axis-aligned box with half widths around a point.
    #[inline]
    fn gaps_around(&self, at: [f32; 3], half: [f32; 3]) -> [[f32; WIDTH]; 3] {
        let blur = blur(half);
        let mut gaps = self.gaps(at);
        for (direction, gaps) in gaps.iter_mut().enumerate() {
            let axes = &self.axes[direction];
            for (child, gap) in gaps.iter_mut().enumerate() {
                let own: f32 = (0..3).map(|k| axes[k][child].abs() * half[k]).sum();
                *gap -= own + blur;
            }
        }
        gaps
    }

    /// Squared distances of a point from the boxes; inside, the negative squared depth.
    #[inline]
    fn signed_squares(&self, at: [f32; 3]) -> [f32; WIDTH] {
        let gaps = self.gaps(at);
        let mut squares = squares(&gaps);
        for (child, square) in squares.iter_mut().enumerate() {
            let most = larger(larger(gaps[0][child], gaps[1][child]), gaps[2][child]);
            if most < 0.0 {
                *square = -most * most;
            }
        }
        squares
    }

    /// Upper bounds of each child's projection on the direction to a distant point, negated, so that smaller keys are
    /// closer.
    #[inline]
    fn reaches(&self, towards: [f32; 3]) -> [f32; WIDTH] {
        let mut reaches = [BLUR; WIDTH];
        for direction in 0..3 {
            let [x, y, z] = &self.axes[direction];
            for (child, reach) in reaches.iter_mut().enumerate() {
                let along = towards[0] * x[child] + towards[1] * y[child] + towards[2] * z[child];
                *reach += along * self.middle[direction][child]
                    + along.abs() * self.half[direction][child];
            }
        }
        reaches.map(|reach| -reach)
    }
}

/// Squared distances from boxes, given the distances along their axes.
#[inline]
fn squares(gaps: &[[f32; WIDTH]; 3]) -> [f32; WIDTH] {
    let mut squares = [0.0; WIDTH];
    for gaps in gaps {
        for (square, &gap) in squares.iter_mut().zip(gaps) {
            let outside = larger(gap, 0.0);
            *square += outside * outside;
        }
    }
    squares
}

/// Maximum of two numbers, as the processor's instruction.
#[inline]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Upper bound of the rounding error of a distance from a point.
#[inline]
pub(super) fn blur(at: [f32; 3]) -> f32 {
    BLUR * (larger(larger(at[0].abs(), at[1].abs()), at[2].abs()) + 1.0)
}

/// Direction of a ray: up or down along an axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ray {
    pub(super) axis: usize,
    pub(super) up: bool,
}

/// A child of a node.
#[derive(Debug, Clone, Copy)]
pub(super) enum Child {
    /// A node.
    Node(usize),
    /// A leaf: a group of primitives.
    Leaf(usize),
}

/// The hierarchy; see the [module](self).
#[derive(Debug)]
pub(super) struct Bvh {
    nodes: Vec<BvhNode>,
}

impl Bvh {
    /// Builds the hierarchy over primitives, and returns their order: leaf `i` has the `group` primitives from `i *
    /// group` on.
    ///
    /// Takes O(n log n) time.
    ///
    /// # Panics
    /// If there are no primitives, or more than [`MOST_PRIMITIVES`].
    pub(super) fn new<P: Primitive>(parts: &[P], group: usize) -> (Bvh, Vec<u32>) {
        assert!(
            (1..=MOST_PRIMITIVES).contains(&parts.len()),
            "parts are counted before"
        );
        let mut builder = BvhBuilder::new(parts, group);
        let order = builder.run();
        (
            Bvh {
                nodes: builder.nodes,
            },
            order,
        )
    }

    /// Branch and bound: visits the leaves that may have the primitive closest to a point, closer ones first. `visit`
    /// returns the least squared distance found so far; `start` is an initial upper bound.
    #[inline]
    pub(super) fn nearest(&self, at: Vector, start: f64, mut visit: impl FnMut(usize) -> f64) {
        if is_far(at) {
            return self.nearest_from_afar(at, start, &mut visit);
        }
        let at = at.map(|x| x as f32);
        let keys = |node: &BvhNode| squares(&node.gaps(at));
        self.search(limit(start), keys, |leaf, _| limit(visit(leaf)));
    }

    /// As [`nearest`](Self::nearest), for signed distances; squares keep their sign.
    #[inline]
    pub(super) fn deepest(&self, at: Vector, start: f64, mut visit: impl FnMut(usize) -> f64) {
        if is_far(at) {
            return self.nearest_from_afar(at, start, &mut visit);
        }
        let at = at.map(|x| x as f32);
        self.search(
            limit(start),
            |node| node.signed_squares(at),
            |leaf, _| limit(visit(leaf)),
        );
    }

    #[cold]
    fn nearest_from_afar(&self, at: Vector, start: f64, visit: &mut impl FnMut(usize) -> f64) {
        let distance = length(at);
        let towards = at.map(|x| (x / distance) as f32);
        // Children whose projection is smaller are farther away than the best.
        let limit = |best: f64| {
            let nearer = best.sqrt() - distance + 4.0 * f64::EPSILON * distance;
            (nearer as f32 + 2.0 * BLUR).min(f32::MAX)
        };
        self.search(
            limit(start),
            |node| node.reaches(towards),
            |leaf, _| limit(visit(leaf)),
        );
    }

    /// Lower bound of the distance of all primitives from an axis-aligned box, if one is at `distance` from its centre.
    pub(super) fn box_distance_bound(&self, middle: Vector, half: Vector, distance: f64) -> f64 {
        let in_box = distance <= half[0].min(half[1]).min(half[2]);
        if in_box || is_far(middle) || is_far(half) {
            return 0.0;
        }
        let (at, half) = (middle.map(|x| x as f32), half.map(|x| x as f32));
        let keys = |node: &BvhNode| squares(&node.gaps_around(at, half));
        let mut least = limit(distance * distance);
        self.search(least, keys, |_, key| {
            least = least.min(key);
            least
        });
        f64::from(least).sqrt() * (1.0 - SLACK)
    }

    #[inline]
    fn search(
        &self,
        mut limit: f32,
        keys: impl Fn(&BvhNode) -> [f32; WIDTH],
        mut visit: impl FnMut(usize, f32) -> f32,
    ) {
        let mut stack = [(f32::NEG_INFINITY, 0_u32); STACK];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (key, child) = stack[height];
            if key > limit {
                continue;
            }
            if child >= LEAF {
                limit = visit((child - LEAF) as usize, key);
                continue;
            }
            let node = &self.nodes[child as usize];
            let bottom = height;
            for (key, &child) in keys(node).into_iter().zip(&node.child) {
                stack[height] = (key, child);
                height += usize::from(key <= limit);
            }
            // Sorts the children, the closest on top; of many only the closest, since the bound is still loose and most
            // of the others are pruned after it.
            let waiting = &mut stack[bottom..height];
            let first = if waiting.len() > FEW {
                waiting.len() - 1
            } else {
                1
            };
            for last in (first..waiting.len()).rev() {
                let mut nearest = last;
                for place in 0..last {
                    if waiting[place].0 < waiting[nearest].0 {
                        nearest = place;
                    }
                }
                waiting.swap(nearest, last);
            }
        }
    }

    /// Visits the leaves whose boxes a ray from a point intersects.
    #[inline]
    pub(super) fn visit_ray(&self, at: Vector, ray: Ray, mut visit: impl FnMut(usize)) {
        let at = at.map(|x| x as f32);
        let blur = blur(at);
        // The bounding box of the ray, infinite in its direction.
        let (mut from, mut to) = (at.map(|x| x - blur), at.map(|x| x + blur));
        if ray.up {
            to[ray.axis] = f32::MAX;
        } else {
            from[ray.axis] = f32::MIN;
        }
        let mut stack = [0_u32; STACK];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            if stack[height] >= LEAF {
                visit((stack[height] - LEAF) as usize);
                continue;
            }
            let node = &self.nodes[stack[height] as usize];
            let mut gaps = [f32::NEG_INFINITY; WIDTH];
            for axis in 0..3 {
                for (child, gap) in gaps.iter_mut().enumerate() {
                    let below = node.low[axis][child] - to[axis];
                    let above = from[axis] - node.high[axis][child];
                    *gap = larger(*gap, larger(below, above));
                }
            }
            for (gap, &child) in gaps.into_iter().zip(&node.child) {
                stack[height] = child;
                height += usize::from(gap <= 0.0);
            }
        }
    }

    /// Number of nodes; each comes before its children.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Children of a node; the root is node 0.
    pub(super) fn children(&self, node: usize) -> impl Iterator<Item = Child> {
        let node = &self.nodes[node];
        let used = node.child.iter().zip(&node.half[0]);
        used.take_while(|&(_, &half)| half >= 0.0)
            .map(|(&child, _)| {
                if child >= LEAF {
                    Child::Leaf((child - LEAF) as usize)
                } else {
                    Child::Node(child as usize)
                }
            })
    }
}

/// True if single precision cannot order distances from a point.
#[inline]
pub(super) fn is_far(at: Vector) -> bool {
    at.iter().any(|x| x.abs() > FAR)
}

/// Bound for keys: keys of primitives as close as `best` are not above it.
#[inline]
pub(super) fn limit(best: f64) -> f32 {
    ((best + best.abs() * SLACK) as f32).min(f32::MAX)
}
