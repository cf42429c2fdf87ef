//! Batches of edits: their JSON form, aliases, and refactorings.

mod alias;
mod results;
mod size;

mod edit_json;

mod apply_edits;

pub use apply_edits::{ApplyEdits, EditsApplied};
pub use results::EditResult;
