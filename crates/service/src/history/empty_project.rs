//! Clearing a project in one undoable step.

use fibula_core::edit::{self, Origin, State};
use fibula_core::graph::Document;

use crate::effects::Effects;
use crate::project::change::{CommitOptions, PendingEdit};
use crate::refusal::Result;
use crate::service::Service;

json_structs! {
    /// Project to empty.
    pub request(Default) struct EmptyProject {
        project,
        expected_revision,
        dry_run,
    }

    /// What was removed.
    pub answer struct ProjectEmptied {
        pub success: bool,
        pub revision: u64,
        #[serde(flatten)]
        pub effects: Effects,
        pub dry_run: Option<bool>,
    }
}

impl Service {
    /// Removes everything from a project: functions, objects, files, build and metadata. The history keeps it.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if there is no such project, or it is not at the expected revision.
    pub fn empty_project(&self, origin: &Origin, request: &EmptyProject) -> Result<ProjectEmptied> {
        const LABEL: &str = "empty the project";
        let project = self.project(request.project.as_deref())?;
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let empty = Document::default();
        // A change without effect leaves no entry.
        if project.read(|state| state.document().hash() == empty.hash())? {
            return Ok(ProjectEmptied {
                success: true,
                revision: project.check_options(condition)?,
                effects: Effects::default(),
                dry_run: request.dry_run.then_some(true),
            });
        }
        let decide = |state: &State| {
            let checked = edit::restoring(state.document(), &empty)?;
            let (effects, _) = Effects::between(state.document(), &empty);
            Ok((
                PendingEdit::labelled(checked, Some(LABEL.to_owned())),
                effects,
            ))
        };
        project.change_optimistically(origin, condition, decide, |_, done, effects| {
            ProjectEmptied {
                success: true,
                revision: done.revision,
                effects,
                dry_run: done.dry_run,
            }
        })
    }
}
