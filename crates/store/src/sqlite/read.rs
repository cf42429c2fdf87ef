//! What is read from a store's file.

use std::ops::ControlFlow;

use fibula_core::edit::Head;
use fibula_core::graph::ContentHash;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::fault::Failed;
use crate::{Damage, Place, Placed, ProjectId, ProjectRow, Reading, Record, StoreError, Stored};

/// How many records are read at once, at first and at most: who looks for one needs no more.
const FEW: usize = 16;
const MANY: usize = 512;
/// How many bytes are read at once, and the rest of a record.
const BYTES: usize = 1 << 20;

/// A number that orders: those beyond what SQLite has are larger than all that it has.
pub(super) fn ordered(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Any 64 bits.
pub(super) fn bits(number: u64) -> i64 {
    number.cast_signed()
}

fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get(column).map(i64::cast_unsigned)
}

/// Columns from `first` on: revision, format, hash, checksum, heading and, if there is a sixth, body.
fn record(row: &Row<'_>, first: usize) -> rusqlite::Result<Record> {
    let body = first + 5;
    Ok(Record {
        revision: number(row, first)?,
        format: row.get(first + 1)?,
        hash: number(row, first + 2)?,
        check: number(row, first + 3)?,
        heading: row.get(first + 4)?,
        body: if body < row.as_ref().column_count() {
            row.get(body)?
        } else {
            Vec::new()
        },
    })
}

/// Every project, by id.
pub(super) fn projects(connection: &Connection) -> Result<Vec<ProjectRow>, Failed> {
    let mut statement = connection.prepare_cached(
        "SELECT p.id, p.name, p.created, p.deleted,
             l.revision, l.format, l.hash, l.check_sum, l.heading
         FROM project p LEFT JOIN log l ON l.place =
             (SELECT place FROM log WHERE project = p.id ORDER BY revision DESC LIMIT 1)
         ORDER BY p.id",
    )?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let newest = match row.get::<_, Option<i64>>(4)? {
            Some(_) => record(row, 4)?.heading().ok(),
            None => None,
        };
        found.push(ProjectRow {
            id: ProjectId(number(row, 0)?),
            name: row.get(1)?,
            created: number(row, 2)?,
            deleted: row.get::<_, Option<i64>>(3)?.map(i64::cast_unsigned),
            newest,
        });
    }
    Ok(found)
}

/// The project that has this name and is not deleted.
pub(super) fn find(connection: &Connection, name: &str) -> Result<Option<ProjectId>, Failed> {
    let mut statement =
        connection.prepare_cached("SELECT id FROM project WHERE name = ?1 AND deleted IS NULL")?;
    let found = statement
        .query_row([name], |row| number(row, 0))
        .optional()?;
    Ok(found.map(ProjectId))
}

/// Where a project's log begins and where it ends.
pub(super) fn ends(connection: &Connection, project: ProjectId) -> Result<(Head, Head), Failed> {
    let mut statement = connection.prepare_cached(
        "SELECT p.base_revision, p.base_hash, l.revision, l.hash
         FROM project p LEFT JOIN log l ON l.place =
             (SELECT place FROM log WHERE project = p.id ORDER BY revision DESC LIMIT 1)
         WHERE p.id = ?1",
    )?;
    let head = |row: &Row<'_>, column| -> rusqlite::Result<Head> {
        Ok(Head {
            revision: number(row, column)?,
            hash: number(row, column + 1)?,
        })
    };
    let found = statement
        .query_row([bits(project.0)], |row| {
            let base = head(row, 0)?;
            match row.get::<_, Option<i64>>(2)? {
                Some(_) => Ok((base, head(row, 2)?)),
                None => Ok((base, base)),
            }
        })
        .optional()?;
    Ok(found.ok_or(StoreError::UnknownProject(project.0))?)
}

/// How a log is read, part by part: between them nothing is held.
#[derive(Debug)]
pub(super) struct Parts {
    project: ProjectId,
    reading: Reading,
    bodies: bool,
    most: usize,
}

impl Parts {
    pub(super) fn new(project: ProjectId, reading: Reading, bodies: bool) -> Self {
        Parts {
            project,
            reading,
            bodies,
            most: FEW,
        }
    }

