//! Validation findings: errors, repairs and warnings.
//!
//! Reading and checking share one path: every fault goes to [`Findings::fail`], which ends a reading at the first fault,
//! and lets a check continue.

use std::collections::BTreeSet;

use crate::error::{Location, ReadError};
use crate::rules::{self, Severity};

/// Maximum number of errors, of violations, of repairs and of warnings in a report.
const MOST: usize = 10_000;

/// Findings of a check.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Report {
    /// Errors first, then violations, repairs and warnings; each in the order in which they were found.
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

    /// True if the file breaks no rule of the specifications that is known to be broken: it has no error and no violation.
    pub fn conforms(&self) -> bool {
        self.is_readable() && self.count(Severity::Violation) == 0
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

/// Collects the findings of a file while it is read.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// True to continue after errors.
    all: bool,
    errors: Vec<ReadError>,
    violations: Vec<Finding>,
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

    /// Records that a rule of the table is broken.
    pub(crate) fn violate(
        &mut self,
        code: &'static str,
        place: Location,
        message: String,
        fix: &str,
    ) {
        debug_assert!(
            rules::find(code).is_some(),
            "{code} is not in the table of rules"
        );
        if self.violations.len() < MOST {
            self.violations.push(Finding {
                code,
                severity: rules::find(code).map_or(Severity::Violation, |rule| {
                    rule.severity.max(Severity::Violation)
                }),
                place,
                message,
                fix: Some(fix.to_owned()),
            });
        }
    }

    /// Report of all findings, and of the error that ended the reading.
    ///
    /// The reader and the rules see the same mistakes: an error of the reader stands for violations of its code in its line, or
    /// of references in its part, and for its part being broken, and violations stand for repairs and warnings of their code in their part. Other repairs
    /// and warnings whose code is that of a rule are violations.
    pub(crate) fn report(self, end: Option<ReadError>) -> Report {
        let errors = self.errors.into_iter().chain(end).map(|error| Finding {
            code: error.code(),
            severity: Severity::Error,
            fix: error.hint(),
            message: error.problem.to_string(),
            place: *error.place,
        });
        let mut findings: Vec<Finding> = errors.collect();
        let is_reported = |one: &Finding| {
            let is_reference = matches!(one.code, "dangling_reference" | "resource_kind_mismatch");
            findings.iter().any(|error| {
                error.place.part == one.place.part
                    && (one.code == "broken_part"
                        || error.code == one.code
                            && (is_reference || error.place.line == one.place.line))
            })
        };
        let mut own: Vec<Finding> = self.violations;
        own.retain(|one| !is_reported(one));
        let mut rest: Vec<Finding> = self
            .repairs
            .into_iter()
            .map(Finding::from)
            .chain(self.warnings)
            .collect();
        let violated: BTreeSet<(&str, &Option<String>)> =
            own.iter().map(|one| (one.code, &one.place.part)).collect();
        rest.retain(|one| {
            let related = match one.code {
                "dangling_relationship" => "missing_related_part",
                code => code,
            };
            !violated.contains(&(related, &one.place.part))
        });
        // Without content types all parts lack one.
        if rest.iter().any(|one| one.code == "no_content_types") {
            rest.retain(|one| one.code != "unknown_type");
        }
        for one in &mut rest {
            if let Some(rule) = rules::find(one.code) {
                one.severity = rule.severity.max(Severity::Violation);
            }
        }
        own.extend(rest);
        own.sort_by_key(|one| one.severity);
        findings.extend(own);
        Report { findings }
    }
}

impl From<Repair> for Finding {
    fn from(repair: Repair) -> Finding {
        Finding {
            code: repair.code,
            severity: Severity::Repair,
            place: repair.place,
            message: repair.message,
            fix: None,
        }
    }
}
