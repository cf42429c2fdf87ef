//! `--open`: a server that starts on a file of nodes and edges, as memory servers and the Discourse Graph server do.

use std::env;
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;

use super::data::Data;
use super::files::origin;
use super::graph::files::{detected, text, unreadable};
use super::output::Failure;
use crate::mcp::Toolset;
use crate::service::{AddFile, ImportGraph, ListFiles, OnConflict, RemoveFile, Service};

/// The file that is opened.
#[derive(Debug, Args)]
pub(super) struct Open {
    /// Start on a file of nodes and edges, such as memory.jsonl or an export of a Discourse Graph: it is brought into
    /// project "default", at the first start and whenever it is another one. It is not written to: what is changed is
    /// kept in FILE.fibula beside it, unless --data says where. `MEMORY_FILE_PATH` with toolset memory and `DATA_PATH` with
    /// discourse name a file too.
    #[arg(long = "open", value_name = "FILE")]
    file: Option<PathBuf>,
}

/// A file that is to be opened.
#[derive(Debug)]
pub(super) struct Opening {
    file: PathBuf,
    /// Whether it may be that nobody made it yet.
    may_be_missing: bool,
}

impl Open {
    /// The file that is meant: the one that is given, or that these toolsets' own servers would open.
    pub(super) fn opening(&self, toolsets: &[Toolset]) -> Option<Opening> {
        let given = |name| env::var_os(name).filter(|path| !path.is_empty());
        let named = |toolset, name| {
            let path: Option<OsString> = given(name).filter(|_| toolsets.contains(&toolset));
            path.map(|path| Opening {
                file: path.into(),
                may_be_missing: toolset == Toolset::Memory,
            })
        };
        let opened = self.file.clone().map(|file| Opening {
            file,
            may_be_missing: false,
        });
        opened
            .or_else(|| named(Toolset::Memory, "MEMORY_FILE_PATH"))
            .or_else(|| named(Toolset::Discourse, "DATA_PATH"))
    }
}

impl Opening {
    /// Where changes are kept.
    pub(super) fn data(&self, data: &Data) -> Data {
        data.or_beside(&self.file)
    }

    /// Brings the file in, unless it was brought in as it is. Tells what was done, if anything was.
    pub(super) fn bring(&self, service: &Service) -> Result<Option<String>, Failure> {
        let bytes = match std::fs::read(&self.file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && self.may_be_missing => {
                return Ok(None);
            }
            read => read.map_err(|error| unreadable(&self.file, &error))?,
        };
        let (name, origin) = (name(&self.file), origin("open"));
        // What says which file was brought in is kept with the project.
        let record = format!("{}\n", blake3::hash(&bytes).to_hex());
        let record_name = format!("{name}.blake3");
        let content = blake3::hash(record.as_bytes()).to_hex();
        let kept = service.list_files(&ListFiles::default())?.files;
        let before: Vec<_> = kept
            .iter()
            .filter(|file| file.name == record_name)
            .collect();
        if before.iter().any(|file| file.content == *content) {
            return Ok(None);
        }
        let text = text(&self.file, bytes)?;
        let request = ImportGraph {
            format: detected(&self.file, &text),
            content: Some(text),
            on_conflict: OnConflict::Merge,
            ..ImportGraph::default()
        };
        let done =
            service.import_graph(&origin, &request, &mut |_, _| ControlFlow::Continue(()))?;
        for file in before {
            let request = RemoveFile {
                project: None,
                resource_id: file.resource_id,
                expected_revision: None,
                dry_run: false,
            };
            service.remove_file(&origin, &request)?;
        }
        let request = AddFile {
            project: None,
            name: record_name,
            media_type: "text/plain".to_owned(),
            bytes: record.into_bytes(),
            expected_revision: None,
            dry_run: false,
        };
        service.add_file(&origin, request)?;
        Ok(Some(format!(
            "{name}: {} nodes and {} edges were brought in; the file stays as it is",
            done.node_count, done.edge_count
        )))
    }
}

fn name(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str());
    name.to_string_lossy().into_owned()
}
