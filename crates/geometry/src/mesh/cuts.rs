//! Pairs of triangles that cut each other.
//!
//! Candidates come from a hierarchy of boxes ([`box_tree`](super::box_tree)). Pairs around a vertex whose triangles lie side by side
//! ([`stars`](super::stars)) do not cut each other. Pairs that are not clearly apart are tested exactly: on which side of triangles and
//! edges points lie, with adaptive predicates (Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
//! Predicates, 1997). Triangles that only touch do not cut each other, nor do coplanar ones without a common edge.
//!
//! Takes O(n log n) time for n triangles of similar size.

use fibula_core::vector::{Vector, add, cross, dot, length, scale, sub, unit};
use fibula_knowledge::progress::Progress;
use rayon::prelude::*;
use robust::{Coord3D, orient3d};

use super::box_tree::{BoxTree, LEAF, overlap};
use super::stars::{ROUNDING, plane_stars, reach};
use super::triangles::TriangleMesh;
use crate::{Cancelled, Watch};

/// Level of the nodes whose pairs are found by one thread before it reports: of 64 leaves.
const PIECE: usize = 6;
/// Pairs between two calls of the watch.
const WATCHED: usize = 64;

impl TriangleMesh {
    /// Returns the pairs of triangles that cut each other, or fold flat onto each other, by their indexes in order. Calls
    /// `watch` with triangles.
    ///
    /// # Errors
    /// [`Cancelled`] if `watch` cancelled it.
    pub fn cutting_pairs(&self, watch: &Watch<'_>) -> Result<Vec<[u32; 2]>, Cancelled> {
        let Some(tree) = BoxTree::new(self) else {
            return Ok(Vec::new());
        };
        let count = self.triangles().len();
        if watch(0, count as u64).is_break() {
            return Err(Cancelled);
        }
        let progress = Progress::new(count as u64, watch);
        let stars = plane_stars(self);
        let triangles = self.triangles();
        let is_around_one = |one: u32, other: u32| {
            let other = triangles[other as usize];
            let mut corners = triangles[one as usize].into_iter();
            corners.any(|corner| other.contains(&corner) && stars[corner as usize])
        };
        let level = PIECE.min(tree.root_level());
        let piece = |number: usize| {
            let mut found = Vec::new();
            if progress.is_ended() {
                return found;
            }
            tree.pairs(level, number, |one, other| {
                if !is_around_one(one, other) && self.is_cut(one, other) {
                    found.push([one.min(other), one.max(other)]);
                }
            });
            let from = (number * LEAF) << level;
            progress.add((count.min(from + (LEAF << level)) - from) as u64);
            found
        };
        let pieces = (0..tree.nodes(level)).into_par_iter();
        let mut pairs: Vec<[u32; 2]> = pieces.flat_map_iter(piece).collect();
        pairs.par_sort_unstable();
        progress.finish(pairs)
    }

    /// Marks the vertices of triangles that come near the places where pairs of triangles of another mesh cut each other. Calls
    /// `watch` with the number of pairs done and their total.
    ///
    /// # Errors
    /// [`Cancelled`] if `watch` cancelled it.
    pub(super) fn mark_near(
        &self,
        pairs: &[[u32; 2]],
        other: &TriangleMesh,
        distance: f64,
        marks: &mut [bool],
        watch: &Watch<'_>,
    ) -> Result<(), Cancelled> {
        let Some(tree) = BoxTree::new(self) else {
            return Ok(());
        };
        for (number, pair) in pairs.iter().enumerate() {
            if number.is_multiple_of(WATCHED) && watch(number as u64, pairs.len() as u64).is_break()
            {
                return Err(Cancelled);
            }
            let [one, two] = pair.map(|number| other.box_of(number));
            let meet = [
                std::array::from_fn(|axis| one[0][axis].max(two[0][axis]) - distance),
                std::array::from_fn(|axis| one[1][axis].min(two[1][axis]) + distance),
            ];
            tree.overlapping(&meet, |number| {
                if overlap(&meet, &self.box_of(number)) {
                    for corner in self.triangles()[number as usize] {
                        marks[corner as usize] = true;
                    }
                }
            });
        }
        Ok(())
    }

