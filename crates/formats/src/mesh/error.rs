//! Why a file of triangles could not be read.

use std::fmt;

/// Why a file could not be read, and where.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ReadError {
    /// What is wrong.
    pub problem: Problem,
    /// Where it was found.
    pub place: Place,
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A line of a text, from 1 on.
    Line(usize),
    /// A byte, from 0 on.
    Byte(usize),
}

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Problem {
    /// It has no triangles, or is no file of triangles.
    #[error("this is no STL and no OBJ file, or one without triangles")]
    NoMesh,
    /// It is a text of another kind, or no text.
    #[error("this is no text, so the file is no OBJ; and its length is not that of a binary STL")]
    NotText,
    /// A binary file has not the length that it says.
    #[error(
        "the file says that it has {said} triangles, and ends within triangle {ends}, counted from 1"
    )]
    CutOff {
        /// How many triangles it says that there are.
        said: u32,
        /// In which of them it ends.
        ends: usize,
    },
    /// Something else was to come.
    #[error("'{found}' is here, where {expected} is to come")]
    Unexpected {
        /// What is there.
        found: String,
        /// What is to come.
        expected: &'static str,
    },
    /// The text ends too early.
    #[error("the file ends within a triangle, where {expected} is to come")]
    Ends {
        /// What is to come.
        expected: &'static str,
    },
    /// A word is no coordinate.
    #[error("'{word}' is no finite number")]
    NotANumber {
        /// The word.
        word: String,
    },
    /// A face names a vertex that is not there.
    #[error("the face has vertex {index}, and there are {vertices} vertices above, counted from 1")]
    UnknownVertex {
        /// The index, as it is written.
        index: i64,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A face has too few corners.
    #[error("the face has {count} corners, and a face has three or more")]
    FewCorners {
        /// How many it has.
        count: usize,
    },
    /// Whoever watched no longer wanted it.
    #[error("the reading was cancelled")]
    Cancelled,
    /// It is larger than what is read.
    #[error("the file has more than {most} {what}; cut it into parts")]
    TooLarge {
        /// Bytes, vertices or triangles.
        what: &'static str,
        /// How many there may be.
        most: usize,
    },
}

impl ReadError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self.problem {
            Problem::TooLarge { .. } => "too_large",
            Problem::Cancelled => "cancelled",
            Problem::NotANumber { .. } => "invalid_value",
            Problem::UnknownVertex { .. } => "unknown_vertex",
            Problem::NoMesh
            | Problem::NotText
            | Problem::CutOff { .. }
            | Problem::Unexpected { .. }
            | Problem::Ends { .. }
            | Problem::FewCorners { .. } => "invalid_content",
        }
    }
}

impl Problem {
    pub(super) fn at(self, place: Place) -> ReadError {
        ReadError {
            problem: self,
            place,
        }
    }

    pub(super) fn not_a_number(word: &str) -> Problem {
        Problem::NotANumber { word: short(word) }
    }

    pub(super) fn unexpected(found: &str, expected: &'static str) -> Problem {
        Problem::Unexpected {
            found: short(found),
            expected,
        }
    }
}

/// The beginning of a text.
fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}
