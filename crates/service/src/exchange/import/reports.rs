//! Reports on imported files: contents, repairs, omissions, and findings of a check.

use std::collections::BTreeMap;

use fibula_3mf::{Finding, OmittedContent, Repair, Report, Severity};

use crate::functions::FunctionInfo;
use crate::resource_brief::ResourceBrief;
use crate::schema_types::ObjectForm;

/// Maximum number of functions, resources, repairs and omissions in an answer.
pub(super) const SHOWN: usize = 100;

json_structs! {
    /// Result of an import.
    #[schemars(rename = "Imported")]
    pub answer(Default) struct ImportResult {
        pub success: bool,
        /// True if the project did not exist before.
        pub project_created: Option<bool>,
        /// The imported functions, as list_functions lists them; the first 100.
        #[schemars(with = "Vec<ObjectForm>")]
        pub functions: Vec<FunctionInfo>,
        pub function_count: usize,
        /// The imported objects, images and volume data; the first ones, at most 100.
        #[schemars(with = "Vec<ObjectForm>")]
        pub resources: Vec<ResourceBrief> = [],
        pub resource_count: usize,
        pub build_item_count: usize,
        /// Errors in the file, and how they were read; the first 100.
        #[schemars(with = "Vec<ObjectForm>")]
        pub repairs: Vec<RepairInfo>,
        pub repair_count: usize,
        /// Contents of the file that were not imported.
        #[schemars(with = "Vec<ObjectForm>")]
        pub left_out: Vec<LeftOutInfo>,
        /// Ids that were in use in the project: those of the file, and the new ones.
        pub renumbered: BTreeMap<String, u32>,
        /// Parts of the file whose names stand for other bytes in the project, and their new names.
        pub renamed_parts: BTreeMap<String, String>,
        /// Number of UUIDs that the project already had, which were replaced by new ones.
        pub new_uuid_count: usize,
        pub warnings: Vec<String> = [],
        /// Findings of a check, errors first; the first 100.
        #[schemars(with = "Option<ObjectForm>")]
        pub findings: Option<FileChecked>,
        pub revision: u64,
        pub dry_run: Option<bool>,
    }

    /// An error in a file, and how it was read.
    pub data struct RepairInfo {
        pub code: String,
        pub place: String,
        pub message: String,
    }

    /// Findings about a file.
    pub answer struct FileChecked {
        /// True if the file can be read; a file with an error is rejected.
        pub readable: bool,
        /// True if the file breaks no rule of the specifications: it has neither errors nor violations.
        pub conforms: bool,
        pub errors: usize,
        /// Rules of the specifications that the file breaks, although it can be read.
        pub violations: usize,
        pub repairs: usize,
        pub warnings: usize,
        #[schemars(with = "Vec<ObjectForm>")]
        pub findings: Vec<FindingInfo>,
    }

    /// A finding in a file.
    pub data struct FindingInfo {
        pub severity: &'static str,
        pub code: &'static str,
        #[serde(skip_serializing_if = "String::is_empty")]
        pub place: String,
        pub message: String,
        pub fix: Option<String>,
    }

    /// A kind of contents that was not imported.
    pub data struct LeftOutInfo {
        pub what: String,
        pub count: usize,
        pub why: String,
    }
}

impl RepairInfo {
    pub(super) fn new(repair: &Repair) -> Self {
        RepairInfo {
            code: repair.code.to_owned(),
            place: repair.place.to_string(),
            message: repair.message.clone(),
        }
    }
}

impl FileChecked {
    /// A report with the first `most` findings.
    pub(super) fn new(report: Report, most: usize) -> Self {
        let info = |finding: Finding| FindingInfo {
            severity: finding.severity.name(),
            code: finding.code,
            place: finding.place.to_string(),
            message: finding.message,
            fix: finding.fix,
        };
        FileChecked {
            readable: report.is_readable(),
            conforms: report.conforms(),
            errors: report.count(Severity::Error),
            violations: report.count(Severity::Violation),
            repairs: report.count(Severity::Repair),
            warnings: report.count(Severity::Warning),
            findings: report.findings.into_iter().take(most).map(info).collect(),
        }
    }
}

impl LeftOutInfo {
    pub(super) fn new(other: &OmittedContent) -> Self {
        LeftOutInfo {
            what: other.what.clone(),
            count: other.count,
            why: other.why.clone(),
        }
    }
}
