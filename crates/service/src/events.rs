//! Event subscriptions: changes of all processes, in the order of the log.
//!
//! A subscriber has its own position in the log and reads on from there, so it misses nothing however slow it is, and
//! sees the changes of other processes like those of this one.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use fibula_core::edit::{Edit, EntryKind, Origin};
use fibula_store::{Damage, LogPosition, ProjectId, Store, StoreError, StreamRecord};
use serde::Serialize;
use tokio::sync::watch;

use crate::project::change::now;
use crate::project::names::is_hidden;
use crate::refusal::{Refusal, Result, quoted};
use crate::service::Service;

/// Number of records per read.
const AT_ONCE: usize = 256;

/// A committed change of a project.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// Name of the project.
    pub project: Arc<str>,
    /// Revision of the project after the change.
    pub revision: u64,
    /// Time in milliseconds since 1970, UTC.
    pub at: u64,
    /// Author of the change.
    pub origin: Origin,
    /// Description of the change.
    pub label: String,
    /// Kind of the entry: an edit, undo, redo or checkpoint.
    pub turn: EntryKind,
    /// The edit; applying it twice is harmless. `None` if the log no longer has it.
    pub edit: Option<Edit>,
    /// The inverse edit, which holds what was removed or replaced.
    #[serde(skip)]
    pub inverse: Option<Edit>,
}

impl Event {
    /// Id from which a subscriber resumes after this event: `PROJECT:REVISION`.
    pub fn id(&self) -> String {
        format!("{}:{}", self.project, self.revision)
    }
}

/// Subscription to events from a position on.
#[derive(Debug)]
pub struct Events {
    store: Arc<dyn Store>,
    watch: watch::Receiver<u64>,
    place: LogPosition,
    project: Option<ProjectId>,
    read: VecDeque<StreamRecord>,
    /// Names of the projects known so far; `None` for those that are hidden now.
    names: HashMap<ProjectId, Option<Arc<str>>>,
    /// The list of projects when it was last compared.
    last_projects: Vec<(ProjectId, String)>,
}

impl Service {
    /// Subscribes to all changes from now on, or after the event with the id `after`, of one project or of all.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project, `after` is not an id, or it names an event that the log no longer
    /// has, so that the subscriber must read the state again.
    pub fn events(&self, project: Option<&str>, after: Option<&str>) -> Result<Events> {
        let watch = self.store.watch();
        let project = match project {
            Some(name) => Some(self.project(Some(name))?.id),
            None => None,
        };
        let place = match after {
            None => self.store.end()?,
            Some(id) => self.place(id)?,
        };
        Ok(Events {
            store: self.store.clone(),
            watch,
            place,
            project,
            read: VecDeque::new(),
            names: HashMap::new(),
            last_projects: visible_projects(&*self.store)?,
        })
    }

    fn place(&self, id: &str) -> Result<LogPosition> {
        let no_event = || {
            let message = format!("the log no longer has event {}", quoted(id));
            Refusal::new("unknown_event", message)
                .hint("read the current state, and subscribe from now on")
        };
        let parts = id.rsplit_once(':');
        let (name, revision) = parts
            .and_then(|(name, revision)| Some((name, revision.parse().ok()?)))
            .ok_or_else(|| {
                let message = format!("{} is not an event id", quoted(id));
                Refusal::new("invalid_value", message).hint("ids are PROJECT:REVISION")
            })?;
        let project = self.store.find(name)?.ok_or_else(no_event)?;
        self.store.place(project, revision)?.ok_or_else(no_event)
    }
}

impl Events {
    /// Waits for the next event.
    ///
    /// # Errors
    /// A [`Refusal`] if the store cannot be read.
    pub async fn next(&mut self) -> Result<Event> {
        loop {
            if let Some(event) = self.ready()? {
                return Ok(event);
            }
            self.changed().await?;
        }
    }

    /// Waits until there may be a new event, which [`ready`](Self::ready) then returns, or the list of projects has
    /// changed.
    ///
    /// # Errors
    /// A [`Refusal`] if the store is closed.
    pub async fn changed(&mut self) -> Result<()> {
        if self.read.is_empty() && self.watch.changed().await.is_err() {
            return Err(StoreError::Closed.into());
        }
        // Projects may have been renamed.
        self.names.clear();
        Ok(())
    }

    /// Returns the next event if there is one already.
    ///
    /// # Errors
    /// A [`Refusal`] if the store cannot be read.
    pub fn ready(&mut self) -> Result<Option<Event>> {
        loop {
            while let Some(placed) = self.read.pop_front() {
                self.place = placed.place;
                if self.project.is_none_or(|project| project == placed.project)
                    && let Some(event) = self.event(&placed)?
                {
                    return Ok(Some(event));
                }
            }
            // Changes that arrive during the read trigger another notification.
            self.watch.borrow_and_update();
            self.names.retain(|_, name| name.is_some());
            self.read = self.store.stream(self.place, AT_ONCE)?.into();
            if self.read.is_empty() {
                return Ok(None);
            }
        }
    }

    /// True if projects were created, renamed, deleted or restored since the subscription, or since the last call.
    ///
    /// # Errors
    /// A [`Refusal`] if the store cannot be read.
    pub fn projects_changed(&mut self) -> Result<bool> {
        let now = visible_projects(&*self.store)?;
        let before = std::mem::replace(&mut self.last_projects, now);
        Ok(before != self.last_projects)
    }

    fn event(&mut self, placed: &StreamRecord) -> Result<Option<Event>> {
        let Some(project) = self.name(placed.project)? else {
            return Ok(None);
        };
        let heading = match placed.record.heading() {
            Ok(heading) => heading,
            Err(damage) => return Ok(Some(damaged(project, placed.record.revision, &damage))),
        };
        let entry = placed.record.entry().ok();
        let (edit, inverse) = entry.map(|entry| (entry.edit, entry.inverse)).unzip();
        Ok(Some(Event {
            project,
            revision: heading.revision,
            at: heading.at,
            origin: heading.origin,
            label: heading.label,
            turn: heading.kind,
            edit,
            inverse,
        }))
    }

    /// Current name of the project; `None` if it is deleted or hidden.
    fn name(&mut self, id: ProjectId) -> Result<Option<Arc<str>>> {
        if let Some(name) = self.names.get(&id) {
            return Ok(name.clone());
        }
        let rows = visible_projects(&*self.store)?.into_iter();
        self.names = rows.map(|(id, name)| (id, Some(name.into()))).collect();
        // Looked up once per read, however many records the project has.
        Ok(self.names.entry(id).or_insert(None).clone())
    }
}

/// The projects that are neither deleted nor hidden, by id and name.
fn visible_projects(store: &dyn Store) -> Result<Vec<(ProjectId, String)>> {
    let rows = store.projects()?.into_iter();
    let shown = rows.filter(|row| row.deleted.is_none() && !is_hidden(&row.name));
    Ok(shown.map(|row| (row.id, row.name)).collect())
}

fn damaged(project: Arc<str>, revision: u64, damage: &Damage) -> Event {
    Event {
        project,
        revision,
        at: now(),
        origin: Origin::program("fibula", "log"),
        label: damage.to_string(),
        turn: EntryKind::Edit,
        edit: None,
        inverse: None,
    }
}
