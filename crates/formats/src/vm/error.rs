//! Errors of reading .vm files: kind, line and remedy.

/// Error returned when a .vm file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", .line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct ReadError {
    /// Line, from 1 on; `None` for the file as a whole.
    pub line: Option<usize>,
    /// Kind of the error.
    #[source]
    pub problem: ReadErrorKind,
}

/// Kinds of read errors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The file is beyond the limits.
    #[error("the file has more than {limit} {what}")]
    TooLarge {
        /// Name of the limited quantity.
        what: &'static str,
        /// Maximum.
        limit: usize,
    },
    /// The file is no text.
    #[error("the file is not UTF-8 text")]
    NotText,
    /// The file has no operation.
    #[error("the file has no operation")]
    Empty,
    /// A line has an id and nothing else.
    #[error("'{0}' is an id without an operation")]
    NoOperation(String),
    /// The operation is unknown.
    #[error("unknown operation '{operation}'")]
    UnknownOperation {
        /// The operation, as written.
        operation: String,
        /// Operations of similar names.
        nearest: Vec<String>,
    },
    /// The operation is known, but no node computes it.
    #[error(
        "unsupported operation '{0}': it works on the bits of single-precision numbers, which no node does"
    )]
    Unsupported(&'static str),
    /// An operation has a wrong number of operands.
    #[error("'{operation}' takes {takes}, but got {got}")]
    Operands {
        /// The operation.
        operation: &'static str,
        /// Description of the expected operands.
        takes: &'static str,
        /// Number of operands.
        got: usize,
    },
    /// A constant is no finite number.
    #[error("'{0}' is not a finite number")]
    NotANumber(String),
    /// An operand is not the id of a line above.
    #[error("unknown id '{id}': no line above has it")]
    UnknownId {
        /// The operand.
        id: String,
        /// A line below with the id.
        below: Option<usize>,
    },
    /// Two lines have one id.
    #[error("duplicate id '{id}': line {first} has it as well")]
    DuplicateId {
        /// The id.
        id: String,
        /// The first line with it.
        first: usize,
    },
}

impl ReadErrorKind {
    pub(super) fn at(self, line: usize) -> ReadError {
        ReadError {
            line: Some(line),
            problem: self,
        }
    }

    pub(super) fn of_file(self) -> ReadError {
        ReadError {
            line: None,
            problem: self,
        }
    }
}

impl ReadError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match &self.problem {
            ReadErrorKind::TooLarge { .. } => "too_large",
            ReadErrorKind::NotText => "invalid_content",
            ReadErrorKind::Empty => "nothing_to_import",
            ReadErrorKind::NoOperation(_) => "syntax",
            ReadErrorKind::UnknownOperation { .. } => "unknown_operation",
            ReadErrorKind::Unsupported(_) => "unsupported_operation",
            ReadErrorKind::Operands { .. } => "wrong_arguments",
            ReadErrorKind::NotANumber(_) => "invalid_value",
            ReadErrorKind::UnknownId { .. } => "dangling_reference",
            ReadErrorKind::DuplicateId { .. } => "duplicate_id",
        }
    }

    /// Suggested remedy.
    pub fn hint(&self) -> String {
        match &self.problem {
            ReadErrorKind::TooLarge { .. } => {
                "if you trust the file, read it with larger limits".to_owned()
            }
            ReadErrorKind::NotText => "use a .vm file: lines such as `_2 add _0 _1`".to_owned(),
            ReadErrorKind::Empty => {
                "the value is the last line that is neither blank nor a comment".to_owned()
            }
            ReadErrorKind::NoOperation(_) => {
                "write ID OPERATION OPERANDS, such as `_2 add _0 _1`".to_owned()
            }
            ReadErrorKind::UnknownOperation { nearest, .. } if !nearest.is_empty() => {
                format!("did you mean {}?", nearest.join(" or "))
            }
            ReadErrorKind::UnknownOperation { .. } => {
                format!("the operations are {}", super::line::operations())
            }
            ReadErrorKind::Unsupported(_) => "replace random operations with a formula".to_owned(),
            ReadErrorKind::Operands { .. } => {
                "operands are ids of lines above, separated by spaces".to_owned()
            }
            ReadErrorKind::NotANumber(_) => {
                "write a decimal number, such as -2.5 or 1e-3".to_owned()
            }
            ReadErrorKind::UnknownId {
                below: Some(line), ..
            } => {
                format!("line {line} has it; move that line above this one")
            }
            ReadErrorKind::UnknownId { below: None, .. } => {
                "add a line with this id above".to_owned()
            }
            ReadErrorKind::DuplicateId { .. } => "give each line a unique id".to_owned(),
        }
    }
}
