//! A tree of turned boxes over the parts of a shape, asked for what is nearest and what a ray meets.
//!
//! Every node has eight children, held as lists of single-precision numbers, so that one instruction of the
//! processor's vectors serves four of them (the layout of wide ray-tracing trees: Wald, Benthin and Boulos, *Getting
//! rid of packets*, 2008). A box is turned to lie along what it holds (Gottschalk, Lin and Manocha, *`OBBTree`*, SIGGRAPH
//! 1996): around a patch of a surface it is nearly flat. Upright boxes stick out, and where a surface is round, hundreds
//! of them are as near as what is nearest in truth.
//!
//! Parts are split at the middle along the longest side, at a multiple of what fills a subtree, so that all nodes but
//! those at the end are full and the depth is known.
//!
//! The sizes of boxes are rounded up and padded by more than the rounding of what is measured inside of them. What is
//! pruned is therefore never nearer *as computed*, and an answer depends neither on the order of the search nor on the
//! bound it began with.

mod build;

use crate::vector::{Vector, length};
use build::BvhBuilder;

const WIDTH: usize = 8;
/// At most this many parts.
pub(super) const MOST_PRIMITIVES: usize = 1 << 27;
/// Eight to the power of this is more than that.
const DEPTH: usize = 10;
/// What waits on the way down: all children of a node but one, and at the end one more that is then left out.
pub(super) const STACK: usize = DEPTH * (WIDTH - 1) + 2;

/// Children from here on are leaves.
const LEAF: u32 = 1 << 31;

/// How much a distance may be wrong by rounding to single precision, relative to the coordinates.
const BLUR: f32 = 2e-6;

/// Beyond this single precision does not tell how near things are to each other.
const FAR: f64 = 100.0;

/// So many children are brought in order.
const FEW: usize = 4;

/// How much lower than the bound a key may have been rounded, relative to it.
const SLACK: f64 = 1e-6;

/// Something that a tree holds.
pub(super) trait Primitive {
    /// Points that say where it is, for sorting and for turning boxes.
    fn points(&self) -> impl Iterator<Item = Vector> + Clone;

    /// How far it reaches along a direction, from least to most.
    fn projection(&self, direction: Vector) -> [f64; 2];
}

#[derive(Debug)]
#[repr(align(64))]
struct BvhNode {
    /// The three directions of each box, which are upright on each other.
    axes: [[[f32; WIDTH]; 3]; 3],
    /// Where its middle is along those.
    middle: [[f32; WIDTH]; 3],
    /// How far it reaches from there.
    half: [[f32; WIDTH]; 3],
    /// The upright boxes, for rays.
    low: [[f32; WIDTH]; 3],
    high: [[f32; WIDTH]; 3],
    child: [u32; WIDTH],
}

impl BvhNode {
    /// Without children: the boxes are less than nothing, and nothing is near them.
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

    /// How far a point is outside of the boxes along their three directions; negative inside.
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

    /// As [`gaps`](Self::gaps), for an upright box that reaches `half` from a point.
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

    /// The squares of the distances between a point and the boxes; inside of one the depth below its surface, squared and
    /// negative.
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

    /// How much less than the origin's the distance of each child from far away may be, at most: what it reaches
    /// towards there. The sign is turned, so that less is nearer.
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

/// The squares of the distances from boxes, if those are so far along their directions.
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

/// The maximum of two numbers, as the processor has it.
#[inline]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// How much a distance from a point may be wrong by rounding.
#[inline]
pub(super) fn blur(at: [f32; 3]) -> f32 {
    BLUR * (larger(larger(at[0].abs(), at[1].abs()), at[2].abs()) + 1.0)
}

/// Where a ray goes: along an axis, up or down.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ray {
    pub(super) axis: usize,
    pub(super) up: bool,
}

/// A child of a node.
#[derive(Debug, Clone, Copy)]
pub(super) enum Child {
    /// Another node.
    Node(usize),
    /// A leaf: some parts of the shape.
    Leaf(usize),
}

/// A tree of boxes; see the [module](self).
#[derive(Debug)]
pub(super) struct Bvh {
    nodes: Vec<BvhNode>,
}

impl Bvh {
    /// The tree over some parts, and their order in it: leaf `i` holds those that come `group` by `group` from `i *
    /// group` on.
    ///
    /// Takes O(n log n) time.
    ///
    /// # Panics
    /// If there are no parts, or more than [`MOST_PRIMITIVES`].
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

    /// Looks at the leaves that may hold what is nearest to a point, the nearer ones first: `visit` gives the least
    /// square of a distance that is known by then. `start` bounds the search from above.
    #[inline]
    pub(super) fn nearest(&self, at: Vector, start: f64, mut visit: impl FnMut(usize) -> f64) {
        if is_far(at) {
            return self.nearest_from_afar(at, start, &mut visit);
        }
        let at = at.map(|x| x as f32);
        let keys = |node: &BvhNode| squares(&node.gaps(at));
        self.search(limit(start), keys, |leaf, _| limit(visit(leaf)));
    }

    /// As [`nearest`](Self::nearest), for distances that are negative inside of a part; squares keep their sign.
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
        // What reaches less towards the point than this is farther than the best.
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

    /// No part is nearer to an upright box than this, if one is at `distance` from the middle.
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
            // The nearest on top, and the others in order, unless they are many: then the bound is not yet good, and
            // after the first most of them are left out.
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

    /// Visits the leaves whose boxes a ray from a point meets.
    #[inline]
    pub(super) fn visit_ray(&self, at: Vector, ray: Ray, mut visit: impl FnMut(usize)) {
        let at = at.map(|x| x as f32);
        let blur = blur(at);
        // The ray's own box, without end on the side to which it goes.
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

    /// How many nodes there are; each comes before its children.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The children of a node; the root is node 0.
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

/// Whether a point is beyond what single precision can tell apart.
#[inline]
pub(super) fn is_far(at: Vector) -> bool {
    at.iter().any(|x| x.abs() > FAR)
}

/// What keys are compared with: no key of a part that is as near as `best` is above it.
#[inline]
pub(super) fn limit(best: f64) -> f32 {
    ((best + best.abs() * SLACK) as f32).min(f32::MAX)
}
