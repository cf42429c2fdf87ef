//! Files of triangles: STL, OBJ, PLY and glTF.
//!
//! Vertices are given as numbers in the unit of the document, and triangles as the places of their corners among them,
//! against the clock as seen from outside.
//!
//! ```
//! use fibula_formats::mesh::{self, Format, Limits};
//!
//! let vertices = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
//! let triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
//! let mut file = Vec::new();
//! mesh::write(Format::Stl, &vertices, &triangles, 0.001, &mut file)?;
//! let read = mesh::read(&file, &Limits::default())?;
//! assert_eq!((read.vertices.len(), read.triangles.len()), (4, 4));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | | numbers | corners | unit | colours of vertices |
//! |---|---|---|---|---|
//! | STL, binary | 32 bits | each triangle has its own | - | - |
//! | OBJ | text, every digit that counts | shared | - | sRGB after the coordinates, as many programs read it |
//! | PLY, binary | 64 bits | shared | - | sRGB in bytes |
//! | glTF, binary (.glb) | 32 bits | shared | metres, and y is up | light in 32 bits (`COLOR_0`) |
//!
//! STL (text and binary) and OBJ are read, too.

mod error;
mod gltf;
mod obj;
mod parts;
mod ply;
mod stl;
mod watch;
mod weld;

#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use error::{Place, Problem, ReadError};
pub use parts::{Part, write_parts};
use watch::Watched;

/// A format that meshes are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// STL, binary.
    Stl,
    /// Wavefront OBJ.
    Obj,
    /// PLY (Stanford), binary.
    Ply,
    /// glTF 2.0 in one binary file.
    Glb,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 4] = [Format::Stl, Format::Obj, Format::Ply, Format::Glb];

    /// Its name, which is the ending of its files, too.
    pub fn name(self) -> &'static str {
        match self {
            Format::Stl => "stl",
            Format::Obj => "obj",
            Format::Ply => "ply",
            Format::Glb => "glb",
        }
    }

    /// The format with this name, in any case.
    pub fn named(name: &str) -> Option<Format> {
        Format::ALL
            .into_iter()
            .find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// Whether vertices may have colours in it.
    pub fn has_colors(self) -> bool {
        match self {
            Format::Stl => false,
            Format::Obj | Format::Ply | Format::Glb => true,
        }
    }

    /// What HTTP calls it.
    pub fn media_type(self) -> &'static str {
        match self {
            Format::Stl => "model/stl",
            Format::Obj => "model/obj",
            Format::Ply => "application/octet-stream",
            Format::Glb => "model/gltf-binary",
        }
    }
}

/// How much of a file is read before it is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file.
    pub bytes: usize,
    /// Vertices, before those at one place are made one.
    pub vertices: usize,
    /// Triangles.
    pub triangles: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            bytes: 4 << 30,
            vertices: 300_000_000,
            triangles: 100_000_000,
        }
    }
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Triangles {
    /// The format in which it was read.
    pub format: Format,
    /// The vertices, all finite.
    pub vertices: Vec<[f64; 3]>,
    /// The corners of the triangles: places of vertices that there are.
    pub triangles: Vec<[u32; 3]>,
    /// How many triangles were left out, because two of their corners are one place.
    pub left_out: usize,
}

impl Triangles {
    fn none(format: Format) -> Triangles {
        Triangles {
            format,
            vertices: Vec::new(),
            triangles: Vec::new(),
            left_out: 0,
        }
    }
}

/// The transform of a part that stays where it is.
const UNMOVED: [f64; 12] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];

/// What some programs write before a text (U+FEFF in UTF-8).
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Writes a mesh. `metres` is how long the unit of the vertices is, for formats that have a unit of their own.
///
/// # Errors
/// What `to` fails with; and [`InvalidInput`](io::ErrorKind::InvalidInput) if the format cannot hold so much, a
/// coordinate is no number that it can hold, or a triangle has a vertex that is not there.
pub fn write(
    format: Format,
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    metres: f64,
    to: &mut impl Write,
) -> io::Result<()> {
    write_colored(format, vertices, triangles, None, metres, to)
}

