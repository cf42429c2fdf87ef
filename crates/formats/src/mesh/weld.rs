//! From triangles with corners of their own to triangles that share them.

use std::collections::HashMap;

use super::{Format, Triangles};

/// Makes vertices at the same place one.
#[derive(Debug)]
pub(super) struct Welder {
    // Files come from strangers, so the places of hashes are not for them to know.
    places: HashMap<[u64; 3], u32>,
    welded: Triangles,
}

impl Welder {
    /// For the triangles of a file of some format.
    pub(super) fn new(format: Format) -> Welder {
        Welder {
            places: HashMap::new(),
            welded: Triangles::none(format),
        }
    }

    /// Adds a triangle; one with two corners at one place is left out.
    pub(super) fn push(&mut self, corners: [[f64; 3]; 3]) {
        let triangle = corners.map(|at| {
            // 0 and -0 are one place.
            let at = at.map(|x| x + 0.0);
            *self.places.entry(at.map(f64::to_bits)).or_insert_with(|| {
                self.welded.vertices.push(at);
                self.welded.vertices.len() as u32 - 1
            })
        });
        let [a, b, c] = triangle;
        if a == b || b == c || c == a {
            self.welded.left_out += 1;
        } else {
            self.welded.triangles.push(triangle);
        }
    }

    pub(super) fn finish(self) -> Triangles {
        self.welded
    }
}
