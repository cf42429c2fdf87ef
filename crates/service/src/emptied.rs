//! A project emptied by one step, which can be undone.

use fibula_core::edit::{self, Origin, State};
use fibula_core::graph::Document;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Service;
use super::history::Undone;
use super::project::{Condition, Step};
use super::refusal::Refusal;

/// The project that is to have nothing any more.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmptyProject {
    /// Left out: "default".
    pub project: Option<String>,
    /// Refuse at any other.
    pub expected_revision: Option<u64>,
    /// true tries it and changes nothing.
    #[serde(default)]
    pub dry_run: bool,
}

impl Service {
    /// Takes everything out of a project: functions, objects, files, the build, metadata. The history still has it.
    ///
    /// # Errors
    /// A [`Refusal`] when there is no such project, or it is at another revision than the expected one.
    pub fn empty_project(
        &self,
        origin: &Origin,
        request: &EmptyProject,
    ) -> Result<Undone, Refusal> {
        const LABEL: &str = "empty the project";
        let project = self.project(request.project.as_deref())?;
        let condition = Condition::new(request.expected_revision, request.dry_run);
        let empty = Document::default();
        // What changes nothing leaves no entry.
        if project.read(|state| state.document().hash() == empty.hash())? {
            return Ok(Undone {
                success: true,
                revision: project.admitted(condition)?,
                label: "nothing to empty".to_owned(),
                dry_run: request.dry_run.then_some(true),
            });
        }
        let decide = |state: &State| {
            let checked = edit::restoring(state.document(), &empty)?;
            Ok((Step::labelled(checked, Some(LABEL.to_owned())), ()))
        };
        project.change_apart(origin, condition, decide, |_, done, ()| Undone {
            success: true,
            revision: done.revision,
            label: done.label.clone(),
            dry_run: done.dry_run,
        })
    }
}
