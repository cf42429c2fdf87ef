//! Project files: the log of a project as JSON Lines, readable by any program and independent of the store.
//!
//! The first line identifies the format, the last one counts the others, so that a truncated file is noticed. Between
//! them are the state that the log starts from (unless it is empty), every entry in order, and the bytes of files,
//! each before the first line that refers to it:
//!
//! ```text
//! {"fibula_project":1,"project":"bracket","revision":42,"hash":"9b0c..."}
//! {"base":{"revision":40,"hash":"51e2...","checkpoints":{"before the holes":40},"document":{"functions":[...]}}}
//! {"content":{"hash":"af13...","bytes":"aGVsbG8="}}
//! {"entry":{"revision":41,"at":1798675200001,"origin":{...},"label":"...","turn":"edit","edit":{...},"inverse":{...},"hash":"07aa..."}}
//! {"entry":{"revision":42,...}}
//! {"end":{"entries":2,"contents":1,"revision":42,"hash":"9b0c..."}}
//! ```
//!
//! The module knows lines, not projects: reading a file into a store, and writing one, is left to the callers. They
//! replay every entry and check that it leads to the state whose hash it has.

mod error;
mod format;
mod schema;

pub use error::ProjectFileError;
pub use format::{
    Base, Content, End, EntryLine, First, Line, LineReader, StateHash, write_content, write_line,
};
pub use schema::project_schema;
