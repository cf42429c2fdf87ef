//! What is written to a store's file: each change within a transaction that somebody else begins and ends.
//!
//! A change that is refused has written nothing, so that the others of its transaction can go on.

use std::collections::HashMap;

use fibula_core::edit::Head;
use fibula_core::graph::ContentHash;
use rusqlite::{Connection, params};

use super::fault::Failed;
use super::read::{self, bits, ordered};
use crate::{Place, ProjectId, Record, Registration, Rewriting, StoreError, Stored};

/// How many snapshots of a project are kept, beside its base.
const SNAPSHOTS: i64 = 3;

/// Something that is to be written.
#[derive(Debug)]
pub(super) enum Write {
    /// A record behind a head.
    Append {
        project: ProjectId,
        expected: Head,
        record: Record,
    },
    /// A change of the list of projects.
    Register(Registration),
    /// A snapshot.
    Snapshot { project: ProjectId, stored: Stored },
    /// Another log.
    Rewrite {
        project: ProjectId,
        rewriting: Rewriting,
    },
    /// The bytes of a file of a project.
    Content {
        project: ProjectId,
        hash: ContentHash,
        bytes: Vec<u8>,
    },
}

impl Write {
    /// About how many bytes it writes.
    pub(super) fn size(&self) -> usize {
        match self {
            Write::Append { record, .. } => record.size(),
            Write::Register(_) => 0,
            Write::Snapshot { stored, .. } => stored.bytes.len(),
            Write::Rewrite { rewriting, .. } => {
                let base = rewriting.base.as_ref().map_or(0, |base| base.bytes.len());
                base + rewriting.records.iter().map(Record::size).sum::<usize>()
            }
            Write::Content { bytes, .. } => bytes.len(),
        }
    }

    /// Whether what it removes is to be wiped.
    pub(super) fn wipes(&self) -> bool {
        match self {
            Write::Rewrite { rewriting, .. } => rewriting.wipe,
            Write::Register(change) => matches!(change, Registration::Purge { .. }),
            Write::Append { .. } | Write::Snapshot { .. } | Write::Content { .. } => false,
        }
    }
}

/// Where logs end: what was read, or appended, need not be read again while nobody else writes.
#[derive(Debug, Default)]
pub(super) struct Ends {
    heads: HashMap<ProjectId, Head>,
    end: Option<Place>,
}

impl Ends {
    /// Whether it is about more projects than are worth remembering.
    pub(super) fn is_long(&self) -> bool {
        const LONG: usize = 4096;
        self.heads.len() > LONG
    }
}

/// A transaction.
#[derive(Debug)]
pub(super) struct Page<'a> {
    connection: &'a Connection,
    pub(super) ends: Ends,
    /// Whether anything was written.
    pub(super) written: bool,
}

impl<'a> Page<'a> {
    pub(super) fn new(connection: &'a Connection, ends: Ends) -> Self {
        Page {
            connection,
            ends,
            written: false,
        }
    }

    /// Writes; gives the project's id if there is a new one, and 0 otherwise.
    pub(super) fn write(&mut self, write: &Write) -> Result<u64, Failed> {
        match write {
            Write::Append {
                project,
                expected,
                record,
            } => self.append(*project, *expected, record).map(|()| 0),
            Write::Register(change) => self.register(change),
            Write::Snapshot { project, stored } => self.snapshot(*project, stored).map(|()| 0),
            Write::Rewrite { project, rewriting } => self.rewrite(*project, rewriting).map(|()| 0),
            Write::Content {
                project,
                hash,
                bytes,
            } => self.content(*project, *hash, bytes).map(|()| 0),
        }
    }

    fn run(&mut self, sql: &str, values: impl rusqlite::Params) -> Result<usize, Failed> {
        let changed = self.connection.prepare_cached(sql)?.execute(values)?;
        self.written |= changed > 0;
        Ok(changed)
    }

    fn head(&mut self, project: ProjectId) -> Result<Head, Failed> {
        if let Some(&head) = self.ends.heads.get(&project) {
            return Ok(head);
        }
        let (_, head) = read::ends(self.connection, project)?;
        self.ends.heads.insert(project, head);
        Ok(head)
    }

    fn expect(&mut self, project: ProjectId, expected: Head) -> Result<(), Failed> {
        match self.head(project)? {
            found if found == expected => Ok(()),
            found => Err(StoreError::Conflict { expected, found }.into()),
        }
    }

