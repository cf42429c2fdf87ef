//! Case table of dual marching cubes: the crossed edges of a cell that belong to one piece of surface.
//!
//! A cell's case is the set of its corners inside, one bit each. The surface cuts each face of the cell in segments
//! between crossed edges, and the segments of all faces form loops, each of which gets a vertex (Nielson, Dual Marching
//! Cubes, 2004). On an ambiguous face, with its inside corners across, the corners are cut off one by one, in both
//! cells that share it. Where that leaves both segments of the face in one loop of either cell, the two cells would
//! have two edges of the mesh between the same vertices, where four triangles meet; then the face is cut the other way
//! in both, which splits the loop in two (Wenger, Isosurfaces, 2013, chapter 5.3). No case has more than one such face,
//! and a split loop needs no other change, so every mesh is a manifold; a test covers all cases.

use std::sync::LazyLock;

/// Corners of the edges: three directions, and in each the edges in the order of their first corners. Bit 0 of a corner
/// is its side along x, bit 1 along y, bit 2 along z.
pub(super) const EDGES: [[u8; 2]; 12] = [
    [0, 1],
    [2, 3],
    [4, 5],
    [6, 7],
    [0, 2],
    [1, 3],
    [4, 6],
    [5, 7],
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
];

/// For an edge along each axis, its number in the four cells around it, beginning with the cell whose first corner it
/// leaves, counterclockwise as seen against its direction.
pub(super) const AROUND: [[u8; 4]; 3] = [[0, 1, 3, 2], [4, 6, 7, 5], [8, 9, 11, 10]];

pub(super) const NONE: u8 = u8::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Loops {
    /// Number of loops: up to 4.
    pub(super) count: u8,
    /// For each edge the loop that crosses it, or [`NONE`].
    pub(super) of: [u8; 12],
    /// The edges, loop by loop, and the end of each loop in the list.
    edges: [u8; 12],
    ends: [u8; 4],
}

impl Loops {
    /// Builds the loops from the loop of each edge.
    fn new(of: [u8; 12], count: u8) -> Loops {
        let (mut edges, mut ends) = ([0; 12], [0; 4]);
        let mut place = 0;
        for name in 0..count {
            for edge in (0..12).filter(|&edge| of[edge] == name) {
                edges[place] = edge as u8;
                place += 1;
            }
            ends[usize::from(name)] = place as u8;
        }
        Loops {
            count,
            of,
            edges,
            ends,
        }
    }

    pub(super) fn each(&self) -> impl Iterator<Item = &[u8]> {
        (0..usize::from(self.count)).map(|name| {
            let from = if name == 0 { 0 } else { self.ends[name - 1] };
            &self.edges[usize::from(from)..usize::from(self.ends[name])]
        })
    }
}

/// The loops of a set of inside corners.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case {
    /// Loops as usual, and with the pinching face cut the other way.
    loops: [Loops; 2],
    /// The face both of whose segments are in one loop: two faces for each axis, the lower one first.
    pub(super) pinching: Option<u8>,
}

impl Case {
    /// Returns the loops, with the pinching face cut as usual or the other way.
    #[inline]
    pub(super) fn loops(&self, parted: bool) -> &Loops {
        &self.loops[usize::from(parted)]
    }
}

/// The case of each set of inside corners.
pub(super) fn cases() -> &'static [Case; 256] {
    static CASES: LazyLock<Box<[Case; 256]>> = LazyLock::new(|| {
        let cases: Vec<Case> = (0..=u8::MAX).map(case).collect();
        cases.try_into().expect("there are 256 sets of 8 corners")
    });
    &CASES
}

fn case(inside: u8) -> Case {
    let usual = loops(inside, None);
    let is_pinching = |face: &u8| match segments(inside, *face, false) {
        [Some([a, _]), Some([b, _])] => usual.of[usize::from(a)] == usual.of[usize::from(b)],
        [_, _] => false,
    };
    let pinching = (0..6).find(is_pinching);
    Case {
        loops: [usual, loops(inside, pinching)],
        pinching,
    }
}

/// Computes the loops, with one face cut the other way.
fn loops(inside: u8, other_way: Option<u8>) -> Loops {
    // Edges of one segment are in one loop: a loop is named by its least edge until all are known.
    let mut of = [NONE; 12];
    for (edge, [a, b]) in EDGES.iter().enumerate() {
        if (inside >> a ^ inside >> b) & 1 == 1 {
            of[edge] = edge as u8;
        }
    }
    for face in 0..6 {
        let segments = segments(inside, face, other_way == Some(face));
        for [a, b] in segments.into_iter().flatten() {
            let (a, b) = (of[usize::from(a)], of[usize::from(b)]);
            for name in &mut of {
                if *name == a.max(b) {
                    *name = a.min(b);
                }
            }
        }
    }
    let mut count = 0;
    for edge in 0..12 {
        if of[edge] == edge as u8 {
            for name in &mut of[edge..] {
                if *name == edge as u8 {
                    *name = count;
                }
            }
            count += 1;
        }
    }
    Loops::new(of, count)
}

