//! Read queries.

use std::collections::BTreeMap;

use fibula_core::edit::{Head, ReplayError};
use fibula_core::graph::ContentHash;
use rusqlite::blob::Blob;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};

use super::error::SqliteError;
use crate::{
    BATCH_BYTES, CheckedHeading, Damage, LogPosition, LogRange, ProjectId, ProjectRow, Record,
    StoreError, StoredSnapshot, StreamRecord,
};

/// Initial and maximum number of records per batch: a caller who needs one record should not pay for many.
const FIRST_BATCH: usize = 16;
const MAX_BATCH: usize = 512;

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

pub(super) fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get(column).map(i64::cast_unsigned)
}

/// Columns of a record, as [`record`] reads them: with the body, and without it.
pub(super) const RECORD: &str = "revision, format, hash, check_sum, heading, body";
pub(super) const HEADING: &str = "revision, format, hash, check_sum, heading";
/// Columns of a record, as [`checked_heading`] reads them: only a small body is read with its row.
pub(super) const CHECKED: &str = "revision, format, hash, check_sum, heading, place,
     CASE WHEN length(body) <= 65536 THEN body END";

/// Reads a record from the columns `first`...: those of [`RECORD`], or of [`HEADING`] if there are no more.
pub(super) fn record(row: &Row<'_>, first: usize) -> rusqlite::Result<Record> {
    let body = first + 5;
    let without_body = record_without_body(row, first)?;
    if body < row.as_ref().column_count() {
        let body = row.get(body)?;
        Ok(Record {
            body,
            ..without_body
        })
    } else {
        Ok(without_body)
    }
}

fn record_without_body(row: &Row<'_>, first: usize) -> rusqlite::Result<Record> {
    Ok(Record {
        revision: number(row, first)?,
        format: row.get(first + 1)?,
        hash: number(row, first + 2)?,
        check: number(row, first + 3)?,
        heading: row.get(first + 4)?,
        body: Vec::new(),
    })
}

/// Verifies a record of the columns [`CHECKED`]; a large body is read in pieces. Returns its revision, its size, and the
/// heading.
pub(super) fn checked_heading(
    connection: &Connection,
    row: &Row<'_>,
) -> rusqlite::Result<(u64, usize, CheckedHeading)> {
    let record = record_without_body(row, 0)?;
    let (length, checksum) = if let Some(body) = row.get_ref(6)?.as_blob_or_null()? {
        let checksum = record.checksum(body.len(), |hasher| {
            hasher.update(body);
            Ok::<_, rusqlite::Error>(())
        });
        (body.len(), checksum?)
    } else {
        let body = connection.blob_open(c"main", c"log", c"body", row.get(5)?, true)?;
        let checksum = record.checksum(body.len(), |hasher| hash_pieces(hasher, &body));
        (body.len(), checksum?)
    };
    let (revision, size) = (record.revision, record.size() + length);
    let heading = record.heading_with(checksum);
    Ok((revision, size, CheckedHeading { revision, heading }))
}

/// Hashes a large value without holding all of it.
fn hash_pieces(hasher: &mut blake3::Hasher, value: &Blob<'_>) -> rusqlite::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    for start in (0..value.len()).step_by(buffer.len()) {
        let length = buffer.len().min(value.len() - start);
        value.read_at_exact(&mut buffer[..length], start)?;
        hasher.update(&buffer[..length]);
    }
    Ok(())
}

/// Columns by which the tables of a project and their indexes are checked against each other: its row, the first and the
/// last revision by the index of the log, the row of the log that the index has last, the recorded end of the log, and
/// the newest snapshot.
const ENDS: &str = "p.base_revision, p.base_hash,
     (SELECT min(revision) FROM log WHERE project = p.id),
     (SELECT max(revision) FROM log WHERE project = p.id),
     (SELECT revision FROM head WHERE project = p.id),
     (SELECT max(revision) FROM snapshot WHERE project = p.id),
     l.project, l.revision, l.hash";
/// Source of these columns.
const PROJECT_LOG: &str = "project p NOT INDEXED LEFT JOIN log l NOT INDEXED ON l.place =
     (SELECT place FROM log WHERE project = p.id ORDER BY revision DESC LIMIT 1)";

