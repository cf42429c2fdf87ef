//! Why a .vm file is refused: what is wrong, in which line, and what can be done.

/// Why a .vm file could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", .line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct ReadError {
    /// The line, from 1 on; `None` if the file as a whole is wrong.
    pub line: Option<usize>,
    /// What is wrong.
    #[source]
    pub problem: Problem,
}

/// What is wrong with a .vm file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Something is larger than the limits allow.
    #[error("the file has more than {limit} {what}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// The file is no text.
    #[error("the file is no UTF-8 text")]
    NotText,
    /// The file has no operation.
    #[error("the file has no operation")]
    Empty,
    /// A line has an id and nothing else.
    #[error("'{0}' is an id without an operation")]
    NoOperation(String),
    /// The operation is not known.
    #[error("'{operation}' is no operation")]
    UnknownOperation {
        /// What is written.
        operation: String,
        /// Operations of similar names.
        nearest: Vec<String>,
    },
    /// The operation is known, but no node does the like.
    #[error("'{0}' works on the bits of single-precision numbers, which no node does")]
    Unsupported(&'static str),
    /// An operation has more or fewer operands than it takes.
    #[error("'{operation}' takes {takes}, but got {got}")]
    Operands {
        /// The operation.
        operation: &'static str,
        /// What it takes.
        takes: &'static str,
        /// How many it got.
        got: usize,
    },
    /// A constant is no finite number.
    #[error("'{0}' is no finite number")]
    NotANumber(String),
    /// An operand is not the id of a line above.
    #[error("'{id}' is the id of no line above")]
    UnknownId {
        /// The operand.
        id: String,
        /// The line below that has the id.
        below: Option<usize>,
    },
    /// Two lines have one id.
    #[error("the id '{id}' is that of line {first}, too")]
    DuplicateId {
        /// The id.
        id: String,
        /// The line that has it first.
        first: usize,
    },
}

impl Problem {
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
    /// The stable name of what is wrong.
    pub fn code(&self) -> &'static str {
        match &self.problem {
            Problem::TooLarge { .. } => "too_large",
            Problem::NotText => "invalid_content",
            Problem::Empty => "nothing_to_import",
            Problem::NoOperation(_) => "syntax",
            Problem::UnknownOperation { .. } => "unknown_operation",
            Problem::Unsupported(_) => "unsupported_operation",
            Problem::Operands { .. } => "wrong_arguments",
            Problem::NotANumber(_) => "invalid_value",
            Problem::UnknownId { .. } => "dangling_reference",
            Problem::DuplicateId { .. } => "duplicate_id",
        }
    }

    /// What can be done about it.
    pub fn hint(&self) -> String {
        match &self.problem {
            Problem::TooLarge { .. } => {
                "if the file is trusted, read it with larger limits".to_owned()
            }
            Problem::NotText => "give a .vm file: lines such as `_2 add _0 _1`".to_owned(),
            Problem::Empty => {
                "the value is the last line that is neither blank nor a comment".to_owned()
            }
            Problem::NoOperation(_) => {
                "write ID OPERATION OPERANDS, such as `_2 add _0 _1`".to_owned()
            }
            Problem::UnknownOperation { nearest, .. } if !nearest.is_empty() => {
                format!("did you mean {}?", nearest.join(" or "))
            }
            Problem::UnknownOperation { .. } => {
                format!("the operations are {}", super::line::operations())
            }
            Problem::Unsupported(_) => "replace what is random by a formula".to_owned(),
            Problem::Operands { .. } => {
                "operands are ids of lines above, with spaces between".to_owned()
            }
            Problem::NotANumber(_) => "write a decimal number, such as -2.5 or 1e-3".to_owned(),
            Problem::UnknownId {
                below: Some(line), ..
            } => {
                format!("it is that of line {line}; move that line above this one")
            }
            Problem::UnknownId { below: None, .. } => "add a line with this id above".to_owned(),
            Problem::DuplicateId { .. } => "give each line an id of its own".to_owned(),
        }
    }
}
