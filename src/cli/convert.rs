//! `fibula convert`: conversion between files.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufReader, Cursor, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use fibula_formats::mesh::{MeshFormat, enumerated};
use fibula_service::{
    AtomicFile, Dialect, Export, ImportProject, Options, PackageWritten, Refusal, Service,
    WritePackage, imported_formats,
};

use super::files;
use super::output::{Failure, OutputArgs};

#[derive(Debug, Args)]
pub(super) struct Convert {
    #[arg(help = format!(
        "Input: a {} file, or a project that `fibula export` wrote (.jsonl)",
        imported_formats("or")
    ))]
    from: PathBuf,
    /// Output: .3mf, or .jsonl for a project that any Fibula can import.
    to: PathBuf,
    /// The names of elements of a 3MF file, where programs and the specification differ.
    #[arg(long, value_enum, default_value_t = DialectArg::Lib3mf)]
    dialect: DialectArg,
    /// Overwrite an existing file.
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Whose names elements have.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum DialectArg {
    /// Those that lib3mf, Gladius and most programs read.
    Lib3mf,
    /// Those of the text 0.8 of the implicit extension.
    Specification,
}

/// Format of the output.
enum Format {
    ThreeMf,
    Project,
}

/// Describes the command, with the formats that are read.
pub(super) fn about() -> String {
    let meshes = MeshFormat::readable().map(MeshFormat::label);
    let others = enumerated(meshes.chain([".vm"]), "or");
    format!(
        "Convert a file: 3MF, {others} or an exported project to 3MF, and 3MF to an exported project"
    )
}

impl Convert {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let format = match ending(&self.to).as_str() {
            "3mf" => Format::ThreeMf,
            "jsonl" => Format::Project,
            other => {
                let message = format!("unsupported extension .{other} of {}", self.to.display());
                return Err(Refusal::new("unknown_format", message)
                    .hint("give a name that ends in .3mf or .jsonl; `fibula functions FILE NAME --as dot` writes single functions")
                    .into());
            }
        };
        let (service, project) = self.read()?;
        let mut file = AtomicFile::create(&self.to, self.overwrite)?;
        match format {
            Format::Project => {
                let request = Export {
                    project,
                    ..Export::default()
                };
                let exported = service.export(&request, &mut file)?;
                file.finish()?;
                self.output.print(&exported, |exported| {
                    format!("{}: revision {}\n", self.to.display(), exported.revision)
                })
            }
            Format::ThreeMf => {
                let request = WritePackage {
                    project,
                    revision: None,
                    dialect: Some(match self.dialect {
                        DialectArg::Lib3mf => Dialect::Lib3mf,
                        DialectArg::Specification => Dialect::Specification,
                    }),
                };
                let written = write_package(&service, &request, file)?;
                let text = |written: &PackageWritten| written_text(&self.to, written);
                self.output.print(&written, text)
            }
        }
    }

    /// Reads the file into a new service; returns it with the name of the project.
    fn read(&self) -> Result<(Service, Option<String>), Failure> {
        if ending(&self.from) != "jsonl" {
            let (service, imported) = files::open(&self.from)?;
            files::warn_about(&imported);
            return Ok((service, None));
        }
        let file = File::open(&self.from).map_err(files::unreadable(&self.from))?;
        let service = Service::new(&Options::default());
        let name = "converted".to_owned();
        let request = ImportProject {
            project: Some(name.clone()),
        };
        service.import_project(&request, &mut BufReader::new(file))?;
        Ok((service, Some(name)))
    }
}

/// Writes a project as a 3MF file atomically.
pub(super) fn write_package(
    service: &Service,
    request: &WritePackage,
    mut file: AtomicFile,
) -> Result<PackageWritten, Failure> {
    // Offsets in the archive are known only after compression, so it is built in memory.
    let mut bytes = Cursor::new(Vec::new());
    let written = service.write_package(request, &mut bytes)?;
    file.write_all(bytes.get_ref())?;
    file.finish()?;
    Ok(written)
}

/// Describes the written file.
pub(super) fn written_text(file: &Path, written: &PackageWritten) -> String {
    let mut text = format!(
        "{}: {} functions, {} objects, {} images, {} other resources, {} build items, {} parts\n",
        file.display(),
        written.functions,
        written.objects,
        written.images,
        written.other_resources,
        written.build_items,
        written.parts
    );
    for note in &written.notes {
        let (code, place) = (&note.code, &note.place);
        let _ = writeln!(text, "note ({code}) {place}: {}", note.message);
    }
    text
}

/// Refusal of a file whose ending names none of these.
pub(super) fn unknown_ending(path: &Path, of: &str, hint: impl Into<String>) -> Refusal {
    let message = format!("the extension of {} is not a known {of}", path.display());
    Refusal::new("unknown_format", message).hint(hint)
}

/// Returns the extension of a file in lower case.
pub(super) fn ending(path: &Path) -> String {
    let ending = path.extension().unwrap_or_default();
    ending.to_string_lossy().to_ascii_lowercase()
}
