//! Validation findings: errors, repairs and warnings.
//!
//! Reading and checking are one: whatever is wrong is taken to [`Findings::fail`], which ends the reading at the first
//! fault, and lets the checking go on.

use super::Repair;
use super::error::{Location, ReadError};

/// How many faults, and how many warnings, a report names.
const MOST: usize = 10_000;

/// What was found in a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// Errors first, then repairs, then warnings; each in the order in which they were found.
    pub findings: Vec<Finding>,
}

impl Report {
    /// How many findings there are of this severity.
    pub fn count(&self, severity: Severity) -> usize {
        let same = |finding: &&Finding| finding.severity == severity;
        self.findings.iter().filter(same).count()
    }

    /// Whether the file can be read.
    pub fn is_readable(&self) -> bool {
        self.count(Severity::Error) == 0
    }
}

/// Something that was found in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The stable name of the rule; that of an error is [`ReadError::code`].
    pub code: &'static str,
    /// What follows from it.
    pub severity: Severity,
    /// Where it is.
    pub place: Location,
    /// What is said there, and what is true.
    pub message: String,
    /// What can be done about it, where there is something to say.
    pub fix: Option<String>,
}

/// What follows from a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file is refused.
    Error,
    /// It is wrong, but there is no doubt about what is meant, and the file was read so.
    Repair,
    /// It is allowed, but is probably not what was meant.
    Warning,
}

impl Severity {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Repair => "repair",
            Severity::Warning => "warning",
        }
    }
}

/// Findings while a file is gone over.
#[derive(Debug)]
pub(super) struct Findings {
    /// Whether to go on where the reading would end.
    all: bool,
    errors: Vec<ReadError>,
    pub(super) repairs: Vec<Repair>,
    warnings: Vec<Finding>,
}

impl Findings {
    /// Ends at the first fault.
    pub(super) fn first() -> Findings {
        Findings {
            all: false,
            errors: Vec::new(),
            repairs: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Collects all faults.
    pub(super) fn all() -> Findings {
        Findings {
            all: true,
            ..Findings::first()
        }
    }

    /// Notes a fault.
    ///
    /// # Errors
    /// The fault itself, if nothing can be read after it, or nothing is to be.
    pub(super) fn fail(&mut self, error: ReadError) -> Result<(), ReadError> {
        if !self.all || error.problem.is_final() {
            return Err(error);
        }
        if self.errors.len() < MOST {
            self.errors.push(error);
        }
        Ok(())
    }

    /// What came of a step; `None` if it failed and the rest can be read.
    ///
    /// # Errors
    /// As [`fail`](Self::fail).
    pub(super) fn pass<T>(&mut self, step: Result<T, ReadError>) -> Result<Option<T>, ReadError> {
        match step {
            Ok(value) => Ok(Some(value)),
            Err(error) => self.fail(error).map(|()| None),
        }
    }

    /// Forgets everything, since what it was found in is not what was written.
    pub(super) fn forget(&mut self) {
        self.errors.clear();
        self.repairs.clear();
        self.warnings.clear();
    }

    /// Notes what is written wrongly and was read all the same.
    pub(super) fn repair(&mut self, code: &'static str, place: Location, message: String) {
        if self.repairs.len() < MOST {
            self.repairs.push(Repair {
                code,
                place,
                message,
            });
        }
    }

    /// Notes what is suspicious.
    pub(super) fn warn(&mut self, code: &'static str, place: Location, message: String, fix: &str) {
        if self.warnings.len() < MOST {
            self.warnings.push(Finding {
                code,
                severity: Severity::Warning,
                place,
                message,
                fix: Some(fix.to_owned()).filter(|fix| !fix.is_empty()),
            });
        }
    }

    /// Everything that was found, and what ended the reading.
    pub(super) fn report(self, end: Option<ReadError>) -> Report {
        let errors = self.errors.into_iter().chain(end).map(|error| Finding {
            code: error.code(),
            severity: Severity::Error,
            fix: error.hint(),
            message: error.problem.to_string(),
            place: *error.place,
        });
        let repairs = self.repairs.into_iter().map(|repair| Finding {
            code: repair.code,
            severity: Severity::Repair,
            place: repair.place,
            message: repair.message,
            fix: None,
        });
        Report {
            findings: errors.chain(repairs).chain(self.warnings).collect(),
        }
    }
}
