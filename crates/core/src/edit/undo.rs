//! Undo and redo: the entry that is undone, and later entries that conflict with it.
//!
//! An undo is an edit with an entry of its own; no entry is ever changed. A redo undoes an undo, and the next undo undoes
//! the redo. Entries therefore form chains, and a chain is in effect after a revision if an odd number of its entries
//! came after it.

use std::collections::BTreeMap;

use super::footprint::Footprint;
use super::{Checked, EditError, Entry, EntryKind, Heading, Origin, check};
use crate::graph::Document;

/// The entry that is to be undone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum UndoTarget<'a> {
    /// The last entry that is not undone; of this caller, or of anyone.
    Undo(Option<&'a Origin>),
    /// The last undo that is not redone, if its caller made no edit since; of this caller, or of anyone.
    Redo(Option<&'a Origin>),
    /// The entry with this revision.
    Revision(u64),
}

/// An entry that can be undone unless a later one conflicts.
#[derive(Debug, Clone, PartialEq)]
pub struct UndoCandidate {
    /// Its revision.
    pub revision: u64,
    /// The later entries that are in effect, the newest first.
    pub in_effect: Vec<u64>,
}

/// Reason for which an entry cannot be undone.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum UndoError {
    /// Every edit is undone.
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// Every edit of the caller is undone.
    #[error("{0} has nothing to undo in this project")]
    NothingOwnToUndo(String),
    /// No undo is left to redo, or an edit followed it.
    #[error("there is nothing to redo")]
    NothingToRedo,
    /// The log has no such entry, or no longer.
    #[error("the history has no revision {0}")]
    UnknownRevision(u64),
    /// The entry is undone already.
    #[error("revision {revision} is already undone, by revision {by}")]
    AlreadyUndone {
        /// The entry.
        revision: u64,
        /// The entry that undid it.
        by: u64,
    },
    /// The entry is a checkpoint.
    #[error("revision {0} is a checkpoint; it has no change to undo")]
    Checkpoint(u64),
    /// A later entry wrote the same item, or requires it.
    #[error("revision {} ({}) cannot be undone: revision {} ({}, by {}) has since changed the same items, or depends \
             on them",
        .entry.revision, .entry.label, .by.revision, .by.label, .by.origin.client)]
    Conflict {
        /// The entry that was to be undone.
        entry: Box<Heading>,
        /// The later entry.
        by: Box<Heading>,
    },
    /// The document no longer allows it.
    #[error("revision {} ({}) cannot be undone: {error}", .entry.revision, .entry.label)]
    Refused {
        /// The entry that was to be undone.
        entry: Box<Heading>,
        /// Reason.
        #[source]
        error: Box<EditError>,
    },
}

/// Finds the entry to undo in headings from the newest to the oldest. Reads only the headings that it needs.
///
/// # Errors
/// That of the iterator; inside, [`UndoError`] if there is no such entry.
pub fn find<E>(
    headings: impl IntoIterator<Item = Result<Heading, E>>,
    wanted: UndoTarget<'_>,
) -> Result<Result<UndoCandidate, UndoError>, E> {
    let mut passed: Vec<(u64, Option<u64>)> = Vec::new();
    let mut spent: BTreeMap<u64, u64> = BTreeMap::new();
    for heading in headings {
        let heading = heading?;
        let revision = heading.revision;
        let own = |whose: Option<&Origin>| whose.is_none_or(|by| heading.origin.is_caller_of(by));
        let alive = !spent.contains_key(&revision);
        let found = match (wanted, &heading.kind) {
            (UndoTarget::Undo(whose), EntryKind::Edit | EntryKind::Redo(_))
            | (UndoTarget::Redo(whose), EntryKind::Undo(_)) => own(whose) && alive,
            (UndoTarget::Redo(whose), EntryKind::Edit) if own(whose) => {
                return Ok(Err(UndoError::NothingToRedo));
            }
            (UndoTarget::Revision(wanted), turn) if wanted == revision => {
                match (spent.get(&wanted), turn) {
                    (_, EntryKind::Checkpoint(_)) => {
                        return Ok(Err(UndoError::Checkpoint(revision)));
                    }
                    (Some(&by), _) => return Ok(Err(UndoError::AlreadyUndone { revision, by })),
                    (None, _) => true,
                }
            }
            (UndoTarget::Revision(wanted), _) if wanted > revision => break,
            (UndoTarget::Undo(_) | UndoTarget::Redo(_) | UndoTarget::Revision(_), _) => false,
        };
        if found {
            let in_effect = chains_in_effect(revision, &passed);
            return Ok(Ok(UndoCandidate {
                revision,
                in_effect,
            }));
        }
        if let Some(other) = heading.kind.undone_revision() {
            spent.insert(other, revision);
        }
        passed.push((revision, heading.kind.undone_revision()));
    }
    Ok(Err(match wanted {
        UndoTarget::Undo(None) => UndoError::NothingToUndo,
        UndoTarget::Undo(Some(origin)) => UndoError::NothingOwnToUndo(origin.client.clone()),
        UndoTarget::Redo(_) => UndoError::NothingToRedo,
        UndoTarget::Revision(revision) => UndoError::UnknownRevision(revision),
    }))
}

