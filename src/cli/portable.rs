//! `fibula export` and `fibula import`: projects and functions from and to the store.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter};
use std::path::{Path, PathBuf};

use clap::Args;
use fibula_formats::mesh;
use fibula_formats::vm;
use fibula_service::{
    AtomicFile, Export as Request, ExportResult, Import as Functions, ImportProject, ImportResult,
    Options, Refusal, Service, WritePackage, imported_formats,
};

use super::convert::{ending, write_package, written_text};
use super::data::{Data, StoreAccess};
use super::files;
use super::functions::overview;
use super::output::{Failure, OutputArgs, PipeWriter, print, print_json, warn, with_commands};

#[derive(Debug, Args)]
pub(super) struct Export {
    /// The project.
    project: String,
    /// The file that is made, a 3MF file if its name ends so; - writes the project to standard output.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// As the project was at this revision, with the history up to it.
    #[arg(long, value_name = "N")]
    revision: Option<u64>,
    /// Export only the current state, without the history.
    #[arg(long)]
    without_history: bool,
    #[command(flatten)]
    data: Data,
}

#[derive(Debug, Args)]
pub(super) struct Import {
    #[arg(help = format!(
        "A {} file, or a project that `fibula export` wrote; - reads such a project from standard input",
        imported_formats("or")
    ))]
    file: PathBuf,
    #[arg(long, value_name = "NAME", conflicts_with = "name", help = format!(
        "Import a {} file into this project, which is created if it does not exist",
        imported_formats("or")
    ))]
    project: Option<String>,
    /// Name of the imported project, if it differs.
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    data: Data,
}

/// Describes the import, with the formats that are read.
pub(super) fn import_about() -> String {
    let formats = imported_formats("or");
    format!("Import a file: an exported project, or a {formats} file")
}

impl Export {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let service = self.data.service(StoreAccess::Read)?;
        if self.revision.is_some()
            && let Some(found) = service.damage(Some(&self.project))?
        {
            warn(&[with_commands(&format!("warning: {found}"))]);
        }
        let request = Request {
            project: Some(self.project.clone()),
            revision: self.revision,
            without_history: self.without_history,
        };
        if self.file == Path::new("-") {
            let mut out = PipeWriter::new(BufWriter::new(io::stdout().lock()));
            let exported = service.export(&request, &mut out);
            if out.is_closed() {
                return Err(Failure::Closed);
            }
            lost(&exported?);
            return Ok(());
        }
        if ending(&self.file) == "3mf" {
            let request = WritePackage {
                project: Some(self.project.clone()),
                revision: self.revision,
                dialect: None,
            };
            let file = AtomicFile::create_new(&self.file)?;
            let written = write_package(&service, &request, file)?;
            return print(&written_text(&self.file, &written));
        }
        let file = new_file(&self.file)?;
        let mut to = BufWriter::new(&file);
        let exported = service.export(&request, &mut to).map_err(Failure::from);
        drop(to);
        let exported = exported.and_then(|exported| {
            file.sync_all()?;
            Ok(exported)
        });
        if exported.is_err() {
            // An incomplete file is useless.
            drop(std::fs::remove_file(&self.file));
        }
        let exported = exported?;
        lost(&exported);
        print(&format!("{}\n", exported_text(&exported)))
    }
}

/// Creates a new file that only its owner can read, as a store; an existing one is never overwritten.
fn new_file(path: &Path) -> Result<File, Failure> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists {
            return AtomicFile::already_exists(path).into();
        }
        let message = format!("{} cannot be written: {error}", path.display());
        Refusal::new("unwritable_file", message).into()
    })
}

fn exported_text(exported: &ExportResult) -> String {
    let (project, revision) = (&exported.project, exported.revision);
    let mut text = if exported.entries == 0 {
        format!("{project}: revision {revision}, without history")
    } else {
        let first = exported.first_revision + 1;
        format!("{project}: revisions {first} to {revision}")
    };
    if exported.contents > 0 {
        let _ = write!(text, ", {} files", exported.contents);
    }
    text
}

fn lost(exported: &ExportResult) {
    for hash in &exported.missing {
        eprintln!("fibula: content {hash} is lost; the rest is exported");
    }
}

