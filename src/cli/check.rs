//! `fibula check`: validation of 3MF and mesh files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use fibula_formats::mesh;
use fibula_service::{FileChecked, Refusal, check_file, check_mesh_file, checked_formats};
use serde::Serialize;

use super::files;
use super::output::{Failure, OutputArgs};

#[derive(Debug, Args)]
pub(super) struct Check {
    #[arg(required = true, help = format!("{} files", checked_formats("or")))]
    files: Vec<PathBuf>,
    /// Fail on repairs and warnings too, not only on errors and violations of the specifications.
    #[arg(long)]
    strict: bool,
    /// Only report the number of findings.
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Findings in a file.
#[derive(Debug, Serialize)]
struct CheckedFile {
    file: String,
    #[serde(flatten)]
    checked: FileChecked,
}

/// Describes the command, with the formats that are checked.
pub(super) fn about() -> String {
    let formats = checked_formats("and");
    format!(
        "Check {formats} files: report errors and suspicious content, with the rule, the location and the fix"
    )
}

impl Check {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut all = Vec::new();
        let mut unreadable = Vec::new();
        for file in &self.files {
            match read(file) {
                Ok(bytes) => all.push(CheckedFile {
                    file: file.display().to_string(),
                    checked: if is_mesh(file, &bytes) {
                        check_mesh_file(&bytes)
                    } else {
                        check_file(&bytes)
                    },
                }),
                Err(refusal) => unreadable.push(refusal),
            }
        }
        let sound = |checked: &FileChecked| {
            checked.conforms && (!self.strict || checked.repairs + checked.warnings == 0)
        };
        let sound = all.iter().all(|one| sound(&one.checked));
        let text = |all: &[CheckedFile]| all.iter().map(|one| self.text(one)).collect();
        self.output.print(&all[..], text)?;
        // The findings in the other files are printed already.
        if let Some(refusal) = unreadable.pop() {
            for refusal in unreadable {
                eprintln!("fibula: {}", Failure::from(refusal));
            }
            return Err(refusal.into());
        }
        if sound { Ok(()) } else { Err(Failure::Found) }
    }

    fn text(&self, one: &CheckedFile) -> String {
        let CheckedFile { file, checked } = one;
        let mut text = String::new();
        for finding in checked.findings.iter().filter(|_| !self.quiet) {
            let place = match finding.place.as_str() {
                "" => String::new(),
                place => format!("{place}: "),
            };
            let (severity, code, message) = (finding.severity, &finding.code, &finding.message);
            let _ = write!(text, "{file}: {severity} ({code}) {place}{message}");
            if let Some(fix) = &finding.fix {
                let _ = write!(text, "; {fix}");
            }
            text.push('\n');
        }
        let count = |count: usize, what: &str| match count {
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        let verdict = match (checked.readable, checked.conforms) {
            (true, true) => "is read",
            (true, false) => "is read, but breaks the specification",
            (false, _) => "is refused",
        };
        let [errors, repairs, warnings] = [
            count(checked.errors, "error"),
            count(checked.repairs, "repair"),
            count(checked.warnings, "warning"),
        ];
        let violations = match checked.violations {
            0 => String::new(),
            violations => format!("{}, ", count(violations, "violation")),
        };
        let _ = writeln!(
            text,
            "{file} {verdict}: {errors}, {violations}{repairs}, {warnings}"
        );
        text
    }
}

/// Returns true for a mesh file, by its extension or its bytes.
fn is_mesh(file: &Path, bytes: &[u8]) -> bool {
    let is_mesh = || files::has_mesh_extension(file) || mesh::format_of(bytes).is_some();
    !bytes.starts_with(b"PK") && is_mesh()
}

/// Reads a file that may be a 3MF or mesh file.
fn read(file: &Path) -> Result<Vec<u8>, Refusal> {
    let bytes = files::bytes(file)?;
    if !bytes.starts_with(b"PK") && !bytes.is_empty() && !is_mesh(file, &bytes) {
        let message = format!("not a 3MF file: {} is not a ZIP archive", file.display());
        return Err(Refusal::new("unknown_format", message).hint(format!(
            "only {} files can be checked; `fibula import FILE` reads others",
            checked_formats("and")
        )));
    }
    Ok(bytes)
}
