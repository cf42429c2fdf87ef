//! Read queries.

use fibula_core::edit::Head;
use fibula_core::graph::ContentHash;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};

use super::error::SqliteError;
use crate::{
    Damage, LogPosition, LogRange, ProjectId, ProjectRow, Record, StoreError, StoredSnapshot,
    StreamRecord,
};

/// Initial and maximum number of records per batch: a caller who needs one record should not pay for many.
const FIRST_BATCH: usize = 16;
const MAX_BATCH: usize = 512;
/// Number of bytes after which a batch ends.
const BATCH_BYTES: usize = 1 << 20;

/// Converts for comparison: saturates at SQLite's largest integer.
pub(super) fn ordered(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Reinterprets 64 bits for storage.
pub(super) fn bits(number: u64) -> i64 {
    number.cast_signed()
}

/// Returns the first row of a query, if there is one.
fn find_row<T>(
    connection: &Connection,
    sql: &str,
    values: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Option<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_row(values, read).optional()
}

fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get(column).map(i64::cast_unsigned)
}

/// Reads a record from the columns `first`...: revision, format, hash, checksum, heading and, if there is a sixth, body.
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

/// Returns all projects in id order.
pub(super) fn projects(connection: &Connection) -> Result<Vec<ProjectRow>, SqliteError> {
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

/// Returns the project with this name that is not deleted.
pub(super) fn find(connection: &Connection, name: &str) -> Result<Option<ProjectId>, SqliteError> {
    let sql = "SELECT id FROM project WHERE name = ?1 AND deleted IS NULL";
    let found = find_row(connection, sql, [name], |row| number(row, 0))?;
    Ok(found.map(ProjectId))
}

/// Returns base and head of a log.
pub(super) fn ends(
    connection: &Connection,
    project: ProjectId,
) -> Result<(Head, Head), SqliteError> {
    let sql = "SELECT p.base_revision, p.base_hash, l.revision, l.hash
         FROM project p LEFT JOIN log l ON l.place =
             (SELECT place FROM log WHERE project = p.id ORDER BY revision DESC LIMIT 1)
         WHERE p.id = ?1";
    let head = |row: &Row<'_>, column| -> rusqlite::Result<Head> {
        Ok(Head {
            revision: number(row, column)?,
            hash: number(row, column + 1)?,
        })
    };
    let found = find_row(connection, sql, [bits(project.0)], |row| {
        let base = head(row, 0)?;
        match row.get::<_, Option<i64>>(2)? {
            Some(_) => Ok((base, head(row, 2)?)),
            None => Ok((base, base)),
        }
    })?;
    Ok(found.ok_or(StoreError::UnknownProject(project.0))?)
}

/// Reads a log in batches; holds neither locks nor a connection between them.
#[derive(Debug)]
pub(super) struct LogCursor {
    project: ProjectId,
    reading: LogRange,
    bodies: bool,
    batch: usize,
}

impl LogCursor {
    pub(super) fn new(project: ProjectId, reading: LogRange, bodies: bool) -> Self {
        LogCursor {
            project,
            reading,
            bodies,
            batch: FIRST_BATCH,
        }
    }

    /// Returns the next batch; empty at the end.
    pub(super) fn next(&mut self, connection: &Connection) -> Result<Vec<Record>, SqliteError> {
        let (operator, order, from) = match self.reading {
            LogRange::After(from) => (">", "ASC", from),
            LogRange::Before(from) => ("<", "DESC", from),
        };
        let body = if self.bodies { ", body" } else { "" };
        let sql = format!(
            "SELECT revision, format, hash, check_sum, heading{body} FROM log
             WHERE project = ?1 AND revision {operator} ?2 ORDER BY revision {order} LIMIT ?3"
        );
        let mut statement = connection.prepare_cached(&sql)?;
        let asked = params![bits(self.project.0), ordered(from), self.batch as i64];
        let mut rows = statement.query(asked)?;
        let (mut records, mut bytes) = (Vec::new(), 0);
        while bytes < BATCH_BYTES
            && let Some(row) = rows.next()?
        {
            let record = record(row, 0)?;
            bytes += record.size();
            records.push(record);
        }
        self.batch = (self.batch * 4).min(MAX_BATCH);
        match records.last() {
            Some(last) => self.reading = self.reading.resume_at(last.revision),
            // Either the range is empty, or the project does not exist.
            None => drop(ends(connection, self.project)?),
        }
        Ok(records)
    }
}

