//! Errors of project files.

use std::io;

use serde_json::{Value as Json, json};

use super::format::{FORMAT, LONGEST};

/// Error returned when a project file cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProjectFileError {
    /// The destination failed.
    #[error("the export cannot be written: {0}")]
    Write(#[from] io::Error),
    /// A line would be longer than readers accept.
    #[error("a line of the export would have {bytes} bytes, but imports read at most {LONGEST}")]
    TooLarge {
        /// Bytes of the line.
        bytes: usize,
    },
    /// The source failed.
    #[error("line {line} cannot be read: {error}")]
    Read {
        /// Number of the line, from 1.
        line: u64,
        /// Cause.
        #[source]
        error: io::Error,
    },
    /// The file has another format.
    #[error("{0}")]
    NotAProject(String),
    /// The file was written by a later version.
    #[error("line 1: the file has format {found}, but this program supports format {FORMAT}")]
    Newer {
        /// Its version.
        found: u32,
    },
    /// The file ends before its last line.
    #[error("the file is truncated: it ends after line {line}, before its last line")]
    Truncated {
        /// Number of the last line, from 1.
        line: u64,
    },
    /// A line is invalid.
    #[error("line {line}: {problem}")]
    Damaged {
        /// Number of the line, from 1.
        line: u64,
        /// The problem.
        problem: String,
    },
}

impl ProjectFileError {
    /// Stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            ProjectFileError::Write(_) => "unwritable_file",
            ProjectFileError::TooLarge { .. } => "too_large",
            ProjectFileError::Read { .. } => "unreadable_file",
            ProjectFileError::NotAProject(_) => "unknown_format",
            ProjectFileError::Newer { .. } => "newer_format",
            ProjectFileError::Truncated { .. } => "truncated",
            ProjectFileError::Damaged { .. } => "damaged",
        }
    }

    /// A remedy, if the message does not name one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            ProjectFileError::Write(_) | ProjectFileError::Read { .. } => None,
            ProjectFileError::TooLarge { .. } => {
                Some("back up the whole store instead, or remove the content that is so large")
            }
            ProjectFileError::NotAProject(_) => Some(
                "export writes project files; 3MF files are ZIP archives and begin with PK, .vm files with an operation",
            ),
            ProjectFileError::Newer { .. } => Some("use a newer fibula"),
            ProjectFileError::Truncated { .. } => Some("export the project again"),
            ProjectFileError::Damaged { .. } => Some("nothing was imported"),
        }
    }

    /// The facts for programs; null if there are none.
    pub fn details(&self) -> Json {
        match self {
            ProjectFileError::Damaged { line, .. } => json!({ "line": line }),
            ProjectFileError::Write(_)
            | ProjectFileError::TooLarge { .. }
            | ProjectFileError::Read { .. }
            | ProjectFileError::NotAProject(_)
            | ProjectFileError::Newer { .. }
            | ProjectFileError::Truncated { .. } => Json::Null,
        }
    }
}
