//! Write operations, each within a transaction that the group commit begins and ends.
//!
//! A rejected operation has written nothing, so that the others of its group can be committed.

use std::collections::{BTreeMap, HashMap};

use fibula_core::edit::Head;
use fibula_core::graph::ContentHash;
use rusqlite::{Connection, params};

use super::error::SqliteError;
use super::queries::{self, bits, ordered};
use crate::snapshot::superfluous;
use crate::{LogPosition, LogRewrite, ProjectId, Record, Registration, StoreError, StoredSnapshot};

/// A write operation.
#[derive(Debug)]
pub(super) enum WriteOp {
    /// Appends a record after a head.
    Append {
        project: ProjectId,
        expected: Head,
        record: Record,
    },
    /// Changes the list of projects.
    Register(Registration),
    /// Stores a snapshot.
    Snapshot {
        project: ProjectId,
        stored: StoredSnapshot,
    },
    /// Rewrites a log.
    Rewrite {
        project: ProjectId,
        rewriting: LogRewrite,
    },
    /// Stores the bytes of a file for a project.
    Content {
        project: ProjectId,
        hash: ContentHash,
        bytes: Vec<u8>,
    },
}

impl WriteOp {
    /// Approximate number of bytes to be written.
    pub(super) fn size(&self) -> usize {
        match self {
            WriteOp::Append { record, .. } => record.size(),
            WriteOp::Register(_) => 0,
            WriteOp::Snapshot { stored, .. } => stored.bytes.len(),
            WriteOp::Rewrite { rewriting, .. } => {
                let base = rewriting.base.as_ref().map_or(0, |base| base.bytes.len());
                base + rewriting.records.iter().map(Record::size).sum::<usize>()
            }
            WriteOp::Content { bytes, .. } => bytes.len(),
        }
    }

    /// True if removed data must be wiped from the disk.
    pub(super) fn wipes(&self) -> bool {
        match self {
            WriteOp::Rewrite { rewriting, .. } => rewriting.wipe,
            WriteOp::Register(change) => matches!(change, Registration::Purge { .. }),
            WriteOp::Append { .. } | WriteOp::Snapshot { .. } | WriteOp::Content { .. } => false,
        }
    }
}

/// Cache of log heads and of the last position, valid until another process writes.
#[derive(Debug, Default)]
pub(super) struct HeadCache {
    heads: HashMap<ProjectId, Head>,
    last: Option<LogPosition>,
}

impl HeadCache {
    /// True if there are more projects than are worth caching.
    pub(super) fn is_oversized(&self) -> bool {
        const MAX_PROJECTS: usize = 4096;
        self.heads.len() > MAX_PROJECTS
    }
}

/// An open write transaction.
#[derive(Debug)]
pub(super) struct WriteTransaction<'a> {
    connection: &'a Connection,
    pub(super) ends: HeadCache,
    /// Last revision of each log that was appended to.
    appended: BTreeMap<ProjectId, u64>,
    /// True if any row was changed.
    pub(super) written: bool,
}

impl<'a> WriteTransaction<'a> {
    pub(super) fn new(connection: &'a Connection, ends: HeadCache) -> Self {
        WriteTransaction {
            connection,
            ends,
            appended: BTreeMap::new(),
            written: false,
        }
    }

    /// Applies an operation. Returns the project's id for a registration, and 0 otherwise.
    pub(super) fn write(&mut self, write: &WriteOp) -> Result<u64, SqliteError> {
        match write {
            WriteOp::Append {
                project,
                expected,
                record,
            } => self.append(*project, *expected, record).map(|()| 0),
            WriteOp::Register(change) => self.register(change),
            WriteOp::Snapshot { project, stored } => self.snapshot(*project, stored).map(|()| 0),
            WriteOp::Rewrite { project, rewriting } => {
                self.rewrite(*project, rewriting).map(|()| 0)
            }
            WriteOp::Content {
                project,
                hash,
                bytes,
            } => self.content(*project, *hash, bytes).map(|()| 0),
        }
    }

