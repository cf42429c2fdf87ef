//! The projects that are open: read when they are first asked for, let go when they are not in use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fibula_store::{ProjectId, Registration, Store, StoreError};

use super::loaded::Loaded;
use super::project::{Project, now};
use super::refusal::{Refusal, did_you_mean, quoted};
use super::{DEFAULT_PROJECT, portable};

/// A project that nobody asked for in this time is let go.
const IDLE: Duration = Duration::from_secs(600);
/// How often it is looked for such.
const SWEEP: Duration = Duration::from_secs(10);

/// The projects that are open.
#[derive(Debug)]
pub(super) struct Open {
    store: Arc<dyn Store>,
    most_nodes: usize,
    /// What was loaded of meshes and images, for all projects.
    loaded: Arc<Loaded>,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    by_name: HashMap<String, Opened>,
    /// How often a name was forgotten: what was looked up before may be wrong then.
    forgotten: u64,
    swept: Instant,
}

#[derive(Debug)]
struct Opened {
    project: Arc<Project>,
    /// What others had written when the name was looked up.
    seen: u64,
    used: Instant,
}

impl Open {
    pub(super) fn new(store: Arc<dyn Store>, most_nodes: usize) -> Self {
        Open {
            store,
            most_nodes,
            loaded: Arc::default(),
            inner: Mutex::new(Inner {
                by_name: HashMap::new(),
                forgotten: 0,
                swept: Instant::now(),
            }),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The project that has this name now.
    pub(super) fn project(&self, name: &str) -> Result<Arc<Project>, Refusal> {
        let (seen, used) = (self.store.foreign(), Instant::now());
        let mut inner = self.inner();
        if let Some(opened) = inner.by_name.get_mut(name)
            && opened.seen == seen
        {
            opened.used = used;
            let project = opened.project.clone();
            if used.duration_since(inner.swept) > SWEEP {
                self.sweep(&mut inner, used);
            }
            return Ok(project);
        }
        let forgotten = inner.forgotten;
        drop(inner);
        let id = self.find(name)?;
        let mut inner = self.inner();
        if inner.forgotten != forgotten {
            drop(inner);
            return self.project(name);
        }
        let known = inner.by_name.get(name).map(|opened| opened.project.clone());
        let project = known.filter(|project| project.id == id).unwrap_or_else(|| {
            Arc::new(Project::new(
                self.store.clone(),
                id,
                name,
                self.loaded.clone(),
            ))
        });
        let opened = Opened {
            project: project.clone(),
            seen,
            used,
        };
        inner.by_name.insert(name.to_owned(), opened);
        self.sweep(&mut inner, used);
        Ok(project)
    }

    /// How many projects are open.
    pub(super) fn count(&self) -> usize {
        self.inner().by_name.len()
    }

    /// Forgets a name that may mean something else from now on.
    pub(super) fn forget(&self, name: &str) {
        let mut inner = self.inner();
        inner.by_name.remove(name);
        inner.forgotten += 1;
    }

    fn find(&self, name: &str) -> Result<ProjectId, Refusal> {
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
                // Another process has just made it.
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
            .filter(|row| row.deleted.is_none() && !portable::is_hidden(&row.name))
            .map(|row| row.name)
            .collect();
        Err(unknown(name, &names))
    }

    /// Lets projects go that nobody uses: the idle ones, and the longest unused while there are too many nodes.
    fn sweep(&self, inner: &mut Inner, now: Instant) {
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
            if !in_use && (now.duration_since(used) > IDLE || total > self.most_nodes) {
                total -= size;
                inner.by_name.remove(&name);
            }
        }
    }
}

fn unknown(name: &str, names: &[String]) -> Refusal {
    let nearest = fibula_nodes::names::nearest(name, names.iter().map(String::as_str));
    let message = format!("there is no project {}", quoted(name));
    let otherwise = "list_projects names them all, create_project makes one";
    Refusal::new("unknown_project", message)
        .hint(did_you_mean(&nearest, otherwise))
        .details(serde_json::json!({ "project": name.chars().take(80).collect::<String>(), "nearest": nearest }))
}
