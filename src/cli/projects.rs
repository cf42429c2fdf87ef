//! `fibula projects` and `fibula history`: lists of projects and of changes.

use std::fmt::Write as _;

use clap::Args;
use fibula_service::{GetHistory, HistoryItem, ListProjects, ProjectInfo, Refusal, Service};

use super::data::{Data, StoreAccess};
use super::output::{Failure, print, print_json, table};

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

impl Projects {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let service = self.data.service(StoreAccess::Read)?;
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
        let service = self.data.service(StoreAccess::Read)?;
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
        if shown.entries.is_empty() {
            let text = format!("{} begins with revision {}\n", self.project, shown.revision);
            return print(&text);
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
            let _ = writeln!(
                text,
                "and {more} earlier; --limit {} shows all",
                shown.total
            );
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
