//! Projects: listing, creation, renaming, duplication and deletion.

use fibula_core::edit::{self, Origin, State};
use fibula_core::graph::Document;
use fibula_store::{ProjectRow, Registration, StoreError, contents};

use crate::functions::definitions::{self, FunctionInfo};
use crate::history::log::{self, HistoryItem};
use crate::paging::Paging;
use crate::project::change::{CommitOptions, PendingEdit, now};
use crate::project::names::{check_name, is_hidden, name_taken};
use crate::refusal::{Refusal, Result, quoted};
use crate::service::Service;

json_structs! {
    /// Filter of projects.
    pub request(Default) struct ListProjects {
        limit,
        cursor,
        /// true lists the deleted ones.
        pub deleted: bool,
    }

    /// The projects, by name.
    pub answer struct ProjectsListed {
        pub success: bool,
        pub projects: Vec<ProjectInfo>,
        pub total: usize,
        pub next_cursor: Option<String>,
    }

    /// A project.
    pub answer struct ProjectInfo {
        pub project: String,
        pub functions: usize,
        pub revision: u64,
        /// Damage of the project, because of which it may be older or have fewer functions here than it had.
        pub damage: Option<String>,
        /// Time of the last change: UTC, as in 2026-01-31T12:00:00.000Z.
        pub changed: Option<String>,
        /// Time of deletion.
        pub deleted: Option<String>,
    }

    /// Project to create.
    pub request struct CreateProject {
        /// The name: up to 256 bytes, no slashes, such as "bracket".
        pub project: String,
    }

    /// The created project.
    pub answer struct ProjectCreated {
        pub success: bool,
        pub project: String,
        pub revision: u64,
    }

    /// Project to rename.
    pub request struct RenameProject {
        /// The project.
        pub project: String,
        /// Its new name.
        pub name: String,
    }

    /// Project to duplicate.
    pub request struct DuplicateProject {
        /// The project.
        pub project: String,
        /// Name of the copy.
        pub name: String,
        /// State at this revision; default: now.
        pub revision: Option<u64>,
    }

    /// Project to delete.
    pub request struct DeleteProject {
        /// The project.
        pub project: String,
        expected_revision,
    }

    /// Deleted project to restore.
    pub request struct RestoreProject {
        /// Its name; of several, the last deleted one is restored.
        pub project: String,
        /// New name; default: the same.
        pub name: Option<String>,
    }

    /// Summary of a project.
    pub answer struct ProjectSummary {
        pub project: String,
        pub revision: u64,
        pub function_count: usize,
        /// The first functions.
        pub functions: Vec<FunctionInfo>,
        /// The last changes, newest first.
        pub history: Vec<HistoryItem>,
    }
}

impl Service {
    /// Lists the projects.
    ///
    /// # Errors
    /// A [`Refusal`] if `limit` or `cursor` is invalid, or the store cannot be read.
    pub fn list_projects(&self, request: &ListProjects) -> Result<ProjectsListed> {
        let paging = Paging::new(request.limit, request.cursor.as_deref())?;
        let rows = self.rows(request.deleted)?;
        let list = rows.iter().enumerate();
        let page = paging.page(list.map(|(place, row)| (place as u64, row)), |row| {
            ProjectInfo {
                damage: self.damage_of(row),
                ..info(row)
            }
        });
        Ok(ProjectsListed {
            success: true,
            projects: page.items,
            total: rows.len(),
            next_cursor: page.next_cursor,
        })
    }

    /// Runs a write, and if there is no such project, creates that first. What is refused creates none, since it is tried
    /// in memory before. Returns true if the project was created.
    ///
    /// # Errors
    /// Those of the write, and of [`create_project`](Self::create_project).
    pub fn creating_project<T>(
        &self,
        project: Option<&str>,
        write: impl Fn(&Service) -> Result<T>,
    ) -> Result<(T, bool)> {
        let project = match (project, write(self)) {
            (Some(project), Err(refusal)) if refusal.code == "unknown_project" => project,
            (_, outcome) => return outcome.map(|done| (done, false)),
        };
        let create = |service: &Service| {
            let project = project.to_owned();
            service.create_project(CreateProject { project })
        };
        let trial = Service::default();
        create(&trial)?;
        write(&trial)?;
        match create(self) {
            Ok(_) => write(self).map(|done| (done, true)),
            // A concurrent call may have created it.
            Err(refusal) if refusal.code == "duplicate_id" => write(self).map(|done| (done, false)),
            Err(refusal) => Err(refusal),
        }
    }

