//! Projects as files of JSON Lines: export and import of whole histories (see [`fibula_store::json_lines`]).
//!
//! Every entry is replayed on export and on import, and must lead to the state that it names.

mod export;
mod import;

pub use export::{Export, ExportResult};
pub use fibula_store::json_lines::project_schema;
pub use import::{ImportProject, ProjectImported};
