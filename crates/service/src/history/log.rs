//! History of a project: listing, undo and redo, checkpoints, and restoring.

use std::collections::BTreeSet;

use fibula_core::edit::undo::UndoTarget;
use fibula_core::edit::{self, Edit, EntryKind, Heading, Origin, State};
use fibula_core::graph::{self, Document};
use fibula_store::StoreError;
use serde_json::json;

use crate::effects::Effects;
use crate::following_values::FollowingValues;
use crate::knowledge::{AffectedIntent, Intent, MovedEdge};
use crate::paging::Paging;
use crate::project::change::{CommitOptions, Committed, PendingEdit};
use crate::refusal::{Refusal, Result, did_you_mean, quoted};
use crate::schema_types::ObjectForm;
use crate::service::Service;

json_structs! {
    /// Filter of the history.
    pub request(Default) struct GetHistory {
        project,
        /// Maximum number of entries per page; default 50.
        pub limit: Option<u32>,
        cursor,
        /// true lists the edits of each entry.
        pub changes: bool,
        /// true: only checkpoints.
        pub checkpoints: bool,
    }

    /// Page of a history, newest change first.
    pub answer struct HistoryShown {
        pub success: bool,
        pub entries: Vec<HistoryItem>,
        pub revision: u64,
        /// Number of entries on all pages.
        pub total: usize,
        pub next_cursor: Option<String>,
        pub next: Option<String>,
        /// Entries that are missing or damaged.
        pub warnings: Vec<String> = [],
    }

    /// An entry of the history.
    pub answer struct HistoryItem {
        pub revision: u64,
        /// UTC, as in 2026-01-31T12:00:00.000Z.
        pub at: String,
        pub client: String,
        pub tool: String,
        pub label: String,
        /// The revision that it reverted.
        pub undid: Option<u64>,
        /// The undo that it reverted.
        pub redid: Option<u64>,
        /// The name of its checkpoint.
        pub checkpoint: Option<String>,
        /// Descriptions of its edits; the first 50.
        pub changes: Option<Vec<String>>,
        /// Functions that compute or look differently, with `changes`; moved nodes do not count.
        pub functions: Option<Vec<u32>>,
    }

    /// Change to undo or redo.
    pub request(Default) struct Undo {
        project,
        /// true reapplies the last undone change.
        pub redo: bool,
        /// true reverts the last change of anyone.
        pub anyone: bool,
        /// The revision to revert, of any author.
        pub revision: Option<u64>,
        expected_revision,
        dry_run,
    }

    /// Result of undo or redo.
    #[schemars(rename = "Undone")]
    pub answer struct UndoResult {
        pub success: bool,
        pub revision: u64,
        /// Such as "undo: create Addition 3 in function 1".
        pub label: String,
        #[serde(flatten)]
        pub effects: Effects,
        /// Edges of the knowledge graph that are dangling now, since their ends were removed.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub dangling: Vec<Intent> = [],
        /// Edges of the knowledge graph that follow nodes to other ids.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub moved: Vec<MovedEdge> = [],
        /// Edges of the knowledge graph whose function or node has changed.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub intent: Vec<Intent> = [],
        /// Bounds that cut level sets now.
        pub warnings: Vec<String> = [],
        pub dry_run: Option<bool>,
    }

    /// Result of a change that has a label of its own.
    #[schemars(rename = "Labelled")]
    pub answer struct LabelledChange {
        pub success: bool,
        pub revision: u64,
        /// Such as "checkpoint 'before the holes'".
        pub label: String,
        pub dry_run: Option<bool>,
    }

    /// Name of the current state.
    pub request struct Checkpoint {
        project,
        /// The name, such as "before the holes".
        pub name: String,
        expected_revision,
        dry_run,
    }

    /// State to restore.
    pub request(Default) struct Restore {
        project,
        /// State at this revision,
        pub revision: Option<u64>,
        /// or at this checkpoint.
        pub checkpoint: Option<String>,
        expected_revision,
        dry_run,
    }
}