    /// Creates an empty project.
    ///
    /// # Errors
    /// A [`Refusal`] if the name is invalid or taken.
    pub fn create_project(&self, request: CreateProject) -> Result<ProjectCreated> {
        let name = request.project;
        self.check_new_project(&name)?;
        let (register, at) = (name.clone(), now());
        self.register(Registration::Create { name: register, at }, &name)?;
        Ok(project_created(name, 0))
    }

    /// Checks that a project can be created, unless the name is taken.
    ///
    /// # Errors
    /// A [`Refusal`] if the name is invalid, or there are too many projects.
    pub(crate) fn check_new_project(&self, name: &str) -> Result<()> {
        const MOST: usize = 10_000;
        check_name(name)?;
        if self.rows(false)?.len() >= MOST {
            let message = format!("the store cannot hold more than {MOST} projects");
            return Err(Refusal::new("too_large", message)
                .hint("use an existing project; list_projects lists them"));
        }
        Ok(())
    }

    /// Renames a project.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, or the new name is invalid or taken.
    pub fn rename_project(&self, request: RenameProject) -> Result<ProjectCreated> {
        let project = self.project(Some(&request.project))?;
        check_name(&request.name)?;
        let (id, name) = (project.id, request.name.clone());
        self.register(Registration::Rename { id, name }, &request.name)?;
        self.projects.invalidate(&request.project);
        let revision = project.read(State::revision)?;
        Ok(project_created(request.name, revision))
    }

    /// Duplicates a project in its current state or at a revision; the copy has its own history.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project or revision, or the name is invalid or taken.
    pub fn duplicate_project(
        &self,
        origin: &Origin,
        request: DuplicateProject,
    ) -> Result<ProjectCreated> {
        let source = self.project(Some(&request.project))?;
        source.require_sound(request.revision)?;
        let snapshot = source.at(request.revision)?;
        let label = format!(
            "copy of '{}' at revision {}",
            request.project, snapshot.head.revision
        );
        let checked = || edit::restoring(&Document::default(), &snapshot.document);
        checked()?;
        let name = request.name;
        self.create_project(CreateProject {
            project: name.clone(),
        })?;
        let decide = |_: &State| Ok((PendingEdit::labelled(checked()?, Some(label.clone())), ()));
        let condition = CommitOptions::new(Some(0), false);
        let copy = self.project(Some(&name))?;
        for hash in contents::document_hashes(&snapshot.document) {
            if let Some(bytes) = self.store.content(hash)? {
                self.store.put_content(copy.id, &bytes)?;
            }
        }
        let revision =
            copy.change_optimistically(origin, condition, decide, |_, done, ()| done.revision)?;
        Ok(project_created(name, revision))
    }

    /// Deletes a project. It can be restored until it is purged.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, or it is at another revision.
    pub fn delete_project(&self, request: &DeleteProject) -> Result<ProjectCreated> {
        let project = self.project(Some(&request.project))?;
        let condition = CommitOptions::new(request.expected_revision, false);
        let revision = project.check_options(condition)?;
        let (id, at) = (project.id, now());
        self.register(Registration::Delete { id, at }, &request.project)?;
        Ok(project_created(request.project.clone(), revision))
    }

    /// Restores a deleted project.
    ///
    /// # Errors
    /// A [`Refusal`] if no such project was deleted, or another has its name now.
    pub fn restore_project(&self, request: RestoreProject) -> Result<ProjectCreated> {
        let row = self.deleted(&request.project)?;
        let name = request.name.unwrap_or(request.project);
        check_name(&name)?;
        let restore = Registration::Restore {
            id: row.id,
            name: name.clone(),
        };
        self.register(restore, &name)?;
        Ok(project_created(
            name,
            row.newest.map_or(0, |newest| newest.revision),
        ))
    }

    /// Purges a deleted project from the store.
    ///
    /// # Errors
    /// A [`Refusal`] if no such project was deleted.
    pub fn purge_project(&self, name: &str) -> Result<()> {
        let row = self.deleted(name)?;
        self.register(Registration::Purge { id: row.id }, name)
    }

