//! Reading a project from a file, into a project of its own.
//!
//! It is put together under a hidden name, and gets its own when all of it is there and is as it should be. What is
//! broken off before is removed at once, or, if the process ended, by an import a day later.

use std::collections::{HashSet, VecDeque};
use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fibula_core::edit::{Entry, Head, State};
use fibula_core::graph::ContentHash;
use fibula_store::{
    ProjectId, Record, Registration, Rewriting, Store, StoreError, Ticket, contents, snapshot,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lines::{End, First, Line, Lines, StateHash};
use super::{HIDDEN, is_hidden};
use crate::Service;
use crate::project::now;
use crate::projects::{check_name, taken};
use crate::refusal::Refusal;

/// What is not whole after this time, in milliseconds, never will be.
const STALE: u64 = 24 * 60 * 60 * 1000;
/// So many entries may be on their way to the store at once,
const MOST_ON_THE_WAY: usize = 512;
/// with so many bytes.
const MOST_BYTES_ON_THE_WAY: usize = 16 << 20;
/// A log with more bytes gets a snapshot at its end, so that it is opened quickly.
const LONG: usize = 1 << 20;

/// The project that a file is to be.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportProject {
    /// Its name; the one in the file if left out.
    pub project: Option<String>,
}

/// The project that a file became.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ProjectImported {
    pub success: bool,
    pub project: String,
    pub revision: u64,
    /// The first revision that can be read in it.
    pub first_revision: u64,
    pub entries: u64,
    /// How many files' bytes came.
    pub contents: u64,
    /// The hashes of files whose bytes were lost before the project was exported.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

impl Service {
    /// Makes a project of what [`export`](Service::export) wrote: revisions, times, origins and history are the same.
    ///
    /// # Errors
    /// A [`Refusal`] when the name is none, or taken, or a line of the file is wrong, which it names. Nothing of the
    /// file is in the store then.
    pub fn import_project(
        &self,
        request: &ImportProject,
        from: &mut dyn BufRead,
    ) -> Result<ProjectImported, Refusal> {
        let mut lines = Lines::new(from);
        let first = lines.first()?;
        let name = request.project.as_ref().unwrap_or(&first.project).clone();
        check_name(&name)?;
        if self.store.find(&name)?.is_some() {
            return Err(taken(&name));
        }
        sweep(&*self.store)?;
        let mut importing = Importing::new(&self.store)?;
        importing.read(&mut lines, &first)?;
        let imported = importing.show(name)?;
        self.open.forget(&imported.project);
        Ok(imported)
    }
}

/// Removes what imports left behind whose process ended.
fn sweep(store: &dyn Store) -> Result<(), StoreError> {
    let old = now().saturating_sub(STALE);
    for row in store.projects()? {
        if is_hidden(&row.name) && row.created < old {
            purge(store, row.id)?;
        }
    }
    Ok(())
}

/// Removes a project for good. What was never shown need not be kept aside.
fn purge(store: &dyn Store, id: ProjectId) -> Result<(), StoreError> {
    store.register(Registration::Delete { id, at: now() })?;
    store.register(Registration::Purge { id })?;
    Ok(())
}

/// A project that is being read, and goes if it does not become whole.
struct Importing {
    store: Arc<dyn Store>,
    id: ProjectId,
    shown: bool,
    state: State,
    /// The revision that it begins with.
    base: u64,
    entries: u64,
    bytes: usize,
    tickets: VecDeque<(Ticket, usize)>,
    on_the_way: usize,
    contents: HashSet<ContentHash>,
    missing: Vec<ContentHash>,
    /// The files whose bytes something needs.
    needed: HashSet<ContentHash>,
}