/// Returns the segments on a face, each by the two edges that it joins.
fn segments(inside: u8, face: u8, other_way: bool) -> [Option<[u8; 2]>; 2] {
    let axis = face / 2;
    let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
    let first = (face % 2) << axis;
    let corners = [first, first | u, first | u | v, first | v];
    let edge = |place: usize| {
        let (a, b) = (corners[place % 4], corners[(place + 1) % 4]);
        let edge = EDGES.iter().position(|&edge| edge == [a.min(b), a.max(b)]);
        edge.expect("neighbours on a face have an edge") as u8
    };
    let is_inside = |place: usize| inside >> corners[place % 4] & 1 == 1;
    let crossed: Vec<usize> = (0..4)
        .filter(|&place| is_inside(place) != is_inside(place + 1))
        .collect();
    match crossed[..] {
        [a, b] => [Some([edge(a), edge(b)]), None],
        [_, _, _, _] => {
            // Each segment cuts off one of two opposite corners.
            let cut = usize::from(is_inside(0) == other_way);
            [cut, cut + 2].map(|corner| Some([edge(corner + 3), edge(corner)]))
        }
        _ => [None, None],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the faces both of whose segments are in one loop.
    fn pinching(inside: u8, loops: &Loops, other_way: Option<u8>) -> Vec<u8> {
        let of = |edge: u8| loops.of[usize::from(edge)];
        (0..6)
            .filter(|&face| {
                let segments = segments(inside, face, other_way == Some(face));
                matches!(segments, [Some([a, _]), Some([b, _])] if of(a) == of(b))
            })
            .collect()
    }

    #[test]
    fn every_case_can_be_part_of_a_manifold() {
        let mut pinched = 0;
        for inside in 0..=u8::MAX {
            let case = &cases()[usize::from(inside)];
            let faces = pinching(inside, case.loops(false), None);
            assert!(faces.len() <= 1, "{inside:08b} pinches at {faces:?}");
            assert_eq!(faces.first().copied(), case.pinching);
            if let Some(face) = case.pinching {
                pinched += 1;
                assert_eq!(case.loops(true).count, case.loops(false).count + 1);
                assert!(pinching(inside, case.loops(true), Some(face)).is_empty());
            }
            for parted in [false, true] {
                let loops = case.loops(parted);
                for (name, edges) in (0..).zip(loops.each()) {
                    assert!(edges.len() >= 3, "{inside:08b} has a loop of {edges:?}");
                    let mut names = edges.iter().map(|&edge| loops.of[usize::from(edge)]);
                    assert!(names.all(|of| of == name));
                }
                let crossed: usize = loops.each().map(<[u8]>::len).sum();
                assert_eq!(crossed, loops.of.iter().filter(|&&of| of != NONE).count());
                for (edge, [a, b]) in EDGES.iter().enumerate() {
                    let crossed = inside >> a & 1 != inside >> b & 1;
                    assert_eq!(crossed, loops.of[edge] != NONE);
                }
            }
        }
        assert_eq!(pinched, 36);
    }

    #[test]
    fn opposite_faces_are_cut_alike() {
        // A face has the same corners in both cells that share it, and so the same segments.
        for inside in 0..16_u8 {
            for axis in 0..3 {
                let spread = |side: u8| {
                    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                    (0..4).fold(0, |all, bit| {
                        let corner = (bit & 1) << u | (bit >> 1) << v | side << axis;
                        all | (inside >> bit & 1) << corner
                    })
                };
                let along = |side: u8| {
                    let segments = segments(spread(side), 2 * axis + side, false);
                    segments.map(|segment| {
                        segment.map(|ends| {
                            let mut ends = ends.map(|edge| {
                                EDGES[usize::from(edge)].map(|corner| corner & !(1 << axis))
                            });
                            ends.sort_unstable();
                            ends
                        })
                    })
                };
                assert_eq!(along(0), along(1), "{inside:04b} across {axis}");
            }
        }
    }

    #[test]
    fn the_edges_around_an_edge_are_the_same_edge() {
        for (axis, around) in AROUND.iter().enumerate() {
            let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
            for (edge, first) in around.iter().zip([0, u, u | v, v]) {
                assert_eq!(EDGES[usize::from(*edge)], [first, first | 1 << axis]);
            }
        }
    }
}