    /// Summarises a project.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project.
    pub fn project_summary(&self, name: Option<&str>) -> Result<ProjectSummary> {
        const SHOWN: usize = 50;
        let project = self.project(name)?;
        let snapshot = project.snapshot()?;
        let headings = project.headings(project.end(snapshot.head.revision) + 1);
        Ok(ProjectSummary {
            project: project.name.to_string(),
            revision: snapshot.head.revision,
            function_count: snapshot.document.function_count(),
            functions: definitions::all(&snapshot.document)
                .take(SHOWN)
                .map(|(_, listed)| listed.info())
                .collect(),
            history: headings
                .take(10)
                .filter_map(Result::ok)
                .map(log::item)
                .collect(),
        })
    }

    /// Completes the name of a project: at most 100 names that begin with `start`, ignoring case.
    pub fn project_names(&self, start: &str) -> Vec<String> {
        let start = start.to_lowercase();
        let names = self.rows(false).unwrap_or_default().into_iter();
        names
            .map(|row| row.name)
            .filter(|name| name.to_lowercase().starts_with(&start))
            .take(100)
            .collect()
    }

    /// Returns every project by name, with a number that it keeps when it is renamed.
    ///
    /// # Errors
    /// A [`Refusal`] if the store cannot be read.
    pub fn project_numbers(&self) -> Result<Vec<(String, u64)>> {
        let rows = self.rows(false)?.into_iter();
        Ok(rows.map(|row| (row.name, row.id.0)).collect())
    }

    /// Completes the id or the name of a function: at most 100 ids and names that begin with `start` in any case; none if
    /// there is no such project.
    pub fn function_keys(&self, project: Option<&str>, start: &str) -> Vec<String> {
        let keys = |state: &State| {
            let folded = start.to_lowercase();
            let all = || definitions::all(state.document());
            let ids = all().map(|(id, _)| id.to_string());
            let names = all().map(|(_, function)| function.name().to_owned());
            let keys = ids.chain(names);
            let begins = |key: &String| key.to_lowercase().starts_with(&folded);
            keys.filter(begins).take(100).collect()
        };
        let project = self.project(project);
        project
            .and_then(|project| project.read(keys))
            .unwrap_or_default()
    }

    /// Damage of a project that shows in its row, or that was found when it was read.
    fn damage_of(&self, row: &ProjectRow) -> Option<String> {
        if let Some(damage) = &row.damage {
            return Some(damage.to_string());
        }
        let found = self.projects.damages(Some(&row.name)).into_iter().next();
        found
            .filter(|_| row.deleted.is_none())
            .map(|found| found.damage.to_string())
    }

    /// Projects by name, including the default one.
    fn rows(&self, deleted: bool) -> Result<Vec<ProjectRow>> {
        if !deleted {
            // The default project always exists; this creates it, unless the store is read-only.
            match self.project(None) {
                Err(refusal) if refusal.code == "unknown_project" => {}
                outcome => drop(outcome?),
            }
        }
        let mut rows = self.store.projects()?;
        rows.retain(|row| row.deleted.is_some() == deleted && !is_hidden(&row.name));
        rows.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(rows)
    }

    fn deleted(&self, name: &str) -> Result<ProjectRow> {
        let rows = self.rows(true)?.into_iter();
        let newest = rows
            .filter(|row| row.name == name)
            .max_by_key(|row| row.deleted);
        newest.ok_or_else(|| {
            let message = format!("no project {} was deleted", quoted(name));
            Refusal::new("unknown_project", message)
                .hint("list_projects with deleted: true lists the deleted ones")
        })
    }

    fn register(&self, change: Registration, name: &str) -> Result<()> {
        let outcome = self.store.register(change);
        self.projects.invalidate(name);
        match outcome {
            Ok(_) => Ok(()),
            Err(StoreError::NameTaken(_)) => Err(name_taken(name)),
            Err(error) => Err(error.into()),
        }
    }
}

fn project_created(project: String, revision: u64) -> ProjectCreated {
    ProjectCreated {
        success: true,
        project,
        revision,
    }
}

fn info(row: &ProjectRow) -> ProjectInfo {
    let newest = row.newest.as_ref();
    ProjectInfo {
        project: row.name.clone(),
        functions: newest.map_or(0, |newest| newest.functions),
        damage: None,
        revision: newest.map_or(0, |newest| newest.revision),
        changed: newest.map(|newest| log::utc(newest.at)),
        deleted: row.deleted.map(log::utc),
    }
}
