//! The history of a document: every edit that was done, and undo and redo through inverses.
//!
//! Undoing and redoing are edits like any other and get entries of their own; no entry is ever changed.

use serde::{Deserialize, Serialize};

use super::{Change, Checked, Edit, EditError, check};
use crate::graph::Document;

/// Where an edit came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Who: an MCP client's name, "page", "command line" or "library".
    pub client: String,
    /// By which tool or command.
    pub tool: String,
}

/// What an entry did to the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    /// It was a new edit.
    Edit,
    /// It undid the entry with this revision.
    Undo(u64),
    /// It did the entry with this revision again.
    Redo(u64),
}

/// One edit that was done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The document's revision after it, counted from 1 without gaps.
    pub revision: u64,
    /// When: milliseconds since 1970, UTC.
    pub at: u64,
    /// Where it came from.
    pub origin: Origin,
    /// What it did, in words.
    pub label: String,
    /// What it did to earlier entries.
    pub turn: Turn,
    /// The edit, as facts.
    pub edit: Edit,
    /// The edit that undoes it.
    pub inverse: Edit,
}

/// Why a step cannot be undone or redone.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum HistoryError {
    /// Nothing was done that is not undone.
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// Nothing was undone that is not redone, or something was done since.
    #[error("there is nothing to redo")]
    NothingToRedo,
    /// A later change is in the way.
    #[error("revision {revision} ({label}) cannot be {verb}: {error}")]
    InTheWay {
        /// The entry that was to be undone or redone.
        revision: u64,
        /// What it did.
        label: String,
        /// "undone" or "redone".
        verb: &'static str,
        /// What is in the way.
        #[source]
        error: Box<EditError>,
    },
}

/// Every edit that was done to a document.
#[derive(Debug, Clone, Default)]
pub struct History {
    entries: Vec<Entry>,
    /// Indexes of the entries that can be undone, the last on top.
    done: Vec<usize>,
    /// Indexes of the entries that can be redone, with the edit that does it.
    undone: Vec<(usize, Edit)>,
}

impl History {
    /// Every entry, the oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The number of the last entry; 0 if there is none.
    pub fn revision(&self) -> u64 {
        self.entries.len() as u64
    }

    /// Applies a checked edit and writes it down.
    pub fn apply(
        &mut self,
        document: &mut Document,
        checked: Checked,
        label: Option<String>,
        origin: Origin,
        at: u64,
    ) -> Change {
        let label = label.unwrap_or_else(|| checked.edit().summary());
        self.done.push(self.entries.len());
        self.undone.clear();
        self.write(document, checked, label, Turn::Edit, origin, at)
    }

    /// Undoes the last edit that is not undone; gives the new entry.
    ///
    /// # Errors
    /// [`HistoryError`]; the document is then as it was.
    pub fn undo(
        &mut self,
        document: &mut Document,
        origin: Origin,
        at: u64,
    ) -> Result<&Entry, HistoryError> {
        let &index = self.done.last().ok_or(HistoryError::NothingToUndo)?;
        let entry = &self.entries[index];
        let checked =
            check(document, &entry.inverse).map_err(|error| in_the_way(entry, "undone", error))?;
        let (label, turn) = (format!("undo: {}", bare(entry)), Turn::Undo(entry.revision));
        self.done.pop();
        self.undone.push((index, checked.inverse().clone()));
        self.write(document, checked, label, turn, origin, at);
        Ok(&self.entries[self.entries.len() - 1])
    }

    /// Does the last edit that was undone again; gives the new entry.
    ///
    /// # Errors
    /// [`HistoryError`]; the document is then as it was.
    pub fn redo(
        &mut self,
        document: &mut Document,
        origin: Origin,
        at: u64,
    ) -> Result<&Entry, HistoryError> {
        let (index, edit) = self.undone.last().ok_or(HistoryError::NothingToRedo)?;
        let entry = &self.entries[*index];
        let checked = check(document, edit).map_err(|error| in_the_way(entry, "redone", error))?;
        let (label, turn) = (format!("redo: {}", bare(entry)), Turn::Redo(entry.revision));
        self.undone.pop();
        self.done.push(self.entries.len());
        self.write(document, checked, label, turn, origin, at);
        Ok(&self.entries[self.entries.len() - 1])
    }

    fn write(
        &mut self,
        document: &mut Document,
        checked: Checked,
        label: String,
        turn: Turn,
        origin: Origin,
        at: u64,
    ) -> Change {
        let revision = self.revision() + 1;
        let (edit, inverse) = (checked.edit().clone(), checked.inverse().clone());
        self.entries.push(Entry {
            revision,
            at,
            origin,
            label,
            turn,
            edit,
            inverse,
        });
        checked.apply(document)
    }
}

/// What an entry did, without saying that it was done again.
fn bare(entry: &Entry) -> &str {
    match entry.turn {
        Turn::Redo(_) => entry.label.strip_prefix("redo: ").unwrap_or(&entry.label),
        Turn::Edit | Turn::Undo(_) => &entry.label,
    }
}

fn in_the_way(entry: &Entry, verb: &'static str, error: EditError) -> HistoryError {
    HistoryError::InTheWay {
        revision: entry.revision,
        label: entry.label.clone(),
        verb,
        error: Box::new(error),
    }
}
