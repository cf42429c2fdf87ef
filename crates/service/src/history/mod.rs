//! The history of a project: listing, undo and redo, checkpoints, compaction and redaction.

pub(crate) mod log;

mod empty_project;
mod maintenance;

pub use empty_project::{EmptyProject, ProjectEmptied};
pub use log::{
    Checkpoint, GetHistory, HistoryItem, HistoryShown, LabelledChange, Restore, Undo, UndoResult,
    utc,
};
pub use maintenance::{Compact, CompactionResult, Redact, RedactionResult};
