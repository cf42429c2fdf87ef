//! Writes meshes: one, or several parts with names and placements.

use std::io::{self, Write};

use fibula_core::vector::finite;

use super::{MeshFormat, invalid};

/// The transform of a part that is not moved.
pub(super) const IDENTITY: [f64; 12] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];

/// A named, placed mesh.
#[derive(Debug, Clone, Copy)]
pub struct MeshPart<'a> {
    /// Name; may be empty.
    pub name: &'a str,
    /// Vertices, in coordinates of the part and in the unit of the document.
    pub vertices: &'a [[f64; 3]],
    /// Triangles, as indexes of vertices.
    pub triangles: &'a [[u32; 3]],
    /// Colours of the vertices, if any: red, green and blue from 0 to 1, linear sRGB.
    pub colors: Option<&'a [[f32; 3]]>,
    /// Placement: the rows of a 4 x 3 matrix that transforms row vectors (x, y, z, 1). The last row is the translation, in
    /// the unit of the document.
    pub transform: [f64; 12],
}

/// Writes a mesh. `metres` is the length of the unit of the vertices, for formats with a unit of their own.
///
/// # Errors
/// The errors of `to`; [`InvalidInput`](io::ErrorKind::InvalidInput) if the format cannot hold as much, a
/// coordinate is no number that it can hold, or a triangle has a missing vertex.
pub fn write(
    format: MeshFormat,
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    metres: f64,
    to: &mut impl Write,
) -> io::Result<()> {
    write_colored(format, vertices, triangles, None, metres, to)
}

/// As [`write()`], with the colours of the vertices for formats that have colours: red, green and blue from 0 to 1, linear
/// sRGB.
///
/// # Errors
/// As [`write()`]; also [`InvalidInput`](io::ErrorKind::InvalidInput) if there are not as many colours as vertices.
pub fn write_colored(
    format: MeshFormat,
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    colors: Option<&[[f32; 3]]>,
    metres: f64,
    to: &mut impl Write,
) -> io::Result<()> {
    let part = MeshPart {
        name: "",
        vertices,
        triangles,
        colors,
        transform: IDENTITY,
    };
    part.check(format)?;
    (format.row().write)(&part, metres, to)
}

/// Writes parts, each of which keeps its name: as a node of glTF, or as an object of OBJ, whose vertices are transformed.
/// In glTF, parts whose vertices, triangles and colours are the same memory share them, unless a part is sheared:
/// nodes cannot be, so its vertices are transformed. Control characters, backslashes and number signs in
/// names, which lines of OBJ cannot hold, become spaces.
///
/// `metres` is the length of the unit of the document, for glTF.
///
/// # Errors
/// As [`write_colored`]; also for formats [without parts](MeshFormat::has_parts).
pub fn write_parts(
    format: MeshFormat,
    parts: &[MeshPart<'_>],
    metres: f64,
    to: &mut impl Write,
) -> io::Result<()> {
    for part in parts {
        part.check(format)?;
    }
    let write = format.row().write_parts.ok_or_else(|| {
        let name = format.name();
        invalid(format!(
            "the format {name} does not support parts; write one file for each part"
        ))
    })?;
    write(parts, metres, to)
}

impl MeshPart<'_> {
    /// Rejects vertices that are not finite, triangles with missing vertices, colours of another number than vertices, and
    /// what is too much for a format.
    fn check(&self, format: MeshFormat) -> io::Result<()> {
        let vertices = self.vertices.len();
        let is_infinite = |at: &&[f64; 3]| !finite(**at);
        let is_missing = |corner: &&u32| **corner as usize >= vertices;
        let counts = [("vertices", vertices), ("triangles", self.triangles.len())];
        let mut counts = counts.into_iter().zip(format.row().limits);
        Err(if let Some(at) = self.vertices.iter().find(is_infinite) {
            invalid(format!(
                "the vertex at {at:?} is invalid; coordinates must be finite"
            ))
        } else if let Some(corner) = self.triangles.as_flattened().iter().find(is_missing) {
            invalid(format!(
                "a triangle refers to vertex {corner}, but there are {vertices} vertices, counted from 0"
            ))
        } else if let Some(colors) = self.colors.map(<[_]>::len)
            && colors != vertices
        {
            invalid(format!(
                "there are {colors} colours for {vertices} vertices, but each vertex needs one"
            ))
        } else if let Some(((what, _), _)) = counts.find(|((_, count), most)| count > most) {
            too_large(format, what)
        } else {
            return Ok(());
        })
    }

    /// Returns the transformed vertices.
    pub fn placed(&self) -> Vec<[f64; 3]> {
        let rows = &self.transform;
        let transformed = |[x, y, z]: &[f64; 3]| {
            std::array::from_fn(|axis| {
                x * rows[axis] + y * rows[3 + axis] + z * rows[6 + axis] + rows[9 + axis]
            })
        };
        self.vertices.iter().map(transformed).collect()
    }

    /// Returns the transformed vertices if all are finite.
    pub(super) fn placed_finite(&self, format: MeshFormat) -> io::Result<Vec<[f64; 3]>> {
        let placed = self.placed();
        if placed.iter().all(|&at| finite(at)) {
            return Ok(placed);
        }
        Err(self.too_far(format))
    }

    /// Error of a placement whose numbers are not finite.
    pub(super) fn too_far(&self, format: MeshFormat) -> io::Error {
        let label = format.label();
        invalid(format!(
            "part {:?} is too far from the origin for {label}",
            self.name
        ))
    }

    /// Returns the triangles with the orientation of the placed part: a mirror image reverses them.
    pub fn turned(&self) -> Vec<[u32; 3]> {
        let m = &self.transform;
        let determinant = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6])
            + m[2] * (m[3] * m[7] - m[4] * m[6]);
        let turn = |&[a, b, c]: &[u32; 3]| {
            if determinant < 0.0 {
                [a, c, b]
            } else {
                [a, b, c]
            }
        };
        self.triangles.iter().map(turn).collect()
    }
}

/// Error of a mesh with too many vertices or triangles.
pub(super) fn too_large(format: MeshFormat, what: &str) -> io::Error {
    let label = format.label();
    invalid(format!(
        "too many {what} for {label}; write a coarser mesh, or another format"
    ))
}

/// Rounds a point to single precision.
///
/// # Errors
/// A coordinate is no finite number in single precision.
pub(super) fn single(at: [f64; 3]) -> io::Result<[f32; 3]> {
    let rounded = at.map(|x| x as f32);
    if rounded.iter().all(|x| x.is_finite()) {
        return Ok(rounded);
    }
    Err(invalid(format!(
        "the vertex at {at:?} overflows single precision; write PLY or OBJ"
    )))
}
