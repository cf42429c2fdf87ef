//! `fibula project`: operations on a project.

use std::io::Read as _;

use clap::{Args, Subcommand};
use fibula_service::{
    Checkpoint, Compact, DeleteProject, DuplicateProject, ProjectCreated, Redact, Refusal,
    RenameProject, Restore, RestoreProject, Service, Undo, UndoResult,
};

use super::attachments::Files;
use super::data::{Data, StoreAccess, quoted};
use super::files::origin;
use super::output::{Failure, print};

#[derive(Debug, Args)]
pub(super) struct Project {
    #[command(subcommand)]
    verb: ProjectCommand,
    #[command(flatten)]
    data: Data,
}

#[derive(Debug, Subcommand)]
enum ProjectCommand {
    /// Undo the last change by anyone, or a given one.
    Undo {
        /// The project.
        project: String,
        /// Revision of the change to undo.
        #[arg(long, value_name = "N")]
        revision: Option<u64>,
        /// Redo: undo the last undo.
        #[arg(long, conflicts_with = "revision")]
        redo: bool,
    },
    /// Name the current state, so that the project can be restored to it.
    Checkpoint {
        /// The project.
        project: String,
        /// The name, such as 'before the holes'.
        name: String,
    },
    /// Restore the project to a revision or checkpoint; this can be undone.
    Restore {
        /// The project.
        project: String,
        /// State at this revision.
        #[arg(long, value_name = "N", required_unless_present = "checkpoint")]
        revision: Option<u64>,
        /// State at this checkpoint.
        #[arg(long, value_name = "NAME", conflicts_with = "revision")]
        checkpoint: Option<String>,
    },
    /// List, add, read and remove attached files, such as drawings and packages.
    #[command(subcommand)]
    Files(Files),
    /// Rename the project.
    Rename {
        /// The project.
        project: String,
        /// Its new name.
        name: String,
    },
    /// Copy the project; the copy has its own history.
    Copy {
        /// The project.
        project: String,
        /// The name of the copy.
        name: String,
        /// State at this revision.
        #[arg(long, value_name = "N")]
        revision: Option<u64>,
    },
    /// Delete the project; `undelete` restores it.
    Delete {
        /// The project.
        project: String,
    },
    /// Restore a deleted project.
    Undelete {
        /// The name it had.
        project: String,
        /// New name, if it differs.
        #[arg(long = "as", value_name = "NAME")]
        name: Option<String>,
    },
    /// Permanently remove a deleted project.
    Purge {
        /// The name it had.
        project: String,
    },
    /// Delete the history, or its beginning; this cannot be undone.
    Compact {
        /// The project.
        project: String,
        /// Delete all changes before this revision; default: all but the newest.
        #[arg(long, value_name = "N")]
        revision: Option<u64>,
        /// Only report what would be deleted.
        #[arg(long)]
        dry_run: bool,
    },
    /// Remove a text from the project and its whole history; this cannot be undone.
    Redact {
        /// The project.
        project: String,
        /// The text; - reads it from standard input, so that the shell does not keep it.
        text: String,
        /// Replacement; default: (redacted).
        #[arg(long, value_name = "TEXT")]
        replacement: Option<String>,
        /// Only report where it occurs.
        #[arg(long)]
        dry_run: bool,
    },
}

impl Project {
    pub(super) fn run(self) -> Result<(), Failure> {
        if let ProjectCommand::Files(files) = self.verb {
            return files.run(&self.data);
        }
        let service = self.data.service(StoreAccess::Change)?;
        print(&format!("{}\n", self.verb.run(&service)?))
    }
}

impl ProjectCommand {
    /// Runs the command; returns its output.
    fn run(self, service: &Service) -> Result<String, Refusal> {
        match self {
            ProjectCommand::Undo {
                project,
                revision,
                redo,
            } => {
                let request = Undo {
                    project: Some(project.clone()),
                    redo,
                    anyone: true,
                    revision,
                    ..Undo::default()
                };
                undone(&project, service.undo(&origin("undo"), &request))
            }
            ProjectCommand::Checkpoint { project, name } => {
                let request = Checkpoint {
                    project: Some(project.clone()),
                    name,
                    expected_revision: None,
                    dry_run: false,
                };
                let named = service.checkpoint(&origin("checkpoint"), &request)?;
                Ok(changed(&project, named.revision, &named.label))
            }
            ProjectCommand::Restore {
                project,
                revision,
                checkpoint,
            } => {
                let request = Restore {
                    project: Some(project.clone()),
                    revision,
                    checkpoint,
                    ..Restore::default()
                };
                undone(&project, service.restore(&origin("restore"), &request))
            }
            ProjectCommand::Files(_) => unreachable!("done before"),
            ProjectCommand::Rename { project, name } => {
                there(service.rename_project(RenameProject { project, name }))
            }
            ProjectCommand::Copy {
                project,
                name,
                revision,
            } => {
                let request = DuplicateProject {
                    project,
                    name,
                    revision,
                };
                there(service.duplicate_project(&origin("copy"), request))
            }
            ProjectCommand::Delete { project } => {
                let request = DeleteProject {
                    project,
                    expected_revision: None,
                };
                let name = service.delete_project(&request)?.project;
                let undelete = format!("fibula project undelete {}", quoted(&name));
                Ok(format!("{name} is deleted; `{undelete}` restores it"))
            }
            ProjectCommand::Undelete { project, name } => {
                there(service.restore_project(RestoreProject { project, name }))
            }
            ProjectCommand::Purge { project } => {
                service.purge_project(&project)?;
                Ok(format!("{project} is permanently removed"))
            }
            ProjectCommand::Compact {
                project,
                revision,
                dry_run,
            } => {
                let request = Compact {
                    project: Some(project),
                    revision,
                    expected_revision: None,
                    dry_run,
                };
                compact(service, &request)
            }
            ProjectCommand::Redact {
                project,
                text,
                replacement,
                dry_run,
            } => {
                let request = Redact {
                    project: Some(project),
                    text: typed(text)?,
                    replacement,
                    expected_revision: None,
                    dry_run,
                };
                redact(service, &request)
            }
        }
    }
}

fn undone(project: &str, undone: Result<UndoResult, Refusal>) -> Result<String, Refusal> {
    let undone = undone?;
    Ok(changed(project, undone.revision, &undone.label))
}

fn changed(project: &str, revision: u64, label: &str) -> String {
    format!("{project} is at revision {revision}: {label}")
}

fn there(there: Result<ProjectCreated, Refusal>) -> Result<String, Refusal> {
    there.map(|there| format!("{} is at revision {}", there.project, there.revision))
}

fn compact(service: &Service, request: &Compact) -> Result<String, Refusal> {
    let done = service.compact(request)?;
    let went = if request.dry_run { "would go" } else { "went" };
    Ok(format!(
        "the history of {} up to revision {}: {} entries {went}",
        done.project, done.first_revision, done.entries
    ))
}

fn redact(service: &Service, request: &Redact) -> Result<String, Refusal> {
    let done = service.redact(request)?;
    let was = if request.dry_run { "is" } else { "was" };
    Ok(format!(
        "the text {was} in {} entries of {}, in {} places; backups and exports still have it",
        done.entries, done.project, done.places
    ))
}

/// Returns the text, or standard input for `-`.
fn typed(text: String) -> Result<String, Refusal> {
    if text != "-" {
        return Ok(text);
    }
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| {
            let message = format!("standard input cannot be read: {error}");
            Refusal::new("unreadable_file", message)
        })?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}