impl Importing {
    fn new(store: &Arc<dyn Store>) -> Result<Self, StoreError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let (at, count) = (now(), COUNT.fetch_add(1, Ordering::Relaxed));
        let name = format!("{HIDDEN}{at}-{}-{count}", std::process::id());
        let id = store.register(Registration::Create { name, at })?;
        Ok(Importing {
            store: store.clone(),
            id,
            shown: false,
            state: State::default(),
            base: 0,
            entries: 0,
            bytes: 0,
            tickets: VecDeque::new(),
            on_the_way: 0,
            contents: HashSet::new(),
            missing: Vec::new(),
            needed: HashSet::new(),
        })
    }

    /// Reads every line after the first.
    fn read(&mut self, lines: &mut Lines<'_>, first: &First) -> Result<(), Refusal> {
        loop {
            let step = match lines.next()? {
                Line::Base(base) => base.state().map(|state| self.begin_with(state)),
                Line::Content(content) => content
                    .bytes()
                    .map(|(hash, bytes)| self.content(hash, bytes.as_deref())),
                Line::Entry(entry) => entry.entry().map(|entry| self.entry(entry)),
                Line::End(end) => {
                    let problem = self.wrong_end(&end, first);
                    return match problem {
                        Some(problem) => Err(lines.wrong(problem)),
                        None => lines.end(),
                    };
                }
            };
            match step {
                Ok(Ok(())) => {}
                Err(problem) | Ok(Err(Stop::Wrong(problem))) => return Err(lines.wrong(problem)),
                Ok(Err(Stop::Store(error))) => return Err(error.into()),
            }
        }
    }

    fn begin_with(&mut self, state: State) -> Result<(), Stop> {
        if self.base > 0 || self.entries > 0 {
            let problem = "a base comes once, and before all entries";
            return Err(Stop::Wrong(problem.to_owned()));
        }
        self.need(contents::of_document(state.document()))?;
        let stored = snapshot::encode(&state);
        self.base = state.revision();
        self.state = state;
        Ok(self.store.rewrite(
            self.id,
            Rewriting {
                expected: Head::default(),
                base: Some(stored),
                records: Vec::new(),
                wipe: false,
            },
        )?)
    }

    fn content(&mut self, hash: ContentHash, bytes: Option<&[u8]>) -> Result<(), Stop> {
        if !self.contents.insert(hash) {
            return Err(Stop::Wrong(format!("the content {hash} is there twice")));
        }
        match bytes {
            Some(bytes) => drop(self.store.put_content(self.id, bytes)?),
            None => self.missing.push(hash),
        }
        Ok(())
    }

    fn entry(&mut self, mut entry: Entry) -> Result<(), Stop> {
        let before = self.state.head();
        self.need(contents::of_edit(&entry.edit))?;
        self.need(contents::of_edit(&entry.inverse))?;
        let replayed = self.state.replay(&entry);
        replayed.map_err(|error| Stop::Wrong(error.to_string()))?;
        entry.heading.functions = self.state.document().functions().len();
        let record = Record::new(&entry);
        let size = record.size();
        while self.tickets.len() >= MOST_ON_THE_WAY
            || self.on_the_way + size > MOST_BYTES_ON_THE_WAY
        {
            if !self.arrive()? {
                break;
            }
        }
        let ticket = self.store.append(self.id, before, record);
        self.tickets.push_back((ticket, size));
        self.on_the_way += size;
        self.entries += 1;
        self.bytes += size;
        Ok(())
    }

    /// Refuses a file whose bytes did not come before.
    fn need(&mut self, hashes: Vec<ContentHash>) -> Result<(), Stop> {
        for hash in hashes {
            if !self.contents.contains(&hash) {
                let problem = format!("it names the content {hash}, which no line before it has");
                return Err(Stop::Wrong(problem));
            }
            self.needed.insert(hash);
        }
        Ok(())
    }

    /// Waits for the oldest entry that is on its way; `false` if there is none.
    fn arrive(&mut self) -> Result<bool, StoreError> {
        let Some((ticket, size)) = self.tickets.pop_front() else {
            return Ok(false);
        };
        self.on_the_way -= size;
        ticket.wait().map(|()| true)
    }

    /// What does not fit what the last line says.
    fn wrong_end(&self, end: &End, first: &First) -> Option<String> {
        let head = self.state.head();
        let found = End {
            entries: self.entries,
            contents: self.contents.len() as u64,
            revision: head.revision,
            hash: StateHash(head.hash),
        };
        if *end != found {
            return Some(format!(
                "the file ends with {} entries and {} contents at revision {} ({:016x}), but had {} and {} to \
                 revision {} ({:016x})",
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
            .map(|hash| format!("nothing needs the content {hash}"))
    }

    /// Gives the project its name.
    fn show(mut self, name: String) -> Result<ProjectImported, Refusal> {
        while self.arrive()? {}
        if self.bytes > LONG {
            let stored = snapshot::encode(&self.state);
            self.store.put_snapshot(self.id, stored)?;
        }
        let rename = Registration::Rename {
            id: self.id,
            name: name.clone(),
        };
        match self.store.register(rename) {
            Err(StoreError::NameTaken(_)) => return Err(taken(&name)),
            outcome => outcome?,
        };
        self.shown = true;
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

impl Drop for Importing {
    fn drop(&mut self) {
        if self.shown {
            return;
        }
        // Nothing is appended any more when it goes.
        while let Some((ticket, _)) = self.tickets.pop_front() {
            drop(ticket.wait());
        }
        if let Err(error) = purge(&*self.store, self.id) {
            tracing::error!(%error, "an import that was broken off is still in the store");
        }
    }
}

/// Why a line was not taken.
enum Stop {
    Wrong(String),
    Store(StoreError),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Stop::Store(error)
    }
}
