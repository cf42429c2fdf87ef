//! In-memory store: for embedding, one-shot commands and tests.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fibula_core::edit::Head;
use fibula_core::graph::ContentHash;
use tokio::sync::watch;

use super::snapshot::superfluous;
use super::ticket::{Ticket, ticket};
use super::{
    LogPosition, LogRange, LogRewrite, ProjectId, ProjectRow, Record, Registration, Store,
    StoreError, StoredSnapshot, StreamRecord,
};

/// Store in memory, lost when the process ends. Appends commit immediately.
#[derive(Debug, Default)]
pub struct Memory {
    inner: Mutex<Inner>,
    watch: watch::Sender<u64>,
    written: AtomicU64,
}

#[derive(Debug, Default)]
struct Inner {
    projects: BTreeMap<ProjectId, Project>,
    /// Index of the records of all projects by log position.
    places: BTreeMap<LogPosition, (ProjectId, u64)>,
    contents: BTreeMap<ContentHash, Vec<u8>>,
    /// References of projects to contents.
    kept: BTreeSet<(ContentHash, ProjectId)>,
    last_project: u64,
    last_place: u64,
}

#[derive(Debug, Default)]
struct Project {
    name: String,
    created: u64,
    deleted: Option<u64>,
    base: Head,
    records: BTreeMap<u64, (LogPosition, Record)>,
    snapshots: BTreeMap<u64, StoredSnapshot>,
}

impl Project {
    fn head(&self) -> Head {
        let last = self.records.last_key_value();
        last.map_or(self.base, |(_, (_, record))| record.head())
    }
}

impl Inner {
    fn project(&self, id: ProjectId) -> Result<&Project, StoreError> {
        let project = self.projects.get(&id);
        project.ok_or(StoreError::UnknownProject(id.0))
    }

    fn project_mut(&mut self, id: ProjectId) -> Result<&mut Project, StoreError> {
        let project = self.projects.get_mut(&id);
        project.ok_or(StoreError::UnknownProject(id.0))
    }

    fn find(&self, name: &str) -> Option<ProjectId> {
        let mut projects = self.projects.iter();
        let found = projects.find(|(_, project)| project.deleted.is_none() && project.name == name);
        found.map(|(&id, _)| id)
    }

    fn require_free_name(&self, name: &str) -> Result<(), StoreError> {
        match self.find(name) {
            None => Ok(()),
            Some(_) => Err(StoreError::NameTaken(name.to_owned())),
        }
    }

    fn require_head(&self, id: ProjectId, expected: Head) -> Result<(), StoreError> {
        match self.project(id)?.head() {
            found if found == expected => Ok(()),
            found => Err(StoreError::Conflict { expected, found }),
        }
    }

    fn register(&mut self, change: Registration) -> Result<ProjectId, StoreError> {
        match change {
            Registration::Create { name, at } => {
                self.require_free_name(&name)?;
                self.last_project += 1;
                let id = ProjectId(self.last_project);
                let project = Project {
                    name,
                    created: at,
                    ..Project::default()
                };
                self.projects.insert(id, project);
                Ok(id)
            }
            Registration::Rename { id, name } => {
                self.require_free_name(&name)?;
                self.project_mut(id)?.name = name;
                Ok(id)
            }
            Registration::Delete { id, at } => {
                self.project_mut(id)?.deleted = Some(at);
                Ok(id)
            }
            Registration::Restore { id, name } => {
                self.require_free_name(&name)?;
                let project = self.project_mut(id)?;
                (project.name, project.deleted) = (name, None);
                Ok(id)
            }
            Registration::Purge { id } => {
                if self.project(id)?.deleted.is_none() {
                    return Err(StoreError::UnknownProject(id.0));
                }
                self.projects.remove(&id);
                self.places.retain(|_, (project, _)| *project != id);
                self.kept.retain(|(_, project)| *project != id);
                let kept: BTreeSet<ContentHash> = self.kept.iter().map(|(hash, _)| *hash).collect();
                self.contents.retain(|hash, _| kept.contains(hash));
                Ok(id)
            }
        }
    }

    fn append(&mut self, id: ProjectId, expected: Head, record: Record) -> Result<(), StoreError> {
        self.require_head(id, expected)?;
        record.follows(expected)?;
        self.last_place += 1;
        let place = LogPosition(self.last_place);
        self.places.insert(place, (id, record.revision));
        let records = &mut self.project_mut(id)?.records;
        records.insert(record.revision, (place, record));
        Ok(())
    }

    fn rewrite(&mut self, id: ProjectId, rewriting: LogRewrite) -> Result<(), StoreError> {
        self.require_head(id, rewriting.expected)?;
        let project = self.project_mut(id)?;
        let hash = |revision| {
            let record = project.records.get(&revision);
            Ok::<_, StoreError>(record.map(|(_, record)| record.hash))
        };
        rewriting.fits(project.base, hash)??;
        if rewriting.wipe {
            let first = project.base.revision;
            project.snapshots.retain(|&revision, _| revision == first);
        }
        for record in rewriting.records {
            if let Some((_, old)) = project.records.get_mut(&record.revision) {
                *old = record;
            }
        }
        if let Some(base) = rewriting.base {
            project.base = base.head();
            let kept = project.records.split_off(&(base.revision + 1));
            let removed = std::mem::replace(&mut project.records, kept);
            let snapshots = &mut project.snapshots;
            snapshots.retain(|&revision, _| revision > base.revision);
            snapshots.insert(base.revision, base);
            for (place, _) in removed.values() {
                self.places.remove(place);
            }
        }
        Ok(())
    }
}

