//! The service: open projects, their store, and the limits of requests.

use std::path::PathBuf;
use std::sync::Arc;

use fibula_core::edit::{self, Edit, Origin, State};
use fibula_core::graph::Document;
use fibula_store::{Memory, Store};

use crate::files::roots::FileRoots;
use crate::project::change::{CommitOptions, Committed, PendingEdit, Snapshot};
use crate::project::commit::Project;
use crate::project::damage::ProjectDamage;
use crate::project::names::DEFAULT_PROJECT;
use crate::project::registry::ProjectRegistry;
use crate::refusal::Result;

/// File access and memory limits of a service.
#[derive(Debug, Clone)]
pub struct Options {
    /// Folders from which files are imported and below which they are written; none by default.
    pub roots: Vec<PathBuf>,
    /// Approximate number of nodes in memory above which unused projects are evicted; they are read again on demand.
    pub most_nodes: usize,
    /// Maximum number of operations of one evaluation over a region, over all its points.
    pub most_work: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            roots: Vec::new(),
            most_nodes: 1_000_000,
            most_work: 100_000_000_000,
        }
    }
}

/// Projects, and every request about them. Requests may be made from any thread; see the [crate documentation](crate).
#[derive(Debug)]
pub struct Service {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) projects: ProjectRegistry,
    pub(crate) files: FileRoots,
    pub(crate) most_work: u64,
}

impl Default for Service {
    fn default() -> Self {
        Service::new(&Options::default())
    }
}

impl Service {
    /// Creates a service that keeps its projects in memory.
    pub fn new(options: &Options) -> Self {
        Service::with_store(Arc::new(Memory::default()), options)
    }

    /// Creates a service over a store, which other processes may use at the same time.
    pub fn with_store(store: Arc<dyn Store>, options: &Options) -> Self {
        Service {
            projects: ProjectRegistry::new(store.clone(), options.most_nodes),
            files: FileRoots::new(&options.roots),
            most_work: options.most_work,
            store,
        }
    }

    /// The store of the projects.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Number of projects in memory; others are opened on demand.
    pub fn open_projects(&self) -> usize {
        self.projects.count()
    }

    /// Returns the damage of a project, reading it if necessary.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if there is no such project, or nothing of it can be read.
    pub fn damage(&self, project: Option<&str>) -> Result<Option<ProjectDamage>> {
        let project = self.project(project)?;
        project.read(|_| ())?;
        Ok(project.damage())
    }

    /// Refuses a damaged project, unless a revision is named: that is either read exactly or refused.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) `damaged_store`; others if there is no such project, or nothing of it can be read.
    pub fn require_sound(&self, project: Option<&str>, revision: Option<u64>) -> Result<()> {
        self.project(project)?.require_sound(revision)
    }

    /// Returns the damage of a project that was found while it was read; that of every such project if none is named.
    /// Reads nothing.
    pub fn found_damage(&self, project: Option<&str>) -> Vec<ProjectDamage> {
        self.projects.damages(project)
    }

    /// Returns the project of a request.
    pub(crate) fn project(&self, name: Option<&str>) -> Result<Arc<Project>> {
        self.projects.project(name.unwrap_or(DEFAULT_PROJECT))
    }

    /// Returns the project of a request as it was at a revision, or as it is now.
    pub(crate) fn snapshot_at(
        &self,
        project: Option<&str>,
        revision: Option<u64>,
    ) -> Result<Snapshot> {
        self.project(project)?.at(revision)
    }

    /// Commits one edit; `answer` sees the document after it.
    pub(crate) fn edit<T>(
        &self,
        project: Option<&str>,
        condition: CommitOptions,
        origin: &Origin,
        edit: &Edit,
        mut answer: impl FnMut(&Document, &Committed) -> T,
    ) -> Result<T> {
        let decide = |state: &State| {
            let checked = edit::check(state.document(), edit)?;
            Ok((PendingEdit::edit(checked), ()))
        };
        self.project(project)?
            .change(origin, condition, decide, |document, done, ()| {
                answer(document, done)
            })
    }
}
