//! Integrity check of a project: replays the log and compares it with all hashes, checksums and snapshots.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use fibula_core::edit::{Head, ReplayError, State};
use fibula_core::graph::ContentHash;

use super::load::has_head;
use super::{
    Damage, LogRange, ProjectId, Record, Store, StoreError, StoredSnapshot, contents, snapshot,
};

/// Number of attempts if the log is rewritten during verification.
const MAX_ATTEMPTS: usize = 5;
/// Maximum number of damages listed in a report.
const MAX_DAMAGES: usize = 100;

/// Result of [`verify`].
#[derive(Debug, Clone, PartialEq)]
pub struct VerifyReport {
    /// Revision of the base of the log.
    pub base: u64,
    /// Head of the log.
    pub head: Head,
    /// Number of entries whose replay yields the recorded state hash.
    pub entries: u64,
    /// Number of snapshots, including the base, that equal the state of their revision.
    pub snapshots: u64,
    /// Number of contents that are present and intact.
    pub contents: u64,
    /// The first 100 damages, in log order.
    pub damages: Vec<Damage>,
    /// Total number of damages.
    pub damage_count: usize,
    /// Last revision up to which the complete history is intact; `None` if the base is damaged.
    pub history_to: Option<u64>,
    /// Last revision whose state can be recovered; `None` if there is none.
    pub state_to: Option<u64>,
}

impl VerifyReport {
    /// Returns `true` if no damage was found.
    pub fn is_sound(&self) -> bool {
        self.damages.is_empty()
    }

    /// Report of a project of which not even the ends of the log can be read.
    pub fn unreadable(damage: Damage) -> Self {
        VerifyReport {
            damages: vec![damage],
            damage_count: 1,
            history_to: None,
            state_to: None,
            ..VerifyReport::new(0, Head::default())
        }
    }

    fn new(base: u64, head: Head) -> Self {
        VerifyReport {
            base,
            head,
            entries: 0,
            snapshots: 0,
            contents: 0,
            damages: Vec::new(),
            damage_count: 0,
            history_to: Some(base),
            state_to: Some(base),
        }
    }
}

/// Verifies a project: replays its log from the base, and checks every record, snapshot and content.
///
/// Time: reads everything once. Memory: two states.
///
/// # Errors
/// [`StoreError`] if the store cannot be read.
pub fn verify(store: &dyn Store, project: ProjectId) -> Result<VerifyReport, StoreError> {
    let mut attempt = 1;
    loop {
        let ends = store
            .base(project)
            .and_then(|base| Ok((base, store.head(project)?)));
        let (base, head) = match ends {
            Ok(ends) => ends,
            Err(StoreError::Damaged(damage)) => {
                return Ok(VerifyReport::unreadable(damage));
            }
            Err(error) => return Err(error),
        };
        let verified = Verifier::new(store, project, base, head).verify()?;
        // A log that is rewritten while it is read appears damaged.
        let same = store.base(project)? == base && has_head(store, project, head)?;
        if verified.is_sound() || same || attempt == MAX_ATTEMPTS {
            return Ok(verified);
        }
        attempt += 1;
    }
}

/// Checks the records of a project without replaying them: their checksums, that none is missing, and the base of the
/// log. Returns the first damage.
///
/// # Errors
/// [`StoreError`] if the store cannot be read.
pub fn check_records(store: &dyn Store, project: ProjectId) -> Result<Option<Damage>, StoreError> {
    let checked = check_all_records(store, project);
    match checked {
        Err(StoreError::Damaged(damage)) => Ok(Some(damage)),
        checked => checked.map(|()| None),
    }
}

fn check_all_records(store: &dyn Store, project: ProjectId) -> Result<(), StoreError> {
    let base = store.base(project)?;
    if base > 0 {
        let stored = store.snapshot(project, base)?;
        let stored = stored.ok_or(Damage::NoBase { base })?;
        snapshot::decode(&stored)?;
    }
    let mut last = base;
    loop {
        let headings = store.headings(project, LogRange::After(last), 512)?;
        if headings.is_empty() {
            return Ok(());
        }
        for checked in headings {
            let (expected, found) = (last + 1, checked.revision);
            checked.heading?;
            if found != expected {
                return Err(Damage::from(ReplayError::Gap { expected, found }).into());
            }
            last = found;
        }
    }
}

struct Verifier<'a> {
    store: &'a dyn Store,
    project: ProjectId,
    /// State hash and checkpoints of the intact snapshots, by revision.
    snapshots: BTreeMap<u64, (u64, BTreeMap<String, u64>)>,
    /// Contents that were checked.
    checked: HashSet<ContentHash>,
    /// True while `state` is the state after the last record.
    is_replaying: bool,
    state: State,
    /// Revision of the last record.
    last: u64,
    verified: VerifyReport,
}

impl<'a> Verifier<'a> {
    fn new(store: &'a dyn Store, project: ProjectId, base: u64, head: Head) -> Self {
        Verifier {
            store,
            project,
            snapshots: BTreeMap::new(),
            checked: HashSet::new(),
            is_replaying: true,
            state: State::default(),
            last: base,
            verified: VerifyReport::new(base, head),
        }
    }

