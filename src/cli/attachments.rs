//! `fibula project files`: files attached to a project, such as drawings and packages.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Subcommand;
use fibula_service::{
    AddFile, AtomicFile, FileInfo, LARGEST_FILE, ListFiles, Refusal, RemoveFile, Service,
};

use super::data::{Data, StoreAccess};
use super::files::{all_pages, origin, read_at_most};
use super::output::{Failure, OutputArgs, print, table_with_head};

#[derive(Debug, Subcommand)]
pub(super) enum Files {
    /// List them.
    List {
        /// The project.
        project: String,
        /// State at this revision.
        #[arg(long, value_name = "N")]
        revision: Option<u64>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Keep a file with the project.
    Add {
        /// The project.
        project: String,
        /// The file.
        file: PathBuf,
        /// New name, if it differs.
        #[arg(long = "as", value_name = "NAME")]
        name: Option<String>,
        /// Media type, such as model/3mf; default: from the name.
        #[arg(long = "type", value_name = "TYPE")]
        media_type: Option<String>,
    },
    /// Write one of them to a file, or to standard output.
    Get {
        /// The project.
        project: String,
        /// Its id, as shown by `list`.
        id: u32,
        /// Output file; - is standard output.
        #[arg(default_value = "-")]
        file: PathBuf,
        /// State at this revision.
        #[arg(long, value_name = "N")]
        revision: Option<u64>,
    },
    /// Remove one; the history still has it.
    Remove {
        /// The project.
        project: String,
        /// Its id, as shown by `list`.
        id: u32,
    },
}

impl Files {
    pub(super) fn run(self, data: &Data) -> Result<(), Failure> {
        match self {
            Files::List {
                project,
                revision,
                output,
            } => {
                let service = data.reader(Some(&project))?;
                let files = all(&service, Some(&project), revision)?;
                output.print(&files[..], overview)
            }
            Files::Add {
                project,
                file,
                name,
                media_type,
            } => {
                // What is too large to attach is refused by the service.
                let bytes = read_at_most(&file, LARGEST_FILE as u64 + 1)?;
                let own = file.file_name().map(|name| name.to_string_lossy());
                let name = name.unwrap_or_else(|| own.unwrap_or_default().into_owned());
                let media_type = media_type.unwrap_or_else(|| media_type_of(&name).to_owned());
                let request = AddFile {
                    project: Some(project.clone()),
                    name,
                    media_type,
                    bytes,
                    expected_revision: None,
                    dry_run: false,
                };
                let service = data.service(StoreAccess::Change)?;
                let added = service.add_file(&origin("add file"), request)?;
                let (revision, id, name) =
                    (added.revision, added.file.resource_id, added.file.name);
                print(&format!(
                    "{project} is at revision {revision}: file {id} is {name}\n"
                ))
            }
            Files::Get {
                project,
                id,
                file,
                revision,
            } => {
                let service = data.reader(Some(&project))?;
                let (_, bytes) = service.get_file(Some(&project), id, revision)?;
                if file == Path::new("-") {
                    let mut out = io::stdout().lock();
                    out.write_all(&bytes)?;
                    return Ok(out.flush()?);
                }
                let mut whole = AtomicFile::create_new(&file)?;
                whole.write_all(&bytes)?;
                Ok(whole.finish()?)
            }
            Files::Remove { project, id } => {
                let request = RemoveFile {
                    project: Some(project.clone()),
                    resource_id: id,
                    expected_revision: None,
                    dry_run: false,
                };
                let service = data.service(StoreAccess::Change)?;
                let gone = service.remove_file(&origin("remove file"), &request)?;
                let (revision, name) = (gone.revision, gone.file.name);
                print(&format!(
                    "{project} is at revision {revision}: {name} is removed\n"
                ))
            }
        }
    }
}

/// Lists every file of a project.
pub(super) fn all(
    service: &Service,
    project: Option<&str>,
    revision: Option<u64>,
) -> Result<Vec<FileInfo>, Refusal> {
    all_pages(|cursor| {
        let page = service.list_files(&ListFiles {
            project: project.map(str::to_owned),
            revision,
            cursor,
            ..ListFiles::default()
        })?;
        Ok((page.files, page.next_cursor))
    })
}

/// Formats files as a table.
fn overview(files: &[FileInfo]) -> String {
    if files.is_empty() {
        return "no files\n".to_owned();
    }
    let row = |file: &FileInfo| {
        let (id, size) = (file.resource_id.to_string(), file.size.to_string());
        vec![id, file.name.clone(), file.media_type.clone(), size]
    };
    table_with_head(&["id", "file", "type", "bytes"], files.iter().map(row))
}

/// Returns the media type of a file with this name.
fn media_type_of(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("3mf") => "model/3mf",
        Some("stl") => "model/stl",
        Some("pdf") => "application/pdf",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("csv") => "text/csv",
        Some("txt" | "md" | "vm") => "text/plain",
        Some("json") => "application/json",
        Some(_) | None => "application/octet-stream",
    }
}