    /// True if two triangles cut each other beside their common corners.
    fn is_cut(&self, one: u32, other: u32) -> bool {
        let (a, b) = (
            self.triangles()[one as usize],
            self.triangles()[other as usize],
        );
        let (a, common) = common_first(a, b);
        let (b, _) = common_first(b, a);
        let at = |corner: u32| self.vertices()[corner as usize];
        let (one, other) = (
            [at(a[0]), at(a[1]), at(a[2])],
            [at(b[0]), at(b[1]), at(b[2])],
        );
        match common {
            0 => {
                let sides = |t: [Vector; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
                !are_apart(one, other)
                    && !is_beside(one, &other)
                    && !is_beside(other, &one)
                    && (sides(other).iter().any(|side| pierces(*side, one))
                        || sides(one).iter().any(|side| pierces(*side, other)))
            }
            1 => {
                let ([at, own @ ..], [_, away @ ..]) = (one, other);
                !are_apart_around(at, own, away)
                    && !is_beside(one, &away)
                    && !is_beside(other, &own)
                    && (pierces(away, one) || pierces(own, other))
            }
            2 => {
                let ([from, to, own], [.., away]) = (one, other);
                !is_unfolded([from, to], own, away)
                    && side(one, away) == 0.0
                    && is_folded([from, to], own, away)
            }
            _ => true,
        }
    }
}

/// Returns the corners of a triangle, those in common with another first and in order, and the number of these.
fn common_first(mut corners: [u32; 3], other: [u32; 3]) -> ([u32; 3], usize) {
    let common = corners.iter().filter(|corner| other.contains(corner));
    let common = common.count();
    if common > 0 {
        corners.sort_unstable_by_key(|corner| (!other.contains(corner), *corner));
    }
    (corners, common)
}

/// Returns a number with the sign of the side of a triangle's plane on which a point lies; exactly 0 on the plane.
fn side([a, b, c]: [Vector; 3], at: Vector) -> f64 {
    let [a, b, c, d] = [a, b, c, at].map(|[x, y, z]| Coord3D { x, y, z });
    orient3d(a, b, c, d)
}

/// True if a plane across the way between the centroids of two triangles separates them clearly. Most pairs are told apart by
/// this, for which triangles in one plane would take exact arithmetic.
fn are_apart(one: [Vector; 3], other: [Vector; 3]) -> bool {
    let centroid = |[a, b, c]: [Vector; 3]| scale(add(add(a, b), c), 1.0 / 3.0);
    let from = centroid(one);
    let way = sub(centroid(other), from);
    let along = |at: Vector| {
        let at = sub(at, from);
        (dot(way, at), ROUNDING * reach(way) * reach(at))
    };
    let (mut far, mut near) = (f64::MIN, f64::MAX);
    for at in one {
        let (along, error) = along(at);
        far = far.max(along + error);
    }
    for at in other {
        let (along, error) = along(at);
        near = near.min(along - error);
    }
    far < near
}

/// True if a plane through the common corner of two triangles separates their other corners clearly.
fn are_apart_around(at: Vector, own: [Vector; 2], away: [Vector; 2]) -> bool {
    let [own, away] = [own, away].map(|ends| ends.map(|end| sub(end, at)));
    let separates = |across: Vector| {
        let is_clear =
            |sign: f64, to: Vector| sign * dot(across, to) > ROUNDING * reach(across) * reach(to);
        own.into_iter().all(|to| is_clear(1.0, to)) && away.into_iter().all(|to| is_clear(-1.0, to))
    };
    // Between the medians, which tells most triangles apart; else between the bisectors.
    let [one, other] = [own, away].map(|[a, b]| add(a, b));
    if separates(sub(scale(one, length(other)), scale(other, length(one)))) {
        return true;
    }
    let bisector = |[a, b]: [Vector; 2]| unit(add(unit(a)?, unit(b)?));
    match (bisector(own), bisector(away)) {
        (Some(one), Some(other)) => separates(sub(one, other)),
        _ => false,
    }
}

/// True if the angle of two triangles at their common edge is clearly above 90 degrees.
fn is_unfolded([from, to]: [Vector; 2], own: Vector, away: Vector) -> bool {
    let edge = sub(to, from);
    let [own, away] = [own, away].map(|at| sub(at, from));
    let largest = dot(edge, edge) * length(own) * length(away);
    dot(cross(edge, own), cross(edge, away)) < -ROUNDING * largest
}

/// True if points all lie strictly on one side of a triangle's plane.
fn is_beside(triangle: [Vector; 3], points: &[Vector]) -> bool {
    let sides = points.iter().map(|&at| side(triangle, at));
    let (low, high) = sides.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), side| {
        (low.min(side), high.max(side))
    });
    low > 0.0 || high < 0.0
}