    fn append(&mut self, id: ProjectId, expected: Head, record: &Record) -> Result<(), Failed> {
        self.expect(id, expected)?;
        record.follows(expected)?;
        let Place(end) = match self.ends.end {
            Some(end) => end,
            None => read::end(self.connection)?,
        };
        let place = Place(end + 1);
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
        self.ends.end = Some(place);
        let head = Head {
            revision: record.revision,
            hash: record.hash,
        };
        self.ends.heads.insert(id, head);
        Ok(())
    }

    fn free(&self, name: &str) -> Result<(), Failed> {
        match read::find(self.connection, name)? {
            None => Ok(()),
            Some(_) => Err(StoreError::NameTaken(name.to_owned()).into()),
        }
    }

    fn register(&mut self, change: &Registration) -> Result<u64, Failed> {
        let (id, changed) = match change {
            Registration::Create { name, at } => {
                self.free(name)?;
                let sql = "INSERT INTO project (name, created) VALUES (?1, ?2)";
                self.run(sql, params![name, bits(*at)])?;
                return Ok(self.connection.last_insert_rowid().cast_unsigned());
            }
            Registration::Rename { id, name } => {
                self.free(name)?;
                let sql = "UPDATE project SET name = ?2 WHERE id = ?1";
                (id, self.run(sql, params![bits(id.0), name])?)
            }
            Registration::Delete { id, at } => {
                let sql = "UPDATE project SET deleted = ?2 WHERE id = ?1";
                (id, self.run(sql, params![bits(id.0), bits(*at)])?)
            }
            Registration::Restore { id, name } => {
                self.free(name)?;
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

    fn purge(&mut self, id: ProjectId) -> Result<usize, Failed> {
        let project = [bits(id.0)];
        let changed = self.run(
            "DELETE FROM project WHERE id = ?1 AND deleted IS NOT NULL",
            project,
        )?;
        if changed > 0 {
            self.keep_end()?;
            self.run("DELETE FROM log WHERE project = ?1", project)?;
            self.run("DELETE FROM snapshot WHERE project = ?1", project)?;
            self.run("DELETE FROM kept WHERE project = ?1", project)?;
            self.run(
                "DELETE FROM content WHERE id NOT IN (SELECT content FROM kept)",
                [],
            )?;
            self.run("UPDATE store SET unwiped = 1", [])?;
            self.ends.heads.remove(&id);
        }
        Ok(changed)
    }

    /// Remembers the last place, whose record may go now.
    fn keep_end(&mut self) -> Result<(), Failed> {
        let Place(end) = read::end(self.connection)?;
        self.run("UPDATE store SET last_place = ?1", [bits(end)])?;
        Ok(())
    }

    fn put_snapshot(&mut self, id: ProjectId, stored: &Stored) -> Result<(), Failed> {
        self.run(
            "INSERT INTO snapshot (project, revision, hash, bytes) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (project, revision) DO UPDATE SET hash = excluded.hash, bytes = excluded.bytes",
            params![bits(id.0), bits(stored.revision), bits(stored.hash), stored.bytes],
        )?;
        Ok(())
    }

    fn snapshot(&mut self, id: ProjectId, stored: &Stored) -> Result<(), Failed> {
        let (base, _) = read::ends(self.connection, id)?;
        self.put_snapshot(id, stored)?;
        self.run(
            "DELETE FROM snapshot WHERE id IN (
                 SELECT id FROM snapshot WHERE project = ?1 AND revision != ?2 ORDER BY revision
                 LIMIT max(0, (SELECT count(*) FROM snapshot WHERE project = ?1) - ?3))",
            [bits(id.0), ordered(base.revision), SNAPSHOTS],
        )?;
        Ok(())
    }

    fn rewrite(&mut self, id: ProjectId, rewriting: &Rewriting) -> Result<(), Failed> {
        let Rewriting {
            expected,
            base,
            records,
            wipe,
        } = rewriting;
        self.expect(id, *expected)?;
        let (first, _) = read::ends(self.connection, id)?;
        let place = |revision| read::place(self.connection, id, revision);
        rewriting.fits(first, |revision| match place(revision)? {
            None => Ok(None),
            Some(place) => Ok::<_, Failed>(Some(read::hash(self.connection, place)?)),
        })??;
        if *wipe {
            let sql = "DELETE FROM snapshot WHERE project = ?1 AND revision != ?2";
            self.run(sql, [bits(id.0), bits(first.revision)])?;
            self.run("UPDATE store SET unwiped = 1", [])?;
        }
        for record in records {
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
        if let Some(base) = base {
            self.keep_end()?;
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

    /// Bytes that were damaged are put right.
    fn content(&mut self, id: ProjectId, hash: ContentHash, bytes: &[u8]) -> Result<(), Failed> {
        read::ends(self.connection, id)?;
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
