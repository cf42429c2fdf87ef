//! Projects: listing and making them.

use std::sync::{Arc, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::page::Paging;
use super::project::Project;
use super::refusal::{Refusal, quoted};
use super::{FunctionInfo, HistoryItem, Service, functions, history};
use crate::graph;

/// How many projects a service holds.
const MOST: usize = 10_000;

/// Which projects are wanted.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListProjects {
    /// Most items of a page.
    pub limit: Option<u32>,
    /// The last page's next_cursor.
    pub cursor: Option<String>,
}

/// The projects, by name.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ProjectsListed {
    pub success: bool,
    pub projects: Vec<ProjectInfo>,
    pub total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A project.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ProjectInfo {
    pub project: String,
    pub functions: usize,
    pub revision: u64,
}

/// The project that is to be made.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateProject {
    /// Its name: up to 256 bytes, no slashes, such as "bracket".
    pub project: String,
}

/// The project that was made.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ProjectCreated {
    pub success: bool,
    pub project: String,
    pub revision: u64,
}

/// What a project has, in short.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ProjectSummary {
    pub project: String,
    pub revision: u64,
    pub function_count: usize,
    /// The first functions.
    pub functions: Vec<FunctionInfo>,
    /// The last changes, the newest first.
    pub history: Vec<HistoryItem>,
}

impl Service {
    /// Lists the projects.
    ///
    /// # Errors
    /// A [`Refusal`] when `limit` or `cursor` are wrong.
    pub fn list_projects(&self, request: &ListProjects) -> Result<ProjectsListed, Refusal> {
        let paging = Paging::new(request.limit, request.cursor.as_deref())?;
        let projects = self.projects.read().unwrap_or_else(PoisonError::into_inner);
        let list = projects.values().enumerate();
        let page = paging.page(
            list.map(|(place, project)| (place as u64, project)),
            |project| {
                project.read(|document, history| ProjectInfo {
                    project: project.name.to_string(),
                    functions: functions::count(document),
                    revision: history.revision(),
                })
            },
        );
        Ok(ProjectsListed {
            success: true,
            projects: page.items,
            total: projects.len(),
            next_cursor: page.next_cursor,
        })
    }

    /// Makes an empty project.
    ///
    /// # Errors
    /// A [`Refusal`] when the name is none, or taken.
    pub fn create_project(&self, request: CreateProject) -> Result<ProjectCreated, Refusal> {
        let name = request.project;
        graph::check_name("a project's name", &name)?;
        if name.contains(['/', '\\']) || matches!(name.as_str(), "." | "..") {
            let message = format!("{} is no name of a project", quoted(&name));
            return Err(Refusal::new("invalid_name", message)
                .hint("leave slashes out, and do not use . or .. alone"));
        }
        let mut projects = self
            .projects
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if projects.contains_key(&name) {
            let message = format!("there is a project {} already", quoted(&name));
            return Err(Refusal::new("duplicate_id", message)
                .hint("work in it by naming it as `project`, or choose another name"));
        }
        if projects.len() >= MOST {
            return Err(Refusal::new(
                "too_large",
                format!("there is no room for more than {MOST} projects"),
            )
            .hint("work in one of those there are; list_projects names them"));
        }
        let project = Project::new(&name, self.events.clone());
        projects.insert(name.clone(), Arc::new(project));
        Ok(ProjectCreated {
            success: true,
            project: name,
            revision: 0,
        })
    }

    /// What a project has, in short.
    ///
    /// # Errors
    /// A [`Refusal`] when there is no such project.
    pub fn project_summary(&self, name: Option<&str>) -> Result<ProjectSummary, Refusal> {
        const SHOWN: usize = 50;
        let project = self.project(name)?;
        Ok(project.read(|document, history| ProjectSummary {
            project: project.name.to_string(),
            revision: history.revision(),
            function_count: functions::count(document),
            functions: functions::all(document)
                .take(SHOWN)
                .map(|(_, listed)| listed.info())
                .collect(),
            history: history::newest(history)
                .take(10)
                .map(|(_, item)| history::item(item))
                .collect(),
        }))
    }

    /// The names of projects that begin with `start`, in any case; at most 100.
    pub fn project_names(&self, start: &str) -> Vec<String> {
        let projects = self.projects.read().unwrap_or_else(PoisonError::into_inner);
        let start = start.to_lowercase();
        let names = projects
            .keys()
            .filter(|name| name.to_lowercase().starts_with(&start));
        names.take(100).cloned().collect()
    }

    /// The ids of a project's functions that begin with `start`; at most 100, none if there is no such project.
    pub fn function_ids(&self, project: Option<&str>, start: &str) -> Vec<String> {
        let Ok(project) = self.project(project) else {
            return Vec::new();
        };
        project.read(|document, _| {
            let ids = functions::all(document).map(|(id, _)| id.to_string());
            ids.filter(|id| id.starts_with(start)).take(100).collect()
        })
    }
}