    fn verify(mut self) -> Result<VerifyReport, StoreError> {
        let VerifyReport { base, head, .. } = self.verified;
        self.read_snapshots()?;
        if base > 0 && !self.resume(base)? {
            self.damage(Damage::NoBase { base });
            (self.verified.history_to, self.verified.state_to) = (None, None);
        }
        let mut after = base;
        while after < head.revision {
            match self.records(after)? {
                None => break,
                // What follows the unreadable record may be readable.
                Some(damage) if after <= self.last => {
                    self.lose_state(damage);
                    after = self.last + 1;
                }
                Some(_) => after += 1,
            }
        }
        if self.last != head.revision {
            let (expected, found) = (self.last + 1, head.revision);
            self.damage(ReplayError::Gap { expected, found }.into());
        }
        for revision in std::mem::take(&mut self.snapshots).into_keys() {
            let message = "the log has no such revision".to_owned();
            self.damage(Damage::Snapshot { revision, message });
        }
        Ok(self.verified)
    }

    /// Verifies the records after a revision. Returns the damage at which they can no longer be read.
    fn records(&mut self, after: u64) -> Result<Option<Damage>, StoreError> {
        let (store, project, head) = (self.store, self.project, self.verified.head);
        let mut broken = Ok(());
        let read = store.read(project, LogRange::After(after), true, &mut |record| {
            if record.revision > head.revision {
                return ControlFlow::Break(());
            }
            broken = self.record(&record);
            match broken {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        broken?;
        match read {
            Ok(()) => Ok(None),
            Err(StoreError::Damaged(damage)) => Ok(Some(damage)),
            Err(error) => Err(error),
        }
    }

    fn damage(&mut self, damage: Damage) {
        self.verified.damage_count += 1;
        if self.verified.damages.len() < MAX_DAMAGES {
            self.verified.damages.push(damage);
        }
    }

    fn read_snapshots(&mut self) -> Result<(), StoreError> {
        let VerifyReport { base, head, .. } = self.verified;
        let mut before = head.revision;
        while let Some(stored) = self.snapshot(before)? {
            match snapshot::decode(&stored) {
                Ok(state) => {
                    let expected = (stored.hash, state.checkpoints().clone());
                    self.snapshots.insert(stored.revision, expected);
                }
                Err(damage) => self.damage(damage),
            }
            match stored.revision.checked_sub(1) {
                Some(earlier) if earlier >= base => before = earlier,
                Some(_) | None => break,
            }
        }
        Ok(())
    }

    fn snapshot(&mut self, at_most: u64) -> Result<Option<StoredSnapshot>, StoreError> {
        match self.store.snapshot(self.project, at_most) {
            Err(StoreError::Damaged(damage)) => {
                self.damage(damage);
                Ok(None)
            }
            found => found,
        }
    }

    /// Continues from a snapshot; returns `false` if it is missing or damaged.
    fn resume(&mut self, revision: u64) -> Result<bool, StoreError> {
        if self.snapshots.remove(&revision).is_none() {
            self.is_replaying = false;
            return Ok(false);
        }
        let stored = self.snapshot(revision)?;
        let state = stored.and_then(|stored| snapshot::decode(&stored).ok());
        self.is_replaying = state.is_some();
        if let Some(state) = state {
            self.state = state;
            self.verified.snapshots += 1;
            self.verified.state_to = Some(revision);
            self.check_contents(contents::document_hashes(self.state.document()))?;
        }
        Ok(self.is_replaying)
    }

    fn record(&mut self, record: &Record) -> Result<(), StoreError> {
        let revision = record.revision;
        let expected = self.last + 1;
        if revision != expected {
            let found = revision;
            self.lose_state(ReplayError::Gap { expected, found }.into());
        }
        self.last = revision;
        match record.entry() {
            Err(damage) => self.lose_state(damage),
            Ok(entry) => {
                self.check_contents(entry.edit.contents())?;
                self.check_contents(entry.inverse.contents())?;
                if self.is_replaying {
                    match self.state.replay(&entry) {
                        Ok(()) => self.verified.entries += 1,
                        Err(error) => self.lose_state(error.into()),
                    }
                }
            }
        }
        if !self.is_replaying {
            self.resume(revision)?;
            return Ok(());
        }
        if self.verified.history_to == Some(revision - 1) {
            self.verified.history_to = Some(revision);
        }
        self.verified.state_to = Some(revision);
        if let Some((hash, checkpoints)) = self.snapshots.remove(&revision) {
            if hash == self.state.hash() && checkpoints == *self.state.checkpoints() {
                self.verified.snapshots += 1;
            } else {
                let message = "it does not match the state that the log results in".to_owned();
                self.damage(Damage::Snapshot { revision, message });
            }
        }
        Ok(())
    }

    /// Records damage after which the state is unknown.
    fn lose_state(&mut self, damage: Damage) {
        self.damage(damage);
        self.is_replaying = false;
    }

    fn check_contents(&mut self, hashes: Vec<ContentHash>) -> Result<(), StoreError> {
        for hash in hashes {
            if !self.checked.insert(hash) {
                continue;
            }
            match self.store.content(hash) {
                Ok(Some(_)) => self.verified.contents += 1,
                Ok(None) => self.damage(Damage::Lost(hash.to_string())),
                Err(StoreError::Damaged(damage)) => self.damage(damage),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
