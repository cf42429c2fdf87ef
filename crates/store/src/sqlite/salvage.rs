//! Reads what a damaged file still has, without its indexes.
//!
//! Every table is walked from its beginning and from its end, which does not depend on the order of its pages, and then
//! row by row, passing over rows that cannot be read.

use std::collections::BTreeMap;

use fibula_core::graph::ContentHash;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::queries::{number, record};
use crate::{ProjectId, Record, StoredSnapshot};

/// Number of consecutive ids without a readable row after which a table is taken to end: before the last row that is
/// known, and after it.
const MOST_UNREADABLE: [i64; 2] = [200_000, 1000];

/// What a damaged file still has.
#[derive(Debug, Default)]
pub(crate) struct Salvage {
    /// Projects, by their table, by the index of names, or by their logs.
    pub(crate) projects: BTreeMap<ProjectId, SalvagedProject>,
    /// Rows of the contents.
    pub(crate) contents: BTreeMap<ContentHash, i64>,
}

/// What there still is of a project.
#[derive(Debug, Default)]
pub(crate) struct SalvagedProject {
    /// The name, if it can be read.
    pub(crate) name: Option<String>,
    pub(crate) created: u64,
    pub(crate) deleted: Option<u64>,
    /// Records by revision; those of which there are several with one revision are checked.
    pub(crate) records: BTreeMap<u64, Record>,
    /// Snapshots by revision.
    pub(crate) snapshots: BTreeMap<u64, StoredSnapshot>,
}

/// Reads projects, logs and snapshots, and finds the contents.
pub(super) fn salvage(connection: &Connection) -> Salvage {
    let mut found = Salvage::default();
    // One lock for all queries; without it they are only slower.
    let _moment = connection.unchecked_transaction();
    walk(
        connection,
        "project",
        "id",
        "id, name, created, deleted",
        |row| {
            let project = SalvagedProject {
                name: Some(row.get(1)?),
                created: number(row, 2)?,
                deleted: row.get::<_, Option<i64>>(3)?.map(i64::cast_unsigned),
                ..SalvagedProject::default()
            };
            found.projects.insert(ProjectId(number(row, 0)?), project);
            Ok(())
        },
    );
    let names = super::queries::names(connection).unwrap_or_default();
    for (id, name) in names {
        found
            .projects
            .entry(id)
            .or_default()
            .name
            .get_or_insert(name);
    }
    let columns = "place, project, revision, format, hash, check_sum, heading, body";
    walk(connection, "log", "place", columns, |row| {
        let (id, record) = (ProjectId(number(row, 1)?), record(row, 2)?);
        let records = &mut found.projects.entry(id).or_default().records;
        let known = records.get(&record.revision);
        if known.is_none_or(|known| known.checked_heading().is_err()) {
            records.insert(record.revision, record);
        }
        Ok(())
    });
    walk(
        connection,
        "snapshot",
        "id",
        "id, project, revision, hash, bytes",
        |row| {
            let stored = StoredSnapshot {
                revision: number(row, 2)?,
                hash: number(row, 3)?,
                bytes: row.get(4)?,
            };
            let project = found
                .projects
                .entry(ProjectId(number(row, 1)?))
                .or_default();
            project.snapshots.insert(stored.revision, stored);
            Ok(())
        },
    );
    walk(connection, "content", "id", "id, hash", |row| {
        found.contents.insert(ContentHash(row.get(1)?), row.get(0)?);
        Ok(())
    });
    found
}

/// Returns the bytes of a content, or `None` if they are damaged.
pub(super) fn content(connection: &Connection, hash: ContentHash, id: i64) -> Option<Vec<u8>> {
    let sql = "SELECT bytes FROM content WHERE id = ?1";
    let bytes = connection.query_row(sql, [id], |row| row.get::<_, Vec<u8>>(0));
    bytes
        .ok()
        .filter(|bytes| ContentHash::digest(bytes) == hash)
}

/// Passes the rows of a table that can be read to `each`; most of them more than once.
fn walk(
    connection: &Connection,
    table: &str,
    key: &str,
    columns: &str,
    mut each: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
) {
    let mut last = 0;
    for order in ["ASC", "DESC"] {
        let sql = format!("SELECT {columns} FROM {table} NOT INDEXED ORDER BY {key} {order}");
        let _ = connection.prepare(&sql).and_then(|mut statement| {
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                last = last.max(row.get(0).unwrap_or(0));
                // A row that is damaged itself.
                let _ = each(row);
            }
            Ok(())
        });
    }
    let sql = format!(
        "SELECT {columns} FROM {table} NOT INDEXED WHERE {key} > ?1 ORDER BY {key} LIMIT 1"
    );
    let Ok(mut statement) = connection.prepare(&sql) else {
        return;
    };
    let (mut after, mut unreadable) = (0, 0);
    while unreadable < MOST_UNREADABLE[usize::from(after >= last)] {
        let found = statement.query_row(params![after], |row| {
            let _ = each(row);
            row.get::<_, i64>(0)
        });
        match found.optional() {
            Ok(Some(id)) if id > after => (after, unreadable) = (id, 0),
            // The last row, or one that is out of order.
            Ok(_) if after >= last => return,
            Ok(_) | Err(_) => (after, unreadable) = (after + 1, unreadable + 1),
        }
    }
}
