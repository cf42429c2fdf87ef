//! `fibula projects` and `fibula history`: lists of projects and of changes.

use std::fmt::Write as _;

use clap::Args;
use fibula_service::{GetHistory, HistoryItem, ListProjects, ProjectInfo, Refusal, Service};

use super::data::{Data, StoreAccess};
use super::files::all_pages;
use super::output::{Failure, OutputArgs, print, print_json, table, table_with_head, warn};

#[derive(Debug, Args)]
pub(super) struct Projects {
    /// Deleted projects, which can be restored.
    #[arg(long)]
    deleted: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    data: Data,
}

#[derive(Debug, Args)]
pub(super) struct History {
    /// The project.
    project: String,
    /// Maximum number of changes, the newest first.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Show all edits of each change.
    #[arg(long)]
    changes: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    data: Data,
}

impl Projects {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let service = self.data.service(StoreAccess::Read)?;
        let projects = all(&service, self.deleted)?;
        self.output.print(&projects[..], |all| self.overview(all))?;
        let damaged = projects.iter().filter(|project| project.damage.is_some());
        let damaged: Vec<String> = damaged
            .map(|project| format!("'{}'", project.project))
            .collect();
        if damaged.is_empty() {
            return Ok(());
        }
        let message = format!("damaged projects: {}", damaged.join(", "));
        Err(Refusal::new("damaged_store", message)
            .hint("`fibula verify` reports the damage, `fibula recover` saves what is left")
            .into())
    }

    fn overview(&self, projects: &[ProjectInfo]) -> String {
        if projects.is_empty() {
            return "no projects\n".to_owned();
        }
        let when = if self.deleted { "deleted" } else { "changed" };
        let head = ["project", "functions", "revision", when];
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
        table_with_head(&head, projects.iter().map(row))
    }
}

fn all(service: &Service, deleted: bool) -> Result<Vec<ProjectInfo>, Refusal> {
    all_pages(|cursor| {
        let page = service.list_projects(&ListProjects {
            deleted,
            cursor,
            ..ListProjects::default()
        })?;
        Ok((page.projects, page.next_cursor))
    })
}

impl History {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let service = self.data.reader(Some(&self.project))?;
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
            shown.warnings.extend(page.warnings);
            shown.next_cursor = page.next_cursor;
        }
        shown.entries.truncate(self.limit);
        warn(&shown.warnings);
        if self.output.json {
            return print_json(&shown.entries);
        }
        if shown.entries.is_empty() {
            let text = format!("{} begins with revision {}\n", self.project, shown.revision);
            return print(&text);
        }
        let mut rows = Vec::new();
        for entry in &shown.entries {
            rows.push(row(entry));
            for change in entry.changes.iter().flatten() {
                let indent = [const { String::new() }; 3];
                rows.push([&indent[..], &[format!("  {change}")]].concat());
            }
        }
        let mut text = table(&rows);
        let more = shown.total - shown.entries.len();
        if more > 0 {
            let total = shown.total;
            let _ = writeln!(text, "and {more} earlier; --limit {total} shows all");
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
