//! A stage: edits tried one after the other on a copy, to become one edit or none.

use super::check::{check, one};
use super::{Change, Checked, Edit, EditError, Plan};
use crate::graph::{Document, GraphError, MOST_NODES};

/// Edits tried on a copy of a document; the copy shares what they do not change.
#[derive(Debug)]
pub struct Stage {
    document: Document,
    edits: Vec<Edit>,
    inverses: Vec<Edit>,
    /// How many nodes were added.
    added: usize,
}

/// The refusal of one of several edits.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("edit {index} ({summary}): {error}")]
pub struct AtEdit {
    /// The edit's place, counted from 0.
    pub index: usize,
    /// What the edit was to do.
    pub summary: String,
    /// Why it was refused.
    #[source]
    pub error: EditError,
}

impl Stage {
    /// A stage on which nothing was done yet.
    pub fn new(document: &Document) -> Self {
        Stage {
            document: document.clone(),
            edits: Vec::new(),
            inverses: Vec::new(),
            added: 0,
        }
    }

    /// The document with the edits so far.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Does one more edit.
    ///
    /// # Errors
    /// The edit's refusal; the stage is then as it was.
    pub fn push(&mut self, edit: &Edit) -> Result<Change, EditError> {
        let checked = check(&self.document, edit)?;
        let added = match checked.edit() {
            Edit::SetFunction(data) => data.nodes.len(),
            Edit::CreateNode { .. } => 1,
            _ => 0,
        };
        if self.added + added > MOST_NODES {
            return Err(GraphError::TooLarge {
                what: "one step",
                limit: MOST_NODES,
            }
            .into());
        }
        self.added += added;
        self.edits.push(checked.edit().clone());
        self.inverses.push(checked.inverse().clone());
        Ok(checked.apply(&mut self.document))
    }

    /// The edits as one, checked.
    pub fn finish(self) -> Checked {
        self.finish_as(Change::default())
    }

    /// The edits as one, checked, which made what one of them made.
    pub fn finish_as(mut self, change: Change) -> Checked {
        self.inverses.reverse();
        Checked {
            edit: one(self.edits),
            inverse: one(self.inverses),
            change,
            plan: Plan::Staged(self.document),
        }
    }
}