    fn run(&mut self, sql: &str, values: impl rusqlite::Params) -> Result<usize, SqliteError> {
        let changed = self.connection.prepare_cached(sql)?.execute(values)?;
        self.written |= changed > 0;
        Ok(changed)
    }

    fn head(&mut self, project: ProjectId) -> Result<Head, SqliteError> {
        if let Some(&head) = self.ends.heads.get(&project) {
            return Ok(head);
        }
        let (_, head) = queries::ends(self.connection, project)?;
        self.ends.heads.insert(project, head);
        Ok(head)
    }

    fn require_head(&mut self, project: ProjectId, expected: Head) -> Result<(), SqliteError> {
        match self.head(project)? {
            found if found == expected => Ok(()),
            found => Err(StoreError::Conflict { expected, found }.into()),
        }
    }

    fn append(
        &mut self,
        id: ProjectId,
        expected: Head,
        record: &Record,
    ) -> Result<(), SqliteError> {
        self.require_head(id, expected)?;
        record.follows(expected)?;
        let LogPosition(end) = match self.ends.last {
            Some(end) => end,
            None => queries::end(self.connection)?,
        };
        let place = LogPosition(end + 1);
        self.run(
            "INSERT INTO log (place, project, revision, format, hash, check_sum, heading, body)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                bits(place.0),
                bits(id.0),
                bits(record.revision),
                record.format,
                bits(record.hash),
                bits(record.check),
                record.heading,
                record.body
            ],
        )?;
        self.ends.last = Some(place);
        self.ends.heads.insert(id, record.head());
        self.appended.insert(id, record.revision);
        Ok(())
    }

    /// Records the ends of the logs that were appended to.
    pub(super) fn save_heads(&mut self) -> Result<(), SqliteError> {
        let sql = "INSERT INTO head VALUES (?1, ?2)
             ON CONFLICT DO UPDATE SET revision = excluded.revision";
        for (id, revision) in std::mem::take(&mut self.appended) {
            self.run(sql, [bits(id.0), bits(revision)])?;
        }
        Ok(())
    }

    fn require_free_name(&self, name: &str) -> Result<(), SqliteError> {
        match queries::find(self.connection, name)? {
            None => Ok(()),
            Some(_) => Err(StoreError::NameTaken(name.to_owned()).into()),
        }
    }

    fn register(&mut self, change: &Registration) -> Result<u64, SqliteError> {
        let (id, changed) = match change {
            Registration::Create { name, at } => {
                self.require_free_name(name)?;
                let sql = "INSERT INTO project (name, created) VALUES (?1, ?2)";
                self.run(sql, params![name, bits(*at)])?;
                return Ok(self.connection.last_insert_rowid().cast_unsigned());
            }
            Registration::Rename { id, name } => {
                self.require_free_name(name)?;
                let sql = "UPDATE project SET name = ?2 WHERE id = ?1";
                (id, self.run(sql, params![bits(id.0), name])?)
            }
            Registration::Delete { id, at } => {
                let sql = "UPDATE project SET deleted = ?2 WHERE id = ?1";
                (id, self.run(sql, params![bits(id.0), bits(*at)])?)
            }
            Registration::Restore { id, name } => {
                self.require_free_name(name)?;
                let sql = "UPDATE project SET name = ?2, deleted = NULL WHERE id = ?1";
                (id, self.run(sql, params![bits(id.0), name])?)
            }
            Registration::Purge { id } => (id, self.purge(*id)?),
        };
        if changed == 0 {
            return Err(StoreError::UnknownProject(id.0).into());
        }
        Ok(id.0)
    }

    fn purge(&mut self, id: ProjectId) -> Result<usize, SqliteError> {
        let project = [bits(id.0)];
        let changed = self.run(
            "DELETE FROM project WHERE id = ?1 AND deleted IS NOT NULL",
            project,
        )?;
        if changed > 0 {
            self.save_last_position()?;
            self.run("DELETE FROM log WHERE project = ?1", project)?;
            self.run("DELETE FROM snapshot WHERE project = ?1", project)?;
            self.run("DELETE FROM kept WHERE project = ?1", project)?;
            self.run("DELETE FROM head WHERE project = ?1", project)?;
            self.run(
                "DELETE FROM content WHERE id NOT IN (SELECT content FROM kept)",
                [],
            )?;
            self.run("UPDATE store SET unwiped = 1", [])?;
            self.ends.heads.remove(&id);
        }
        Ok(changed)
    }

    /// Saves the last position before its record is removed.
    fn save_last_position(&mut self) -> Result<(), SqliteError> {
        let LogPosition(end) = queries::end(self.connection)?;
        self.run("UPDATE store SET last_place = ?1", [bits(end)])?;
        Ok(())
    }

    fn put_snapshot(&mut self, id: ProjectId, stored: &StoredSnapshot) -> Result<(), SqliteError> {
        self.run(
            "INSERT INTO snapshot (project, revision, hash, bytes) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (project, revision) DO UPDATE SET hash = excluded.hash, bytes = excluded.bytes",
            params![bits(id.0), bits(stored.revision), bits(stored.hash), stored.bytes],
        )?;
        Ok(())
    }

    fn snapshot(&mut self, id: ProjectId, stored: &StoredSnapshot) -> Result<(), SqliteError> {
        // Refuses a project that there is not.
        queries::ends(self.connection, id)?;
        self.put_snapshot(id, stored)?;
        let revisions = queries::snapshot_revisions(self.connection, id)?;
        for revision in superfluous(&revisions) {
            let sql = "DELETE FROM snapshot WHERE project = ?1 AND revision = ?2";
            self.run(sql, [bits(id.0), bits(revision)])?;
        }
        Ok(())
    }

    fn rewrite(&mut self, id: ProjectId, rewriting: &LogRewrite) -> Result<(), SqliteError> {
        self.require_head(id, rewriting.expected)?;
        let (first, _) = queries::ends(self.connection, id)?;
        let place = |revision| queries::place(self.connection, id, revision);
        rewriting.fits(first, |revision| match place(revision)? {
            None => Ok(None),
            Some(place) => Ok::<_, SqliteError>(Some(queries::hash(self.connection, place)?)),
        })??;
        if rewriting.wipe {
            let sql = "DELETE FROM snapshot WHERE project = ?1 AND revision != ?2";
            self.run(sql, [bits(id.0), bits(first.revision)])?;
            self.run("UPDATE store SET unwiped = 1", [])?;
        }
        for record in &rewriting.records {
            self.run(
                "UPDATE log SET format = ?3, hash = ?4, check_sum = ?5, heading = ?6, body = ?7
                 WHERE project = ?1 AND revision = ?2",
                params![
                    bits(id.0),
                    ordered(record.revision),
                    record.format,
                    bits(record.hash),
                    bits(record.check),
                    record.heading,
                    record.body
                ],
            )?;
        }
        if let Some(base) = &rewriting.base {
            self.save_last_position()?;
            let upto = [bits(id.0), ordered(base.revision)];
            self.run(
                "DELETE FROM log WHERE project = ?1 AND revision <= ?2",
                upto,
            )?;
            let sql = "DELETE FROM snapshot WHERE project = ?1 AND revision <= ?2";
            self.run(sql, upto)?;
            self.put_snapshot(id, base)?;
            self.run(
                "UPDATE project SET base_revision = ?2, base_hash = ?3 WHERE id = ?1",
                [bits(id.0), bits(base.revision), bits(base.hash)],
            )?;
        }
        self.ends.heads.remove(&id);
        Ok(())
    }

    /// Stores bytes; replaces damaged ones.
    fn content(
        &mut self,
        id: ProjectId,
        hash: ContentHash,
        bytes: &[u8],
    ) -> Result<(), SqliteError> {
        queries::ends(self.connection, id)?;
        self.run(
            "INSERT INTO content (hash, bytes) VALUES (?1, ?2)
             ON CONFLICT (hash) DO UPDATE SET bytes = excluded.bytes WHERE bytes != excluded.bytes",
            params![hash.0, bytes],
        )?;
        self.run(
            "INSERT OR IGNORE INTO kept SELECT id, ?2 FROM content WHERE hash = ?1",
            params![hash.0, bits(id.0)],
        )?;
        Ok(())
    }
}
