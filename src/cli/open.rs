//! `--open`: a server that starts on a file of nodes and edges, as memory servers and the Discourse Graph server do.

use std::env;
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use fibula_server::mcp::Toolset;
use fibula_service::{AddFile, FileInfo, ImportGraph, ListFiles, OnConflict, RemoveFile, Service};

use super::data::Data;
use super::files::origin;
use super::graph::files::{detected, text, unreadable};
use super::output::Failure;

/// The file that is opened.
#[derive(Debug, Args)]
pub(super) struct Open {
    /// Start on a file of nodes and edges, such as memory.jsonl or an export of a Discourse Graph: it is brought into
    /// project "default", at the first start and whenever it is another one. It is not written to: what is changed is
    /// kept in FILE.fibula beside it, unless --data or `FIBULA_DATA` says where. `MEMORY_FILE_PATH` with toolset memory and `DATA_PATH` with
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
    /// The files that are meant: the one that is given, or those that these toolsets' own servers would open.
    pub(super) fn openings(&self, toolsets: &[Toolset]) -> Vec<Opening> {
        if let Some(file) = self.file.clone() {
            return vec![Opening {
                file,
                may_be_missing: false,
            }];
        }
        let variables = [
            (Toolset::Memory, "MEMORY_FILE_PATH"),
            (Toolset::Discourse, "DATA_PATH"),
        ];
        let named = variables.into_iter().filter_map(|(toolset, name)| {
            let path = env::var_os(name).filter(|path| !path.is_empty())?;
            toolsets.contains(&toolset).then(|| Opening {
                file: path.into(),
                may_be_missing: toolset == Toolset::Memory,
            })
        });
        named.collect()
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
        if bytes.trim_ascii().is_empty() {
            return Ok(None);
        }
        let origin = origin("open");
        // What says which file was brought in is kept with the project.
        let record = format!("{}\n", blake3::hash(&bytes).to_hex());
        let record_name = self.record_name();
        let content = blake3::hash(record.as_bytes()).to_hex();
        let before = kept(service, &record_name)?;
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
            match service.remove_file(&origin, &request) {
                // Another server that starts now was first.
                Err(refusal) if refusal.code == "unknown_resource" => {}
                removed => drop(removed?),
            }
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
            "{}: {} nodes and {} edges were brought in; the file stays as it is",
            self.file.display(),
            done.node_count,
            done.edge_count
        )))
    }

    /// The name of what says that the file was brought in; files of one name in several folders have several.
    fn record_name(&self) -> String {
        const DIGITS: usize = 16;
        let whole = std::path::absolute(&self.file).unwrap_or_else(|_| self.file.clone());
        let place = blake3::hash(whole.as_os_str().as_encoded_bytes()).to_hex();
        let name = self.file.file_name().unwrap_or(self.file.as_os_str());
        format!("{}.{}", name.to_string_lossy(), &place[..DIGITS])
    }
}

/// The files of this name that the project keeps.
fn kept(service: &Service, name: &str) -> Result<Vec<FileInfo>, Failure> {
    let (mut found, mut request) = (Vec::new(), ListFiles::default());
    loop {
        let page = service.list_files(&request)?;
        found.extend(page.files.into_iter().filter(|file| file.name == name));
        if page.next_cursor.is_none() {
            return Ok(found);
        }
        request.cursor = page.next_cursor;
    }
}
