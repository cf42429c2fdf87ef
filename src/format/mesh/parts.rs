//! Files of several parts, each with a name and a place: glTF, with a node for each, and OBJ, with an object for each.

use std::io::{self, Write};

use super::{Format, gltf, obj};

/// A part: a mesh with a name, where it is placed.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// Its name; may be empty.
    pub name: &'a str,
    /// The places of the corners, in its own coordinates.
    pub vertices: &'a [[f64; 3]],
    /// The corners of the triangles: places of vertices that there are.
    pub triangles: &'a [[u32; 3]],
    /// The colours of its vertices, if it has some: red, green and blue from 0 to 1, of sRGB before its curve.
    pub colors: Option<&'a [[f32; 3]]>,
    /// Where it is placed: the rows of a 4 x 3 matrix that row vectors (x, y, z, 1) are multiplied with.
    pub transform: [f64; 12],
}

/// Writes parts of which each keeps its name: as a node of glTF, or as an object of OBJ, whose vertices are where they are
/// placed. In glTF parts that have the same vertices, triangles and colours share them.
///
/// # Errors
/// As [`write_colored`](super::write_colored); also for STL and PLY, which have no parts.
///
/// # Panics
/// If a triangle has a vertex that is not there.
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
    /// Refuses colours of which there are not as many as vertices.
    pub(super) fn check(&self) -> io::Result<()> {
        let (colors, vertices) = (self.colors.map(<[_]>::len), self.vertices.len());
        match colors {
            Some(colors) if colors != vertices => {
                let message = format!(
                    "there are {colors} colours for {vertices} vertices; give each vertex one"
                );
                Err(io::Error::new(io::ErrorKind::InvalidInput, message))
            }
            Some(_) | None => Ok(()),
        }
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
        // A name ends where its line does.
        let name: String = part
            .name
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        writeln!(to, "o {}", name.trim())?;
        obj::write_part(&part.placed(), &part.turned(), part.colors, before, to)?;
        before += part.vertices.len() as u64;
    }
    Ok(())
}