/// Returns up to `limit` records of all projects after a position.
pub(super) fn stream(
    connection: &Connection,
    after: LogPosition,
    limit: usize,
) -> Result<Vec<StreamRecord>, SqliteError> {
    let mut statement = connection.prepare_cached(
        "SELECT place, project, revision, format, hash, check_sum, heading, body
         FROM log WHERE place > ?1 ORDER BY place LIMIT ?2",
    )?;
    let placed = statement.query_map([ordered(after.0), ordered(limit as u64)], |row| {
        Ok(StreamRecord {
            place: LogPosition(number(row, 0)?),
            project: ProjectId(number(row, 1)?),
            record: record(row, 2)?,
        })
    })?;
    Ok(placed.collect::<rusqlite::Result<_>>()?)
}

/// Returns the position of a record.
pub(super) fn place(
    connection: &Connection,
    project: ProjectId,
    revision: u64,
) -> Result<Option<LogPosition>, SqliteError> {
    let sql = "SELECT place FROM log WHERE project = ?1 AND revision = ?2";
    let values = [bits(project.0), ordered(revision)];
    let found = find_row(connection, sql, values, |row| number(row, 0))?;
    if found.is_none() {
        ends(connection, project)?;
    }
    Ok(found.map(LogPosition))
}

/// Returns the state hash of the record at a position.
pub(super) fn hash(connection: &Connection, place: LogPosition) -> Result<u64, SqliteError> {
    let mut statement = connection.prepare_cached("SELECT hash FROM log WHERE place = ?1")?;
    Ok(statement.query_row([bits(place.0)], |row| number(row, 0))?)
}

/// Returns the last assigned position, even if its record was removed.
pub(super) fn end(connection: &Connection) -> Result<LogPosition, SqliteError> {
    let mut statement = connection.prepare_cached(
        "SELECT max(last_place, ifnull((SELECT max(place) FROM log), 0)) FROM store",
    )?;
    Ok(LogPosition(statement.query_row([], |row| number(row, 0))?))
}

/// Returns the newest snapshot at or before a revision.
pub(super) fn snapshot(
    connection: &Connection,
    project: ProjectId,
    at_most: u64,
) -> Result<Option<StoredSnapshot>, SqliteError> {
    let sql = "SELECT revision, hash, bytes FROM snapshot
         WHERE project = ?1 AND revision <= ?2 ORDER BY revision DESC LIMIT 1";
    let values = [bits(project.0), ordered(at_most)];
    let found = find_row(connection, sql, values, |row| {
        Ok(StoredSnapshot {
            revision: number(row, 0)?,
            hash: number(row, 1)?,
            bytes: row.get(2)?,
        })
    })?;
    if found.is_none() {
        ends(connection, project)?;
    }
    Ok(found)
}

/// Returns the bytes with a hash, and verifies them.
pub(super) fn content(
    connection: &Connection,
    hash: ContentHash,
) -> Result<Option<Vec<u8>>, SqliteError> {
    let sql = "SELECT bytes FROM content WHERE hash = ?1";
    match find_row(connection, sql, [hash.0], |row| row.get::<_, Vec<u8>>(0))? {
        Some(bytes) if ContentHash::digest(&bytes) != hash => {
            Err(StoreError::from(Damage::Content(hash.to_string())).into())
        }
        found => Ok(found),
    }
}