/// Returns the last entry of each chain with an odd number of entries after `target`, the newest first.
fn chains_in_effect(target: u64, later: &[(u64, Option<u64>)]) -> Vec<u64> {
    let mut roots: BTreeMap<u64, u64> = BTreeMap::new();
    let mut odd: BTreeMap<u64, u64> = BTreeMap::new();
    for &(revision, takes_back) in later.iter().rev() {
        let root = match takes_back {
            Some(other) if other > target => roots.get(&other).copied().unwrap_or(other),
            Some(other) => other,
            None => revision,
        };
        roots.insert(revision, root);
        if odd.remove(&root).is_none() {
            odd.insert(root, revision);
        }
    }
    let mut in_effect: Vec<u64> = odd.into_values().collect();
    in_effect.sort_unstable_by(|one, other| other.cmp(one));
    in_effect
}

/// Conflicts with undoing an entry: later entries that wrote the same items, or require them.
#[derive(Debug)]
pub struct UndoConflicts(Footprint);

impl UndoConflicts {
    /// The conflicts with undoing an entry. Its inverse may write more than it did, such as the links of a deleted node.
    pub fn new(entry: &Entry) -> Self {
        UndoConflicts(Footprint::new(&[&entry.edit, &entry.inverse]))
    }

    /// True if `later`, which is in effect, conflicts.
    pub fn include(&self, later: &Entry) -> bool {
        Footprint::new(&[&later.edit]).conflicts_with(&self.0)
    }
}