impl Service {
    /// Lists the history of a project.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, or `limit` or `cursor` is invalid.
    pub fn get_history(&self, request: &GetHistory) -> Result<HistoryShown> {
        const DEFAULT_LIMIT: u32 = 50;
        let paging = Paging::new(
            request.limit.or(Some(DEFAULT_LIMIT)),
            request.cursor.as_deref(),
        )?;
        let project = self.project(request.project.as_deref())?;
        let revision = project.end(project.read(State::revision)?);
        let base = project.store.base(project.id)?;
        // Keys that increase towards older entries.
        let before = paging
            .after()
            .map_or(revision + 1, |after| u64::MAX - after);
        let (mut broken, mut damaged) = (None, BTreeSet::new());
        let mut readable = |heading: Result<Heading, StoreError>| {
            heading.or_else(|error| unreadable(error, &mut damaged))
        };
        let entries = project
            .headings(before.min(revision + 1))
            .map_while(|heading| {
                let heading = readable(heading).map_err(|error| broken = Some(error));
                heading
                    .ok()
                    .map(|heading| (u64::MAX - heading.revision, heading))
            })
            // What a damaged entry was is not known.
            .filter(|(_, heading)| {
                !request.checkpoints || is_checkpoint(heading) || heading.origin.client == UNKNOWN
            });
        let page = paging.page(entries, |heading| {
            let entry = request.changes.then(|| project.entry(heading.revision));
            HistoryItem {
                functions: entry.as_ref().map(|entry| {
                    let edits = entry.as_ref().map(|entry| edits(&entry.edit));
                    changed_functions(edits.unwrap_or_default())
                }),
                changes: entry.map(|entry| match entry {
                    Ok(entry) => changes(edits(&entry.edit)),
                    Err(error) => vec![error.to_string()],
                }),
                ..item(heading)
            }
        });
        if let Some(error) = broken {
            return Err(error.into());
        }
        let total = if request.checkpoints {
            let mut count = 0;
            for heading in project.headings(revision + 1) {
                let heading = readable(heading)?;
                count += usize::from(is_checkpoint(&heading) || heading.origin.client == UNKNOWN);
            }
            count
        } else {
            // Another process may have compacted further than was read here.
            revision.saturating_sub(base) as usize
        };
        Ok(HistoryShown {
            success: true,
            entries: page.items,
            revision,
            total,
            next_cursor: page.next_cursor,
            next: (total == 0).then(|| {
                let text = if request.checkpoints {
                    "no state has a name: omit checkpoints for all changes"
                } else {
                    "nothing has been changed yet: create_function_from_expression makes a function, import reads a file"
                };
                text.to_owned()
            }),
            warnings: damaged.into_iter().collect(),
        })
    }

    /// Undoes a change, or redoes an undone one: the caller's last, anyone's last, or that of a revision.
    ///
    /// # Errors
    /// A [`Refusal`] if there is nothing to undo or redo, or a later change conflicts, which it names.
    pub fn undo(&self, origin: &Origin, request: &Undo) -> Result<UndoResult> {
        let whose = (!request.anyone).then_some(origin);
        let target = match (request.revision, request.redo) {
            (Some(revision), false) => UndoTarget::Revision(revision),
            (None, false) => UndoTarget::Undo(whose),
            (None, true) => UndoTarget::Redo(whose),
            (Some(revision), true) => {
                let message = "both redo and revision select a change";
                return Err(Refusal::new("invalid_arguments", message).hint(format!(
                    "omit redo; revision: {revision} alone reverts that one, even an undo"
                )));
            }
        };
        let project = self.project(request.project.as_deref())?;
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let decide = |state: &State| {
            let step = project.inverse_of(state, target)?;
            Ok((step, Some(state.document().clone())))
        };
        let undone = project.change_optimistically(origin, condition, decide, undone)?;
        Ok(warned(undone))
    }

    /// Creates a checkpoint: a name for the current state, to which it can be restored.
    ///
    /// # Errors
    /// A [`Refusal`] if the name is invalid or taken.
    pub fn checkpoint(&self, origin: &Origin, request: &Checkpoint) -> Result<LabelledChange> {
        let name = &request.name;
        graph::check_name("a checkpoint's name", name)?;
        let project = self.project(request.project.as_deref())?;
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let decide = |state: &State| {
            if let Some(revision) = state.checkpoints().get(name) {
                let message = format!(
                    "there is already a checkpoint {}: revision {revision}",
                    quoted(name)
                );
                return Err(Refusal::new("duplicate_id", message).hint("choose another name"));
            }
            let step = PendingEdit {
                checked: edit::check(state.document(), &Edit::Batch(Vec::new()))?,
                label: Some(format!("checkpoint '{name}'")),
                kind: EntryKind::Checkpoint(name.clone()),
            };
            Ok((step, ()))
        };
        project.change(origin, condition, decide, |_, done, ()| {
            LabelledChange::from(done)
        })
    }

    /// Restores the state of a revision or checkpoint, as one change that can be undone.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such revision or checkpoint, or nothing differs.
    pub fn restore(&self, origin: &Origin, request: &Restore) -> Result<UndoResult> {
        let project = self.project(request.project.as_deref())?;
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let decide = |state: &State| {
            let (revision, label) = target(state, request)?;
            let then = project.state_at(revision, state.revision())?;
            if then.document().hash() == state.document().hash() {
                let message = format!("the project does not differ from revision {revision}");
                return Err(Refusal::new("nothing_to_restore", message));
            }
            let checked = edit::restoring(state.document(), then.document())?;
            let before = state.document().clone();
            Ok((PendingEdit::labelled(checked, Some(label)), Some(before)))
        };
        let undone = project.change_optimistically(origin, condition, decide, undone)?;
        Ok(warned(undone))
    }
}

