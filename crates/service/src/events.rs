//! Events: what is told to all who listen, in the order of the log.
//!
//! A listener has a place in the log of its own and reads on from there, so it misses nothing however slow it is, and
//! sees what other processes did like what this one did.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use fibula_core::edit::{Edit, Origin, Turn};
use fibula_store::{Damage, Place, Placed, ProjectId, Store, StoreError};
use serde::Serialize;
use tokio::sync::watch;

use super::project::now;
use super::refusal::{Refusal, quoted};
use super::{Service, portable};

/// How many records are read at once.
const AT_ONCE: usize = 256;

/// A change of a project.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// The project's name.
    pub project: Arc<str>,
    /// The project's revision after it.
    pub revision: u64,
    /// When: milliseconds since 1970, UTC.
    pub at: u64,
    /// Who made it.
    pub origin: Origin,
    /// What it did, in words.
    pub label: String,
    /// What it did to earlier entries.
    pub turn: Turn,
    /// What it did, as facts; doing them twice does no harm. `None` if the log does not tell any more.
    pub edit: Option<Edit>,
    /// The edit that takes it back, which holds what was removed or replaced.
    #[serde(skip)]
    pub inverse: Option<Edit>,
}

impl Event {
    /// What a listener gives back to go on after this event: `PROJECT:REVISION`.
    pub fn id(&self) -> String {
        format!("{}:{}", self.project, self.revision)
    }
}

/// Events from a place on.
#[derive(Debug)]
pub struct Events {
    store: Arc<dyn Store>,
    watch: watch::Receiver<u64>,
    place: Place,
    project: Option<ProjectId>,
    read: VecDeque<Placed>,
    /// The projects' names as far as they are known; `None` for those that are not to be told of now.
    names: HashMap<ProjectId, Option<Arc<str>>>,
}

impl Service {
    /// Every change from now on, or after the event with the id `after`; of one project, or of all.
    ///
    /// # Errors
    /// A [`Refusal`]: there is no such project; `after` is no id, or names an event that the log does not have any
    /// more, so that the listener has to read the state anew.
    pub fn events(&self, project: Option<&str>, after: Option<&str>) -> Result<Events, Refusal> {
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
        })
    }

    fn place(&self, id: &str) -> Result<Place, Refusal> {
        let gone = || {
            Refusal::new(
                "unknown_event",
                format!("the log has no event {} any more", quoted(id)),
            )
            .hint("read the state anew, and listen from now on")
        };
        let parts = id.rsplit_once(':');
        let (name, revision) = parts
            .and_then(|(name, revision)| Some((name, revision.parse().ok()?)))
            .ok_or_else(|| {
                Refusal::new(
                    "invalid_value",
                    format!("{} is no id of an event", quoted(id)),
                )
                .hint("ids are PROJECT:REVISION")
            })?;
        let project = self.store.find(name)?.ok_or_else(gone)?;
        self.store.place(project, revision)?.ok_or_else(gone)
    }
}

impl Events {
    /// Waits for the next change.
    ///
    /// # Errors
    /// A [`Refusal`] when the store cannot be read.
    pub async fn next(&mut self) -> Result<Event, Refusal> {
        loop {
            if let Some(event) = self.ready()? {
                return Ok(event);
            }
            self.changed().await?;
        }
    }

    /// Waits until there may be something new: a change, which [`ready`](Self::ready) gives then, or another list of
    /// projects.
    ///
    /// # Errors
    /// A [`Refusal`] when the store is closed.
    pub async fn changed(&mut self) -> Result<(), Refusal> {
        if self.read.is_empty() && self.watch.changed().await.is_err() {
            return Err(StoreError::Closed.into());
        }
        // Projects may be called something else by now.
        self.names.clear();
        Ok(())
    }

    /// The next change, if there is one already.
    ///
    /// # Errors
    /// A [`Refusal`] when the store cannot be read.
    pub fn ready(&mut self) -> Result<Option<Event>, Refusal> {
        loop {
            while let Some(placed) = self.read.pop_front() {
                self.place = placed.place;
                if self.project.is_none_or(|project| project == placed.project)
                    && let Some(event) = self.event(&placed)?
                {
                    return Ok(Some(event));
                }
            }
            // What comes while it is read is told anew.
            self.watch.borrow_and_update();
            self.names.retain(|_, name| name.is_some());
            self.read = self.store.stream(self.place, AT_ONCE)?.into();
            if self.read.is_empty() {
                return Ok(None);
            }
        }
    }

    fn event(&mut self, placed: &Placed) -> Result<Option<Event>, Refusal> {
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
            turn: heading.turn,
            edit,
            inverse,
        }))
    }

    /// The project's name now; `None` if it is gone, or not whole yet.
    fn name(&mut self, id: ProjectId) -> Result<Option<Arc<str>>, Refusal> {
        if let Some(name) = self.names.get(&id) {
            return Ok(name.clone());
        }
        let rows = self.store.projects()?;
        self.names = rows
            .into_iter()
            .filter(|row| row.deleted.is_none() && !portable::is_hidden(&row.name))
            .map(|row| (row.id, Some(row.name.into())))
            .collect();
        // It is asked for once while a part of the log is read, however many records are its own.
        Ok(self.names.entry(id).or_insert(None).clone())
    }
}

fn damaged(project: Arc<str>, revision: u64, damage: &Damage) -> Event {
    Event {
        project,
        revision,
        at: now(),
        origin: Origin::program("fibula", "log"),
        label: damage.to_string(),
        turn: Turn::Edit,
        edit: None,
        inverse: None,
    }
}