/// True if a segment crosses a triangle, from strictly one side of it to the other.
fn pierces([p, q]: [Vector; 2], triangle: [Vector; 3]) -> bool {
    let ends = [side(triangle, p), side(triangle, q)];
    if !(ends[0].max(ends[1]) > 0.0 && ends[0].min(ends[1]) < 0.0) {
        return false;
    }
    let [a, b, c] = triangle;
    let sides = [side([p, q, a], b), side([p, q, b], c), side([p, q, c], a)];
    sides.iter().all(|side| *side >= 0.0) || sides.iter().all(|side| *side <= 0.0)
}

/// True if the other corners of two coplanar triangles are on one side of their common edge.
fn is_folded([from, to]: [Vector; 2], own: Vector, away: Vector) -> bool {
    // A point beside the plane: sides of a plane through the edge are those of the edge.
    (0..3).any(|axis| {
        let mut beside = from;
        beside[axis] += (to[axis] - from[axis]).abs().max(1.0);
        let plane = [from, to, beside];
        let sides = [side(plane, own), side(plane, away)];
        sides.iter().all(|side| *side > 0.0) || sides.iter().all(|side| *side < 0.0)
    })
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::super::triangles::tests::brick;
    use super::*;

    fn found(mesh: &TriangleMesh) -> Vec<[u32; 2]> {
        mesh.cutting_pairs(&|_, _| ControlFlow::Continue(()))
            .unwrap()
    }

    fn pairs(vertices: &[Vector], triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
        found(&TriangleMesh::new(vertices.to_vec(), triangles.to_vec()).unwrap())
    }

    #[test]
    fn triangles_cut_each_other_or_only_touch() {
        let base = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        let with = |more: &[Vector], triangle: [u32; 3]| {
            !pairs(&[&base[..], more].concat(), &[[0, 1, 2], triangle]).is_empty()
        };
        for (is_cut, more, triangle) in [
            // Through the middle, past a side, and with a corner on the triangle.
            (
                true,
                [[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [5.0, 5.0, 0.5]],
                [3, 4, 5],
            ),
            (
                false,
                [[3.0, 3.0, -1.0], [3.0, 3.0, 1.0], [5.0, 5.0, 0.5]],
                [3, 4, 5],
            ),
            (
                false,
                [[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]],
                [3, 4, 5],
            ),
            // The smallest difference decides.
            (
                true,
                [[1.0, 1.0, -1e-200], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]],
                [3, 4, 5],
            ),
            // With a common corner.
            (
                true,
                [[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [0.0; 3]],
                [0, 3, 4],
            ),
            (
                false,
                [[-1.0, 1.0, -1.0], [-1.0, 1.0, 1.0], [0.0; 3]],
                [0, 3, 4],
            ),
            // With a common edge: folded flat, nearly so, and not.
            (true, [[3.0, 3.0, 0.0], [0.0; 3], [0.0; 3]], [1, 0, 3]),
            (false, [[3.0, 3.0, 1e-200], [0.0; 3], [0.0; 3]], [1, 0, 3]),
            (false, [[3.0, -3.0, 0.0], [0.0; 3], [0.0; 3]], [1, 0, 3]),
        ] {
            assert_eq!(with(&more, triangle), is_cut, "{more:?} {triangle:?}");
        }
    }

    /// Pseudorandom numbers from 0 to 1.
    fn random_numbers() -> impl FnMut() -> f64 {
        let mut state = 1_u64;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 40) as f64 / (1 << 24) as f64
        }
    }

    /// The pairs among all that are tested one by one.
    fn one_by_one(mesh: &TriangleMesh) -> Vec<[u32; 2]> {
        let count = mesh.triangles().len() as u32;
        let all = (0..count).flat_map(|one| (one + 1..count).map(move |other| [one, other]));
        all.filter(|[one, other]| mesh.is_cut(*one, *other))
            .collect()
    }

    #[test]
    fn no_pair_of_a_crumpled_ball_is_missed() {
        const RINGS: u32 = 9;
        const AROUND: u32 = 14;
        let mut random = random_numbers();
        let mut counts = Vec::new();
        for crumpling in [0.0, 0.2, 0.5, 1.0] {
            let mut vertices = vec![[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]];
            for ring in 1..=RINGS {
                let tilt = std::f64::consts::PI * f64::from(ring) / f64::from(RINGS + 1);
                for number in 0..AROUND {
                    let turn = std::f64::consts::TAU * f64::from(number) / f64::from(AROUND);
                    let at = [
                        tilt.sin() * turn.cos(),
                        tilt.sin() * turn.sin(),
                        -tilt.cos(),
                    ];
                    vertices.push(at.map(|x| x + crumpling * (random() - 0.5)));
                }
            }
            let place = |ring: u32, number: u32| 2 + ring * AROUND + number % AROUND;
            let mut triangles = Vec::new();
            for number in 0..AROUND {
                triangles.push([0, place(0, number + 1), place(0, number)]);
                let last = RINGS - 1;
                triangles.push([1, place(last, number), place(last, number + 1)]);
                for ring in 0..last {
                    let [a, b] = [place(ring, number), place(ring, number + 1)];
                    let [c, d] = [place(ring + 1, number), place(ring + 1, number + 1)];
                    triangles.extend([[a, b, d], [a, d, c]]);
                }
            }
            let mesh = TriangleMesh::new(vertices, triangles).unwrap();
            let expected = one_by_one(&mesh);
            assert_eq!(found(&mesh), expected, "{crumpling}");
            counts.push(expected.len());
        }
        assert_eq!(counts[0], 0);
        assert!(counts[3] > counts[2] && counts[2] > 50, "{counts:?}");
    }

    #[test]
    fn no_pair_is_missed() {
        // Bricks in a row that penetrate their neighbours, and random triangles: all pairs are tested.
        let mut random = random_numbers();
        let count = 300;
        let vertices: Vec<Vector> = (0..count)
            .flat_map(|_| {
                let middle = [random(), random(), random()];
                [(); 3].map(|()| middle.map(|x| x + 0.2 * random()))
            })
            .collect();
        let triangles = (0..count).map(|number| [3 * number, 3 * number + 1, 3 * number + 2]);
        let mesh = TriangleMesh::new(vertices, triangles.collect()).unwrap();
        let expected = one_by_one(&mesh);
        assert!(expected.len() >= 30, "{}", expected.len());
        assert_eq!(found(&mesh), expected);
        assert!(mesh.cutting_pairs(&|_, _| ControlFlow::Break(())).is_err());
        assert!(found(&brick([0.0; 3], [1.0; 3])).is_empty());
        assert!(
            found(&brick([-1e39; 3], [1e39; 3])).is_empty(),
            "beyond single precision"
        );
        assert!(found(&TriangleMesh::default()).is_empty());
    }
}
