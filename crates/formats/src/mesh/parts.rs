//! Files of several parts, each with a name and a place: glTF, with a node for each, and OBJ, with an object for each.

use std::io::{self, Write};

use fibula_core::vector::finite;

use super::{Format, gltf, obj};

/// A part: a mesh with a name, where it is placed.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// Its name; may be empty.
    pub name: &'a str,
    /// The places of the corners, in its own coordinates and in the unit of the document.
    pub vertices: &'a [[f64; 3]],
    /// The corners of the triangles, by the places of vertices.
    pub triangles: &'a [[u32; 3]],
    /// The colours of its vertices, if it has some: red, green and blue from 0 to 1, of sRGB before its curve.
    pub colors: Option<&'a [[f32; 3]]>,
    /// Where it is placed: the rows of a 4 x 3 matrix that row vectors (x, y, z, 1) are multiplied with. The last of them
    /// is the shift, in the unit of the document.
    pub transform: [f64; 12],
}

/// Writes parts of which each keeps its name: as a node of glTF, or as an object of OBJ, whose vertices are where they are
/// placed. In glTF parts whose vertices, triangles and colours are the same memory share them, unless a part is sheared:
/// nodes cannot be, so its vertices are where they are placed. Control characters, backslashes and number signs in the
/// names of OBJ, which lines of it cannot hold, become spaces.
///
/// `metres` is how long the unit of the document is, for glTF.
///
/// # Errors
/// As [`write_colored`](super::write_colored); also for STL and PLY, which have no parts.
pub fn write_parts(
    format: Format,
    parts: &[Part<'_>],
    metres: f64,
    to: &mut impl Write,
) -> io::Result<()> {
    for part in parts {
        part.check()?;
    }
    match format {
        Format::Obj => write_obj(parts, to),
        Format::Glb => gltf::write(parts, metres, to),
        Format::Stl | Format::Ply => {
            let message = format!(
                "a file of the format {} has no parts; write one file for each",
                format.name()
            );
            Err(io::Error::new(io::ErrorKind::InvalidInput, message))
        }
    }
}

impl Part<'_> {
    /// Refuses vertices that are nowhere, triangles whose vertices are not there, and colours of which there are not as
    /// many as vertices.
    pub(super) fn check(&self) -> io::Result<()> {
        let vertices = self.vertices.len();
        let nowhere = |at: &&[f64; 3]| !finite(**at);
        let is_missing = |corner: &&u32| **corner as usize >= vertices;
        let message = if let Some(at) = self.vertices.iter().find(nowhere) {
            format!("the vertex at {at:?} is nowhere; vertices have finite coordinates")
        } else if let Some(corner) = self.triangles.as_flattened().iter().find(is_missing) {
            format!(
                "a triangle has vertex {corner}, and there are {vertices} vertices, counted from 0"
            )
        } else if let Some(colors) = self.colors.map(<[_]>::len)
            && colors != vertices
        {
            format!("there are {colors} colours for {vertices} vertices; give each vertex one")
        } else {
            return Ok(());
        };
        Err(io::Error::new(io::ErrorKind::InvalidInput, message))
    }

    /// The vertices where they are placed.
    pub fn placed(&self) -> Vec<[f64; 3]> {
        let rows = &self.transform;
        let of = |[x, y, z]: &[f64; 3]| {
            std::array::from_fn(|axis| {
                x * rows[axis] + y * rows[3 + axis] + z * rows[6 + axis] + rows[9 + axis]
            })
        };
        self.vertices.iter().map(of).collect()
    }

    /// The triangles as they go round where the part is placed: a mirror image turns them.
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

fn write_obj(parts: &[Part<'_>], to: &mut impl Write) -> io::Result<()> {
    writeln!(to, "# Written by Fibula")?;
    let mut before = 0;
    for part in parts {
        // A name ends where its line does, or a comment begins, and a line goes on behind a backslash.
        let is_lost = |c: char| c.is_control() || c == '\\' || c == '#';
        let name = part.name.replace(is_lost, " ");
        writeln!(to, "o {}", name.trim())?;
        let placed = part.placed();
        if !placed.iter().all(|&at| finite(at)) {
            let message = format!("the part {:?} is placed too far away for OBJ", part.name);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        obj::write_part(&placed, &part.turned(), part.colors, before, to)?;
        before += part.vertices.len() as u64;
    }
    Ok(())
}
