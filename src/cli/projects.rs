//! `fibula projects`, `fibula history` and `fibula project`: what a store keeps, and what can be done to it.

use std::io::Read as _;

use clap::{Args, Subcommand};

use super::data::{Data, Use};
use super::files::origin;
use super::output::{Failure, print, print_json, table};
use crate::service::{
    Checkpoint, Compact, DeleteProject, DuplicateProject, GetHistory, HistoryItem, ListProjects,
    ProjectInfo, Redact, Refusal, RenameProject, Restore, RestoreProject, Service, Undo,
};

#[derive(Debug, Args)]
pub(super) struct Projects {
    /// Those that were deleted, which can be brought back.
    #[arg(long)]
    deleted: bool,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: Data,
}

#[derive(Debug, Args)]
pub(super) struct History {
    /// The project.
    project: String,
    /// At most so many changes, the newest ones.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Show every single edit of each change.
    #[arg(long)]
    changes: bool,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: Data,
}

#[derive(Debug, Args)]
pub(super) struct Project {
    #[command(subcommand)]
    verb: Verb,
    #[command(flatten)]
    data: Data,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Take back the last change, whoever made it, or a certain one.
    Undo {
        /// The project.
        project: String,
        /// The change to take back.
        #[arg(long, value_name = "N")]
        revision: Option<u64>,
        /// Take back the last undo instead.
        #[arg(long, conflicts_with = "revision")]
        redo: bool,
    },
    /// Give the present state a name, to which the project can be restored.
    Checkpoint {
        /// The project.
        project: String,
        /// The name, such as 'before the holes'.
        name: String,
    },
    /// Make the project what it was at a revision or checkpoint; that can be undone.
    Restore {
        /// The project.
        project: String,
        /// As it was at this revision.
        #[arg(long, value_name = "N", required_unless_present = "checkpoint")]
        revision: Option<u64>,
        /// As it was at this checkpoint.
        #[arg(long, value_name = "NAME", conflicts_with = "revision")]
        checkpoint: Option<String>,
    },
    /// Call the project something else.
    Rename {
        /// The project.
        project: String,
        /// Its new name.
        name: String,
    },
    /// Copy the project as it is; the copy has a history of its own.
    Copy {
        /// The project.
        project: String,
        /// The name of the copy.
        name: String,
        /// As it was at this revision.
        #[arg(long, value_name = "N")]
        revision: Option<u64>,
    },
    /// Put the project aside; `undelete` brings it back.
    Delete {
        /// The project.
        project: String,
    },
    /// Bring a deleted project back.
    Undelete {
        /// The name it had.
        project: String,
        /// Its name from now on, if not as before.
        #[arg(long = "as", value_name = "NAME")]
        name: Option<String>,
    },
    /// Remove a deleted project for good.
    Purge {
        /// The name it had.
        project: String,
    },
    /// Forget the history, or its beginning; that cannot be undone.
    Compact {
        /// The project.
        project: String,
        /// Forget what came before this revision; all but the newest change if left out.
        #[arg(long, value_name = "N")]
        revision: Option<u64>,
        /// Only tell what would go.
        #[arg(long)]
        dry_run: bool,
    },
    /// Take a text out of the project and all of its history; that cannot be undone.
    Redact {
        /// The project.
        project: String,
        /// The text; - reads it from standard input, so that the shell does not keep it.
        text: String,
        /// What takes its place; [redacted] if left out.
        #[arg(long, value_name = "TEXT")]
        replacement: Option<String>,
        /// Only tell where it is.
        #[arg(long)]
        dry_run: bool,
    },
}

impl Projects {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let service = self.data.service(Use::Read)?;
        let projects = all(&service, self.deleted)?;
        if self.json {
            return print_json(&projects);
        }
        if projects.is_empty() {
            return print("no projects\n");
        }
        let when = if self.deleted { "deleted" } else { "changed" };
        let head = ["project", "functions", "revision", when].map(str::to_owned);
        let row = |project: &ProjectInfo| {
            let when = if self.deleted {
                &project.deleted
            } else {
                &project.changed
            };
            vec![
                project.project.clone(),
                project.functions.to_string(),
                project.revision.to_string(),
                when.clone().unwrap_or_default(),
            ]
        };
        let rows = std::iter::once(head.to_vec()).chain(projects.iter().map(row));
        print(&table(&rows.collect::<Vec<_>>()))
    }
}

