//! Why a file of nodes and edges could not be read or written.

use std::{fmt, io};

use fibula_knowledge::progress::Cancelled;

use super::DEEPEST;

/// Why a file could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// It is not what the format says, at some place.
    #[error("{place}: {problem}")]
    Invalid {
        /// Where it was found.
        place: Place,
        /// What is there, and what should be.
        problem: String,
    },
    /// It is larger than what is read.
    #[error("the file has more than {most} {what}; divide it, and read the parts")]
    TooLarge {
        /// Bytes, nodes, edges and so on.
        what: &'static str,
        /// How many there may be.
        most: usize,
    },
    /// It needs something that is not done here.
    #[error("{0}")]
    Unsupported(String),
    /// Whoever watched no longer wanted it.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Why a graph could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Nothing more can be written there.
    #[error("the graph could not be written: {0}")]
    Io(#[from] io::Error),
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line of it, from 1 on.
    Line(u64),
    /// One of its nodes or edges, or of what else it lists.
    Element {
        /// What it is: "node", "edge".
        kind: &'static str,
        /// Which of them, from 1 on.
        number: u64,
    },
}

impl FormatError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            FormatError::Invalid { .. } => "invalid_content",
            FormatError::TooLarge { .. } => "too_large",
            FormatError::Unsupported(_) => "unknown_format",
            FormatError::Cancelled(_) => "cancelled",
        }
    }

    pub(super) fn invalid(place: Place, problem: impl Into<String>) -> FormatError {
        FormatError::Invalid {
            place,
            problem: problem.into(),
        }
    }

    /// What the JSON reader has to say of a file or, if `line` is given, of that line of it.
    pub(super) fn json(error: &serde_json::Error, line: Option<u64>) -> FormatError {
        let place = match line {
            Some(line) => Place::Line(line),
            None if error.line() > 0 => Place::Line(error.line() as u64),
            None => Place::File,
        };
        let text = error.to_string();
        if text.starts_with("recursion limit") {
            return FormatError::TooLarge {
                what: "lists and objects in each other",
                most: DEEPEST,
            };
        }
        let end = text.rfind(" at line ").unwrap_or(text.len());
        let column = match error.column() {
            0 => String::new(),
            column => format!(" (column {column})"),
        };
        FormatError::invalid(place, format!("{}{column}", &text[..end]))
    }
}

impl WriteError {
    /// The stable code.
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

impl Place {
    pub(super) fn node(number: usize) -> Place {
        Place::Element {
            kind: "node",
            number: number as u64,
        }
    }

    pub(super) fn edge(number: usize) -> Place {
        Place::Element {
            kind: "edge",
            number: number as u64,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File => f.write_str("the file"),
            Place::Line(line) => write!(f, "line {line}"),
            Place::Element { kind, number } => write!(f, "{kind} {number}"),
        }
    }
}

/// The beginning of a text that somebody else wrote, for a message.
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