/// As [`write()`], with the colours of the vertices for formats that have colours: red, green and blue from 0 to 1, of sRGB
/// before its curve.
///
/// # Errors
/// As [`write()`]; also [`InvalidInput`](io::ErrorKind::InvalidInput) if there are not as many colours as vertices.
pub fn write_colored(
    format: Format,
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    colors: Option<&[[f32; 3]]>,
    metres: f64,
    to: &mut impl Write,
) -> io::Result<()> {
    let part = Part {
        name: "",
        vertices,
        triangles,
        colors,
        transform: UNMOVED,
    };
    part.check()?;
    match format {
        Format::Stl => stl::write(vertices, triangles, to),
        Format::Obj => obj::write(vertices, triangles, colors, to),
        Format::Ply => ply::write(vertices, triangles, colors, to),
        Format::Glb => gltf::write(&[part], metres, to),
    }
}

/// Reads an STL or OBJ file; which it is, the bytes tell.
///
/// # Errors
/// [`ReadError`]: it is none of them, it is broken (with the line or the byte), or it is larger than the limits.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Triangles, ReadError> {
    read_watched(bytes, limits, &mut |_, _| ControlFlow::Continue(()))
}

/// As [`read`]. `watch` is told how many bytes of how many were read, and may end the reading.
///
/// # Errors
/// As [`read`], and [`Problem::Cancelled`] when `watch` ended it.
pub fn read_watched(
    bytes: &[u8],
    limits: &Limits,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<Triangles, ReadError> {
    if bytes.len() > limits.bytes {
        let problem = Problem::TooLarge {
            what: "bytes",
            most: limits.bytes,
        };
        return Err(problem.at(Place::Byte(limits.bytes)));
    }
    let mut watched = Watched::new(bytes.len(), watch);
    let text = text_of(bytes);
    let (found, start) = if stl::is_binary(bytes) {
        let found = stl::read_binary(bytes, limits, &mut watched)?;
        (found, Place::Byte(0))
    } else if stl::is_text(text) {
        (stl::read_text(text, limits, &mut watched)?, Place::Line(1))
    } else {
        (obj::read(text, limits, &mut watched)?, Place::Line(1))
    };
    if found.triangles.is_empty() && found.left_out == 0 {
        return Err(Problem::NoMesh.at(start));
    }
    Ok(found)
}

/// The format of a file of triangles, by all of its bytes; none if nothing in them says that it is one.
pub fn format_of(bytes: &[u8]) -> Option<Format> {
    format_of_start(bytes, bytes.len() as u64)
}

/// As [`format_of`], by the first bytes of a file of some length. Those of an STL file that is binary count only if
/// they say that it has this length; a hundred bytes are enough for that, and some thousand for the head of a text.
pub fn format_of_start(start: &[u8], length: u64) -> Option<Format> {
    let text = text_of(start);
    if stl::is_whole(start, length) || stl::is_text(text) {
        Some(Format::Stl)
    } else {
        obj::begins(text).then_some(Format::Obj)
    }
}

fn text_of(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// The place that the next three words say.
fn vertex<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<[f64; 3], Problem> {
    let mut at = [0.0; 3];
    for x in &mut at {
        let word = words.next().unwrap_or_default();
        let number = word.parse().ok().filter(|x: &f64| x.is_finite());
        *x = number.ok_or_else(|| Problem::not_a_number(word))?;
    }
    Ok(at)
}

fn too_large(format: &str, what: &str) -> io::Error {
    let message =
        format!("{format} cannot hold so many {what}; write a coarser mesh, or another format");
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// A point in single precision.
///
/// # Errors
/// A coordinate is no finite number in single precision.
fn single(at: [f64; 3]) -> io::Result<[f32; 3]> {
    let near = at.map(|x| x as f32);
    if near.iter().all(|x| x.is_finite()) {
        Ok(near)
    } else {
        let message =
            format!("the vertex at {at:?} has no place in single precision; write PLY or OBJ");
        Err(io::Error::new(io::ErrorKind::InvalidInput, message))
    }
}
