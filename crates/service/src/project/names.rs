//! Names of projects: syntax, conflicts, and the prefix that hides imports in progress.

use fibula_core::graph;

use crate::refusal::{Refusal, Result, quoted};

/// Name of the project of requests that name none.
pub const DEFAULT_PROJECT: &str = "default";

/// Prefix of the names of projects whose import has not finished. Names given by users contain no slash.
pub(crate) const HIDDEN: &str = "import/";

/// Returns true if the project is an unfinished import, which listings hide.
pub fn is_hidden(name: &str) -> bool {
    name.starts_with(HIDDEN)
}

/// Returns the refusal of a name that another project has.
pub(crate) fn name_taken(name: &str) -> Refusal {
    let message = format!("there is already a project {}", quoted(name));
    Refusal::new("duplicate_id", message)
        .hint("pass it as `project` to work in it, or choose another name")
}

pub(crate) fn check_name(name: &str) -> Result<()> {
    graph::check_name("a project's name", name)?;
    if name.trim() != name {
        let message = format!("{} begins or ends with a blank", quoted(name));
        return Err(
            Refusal::new("invalid_name", message).hint(format!("pass {}", quoted(name.trim())))
        );
    }
    if name.contains(['/', '\\']) || matches!(name, "." | "..") {
        let message = format!("{} is not a valid project name", quoted(name));
        return Err(
            Refusal::new("invalid_name", message).hint("use no slashes, and not . or .. alone")
        );
    }
    Ok(())
}
