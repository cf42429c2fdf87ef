//! Points that a simplification carries along: each belongs to a triangle, and moves to one of those that replace it.

use fibula_core::vector::Vector;

use super::KnownMesh;
use super::corner_table::NONE;

/// The guests of each triangle, as linked lists.
pub(super) struct GuestLists<'a> {
    points: &'a [Vector],
    /// First guest of each triangle.
    first: Vec<u32>,
    /// Guest after each in the list of its triangle.
    after: Vec<u32>,
    moving: Vec<u32>,
}

impl<'a> GuestLists<'a> {
    pub(super) fn new(known: &KnownMesh<'a>) -> GuestLists<'a> {
        let mut lists = GuestLists {
            points: known.guests,
            first: Vec::new(),
            after: vec![NONE; known.guests.len()],
            moving: Vec::new(),
        };
        if !known.guests.is_empty() {
            lists.first = vec![NONE; known.mesh.triangles().len()];
        }
        for (guest, &home) in (0..).zip(known.homes) {
            lists.push(home, guest);
        }
        lists
    }

    fn push(&mut self, triangle: u32, guest: u32) {
        let first = &mut self.first[triangle as usize];
        self.after[guest as usize] = std::mem::replace(first, guest);
    }

    /// Moves the guests of a fan's triangles to those of its corners that `place_of` tells.
    pub(super) fn rehome(&mut self, fan: &[u32], place_of: impl Fn(Vector) -> usize) {
        if self.points.is_empty() {
            return;
        }
        for corner in fan {
            let triangle = *corner as usize / 3;
            let mut guest = std::mem::replace(&mut self.first[triangle], NONE);
            while guest != NONE {
                self.moving.push(guest);
                guest = self.after[guest as usize];
            }
        }
        while let Some(guest) = self.moving.pop() {
            let place = place_of(self.points[guest as usize]);
            self.push(fan[place] / 3, guest);
        }
    }

    /// Returns the triangle of each guest, by new numbers of triangles.
    pub(super) fn homes(&self, renumbered: &[u32]) -> Vec<u32> {
        let mut homes = vec![NONE; self.points.len()];
        for (first, &number) in self.first.iter().zip(renumbered) {
            let mut guest = *first;
            while guest != NONE {
                homes[guest as usize] = number;
                guest = self.after[guest as usize];
            }
        }
        homes
    }
}
