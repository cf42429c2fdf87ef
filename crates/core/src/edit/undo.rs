//! Undo and redo: which entry is taken back, and what is in the way.
//!
//! Taking an entry back is an edit with an entry of its own; no entry is ever changed. An entry that was taken back
//! is spent: a redo takes back the undo, and is itself what the next undo takes back. So entries form chains, and
//! what a chain did since a revision shows if an odd number of its entries came since.

use std::collections::BTreeMap;

use super::touch::Touched;
use super::{Checked, EditError, Entry, Heading, Origin, Turn, check};
use crate::graph::Document;

/// Which step is wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Wanted<'a> {
    /// The last one that is not taken back; of this caller, or of anyone.
    Undo(Option<&'a Origin>),
    /// The last undo that is not taken back, if its caller did nothing else since; of this caller, or of anyone.
    Redo(Option<&'a Origin>),
    /// The one with this revision.
    Revision(u64),
}

/// The entry that is to be taken back.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its revision.
    pub revision: u64,
    /// The later entries whose effects show, the newest first.
    pub standing: Vec<u64>,
}

/// Why a step cannot be taken back.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum UndoError {
    /// Nothing was done that is not undone.
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// The caller did nothing that is not undone.
    #[error("{0} has nothing to undo here")]
    NothingOwnToUndo(String),
    /// Nothing was undone that is not redone, or something was done since.
    #[error("there is nothing to redo")]
    NothingToRedo,
    /// The log has no such entry, or not any more.
    #[error("the history has no revision {0}")]
    UnknownRevision(u64),
    /// It was taken back before.
    #[error("revision {revision} was taken back already, by revision {by}")]
    TakenBack {
        /// The entry.
        revision: u64,
        /// What took it back.
        by: u64,
    },
    /// It is a checkpoint.
    #[error("revision {0} is a checkpoint: it changed nothing that could be taken back")]
    Checkpoint(u64),
    /// A later change wrote the same, or relies on it.
    #[error("revision {} ({}) cannot be taken back: revision {} ({}, by {}) has changed the same since, or relies on it",
        .entry.revision, .entry.label, .by.revision, .by.label, .by.origin.client)]
    InTheWay {
        /// The entry that was to be taken back.
        entry: Box<Heading>,
        /// What is in the way.
        by: Box<Heading>,
    },
    /// The document does not allow it any more.
    #[error("revision {} ({}) cannot be taken back: {error}", .entry.revision, .entry.label)]
    Refused {
        /// The entry that was to be taken back.
        entry: Box<Heading>,
        /// Why not.
        #[source]
        error: Box<EditError>,
    },
}

/// Finds the entry that is wanted, in headings from the newest to the oldest; reads no further than it has to.
///
/// # Errors
/// The reader's own, and in it [`UndoError`] when there is no such entry.
pub fn find<E>(
    headings: impl IntoIterator<Item = Result<Heading, E>>,
    wanted: Wanted<'_>,
) -> Result<Result<Found, UndoError>, E> {
    let mut passed: Vec<(u64, Option<u64>)> = Vec::new();
    let mut spent: BTreeMap<u64, u64> = BTreeMap::new();
    for heading in headings {
        let heading = heading?;
        let revision = heading.revision;
        let own = |whose: Option<&Origin>| whose.is_none_or(|by| heading.origin.is_caller_of(by));
        let alive = !spent.contains_key(&revision);
        let found = match (wanted, &heading.turn) {
            (Wanted::Undo(whose), Turn::Edit | Turn::Redo(_))
            | (Wanted::Redo(whose), Turn::Undo(_)) => own(whose) && alive,
            (Wanted::Redo(whose), Turn::Edit) if own(whose) => {
                return Ok(Err(UndoError::NothingToRedo));
            }
            (Wanted::Revision(wanted), turn) if wanted == revision => {
                match (spent.get(&wanted), turn) {
                    (_, Turn::Checkpoint(_)) => return Ok(Err(UndoError::Checkpoint(revision))),
                    (Some(&by), _) => return Ok(Err(UndoError::TakenBack { revision, by })),
                    (None, _) => true,
                }
            }
            (Wanted::Revision(wanted), _) if wanted > revision => break,
            (Wanted::Undo(_) | Wanted::Redo(_) | Wanted::Revision(_), _) => false,
        };
        if found {
            let standing = standing(revision, &passed);
            return Ok(Ok(Found { revision, standing }));
        }
        if let Some(other) = heading.turn.takes_back() {
            spent.insert(other, revision);
        }
        passed.push((revision, heading.turn.takes_back()));
    }
    Ok(Err(match wanted {
        Wanted::Undo(None) => UndoError::NothingToUndo,
        Wanted::Undo(Some(origin)) => UndoError::NothingOwnToUndo(origin.client.clone()),
        Wanted::Redo(_) => UndoError::NothingToRedo,
        Wanted::Revision(revision) => UndoError::UnknownRevision(revision),
    }))
}

/// The last entries of the chains that had an odd number of entries after `target`, the newest first.
fn standing(target: u64, later: &[(u64, Option<u64>)]) -> Vec<u64> {
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
    let mut standing: Vec<u64> = odd.into_values().collect();
    standing.sort_unstable_by(|one, other| other.cmp(one));
    standing
}

/// What keeps an entry from being taken back: later ones that wrote the same, or rely on it.
#[derive(Debug)]
pub struct Obstacles(Touched);