/// Reads base and head of a log from the columns `ENDS`. Inner: an error if they contradict each other.
fn checked_ends(row: &Row<'_>, first: usize) -> rusqlite::Result<Result<(Head, Head), Damage>> {
    let head = |column| -> rusqlite::Result<Head> {
        Ok(Head {
            revision: number(row, column)?,
            hash: number(row, column + 1)?,
        })
    };
    let optional = |column| -> rusqlite::Result<Option<u64>> {
        let found: Option<i64> = row.get(first + column)?;
        Ok(found.map(i64::cast_unsigned))
    };
    let base = head(first)?;
    let (oldest, newest) = (optional(2)?, optional(3)?);
    let (recorded, snapshot, project) = (optional(4)?, optional(5)?, optional(6)?);
    let end = match newest {
        None => base,
        Some(_) if project.is_none() => {
            let problem = "the index of the log has an entry that the log lacks".to_owned();
            return Ok(Err(Damage::Inconsistent(problem)));
        }
        Some(_) => head(first + 7)?,
    };
    let problem = if newest.is_some_and(|newest| newest != end.revision) {
        "the log and its index have different last entries".to_owned()
    } else if oldest.is_some_and(|oldest| Some(oldest) != base.revision.checked_add(1)) {
        format!("the log does not begin after revision {}", base.revision)
    } else if let Some(recorded) = recorded.filter(|&recorded| recorded > end.revision) {
        let end = end.revision;
        format!("the log ends at revision {end}, but revision {recorded} was committed")
    } else if let Some(snapshot) = snapshot.filter(|&snapshot| snapshot > end.revision) {
        let end = end.revision;
        format!("the log ends at revision {end}, but there is a snapshot of revision {snapshot}")
    } else {
        return Ok(Ok((base, end)));
    };
    Ok(Err(Damage::Inconsistent(problem)))
}

