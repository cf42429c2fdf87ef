//! Closed surfaces of a mesh: the outsides of pieces of material, and the insides of cavities.

use fibula_core::vector::{Vector, cross, dot, length, scale, sub};

use super::triangles::TriangleMesh;
use crate::bounds::enclosing;
use crate::union_find::UnionFind;

/// A closed surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shell {
    /// Volume that it encloses: negative for a cavity.
    pub(crate) volume: f64,
    pub(crate) area: f64,
    pub(crate) bounds: [Vector; 2],
}

/// The closed surfaces of a mesh.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shells {
    pub(crate) all: Vec<Shell>,
    /// Shell of each triangle.
    pub(crate) of_triangles: Vec<u32>,
}

impl Shell {
    pub(crate) fn is_cavity(&self) -> bool {
        self.volume < 0.0
    }

    pub(crate) fn middle(&self) -> Vector {
        let [low, high] = self.bounds;
        [0, 1, 2].map(|axis| f64::midpoint(low[axis], high[axis]))
    }

    /// Half of the diagonal of its box.
    pub(crate) fn reach(&self) -> f64 {
        let [low, high] = self.bounds;
        length(sub(high, low)) / 2.0
    }
}

impl Shells {
    /// Finds the shells: triangles that share vertices. Time is about linear.
    pub(crate) fn new(mesh: &TriangleMesh) -> Shells {
        Shells::of_sets(mesh, connected(mesh))
    }

    /// As [`new`](Self::new); `None` if there is only one, which is found in less time.
    pub(super) fn several(mesh: &TriangleMesh) -> Option<Shells> {
        let sets = connected(mesh);
        (sets.sets > 1).then(|| Shells::of_sets(mesh, sets))
    }

    fn of_sets(mesh: &TriangleMesh, mut sets: UnionFind) -> Shells {
        let [low, _] = mesh.bounding_box().unwrap_or_default();
        let mut shells = Shells::default();
        // Shells by their representatives.
        let mut numbers = vec![None; mesh.vertices().len()];
        for (number, &[first, ..]) in mesh.triangles().iter().enumerate() {
            let corners = mesh.corners(number);
            let [a, b, c] = corners.map(|corner| sub(corner, low));
            let around = |[a, b, c]: [Vector; 3]| enclosing(enclosing([a, a], [b, b]), [c, c]);
            let part = Shell {
                volume: dot(a, cross(b, c)) / 6.0,
                area: length(scale(cross(sub(b, a), sub(c, a)), 0.5)),
                bounds: around(corners),
            };
            let shell = *numbers[sets.find(first) as usize].get_or_insert(shells.all.len());
            shells.of_triangles.push(shell as u32);
            match shells.all.get_mut(shell) {
                Some(shell) => {
                    shell.volume += part.volume;
                    shell.area += part.area;
                    shell.bounds = enclosing(shell.bounds, part.bounds);
                }
                None => shells.all.push(part),
            }
        }
        shells
    }

    pub(crate) fn pieces(&self) -> impl Iterator<Item = &Shell> {
        self.all.iter().filter(|shell| !shell.is_cavity())
    }

    pub(crate) fn cavities(&self) -> impl Iterator<Item = &Shell> {
        self.all.iter().filter(|shell| shell.is_cavity())
    }

    /// True if two triangles belong to the surface of one cavity.
    pub(crate) fn are_of_one_cavity(&self, one: u32, other: u32) -> bool {
        let [one, other] = [one, other].map(|triangle| self.of_triangles[triangle as usize]);
        one == other && self.all[one as usize].is_cavity()
    }

    /// Returns the largest triangle of each shell of the mesh.
    pub(crate) fn largest_triangles(&self, mesh: &TriangleMesh) -> Vec<u32> {
        let mut largest = vec![(0, -1.0); self.all.len()];
        for (triangle, shell) in (0..).zip(&self.of_triangles) {
            let [a, b, c] = mesh.corners(triangle as usize);
            let area = length(cross(sub(b, a), sub(c, a)));
            let own = &mut largest[*shell as usize];
            if area > own.1 {
                *own = (triangle, area);
            }
        }
        largest.into_iter().map(|(triangle, _)| triangle).collect()
    }

    /// Forgets the triangles, which take memory.
    pub(crate) fn forget_triangles(&mut self) {
        self.of_triangles = Vec::new();
    }
}

/// Returns the vertices as sets that triangles connect.
pub(super) fn connected(mesh: &TriangleMesh) -> UnionFind {
    let mut sets = UnionFind::new(mesh.vertices().len());
    for &[a, b, c] in mesh.triangles() {
        sets.union(a, b);
        sets.union(a, c);
    }
    sets
}

/// Numbers of the closed surfaces of a mesh.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ShellCounts {
    /// Pieces of material that do not touch.
    pub pieces: usize,
    /// Cavities: hollows without a way out.
    pub cavities: usize,
    /// Volume of all cavities.
    pub cavity_volume: f64,
}

/// Counts the pieces and the cavities of a closed mesh. Time is about linear.
pub fn count_shells(mesh: &TriangleMesh) -> ShellCounts {
    let shells = Shells::new(mesh);
    ShellCounts {
        pieces: shells.pieces().count(),
        cavities: shells.cavities().count(),
        // The sum of none is -0.
        cavity_volume: shells.cavities().map(|shell| -shell.volume).sum::<f64>() + 0.0,
    }
}