impl Obstacles {
    /// Those of an entry: what takes it back writes more than it did itself, as the links of a node that it deleted.
    pub fn of(entry: &Entry) -> Self {
        Obstacles(Touched::by(&entry.edit).and(&entry.inverse))
    }

    /// Whether `later`, which stands, is one.
    pub fn include(&self, later: &Entry) -> bool {
        Touched::is_in_way_of(&Touched::by(&later.edit), &self.0)
    }
}

/// The edit that takes an entry back, checked, with its words.
///
/// # Errors
/// [`UndoError::Refused`] when the document does not allow it any more.
pub fn taking_back(
    document: &Document,
    entry: &Entry,
) -> Result<(Checked, String, Turn), UndoError> {
    let checked = check(document, &entry.inverse).map_err(|error| UndoError::Refused {
        entry: Box::new(entry.heading.clone()),
        error: Box::new(error),
    })?;
    let heading = &entry.heading;
    let bare = ["undo: ", "redo: "]
        .iter()
        .find_map(|verb| heading.label.strip_prefix(verb))
        .unwrap_or(&heading.label);
    Ok(match heading.turn {
        Turn::Undo(_) => (
            checked,
            format!("redo: {bare}"),
            Turn::Redo(heading.revision),
        ),
        Turn::Edit | Turn::Redo(_) | Turn::Checkpoint(_) => (
            checked,
            format!("undo: {bare}"),
            Turn::Undo(heading.revision),
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::super::Caller;
    use super::*;

    /// A log in short: who, and what each entry takes back; `-` for an edit, `u3` and `r4` for the others.
    fn log(text: &str) -> Vec<Heading> {
        let entry = |(at, word): (usize, &str)| {
            let (who, what) = word.split_at(1);
            let number = || what[1..].parse().unwrap();
            let turn = match &what[..1] {
                "-" => Turn::Edit,
                "u" => Turn::Undo(number()),
                "r" => Turn::Redo(number()),
                _ => Turn::Checkpoint("c".to_owned()),
            };
            Heading {
                revision: at as u64 + 1,
                at: 0,
                origin: origin(who),
                label: word.to_owned(),
                turn,
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

    fn check(text: &str, wanted: Wanted<'_>, expected: Result<(u64, &[u64]), UndoError>) {
        let headings = log(text).into_iter().rev().map(Ok::<_, ()>);
        let found = find(headings, wanted).unwrap();
        let found = found.map(|found| (found.revision, found.standing));
        let expected = expected.map(|(revision, standing)| (revision, standing.to_vec()));
        assert_eq!(found, expected, "{wanted:?} in {text}");
    }

    #[test]
    fn the_last_step_that_is_not_taken_back_is_undone() {
        let (a, b, c) = (origin("a"), origin("b"), origin("c"));
        check("a- b- a-", Wanted::Undo(Some(&a)), Ok((3, &[])));
        check("a- b- a-", Wanted::Undo(Some(&b)), Ok((2, &[3])));
        check("a- b- a- au3", Wanted::Undo(Some(&a)), Ok((1, &[2])));
        check("a- b- a- au3", Wanted::Undo(Some(&b)), Ok((2, &[])));
        check("a- au1 ar2", Wanted::Undo(Some(&a)), Ok((3, &[])));
        check("a- ac", Wanted::Undo(None), Ok((1, &[2])));
        check("a- au1", Wanted::Undo(None), Err(UndoError::NothingToUndo));
        check(
            "a-",
            Wanted::Undo(Some(&c)),
            Err(UndoError::NothingOwnToUndo("c".to_owned())),
        );
    }

    #[test]
    fn undone_steps_come_back_in_turn_until_something_is_done() {
        let (a, b) = (origin("a"), origin("b"));
        check("a- a- au2 au1", Wanted::Redo(Some(&a)), Ok((4, &[])));
        check(
            "a- a- au2 au1 ar4",
            Wanted::Redo(Some(&a)),
            Ok((3, &[4, 5][..0])),
        );
        check("a- au1 b-", Wanted::Redo(Some(&a)), Ok((2, &[3])));
        check(
            "a- au1 b-",
            Wanted::Redo(None),
            Err(UndoError::NothingToRedo),
        );
        check(
            "a- au1 a-",
            Wanted::Redo(Some(&a)),
            Err(UndoError::NothingToRedo),
        );
        check(
            "a- au1",
            Wanted::Redo(Some(&b)),
            Err(UndoError::NothingToRedo),
        );
    }

    #[test]
    fn a_named_step_is_taken_back_once() {
        check("a- b- a-", Wanted::Revision(2), Ok((2, &[3])));
        check(
            "a- au1",
            Wanted::Revision(1),
            Err(UndoError::TakenBack { revision: 1, by: 2 }),
        );
        check("a- ac", Wanted::Revision(2), Err(UndoError::Checkpoint(2)));
        check(
            "a- a-",
            Wanted::Revision(3),
            Err(UndoError::UnknownRevision(3)),
        );
        // What came and went since does not stand; what went only since does.
        check("a- b- b- bu3", Wanted::Revision(2), Ok((2, &[])));
        check("a- b- au1", Wanted::Revision(2), Ok((2, &[3])));
        check("a- b- au1 ar3", Wanted::Revision(2), Ok((2, &[])));
        check("b- bu1 a- br2", Wanted::Revision(3), Ok((3, &[4])));
    }
}
