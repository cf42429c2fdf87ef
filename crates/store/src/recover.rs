//! Recovery of a damaged store into another: what is intact as it was, and later changes as far as they can be applied.

use std::collections::BTreeMap;

use fibula_core::edit::{self, CommitInfo, Edit, Entry, EntryKind, Head, Origin, State};
use fibula_core::graph::ContentHash;

use super::sqlite::salvage::{Salvage, SalvagedProject};
use super::{
    Damage, LogRewrite, ProjectId, Record, Registration, Sqlite, Store, StoreError, contents,
    snapshot,
};

/// Maximum number of changes that a report lists.
const MAX_LISTED: usize = 20;
/// Maximum number of appends in flight.
const MAX_PENDING: usize = 512;

/// What was recovered of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct RecoveredProject {
    /// Its name in the new store.
    pub name: String,
    /// True if it is deleted.
    pub deleted: bool,
    /// First revision of the history that is as it was.
    pub first: u64,
    /// Last revision up to which the history is as it was.
    pub unchanged_to: u64,
    /// The damage after it; `None` if the project is intact.
    pub damage: Option<Damage>,
    /// Revisions whose states were taken from snapshots behind damage.
    pub snapshots: Vec<u64>,
    /// Number of changes behind damage that were applied again.
    pub applied: u64,
    /// Changes that are missing, damaged, or could not be applied: the former revision, and the reason. The first 20.
    pub lost: Vec<(u64, String)>,
    /// Number of these changes.
    pub lost_count: u64,
    /// Hashes of contents that are missing or damaged.
    pub lost_contents: Vec<String>,
    /// Revision in the new store.
    pub revision: u64,
}

/// Recovers all projects of a damaged store into an empty one; `at` is the current time in milliseconds since 1970, UTC.
///
/// The history of a project is copied up to the first damage. What follows is taken from the next intact snapshot, or
/// else applied change by change where that is possible; these changes get new revisions. Memory: the logs.
///
/// # Errors
/// [`StoreError`] if nothing of the damaged store can be read, or the other cannot be written.
pub fn recover(
    from: &Sqlite,
    to: &dyn Store,
    at: u64,
) -> Result<Vec<RecoveredProject>, StoreError> {
    let Salvage { projects, contents } = from.salvage()?;
    let mut recovered = Vec::new();
    for (id, project) in projects {
        let own = project.name.clone();
        // An import that was not finished.
        if own.as_ref().is_some_and(|name| name.contains('/')) {
            continue;
        }
        let own = own.unwrap_or_else(|| format!("recovered-{}", id.0));
        let mut name = own.clone();
        let mut count = 1;
        while to.find(&name)?.is_some() {
            count += 1;
            name = format!("{own}-{count}");
        }
        let created = if project.created > 0 {
            project.created
        } else {
            at
        };
        let create = Registration::Create {
            name: name.clone(),
            at: created,
        };
        let mut rebuilding = Rebuilding::new(to, to.register(create)?, project, at);
        rebuilding.report.name = name;
        rebuilding.rebuild()?;
        for hash in std::mem::take(&mut rebuilding.needed) {
            let bytes = contents
                .get(&hash)
                .and_then(|&row| from.salvaged_content(hash, row));
            match bytes {
                Some(bytes) => drop(to.put_content(rebuilding.id, &bytes)?),
                None => rebuilding.report.lost_contents.push(hash.to_string()),
            }
        }
        recovered.push(rebuilding.finish()?);
    }
    Ok(recovered)
}

/// A project that is being rebuilt.
struct Rebuilding<'a> {
    to: &'a dyn Store,
    id: ProjectId,
    project: SalvagedProject,
    at: u64,
    state: State,
    /// Revisions in the new store by those in the old one, where they may differ.
    revisions: BTreeMap<u64, u64>,
    tickets: Vec<super::Ticket>,
    needed: std::collections::BTreeSet<ContentHash>,
    report: RecoveredProject,
}