fn all(service: &Service, deleted: bool) -> Result<Vec<ProjectInfo>, Refusal> {
    let mut all = Vec::new();
    let mut request = ListProjects {
        deleted,
        ..ListProjects::default()
    };
    loop {
        let page = service.list_projects(&request)?;
        all.extend(page.projects);
        match page.next_cursor {
            Some(cursor) => request.cursor = Some(cursor),
            None => return Ok(all),
        }
    }
}

impl History {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let service = self.data.service(Use::Read)?;
        let mut request = GetHistory {
            project: Some(self.project.clone()),
            changes: self.changes,
            ..GetHistory::default()
        };
        let mut shown = service.get_history(&request)?;
        while shown.entries.len() < self.limit
            && let Some(cursor) = shown.next_cursor.take()
        {
            request.cursor = Some(cursor);
            let page = service.get_history(&request)?;
            shown.entries.extend(page.entries);
            shown.next_cursor = page.next_cursor;
        }
        shown.entries.truncate(self.limit);
        if self.json {
            return print_json(&shown.entries);
        }
        let mut rows = Vec::new();
        for entry in &shown.entries {
            rows.push(row(entry));
            for change in entry.changes.iter().flatten() {
                let indent = vec![
                    String::new(),
                    String::new(),
                    String::new(),
                    format!("  {change}"),
                ];
                rows.push(indent);
            }
        }
        let mut text = table(&rows);
        let more = shown.total - shown.entries.len();
        if more > 0 {
            text.push_str(&format!(
                "and {more} earlier; --limit {} shows all\n",
                shown.total
            ));
        }
        print(&text)
    }
}

fn row(entry: &HistoryItem) -> Vec<String> {
    vec![
        entry.revision.to_string(),
        entry.at.clone(),
        entry.client.clone(),
        entry.label.clone(),
    ]
}

impl Project {
    pub(super) fn run(self) -> Result<(), Failure> {
        let service = self.data.service(Use::Change)?;
        print(&format!("{}\n", self.verb.run(&service)?))
    }
}

impl Verb {
    /// Does it; gives what is to be said of it.
    fn run(self, service: &Service) -> Result<String, Failure> {
        let at = |project: &str, revision: u64, label: &str| {
            format!("{project} is at revision {revision}: {label}")
        };
        Ok(match self {
            Verb::Undo {
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
                let undone = service.undo(&origin("undo"), &request)?;
                at(&project, undone.revision, &undone.label)
            }
            Verb::Checkpoint { project, name } => {
                let request = Checkpoint {
                    project: Some(project.clone()),
                    name,
                    expected_revision: None,
                    dry_run: false,
                };
                let done = service.checkpoint(&origin("checkpoint"), &request)?;
                at(&project, done.revision, &done.label)
            }
            Verb::Restore {
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
                let done = service.restore(&origin("restore"), &request)?;
                at(&project, done.revision, &done.label)
            }
            Verb::Rename { project, name } => {
                let named = service.rename_project(RenameProject { project, name })?;
                format!("{} is at revision {}", named.project, named.revision)
            }
            Verb::Copy {
                project,
                name,
                revision,
            } => {
                let request = DuplicateProject {
                    project,
                    name,
                    revision,
                };
                let copy = service.duplicate_project(&origin("copy"), request)?;
                format!("{} is at revision {}", copy.project, copy.revision)
            }
            Verb::Delete { project } => {
                let request = DeleteProject {
                    project,
                    expected_revision: None,
                };
                let deleted = service.delete_project(&request)?;
                format!(
                    "{0} is deleted; `fibula project undelete {0}` brings it back",
                    deleted.project
                )
            }
            Verb::Undelete { project, name } => {
                let back = service.restore_project(RestoreProject { project, name })?;
                format!("{} is at revision {}", back.project, back.revision)
            }
            Verb::Purge { project } => {
                service.purge_project(&project)?;
                format!("{project} is gone for good")
            }
            Verb::Compact {
                project,
                revision,
                dry_run,
            } => {
                let request = Compact {
                    project: Some(project),
                    revision,
                    dry_run,
                };
                let done = service.compact(&request)?;
                let went = if dry_run { "would go" } else { "went" };
                format!(
                    "{} begins with revision {}: {} entries {went}",
                    done.project, done.first_revision, done.entries
                )
            }
            Verb::Redact {
                project,
                text,
                replacement,
                dry_run,
            } => {
                let request = Redact {
                    project: Some(project),
                    text: typed(text)?,
                    replacement,
                    dry_run,
                };
                let done = service.redact(&request)?;
                let went = if dry_run { "is" } else { "was" };
                format!(
                    "the text {went} in {} places of {} entries of {}; backups and exports still have it",
                    done.places, done.entries, done.project
                )
            }
        })
    }
}

/// The text that was given, or that stands on standard input.
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
