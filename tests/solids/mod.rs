//! Parts that are hard to mesh: thin walls, shells, lattices, twisted, touching and knife edges.

use fibula::geometry::{Bounds, MeshError, MeshSettings, Shape, ShapeMesh, mesh};

use crate::calls::shape;
use crate::space::ON;

/// A part, and the box and the cells in which it is meshed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Solid {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
    /// Half the size of a box around the origin.
    half: [f64; 3],
    pub(crate) cell: f64,
}

const fn solid(name: &'static str, half: [f64; 3], cell: f64, text: &'static str) -> Solid {
    Solid {
        name,
        text,
        half,
        cell,
    }
}

/// The parts.
pub(crate) const SOLIDS: [Solid; 40] = [
    // Thin walls and plates.
    solid("plate", [11.0, 8.0, 2.0], 0.5, "box(pos, vec3(20, 14, 2))"),
    solid(
        "thin plate",
        [9.0, 9.0, 1.0],
        0.4,
        "box(pos, vec3(16, 16, 0.5))",
    ),
    solid(
        "thin turned plate",
        [9.0; 3],
        0.5,
        "box(rotate(pos, vec3(1, 2, 3), 0.7), vec3(12, 12, 0.6))",
    ),
    solid(
        "fins",
        [9.0, 6.0, 6.0],
        0.4,
        "max(box(pos, vec3(16, 10, 10)), min(abs(pos.x - 3 * round(pos.x / 3)) - 0.5, pos.z + 4))",
    ),
    solid("tube", [6.0, 6.0, 5.0], 0.4, "tube(pos, 5, 4.6, 8)"),
    solid(
        "wristband",
        [6.0, 6.0, 2.0],
        0.3,
        "max(abs(length(vec3(pos.x, pos.y, 0)) - 5) - 0.3, abs(pos.z + 0.3 * sin(6 * atan2(pos.y, pos.x))) - 1)",
    ),
    solid(
        "thin rim",
        [6.0, 6.0, 3.0],
        0.3,
        "max(max(length(pos) - 5, 0.25 - length(pos - vec3(0, 0, 0.3)) + 4.5), -pos.z)",
    ),
    // Shells.
    solid("hollow ball", [6.0; 3], 0.4, "shell(sphere(pos, 5), 0.8)"),
    solid(
        "hollow box",
        [6.0; 3],
        0.4,
        "shell(box(pos, vec3(9, 8, 7)), 0.8)",
    ),
    solid(
        "cut shell",
        [6.0; 3],
        0.4,
        "max(shell(sphere(pos, 5), 0.8), pos.z - 1)",
    ),
    solid(
        "shells in shells",
        [6.0; 3],
        0.4,
        "max(shell(shell(sphere(pos, 4), 2), 0.7), -pos.x)",
    ),
    solid(
        "vase",
        [5.0, 5.0, 7.0],
        0.4,
        "max(abs(length(vec3(pos.x, pos.y, 0)) - 3 - 0.8 * sin(0.8 * pos.z)) - 0.4, abs(pos.z) - 6)",
    ),
    solid(
        "heart vase",
        [6.0, 6.0, 5.0],
        0.4,
        "let u = rotate_z(pos, 0.1 * pos.z); let a = atan2(u.x, u.y); let r = 3.2 - 1.4 * abs(a) / 3 + 0.4 * cos(2 * a); max(abs(length(vec3(u.x, u.y, 0)) - r) - 0.35, abs(u.z) - 4)",
    ),
    // Lattices.
    solid(
        "gyroid in a cube",
        [5.0; 3],
        0.5,
        "max(gyroid(pos, 5, 0.8), box(pos, vec3(8, 8, 8)))",
    ),
    solid(
        "gyroid wall",
        [4.5; 3],
        0.3,
        "max(gyroid(pos, 8, 0.6), box(pos, vec3(8, 8, 8)))",
    ),
    solid(
        "graded Schwarz P",
        [6.0, 6.0, 5.0],
        0.4,
        "max(abs(cos(1.3 * pos.x) + cos(1.3 * pos.y) + cos(1.3 * pos.z)) - 0.25 - 0.05 * pos.z, cylinder(pos, 5, 8))",
    ),
    solid(
        "Schwarz D in a ball",
        [5.0; 3],
        0.4,
        "max(schwarz_d(pos, 6, 0.7), sphere(pos, 4.5))",
    ),
    solid(
        "honeycomb",
        [6.0, 6.0, 2.0],
        0.3,
        "max(honeycomb(pos, 3, 0.5), box(pos, vec3(10, 10, 3)))",
    ),
    solid(
        "cubic lattice",
        [5.0; 3],
        0.4,
        "max(cubic_lattice(pos, 4, 0.5), box(pos, vec3(8, 8, 8)))",
    ),
    solid(
        "body-centred lattice",
        [5.0; 3],
        0.4,
        "max(body_centred_lattice(pos, 4, 0.5), box(pos, vec3(8, 8, 8)))",
    ),
    solid(
        "rods on edges",
        [5.0; 3],
        0.5,
        "min(min(max(abs(pos.x - 4 * round(pos.x / 4)), abs(pos.y - 4 * round(pos.y / 4))), max(abs(pos.y - 4 * round(pos.y / 4)), abs(pos.z - 4 * round(pos.z / 4)))) - 0.5, box(pos, vec3(3, 3, 3)))",
    ),
    // Twisted and bent.
    solid(
        "twisted bar",
        [5.0, 5.0, 9.0],
        0.5,
        "box(twist(pos, 40), vec3(6, 6, 16))",
    ),
    solid(
        "fast twisted bar",
        [5.0, 5.0, 9.0],
        0.4,
        "box(twist(pos, 16), vec3(6, 6, 16))",
    ),
    solid(
        "twisted plate",
        [6.0, 6.0, 8.0],
        0.4,
        "box(twist(pos, 30), vec3(10, 0.8, 14))",
    ),
    solid(
        "twisted star",
        [6.0, 6.0, 6.0],
        0.4,
        "let q = twist(pos, 30); max(length(vec3(q.x, q.y, 0)) - 3.5 - 1.3 * cos(5 * atan2(q.y, q.x)), abs(q.z) - 5)",
    ),
    solid(
        "bent bar",
        [12.0, 4.0, 9.0],
        0.5,
        "box(bend(pos, 12), vec3(22, 6, 3))",
    ),
    // Touching in an edge, a corner, a face, and nearly so.
    solid(
        "boxes that touch in an edge",
        [5.0; 3],
        0.5,
        "min(box(pos - vec3(2, 2, 0), vec3(4, 4, 6)), box(pos + vec3(2, 2, 0), vec3(4, 4, 6)))",
    ),
    solid(
        "turned boxes that touch in an edge",
        [8.0; 3],
        0.5,
        "let q = rotate(pos, vec3(1, 2, 3), 0.6); min(box(q - vec3(2, 2, 0), vec3(4, 4, 6)), box(q + vec3(2, 2, 0), vec3(4, 4, 6)))",
    ),
    solid(
        "boxes that touch in a corner",
        [5.0; 3],
        0.5,
        "min(box(pos - vec3(2, 2, 2), vec3(4, 4, 4)), box(pos + vec3(2, 2, 2), vec3(4, 4, 4)))",
    ),
    solid(
        "checkerboard",
        [5.0, 5.0, 2.0],
        0.5,
        "max(-sin(1.5707963267948966 * pos.x) * sin(1.5707963267948966 * pos.y), box(pos, vec3(8, 8, 2)))",
    ),
    solid(
        "balls that touch",
        [9.0, 5.0, 5.0],
        0.5,
        "min(sphere(pos - vec3(4, 0, 0), 4), sphere(pos + vec3(4, 0, 0), 4))",
    ),
    solid(
        "cylinder on a plate",
        [6.0, 6.0, 6.0],
        0.5,
        "min(box(pos + vec3(0, 0, 4), vec3(10, 10, 2)), length(vec3(0, pos.y, pos.z)) - 3 + 0 * pos.x + max(abs(pos.x) - 4, 0))",
    ),
    solid(
        "slit",
        [5.0, 5.0, 3.0],
        0.4,
        "max(box(pos, vec3(8, 8, 4)), 0.05 - abs(pos.x + 0.3 * pos.y))",
    ),
    solid(
        "hole up to the side",
        [5.0, 5.0, 2.0],
        0.4,
        "max(box(pos, vec3(8, 8, 2)), 2 - length(vec3(pos.x - 2, pos.y, 0)))",
    ),
    // Knife edges and tips.
    solid(
        "knife",
        [9.0, 4.0, 4.0],
        0.4,
        "max(max(0.15 * pos.x + abs(pos.y) - 1, abs(pos.z) - 3), -pos.x - 7)",
    ),
    solid(
        "lens",
        [6.0, 6.0, 2.0],
        0.4,
        "max(length(pos - vec3(0, 0, 8)) - 9, length(pos + vec3(0, 0, 8)) - 9)",
    ),
    solid("cone", [6.0, 6.0, 6.0], 0.5, "cone(pos, 5, 0, 10)"),
    solid(
        "hourglass",
        [5.0, 5.0, 5.0],
        0.5,
        "max(length(vec3(pos.x, pos.y, 0)) - abs(pos.z), abs(pos.z) - 4)",
    ),
    solid(
        "crossed wedges",
        [5.0; 3],
        0.4,
        "max(min(abs(pos.x) + 0.3 * pos.z, abs(pos.y) - 0.3 * pos.z) - 0.6, box(pos, vec3(8, 8, 8)))",
    ),
    // All cases of cells beside each other.
    solid(
        "noise",
        [3.0; 3],
        0.31,
        "sin(3.1 * x + 2 * cos(5.3 * y)) * cos(4.7 * y + 2 * sin(3.9 * z)) + sin(5.9 * z + 3 * cos(4.3 * x)) * cos(6.1 * x * y) + 0.3 * sin(7 * x + 11 * y + 13 * z)",
    ),
];

impl Solid {
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds::new(self.half.map(|half| -half), self.half).unwrap()
    }

    /// Meshes the part with its cells.
    ///
    /// # Errors
    /// As [`mesh`].
    pub(crate) fn mesh(&self) -> Result<ShapeMesh, MeshError> {
        let seen = shape(self.text);
        let shape = Shape::new(&seen.tape).unwrap();
        mesh(&shape, &MeshSettings::new(self.bounds(), self.cell), ON)
    }
}
