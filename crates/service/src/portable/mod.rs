//! Whole projects as files of JSON Lines, which any store reads and a person can.
//!
//! The first line tells what it is, the last how much there was, so that a file that was cut off is noticed. Between
//! them are the state that the log begins with, if it does not begin with nothing, every entry in its order, and the
//! bytes of files, each before the line that first names them:
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
//! Every entry is replayed when it is written and when it is read, and has to lead to the state that it names.

mod export;
mod import;
mod lines;
mod schema;

pub use export::{Export, Exported};
pub use import::{ImportProject, ProjectImported};
pub use schema::project_schema;

/// What the names of projects begin with that are not whole yet. Names that people give have no slash.
const HIDDEN: &str = "import/";

/// Whether a project of this name is not whole yet, and not to be shown.
pub fn is_hidden(name: &str) -> bool {
    name.starts_with(HIDDEN)
}