    /// The next records; none at the end.
    pub(super) fn next(&mut self, connection: &Connection) -> Result<Vec<Record>, Failed> {
        let (sql, from) = match (self.reading, self.bodies) {
            (Reading::After(from), true) => (
                "SELECT revision, format, hash, check_sum, heading, body FROM log
                 WHERE project = ?1 AND revision > ?2 ORDER BY revision LIMIT ?3",
                from,
            ),
            (Reading::After(from), false) => (
                "SELECT revision, format, hash, check_sum, heading FROM log
                 WHERE project = ?1 AND revision > ?2 ORDER BY revision LIMIT ?3",
                from,
            ),
            (Reading::Before(from), true) => (
                "SELECT revision, format, hash, check_sum, heading, body FROM log
                 WHERE project = ?1 AND revision < ?2 ORDER BY revision DESC LIMIT ?3",
                from,
            ),
            (Reading::Before(from), false) => (
                "SELECT revision, format, hash, check_sum, heading FROM log
                 WHERE project = ?1 AND revision < ?2 ORDER BY revision DESC LIMIT ?3",
                from,
            ),
        };
        let mut statement = connection.prepare_cached(sql)?;
        let asked = params![bits(self.project.0), ordered(from), self.most as i64];
        let mut rows = statement.query(asked)?;
        let (mut records, mut bytes) = (Vec::new(), 0);
        while bytes < BYTES
            && let Some(row) = rows.next()?
        {
            let record = record(row, 0)?;
            bytes += record.size();
            records.push(record);
        }
        self.most = (self.most * 4).min(MANY);
        match records.last() {
            Some(last) => {
                self.reading = match self.reading {
                    Reading::After(_) => Reading::After(last.revision),
                    Reading::Before(_) => Reading::Before(last.revision),
                };
            }
            // Nothing is there, or the project is not.
            None => drop(ends(connection, self.project)?),
        }
        Ok(records)
    }
}

/// Gives records until there is enough.
pub(super) fn each(
    records: Vec<Record>,
    each: &mut dyn FnMut(Record) -> ControlFlow<()>,
) -> ControlFlow<()> {
    records.into_iter().try_for_each(each)
}

/// The records of all projects after a place.
pub(super) fn stream(
    connection: &Connection,
    after: Place,
    limit: usize,
) -> Result<Vec<Placed>, Failed> {
    let mut statement = connection.prepare_cached(
        "SELECT place, project, revision, format, hash, check_sum, heading, body
         FROM log WHERE place > ?1 ORDER BY place LIMIT ?2",
    )?;
    let placed = statement.query_map([ordered(after.0), ordered(limit as u64)], |row| {
        Ok(Placed {
            place: Place(number(row, 0)?),
            project: ProjectId(number(row, 1)?),
            record: record(row, 2)?,
        })
    })?;
    Ok(placed.collect::<rusqlite::Result<_>>()?)
}

/// The place of a record.
pub(super) fn place(
    connection: &Connection,
    project: ProjectId,
    revision: u64,
) -> Result<Option<Place>, Failed> {
    let mut statement =
        connection.prepare_cached("SELECT place FROM log WHERE project = ?1 AND revision = ?2")?;
    let asked = [bits(project.0), ordered(revision)];
    let found = statement
        .query_row(asked, |row| number(row, 0))
        .optional()?;
    if found.is_none() {
        ends(connection, project)?;
    }
    Ok(found.map(Place))
}

/// The hash of the state after the record at a place.
pub(super) fn hash(connection: &Connection, place: Place) -> Result<u64, Failed> {
    let mut statement = connection.prepare_cached("SELECT hash FROM log WHERE place = ?1")?;
    Ok(statement.query_row([bits(place.0)], |row| number(row, 0))?)
}

/// The last place that was given to a record, though it may be gone.
pub(super) fn end(connection: &Connection) -> Result<Place, Failed> {
    let mut statement = connection.prepare_cached(
        "SELECT max(last_place, ifnull((SELECT max(place) FROM log), 0)) FROM store",
    )?;
    Ok(Place(statement.query_row([], |row| number(row, 0))?))
}

/// The newest snapshot at a revision or before.
pub(super) fn snapshot(
    connection: &Connection,
    project: ProjectId,
    at_most: u64,
) -> Result<Option<Stored>, Failed> {
    let mut statement = connection.prepare_cached(
        "SELECT revision, hash, bytes FROM snapshot
         WHERE project = ?1 AND revision <= ?2 ORDER BY revision DESC LIMIT 1",
    )?;
    let asked = [bits(project.0), ordered(at_most)];
    let found = statement.query_row(asked, |row| {
        Ok(Stored {
            revision: number(row, 0)?,
            hash: number(row, 1)?,
            bytes: row.get(2)?,
        })
    });
    let found = found.optional()?;
    if found.is_none() {
        ends(connection, project)?;
    }
    Ok(found)
}

/// The bytes of a file.
pub(super) fn content(
    connection: &Connection,
    hash: ContentHash,
) -> Result<Option<Vec<u8>>, Failed> {
    let mut statement = connection.prepare_cached("SELECT bytes FROM content WHERE hash = ?1")?;
    let found: Option<Vec<u8>> = statement.query_row([hash.0], |row| row.get(0)).optional()?;
    match found {
        Some(bytes) if ContentHash::of(&bytes) != hash => {
            Err(StoreError::from(Damage::Content(hash.to_string())).into())
        }
        found => Ok(found),
    }
}
