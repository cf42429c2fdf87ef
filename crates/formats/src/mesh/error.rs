//! Errors of reading files of triangles.

use std::fmt;

use super::{MeshFormat, enumerated};

/// Error returned when a file cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ReadError {
    /// Kind of the error.
    pub problem: ReadErrorKind,
    /// Position of the error in the file.
    pub place: Position,
}

/// A position in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// Line of a text, from 1 on.
    Line(usize),
    /// Byte offset.
    Byte(usize),
}

/// Kinds of read errors.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The file has no triangles, or is no file of triangles.
    #[error("this is {} file, or has no triangles", no_format())]
    NoMesh,
    /// The file is no text.
    #[error(
        "not a mesh file: it is not text, as OBJ is, and its length is not that of a binary STL"
    )]
    NotText,
    /// A binary file is shorter than it states.
    #[error("the file declares {said} triangles, but ends within triangle {ends}, counted from 1")]
    CutOff {
        /// Stated number of triangles.
        said: u32,
        /// Triangle within which the file ends, from 1 on.
        ends: usize,
    },
    /// A line is not the expected one.
    #[error("expected {expected}, but found '{found}'")]
    Unexpected {
        /// The line.
        found: String,
        /// The expected one.
        expected: &'static str,
    },
    /// The text ends too early.
    #[error("the file ends within a triangle; expected {expected}")]
    Ends {
        /// The expected line.
        expected: &'static str,
    },
    /// A word is no finite number.
    #[error("'{word}' is not a finite number")]
    NotANumber {
        /// The word.
        word: String,
    },
    /// A face has a missing vertex.
    #[error(
        "the face refers to vertex {index}, but there are {vertices} vertices before it, counted from 1"
    )]
    UnknownVertex {
        /// Index, as written.
        index: i64,
        /// Number of vertices.
        vertices: usize,
    },
    /// A face has less than three corners.
    #[error("the face has {count} corners, but needs at least three")]
    FewCorners {
        /// Number of corners.
        count: usize,
    },
    /// The watch cancelled the reading.
    #[error("reading was cancelled")]
    Cancelled,
    /// The file is beyond the limits.
    #[error("the file has more than {most} {what}; split it into parts")]
    TooLarge {
        /// Bytes, vertices or triangles.
        what: &'static str,
        /// Maximum.
        most: usize,
    },
}

impl ReadError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self.problem {
            ReadErrorKind::TooLarge { .. } => "too_large",
            ReadErrorKind::Cancelled => "cancelled",
            ReadErrorKind::NotANumber { .. } => "invalid_value",
            ReadErrorKind::UnknownVertex { .. } => "unknown_vertex",
            ReadErrorKind::NoMesh
            | ReadErrorKind::NotText
            | ReadErrorKind::CutOff { .. }
            | ReadErrorKind::Unexpected { .. }
            | ReadErrorKind::Ends { .. }
            | ReadErrorKind::FewCorners { .. } => "invalid_content",
        }
    }
}

impl ReadErrorKind {
    pub(super) fn at(self, place: Position) -> ReadError {
        ReadError {
            problem: self,
            place,
        }
    }

    pub(super) fn not_a_number(word: &str) -> ReadErrorKind {
        ReadErrorKind::NotANumber { word: short(word) }
    }

    pub(super) fn unexpected(found: &str, expected: &'static str) -> ReadErrorKind {
        ReadErrorKind::Unexpected {
            found: short(found),
            expected,
        }
    }
}

/// Returns `no STL and no OBJ`, for all formats that are read.
fn no_format() -> String {
    let formats = MeshFormat::readable().map(|format| format!("no {}", format.label()));
    enumerated(formats, "and")
}

/// Truncates a text for a message.
fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::Line(line) => write!(f, "line {line}"),
            Position::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}
