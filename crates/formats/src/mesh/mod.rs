//! Files of triangle meshes: STL, OBJ, PLY and glTF.
//!
//! Vertices are coordinates in the unit of the document. Triangles are indexes of vertices, counterclockwise as seen from
//! outside.
//!
//! ```
//! use fibula_formats::mesh::{self, Limits, MeshFormat};
//!
//! let vertices = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
//! let triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
//! let mut file = Vec::new();
//! mesh::write(MeshFormat::Stl, &vertices, &triangles, 0.001, &mut file)?;
//! let read = mesh::read(&file, &Limits::default())?;
//! assert_eq!((read.vertices.len(), read.triangles.len()), (4, 4));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | | numbers | vertices | unit | colours of vertices |
//! |---|---|---|---|---|
//! | STL, binary | 32 bits | not shared | - | - |
//! | OBJ | text, every significant digit | shared | - | sRGB after the coordinates, as many programs read it |
//! | PLY, binary | 64 bits | shared | - | sRGB in bytes |
//! | glTF, binary (.glb) | 32 bits | shared | metres, y points up | linear, 32 bits (`COLOR_0`) |
//!
//! STL (text and binary) and OBJ are also read.
//!
//! All that is known of a format is its row in `TABLE`: requests, schemas, flags and texts of the crates above follow from
//! it. A new format is a module, a variant of [`MeshFormat`] and a row.

mod error;
mod gltf;
mod obj;
mod ply;
mod read;
mod stl;
mod watch;
mod weld;
mod write;

#[cfg(test)]
mod tests;

use std::io::{self, Write};

pub use error::{Position, ReadError, ReadErrorKind};
pub use read::{Limits, OmittedKind, Triangles, format_of, format_of_start, read, read_watched};
use watch::Watched;
pub use write::{MeshPart, write, write_colored, write_parts};

/// A format of triangle meshes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MeshFormat {
    /// STL, binary.
    Stl,
    /// Wavefront OBJ.
    Obj,
    /// PLY (Stanford), binary.
    Ply,
    /// glTF 2.0 in one binary file.
    Glb,
}

/// Writes one mesh; the number is the length of its unit in metres.
type WriteMesh = fn(&MeshPart<'_>, f64, &mut dyn Write) -> io::Result<()>;

/// Writes parts that keep their names and placements; the number is the length of their unit in metres.
type WriteParts = fn(&[MeshPart<'_>], f64, &mut dyn Write) -> io::Result<()>;

/// Properties of a format.
struct Row {
    format: MeshFormat,
    /// Name in requests and extension of files.
    name: &'static str,
    /// Name in texts.
    label: &'static str,
    media_type: &'static str,
    /// Maximum numbers of vertices and triangles.
    limits: [usize; 2],
    has_colors: bool,
    /// True if coordinates have 32 bits.
    is_single: bool,
    write: WriteMesh,
    /// `None` if a file holds one mesh.
    write_parts: Option<WriteParts>,
    reader: Option<Reader>,
}

type ReadMesh = fn(&[u8], &Limits, &mut Watched<'_>) -> Result<Triangles, ReadError>;

/// Reader of a format.
struct Reader {
    /// True if a file with these first bytes and this length is of the format.
    matches: fn(&[u8], u64) -> bool,
    /// True if a file with these bytes is of the format, complete or not.
    accepts: fn(&[u8]) -> bool,
    read: ReadMesh,
}

/// The formats, in the order of the variants.
const TABLE: [Row; 4] = [
    Row {
        format: MeshFormat::Stl,
        name: "stl",
        label: "STL",
        media_type: "model/stl",
        limits: [usize::MAX, u32::MAX as usize],
        has_colors: false,
        is_single: true,
        write: stl::write,
        write_parts: None,
        reader: Some(Reader {
            matches: stl::matches,
            accepts: stl::accepts,
            read: stl::read,
        }),
    },
    Row {
        format: MeshFormat::Obj,
        name: "obj",
        label: "OBJ",
        media_type: "model/obj",
        limits: [usize::MAX; 2],
        has_colors: true,
        is_single: false,
        write: obj::write,
        write_parts: Some(obj::write_parts),
        reader: Some(Reader {
            matches: |start, _| obj::matches(start),
            accepts: obj::matches,
            read: obj::read,
        }),
    },
    Row {
        format: MeshFormat::Ply,
        name: "ply",
        label: "PLY",
        media_type: "application/octet-stream",
        // Most programs read indexes and counts as signed numbers.
        limits: [i32::MAX as usize; 2],
        has_colors: true,
        is_single: false,
        write: ply::write,
        write_parts: None,
        reader: None,
    },
    Row {
        format: MeshFormat::Glb,
        name: "glb",
        label: "glTF",
        media_type: "model/gltf-binary",
        limits: [usize::MAX; 2],
        has_colors: true,
        is_single: true,
        write: |part, metres, to| gltf::write(&[*part], metres, to),
        write_parts: Some(gltf::write),
        reader: None,
    },
];

impl MeshFormat {
    /// All formats.
    pub const ALL: [MeshFormat; TABLE.len()] = {
        let mut all = [MeshFormat::Stl; TABLE.len()];
        let mut number = 0;
        while number < TABLE.len() {
            all[number] = TABLE[number].format;
            assert!(
                all[number] as usize == number,
                "rows have the order of the variants"
            );
            number += 1;
        }
        all
    };

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// Name in requests, which is the extension of files, too.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Name in texts, such as `glTF`.
    pub fn label(self) -> &'static str {
        self.row().label
    }

    /// Returns the format with this name, ignoring case.
    pub fn named(name: &str) -> Option<MeshFormat> {
        let is_named = |format: &MeshFormat| format.name().eq_ignore_ascii_case(name);
        MeshFormat::ALL.into_iter().find(is_named)
    }

    /// Formats that are read.
    pub fn readable() -> impl Iterator<Item = MeshFormat> {
        let rows = TABLE.iter().filter(|row| row.reader.is_some());
        rows.map(|row| row.format)
    }

    /// True if files of this format are read.
    pub fn is_readable(self) -> bool {
        self.row().reader.is_some()
    }

    /// True if a file keeps several parts, with their names and placements.
    pub fn has_parts(self) -> bool {
        self.row().write_parts.is_some()
    }

    /// True if vertices may have colours.
    pub fn has_colors(self) -> bool {
        self.row().has_colors
    }

    /// True if coordinates are written in single precision.
    pub fn is_single(self) -> bool {
        self.row().is_single
    }

    /// Media type (IANA; of PLY the common one).
    pub fn media_type(self) -> &'static str {
        self.row().media_type
    }
}

/// Joins names for a text: `a, b or c`.
pub fn enumerated<T: AsRef<str>>(names: impl IntoIterator<Item = T>, conjunction: &str) -> String {
    let mut text = String::new();
    let mut names = names.into_iter().peekable();
    while let Some(name) = names.next() {
        let before = match (text.is_empty(), names.peek()) {
            (true, _) => String::new(),
            (false, Some(_)) => ", ".to_owned(),
            (false, None) => format!(" {conjunction} "),
        };
        text.push_str(&before);
        text.push_str(name.as_ref());
    }
    text
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