impl Import {
    pub(super) fn run(&self) -> Result<(), Failure> {
        if self.file == Path::new("-") {
            return self.project(&mut BufReader::new(io::stdin().lock()));
        }
        let unreadable = files::unreadable(&self.file);
        let file = File::open(&self.file).map_err(unreadable)?;
        let length = file.metadata().map_err(unreadable)?.len();
        let mut reader = BufReader::new(file);
        // Formats are detected by their first bytes.
        let start = reader.fill_buf().map_err(unreadable)?;
        let is_mesh = || mesh::format_of_start(start, length).is_some();
        let has_model_extension = files::has_model_extension(&self.file);
        if start.starts_with(b"PK") || vm::is_vm(start) || has_model_extension || is_mesh() {
            self.functions()
        } else {
            self.project(&mut reader)
        }
    }

    /// Imports a project as a new one.
    fn project(&self, from: &mut dyn BufRead) -> Result<(), Failure> {
        if let Some(project) = &self.project {
            let message = format!(
                "--project applies to {} files; an exported project becomes a project of its own",
                imported_formats("and")
            );
            return Err(Refusal::new("invalid_arguments", message)
                .hint(format!("--as {project} gives it that name"))
                .into());
        }
        let service = self.data.service(StoreAccess::Make)?;
        let request = ImportProject {
            project: self.name.clone(),
        };
        let imported = service.import_project(&request, from);
        let imported = imported.map_err(|refusal| match refusal.code {
            "duplicate_id" => refusal.hint("--as NAME gives it another name"),
            _ => refusal,
        })?;
        if self.output.json {
            return print_json(&imported);
        }
        for hash in &imported.missing {
            eprintln!("fibula: content {hash} was lost before the export");
        }
        print(&format!(
            "{} is at revision {}, with {} entries of history\n",
            imported.project, imported.revision, imported.entries
        ))
    }

    /// Shows a file of functions or objects, or imports it into a project.
    fn functions(&self) -> Result<(), Failure> {
        if self.name.is_some() {
            let message = "--as applies to exported projects";
            return Err(Refusal::new("invalid_arguments", message)
                .hint(format!(
                    "--project NAME imports a {} file into a project",
                    imported_formats("or")
                ))
                .into());
        }
        // An unreadable file creates no project.
        let (read, imported) = files::open(&self.file)?;
        let Some(project) = &self.project else {
            return self.print(&imported, overview(&files::functions(&read)?));
        };
        let service = Service::with_store(
            self.data.open(StoreAccess::Make)?.store(),
            &Options {
                roots: files::roots(&self.file)?,
                ..Options::default()
            },
        );
        let origin = files::origin("import");
        let path = files::canonical_text(&self.file)?;
        let request = Functions {
            project: Some(project.clone()),
            path: Some(path),
            ..Functions::default()
        };
        let imported = service.import(&origin, request)?;
        let text = format!("{project} is at revision {}\n", imported.revision);
        self.print(&imported, overview(&imported.functions) + &text)
    }

    fn print(&self, imported: &ImportResult, mut text: String) -> Result<(), Failure> {
        if self.output.json {
            return print_json(imported);
        }
        let (resources, items) = (imported.resource_count, imported.build_item_count);
        if resources + items > 0 {
            let _ = writeln!(
                text,
                "besides functions: {resources} objects, images and other resources, {items} build items"
            );
        }
        for repair in &imported.repairs {
            let (code, place) = (&repair.code, &repair.place);
            let _ = writeln!(text, "repaired ({code}) {place}: {}", repair.message);
        }
        if imported.repair_count > imported.repairs.len() {
            let more = imported.repair_count - imported.repairs.len();
            let _ = writeln!(text, "and {more} more repairs");
        }
        let found = imported.findings.iter().flat_map(|found| &found.findings);
        for one in found {
            let _ = writeln!(text, "{} ({}): {}", one.severity, one.code, one.message);
        }
        for warning in files::warnings(imported) {
            let _ = writeln!(text, "warning: {warning}");
        }
        for left in &imported.left_out {
            let _ = writeln!(text, "omitted: {} {}: {}", left.count, left.what, left.why);
        }
        print(&text)
    }
}
