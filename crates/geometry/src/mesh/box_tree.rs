//! A hierarchy of the bounding boxes of triangles: in Morton order of their centres, in leaves of eight, whose boxes are united two
//! by two.

use fibula_core::vector::Vector;
use rayon::prelude::*;

use super::triangles::TriangleMesh;
use crate::bounds::enclosing;

/// Triangles in a leaf of the hierarchy.
pub(super) const LEAF: usize = 8;

/// Low and high corner of a box.
type Corners = [Vector; 2];

impl TriangleMesh {
    /// Bounding box of a triangle.
    pub(crate) fn box_of(&self, number: u32) -> Corners {
        let [a, b, c] = self.corners(number as usize).map(|at| [at; 2]);
        enclosing(enclosing(a, b), c)
    }
}

/// Bounding boxes of the triangles of a leaf, rounded outwards, in structure-of-arrays layout for vector instructions. Missing ones
/// are NaN, which overlaps nothing, not even a box beyond the range of single precision.
#[derive(Clone, Copy)]
struct LeafBoxes {
    low: [[f32; LEAF]; 3],
    high: [[f32; LEAF]; 3],
}

impl LeafBoxes {
    fn new(boxes: &[Corners]) -> LeafBoxes {
        let mut leaf = LeafBoxes {
            low: [[f32::NAN; LEAF]; 3],
            high: [[f32::NAN; LEAF]; 3],
        };
        for (place, [low, high]) in boxes.iter().enumerate() {
            let [low, high] = rounded(&[*low, *high]);
            for axis in 0..3 {
                leaf.low[axis][place] = low[axis];
                leaf.high[axis][place] = high[axis];
            }
        }
        leaf
    }

    /// Returns a bit for each box that overlaps another.
    fn overlaps(&self, [low, high]: [[f32; 3]; 2]) -> u32 {
        let mut overlaps = [true; LEAF];
        for axis in 0..3 {
            for (lane, overlaps) in overlaps.iter_mut().enumerate() {
                *overlaps &=
                    low[axis] <= self.high[axis][lane] && self.low[axis][lane] <= high[axis];
            }
        }
        let bits = overlaps.iter().enumerate();
        bits.fold(0, |all, (lane, overlaps)| {
            all | u32::from(*overlaps) << lane
        })
    }

    /// A box.
    fn get(&self, place: usize) -> [[f32; 3]; 2] {
        let ([x, y, z], [to_x, to_y, to_z]) = (&self.low, &self.high);
        [
            [x[place], y[place], z[place]],
            [to_x[place], to_y[place], to_z[place]],
        ]
    }
}

/// A box rounded outwards to single precision.
fn rounded([low, high]: &Corners) -> [[f32; 3]; 2] {
    [
        low.map(|x| (x as f32).next_down()),
        high.map(|x| (x as f32).next_up()),
    ]
}

/// The places of the bits of a number that are set.
fn places(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        place
    })
}

/// Hierarchy of the bounding boxes of triangles.
pub(super) struct BoxTree {
    /// Triangles in Morton order.
    order: Vec<u32>,
    /// Boxes of the triangles of each leaf.
    leaves: Vec<LeafBoxes>,
    /// Boxes of leaves, and then of two boxes of the level before each.
    levels: Vec<Vec<Corners>>,
}

impl BoxTree {
    /// Builds the hierarchy; `None` without triangles.
    pub(super) fn new(mesh: &TriangleMesh) -> Option<BoxTree> {
        let order = mesh.morton_order();
        let unite = |boxes: &[Corners]| boxes.iter().copied().reduce(enclosing);
        let leaf = |numbers: &[u32]| {
            let mut boxes = [Corners::default(); LEAF];
            let boxes = &mut boxes[..numbers.len()];
            for (own, number) in boxes.iter_mut().zip(numbers) {
                *own = mesh.box_of(*number);
            }
            (LeafBoxes::new(boxes), unite(boxes).unwrap_or_default())
        };
        let (leaves, lowest): (Vec<LeafBoxes>, Vec<Corners>) =
            order.par_chunks(LEAF).map(leaf).unzip();
        let mut levels = vec![lowest];
        while let Some(last) = levels.last().filter(|last| last.len() > 1) {
            levels.push(last.chunks(2).filter_map(unite).collect());
        }
        (!order.is_empty()).then_some(BoxTree {
            order,
            leaves,
            levels,
        })
    }

    /// Calls `visit` with pairs of triangles whose boxes overlap: those whose first one, in the order of the tree, is in this node of
    /// a level. Over all nodes of a level each pair is visited once.
    pub(super) fn pairs(&self, level: usize, number: usize, mut visit: impl FnMut(u32, u32)) {
        let mut stack = vec![((level, number), (self.levels.len() - 1, 0))];
        while let Some((own, other)) = stack.pop() {
            let ((own_level, first), (other_level, second)) = (own, other);
            let own_box = &self.levels[own_level][first];
            let other_box = &self.levels[other_level][second];
            let is_before = (second + 1) << other_level <= first << own_level;
            if is_before || !overlap(own_box, other_box) {
                continue;
            }
            if own_level == 0 && other_level == 0 {
                self.pairs_of_leaves(first, second, &mut visit);
            } else if own_level >= other_level {
                stack.extend(self.children(own).map(|own| (own, other)));
            } else {
                stack.extend(self.children(other).map(|other| (own, other)));
            }
        }
    }

    fn pairs_of_leaves(&self, first: usize, second: usize, visit: &mut impl FnMut(u32, u32)) {
        let (own, other) = (&self.leaves[first], &self.leaves[second]);
        // Few triangles of a leaf reach into another.
        for place in places(own.overlaps(rounded(&self.levels[0][second]))) {
            let mut overlaps = other.overlaps(own.get(place));
            if first == second {
                overlaps &= !1 << place;
            }
            for other in places(overlaps) {
                visit(self.leaf(first)[place], self.leaf(second)[other]);
            }
        }
    }

    /// The nodes that are united in a node.
    fn children(&self, (level, number): (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
        let below = self.levels[level - 1].len();
        (2 * number..below.min(2 * number + 2)).map(move |child| (level - 1, child))
    }

    /// Number of nodes of a level.
    pub(super) fn nodes(&self, level: usize) -> usize {
        self.levels[level].len()
    }

    /// Number of the level of the root, above the leaves.
    pub(super) fn root_level(&self) -> usize {
        self.levels.len() - 1
    }

    /// Triangles of a leaf.
    fn leaf(&self, number: usize) -> &[u32] {
        &self.order[number * LEAF..self.order.len().min((number + 1) * LEAF)]
    }

    /// Calls `visit` with the triangles of leaves whose boxes overlap a box.
    pub(super) fn overlapping(&self, own: &Corners, mut visit: impl FnMut(u32)) {
        let mut stack = vec![(self.levels.len() - 1, 0)];
        while let Some(node) = stack.pop() {
            let (level, number) = node;
            if !overlap(own, &self.levels[level][number]) {
                continue;
            }
            if level == 0 {
                self.leaf(number).iter().copied().for_each(&mut visit);
            } else {
                stack.extend(self.children(node));
            }
        }
    }
}

pub(super) fn overlap(one: &Corners, other: &Corners) -> bool {
    (0..3).all(|axis| one[0][axis] <= other[1][axis] && other[0][axis] <= one[1][axis])
}
