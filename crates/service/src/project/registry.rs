//! Registry of open projects: opened on first use, evicted when idle or when too many nodes are in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fibula_store::{ProjectId, Registration, Store, StoreError};

use crate::project::change::now;
use crate::project::commit::Project;
use crate::project::damage::ProjectDamage;
use crate::project::names::{DEFAULT_PROJECT, is_hidden};
use crate::project::resource_cache::ResourceCache;
use crate::project::snapshot_threads::SnapshotThreads;
use crate::refusal::{Refusal, Result, did_you_mean, quoted};

/// A project unused for this long is evicted.
const IDLE_TIMEOUT: Duration = Duration::from_secs(600);
/// Interval between two searches for idle projects.
const SWEEP_INTERVAL: Duration = Duration::from_secs(10);

/// Open projects by name.
#[derive(Debug)]
pub(crate) struct ProjectRegistry {
    store: Arc<dyn Store>,
    most_nodes: usize,
    /// Meshes and images of all projects.
    loaded: Arc<ResourceCache>,
    threads: Arc<SnapshotThreads>,
    inner: Mutex<RegistryState>,
}

impl Drop for ProjectRegistry {
    /// Without the snapshot of a large change, whoever opens the project next replays it.
    fn drop(&mut self) {
        self.threads.join();
    }
}

#[derive(Debug)]
struct RegistryState {
    by_name: HashMap<String, OpenProject>,
    /// Number of names that were invalidated; a lookup that began before may be stale.
    invalidations: u64,
    swept: Instant,
}

#[derive(Debug)]
struct OpenProject {
    project: Arc<Project>,
    /// Version of other processes' writes at the time of the lookup.
    foreign_version: u64,
    used: Instant,
}

impl ProjectRegistry {
    pub(crate) fn new(store: Arc<dyn Store>, most_nodes: usize) -> Self {
        ProjectRegistry {
            store,
            most_nodes,
            loaded: Arc::default(),
            threads: Arc::default(),
            inner: Mutex::new(RegistryState {
                by_name: HashMap::new(),
                invalidations: 0,
                swept: Instant::now(),
            }),
        }
    }

    fn inner(&self) -> MutexGuard<'_, RegistryState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the project that has this name now, opening it if necessary.
    pub(crate) fn project(&self, name: &str) -> Result<Arc<Project>> {
        let (foreign_version, used) = (self.store.foreign_writes(), Instant::now());
        let mut inner = self.inner();
        if let Some(opened) = inner.by_name.get_mut(name)
            && opened.foreign_version == foreign_version
        {
            opened.used = used;
            let project = opened.project.clone();
            if used.duration_since(inner.swept) > SWEEP_INTERVAL {
                self.sweep(&mut inner, used);
            }
            return Ok(project);
        }
        let invalidations = inner.invalidations;
        drop(inner);
        let id = self.find(name)?;
        let mut inner = self.inner();
        if inner.invalidations != invalidations {
            drop(inner);
            return self.project(name);
        }
        let known = inner.by_name.get(name).map(|opened| opened.project.clone());
        let project = known.filter(|project| project.id == id);
        let project = project.unwrap_or_else(|| self.open(id, name));
        let opened = OpenProject {
            project: project.clone(),
            foreign_version,
            used,
        };
        inner.by_name.insert(name.to_owned(), opened);
        self.sweep(&mut inner, used);
        Ok(project)
    }

    /// Opens a project, which may have another name in the store until later. It is not kept.
    pub(crate) fn open(&self, id: ProjectId, name: &str) -> Arc<Project> {
        let (store, loaded, threads) = (&self.store, &self.loaded, &self.threads);
        Project::new(store.clone(), id, name, loaded.clone(), threads.clone())
    }

    /// Returns the damage of the open project with this name, or of all if there is no name.
    pub(crate) fn damages(&self, name: Option<&str>) -> Vec<ProjectDamage> {
        let open: Vec<Arc<Project>> = {
            let inner = self.inner();
            let open = inner.by_name.iter();
            let open = open.filter(|(key, _)| name.is_none_or(|name| name == *key));
            let damaged = open.filter(|(_, opened)| opened.project.is_damaged());
            damaged.map(|(_, opened)| opened.project.clone()).collect()
        };
        let mut found: Vec<_> = open.iter().filter_map(|project| project.damage()).collect();
        found.sort_by(|one, other| one.project.cmp(&other.project));
        found
    }

    /// Number of open projects.
    pub(crate) fn count(&self) -> usize {
        self.inner().by_name.len()
    }

    /// Invalidates a name that may refer to another project from now on.
    pub(crate) fn invalidate(&self, name: &str) {
        let mut inner = self.inner();
        inner.by_name.remove(name);
        inner.invalidations += 1;
    }

    fn find(&self, name: &str) -> Result<ProjectId> {
        if let Some(id) = self.store.find(name)? {
            return Ok(id);
        }
        if name == DEFAULT_PROJECT {
            let create = Registration::Create {
                name: name.to_owned(),
                at: now(),
            };
            match self.store.register(create) {
                Ok(id) => return Ok(id),
                // Another process has just created it.
                Err(StoreError::NameTaken(_)) => {
                    return self.store.find(name)?.ok_or_else(|| unknown(name, &[]));
                }
                Err(StoreError::ReadOnly(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let rows = self.store.projects()?;
        let names: Vec<String> = rows
            .into_iter()
            .filter(|row| row.deleted.is_none() && !is_hidden(&row.name))
            .map(|row| row.name)
            .collect();
        Err(unknown(name, &names))
    }

    /// Evicts unused projects: the idle ones, and the least recently used while there are too many nodes.
    fn sweep(&self, inner: &mut RegistryState, now: Instant) {
        inner.swept = now;
        let mut sizes: Vec<(Instant, String, usize)> = Vec::new();
        for (name, opened) in &inner.by_name {
            if let Some(size) = opened.project.idle_size() {
                sizes.push((opened.used, name.clone(), size));
            }
        }
        sizes.sort_unstable();
        let mut total: usize = sizes.iter().map(|(_, _, size)| size).sum();
        for (used, name, size) in sizes {
            let in_use = inner
                .by_name
                .get(&name)
                .is_none_or(|opened| Arc::strong_count(&opened.project) > 1);
            if !in_use && (now.duration_since(used) > IDLE_TIMEOUT || total > self.most_nodes) {
                total -= size;
                inner.by_name.remove(&name);
            }
        }
    }
}

fn unknown(name: &str, names: &[String]) -> Refusal {
    let nearest = fibula_nodes::names::nearest(name, names.iter().map(String::as_str));
    let message = format!("there is no project {}", quoted(name));
    let otherwise = "list_projects lists them, create_project creates one";
    Refusal::new("unknown_project", message)
        .hint(did_you_mean(&nearest, otherwise))
        .details(serde_json::json!({ "project": name.chars().take(80).collect::<String>(), "nearest": nearest }))
}
