//! Whether everything that a store keeps of a project is as it was written.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use fibula_core::edit::{Head, ReplayError, State};
use fibula_core::graph::ContentHash;

use super::load::stands;
use super::{Damage, ProjectId, Reading, Record, Store, StoreError, contents, snapshot};

/// How often a project is looked at again that was rewritten meanwhile.
const TURNS: usize = 5;
/// The most damages that are told.
const MOST: usize = 100;

/// What a store keeps of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct Verified {
    /// The revision that the log begins after.
    pub base: u64,
    /// Where it ends.
    pub head: Head,
    /// The entries that were replayed, and led where they say.
    pub entries: u64,
    /// The snapshots, the log's base among them, that are those of their revisions.
    pub snapshots: u64,
    /// The files whose bytes are there.
    pub contents: u64,
    /// What is not as it was written, in the order of the log; the first 100.
    pub damages: Vec<Damage>,
    /// How many damages there are.
    pub damage_count: usize,
    /// The last revision that can be had with the whole history before it; `None` if not even the first.
    pub history_to: Option<u64>,
    /// The last revision whose state can be had; `None` if there is none.
    pub state_to: Option<u64>,
}

impl Verified {
    /// Whether nothing is damaged.
    pub fn is_sound(&self) -> bool {
        self.damages.is_empty()
    }
}

/// Replays a project's log from its beginning, and compares it with what every record, snapshot and file says.
///
/// Takes the time of reading everything, and the room of two states.
///
/// # Errors
/// [`StoreError`] when the store cannot be read.
pub fn verify(store: &dyn Store, project: ProjectId) -> Result<Verified, StoreError> {
    let mut turn = 1;
    loop {
        let (base, head) = (store.base(project)?, store.head(project)?);
        let verified = Verifier::new(store, project, base, head).verify()?;
        // A log that is rewritten while it is read looks damaged.
        let same = store.base(project)? == base && stands(store, project, head)?;
        if verified.is_sound() || same || turn == TURNS {
            return Ok(verified);
        }
        turn += 1;
    }
}

struct Verifier<'a> {
    store: &'a dyn Store,
    project: ProjectId,
    /// The snapshots that can be read: their hashes and checkpoints.
    snapshots: BTreeMap<u64, (u64, BTreeMap<String, u64>)>,
    /// Files that were looked at.
    looked: HashSet<ContentHash>,
    /// Whether `state` is that after the last record.
    following: bool,
    state: State,
    /// The revision of the record that was read last.
    last: u64,
    verified: Verified,
}

impl<'a> Verifier<'a> {
    fn new(store: &'a dyn Store, project: ProjectId, base: u64, head: Head) -> Self {
        Verifier {
            store,
            project,
            snapshots: BTreeMap::new(),
            looked: HashSet::new(),
            following: true,
            state: State::default(),
            last: base,
            verified: Verified {
                base,
                head,
                entries: 0,
                snapshots: 0,
                contents: 0,
                damages: Vec::new(),
                damage_count: 0,
                history_to: Some(base),
                state_to: Some(base),
            },
        }
    }

    fn verify(mut self) -> Result<Verified, StoreError> {
        let Verified { base, head, .. } = self.verified;
        self.read_snapshots()?;
        if base > 0 && !self.resume(base)? {
            self.damage(Damage::NoBase { base });
            (self.verified.history_to, self.verified.state_to) = (None, None);
        }
        let mut broken = Ok(());
        self.store
            .read(self.project, Reading::After(base), true, &mut |record| {
                if record.revision > head.revision {
                    return ControlFlow::Break(());
                }
                broken = self.record(&record);
                match broken {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }
            })?;
        broken?;
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

    fn damage(&mut self, damage: Damage) {
        self.verified.damage_count += 1;
        if self.verified.damages.len() < MOST {
            self.verified.damages.push(damage);
        }
    }

    fn read_snapshots(&mut self) -> Result<(), StoreError> {
        let Verified { base, head, .. } = self.verified;
        let mut before = head.revision;
        while let Some(stored) = self.store.snapshot(self.project, before)? {
            match snapshot::decode(&stored) {
                Ok(state) => {
                    let said = (stored.hash, state.checkpoints().clone());
                    self.snapshots.insert(stored.revision, said);
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

    /// Goes on with a snapshot; `false` if there is none that can be read.
    fn resume(&mut self, revision: u64) -> Result<bool, StoreError> {
        if self.snapshots.remove(&revision).is_none() {
            self.following = false;
            return Ok(false);
        }
        let stored = self.store.snapshot(self.project, revision)?;
        let state = stored.and_then(|stored| snapshot::decode(&stored).ok());
        self.following = state.is_some();
        if let Some(state) = state {
            self.state = state;
            self.verified.snapshots += 1;
            self.verified.state_to = Some(revision);
            self.look(contents::of_document(self.state.document()))?;
        }
        Ok(self.following)
    }

    fn record(&mut self, record: &Record) -> Result<(), StoreError> {
        let revision = record.revision;
        let expected = self.last + 1;
        if revision != expected {
            self.lose(
                ReplayError::Gap {
                    expected,
                    found: revision,
                }
                .into(),
            );
        }
        self.last = revision;
        match record.entry() {
            Err(damage) => self.lose(damage),
            Ok(entry) => {
                self.look(contents::of_edit(&entry.edit))?;
                self.look(contents::of_edit(&entry.inverse))?;
                if self.following {
                    match self.state.replay(&entry) {
                        Ok(()) => self.verified.entries += 1,
                        Err(error) => self.lose(error.into()),
                    }
                }
            }
        }
        if !self.following {
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
                let message = "it is not the state that the log leads to".to_owned();
                self.damage(Damage::Snapshot { revision, message });
            }
        }
        Ok(())
    }

    /// The state is not known from here on.
    fn lose(&mut self, damage: Damage) {
        self.damage(damage);
        self.following = false;
    }

    fn look(&mut self, hashes: Vec<ContentHash>) -> Result<(), StoreError> {
        for hash in hashes {
            if !self.looked.insert(hash) {
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
