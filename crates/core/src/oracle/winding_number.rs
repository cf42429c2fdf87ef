//! Fast generalized winding numbers of open surfaces.
//!
//! The generalized winding number is the sum of the signed solid angles of all triangles (Jacobson, Kavan and
//! Sorkine-Hornung, *Robust inside-outside segmentation using generalized winding numbers*, SIGGRAPH 2013): 1 inside
//! of a closed surface, 0 outside, and in between near holes. A distant subtree is approximated by a dipole at its
//! centre (Barill, Dickson, Schmidt, Levin and Jacobson, *Fast winding numbers for soups and clouds*, SIGGRAPH 2018,
//! section 3, the first-order term).

use std::f64::consts::TAU;
use std::ops::Range;

use super::bvh::{Bvh, Child, STACK};
use super::surface::GROUP;
use super::triangle::{Triangle, solid_angle};
use crate::vector::{Vector, add, cross, dot, length, scale, sub};

/// Ratio of distance and radius from which on a subtree is approximated.
const FAR: f64 = 3.0;

/// Approximation of a subtree.
#[derive(Debug, Clone, Copy)]
struct Dipole {
    middle: Vector,
    /// Sum of the areas times the normals.
    moment: Vector,
    /// Radius of a bounding sphere around the centre.
    radius: f64,
}

impl Dipole {
    fn new(triangles: &[Triangle]) -> Dipole {
        let (mut area, mut weighted, mut moment) = (0.0, [0.0; 3], [0.0; 3]);
        for triangle in triangles {
            let [a, b, c] = triangle.corners();
            let vector = scale(cross(sub(b, a), sub(c, a)), 0.5);
            let own = length(vector);
            area += own;
            weighted = add(weighted, scale(add(a, add(b, c)), own / 3.0));
            moment = add(moment, vector);
        }
        let middle = if area > 0.0 {
            scale(weighted, 1.0 / area)
        } else {
            triangles[0].corners()[0]
        };
        let corners = triangles.iter().flat_map(Triangle::corners);
        Dipole {
            middle,
            moment,
            radius: corners
                .map(|corner| length(sub(corner, middle)))
                .fold(0.0, f64::max),
        }
    }
}

/// Dipoles of the nodes and leaves of a hierarchy.
#[derive(Debug)]
pub(super) struct WindingNumber {
    nodes: Vec<Dipole>,
    leaves: Vec<Dipole>,
}

impl WindingNumber {
    /// Computes the dipoles of a hierarchy over packets of triangles, in O(n log n) time.
    pub(super) fn new(bvh: &Bvh, triangles: &[Triangle]) -> WindingNumber {
        // In reverse, since children come after their parents.
        let mut ranges: Vec<Range<usize>> = vec![0..0; bvh.len()];
        for node in (0..bvh.len()).rev() {
            let own = bvh.children(node).map(|child| match child {
                Child::Node(child) => ranges[child].clone(),
                Child::Leaf(leaf) => packet(triangles, leaf),
            });
            let all = own.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
            ranges[node] = all.expect("a node has children");
        }
        let (nodes, packets) = (ranges.into_iter(), triangles.chunks(GROUP));
        WindingNumber {
            nodes: nodes.map(|range| Dipole::new(&triangles[range])).collect(),
            leaves: packets.map(Dipole::new).collect(),
        }
    }

    /// Winding number at a point, within about 0.01: near triangles are exact.
    pub(super) fn winding(&self, bvh: &Bvh, triangles: &[Triangle], at: Vector) -> f64 {
        let mut winding = 0.0;
        let mut stack = [Child::Node(0); STACK];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let child = stack[height];
            let dipole = match child {
                Child::Node(node) => &self.nodes[node],
                Child::Leaf(leaf) => &self.leaves[leaf],
            };
            let to = sub(dipole.middle, at);
            let distance = length(to);
            if distance > FAR * dipole.radius {
                winding += dot(dipole.moment, to) / (distance * distance * distance) / (2.0 * TAU);
                continue;
            }
            match child {
                Child::Node(node) => {
                    for child in bvh.children(node) {
                        stack[height] = child;
                        height += 1;
                    }
                }
                Child::Leaf(leaf) => {
                    let near = &triangles[packet(triangles, leaf)];
                    let angles = near
                        .iter()
                        .map(|triangle| solid_angle(triangle.corners(), at));
                    winding += angles.sum::<f64>();
                }
            }
        }
        winding
    }
}

/// Range of the triangles of a leaf.
fn packet(triangles: &[Triangle], leaf: usize) -> Range<usize> {
    let first = leaf * GROUP;
    first..(first + GROUP).min(triangles.len())
}
