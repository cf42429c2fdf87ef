//! Export of a project as JSON Lines.

use std::collections::HashSet;
use std::io::Write;
use std::ops::ControlFlow;

use fibula_core::edit::{Entry, Head, ReplayError, State};
use fibula_core::graph::ContentHash;
use fibula_store::json_lines::{
    Base, End, EntryLine, First, Line, ProjectFileError, StateHash, write_content, write_line,
};
use fibula_store::{Damage, LogRange, StoreError, contents, load};

use crate::project::commit::Project;
use crate::project::history::unknown_revision;
use crate::refusal::{Refusal, Result, quoted};
use crate::service::Service;

json_structs! {
    /// Project to export.
    pub request(Default) struct Export {
        project,
        /// State at this revision, with the history up to it; default: now.
        pub revision: Option<u64>,
        /// true exports the state without history.
        pub without_history: bool,
    }

    /// Result of an export.
    #[schemars(rename = "Exported")]
    pub answer(PartialEq) struct ExportResult {
        pub success: bool,
        pub project: String,
        pub revision: u64,
        /// First revision in the export.
        pub first_revision: u64,
        pub entries: u64,
        /// Number of files whose bytes were written.
        pub contents: u64,
        /// Hashes of files whose bytes are missing in the store.
        pub missing: Vec<String> = [],
    }
}

impl Service {
    /// Exports a project at one revision, unaffected by concurrent changes.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project or revision, the log is damaged before that revision or rewritten
    /// meanwhile, or `to` cannot be written. The file then lacks its last line.
    pub fn export(&self, request: &Export, to: &mut dyn Write) -> Result<ExportResult> {
        let project = self.project(request.project.as_deref())?;
        let now = project.store.head(project.id)?;
        let base = project.store.base(project.id)?;
        let writer = Writer {
            project: &project,
            to,
            written: HashSet::new(),
            missing: Vec::new(),
            entries: 0,
        };
        let exported = if request.without_history {
            writer.state(request.revision.unwrap_or(now.revision), now)
        } else {
            writer.log(base, request.revision.unwrap_or(now.revision), now)
        };
        exported.map_err(|refusal| {
            // A log that is rewritten during the export looks damaged.
            let same = project.store.base(project.id).is_ok_and(|it| it == base)
                && head_at(&project, now.revision, base).is_ok_and(|it| it == now);
            if same || refusal.code == "unwritable_file" {
                refusal
            } else {
                rewritten(&project.name)
            }
        })
    }
}

/// An export in progress.
struct Writer<'a> {
    project: &'a Project,
    to: &'a mut dyn Write,
    /// Files whose bytes were written.
    written: HashSet<ContentHash>,
    missing: Vec<String>,
    entries: u64,
}

impl Writer<'_> {
    /// Writes the state at a revision, without history.
    fn state(mut self, revision: u64, now: Head) -> Result<ExportResult> {
        let state = self.project.state_at(revision, now.revision)?;
        self.begin(state.head())?;
        self.base(&state)?;
        self.end(&state, revision)
    }

    /// Writes the log up to a revision.
    fn log(mut self, base: u64, upto: u64, now: Head) -> Result<ExportResult> {
        let (project, store) = (self.project, &*self.project.store);
        if upto < base || upto > now.revision {
            return Err(unknown_revision(upto, now.revision, base));
        }
        self.begin(head_at(project, upto, base)?)?;
        let mut state = State::default();
        if base > 0 {
            let loaded = load(store, project.id, Some(base))?;
            state = loaded.state;
            self.base(&state)?;
        }
        let mut broken = None;
        store.read(project.id, LogRange::After(base), true, &mut |record| {
            if record.revision > upto {
                return ControlFlow::Break(());
            }
            let entry = record.entry().and_then(|entry| {
                state.replay(&entry)?;
                Ok(entry)
            });
            let written = entry
                .map_err(|damage| damaged(project, record.revision, damage))
                .and_then(|entry| self.entry(entry));
            match written {
                Ok(()) => ControlFlow::Continue(()),
                Err(refusal) => {
                    broken = Some(refusal);
                    ControlFlow::Break(())
                }
            }
        })?;
        if let Some(refusal) = broken {
            return Err(refusal);
        }
        if state.revision() != upto {
            let (expected, found) = (state.revision() + 1, upto);
            return Err(damaged(
                project,
                expected,
                ReplayError::Gap { expected, found }.into(),
            ));
        }
        self.end(&state, base)
    }

    fn begin(&mut self, head: Head) -> Result<()> {
        Ok(write_line(self.to, &First::new(&self.project.name, head))?)
    }

    fn base(&mut self, state: &State) -> Result<()> {
        self.contents(contents::document_hashes(state.document()))?;
        if state.revision() == 0 {
            return Ok(());
        }
        Ok(write_line(
            self.to,
            &Line::Base(Box::new(Base::new(state))),
        )?)
    }

    fn entry(&mut self, entry: Entry) -> Result<()> {
        self.contents(entry.edit.contents())?;
        self.contents(entry.inverse.contents())?;
        self.entries += 1;
        Ok(write_line(
            self.to,
            &Line::Entry(Box::new(EntryLine::new(entry))),
        )?)
    }

    /// Writes the bytes of files that were not written before.
    fn contents(&mut self, hashes: Vec<ContentHash>) -> Result<()> {
        for hash in hashes {
            if !self.written.insert(hash) {
                continue;
            }
            let bytes = match self.project.store.content(hash) {
                Err(StoreError::Damaged(_)) => None,
                bytes => bytes?,
            };
            if bytes.is_none() {
                self.missing.push(hash.to_string());
            }
            write_content(self.to, hash, bytes.as_deref())?;
        }
        Ok(())
    }

    fn end(self, state: &State, first_revision: u64) -> Result<ExportResult> {
        let head = state.head();
        let contents = self.written.len() as u64;
        let end = End {
            entries: self.entries,
            contents,
            revision: head.revision,
            hash: StateHash(head.hash),
        };
        write_line(self.to, &Line::End(end))?;
        self.to.flush().map_err(ProjectFileError::Write)?;
        Ok(ExportResult {
            success: true,
            project: self.project.name.to_string(),
            revision: head.revision,
            first_revision,
            entries: self.entries,
            contents: contents - self.missing.len() as u64,
            missing: self.missing,
        })
    }
}

/// Returns the head of the log at a revision.
fn head_at(project: &Project, revision: u64, base: u64) -> Result<Head> {
    if revision <= base {
        return Ok(project.state_at(revision, revision)?.head());
    }
    let mut found = None;
    let reading = LogRange::After(revision - 1);
    project
        .store
        .read(project.id, reading, false, &mut |record| {
            found = Some(record.head());
            ControlFlow::Break(())
        })?;
    found
        .filter(|head| head.revision == revision)
        .ok_or_else(|| {
            let found = found.map_or(0, |head| head.revision);
            let gap = ReplayError::Gap {
                expected: revision,
                found,
            };
            StoreError::from(Damage::from(gap)).into()
        })
}

fn damaged(project: &Project, revision: u64, damage: Damage) -> Refusal {
    let refusal = Refusal::from(StoreError::from(damage));
    let name = &project.name;
    refusal.hint(format!(
        "revision: {} exports what precedes it, without_history the state of {name} alone",
        revision - 1
    ))
}

fn rewritten(name: &str) -> Refusal {
    let message = format!("the history of {} was rewritten meanwhile", quoted(name));
    Refusal::new("store_busy", message).hint("repeat the export")
}
