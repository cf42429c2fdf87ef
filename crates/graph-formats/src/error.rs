//! Errors of reading and writing files of graphs.

use std::{fmt, io};

use fibula_knowledge::progress::Cancelled;

use super::MAX_DEPTH;

/// Error returned when a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The content violates the format.
    #[error("{location}: {problem}")]
    Invalid {
        /// Location in the file.
        location: FileLocation,
        /// Description of the problem, and of what is expected.
        problem: String,
    },
    /// The file exceeds a limit.
    #[error("the file has more than {most} {what}; split it and import the parts")]
    TooLarge {
        /// Unit of the limit: bytes, nodes, edges and so on.
        what: &'static str,
        /// Maximum number.
        most: usize,
    },
    /// The file needs a feature that is not supported.
    #[error("{0}")]
    Unsupported(String),
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Error returned when a graph cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The output fails.
    #[error("the graph cannot be written: {0}")]
    Io(#[from] io::Error),
}

/// Location in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileLocation {
    /// The file as a whole.
    File,
    /// A line, from 1 on.
    Line(u64),
    /// A node, an edge or another element of a list.
    Element {
        /// Kind of element: "node", "edge".
        kind: &'static str,
        /// Number of the element, from 1 on.
        number: u64,
    },
}

/// Nodes or edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementKind {
    Node,
    Edge,
}

impl FormatError {
    /// Stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            FormatError::Invalid { .. } => "invalid_content",
            FormatError::TooLarge { .. } => "too_large",
            FormatError::Unsupported(_) => "unknown_format",
            FormatError::Cancelled(_) => "cancelled",
        }
    }

    pub(super) fn too_large(what: &'static str, most: usize) -> FormatError {
        FormatError::TooLarge { what, most }
    }

    pub(super) fn invalid(location: FileLocation, problem: impl Into<String>) -> FormatError {
        FormatError::Invalid {
            location,
            problem: problem.into(),
        }
    }

    /// Error of the JSON reader for a file or, if `line` is given, for that line of it.
    pub(super) fn json(error: &serde_json::Error, line: Option<u64>) -> FormatError {
        let location = match line {
            Some(line) => FileLocation::Line(line),
            None if error.line() > 0 => FileLocation::Line(error.line() as u64),
            None => FileLocation::File,
        };
        let text = error.to_string();
        if text.starts_with("recursion limit") {
            return FormatError::too_large("nested lists and objects", MAX_DEPTH);
        }
        let end = text.rfind(" at line ").unwrap_or(text.len());
        let column = match error.column() {
            0 => String::new(),
            column => format!(" (column {column})"),
        };
        FormatError::invalid(location, format!("{}{column}", &text[..end]))
    }
}

impl WriteError {
    /// Stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            WriteError::Io(_) => "unwritable_file",
        }
    }
}

impl From<serde_json::Error> for WriteError {
    fn from(error: serde_json::Error) -> Self {
        WriteError::Io(error.into())
    }
}

impl FileLocation {
    pub(super) fn element(kind: ElementKind, number: usize) -> FileLocation {
        FileLocation::Element {
            kind: ["node", "edge"][kind as usize],
            number: number as u64,
        }
    }
}

impl fmt::Display for FileLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileLocation::File => f.write_str("the file"),
            FileLocation::Line(line) => write!(f, "line {line}"),
            FileLocation::Element { kind, number } => write!(f, "{kind} {number}"),
        }
    }
}

/// Beginning of a text from a file, escaped for a message.
pub(super) fn brief(text: &str) -> String {
    const LONGEST: usize = 40;
    let shown: String = text
        .chars()
        .take(LONGEST)
        .flat_map(char::escape_debug)
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        shown + "…"
    } else {
        shown
    }
}
