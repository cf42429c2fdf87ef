//! A change on its way through a project: its preconditions, the checked edit, and what was committed.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use fibula_core::edit::{Change, Checked, EntryKind, Head, State};
use fibula_core::graph::{ContentHash, Document};

use crate::refusal::Result;

/// Bytes of the meshes of further model parts, which the store has only as parts of packages.
pub(crate) type PartContents = Arc<BTreeMap<ContentHash, Vec<u8>>>;

/// Immutable copy of a document at a revision; later changes do not affect it.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    pub(crate) document: Document,
    pub(crate) head: Head,
    /// Bytes that the document refers to and the store may lack.
    pub(crate) part_contents: PartContents,
}

/// Preconditions of a change, and the flag of a dry run.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CommitOptions {
    pub(crate) expected_revision: Option<u64>,
    pub(crate) dry_run: bool,
}

/// A change that passed its checks and waits to be committed.
#[derive(Debug)]
pub(crate) struct PendingEdit {
    pub(crate) checked: Checked,
    /// Label in the history; the summary of the edit if left out.
    pub(crate) label: Option<String>,
    pub(crate) kind: EntryKind,
}

/// Result of a commit, or of its dry run.
#[derive(Debug)]
pub(crate) struct Committed {
    pub(crate) revision: u64,
    pub(crate) label: String,
    pub(crate) change: Change,
    /// `Some(true)` for a dry run.
    pub(crate) dry_run: Option<bool>,
}

/// Checks a change against a state; with its types erased, so that the commit protocol is compiled once.
pub(crate) type Decide<'a> = dyn FnMut(&State) -> Result<PendingEdit> + 'a;
/// Answers from the document after a change.
pub(crate) type Answer<'a> = dyn FnMut(&Document, &Committed) + 'a;

impl PendingEdit {
    pub(crate) fn edit(checked: Checked) -> Self {
        PendingEdit {
            checked,
            label: None,
            kind: EntryKind::Edit,
        }
    }

    pub(crate) fn labelled(checked: Checked, label: Option<String>) -> Self {
        PendingEdit {
            label,
            ..PendingEdit::edit(checked)
        }
    }
}

impl Snapshot {
    pub(crate) fn of(state: &State) -> Self {
        Snapshot {
            document: state.document().clone(),
            head: state.head(),
            part_contents: PartContents::default(),
        }
    }
}

impl CommitOptions {
    pub(crate) fn new(expected_revision: Option<u64>, dry_run: bool) -> Self {
        CommitOptions {
            expected_revision,
            dry_run,
        }
    }
}

/// Commits a change by a protocol that does not know what `decide` hands to `answer`, nor the answer.
pub(crate) fn erased<X, T>(
    mut decide: impl FnMut(&State) -> Result<(PendingEdit, X)>,
    mut answer: impl FnMut(&Document, &Committed, X) -> T,
    commit: impl FnOnce(&mut Decide<'_>, &mut Answer<'_>) -> Result<()>,
) -> Result<T> {
    // A decision that another process overtook is replaced by the next one, as is its answer.
    let (decided, mut answered) = (Cell::new(None), None);
    let mut decide = |state: &State| {
        let (pending, rest) = decide(state)?;
        decided.set(Some(rest));
        Ok(pending)
    };
    let mut answer = |document: &Document, committed: &Committed| {
        let rest = decided.take().expect("decided before it is committed");
        answered = Some(answer(document, committed, rest));
    };
    commit(&mut decide, &mut answer)?;
    Ok(answered.expect("what is committed is answered"))
}

/// Current time in milliseconds since 1970, UTC.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}
