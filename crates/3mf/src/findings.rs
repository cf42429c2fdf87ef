//! Validation findings: errors, repairs and warnings.
//!
//! Reading and checking share one path: every fault goes to [`Findings::fail`], which ends a reading at the first fault,
//! and lets a check continue.

use crate::error::{Location, ReadError};

/// Maximum number of errors, of repairs and of warnings in a report.
const MOST: usize = 10_000;

/// Findings of a check.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Report {
    /// Errors first, then repairs, then warnings; each in the order in which they were found.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Number of findings of this severity.
    pub fn count(&self, severity: Severity) -> usize {
        let same = |finding: &&Finding| finding.severity == severity;
        self.findings.iter().filter(same).count()
    }

    /// True if the file can be read.
    pub fn is_readable(&self) -> bool {
        self.count(Severity::Error) == 0
    }
}

/// An error, repair or warning, and its location.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// Stable code of the rule; that of an error is [`ReadError::code`].
    pub code: &'static str,
    /// Severity of the finding.
    pub severity: Severity,
    /// Location of the finding.
    pub place: Location,
    /// Statement of the file, and the rule that it breaks.
    pub message: String,
    /// Advice, if there is some.
    pub fix: Option<String>,
}

/// An unambiguous mistake in the file, and the interpretation that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// Stable code of the repair.
    pub code: &'static str,
    /// Location of the mistake.
    pub place: Location,
    /// Statement of the file, and how it was read.
    pub message: String,
}

/// Consequence of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file is rejected.
    Error,
    /// An unambiguous mistake that was repaired.
    Repair,
    /// Allowed, but probably not intended.
    Warning,
}

impl Severity {
    /// Name of the severity.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Repair => "repair",
            Severity::Warning => "warning",
        }
    }
}

/// Collects the findings of a file while it is read.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// True to continue after errors.
    all: bool,
    errors: Vec<ReadError>,
    pub(crate) repairs: Vec<Repair>,
    warnings: Vec<Finding>,
}

impl Findings {
    /// Collects all errors; `default` stops at the first.
    pub(crate) fn all() -> Findings {
        Findings {
            all: true,
            ..Findings::default()
        }
    }

    /// Records an error.
    ///
    /// # Errors
    /// The error itself, if it is fatal, or if reading ends at the first error.
    pub(crate) fn fail(&mut self, error: ReadError) -> Result<(), ReadError> {
        if error.problem.is_fatal() {
            return Err(error);
        }
        self.record(error)
    }

    /// Number of errors so far.
    pub(crate) fn error_count(&self) -> usize {
        self.errors.len()
    }

    /// Records an error that ended the reading of one part, whatever it is.
    ///
    /// # Errors
    /// The error itself, if reading ends at the first error.
    pub(crate) fn record(&mut self, error: ReadError) -> Result<(), ReadError> {
        if !self.all {
            return Err(error);
        }
        if self.errors.len() < MOST {
            self.errors.push(error);
        }
        Ok(())
    }

    /// Value of a step, or `None` if it failed and reading continues; its error is recorded.
    ///
    /// # Errors
    /// As [`fail`](Self::fail).
    pub(crate) fn pass<T>(&mut self, step: Result<T, ReadError>) -> Result<Option<T>, ReadError> {
        match step {
            Ok(value) => Ok(Some(value)),
            Err(error) => self.fail(error).map(|()| None),
        }
    }

    /// Discards all findings, since they were found in a damaged part.
    pub(crate) fn forget(&mut self) {
        let all = self.all;
        *self = Findings {
            all,
            ..Findings::default()
        };
    }

    /// Records a mistake that was repaired.
    pub(crate) fn repair(&mut self, code: &'static str, place: Location, message: String) {
        if self.repairs.len() < MOST {
            self.repairs.push(Repair {
                code,
                place,
                message,
            });
        }
    }

    /// Records a warning.
    pub(crate) fn warn(&mut self, code: &'static str, place: Location, message: String, fix: &str) {
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

    /// Report of all findings, and of the error that ended the reading.
    pub(crate) fn report(self, end: Option<ReadError>) -> Report {
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
