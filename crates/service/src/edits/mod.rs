//! Batches of edits: their JSON form, aliases, and refactorings.

mod alias;
mod checked_definitions;
mod edit_request;
mod results;

mod edit_json;
mod edit_schema;
mod function_names;
mod size;

mod apply_edits;
mod batch;
mod trial;

pub(crate) use size::is_quick;
pub(crate) use trial::tried;

pub use apply_edits::{ApplyEdits, EditsApplied};
pub use edit_request::edit_kinds;
pub use edit_schema::edit_schema;
pub use results::EditResult;