/// Returns the revision to restore, and its label for the history.
fn target(state: &State, request: &Restore) -> Result<(u64, String)> {
    match (request.revision, &request.checkpoint) {
        (Some(revision), None) => Ok((revision, format!("restore revision {revision}"))),
        (None, Some(name)) => {
            let Some(&revision) = state.checkpoints().get(name) else {
                let names = state.checkpoints().keys().map(String::as_str);
                let nearest = fibula_nodes::names::nearest(name, names);
                let message = format!("there is no checkpoint {}", quoted(name));
                return Err(Refusal::new("unknown_checkpoint", message)
                    .hint(did_you_mean(&nearest, "get_history lists them"))
                    .details(json!({ "nearest": nearest })));
            };
            let label = format!("restore checkpoint '{name}' (revision {revision})");
            Ok((revision, label))
        }
        (Some(_), Some(_)) | (None, None) => {
            let message = "pass either revision or checkpoint";
            Err(Refusal::new("invalid_arguments", message).hint("get_history lists both"))
        }
    }
}

impl From<&Committed> for LabelledChange {
    fn from(done: &Committed) -> Self {
        LabelledChange {
            success: true,
            revision: done.revision,
            label: done.label.clone(),
            dry_run: done.dry_run,
        }
    }
}

/// The answer; `before` is the document before the change, if it may have changed functions.
fn undone(
    document: &Document,
    done: &Committed,
    before: Option<Document>,
) -> (UndoResult, FollowingValues) {
    let compared = before.map(|before| {
        let (effects, values) = Effects::between(&before, document);
        let following = FollowingValues::of(document, &values, &[]);
        let affected = AffectedIntent::between(&before, document);
        (affected, effects, following)
    });
    let (affected, effects, following) = compared.unwrap_or_default();
    let undone = UndoResult {
        success: true,
        revision: done.revision,
        label: done.label.clone(),
        effects,
        dangling: affected.dangling,
        moved: affected.moved,
        intent: affected.intent,
        warnings: Vec::new(),
        dry_run: done.dry_run,
    };
    (undone, following)
}

/// Adds the warnings about bounds, which take too long to be found during the commit.
fn warned((undone, following): (UndoResult, FollowingValues)) -> UndoResult {
    UndoResult {
        warnings: following.warnings(),
        ..undone
    }
}

fn is_checkpoint(heading: &Heading) -> bool {
    matches!(heading.kind, EntryKind::Checkpoint(_))
}

/// Client of an entry that cannot be read.
const UNKNOWN: &str = "?";

/// Replaces an unreadable entry by a heading that reports the damage, and adds it to `damaged`.
fn unreadable(error: StoreError, damaged: &mut BTreeSet<String>) -> Result<Heading, StoreError> {
    let revision = match &error {
        StoreError::Damaged(damage) => damage.revision(),
        _ => None,
    };
    let Some(revision) = revision else {
        return Err(error);
    };
    damaged.insert(error.to_string());
    Ok(Heading {
        revision,
        at: 0,
        origin: Origin::program(UNKNOWN, "?"),
        label: error.to_string(),
        kind: EntryKind::Edit,
        functions: 0,
    })
}

/// Returns the edits of a batch, or an edit as a list of one.
fn edits(edit: &Edit) -> &[Edit] {
    match edit {
        Edit::Batch(edits) => edits,
        edit => std::slice::from_ref(edit),
    }
}

/// Describes the edits of an entry.
fn changes(edits: &[Edit]) -> Vec<String> {
    const SHOWN: usize = 50;
    edits.iter().take(SHOWN).map(Edit::summary).collect()
}

/// Returns the ids of the functions that edits change, in order.
fn changed_functions(edits: &[Edit]) -> Vec<u32> {
    let changing = edits.iter().filter(|edit| !edit.only_moves());
    let ids: BTreeSet<u32> = changing
        .flat_map(|edit| match edit {
            Edit::Batch(edits) => changed_functions(edits),
            edit => edit.function_id().map(|id| id.0).into_iter().collect(),
        })
        .collect();
    ids.into_iter().collect()
}

pub(crate) fn item(heading: Heading) -> HistoryItem {
    let (mut undid, mut redid, mut checkpoint) = (None, None, None);
    match heading.kind {
        EntryKind::Edit => {}
        EntryKind::Undo(revision) => undid = Some(revision),
        EntryKind::Redo(revision) => redid = Some(revision),
        EntryKind::Checkpoint(name) => checkpoint = Some(name),
    }
    HistoryItem {
        revision: heading.revision,
        at: utc(heading.at),
        client: heading.origin.client,
        tool: heading.origin.tool,
        label: heading.label,
        undid,
        redid,
        checkpoint,
        changes: None,
        functions: None,
    }
}

/// Formats milliseconds since 1970 as ISO 8601, UTC. The date is computed with years that start in March, so that leap
/// days come last (H. Hinnant, "chrono-compatible low-level date algorithms", `civil_from_days`).
pub fn utc(at: u64) -> String {
    let (days, ms) = (at / 86_400_000 + 719_468, at % 86_400_000);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * day + 2) / 153;
    let (month, day) = (
        if shifted < 10 {
            shifted + 3
        } else {
            shifted - 9
        },
        day - (153 * shifted + 2) / 5 + 1,
    );
    let year = year + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
    format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z",
        ms % 1000
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utc_formats_dates() {
        assert_eq!(utc(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(utc(951_782_399_999), "2000-02-28T23:59:59.999Z");
        assert_eq!(utc(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(utc(1_798_675_200_001), "2026-12-31T00:00:00.001Z");
    }
}
