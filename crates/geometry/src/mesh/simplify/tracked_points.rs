//! Points that a simplification tracks: each is assigned to a triangle, and then to one of those that replace it.

use fibula_core::vector::Vector;

use super::KnownMesh;
use super::corner_table::NONE;

/// The tracked points of each triangle, as linked lists.
pub(super) struct TrackedPoints<'a> {
    points: &'a [Vector],
    /// First point of each triangle.
    first: Vec<u32>,
    /// Point after each in the list of its triangle.
    after: Vec<u32>,
    moving: Vec<u32>,
}

impl<'a> TrackedPoints<'a> {
    pub(super) fn new(known: &KnownMesh<'a>) -> TrackedPoints<'a> {
        let mut lists = TrackedPoints {
            points: known.tracked,
            first: Vec::new(),
            after: vec![NONE; known.tracked.len()],
            moving: Vec::new(),
        };
        if !known.tracked.is_empty() {
            lists.first = vec![NONE; known.mesh.triangles().len()];
        }
        for (point, &triangle) in (0..).zip(known.tracked_triangles) {
            lists.push(triangle, point);
        }
        lists
    }

    fn push(&mut self, triangle: u32, point: u32) {
        let first = &mut self.first[triangle as usize];
        self.after[point as usize] = std::mem::replace(first, point);
    }

    /// Reassigns the points of a fan's triangles, each to the triangle of the corner that `place_of` returns.
    pub(super) fn reassign(&mut self, fan: &[u32], place_of: impl Fn(Vector) -> usize) {
        if self.points.is_empty() {
            return;
        }
        for corner in fan {
            let triangle = *corner as usize / 3;
            let mut point = std::mem::replace(&mut self.first[triangle], NONE);
            while point != NONE {
                self.moving.push(point);
                point = self.after[point as usize];
            }
        }
        while let Some(point) = self.moving.pop() {
            let place = place_of(self.points[point as usize]);
            self.push(fan[place] / 3, point);
        }
    }

    /// Returns the triangle of each point, by new numbers of triangles.
    pub(super) fn triangles(&self, renumbered: &[u32]) -> Vec<u32> {
        let mut triangles = vec![NONE; self.points.len()];
        for (first, &number) in self.first.iter().zip(renumbered) {
            let mut point = *first;
            while point != NONE {
                triangles[point as usize] = number;
                point = self.after[point as usize];
            }
        }
        triangles
    }
}
