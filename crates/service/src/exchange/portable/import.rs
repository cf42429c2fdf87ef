//! Import of a project from JSON Lines, into a project of its own.

use std::collections::{HashSet, VecDeque};
use std::io::BufRead;
use std::sync::Arc;

use fibula_core::edit::{Entry, Head, State};
use fibula_core::graph::ContentHash;
use fibula_store::json_lines::{End, First, Line, LineReader, StateHash};
use fibula_store::{LogRewrite, Record, Store, StoreError, Ticket, contents, snapshot};

use crate::exchange::hidden_project::HiddenProject;
use crate::project::names::{check_name, name_taken};
use crate::refusal::Result;
use crate::service::Service;

/// Maximum number of appends in flight.
const MOST_PENDING: usize = 512;
/// Maximum bytes of appends in flight.
const MOST_PENDING_BYTES: usize = 16 << 20;
/// Bytes of a log above which a snapshot is written at its end, so that it opens quickly.
const SNAPSHOT_MIN_BYTES: usize = 1 << 20;

json_structs! {
    /// Import of a project.
    pub request(Default) struct ImportProject {
        /// Name of the project; default: the one in the file.
        pub project: Option<String>,
    }

    /// The imported project.
    pub answer(PartialEq) struct ProjectImported {
        pub success: bool,
        pub project: String,
        pub revision: u64,
        /// First revision in the export.
        pub first_revision: u64,
        pub entries: u64,
        /// Number of files whose bytes were imported.
        pub contents: u64,
        /// Hashes of files whose bytes were missing when the project was exported.
        pub missing: Vec<String> = [],
    }
}

impl Service {
    /// Creates a project from what [`export`](Service::export) wrote: revisions, times, origins and history are the
    /// same.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if the name is invalid or taken, or a line of the file is invalid, which it names.
    /// The store then contains nothing of the file.
    pub fn import_project(
        &self,
        request: &ImportProject,
        from: &mut dyn BufRead,
    ) -> Result<ProjectImported> {
        let mut lines = LineReader::new(from);
        let first = lines.first()?;
        let name = request.project.as_ref().unwrap_or(&first.project).clone();
        check_name(&name)?;
        if self.store.find(&name)?.is_some() {
            return Err(name_taken(&name));
        }
        let mut importing = ImportInProgress::new(&self.store)?;
        importing.read(&mut lines, &first)?;
        let imported = importing.publish(name)?;
        self.projects.invalidate(&imported.project);
        Ok(imported)
    }
}

/// A project that is being imported; dropping it before it is published removes it.
struct ImportInProgress {
    store: Arc<dyn Store>,
    project: HiddenProject,
    state: State,
    /// Revision that the log starts from.
    base: u64,
    entries: u64,
    bytes: usize,
    tickets: VecDeque<(Ticket, usize)>,
    pending_bytes: usize,
    contents: HashSet<ContentHash>,
    missing: Vec<ContentHash>,
    /// Files that edits or the base refer to.
    needed: HashSet<ContentHash>,
}

impl ImportInProgress {
    fn new(store: &Arc<dyn Store>) -> Result<Self, StoreError> {
        Ok(ImportInProgress {
            store: store.clone(),
            project: HiddenProject::new(store)?,
            state: State::default(),
            base: 0,
            entries: 0,
            bytes: 0,
            tickets: VecDeque::new(),
            pending_bytes: 0,
            contents: HashSet::new(),
            missing: Vec::new(),
            needed: HashSet::new(),
        })
    }

    /// Reads every line after the first.
    fn read(&mut self, lines: &mut LineReader<'_>, first: &First) -> Result<()> {
        loop {
            let step = match lines.next_line()? {
                Line::Base(base) => base.state().map(|state| self.begin_with(state)),
                Line::Content(content) => content
                    .bytes()
                    .map(|(hash, bytes)| self.content(hash, bytes.as_deref())),
                Line::Entry(entry) => entry.entry().map(|entry| self.entry(entry)),
                Line::End(end) => {
                    let problem = self.end_mismatch(&end, first);
                    return match problem {
                        Some(problem) => Err(lines.damaged(problem).into()),
                        None => Ok(lines.end()?),
                    };
                }
            };
            match step {
                Ok(Ok(())) => {}
                Err(problem) | Ok(Err(ImportError::Invalid(problem))) => {
                    return Err(lines.damaged(problem).into());
                }
                Ok(Err(ImportError::Store(error))) => return Err(error.into()),
            }
        }
    }

