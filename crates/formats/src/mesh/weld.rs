//! Vertex welding: triangles with vertices of their own become triangles that share them.

use std::collections::HashMap;

use super::{MeshFormat, Triangles};

#[derive(Debug)]
pub(super) struct Welder {
    // Files are untrusted, so the hash is randomised.
    indexes: HashMap<[u64; 3], u32>,
    welded: Triangles,
}

impl Welder {
    pub(super) fn new(format: MeshFormat) -> Welder {
        Welder {
            indexes: HashMap::new(),
            welded: Triangles::new(format),
        }
    }

    /// Adds a triangle; omits one with two equal corners.
    pub(super) fn push(&mut self, corners: [[f64; 3]; 3]) {
        let triangle = corners.map(|at| {
            // 0 and -0 are equal.
            let at = at.map(|x| x + 0.0);
            *self.indexes.entry(at.map(f64::to_bits)).or_insert_with(|| {
                self.welded.vertices.push(at);
                self.welded.vertices.len() as u32 - 1
            })
        });
        self.welded.push(triangle);
    }

    pub(super) fn finish(self) -> Triangles {
        self.welded
    }
}
