//! Past revisions of a project: time travel, entries of the log, and the search for what to undo.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use fibula_core::edit::undo::{self, UndoConflicts, UndoError, UndoTarget};
use fibula_core::edit::{Entry, Heading, ReplayError, State};
use fibula_store::{Damage, LogRange, ProjectId, Store, StoreError, load};
use serde_json::json;

use crate::project::change::{PendingEdit, Snapshot};
use crate::project::commit::Project;
use crate::refusal::{Refusal, Result};

impl Project {
    /// Returns the document at a revision, or the current one.
    pub(crate) fn at(&self, revision: Option<u64>) -> Result<Snapshot> {
        let now = self.snapshot()?;
        let Some(revision) = revision.filter(|&revision| revision != now.head.revision) else {
            return Ok(now);
        };
        // Another process may have rewritten the log since.
        if let Some(found) = self.past.find(revision)
            && self.hash_of(revision)? == Some(found.head.hash)
        {
            return Ok(found);
        }
        let past = Snapshot::of(&self.state_at(revision, self.end(now.head.revision))?);
        self.past.keep(past.clone());
        Ok(past)
    }

    /// Refuses a damaged project, unless a revision is named: that is either read exactly or refused.
    pub(crate) fn require_sound(&self, revision: Option<u64>) -> Result<()> {
        self.read(|_| ())?;
        match self.damage() {
            Some(found) if revision.is_none() => Err(found.refusal()),
            Some(_) | None => Ok(()),
        }
    }

    /// Last revision of the log, given the revision of the state: they differ if the log is damaged.
    pub(crate) fn end(&self, current: u64) -> u64 {
        self.damage().map_or(current, |damage| damage.end)
    }

    /// Hash of the state after the log's entry with this revision, or `None` if there is no such entry.
    fn hash_of(&self, revision: u64) -> Result<Option<u64>, StoreError> {
        let mut found = None;
        let reading = LogRange::After(revision.saturating_sub(1));
        self.store.read(self.id, reading, false, &mut |record| {
            found = (record.revision == revision).then_some(record.hash);
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    /// Returns the state at a revision; `current` is the revision of the project.
    pub(crate) fn state_at(&self, revision: u64, current: u64) -> Result<State> {
        let base = self.store.base(self.id)?;
        if revision < base || revision > current {
            return Err(unknown_revision(revision, current, base));
        }
        let loaded = load(&*self.store, self.id, Some(revision))?;
        match loaded.damage {
            Some(damage) => Err(StoreError::from(damage).into()),
            None => Ok(loaded.state),
        }
    }

    /// Returns the headings before a revision, newest first; missing and damaged ones are errors.
    pub(crate) fn headings(&self, before: u64) -> Headings<'_> {
        Headings {
            store: &*self.store,
            project: self.id,
            before,
            read: VecDeque::new(),
            at_once: 32,
            has_failed: false,
        }
    }

    /// Reads an entry of the log.
    pub(crate) fn entry(&self, revision: u64) -> Result<Entry, StoreError> {
        let mut found = None;
        let reading = LogRange::After(revision.saturating_sub(1));
        self.store.read(self.id, reading, true, &mut |record| {
            found = Some(record);
            ControlFlow::Break(())
        })?;
        match found {
            Some(record) if record.revision == revision => Ok(record.entry()?),
            found => {
                let found = found.map_or(0, |record| record.revision);
                let expected = revision;
                Err(Damage::from(ReplayError::Gap { expected, found }).into())
            }
        }
    }

    /// Checks the inverse of the wanted entry against a state that is durable.
    pub(crate) fn inverse_of(&self, state: &State, target: UndoTarget<'_>) -> Result<PendingEdit> {
        let headings = self.headings(state.revision() + 1);
        let candidate = undo::find(headings, target)??;
        let entry = self.entry(candidate.revision)?;
        let conflicts = UndoConflicts::new(&entry);
        for later in candidate.in_effect {
            let later = self.entry(later)?;
            if conflicts.include(&later) {
                return Err(UndoError::Conflict {
                    entry: Box::new(entry.heading),
                    by: Box::new(later.heading),
                }
                .into());
            }
        }
        let (checked, label, kind) = undo::inverse_edit(state.document(), &entry)?;
        Ok(PendingEdit {
            checked,
            label: Some(label),
            kind,
        })
    }

    /// Returns the refusal of a change that expected another revision, listing the changes since then.
    pub(crate) fn conflict(&self, expected: u64, current: u64) -> Refusal {
        const SHOWN: usize = 10;
        let refusal = |message: String| Refusal::new("revision_conflict", message);
        if expected > current {
            let message =
                format!("revision {expected} was expected, but the project is at {current}");
            return refusal(message)
                .hint("pass the revision of your last answer, or omit expected_revision")
                .details(json!({ "expected_revision": expected, "current_revision": current }));
        }
        let since = (current - expected) as usize;
        let text = |heading: Heading| {
            let client = heading.origin.client;
            format!("{} ({}, {client})", heading.revision, heading.label)
        };
        let newest = self.headings(current + 1).take(SHOWN.min(since));
        let mut labels: Vec<String> = newest.filter_map(Result::ok).map(text).collect();
        labels.reverse();
        let more = match since - labels.len() {
            0 => String::new(),
            more => format!("{more} earlier ones, "),
        };
        refusal(format!(
            "the project is at revision {current}, not {expected}; since then: {more}{}",
            labels.join(", ")
        ))
        .hint("read the changed state again, and repeat the call with the current revision as expected_revision")
        .details(
            json!({ "expected_revision": expected, "current_revision": current, "since": labels }),
        )
    }
}

pub(crate) fn unknown_revision(revision: u64, current: u64, base: u64) -> Refusal {
    let message = match base {
        base if revision >= base => {
            format!("the project has no revision {revision}; it is at {current}")
        }
        base => format!(
            "revision {revision} is no longer kept: the history was compacted and begins with revision {base}"
        ),
    };
    Refusal::new("unknown_revision", message)
        .hint("get_history lists the revisions")
        .details(
            json!({ "revision": revision, "current_revision": current, "first_revision": base }),
        )
}

/// Iterator over the headings of a log, newest first, that reads in batches of growing size. Bodies are read, too, since
/// the checksums of entries cover them.
#[derive(Debug)]
pub(crate) struct Headings<'a> {
    store: &'a dyn Store,
    project: ProjectId,
    before: u64,
    read: VecDeque<Result<Heading, StoreError>>,
    at_once: usize,
    /// True if the rest of the log cannot be read.
    has_failed: bool,
}

impl Headings<'_> {
    fn read_batch(&mut self) -> Result<(), StoreError> {
        const MOST: usize = 4096;
        let reading = LogRange::Before(self.before);
        for checked in self.store.headings(self.project, reading, self.at_once)? {
            let (expected, found) = (self.before.saturating_sub(1), checked.revision);
            // The first batch may begin beyond the end of the log.
            if found < expected && self.before != u64::MAX {
                let gap = Damage::from(ReplayError::Gap { expected, found });
                self.read.push_back(Err(gap.into()));
            }
            self.before = found;
            self.read
                .push_back(checked.heading.map_err(StoreError::from));
        }
        self.at_once = (self.at_once * 4).min(MOST);
        Ok(())
    }
}

impl Iterator for Headings<'_> {
    type Item = Result<Heading, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.read.is_empty()
            && !self.has_failed
            && let Err(error) = self.read_batch()
        {
            self.has_failed = true;
            self.read.push_back(Err(error));
        }
        self.read.pop_front()
    }
}