impl<'a> Rebuilding<'a> {
    fn new(to: &'a dyn Store, id: ProjectId, project: SalvagedProject, at: u64) -> Self {
        let report = RecoveredProject {
            name: String::new(),
            deleted: project.deleted.is_some(),
            first: 1,
            unchanged_to: 0,
            damage: None,
            snapshots: Vec::new(),
            applied: 0,
            lost: Vec::new(),
            lost_count: 0,
            lost_contents: Vec::new(),
            revision: 0,
        };
        Rebuilding {
            to,
            id,
            project,
            at,
            state: State::default(),
            revisions: BTreeMap::new(),
            tickets: Vec::new(),
            needed: std::collections::BTreeSet::new(),
            report,
        }
    }

    fn rebuild(&mut self) -> Result<(), StoreError> {
        self.begin()?;
        // Revision in the old store of the state so far.
        let mut old = self.state.revision();
        let records = std::mem::take(&mut self.project.records);
        let last = records
            .last_key_value()
            .map_or(0, |(&revision, _)| revision);
        let last = self
            .project
            .snapshots
            .last_key_value()
            .map_or(last, |(&at, _)| last.max(at));
        while old < last {
            let revision = old + 1;
            let entry = records
                .get(&revision)
                .map(|record| (record, record.entry()));
            let problem = match entry {
                Some((record, Ok(entry))) if self.report.damage.is_none() => {
                    self.copy(record, &entry)?
                }
                Some((_, Ok(entry))) => {
                    self.apply(entry)?;
                    None
                }
                Some((_, Err(damage))) => Some(damage),
                None => Some(Damage::from(edit::ReplayError::Gap {
                    expected: revision,
                    found: records.range(revision..).next().map_or(last, |(&it, _)| it),
                })),
            };
            old = match problem {
                None => revision,
                Some(damage) => self.pass_over(revision, &damage)?,
            };
        }
        Ok(())
    }

    /// Begins with the first snapshot if the log does not begin with revision 1.
    fn begin(&mut self) -> Result<(), StoreError> {
        if self.project.records.contains_key(&1) {
            return Ok(());
        }
        let first = self.project.records.keys().next().copied();
        let states = self.project.snapshots.values().map(snapshot::decode);
        let states: Vec<State> = states.filter_map(Result::ok).collect();
        // The base of a compacted log precedes its first record.
        let base =
            first.and_then(|first| states.iter().find(|state| state.revision() + 1 == first));
        let Some(state) = base.or(states.first()).cloned() else {
            return Ok(());
        };
        self.needed
            .extend(contents::document_hashes(state.document()));
        self.to.rewrite(
            self.id,
            LogRewrite {
                expected: Head::default(),
                base: Some(snapshot::encode(&state)),
                records: Vec::new(),
                wipe: false,
            },
        )?;
        self.report.first = state.revision() + 1;
        self.report.unchanged_to = state.revision();
        self.state = state;
        Ok(())
    }

    /// Copies a record, unless it does not follow.
    fn copy(&mut self, record: &Record, entry: &Entry) -> Result<Option<Damage>, StoreError> {
        let mut next = self.state.clone();
        if let Err(error) = next.replay(entry) {
            return Ok(Some(error.into()));
        }
        self.append(record.clone(), entry)?;
        self.state = next;
        self.report.unchanged_to = entry.revision();
        Ok(None)
    }