/// Returns the edit that undoes an entry, checked, with its label and kind.
///
/// # Errors
/// [`UndoError::Refused`] if the document no longer allows it.
pub fn inverse_edit(
    document: &Document,
    entry: &Entry,
) -> Result<(Checked, String, EntryKind), UndoError> {
    let checked = check(document, &entry.inverse).map_err(|error| UndoError::Refused {
        entry: Box::new(entry.heading.clone()),
        error: Box::new(error),
    })?;
    let heading = &entry.heading;
    let bare = ["undo: ", "redo: "]
        .iter()
        .find_map(|verb| heading.label.strip_prefix(verb))
        .unwrap_or(&heading.label);
    Ok(match heading.kind {
        EntryKind::Undo(_) => (
            checked,
            format!("redo: {bare}"),
            EntryKind::Redo(heading.revision),
        ),
        EntryKind::Edit | EntryKind::Redo(_) | EntryKind::Checkpoint(_) => (
            checked,
            format!("undo: {bare}"),
            EntryKind::Undo(heading.revision),
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::super::Caller;
    use super::*;

    /// A log in short: the author, and the entry that each entry undoes; `-` for an edit, `u3` and `r4` for the others.
    fn log(text: &str) -> Vec<Heading> {
        let entry = |(at, word): (usize, &str)| {
            let (who, what) = word.split_at(1);
            let number = || what[1..].parse().unwrap();
            let turn = match &what[..1] {
                "-" => EntryKind::Edit,
                "u" => EntryKind::Undo(number()),
                "r" => EntryKind::Redo(number()),
                _ => EntryKind::Checkpoint("c".to_owned()),
            };
            Heading {
                revision: at as u64 + 1,
                at: 0,
                origin: origin(who),
                label: word.to_owned(),
                kind: turn,
                functions: 0,
            }
        };
        text.split(' ').enumerate().map(entry).collect()
    }

    fn origin(client: &str) -> Origin {
        Origin {
            kind: Caller::Agent,
            client: client.to_owned(),
            tool: "t".to_owned(),
        }
    }

    fn check(text: &str, wanted: UndoTarget<'_>, expected: Result<(u64, &[u64]), UndoError>) {
        let headings = log(text).into_iter().rev().map(Ok::<_, ()>);
        let found = find(headings, wanted).unwrap();
        let found = found.map(|found| (found.revision, found.in_effect));
        let expected = expected.map(|(revision, standing)| (revision, standing.to_vec()));
        assert_eq!(found, expected, "{wanted:?} in {text}");
    }

    #[test]
    fn the_last_step_that_is_not_taken_back_is_undone() {
        let (a, b, c) = (origin("a"), origin("b"), origin("c"));
        check("a- b- a-", UndoTarget::Undo(Some(&a)), Ok((3, &[])));
        check("a- b- a-", UndoTarget::Undo(Some(&b)), Ok((2, &[3])));
        check("a- b- a- au3", UndoTarget::Undo(Some(&a)), Ok((1, &[2])));
        check("a- b- a- au3", UndoTarget::Undo(Some(&b)), Ok((2, &[])));
        check("a- au1 ar2", UndoTarget::Undo(Some(&a)), Ok((3, &[])));
        check("a- ac", UndoTarget::Undo(None), Ok((1, &[2])));
        check(
            "a- au1",
            UndoTarget::Undo(None),
            Err(UndoError::NothingToUndo),
        );
        check(
            "a-",
            UndoTarget::Undo(Some(&c)),
            Err(UndoError::NothingOwnToUndo("c".to_owned())),
        );
    }

    #[test]
    fn undone_steps_come_back_in_turn_until_something_is_done() {
        let (a, b) = (origin("a"), origin("b"));
        check("a- a- au2 au1", UndoTarget::Redo(Some(&a)), Ok((4, &[])));
        check(
            "a- a- au2 au1 ar4",
            UndoTarget::Redo(Some(&a)),
            Ok((3, &[4, 5][..0])),
        );
        check("a- au1 b-", UndoTarget::Redo(Some(&a)), Ok((2, &[3])));
        check(
            "a- au1 b-",
            UndoTarget::Redo(None),
            Err(UndoError::NothingToRedo),
        );
        check(
            "a- au1 a-",
            UndoTarget::Redo(Some(&a)),
            Err(UndoError::NothingToRedo),
        );
        check(
            "a- au1",
            UndoTarget::Redo(Some(&b)),
            Err(UndoError::NothingToRedo),
        );
    }

    #[test]
    fn a_named_step_is_taken_back_once() {
        check("a- b- a-", UndoTarget::Revision(2), Ok((2, &[3])));
        check(
            "a- au1",
            UndoTarget::Revision(1),
            Err(UndoError::AlreadyUndone { revision: 1, by: 2 }),
        );
        check(
            "a- ac",
            UndoTarget::Revision(2),
            Err(UndoError::Checkpoint(2)),
        );
        check(
            "a- a-",
            UndoTarget::Revision(3),
            Err(UndoError::UnknownRevision(3)),
        );
        // What came and went since does not stand; what went only since does.
        check("a- b- b- bu3", UndoTarget::Revision(2), Ok((2, &[])));
        check("a- b- au1", UndoTarget::Revision(2), Ok((2, &[3])));
        check("a- b- au1 ar3", UndoTarget::Revision(2), Ok((2, &[])));
        check("b- bu1 a- br2", UndoTarget::Revision(3), Ok((3, &[4])));
    }
}
