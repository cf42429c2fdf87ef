//! Top-down construction of the hierarchy.

use super::{BvhNode, LEAF, Primitive, WIDTH};
use crate::oracle::bounding_box::BoundingBox;
use crate::vector::{Vector, cross, dot, unit};

/// Axes of an oriented box, and its interval along each.
type Sides = [([f32; 3], [f64; 2]); 3];

/// State of the construction.
pub(super) struct BvhBuilder<'a, P> {
    parts: &'a [P],
    /// Twice the centre of each primitive.
    middles: Vec<Vector>,
    group: usize,
    pub(super) nodes: Vec<BvhNode>,
}

impl<'a, P: Primitive> BvhBuilder<'a, P> {
    pub(super) fn new(parts: &'a [P], group: usize) -> Self {
        let aligned = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let middle = |part: &P| aligned.map(|axis| part.projection(axis).iter().sum());
        BvhBuilder {
            parts,
            middles: parts.iter().map(middle).collect(),
            group,
            nodes: Vec::new(),
        }
    }

    /// Builds the nodes, and returns the order of the primitives.
    pub(super) fn run(&mut self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.parts.len() as u32).collect();
        let mut block = self.group;
        while block * WIDTH < order.len() {
            block *= WIDTH;
        }
        self.build(&mut order, 0, block);
        order
    }

    /// Builds the node over `order`, whose first primitive is `first`; its children have at most `block` primitives
    /// each.
    fn build(&mut self, order: &mut [u32], first: usize, block: usize) -> u32 {
        let index = self.nodes.len();
        self.nodes.push(BvhNode::EMPTY);
        let mut slot = 0;
        let mut waiting = vec![(first, order)];
        while let Some((first, order)) = waiting.pop() {
            if order.len() > block {
                let middle = (order.len() / 2)
                    .next_multiple_of(block)
                    .min((order.len() - 1) / block * block);
                self.split(order, middle);
                let (left, right) = order.split_at_mut(middle);
                waiting.push((first + middle, right));
                waiting.push((first, left));
                continue;
            }
            let [aligned, oriented] = self.boxes(order);
            let child = if block == self.group {
                LEAF + (first / self.group) as u32
            } else {
                self.build(order, first, block / WIDTH)
            };
            let node = &mut self.nodes[index];
            for (direction, (axis, [low, high])) in oriented.into_iter().enumerate() {
                for (components, component) in node.axes[direction].iter_mut().zip(axis) {
                    components[slot] = component;
                }
                let middle = (low / 2.0 + high / 2.0) as f32;
                node.middle[direction][slot] = middle;
                let half = (high - f64::from(middle)).max(f64::from(middle) - low);
                node.half[direction][slot] = (half as f32).next_up();
            }
            for (axis, (_, [low, high])) in aligned.into_iter().enumerate() {
                node.low[axis][slot] = (low as f32).next_down();
                node.high[axis][slot] = (high as f32).next_up();
            }
            node.child[slot] = child;
            slot += 1;
        }
        index as u32
    }

    /// The axis-aligned box of primitives, and the smaller one of it and the box along their principal axes.
    fn boxes(&self, order: &[u32]) -> [Sides; 2] {
        let boxed = |axes: [Vector; 3]| {
            axes.map(|axis| {
                let axis = axis.map(|x| x as f32);
                let direction = axis.map(f64::from);
                let reaches = order
                    .iter()
                    .map(|&part| self.parts[part as usize].projection(direction));
                let around = |a: [f64; 2], b: [f64; 2]| [a[0].min(b[0]), a[1].max(b[1])];
                (
                    axis,
                    reaches.fold([f64::INFINITY, f64::NEG_INFINITY], around),
                )
            })
        };
        let size = |sides: &Sides| {
            let [a, b, c] = sides.map(|(_, [low, high])| high - low);
            a * b + b * c + c * a
        };
        let aligned = boxed([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        let points = order
            .iter()
            .flat_map(|&part| self.parts[part as usize].points());
        let oriented = boxed(principal_axes(points));
        [
            aligned,
            if size(&oriented) < size(&aligned) {
                oriented
            } else {
                aligned
            },
        ]
    }

    /// Partitions at the `middle` element along the longest side (quickselect).
    fn split(&self, order: &mut [u32], middle: usize) {
        let middles = order.iter().map(|&part| self.middles[part as usize]);
        let BoundingBox { low, high } = BoundingBox::around(middles);
        let side = |axis: &usize| high[*axis] - low[*axis];
        let axis = (0..3)
            .max_by(|a, b| side(a).total_cmp(&side(b)))
            .expect("there are three");
        let place = |part: &u32| self.middles[*part as usize][axis];
        order.select_nth_unstable_by(middle, |a, b| place(a).total_cmp(&place(b)).then(a.cmp(b)));
    }
}

/// Principal axes of points: the eigenvectors of their covariance matrix, by Jacobi's method.
fn principal_axes(points: impl Iterator<Item = Vector> + Clone) -> [Vector; 3] {
    let mut count = 0.0;
    let mut mean = [0.0; 3];
    for point in points.clone() {
        count += 1.0;
        for axis in 0..3 {
            mean[axis] += point[axis];
        }
    }
    let mean = mean.map(|sum| sum / count);
    let mut spread = [[0.0; 3]; 3];
    for point in points {
        for (i, j) in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)] {
            spread[i][j] += (point[i] - mean[i]) * (point[j] - mean[j]);
            spread[j][i] = spread[i][j];
        }
    }
    let mut axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for (p, q) in [(0, 1), (0, 2), (1, 2)].into_iter().cycle().take(18) {
        if spread[p][q] == 0.0 {
            continue;
        }
        // The smaller rotation that makes the entry of p and q zero, by its tangent (Golub and Van Loan, *Matrix
        // Computations*, section 8.5.2).
        let cotangent = (spread[q][q] - spread[p][p]) / (2.0 * spread[p][q]);
        let tangent =
            1f64.copysign(cotangent) / (cotangent.abs() + (1.0 + cotangent * cotangent).sqrt());
        let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
        let sine = tangent * cosine;
        for row in &mut spread {
            (row[p], row[q]) = (
                cosine * row[p] - sine * row[q],
                sine * row[p] + cosine * row[q],
            );
        }
        for rows in [&mut spread, &mut axes] {
            let (first, second) = (rows[p], rows[q]);
            rows[p] = std::array::from_fn(|k| cosine * first[k] - sine * second[k]);
            rows[q] = std::array::from_fn(|k| sine * first[k] + cosine * second[k]);
        }
    }
    // Orthonormalized again after rounding (Gram-Schmidt).
    let first = unit(axes[0]).unwrap_or([1.0, 0.0, 0.0]);
    let second = std::array::from_fn(|k| axes[1][k] - dot(axes[1], first) * first[k]);
    let second = unit(second).unwrap_or([0.0, 1.0, 0.0]);
    [first, second, cross(first, second)]
}