    fn begin_with(&mut self, state: State) -> Result<(), ImportError> {
        if self.base > 0 || self.entries > 0 {
            let problem = "a base must occur once, and before all entries";
            return Err(ImportError::Invalid(problem.to_owned()));
        }
        self.require(contents::document_hashes(state.document()))?;
        let stored = snapshot::encode(&state);
        self.base = state.revision();
        self.state = state;
        Ok(self.store.rewrite(
            self.project.id(),
            LogRewrite {
                expected: Head::default(),
                base: Some(stored),
                records: Vec::new(),
                wipe: false,
            },
        )?)
    }

    fn content(&mut self, hash: ContentHash, bytes: Option<&[u8]>) -> Result<(), ImportError> {
        if !self.contents.insert(hash) {
            return Err(ImportError::Invalid(format!("duplicate content {hash}")));
        }
        match bytes {
            Some(bytes) => drop(self.store.put_content(self.project.id(), bytes)?),
            None => self.missing.push(hash),
        }
        Ok(())
    }

    fn entry(&mut self, mut entry: Entry) -> Result<(), ImportError> {
        let before = self.state.head();
        self.require(entry.edit.contents())?;
        self.require(entry.inverse.contents())?;
        let replayed = self.state.replay(&entry);
        replayed.map_err(|error| ImportError::Invalid(error.to_string()))?;
        entry.heading.functions = self.state.document().function_count();
        let record = Record::new(&entry);
        let size = record.size();
        while self.tickets.len() >= MOST_PENDING || self.pending_bytes + size > MOST_PENDING_BYTES {
            if !self.wait_oldest()? {
                break;
            }
        }
        let ticket = self.store.append(self.project.id(), before, record);
        self.tickets.push_back((ticket, size));
        self.pending_bytes += size;
        self.entries += 1;
        self.bytes += size;
        Ok(())
    }

    /// Checks that files precede the lines that refer to them.
    fn require(&mut self, hashes: Vec<ContentHash>) -> Result<(), ImportError> {
        for hash in hashes {
            if !self.contents.contains(&hash) {
                let problem = format!("it refers to the content {hash}, which no earlier line has");
                return Err(ImportError::Invalid(problem));
            }
            self.needed.insert(hash);
        }
        Ok(())
    }

    /// Waits for the oldest append in flight. Returns false if there is none.
    fn wait_oldest(&mut self) -> Result<bool, StoreError> {
        let Some((ticket, size)) = self.tickets.pop_front() else {
            return Ok(false);
        };
        self.pending_bytes -= size;
        ticket.wait().map(|()| true)
    }

    /// Returns how the file contradicts the last line.
    fn end_mismatch(&self, end: &End, first: &First) -> Option<String> {
        let head = self.state.head();
        let found = End {
            entries: self.entries,
            contents: self.contents.len() as u64,
            revision: head.revision,
            hash: StateHash(head.hash),
        };
        if *end != found {
            return Some(format!(
                "the file has {} entries and {} contents at revision {} ({:016x}), but had {} and {} to revision {} \
                 ({:016x})",
                end.entries,
                end.contents,
                end.revision,
                end.hash.0,
                found.entries,
                found.contents,
                head.revision,
                head.hash
            ));
        }
        if first.head() != head {
            return Some(format!(
                "the file ends with revision {} ({:016x}), but line 1 says {} ({:016x})",
                head.revision, head.hash, first.revision, first.hash.0
            ));
        }
        let mut unused = self.contents.difference(&self.needed);
        unused
            .next()
            .map(|hash| format!("nothing refers to the content {hash}"))
    }

    /// Renames the project to its final name.
    fn publish(mut self, name: String) -> Result<ProjectImported> {
        while self.wait_oldest()? {}
        if self.bytes > SNAPSHOT_MIN_BYTES {
            let stored = snapshot::encode(&self.state);
            self.store.put_snapshot(self.project.id(), stored)?;
        }
        self.project.publish(&name)?;
        Ok(ProjectImported {
            success: true,
            project: name,
            revision: self.state.revision(),
            first_revision: self.base,
            entries: self.entries,
            contents: (self.contents.len() - self.missing.len()) as u64,
            missing: self.missing.iter().map(ToString::to_string).collect(),
        })
    }
}

impl Drop for ImportInProgress {
    fn drop(&mut self) {
        // No append may follow the removal.
        while let Some((ticket, _)) = self.tickets.pop_front() {
            drop(ticket.wait());
        }
    }
}

/// Reason why a line was rejected.
enum ImportError {
    Invalid(String),
    Store(StoreError),
}

impl From<StoreError> for ImportError {
    fn from(error: StoreError) -> Self {
        ImportError::Store(error)
    }
}