impl Memory {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn written(&self) {
        self.written.fetch_add(1, Ordering::Release);
        self.watch.send_modify(|count| *count += 1);
    }
}

impl Store for Memory {
    fn projects(&self) -> Result<Vec<ProjectRow>, StoreError> {
        let inner = self.inner();
        let row = |(&id, project): (&ProjectId, &Project)| {
            let newest = project.records.last_key_value();
            let newest = newest.map(|(_, (_, record))| record.checked_heading());
            let (newest, damage) = match newest.transpose() {
                Ok(newest) => (newest, None),
                Err(damage) => (None, Some(damage)),
            };
            Ok(ProjectRow {
                id,
                name: project.name.clone(),
                created: project.created,
                deleted: project.deleted,
                newest,
                damage,
            })
        };
        inner.projects.iter().map(row).collect()
    }

    fn find(&self, name: &str) -> Result<Option<ProjectId>, StoreError> {
        Ok(self.inner().find(name))
    }

    fn register(&self, change: Registration) -> Result<ProjectId, StoreError> {
        let outcome = self.inner().register(change);
        if outcome.is_ok() {
            self.written();
        }
        outcome
    }

    fn append(&self, project: ProjectId, expected: Head, record: Record) -> Ticket {
        let (promise, ticket) = ticket();
        let outcome = self.inner().append(project, expected, record);
        if outcome.is_ok() {
            self.written();
        }
        promise.complete(outcome);
        ticket
    }

    fn head(&self, project: ProjectId) -> Result<Head, StoreError> {
        self.inner().project(project).map(Project::head)
    }

    fn read(
        &self,
        project: ProjectId,
        reading: LogRange,
        bodies: bool,
        each: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        const BATCH: usize = 256;
        let mut reading = reading;
        loop {
            // Copies a batch, since `each` may call the store and must not find it locked.
            let records: Vec<Record> = {
                let inner = self.inner();
                let records = &inner.project(project)?.records;
                let copy = |(_, (_, record)): (&u64, &(LogPosition, Record))| Record {
                    heading: record.heading.clone(),
                    body: if bodies {
                        record.body.clone()
                    } else {
                        Vec::new()
                    },
                    ..*record
                };
                match reading {
                    LogRange::After(revision) => {
                        let range = records.range(revision.saturating_add(1)..);
                        range.take(BATCH).map(copy).collect()
                    }
                    LogRange::Before(revision) => {
                        let range = records.range(..revision).rev();
                        range.take(BATCH).map(copy).collect()
                    }
                }
            };
            let Some(last) = records.last().map(|record| record.revision) else {
                return Ok(());
            };
            if records.into_iter().try_for_each(&mut *each).is_break() {
                return Ok(());
            }
            reading = reading.resume_at(last);
        }
    }

    fn stream(&self, after: LogPosition, limit: usize) -> Result<Vec<StreamRecord>, StoreError> {
        let inner = self.inner();
        let places = inner.places.range(LogPosition(after.0 + 1)..).take(limit);
        let found = places.filter_map(|(&place, &(project, revision))| {
            let (_, record) = inner.projects.get(&project)?.records.get(&revision)?;
            Some(StreamRecord {
                place,
                project,
                record: record.clone(),
            })
        });
        Ok(found.collect())
    }

    fn place(&self, project: ProjectId, revision: u64) -> Result<Option<LogPosition>, StoreError> {
        let inner = self.inner();
        let found = inner.project(project)?.records.get(&revision);
        Ok(found.map(|&(place, _)| place))
    }

    fn end(&self) -> Result<LogPosition, StoreError> {
        Ok(LogPosition(self.inner().last_place))
    }

    fn snapshot(
        &self,
        project: ProjectId,
        at_most: u64,
    ) -> Result<Option<StoredSnapshot>, StoreError> {
        let inner = self.inner();
        let snapshots = &inner.project(project)?.snapshots;
        let newest = snapshots.range(..=at_most).next_back();
        Ok(newest.map(|(_, stored)| stored.clone()))
    }

    fn put_snapshot(&self, project: ProjectId, snapshot: StoredSnapshot) -> Result<(), StoreError> {
        let mut inner = self.inner();
        let project = inner.project_mut(project)?;
        project.snapshots.insert(snapshot.revision, snapshot);
        let revisions: Vec<u64> = project.snapshots.keys().copied().collect();
        for revision in superfluous(&revisions) {
            project.snapshots.remove(&revision);
        }
        Ok(())
    }

    fn base(&self, project: ProjectId) -> Result<u64, StoreError> {
        Ok(self.inner().project(project)?.base.revision)
    }

    fn rewrite(&self, project: ProjectId, rewriting: LogRewrite) -> Result<(), StoreError> {
        self.inner().rewrite(project, rewriting)?;
        self.written();
        Ok(())
    }

    fn put_content(&self, project: ProjectId, bytes: &[u8]) -> Result<ContentHash, StoreError> {
        let hash = ContentHash::digest(bytes);
        let mut inner = self.inner();
        inner.project(project)?;
        inner.kept.insert((hash, project));
        inner.contents.entry(hash).or_insert_with(|| bytes.to_vec());
        Ok(hash)
    }

    fn content(&self, hash: ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.inner().contents.get(&hash).cloned())
    }

    fn foreign_writes(&self) -> u64 {
        self.written.load(Ordering::Acquire)
    }

    fn watch(&self) -> watch::Receiver<u64> {
        self.watch.subscribe()
    }
}