/// Returns all projects in id order. Contradictions within a project are reported in its row.
pub(super) fn projects(connection: &Connection) -> Result<Vec<ProjectRow>, SqliteError> {
    const LOG: usize = 13;
    let sql = format!(
        "SELECT p.id, p.name, p.created, p.deleted, {ENDS},
             l.revision, l.format, l.hash, l.check_sum, l.heading, l.body
         FROM {PROJECT_LOG} ORDER BY p.id"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    let mut names = names(connection)?;
    while let Some(row) = rows.next()? {
        let (id, name) = (ProjectId(number(row, 0)?), row.get(1)?);
        let deleted = row.get::<_, Option<i64>>(3)?.map(i64::cast_unsigned);
        let indexed = names.remove(&id);
        let mut damage = checked_ends(row, 4)?.err();
        let mut newest = None;
        if damage.is_none() && row.get::<_, Option<i64>>(LOG)?.is_some() {
            match record(row, LOG)?.checked_heading() {
                Ok(heading) => newest = Some(heading),
                Err(found) => damage = Some(found),
            }
        }
        if deleted.is_none() != indexed.is_some() || indexed.is_some_and(|it| it != name) {
            let problem = format!("the index of names does not match project '{name}'");
            damage = Some(Damage::Inconsistent(problem));
        }
        found.push(ProjectRow {
            id,
            name,
            created: number(row, 2)?,
            deleted,
            newest,
            damage,
        });
    }
    let lost = names.into_iter().map(|(id, name)| ProjectRow {
        id,
        name,
        created: 0,
        deleted: None,
        newest: None,
        damage: Some(Damage::Inconsistent(
            "the index of names has a project whose row is missing".to_owned(),
        )),
    });
    found.extend(lost);
    found.sort_by_key(|row| row.id);
    Ok(found)
}

/// Returns the names of the projects that are not deleted, by their index.
pub(super) fn names(connection: &Connection) -> rusqlite::Result<BTreeMap<ProjectId, String>> {
    let sql = "SELECT id, name FROM project INDEXED BY project_name WHERE deleted IS NULL";
    let mut statement = connection.prepare_cached(sql)?;
    let names = statement.query_map([], |row| Ok((ProjectId(number(row, 0)?), row.get(1)?)))?;
    names.collect()
}

/// Returns the project with this name that is not deleted. The index of names is compared with the projects, of which
/// there are few.
pub(super) fn find(connection: &Connection, name: &str) -> Result<Option<ProjectId>, SqliteError> {
    let find = |source: &str| {
        let sql = format!("SELECT id FROM project {source} WHERE name = ?1 AND deleted IS NULL");
        find_row(connection, &sql, [name], |row| number(row, 0))
    };
    let (indexed, found) = (find("INDEXED BY project_name")?, find("NOT INDEXED")?);
    if indexed != found {
        let problem = format!("the index of names does not match project '{name}'");
        return Err(StoreError::from(Damage::Inconsistent(problem)).into());
    }
    Ok(found.map(ProjectId))
}

/// Returns base and head of a log, checked against what else there is of the project.
pub(super) fn ends(
    connection: &Connection,
    project: ProjectId,
) -> Result<(Head, Head), SqliteError> {
    let sql = format!("SELECT {ENDS} FROM {PROJECT_LOG} WHERE p.id = ?1");
    let id = bits(project.0);
    if let Some(ends) = find_row(connection, &sql, [id], |row| checked_ends(row, 0))? {
        return Ok(ends.map_err(StoreError::from)?);
    }
    let sql = "SELECT revision FROM log WHERE project = ?1 LIMIT 1";
    if find_row(connection, sql, [id], |row| number(row, 0))?.is_none() {
        return Err(StoreError::UnknownProject(project.0).into());
    }
    let problem = format!("project {} has a log, but its row is missing", project.0);
    Err(StoreError::from(Damage::Inconsistent(problem)).into())
}

/// Reads a log in batches; holds neither locks nor a connection between them.
#[derive(Debug)]
pub(super) struct LogCursor {
    project: ProjectId,
    reading: LogRange,
    columns: &'static str,
    batch: usize,
}

impl LogCursor {
    pub(super) fn new(project: ProjectId, reading: LogRange, columns: &'static str) -> Self {
        LogCursor {
            project,
            reading,
            columns,
            batch: FIRST_BATCH,
        }
    }

    /// The next batch has at most this many records.
    pub(super) fn with_batch(self, batch: usize) -> Self {
        LogCursor { batch, ..self }
    }

    /// Returns the next batch; empty at the end. `read` returns the revision of a row, its size in bytes, and what is wanted of
    /// it.
    pub(super) fn next<T>(
        &mut self,
        connection: &Connection,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<(u64, usize, T)>,
    ) -> Result<Vec<T>, SqliteError> {
        let (mut records, mut last) = self.batch(connection, &read)?;
        if records.is_empty() {
            // Again with the ends of the log, as of one moment.
            let _moment = connection.unchecked_transaction()?;
            (records, last) = self.batch(connection, &read)?;
            if records.is_empty() {
                self.check_end(ends(connection, self.project)?)?;
            }
        }
        self.batch = (self.batch * 4).min(MAX_BATCH);
        if let Some(last) = last {
            self.reading = self.reading.resume_at(last);
        }
        Ok(records)
    }

    /// Rejects a log of which there is more than was read.
    fn check_end(&self, (base, head): (Head, Head)) -> Result<(), StoreError> {
        let gap = match self.reading {
            LogRange::After(last) => (last.max(base.revision).saturating_add(1), head.revision),
            LogRange::Before(last) => {
                let last = last.saturating_sub(1).min(head.revision);
                (base.revision.saturating_add(1), last)
            }
        };
        match gap {
            (expected, found) if expected <= found => {
                Err(Damage::from(ReplayError::Gap { expected, found }).into())
            }
            _ => Ok(()),
        }
    }

    /// Returns a batch, and the revision of its last row.
    fn batch<T>(
        &self,
        connection: &Connection,
        read: &impl Fn(&Row<'_>) -> rusqlite::Result<(u64, usize, T)>,
    ) -> Result<(Vec<T>, Option<u64>), SqliteError> {
        let (operator, order, from) = match self.reading {
            LogRange::After(from) => (">", "ASC", from),
            LogRange::Before(from) => ("<", "DESC", from),
        };
        let sql = format!(
            "SELECT {} FROM log
             WHERE project = ?1 AND revision {operator} ?2 ORDER BY revision {order} LIMIT ?3",
            self.columns
        );
        let mut statement = connection.prepare_cached(&sql)?;
        let asked = params![bits(self.project.0), ordered(from), self.batch as i64];
        let mut rows = statement.query(asked)?;
        let (mut records, mut bytes, mut last) = (Vec::new(), 0, None);
        while bytes < BATCH_BYTES {
            match rows.next().and_then(|row| row.map(read).transpose()) {
                Ok(Some((revision, size, record))) => {
                    bytes += size;
                    last = Some(revision);
                    records.push(record);
                }
                Ok(None) => break,
                // The next batch begins with the record that cannot be read.
                Err(_) if !records.is_empty() => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok((records, last))
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

/// Returns the revisions of all snapshots in ascending order.
pub(super) fn snapshot_revisions(
    connection: &Connection,
    project: ProjectId,
) -> Result<Vec<u64>, SqliteError> {
    let sql = "SELECT revision FROM snapshot WHERE project = ?1 ORDER BY revision";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([bits(project.0)], |row| row.get::<_, i64>(0))?;
    let revisions: Result<Vec<u64>, _> = rows.map(|row| row.map(i64::cast_unsigned)).collect();
    Ok(revisions?)
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