    /// Continues behind a record that is missing or damaged, from the next intact snapshot if there is one. Returns the
    /// former revision from which it continues.
    fn pass_over(&mut self, revision: u64, damage: &Damage) -> Result<u64, StoreError> {
        if self.report.damage.is_none() {
            self.report.damage = Some(damage.clone());
            let label = "recovered: the last state before the damage".to_owned();
            let kind = EntryKind::Checkpoint("before the damage".to_owned());
            if self.state.revision() > 0
                && !self.state.checkpoints().contains_key("before the damage")
            {
                self.commit(&Edit::Batch(Vec::new()), label, kind)?;
            }
        }
        let later = self.project.snapshots.range(revision..);
        let mut states = later.filter_map(|(_, stored)| snapshot::decode(stored).ok());
        let Some(state) = states.next() else {
            self.lose(revision, damage.to_string());
            return Ok(revision);
        };
        drop(states);
        let restored = edit::restoring(self.state.document(), state.document());
        let Ok(checked) = restored else {
            self.lose(revision, damage.to_string());
            return Ok(revision);
        };
        let label = format!("recovered: the state of revision {}", state.revision());
        self.commit(&checked.edit().clone(), label, EntryKind::Edit)?;
        self.report.snapshots.push(state.revision());
        Ok(state.revision())
    }

    /// Applies a change behind the damage again, if that is possible.
    fn apply(&mut self, entry: Entry) -> Result<(), StoreError> {
        let old = entry.revision();
        let checked = match edit::check(self.state.document(), &entry.edit) {
            Ok(checked) => checked,
            Err(error) => {
                self.lose(old, error.to_string());
                return Ok(());
            }
        };
        let kept = |revision: u64| match self.revisions.get(&revision) {
            Some(&new) => Some(new),
            None => (revision <= self.report.unchanged_to).then_some(revision),
        };
        let heading = entry.heading;
        let kind = match heading.kind {
            EntryKind::Undo(revision) => kept(revision).map_or(EntryKind::Edit, EntryKind::Undo),
            EntryKind::Redo(revision) => kept(revision).map_or(EntryKind::Edit, EntryKind::Redo),
            EntryKind::Checkpoint(name) if self.state.checkpoints().contains_key(&name) => {
                EntryKind::Edit
            }
            kind @ (EntryKind::Edit | EntryKind::Checkpoint(_)) => kind,
        };
        let info = CommitInfo {
            origin: heading.origin,
            at: heading.at,
            label: Some(heading.label),
            kind,
        };
        let before = self.state.head();
        let (entry, _) = self.state.commit(checked, info);
        self.append_after(before, Record::new(&entry), &entry)?;
        self.revisions.insert(old, entry.revision());
        self.report.applied += 1;
        Ok(())
    }

    /// Commits a change of the recovery itself.
    fn commit(&mut self, edit: &Edit, label: String, kind: EntryKind) -> Result<(), StoreError> {
        let Ok(checked) = edit::check(self.state.document(), edit) else {
            return Ok(());
        };
        let info = CommitInfo {
            origin: Origin::program("command line", "recover"),
            at: self.at,
            label: Some(label),
            kind,
        };
        let before = self.state.head();
        let (entry, _) = self.state.commit(checked, info);
        self.append_after(before, Record::new(&entry), &entry)
    }

    fn append(&mut self, record: Record, entry: &Entry) -> Result<(), StoreError> {
        self.append_after(self.state.head(), record, entry)
    }

    fn append_after(
        &mut self,
        before: Head,
        record: Record,
        entry: &Entry,
    ) -> Result<(), StoreError> {
        self.needed.extend(entry.edit.contents());
        self.needed.extend(entry.inverse.contents());
        self.tickets.push(self.to.append(self.id, before, record));
        if self.tickets.len() >= MAX_PENDING {
            self.wait()?;
        }
        Ok(())
    }

    fn wait(&mut self) -> Result<(), StoreError> {
        self.tickets.drain(..).try_for_each(super::Ticket::wait)
    }

    fn lose(&mut self, revision: u64, reason: String) {
        self.report.lost_count += 1;
        if self.report.lost.len() < MAX_LISTED {
            self.report.lost.push((revision, reason));
        }
    }

    fn finish(mut self) -> Result<RecoveredProject, StoreError> {
        self.wait()?;
        if let Some(at) = self.project.deleted {
            self.to.register(Registration::Delete { id: self.id, at })?;
        }
        self.report.revision = self.state.revision();
        Ok(self.report)
    }
}
