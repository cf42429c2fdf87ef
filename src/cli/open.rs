//! `--open`: a server that starts with a file of nodes and edges, as memory servers and the Discourse Graph server do.

use std::env;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use fibula_server::mcp::Toolset;
use fibula_service::{AddFile, GraphRepair, ImportGraph, OnConflict, RemoveFile, Service};

use super::attachments;
use super::data::Data;
use super::files::{origin, unreadable};
use super::graph::files::{detected, text};
use super::output::Failure;

/// Name of the toolset whose own server starts without its file.
const MEMORY: &str = "memory";

/// The file that is opened.
#[derive(Debug, Args)]
pub(super) struct OpenArgs {
    /// Start on a file of nodes and edges, such as memory.jsonl or an export of a Discourse Graph: it is brought into
    /// project "default", at the first start and whenever it is another one. It is not written to: what is changed is
    /// kept in FILE.fibula beside it, unless --data or `FIBULA_DATA` names another place. `MEMORY_FILE_PATH` with toolset memory and `DATA_PATH` with
    /// discourse name a file too.
    #[arg(long = "open", value_name = "FILE")]
    file: Option<PathBuf>,
}

/// A file to import at the start.
#[derive(Debug)]
pub(super) struct InitialFile {
    file: PathBuf,
    /// True if the file need not exist yet.
    may_be_missing: bool,
}

impl OpenArgs {
    /// Returns the file of the option, or those of the environment variables of these toolsets' own servers.
    pub(super) fn files(&self, toolsets: &[Toolset]) -> Vec<InitialFile> {
        if let Some(file) = self.file.clone() {
            return vec![InitialFile {
                file,
                may_be_missing: false,
            }];
        }
        let variables = [(MEMORY, "MEMORY_FILE_PATH"), ("discourse", "DATA_PATH")];
        let named = variables.into_iter().filter_map(|(toolset, variable)| {
            let path = env::var_os(variable).filter(|path| !path.is_empty())?;
            let mut chosen = toolsets.iter().map(|toolset| toolset.name());
            chosen.any(|name| name == toolset).then(|| InitialFile {
                file: path.into(),
                may_be_missing: toolset == MEMORY,
            })
        });
        named.collect()
    }
}

impl InitialFile {
    /// Returns the location of the store.
    pub(super) fn data(&self, data: &Data) -> Data {
        data.or_beside(&self.file)
    }

    /// Imports the file, unless it has been imported unchanged. Returns a message if it did.
    pub(super) fn import(&self, service: &Service) -> Result<Option<String>, Failure> {
        let bytes = match std::fs::read(&self.file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && self.may_be_missing => {
                return Ok(None);
            }
            read => read.map_err(unreadable(&self.file))?,
        };
        if bytes.trim_ascii().is_empty() {
            return Ok(None);
        }
        let origin = origin("open");
        // The hash of the imported file is attached to the project.
        let record = format!("{}\n", blake3::hash(&bytes).to_hex());
        let record_name = self.record_name();
        let content = blake3::hash(record.as_bytes()).to_hex();
        let mut before = attachments::all(service, None, None)?;
        before.retain(|file| file.name == record_name);
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
                // A server that started at the same time removed it.
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
        let mut text = format!(
            "{}: {} nodes and {} edges were read; the file is unchanged",
            self.file.display(),
            done.node_count,
            done.edge_count
        );
        for GraphRepair { count, message, .. } in &done.repairs {
            let _ = write!(text, "\nrepaired {count} times: {message}");
        }
        Ok(Some(text))
    }

    /// Returns the name of the attachment with the hash, which is unique for each path.
    fn record_name(&self) -> String {
        const DIGITS: usize = 16;
        let whole = std::path::absolute(&self.file).unwrap_or_else(|_| self.file.clone());
        let place = blake3::hash(whole.as_os_str().as_encoded_bytes()).to_hex();
        let name = self.file.file_name().unwrap_or(self.file.as_os_str());
        format!("{}.{}", name.to_string_lossy(), &place[..DIGITS])
    }
}
