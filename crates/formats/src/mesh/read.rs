//! Reads files of triangles; the bytes decide about the format.

use std::ops::ControlFlow;

use super::error::{Position, ReadError, ReadErrorKind};
use super::watch::Watched;
use super::{MeshFormat, ReadMesh, TABLE};

/// Limits above which a file is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum bytes of the file.
    pub bytes: usize,
    /// Maximum vertices, before equal ones are merged.
    pub vertices: usize,
    /// Maximum triangles.
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

/// Contents of a file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Triangles {
    /// The format in which the file was read.
    pub format: MeshFormat,
    /// The vertices, all finite.
    pub vertices: Vec<[f64; 3]>,
    /// The triangles, as indexes of existing vertices.
    pub triangles: Vec<[u32; 3]>,
    /// Number of omitted triangles, two of whose corners coincide.
    pub left_out: usize,
    /// Other contents of the file, which a mesh of triangles cannot hold, in the order of their first occurrence.
    pub omitted: Vec<OmittedKind>,
}

/// A kind of contents of a file that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OmittedKind {
    /// Singular noun, such as `line`.
    pub what: &'static str,
    /// Number of occurrences.
    pub count: usize,
    /// The reason.
    pub why: &'static str,
}

impl Triangles {
    pub(super) fn new(format: MeshFormat) -> Triangles {
        Triangles {
            format,
            vertices: Vec::new(),
            triangles: Vec::new(),
            left_out: 0,
            omitted: Vec::new(),
        }
    }

    /// Counts contents that are not read.
    pub(super) fn omit(&mut self, what: &'static str, why: &'static str, count: usize) {
        if count == 0 {
            return;
        }
        match self.omitted.iter_mut().find(|one| one.what == what) {
            Some(known) => known.count += count,
            None => self.omitted.push(OmittedKind { what, count, why }),
        }
    }

    /// Adds a triangle, unless two of its corners are one vertex.
    pub(super) fn push(&mut self, [a, b, c]: [u32; 3]) {
        if a == b || b == c || c == a {
            self.left_out += 1;
        } else {
            self.triangles.push([a, b, c]);
        }
    }

    /// Returns itself unless there are no triangles.
    pub(super) fn non_empty(self, start: Position) -> Result<Triangles, ReadError> {
        if self.triangles.is_empty() && self.left_out == 0 {
            return Err(ReadErrorKind::NoMesh.at(start));
        }
        Ok(self)
    }
}

/// The byte order mark (U+FEFF in UTF-8) with which some programs begin a text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads a file of one of the [readable](MeshFormat::readable) formats, which is determined by its bytes.
///
/// # Errors
/// [`ReadError`]: the file is of no such format, broken (with the line or the byte), or beyond the limits.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Triangles, ReadError> {
    read_watched(bytes, limits, &mut |_, _| ControlFlow::Continue(()))
}

/// As [`read`]. Calls `watch` with the bytes read and their total; it may cancel the work.
///
/// # Errors
/// As [`read`], and [`ReadErrorKind::Cancelled`] if `watch` cancelled it.
pub fn read_watched(
    bytes: &[u8],
    limits: &Limits,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<Triangles, ReadError> {
    if bytes.len() > limits.bytes {
        let (what, most) = ("bytes", limits.bytes);
        return Err(ReadErrorKind::TooLarge { what, most }.at(Position::Byte(most)));
    }
    let mut watched = Watched::new(bytes.len(), watch);
    let mut readers = TABLE.iter().filter_map(|row| row.reader.as_ref());
    let reader = readers.find(|reader| (reader.accepts)(bytes));
    // The errors of OBJ name the line at which a text is no mesh.
    let read = reader.map_or(super::obj::read as ReadMesh, |reader| reader.read);
    read(bytes, limits, &mut watched)
}

/// Returns the format of a file of triangles, given all of its bytes; `None` if no reader recognises them.
pub fn format_of(bytes: &[u8]) -> Option<MeshFormat> {
    format_of_start(bytes, bytes.len() as u64)
}

/// As [`format_of`], given the first bytes of a file and its length. A binary STL file is recognised by the length that it
/// states; a hundred bytes are enough for that, and some thousand for the head of a text.
pub fn format_of_start(start: &[u8], length: u64) -> Option<MeshFormat> {
    let matches = |row: &&super::Row| {
        let reader = row.reader.as_ref();
        reader.is_some_and(|reader| (reader.matches)(start, length))
    };
    TABLE.iter().find(matches).map(|row| row.format)
}

/// Returns a text without its byte order mark.
pub(super) fn text_of(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// Parses the next three words as coordinates.
pub(super) fn vertex<'a>(
    mut words: impl Iterator<Item = &'a str>,
) -> Result<[f64; 3], ReadErrorKind> {
    let mut at = [0.0; 3];
    for x in &mut at {
        let word = words.next().unwrap_or_default();
        let number = word.parse().ok().filter(|x: &f64| x.is_finite());
        *x = number.ok_or_else(|| ReadErrorKind::not_a_number(word))?;
    }
    Ok(at)
}
